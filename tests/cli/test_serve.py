"""`askwell serve` as a process: it starts, answers, and ends when it is told to."""

from __future__ import annotations

import itertools
import json
import os
import re
import resource
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from askwell.cli.graceful_server import STOP_SECONDS
from tests.support import tiny_shop
from tests.support.commands import PIPE, Command, run_askwell

CONFIGURATION = """
embedder: {default: {provider: none}}
data_sources: {default: {engine: sqlite, path: not-there-yet.db, shared: true}}
"""


@contextmanager
def serving(
    folder: Path, *options: str, configuration: str = CONFIGURATION, environ: Mapping[str, str] | None = None
) -> Iterator[tuple[Command, str, list[str]]]:
    """The process, its URL, and what it said of itself until it was ready."""
    (folder / "config.yaml").write_text(configuration)
    process = Command(
        *("serve", "--port", "0", *options),
        cwd=folder,
        environ={"PATH": os.environ["PATH"], "PYTHONUNBUFFERED": "1", **(environ or {})},
        stdout=PIPE,
        stderr=(folder / "log").open("w"),
    )
    assert process.stdout is not None
    lines: list[str] = []
    try:
        for line in process.stdout:
            lines.append(line)
            if ready := re.search(r"ready at (http://\S+)", line):
                yield process, ready[1], lines
                return
        raise AssertionError(f"it ended before it was ready: {(folder / 'log').read_text()}")
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_it_says_what_it_is_made_of_answers_and_ends_with_0(tmp_path: Path, how: signal.Signals) -> None:
    with serving(tmp_path, "--log-format", "json") as (process, url, lines):
        said = "".join(lines)
        for fact in ("none (rules answer alone)", "balanced", "not-there-yet.db  (no such file yet)", str(tmp_path)):
            assert fact in said
        with urllib.request.urlopen(f"{url}/health/live", timeout=10) as answer:
            assert answer.status == 200
        process.send_signal(how)
        assert process.wait(timeout=30) == 0
    assert "Traceback" not in (tmp_path / "log").read_text()


def test_which_projects_may_come_goes_by_where_it_really_listens(tmp_path: Path) -> None:
    named = {"ASKWELL_SERVER__ALLOWED_HOSTS": "askwell.example.org", "ASKWELL_SIGN_IN__OPEN": "true"}
    with serving(tmp_path, "--host", "0.0.0.0", environ=named) as (_, _, lines):
        assert any(re.fullmatch(r"\s*projects\s+default\n", line) for line in lines)


def test_it_says_where_databases_are_and_not_how_it_signs_in(tmp_path: Path) -> None:
    source = "engine: wren_ibis, api_base: 'http://127.0.0.1:9', data_source: POSTGRES, connection_info_env: PATH_INFO"
    configuration = CONFIGURATION.replace("engine: sqlite, path: not-there-yet.db", source)
    secret = {"PATH_INFO": '{"host": "db", "user": "reader", "password": "hunter2"}'}
    with serving(tmp_path, configuration=configuration, environ=secret) as (_, _, lines):
        said = "".join(lines)
    assert "default: POSTGRES by an ibis-server at 127.0.0.1:9" in said
    assert not any(word in said + (tmp_path / "log").read_text() for word in ("hunter2", "reader"))


@pytest.mark.parametrize("redis", ["redis://:hunter2@127.0.0.1:9/0", "redis://127.0.0.1:9/0?password=hunter2"])
def test_it_says_where_redis_is_and_no_password(tmp_path: Path, redis: str) -> None:
    (tmp_path / "config.yaml").write_text(CONFIGURATION)
    places = {
        "ASKWELL_JOBS__REDIS": redis,
        "ASKWELL_KNOWLEDGE__URL": "postgresql://askwell:hunter2@127.0.0.1:9/askwell",
    }
    environ = {"PATH": os.environ["PATH"], "PYTHONUNBUFFERED": "1", **places}
    process = Command("serve", "--port", "0", cwd=tmp_path, environ=environ, stdout=PIPE)
    assert process.stdout is not None
    try:
        # It goes on to wait for its record, which is not there.
        said = "".join(itertools.takewhile(lambda line: "does it work?" not in line, process.stdout))
    finally:
        process.kill()
        process.wait()
    assert "shared, by way of redis://127.0.0.1:9/0\n" in said
    assert "hunter2" not in said


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("oracle://u:hunter2@db/d", "data_sources.default: Askwell doesn't support the kind of database"),
        ("postgresql://u:hunter2@db:x/d", "has to be a SQLAlchemy URL"),
    ],
)
def test_a_database_that_cannot_be_used_stops_the_start(tmp_path: Path, url: str, words: str) -> None:
    configuration = CONFIGURATION.replace(
        "engine: sqlite, path: not-there-yet.db", "engine: sqlalchemy, url_env: DB_URL"
    )
    with (
        pytest.raises(AssertionError, match="it ended before it was ready") as ended,
        serving(tmp_path, configuration=configuration, environ={"DB_URL": url}),
    ):
        pass
    assert words in str(ended.value)
    assert "hunter2" not in str(ended.value)


def test_where_others_reach_it_it_answers_to_its_names(tmp_path: Path) -> None:
    names = {"ASKWELL_SERVER__HOST": "0.0.0.0", "ASKWELL_SERVER__ALLOWED_HOSTS": "askwell.example.org"}
    with (
        pytest.raises(AssertionError, match="no sign-in is required"),
        serving(tmp_path, environ=names),
    ):
        pass
    key = {"ASKWELL_SIGN_IN__ADMIN_KEY": "k" * 32}
    with serving(tmp_path, environ=names | key) as (_, url, lines):
        assert "callers need a key or a sign-in" in "".join(lines)
        with pytest.raises(urllib.error.HTTPError, match="401"):
            urllib.request.urlopen(f"{url.replace('0.0.0.0', 'localhost')}/v1/asks", timeout=10)
    names |= {"ASKWELL_SIGN_IN__OPEN": "true"}
    with serving(tmp_path, environ=names) as (_, url, lines):
        assert "localhost, askwell.example.org" in "".join(lines)
        port = urllib.parse.urlsplit(url).port
        for name, status in (("localhost", 200), ("askwell.example.org", 200), ("evil.example", 403)):
            with socket.create_connection(("127.0.0.1", port or 0), timeout=10) as one:
                one.sendall(f"GET /health/live HTTP/1.1\r\nHost: {name}:{port}\r\nConnection: close\r\n\r\n".encode())
                assert one.recv(1000).startswith(f"HTTP/1.1 {status}".encode()), name


@pytest.mark.deep
@pytest.mark.parametrize("sent", [b"", b"GET /health HTTP/1.1\r\nHost: localhost\r\nX-"])
def test_a_flood_of_half_open_connections_keeps_nobody_out(tmp_path: Path, sent: bytes) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 2048)), hard))
    try:
        with serving(tmp_path) as (process, url, _), ExitStack() as open_ones:
            address = urllib.parse.urlsplit(url)
            for number in range(1300):
                one = socket.create_connection((address.hostname, address.port), timeout=10)
                open_ones.callback(one.close)
                one.sendall(sent)
                if number % 100 == 99:
                    assert urllib.request.urlopen(f"{url}/health/live", timeout=10).status == 200
            assert len(os.listdir(f"/proc/{process.pid}/fd")) < 1100
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.parametrize(("soft", "hard", "wanted", "possible", "then"), [
    (1024, 4096, 1000, 1000, 1256),
    (64, 1024, 1000, 768, 1024),
    (64, 300, 1000, 150, 300),
    (2048, 4096, 1000, 1000, 2048),
])  # fmt: skip
def test_it_takes_as_many_open_files_as_its_connections_need(
    soft: int, hard: int, wanted: int, possible: int, then: int
) -> None:
    script = (
        "import resource; from askwell.cli.serve import connections_within; "
        f"resource.setrlimit(resource.RLIMIT_NOFILE, ({soft}, {hard})); "
        f"print(connections_within({wanted}), resource.getrlimit(resource.RLIMIT_NOFILE)[0])"
    )
    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert said.split() == [str(possible), str(then)]


@pytest.mark.deep
def test_an_idle_connection_does_not_hold_it_up(tmp_path: Path) -> None:
    with serving(tmp_path) as (process, url, _):
        address = urllib.parse.urlsplit(url)
        with socket.create_connection((address.hostname, address.port), timeout=10) as idle:
            idle.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert idle.recv(1000).startswith(b"HTTP/1.1 200")
            process.send_signal(signal.SIGTERM)
            assert process.wait(timeout=30) == 0


def test_a_record_that_cannot_be_opened_is_told_in_words(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("home: taken\nembedder: {default: {provider: none}}\n")
    (tmp_path / "taken").write_text("a file where the folder should be")
    said = run_askwell("serve", "--port", "0", cwd=tmp_path, environ={"PATH": os.environ["PATH"]})
    assert said.returncode == 1
    assert "taken" in said.stderr
    assert "Traceback" not in said.stderr


@pytest.mark.deep
def test_a_second_service_on_the_same_home_refuses_to_start(tmp_path: Path) -> None:
    with serving(tmp_path):
        second = run_askwell("serve", "--port", "0", cwd=tmp_path, environ={"PATH": os.environ["PATH"]})
    assert second.returncode == 1
    assert f"uses the home {tmp_path / '.askwell'}" in second.stderr
    assert "ready" not in second.stdout
    # The first was killed with SIGKILL: its home is free again.
    with serving(tmp_path):
        pass


HANGING = """
embedder: {{default: {{provider: none}}}}
llm: {{default: {{provider: openai, model: m, api_base: "http://127.0.0.1:{port}/v1", timeout: 100}}}}
data_sources: {{default: {{engine: sqlite, path: shop.db, shared: true}}}}
settings: {{scope_gate: false}}
"""


def call(url: str, body: Any = None) -> Any:
    request = urllib.request.Request(
        url, None if body is None else json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=10) as answer:
        return json.loads(answer.read())


def prepared(url: str) -> None:
    call(f"{url}/v1/semantics-preparations", {"mdl": tiny_shop.manifest(), "mdl_hash": "m"})
    while call(f"{url}/v1/semantics-preparations/m/status")["status"] == "indexing":
        time.sleep(0.02)


@pytest.mark.deep
def test_the_first_signal_says_what_is_waited_for_and_the_second_does_not_wait(tmp_path: Path) -> None:
    tiny_shop.make_database(tmp_path / "shop.db")
    with socket.create_server(("127.0.0.1", 0)) as silent:  # a language model that never answers
        configuration = HANGING.format(port=silent.getsockname()[1])
        with serving(tmp_path, configuration=configuration) as (process, url, _):
            assert process.stdout is not None
            prepared(url)
            asked = call(f"{url}/v1/asks", {"query": "Why do people leave us?"})["query_id"]
            silent.accept()  # now the ask waits for the model
            process.send_signal(signal.SIGINT)
            said = process.stdout.readline()
            assert "letting 1 running ask end, at most 10 s; press Ctrl-C again to stop now" in said
            process.send_signal(signal.SIGINT)
            assert "Stopping now" in process.stdout.readline()
            assert process.wait(timeout=8) == 0  # less than what asks get to end
        assert "Traceback" not in (tmp_path / "log").read_text()
        with serving(tmp_path, configuration=configuration) as (_, url, _):
            silent.accept()  # it runs again
            assert call(f"{url}/v1/asks/{asked}/result")["status"] not in ("failed", "stopped")


@pytest.mark.deep
def test_nothing_is_waited_for_when_nothing_runs(tmp_path: Path) -> None:
    with serving(tmp_path) as (process, _, _):
        assert process.stdout is not None
        process.send_signal(signal.SIGTERM)
        assert process.stdout.readline() == "Stopping.\n"
        assert process.wait(timeout=8) == 0


# -- However stuck a service is, one signal ends it within the time that the deployment page names, and two at once.


# A server over nothing, which does what the test says: `begin` when it is ready, `drain` when it is told to stop.
SCRIPT = """
import asyncio, re, threading, time, uvicorn
from askwell.cli.graceful_server import GracefulServer

def hold_the_interpreter():
    re.match("(a+)+$", "a" * 60 + "b")

{begin}

class Services:
    def drain(self):
{drain}
        return 0
    async def drained(self): pass
    def hurry(self): pass

async def application(scope, receive, send): pass

def ready():
    begin()
    print("ready", flush=True)

GracefulServer(uvicorn.Config(application, port=0, lifespan="off", log_config=None), Services(), ready).run()
"""
NOTHING = "def begin(): pass"


@contextmanager
def server(begin: str = NOTHING, drain: str = "pass") -> Iterator[subprocess.Popen[str]]:
    script = SCRIPT.format(begin=begin, drain=f"        {drain}")
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            assert process.stdout.readline() == "ready\n"
            yield process
        finally:
            process.kill()


@pytest.mark.deep
def test_a_thread_that_works_on_is_cut_once_all_is_closed() -> None:
    begin = "def begin(): asyncio.get_running_loop().run_in_executor(None, time.sleep, 300)"
    with server(begin) as process:
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=STOP_SECONDS / 2) == 0


@pytest.mark.deep
def test_a_second_signal_ends_one_whose_event_loop_is_stuck() -> None:
    with server(drain="print('stuck', flush=True); time.sleep(300)") as process:
        process.send_signal(signal.SIGTERM)
        assert process.stdout is not None
        assert process.stdout.readline() == "stuck\n"
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=STOP_SECONDS / 2) == 1


@pytest.mark.deep
@pytest.mark.parametrize(
    "drain", ["time.sleep(300)", "threading.Thread(target=hold_the_interpreter).start()"], ids=["a loop", "Python"]
)
def test_one_signal_is_enough_whatever_is_stuck(drain: str) -> None:
    with server(drain=drain) as process:
        started = time.monotonic()
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=STOP_SECONDS + 10) == 1
        assert time.monotonic() - started > STOP_SECONDS / 2, "what runs gets its time"
