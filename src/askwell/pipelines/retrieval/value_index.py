"""Cell values by their words, so that a question that names a value leads to its column."""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence

from askwell.mdl.names import words as words_of_name
from askwell.mdl.semantic_model import Column, ColumnRef, SampledValues, SemanticModel, Table
from askwell.pipelines.retrieval.context import ValueKind, ValueMatch
from askwell.pipelines.retrieval.value_evidence import Evidence, HeldValue, Hit, Place, Span, likeliest
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
