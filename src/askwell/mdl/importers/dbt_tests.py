"""What dbt's tests and constraints say about its tables: keys, columns that always have a value, references, values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from askwell.mdl.importers.json_text import items, record, records, text, texts
from askwell.mdl.problems import Findings, shown

_REF = re.compile(r"ref\(\s*(?:['\"][^'\"]*['\"]\s*,\s*)?['\"]([^'\"]+)['\"]")
_SOURCE = re.compile(r"\bsource\(")
_MOST_VALUES = 1_000

Column = tuple[str, str]
"""A table's unique id, and a column in lower case."""


@dataclass(frozen=True, slots=True)
class ForeignKeyFact:
    """`columns` of one table hold values of `to_columns` of another."""

    node: str
    columns: tuple[str, ...]
    to_node: str
    to_columns: tuple[str, ...]


@dataclass(slots=True)
class Facts:
    """Keys are tuples of columns as they are written, by table, in the order in which they were found."""

    primary: dict[str, tuple[str, ...]] = field(default_factory=dict)
    unique: dict[str, dict[tuple[str, ...], None]] = field(default_factory=dict)
    not_null: set[Column] = field(default_factory=set)
    values: dict[Column, tuple[str, ...]] = field(default_factory=dict)
    links: list[ForeignKeyFact] = field(default_factory=list)
    named: dict[str, dict[str, str]] = field(default_factory=dict)

    def columns(self, node: str) -> tuple[str, ...]:
        """The table's columns that tests name."""
        return tuple(self.named.get(node, {}).values())

    def keys(self, node: str, columns: Mapping[str, str]) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """The primary key, () where there is none, and the other unique keys; by the names in `columns`. Without a
        declared one it is the first that is unique and always has a value."""
        unique = list(self.unique.get(node, {}))
        primary = self.primary.get(node, ())
        if not primary:
            sure = [key for key in unique if all((node, column.lower()) in self.not_null for column in key)]
            primary = min(sure, key=len, default=())
        spelled = tuple(columns.get(column.lower(), column) for column in primary)
        others = [key for key in unique if {one.lower() for one in key} != {one.lower() for one in primary}]
        return spelled, [tuple(columns.get(column.lower(), column) for column in key) for key in others]


def read_facts(nodes: Mapping[str, Any], tables: Mapping[str, Mapping[str, Any]], findings: Findings) -> Facts:
    """The facts about `tables`, of which each column is named. A test with a condition says nothing of the others."""
    facts = Facts()
    for unique_id, table in tables.items():
        _constraints(facts, unique_id, table, tables)
    for unique_id, value in nodes.items():
        node = record(value)
        if text(node.get("resource_type")) == "test" and not record(node.get("config")).get("where"):
            _test(facts, unique_id, node, tables, findings)
    return facts


def _noted(facts: Facts, node: str, columns: list[str]) -> list[str]:
    for column in columns:
        facts.named.setdefault(node, {}).setdefault(column.lower(), column)
    return columns


def _test(
    facts: Facts, unique_id: str, node: Mapping[str, Any], tables: Mapping[str, Mapping[str, Any]], findings: Findings
) -> None:
    metadata = record(node.get("test_metadata"))
    arguments = record(metadata.get("kwargs"))
    arguments = {**arguments, **record(arguments.get("arguments"))}
    column = (text(node.get("column_name")) or text(arguments.get("column_name"))).strip('"`')
    depends = {one: tables[one] for one in texts(record(node.get("depends_on")).get("nodes")) if one in tables}
    table = _tested(node, arguments, column, depends, tables)
    if table is None:
        named = f"its test {shown(text(metadata.get('name')))} of {shown(column)}"
        what = f"{named} may be about several models, and is left out"
        findings.warn(shown(unique_id), what, "Run `dbt parse` with a later dbt, whose manifest says which one.")
    if not table:
        return
    key = (table, column.lower())
    match text(metadata.get("name")):
        case "unique" if column:
            facts.unique.setdefault(table, {})[tuple(_noted(facts, table, [column]))] = None
        case "not_null" if column:
            _noted(facts, table, [column])
            facts.not_null.add(key)
        case "unique_combination_of_columns":
            if together := [one.strip('"`') for one in texts(arguments.get("combination_of_columns"))]:
                facts.unique.setdefault(table, {})[tuple(_noted(facts, table, together))] = None
        case "accepted_values" if column:
            values = tuple(dict.fromkeys(str(one) for one in items(arguments.get("values")) if one not in (None, "")))
            if values and len(values) <= _MOST_VALUES and arguments.get("quote") is not False:
                _noted(facts, table, [column])
                facts.values[key] = values
        case "relationships" if column:
            _reference(facts, table, column, arguments, {table: tables[table]} | depends, findings)


def _tested(
    node: Mapping[str, Any],
    arguments: Mapping[str, Any],
    column: str,
    depends: Mapping[str, Mapping[str, Any]],
    tables: Mapping[str, Mapping[str, Any]],
) -> str | None:
    """The table that a test is about: what the manifest says, else the one it depends on that has the column and is not
    what it refers to. "" for one that is not imported, None where several may be meant."""
    attached = text(node.get("attached_node"))
    if attached:
        return attached if attached in tables else ""
    said = text(arguments.get("model"))
    if _REF.search(said):
        return _referred(said, depends) or _referred(said, tables)
    if _SOURCE.search(said):
        return ""
    target = _referred(text(arguments.get("to")), depends) if arguments.get("to") else ""
    others = [one for one in depends if one != target] or list(depends)
    if len(others) < 2:
        return "".join(others)
    having = [one for one in others if column.lower() in {name.lower() for name in record(depends[one].get("columns"))}]
    return having[0] if len(having) == 1 else None


def _reference(
    facts: Facts,
    table: str,
    column: str,
    arguments: Mapping[str, Any],
    depends: Mapping[str, Mapping[str, Any]],
    findings: Findings,
) -> None:
    there = text(arguments.get("field")).strip('"`')
    others = [one for one in depends if one != table]
    to = text(arguments.get("to"))
    # A path of macros says nothing that can be read here; then what else the test depends on is meant.
    target = _referred(to, depends) or ("" if _REF.search(to) or _SOURCE.search(to) else "".join(others[:1]))
    if not there or not target:
        what = f"its test relationships of {shown(column)} leads to nothing that is imported, and is left out"
        findings.warn(shown(table), what, "References to sources are not followed.")
        return
    if (target, there.lower()) == (table, column.lower()):
        what = f"its test relationships of {shown(column)} leads from the column to itself, and is left out"
        findings.warn(shown(table), what, "Correct the test in the project.")
        return
    _noted(facts, table, [column])
    _noted(facts, target, [there])
    facts.links.append(ForeignKeyFact(table, (column,), target, (there,)))


def _constraints(facts: Facts, node: str, table: Mapping[str, Any], tables: Mapping[str, Mapping[str, Any]]) -> None:
    for columns, constraint in _all_constraints(table):
        kind = text(constraint.get("type"))
        if not columns:
            continue
        if kind == "primary_key":
            facts.primary[node] = tuple(_noted(facts, node, columns))
        elif kind == "unique":
            facts.unique.setdefault(node, {})[tuple(_noted(facts, node, columns))] = None
        if kind in ("not_null", "primary_key"):
            facts.not_null.update((node, column.lower()) for column in columns)
        to_columns = texts(constraint.get("to_columns"))
        if kind == "foreign_key" and len(to_columns) == len(columns):
            target = _referred(text(constraint.get("to")), tables)
            if target:
                _noted(facts, node, columns)
                _noted(facts, target, to_columns)
                facts.links.append(ForeignKeyFact(node, tuple(columns), target, tuple(to_columns)))


def _referred(written: str, tables: Mapping[str, Mapping[str, Any]]) -> str:
    """The table that `ref('orders')` or a relation's name stands for; "" for another one."""
    name = _REF.search(written)
    place = _bare(written)
    for unique_id, table in tables.items():
        if text(table.get("name")) == name[1] if name else _bare(text(table.get("relation_name"))) == place:
            return unique_id
    return ""


def _bare(relation: str) -> str:
    return relation.replace('"', "").replace("`", "").lower()


def _all_constraints(table: Mapping[str, Any]) -> Iterator[tuple[list[str], dict[str, Any]]]:
    for constraint in records(table.get("constraints")):
        yield texts(constraint.get("columns")), constraint
    for name, column in record(table.get("columns")).items():
        for constraint in records(record(column).get("constraints")):
            yield [name], constraint
