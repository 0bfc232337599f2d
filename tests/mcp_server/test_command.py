"""`askwell mcp` as a process of its own, as clients start it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp import MCPError

from tests.mcp_server.clients import NEW, VERSIONS, over_stdio
from tests.mcp_server.shops import AMBIGUOUS, COUNT, trader_file, trader_service
from tests.mcp_server.test_clarification import User, first
from tests.mcp_server.test_ends import message
from tests.support.commands import PIPE, Command, run_askwell
from tests.support.service import service_process, write_config
from tests.support.tables import case_rows

# Each is a process or two: the older versions are for the deep run.
OFTEN = [version if version == NEW else pytest.param(version, marks=pytest.mark.deep) for version in VERSIONS]


@pytest.mark.parametrize("version", OFTEN)
async def test_a_database_is_served(tmp_path: Path, version: str) -> None:
    heard: list[str | None] = []

    async def hear(progress: float, total: float | None, said: str | None) -> None:
        heard.append(said)

    user = User(first)
    path = trader_file(tmp_path)
    async with over_stdio(str(path), cwd=tmp_path, version=version, elicitation_callback=user) as client:
        assert len((await client.list_tools()).tools) == 8
        answer = await client.call_tool("ask_data", {"question": COUNT}, progress_callback=hear)
        assert answer.structured_content["table"]["rows"] == [[3]]
        assert heard[-1] == "finished"
        assert (await client.call_tool("ask_data", {"question": AMBIGUOUS})).structured_content["status"] == "finished"
        assert len(user.forms) == 1
        assert (await client.call_tool("run_sql", {"sql": "DROP TABLE customers"})).is_error
        assert (await client.list_resources()).resources
        with pytest.raises(MCPError, match="no such resource"):
            await client.read_resource("askwell://other/model")
        assert (await client.list_prompts()).prompts
    assert "Traceback" not in (tmp_path / "stderr.txt").read_text()


@pytest.mark.parametrize("version", OFTEN)
async def test_a_running_service_is_served_through_a_bridge(tmp_path: Path, version: str) -> None:
    user = User(first)
    async with trader_service(tmp_path) as service:
        there = ("--url", f"{service.url}/")
        async with over_stdio(*there, cwd=tmp_path, version=version, elicitation_callback=user) as client:
            assert len((await client.list_tools()).tools) == 8
            asked = await client.call_tool("ask_data", {"question": AMBIGUOUS})
            assert asked.structured_content["status"] == "finished"
            assert len(user.forms) == 1
            assert "CREATE TABLE" in str(await client.read_resource("askwell://default/tables/customers"))
            assert (await client.get_prompt("analyse", {"question": "Ümläute"})).messages
    assert "Traceback" not in (tmp_path / "stderr.txt").read_text()


@pytest.mark.deep
async def test_a_bridge_outlives_its_service(tmp_path: Path) -> None:
    async with service_process(write_config(tmp_path)) as (process, service):
        await service.prepare()
        async with over_stdio("--url", service.url, cwd=tmp_path, version=NEW) as client:
            assert not (await client.call_tool("ask_data", {"question": COUNT})).is_error
            await process.stop()
            with pytest.raises(MCPError, match="does not answer"):
                await client.call_tool("ask_data", {"question": COUNT})
            await process.start()
            assert not (await client.call_tool("ask_data", {"question": COUNT})).is_error


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    case_rows(__file__, "what_cannot_be_served_is_said_on_standard_error", "arguments", "status", "said"),
)
def test_what_cannot_be_served_is_said_on_standard_error(
    tmp_path: Path, arguments: tuple[str, ...], status: int, said: str
) -> None:
    ended = run("mcp", *arguments, cwd=tmp_path)
    assert ended.returncode == status
    assert ended.stdout == ""
    assert said in ended.stderr
    assert len(ended.stderr.splitlines()) >= 2  # and what to do
    assert "Traceback" not in ended.stderr


def test_without_the_extra_it_says_what_to_install(tmp_path: Path) -> None:
    trader_file(tmp_path)
    hidden = "import sys; sys.modules['mcp'] = None; from askwell.cli.main import app; app()"
    command = [sys.executable, "-c", hidden, "mcp", "trader.sqlite"]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, input="")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "askwell[mcp]" in ended.stderr


@pytest.mark.parametrize("how", ["end of input", "SIGTERM", "SIGINT"])
def test_it_ends_with_its_client_and_prints_nothing_but_the_protocol(tmp_path: Path, how: str) -> None:
    arguments = ("mcp", str(trader_file(tmp_path)))
    environ = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache"), "XDG_DATA_HOME": str(tmp_path / "data")}
    with Command(*arguments, cwd=tmp_path, environ=environ, stdin=PIPE, stdout=PIPE, stderr=PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for body in ("not JSON", json.dumps(message("tools/call", NEW, name="run_sql", arguments={"sql": "SELECT 1"}))):
            process.stdin.write(f"{body}\n")
        process.stdin.flush()
        answers: list[Any] = [json.loads(process.stdout.readline())]
        while answers[-1].get("id") != 1:
            answers.append(json.loads(process.stdout.readline()))
        assert answers[-1]["result"]["structuredContent"]["table"]["rows"] == [[1]]
        if how == "end of input":
            process.stdin.close()
        else:
            process.send_signal(signal.Signals[how])
        assert process.wait(10) == 0
        assert process.stdout.read() == ""
        assert process.stderr is not None
        assert "Traceback" not in process.stderr.read()


def run(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """A command that has nothing to read."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith("ASKWELL_")}
    return run_askwell(
        *arguments,
        cwd=cwd,
        environ={**environ, "XDG_CACHE_HOME": str(cwd / "cache"), "XDG_DATA_HOME": str(cwd / "data")},
    )
