"""What is said in `askwell shell`: questions that may add to earlier ones, and commands about the last answer."""

from __future__ import annotations

import asyncio
import difflib
import shutil
import sys
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, Protocol

import typer
import yaml

from askwell.cli.answer import console_for_output, show_answer, show_failure, show_sql
from askwell.cli.plain_text import shown
from askwell.cli.progress import Progress
from askwell.cli.row_formats import format_of, write_rows
from askwell.errors import AskwellError, InvalidRequest

_MOST_TURNS = 10


@dataclass(frozen=True, slots=True)
class Said:
    """A question that was answered, and its statement."""

    question: str
    sql: str


class Door(Protocol):
    """What is asked: a database in this process, or a service."""

    async def ask(self, question: str, watcher: Progress, turns: Sequence[Said]) -> dict[str, Any]: ...

    async def tables(self) -> Sequence[tuple[str, str, Sequence[str]]]:
        """Each table by name, with its description and its columns, each with its type."""
        ...

    async def words(self, sql: str) -> str:
        """What a statement does, in sentences."""
        ...

    async def judge(self, ask_id: str, *, positive: bool) -> None:
        """Let an answer stand for its question from now on, or take that back."""
        ...


class LocalDoor:
    """A database in this process."""

    def __init__(self, session: Any) -> None:
        self._session = session

    async def ask(self, question: str, watcher: Progress, turns: Sequence[Said]) -> dict[str, Any]:
        from askwell.pipelines.generation.question import HistoryTurn

        histories = [HistoryTurn(turn.question, turn.sql) for turn in turns]
        found: dict[str, Any] = await self._session.ask(question, watcher, histories=histories)
        return found

    async def tables(self) -> Sequence[tuple[str, str, Sequence[str]]]:
        model = await self._session.model()
        return [
            (table.name, table.description or "", [f"{c.name} {c.type}".strip() for c in table.columns])
            for table in model
        ]

    async def words(self, sql: str) -> str:
        return await self._session.words(sql)  # type: ignore[no-any-return]

    async def judge(self, ask_id: str, *, positive: bool) -> None:
        await self._session.judge(ask_id, positive=positive)


class ServiceDoor:
    """A running service. What it does not tell over HTTP is not known here."""

    def __init__(self, url: str, project: str) -> None:
        self._url, self._project = url, project

    async def ask(self, question: str, watcher: Progress, turns: Sequence[Said]) -> dict[str, Any]:
        from askwell.cli.remote import ask_service

        answer = watcher.answer_at_once if watcher.is_there else None
        histories = [{"question": turn.question, "sql": turn.sql} for turn in turns]
        return await asyncio.to_thread(
            ask_service,
            self._url,
            self._project,
            question,
            execute=True,
            on_event=watcher.event,
            answer=answer,
            histories=histories,
        )

    async def tables(self) -> Sequence[tuple[str, str, Sequence[str]]]:
        raise InvalidRequest("A service is asked for its tables in words.", "Ask “Which tables are there?”.")

    async def words(self, sql: str) -> str:
        return ""

    async def judge(self, ask_id: str, *, positive: bool) -> None:
        from askwell.cli.remote import give_feedback

        await asyncio.to_thread(give_feedback, self._url, ask_id, self._project, positive=positive)


class Conversation:
    """Hears one line after the other. `rows` are shown of each answer."""

    def __init__(self, door: Door, rows: int) -> None:
        self._door, self._rows = door, rows
        self._turns: list[Said] = []
        self._last: dict[str, Any] | None = None
        self._asked = ""

    async def hear(self, line: str) -> bool:
        """Answer a question, or do what a command says; whether that was to end."""
        name, _, rest = self._as_command(line).partition(" ")
        if not name.startswith("."):
            await self._answer(line)
            return False
        command = self._commands().get(name)
        if name == ".quit":
            return True
        if command is None:
            near = difflib.get_close_matches(name, self._commands(), n=1)
            typer.echo(
                f"There is no command {shown(name)}. {f'Did you mean {near[0]}?' if near else 'Try .help.'}", err=True
            )
            return False
        try:
            await command(rest.strip())
        except (AskwellError, OSError) as error:
            said = f"{error.message} {error.hint}" if isinstance(error, AskwellError) else f"{error.strerror}: {rest}"
            typer.secho(said.strip(), fg=typer.colors.RED, err=True)
        return False

    def _as_command(self, line: str) -> str:
        plain = line.strip().casefold()
        return _phrases().get(plain, line.strip())

    def _commands(self) -> Mapping[str, Callable[[str], Awaitable[None]]]:
        return {
            ".help": self._help,
            ".tables": self._tables,
            ".describe": self._describe,
            ".sql": self._sql,
            ".why": self._why,
            ".chart": self._chart,
            ".export": self._export,
            ".save": self._save,
            ".forget": self._forget,
            ".new": self._new,
            ".quit": self._help,
        }

    # -- questions --------------------------------------------------------------------------------------------------

    async def _answer(self, question: str) -> None:
        is_there = sys.stdin.isatty() and sys.stderr.isatty()
        try:
            with Progress(quiet=not is_there, on_words=_print_words, is_there=is_there) as progress:
                result = await self._door.ask(question, progress, self._turns[-_MOST_TURNS:])
        except AskwellError as error:
            typer.secho(f"{error.message} {error.hint}".strip(), fg=typer.colors.RED, err=True)
            return
        if progress.words:
            typer.echo()
        if result["status"] != "finished":
            from rich.console import Console

            from askwell.question.follow_ups import leans, may_lean

            if not leans(question) and not may_lean(question):
                self._turns.clear()  # what comes next adds to this, and not to what was asked before it

            show_failure(result, Console(stderr=True, highlight=False))
            return
        if result.get("is_followup") and result.get("rephrased_question"):
            typer.echo(f"= {shown(result['rephrased_question'])}")
        elif self._turns and not result.get("is_followup"):
            typer.echo("(Read as a new question.)", err=True)
        show_answer(result, rows=self._rows)
        if result.get("response"):
            self._last, self._asked = result, question
            if not result.get("is_followup"):
                self._turns.clear()
            self._turns.append(Said(question, result["response"][0]["sql"]))

    # -- commands ---------------------------------------------------------------------------------------------------

    async def _help(self, _: str) -> None:
        for command, does in _words()["help"].items():
            typer.echo(f"  {command:<16} {does}")
        typer.echo("  Anything else is a question. A line that ends in \\ goes on.")

    async def _tables(self, _: str) -> None:
        for name, description, _columns in await self._door.tables():
            typer.echo(f"  {shown(name)}" + (f": {shown(description, lines=False)}" if description else ""))

    async def _describe(self, named: str) -> None:
        tables = {name: columns for name, _, columns in await self._door.tables()}
        found = next((name for name in tables if name.casefold() == named.casefold()), None)
        if found is None:
            near = difflib.get_close_matches(named, tables, n=1, cutoff=0.5)
            hint = f"Did you mean {near[0]}?" if near else "`.tables` lists them."
            raise InvalidRequest(f"There is no table “{named[:80]}”.", hint)
        for column in tables[found]:
            typer.echo(f"  {shown(column)}")

    async def _sql(self, _: str) -> None:
        show_sql(console_for_output(), self._answered()["response"][0]["sql"])

    async def _why(self, _: str) -> None:
        last = self._answered()
        if words := await self._door.words(last["response"][0]["sql"]):
            typer.echo(shown(words))
        for line in (*last.get("assumptions", ()), *last.get("repairs", ()), *last.get("warnings", ())):
            typer.echo(f"- {shown(line)}")
        if last.get("confidence") is not None:
            typer.echo(f"- Such readings are right in {last['confidence']:.0%} of all cases.")

    async def _chart(self, _: str) -> None:
        from askwell.cli.chart import chart_of, show_chart

        last, width = self._answered(), shutil.get_terminal_size().columns
        plain = not (sys.stdout.encoding or "").lower().startswith("utf")
        for line in show_chart(chart_of(last, self._asked), last, width=width, plain=plain):
            typer.echo(line)

    async def _export(self, named: str) -> None:
        data = self._answered().get("data")
        if not named or data is None:
            raise InvalidRequest(
                "There is nothing to write, or nowhere.", "After an answer with rows: .export FILE.csv"
            )
        await asyncio.to_thread(_write, data, named)
        rows = "1 row is" if data["row_count"] == 1 else f"{data['row_count']} rows are"
        more = " More were cut off (settings.row_limit)." if data["truncated"] else ""
        typer.echo(f"{rows} in {shown(named)}.{more}", err=True)

    async def _save(self, _: str) -> None:
        last = self._answered()
        await self._door.judge(last["query_id"], positive=True)
        question = last.get("rephrased_question") or self._asked
        typer.echo(f"From now on this answers “{shown(question)}”. `.forget` takes it back.", err=True)

    async def _forget(self, _: str) -> None:
        await self._door.judge(self._answered()["query_id"], positive=False)
        typer.echo("It is not kept any more.", err=True)

    async def _new(self, _: str) -> None:
        self._turns.clear()

    def _answered(self) -> dict[str, Any]:
        if self._last is None:
            raise InvalidRequest("Nothing was answered yet.", "Ask a question first.")
        return self._last


def _write(data: Mapping[str, Any], named: str) -> None:
    """Into a new file: nothing that is there is lost."""
    file = Path(named).expanduser()
    form = format_of(file)
    with file.open("x", encoding="utf-8", newline="") as out:
        write_rows(data, form, out)


def _print_words(piece: str) -> None:
    typer.echo(piece, nl=False)


@cache
def _words() -> Mapping[str, Any]:
    text = resources.files("askwell.cli").joinpath("shell_words.yaml").read_text("utf-8")
    found: Mapping[str, Any] = yaml.safe_load(text)
    return found


@cache
def _phrases() -> Mapping[str, str]:
    def pairs() -> Iterator[tuple[str, str]]:
        for command, phrases in _words().items():
            if command.startswith("."):
                yield from ((phrase, command) for phrase in phrases)

    return dict(pairs())
