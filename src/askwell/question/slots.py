"""Parameters of a saved question: what kind of value each takes, and whether a value is of that kind."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum

from askwell.question.tokens import NO_TEXT

# As JSON has them: dates are ISO text.
Plain = str | int | float | bool
Value = Plain | list[Plain]

MOST_CHARACTERS = 1_000
MOST_IN_A_LIST = 100
# What fits into 64 bits.
_MOST = 2**63
_INTEGER = re.compile(r"[+-]?\d{1,19}")
_NUMBER = re.compile(r"[+-]?(?:\d{1,30}(?:\.\d{1,30})?|\.\d{1,30})(?:[eE][+-]?\d{1,3})?")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2})?(?:\.\d{1,6})?(?:Z|[+-]\d{2}:?\d{2})?")


class Kind(StrEnum):
    """What a parameter is compared with."""

    TEXT = "text"
    INTEGER = "integer"
    NUMBER = "number"
    DATE = "date"
    MOMENT = "date and time"
    BOOLEAN = "yes or no"

    @property
    def is_time(self) -> bool:
        return self in (Kind.DATE, Kind.MOMENT)

    @property
    def is_number(self) -> bool:
        return self in (Kind.INTEGER, Kind.NUMBER)


class Edge(StrEnum):
    """Which end of a range a parameter is, by how the SQL compares it: `START` is the lower end, `LAST` the last value
    that counts, `END` the first one that does not."""

    NONE = "none"
    START = "start"
    LAST = "last"
    END = "end"


@dataclass(frozen=True, slots=True)
class Slot:
    """A parameter. One with a `default` or that is not `required` may be left open. `known` are values of the column
    that it is compared with, by their lower case, "" for several that differ in nothing else; empty where they are not
    known."""

    name: str
    kind: Kind = Kind.TEXT
    edge: Edge = Edge.NONE
    many: bool = False
    required: bool = True
    default: Value | None = None
    known: Mapping[str, str] = field(default_factory=dict)

    @property
    def may_be_left_out(self) -> bool:
        """Whether there is an answer without it."""
        return not self.required or self.default is not None

    def typed(self, value: object) -> Value:
        """The value as it is kept. Raises `ValueError` with a sentence, without the value in it, for one of another
        kind."""
        if not self.many:
            return self._plain(value)
        values = value if isinstance(value, list | tuple) else [value]
        if not 1 <= len(values) <= MOST_IN_A_LIST:
            raise ValueError(f"{self.name} has to be a list of 1 to {MOST_IN_A_LIST} values.")
        return [self._plain(one) for one in values]

    def _plain(self, value: object) -> Plain:
        found = _READERS[self.kind](value)
        if found is None:
            raise ValueError(f"{self.name} has to be {_SAID[self.kind]}.")
        return self.known.get(found.casefold()) or found if isinstance(found, str) else found

    def strange(self, value: Value) -> list[str]:
        """The texts in a value that are none of the known ones; none where these are not known."""
        said = value if isinstance(value, list) else [value]
        texts = [one for one in said if isinstance(one, str)] if self.known else []
        return [one for one in texts if one.casefold() not in self.known]


def contradiction(slots: Sequence[Slot], values: Mapping[str, Value]) -> tuple[Slot, Slot] | None:
    """The two ends of a range of which the first one comes after the other."""
    starts = [slot for slot in slots if slot.edge is Edge.START]
    ends = [slot for slot in slots if slot.edge in (Edge.LAST, Edge.END)]
    for kinds in ((Kind.DATE, Kind.MOMENT), (Kind.INTEGER, Kind.NUMBER)):
        lows, highs = ([slot for slot in some if slot.kind in kinds] for some in (starts, ends))
        if len(lows) != 1 or len(highs) != 1:
            continue  # which belongs to which is not known
        low, high = values.get(lows[0].name), values.get(highs[0].name)
        if low is not None and high is not None and _comes_after(low, high):
            return lows[0], highs[0]
    return None


def _comes_after(low: Value, high: Value) -> bool:
    if isinstance(low, str) and isinstance(high, str):
        return low[:10] > high[:10] or (len(low) == len(high) and low > high)
    return isinstance(low, int | float) and isinstance(high, int | float) and low > high


def _text(value: object) -> str | None:
    if not isinstance(value, str) or not value.strip() or len(value) > MOST_CHARACTERS or NO_TEXT.search(value):
        return None
    return value


def _integer(value: object) -> int | None:
    if isinstance(value, str) and _INTEGER.fullmatch(value.strip()):
        value = int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and -_MOST <= value < _MOST else None


def _number(value: object) -> int | float | None:
    if (whole := _integer(value)) is not None:
        return whole
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        value = float(value)
    return value if isinstance(value, float) and math.isfinite(value) and abs(value) < 1e300 else None


def _day(value: object) -> str | None:
    if not isinstance(value, str) or not _DAY.fullmatch(value.strip()):
        return None
    try:
        return date.fromisoformat(value.strip()).isoformat()
    except ValueError:
        return None


def _moment(value: object) -> str | None:
    if (day := _day(value)) is not None:
        return f"{day} 00:00:00"
    if not isinstance(value, str) or not _MOMENT.fullmatch(value.strip()):
        return None
    try:
        return datetime.fromisoformat(value.strip()).isoformat(sep=" ")
    except ValueError:
        return None


def _truth(value: object) -> bool | None:
    if isinstance(value, str):
        return {"true": True, "false": False}.get(value.strip().lower())
    return value if isinstance(value, bool) else None


_READERS = {
    Kind.TEXT: _text,
    Kind.INTEGER: _integer,
    Kind.NUMBER: _number,
    Kind.DATE: _day,
    Kind.MOMENT: _moment,
    Kind.BOOLEAN: _truth,
}
_SAID = {
    Kind.TEXT: f"a text of 1 to {MOST_CHARACTERS:,} characters without control characters",
    Kind.INTEGER: "a whole number",
    Kind.NUMBER: "a number",
    Kind.DATE: "a day, written as 2024-01-31",
    Kind.MOMENT: "a day, or a day and a time, written as 2024-01-31 or 2024-01-31 18:30:00",
    Kind.BOOLEAN: "true or false",
}
