"""The one function that ranks tables."""

from __future__ import annotations

import numpy as np
import pytest

from askwell.pipelines.retrieval.ranking import rank_tables
from askwell.providers.document_store.base import Document, Hits, Kind, grouped_by_owner

NAN = float("nan")


def hits(kind: Kind, *rows: tuple[str, float, float]) -> Hits:
    documents = [Document(kind, owner, owner) for owner, _, _ in rows]
    words = np.array([words for _, words, _ in rows], np.float32)
    cosines = np.array([cosine for _, _, cosine in rows], np.float32)
    return Hits(documents, *grouped_by_owner(documents), words, cosines)


def test_it_is_bm25_plus_three_times_both_cosines_each_scaled_to_the_question() -> None:
    tables = hits(Kind.TABLE, ("a", 4, 0.2), ("b", 2, 0.6), ("c", 0, 0.4))
    columns = hits(Kind.COLUMN, ("a", 0, 0.9), ("a", 0, 0.1), ("b", 0, 0.5), ("c", 0, 0.7))
    ranked = rank_tables(tables, columns, {})
    assert {table.name: pytest.approx(table.score) for table in ranked} == {"a": 4.0, "b": 3.5, "c": 3.0}
    assert [table.name for table in ranked] == ["a", "b", "c"]
    assert (ranked[0].words, ranked[0].vector) == (4, pytest.approx(0.9))


def test_a_candidate_that_a_signal_does_not_know_gets_that_signals_minimum() -> None:
    tables = hits(Kind.TABLE, ("a", NAN, 0.6), ("b", 1, NAN), ("c", 3, 0.2))
    ranked = {table.name: table.score for table in rank_tables(tables, hits(Kind.COLUMN, ("c", 0, 0.5)), {})}
    assert ranked == {"a": pytest.approx(3), "b": 0, "c": pytest.approx(1)}


def test_without_vectors_words_decide() -> None:
    tables = hits(Kind.TABLE, ("a", 1, NAN), ("b", 5, NAN), ("c", 0, NAN))
    assert [table.name for table in rank_tables(tables, hits(Kind.COLUMN, ("a", 1, NAN)), {})] == ["b", "a", "c"]


def test_a_signal_that_tells_nothing_changes_nothing_and_seeds_count() -> None:
    tables = hits(Kind.TABLE, ("a", 1, 0.3), ("b", 1, 0.3))
    ranked = rank_tables(tables, hits(Kind.COLUMN), {"b": 0.5})
    assert [(table.name, table.score) for table in ranked] == [("b", 0.5), ("a", 0.0)]


def test_a_table_that_only_its_columns_or_a_value_point_at_is_a_candidate_too() -> None:
    """A store gives the best tables and the best columns, which may be of others."""
    tables = hits(Kind.TABLE, ("a", 4, 0.1), ("b", 2, 0.2))
    columns = hits(Kind.COLUMN, ("c", 0, 0.9), ("a", 0, 0.1))
    ranked = rank_tables(tables, columns, {"d": 0.5})
    assert {table.name: pytest.approx(table.score) for table in ranked} == {"a": 1.0, "b": 3.0, "c": 3.0, "d": 0.5}


def test_nothing_to_rank_is_no_error() -> None:
    assert rank_tables(hits(Kind.TABLE), hits(Kind.COLUMN), {}) == ()
