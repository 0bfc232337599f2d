"""Finding one's way in a manifest: names in any letter case, and the way that a dotted reference takes."""

from __future__ import annotations

from dataclasses import dataclass

from askwell.mdl.expressions import Side, Unreadable, read_condition
from askwell.mdl.manifest import Manifest, Model, ModelColumn, RelationshipEntry
from askwell.mdl.semantic_model import Cardinality
from askwell.mdl.types import TypeFamily, type_family


@dataclass(frozen=True, slots=True)
class Hop:
    """A step from a row of `source` to the row or rows of `target` that its relationship column `handle` stands for.

    `pairs` are (source column, target column), all equal; `to_many` says that there may be several rows.
    """

    handle: str
    source: Model
    target: Model
    pairs: tuple[tuple[str, str], ...]
    to_many: bool


@dataclass(frozen=True, slots=True)
class Reach:
    """Where a dotted reference leads: over `hops` to `column` of `model`, and to `fields` inside a nested value."""

    hops: tuple[Hop, ...]
    model: Model
    column: ModelColumn
    fields: tuple[str, ...] = ()

    @property
    def to_many(self) -> bool:
        """Whether there may be several values."""
        return any(hop.to_many for hop in self.hops)


@dataclass(frozen=True, slots=True)
class Dangling:
    """A reference that leads nowhere: `name`, looked for in `model`, is `reason`, and these names are `valid` there.

    `elsewhere` says that this follows from a mistake in another place, the relationship's.
    """

    name: str
    model: str
    valid: tuple[str, ...]
    reason: str
    elsewhere: bool = False


class Lookup:
    """An index of a manifest. The manifest may have mistakes: what is not there is `None` or `Dangling`."""

    def __init__(self, manifest: Manifest) -> None:
        # The first of a name wins; validation reports the others.
        self.models = {model.name.lower(): model for model in reversed(manifest.models)}
        self._columns = {
            key: {column.name.lower(): column for column in reversed(model.columns)}
            for key, model in self.models.items()
        }
        self.enums = frozenset(enum.name.lower() for enum in manifest.enum_definitions)
        grouped = [entry.name for entries in (manifest.views, manifest.metrics, manifest.cubes) for entry in entries]
        self._derived = frozenset(name.lower() for name in grouped)
        # What may be selected from, as written.
        self.selectable = (*(model.name for model in manifest.models), *grouped)
        self._relationships = {entry.name.lower(): entry for entry in reversed(manifest.relationships)}

    def model(self, name: str) -> Model | None:
        """The model of that name, in any letter case."""
        return self.models.get(name.lower())

    def is_derived(self, name: str) -> bool:
        """Whether there is a view, metric or cube of that name, in any letter case."""
        return name.lower() in self._derived

    def column(self, model: Model, name: str) -> ModelColumn | None:
        """The model's column (or relationship handle) of that name, in any letter case."""
        return self._columns[model.name.lower()].get(name.lower())

    def relationship(self, name: str) -> RelationshipEntry | None:
        """The relationship of that name, in any letter case."""
        return self._relationships.get(name.lower())

    def pairs(self, entry: RelationshipEntry) -> tuple[tuple[str, str], ...] | None:
        """The (left column, right column) pairs of a relationship, canonically spelt; None where it has mistakes."""
        if len(entry.models) != 2:
            return None
        left, right = (self.model(name) for name in entry.models)
        condition = read_condition(entry.condition)
        if left is None or right is None or isinstance(condition, Unreadable):
            return None
        pairs = []
        for one, other in condition:
            found = self._oriented(left, right, one, other)
            if found is None:
                return None
            pairs.append(found)
        return tuple(pairs)

    def _oriented(self, left: Model, right: Model, one: Side, other: Side) -> tuple[str, str] | None:
        # Where a model is joined to itself, the left side of the equality is the left model.
        if one.table.lower() != left.name.lower():
            one, other = other, one
        if (one.table.lower(), other.table.lower()) != (left.name.lower(), right.name.lower()):
            return None
        left_column, right_column = self.column(left, one.column), self.column(right, other.column)
        if left_column is None or right_column is None:
            return None
        return left_column.name, right_column.name

    def hop(self, model: Model, handle: ModelColumn) -> Hop | None:
        """The step that a relationship column of `model` stands for. From a model to itself it goes left to right."""
        entry = self.relationship(handle.relationship or "")
        pairs = self.pairs(entry) if entry else None
        if entry is None or pairs is None or entry.join_type.upper() not in set(Cardinality):
            return None
        left, right = (self.models[name.lower()] for name in entry.models)
        join_type = entry.join_type.upper()
        if model is left:
            return Hop(handle.name, model, right, pairs, join_type.endswith("TO_MANY"))
        if model is right:
            swapped = tuple((there, here) for here, there in pairs)
            return Hop(handle.name, model, left, swapped, join_type.startswith("MANY_TO"))
        return None

    def reach(self, model: Model, path: tuple[str, ...]) -> Reach | Dangling:
        """Follow a dotted reference from `model`: relationship columns, then a column, then fields of a nested value.

        The model's own name may lead.
        """
        start = path
        if len(path) > 1 and path[0].lower() == model.name.lower() and self.column(model, path[0]) is None:
            start = path[1:]
        hops: list[Hop] = []
        here = model
        for position, name in enumerate(start[:-1]):
            handle = self.column(here, name)
            if handle is not None and handle.relationship is None and _may_nest(handle):
                return Reach(tuple(hops), here, handle, start[position + 1 :])
            if handle is None or handle.relationship is None:
                handles = tuple(column.name for column in here.columns if column.relationship)
                return Dangling(name, here.name, handles, f"not a relationship column of {here.name}")
            hop = self.hop(here, handle)
            if hop is None:
                reason = f"a relationship column of {here.name} whose relationship does not resolve"
                return Dangling(name, here.name, (), reason, elsewhere=True)
            hops.append(hop)
            here = hop.target
        column = self.column(here, start[-1])
        if column is None:
            names = tuple(column.name for column in here.columns if not column.relationship)
            return Dangling(start[-1], here.name, names, f"not a column of {here.name}")
        if column.relationship is not None:
            names = tuple(f"{start[-1]}.{name}" for name in self._target_columns(here, column))
            return Dangling(start[-1], here.name, names, f"a relationship column of {here.name}, not a value")
        return Reach(tuple(hops), here, column)

    def _target_columns(self, model: Model, handle: ModelColumn) -> tuple[str, ...]:
        hop = self.hop(model, handle)
        return tuple(column.name for column in hop.target.columns if not column.relationship) if hop else ()


def _may_nest(column: ModelColumn) -> bool:
    return type_family(column.type) in (TypeFamily.OTHER, TypeFamily.UNKNOWN)
