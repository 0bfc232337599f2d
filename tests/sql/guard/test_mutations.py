"""Ten thousand attacks, each changed a little, all the way to real databases: nothing is changed, nothing gets out."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from random import Random

import pytest

from askwell.providers.engine.base import QueryFailure
from askwell.sql.checker import Executed
from askwell.sql.context import QueryContext
from askwell.sql.outcome import RejectedSql, RejectionKind
from tests.sql.guard.mutations.databases import CANARY, HIDDEN_ROWS, Target, file_target
from tests.sql.guard.mutations.dots import CATALOGUE_NAMES, OWN_FUNCTIONS, dotted_attacks
from tests.sql.guard.mutations.mutate import mutated
from tests.sql.guard.mutations.servers import mariadb_target, postgres_target

# Files are everywhere, servers are not: the files alone make ten thousand.
ATTEMPTS = {"duckdb": 5_000, "sqlite": 5_000, "postgres": 2_500, "mysql": 2_500}
# The state of a database is looked at after so many, so that a change can be traced to the few that were run.
_BATCH = 250
_CONTEXT = QueryContext(now=datetime(2024, 6, 1, 12, tzinfo=UTC))
_ENGINE_SPOKE = (RejectionKind.DRY_RUN, RejectionKind.TIME_OUT)
_SECRETS = (
    CANARY,
    CANARY[::-1],
    CANARY.encode().hex(),
    base64.b64encode(CANARY.encode()).decode().rstrip("=")[:-1].lower(),
)


@pytest.fixture(params=ATTEMPTS)
async def target(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Target]:
    # What is written to a relative path, or to a home folder, is seen too.
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("ASKWELL_CANARY", CANARY)
    match request.param:
        case "postgres":
            opened: Target = postgres_target()
        case "mysql":
            opened = mariadb_target()
        case kind:
            opened = file_target(kind, tmp_path)
    yield opened
    await opened.close()


@pytest.mark.parametrize("share", [0.1, pytest.param(1, marks=pytest.mark.deep)], ids=["some", "all"])
async def test_no_side_effect_and_no_leak(target: Target, share: float) -> None:
    dialect, checker, before = target.engine.dialect, target.checker(), target.state()
    ran: list[str] = []
    answered = 0
    attempts = round(share * ATTEMPTS[dialect])
    for number in range(attempts):
        text = target.filled(mutated(Random(f"{dialect} {number}"), dialect))
        outcome = await checker.execute(text, context=_CONTEXT, row_limit=2_000, timeout=2)
        assert not leaks(outcome), (number, text, outcome)
        if isinstance(outcome, Executed):
            ran.append(f"{number}: {text!r} ran as {outcome.valid.planned_sql}")
            answered += 1
        elif outcome.kind in _ENGINE_SPOKE:
            ran.append(f"{number}: {text!r} reached the database as {outcome.sql}, which said {outcome.error}")
        if number % _BATCH == _BATCH - 1:
            assert target.state() == before, "\n".join(ran)
            ran.clear()
    assert answered > attempts / 50, "too few got through for this to prove anything about what is run"
    works = await target.engine.execute("SELECT 1", row_limit=1, timeout=5)
    assert not isinstance(works, QueryFailure)


@pytest.mark.parametrize("step", [173, pytest.param(1, marks=pytest.mark.deep)], ids=["some", "all"])
async def test_no_name_behind_a_dot_is_a_call(step: int) -> None:
    """On PostgreSQL `x.name` calls a function where x has no such column. One that is IMMUTABLE is in no plan."""
    target = postgres_target()
    try:
        target.server.ask(OWN_FUNCTIONS)
        checker = target.checker()
        leaked = []
        for text in list(dict.fromkeys(dotted_attacks()))[::step]:
            outcome = await checker.execute(text, context=_CONTEXT, row_limit=2_000, timeout=5)
            told = outcome.rows.rows if isinstance(outcome, Executed) else outcome.error
            if leaks(outcome) or any(name in str(told) for name in CATALOGUE_NAMES if name not in text):
                leaked.append(text)
        assert leaked == []
    finally:
        await target.close()


@pytest.mark.deep
async def test_the_alarms_work(target: Target) -> None:
    """What an attack wants is there to be had, and having it is noticed."""
    rows = await target.engine.execute("SELECT amount FROM payroll WHERE id = 1", row_limit=1, timeout=5)
    assert not isinstance(rows, QueryFailure)
    harmless = await target.checker().execute("SELECT name FROM people", context=_CONTEXT, row_limit=5, timeout=5)
    assert isinstance(harmless, Executed)
    assert not leaks(harmless)
    assert leaks(Executed(harmless.valid, rows))
    before = target.state()
    assert before == target.state()
    (target.folder / "planted").touch()
    assert before != target.state()


def leaks(outcome: Executed | RejectedSql) -> bool:
    """Whether something that the project does not have is in the answer, or in what is said about it."""
    if isinstance(outcome, RejectedSql):
        told = f"{outcome.error} {outcome.suggestions}"
    else:
        if any(value in (HIDDEN_ROWS, str(HIDDEN_ROWS)) for row in outcome.rows.rows for value in row):
            return True
        told = f"{outcome.rows.columns} {outcome.rows.rows} {outcome.valid.warnings}"
    return any(secret in told.lower() for secret in _SECRETS)
