"""Records that an earlier Askwell wrote are brought up to date when they are opened."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from askwell.knowledge.record import FILE_NAME, Record
from tests.knowledge.conftest import throw_away_schema
from tests.knowledge.test_jobs import ask
from tests.support.records import BEFORE_STEPS_BUT_JOBS

# What makes of an empty record one of version 1, with a table for each sort of work.
VERSION_1 = (
    "CREATE TABLE asks (id TEXT PRIMARY KEY, project_id TEXT NOT NULL, request JSON NOT NULL, idempotency_key TEXT,"
    " body_hash TEXT NOT NULL, question_key TEXT NOT NULL, accepted_at BIGINT NOT NULL, attempts INTEGER NOT NULL,"
    " status TEXT, result JSON, finished_at BIGINT)",
    "INSERT INTO asks SELECT id, project_id, request, idempotency_key, body_hash, 'key', accepted_at, attempts, status,"
    " result, finished_at FROM jobs",
    "CREATE TABLE preparations (project_id TEXT, label TEXT, content_hash TEXT, status TEXT, attempts INTEGER,"
    " error_code TEXT, error_message TEXT, error_hint TEXT, warnings JSON, started_at BIGINT, finished_at BIGINT)",
    "INSERT INTO preparations VALUES ('p', 'm1', 'h', 'indexing', 1, NULL, NULL, NULL, '[]', 5, NULL),"
    " ('p', 'm2', 'h', 'finished', 1, NULL, NULL, NULL, '[\"mind\"]', 5, 6),"
    " ('p', 'm3', NULL, 'failed', 0, 'INVALID_MODEL', 'No.', 'Mend it.', '[]', 5, 6)",
    "CREATE TABLE knowledge_events (id TEXT, project_id TEXT, kind TEXT, status TEXT, error_code TEXT,"
    " error_message TEXT, happened_at BIGINT, warnings JSON)",
    "INSERT INTO knowledge_events VALUES ('e1', 'p', 'sql_pair', 'deleting', NULL, NULL, 5, NULL),"
    " ('e2', 'p', 'instruction', 'failed', 'OTHERS', 'It is down.', 5, NULL)",
    "DROP TABLE jobs",
    *BEFORE_STEPS_BUT_JOBS,
    "UPDATE record_version SET version = 1",
)


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
async def test_work_of_version_1_goes_on_after_the_upgrade(tmp_path: Path, kind: str) -> None:
    if kind == "sqlite":
        await check(f"sqlite:///{tmp_path / FILE_NAME}", tmp_path)
        return
    async with throw_away_schema() as url:
        await check(url, tmp_path)


async def check(url: str, home: Path) -> None:
    first = await Record.open(url, home)
    accepted = ask("a", idempotency_key="k", attempts=1)
    await first.jobs.accept(accepted)
    await first.close()
    engine = create_engine(url)
    with engine.begin() as connection:
        for statement in VERSION_1:
            connection.execute(text(statement))
    engine.dispose()

    for _ in range(2):
        opened = await Record.open(url, home)
        assert await opened.jobs.unfinished("ask") == [accepted]
        assert await opened.jobs.accept(ask("b", idempotency_key="k")) == accepted
        (preparation,) = await opened.jobs.unfinished("preparation")
        assert (preparation.label, preparation.attempts) == ("m1", 1)
        assert preparation.request == {"project_id": "p", "mdl_hash": "m1", "content_hash": "h"}
        ends = [await opened.jobs.latest("preparation", "p", label) for label in ("m2", "m3")]
        assert [one and one.result and one.result["result"] for one in ends] == [
            {"status": "finished", "warnings": ["mind"]},
            {"status": "failed", "error": {"code": "INVALID_MODEL", "message": "No.", "hint": "Mend it."}},
        ]
        (event,) = await opened.jobs.unfinished("sql_pair")
        assert (event.id, event.request["operation"]) == ("e1", "deleting")
        failed = await opened.jobs.find("e2")
        assert failed is not None
        assert failed.result is not None
        assert failed.result["result"]["error"] == {"code": "OTHERS", "message": "It is down."}
        assert await opened.has_everything()
        await opened.close()
