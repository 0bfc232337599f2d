"""A statement checked, and corrected by a model, outside an ask."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio

from askwell.asks.ledger import Ledger
from askwell.asks.proof import Proved, Prover
from askwell.asks.request import AskRequest
from askwell.asks.writing_step import SqlWriting
from askwell.config import Settings
from askwell.observability.metrics import Metrics
from askwell.pipelines.generation.build import GenerationPipelines
from askwell.pipelines.generation.question import SqlReply
from askwell.providers.llm.base import Usage
from askwell.services.projects import ProjectModel
from askwell.sql.outcome import RejectedSql, RejectionKind
from askwell.sql.planner import Planner
from askwell.sql.private_values import PrivateValues
from tests.fakes.recording_model import RecordingModel
from tests.prompts import contexts as c
from tests.sql.checker.shop import CONTEXT, checker_on, model_for, open_engine


@pytest_asyncio.fixture
async def project(tmp_path: Path) -> AsyncIterator[ProjectModel]:
    engine = open_engine("duckdb", tmp_path)
    model, manifest = model_for(engine)
    planner = Planner(model, manifest, engine.dialect)
    checker = checker_on(engine)
    private = PrivateValues(model, planner.same_for_all, engine.dialect, are_any=False)
    yield ProjectModel("default", "h", "", manifest, model, {}, engine, planner, checker, None, None, (), private)
    await engine.close()


def _writing(project: ProjectModel, reply: str, attempts: list[str]) -> SqlWriting:
    ledger = Ledger(Metrics())
    prover = Prover(project, AskRequest(query=""), CONTEXT, Settings(), ledger)
    generation = GenerationPipelines(lambda _: RecordingModel(reply))
    return SqlWriting(
        generation,
        c.PLAIN_QUESTION,
        c.PLAIN,
        None,
        prover,
        Settings(),
        ledger,
        lambda rejected, number: attempts.append(f"{number} {rejected.kind}"),
    )


async def test_a_statement_is_proved_without_a_model(project: ProjectModel) -> None:
    prover = _writing(project, "", []).prover
    proved = await prover.prove("SELECT name FROM people")
    assert isinstance(proved, Proved)
    repaired = await prover.prove("SELECT nmae FROM people")
    assert isinstance(repaired, Proved)
    assert repaired.valid.sql == "SELECT name FROM people"
    rejected = await prover.prove("SELECT colour FROM people")
    assert isinstance(rejected, RejectedSql)
    assert rejected.kind is RejectionKind.BIND


async def test_a_rejected_statement_is_corrected_until_one_works(project: ProjectModel) -> None:
    attempts: list[str] = []
    writing = _writing(project, '{"sql": "SELECT town FROM people"}', attempts)
    outcome = await writing.corrected(await writing.prover.prove("SELECT colour FROM people"))
    assert isinstance(outcome, Proved)
    assert outcome.valid.sql == "SELECT town FROM people"
    assert attempts == ["1 BIND"]


async def test_what_never_works_stays_rejected(project: ProjectModel) -> None:
    attempts: list[str] = []
    writing = _writing(project, '{"sql": "SELECT colour FROM people"}', attempts)
    outcome = await writing.corrected(await writing.prove(SqlReply(None, "No SQL.", Usage())))
    assert isinstance(outcome, RejectedSql)
    assert attempts[0] == "1 EXTRACT"
    assert len(attempts) == Settings().max_sql_correction_retries
