"""`askwell open` as a process: a database is ready to be asked over HTTP until somebody ends it."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import signal
import socket
import sqlite3
import stat
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from askwell.messages import say
from tests.cli.running import askwell, environment, refused
from tests.support.commands import PIPE, Command
from tests.support.small_shops import make_small_shop


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    make_small_shop("trader", tmp_path)
    return tmp_path


@contextmanager
def opened(folder: Path, *arguments: str, command: str = "open", **environ: str) -> Iterator[tuple[Command, str]]:
    """The process and the address that it prints."""
    with (folder / "log").open("w") as log:
        alone = environment(folder, PYTHONUNBUFFERED="1", **environ)
        process = Command(command, *arguments, cwd=folder, environ=alone, stdout=PIPE, stderr=log)
    assert process.stdout is not None
    try:
        for line in process.stdout:
            if ready := re.search(r"ready at (http://127\.0\.0\.1:\d+)/", line):
                yield process, ready[1]
                return
        raise AssertionError(f"it ended before it was ready: {(folder / 'log').read_text()}")
    finally:
        process.kill()
        process.wait()


def asked(url: str, question: str) -> dict[str, Any]:
    body = json.dumps({"query": question, "execute": True}).encode()
    request = urllib.request.Request(f"{url}/v1/asks", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=10) as answer:
        ask_id = json.load(answer)["query_id"]
    for _ in range(20):
        with urllib.request.urlopen(f"{url}/v1/asks/{ask_id}/result?wait=10", timeout=30) as answer:
            result: dict[str, Any] = json.load(answer)
        if result["status"] in ("finished", "failed", "stopped"):
            return result
    raise AssertionError(result)


@pytest.mark.parametrize("how", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.deep)])
def test_a_database_is_asked_over_http_until_a_signal_ends_it_with_0(folder: Path, how: signal.Signals) -> None:
    with opened(folder, "trader.sqlite") as (process, url):
        assert asked(url, "how many sales orders are there?")["data"]["rows"] == [[3]]
        process.send_signal(how)
        assert process.wait(timeout=30) == 0
    assert "Traceback" not in (folder / "log").read_text()


@pytest.mark.deep
def test_two_at_the_same_time_both_answer(folder: Path) -> None:
    with opened(folder, "trader.sqlite") as (_, first), opened(folder, ASKWELL_DATABASE="trader.sqlite") as (_, second):
        for url in (first, second):
            assert asked(url, "how many sales orders are there?")["data"]["rows"] == [[3]]


def test_a_folder_of_csv_files_is_loaded_and_again_when_they_change(folder: Path) -> None:
    sales = folder / "sales"
    sales.mkdir()
    (sales / "customers.csv").write_text("id,name,city\n1,Ann,Berlin\n2,Bob,Rome\n")
    (sales / "orders.csv").write_text("id,customer_id,amount\n1,1,10.5\n2,1,2.5\n3,2,4\n")
    with opened(folder, "sales") as (_, url):
        assert asked(url, "how many customers live in Berlin?")["data"]["rows"] == [[1]]
        with urllib.request.urlopen(f"{url}/v1/projects", timeout=10) as answer:
            assert [one["database"] for one in json.load(answer)["projects"]] == ["sales"]
        per_city = asked(url, "total amount of orders per city of the customer")
        assert sorted(row[0] for row in per_city["data"]["rows"]) == ["Berlin", "Rome"]
    (sales / "customers.csv").write_text("id,name,city\n1,Ann,Berlin\n2,Bob,Berlin\n")
    with opened(folder, "sales") as (_, url):
        assert asked(url, "how many customers live in Berlin?")["data"]["rows"] == [[2]]


@pytest.mark.deep
def test_one_csv_file_is_loaded_alone(folder: Path) -> None:
    (folder / "customers.csv").write_text("id,name,city\n1,Ann,Berlin\n2,Bob,Berlin\n")
    with opened(folder, "customers.csv") as (process, url):
        assert asked(url, "how many customers are there?")["data"]["rows"] == [[2]]
        process.terminate()
        assert process.wait(timeout=30) == 0
    assert (folder / "log").read_text() == "Ask customers.duckdb there; Ctrl-C ends it.\n"


@pytest.mark.parametrize(
    ("home", "sources"),
    [("log", ("one.csv",)), pytest.param("log/deeper", ("trader.sqlite", "one.csv"), marks=pytest.mark.deep)],
)
def test_it_says_once_that_nothing_will_be_kept(folder: Path, home: str, sources: tuple[str, ...]) -> None:
    (folder / "one.csv").write_text("id,name\n1,Ann\n")
    nowhere = {"HOME": str(folder / home), "XDG_CACHE_HOME": "", "XDG_DATA_HOME": ""}
    for source in sources:
        with opened(folder, source, **nowhere) as (_, url):
            assert asked(url, "how many names are there?")["status"] in ("finished", "failed")
        assert (folder / "log").read_text().count("Askwell forgets everything when this ends") == 1
    for arguments in (("ask", "how many customers?", "trader.sqlite"), ("shell", "trader.sqlite")):
        said = askwell(*arguments, folder=folder, given=b"how many customers?\n", **nowhere)
        assert said.stderr.count("Askwell forgets everything when this ends") == 1, said.stderr


@pytest.mark.deep
def test_a_model_takes_the_place_of_the_one_that_is_made(folder: Path) -> None:
    columns = [{"name": "name", "type": "VARCHAR", "isCalculated": False}]
    model = {
        "catalog": "c",
        "schema": "s",
        "models": [{"name": "clients", "tableReference": {"table": "customers"}, "columns": columns}],
    }
    (folder / "model.json").write_text(json.dumps(model))
    with opened(folder, "trader.sqlite", "--model", "model.json") as (_, url):
        result = asked(url, "how many clients are there?")
    assert "FROM clients" in result["response"][0]["sql"]


def _a_file_that_is_no_database(folder: Path) -> list[str]:
    (folder / "notes.txt").write_text("nothing of that kind")
    return ["notes.txt"]


def _a_csv_file_that_cannot_be_loaded(folder: Path) -> list[str]:
    (folder / "bad.csv").write_text('id,name\n1,"Ann\n2,Bob\n')
    return ["bad.csv"]


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda _: ["nowhere.sqlite"], "There is no file nowhere.sqlite"),
        (lambda _: [], say("cli.nothing_named").message),
        (_a_file_that_is_no_database, "is not a database; it looks like text"),
        (_a_csv_file_that_cannot_be_loaded, "bad.csv cannot be loaded"),
    ],
)
def test_what_cannot_be_opened_is_said_in_words(folder: Path, make: Any, said: str) -> None:
    ended = askwell("open", *make(folder), folder=folder)
    refused(ended, 2, said)
    assert ended.stdout == ""


def test_a_port_that_is_taken_is_said_before_the_database_is_looked_at(folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        ended = askwell("open", "trader.sqlite", "--port", port, folder=folder)
    assert ended.returncode == 2
    assert f"Cannot listen on 127.0.0.1 port {port}: the port is in use." in ended.stderr
    assert say("cli.port_not_free", message="").hint in ended.stderr
    assert not (folder / ".local").exists()


@pytest.mark.parametrize(
    ("options", "opens"), [((), True), pytest.param(("--no-browser",), False, marks=pytest.mark.deep)]
)
def test_at_a_terminal_the_browser_opens(folder: Path, options: tuple[str, ...], opens: bool) -> None:
    browser = folder / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > "{folder}/visited"\n')
    browser.chmod(0o755)
    ours, terminal = pty.openpty()
    environ = environment(folder, BROWSER=f"{browser} %s")
    streams = {"stdin": terminal, "stdout": terminal, "stderr": terminal}
    with Command("open", "trader.sqlite", *options, cwd=folder, environ=environ, **streams) as process:
        os.close(terminal)
        try:
            shown, end = "", time.monotonic() + 60
            while "Ctrl-C ends it" not in shown and time.monotonic() < end:
                if select.select([ours], [], [], 0.1)[0]:
                    shown += os.read(ours, 4096).decode()
            address = re.search(r"ready at (\S+)", shown)
            assert address is not None, shown
            while opens and not (folder / "visited").exists() and time.monotonic() < end:
                time.sleep(0.02)
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=30) == 0
        finally:
            process.kill()
            os.close(ours)
    if opens:
        assert (folder / "visited").read_text().strip() == address[1]
    else:
        assert not (folder / "visited").exists()


def test_what_is_taught_and_undone_beside_an_open_page_counts_there(folder: Path) -> None:
    def said(*arguments: str) -> str:
        done = askwell(*arguments, folder=folder, ASKWELL_DATABASE="trader.sqlite")
        assert done.returncode == 0, done.stderr
        return done.stdout

    question = "how many zorbs are there?"
    with opened(folder, "trader.sqlite") as (_, url):
        assert asked(url, question)["status"] == "failed"
        said("teach", "zorbs", "=", "customers")
        assert asked(url, question)["data"]["rows"] == [[3]]
        lesson = said("lessons", "list").split()[0]
        said("lessons", "revert", lesson)
        assert asked(url, question)["status"] == "failed"
        assert said("lessons", "list") == ""


def test_what_is_changed_of_the_model_on_the_page_counts_in_commands_and_after_the_file_changes(folder: Path) -> None:
    def called(method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(f"{url}/v1{path}", json.dumps(body).encode(), headers, method=method)
        with urllib.request.urlopen(request, timeout=30) as answer:
            said: dict[str, Any] = json.load(answer)
        return said

    def knows() -> bool:
        return askwell("ask", "trader.sqlite", "how many quarks are there?", folder=folder).returncode == 0

    with opened(folder, "trader.sqlite") as (_, url):
        change = {"table": "customers", "synonyms": ["quarks"]}
        label = called("GET", "/semantics")["mdl_hash"]
        label = called("PATCH", "/semantics", {"mdl_hash": label, "changes": [change]})["id"]
        end = time.monotonic() + 60
        while called("GET", f"/semantics-preparations/{label}/status")["status"] == "indexing":
            assert time.monotonic() < end
            time.sleep(0.05)
        assert asked(url, "how many quarks are there?")["data"]["rows"] == [[3]]
    assert knows()
    with sqlite3.connect(folder / "trader.sqlite") as connection:
        connection.execute("ALTER TABLE customers ADD COLUMN nickname TEXT")
    connection.close()
    assert knows()
    assert knows()


DATABASES = Path(".local/share/askwell/databases")


@pytest.mark.parametrize("command", ["open", "serve"])
def test_commands_talk_to_the_process_that_serves_their_database(folder: Path, command: str) -> None:
    (folder / "notes.md").write_text("The warranty ends after two years.")
    with opened(folder, "trader.sqlite", "--port", "0", command=command) as (_, url):
        (address,) = (folder / DATABASES).glob("*/address.json")
        assert stat.S_IMODE(address.stat().st_mode) == 0o600
        for arguments in (
            ("ask", "trader.sqlite", "how many sales orders are there?"),
            ("docs", "add", "trader.sqlite", "notes.md"),
            ("check", "trader.sqlite", "how many sales orders?", "--sql", "SELECT COUNT(*) FROM sales_orders"),
        ):
            said = askwell(*arguments, folder=folder)
            assert (said.returncode, "works on a copy" in said.stderr) == (0, False), said.stderr
        with urllib.request.urlopen(f"{url}/v1/documents", timeout=10) as answer:
            assert [one["id"] for one in json.load(answer)["documents"]] == ["notes.md"]
        # What the page would do in another way is done here.
        said = askwell("ask", "trader.sqlite", "list all airports", "--format", "csv", folder=folder)
        assert (said.returncode, "works on a copy" in said.stderr) == (0, True)


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGKILL])
def test_an_address_at_which_nobody_serves_any_more_does_not_count(folder: Path, end: signal.Signals) -> None:
    with opened(folder, "trader.sqlite") as (process, _):
        process.send_signal(end)
        process.wait(timeout=30)
    assert len(list((folder / DATABASES).glob("*/address.json"))) == (end is signal.SIGKILL)
    (home,) = (folder / DATABASES).iterdir()
    with socket.create_server(("127.0.0.1", 0)) as another:  # at the port by now
        another.settimeout(0)
        written = {"pid": process.pid, "url": f"http://127.0.0.1:{another.getsockname()[1]}"}
        (home / "address.json").write_text(json.dumps(written))
        said = askwell("ask", "trader.sqlite", "how many sales orders are there?", folder=folder)
        assert (said.returncode, "copy" in said.stderr) == (0, False), said.stderr
        with pytest.raises(BlockingIOError):
            another.accept()


def test_a_page_on_csv_files_is_talked_to_as_long_as_they_are_the_same(folder: Path) -> None:
    file = folder / "customers.csv"
    file.write_text("id,name,city\n1,Ann,Berlin\n2,Bob,Berlin\n")
    question = ("ask", "customers.csv", "how many customers are there?", "--quiet")
    with opened(folder, "customers.csv"):
        said = askwell(*question, folder=folder)
        assert ("2" in said.stdout.split(), said.stderr) == (True, "")
        file.write_text("id,name,city\n1,Ann,Berlin\n2,Bob,Berlin\n3,Cid,Rome\n")
        assert "3" in askwell(*question, folder=folder).stdout.split()
