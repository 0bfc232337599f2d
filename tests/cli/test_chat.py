"""`askwell chat` as people use it: by a pipe, and at a terminal."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

from askwell.messages import say
from tests.agent.talking import SUGGESTED, Answer, Call, ChatServer, talking, trader_config
from tests.cli import running
from tests.cli.running import at_a_terminal, environment
from tests.support.commands import PIPE, Command
from tests.support.small_shops import make_small_shop

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
        assert "stands on no SQL" in said.stderr
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
    assert "under `llm`" in said.stderr
    assert said.returncode == 2
    said = await typed(tmp_path, "Hi", arguments=())
    assert "askwell chat shop.sqlite" in said.stderr
    assert said.returncode == 2
