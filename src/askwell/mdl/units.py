"""Units: what the name of a column says that its numbers count, and how a heading says it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from typing import Any

from askwell.mdl.names import words
from askwell.resources import words_file


@cache
def _data() -> Mapping[str, Any]:
    return words_file("askwell.mdl", "units.yaml")


def unit_of_name(name: str, beside: Collection[str]) -> str | None:
    """The unit that a column's name ends with; `beside` are all names of its table: `time_min` is no time in minutes
    where there is a `time_max`."""
    *first, last = words(name) or ("",)
    rule = _data()["after"].get(last)
    if rule is None:
        unit: str | None = _data()["suffixes"].get(last)
        return unit
    others = {words(other)[:-1] for other in beside if words(other)[-1:] in (("max",), ("maximum",))}
    return rule["unit"] if first and first[-1] in rule["words"] and tuple(first) not in others else None


def scale_of(unit: str) -> tuple[int, str] | None:
    """How many of a unit make one of a larger one, and what that is called: of "EUR cents" 100, EUR."""
    *first, last = unit.split() or [""]
    found = _data()["scales"].get(last)
    return (found[0], " ".join(first) or found[1]) if found else None


def without_unit(named: Sequence[str], unit: str) -> tuple[str, ...]:
    """The words of a name without a last one that says the unit."""
    *first, last = named or ("",)
    known = (_data()["suffixes"].get(last.lower()), _data()["after"].get(last.lower(), {}).get("unit"))
    return tuple(first) if first and (unit in known or unit.lower() == last.lower()) else tuple(named)


def with_unit(name: str, unit: str) -> str:
    """A readable name that says the unit once: "Distance (km)" for "Distance km", and "Minutes" alone."""
    named = " ".join(without_unit(name.split(), unit))
    return named if named.lower() == unit.lower() else f"{named} ({unit})"
