"""Explanations, questions, corrections and edited plans over HTTP."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes.openai_server import Answer
from tests.support import tiny_shop
from tests.support.job_calls import PAID, Jobs
from tests.support.service import running_service, write_config
from tests.support.tables import case_table

CTE = (
    "WITH spent AS (SELECT customer_id, sum(amount) AS total FROM orders GROUP BY customer_id), "
    "big AS (SELECT customer_id, total FROM spent WHERE total > 50) "
    "SELECT c.name, b.total FROM big b JOIN customers c ON b.customer_id = c.id ORDER BY b.total DESC"
)
STATEMENTS = case_table(__file__, "statements")


@pytest.mark.parametrize("sql", STATEMENTS)
async def test_every_step_of_an_explanation_runs_alone(plain: Jobs, sql: str) -> None:
    result = await plain.done("ask-details", sql=sql)
    assert result["status"] == "finished", result
    steps = result["response"]["steps"]
    assert result["response"]["description"]
    assert [bool(step["cte_name"]) for step in steps] == [True] * (len(steps) - 1) + [False]
    for step in steps:
        assert step["summary"]
        checked = await plain.done("sql-corrections", sql=step["sql"], error="", use_dry_plan=False)
        assert (checked["status"], checked["response"]) == ("finished", step["sql"])
    if sql == CTE:
        assert [step["cte_name"] for step in steps] == ["spent", "big", ""]


@pytest.mark.parametrize(
    ("sql", "last"),
    [
        (CTE, "Reads “big” with customers (where customer id is the id)."),
        ("SELECT * FROM (SELECT status, count(*) AS n FROM orders GROUP BY status)", "Reads “inner_query”."),
        ("WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 3) SELECT i FROM n", "“n”, which"),
    ],
)
async def test_a_summary_tells_what_no_step_before_it_told(plain: Jobs, sql: str, last: str) -> None:
    response = (await plain.done("ask-details", sql=sql))["response"]
    summaries = [step["summary"] for step in response["steps"]]
    assert summaries[-1].startswith(last)
    assert all(summary.startswith("Reads ") for summary in summaries[:-1])
    assert len(" ".join(summaries)) < len(response["description"]) + 100


async def test_a_database_that_is_away_is_told_as_what_it_is(tmp_path: Path) -> None:
    away = {"engine": "wren_ibis", "api_base": "http://127.0.0.1:9", "data_source": "POSTGRES", "shared": True}
    config = write_config(tmp_path, data_sources={"default": away | {"connection_info_env": "INFO"}})
    async with running_service(config, {"INFO": "{}"}) as service:
        jobs = Jobs(service)
        assert (await service.prepare(tiny_shop.manifest() | {"dataSource": "POSTGRES"}))["status"] == "finished"
        result = await jobs.done("sql-questions", sqls=[PAID, PAID])
    assert result["status"] == "failed"
    assert result["error"]["message"].startswith("The ibis-server can't be used. It cannot be reached")


async def test_a_valid_statement_comes_back_as_it_was(plain: Jobs, written: Jobs) -> None:
    for jobs in (plain, written):
        for sql in (PAID, "select  NAME from CUSTOMERS -- mine", CTE):
            for dry_plan in (True, False):
                result = await jobs.done("sql-corrections", sql=sql, error="it was slow", use_dry_plan=dry_plan)
                assert (result["status"], result["response"]) == ("finished", sql)
    assert written.stages() == []


async def test_a_statement_is_repaired_without_a_model(plain: Jobs) -> None:
    result = await plain.done("sql-corrections", sql="SELECT nam FROM customer", error="no such table")
    assert result["status"] in ("finished", "failed")
    if result["status"] == "finished":
        assert "name" in result["response"]
    result = await plain.done("sql-corrections", sql="```sql\nSELECT name FROM customers\n```", error="x")
    assert result["status"] == "finished", result
    assert "`" not in result["response"]
    assert (await plain.done("sql-corrections", sql=result["response"], error=""))["response"] == result["response"]


async def test_what_is_checked_without_the_database_is_corrected_without_it(written: Jobs) -> None:
    """The division fails in the database alone: it has no such column there."""
    mdl = tiny_shop.manifest()
    mdl["models"][0]["columns"].append({"name": "ghost", "type": "VARCHAR"})
    await written.service.prepare(mdl, "ghosts", "ghosts")
    for dry_plan, status in ((True, "finished"), (False, "failed")):
        written.script(sql_correction=[Answer(json={"sql": f"SELECT ghost FROM {mdl['models'][0]['name']}"})] * 9)
        body = {
            "sql": "SELECT gost_of_it FROM nowhere",
            "error": "no",
            "use_dry_plan": dry_plan,
            "project_id": "ghosts",
        }
        assert (await written.done("sql-corrections", **body))["status"] == status


@pytest.mark.parametrize("field", ["query", "sql"])
@pytest.mark.parametrize("value", ["", "  ", "\x00", "a\x00b", "\ud800", 7, None, [], {}, True, "x" * 100_001])
async def test_texts_that_are_none_are_refused(plain: Jobs, field: str, value: object) -> None:
    for path in ("ask-details", "sql-answers", "charts"):
        status, answer = await plain.post(path, **{field: value})
        assert status == 422, answer
        assert answer["detail"][0]["loc"] == ["body", field]


async def test_odd_json(plain: Jobs) -> None:
    async def send(body: bytes, **headers: str) -> int:
        kind = {"Content-Type": "application/json", **headers}
        return (await plain.service.call("POST", "/v1/sql-questions", data=body, headers=kind))[0]

    assert await send(b'{"sqls": [], "sqls": ["SELECT name FROM customers"]}') == 202  # the last one counts
    assert await send(b'{"sqls": ["SELECT 1"], "sqls": []}') == 422
    assert await send(b'{"sqls": ["SELECT name FROM customers"], "a": NaN, "b": 1e999}') == 202
    assert await send(b'{"sqls": ["SELECT name FROM customers"], "a": ' + b"9" * 5_000 + b"}") == 422
    assert await send(b'\xef\xbb\xbf{"sqls": ["SELECT name FROM customers"]}') in (202, 422)
    assert await send('{"sqls": ["SELECT \'ü\' AS a"]}'.encode("latin-1")) == 422
    assert await send(b'{"sqls": ' + b"[" * 20_000 + b"]" * 20_000 + b"}") in (413, 422)
    assert await send(b"x" * (33 * 1024 * 1024)) == 413


async def test_fifty_questions_and_no_more(plain: Jobs) -> None:
    assert len((await plain.done("sql-questions", sqls=[PAID] * 50))["questions"]) == 50
    for sqls in ([], [PAID] * 51, [""], [None], ["\x00"], ["x" * 100_001], PAID):
        assert (await plain.post("sql-questions", sqls=sqls))[0] == 422
