"""What the data says of links between tables, within bounds, and which columns may be looked at for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from askwell.mdl.semantic_model import Cardinality, Column, ColumnRole, Relationship, SemanticModel
from askwell.mdl.types import TypeFamily, type_family
from askwell.services.value_probe import ColumnProfile, Refused

# Below this it hardly happens by accident that all values of a column are keys.
BY_ACCIDENT = 0.01
FEWEST_VALUES = 3


class Probe(Protocol):
    """What is asked of the data: `ValueProbe` asks it of a database. None, or nothing, where there is no answer."""

    async def tells_rows_apart(self, table: str, column: str) -> bool | None: ...

    async def found(self, link: Relationship) -> tuple[int, int] | None: ...

    async def profiles(self, table: str, columns: Sequence[str]) -> Mapping[str, ColumnProfile]: ...


@dataclass(frozen=True, slots=True)
class Seen:
    """What the data says of a link that it does not speak against: how many different values were found to be among the
    keys, 0 where none was looked at, and that in words."""

    values: int
    words: str


async def look_at_values(
    probe: Probe | None, here: tuple[str, str], there: tuple[str, str], share: float
) -> Seen | None:
    """Whether the values of a column (`here`, as table and column) are among those of another, at least this
    `share` of them; None where they are not, or cannot be."""
    (left, column), (right, to_column) = here, there
    link = Relationship("", left, right, Cardinality.MANY_TO_ONE, ((column, to_column),))
    try:
        found = await probe.found(link) if probe is not None else None
    except Refused:
        return None
    if found is None:
        return Seen(0, "its values were not looked at")
    values, known = found
    if values == 0:
        return Seen(0, "there are no values to look at")
    if known < values * share:
        return None
    told = f"all {values} values looked at are there" if known == values else f"{known} of {values} values are there"
    return Seen(values, told)


def may_be_among(here: ColumnProfile, there: ColumnProfile) -> bool:
    """Whether the values of one column may all be among those of a key, and not by accident."""
    if here.distinct < FEWEST_VALUES or (there.whole and here.distinct > there.distinct):
        return False
    density = there.density
    if (density is None) != (here.density is None):
        return False
    if density is None:
        return True
    inside = float(here.low) >= float(there.low) and float(here.high) <= float(there.high)
    return there.whole and inside and density**here.distinct < BY_ACCIDENT


def may_refer(column: Column) -> bool:
    families = (TypeFamily.NUMBER, TypeFamily.TEXT, TypeFamily.UNKNOWN)
    return column.role is ColumnRole.PLAIN and type_family(column.type) in families


def copies_of_others(model: SemanticModel) -> frozenset[str]:
    """Tables without a key that mostly repeat columns of others, and not only their keys: the database's own views,
    which nobody joins to what they are made of."""
    keyed = [table for table in model if table.primary_key]
    keys = {name.lower() for table in keyed for name in table.primary_key}
    facts = {column.name.lower() for table in keyed for column in table.columns} - keys
    names = facts | keys
    return frozenset(
        table.name
        for table in model
        if not table.primary_key
        and any(column.name.lower() in facts for column in table.columns)
        and 2 * sum(column.name.lower() in names for column in table.columns) >= len(table.columns)
    )
