"""Relationships from what a workbook says of foreign keys: `customers.id`, `customers(id)`, `customers`, or a mark."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from typing import Any

from askwell.mdl.importers.imported import join_condition, unique_name, with_properties
from askwell.mdl.importers.inference import possible_links
from askwell.mdl.importers.table_draft import ColumnDraft, TableDraft
from askwell.mdl.names import nearest_hint
from askwell.mdl.problems import Findings, shown
from askwell.mdl.semantic_model import Cardinality
from askwell.providers.engine.base import PhysicalColumn, PhysicalTable

_BEFORE_A_NAME = re.compile(r"^\s*(?:fk\b\s*)?(?:->|→|=>|>|references\s|ref\s*:|:|to\s)?\s*", re.I)
_SEPARATORS = re.compile(r"\s*(?:\.|::|->|→)\s*")
Link = tuple[TableDraft, ColumnDraft, TableDraft, ColumnDraft, str]


def add_links(tables: Sequence[TableDraft], findings: Findings) -> list[dict[str, Any]]:
    """The relationships of the described tables. What refers to nothing is a problem at its cell; a column that is only
    marked as a foreign key gets the one link that its name means, which then says that it was inferred."""
    by_name = {table.name.lower(): table for table in tables}
    links: list[Link] = [
        (table, here, target, there, column.reason)
        for table in tables
        for column in table.columns.values()
        if column.reference
        for here, target, there in _targets(table, column, by_name, findings)
    ]
    links += _checked(tables, by_name, {(table.name, column.name) for table, column, *_ in links}, findings)
    links += _marked(tables, findings)
    taken: set[str] = set()
    return [_relationship(group, taken) for group in _grouped(links)]


def _checked(
    tables: Sequence[TableDraft], by_name: dict[str, TableDraft], linked: Set[tuple[str, str]], findings: Findings
) -> list[Link]:
    """Links to tables of valid values; many of those are not described, which is told."""
    links: list[Link] = []
    outside: dict[str, list[str]] = {}
    for table in tables:
        for column in table.columns.values():
            if not column.check_table or column.reference:
                continue
            target = by_name.get(column.check_table.lower())
            pairs = _by_names(table, column, target) if target and target is not table else []
            if target and all((table.name, here.name) not in linked for here, _ in pairs[:1]):
                links += [(table, here, target, there, "") for here, there in pairs]
            if not pairs and target is not table:
                outside.setdefault(column.check_table, []).append(f"{table.name}.{column.name}")
    if outside:
        names = ", ".join(f"{shown(name)} ({shown(places[0])})" for name, places in list(outside.items())[:20])
        what = f"no relationships were made to these check tables, which are not described, or not by one key: {names}"
        findings.warn("workbook", what, "Describe those that people ask about.")
    return links


def _by_names(table: TableDraft, column: ColumnDraft, target: TableDraft) -> list[tuple[ColumnDraft, ColumnDraft]]:
    """The columns of a reference that names a table only: all of its key but one are called the same in both tables,
    and the one that is left is what the column holds."""
    key = [target.columns[name.lower()] for name in target.key()]
    rest = [there for there in key if there.name.lower() not in table.columns or len(key) == 1]
    same = [there for there in key if there not in rest]
    if not rest:
        rest = [there for there in same if there.name.lower() == column.name.lower()]
        same = [there for there in same if there not in rest]
        if not rest and len(same) > 1 and column.name.lower() not in {there.name.lower() for there in key}:
            # `VBAK.KUNNR` is called like its key, `VBAK.SOLD_TO` is not: the last of the key is what it holds.
            rest, same = same[-1:], same[:-1]
    if len(rest) != 1:
        return []
    pairs = [(column if there is rest[0] else table.columns[there.name.lower()], there) for there in key]
    return pairs if len({here.name for here, _ in pairs}) == len(pairs) else []


def _targets(
    table: TableDraft, column: ColumnDraft, tables: dict[str, TableDraft], findings: Findings
) -> list[tuple[ColumnDraft, TableDraft, ColumnDraft]]:
    found = _target(table, column, tables, findings)
    if found is None:
        return []
    target, there = found
    if there is not None:
        return [(column, target, there)]
    return [(here, target, one) for here, one in _by_names(table, column, target)]


def _target(
    own: TableDraft, column: ColumnDraft, tables: dict[str, TableDraft], findings: Findings
) -> tuple[TableDraft, ColumnDraft | None] | None:
    written = _BEFORE_A_NAME.sub("", column.reference).strip()
    parts = [part.strip(" \"'`[]") for part in _SEPARATORS.split(re.sub(r"\(\s*([^()]*?)\s*\)\s*$", r".\1", written))]
    where = column.reference_where
    if len(parts) > 1 and not (parts[0] and parts[-1]):
        what = f'"{shown(column.reference)}" names a table or a column, and not the other'
        findings.refuse(where, what, 'Write "table.column".')
        return None
    parts = [part for part in parts if part]
    table = next((tables[part.lower()] for part in (parts[-2:-1] or parts) if part.lower() in tables), None)
    if table is None and parts and parts[-1].lower() in tables:
        table, parts = tables[parts[-1].lower()], parts[-1:]
    if table is None:
        names = [one.name for one in tables.values()]
        hint = nearest_hint((parts[-2:-1] or parts or [""])[0], names) or 'Write "table.column".'
        findings.refuse(where, f'"{shown(column.reference)}" refers to no table of the workbook', hint)
        return None
    if len(parts) > 1:
        there = table.columns.get(parts[-1].lower())
        if there is None:
            hint = nearest_hint(parts[-1], [one.name for one in table.columns.values()])
            findings.refuse(where, f'{shown(table.name)} has no column "{shown(parts[-1])}"', hint or "Correct it.")
        return (table, there) if there else None
    if (table is own and len(table.key()) > 1) or not _by_names(own, column, table):
        what = f'"{shown(column.reference)}" names no column, and {shown(table.name)} has no key of one column'
        findings.refuse(where, what, 'Write "table.column".')
        return None
    return table, None


def _marked(tables: Sequence[TableDraft], findings: Findings) -> list[Link]:
    """Links for columns that are called foreign keys without a word of where they lead."""
    marked = {(table.name, column.name) for table in tables for column in table.columns.values() if _is_marked(column)}
    if not marked:
        return []
    physical = {
        PhysicalTable(
            table.name,
            None,
            tuple(PhysicalColumn(column.name, column.type) for column in table.columns.values()),
            table.key(),
        ): table
        for table in tables
    }
    links: list[Link] = []
    for readings in possible_links(tuple(physical), ()):
        link = readings[0]
        place = (link.table.name, link.columns[0])
        if len(readings) == 1 and place in marked:
            table, target = physical[link.table], physical[link.to_table]
            column = table.columns[link.columns[0].lower()]
            links.append((table, column, target, target.columns[link.to_columns[0].lower()], link.reason))
            marked.discard(place)
    for table in tables:
        for column in table.columns.values():
            if (table.name, column.name) in marked:
                what = f"{shown(column.name)} is marked as a foreign key, but not of what; no relationship was made"
                findings.warn(column.reference_where, what, 'Write "table.column" where it leads.')
    return links


def _is_marked(column: ColumnDraft) -> bool:
    return column.is_marked_foreign and not column.reference


def _grouped(links: Sequence[Link]) -> list[list[Link]]:
    """Links that together are one of a composite key, and each of the others alone."""
    groups: list[list[Link]] = []
    composite: dict[tuple[str, str], list[Link]] = {}
    for link in links:
        table, _, target, there, _ = link
        if len(target.key()) > 1 and there.is_key:
            group = composite.setdefault((table.name, target.name), [])
            if there.name not in [one[3].name for one in group]:
                group.append(link)
                if len(group) == 1:
                    groups.append(group)
                continue
        groups.append([link])
    return groups


def _relationship(group: Sequence[Link], taken: set[str]) -> dict[str, Any]:
    table, _, target, _, reason = group[0]
    own = {column.name for _, column, _, _, _ in group}
    theirs = {there.name for _, _, _, there, _ in group}
    one_to_one = own == set(table.key()) and theirs == set(target.key())
    pairs = [(column.name, there.name) for _, column, _, there, _ in group]
    written = {
        "name": unique_name(f"{table.name}_{'_'.join(here for here, _ in pairs)}", taken),
        "models": [table.name, target.name],
        "joinType": str(Cardinality.ONE_TO_ONE if one_to_one else Cardinality.MANY_TO_ONE),
        "condition": join_condition(table.name, target.name, pairs),
    }
    return with_properties(written, {"inferred": bool(reason), "reason": reason})
