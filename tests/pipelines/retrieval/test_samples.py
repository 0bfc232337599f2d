"""Saved questions like this one, and when they are as good as the question itself."""

from __future__ import annotations

import pytest

from askwell.knowledge.keywords import Keyword
from askwell.knowledge.record import Record
from askwell.knowledge.saved import Instruction, SqlPair
from askwell.pipelines.retrieval.context import SampleSql
from askwell.pipelines.retrieval.prepared import columns_reader
from askwell.pipelines.retrieval.saved import Thresholds, alike_samples, choose_samples, thresholds_of
from askwell.question.same_wording import question_facts
from tests.pipelines.retrieval.test_retrieval import project, record, retrieval
from tests.support.models import semantic_model
from tests.support.records import save_instructions
from tests.support.tables import case_rows

MINILM = thresholds_of("all-MiniLM-L6-v2/int8-channels/384")
UNMEASURED = thresholds_of("text-embedding-3-small/1536")
SHOP = semantic_model(
    {"orders": ["id", "customer_id"], "customers": ["id", "name"], "suppliers": ["id"], "Räume": ["id"]}
)
TABLES_OF = columns_reader(SHOP, "duckdb")


def choose(
    question: str,
    saved: dict[str, tuple[str, float]],
    *,
    marks: Thresholds = MINILM,
    tables: tuple[str, ...] = (),
    sqls: dict[str, str] | None = None,
    most: int = 10,
    tokens: int = 1_000,
) -> tuple[SampleSql, ...]:
    """`saved` has the question and its similarity by id, in the order of saving."""
    sql = {id: (sqls or {}).get(id, f"SELECT {number}") for number, id in enumerate(saved)}
    alike = alike_samples(
        {id: similarity for id, (_, similarity) in saved.items()},
        {id: SqlPair(id, text, sql[id]) for id, (text, _) in saved.items()},
        least=0.7,
        most=most,
        tokens=tokens,
    )
    return choose_samples(
        question,
        alike,
        {sample.sql: TABLES_OF(sample.sql) for sample in alike},
        chosen_tables=tables,
        most=most,
        tokens=tokens,
        marks=marks,
        facts_of=question_facts,
    )


@pytest.mark.parametrize(
    ("question", "saved", "similarity", "mark"),
    case_rows(__file__, "a_mark_needs_likeness_and_equal_facts", "question", "saved", "similarity", "mark"),
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
    sqls = {"a": "SELECT id FROM suppliers", "b": "SELECT name FROM Orders AS o JOIN customers ON customer_id = o.id"}
    samples = choose("something", saved, tables=("orders", "customers"), sqls=sqls)
    assert [sample.id for sample in samples] == ["b", "a"]


def test_tables_are_read_from_the_statement_not_looked_for_in_its_words() -> None:
    saved = {"a": ("one", 0.80), "b": ("two", 0.79)}
    sqls = {"a": "SELECT 'orders customers' AS orders FROM suppliers", "b": 'SELECT id AS x FROM "Räume"'}
    assert choose("something", saved, tables=("Räume", "orders"), sqls=sqls)[0].id == "b"


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT id FROM gone",
        "SELECT gone FROM orders",
        "SELECT id FROM orders JOIN gone USING (id)",
        "SELECT FROM (",
        f"SELECT id FROM orders WHERE id IN ({'1, ' * 8_000}1)",  # would keep the parser busy
    ],
)
def test_sql_that_no_longer_works_over_the_model_is_no_example(sql: str) -> None:
    samples = choose("something", {"a": ("one", 0.9), "b": ("two", 0.8)}, sqls={"a": sql})
    assert [sample.id for sample in samples] == ["b"]


def test_a_question_or_a_statement_is_shown_once() -> None:
    saved = {"a": ("Late orders", 0.9), "b": ("late  orders?", 0.9), "c": ("orders too late", 0.8)}
    sqls = {"a": "SELECT 1", "b": "SELECT 2", "c": "SELECT  2;"}
    # Of the same question, what was saved last.
    assert [sample.id for sample in choose("x", saved, sqls=sqls)] == ["b"]


def test_long_statements_leave_room_for_others() -> None:
    long = f"SELECT id FROM orders WHERE id IN ({', '.join(map(str, range(100)))})"
    saved = {"a": ("one", 0.9), "b": ("two", 0.85), "c": ("three", 0.8)}
    sqls = {"a": f"{long} AND id = 1", "b": f"{long} AND id = 2", "c": "SELECT id FROM orders"}
    assert [sample.id for sample in choose("x", saved, sqls=sqls, tokens=200)] == ["a", "c"]
    assert [sample.id for sample in choose("x", saved, sqls=sqls, tokens=50)] == ["c"]


def test_what_is_no_longer_saved_is_left_out() -> None:
    assert alike_samples({"gone": 0.9}, {}, least=0.7, most=10, tokens=100) == []


# -- What people saved, as retrieval finds it: keyword rules, and instructions within their room.


__all__ = ["record"]
NAMES = ["orders", "payments", "refunds", "stores", "suppliers", "regions", "agents", "rma_2"]
BIG = semantic_model({name: [f"{name}_{n}" for n in range(40)] for name in NAMES}, content_hash="big")


async def test_the_tables_of_a_keyword_rule_are_among_the_chosen_ones(record: Record) -> None:
    await record.saved.save_keywords(
        "p", [Keyword("1", "complaints?", ("RMA_2", "gone")), Keyword("2", "x", ("agents",))]
    )
    door = retrieval(record, table_retrieval_size=2, context_token_budget=600)
    found = await door.run(project(model=BIG), "Complaint refunds of suppliers in regions")
    assert found.tables[0].name == "rma_2"
    assert "rma_2" in found.schema.tables
    assert found.scope.in_scope
    other = await door.run(project("q", model=BIG), "Complaint refunds of suppliers in regions")
    assert "rma_2" not in other.schema.tables


async def test_instructions_stay_within_their_room_and_default_ones_have_their_own(record: Record) -> None:
    question = "How many orders?"
    rules = [
        Instruction("always", "a" * 500, is_default=True),
        Instruction("long", "b" * 500, (question,)),
        Instruction("short", "Orders are paid ones.", (question,)),
        Instruction("by its own words", "how many orders"),
    ]
    await save_instructions(record, "p", rules)
    found = await retrieval(record, context_token_budget=400).run(project(), question)
    assert {one.id for one in found.instructions} == {"always", "short", "by its own words"}


async def test_default_instructions_stay_within_half_of_the_room(
    record: Record, caplog: pytest.LogCaptureFixture
) -> None:
    rules = [
        Instruction("first", "a" * 300, is_default=True),
        Instruction("too long", "b" * 2_000, is_default=True),
        Instruction("last", "c" * 200, is_default=True),
    ]
    for rule in rules:
        await save_instructions(record, "p", [rule])
    found = await retrieval(record, context_token_budget=400).run(project(), "How many orders?")
    assert [one.id for one in found.instructions] == ["first", "last"]
    warning = next(line for line in caplog.records if "default instructions are left out" in line.getMessage())
    assert "bbb" not in str(warning.__dict__)
    caplog.clear()
    await retrieval(record, context_token_budget=4_000).run(project(), "How many orders?")
    assert "default instructions" not in caplog.text
