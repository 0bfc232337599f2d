"""Recommended questions: answered, new, of the categories asked for, and silent about what is hidden."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path

import pytest

from askwell.errors import ModelUnavailable
from askwell.knowledge.questions import normalise_question
from askwell.semantic_parsing.translation import RulesMode
from askwell.services.projects import ProjectModel
from askwell.services.recommendations.questions import (
    QuestionLimits,
    RecommendedQuestion,
    RulesAnswers,
    Written,
    recommend_by_model,
    recommend_by_templates,
    suggest_by_model,
    suggest_by_templates,
)
from askwell.sql.checker import Executed
from askwell.sql.context import QueryContext
from tests.services.recommendations.conftest import NOW, manifest, open_project, table
from tests.support import tiny_shop

Make = Callable[[str], Path]
CONTEXT = QueryContext(now=NOW)


@pytest.fixture
async def shop(tmp_path: Path) -> AsyncIterator[ProjectModel]:
    async with open_project(tiny_shop.make_database(tmp_path / "shop.db"), tiny_shop.manifest()) as project:
        yield project


def answers(project: ProjectModel, *, wants_rows: bool = False) -> RulesAnswers:
    return RulesAnswers(project, CONTEXT, 10.0, wants_rows=wants_rows)


async def by_templates(
    project: ProjectModel, limits: QuestionLimits, *, wants_rows: bool = False
) -> list[tuple[RecommendedQuestion, ...]]:
    assert project.rules is not None
    answer = answers(project, wants_rows=wants_rows).candidate
    return [grown async for grown in recommend_by_templates(project.rules.facts, project.values, limits, answer)]


class TestTemplates:
    async def test_every_question_has_sql_that_runs_and_they_grow_one_by_one(self, shop: ProjectModel) -> None:
        grown = await by_templates(shop, QuestionLimits(max_questions=50, max_categories=4), wants_rows=True)
        assert "secret" not in str(grown).lower()  # hidden
        assert "hush" not in str(grown)
        assert [len(questions) for questions in grown] == list(range(1, len(grown) + 1))
        assert len(grown) >= 10
        for one in grown[-1]:
            executed = await shop.checker.execute(one.sql, context=CONTEXT, row_limit=5, timeout=10)
            assert isinstance(executed, Executed), one.question
            assert executed.rows.rows, one.question

    async def test_categories_and_how_many_are_those_asked_for(self, shop: ProjectModel) -> None:
        (*_, last) = await by_templates(shop, QuestionLimits(max_questions=2, max_categories=2))
        counts = Counter(one.category for one in last)
        assert len(counts) == 2
        assert max(counts.values()) <= 2
        (*_, last) = await by_templates(shop, QuestionLimits(categories=["Segmentation"]))
        assert {one.category for one in last} == {"Segmentation"}

    async def test_earlier_questions_do_not_come_again_in_any_spelling(self, shop: ProjectModel) -> None:
        (*_, first) = await by_templates(shop, QuestionLimits())
        previous = [f"  {one.question.upper()} " for one in first]
        grown = await by_templates(shop, QuestionLimits(previous_questions=previous))
        again = {normalise_question(one.question) for one in grown[-1]} if grown else set()
        assert not again & {normalise_question(one.question) for one in first}

    async def test_sensitive_columns_are_neither_asked_about_nor_shown_with_whole_rows(self, database: Make) -> None:
        script = (
            "CREATE TABLE visit (id INTEGER, visited_on DATE, diagnosis TEXT, weight REAL, ward TEXT);"
            "INSERT INTO visit VALUES (1, '2026-01-01', 'flu', 80, 'a'), (2, '2026-01-02', 'cold', NULL, 'b');"
        )
        columns = {"id": "INTEGER", "visited_on": "DATE", "diagnosis": "VARCHAR", "weight": "DOUBLE", "ward": "VARCHAR"}
        private = {"properties": {"sensitive": True}}
        mdl = manifest(table("visit", columns, diagnosis=private, weight=private))
        async with open_project(database(script), mdl) as project:
            (*_, last) = await by_templates(project, QuestionLimits(max_questions=50, max_categories=4))
        assert last
        assert not any(word in str(last).lower() for word in ("diagnosis", "weight", "*,", "select *"))

    async def test_zeros_are_no_answer_where_rows_are_wanted(self, database: Make) -> None:
        script = "CREATE TABLE parcel (id INTEGER, weight REAL, sent DATE, carrier TEXT)"
        mdl = manifest(table("parcel", {"id": "INTEGER", "weight": "DOUBLE", "sent": "DATE", "carrier": "VARCHAR"}))
        async with open_project(database(script), mdl) as project:
            assert await by_templates(project, QuestionLimits(), wants_rows=True) == []
            assert await by_templates(project, QuestionLimits(), wants_rows=False) != []


class TestModel:
    async def test_only_questions_with_sql_are_given_and_each_category_is_kept_small(self) -> None:
        written = [(f"Question {n}?", "Descriptive" if n % 2 else "Comparative") for n in range(20)]

        async def write(categories: Sequence[str], count: int, previous: Sequence[str]) -> Sequence[Written]:
            assert (tuple(categories), count, list(previous)) == (("Descriptive", "Comparative"), 3, ["Old?"])
            return [("old", "Descriptive"), *written, ("Elsewhere?", "Gossip")]

        async def answer(question: str) -> str | None:
            await asyncio.sleep(0)
            return None if question in ("Question 1?", "Question 2?") else f"SELECT '{question}'"

        limits = QuestionLimits(max_questions=3, categories=["Descriptive", "Comparative"], previous_questions=["Old?"])
        grown = [questions async for questions in recommend_by_model(limits, write, answer)]
        assert sorted(one.question for one in grown[-1]) == [f"Question {n}?" for n in (0, 3, 4, 5, 6, 7)]
        assert [len(questions) for questions in grown] == sorted(len(questions) for questions in grown)
        assert all(one.sql == f"SELECT '{one.question}'" for one in grown[-1])

    @pytest.mark.parametrize(("regenerate", "rounds"), [(False, 1), (True, 2)])
    async def test_one_more_round_where_that_is_asked_for(self, regenerate: bool, rounds: int) -> None:
        asked: list[list[str]] = []

        async def write(categories: Sequence[str], count: int, previous: Sequence[str]) -> Sequence[Written]:
            asked.append(list(previous))
            return [(f"{len(asked)} {n}?", "Descriptive") for n in range(2)]

        async def answer(question: str) -> str | None:
            return "SELECT 1" if question.endswith("0?") else None

        limits = QuestionLimits(max_questions=2, max_categories=1, categories=["Descriptive"], regenerate=regenerate)
        grown = [questions async for questions in recommend_by_model(limits, write, answer)]
        assert len(asked) == rounds
        assert [one.question for one in grown[-1]] == [f"{n} 0?" for n in range(1, rounds + 1)]
        assert asked[1:] == [["1 0?", "1 1?"]][: rounds - 1]

    async def test_no_more_than_four_are_answered_at_once_and_a_fault_ends_them_all(self) -> None:
        running = 0

        async def write(categories: Sequence[str], count: int, previous: Sequence[str]) -> Sequence[Written]:
            return [(f"{n}?", "Descriptive") for n in range(9)]

        async def answer(question: str) -> str | None:
            nonlocal running
            running += 1
            assert running <= 4
            await asyncio.sleep(0.01)
            running -= 1
            if question == "6?":
                raise ModelUnavailable("gone")
            return "SELECT 1"

        growing = recommend_by_model(QuestionLimits(max_questions=9, max_categories=1), write, answer)
        assert len(await anext(growing)) == 4
        with pytest.raises(ModelUnavailable):
            await anext(growing)
        ended = running
        await asyncio.sleep(0.02)
        assert running == ended

    async def test_rules_answer_what_somebody_wrote_where_they_are_sure(self, shop: ProjectModel) -> None:
        found = answers(shop)
        assert await found.question("How many customers are there?") is not None
        assert await found.question("How happy are they?") is None
        assert await found.question("Which customers have ordered?") is None
        sure = RulesAnswers(shop, CONTEXT, 10.0, RulesMode.BALANCED)
        assert await sure.question("Which customers have ordered?") is not None


class TestSuggestions:
    async def test_three_new_ones_near_the_answer(self, shop: ProjectModel) -> None:
        assert shop.rules is not None
        asked = ("How many orders are there?",)
        found = await suggest_by_templates(shop.rules.facts, shop.values, asked, ("orders",), answers(shop).candidate)
        assert len({normalise_question(question) for question in (*asked, *found)}) == 4
        for question in found:
            sql = await RulesAnswers(shop, CONTEXT, 10.0, RulesMode.BALANCED).question(question)
            assert sql is not None, question
            assert "orders" in sql, question
        more = await suggest_by_templates(
            shop.rules.facts, shop.values, (*asked, *found), ("orders",), answers(shop).candidate
        )
        assert len(more) in (0, 3)
        assert not set(more) & set(found)

    async def test_none_where_there_are_fewer_than_three(self, shop: ProjectModel) -> None:
        assert shop.rules is not None

        async def never(_: object) -> str | None:
            return None

        assert await suggest_by_templates(shop.rules.facts, shop.values, (), ("orders",), never) == ()
        assert await suggest_by_templates(shop.rules.facts, shop.values, (), ("nowhere",), never) == ()

    @pytest.mark.parametrize(
        ("written", "found"),
        [
            (["A?", "B?", "C?", "D?"], ("A?", "B?", "C?")),
            (["A?", "a", "B?", "Asked?", "C?"], ("A?", "B?", "C?")),
            (["A?", "B?", "asked"], ()),
            (["A?", "B?", "?!"], ()),
            ([], ()),
        ],
    )
    async def test_a_language_models_are_three_new_ones_or_none(
        self, written: list[str], found: tuple[str, ...]
    ) -> None:
        async def write() -> Sequence[str]:
            return written

        assert await suggest_by_model(("Asked?",), write) == found
