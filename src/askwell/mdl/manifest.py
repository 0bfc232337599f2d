"""The semantic model as it is written down: MDL JSON as frozen types.

Fields are camelCase on the wire and snake_case here. `null` means the same as leaving the key out, and so does empty
text for an optional field; properties nobody knows are kept and written back. These types check shapes only. What the
parts mean together is `validation.py`'s, and what may be asked about is `view.py`'s: most of the service wants that
view, not this.
"""

from __future__ import annotations

import hashlib
import json
import operator
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StrictBool, model_validator
from pydantic.alias_generators import to_camel


def _listed(value: object) -> object:
    return [value] if isinstance(value, str) else value


OneOrMoreNames = Annotated[tuple[str, ...], BeforeValidator(_listed)]


class Entry(BaseModel):
    """Base of everything in a manifest: immutable, tolerant of properties it does not know."""

    model_config = ConfigDict(frozen=True, extra="allow", alias_generator=to_camel, populate_by_name=True)

    # Optional fields for which empty text is a value.
    may_be_empty: ClassVar[frozenset[str]] = frozenset()

    @model_validator(mode="before")
    @classmethod
    def _empty_is_absent(cls, data: Any) -> Any:
        return cls.given(data) if isinstance(data, dict) else data

    @classmethod
    def given(cls, data: Mapping[str, Any]) -> dict[str, Any]:
        """What an object of the wire says: without `null`, and without blank text for optional fields. Tools that write
        models write every key that they know."""
        optional = _optional_keys(cls)
        return {
            key: value
            for key, value in data.items()
            if value is not None and not (key in optional and isinstance(value, str) and not value.strip())
        }

    def wire(self) -> dict[str, Any]:
        """JSON-ready, camelCase, without what was never set."""
        return self.model_dump(mode="json", by_alias=True, exclude_unset=True)


@cache
def _optional_keys(kind: type[Entry]) -> frozenset[str]:
    """Names of the fields for which empty text means that they are not given, as on the wire and as here."""
    fields = kind.model_fields.items()
    optional = [(name, info) for name, info in fields if not info.is_required() and name not in kind.may_be_empty]
    return frozenset(key for name, info in optional for key in (name, info.alias or name))


class SessionProperty(Entry):
    """A value about the asker that a rule needs. `default_expr` stands in when it is not required and not given."""

    name: str
    required: StrictBool = True
    default_expr: str | None = None


class RowRule(Entry):
    """`condition` filters the rows of a model wherever it is read; `@name` in it is a session property."""

    name: str
    condition: str
    required_properties: tuple[SessionProperty, ...] = ()


RULE_OPERATORS: Mapping[str, Callable[[Any, Any], bool]] = {
    **dict.fromkeys(("=", "==", "EQUALS"), operator.eq),
    **dict.fromkeys(("!=", "<>", "NOT_EQUALS"), operator.ne),
    **dict.fromkeys((">", "GREATER_THAN"), operator.gt),
    **dict.fromkeys((">=", "GREATER_THAN_OR_EQUALS"), operator.ge),
    **dict.fromkeys(("<", "LESS_THAN"), operator.lt),
    **dict.fromkeys(("<=", "LESS_THAN_OR_EQUALS"), operator.le),
}
"""What column rules compare by, in capitals."""


class ColumnRule(Entry):
    """A column is readable only where the session property compares to `threshold` as `operator` says."""

    name: str
    operator: str
    threshold: str | int | float | bool
    required_properties: tuple[SessionProperty, ...] = ()


class ModelColumn(Entry):
    """A column of a model: plain, calculated, or (with `relationship`) a handle that expressions reach through."""

    name: str
    type: str
    expression: str | None = None
    is_calculated: StrictBool = False
    relationship: str | None = None
    not_null: StrictBool = False
    is_hidden: StrictBool = False
    column_level_access_control: ColumnRule | None = None
    properties: Mapping[str, Any] = Field(default_factory=dict)


class TableReference(Entry):
    """Where a model's rows are."""

    catalog: str | None = None
    schema_name: str | None = Field(default=None, alias="schema")
    table: str


class Model(Entry):
    """What people ask about. Exactly one of `table_reference`, `ref_sql` and `base_object` says where its rows are."""

    name: str
    table_reference: TableReference | None = None
    ref_sql: str | None = None
    base_object: str | None = None
    columns: tuple[ModelColumn, ...]
    primary_key: OneOrMoreNames = ()
    unique_keys: tuple[OneOrMoreNames, ...] = ()
    cached: StrictBool = False
    row_level_access_controls: tuple[RowRule, ...] = ()
    properties: Mapping[str, Any] = Field(default_factory=dict)

    @classmethod
    def given(cls, data: Mapping[str, Any]) -> dict[str, Any]:
        """As for every entry; a place in which nothing is filled in is none."""
        parts = super().given(data)
        place = parts.get("tableReference")
        if isinstance(place, Mapping) and not any(part is not None and str(part).strip() for part in place.values()):
            del parts["tableReference"]
        return parts


class RelationshipEntry(Entry):
    """How two models join; `models` are (left, right) of `join_type`."""

    name: str
    models: tuple[str, ...]
    join_type: str
    condition: str
    properties: Mapping[str, Any] = Field(default_factory=dict)


class MetricField(Entry):
    """A dimension or measure. Without an expression its own name is the column of the base object."""

    name: str
    type: str
    expression: str | None = None
    is_hidden: StrictBool = False
    properties: Mapping[str, Any] = Field(default_factory=dict)


class Grouped(Entry):
    """A metric or a cube, which are the same idea: a view that groups its base object by the dimensions."""

    name: str
    base_object: str
    properties: Mapping[str, Any] = Field(default_factory=dict)

    def fields(self) -> dict[str, tuple[MetricField, ...]]:
        """The dimensions, and the measures last, by the names of their lists on the wire."""
        raise NotImplementedError

    @property
    def all_dimensions(self) -> tuple[MetricField, ...]:
        """A cube's time dimensions are dimensions like the others."""
        *dimensions, _ = self.fields().values()
        return tuple(field for fields in dimensions for field in fields)

    @property
    def all_measures(self) -> tuple[MetricField, ...]:
        """The measures."""
        *_, measures = self.fields().values()
        return measures


class Metric(Grouped):
    """The older form of a grouped view."""

    dimension: tuple[MetricField, ...] = ()
    measure: tuple[MetricField, ...] = ()
    time_grain: tuple[Any, ...] = ()

    def fields(self) -> dict[str, tuple[MetricField, ...]]:
        """As of every grouped view."""
        return {"dimension": self.dimension, "measure": self.measure}


class Cube(Grouped):
    """The newer form of a grouped view."""

    measures: tuple[MetricField, ...] = ()
    dimensions: tuple[MetricField, ...] = ()
    time_dimensions: tuple[MetricField, ...] = ()
    hierarchies: Any = None

    def fields(self) -> dict[str, tuple[MetricField, ...]]:
        """As of every grouped view."""
        return {"dimensions": self.dimensions, "timeDimensions": self.time_dimensions, "measures": self.measures}


class View(Entry):
    """A saved query over the model; `properties.question`, when there, is a question it answers."""

    name: str
    statement: str
    properties: Mapping[str, Any] = Field(default_factory=dict)


class EnumValue(Entry):
    """One value; `value` is what the database holds where that is not the name. It may hold empty text."""

    may_be_empty = frozenset({"value"})

    name: str
    value: str | int | float | bool | None = None


class EnumDefinition(Entry):
    """The values of every column whose type is this name."""

    name: str
    values: tuple[EnumValue, ...]
    properties: Mapping[str, Any] = Field(default_factory=dict)

    @property
    def sql_type(self) -> str:
        """The type of its values in SQL: BIGINT, DOUBLE or VARCHAR."""
        held = [value.name if value.value is None else value.value for value in self.values]
        if not held or not all(isinstance(one, int | float) and not isinstance(one, bool) for one in held):
            return "VARCHAR"
        return "BIGINT" if all(isinstance(one, int) for one in held) else "DOUBLE"


class Manifest(Entry):
    """A whole semantic model. `catalog` and `schema_name` are names of the virtual model, not of the database."""

    catalog: str
    schema_name: str = Field(alias="schema")
    data_source: str | None = None
    models: tuple[Model, ...] = ()
    relationships: tuple[RelationshipEntry, ...] = ()
    metrics: tuple[Metric, ...] = ()
    cubes: tuple[Cube, ...] = ()
    views: tuple[View, ...] = ()
    enum_definitions: tuple[EnumDefinition, ...] = ()
    properties: Mapping[str, Any] = Field(default_factory=dict)

    def grouped(self) -> Iterator[tuple[str, int, Grouped]]:
        """The metrics and cubes, each with the name of its list and its position there."""
        entries: Mapping[str, tuple[Grouped, ...]] = {"metrics": self.metrics, "cubes": self.cubes}
        return ((kind, number, entry) for kind, listed in entries.items() for number, entry in enumerate(listed))


_PARTS = ("models", "relationships", "metrics", "cubes", "views", "enum_definitions")


def canonical_json(manifest: Manifest) -> str:
    """The manifest as JSON text, the same for the same content in any spelling. It is made part by part: for thousands
    of models one step would be a tenth of a second in which no other thread runs."""
    texts = {
        to_camel(name): f"[{','.join(_canonical(part.wire()) for part in getattr(manifest, name))}]"
        for name in _PARTS
        if name in manifest.model_fields_set
    }
    rest = manifest.model_dump(mode="json", by_alias=True, exclude_unset=True, exclude=set(_PARTS))
    texts |= {key: _canonical(value) for key, value in rest.items()}
    return "{" + ",".join(f"{_canonical(key)}:{texts[key]}" for key in sorted(texts)) + "}"


def content_hash(manifest: Manifest) -> str:
    """SHA-256 of the manifest's canonical JSON."""
    return hash_of(canonical_json(manifest))


def hash_of(canonical: str) -> str:
    """The content's hash where its canonical JSON is known."""
    return hashlib.sha256(canonical.encode("ascii")).hexdigest()


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
