"""Saved questions with parameters: whether a question is one of them, and which values it gives.

"Revenue between {from} and {to}" has its parameters in braces; "customers in a country" has one that it names behind an
article, and "revenue in 2023" one whose default stands in it. All other words have to be there, in their order.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cache

from askwell.question.filling import filling_words, is_range, may_be_name, value_said, values_in, words_of
from askwell.question.same_wording import without_opening
from askwell.question.slots import Kind, Slot, Value

_WORD = re.compile(r"""\{\s*[A-Za-z_]\w*\s*\}|"[^"]*"|“[^”]*”|(?<!\w)'[^']*'(?!\w)|\w+(?:[.,:/'’&@+-]\w+)*|\.{3}|\S""")
# Longer questions are no short ones with values in them.
_MOST_WORDS = 60
_MOST_PIECES = 24
_LONGEST_VALUE = 6


@dataclass(frozen=True, slots=True)
class Gap:
    """A place for a parameter; `words` (lower case) stand there where no value is said, "" where its default does."""

    name: str
    words: str


# A word that has to be there, or a place for a value.
Piece = str | Gap
# Words, or a run of places with the words that lead to them.
Part = tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Template:
    """A saved question; `words` are all that any question has to have that is the same."""

    parts: tuple[Part, ...]
    words: frozenset[str]

    @classmethod
    def of(cls, question: str, parameters: Mapping[str, str | None]) -> Template:
        """`parameters` are the names, each with its default as text."""
        pieces = _pieces(question, parameters)
        parts: list[list[Piece]] = []
        in_clause = _in_clause(pieces)
        for place, piece in enumerate(pieces):
            if place and in_clause[place] == in_clause[place - 1]:
                parts[-1].append(piece)
            else:
                parts.append([piece])
        articles = words_of("articles")
        kept = tuple(tuple(part) if _is_clause(part) else _without(part, articles) for part in parts)
        fixed = frozenset(str(piece) for part in kept if not _is_clause(part) for piece in part)
        return cls(tuple(part for part in kept if part), fixed)


@dataclass(frozen=True, slots=True)
class Match:
    """A question that is a saved one. `is_said`: of every parameter it says a value, or that it is left open; else
    words of the saved question are not there, and the question may be another one. `hints`: some of them are."""

    values: Mapping[str, Value] = field(default_factory=dict)
    is_said: bool = True
    hints: bool = True


@dataclass(frozen=True, slots=True)
class _Asked:
    text: str
    words: tuple[re.Match[str], ...]
    low: tuple[str, ...]


def could_be(question: str, templates: Sequence[Template]) -> list[int]:
    """The places of the templates all of whose words the question has."""
    asked = frozenset(_asked(question).low)
    return [place for place, template in enumerate(templates) if template.words and template.words <= asked]


def match(question: str, template: Template, slots: Sequence[Slot], today: date) -> Match | None:
    """What the question says of the parameters `slots`; None where it is another question."""
    asked = _asked(question)
    if not template.words or len(asked.low) > _MOST_WORDS:
        return None
    by_name = {slot.name: slot for slot in slots}
    return next(_matches(asked, 0, template.parts, by_name, today), None)


def _matches(asked: _Asked, at: int, parts: Sequence[Part], slots: Mapping[str, Slot], today: date) -> Iterator[Match]:
    if not parts:
        if at == len(asked.low):
            yield Match(hints=False)
        return
    part, rest = parts[0], parts[1:]
    if not _is_clause(part):
        if (after := _after(asked, at, part)) is not None:
            yield from _matches(asked, after, rest, slots, today)
        return
    ends = range(at, len(asked.low) + 1) if rest else [len(asked.low)]
    for end in ends:
        if (said := _clause(asked, at, end, part, slots, today)) is None:
            continue
        for following in _matches(asked, end, rest, slots, today):
            is_said = said.is_said and following.is_said
            yield Match({**said.values, **following.values}, is_said, said.hints or following.hints)


def _after(asked: _Asked, at: int, words: Part) -> int | None:
    """Behind the words, which stand from `at` on; articles between them count for nothing."""
    for word in words:
        while at < len(asked.low) and asked.low[at] != word and asked.low[at] in words_of("articles"):
            at += 1
        if at >= len(asked.low) or asked.low[at] != word:
            return None
        at += 1
    return at


def _clause(asked: _Asked, at: int, end: int, part: Part, slots: Mapping[str, Slot], today: date) -> Match | None:
    here = [slots[gap.name] for gap in part if isinstance(gap, Gap) and gap.name in slots]
    found = values_in(_text(asked, at, end), here, today) if at < end else {}
    if found and len(found) == len(here):
        return Match(found)
    if (parted := _beside_a_range(asked, at, end, part, slots, today)) is not None:
        return parted
    if (aligned := _aligned(asked, at, end, part, slots, today)) is not None:
        return Match(aligned)
    if set(asked.low[at:end]) <= words_of("links"):
        return Match(is_said=False, hints=not set(asked.low[at:end]) <= words_of("articles"))
    return Match(found, is_said=False) if found else None


def _beside_a_range(
    asked: _Asked, at: int, end: int, part: Part, slots: Mapping[str, Slot], today: date
) -> Match | None:
    """A range, whose ends are read together, and what stands before or behind it: “from March to May 2024 in Paris”."""
    for place in range(1, len(part)):
        sides = part[:place], part[place:]
        here = [[slots[gap.name] for gap in side if isinstance(gap, Gap) and gap.name in slots] for side in sides]
        if not isinstance(part[place - 1], Gap) or not all(here) or not any(map(is_range, here)):
            continue
        for cut in range(at + 1, end):
            bounds = ((at, cut), (cut, end))
            found = [_clause(asked, *bound, side, slots, today) for bound, side in zip(bounds, sides, strict=True)]
            said = {name: value for one in found if one is not None for name, value in one.values.items()}
            if len(said) == len(here[0]) + len(here[1]):
                return Match(said)
    return None


def _aligned(
    asked: _Asked, at: int, end: int, part: Part, slots: Mapping[str, Slot], today: date
) -> dict[str, Value] | None:
    """Word for word, with something in each place."""
    if len(part) > _MOST_PIECES:
        return None

    @cache
    def rest_from(place: int, at: int) -> dict[str, Value] | None:
        if place == len(part):
            return {} if at == end else None
        piece, is_last = part[place], place + 1 == len(part)
        if not isinstance(piece, Gap):
            if at == end or asked.low[at] != piece:
                return None
            if at + 1 == end and place + 2 == len(part):
                return {}  # “revenue between March 2024 and”
            return rest_from(place + 1, at + 1)
        for stop in range(max(end, at + 1) if is_last else at + 1, end + 1):
            said = _text(asked, at, stop)
            value = None if _is_open(said, piece) else _value(said, slots.get(piece.name), today)
            following = rest_from(place + 1, stop) if value is not None or _is_open(said, piece) else None
            if following is not None:
                return following if value is None else {piece.name: value, **following}
        return None

    return rest_from(0, at)


def _is_open(said: str, gap: Gap) -> bool:
    """Whether the place is there, and nothing is said in it."""
    plain = said.casefold().replace(" ", "")
    return plain in filling_words()["open"] or plain in (gap.words.replace(" ", ""), f"{{{gap.name.casefold()}}}")


def _value(said: str, slot: Slot | None, today: date) -> Value | None:
    """A value in the place that a question has for it. What nobody put into quotation marks, and is no known value, is
    one only if nothing in it could be another part of the question."""
    if slot is None:  # of which the SQL makes no use
        return said
    words = said.split()
    is_plain = slot.kind is Kind.TEXT and said[:1] not in "\"'“" and said.casefold() not in slot.known
    if is_plain and not slot.many:
        if len(words) > _LONGEST_VALUE or {word.casefold() for word in words} & words_of("not_in_values"):
            return None
        if len(words) > 1 and not may_be_name(said):
            return None
    return value_said(said, slot, today)


# -- reading both ---------------------------------------------------------------------------------------------------


def _asked(question: str) -> _Asked:
    text = without_opening(unicodedata.normalize("NFKC", question)).rstrip(" \t\n?!.")
    text = re.sub(filling_words()["past_opening"], "", text, count=1, flags=re.IGNORECASE)
    words = tuple(_WORD.finditer(text))
    return _Asked(text, words, tuple(word[0].casefold() for word in words))


def _text(asked: _Asked, at: int, end: int) -> str:
    return asked.text[asked.words[at].start() : asked.words[end - 1].end()] if at < end else ""


def _pieces(question: str, parameters: Mapping[str, str | None]) -> list[Piece]:
    names = {name.lower(): name for name in parameters}
    text = re.sub(r"(?<![\w:]):([A-Za-z_]\w*)", lambda m: f"{{{m[1]}}}" if m[1].lower() in names else m[0], question)
    asked = _asked(text)
    pieces: list[Piece] = []
    for word in asked.low:
        name = names.get(word.strip("{} ")) if word.startswith("{") else None
        pieces.append(Gap(name, word.replace(" ", "")) if name is not None else word)
    for name, default in parameters.items():
        if any(isinstance(piece, Gap) and piece.name == name for piece in pieces):
            continue
        spoken = [word[0] for word in _WORD.finditer(name.replace("_", " ").lower())]
        for article in sorted(filling_words()["placeholders"].split("|"), key=len, reverse=True):
            if _put(pieces, [*article.split(), *spoken], name):
                break
        else:
            _put(pieces, [word[0].casefold() for word in _WORD.finditer(default or "")], name, is_value=True)
    return pieces


def _put(pieces: list[Piece], words: list[str], name: str, *, is_value: bool = False) -> bool:
    """A place for the parameter where these words stand."""
    for at in range(len(pieces) - len(words) + 1 if words else 0):
        if pieces[at : at + len(words)] == words:
            pieces[at : at + len(words)] = [Gap(name, "" if is_value else " ".join(words))]
            return True
    return False


def _in_clause(pieces: Sequence[Piece]) -> list[bool]:
    """Places, and the words right before them that are there for their sake."""
    found = [isinstance(piece, Gap) for piece in pieces]
    for at in range(len(pieces) - 2, -1, -1):
        piece = pieces[at]
        found[at] = found[at] or (found[at + 1] and isinstance(piece, str) and piece in words_of("links"))
    return found


def _is_clause(part: Sequence[Piece]) -> bool:
    return any(isinstance(piece, Gap) for piece in part)


def _without(part: Sequence[Piece], words: frozenset[str]) -> Part:
    return tuple(piece for piece in part if piece not in words)
