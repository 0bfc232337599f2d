"""Files that people send: each a project of its own, through restarts; and what hostile ones come to."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import aiohttp
import duckdb
import pytest

from askwell.config import load_config
from askwell.errors import ConfigurationError
from tests.access.house import ADMIN_KEY, ALPHA, Caller, house_config
from tests.support import tiny_shop
from tests.support.commands import run_askwell
from tests.support.service import Client, running_service, write_config

ON = {"enabled": True, "max_mb": 8, "projects_at_most": 3}


def form(content: bytes, name: str, project_id: str | None = None) -> aiohttp.FormData:
    made = aiohttp.FormData(quote_fields=False)  # as browsers send names
    made.add_field("file", content, filename=name, content_type="application/octet-stream")
    if project_id is not None:
        made.add_field("project_id", project_id)
    return made


async def send(http: Client, content: bytes, name: str, project_id: str | None = None) -> tuple[int, Any]:
    return await http.call("POST", "/v1/uploads", data=form(content, name, project_id))


async def prepared(caller: Client | Caller, where: str) -> dict[str, Any]:
    """The status at this address once the preparation is over."""
    for _ in range(600):
        status, preparation = await caller.call("GET", where)
        assert status == 200, preparation
        if preparation["status"] != "indexing":
            return dict(preparation)
        await asyncio.sleep(0.02)
    raise AssertionError(preparation)


async def sent(http: Client, content: bytes, name: str, project_id: str | None = None) -> str:
    """The project, prepared."""
    async with http.session.post(f"{http.url}/v1/uploads", data=form(content, name, project_id)) as answer:
        told = await answer.json()
        assert answer.status == 202, told
        where = answer.headers["Location"]
    preparation = await prepared(http, where)
    assert preparation["status"] == "finished", preparation
    assert preparation["id"] == told["mdl_hash"]
    return str(told["project_id"])


def shop(folder: Path) -> bytes:
    path = folder / "tiny.sqlite"
    return (path if path.exists() else tiny_shop.make_database(path)).read_bytes()


def duckdb_file(folder: Path, *statements: str) -> bytes:
    path = folder / "made.duckdb"
    path.unlink(missing_ok=True)
    with duckdb.connect(str(path)) as connection:
        for statement in statements:
            connection.execute(statement)
    return path.read_bytes()


def sqlite_file(folder: Path, *statements: str) -> bytes:
    path = folder / "made.sqlite"
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()
    return path.read_bytes()


async def rows(http: Client, project_id: str, question: str) -> Any:
    result = await http.answer(question, project_id=project_id, execute=True)
    return result["data"]["rows"] if "data" in result else result


async def test_each_file_is_a_project_through_restarts_until_it_is_removed(tmp_path: Path) -> None:
    config = write_config(tmp_path, uploads=ON)
    sales = b"id,customer,amount\n1,Ann,10.5\n2,Bob,4\n3,Ann,1\n"
    ducks = duckdb_file(
        tmp_path, "CREATE TABLE ducks (id INTEGER PRIMARY KEY, name TEXT)", "INSERT INTO ducks VALUES (1, 'Dora')"
    )
    async with running_service(config) as http:
        first = await sent(http, shop(tmp_path), "My Shop (2026).db")
        second = await sent(http, sales, "sales figures.csv", "Team Sales")
        third = await sent(http, ducks, "ducks.duckdb")
        assert first.startswith("my-shop-2026-")
        assert second.startswith("team-sales-")
        full = await send(http, sales, "sales.csv")
        assert (full[0], full[1]["code"]) == (409, "CONFLICT")
    for _ in range(2):
        async with running_service(config) as http:
            _, listed = await http.call("GET", "/v1/projects")
            called = {project["id"]: project.get("database") for project in listed["projects"]}
            assert [called[one] for one in (first, second, third)] == ["My Shop (2026)", "sales figures", "ducks"]
            assert await rows(http, first, "How many orders are there?") == [[4]]
            assert await rows(http, second, "How many sales figures are there?") == [[3]]
            assert await rows(http, third, "How many ducks are there?") == [[1]]
    async with running_service(config) as http:
        assert await http.call("DELETE", f"/v1/uploads/{second}") == (200, {"project_id": second})
        assert (await http.call("DELETE", f"/v1/uploads/{second}"))[0] == 404
        assert (await http.call("DELETE", "/v1/uploads/default"))[0] == 404
        gone = await rows(http, second, "How many sales figures are there?")
        assert gone["status"] == "failed"
        assert await rows(http, first, "How many orders are there?") == [[4]]
    kept = list((tmp_path / "home" / "uploads").iterdir())
    assert len(kept) == 2
    assert all(len(one.name) == 32 and one.stat().st_mode & 0o077 == 0 for one in kept)


def _garbage(_: Path) -> tuple[bytes, str]:
    return b"\x7fELF" + bytes(range(256)) * 40, "x.sqlite"


def _cut_off(folder: Path) -> tuple[bytes, str]:
    return shop(folder)[:3000], "cut.sqlite"


def _ruined_duckdb(folder: Path) -> tuple[bytes, str]:
    whole = duckdb_file(folder, "CREATE TABLE t AS SELECT range AS n FROM range(100)")
    return whole[:4096] + b"\xff" * 4096 + whole[8192:], "t.duckdb"


def _cut_off_duckdb(folder: Path) -> tuple[bytes, str]:
    """One that opens, since its catalogue is whole, and whose last rows are not there."""
    rows = "SELECT range AS id, md5(range::VARCHAR) AS word FROM range(100_000)"
    whole = duckdb_file(folder, "CREATE TABLE few AS SELECT 1 AS id", f"CREATE TABLE many AS {rows}")
    return whole[: len(whole) - (1 << 20)], "t.duckdb"


def _ruined_rows(folder: Path) -> tuple[bytes, str]:
    """A SQLite file whose last page, of rows alone, is not what it was."""
    words = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) SELECT i, hex(i) FROM n"
    whole = sqlite_file(folder, "CREATE TABLE t (id INTEGER PRIMARY KEY, word TEXT)", f"INSERT INTO t {words}")
    return whole[:-4096] + b"\xff" * 4096, "t.db"


HOSTILE: list[tuple[Callable[[Path], tuple[bytes, str]], str]] = [
    (lambda _: (b"", "x.csv"), "The file is empty."),
    (lambda _: (b"a,b\n1,2\n", "x.sqlite"), "isn't a SQLite or DuckDB database or a CSV file"),
    (lambda _: (b"%PDF-1.7 \x00\x01", "x.csv"), "can't be loaded"),
    (lambda _: (b"id,text\n1," + b"x" * 5_000_000, "x.csv"), "is too long"),
    (lambda _: (b"x" * 5_000_000, "x.csv"), "can't be loaded"),
    (lambda _: (b'id,text\n1,"never closed\n2,b\n', "x.csv"), "can't be loaded"),
    (lambda folder: (shop(folder), "x.csv"), "is called .csv, but it is a database"),
    (lambda folder: (sqlite_file(folder, "CREATE TABLE t (a)", "DROP TABLE t"), "x.db"), "no table"),
    (_garbage, "isn't a SQLite or DuckDB database or a CSV file"),
    (_cut_off, "The file can't be used: "),
    (_ruined_duckdb, "The file can't be used: "),
    (_cut_off_duckdb, "The file can't be used: It is damaged."),
    (_ruined_rows, "The file can't be used: It is damaged."),
]


async def test_what_cannot_be_used_is_refused_in_a_sentence_and_leaves_nothing(tmp_path: Path) -> None:
    async with running_service(write_config(tmp_path, uploads=ON)) as http:
        for make, said in HOSTILE:
            content, name = make(tmp_path)
            status, told = await send(http, content, name)
            assert status == 422, (said, told)
            assert said in told["message"], told
            assert str(tmp_path) not in str(told)
            assert "Traceback" not in str(told)
        status, told = await send(http, b"x" * (9 * 1024 * 1024), "large.csv")
        assert status == 413
        assert (await http.call("POST", "/v1/uploads", json={}))[0] == 422
        assert (await http.call("POST", "/v1/uploads", data={"project_id": "x"}))[0] == 422
    assert list((tmp_path / "home" / "uploads").iterdir()) == []


async def test_views_that_cannot_be_read_are_left_out(tmp_path: Path) -> None:
    broken = sqlite_file(
        tmp_path,
        "CREATE TABLE birds (id INTEGER PRIMARY KEY, name TEXT)",
        "INSERT INTO birds VALUES (1, 'Dora')",
        "CREATE TABLE gone (a)",
        "CREATE VIEW v AS SELECT a FROM gone",
        "CREATE VIEW loads AS SELECT load_extension('/tmp/zq.so') AS x",
        "DROP TABLE gone",
    )
    async with running_service(write_config(tmp_path, uploads=ON)) as http:
        project = await sent(http, broken, "broken.db")
        assert await rows(http, project, "How many birds are there?") == [[1]]


async def test_nothing_that_a_file_holds_runs_or_reads_another(tmp_path: Path) -> None:
    secret = tmp_path / "secret.csv"
    secret.write_text("word\nzqsecret\n")
    trap = sqlite_file(
        tmp_path,
        "CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT)",
        "INSERT INTO people VALUES (1, 'Ann')",
        "CREATE TRIGGER t AFTER INSERT ON people BEGIN DELETE FROM people; END",
        "CREATE VIRTUAL TABLE words USING fts5(body)",
    )
    ducks = duckdb_file(
        tmp_path,
        "CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT)",
        "INSERT INTO people VALUES (1, 'Ann')",
        f"CREATE VIEW stolen AS SELECT * FROM read_csv('{secret}')",
        f"CREATE MACRO count_star() AS TABLE SELECT * FROM read_text('{secret}')",
        f"CREATE MACRO lower(x) AS (SELECT content FROM read_text('{secret}'))",
    )
    async with running_service(write_config(tmp_path, uploads=ON)) as http:
        for content, name in ((trap, "trap.db"), (ducks, "trap.duckdb")):
            status, told = await send(http, content, name)
            assert status == 202, told
            project = told["project_id"]
            where = f"/v1/semantics-preparations/{told['mdl_hash']}/status?project_id={project}"
            await prepared(http, where)
            assert await rows(http, project, "How many people are there?") == [[1]]
            for question in ("show all stolen", "list the words of stolen", "how many stolen are there?"):
                assert "zqsecret" not in str(await http.answer(question, project_id=project, execute=True))
    assert secret.read_text() == "word\nzqsecret\n"
    for file in (tmp_path / "home").rglob("*"):
        if file.is_file() and file.parent.name != "uploads":
            assert b"zqsecret" not in file.read_bytes()


async def test_the_doctor_holds_no_uploaded_model_against_another_database(tmp_path: Path) -> None:
    config = write_config(tmp_path, uploads=ON)
    async with running_service(config) as http:
        await http.prepare()
        await sent(http, b"id,customer,amount\n1,Ann,10.5\n", "sales.csv")
    command = ("doctor", "--config", str(config))
    said = await asyncio.to_thread(run_askwell, *command, cwd=tmp_path, environ={"PATH": "/bin"})
    assert said.returncode == 0, said.stdout
    assert "default: the model m1 fits" in said.stdout


async def test_without_the_setting_nothing_is_taken(tmp_path: Path) -> None:
    async with running_service(write_config(tmp_path)) as http:
        status, told = await send(http, b"a,b\n1,2\n", "x.csv")
    assert (status, told["code"]) == (403, "FORBIDDEN")
    assert "uploads: {enabled: true}" in told["hint"]


async def test_a_project_is_of_whoever_sent_it(tmp_path: Path) -> None:
    environ = {"ASKWELL_SIGN_IN__ADMIN_KEY": ADMIN_KEY}
    async with running_service(house_config(tmp_path, uploads=ON), environ) as service:
        root = Caller(service, "root", ADMIN_KEY)

        async def somebody(role: str) -> Caller:
            body = {"name": role, "role": role, "projects": [ALPHA]}
            status, told = await root.call("POST", "/v1/keys", json=body)
            assert status == 201
            return Caller(service, role, told["key"], told["id"])

        ann, ben, curator = await somebody("admin"), await somebody("admin"), await somebody("curate")
        assert (await curator.call("POST", "/v1/uploads", data=form(shop(tmp_path), "a.db")))[0] == 403
        status, told = await ann.call("POST", "/v1/uploads", data=form(shop(tmp_path), "a.db"))
        assert status == 202, told
        project = told["project_id"]
        where = f"/v1/semantics-preparations/{told['mdl_hash']}/status?project_id={project}"
        await prepared(ann, where)
        asked = await ann.ask("How many orders are there?", project, execute=True)
        assert (await ann.end(f"/v1/asks/{asked}/result"))["data"]["rows"] == [[4]]
        assert project in (await ann.call("GET", "/v1/me"))[1]["projects"]
        assert (await ben.call("GET", where))[0] == 404
        assert (await ben.call("POST", "/v1/asks", json={"query": "How many?", "project_id": project}))[0] == 404
        assert (await ben.call("DELETE", f"/v1/uploads/{project}"))[0] == 404
        assert (await root.call("GET", where))[0] == 200
        assert (await ann.call("DELETE", f"/v1/uploads/{project}"))[0] == 200


def test_several_processes_do_not_take_files(tmp_path: Path) -> None:
    config = write_config(
        tmp_path,
        uploads=ON,
        jobs={"redis": "redis://127.0.0.1:6379/0"},
        knowledge={"url": "postgresql://askwell@127.0.0.1/askwell"},
    )
    with pytest.raises(ConfigurationError, match=r"uploads\.enabled keeps files in the home of one process"):
        load_config(config, {})


async def test_a_file_that_is_sent_counts_as_what_starts_work(tmp_path: Path) -> None:
    limits = {"requests": 0, "asks": 1, "failures": 0}
    environ = {"ASKWELL_SIGN_IN__ADMIN_KEY": ADMIN_KEY}
    async with running_service(house_config(tmp_path, uploads=ON, sign_in={"limits": limits}), environ) as service:
        root = Caller(service, "root", ADMIN_KEY)
        sent = [await root.call("POST", "/v1/uploads", data=form(shop(tmp_path), "a.db")) for _ in range(2)]
        assert [status for status, _ in sent] == [202, 429]
