"""Tokens, words that stand for values in prompts and that models copy as they are; and dates and numbers as people and
SQL write them.

`TEXT_1`, `NUMBER_2` and `DATE_3` read as what they stand for, and are a name or a part of a literal in every dialect of
SQL. `NAME_4` stands for a name that a user made up, such as an alias.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Literal

from askwell.resources import words_file, words_of

Kind = Literal["TEXT", "NUMBER", "DATE", "NAME"]
KINDS = ("TEXT", "NUMBER", "DATE", "NAME")
TOKEN = re.compile(rf"(?<![A-Za-z0-9])(?:{'|'.join(KINDS)})_[0-9]+(?![0-9])")
# As models write them by mistake.
MISSPELT = re.compile(rf"(?<![A-Za-z0-9])({'|'.join(KINDS)})[_ -]?([0-9]+)(?![0-9])", re.IGNORECASE)
# How a token may begin at the end of a piece of text.
_BEGUN = re.compile(r"(?<![A-Za-z0-9])[A-Z]{1,6}(?:_[0-9]*)?\Z")


def as_token(text: str) -> str:
    """A token that may be misspelt, as it is written rightly."""
    return MISSPELT.sub(lambda found: f"{found[1].upper()}_{found[2]}", text)


@dataclass(frozen=True, slots=True)
class Value:
    """What a token stands for: as written, and as SQL writes it, without quotes."""

    kind: Kind
    written: str
    in_sql: str


@dataclass(frozen=True, slots=True)
class Found:
    """A value in a text, and where."""

    start: int
    end: int
    value: Value


class Restoring:
    """Pieces of text with the values put back, however tokens are cut between them. `put_back` does it for a text."""

    def __init__(self, on_delta: Callable[[str], None], put_back: Callable[[str], str]) -> None:
        self._on_delta = on_delta
        self._put_back = put_back
        self._held = ""

    def __call__(self, piece: str) -> None:
        text = self._held + piece
        begun = _BEGUN.search(text)
        end = begun.start() if begun is not None and _may_become(begun[0]) else len(text)
        self._held = text[end:]
        self._tell(text[:end])

    def finish(self) -> None:
        """Nothing comes any more."""
        self._tell(self._held)
        self._held = ""

    def _tell(self, text: str) -> None:
        if text:
            self._on_delta(self._put_back(text))


def _may_become(word: str) -> bool:
    kind, underscore, _ = word.partition("_")
    return kind in KINDS if underscore else any(one.startswith(kind) for one in KINDS)


_ENGLISH = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)(?![a-z])\.?"
)
_OTHER_MONTHS: dict[str, int] = {
    form: number
    for names in words_file("askwell.privacy", "words.yaml")["months"].values()
    for number, forms in enumerate(names.split(), start=1)
    for form in forms.split("/")
}
_OTHER_MONTH = rf"(?P<other>{'|'.join(sorted(_OTHER_MONTHS, key=len, reverse=True))})\.?(?![\w])"
_DATES = (
    re.compile(
        r"(?<![\w.-])(?P<year>\d{4})-(?P<monthno>\d{1,2})-(?P<day>\d{1,2})"
        r"(?P<time>[T ]\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?(?!\w)"
    ),
    re.compile(r"(?<![\w.])(?P<day>\d{1,2})\.(?P<monthno>\d{1,2})\.(?P<year>\d{4})(?!\w)"),
    # In the order of the United States, or with slashes in the other: only where there is no doubt.
    re.compile(r"(?<![\w./-])(?P<monthno>0?[1-9]|1[0-2])/(?P<day>1[3-9]|2\d|3[01])/(?P<year>\d{4})(?![\w/])"),
    re.compile(r"(?<![\w./-])(?P<day>1[3-9]|2\d|3[01])/(?P<monthno>0?[1-9]|1[0-2])/(?P<year>\d{4})(?![\w/])"),
    re.compile(rf"\b{_MONTH}\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<year>\d{{4}})\b", re.IGNORECASE),
    re.compile(rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH},?\s+(?P<year>\d{{4}})\b", re.IGNORECASE),
    re.compile(
        rf"(?<![\w.,])(?P<day>\d{{1,2}})(?:\.|er|º|\.º)?\s+(?:de\s+)?{_OTHER_MONTH}(?:,?\s+(?:del?\s+)?(?P<year>\d{{4}})\b)?",
        re.IGNORECASE,
    ),
)
_NUMBER = re.compile(r"\d+(?:[.,'’]\d+)*")
# As a number it would lose its zeros. Two digits are a month or a day.
_CODE = re.compile(r"0\d{2,}")
_THOUSANDS = re.compile(r"\d{1,3}(?:([,.'’ \u00a0\u202f])\d{3})(?:\1\d{3})*(?:(?!\1)[.,]\d+)?")
SUFFIXES = {"k": 1_000, "m": 1_000_000, "mn": 1_000_000, "mio": 1_000_000, "bn": 1_000_000_000, "b": 1_000_000_000}
UNITS = words_of("askwell.privacy", "words.yaml", "units")
# A number with what may stand at it.
AMOUNT = re.compile(rf"\d+(?:[.,'’]\d+)*(?:st|nd|rd|th|[xhdwys]|{'|'.join([*SUFFIXES, *UNITS])})?", re.IGNORECASE)
# Without a sign, a dot or a small e it may as well be a code, such as 12E4.
_EXPONENT = re.compile(r"(?<![\w.,])(?:\d*\.\d+[eE][+-]?|\d+(?:[eE][+-]|e))\d{1,3}(?![\w-]|[.,]\d)")
_NO_WHOLE = re.compile(r"(?<![\w.,)\]])\.\d+(?!\w|[.,]\d)")
_GROUPED = re.compile(r"(?<![\w.,])\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\w,])")
_UNIT = "|".join(sorted(UNITS - {"in"}, key=len, reverse=True))
# With a comma before the decimals, as most of Europe writes it.
_DECIMAL_COMMA = re.compile(
    r"(?<![\w.,])(?:\d{1,3}(?:[.'’ \u00a0\u202f]\d{3})+(?:,\d+|(?=\s?[€%]))"
    rf"|\d+,\d{{2}}|\d+,\d+(?=\s?(?:[€%]|(?:{_UNIT})\b)))(?![\w]|[.,]\d)"
)
# One decimal is unambiguous only where a comma is not what stands between two numbers.
_ONE_DECIMAL = re.compile(r"(?<![\w.,])\d+,\d(?![\w]|[.,]\d)")
# Groups of three digits with blanks between them, and nothing beside them that might be a part of a longer code.
_SPACED = re.compile(
    r"(?<![\w.,])(?<!\d[ \u00a0\u202f])[1-9]\d{0,2}(?P<blank>[ \u00a0\u202f])\d{3}(?:(?P=blank)\d{3})*(?:[.,]\d+)?"
    r"(?!\w|[.,/-]\d|[ \u00a0\u202f]\d)"
)


def dates_in(text: str) -> Iterator[tuple[int, int, Value]]:
    """The dates, and where."""
    for pattern in _DATES:
        for one in pattern.finditer(text):
            if (date := _date(one)) is not None:
                yield one.start(), one.end(), Value("DATE", one[0], date)


def numbers_in(text: str, *, is_english: bool) -> Iterator[tuple[int, int, Value]]:
    """Numbers that have a separator or an exponent and stand for themselves, and where."""
    for pattern in (_EXPONENT, _NO_WHOLE):
        for one in pattern.finditer(text):
            yield one.start(), one.end(), Value("NUMBER", one[0], f"0{one[0]}" if one[0][0] == "." else one[0])
    for pattern in (_GROUPED, _DECIMAL_COMMA, _SPACED, *([] if is_english else [_ONE_DECIMAL])):
        for one in pattern.finditer(text):
            # Nobody writes three decimals of a euro.
            is_money = pattern is _DECIMAL_COMMA and text[one.end() :].lstrip()[:1] == "€"
            yield one.start(), one.end(), number_value(one[0], is_english=is_english and not is_money)


def text_value(text: str) -> Value:
    return Value("TEXT", text, text)


def value_of(text: str) -> Value:
    """The value that a whole text is."""
    plain = text.strip()
    for pattern in _DATES:
        if (found := pattern.fullmatch(plain)) is not None and (date := _date(found)) is not None:
            return Value("DATE", text, date)
    if _NUMBER.fullmatch(plain.lstrip("+-")) and not _CODE.fullmatch(plain):
        return Value("NUMBER", text, text)
    return text_value(text)


def number_value(text: str, times: int = 1, written: str | None = None, *, is_english: bool = True) -> Value:
    """A number as people write it; SQL gets it without separators. Where a single one stands before three digits, the
    language of the text tells which it is: a comma groups them and a point begins decimals in English, and the other
    way round in the others that are known here. A code such as 007 is a text."""
    if times == 1 and _CODE.fullmatch(text):
        return text_value(written or text)
    plain = text
    if _is_grouped(text, is_english):
        mark = next(one for one in text if not one.isdigit())
        plain = text.replace(mark, "").replace(",", ".")
    elif text.count(",") == 1 and "." not in text:
        plain = text.replace(",", ".")
    if times != 1:
        try:
            scaled = f"{Decimal(plain) * times:f}"
            plain = scaled.rstrip("0").rstrip(".") if "." in scaled else scaled
        except InvalidOperation:
            plain = text
    return Value("NUMBER", written or text, plain)


def _is_grouped(text: str, is_english: bool) -> bool:
    """Whether its first separator stands between thousands."""
    if _THOUSANDS.fullmatch(text) is None or text[0] == "0":
        return False
    marks = [one for one in text if not one.isdigit()]
    return len(marks) > 1 or marks[0] not in ".," or marks[0] == ("," if is_english else ".")


def _date(found: re.Match[str]) -> str | None:
    """As ISO writes it; a day of a month without a year stays as it is written."""
    parts = found.groupdict()
    if parts.get("monthno"):
        month = int(parts["monthno"])
    elif parts.get("other"):
        month = _OTHER_MONTHS[parts["other"].lower()]
    else:
        month = _ENGLISH.index(parts["month"][:3].lower()) + 1
    day = int(parts["day"])
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return None
    if parts["year"] is None:
        return found[0]
    return f"{parts['year']}-{month:02}-{day:02}{parts.get('time') or ''}"
