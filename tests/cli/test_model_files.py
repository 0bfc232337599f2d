"""`askwell model import`, `template`, `export` and `push`."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest
from openpyxl import Workbook

from askwell.messages import say
from tests.cli.test_commands import run
from tests.mdl.importers.test_dbt import project
from tests.mdl.importers.test_ossie import semantic_model
from tests.support import tiny_shop
from tests.support.service import Client, running_service, write_config


def workbook(path: Path, *rows: list[Any]) -> None:
    book = Workbook()
    for row in rows:
        book.active.append(row)
    book.save(path)


class TestImport:
    def test_a_workbook_beside_its_database(self, tmp_path: Path) -> None:
        with sqlite3.connect(tmp_path / "shop.db") as connection:
            connection.execute("CREATE TABLE CUST (ID INTEGER, NM TEXT)")
        head = ["Table", "Column", "Physical name", "Physical table", "PK"]
        workbook(tmp_path / "m.xlsx", head, ["customers", "id", None, "cust", "yes"], ["customers", "name", "nm"])
        arguments = ("model", "import", "m.xlsx", "--database", "shop.db", "-o", "m.json")
        said = run(*arguments, folder=tmp_path)
        assert said.returncode == 0, said.stderr
        (model,) = json.loads((tmp_path / "m.json").read_text())["models"]
        assert [column["type"] for column in model["columns"]] == ["INTEGER", "TEXT"]
        assert "m.json exists and was not overwritten" in run(*arguments, folder=tmp_path).stderr
        with sqlite3.connect(tmp_path / "shop.db") as connection:
            connection.execute("ALTER TABLE CUST RENAME COLUMN NM TO NAMES")
        lacking = run(*arguments, "--force", folder=tmp_path)
        assert lacking.returncode == 1
        assert "Nearest: NAMES" in lacking.stderr or "NAMES" in lacking.stderr

    def test_problems_are_all_told_and_nothing_is_written(self, tmp_path: Path) -> None:
        workbook(tmp_path / "m.xlsx", ["Table", "Column", "PK"], *(["t", f"c{n}", "hm"] for n in range(40)))
        said = run("model", "import", "m.xlsx", "-o", "m.json", folder=tmp_path)
        assert said.returncode == 1
        assert [line.split(":")[1].strip() for line in said.stderr.splitlines() if line.startswith("problem:")] == [
            f"Sheet!C{number}" for number in range(2, 42)
        ]
        assert say("cli.no_model_written", problems="40 problems").message in said.stderr
        assert not (tmp_path / "m.json").exists()

    def test_what_a_file_holds_is_told_by_its_name_and_start(self, tmp_path: Path) -> None:
        (tmp_path / "manifest.json").write_text(json.dumps(project()))
        (tmp_path / "ossie.json").write_text(json.dumps({"version": "0.1.1", "semantic_model": [semantic_model()]}))
        (tmp_path / "thing.txt").write_text("hello")
        dbt = run("model", "import", "manifest.json", folder=tmp_path)
        assert [one["name"] for one in json.loads(dbt.stdout)["models"]] == ["customers", "orders", "lines"]
        ossie = run("model", "import", "ossie.json", folder=tmp_path)
        assert [one["name"] for one in json.loads(ossie.stdout)["models"]] == ["sales", "items"]
        for arguments, words in (
            (["thing.txt"], "Name its format with --format"),
            (["none.xlsx"], "There is no none.xlsx"),
            (["thing.txt", "--format", "excel"], "is not a workbook"),
            (["thing.txt", "--format", "dbt"], "is not JSON"),
        ):
            said = run("model", "import", *arguments, folder=tmp_path)
            assert said.returncode == 2
            assert words in said.stderr
            assert "Traceback" not in said.stderr

    @pytest.mark.parametrize("arguments", [["import", "m.xlsx"], ["template", "t.xlsx"]])
    def test_without_openpyxl_it_says_what_to_install(self, tmp_path: Path, arguments: list[str]) -> None:
        (tmp_path / "m.xlsx").write_bytes(b"PK")
        program = (
            "import sys; sys.modules['openpyxl'] = None; "
            f"from askwell.cli.main import app; app(['model', *{arguments}])"
        )
        said = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, timeout=60)
        assert said.returncode == 2
        assert 'pip install "askwell[excel]"' in said.stderr

    def test_init_takes_the_same_files(self, tmp_path: Path) -> None:
        assert run("model", "init", "--template", "t.xlsx", folder=tmp_path).returncode == 0
        first = run("model", "init", "--excel", "t.xlsx", folder=tmp_path)
        assert first.stdout == run("model", "import", "t.xlsx", folder=tmp_path).stdout
        for arguments in ((), ("--excel", "t.xlsx", "--dbt", "m.json"), ("--template", "x", "--database", "y")):
            assert run("model", "init", *arguments, folder=tmp_path).returncode == 2


class TestExport:
    def test_there_and_back(self, tmp_path: Path) -> None:
        (tmp_path / "m.json").write_text(json.dumps(tiny_shop.manifest()))
        said = run("model", "export", "m.json", "--format", "ossie", "-o", "m.yaml", folder=tmp_path)
        assert said.returncode == 0, said.stderr
        back = run("model", "import", "m.yaml", "-o", "back.json", folder=tmp_path)
        assert back.returncode == 0, back.stderr
        names = [one["name"] for one in json.loads((tmp_path / "back.json").read_text())["models"]]
        assert names == [one["name"] for one in tiny_shop.manifest()["models"]]

    def test_a_model_with_problems_is_not_exported(self, tmp_path: Path) -> None:
        (tmp_path / "m.json").write_text('{"catalog": "c"}')
        said = run("model", "export", "m.json", folder=tmp_path)
        assert (said.returncode, said.stdout) == (1, "")
        assert "problem: " in said.stderr


def no_model(handler: BaseHTTPRequestHandler) -> None:
    """As a service answers that has no model of a project."""
    handler.send_response(404)
    handler.end_headers()
    handler.wfile.write(json.dumps({"code": "NOT_FOUND", "message": "There is none.", "hint": ""}).encode())


class ClosesEarly(BaseHTTPRequestHandler):
    """Refuses a project, and closes the connection for another before the body is read."""

    seen: ClassVar[list[dict[str, Any]]] = []

    def do_GET(self) -> None:
        no_model(self)

    def do_POST(self) -> None:
        if int(self.headers["Content-Length"]) > 5_000_000:
            self.connection.close()
            return
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        type(self).seen.append(body)
        answer = json.dumps({"code": "BUSY", "message": "The queue is full.", "hint": "Come back."}).encode()
        self.send_response(429)
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_: object) -> None:
        pass


class CountsSlowly(BaseHTTPRequestHandler):
    """Takes any model, and tells of two hundred parts, one by one."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self._answer("application/json", json.dumps({"id": "label"}))

    def do_GET(self) -> None:
        if self.path.startswith("/v1/semantics?"):
            no_model(self)
            return
        made = [{"stage": "indexing", "done": done, "total": 200} for done in range(200)]
        told = [("state", {"status": "indexing", "progress": one}) for one in made]
        told.append(("done", {"status": "finished", "progress": {"stage": "indexing", "done": 200, "total": 200}}))
        lines = (f"id: {number}\nevent: {kind}\ndata: {json.dumps(one)}\n\n" for number, (kind, one) in enumerate(told))
        self._answer("text/event-stream", "".join(lines))

    def _answer(self, kind: str, text: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_: object) -> None:
        pass


def _served(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


@pytest.fixture
def counting() -> Iterator[str]:
    yield from _served(CountsSlowly)


@pytest.fixture
def refusing() -> Iterator[str]:
    yield from _served(ClosesEarly)


class TestPush:
    async def test_a_model_larger_than_a_command_line_is_sent_and_followed(self, tmp_path: Path) -> None:
        large = tiny_shop.manifest() | {"properties": {"notes": ["x" * 50_000] * 60}}
        (tmp_path / "large.json").write_text("\ufeff" + json.dumps(large), encoding="utf-8")
        wrong = tiny_shop.manifest()
        wrong["models"][0]["primaryKey"] = "nope"
        (tmp_path / "wrong.json").write_text(json.dumps(wrong))
        async with running_service(write_config(tmp_path)) as http:
            sent = await push("large.json", "--url", http.url, "--project", "a.b", "--json", folder=tmp_path)
            assert sent.returncode == 0, sent.stderr
            status = json.loads(sent.stdout)
            assert (status["status"], len(status["id"])) == ("finished", 64)
            refused = await push("wrong.json", "--url", http.url, folder=tmp_path)
            assert refused.returncode == 1
            assert '"nope" is not a column' in refused.stderr
            assert await http.ask("How many customers are there?", project_id="a.b")

    def test_what_a_service_refuses_is_told(self, tmp_path: Path, refusing: str) -> None:
        (tmp_path / "m.json").write_text(json.dumps(tiny_shop.manifest()))
        said = run("model", "push", "m.json", "--url", refusing, "--project", 'x"y', folder=tmp_path)
        assert (said.returncode, "The queue is full." in said.stderr) == (1, True)
        assert ClosesEarly.seen[-1] == {"project_id": 'x"y', "mdl": tiny_shop.manifest()}
        (tmp_path / "big.json").write_text(json.dumps({"properties": {"pad": "x" * 6_000_000}}))
        said = run("model", "push", "big.json", "--url", refusing, folder=tmp_path)
        assert (said.returncode, "closed the connection" in said.stderr) == (1, True)

    def test_progress_has_a_total_and_goes_on_in_a_log(self, tmp_path: Path, counting: str) -> None:
        (tmp_path / "m.json").write_text(json.dumps(tiny_shop.manifest()))
        said = run("model", "push", "m.json", "--url", counting, folder=tmp_path)
        assert said.returncode == 0, said.stderr
        expected = [f"note: indexing {done} of 200" for done in range(0, 201, 20)]
        assert [line for line in said.stderr.splitlines() if line.startswith("note: ")] == expected

    def test_what_is_no_model_is_not_sent(self, tmp_path: Path, refusing: str) -> None:
        ClosesEarly.seen.clear()
        for content in ("[]", "{", '{"mdl": 1}, "project_id": "other"', ""):
            (tmp_path / "m.json").write_text(content)
            assert run("model", "push", "m.json", "--url", refusing, folder=tmp_path).returncode == 2
        assert run("model", "push", "none.json", "--url", refusing, folder=tmp_path).returncode == 2
        assert run("model", "push", "m.json", "--url", "ftp://x", folder=tmp_path).returncode == 2
        assert ClosesEarly.seen == []


class TestWhatPeopleWrote:
    async def test_it_is_kept_where_the_file_has_none(self, tmp_path: Path) -> None:
        async with running_service(write_config(tmp_path)) as http:
            fresh = tiny_shop.manifest()
            del fresh["models"][1]["properties"]
            (tmp_path / "m.json").write_text(json.dumps(fresh))
            first = await push("m.json", folder=tmp_path, ASKWELL_URL=http.url)
            assert (first.returncode, "Kept of" in first.stderr) == (0, False), first.stderr
            await describe(
                http,
                {"table": "orders", "description": "Ce qu’on a vendu.", "synonyms": ["sales"]},
                {"table": "orders", "column": "status", "display_name": "State"},
                {"table": "customers", "description": "Those who pay."},
                {"table": "customers", "column": "country", "description": "Where they live."},
                {"table": "paid_orders", "synonyms": ["income"]},
            )
            drafted = fresh | {"models": [dict(one) for one in fresh["models"]]}
            drafted["models"][0]["columns"] = [one for one in fresh["models"][0]["columns"] if one["name"] != "country"]
            drafted["models"][1]["columns"] = [
                one for one in fresh["models"][1]["columns"] if one["name"] != "customer_country"
            ]
            (tmp_path / "m.json").write_text(json.dumps(drafted))
            sent = await push("m.json", "--json", folder=tmp_path, ASKWELL_URL=http.url)
            assert sent.returncode == 0, sent.stderr
            assert "has none there: 1 description, 1 display name, 2 synonym lists." in sent.stderr
            assert "the file does not have them: customers.country\n" in sent.stderr
            assert "those of the file count, for customers\n" in sent.stderr
            told = json.loads(sent.stdout)
            assert told["kept"] == {"description": 1, "display_name": 1, "synonyms": 2, "unit": 0}
            assert told["not_kept"] == ["customers.country", "customers"]
            found = await tables(http)
            assert (found["orders"]["description"], found["orders"]["synonyms"]) == ("Ce qu’on a vendu.", ["sales"])
            assert found["customers"]["description"] == "People who buy."
            assert found["paid_orders"]["synonyms"] == ["income"]
            (state,) = (one for one in found["orders"]["columns"] if one["name"] == "status")
            assert state["display_name"] == "State"

            replaced = await push("m.json", "--replace", folder=tmp_path, ASKWELL_URL=http.url)
            assert (replaced.returncode, replaced.stderr.count("warning")) == (0, 0), replaced.stderr
            assert "description" not in (await tables(http))["orders"]

    def test_where_the_current_model_cannot_be_read_nothing_is_sent(self, tmp_path: Path, keeping_back: str) -> None:
        KeepsBack.seen.clear()
        (tmp_path / "m.json").write_text(json.dumps(tiny_shop.manifest()))
        said = run("model", "push", "m.json", "--url", keeping_back, folder=tmp_path)
        assert (said.returncode, "This needs the role" in said.stderr) == (1, True)
        assert "--replace" in said.stderr
        assert KeepsBack.seen == []
        said = run("model", "push", "m.json", "--url", keeping_back, "--replace", folder=tmp_path)
        assert (said.returncode, "The queue is full." in said.stderr) == (1, True)
        assert KeepsBack.seen[-1]["mdl"] == tiny_shop.manifest()

    def test_a_service_that_is_away_is_told_as_such(self, tmp_path: Path) -> None:
        (tmp_path / "m.json").write_text(json.dumps(tiny_shop.manifest()))
        said = run("model", "push", "m.json", "--url", "http://127.0.0.1:9", folder=tmp_path)
        assert (said.returncode, "No service answers" in said.stderr, "--replace" in said.stderr) == (1, True, False)


class KeepsBack(ClosesEarly):
    """Does not show its models to this key."""

    seen: ClassVar[list[dict[str, Any]]] = []

    def do_GET(self) -> None:
        self.send_response(403)
        self.end_headers()
        said = {"code": "FORBIDDEN", "message": "This needs the role ask.", "hint": "Ask for one."}
        self.wfile.write(json.dumps(said).encode())


@pytest.fixture
def keeping_back() -> Iterator[str]:
    yield from _served(KeepsBack)


async def describe(http: Client, *changes: dict[str, Any]) -> None:
    """Change the current model as people do on the page, and wait until it is in use."""
    label = (await http.call("GET", "/v1/semantics"))[1]["mdl_hash"]
    status, told = await http.call("PATCH", "/v1/semantics", json={"mdl_hash": label, "changes": changes})
    assert status == 202, told
    for _ in range(600):
        _, told = await http.call("GET", f"/v1/semantics-preparations/{told['id']}/status")
        if told["status"] != "indexing":
            break
    assert told["status"] == "finished", told


async def tables(http: Client) -> dict[str, dict[str, Any]]:
    return {one["name"]: one for one in (await http.call("GET", "/v1/semantics"))[1]["tables"]}


async def push(*arguments: str, folder: Path, **environ: str) -> subprocess.CompletedProcess[str]:
    return await asyncio.to_thread(run, "model", "push", *arguments, folder=folder, environ=environ)
