"""A semantic model as Apache Ossie (Open Semantic Interchange). What the format has no place for is kept in extensions,
from which `importers/ossie.py` reads it back; the warnings say what other tools do not see."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import yaml
from sqlglot import exp

from askwell.mdl.data_sources import sql_dialect
from askwell.mdl.expressions import Unreadable, read_condition, read_expression
from askwell.mdl.importers.ossie import ANSI, DATATYPES, DIALECTS, WRITTEN_VERSION, extension, identifier
from askwell.mdl.manifest import Manifest, Model, RelationshipEntry
from askwell.mdl.names import listed
from askwell.mdl.problems import Problem, item, shown
from askwell.mdl.semantic_model import Cardinality
from askwell.mdl.types import TypeFamily, type_family

_KEPT_PARTS = ("views", "metrics", "cubes", "enumDefinitions")
_DUMPER = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


@dataclass(frozen=True, slots=True)
class ExportedModel:
    """`document` is JSON-ready; `warnings` say what other tools do not see of the model."""

    document: dict[str, Any]
    warnings: tuple[Problem, ...]

    def yaml(self) -> str:
        """The document as YAML."""
        text: str = yaml.dump(self.document, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=120)
        return text


class _Dumper(_DUMPER):  # type: ignore[misc,valid-type]
    """Writes every value out, also one that stands in several places."""

    def ignore_aliases(self, data: object) -> bool:
        return True


def export_ossie(manifest: Manifest) -> ExportedModel:
    """The model as one document of version 0.2, with its parts at the root."""
    return _Exporter(manifest).exported()


@dataclass(slots=True)
class _Exporter:
    manifest: Manifest
    warnings: list[Problem] = field(default_factory=list)

    def exported(self) -> ExportedModel:
        mdl = self.manifest.wire()
        kept: dict[str, Any] = {
            key: value
            for key, value in mdl.items()
            if key not in ("models", "relationships", *_KEPT_PARTS) and value not in ({}, [])
        }
        kept |= {key: mdl[key] for key in _KEPT_PARTS if mdl.get(key)}
        semantic: dict[str, Any] = {"name": self.manifest.catalog}
        if description := str(self.manifest.properties.get("description") or ""):
            semantic["description"] = description
        models = [one for one in self.manifest.models if one.base_object is None]
        semantic["datasets"] = [self._dataset(one) for one in models]
        if based := [one.wire() for one in self.manifest.models if one.base_object is not None]:
            kept["models"] = based
            self._warn("models", "models over other models are left out: " + _names(based))
        relationships = [(entry, self._relationship(entry)) for entry in self.manifest.relationships]
        semantic["relationships"] = [written for _, written in relationships if written is not None]
        if lost := [entry.wire() for entry, written in relationships if written is None]:
            kept["relationships"] = lost
            what = "many-to-many relationships, and those of other models, are left out: "
            self._warn("relationships", what + _names(lost))
        semantic["metrics"] = list(self._metrics())
        if self.manifest.views:
            self._warn("views", f"views are left out: {_names(mdl['views'])}")
        if kept:
            semantic["custom_extensions"] = extension(kept)
        return ExportedModel({"version": WRITTEN_VERSION, **semantic}, tuple(self.warnings))

    def _warn(self, where: str, what: str) -> None:
        todo = "The file keeps them for Askwell; other tools ignore them."
        self.warnings.append(Problem(where, shown(what, 400), todo))

    # -- datasets ---------------------------------------------------------------------------------------------------

    def _dataset(self, model: Model) -> dict[str, Any]:
        wire = model.wire()
        dataset: dict[str, Any] = {"name": model.name, "source": _source(model)}
        if model.primary_key:
            dataset["primary_key"] = list(model.primary_key)
        if model.unique_keys:
            dataset["unique_keys"] = [list(key) for key in model.unique_keys]
        dataset |= _described(wire.get("properties", {}))
        handles = [column.name for column in model.columns if column.relationship is not None]
        fields, others = [], []
        for position, column in enumerate(wire["columns"]):
            if column.get("relationship") or _reaches(column, handles):
                others.append({"at": position, "column": column})
            else:
                fields.append(self._field(column))
        if fields:
            dataset["fields"] = fields
        self._note_lost(model, others)
        expressed = ("name", "columns", "primaryKey", "uniqueKeys", "refSql", "tableReference")
        kept = _kept(wire, expressed) | ({"columns": others} if others else {})
        reference = model.table_reference
        if reference is not None and reference.catalog and not reference.schema_name:
            kept["tableReference"] = wire["tableReference"]
        return dataset | ({"custom_extensions": extension(kept)} if kept else {})

    def _note_lost(self, model: Model, others: Sequence[Mapping[str, Any]]) -> None:
        where = f'model "{shown(model.name)}"'
        calculated = [one["column"] for one in others if one["column"].get("isCalculated")]
        if calculated:
            self._warn(where, f"fields that reach through relationships are left out: {_names(calculated)}")
        protected = [one.name for one in model.columns if one.is_hidden or one.column_level_access_control]
        if model.row_level_access_controls or protected:
            rows = ["rows that rules hide"] if model.row_level_access_controls else []
            what = f"other tools show what this model protects: {listed([*rows, *protected])}"
            self.warnings.append(Problem(where, shown(what, 400), "Let the database protect it, or leave it out."))

    def _field(self, column: Mapping[str, Any]) -> dict[str, Any]:
        expression = str(column.get("expression") or identifier(column["name"]))
        written: dict[str, Any] = {"name": column["name"], "expression": self._expression(expression)}
        kind = str(column.get("type", ""))
        if datatype := DATATYPES.get(kind.upper()):
            written["datatype"] = datatype
        if type_family(kind) is TypeFamily.TIME:
            written["dimension"] = {"is_time": True}
        written |= _described(column.get("properties", {}))
        kept = _kept(column, ("name", "expression"))
        return written | ({"custom_extensions": extension(kept)} if kept else {})

    def _expression(self, text: str) -> dict[str, Any]:
        source = (self.manifest.data_source or "").upper()
        dialect = source if source in DIALECTS else ANSI
        return {"dialects": [{"dialect": dialect, "expression": text}]}

    # -- relationships and metrics ----------------------------------------------------------------------------------

    def _relationship(self, entry: RelationshipEntry) -> dict[str, Any] | None:
        pairs = read_condition(entry.condition)
        kind = entry.join_type.upper()
        bases = {one.name.lower(): one for one in self.manifest.models if one.base_object is None}
        if isinstance(pairs, Unreadable) or kind == Cardinality.MANY_TO_MANY or len(entry.models) != 2:
            return None
        left, right = entry.models
        if left.lower() not in bases or right.lower() not in bases:
            return None
        sides = [(a, b) if a.table.lower() == left.lower() else (b, a) for a, b in pairs]
        columns = ([a.column for a, _ in sides], [b.column for _, b in sides])
        if kind == Cardinality.ONE_TO_MANY:
            left, right, columns = right, left, (columns[1], columns[0])
        written: dict[str, Any] = {"name": entry.name, "from": left, "to": right}
        written |= {"from_columns": columns[0], "to_columns": columns[1]}
        kept = {"joinType": kind} | _kept(entry.wire(), ("name", "models", "joinType", "condition"), described=False)
        return written | {"custom_extensions": extension(kept)}

    def _metrics(self) -> Iterator[dict[str, Any]]:
        """The measures of metrics and cubes over models, without their dimensions: the format has none."""
        bases = {one.name.lower(): one.name for one in self.manifest.models if one.base_object is None}
        taken: set[str] = set()
        for *_, entry in self.manifest.grouped():
            name, base = entry.name, bases.get(entry.base_object.lower(), "")
            for measure in entry.all_measures:
                expression = self._qualified(measure.expression or "", base)
                if expression is None:
                    self._warn(item("metrics", len(taken), name), f"the measure {measure.name} is left out")
                    continue
                called = measure.name if measure.name.lower() not in taken else f"{name}_{measure.name}"
                taken.add(called.lower())
                written: dict[str, Any] = {"name": called, "expression": self._expression(expression)}
                written |= _described(measure.wire().get("properties", {}))
                yield written | {"custom_extensions": extension({"of": name})}

    def _qualified(self, expression: str, base: str) -> str | None:
        """An aggregate with its base before every column; None for one that reaches through relationships."""
        dialect = sql_dialect(self.manifest.data_source)
        tree = read_expression(expression, dialect) if base and expression else None
        if not isinstance(tree, exp.Expression):
            return None
        for column in tree.find_all(exp.Column):
            if column.table:
                return None
            column.set(
                "table", exp.to_identifier(base, quoted=None if re.fullmatch(r"[a-z_]\w*", base, re.I) else True)
            )
        return tree.sql(dialect)


def _source(model: Model) -> str:
    reference = model.table_reference
    if reference is None:
        return model.ref_sql or ""
    parts = [reference.catalog if reference.schema_name else None, reference.schema_name, reference.table]
    return ".".join(identifier(part) for part in parts if part)


def _reaches(column: Mapping[str, Any], handles: Sequence[str]) -> bool:
    """Whether a calculated field reads other models."""
    expression = str(column.get("expression") or "") if column.get("isCalculated") else ""
    return any(re.search(rf"(?<!\w){re.escape(handle)}[\"`]?\s*\.", expression, re.I) for handle in handles)


def _described(properties: Mapping[str, Any]) -> dict[str, Any]:
    said: dict[str, Any] = {}
    if isinstance(properties.get("description"), str) and properties["description"].strip():
        said["description"] = properties["description"]
    synonyms = properties.get("synonyms")
    if _are_texts(synonyms):
        said["ai_context"] = {"synonyms": list(synonyms or ())}
    return said


def _are_texts(value: object) -> bool:
    return (
        isinstance(value, list | tuple) and bool(value) and all(isinstance(one, str) and one.strip() for one in value)
    )


def _kept(entry: Mapping[str, Any], expressed: Sequence[str], *, described: bool = True) -> dict[str, Any]:
    """What the format has no place for."""
    kept = {key: value for key, value in entry.items() if key not in (*expressed, "properties")}
    properties = dict(entry.get("properties") or {})
    for key in ("description", "synonyms") if described else ():
        if key in properties and (key == "synonyms") <= _are_texts(properties[key]) and properties[key]:
            properties.pop(key)
    return kept | ({"properties": properties} if properties else {})


def _names(entries: Sequence[Mapping[str, Any]]) -> str:
    return listed(str(one.get("name", "")) for one in entries)
