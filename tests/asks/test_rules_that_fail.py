"""What rules do not answer: who is told what."""

from __future__ import annotations

import io
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from askwell.asks.ask import Ask, AskTools
from askwell.asks.request import AskRequest
from askwell.asks.run import AskRun
from askwell.asks.stages import Ledger
from askwell.asks.states import AskState, EndState, Failed, Finished, SqlAnswer, WordsAnswer
from askwell.config import LlmConfig, load_config
from askwell.jobs.kind import Job
from askwell.jobs.text_stream import TextStream
from askwell.knowledge.lessons import Lesson
from askwell.knowledge.saved import SavedKnowledge
from askwell.mdl.semantic_model import SemanticModel
from askwell.mdl.validation import read_manifest
from askwell.mdl.view import authorised_view
from askwell.observability.logging import configure_logging
from askwell.observability.metrics import Metrics
from askwell.pipelines.generation.build import GenerationPipelines
from askwell.providers.engine.factory import create_engine
from askwell.providers.llm import create_language_model
from askwell.semantic_parsing.model.finding_facts import facts_of
from askwell.semantic_parsing.taught import NOTHING, Taught
from askwell.semantic_parsing.translation import Abstention, RulesMode, Translation, Turn
from askwell.services.pair_parameters import FormTemplates
from askwell.services.projects import ProjectModel, ProjectModels
from askwell.sql.bindings import FREE, Bindings
from askwell.sql.checker import SqlChecker
from askwell.sql.planner import Planner
from askwell.sql.private_values import PrivateValues
from askwell_evaluation.offline_retrieval import opened_parts
from tests.fakes.openai_server import Answer, ChatServer
from tests.support import tiny_shop
from tests.support.service import write_config


class BrokenRules:
    """Implements what an ask needs of the rules, with a defect."""

    def __init__(self, model: SemanticModel) -> None:
        self.facts = facts_of(model, {})

    def translate(
        self, question: str, *, bound: Bindings = FREE, before: Sequence[Turn] = (), taught: Taught = NOTHING
    ) -> Translation | Abstention:
        raise AssertionError(f"nobody thought of {question}")

    def asking_back(
        self,
        question: str,
        given: Abstention,
        *,
        bound: Bindings = FREE,
        before: Sequence[Turn] = (),
        taught: Taught = NOTHING,
    ) -> Abstention:
        raise AssertionError(f"nobody thought of {question}")


class NothingSaved:
    """The part of the knowledge that an ask looks at first."""

    async def find_accepted(self, project: object, question: str, person: object) -> None:
        return None

    async def lessons_for(self, project: object) -> dict[str, Lesson]:
        return {}

    async def forms(self, project_id: str) -> FormTemplates:
        return FormTemplates.of(SavedKnowledge(project_id))


async def _not_kept(request: AskRequest) -> None:
    """There is no record here."""


@dataclass(frozen=True)
class Service:
    """Asks about the tiny shop, with rules that raise."""

    project: ProjectModel
    tools: AskTools
    metrics: Metrics

    async def answer(self, question: str, words: TextStream | None = None) -> EndState:
        now = datetime(2026, 5, 4, tzinfo=UTC)
        job: Job[AskRequest, AskState] = Job(
            id="1",
            project_id="default",
            request=AskRequest(question, execute=True),
            accepted_at=now,
            now=now,
            stream=words or TextStream(),
            advance=lambda state: None,
            keep=_not_kept,
        )
        ask = Ask(job, self.project, self.tools, ledger=Ledger(self.metrics), advance=lambda state: None)
        return await AskRun(ask).answer()

    def failures(self) -> float:
        lines = self.metrics.exposition()[0].decode().splitlines()
        return next(float(line.split()[-1]) for line in lines if line.startswith("askwell_rule_failures_total "))


@asynccontextmanager
async def service(folder: Path, generation: GenerationPipelines | None = None) -> AsyncIterator[Service]:
    config = load_config(write_config(folder), {})
    engine = create_engine("sqlite", tiny_shop.make_database(folder / "tiny.sqlite"))
    manifest = read_manifest(tiny_shop.manifest(), data_source="SQLITE").manifest
    assert manifest is not None
    model = authorised_view(manifest, "h")
    rules: Any = BrokenRules(model)
    planner = Planner(model, manifest, "sqlite")
    checker = SqlChecker(model, planner, engine)
    private = PrivateValues(model, planner.same_for_all, engine.dialect, are_any=False)
    project = ProjectModel(
        "default", "h", "m1", manifest, model, {}, engine, planner, checker, rules, None, (), private
    )
    knowledge: Any = NothingSaved()
    async with opened_parts(config) as parts:
        retrieval, metrics, projects = parts.retrieval(config.settings), Metrics(), cast(ProjectModels, None)
        settings = config.settings
        tools = AskTools(projects, metrics, retrieval, knowledge, generation, RulesMode.BALANCED, settings)
        try:
            yield Service(project, tools, metrics)
        finally:
            await engine.close()


async def test_without_a_language_model_they_abstain_in_words(tmp_path: Path) -> None:
    async with service(tmp_path) as asked:
        end = await asked.answer("How many customers are there?")
        assert isinstance(end, Failed)
        assert end.error.code == "NO_RELEVANT_SQL"
        assert "rules failed" in end.error.message
        assert asked.failures() == 1


async def test_what_can_be_asked_is_told_without_examples(tmp_path: Path) -> None:
    async with service(tmp_path) as asked:
        words = TextStream()
        end = await asked.answer("What can I ask?", words)
        assert isinstance(end, Finished)
        assert isinstance(end.answer, WordsAnswer)
        assert "customers" in words.text()
        assert "For example" not in words.text()


async def test_a_question_about_something_else_ends_at_the_scope_gate(tmp_path: Path) -> None:
    async with service(tmp_path) as asked:
        end = await asked.answer("Who won the world cup in 1990?")
        assert isinstance(end, Failed)
        assert end.error.code == "NO_RELEVANT_DATA"


async def test_a_language_model_answers(tmp_path: Path) -> None:
    script = {
        "intent_classification": [Answer(json={"intent": "TEXT_TO_SQL", "rephrased_question": "", "reasoning": ""})],
        "sql_generation": [Answer(json={"sql": "SELECT count(*) AS n FROM customers"})],
    }
    async with ChatServer(script) as server:
        model = create_language_model(LlmConfig(model="test", api_base=server.api_base))
        assert model is not None
        try:
            async with service(tmp_path, GenerationPipelines(lambda _: model)) as asked:
                end = await asked.answer("How many customers are there?")
        finally:
            await model.close()
    assert isinstance(end, Finished)
    assert isinstance(end.answer, SqlAnswer)
    assert end.answer.source == "llm"
    assert end.answer.rows is not None
    assert end.answer.rows.rows == ((3,),)


async def test_the_log_has_the_class_and_not_the_question(tmp_path: Path) -> None:
    written = io.StringIO()
    configure_logging("info", written, as_json=True)
    try:
        async with service(tmp_path) as asked:
            await asked.answer("customers from 'Wernigerode'")
    finally:
        configure_logging("warning", io.StringIO())
    (line,) = (line for line in map(json.loads, written.getvalue().splitlines()) if "rules" in line["message"])
    assert line["error"] == "AssertionError"
    assert "Wernigerode" not in written.getvalue()
