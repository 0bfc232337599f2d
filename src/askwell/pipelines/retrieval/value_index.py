"""Cell values by their words, so that a question that names a value leads to its column.

How likely it is that words mean a value is said by how they lead to it, how they are written, and whether the question
names the value's column or table too. These figures were chosen on the tuning split of Spider's training set (`askwell
eval values` measures both splits).
"""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from askwell.mdl.names import words as words_of_name
from askwell.mdl.semantic_model import Column, ColumnRef, SampledValues, SemanticModel, Table
from askwell.pipelines.retrieval.context import ValueKind, ValueMatch
from askwell.pipelines.retrieval.value_words import (
    Word,
    is_common,
    plain_words,
    quoted_texts,
    squeezed,
    stem,
    words_of_question,
)
from askwell.sql.world import BY_CODE, BY_NAME

# Matches handed on, and columns that one value may lead to.
_MOST_MATCHES = 12
_MOST_PLACES_TOLD = 6
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
            yield from ((span, match) for match in sorted(found, key=lambda match: -match.score)[:_MOST_PLACES_TOLD])

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


# The longest run of words of a question that is looked up as a value, and that may be a name of the world's.
_MOST_WORDS = 12
_MOST_WORDS_OF_NAMES = 4
_FIRST_OF_NAMES = frozenset(name.split()[0] for name in BY_NAME)
# Words of a question that are looked at: nobody names a value after that many.
_MOST_READ = 200
# A word that so many values share leads to none of them by itself.
_COMMON = 100
# Values that are looked at more closely because they share words with the question, or are spelt like one.
_MOST_PARTIAL = 40
_MOST_ALIKE = 3
_MOST_PLACES = 20
# How alike two words have to be (rapidfuzz ratio, 0-100): one that is written like a name, and any other.
_ALIKE_NAME = 80
_ALIKE = 85
# A word of as many letters may have two more or fewer than the one that is meant, a shorter one only one.
_LONG = 9
# What a text in quotation marks is worth that is a value; names of its column and table add up to 0.02.
_QUOTED: dict[ValueKind, float] = {"exact": 0.98, "case": 0.96}
# Values of a column that says in which state or of which kind things are.
_FEW = 25
# What a word is worth that only begins like a value's.
_BEGINS = 0.7


class ValueIndex:
    """Values of enums and of sampled columns. Read-only once built; a look-up takes some tenths of a millisecond."""

    def __init__(self, model: SemanticModel, values: SampledValues) -> None:
        self._places: list[Place] = []
        self._all: list[HeldValue] = []
        self._by_key: dict[str, HeldValue] = {}
        self._by_stem: dict[str, list[HeldValue]] = {}
        # First words of values, and their stems.
        self._firsts: set[str] = set()
        # Which values have a word, by its stem.
        self._sharing: dict[str, array[int]] = {}
        self._schema: set[str] = set()
        for table in model:
            self._schema |= _stems_of(table.name, table.display_name)
            for column in table.columns:
                self._schema |= _stems_of(column.name, column.display_name)
        for table, column, texts in _columns(model, values):
            self._add(table, column, texts)
        self._vocabulary = sorted(word for word in self._sharing if len(word) > 3 and not word.isdigit())
        self._by_shape: dict[tuple[str, int], list[str]] = {}
        for word in self._vocabulary:
            self._by_shape.setdefault((word[0], len(word)), []).append(word)

    def _add(self, table: Table, column: Column, texts: Sequence[str]) -> None:
        number = len(self._places)
        names = _stems_of(column.name, column.display_name, *column.synonyms)
        of_table = _stems_of(table.name, table.display_name, *table.synonyms)
        few = len(texts) <= _FEW
        self._places.append(Place(ColumnRef(table.name, column.name), frozenset(names), frozenset(of_table), few))
        for text in texts:
            words = plain_words(text)
            if key := squeezed(words) or text.strip().casefold():
                if (value := self._by_key.get(key)) is None:
                    value = self._by_key[key] = self._new(words)
                value.places.append((number, text))

    def _new(self, words: list[str]) -> HeldValue:
        value = HeldValue(tuple(map(stem, words)))
        if (key := squeezed(value.stems)) != squeezed(words):
            self._by_stem.setdefault(key, []).append(value)
        if len(words) > 1 and words[0] == "the":
            self._by_stem.setdefault(squeezed(value.stems[1:]), []).append(value)
            self._firsts |= {words[1], value.stems[1]}
        self._firsts |= {*words[:1], *value.stems[:1]}
        for word in set(value.stems):
            self._sharing.setdefault(word, array("i")).append(len(self._all))
        self._all.append(value)
        return value

    def matches(self, question: str) -> tuple[ValueMatch, ...]:
        """Values that the question names or seems to name, the likeliest first.

        A value that is an everyday word ("in", "or") counts only where it is written in the value's own letter case and
        not in lower case, or beside its column's name; a part of a value, or another spelling of it, only where the
        words are rare and something else speaks for it. What stands in quotation marks counts as it is.
        """
        words = words_of_question(question)[:_MOST_READ]
        hits = self._whole(words)
        covered = {at for hit in hits if hit.kind in ("case", "stem") for at in range(hit.first, hit.end)}
        hits += self._parts(words, covered)
        evidence = Evidence(question, words, hits, self._places, self._schema)
        return likeliest([*self._quoted(question, evidence), *evidence.matches()])

    # Whole values

    def _quoted(self, question: str, evidence: Evidence) -> Iterator[tuple[Span, ValueMatch]]:
        for start, end, text in quoted_texts(question):
            value = self._by_key.get(squeezed(plain_words(text)) or text.strip().casefold())
            for number, held in value.places[:_MOST_PLACES] if value is not None else ():
                kind: ValueKind = "exact" if held == text else "case"
                score = _QUOTED[kind] + evidence.of_names(number)
                yield (start, end), ValueMatch(text, self._places[number].ref, held, score, kind)

    def _whole(self, words: Sequence[Word]) -> list[Hit]:
        hits: list[Hit] = []
        for first in range(len(words)):
            key = stems = ""
            forms = {words[first].plain, words[first].stem}
            is_first = bool(forms & self._firsts) or words[first].plain in _FIRST_OF_NAMES
            # A value may be written as two words ("T shirt"), but a longer one has to begin as a value does.
            most = _MOST_WORDS if is_first else 2
            for end in range(first + 1, min(first + most, len(words)) + 1):
                word = words[end - 1]
                key, stems = squeezed((key, word.plain)), squeezed((stems, word.stem))
                if (value := self._by_key.get(key)) is not None:
                    hits.append(Hit(first, end, value, "case"))
                elif stems != key and (value := self._by_key.get(stems)) is not None:
                    hits.append(Hit(first, end, value, "stem"))
                hits += [Hit(first, end, value, "stem") for value in self._by_stem.get(stems, ())]
                if end - first <= _MOST_WORDS_OF_NAMES:
                    hits += self._same(words, first, end)
        return hits

    def _same(self, words: Sequence[Word], first: int, end: int) -> Iterator[Hit]:
        """What the world calls the same: "German" and Germany, "California" and CA."""
        name = words[first].plain if end - first == 1 else " ".join(word.plain for word in words[first:end])
        meanings = BY_NAME.get(name, ())
        if end - first == 1 and words[first].text.isupper():
            meanings += BY_CODE.get(name, ())
        for meaning in meanings:
            for other in meaning.names:
                if (value := self._by_key.get(squeezed(plain_words(other)))) is not None:
                    yield Hit(first, end, value, "demonym")
            for code in meaning.codes:
                if (value := self._by_key.get(code)) is not None:
                    yield Hit(first, end, value, "code", told_by=meaning.told_by)

    # Parts of values, and values in another spelling

    def _parts(self, words: Sequence[Word], covered: set[int]) -> list[Hit]:
        asked: dict[str, tuple[int, float]] = {}
        quoted: set[str] = set()
        for at, word in enumerate(words):
            if len(word.plain) < 2 or word.plain.isdigit() or (is_common(word.plain) and not word.quoted):
                continue
            if word.stem in self._sharing:
                asked.setdefault(word.stem, (at, 1.0))
            elif at not in covered and word.stem not in self._schema:
                for near, likeness in self._alike(word):
                    asked.setdefault(near, (at, likeness))
            if word.quoted:
                quoted.add(word.stem)
        candidates: dict[int, float] = {}
        for known in asked:
            sharing = self._sharing[known]
            if (len(sharing) > _COMMON or known in self._schema) and known not in quoted:
                continue
            weight = self._weight(known)
            for number in sharing[:_COMMON]:
                candidates[number] = candidates.get(number, 0.0) + weight
        best = sorted(candidates, key=lambda number: -candidates[number])[:_MOST_PARTIAL]
        return [self._part(self._all[number], asked) for number in best]

    def _part(self, value: HeldValue, asked: Mapping[str, tuple[int, float]]) -> Hit:
        own = dict.fromkeys(value.stems)
        known = [word for word in own if word in asked]
        places = sorted(asked[word][0] for word in known)
        first, end = places[0], places[-1] + 1
        if end - first > len(value.stems) + 1:  # too far apart to be a name: the most telling word is what is meant
            first = asked[max(known, key=lambda word: (word not in self._schema, self._weight(word)))][0]
            end = first + 1
        elif len(known) == len(own) and (likeness := min(asked[word][1] for word in known)) > _BEGINS:
            return Hit(first, end, value, "fuzzy", likeness) if likeness < 1 else Hit(first, end, value, "stem", 0.9)
        share = sum(self._weight(word) * asked[word][1] for word in known) / sum(map(self._weight, own))
        return Hit(first, end, value, "partial", share)

    def _weight(self, word: str) -> float:
        """How telling a word is: rare ones are (inverse document frequency)."""
        return math.log(1 + len(self._all) / len(self._sharing[word]))

    def _alike(self, word: Word) -> list[tuple[str, float]]:
        """Words of values that a word of the question, which no value has, is spelt almost like, and those that begin
        with a name; each with how alike they are."""
        text = word.stem
        is_name = word.capital or word.quoted
        near = []
        if is_name and len(text) > 2:
            start = bisect_left(self._vocabulary, text)
            longer = self._vocabulary[start : start + _MOST_ALIKE]
            near = [(found, _BEGINS) for found in longer if found.startswith(text)]
        if len(text) > (3 if is_name else 4):
            from rapidfuzz import fuzz, process

            least = _ALIKE_NAME if is_name else _ALIKE
            more = 1 if len(text) < _LONG else 2
            for length in range(len(text) - more, len(text) + more + 1):
                shapes = self._by_shape.get((text[0], length), ())
                found = process.extract(text, shapes, scorer=fuzz.ratio, score_cutoff=least, limit=_MOST_ALIKE)
                near += [(other, likeness / 100) for other, likeness, _ in found]
        return sorted(near, key=lambda pair: -pair[1])[:_MOST_ALIKE]


def _columns(model: SemanticModel, values: SampledValues) -> Iterator[tuple[Table, Column, tuple[str, ...]]]:
    for table in model:
        for column in table.columns:
            texts = column.values or values.get(ColumnRef(table.name, column.name), ())
            if texts and not column.sensitive:
                yield table, column, texts


def _stems_of(*names: str | None) -> set[str]:
    return {stem(word) for name in names if name for word in words_of_name(name)}
