"""Saved questions like this one, and when they are as good as the question itself."""

from __future__ import annotations

import pytest

from askwell.pipelines.retrieval.context import SampleSql
from askwell.pipelines.retrieval.question_facts import question_facts
from askwell.pipelines.retrieval.samples import SavedQuestion, choose_samples
from askwell.pipelines.retrieval.thresholds import Thresholds, thresholds_of

MINILM = thresholds_of("all-MiniLM-L6-v2/int8-channels/384")
UNMEASURED = thresholds_of("text-embedding-3-small/1536")


def choose(
    question: str,
    saved: dict[str, tuple[str, float]],
    *,
    marks: Thresholds = MINILM,
    tables: tuple[str, ...] = (),
    sqls: dict[str, str] | None = None,
    most: int = 10,
) -> tuple[SampleSql, ...]:
    return choose_samples(
        question,
        {id: similarity for id, (_, similarity) in saved.items()},
        {id: SavedQuestion(id, text, (sqls or {}).get(id, "SELECT 1")) for id, (text, _) in saved.items()},
        chosen_tables=tables,
        least=0.7,
        most=most,
        marks=marks,
        facts_of=question_facts,
    )


@pytest.mark.parametrize(
    ("question", "saved", "similarity", "mark"),
    [
        ("Orders shipped late", "orders shipped late?", 1.0, "the same"),
        ("Orders that shipped late", "Orders shipped late", 0.96, "the same"),
        ("Late orders", "Orders shipped late", 0.85, "nearly the same"),
        ("Orders shipped late", "Orders not shipped late", 0.96, None),
        ("Top 5 products by sales", "Top 10 products by sales", 0.97, None),
        ("Late orders", "Delivery problems", 0.75, None),
    ],
)
def test_a_mark_needs_likeness_and_equal_facts(question: str, saved: str, similarity: float, mark: str | None) -> None:
    (sample,) = choose(question, {"1": (saved, similarity)})
    assert sample.nearness == mark


def test_an_embedder_that_nobody_measured_marks_only_equal_texts() -> None:
    samples = choose("Late orders?", {"1": ("late orders", 0.99), "2": ("orders placed late", 0.99)}, marks=UNMEASURED)
    assert {sample.id: sample.nearness for sample in samples} == {"1": "the same", "2": None}


def test_best_first_at_most_so_many_and_nothing_too_unlike() -> None:
    saved = {str(n): (f"question {n}", 0.6 + n / 50) for n in range(15)}
    samples = choose("something", saved, most=3)
    assert [sample.id for sample in samples] == ["14", "13", "12"]
    assert all(sample.similarity >= 0.7 for sample in choose("something", saved))


def test_among_equals_the_one_over_the_chosen_tables_comes_first() -> None:
    saved = {"a": ("one", 0.80), "b": ("two", 0.79)}
    sqls = {"a": "SELECT * FROM suppliers", "b": "SELECT * FROM Orders JOIN customers USING (id)"}
    samples = choose("something", saved, tables=("orders", "customers"), sqls=sqls)
    assert [sample.id for sample in samples] == ["b", "a"]


def test_what_is_no_longer_saved_is_left_out() -> None:
    chosen = choose_samples(
        "q", {"gone": 0.9}, {}, chosen_tables=(), least=0.7, most=10, marks=MINILM, facts_of=question_facts
    )
    assert chosen == ()
