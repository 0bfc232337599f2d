"""A semantic model from Apache Ossie (Open Semantic Interchange): YAML or JSON of the core specification. What MDL
cannot hold is told. `ossie_export.py` writes what is read here.

The specification: https://github.com/apache/ossie, core-spec, versions 0.1.1 (released; a list of
models in a document) and 0.2.0 (a draft; one model, at the document's root).
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlglot import exp

from askwell.mdl.data_sources import sql_dialect
from askwell.mdl.expressions import read_expression
from askwell.mdl.importers.imported import ImportedModel, collect, join_condition
from askwell.mdl.importers.json_text import items, read_json_file, read_yaml_file, record, records, text, texts
from askwell.mdl.names import listed, nearest_hint, words
from askwell.mdl.problems import Findings, item, place, shown
from askwell.mdl.semantic_model import Cardinality
from askwell.resources import words_file
from askwell.spelling import free_name

# What is written, and the versions whose files are read without a word.
WRITTEN_VERSION = "0.2.0.dev0"
KNOWN_VERSIONS = ("0.1", "0.2")

ANSI = "ANSI_SQL"
# The specification's dialects that are SQL, with the data sources that read them.
DIALECTS = {"SNOWFLAKE": "SNOWFLAKE", "DATABRICKS": "DATABRICKS", "BIGQUERY": "BIGQUERY"}
TYPES: Mapping[str, str] = words_file(__package__, "other_tools.yaml")["ossie_types"]
DATATYPES = {kind: name for name, kind in TYPES.items()} | {"INTEGER": "Integer", "TEXT": "String"}

# What the specification has no place for is kept in a vendor's extension, which every reader passes over.
_VENDOR, _OWN = "COMMON", "askwell"
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PART = re.compile(r'"((?:[^"]|"")+)"|`([^`]+)`|\[([^\]]+)\]|([^."`\[\]]+)')


def extension(content: Mapping[str, Any]) -> list[dict[str, str]]:
    """The list of extensions that holds `content`; empty where there is none."""
    if not content:
        return []
    return [{"vendor_name": _VENDOR, "data": json.dumps({_OWN: content}, ensure_ascii=False)}]


def own_extension(entry: Mapping[str, Any]) -> dict[str, Any]:
    """What `extension` kept in an entry."""
    for one in foreign_or_own(entry):
        try:
            found = json.loads(str(one.get("data", "")))
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict) and isinstance(found.get(_OWN), dict):
            content: dict[str, Any] = found[_OWN]
            return content
    return {}


def foreign_or_own(entry: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """All extensions of an entry."""
    listed = entry.get("custom_extensions")
    return [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []


def identifier(name: str) -> str:
    """A name as SQL, without quotes where it needs none."""
    return name if _PLAIN.fullmatch(name) else '"' + name.replace('"', '""') + '"'


def place_parts(source: str) -> list[str] | None:
    """The names of `database.schema.table`, any of which may be quoted; None for anything else, such as a query."""
    parts, rest = [], source.strip()
    while match := _PART.match(rest):
        quoted = (match[1] or "").replace('""', '"') or match[2] or match[3]
        bare = match[4] or ""
        if not quoted and not re.fullmatch(r"[\w$#@ -]+", bare):
            return None
        parts.append(quoted or bare.strip())
        rest = rest[match.end() :]
        if not rest:
            return parts if len(parts) <= _MOST_PARTS and all(parts) else None
        if not rest.startswith("."):
            return None
        rest = rest[1:]
    return None


_MOST_PARTS = 3


# The last word of a name that is about a day.
_DAY_WORDS = frozenset({"date", "day", "on", "month", "datum", "tag", "jour", "fecha"})
_CANNOT = "A model has no place for them."


def read_ossie(path: Path) -> ImportedModel:
    """The model that a file in the format holds. Raises `ConfigurationError` for a file that cannot be read."""
    document = record(read_json_file(path) if path.suffix.lower() == ".json" else read_yaml_file(path))
    # In the released version a file holds a list of models; in the draft after it, one model.
    models = records(document.get("semantic_model")) or ([document] if "datasets" in document else [])
    version = str(document.get("version", ""))
    guesses: dict[tuple[str, str], str] = {}

    def read(findings: Findings) -> dict[str, Any]:
        if not models:
            todo = "Name a file that is written as the specification has it."
            findings.refuse(path.name, 'it has neither "semantic_model" nor "datasets"', todo)
            return {}
        if not version.startswith(KNOWN_VERSIONS):
            known = listed(KNOWN_VERSIONS)
            what = f"it is written for version {shown(version) or '(none)'} of the format, and {known} are known"
            findings.warn("version", what, "Look through the model: what is new in that version is left out.")
        return _Importer(findings, guesses).mdl(models)

    return collect(read, guesses)


@dataclass(slots=True)
class _Importer:
    findings: Findings
    guesses: dict[tuple[str, str], str]
    data_source: str = ""
    lost: Counter[str] = field(default_factory=Counter)
    fields: dict[str, dict[str, str]] = field(default_factory=dict)
    keys: dict[str, list[set[str]]] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)

    def mdl(self, semantic_models: list[dict[str, Any]]) -> dict[str, Any]:
        kept = [own_extension(one) for one in semantic_models]
        first = kept[0]
        self.data_source = text(first.get("dataSource")) or self._vendor(semantic_models)
        mdl: dict[str, Any] = {key: value for key, value in first.items() if key not in ("models", "relationships")}
        mdl |= {
            "catalog": text(first.get("catalog")) or text(semantic_models[0].get("name")) or "askwell",
            "schema": text(first.get("schema")) or "main",
        }
        if self.data_source:
            mdl["dataSource"] = self.data_source
        for one in semantic_models:
            self._note_context(one)
        datasets = [one for semantic in semantic_models for one in records(semantic.get("datasets"))]
        if not datasets:
            self.findings.refuse("semantic_model", "it has no datasets", "Describe the tables as datasets.")
        mdl["models"] = [model for position, one in enumerate(datasets) if (model := self._model(one, position))]
        mdl["models"] += [entry for one in kept for entry in records(one.get("models"))]
        relationships = [one for semantic in semantic_models for one in records(semantic.get("relationships"))]
        mdl["relationships"] = [
            entry for position, one in enumerate(relationships) if (entry := self._relationship(one, position))
        ]
        mdl["relationships"] += [entry for one in kept for entry in records(one.get("relationships"))]
        grouped = {text(one.get("name")) for key in ("metrics", "cubes") for one in records(first.get(key))}
        metrics = [one for semantic in semantic_models for one in records(semantic.get("metrics"))]
        own = [one for one in metrics if text(own_extension(one).get("of")) not in grouped]
        if added := list(self._metrics(own, {*self.names, *(name.lower() for name in grouped)})):
            mdl["metrics"] = [*records(first.get("metrics")), *added]
        self._tell_lost()
        return mdl

    def _vendor(self, semantic_models: list[dict[str, Any]]) -> str:
        """The database that expressions are written for, where they are for one alone."""
        expressions = [
            one.get("expression")
            for semantic in semantic_models
            for dataset in records(semantic.get("datasets"))
            for one in records(dataset.get("fields"))
        ]
        dialects = [{text(one.get("dialect")) for one in records(record(each).get("dialects"))} for each in expressions]
        only = [source for source in DIALECTS if dialects and all(each == {source} for each in dialects)]
        return DIALECTS[only[0]] if only else ""

    def _tell_lost(self) -> None:
        if self.lost:
            counted = listed(f"{count} {what}" for what, count in sorted(self.lost.items()))
            self.findings.warn("semantic_model", f"left out: {shown(counted, 400)}", _CANNOT)

    # -- datasets ---------------------------------------------------------------------------------------------------

    def _model(self, dataset: Mapping[str, Any], position: int) -> dict[str, Any] | None:
        name = text(dataset.get("name"))
        where = item("datasets", position, name)
        source = text(dataset.get("source"))
        if not name or not source:
            self.findings.refuse(where, f'"{"source" if name else "name"}" is missing', "Add it.")
            return None
        kept = own_extension(dataset)
        model: dict[str, Any] = {"name": name} | self._rows(source)
        model |= {key: value for key, value in kept.items() if key not in ("columns", "properties", "name")}
        self.names[name.lower()] = name
        columns = [
            column
            for number, one in enumerate(records(dataset.get("fields")))
            if (column := self._column(one, place(where, item("fields", number, one.get("name"))), name))
        ]
        self.fields[name.lower()] = {column["name"].lower(): column["name"] for column in columns}
        for other in records(kept.get("columns")):
            at = other.get("at")
            columns.insert(at if isinstance(at, int) else len(columns), record(other.get("column")))
        model["columns"] = columns
        primary = texts(dataset.get("primary_key"))
        unique = [texts(key) for key in items(dataset.get("unique_keys")) if texts(key)]
        self.keys[name.lower()] = [{one.lower() for one in key} for key in (primary, *unique) if key]
        if primary:
            model["primaryKey"] = primary[0] if len(primary) == 1 else primary
        if unique:
            model["uniqueKeys"] = [key[0] if len(key) == 1 else key for key in unique]
        for key in (primary, *unique):
            self._check_columns(where, name, key)
        return model | self._properties(dataset, kept)

    def _rows(self, source: str) -> dict[str, Any]:
        parts = place_parts(source)
        if parts is None:
            return {"refSql": source}
        return {"tableReference": dict(zip(("table", "schema", "catalog"), reversed(parts), strict=False))}

    def _check_columns(self, where: str, model: str, names: list[str]) -> None:
        known = self.fields.get(model.lower(), {})
        for name in names:
            if name.lower() not in known:
                hint = nearest_hint(name, known.values()) or "Describe it as a field."
                self.findings.refuse(where, f'"{shown(name)}" is not a field of {shown(model)}', hint)

    def _column(self, entry: Mapping[str, Any], where: str, dataset: str) -> dict[str, Any] | None:
        name = text(entry.get("name"))
        expression = self._expression(entry)
        if not name or expression is None:
            what = "it has no name" if not name else "it has no expression in SQL that can be read"
            self.findings.warn(where, f"{what}, and is left out", f"Give it one in {ANSI}.")
            return None
        kept = own_extension(entry)
        column: dict[str, Any] = {"name": name}
        if kind := text(kept.get("type")) or TYPES.get(text(entry.get("datatype")), ""):
            column["type"] = kind
        elif str(record(entry.get("dimension")).get("is_time")).lower() == "true":  # YAML is read as texts
            # Nothing says whether it has a time of day; a name may.
            is_day = bool({*words(name)[-1:]} & _DAY_WORDS)
            self.guesses[dataset, name] = "DATE" if is_day else "TIMESTAMP"
        if expression != identifier(name):
            column["expression"] = expression
        column |= {key: value for key, value in kept.items() if key not in ("properties", "name", "type")}
        if text(entry.get("label")):
            self.lost["labels"] += 1
        return column | self._properties(entry, kept)

    def _expression(self, entry: Mapping[str, Any]) -> str | None:
        written = {
            text(one.get("dialect")): text(one.get("expression"))
            for one in records(record(entry.get("expression")).get("dialects"))
            if text(one.get("expression"))
        }
        used = next((one for one in (self.data_source, ANSI, *DIALECTS) if one in written), None)
        for dialect in written.keys() - {used} if used else ():
            self.lost[f"{shown(dialect)} expressions beside those in {used}"] += 1
        if written and used is None:
            self.lost[f"expressions in {shown(listed(sorted(written)))} alone"] += 1
        return written[used] if used else None

    def _properties(self, entry: Mapping[str, Any], kept: Mapping[str, Any]) -> dict[str, Any]:
        self._note_context(entry)
        properties = dict(record(kept.get("properties")))
        context = entry.get("ai_context")
        instructions = context if isinstance(context, str) else record(context).get("instructions")
        description = " ".join(part for part in (text(entry.get("description")), text(instructions)) if part)
        if description:
            properties["description"] = description
        if synonyms := texts(record(context).get("synonyms")):
            properties["synonyms"] = synonyms
        return {"properties": properties} if properties else {}

    def _note_context(self, entry: Mapping[str, Any]) -> None:
        if items(record(entry.get("ai_context")).get("examples")):
            self.lost["lists of examples"] += 1
        for one in foreign_or_own(entry):
            if not own_extension({"custom_extensions": [one]}):
                self.lost[f"extensions of {shown(text(one.get('vendor_name'))) or 'nobody'}"] += 1

    # -- relationships and metrics ----------------------------------------------------------------------------------

    def _relationship(self, entry: Mapping[str, Any], position: int) -> dict[str, Any] | None:
        name, left, right = (text(entry.get(key)) for key in ("name", "from", "to"))
        where = item("relationships", position, name)
        columns = texts(entry.get("from_columns")), texts(entry.get("to_columns"))
        for dataset in (left, right):
            if dataset.lower() not in self.names:
                hint = nearest_hint(dataset, self.names.values()) or "Name a dataset."
                self.findings.refuse(where, f'"{shown(dataset)}" is not a dataset', hint)
                return None
        if len(columns[0]) != len(columns[1]) or not columns[0]:
            what = f"it has {len(columns[0])} columns on the one side and {len(columns[1])} on the other"
            self.findings.refuse(where, what, "List as many on both sides, in the same order.")
            return None
        left, right = self.names[left.lower()], self.names[right.lower()]
        self._check_columns(where, left, columns[0])
        self._check_columns(where, right, columns[1])
        kept = own_extension(entry)
        one_to_one = {one.lower() for one in columns[0]} in self.keys[left.lower()]
        kind = text(kept.get("joinType")) or (Cardinality.ONE_TO_ONE if one_to_one else Cardinality.MANY_TO_ONE)
        pairs = list(zip(*columns, strict=True))
        if kind == Cardinality.ONE_TO_MANY:
            left, right, pairs = right, left, [(there, here) for here, there in pairs]
        written: dict[str, Any] = {"name": name, "models": [left, right], "joinType": str(kind)}
        written["condition"] = join_condition(left, right, pairs)
        written |= {key: value for key, value in kept.items() if key not in ("joinType", "properties")}
        return written | self._properties(entry, kept)

    def _metrics(self, metrics: list[dict[str, Any]], taken: set[str]) -> Iterator[dict[str, Any]]:
        """Metrics over one dataset, each as a metric of one row."""
        left_out = []
        for entry in metrics:
            name, expression = text(entry.get("name")), self._expression(entry)
            found = self._of_one_dataset(expression) if name and expression else None
            if found is None:
                left_out.append(name or "one without a name")
                continue
            base, written, is_count = found
            kind = TYPES.get(text(entry.get("datatype")), "BIGINT" if is_count else "DOUBLE")
            properties = self._properties(entry, {})
            measure = {"name": name, "type": kind, "expression": written}
            metric = {
                "name": free_name(name, taken, str.lower),
                "baseObject": base,
                "dimension": [],
                "measure": [measure],
            }
            yield metric | properties
        if left_out:
            what = f"metrics over several datasets, or none that is known, are left out: {shown(listed(left_out), 400)}"
            self.findings.warn("metrics", what, "Write calculated fields or views for those that matter.")

    def _of_one_dataset(self, expression: str) -> tuple[str, str, bool] | None:
        """The dataset that an aggregate is over, its SQL without that name, and whether it counts."""
        dialect = sql_dialect(self.data_source)
        tree = read_expression(expression, dialect)
        if not isinstance(tree, exp.Expression):
            return None
        columns = list(tree.find_all(exp.Column))
        qualifiers = {column.table.lower() for column in columns}
        if qualifiers <= {""}:
            used = {column.name.lower() for column in columns}
            fitting = [name for name, fields in self.fields.items() if used <= fields.keys()]
        else:
            fitting = [name for name in qualifiers if name in self.names] if len(qualifiers) == 1 else []
        if len(fitting) != 1:
            return None
        known = self.fields[fitting[0]]
        if any(column.name.lower() not in known or len(column.parts) > 2 for column in columns):
            return None
        for column in columns:
            column.set("table", None)
        return self.names[fitting[0]], tree.sql(dialect), isinstance(tree, exp.Count)
