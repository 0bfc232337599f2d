"""Values for the parameters of a saved question, out of what somebody says."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from functools import cache
from typing import Any

from askwell.question.choosing import bare
from askwell.question.days import Days, DayWords, days_at, phrase_at
from askwell.question.slots import Edge, Kind, Slot, Value
from askwell.question.tokens import MAX_TOKENS, Token, TokenKind, plain_number, tokenize
from askwell.question.words import NUMBER_WORDS
from askwell.resources import words_file

_PAIRS = {'"': '"', "'": "'", "“": "”", "‘": "’"}
_LONGEST_NAME = 4  # words of a value that nobody put into quotation marks and that is not known


def filling_words() -> Mapping[str, Any]:
    """The words of `filling.yaml`."""
    return words_file("askwell.question", "filling.yaml")


@cache
def day_words() -> DayWords:
    """How people say periods."""
    return DayWords(**{name: filling_words()[name] for name in DayWords.__slots__})


@cache
def words_of(name: str) -> frozenset[str]:
    """One of these lists."""
    return frozenset(filling_words()[name].split())


@cache
def _skips() -> frozenset[str]:
    return frozenset(part.strip() for part in filling_words()["skip"].split("|"))


def is_skip(said: str) -> bool:
    """Whether somebody says that they give no value."""
    return " ".join(said.split()).strip(" .!,").casefold().replace("’", "'") in _skips()


def values_said(said: str, slots: Sequence[Slot], today: date) -> dict[str, Value]:
    """The values that an answer gives, by name; nothing where it is not understood as a whole. `slots` are those that
    are open. Words count back from `today`."""
    named = _named(said, slots, today)
    if named:
        return named
    if len(slots) == 1 and slots[0].many:
        values = value_said(said, slots[0], today)
        return {} if values is None else {slots[0].name: values}
    return values_in(said, slots, today) or _with_texts(said, slots, today)


def values_in(said: str, slots: Sequence[Slot], today: date) -> dict[str, Value]:
    """The days, numbers and truths of an answer that has nothing else in it; see `values_said`."""
    tokens = tokenize(said)
    if len(tokens) > MAX_TOKENS:
        return {}
    heard = _heard(tokens, slots, today)
    if heard is None:
        return {}
    found = {**_of_days(heard.days, slots), **_of_numbers(heard.numbers, slots), **_of_truths(heard.truths, slots)}
    told = len(heard.days) + len(heard.numbers) + len(heard.truths)
    return found if found and len(found) >= told else {}


def value_said(said: str, slot: Slot, today: date) -> Value | None:
    """The value of one parameter, where `said` is that and nothing else."""
    if slot.many:
        parts = [value_said(part, replace(slot, many=False), today) for part in _listed(said)]
        values = [part for part in parts if part is not None and not isinstance(part, list)]
        return values if values and len(values) == len(parts) else None
    if slot.kind is Kind.TEXT:
        return _text(said, slot)
    try:
        return slot.typed(_unquoted(said))
    except ValueError:
        return values_in(said, [slot], today).get(slot.name)


# -- days, numbers and truths ---------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Heard:
    days: list[Days] = field(default_factory=list)
    numbers: list[tuple[Edge, float | int]] = field(default_factory=list)
    truths: list[bool] = field(default_factory=list)


def _heard(tokens: Sequence[Token], slots: Sequence[Slot], today: date) -> _Heard | None:
    """None where something else is said too: half of a sentence may turn the other half around."""
    kinds = {slot.kind for slot in slots}
    heard, i = _Heard(), 0
    while i < len(tokens):
        taken = 0
        if kinds & {Kind.DATE, Kind.MOMENT} and (found := days_at(tokens, i, today, day_words())) is not None:
            heard.days.append(found[0])
            taken = found[1]
        if not taken and kinds & {Kind.INTEGER, Kind.NUMBER} and (number := _number_at(tokens, i)) is not None:
            heard.numbers.append(number[0])
            taken = number[1]
        if not taken and Kind.BOOLEAN in kinds and tokens[i].low in words_of("yes") | words_of("no"):
            heard.truths.append(tokens[i].low in words_of("yes"))
            taken = 1
        if not taken and tokens[i].low not in words_of("fillers") and tokens[i].text not in (",", ".", "!"):
            return None
        i += taken or 1
    return heard


def _number_at(tokens: Sequence[Token], i: int) -> tuple[tuple[Edge, float | int], int] | None:
    words = filling_words()
    upper, lower = phrase_at(tokens, i, words["upper"]), phrase_at(tokens, i, words["lower"])
    at, edge = i + max(upper, lower), Edge.LAST if upper > lower else Edge.START if lower else Edge.NONE
    sign = -1 if at < len(tokens) and tokens[at].text == "-" else 1
    at += sign < 0
    if at >= len(tokens):
        return None
    token = tokens[at]
    value = plain_number(token.text) if token.kind is TokenKind.NUMBER else NUMBER_WORDS.get(token.low)
    return None if value is None else ((edge, sign * value), at + 1 - i)


def _of_days(said: Sequence[Days], slots: Sequence[Slot]) -> dict[str, Value]:
    slots = [slot for slot in slots if slot.kind.is_time and not slot.many]
    if len(said) == 1 and is_range(slots):
        return _of_range(said[0], slots)
    if not said or len(said) != len(slots):
        return {}
    found = [(slot.name, _edge_of(days, slot)) for days, slot in zip(said, slots, strict=True)]
    return {name: value for name, value in found if value is not None} if all(value for _, value in found) else {}


def is_range(slots: Sequence[Slot]) -> bool:
    """Whether these are the two ends of one range."""
    ends = [slot.edge for slot in slots]
    return len(ends) == 2 and Edge.START in ends and (Edge.LAST in ends or Edge.END in ends)


def _of_range(days: Days, slots: Sequence[Slot]) -> dict[str, Value]:
    # Whoever writes a day as 2024-01-31 gives one end after the other; “yesterday” is both.
    only_start = days.is_one_day and days.written is not None
    wanted = [slot for slot in slots if not only_start or slot.edge is Edge.START]
    found = {slot.name: _edge_of(days, slot) for slot in wanted}
    return {name: value for name, value in found.items() if value is not None}


def _edge_of(days: Days, slot: Slot) -> str | None:
    match slot.edge:
        case Edge.START:
            day = days.start
        case Edge.NONE:
            day = days.start if days.is_one_day else None
        case _ if days.written is not None:
            day = days.written  # as it is to be bound
        case Edge.LAST:
            day = days.end - timedelta(days=1) if days.end is not None else None
        case Edge.END:
            day = days.end
    if day is None:
        return None
    if slot.kind is Kind.DATE:
        return day.isoformat()
    return f"{day.isoformat()} {'23:59:59' if slot.edge is Edge.LAST else '00:00:00'}"


def _of_numbers(said: Sequence[tuple[Edge, float | int]], slots: Sequence[Slot]) -> dict[str, Value]:
    slots = [slot for slot in slots if slot.kind.is_number and not slot.many]
    if len(said) == 1 and len(slots) > 1:
        edge = said[0][0]
        ends = (Edge.LAST, Edge.END) if edge is Edge.LAST else (edge,)
        fitting = [slot for slot in slots if slot.edge in ends and edge is not Edge.NONE]
        slots = fitting or [slot for slot in slots if slot.required]
    if len(said) != len(slots):
        return {}
    try:
        return {slot.name: slot.typed(value) for (_, value), slot in zip(said, slots, strict=True)}
    except ValueError:
        return {}


def _of_truths(said: Sequence[bool], slots: Sequence[Slot]) -> dict[str, Value]:
    slots = [slot for slot in slots if slot.kind is Kind.BOOLEAN]
    return {slots[0].name: said[0]} if len(said) == len(slots) == 1 else {}


# -- texts ----------------------------------------------------------------------------------------------------------


def _named(said: str, slots: Sequence[Slot], today: date) -> dict[str, Value]:
    """“from: 2024-01-01, to = March”: each value behind its name."""
    by_name = {slot.name.replace("_", " ").lower(): slot for slot in slots} | {
        slot.name.lower(): slot for slot in slots
    }
    names = "|".join(sorted(map(re.escape, by_name), key=len, reverse=True))
    begins = list(re.finditer(rf"(?i)(?:^|[,;\n]|\band\b)\s*(?:the\s+)?({names})\s*(?::|=|\bis\b)\s*", said))
    if not begins or said[: begins[0].start()].strip():
        return {}
    found: dict[str, Value] = {}
    for place, begin in enumerate(begins):
        end = begins[place + 1].start() if place + 1 < len(begins) else len(said)
        slot = by_name[begin[1].lower()]
        value = value_said(said[begin.end() : end].strip(" \t\n,;"), slot, today)
        if value is not None:
            found[slot.name] = value
    return found


def _with_texts(said: str, slots: Sequence[Slot], today: date) -> dict[str, Value]:
    texts = _text_slots(slots)
    parts = [part.strip() for part in re.split(r"[,;\n]", said) if part.strip()]
    if not texts or not parts:
        return {}
    parts = _beside_days(said, slots, today) or parts
    if len(parts) == 1 and len(texts) > 1:
        parts = [part.strip() for part in re.split(r"\band\b", said) if part.strip()]
    found: dict[str, Value] = {}
    rest: list[str] = []
    for part in parts:
        read = values_in(part, [slot for slot in slots if slot.name not in found], today) if len(parts) > 1 else {}
        found |= read
        rest += [] if read else [part]
    if len(rest) > len(texts) == 1 and not found:
        rest = [said]  # “Washington, DC”
    for part, slot in _shared_out(rest, texts):
        value = value_said(part, slot, today)
        if value is None:
            return {}
        found[slot.name] = value
    return found


def _beside_days(said: str, slots: Sequence[Slot], today: date) -> list[str]:
    """Days and what stands before or behind them: “from March to May 2024 in Paris”; nothing where there are none."""
    words, wanted = said.split(), {slot.name for slot in slots if slot.kind.is_time}
    fillers = words_of("fillers")
    for length in range(len(words) - 1, 0, -1) if wanted else ():
        for days, rest in ((words[:length], words[length:]), (words[-length:], words[:-length])):
            if values_in(" ".join(days), slots, today).keys() == wanted:
                text = next((at for at, word in enumerate(rest) if word.casefold() not in fillers), len(rest))
                return [part for part in (" ".join(days), " ".join(rest[text:]).strip(",;")) if part]
    return []


def _shared_out(parts: Sequence[str], slots: Sequence[Slot]) -> Iterator[tuple[str, Slot]]:
    """Each part with its parameter: in order where there are as many, else by the values that are known."""
    if len(parts) == len(slots):
        yield from zip(parts, slots, strict=True)
        return
    for part in parts:
        of = [slot for slot in slots if part.casefold() in slot.known]
        if len(of) == 1:
            yield part, of[0]


def _text_slots(slots: Sequence[Slot]) -> list[Slot]:
    """Those that words which are nothing else may be for: what may be left out is not guessed while others wait."""
    wanted = [slot for slot in slots if not slot.may_be_left_out] or list(slots)
    return [slot for slot in wanted if slot.kind is Kind.TEXT]


def _text(said: str, slot: Slot) -> str | None:
    """A value of the column as it is spelt there; else what was said, where it may be a value that is not known."""
    plain = _unquoted(said)
    meant = slot.known.get(plain.casefold()) or slot.known.get(bare(" ".join(plain.split()).casefold()))
    if meant is not None:
        return meant
    if plain == said.strip() and ((slot.known and not may_be_name(plain)) or _is_time(plain)):
        return None
    try:
        found = slot.typed(plain)
    except ValueError:
        return None
    return found if isinstance(found, str) else None


def _is_time(text: str) -> bool:
    """Whether words say when, and nothing else: “January” is the name of no city."""
    tokens = tokenize(text)
    found = days_at(tokens, 0, date(2000, 1, 1), day_words()) if tokens else None
    return found is not None and found[1] == len(tokens)


def may_be_name(text: str) -> bool:
    """Whether words that are no known value may be one: names begin with capital letters or digits."""
    words = text.split()
    return 0 < len(words) <= _LONGEST_NAME and all(not word[0].islower() for word in words)


def _unquoted(said: str) -> str:
    text = said.strip()
    return text[1:-1] if len(text) > 2 and _PAIRS.get(text[0]) == text[-1] else text


def _listed(said: str) -> Iterator[str]:
    for part in re.split(r",|;|\n|\band\b|\bor\b", said):
        if part.strip():
            yield part.strip()
