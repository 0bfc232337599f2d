"""A semantic model from dbt's `manifest.json`: its models, seeds and snapshots, what its tests and constraints say of
keys, references and values, and its metrics.

Each of MetricFlow's semantic models becomes a cube, with the metrics that are computed over it alone. What spans
several, looks back in time or is derived from others is told and left out.

https://docs.getdbt.com/reference/artifacts/manifest-json, versions 10 to 13.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from askwell.mdl.data_sources import SQL_DIALECTS
from askwell.mdl.importers.imported import (
    ImportedModel,
    collect,
    model_entry,
    quoted,
    relationship_entry,
    with_properties,
)
from askwell.mdl.importers.json_text import items, read_json_file, record, records, text, texts
from askwell.mdl.names import is_reserved, listed, unusable_characters
from askwell.mdl.problems import Findings, shown
from askwell.resources import words_file
from askwell.spelling import free_name

_VERSION = re.compile(r"/manifest/v(\d+)\.json")
VERSIONS = range(10, 14)
_TABLES = ("model", "seed", "snapshot")
# dbt's adapters that are called otherwise than data sources here.
_ADAPTERS = {"sqlserver": "MSSQL", "fabric": "MSSQL", "synapse": "MSSQL", "postgres": "POSTGRES"}


def read_dbt(path: Path) -> ImportedModel:
    """The model that a dbt project describes. Raises `ConfigurationError` for a file that cannot be read."""
    manifest = record(read_json_file(path))
    metadata = record(manifest.get("metadata"))
    version = _VERSION.search(text(metadata.get("dbt_schema_version")))

    def read(findings: Findings) -> dict[str, Any]:
        if version is None:
            what = 'it is no manifest of dbt: "metadata.dbt_schema_version" says no version'
            findings.refuse(path.name, what, "Name target/manifest.json of a dbt project.")
        elif int(version[1]) not in VERSIONS:
            what = f"it is a manifest of version {version[1][:6]}, and {VERSIONS[0]} to {VERSIONS[-1]} can be read"
            findings.refuse(path.name, what, "Run `dbt parse` with dbt 1.6 or later.")
        else:
            return _Project(manifest, findings).mdl(text(metadata.get("adapter_type")))
        return {}

    return collect(read)


@dataclass(slots=True)
class _Project:
    manifest: Mapping[str, Any]
    findings: Findings
    names: dict[str, str] = field(default_factory=dict)
    columns: dict[str, dict[str, str]] = field(default_factory=dict)

    def mdl(self, adapter: str) -> dict[str, Any]:
        nodes = dict(self._tables())
        if not nodes:
            self.findings.refuse("manifest", "it has no models, seeds or snapshots", "Run `dbt parse` in the project.")
            return {}
        facts = read_facts(record(self.manifest.get("nodes")), nodes, self.findings)
        self._name(nodes, facts)
        enums: list[dict[str, Any]] = []
        mdl: dict[str, Any] = {"catalog": "askwell", "schema": "main"}
        source = _ADAPTERS.get(adapter.lower(), adapter.upper())
        if source in SQL_DIALECTS:
            mdl["dataSource"] = source
        else:
            what = f'its adapter "{shown(adapter)}" is none whose SQL is known'
            self.findings.warn("metadata", what, 'Write "dataSource" into the model.')
        mdl["models"] = [self._model(node, one, facts, enums) for node, one in nodes.items() if node in self.names]
        mdl["relationships"] = list(self._relationships(facts))
        if enums:
            mdl["enumDefinitions"] = enums
        add_cubes(mdl, self.manifest, self.names, self.columns, self.findings)
        return mdl

    def _tables(self) -> Iterator[tuple[str, dict[str, Any]]]:
        for unique_id, value in record(self.manifest.get("nodes")).items():
            node = record(value)
            config = record(node.get("config"))
            if text(node.get("resource_type")) not in _TABLES or text(config.get("materialized")) == "ephemeral":
                continue
            yield unique_id, node

    def _name(self, nodes: Mapping[str, dict[str, Any]], facts: Facts) -> None:
        """The names of models and columns. A name that several packages use gets its package's before it."""
        versions = self._versions(nodes)
        shared = Counter(
            (versions.get(unique_id) or text(node.get("name"))).lower() for unique_id, node in nodes.items()
        )
        taken: set[str] = set()
        bare = []
        for unique_id, node in nodes.items():
            name = versions.get(unique_id) or text(node.get("name"))
            if shared[name.lower()] > 1 and text(node.get("package_name")):
                name = f"{text(node['package_name'])}_{name}"
            columns = {key.lower(): text(record(one).get("name")) or key for key, one in _columns(node).items()}
            for column in facts.columns(unique_id):
                columns.setdefault(column.lower(), column)
            if not columns:
                bare.append(name)
                continue
            if is_reserved(name) or not name or any(unusable_characters(one) for one in (name, *columns.values())):
                what = "it has a name, or a column of a name, that no query can carry, and is left out"
                self.findings.warn(shown(unique_id), what, "Rename it in the project.")
                continue
            self.names[unique_id] = free_name(name, taken, str.lower)
            self.columns[unique_id] = columns
        if bare:
            names = shown(listed(bare[:20]), 400)
            what = f"{len(bare)} of its models name no columns and are left out: {names}"
            self.findings.warn("manifest", what, "Document their columns; dbt knows only those that are written down.")
        if not self.names:
            todo = "Document columns in the project's YAML files, or use `askwell model init --database`."
            self.findings.refuse("manifest", "none of its models names any column", todo)

    def _versions(self, nodes: Mapping[str, dict[str, Any]]) -> dict[str, str]:
        """Names of the models that have versions: the latest is called like the model, another one `orders_v1`."""
        found: dict[str, str] = {}
        plain: list[str] = []
        others: list[str] = []
        for unique_id, node in nodes.items():
            version, latest = node.get("version"), node.get("latest_version")
            if version is None:
                continue
            name = text(node.get("name"))
            is_latest = latest is None or str(version) == str(latest)
            found[unique_id] = name if is_latest else f"{name}_v{version}"
            (plain if is_latest else others).append(f"{name} (version {version})" if is_latest else found[unique_id])
        if plain or others:
            what = f"the latest version of a model has its plain name: {shown(listed(plain), 400) or 'none is here'}"
            what += f"; older and newer ones are {shown(listed(others), 400)}" if others else ""
            self.findings.warn("manifest", what, "Remove what people should not ask about from the model.")
        return found

    def _model(
        self, unique_id: str, node: Mapping[str, Any], facts: Facts, enums: list[dict[str, Any]]
    ) -> dict[str, Any]:
        name = self.names[unique_id]
        reference = {"table": text(node.get("alias")) or text(node.get("name"))}
        reference |= {"schema": text(node.get("schema")), "catalog": text(node.get("database"))}
        described = {key.lower(): record(one) for key, one in _columns(node).items()}
        columns = []
        for key, column in self.columns[unique_id].items():
            written = self._column(column, described.get(key, {}), (unique_id, key) in facts.not_null)
            if values := facts.values.get((unique_id, key)):
                written["type"] = f"{name}.{column}"
                enums.append({"name": f"{name}.{column}", "values": [{"name": value} for value in values]})
            columns.append(written)
        primary, unique = facts.keys(unique_id, self.columns[unique_id])
        return model_entry(name, reference, columns, primary=primary, unique=unique, properties=_properties(node))

    def _column(self, name: str, described: Mapping[str, Any], not_null: bool) -> dict[str, Any]:
        written: dict[str, Any] = {"name": name}
        if kind := text(described.get("data_type")):
            written["type"] = kind
        if not name.isidentifier():
            written["expression"] = quoted(name)
        if not_null:
            written["notNull"] = True
        return with_properties(written, _properties(described))

    def _relationships(self, facts: Facts) -> Iterator[dict[str, Any]]:
        taken: set[str] = set()
        seen = set()
        for link in facts.links:
            left, right = self.names.get(link.node), self.names.get(link.to_node)
            if left is None or right is None:
                continue
            pairs = [
                (self.columns[link.node][here.lower()], self.columns[link.to_node][there.lower()])
                for here, there in zip(link.columns, link.to_columns, strict=True)
            ]
            if (left, right, *pairs) in seen:
                continue
            seen.add((left, right, *pairs))
            primary, unique = facts.keys(link.node, self.columns[link.node])
            own = {here for here, _ in pairs}
            one_to_one = any(own == set(key) for key in (primary, *unique) if key)
            yield relationship_entry(left, right, pairs, taken, one_to_one=one_to_one)


def _columns(node: Mapping[str, Any]) -> dict[str, Any]:
    return {key: one for key, one in record(node.get("columns")).items() if key.strip()}


def _properties(one: Mapping[str, Any]) -> dict[str, Any]:
    meta = record(one.get("meta")) or record(record(one.get("config")).get("meta"))
    return {
        "displayName": text(meta.get("label")) or text(meta.get("display_name")),
        "description": " ".join(text(one.get("description")).split()),
        "synonyms": texts(meta.get("synonyms")),
    }


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


# `{{ Dimension('order__status') }}`, `{{ TimeDimension('order__ordered_at', 'day') }}`
_DIMENSION = re.compile(r"\{\{\s*(?:Time)?Dimension\(\s*['\"](?:\w+__)?(\w+)['\"][^)]*\)\s*\}\}")


@dataclass(slots=True)
class _Semantic:
    """A semantic model: its columns' SQL by the names of dimensions, entities and measures."""

    name: str
    base: str
    columns: Mapping[str, str]
    types: Mapping[str, str]
    dimensions: dict[str, str] = field(default_factory=dict)
    time: set[str] = field(default_factory=set)
    measures: dict[str, dict[str, Any]] = field(default_factory=dict)
    metrics: list[dict[str, Any]] = field(default_factory=list)

    def sql(self, expression: str, name: str) -> str:
        """An expression over the model; a plain name is the column as the model spells it."""
        written = expression or name
        known = self.columns.get(written.lower())
        return quoted(known) if known else written


def add_cubes(
    mdl: dict[str, Any],
    manifest: Mapping[str, Any],
    names: Mapping[str, str],
    columns: Mapping[str, Mapping[str, str]],
    findings: Findings,
) -> None:
    """Add the cubes to `mdl`, whose models have `names` and `columns` by dbt's unique ids."""
    types = {
        one["name"]: {column["name"]: column.get("type", "") for column in one["columns"]} for one in mdl["models"]
    }
    semantics = list(_semantics(manifest, names, columns, types, findings))
    left_out = list(_place_metrics(manifest, semantics))
    if left_out:
        what = f"metrics that a model cannot hold are left out: {shown(listed(left_out), 600)}"
        todo = "They span several models, look back in time or are derived; write views for those that matter."
        findings.warn("metrics", what, todo)
    taken = {name.lower() for name in names.values()}
    cubes = [_cube(one, taken) for one in semantics if one.metrics]
    if cubes:
        mdl["cubes"] = cubes


def _semantics(
    manifest: Mapping[str, Any],
    names: Mapping[str, str],
    columns: Mapping[str, Mapping[str, str]],
    types: Mapping[str, Mapping[str, str]],
    findings: Findings,
) -> Iterator[_Semantic]:
    for unique_id, value in record(manifest.get("semantic_models")).items():
        node = record(value)
        base = next((one for one in texts(record(node.get("depends_on")).get("nodes")) if one in names), None)
        if base is None:
            findings.warn(shown(unique_id), "its model is not imported, so its metrics are left out", "Document it.")
            continue
        one = _Semantic(text(node.get("name")), names[base], columns[base], types[names[base]])
        for dimension in records(node.get("dimensions")):
            if name := text(dimension.get("name")):
                one.dimensions[name] = one.sql(text(dimension.get("expr")), name)
                if text(dimension.get("type")) == "time":
                    one.time.add(name)
        for measure in records(node.get("measures")):
            one.measures[text(measure.get("name"))] = measure
        yield one


def _place_metrics(manifest: Mapping[str, Any], semantics: list[_Semantic]) -> Iterator[str]:
    """Put each metric to its semantic model; yields the names of those that have none."""
    for value in record(manifest.get("metrics")).values():
        metric = record(value)
        name = text(metric.get("name"))
        found = _simple(metric, semantics) if text(metric.get("type")) == "simple" else None
        if found is None:
            yield name or "one without a name"
            continue
        semantic, expression, kind = found
        properties = {"displayName": text(metric.get("label")), "description": text(metric.get("description"))}
        measure = {"name": name, "type": kind, "expression": expression}
        semantic.metrics.append(with_properties(measure, properties))


def _simple(metric: Mapping[str, Any], semantics: list[_Semantic]) -> tuple[_Semantic, str, str] | None:
    parameters = record(metric.get("type_params"))
    used = record(parameters.get("measure"))
    own = record(parameters.get("metric_aggregation_params"))
    if own:
        # Since dbt 1.12 a simple metric has its own aggregate, and there are no measures.
        semantic = next((one for one in semantics if one.name == text(own.get("semantic_model"))), None)
        measure: Mapping[str, Any] = {**own, "expr": own.get("expr") or parameters.get("expr")}
        measure_name = text(metric.get("name"))
    else:
        measure_name = text(used.get("name"))
        semantic = next((one for one in semantics if measure_name in one.measures), None)
        measure = semantic.measures[measure_name] if semantic else {}
    aggregates = words_file(__package__, "other_tools.yaml")["dbt_aggregates"]
    if semantic is None or text(measure.get("agg")) not in aggregates:
        return None
    pattern, kind = aggregates[text(measure.get("agg"))]
    expression = str(measure.get("expr") or "").strip()
    argument = semantic.sql(expression, measure_name)
    conditions = [_condition(record(one).get("filter"), semantic) for one in (metric, used)]
    if None in conditions:
        return None
    kind = kind or semantic.types.get(argument.strip('"'), "") or "DOUBLE"
    written = " AND ".join(f"({one})" for one in conditions if one)
    return semantic, pattern.format(argument) + (f" FILTER (WHERE {written})" if written else ""), kind


def _condition(value: object, semantic: _Semantic) -> str | None:
    """The SQL of a metric's filter, "" without one, None where it speaks of something else than its dimensions."""
    parts = records(record(value).get("where_filters"))
    conditions = []
    for part in parts:
        unknown = False

        def written(match: re.Match[str]) -> str:
            nonlocal unknown
            unknown = unknown or match[1] not in semantic.dimensions
            return semantic.dimensions.get(match[1], "")

        condition = _DIMENSION.sub(written, text(part.get("where_sql_template")))
        if unknown or "{" in condition or not condition:
            return None
        conditions.append(f"({condition})" if len(parts) > 1 else condition)
    return " AND ".join(conditions)


def _cube(semantic: _Semantic, taken: set[str]) -> dict[str, Any]:
    metrics = {metric["name"].lower() for metric in semantic.metrics}
    fields: dict[str, list[dict[str, Any]]] = {"dimensions": [], "timeDimensions": []}
    for name, expression in semantic.dimensions.items():
        if name.lower() in metrics:
            continue
        kind = semantic.types.get(expression.strip('"'), "") or ("TIMESTAMP" if name in semantic.time else "VARCHAR")
        entry = {"name": name, "type": kind, "expression": expression}
        fields["timeDimensions" if name in semantic.time else "dimensions"].append(entry)
    name = free_name(f"{semantic.base}_metrics", taken, str.lower)
    description = f"The metrics of {semantic.base}, one row for each combination of its dimensions."
    cube = {"name": name, "baseObject": semantic.base, **fields, "measures": semantic.metrics}
    return cube | {"properties": {"description": description}}
