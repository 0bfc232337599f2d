"""How texts and numbers write dates, and texts write numbers: found out by looking at the values of a column."""

from __future__ import annotations

import calendar
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, time
from functools import cache, lru_cache
from typing import Any

from askwell.mdl.names import words
from askwell.resources import words_file

# Of the values of a column so many are looked at, and of each no more than a date with a time has.
_SOME, _LONGEST = 50, 19
# The years that dates of a business lie in. Of seconds since 1970 a column is about more recent ones.
_YEARS, _EPOCH_YEARS = range(1900, 2101), range(1990, 2051)
_EPOCHS = {"seconds": 1, "millis": 1_000, "micros": 1_000_000}
# Dates without marks between their parts.
_COMPACT = re.compile(r"[0-9]{6}(?:[0-9]{2}|[0-9]{8})?")
_ISO = "%Y-%m-%d"
# A date as databases write it.
ISO_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
# The point or comma of the decimals of a number, and the other mark.
_CODE = re.compile("0[0-9]")
_DIGITS = {
    ".": re.compile(r"(?:[0-9]+|[1-9][0-9]{0,2}(?:[,'\s][0-9]{3})+)(?:\.[0-9]+)?"),
    ",": re.compile(r"(?:[0-9]+|[1-9][0-9]{0,2}(?:[.'\s][0-9]{3})+)(?:,[0-9]+)?"),
}


@cache
def _data() -> Mapping[str, Any]:
    return words_file("askwell.mdl", "written_values.yaml")


@cache
def currencies() -> frozenset[str]:
    """What stands before or behind an amount of money."""
    return frozenset(_data()["currencies"])


@cache
def _written_number() -> re.Pattern[str]:
    """A number with a currency before it, or one or a unit behind it. No sign follows a letter: EUR-100 is a code."""
    money, units = ("|".join(map(re.escape, listed)) for listed in (currencies(), _data()["units"]))
    before, after = rf"(?P<before>(?:{money})?)", rf"(?P<after>(?:(?:{money}|{units})\.?)?)"
    number = rf"[-+]?{before}\s*(?:(?<![a-z])[-+])?(?P<digits>[0-9][0-9.,'\s]*?)\s*{after}"
    return re.compile(number, re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class DateForm:
    """How a column writes its moments: as a type of the database (`format` is empty), as text in strftime's `format`
    (as a number, where `is_number`), or as `epoch` units a second since 1970; unless `is_known`, otherwise."""

    format: str = ""
    is_number: bool = False
    epoch: int = 0
    has_time: bool = False
    is_known: bool = True

    @property
    def sorts(self) -> bool:
        """Whether the values stand in the order of time as they are, and say to people what day it is."""
        return self.format.startswith("%Y")

    def write(self, moment: datetime) -> datetime | str | int:
        """The moment as the column holds it. Raises `ValueError` where that is not known."""
        if not self.is_known:
            raise ValueError
        if self.epoch:
            return calendar.timegm(moment.timetuple()) * self.epoch
        text = moment.strftime(self.format)
        return int(text) if self.is_number else text or moment


@dataclass(frozen=True, slots=True)
class NumberForm:
    """How a text writes numbers: what is taken `out` of it, in this order, and the mark of its `decimals`, which is
    empty where they may be read in two ways; whether with a unit. Those that begin with zeros, or are grouped as
    telephone numbers are, are codes and no amounts."""

    out: tuple[str, ...] = ()
    decimals: str = "."
    has_unit: bool = False
    are_codes: bool = False


def format_of(texts: frozenset[str]) -> DateForm | None:
    """How all of these texts write dates; None where they are none."""
    return next(iter(_formats(texts)), None)


def date_form(name: str, texts: Iterable[str], epoch: str | None, *, is_number: bool) -> DateForm | None:
    """How a column writes its dates otherwise than a database does; `epoch` is what its model says. None where its
    values are no dates, or may be read in two ways, as 03/04/2024."""
    seen = frozenset(texts)
    if epoch in _EPOCHS:
        return DateForm(epoch=_EPOCHS[epoch], has_time=True, is_number=is_number)
    called = is_called_a_date(name)
    if seen and all(text.isascii() and text.isdigit() for text in seen):
        if called and (units := _epoch(seen)):
            return DateForm(epoch=units, has_time=True, is_number=is_number)
        if not called or not all(map(_COMPACT.fullmatch, seen)):
            return None
    found = [form for form in _formats(seen) if not form.format.startswith(_ISO)]
    if len(found) != 1:
        return None
    return DateForm(found[0].format, is_number, has_time=found[0].has_time)


def is_called_a_date(name: str) -> bool:
    """Whether a column is called as those of dates are: `login_time`, `enc_dt`, `dt_out`, `shipped_on`, `closed`."""
    found = words(name) or ("",)
    first, last = found[0] in ("date", "dt"), found[-1]
    return first or last in _data()["dated"].split() or last.endswith(tuple(_data()["endings"]))


def number_form(texts: Collection[str]) -> NumberForm | None:
    """How these texts write numbers, with one currency or unit around them; None where one of them is none."""
    found = [match for text in texts if (match := _written_number().fullmatch(text.strip()))]
    around = {mark for match in found for mark in (match["before"], match["after"]) if mark}
    if not found or len(found) < len(texts) or len({mark.lower() for mark in around}) > 1:
        return None
    digits = [match["digits"] for match in found]
    marks = set("".join(digits)) - set("0123456789")
    fitting = [decimals for decimals, pattern in _DIGITS.items() if all(map(pattern.fullmatch, digits))]
    is_either = len(fitting) > 1 and bool(marks & set(_DIGITS))
    if is_either:  # 1,234 may be more than a thousand, or between one and two; money has no three decimals
        fitting = [one for one in fitting if one not in marks and around & currencies()]
    if not fitting:
        return NumberForm(decimals="") if is_either else None
    are_codes = any(map(_CODE.match, digits)) or ("".join(marks).isspace() and not around)
    out = (*sorted(around), *sorted(marks - {fitting[0]}))
    return NumberForm(out, fitting[0], has_unit=bool(around), are_codes=are_codes)


def _epoch(texts: Iterable[str]) -> int:
    """How many units a second has where all numbers are times since 1970; 0 where they are none."""
    numbers = [int(text) for text in texts]
    first, last = (datetime(year, 1, 1, tzinfo=UTC).timestamp() for year in (_EPOCH_YEARS[0], _EPOCH_YEARS[-1]))
    fitting = (units for units in _EPOCHS.values() if all(first * units <= one < last * units for one in numbers))
    return next(fitting, 0)


@lru_cache(4096)
def _formats(texts: frozenset[str]) -> tuple[DateForm, ...]:
    """All ways in which all of these texts are dates."""
    some = [text.upper()[:_LONGEST] for text in sorted(texts)[:: max(1, len(texts) // _SOME)]]
    found = []
    for one in _data()["date_formats"] if some else ():
        try:
            moments = [datetime.strptime(text, one).replace(tzinfo=UTC) for text in some]
        except ValueError:
            continue
        if [moment.strftime(one) for moment in moments] == some and all(moment.year in _YEARS for moment in moments):
            found.append(DateForm(one, has_time="%H" in one and any(moment.time() != time() for moment in moments)))
    return tuple(found)
