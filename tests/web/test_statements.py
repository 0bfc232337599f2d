"""Statements that people send, and files of their rows: over HTTP, on SQLite and DuckDB files."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import csv
import io
import json
import shutil
import sqlite3
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import aiohttp
import duckdb
import openpyxl
import psutil
import pytest
import pytest_asyncio
from openpyxl.utils.escape import unescape

from tests.access.house import ALPHA, BETA, house, prepared
from tests.rights.world import FORBIDDEN, database
from tests.rights.world import manifest as ruled_manifest
from tests.support.service import Client, running_service, write_config
from tests.support.tables import case_rows, case_table

RUNS, EXPORTS = "/v1/sql-runs", "/v1/sql-exports"
KINDS = ("sqlite", "duckdb")
TEXTS = case_table(__file__, "texts")  # fmt: skip


TYPED = "i BIGINT, d DECIMAL(10,2), f DOUBLE, day DATE, moment TIMESTAMP, b BLOB"


def quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def make_database(kind: str, path: Path) -> Path:
    """A table of texts, and one of each type."""
    texts = "INSERT INTO texts VALUES (?, ?)"
    rows = list(enumerate(TEXTS))
    if kind == "sqlite":
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("CREATE TABLE texts (id INTEGER PRIMARY KEY, t TEXT)")
            connection.execute("CREATE TABLE kinds (i INTEGER, d DECIMAL(10,2), f REAL, day DATE, moment TEXT, b BLOB)")
            connection.executemany(texts, rows)
            connection.execute("INSERT INTO kinds VALUES (?, ?, ?, ?, ?, ?)", (*_KINDS[:3], *_DAYS, b"\x00\xff"))
            connection.execute("INSERT INTO kinds VALUES (NULL, NULL, NULL, NULL, NULL, NULL)")
        return path
    with duckdb.connect(str(path)) as database:
        database.execute("CREATE TABLE texts (id INTEGER PRIMARY KEY, t VARCHAR)")
        database.executemany(texts, rows)
        database.execute(f"CREATE TABLE kinds ({TYPED})")
        database.execute("INSERT INTO kinds VALUES (?, ?, ?, ?, ?, ?)", [*_KINDS[:3], *_DAYS, b"\x00\xff"])
        database.execute("INSERT INTO kinds VALUES (NULL, NULL, 'NaN', NULL, NULL, NULL)")
    return path


_KINDS = (9_007_199_254_740_993, -12.5, 1e308)
_DAYS = ("2024-02-29", "2024-02-29 13:14:15")


def manifest(kind: str) -> dict[str, Any]:
    def model(name: str, **columns: str) -> dict[str, Any]:
        listed = [{"name": column, "type": type_name} for column, type_name in columns.items()]
        return {"name": name, "tableReference": {"table": name}, "columns": listed}

    texts = model("texts", id="INTEGER", t="VARCHAR") | {"primaryKey": "id"}
    kinds = model("kinds", i="BIGINT", d="DECIMAL", f="DOUBLE", day="DATE", moment="TIMESTAMP", b="BLOB")
    return {"catalog": "c", "schema": "main", "dataSource": kind.upper(), "models": [texts, kinds]}


@asynccontextmanager
async def service(folder: Path, kind: str = "sqlite", **settings: Any) -> AsyncIterator[Client]:
    path = make_database(kind, folder / f"odd.{kind}")
    sources = {"default": {"engine": kind, "path": str(path)}}
    async with running_service(write_config(folder, data_sources=sources, settings=settings)) as client:
        assert (await client.prepare(manifest(kind)))["status"] == "finished"
        yield client


Clients = Mapping[str, Client]


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def clients(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Clients]:
    """A service over each kind of database, for tests that change neither."""
    folder = tmp_path_factory.mktemp
    async with service(folder("sqlite"), "sqlite") as lite, service(folder("duckdb"), "duckdb") as duck:
        yield {"sqlite": lite, "duckdb": duck}


async def run(client: Client, sql: str, **more: Any) -> tuple[int, Any]:
    return await client.call("POST", RUNS, json={"sql": sql, **more})


async def export(client: Client, sql: str, form: str, **more: Any) -> tuple[int, bytes, Mapping[str, str]]:
    body = {"sql": sql, "format": form, **more}
    async with client.session.post(f"{client.url}{EXPORTS}", json=body) as response:
        return response.status, await response.read(), response.headers


async def exported(client: Client, sql: str, form: str) -> bytes:
    status, content, _ = await export(client, sql, form)
    assert status == 200, content
    return content


def parquet(content: bytes, folder: Path) -> tuple[list[str], list[tuple[Any, ...]]]:
    """The types and the rows of such a file."""
    file = folder / "back.parquet"
    file.write_bytes(content)
    found = duckdb.sql(f"SELECT * FROM read_parquet({quoted(str(file))})")
    return [str(one) for one in found.types], found.fetchall()


def cells(content: bytes) -> list[list[Any]]:
    sheet = openpyxl.load_workbook(io.BytesIO(content)).active
    return [list(row) for row in sheet.iter_rows()]


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize("kind", KINDS)
async def test_a_statement_gives_its_rows(clients: Clients, kind: str) -> None:
    client = clients[kind]
    status, told = await run(client, "SELECT id, t AS word FROM texts ORDER BY id", limit=3)
    assert status == 200, told
    assert [column["name"] for column in told["columns"]] == ["id", "word"]
    assert told["rows"] == [[0, "=cmd()"], [1, "=1+1"], [2, "+1"]]
    assert (told["row_count"], told["truncated"], told["warnings"], told["repairs"]) == (3, True, [], [])
    assert "WITH" in told["planned_sql"]
    assert told["ms"] > 0
    # Values in the forms of an answer's.
    status, told = await run(client, "SELECT i, f, b FROM kinds WHERE i > 0")
    assert told["rows"] == [["9007199254740993", 1e308, base64.b64encode(b"\x00\xff").decode()]]


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize("kind", KINDS)
async def test_values_of_parameters_are_literals(clients: Clients, kind: str) -> None:
    word = {"name": "word", "type": "VARCHAR", "required": True}
    most = {"name": "most", "type": "BIGINT", "default": 9}
    none = {"name": "none", "type": "DATE", "required": False}
    sql = "SELECT id FROM texts WHERE t = :word AND id < :most AND (:none IS NULL OR id < 0)"
    more: dict[str, Any] = {"parameters": [word, most, none]}
    client = clients[kind]
    for text in ("=cmd()", "a,b", "'", "' OR 1=1 --", ":most"):
        status, told = await run(client, sql, **more, values={"word": text})
        assert status == 200, told
        there = TEXTS.index(text) if text in TEXTS else 99
        assert told["rows"] == ([[there]] if there < 9 else [])
    status, told = await run(client, sql, **more, values={"word": "=cmd()", "most": "0", "none": None})
    assert (status, told["rows"]) == (200, [])
    for values, said in (
        ({}, "No value was sent for word."),
        ({"word": "x", "most": "many"}, "most has to be"),
        ({"word": "x", "other": 1}, "There is no parameter “other”."),
    ):
        status, told = await run(client, sql, **more, values=values)
        assert (status, told["code"]) == (422, "INVALID_REQUEST")
        assert said in told["message"]
    # DuckDB's grammar takes `:name` behind SELECT for an alias.
    status, told = await run(client, "SELECT :word, :word AS again", parameters=[word], values={"word": "x"})
    assert (status, told["rows"]) == (200, [["x", "x"]])
    # What nobody declared is none.
    status, told = await run(client, "SELECT id FROM texts WHERE t = :word")
    assert (status, told["code"]) == (422, "SQL_REFUSED")


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize(
    ("sql", "said", "status", "verdict"),
    case_rows(__file__, "a_statement_is_checked_against_its_question", "sql", "said", "status", "verdict"),
)
async def test_a_statement_is_checked_against_its_question(
    clients: Clients, sql: str, said: dict[str, str], status: int, verdict: str | None
) -> None:
    client = clients["sqlite"]
    body = {"question": "How many texts are there?", "sql": sql, **said}
    found = await client.call("POST", "/v1/sql-checks", json=body)
    assert (found[0], found[1].get("verdict")) == (status, verdict), found


@pytest.mark.asyncio(loop_scope="session")
async def test_a_rewrite_is_in_the_dialect_of_the_statement(clients: Clients) -> None:
    client = clients["sqlite"]
    body = {"question": "How many texts are there?", "sql": "SELECT [t] FROM [texts]", "dialect": "tsql"}
    _, found = await client.call("POST", "/v1/sql-checks", json=body)
    assert found["rewritten"].replace("[", "").replace("]", "").startswith("SELECT COUNT(*)")
    assert all(set(one) == {"code", "severity", "words", "sql", "message"} for one in found["findings"])


@pytest.mark.parametrize("kind", KINDS)
async def test_what_is_refused_says_why_in_the_one_body(tmp_path: Path, kind: str) -> None:
    async with service(tmp_path, kind, engine_timeout=1) as client:
        endless = "SELECT count(*) FROM texts a, texts b, texts c, texts d, texts e, texts f, texts g, texts h"
        for sql, code in (
            ("DELETE FROM texts", "SQL_REFUSED"),
            ("SELECT * FROM texts; SELECT 1", "SQL_REFUSED"),
            ("SELECT tt FROM nowhere", "SQL_FAILED"),
            ("SELECT FROM WHERE", "SQL_FAILED"),
            (endless, "SQL_TIMED_OUT"),
        ):
            for path, more in ((RUNS, {}), (EXPORTS, {"format": "csv"})):
                status, told = await client.call("POST", path, json={"sql": sql, **more})
                assert (status, told["code"]) == (422, code), told
                assert told["message"]
                assert told["hint"]
                assert told.keys() == {"code", "message", "hint", "request_id"}


@pytest.mark.asyncio(loop_scope="session")
async def test_words_that_are_no_sql_are_told_to_whoever_wrote_them(clients: Clients) -> None:
    client = clients["sqlite"]
    pair = {"id": "p", "question": "How many?", "sql": "count the texts, please"}
    status, told = await client.call("POST", RUNS, json={"sql": pair["sql"]})
    assert (status, told["message"]) == (422, "That is not one SELECT statement.")
    assert told["hint"] == "Correct the statement."
    status, told = await client.call("POST", "/v1/sql-pairs", json={"sql_pairs": [pair]})
    while status in (200, 202) and told.get("status", "indexing") == "indexing":
        status, told = await client.call("GET", f"/v1/sql-pairs/{told['event_id']}?wait=1")
    assert "not saved. That is not one SELECT statement." in str(told)
    status, told = await client.call("POST", "/v1/ask-details", json={"query": "How many?", "sql": pair["sql"]})
    assert status == 202, told
    place = f"/v1/ask-details/{told['query_id']}/result?wait=1"
    while (told := (await client.call("GET", place))[1])["status"] not in ("finished", "failed"):
        pass
    assert told["error"]["message"] == "The SQL does not work. That is not one SELECT statement."


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize("kind", KINDS)
async def test_errors_hold_no_rows(clients: Clients, kind: str) -> None:
    sql = {"sqlite": "SELECT json_extract(t, '$') FROM texts", "duckdb": "SELECT CAST(t AS INTEGER) FROM texts"}[kind]
    client = clients[kind]
    for path, more in ((RUNS, {}), (EXPORTS, {"format": "csv"})):
        status, told = await client.call("POST", path, json={"sql": sql, **more})
        assert status == 422
        assert "cmd" not in str(told)


async def test_a_project_without_a_model_is_not_found(tmp_path: Path) -> None:
    async with running_service(write_config(tmp_path)) as client:
        for path, more in ((RUNS, {}), (EXPORTS, {"format": "csv"})):
            status, told = await client.call("POST", path, json={"sql": "SELECT 1", **more})
            assert (status, told["code"]) == (404, "NOT_FOUND")


async def test_whoever_goes_away_cancels_the_statement(tmp_path: Path) -> None:
    """With one process for queries, the next statement runs only where the one before has ended."""
    path = make_database("duckdb", tmp_path / "odd.duckdb")
    sources = {"default": {"engine": "duckdb", "path": str(path), "pool_size": 1}}
    aliases = ", ".join(f"texts t{number}" for number in range(12))
    endless = f"SELECT sum(t0.id * t1.id + t11.id) FROM {aliases}"
    config = write_config(tmp_path, data_sources=sources, settings={"engine_timeout": 300})
    async with running_service(config) as client:
        await client.prepare(manifest("duckdb"))
        for route, more in ((RUNS, {}), (EXPORTS, {"format": "csv"})):
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(2):
                    await client.call("POST", route, json={"sql": endless, **more})
            async with asyncio.timeout(60):
                assert (await run(client, "SELECT count(*) FROM texts"))[1]["rows"] == [[len(TEXTS)]]


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize("kind", KINDS)
async def test_texts_are_in_every_file_as_they_are(tmp_path: Path, clients: Clients, kind: str) -> None:
    sql = "SELECT id, t FROM texts ORDER BY id"
    client = clients[kind]
    content = await exported(client, sql, "json")
    assert [row["t"] for row in json.loads(content)] == list(TEXTS)
    types, rows = parquet(await exported(client, sql, "parquet"), tmp_path)
    assert (types, [row[1] for row in rows]) == (["BIGINT", "VARCHAR"], list(TEXTS))
    found = cells(await exported(client, sql, "xlsx"))[1:]
    assert [unescape(row[1].value or "") for row in found] == list(TEXTS)
    assert {row[1].data_type for row in found if row[1].value} <= {"s", "inlineStr"}
    assert [row[0].value for row in found] == list(range(len(TEXTS)))
    content = await exported(client, sql, "csv")
    assert content.startswith(b"\xef\xbb\xbfid,t\r\n")
    told = [row[1] for row in csv.reader(io.StringIO(content.decode("utf-8-sig"), newline=""))][1:]
    # What a spreadsheet would run stands behind an apostrophe, and nothing else does.
    harmful = {"=cmd()", "=1+1", "@SUM(1+1)*cmd|' /C calc'!A0", "\ufeff=1", "@x", "-2+3", "%0A=1", "\uff1d1"}
    inside = {"a;=1": "a;'=1", "x\n=1": "x\n'=1", "\n=1": "'\n'=1", "a; - b;\u200b+A1": "a; - b;'\u200b+A1"}
    assert told == [f"'{text}" if text in harmful else inside.get(text, text) for text in TEXTS]


@pytest.mark.asyncio(loop_scope="session")
async def test_values_have_the_types_of_their_columns(tmp_path: Path, clients: Clients) -> None:
    sql = "SELECT * FROM kinds ORDER BY i"
    client = clients["duckdb"]
    types, rows = parquet(await exported(client, sql, "parquet"), tmp_path)
    assert types == ["BIGINT", "DECIMAL(10,2)", "DOUBLE", "DATE", "TIMESTAMP", "BLOB"]
    assert [str(cell) for cell in rows[0]] == [
        "9007199254740993", "-12.50", "1e+308", "2024-02-29", "2024-02-29 13:14:15", str(b"\x00\xff")
    ]  # fmt: skip
    assert [str(cell) for cell in rows[1]] == ["None", "None", "nan", "None", "None", "None"]
    found = [[cell.value for cell in row] for row in cells(await exported(client, sql, "xlsx"))]
    assert [str(value) for value in found[1]] == [
        # More digits than Excel shows.
        "9007199254740993", "-12.5", "1e+308", "2024-02-29 00:00:00", "2024-02-29 13:14:15", "AP8="
    ]  # fmt: skip
    assert isinstance(found[1][0], str)
    assert found[2] == [None, None, "NaN", None, None, None]
    rows = json.loads(await exported(client, sql, "json"))
    assert list(rows[0].items()) == [
        ("i", "9007199254740993"), ("d", "-12.50"), ("f", 1e308),
        ("day", "2024-02-29"), ("moment", "2024-02-29T13:14:15"), ("b", "AP8="),
    ]  # fmt: skip


async def test_a_column_of_several_types_is_text(tmp_path: Path) -> None:
    path = tmp_path / "odd.sqlite"
    make_database("sqlite", path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM kinds")
        mixed = [(1, 1.5, b"ab"), ("01", "x", "abcd"), (None, None, None)]
        connection.executemany("INSERT INTO kinds (i, f, b) VALUES (?, ?, ?)", mixed)
    sources = {"default": {"engine": "sqlite", "path": str(path)}}
    async with running_service(write_config(tmp_path, data_sources=sources)) as client:
        await client.prepare(manifest("sqlite"))
        types, rows = parquet(await exported(client, "SELECT i, f, b FROM kinds", "parquet"), tmp_path)
        assert types == ["BIGINT", "VARCHAR", "VARCHAR"]
        assert [str(row[1]) for row in rows] == ["1.5", "x", "None"]
        assert [row[2] for row in rows] == ["YWI=", "abcd", None]
        _, content, _ = await export(client, "SELECT 7 AS n UNION ALL SELECT '007'", "xlsx")
        assert [row[0].value for row in cells(content)] == ["n", 7, "007"]


@pytest.mark.asyncio(loop_scope="session")
async def test_columns_of_one_name_and_odd_names(tmp_path: Path, clients: Clients) -> None:
    sql = """SELECT id AS a, id AS a, id AS "A", id AS "__proto__", id AS "=x()", id AS "q""uo;te" FROM texts LIMIT 1"""
    client = clients["duckdb"]
    content = await exported(client, sql, "csv")
    assert content.decode("utf-8-sig").splitlines()[0] == 'a,a,A,__proto__,\'=x(),"q""uo;te"'
    assert list(json.loads(await exported(client, sql, "json"))[0]) == [
        "a", "a_2", "A", "__proto__", "=x()", 'q"uo;te',
    ]  # fmt: skip
    names = [cell.value for cell in cells(await exported(client, sql, "xlsx"))[0]]
    assert names == ["a", "a", "A", "__proto__", "=x()", 'q"uo;te']
    file = tmp_path / "names.parquet"
    file.write_bytes(await exported(client, sql, "parquet"))
    assert duckdb.sql(f"SELECT * FROM read_parquet({quoted(str(file))})").columns == [
        "a", "a_2", "A_3", "__proto__", "=x()", 'q"uo;te',
    ]  # fmt: skip


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize("form", ["csv", "xlsx", "json", "parquet"])
async def test_a_file_without_rows_has_its_columns(tmp_path: Path, clients: Clients, form: str) -> None:
    client = clients["duckdb"]
    content = await exported(client, "SELECT id, t FROM texts WHERE id < 0", form)
    match form:
        case "csv":
            assert content.decode("utf-8-sig") == "id,t\r\n"
        case "json":
            assert json.loads(content) == []
        case "xlsx":
            assert [[cell.value for cell in row] for row in cells(content)] == [["id", "t"]]
        case _:
            assert parquet(content, tmp_path) == (["BIGINT", "VARCHAR"], [])


@pytest.mark.asyncio(loop_scope="session")
async def test_the_name_of_a_file_is_safe_everywhere(clients: Clients) -> None:
    client = clients["sqlite"]
    for name, said in case_table(__file__, "the_name_of_a_file_is_safe_everywhere"):
        _, _, headers = await export(client, "SELECT 1 AS n", "csv", name=name)
        assert f'filename="{said}"' in headers["Content-Disposition"], headers
    _, _, headers = await export(client, "SELECT 1 AS n", "csv", name="Größe 図")
    assert headers["Content-Disposition"] == (
        "attachment; filename=\"Gr__e _.csv\"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%20%E5%9B%B3.csv"
    )
    assert headers["Content-Type"] == "text/csv; charset=utf-8"
    assert headers["X-Content-Type-Options"] == "nosniff"
    status, told = await client.call("POST", EXPORTS, json={"sql": "SELECT 1", "format": "csv", "name": "a\nb"})
    assert (status, told["code"]) == (422, "INVALID_REQUEST")


async def test_a_result_that_does_not_fit_is_no_file(tmp_path: Path) -> None:
    async with service(tmp_path, "duckdb", export_row_limit=5) as client:
        for form in ("csv", "xlsx", "json", "parquet"):
            status, content, _ = await export(client, "SELECT id FROM texts", form)
            told = json.loads(content)
            assert (status, told["code"]) == (422, "RESULT_TOO_LARGE")
            assert "more than 5 rows, which is settings.export_row_limit" in told["message"]
            assert (await export(client, "SELECT id FROM texts LIMIT 5", form))[0] == 200
        long = "SELECT repeat(t, 5000) AS long FROM texts WHERE id = 0"
        status, content, _ = await export(client, long + " OR id = 1", "xlsx")
        assert status == 200
        status, content, _ = await export(client, long.replace("5000", "6000"), "xlsx")
        assert (status, json.loads(content)["code"]) == (422, "RESULT_TOO_LARGE")
        assert "32,767 characters" in json.loads(content)["message"]
        assert (await export(client, long.replace("5000", "6000"), "csv"))[0] == 200


async def test_nothing_stays_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "tmp"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    async with service(tmp_path, "duckdb", export_row_limit=50) as client:
        for form in ("csv", "xlsx", "parquet"):
            await exported(client, "SELECT * FROM texts", form)
        assert (await export(client, "SELECT a.id FROM texts a, texts b", "csv"))[0] == 422
        assert (await export(client, "SELECT CAST(t AS INTEGER) FROM texts", "csv"))[0] == 422
        assert [one.name for one in place.iterdir() if one.name.startswith("askwell-rows")] == []


async def test_without_openpyxl_workbooks_are_told_to_be_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with service(tmp_path) as client:
        monkeypatch.setattr("askwell.row_files.files.find_spec", lambda _: None)
        status, content, _ = await export(client, "SELECT id FROM texts", "xlsx")
        assert (status, json.loads(content)["code"]) == (501, "NOT_INSTALLED")


@pytest.mark.asyncio(loop_scope="session")
async def test_moments_are_told_in_the_time_zone_of_the_request(tmp_path: Path, clients: Clients) -> None:
    sql = "SELECT CAST('2024-07-01 12:00:00+00' AS TIMESTAMPTZ) AS moment FROM texts WHERE id = 0"
    zone = {"configurations": {"timezone": {"name": "Europe/Berlin"}}}
    client = clients["duckdb"]
    assert (await run(client, sql, **zone))[1]["rows"] == [["2024-07-01T14:00:00+02:00"]]
    _, content, _ = await export(client, sql, "xlsx", **zone)
    assert str(cells(content)[1][0].value) == "2024-07-01 14:00:00"
    _, content, _ = await export(client, sql, "parquet", **zone)
    assert parquet(content, tmp_path)[0] == ["TIMESTAMP WITH TIME ZONE"]


async def test_a_persons_rules_and_limits_hold_and_the_audit_log_knows(tmp_path: Path) -> None:
    with database("sqlite", tmp_path) as source:
        shutil.copy(str(source.entry["path"]), tmp_path / f"{ALPHA}.sqlite")
    async with house(tmp_path, sign_in={"limits": {"requests": 0, "asks": 9, "failures": 0}}) as home:
        await prepared(home, ALPHA, ruled_manifest("SQLITE"))
        await prepared(home, BETA)
        ann = await home.somebody("Ann", attributes={"region": "EMEA"})
        nil = await home.somebody("Nil")
        sql = "SELECT id, note FROM deals ORDER BY id"
        status, told = await ann.call("POST", RUNS, json={"sql": sql, "project_id": ALPHA})
        assert (status, [row[0] for row in told["rows"]]) == (200, [1, 2, 3]), told
        for form in ("csv", "json"):
            status, content = await ann.call("POST", EXPORTS, json={"sql": sql, "project_id": ALPHA, "format": form})
            assert status == 200
            assert "Amberkanari" in str(content)
        status, told = await ann.call("POST", RUNS, json={"sql": "SELECT badge FROM staff", "project_id": ALPHA})
        assert status == 422, told
        for form in ("csv", "xlsx", "parquet"):
            body = {"sql": sql, "project_id": ALPHA, "format": form}
            assert (await nil.call("POST", EXPORTS, json=body))[0] == 422
        for path in (RUNS, EXPORTS):
            body = {"sql": "SELECT id FROM orders", "project_id": BETA, "format": "csv"}
            status, told = await ann.call("POST", path, json=body)
            assert (status, told["code"]) == (404, "NOT_FOUND")
        seen = " ".join([*ann.seen, *nil.seen])
        assert [word for word in FORBIDDEN if word in seen] == []
        # Each counts like a question.
        statuses = [(await ann.call("POST", RUNS, json={"sql": sql, "project_id": ALPHA}))[0] for _ in range(6)]
        assert statuses == [200] * 5 + [429]
    lines = [line for line in home.audit() if line["event"] == "tool" and line["name"] == "Ann"]
    first, second, _, refused = lines[:4]
    assert (first["kind"], first["project"], first["tables"], first["rows"]) == ("sql_run", ALPHA, ["deals"], 3)
    assert (second["kind"], second["tables"], second["rows"]) == ("sql_export", ["deals"], 3)
    assert (refused["tables"], "rows" in refused) == (["staff"], False)
    assert "SELECT" not in str(lines)


@pytest.mark.deep
@pytest.mark.parametrize("form", ["csv", "json", "parquet", "xlsx"])
async def test_a_million_rows_are_written_in_little_memory(tmp_path: Path, form: str) -> None:
    path = tmp_path / "big.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            "CREATE TABLE texts AS SELECT i::INTEGER AS id, 'a text of some length, number ' || i AS t "
            "FROM range(1000000) r(i)"
        )
        connection.execute(
            "CREATE TABLE kinds (i BIGINT, d DECIMAL(10,2), f DOUBLE, day DATE, moment TIMESTAMP, b BLOB)"
        )
    sources = {"default": {"engine": "duckdb", "path": str(path)}}
    config = write_config(tmp_path, data_sources=sources, settings={"engine_timeout": 300})
    me = psutil.Process()
    async with running_service(config) as client:
        await client.prepare(manifest("duckdb"))
        await exported(client, "SELECT id, t FROM texts LIMIT 10", form)
        before, most, children = me.memory_info().rss, 0, 0

        async def look() -> None:
            nonlocal most, children
            while True:
                most = max(most, me.memory_info().rss)
                for child in me.children(recursive=True):
                    with contextlib.suppress(psutil.Error):
                        children = max(children, child.memory_info().rss)
                await asyncio.sleep(0.05)

        looking = asyncio.create_task(look())
        body = {"sql": "SELECT id, t FROM texts", "format": form}
        size = 0
        limit = aiohttp.ClientTimeout(600)
        async with client.session.post(f"{client.url}{EXPORTS}", json=body, timeout=limit) as response:
            assert response.status == 200
            async for piece in response.content.iter_chunked(1 << 16):
                size += len(piece)
        looking.cancel()
    assert size > 1_000_000
    assert most - before < 150 << 20, (most - before) >> 20
    assert children < 900 << 20, children >> 20
