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

from tests.cli.test_commands import run
from tests.mdl.importers.test_dbt import project
from tests.mdl.importers.test_ossie import semantic_model
from tests.support import tiny_shop
from tests.support.service import running_service, write_config


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
        assert "is there already" in run(*arguments, folder=tmp_path).stderr
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
        assert "No model was written: 40 problems." in said.stderr
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
            (["thing.txt"], "Say it with --format"),
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


class ClosesEarly(BaseHTTPRequestHandler):
    """Refuses a project, and closes the connection for another before the body is read."""

    seen: ClassVar[list[dict[str, Any]]] = []

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


async def push(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return await asyncio.to_thread(run, "model", "push", *arguments, folder=folder)
