"""`askwell shell` as people use it: by a pipe, and at a terminal, where it asks back."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support.service import running_service, write_config
from tests.support.small_shops import make_small_shop

ASKWELL = (sys.executable, "-m", "askwell.cli.main")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shell")
    make_small_shop("trader", folder)
    return folder


def _environ(folder: Path) -> dict[str, str]:
    home = {"HOME": str(folder), "XDG_CACHE_HOME": str(folder / "cache")}
    return {"PATH": os.environ["PATH"], "TERM": "xterm", "PYTHONUTF8": "1", **home}


def typed(
    folder: Path, *lines: str, arguments: tuple[str, ...] = ("trader.sqlite",)
) -> subprocess.CompletedProcess[str]:
    """What is printed where these lines come through a pipe."""
    return subprocess.run(
        [*ASKWELL, "shell", *arguments],
        input="".join(f"{line}\n" for line in lines),
        cwd=folder,
        env=_environ(folder),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def at_a_terminal(folder: Path, arguments: list[str], answers: list[str]) -> tuple[str, int]:
    """What a terminal shows, and the status, where somebody answers each prompt."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(folder)
        os.execve(ASKWELL[0], [*ASKWELL, *arguments], _environ(folder))
    shown, waiting, end = b"", list(answers), time.monotonic() + 60
    while time.monotonic() < end:
        if select.select([terminal], [], [], 0.1)[0]:
            try:
                piece = os.read(terminal, 4096)
            except OSError:
                break
            if not piece:
                break
            shown += piece
        elif waiting and shown.rstrip().endswith((b"stop:", b"askwell>", b"...")):
            os.write(terminal, waiting.pop(0).encode() + b"\n")
    os.close(terminal)
    _, status = os.waitpid(pid, 0)
    return shown.decode(errors="replace"), os.waitstatus_to_exitcode(status)


def test_follow_ups_add_to_what_was_asked_and_are_said_as_one_question(folder: Path) -> None:
    said = typed(folder, "how many sales orders are there?", "and per country?", "only Italy", "top 1")
    assert said.returncode == 0, said.stderr
    assert "= What is the number of Sales orders for each country" in said.stdout
    assert "where country is “Italy”" in said.stdout
    assert said.stdout.rstrip().count("Italy") >= 3


def test_what_is_asked_of_the_last_answer(folder: Path) -> None:
    (folder / "out.json").unlink(missing_ok=True)
    said = typed(
        folder, "why?", "number of sales orders per country", "show the sql", "why?", "as a chart", ".export out.json",
        ".export out.json", ".export out.xyz", ".export", ".new", "only Italy",
    )  # fmt: skip
    assert "Nothing was answered yet." in said.stderr
    assert said.stdout.count("GROUP BY\n  customers.country") == 2
    assert "Groups them by country." in said.stdout
    assert "█" in said.stdout
    rows = json.loads((folder / "out.json").read_text())
    assert rows == [
        {"country": "Germany", "number_of_sales_orders": 1},
        {"country": "Italy", "number_of_sales_orders": 2},
    ]
    for problem in ("File exists: out.json", "out.xyz is of no known kind.", "nowhere"):
        assert problem in said.stderr
    assert said.returncode == 0


def test_commands_that_there_are_not_and_tables_that_there_are(folder: Path) -> None:
    said = typed(
        folder,
        ".tabels",
        ".describe flight",
        ".describe flights",
        "tables",
        ".help",
        "how many \\",
        "airports?",
        "quit",
        "x",
    )
    assert "There is no command .tabels. Did you mean .tables?" in said.stderr
    assert "Did you mean flights?" in said.stderr
    assert "from_airport_id" in said.stdout
    assert "purchase_orders" in said.stdout
    assert ".export FILE" in said.stdout
    assert "number_of_airports" in said.stdout


def test_an_answer_is_saved_and_taken_back(folder: Path) -> None:
    question = "how many suppliers are there?"
    said = typed(folder, question, ".save", question, ".forget", question)
    assert said.stdout.count("Answered by rules") == 2
    assert said.stdout.count("Answered by a saved question") == 1


def test_who_cannot_be_asked_back_is_told_what_is_open(folder: Path) -> None:
    said = typed(folder, "how many orders are open?")
    assert "“orders” could be Purchase orders or Sales orders" in said.stderr


def test_a_choice_at_a_terminal_runs_at_once(folder: Path) -> None:
    shown, status = at_a_terminal(
        folder, ["shell", "trader.sqlite"], ["how many orders are open?", "2", "and per customer?", ".quit"]
    )
    assert "1. Purchase orders" in shown
    assert "number_of_sales_orders" in shown
    assert "Ann" in shown
    assert status == 0


@pytest.mark.deep
def test_one_question_at_a_terminal_is_asked_back_too(folder: Path) -> None:
    question = ["ask", "how many orders are open?", "trader.sqlite"]
    shown, status = at_a_terminal(folder, question, ["the first"])
    assert ("number_of_purchase_orders" in shown, status) == (True, 0)
    shown, status = at_a_terminal(folder, question, [""])
    assert ("The ask was stopped." in shown, status) == (True, 1)


async def test_a_service_is_talked_to(tmp_path: Path) -> None:
    path, model = make_small_shop("trader", tmp_path)
    sources = {"default": {"engine": "sqlite", "path": str(path), "shared": True}}
    lines = ("how many sales orders are there?", "and per country?", ".save", ".tables")
    async with running_service(write_config(tmp_path, data_sources=sources)) as service:
        await service.prepare(model)
        said = await asyncio.to_thread(typed, tmp_path, *lines, arguments=("--url", service.url))
    assert "Italy" in said.stdout, said.stderr
    assert "From now on this answers" in said.stderr
    assert "is asked for its tables in words" in said.stderr
    assert said.returncode == 0


@pytest.mark.deep
@pytest.mark.parametrize("arguments", [(), ("nowhere.sqlite",), ("trader.sqlite", "--url", "http://127.0.0.1:1")])
def test_what_cannot_be_used_ends_with_2(folder: Path, arguments: tuple[str, ...]) -> None:
    assert typed(folder, "x", arguments=arguments).returncode == 2
