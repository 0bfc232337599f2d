"""What holds for every kind of job alike."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from askwell.job_kinds.tools import ToolsKind
from tests.fakes.openai_server import Answer, ChatServer
from tests.support import tiny_shop
from tests.support.job_calls import BODIES, BY_PATH, Jobs, result_address
from tests.support.service import running_service, service_process, write_config
from tests.support.tables import case_table

WITHOUT = [path for path in BODIES if path != "ask-feedbacks"]
# What the model is called for by the good body, where every answer is the default; a failed check takes corrections.
STAGES = case_table(__file__, "stages")
# Bodies that certainly wait for the model, where the good one may not.
WAITING = {
    "sql-corrections": {"sql": "SELECT shoe_size FROM customers"},
    "chart-adjustments": {"adjustment_option": {"chart_type": "bar"}},
}
WITH_SQL = [path for path, body in BODIES.items() if "sql" in body and path != "ask-feedbacks"]
WITH_MDL = ["question-recommendations", "relationship-recommendations", "semantics-descriptions"]


def well_formed(kind: type[ToolsKind], job_id: str, result: dict) -> None:
    """What every result has, and nothing that the OpenAPI page does not know."""
    kind.result.model_validate(result)
    assert result[kind.id_name] == result["trace_id"] == job_id
    if "error" in result:
        assert result["error"]["code"] in kind.codes
        assert result["error"]["message"]


@pytest.mark.parametrize("path", WITHOUT)
async def test_good_ones_end_well_without_a_model(plain: Jobs, path: str) -> None:
    job_id = await plain.start(path)
    result = await plain.end(path, job_id)
    assert result["status"] == BY_PATH[path].done, result
    assert "error" not in result
    well_formed(BY_PATH[path], job_id, result)
    assert await plain.poll(path, job_id) == result


@pytest.mark.parametrize("path", BODIES)
async def test_good_ones_end_well_with_a_model(written: Jobs, path: str) -> None:
    job_id = await written.start(path)
    result = await written.end(path, job_id)
    assert result["status"] == BY_PATH[path].done, result
    well_formed(BY_PATH[path], job_id, result)
    assert set(written.stages()) <= set(STAGES[path])
    assert written.stages()[:1] == STAGES[path][:1]
    statuses = [data["status"] for name, data in await written.events(path, job_id) if name != "delta"]
    kind = BY_PATH[path]
    order = [*kind.statuses, kind.done]
    assert [order.index(status) for status in statuses] == sorted(order.index(status) for status in statuses)


@pytest.mark.parametrize("path", WITH_SQL)
@pytest.mark.parametrize(
    ("sql", "told"),
    [
        ("DROP TABLE customers", "rule"),
        ("SELECT 1; SELECT 2", "statement"),
        ("SELECT * FROM sqlite_master", "sqlite_master"),
        ("SELECT name FROM strangers", "strangers"),
        ("SELECT secret FROM customers", "secret"),
        ("SELECT load_extension('x')", "rule"),
        ("no sql at all (", ""),
        ("SELECT " + "(" * 3_000 + "1" + ")" * 3_000, ""),
    ],
)
async def test_sql_that_is_refused_says_why(plain: Jobs, path: str, sql: str, told: str) -> None:
    if path in ("charts", "chart-adjustments", "sql-answers") and "(((" in sql:
        data = {"columns": ["a"], "data": [["b"]]}
        job_id = await plain.start(path, sql=sql, **{"sql_data" if path == "sql-answers" else "data": data})
    else:
        job_id = await plain.start(path, sql=sql)
    result = await plain.end(path, job_id)
    assert result["status"] == "failed", result
    well_formed(BY_PATH[path], job_id, result)
    assert told in result["error"]["message"]
    assert result["error"]["hint"]
    assert "hush" not in str(result)


@pytest.mark.parametrize("path", WITH_SQL)
async def test_deep_sql_is_refused_with_a_model_too(written: Jobs, path: str) -> None:
    result = await written.done(path, sql="SELECT " + "(" * 3_000 + "1" + ")" * 3_000)
    assert result["status"] in ("failed", "finished"), result
    assert "unexpected" not in str(result)


@pytest.mark.parametrize("path", WITHOUT)
async def test_an_idempotency_key_starts_one_job(plain: Jobs, path: str) -> None:
    key = {"Idempotency-Key": f"key-of-{path}"}
    first = await plain.start(path, key)
    await plain.end(path, first)
    assert await plain.start(path, key) == first
    status, answer = await plain.post(path, key, configurations={"language": "German"})
    assert status == 422
    assert "Idempotency-Key" in answer["message"]


async def test_kinds_do_not_share_idempotency_keys(plain: Jobs) -> None:
    ids = {await plain.start(path, {"Idempotency-Key": "of all"[:2]}) for path in WITHOUT}
    assert len(ids) == len(WITHOUT)


@pytest.mark.parametrize("path", WITHOUT)
async def test_ids_of_others_are_unknown(plain: Jobs, path: str) -> None:
    job_id = await plain.start(path)
    service = plain.service
    other = next(name for name in BODIES if name != path)
    looks = [
        ("GET", f"{result_address(path, job_id)}?project_id=stranger", {}),
        ("GET", f"/v1/{path}/{job_id}/events?project_id=stranger", {}),
        ("PATCH", f"/v1/{path}/{job_id}", {"json": {"status": "stopped", "project_id": "stranger"}}),
        ("PATCH", f"/v1/{path}/{job_id}?project_id=stranger", {"json": {"status": "stopped"}}),
        ("GET", result_address(path, "0" * 32), {}),
        ("GET", f"/v1/{path}/{'0' * 32}/events", {}),
        ("PATCH", f"/v1/{path}/{'0' * 32}", {"json": {"status": "stopped"}}),
        ("GET", result_address(other, job_id), {}),
        ("PATCH", f"/v1/{other}/{job_id}", {"json": {"status": "stopped"}}),
        ("GET", f"/v1/asks/{job_id}/result", {}),
    ]
    for method, address, more in looks:
        status, answer = await service.call(method, address, **more)
        assert status == 404, (method, address, answer)
        assert answer["code"] == "NOT_FOUND"
    assert (await plain.end(path, job_id))["status"] == BY_PATH[path].done
    assert await plain.poll(path, job_id, "?project_id=default")


@pytest.mark.parametrize("path", BODIES)
async def test_a_project_without_a_model_says_what_to_do(plain: Jobs, path: str) -> None:
    result = await plain.done(path, project_id="nothing-prepared")
    kind = BY_PATH[path]
    assert result["status"] == "failed"
    if path != "ask-feedbacks":
        assert result["error"]["code"] == ("RESOURCE_NOT_FOUND" if "RESOURCE_NOT_FOUND" in kind.codes else "OTHERS")
        assert "/v1/semantics-preparations" in result["error"]["hint"]


@pytest.mark.parametrize("path", WITH_MDL)
@pytest.mark.parametrize("as_text", [True, False])
async def test_all_problems_of_a_model_are_told(plain: Jobs, path: str, as_text: bool) -> None:
    table = {"name": "orders", "tableReference": {"table": "orders"}}
    columns = [{"name": "a", "type": "x", "relationship": "r"}]
    models = [{**table, "columns": columns}, {**table, "primaryKey": "gone", "columns": []}]
    mdl = {"catalog": "a", "schema": "b", "models": models}
    result = await plain.done(path, mdl=json.dumps(mdl) if as_text else mdl)
    assert result["status"] == "failed"
    assert result["error"]["code"] == "MDL_PARSE_ERROR"
    assert len(result["error"]["message"].splitlines()) >= 2


@pytest.mark.parametrize("path", WITH_MDL)
@pytest.mark.parametrize("mdl", ["", "{", "null", "[]", "[" * 50_000, "x" * 100, '{"models": 7}', {"a": 1}, {}])
async def test_a_model_that_is_none_is_refused(plain: Jobs, path: str, mdl: object) -> None:
    result = await plain.done(path, mdl=mdl)
    assert result["status"] == "failed", result
    assert result["error"]["code"] in ("MDL_PARSE_ERROR", "RESOURCE_NOT_FOUND")


async def waiting(jobs: Jobs, path: str, how: Answer) -> str:
    """A job of this kind that waits for the model."""
    server = jobs.script(**{"*": [how]})
    job_id = await jobs.start(path, **WAITING.get(path, {}))
    async with asyncio.timeout(10):
        while not server.requests:
            await asyncio.sleep(0.005)
    return job_id


@pytest.mark.parametrize("path", BODIES)
async def test_nothing_goes_on_after_a_stop(written: Jobs, path: str) -> None:
    job_id = await waiting(written, path, Answer(json={"sql": "SELECT 1"}, hang=True))
    assert written.model is not None
    kind = BY_PATH[path]
    assert (await written.poll(path, job_id))["status"] in kind.statuses
    before = written.model.calls()
    await written.stop(path, job_id)
    result = await written.poll(path, job_id)
    # An answer whose words have begun has succeeded, for clients that stopped polling then.
    assert result["status"] == ("succeeded" if path == "sql-answers" else "stopped")
    well_formed(kind, job_id, result)
    for request in list(written.model.requests):
        assert await written.model.ended(request) == "abandoned"
    written.model.release()
    await asyncio.sleep(0.03)
    assert written.model.calls() == before
    assert await written.poll(path, job_id) == result
    await written.stop(path, job_id)
    assert (await written.events(path, job_id))[-1] == ("done", result)


@pytest.mark.parametrize("body", [{"status": "finished"}, {"status": "STOPPED"}, {"status": None}, {}, [], "x", None])
async def test_only_a_stop_is_a_change(plain: Jobs, body: object) -> None:
    job_id = await plain.start("sql-questions")
    status, answer = await plain.service.call("PATCH", f"/v1/sql-questions/{job_id}", json=body)
    assert status == 422, answer
    assert answer["detail"]


async def test_methods_that_are_not_taken_name_those_that_are(plain: Jobs) -> None:
    for path in BODIES:
        job_id = await plain.start(path) if path != "ask-feedbacks" else "x"
        for method in ("PUT", "DELETE", "GET", "OPTIONS"):
            async with plain.service.session.request(method, f"{plain.service.url}/v1/{path}") as response:
                assert response.status == 405
                assert response.headers["Allow"] == "POST"
        async with plain.service.session.head(f"{plain.service.url}{result_address(path, job_id)}") as response:
            assert response.status == 405


@pytest.mark.parametrize("path", BODIES)
async def test_unknown_fields_and_nulls_are_as_if_not_sent(written: Jobs, path: str) -> None:
    # A client of another version sends more; a name with a NUL or half a surrogate in it does no harm either.
    result = await written.done(path, nothing_we_know={"a": [1]}, thread_id=None, **{"b\x00": "\x00"})
    assert result["status"] == BY_PATH[path].done


FAILURES = {
    "429": Answer(status=429, headers={"Retry-After": "0"}),
    "500": Answer(status=500),
    "cut": Answer(text='{"sql": "SELECT 1 FROM', finish_reason="length"),
    "prose": Answer(text="I would rather not."),
    "broken": Answer(text="word " * 50, drop="middle"),
    "hang": Answer(hang=True),
}
# What goes on without the model: by what is known without it, or with what there is by then.
GOES_ON = {"ask-details", "sql-answers", "sql-questions", "charts", "semantics-descriptions"}


@pytest.mark.deep
@pytest.mark.parametrize("how", FAILURES)
async def test_a_model_that_fails_ends_no_job_without_words(tmp_path: Path, how: str) -> None:
    async with ChatServer() as server:
        llm = {"default": {"provider": "openai", "model": "test", "api_base": server.api_base, "timeout": 1}}
        config = write_config(tmp_path, llm=llm, settings={"ask_deadline": 20})
        async with running_service(config) as service:
            await service.prepare()
            jobs = Jobs(service, server)
            jobs.script(**{"*": [FAILURES[how]]})
            started = {path: await jobs.start(path, **WAITING.get(path, {})) for path in BODIES}
            ends = {path: await jobs.end(path, job_id) for path, job_id in started.items()}
            for path, result in ends.items():
                well_formed(BY_PATH[path], started[path], result)
                assert "unexpected" not in str(result), path
                if result["status"] == "failed":
                    assert result["error"]["hint"], path
            done = {path for path, result in ends.items() if result["status"] == BY_PATH[path].done}
            assert done >= GOES_ON, ends
            assert await jobs.words(started["sql-answers"])


@pytest.mark.deep
@pytest.mark.parametrize("path", BODIES)
async def test_kill_9_runs_a_job_again_and_ends_it_once(tmp_path: Path, path: str) -> None:
    async with ChatServer() as server:
        config = write_config(tmp_path, api_base=server.api_base)
        async with service_process(config) as (process, service):
            await service.prepare()
            jobs = Jobs(service, server)
            job_id = await waiting(jobs, path, Answer(json={"sql": "SELECT 1"}, hang=True))
            await process.kill()
            jobs.script()
            await process.start()
            result = await jobs.end(path, job_id)
            kind = BY_PATH[path]
            assert result["status"] in (kind.done, "failed")
            assert "interrupted" not in str(result)
            await process.kill()
            calls = server.calls()
            await process.start()
            assert await jobs.poll(path, job_id) == result
            assert server.calls() == calls


KEYED = [
    ("POST", "/v1/sql-pairs", {"sql_pairs": [{"id": "a", "question": "One?", "sql": "SELECT 1 AS one"}]}),
    ("DELETE", "/v1/sql-pairs", {"sql_pair_ids": ["a"]}),
    ("POST", "/v1/instructions", {"instructions": [{"id": "a", "instruction": "Be brief."}]}),
    ("DELETE", "/v1/instructions", {"instruction_ids": ["a"]}),
    ("POST", "/v1/semantics-preparations", {"mdl": tiny_shop.manifest(), "mdl_hash": "keyed"}),
]


@pytest.mark.parametrize(("method", "path", "body"), KEYED, ids=[f"{method} {path}" for method, path, _ in KEYED])
async def test_a_change_that_is_sent_twice_under_one_key_is_made_once(
    plain: Jobs, method: str, path: str, body: dict[str, Any]
) -> None:
    key = {"Idempotency-Key": f"{method}-{path.replace('/', '-')}"}
    first = await plain.service.call(method, path, json=body, headers=key)
    assert first[0] == 202
    assert await plain.service.call(method, path, json=body, headers=key) == first
    other = json.loads(json.dumps(body).replace('"a"', '"b"').replace("keyed", "otherwise"))
    assert (await plain.service.call(method, path, json=other, headers=key))[0] == 422


async def test_a_status_finds_the_only_project_that_has_the_model(plain: Jobs) -> None:
    mdl = tiny_shop.manifest()
    await plain.service.prepare(mdl, "only-there", project_id="elsewhere")
    status, found = await plain.service.call("GET", "/v1/semantics-preparations/only-there/status")
    assert (status, found["status"]) == (200, "finished")
    await plain.service.prepare(mdl, "only-there", project_id="as-well")
    assert (await plain.service.call("GET", "/v1/semantics-preparations/only-there/status"))[0] == 404
