"""Charts over HTTP: what is drawn, what is not, what a model is shown, and the pictures."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes.openai_server import Answer, ChatServer
from tests.support import tiny_shop
from tests.support.job_calls import Jobs
from tests.support.service import running_service, write_config
from tests.support.tables import case_table

DATA = {"columns": ["status", {"name": "total", "type": "DOUBLE"}], "data": [["open", 30.0], ["paid", 195.5]]}
BAR = case_table(__file__, "bar")


def proposed(schema: object, chart_type: str = "bar") -> Answer:
    return Answer(json={"reasoning": "Bars compare.", "chart_type": chart_type, "chart_schema": schema})


@pytest.mark.parametrize("path", ["charts", "chart-adjustments"])
async def test_rows_come_with_the_chart_where_they_are_wanted(plain: Jobs, path: str) -> None:
    result = await plain.done(path, data=DATA, remove_data_from_chart_schema=False)
    values = result["response"]["chart_schema"]["data"]["values"]
    assert {row["status"]: row["total"] for row in values} == {"open": 30.0, "paid": 195.5}
    many = {"columns": ["status", "total"], "data": [[f"s{i}", i] for i in range(3_000)]}
    wanted = {"chart_type": "bar", "x_axis": "status", "y_axis": "total"}
    more = {"adjustment_option": wanted} if path == "chart-adjustments" else {}
    result = await plain.done(path, data=many, remove_data_from_chart_schema=False, **more)
    schema = result["response"]["chart_schema"]
    assert len(schema.get("data", {}).get("values", ())) <= 1_000


@pytest.mark.parametrize(
    "rows",
    [[["a"]], [["a", 1, 2]], [["a", 1], []], [["a", 1], None], ["ab"], [{"status": "a", "total": 1}], "rows", 7],
)
@pytest.mark.parametrize(("path", "field"), [("charts", "data"), ("sql-answers", "sql_data")])
async def test_rows_have_to_be_as_wide_as_the_columns(plain: Jobs, path: str, field: str, rows: object) -> None:
    status, answer = await plain.post(path, **{field: {"columns": ["status", "total"], "data": rows}})
    assert status == 422
    assert answer["detail"][0]["loc"][:2] == ["body", field]


async def test_what_is_wrong_is_said_by_its_place(plain: Jobs) -> None:
    for columns in ([""], [7], ["a\nb"], [{"name": ""}], []):
        status, answer = await plain.post("charts", data={"columns": columns, "data": []})
        assert status == 422
        assert answer["message"].startswith("data.columns")
        assert "function" not in str(answer)


CELLS = [
    None, True, -0.0, 10**400, 123456789012345678901234567890, float("nan"), float("inf"), "", " ", "a\x00b", "\ud800",
    "😀", "\u202eabc", "<script>alert(1)</script>", "https://evil.example", {"a": 1}, [1, [2, {"b": None}]],
    "x" * 100_000,
]  # fmt: skip


@pytest.mark.deep
@pytest.mark.parametrize("number", range(len(CELLS)))
async def test_any_cell_is_borne(plain: Jobs, written: Jobs, number: int) -> None:
    data = {"columns": ["status", "total"], "data": [["a", CELLS[number]], [CELLS[number], 3]]}
    for jobs in (plain, written):
        for path, field in (("charts", "data"), ("chart-adjustments", "data"), ("sql-answers", "sql_data")):
            more = {} if field == "sql_data" else {"remove_data_from_chart_schema": False}
            job_id = await jobs.start(path, **{field: data}, **more)
            result = await jobs.end(path, job_id)
            assert "unexpected" not in str(result)
            assert "chat completion" not in str(result)
            if path == "chart-adjustments" and result["status"] != "finished":
                assert result["error"]["code"] == "NO_CHART"
            else:
                assert result["status"] in ("finished", "succeeded"), result
            assert len(written.shown()) < 100_000


@pytest.mark.deep
@pytest.mark.parametrize(
    "columns", [["a", "a"], ["a", "A"], ["a.b", "c[0]"], ["é'\"`", "\\"], ["__proto__", "constructor"]]
)
@pytest.mark.parametrize("path", ["charts", "chart-adjustments", "sql-answers"])
async def test_any_names_of_columns_are_borne(plain: Jobs, written: Jobs, path: str, columns: list[str]) -> None:
    field = "sql_data" if path == "sql-answers" else "data"
    option = {"chart_type": "bar", "x_axis": columns[0], "y_axis": columns[1]}
    more = {"adjustment_option": option} if path == "chart-adjustments" else {}
    data = {"columns": columns, "data": [["x", 1], ["y", 2], ["z", 5]]}
    for jobs in (plain, written):
        job_id = await jobs.start(path, **{field: data}, **more)
        result = await jobs.end(path, job_id)
        assert "unexpected" not in str(result)
        if path != "sql-answers" and result["status"] == "finished" and result["response"]["chart_schema"]:
            status, picture = await jobs.service.call("GET", f"/v1/{path}/{job_id}/image.svg")
            assert status == 200, picture


async def test_pictures(plain: Jobs) -> None:
    call = plain.service.call
    job_id = await plain.start("charts", data=DATA)
    await plain.end("charts", job_id)
    for path, made in (("charts", job_id), ("chart-adjustments", await plain.start("chart-adjustments"))):
        await plain.end(path, made)
        status, svg = await call("GET", f"/v1/{path}/{made}/image.svg?width=300&height=200")
        assert (status, svg[:4]) == (200, "<svg")
        async with plain.service.session.get(
            f"{plain.service.url}/v1/{path}/{made}/image.png?width=300&height=200"
        ) as one:
            png = await one.read()
            assert (one.status, one.headers["Content-Type"], png[:4]) == (200, "image/png", b"\x89PNG")
            assert int.from_bytes(png[16:20], "big") == 2 * 300
            assert int.from_bytes(png[20:24], "big") == 2 * 200
    for size in ("width=49", "width=2001", "height=0", "height=-1", "width=a", "width=", "height=1e3"):
        assert (await call("GET", f"/v1/charts/{job_id}/image.svg?{size}"))[0] == 422, size
    assert (await call("GET", f"/v1/charts/{job_id}/image.gif"))[0] == 404
    assert (await call("GET", f"/v1/charts/{job_id}/image.svg?project_id=stranger"))[0] == 404
    assert (await call("GET", f"/v1/chart-adjustments/{job_id}/image.svg"))[0] == 404
    assert (await call("GET", "/v1/charts/none/image.png"))[0] == 404


async def test_there_is_no_picture_before_the_end(written: Jobs) -> None:
    server = written.script(chart_generation=[Answer(json={}, hang=True)])
    job_id = await written.start("charts")
    await server.arrived("chart_generation")
    for image in ("svg", "png"):
        assert (await written.service.call("GET", f"/v1/charts/{job_id}/image.{image}"))[0] == 404
    await written.stop("charts", job_id)
    assert (await written.service.call("GET", f"/v1/charts/{job_id}/image.svg"))[0] == 404


async def test_values_of_sensitive_columns_are_never_shown_to_a_model(tmp_path: Path) -> None:
    mdl = tiny_shop.manifest()
    customers = mdl["models"][0]["columns"]
    next(column for column in customers if column["name"] == "name")["properties"] = {"sensitive": True}
    # No longer hidden: told by its name.
    next(column for column in customers if column["name"] == "secret").pop("isHidden")
    mdl["views"].append({"name": "people", "statement": "SELECT name AS who, total_spent AS spent FROM customers"})
    sqls = case_table(__file__, "sqls")
    async with ChatServer() as server:
        async with running_service(write_config(tmp_path, api_base=server.api_base)) as service:
            ready = await service.prepare(mdl)
            assert ready["status"] == "finished", ready
            jobs = Jobs(service, server)
            await jobs.done("semantics-descriptions", selected_models=["customers"])
            for sql in sqls:
                assert (await jobs.done("charts", sql=sql))["status"] == "finished", sql
                await jobs.done("chart-adjustments", sql=sql, adjustment_option={"chart_type": "bar"})
                assert (await jobs.done("sql-answers", sql=sql))["status"] == "succeeded", sql
                shown = jobs.shown().lower()
                assert not [name for name in ("lovelace", "hopper", "turing", "hush") if name in shown], sql
            # Rows that a client sent, and a statement that does not say what they are.
            sent = {"columns": ["id", "NAME"], "data": [[1, "Ada Lovelace"]]}
            await jobs.done("charts", sql="SELECT id, country FROM customers", data=sent)
            await jobs.done("sql-answers", sql="SELECT id, country FROM customers", sql_data=sent)
            assert "Lovelace" not in jobs.shown()
            answer = await jobs.start("sql-answers", sql=sqls[0])
            assert "Ada Lovelace" in await jobs.words(answer)
            assert "sql_answer" not in jobs.stages()


async def test_a_chart_of_the_first_rows_says_so_whoever_chose_it(plain: Jobs, written: Jobs) -> None:
    many = " CROSS JOIN ".join(f"orders AS o{number}" for number in range(10))
    sql = f"SELECT o0.status AS status, o1.amount AS total FROM {many}"
    written.script(chart_generation=[proposed(BAR)])
    for jobs in (plain, written):
        result = await jobs.done("charts", sql=sql)
        assert result["status"] == "finished", result
        assert "first 1,000 rows only" in result["response"]["chart_schema"]["title"]
        assert "only the first 1,000 rows" in result["response"]["reasoning"]


async def test_a_chart_without_marks_has_no_picture(plain: Jobs) -> None:
    job_id = await plain.start("charts", sql="SELECT count(*) AS orders FROM orders")
    await plain.end("charts", job_id)
    assert (await plain.service.call("GET", f"/v1/charts/{job_id}/image.svg"))[0] == 404
