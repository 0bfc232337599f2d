"""docs/troubleshooting.md, provoked: its configurations are used, its commands run, and what it says is seen is seen.

In a section's `text` blocks a line that begins with `$ ` is a command; the lines that follow are in its output, in that
order. Addresses, folders and processes are the page's: `Scene.names` leads from each to the one of this run.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import shlex
import shutil
import socket
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import yaml

from askwell.knowledge.record import FILE_NAME, Record
from tests.fakes.openai_server import ChatScript, ChatServer
from tests.support import tiny_shop
from tests.support.commands import run_askwell
from tests.support.service import running_service, write_config

PAGE = (Path(__file__).parents[2] / "docs" / "troubleshooting.md").read_text()
TEN = PAGE.partition("\n## Ten broken configurations\n")[2].partition("\n## ")[0]
SECTIONS = {title: body for title, _, body in (part.partition("\n") for part in TEN.split("\n### ")[1:])}

FOLDER = "/srv/askwell"
SERVER = "https://llm.example.internal"
KEY = "sk-right"


@dataclass
class Scene:
    """Where commands run: `names` are those of the page with those of this run; `as_somebody` begins a command line."""

    folder: Path
    names: Mapping[str, str] = field(default_factory=dict)
    environ: Mapping[str, str] = field(default_factory=dict)
    as_somebody: Sequence[str] = ()

    def real(self, text: str) -> str:
        for told, here in {FOLDER: str(self.folder), **self.names}.items():
            text = text.replace(told, here)
        return text

    def told(self, text: str) -> str:
        for told, here in {FOLDER: str(self.folder), **self.names}.items():
            text = text.replace(here, told)
        return text

    async def run(self, command: str) -> list[str]:
        """The lines of what it says, on both streams, with the page's names and single spaces."""
        program, *arguments = shlex.split(command)
        assert program == "askwell"
        environ = {
            "PATH": os.environ["PATH"],
            "ASKWELL_SERVER__PORT": "0",
            "XDG_CACHE_HOME": str(self.folder / "cache"),
            "XDG_DATA_HOME": str(self.folder / "data"),
        }
        done = await asyncio.to_thread(self._run, arguments, environ | dict(self.environ))
        assert "Traceback" not in done.stdout + done.stderr
        assert done.returncode != 0
        return [" ".join(line.split()) for line in self.told(done.stdout + done.stderr).splitlines()]

    def _run(self, arguments: list[str], environ: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
        if not self.as_somebody:
            return run_askwell(*arguments, cwd=self.folder, environ=environ)
        command = [*self.as_somebody, sys.executable, "-m", "askwell", *arguments]
        return subprocess.run(command, cwd=self.folder, env=environ, capture_output=True, text=True, timeout=60)


def blocks(section: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", section, re.DOTALL)


@asynccontextmanager
async def unknown_setting(folder: Path) -> AsyncIterator[Scene]:
    yield Scene(folder)


@asynccontextmanager
async def port_in_use(folder: Path) -> AsyncIterator[Scene]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = str(listener.getsockname()[1])
        yield Scene(folder, {"5555": port}, {"ASKWELL_SERVER__PORT": port})


@asynccontextmanager
async def model_server(folder: Path) -> AsyncIterator[Scene]:
    script = ChatScript(api_key=KEY, models=["gpt-4.1", "gpt-4.1-mini"])
    async with ChatServer(script) as server:
        here = server.api_base.removesuffix("/v1")
        yield Scene(folder, {SERVER: here}, {"LLM_KEY": KEY})


@asynccontextmanager
async def wrong_key(folder: Path) -> AsyncIterator[Scene]:
    tiny_shop.make_database(folder / "shop.db")
    async with model_server(folder) as scene:
        scene.environ = {"LLM_KEY": "sk-wrong"}
        yield scene


@asynccontextmanager
async def unreachable_store(folder: Path) -> AsyncIterator[Scene]:
    with socket.socket() as taken:  # bound and not listening: nobody else gets it, and nobody answers
        taken.bind(("127.0.0.1", 0))
        yield Scene(folder, {"qdrant.example.internal:6333": f"127.0.0.1:{taken.getsockname()[1]}"})


@asynccontextmanager
async def missing_table(folder: Path) -> AsyncIterator[Scene]:
    tiny_shop.make_database(folder / "shop.db")
    async with running_service(folder / "config.yaml", {"ASKWELL_SERVER__PORT": "0"}) as http:
        await http.prepare(mdl_hash="shop-v1")
    with sqlite3.connect(folder / "shop.db") as connection:
        connection.execute("ALTER TABLE orders RENAME TO orders_2024")
    connection.close()
    yield Scene(folder)


HOLDER = """
import duckdb, sys
connection = duckdb.connect(sys.argv[1])
connection.execute("CREATE TABLE orders (id INTEGER)")
print(flush=True)
sys.stdin.read()
"""


@asynccontextmanager
async def locked_file(folder: Path) -> AsyncIterator[Scene]:
    command = [sys.executable, "-c", HOLDER, str(folder / "shop.duckdb")]
    holder = await asyncio.create_subprocess_exec(*command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert holder.stdout is not None
    await holder.stdout.readline()
    name = await asyncio.to_thread(Path(f"/proc/{holder.pid}/comm").read_text)
    try:
        yield Scene(folder, {"python (PID 4711)": f"{name.strip()} (PID {holder.pid})"})
    finally:
        holder.kill()
        await holder.wait()


# Root without the right to write everywhere.
BOUND = ("setpriv", "--bounding-set", "-dac_override,-dac_read_search")
NOBODY = 65534


@asynccontextmanager
async def no_write_permission(folder: Path) -> AsyncIterator[Scene]:
    (folder / "home").mkdir(mode=0o555)
    if os.geteuid() != 0:
        yield Scene(folder)
        return
    if shutil.which("setpriv") is None or await (await asyncio.create_subprocess_exec(*BOUND, "true")).wait():
        pytest.skip("this is root, who may write everywhere, and setpriv cannot take that right away here")
    os.chown(folder / "home", NOBODY, NOBODY)
    yield Scene(folder, as_somebody=BOUND)


@asynccontextmanager
async def old_record(folder: Path) -> AsyncIterator[Scene]:
    await (await Record.open("sqlite", folder / "home")).close()
    with sqlite3.connect(folder / "home" / FILE_NAME) as connection:
        connection.execute("UPDATE record_version SET version = 0")
    connection.close()
    yield Scene(folder)


SCENES: dict[str, Callable[[Path], AbstractAsyncContextManager[Scene]]] = {
    "A wrong key": wrong_key,
    "A wrong model": model_server,
    "A wrong dimension": model_server,
    "A port in use": port_in_use,
    "An unknown setting": unknown_setting,
    "An unreachable store": unreachable_store,
    "A missing table": missing_table,
    "A locked file": locked_file,
    "No write permission": no_write_permission,
    "A record of an old version": old_record,
}


def test_there_are_ten_of_them() -> None:
    assert list(SECTIONS) == list(SCENES)


@pytest.mark.deep
@pytest.mark.parametrize("title", SCENES)
async def test_what_the_page_says_is_what_one_sees(title: str, tmp_path: Path) -> None:
    section = SECTIONS[title]
    (configuration,) = blocks(section, "yaml")
    written = yaml.safe_load(configuration)
    defaults = {"home": "home", "embedder": {"default": {"provider": "none"}}}
    # The page's own words as they stand: lines are counted. What it leaves to the default is kept small.
    extra = "".join(f"{key}: {json.dumps(value)}\n" for key, value in defaults.items() if key not in written)
    (tmp_path / "config.yaml").write_text(configuration + extra)
    async with SCENES[title](tmp_path) as scene:
        (scene.folder / "config.yaml").write_text(scene.real(configuration) + extra)
        commands = 0
        for block in blocks(section, "text"):
            lines = iter(await scene.run(block.splitlines()[0].removeprefix("$ ")))
            commands += 1
            for wanted in block.splitlines()[1:]:
                said = " ".join(wanted.split())
                assert said in lines, said  # uses the lines up to it: the order counts
    assert commands


async def test_what_the_symptoms_quote_is_what_is_said(tmp_path: Path) -> None:
    symptoms = PAGE.partition("\n## By symptom\n")[2]
    config = write_config(tmp_path, settings={"queue_size": 0, "concurrency": 1})
    async with running_service(config) as http:
        nothing = await http.answer("How many orders are there?")
        await http.prepare()
        unplaced = await http.answer("How many zorps are there per customer?")
        irrelevant = await http.answer("Which volcanoes erupted in ancient Sicily?")
        answers = [await http.call("POST", "/v1/asks", json={"query": f"Orders {n}?"}) for n in range(2)]
        status, busy = answers[-1]
    assert status == 429
    said = [
        *(answer["error"]["message"] for answer in (nothing, unplaced, irrelevant)),
        re.sub(r"1 running, 0 waiting", "32 running, 1000 waiting", busy["message"]),
    ]
    assert [message for message in said if f"`{message}`" not in symptoms] == []


def test_every_part_of_the_page_that_is_linked_is_there() -> None:
    headings = re.findall(r"^#+ (.*)$", re.sub(r"```.*?```", "", PAGE, flags=re.DOTALL), re.MULTILINE)
    anchors = {re.sub(r"[^a-z0-9 -]", "", heading.lower()).replace(" ", "-") for heading in headings}
    assert set(re.findall(r"\]\(#([^)]+)\)", PAGE)) <= anchors
