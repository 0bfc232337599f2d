"""An answer from rows without a language model, and a look at the numbers of one that a model wrote."""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal, InvalidOperation
from typing import Any

from askwell.pipelines.generation.result_rows import cut_cell
from askwell.providers.engine.base import QueryRows

NO_ROWS = "No rows were found."
"""The answer where there are no rows; no model is asked for it."""

MOST_ROWS = 10
"""The rows that are shown."""

# Within a word an underscore means nothing.
_MARKDOWN = re.compile(r"([\\`*{}\[\]<>|#~!&]|(?<!\w)_|_(?!\w))")
_BLANKS = re.compile(r"\s+|[\x00-\x1f\x7f]")

# A number as people and programs write it: 1234.5, 1,234.50, 1.234,5, 1 234, 50%.
_NUMBER = re.compile(r"(?<![\w.,])[-−]?\d+(?:[.,'’\u00a0\u202f ]\d{3}(?!\d))*(?:[.,]\d+)?(?:[eE][-+]?\d+)?")
_GROUPS = re.compile(r"[.,'’\u00a0\u202f ](?=\d{3}(?!\d))")
_LIST_MARK = re.compile(r"^[ \t]*\d+[.)][ \t]", re.MULTILINE)
_DIGITS = re.compile(r"\d+(?:\.\d+)?")
# What may follow a number that is written in thousands, millions or thousand millions.
_SCALE = re.compile(
    r"[ \u00a0\u202f]?(k|tsd|thousand|tausend|m|mio|mn|million\w*|mrd|bn|billion\w*|milliard\w*)\b", re.I
)
_SCALES = {"k": 3, "t": 3, "mrd": 9, "milliard": 9, "m": 6, "b": 9}
_LONGEST_SCALE = 20
_MOST_DECIMALS = 12
_MOST_DIGITS = 26  # decimals are computed with 28


def rows_in_words(result: QueryRows) -> str:
    """The result as Markdown: one value by its column's name, else a table of the first rows and how many there are."""
    if not result.rows:
        return NO_ROWS
    if len(result.rows) == 1 and len(result.columns) == 1:
        return f"{in_markdown(result.columns[0].name)}: {_cell(result.rows[0][0])}"
    shown = result.rows[:MOST_ROWS]
    lines = [_line(in_markdown(column.name) for column in result.columns), _line("---" for _ in result.columns)]
    lines += [_line(map(_cell, row)) for row in shown]
    return "\n".join([*lines, "", " ".join(_counts(result, len(shown)))])


def unsupported_numbers(text: str, result: QueryRows, *known: str, counts: Iterable[int] = ()) -> tuple[str, ...]:
    """The numbers of a model's `text`, as written there, that are not in the rows.

    Numbers may be rounded, and written as a percentage, in thousands or in millions. Those of the texts in `known` (the
    question, the statement), `counts`, and the numbers of rows and columns are supported too.
    """
    numbers = KnownNumbers()
    numbers.add(len(result.rows), len(result.columns), *counts)
    numbers.add(*(cell for row in result.rows for cell in row), *(column.name for column in result.columns), *known)
    return numbers.missing(text)


class KnownNumbers:
    """Numbers that a text may have, in their order of size: whether one is known is looked up, however many there
    are."""

    def __init__(self) -> None:
        self._exact: set[Decimal] = set()
        self._sizes: list[Decimal] = []
        self._is_sorted = True

    def __contains__(self, number: object) -> bool:
        return number in self._exact

    def add(self, *values: Any, but_not: Callable[[Decimal], bool] = lambda _: False) -> None:
        """The numbers of cells and texts, of dates their parts; `but_not` those for which it is true."""
        new = {number for value in values for number in _numbers_of(value) if not but_not(number)} - self._exact
        self._exact |= new
        self._sizes += map(abs, new)
        self._is_sorted = self._is_sorted and not new

    def missing(self, text: str) -> tuple[str, ...]:
        """The numbers of a text that are none of these, as written there."""
        missing = [
            written
            for written, end in _numbers_in(text)
            if not any(self._has(number, exponent) for number, exponent in _readings(written, text[end:]))
        ]
        return tuple(dict.fromkeys(missing))

    def _has(self, number: Decimal, exponent: int) -> bool:
        if exponent < -_MOST_DECIMALS:
            return number in self._exact
        if not self._is_sorted:
            self._sizes.sort()
            self._is_sorted = True
        # What is rounded or cut to a number lies between half a unit below it and a whole one above.
        size, unit = abs(number), Decimal(1).scaleb(exponent)
        for place in range(bisect_left(self._sizes, size - unit / 2), len(self._sizes)):
            if size in _rounded(self._sizes[place], exponent):
                return True
            if self._sizes[place] >= size + unit:
                return False
        return False


def number_warning(numbers: Iterable[str]) -> str:
    """What is said of an answer with numbers that its rows do not have; empty where there are none."""
    written = list(numbers)
    if not written:
        return ""
    verb = "does" if len(written) == 1 else "do"
    return f"{', '.join(written[:5])}{' and others' * (len(written) > 5)} {verb} not stand in the rows; check the text."


# Markdown


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(value: Any) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "true" if value else "false"
    value = cut_cell(value)
    return in_markdown(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def in_markdown(text: str) -> str:
    """A text that Markdown shows as it is, on one line."""
    return _MARKDOWN.sub(r"\\\1", _BLANKS.sub(" ", text))


def _counts(result: QueryRows, shown: int) -> Iterator[str]:
    count = len(result.rows)
    rows = "1 row" if count == 1 else f"{count} rows"
    yield f"{rows}." if shown == count else f"The first {shown} of {rows} are shown."
    if result.truncated:
        yield f"Only the first {rows} were read; there are more."


# Numbers


def _numbers_of(value: Any) -> list[Decimal]:
    """The numbers that a cell or a text holds: a date holds its year, month and day."""
    if value is None or isinstance(value, bool):
        return []
    if isinstance(value, int | float | Decimal):
        number = _decimal(str(value))
        return [number] if number is not None else []
    text = value if isinstance(value, str) else json.dumps(value)
    if _DIGITS.search(text) is None:
        return []
    whole = _decimal(text.strip())
    parts = [number for part in _DIGITS.findall(text) if (number := _decimal(part)) is not None]
    # People write 1,234 in texts too.
    parts += [
        number for written, end in _grouped_in(text) for number, _ in _readings(written, text[end:][:_LONGEST_SCALE])
    ]
    return parts if whole is None else [whole, *parts]


def _grouped_in(text: str) -> Iterator[tuple[str, int]]:
    return ((written, end) for written, end in _numbers_in(text) if not written.isdigit())


def _decimal(text: str) -> Decimal | None:
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    return number if number.is_finite() and abs(number.adjusted()) < 40 else None


def _numbers_in(text: str) -> Iterator[tuple[str, int]]:
    """Each number of a text and where it ends, the numbers of lists left out."""
    marks = {match.start() + len(match[0]) - len(match[0].lstrip()) for match in _LIST_MARK.finditer(text)}
    for match in _NUMBER.finditer(text):
        if match.start() not in marks:
            yield match[0], match.end()


def _readings(written: str, behind: str) -> Iterator[tuple[Decimal, int]]:
    """What a number may mean, with the power of ten of its last digit: `1,234` is 1234 or 1.234, `1.2 million` is
    1200000 give or take 50000."""
    plain = written.replace("−", "-")
    texts = {_GROUPS.sub("", plain).replace(",", "."), plain.replace(",", "."), re.sub(r"[.,](?=.*[.,])", "", plain)}
    scaled = _SCALE.match(behind)
    power = next((_SCALES[key] for key in _SCALES if scaled[1].lower().startswith(key)), 0) if scaled else 0
    percent = behind.lstrip().startswith("%")
    for text in texts:
        number = _decimal(text.replace(" ", ""))
        if number is None:
            continue
        exponent = int(number.as_tuple().exponent)
        yield number, exponent
        if power:
            yield number.scaleb(power), exponent + power
        if percent:
            yield number.scaleb(-2), exponent - 2


def _rounded(value: Decimal, exponent: int) -> Iterator[Decimal]:
    """A value at that precision, rounded and cut; whether it is below zero is in words around it ("fell by 5")."""
    if value.adjusted() - exponent > _MOST_DIGITS:
        yield abs(value)
        return
    unit = Decimal(1).scaleb(exponent)
    for way in (ROUND_HALF_UP, ROUND_DOWN):
        yield (abs(value) / unit).quantize(Decimal(1), way) * unit
