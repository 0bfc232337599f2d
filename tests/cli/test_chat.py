"""`askwell chat` as people use it: by a pipe, and at a terminal."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from askwell.charts.choice import choose_chart
from askwell.charts.rendering import can_render
from askwell.cli.charts import text_chart
from askwell.messages import say
from askwell.providers.engine.base import ResultColumn
from tests.agent.talking import SUGGESTED, Answer, Call, ChatServer, talking, trader_config
from tests.charts.results import MONTHS, Rows, columns
from tests.cli import running
from tests.cli.running import askwell, at_a_terminal, environment
from tests.support.commands import PIPE, Command
from tests.support.small_shops import make_small_shop
from tests.support.tiny_shop import make_database

ASK = Answer(text="Let me look.", calls=[Call("ask_data", {"question": "how many customers are there?"})])
OPEN = Answer(calls=[Call("ask_data", {"question": "how many orders are open?"})])
THREE = Answer(text="There are 3 customers.")


@asynccontextmanager
async def scripted(folder: Path, *answers: Answer) -> AsyncIterator[ChatServer]:
    """A folder with a database, and a configuration that names a language model."""
    script = {"conversation": list(answers), "conversation_suggestion": [SUGGESTED]}
    async with ChatServer(script) as server:
        trader_config(folder, server)
        yield server


async def typed(
    folder: Path, *lines: str, arguments: tuple[str, ...] = ("trader.sqlite", "--config", "config.yaml")
) -> subprocess.CompletedProcess[str]:
    return await asyncio.to_thread(partial(running.typed, folder, *lines, arguments=("chat", *arguments)))


async def shown_at_a_terminal(folder: Path, *answers: str, more: tuple[str, ...] = ()) -> tuple[str, int]:
    arguments = ["chat", "trader.sqlite", "--config", "config.yaml", *more]
    return await asyncio.to_thread(at_a_terminal, folder, arguments, list(answers))


async def test_each_line_of_a_pipe_is_a_message(tmp_path: Path) -> None:
    async with scripted(tmp_path, ASK, THREE, Answer(text="As I said.")) as server:
        said = await typed(tmp_path, "How many customers do we have?", ".sql", ".rows", "Are you sure?", ".quit", "x")
        assert said.returncode == 0, said.stderr
        assert said.stdout.startswith("Let me look.\n\n\nThere are 3 customers.\nSELECT")
        assert "number_of_customers" in said.stdout
        assert said.stdout.endswith("As I said.\n")
        assert "1. How many are paid?" in said.stderr
        earlier = [one["content"] for one in server.requests[-1].messages if one["role"] == "assistant"]
        assert "Let me look." in earlier[0]


async def test_a_number_asks_what_was_suggested(tmp_path: Path) -> None:
    async with scripted(tmp_path, ASK, THREE, Answer(text="Two are.")) as server:
        said = await typed(tmp_path, "How many customers do we have?", "1", ".new", ".sql")
        assert said.stdout.endswith("Two are.\n")
        assert "How many are paid?" in server.requests[-1].user
        assert "used no SQL" in said.stderr
        assert said.returncode == 2


async def test_what_is_asked_back_is_answered_by_the_next_line(tmp_path: Path) -> None:
    async with scripted(tmp_path, OPEN, Answer(text="Done."), OPEN) as server:
        said = await typed(tmp_path, "How many orders are open?", "2", ".sql")
        assert said.returncode == 0, said.stderr
        assert "\n  2. " in said.stderr
        assert said.stdout.startswith("Done.\nSELECT")
        assert "sales_orders" in said.stdout
        assert len(server.requests) == 3
        said = await typed(tmp_path, "How many orders are open?", "")
        assert said.returncode == 1


async def test_events_for_machines(tmp_path: Path) -> None:
    async with scripted(tmp_path, ASK, THREE, Answer(status=400, error={"message": "no"})):
        arguments = ("trader.sqlite", "--config", "config.yaml", "--json", "--thread", "mine")
        said = await typed(tmp_path, "How many customers do we have?", "And?", arguments=arguments)
        events = [json.loads(line) for line in said.stdout.splitlines()]
        assert {event["threadId"] for event in events if event["type"] == "RUN_STARTED"} == {"mine"}
        assert "".join(event.get("delta", "") for event in events if event["type"] == "TEXT_MESSAGE_CONTENT") == (
            "Let me look.There are 3 customers."
        )
        assert events[-1]["code"] == "MODEL_UNAVAILABLE"
        assert said.returncode == 3


async def test_a_conversation_goes_on_later_at_a_terminal(tmp_path: Path) -> None:
    async with scripted(tmp_path, Answer(text="Hello."), OPEN, Answer(text="Done.")) as server:
        named = ("trader.sqlite", "--config", "config.yaml", "--thread", "mine")
        assert (await typed(tmp_path, "Hi!", arguments=named)).stdout == "Hello.\n"
        shown, _ = await shown_at_a_terminal(
            tmp_path, "How many orders are open?", "1", ".quit", more=("--thread", "mine")
        )
        assert "ask_data: how many orders are open?" in shown
        assert "Done." in shown
        assert "--thread mine goes on" in shown
        asked = [one for one in server.requests if one.stage == "conversation"]
        assert "Hello." in str(asked[-1].messages)


async def test_ctrl_c_stops_the_run_and_keeps_the_conversation(tmp_path: Path) -> None:
    async with scripted(tmp_path, Answer(text="One. Two.", hang=True), Answer(text="Yes.")) as server:
        streams: dict[str, Any] = {"environ": environment(tmp_path), "stdout": PIPE, "stderr": PIPE}
        (tmp_path / "said").write_text("Count!\nStill there?\n")
        with (
            (tmp_path / "said").open() as stdin,
            Command("chat", "trader.sqlite", cwd=tmp_path, stdin=stdin, **streams) as command,
        ):
            request = await server.arrived("conversation", within=60)
            command.send_signal(signal.SIGINT)
            assert await server.ended(request) == "abandoned"
            server.release()
            stdout, stderr = await asyncio.to_thread(command.communicate, 60)
        assert (stdout, stderr) == ("Yes.\n", "Stopped.\n")
        assert "Count!" in str(server.requests[-1].messages)


async def test_a_service_is_talked_to(tmp_path: Path) -> None:
    script: dict[str, Any] = {"conversation": [ASK, THREE, OPEN, Answer(text="Done.")]}
    async with talking(tmp_path, script) as talk:
        address = ("--url", talk.service.url, "--thread", "t")
        said = await typed(tmp_path, "How many customers do we have?", ".sql", arguments=address)
        assert (said.returncode, said.stderr.count("1. ")) == (0, 1), said.stderr
        assert "There are 3 customers.\nSELECT" in said.stdout
        status, begun = await talk.call("POST", "/v1/chats", json={"message": "Open orders?", "thread_id": "t"})
        assert (await talk.settled(begun["run_id"]))["status"] == "awaiting_input", status
        said = await typed(tmp_path, "1", arguments=address)
        assert said.stdout == "Done.\n", said.stderr
        said = await typed(tmp_path, "x", arguments=("--url", talk.service.url, "--agent", "nobody"))
        assert "There is no agent nobody" in said.stderr
        assert said.returncode == 3


async def test_without_a_language_model_it_says_so(tmp_path: Path) -> None:
    make_small_shop("trader", tmp_path)
    said = await typed(tmp_path, "Hi", arguments=("trader.sqlite",))
    assert say("cli.chat_needs_model").message in said.stderr
    assert say("cli.chat_needs_model").hint in said.stderr
    assert said.returncode == 2
    said = await typed(tmp_path, "Hi", arguments=())
    assert say("cli.nothing_named").message in said.stderr
    assert said.returncode == 2


# -- `askwell ask --chart`: in the terminal, or in a file.


QUESTION = "How many customers are there per country?"
Ask = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("chart")
    make_database(folder / "shop.db")
    return folder


@pytest.fixture
def ask(folder: Path) -> Ask:
    return lambda *arguments, **environ: askwell("ask", "--database", "shop.db", *arguments, folder=folder, **environ)


def test_it_stands_in_the_terminal_and_takes_no_question_for_a_file(ask: Ask) -> None:
    for arguments in (("--chart", QUESTION), (QUESTION, "--chart"), ("--chart", "--quiet", QUESTION)):
        said = ask(*arguments)
        assert said.returncode == 0, said.stderr
        assert "by country" in said.stdout
        assert "█" in said.stdout


def test_where_letters_are_ascii_bars_are_too(ask: Ask) -> None:
    said = ask("--chart", QUESTION, PYTHONIOENCODING="ascii")
    assert "###" in said.stdout
    assert "█" not in said.stdout


def test_a_single_value_has_none_and_it_is_said(ask: Ask) -> None:
    said = ask("--chart", "How many customers are there?")
    assert said.returncode == 0
    assert "No chart: " in said.stdout


def test_json_is_written_to_a_file_without_the_extra(ask: Ask, folder: Path) -> None:
    said = ask(QUESTION, "--chart", "chart.json")
    assert said.returncode == 0, said.stderr
    chart = json.loads((folder / "chart.json").read_text())
    assert chart["mark"]["type"] == "bar"
    assert chart["data"]["values"]


@pytest.mark.deep
def test_the_result_object_has_the_chart(ask: Ask) -> None:
    said = ask(QUESTION, "--chart", "--json")
    result = json.loads(said.stdout.splitlines()[-1])
    assert result["chart"]["chart_type"] == "bar"


@pytest.mark.deep
@pytest.mark.skipif(not can_render(), reason="needs askwell[charts]")
@pytest.mark.parametrize(("name", "start"), [("a.svg", b"<svg"), ("b.png", b"\x89PNG"), ("c.html", b"<!doctype html>")])
def test_pictures_are_written_to_a_file(ask: Ask, folder: Path, name: str, start: bytes) -> None:
    said = ask(f"--chart={name}", QUESTION)
    assert said.returncode == 0, said.stderr
    assert (folder / name).read_bytes().startswith(start)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--chart", "chart.gif"), ".svg, .png, .html, .json"),
        (("--chart", "nowhere/chart.json"), "folder that exists"),
        (("--chart", "--dry"), say("cli.chart_with_dry").message),
    ],
)
def test_what_cannot_be_done_is_said_before_anything_is_asked(ask: Ask, arguments: tuple[str, ...], words: str) -> None:
    said = ask(*arguments, QUESTION)
    assert (said.returncode, said.stdout) == (2, "")
    assert words in said.stderr


def test_no_chart_means_no_file_and_status_1(ask: Ask, folder: Path) -> None:
    said = ask("How many customers are there?", "--chart", "none.json")
    assert said.returncode == 1
    assert "No chart was written" in said.stderr
    assert not (folder / "none.json").exists()


class TestTextChart:
    def draw(self, names: list[ResultColumn], rows: Rows, **options: bool) -> list[str]:
        return text_chart(choose_chart("q", names, rows), names, rows, width=60, **options)

    def test_bars_begin_at_one_place_and_keep_to_the_width(self) -> None:
        lines = self.draw(columns("city", "n"), [("Oslo", 5), ("A rather long name of a city", 10), ("x", 0)])
        assert all(len(line) <= 60 for line in lines)
        assert lines[2].endswith("10")
        assert len({line.index("█") for line in lines[2:4]}) == 1

    def test_time_runs_on_and_series_stand_below_each_other(self) -> None:
        lines = self.draw(columns("month", "city", "n"), [(m, c, 1) for m in MONTHS for c in ("Oslo", "Rome")])
        assert lines[2] == "2025-01"
        assert [line.split()[0] for line in lines[3:5]] == ["Oslo", "Rome"]
        assert lines[-3] == "2025-12"

    def test_amounts_side_by_side(self) -> None:
        lines = self.draw(columns("city", "paid", "open"), [("Oslo", 5, 9), ("Rome", 4, 2)], plain=True)
        assert lines[2] == "Oslo"
        assert lines[3].split()[0] == "paid"

    def test_values_below_zero_and_control_characters(self) -> None:
        lines = self.draw(columns("city", "n"), [("a\x1b[31m", -5), ("b", 3)])
        assert not any("\x1b" in line for line in lines)
        assert any("░" in line and "-5" in line for line in lines)
