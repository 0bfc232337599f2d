"""One function ranks tables, by signals that each say something else of a table and a question.

- `words`: BM25 of the table's documents; `table_vector` and `column_vector`: cosines of its best document and of its
  best column's.
- `coverage`: the share of the question's words that the table has, each weighing as much as it is rare among tables,
  also where names abbreviate them or run them together; `name_coverage` the same for the table's name alone.
- Tables that belong together: `joined_coverage` is the share that the table has together with those that it joins to,
  `joined_twice_coverage` with those at two joins, `schema_coverage` with its schema; `schema_vector` is the best of
  both cosines in its schema.

BM25 and cosines are scaled to 0..1 over the tables of the model, since their range is a different one for each
question; what no store has to find (`CANDIDATES`) is 0, so that all stores rank the same. Shares are taken as they
are: where the model has few of the question's words, they tell little, and count little. The weights are learned
(`python -m askwell_evaluation.fit_ranking`).
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import process
from rapidfuzz.distance import OSA

from askwell.config import RankingConfig
from askwell.mdl.names import is_left_of, words
from askwell.mdl.semantic_model import SemanticModel
from askwell.pipelines.indexing.documents import ModelTexts, own_name
from askwell.pipelines.retrieval.context import ScoredTable
from askwell.providers.document_store.base import CANDIDATES, Hits, Kind, Scores
from askwell.providers.document_store.words import terms
from askwell.question.lexicon import akin


@cache
def akin_terms() -> Mapping[str, frozenset[str]]:
    """By a term of `terms`, the terms that may stand for it. Read once, when it is first asked for."""
    found: dict[str, set[str]] = {}
    for group in akin().alike:
        of_group = {term for word in group for term in terms(word)}
        for term in of_group:
            found.setdefault(term, set()).update(of_group - {term})
    for word, others in akin().said_for.items():
        for term in terms(word):
            found.setdefault(term, set()).update(other for one in others for other in terms(one) if other != term)
    return {term: frozenset(others) for term, others in found.items()}


# How much a table has of a word that its names have in another form.
_SHORTENED = 0.5  # cust for customers
_WITHOUT_VOWELS = 0.8  # cstmr for customer
_CONTAINED = 0.7  # customers in newcustomerid
_LETTERS_LEFT = 0.5  # shpmt for shipment
_MISSPELT = 0.7  # custmer for customer
_AKIN = 0.4  # client for customer
# Shorter words are in too many names by chance.
_SHORTEST_WORD = 4
_SHORTEST_PREFIX = 3
_SHORTEST_RUN = 6
# Longer ones are no words, and each beginning of a word is looked up.
_LONGEST_WORD = 60
# Words of a question that are looked at: what they are about is said by then.
_MOST_READ = 200
# Names that contain a word; one that is in more of them tells nothing.
_MOST_NAMES = 50
# Words of a question that may be misspelt: each is compared with thousands.
_MOST_MISSPELT = 10
# A word so long may have two letters wrong.
_LONG = 8

_VOWELS_IN = re.compile("[aeiou]")
_VOWELS = str.maketrans("", "", "aeiou")
_Rows = NDArray[np.intp]


class TableWords:
    """The words in the texts of a model's tables, and those in their names. Read-only once built, which takes some
    tenths of a second for a thousand tables of twenty columns; a look-up takes well under a millisecond."""

    def __init__(self, model: SemanticModel) -> None:
        texts = ModelTexts(model)
        holders: dict[str, set[int]] = {}
        called: dict[str, set[int]] = {}
        by_word: dict[str, set[int]] = {}
        single: set[str] = set()
        for row, table in enumerate(model):
            own = own_name(table)
            for text in (texts.table(table, ()), *(texts.column(table, column) for column in table.columns)):
                for term in terms(text):
                    holders.setdefault(term, set()).add(row)
            for term in terms(texts.called(table)):
                called.setdefault(term, set()).add(row)
            for name in (own, *(column.name for column in table.columns)):
                parts = [part for part in words(name) if part.isalpha()]
                single.update(parts)
                for word in parts:
                    by_word.setdefault(word, set()).add(row)
        self.tables = tuple(model.tables)
        self._holders = _as_rows(holders)
        self._called = _as_rows(called)
        self._by_word = _as_rows(by_word)
        self._clipped: dict[str, list[str]] = {}
        for word in sorted(single):
            if len(word) >= _SHORTEST_PREFIX and not _VOWELS_IN.search(word, 1):
                self._clipped.setdefault(word[0], []).append(word)
        spelled: dict[str, list[str]] = {}
        for word in sorted(single):
            if len(word) > _SHORTEST_WORD:
                spelled.setdefault(word[0], []).append(word)
        self._misspelt = lru_cache(10_000)(partial(_nearest_names, spelled))
        self._endings = sorted(
            (word[start:], word)
            for word in single
            if len(word) >= _SHORTEST_RUN
            for start in range(len(word) - _SHORTEST_WORD + 1)
        )

    def found(self, question: str) -> Scores:
        """A row for each telling word of the question, a column for each table: how much the table has of the word,
        from 0 to 1."""
        asked = [(word, found[0]) for word in words(question)[:_MOST_READ] if (found := terms(word))]
        marks = np.zeros((len({term for _, term in asked}), len(self.tables)), np.float32)
        places: dict[str, int] = {}
        for word, term in asked:
            row = marks[places.setdefault(term, len(places))]
            if (known := self._holders.get(term)) is not None:
                row[known] = 1
            for name, share in self._names_like(word):
                tables = self._by_word[name]
                row[tables] = np.maximum(row[tables], share)
        # People write `key phrase` where a name has `keyphrase`.
        for (one, first), (other, second) in pairwise(asked):
            for joined in {one + other, one + other.removesuffix("s")} & self._by_word.keys():
                for term in (first, second):
                    marks[places[term], self._by_word[joined]] = 1
        unknown = 0
        for word, term in asked:
            row = marks[places[term]]
            for other in akin_terms().get(term, ()):
                if (known := self._holders.get(other)) is not None:
                    row[known] = np.maximum(row[known], np.float32(_AKIN))
            if unknown < _MOST_MISSPELT and not row.any():
                unknown += 1
                for name in self._misspelt(word):
                    row[self._by_word[name]] = _MISSPELT
        return marks

    def called(self, question: str) -> Scores:
        """The same for the names of tables alone, as they are written."""
        asked = list(dict.fromkeys(terms(question)))[:_MOST_READ]
        marks = np.zeros((len(asked), len(self.tables)), np.float32)
        for row, term in enumerate(asked):
            if (known := self._called.get(term)) is not None:
                marks[row, known] = 1
            for other in akin_terms().get(term, ()):
                if (known := self._called.get(other)) is not None:
                    marks[row, known] = np.maximum(marks[row, known], np.float32(_AKIN))
        return marks

    def _names_like(self, word: str) -> Iterator[tuple[str, float]]:
        """Words of names that may be a form of a word, and how much each says."""
        if not _SHORTEST_WORD <= len(word) <= _LONGEST_WORD or not word.isalpha():
            return
        single = word[:-1] if word.endswith("s") and len(word) > _SHORTEST_WORD else word
        for end in range(_SHORTEST_PREFIX, len(single)):
            if word[:end] in self._by_word:
                yield word[:end], _SHORTENED
        for form in {word, single}:
            bare = form[0] + form[1:].translate(_VOWELS)
            if bare != form and len(bare) > 1 and bare in self._by_word:
                yield bare, _WITHOUT_VOWELS
            for end in range(_SHORTEST_PREFIX + 1, len(bare)):
                if bare[:end] in self._by_word:
                    yield bare[:end], _SHORTENED
        if len(single) > _SHORTEST_WORD:
            yield from ((name, _LETTERS_LEFT) for name in self._clipped.get(single[0], ()) if is_left_of(name, single))
        yield from ((name, _CONTAINED) for name in self._names_with(single))

    def _names_with(self, word: str) -> list[str]:
        start = bisect_left(self._endings, (word, ""))
        found = []
        for ending, name in self._endings[start : start + _MOST_NAMES]:
            if not ending.startswith(word):
                break
            if len(name) >= len(word) + 2:
                found.append(name)
        return found


def _nearest_names(spelled: Mapping[str, list[str]], word: str) -> tuple[str, ...]:
    """The names' words that a word which is none of them was meant to be: one letter wrong, two in a long one."""
    if len(word) <= _SHORTEST_WORD or not word.isalpha():
        return ()
    wrong = 1 if len(word) < _LONG else 2
    found = process.extract(word, spelled.get(word[0], []), scorer=OSA.distance, score_cutoff=wrong, limit=_MOST_NAMES)
    return tuple(name for name, _, _ in found)


def _as_rows(sets: dict[str, set[int]]) -> dict[str, _Rows]:
    return {key: np.array(sorted(rows), np.intp) for key, rows in sets.items()}


# Tables further down are of no use to anybody, and making thousands of objects takes longer than ranking them.
_MOST_RANKED = 200
# How fast a rank loses its worth: Cormack, Clarke and Buettcher, "Reciprocal Rank Fusion" (2009), by
# whom the first rank is 1 and the constant 60.
_RRF_K = 61
# What a table gets that is the first everywhere: about as much as by weights, so that seeds count as much.
_BEST_FUSED = 20.0


@dataclass(frozen=True, slots=True)
class TableSignals:
    """What is known of each table (`names`) for one question. `signals` are the scaled ones by the names of their
    weights; `words` is BM25 as it is and `vector` the nearest cosine, 0 where there is none."""

    names: tuple[str, ...]
    signals: Mapping[str, Scores]
    words: Scores
    vector: Scores


def signals_of_tables(
    question: str, tables: Hits, columns: Hits, table_words: TableWords, neighbourhoods: Neighbourhoods
) -> TableSignals:
    """The signals of all tables of a model. Those that a store has not found have the lowest score there is."""
    names = table_words.tables
    words = _of_tables(names, tables, tables.words)
    by_table = _of_tables(names, tables, tables.cosines)
    by_column = _of_tables(names, columns, columns.cosines)
    of_tables, of_columns = CANDIDATES[Kind.TABLE], CANDIDATES[Kind.COLUMN]
    found = table_words.found(question)
    rarity = _rarity(found)
    joined = neighbourhoods.best_joined(found)
    signals: dict[str, Scores] = {
        "words": _scaled(np.nan_to_num(words), _floor(np.nan_to_num(tables.words), of_tables)),
        "table_vector": _scaled(by_table, _floor(tables.cosines, of_tables)),
        "column_vector": _scaled(by_column, _floor(columns.cosines, of_columns)),
        "coverage": _covered(rarity, found),
        "name_coverage": _share(table_words.called(question)),
        "joined_coverage": _covered(rarity, joined),
        "joined_twice_coverage": _covered(rarity, neighbourhoods.best_joined(joined)),
        "schema_coverage": _covered(rarity, neighbourhoods.best_of_schema(found)),
    }
    nearness = (signals["table_vector"] + signals["column_vector"]) / np.float32(2)
    signals["schema_vector"] = neighbourhoods.best_of_schema(nearness)
    return TableSignals(names, signals, np.nan_to_num(words), np.nan_to_num(np.fmax(by_table, by_column)))


def _covered(rarity: Scores, found: Scores) -> Scores:
    # A product of matrices (`@`) of some hundred columns may raise floating-point flags that no number of it explains.
    covered: Scores = np.einsum("w,wt->t", rarity, found)
    return covered


def rank_tables(found: TableSignals, seeds: Mapping[str, float], ranking: RankingConfig) -> tuple[ScoredTable, ...]:
    """The best tables, best first. A seed is added to the score of its table, whatever else speaks for it."""
    scores = _fused(found.signals) if ranking.method == "rank_fusion" else _weighted(found.signals, ranking)
    if seeds:
        scores = scores + np.array([seeds.get(name, 0.0) for name in found.names], np.float32)
    return tuple(
        ScoredTable(found.names[place], float(scores[place]), float(found.words[place]), float(found.vector[place]))
        for place in np.argsort(-scores, kind="stable")[:_MOST_RANKED].tolist()
    )


def _weighted(signals: Mapping[str, Scores], ranking: RankingConfig) -> Scores:
    weights = np.array([getattr(ranking, name) for name in signals], np.float32)
    scores: Scores = weights @ np.stack([*signals.values()])
    return scores


def _fused(signals: Mapping[str, Scores]) -> Scores:
    """Reciprocal rank fusion. Equal scores have equal ranks; a signal that tells nothing changes nothing."""
    ranks = np.stack([_ranks(signal) for signal in signals.values()])
    scores: Scores = (_RRF_K / (_RRF_K + ranks)).mean(axis=0) * np.float32(_BEST_FUSED)
    return scores


def _ranks(scores: Scores) -> Scores:
    """For each score how many are better."""
    ranks: Scores = np.searchsorted(np.sort(-scores), -scores).astype(np.float32)
    return ranks


def _of_tables(names: tuple[str, ...], hits: Hits, scores: Scores) -> Scores:
    """The best of `scores` for each table; NaN where there is none."""
    best = hits.best(scores)
    if hits.owners == names:
        return best
    known = dict(zip(hits.owners, best.tolist(), strict=True))
    return np.array([known.get(name, np.nan) for name in names], np.float32)


def _rarity(found: Scores) -> Scores:
    """What each word weighs, all together 1: the inverse document frequency of BM25, with tables as documents."""
    tables, held = found.shape[1], found.sum(axis=1)
    weights: Scores = np.log(1 + (tables - held + 0.5) / (held + 0.5)).astype(np.float32)
    return weights / (weights.sum() or 1)


def _share(found: Scores) -> Scores:
    share: Scores = _rarity(found) @ found
    return share


def _floor(scores: Scores, candidates: int) -> float:
    """The least score that every store finds: that of the last of so many best documents; less than all of fewer."""
    known = scores[~np.isnan(scores)]
    return float(-np.partition(-known, candidates - 1)[candidates - 1]) if len(known) >= candidates else -np.inf


def _scaled(scores: Scores, floor: float) -> Scores:
    """To 0..1 over the tables. Those below the floor, and one that the signal does not know, get the minimum; a flat
    signal gives only 0."""
    known = np.maximum(scores[~np.isnan(scores)], np.float32(floor))
    if not known.size or (span := float(known.max() - known.min())) <= 0:
        return np.zeros(len(scores), np.float32)
    scaled: Scores = np.nan_to_num((np.maximum(scores, np.float32(floor)) - known.min()) / span)
    return scaled


class Neighbourhoods:
    """Works on scores with a column for each table of the model, in its order; any number of rows. Tables of which no
    schema is known are together too: where that is all of them, schemas tell nothing."""

    def __init__(self, model: SemanticModel) -> None:
        places = {name: place for place, name in enumerate(model.tables)}
        near: list[set[int]] = [{place} for place in places.values()]
        links = [(link.left, link.right) for link in model.relationships]
        links += [(table.name, table.base) for table in model if table.base is not None]
        for one, other in links:
            if one in places and other in places:
                near[places[one]].add(places[other])
                near[places[other]].add(places[one])
        self._near = np.array([place for group in near for place in sorted(group)], np.intp)
        self._near_starts = np.cumsum([0, *map(len, near)][:-1], dtype=np.intp)
        schemas: dict[str, int] = {}
        of_table = [schemas.setdefault(table.schema or "", len(schemas)) for table in model]
        self._schema_of = np.array(of_table, np.intp)
        self._by_schema = np.argsort(self._schema_of, kind="stable")
        self._schema_starts = np.searchsorted(self._schema_of[self._by_schema], np.arange(len(schemas)))

    def best_joined(self, scores: Scores) -> Scores:
        """For each table the best of its own score and those of the tables that it joins to."""
        if not scores.shape[-1]:
            return scores
        best: Scores = np.maximum.reduceat(scores[..., self._near], self._near_starts, axis=-1)
        return best

    def best_of_schema(self, scores: Scores) -> Scores:
        """For each table the best score in its schema."""
        if not scores.shape[-1]:
            return scores
        best: Scores = np.maximum.reduceat(scores[..., self._by_schema], self._schema_starts, axis=-1)
        return best[..., self._schema_of]
