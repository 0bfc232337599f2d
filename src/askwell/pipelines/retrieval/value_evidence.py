"""How likely it is that words of a question mean a cell value: by how they lead to it, how they are written, and
whether the question names the value's column or table too.

The figures were chosen on the tuning split of Spider's training set (`askwell eval values` measures both splits).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from askwell.mdl.semantic_model import ColumnRef
from askwell.pipelines.retrieval.context import ValueKind, ValueMatch
from askwell.pipelines.retrieval.value_words import Word, is_common

# Matches handed on, and columns that one value may lead to.
_MOST_MATCHES = 12
_MOST_PLACES = 6
_LEAST_SCORE = 0.4
# What stands in quotation marks scores more.
_MOST_UNQUOTED = 0.95
# What each further column for the same words gives way to other words of the question.
_TURN = 0.05

# What a match is worth by its kind, before anything else is known.
_WORTH: dict[ValueKind, float] = {
    "exact": 0.75,
    "case": 0.7,
    "stem": 0.62,
    "demonym": 0.65,
    "code": 0.6,
    "fuzzy": 0.55,
    "partial": 0.2,
}
_PARTIAL_SHARE = 0.45

Span = tuple[int, int]


@dataclass(slots=True)
class HeldValue:
    """A value as its words are spelt, with all the places that hold it, each by number and as it is written there."""

    stems: tuple[str, ...]
    places: list[tuple[int, str]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Place:
    """A column that holds values: the stems of its name's words and of its table's. `few`: its values are states or
    kinds of things rather than names."""

    ref: ColumnRef
    column: frozenset[str]
    table: frozenset[str]
    few: bool


@dataclass(frozen=True, slots=True)
class Hit:
    """Words of the question, from `first` to before `end`, that lead to a value. `fit` is how much of the value they
    are and how alike, from 0 to 1; a code counts only in a column `told_by` one of these words."""

    first: int
    end: int
    value: HeldValue
    kind: ValueKind
    fit: float = 1.0
    told_by: frozenset[str] = frozenset()


class Evidence:
    """What one question says for the values that its words lead to."""

    def __init__(
        self, question: str, words: Sequence[Word], hits: Sequence[Hit], places: Sequence[Place], schema: set[str]
    ) -> None:
        self._question = question
        self._words = words
        self._hits = hits
        self._places = places
        self._schema = schema
        self._stems = frozenset(word.stem for word in words)
        # The words of the question that columns' and tables' names have, as far as they were looked for.
        self._named: dict[int, tuple[frozenset[str], frozenset[str]]] = {}
        self._long = [
            (hit.first, hit.end) for hit in hits if hit.kind in ("case", "stem", "fuzzy") and hit.end - hit.first > 1
        ]

    def matches(self) -> Iterable[tuple[Span, ValueMatch]]:
        """Every hit's columns, each with its score and where its words stand."""
        for hit in self._hits:
            worth = self._worth(hit)
            if worth <= 0:
                continue
            span = (self._words[hit.first].start, self._words[hit.end - 1].end)
            own = frozenset(word.stem for word in self._words[hit.first : hit.end])
            found = [
                match
                for number, held in hit.value.places
                if (match := self._match(hit, own, worth, span, number, held))
            ]
            yield from ((span, match) for match in sorted(found, key=lambda match: -match.score)[:_MOST_PLACES])

    def of_names(self, number: int) -> float:
        """What speaks for a column, by number, because its name (0.01) or its table's (0.01) is in the question."""
        of_column, of_table = self._names(number)
        return 0.01 * bool(of_column) + 0.01 * bool(of_table)

    def _match(
        self, hit: Hit, own: frozenset[str], worth: float, span: Span, number: int, held: str
    ) -> ValueMatch | None:
        """The match in one column; `own` are the stems of the hit's words, which are not its name too."""
        place = self._places[number]
        text = self._question[span[0] : span[1]]
        first = self._words[hit.first]
        of_column, of_table = self._names(number)
        by_column, by_table = not of_column <= own, not of_table <= own
        score = worth + 0.15 * by_column + 0.1 * by_table
        kind = hit.kind
        if kind == "code" and not hit.told_by & (place.column | place.table):
            return None
        beside = by_column or (place.few and by_table and first.stem not in self._schema)
        if kind in ("case", "stem") and hit.end - hit.first == 1 and not _is_meant(first, held, beside):
            return None
        if kind == "case" and held == text:
            kind, score = "exact", score + 0.05
        return ValueMatch(text, place.ref, held, round(min(max(score, 0.0), _MOST_UNQUOTED), 3), kind)

    def _worth(self, hit: Hit) -> float:
        """What a hit is worth before its column is looked at."""
        words = self._words[hit.first : hit.end]
        own = [word for word in words if not is_common(word.plain)]
        if hit.kind == "partial":
            score = _WORTH["partial"] + _PARTIAL_SHARE * hit.fit
        else:
            score = _WORTH[hit.kind] * hit.fit
        if any(word.capital for word in own):
            score += 0.12
        if any(word.quoted for word in words):
            score += 0.2
        if len(words) > 1 and hit.kind != "partial":
            score += 0.1
        if all(word.stem in self._schema for word in words):
            score -= 0.3
        if all(word.plain.isdigit() for word in words):
            score -= 0.25 if max(len(word.plain) for word in words) > 2 else 0.4
        length = hit.end - hit.first
        if any(first <= hit.first and hit.end <= end and length < end - first for first, end in self._long):
            score -= 0.3
        return score

    def _names(self, number: int) -> tuple[frozenset[str], frozenset[str]]:
        """The words of a column's name, by number, and of its table's that are in the question."""
        if (known := self._named.get(number)) is None:
            place = self._places[number]
            known = place.column & self._stems, place.table & self._stems
            self._named[number] = known
        return known


def _is_meant(word: Word, held: str, beside: bool) -> bool:
    """Whether a word alone can be a value at all: "in" and "or" are no states of the United States unless they are
    written so, "open" is one beside "tickets" or "status", and a small number is rarely the text of a column."""
    if word.plain.isdigit() and len(word.plain) < 4:
        return beside or word.quoted
    if len(word.plain) <= 2 or is_common(word.plain):
        as_written = held == word.text and not word.text.islower()
        return as_written or (beside and len(word.plain) > 2 and held.casefold() == word.text.casefold())
    return True


def likeliest(found: Iterable[tuple[Span, ValueMatch]]) -> tuple[ValueMatch, ...]:
    """Each column and value once, the likeliest first; several columns for the same words take turns with other words
    of the question."""
    best: dict[tuple[ColumnRef, str], tuple[Span, ValueMatch]] = {}
    for span, match in found:
        key = (match.column, match.value)
        if match.score >= _LEAST_SCORE and (key not in best or best[key][1].score < match.score):
            best[key] = (span, match)
    seen: dict[Span, int] = {}
    ranked: list[tuple[float, ValueMatch]] = []
    for span, match in sorted(best.values(), key=lambda pair: -pair[1].score):
        turn = seen[span] = seen.get(span, -1) + 1
        ranked.append((match.score - _TURN * turn, match))
    ranked.sort(key=lambda pair: -pair[0])
    return tuple(match for _, match in ranked[:_MOST_MATCHES])
