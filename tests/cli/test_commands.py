"""The command line as a person meets it: in a process of its own."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest

from askwell import __version__
from tests.support.commands import run_askwell
from tests.support.tables import case_rows, case_table


def run(*arguments: str, folder: Path, environ: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """`askwell …` in `folder`, with nothing of this process's environment that could reach the configuration."""
    environment = {"PATH": os.environ["PATH"], "COLUMNS": "200", "NO_COLOR": "1", **(environ or {})}
    return run_askwell(*arguments, cwd=folder, environ=environment)


class TestHelp:
    def test_it_lists_every_command_without_importing_one(self, tmp_path: Path) -> None:
        said = run("--help", folder=tmp_path)
        assert said.returncode == 0
        assert [name for name in ("serve", "ask", "model", "demo", "eval") if name not in said.stdout] == []
        program = (
            "import sys; from askwell.cli.main import app; "
            "app(['--help'], standalone_mode=False); print(sorted(sys.modules))"
        )
        loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
        heavy = (
            *("fastapi", "uvicorn", "askwell.cli.serve", "askwell.cli.demo", "askwell_evaluation"),
            *("importlib.metadata", "haystack", "numpy", "duckdb", "yaml", "pydantic", "rich.console"),
        )
        assert [name for name in heavy if f"'{name}'" in loaded.stdout] == []

    def test_what_people_do_comes_first_and_evaluation_is_apart(self, tmp_path: Path) -> None:
        said = run("--help", folder=tmp_path).stdout
        sections = case_table(__file__, "sections")
        places = [said.index(name) for name in sections]
        assert places == sorted(places)
        commands, _, developing = said.partition("Developing Askwell")
        assert ("eval" in commands, "eval" in developing) == (False, True)

    @pytest.mark.parametrize("module", ["askwell", "askwell.cli.main"])
    def test_both_module_names_work(self, tmp_path: Path, module: str) -> None:
        said = subprocess.run(
            [sys.executable, "-m", module, "--version"], cwd=tmp_path, capture_output=True, text=True, timeout=60
        )
        assert (said.returncode, said.stdout.strip()) == (0, f"askwell {__version__}")

    def test_a_command_of_a_package_that_is_not_installed_says_what_to_install(self, tmp_path: Path) -> None:
        program = (
            "import importlib.metadata as found; found.entry_points = lambda **_: (); "
            "from askwell.cli.main import app; app(['eval', 'guard'])"
        )
        said = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, timeout=60)
        assert (said.returncode, said.stdout) == (2, "")
        assert "run `pip install ./evaluation`" in said.stderr
        assert said.stderr.count("\n") == 1

    def test_an_unknown_command(self, tmp_path: Path) -> None:
        said = run("srve", folder=tmp_path)
        assert said.returncode == 2
        assert "srve" in said.stderr


class TestServe:
    @pytest.mark.parametrize(
        ("options", "status", "words"),
        case_rows(__file__, "where_it_cannot_start_it_says_why", "options", "status", "words"),
    )
    def test_where_it_cannot_start_it_says_why(
        self, tmp_path: Path, options: tuple[str, ...], status: int, words: list[str]
    ) -> None:
        (tmp_path / "bad.yaml").write_text("settings:\n  row_limt: 5\nserver: {port: 99999}\n")
        said = run("serve", *options, folder=tmp_path)
        assert said.returncode == status, said.stderr
        assert [word for word in ("Traceback", "Stop what listens") if word in said.stderr] == []
        assert [word for word in words if word not in said.stderr] == []

    def test_a_port_in_use(self, tmp_path: Path) -> None:
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            said = run("serve", "--port", str(port), folder=tmp_path)
        assert (said.returncode, "Traceback" in said.stderr, "--port" in said.stderr) == (1, False, True)
        assert f"Cannot listen on 127.0.0.1 port {port}: the port is in use." in said.stderr


class TestEval:
    @pytest.mark.parametrize(
        "arguments",
        [
            ("guard", "--attacks", "no-attacks.json", "--benign", "no-benign.json"),
            ("rules", "--questions", "no-questions.jsonl", "--databases", "no-folder"),
        ],
    )
    def test_missing_files_are_named(self, tmp_path: Path, arguments: tuple[str, ...]) -> None:
        said = run("eval", *arguments, folder=tmp_path)
        assert said.returncode == 2
        assert f"{arguments[2]} and no {arguments[4]}" in said.stderr

    def test_guard_prints_its_object_last(self, tmp_path: Path) -> None:
        statements = {
            "model.json": {"tables": {"orders": ["id"]}},
            "attacks.json": [{"dialect": "sqlite", "sql": "DROP TABLE orders"}],
            "benign.json": [{"dialect": "sqlite", "sql": "SELECT id FROM orders"}],
        }
        for name, content in statements.items():
            (tmp_path / name).write_text(json.dumps(content))
        said = run("eval", "guard", "--attacks", "attacks.json", "--benign", "benign.json", "--json", folder=tmp_path)
        assert said.returncode == 0, said.stderr
        report = json.loads(said.stdout.splitlines()[-1])
        assert (report["must_refuse"], report["refused"], report["benign"], report["benign_passed"]) == (1, 1, 1, 1)

    def test_guard_fails_when_an_attack_passes(self, tmp_path: Path) -> None:
        (tmp_path / "model.json").write_text('{"tables": {"orders": ["id"]}}')
        (tmp_path / "attacks.json").write_text('[{"dialect": "sqlite", "sql": "SELECT id FROM orders"}]')
        (tmp_path / "benign.json").write_text("[]")
        said = run("eval", "guard", "--attacks", "attacks.json", "--benign", "benign.json", "--json", folder=tmp_path)
        assert said.returncode == 1
        assert json.loads(said.stdout.splitlines()[-1])["missed"]


class ScriptedService(BaseHTTPRequestHandler):
    """Answers the ask routes: the events of one ask, whose connection breaks off once, and the end that it names."""

    resumed: ClassVar[list[str | None]] = []

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        type(self).resumed.clear()
        if body["query"] == "too much":
            self._answer(429, {"code": "BUSY", "message": "The queue is full.", "hint": "Come back in a second."})
            return
        self._answer(202, {"query_id": "broken" if body["query"] == "broken" else "fine"})

    def do_GET(self) -> None:
        type(self).resumed.append(self.headers["Last-Event-ID"])
        assert self.path.partition("?")[0].endswith("/events")
        self.send_response(200)
        self.end_headers()
        if self.headers["Last-Event-ID"] is None:
            self._event("7", "state", {"status": "searching"})
            self.wfile.write(b"event: heartbeat\ndata: {}\n\n")
            return
        if "broken" in self.path:
            error = {"code": "NO_RELEVANT_DATA", "message": "Nothing here is about that.", "hint": "Ask about orders."}
            instead = ["How many orders are there?"]
            self._event("8", "error", {"status": "failed", "error": error, "suggested_questions": instead})
        else:
            data = {"columns": [{"name": "n", "type": "INTEGER"}], "rows": [[42]], "row_count": 1, "truncated": False}
            answer = {"sql": "SELECT count(*) AS n FROM orders", "type": "llm"}
            end = {"status": "finished", "type": "TEXT_TO_SQL", "response": [answer], "data": data}
            self._event("8", "done", end)

    def _event(self, event_id: str, name: str, data: dict[str, Any]) -> None:
        self.wfile.write(f"id: {event_id}\nevent: {name}\ndata: {json.dumps(data)}\n\n".encode())

    def _answer(self, status: int, body: dict[str, Any]) -> None:
        content = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def service() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), ScriptedService)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


class TestAsk:
    def test_it_shows_progress_sql_and_rows_over_a_stream_that_breaks_off(self, tmp_path: Path, service: str) -> None:
        asked = ("ask", "How many orders?", "--url", service)
        said = run(*asked, "--verbose", folder=tmp_path)
        assert said.returncode == 0, said.stderr
        assert "SELECT count(*) AS n FROM orders" in said.stdout
        assert "42" in said.stdout
        assert said.stderr.split() == ["searching", "finished"]
        assert ScriptedService.resumed == [None, "7"]
        quiet = run(*asked, "--json", folder=tmp_path)
        result = json.loads(quiet.stdout.splitlines()[-1])
        assert (quiet.stderr, result["data"]["rows"], result["sql"]) == ("", [[42]], "SELECT count(*) AS n FROM orders")

    @pytest.mark.parametrize(
        ("question", "url", "status", "words"),
        [
            ("broken", "", 1, ("Nothing here is about that.", "Ask about orders.")),
            ("too much", "", 3, ("The queue is full.", "Come back in a second.")),
            ("How many?", "ftp://127.0.0.1", 2, ("http://",)),
            ("How many?", "http://127.0.0.1:9", 3, ("No service answers", "askwell serve")),
        ],
    )
    def test_where_there_is_no_answer_it_says_why(
        self, tmp_path: Path, service: str, question: str, url: str, status: int, words: tuple[str, ...]
    ) -> None:
        said = run("ask", question, "--url", url or service, folder=tmp_path)
        assert (said.returncode, "Traceback" in said.stderr) == (status, False)
        assert [word for word in words if word not in said.stderr] == []

    def test_the_environment_names_the_service_unless_a_database_is_named(self, tmp_path: Path, service: str) -> None:
        environ = {"ASKWELL_URL": service, "ASKWELL_DATABASE": "none.sqlite"}
        assert run("ask", "How many orders?", folder=tmp_path, environ=environ).returncode == 0
        elsewhere = run("ask", "q", "--url", "http://127.0.0.1:9", folder=tmp_path, environ=environ)
        assert (elsewhere.returncode, "No service answers" in elsewhere.stderr) == (3, True)
        for arguments in (("ask", "q", "other.sqlite"), ("ask", "q", "--database", "other.sqlite")):
            said = run(*arguments, folder=tmp_path, environ=environ)
            assert (said.returncode, "other.sqlite" in said.stderr) == (2, True)
        for command in ("shell", "chat"):
            said = run(command, "--refresh", folder=tmp_path, environ=environ)
            assert (said.returncode, "--refresh can't be used with --url" in said.stderr) == (2, True)
            named = run(command, "other.sqlite", folder=tmp_path, environ=environ)
            assert (named.returncode, "--url" in named.stderr) == (2, False), named.stderr
