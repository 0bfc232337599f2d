"""Recommendations with a language model behind them, from the request to its server to what is recommended."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

from askwell.config import LlmConfig
from askwell.pipelines.generation.build import GenerationPipelines
from askwell.pipelines.generation.question import QuestionContext
from askwell.providers.llm import create_language_model
from askwell.providers.llm.base import Usage
from askwell.services.projects import ProjectModel
from askwell.services.recommendations.candidates import tables_by_interest
from askwell.services.recommendations.descriptions import describe_models
from askwell.services.recommendations.questions import (
    QuestionLimits,
    RulesAnswers,
    recommend_by_model,
    suggest_by_model,
)
from askwell.services.recommendations.relationships import recommend_relationships
from askwell.services.recommendations.writing import RecommendationWriter
from askwell.services.value_probe import ValueProbe
from askwell.sql.context import QueryContext
from tests.fakes.openai_server import Answer, ChatServer
from tests.services.recommendations.conftest import NOW, open_project
from tests.support import tiny_shop


@asynccontextmanager
async def writing(
    folder: Path, stages: Mapping[str, Sequence[Answer]], costs: list[Usage]
) -> AsyncIterator[tuple[ProjectModel, RecommendationWriter, ChatServer]]:
    path = tiny_shop.make_database(folder / "shop.db")
    async with open_project(path, tiny_shop.manifest()) as project, ChatServer(stages) as server:
        llm = create_language_model(LlmConfig(model="test", api_base=server.api_base))
        assert llm is not None
        assert project.rules is not None
        tables = tables_by_interest(project.rules.facts)
        pipelines = GenerationPipelines(lambda _: llm)
        try:
            yield project, RecommendationWriter(pipelines, project.model, tables, "German", costs.append), server
        finally:
            await llm.close()


async def test_questions_of_a_language_model_stand_where_rules_answer_them(tmp_path: Path) -> None:
    written = [
        {"question": "How many customers are there?", "category": "descriptive"},
        {"question": "How happy are they?", "category": "Descriptive"},
        {"question": "How many orders are there?", "category": "Comparative"},
    ]
    costs: list[Usage] = []
    stages = {"question_recommendation": [Answer(json={"questions": written})]}
    async with writing(tmp_path, stages, costs) as (project, writer, server):
        answers = RulesAnswers(project, QueryContext(now=NOW), 10.0, wants_rows=True)
        growing = recommend_by_model(
            QuestionLimits(previous_questions=["Wie viele?"]), writer.questions, answers.question
        )
        found = [questions async for questions in growing][-1]
        asked = str(server.requests[0].body)
    assert [(one.question, one.category) for one in found] == [
        ("How many customers are there?", "Descriptive"),
        ("How many orders are there?", "Comparative"),
    ]
    assert "Wie viele?" in asked
    assert "German" in asked
    assert "secret" not in asked
    assert sum(cost.llm_calls for cost in costs) == 1


async def test_suggestions_and_relationships_of_a_language_model(tmp_path: Path) -> None:
    link = {"from_table": "orders", "from_column": "id", "to_table": "customers", "to_column": "id", "reason": "r"}
    stages = {
        "question_suggestion": [Answer(json={"questions": ["A?", "B?", "C?"]})],
        "relationship_recommendation": [Answer(json={"relationships": [link, {**link, "to_column": "secret"}]})],
    }
    costs: list[Usage] = []
    async with writing(tmp_path, stages, costs) as (project, writer, server):
        question = QuestionContext("How many orders are there?", NOW)
        suggested = await suggest_by_model(
            (question.question,), partial(writer.suggestions, question, "SELECT COUNT(*) FROM orders")
        )
        probe = ValueProbe(project.model, project.checker)
        recommended = await recommend_relationships(project.model, probe, writer.relationships)
        assert "secret" not in str([request.body for request in server.requests])
    assert suggested == ("A?", "B?", "C?")
    assert recommended == ()  # there is an order 4 and no customer 4
    assert sum(cost.llm_calls for cost in costs) == 2


async def test_descriptions_of_a_language_model_see_no_hidden_column(tmp_path: Path) -> None:
    reply = {
        "description": "Leute, die kaufen.",
        "columns": [{"name": "NAME", "description": "Ihr Name."}, {"name": "secret", "description": "?"}],
    }
    costs: list[Usage] = []
    async with writing(tmp_path, {"semantics_description": [Answer(json=reply)]}, costs) as (project, writer, server):
        write = partial(writer.descriptions, about="Ein kleiner Laden.")
        (only,) = [one async for one in describe_models(project.model, ["customers"], project.values, write)]
        asked = str(server.requests[0].body)
    described = {one.name: one.description for one in only.models[0].columns}
    assert only.models[0].description == "Leute, die kaufen."
    assert described["name"] == "Ihr Name."
    assert "secret" not in described
    assert "Ein kleiner Laden." in asked
    assert "country: France | Germany" in asked
    assert "secret" not in asked
    assert "hush" not in asked
