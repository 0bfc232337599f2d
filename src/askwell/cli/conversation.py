"""What is said in `askwell shell`: questions that may add to earlier ones, and commands about the last answer."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.console import Console

from askwell.cli.answer import (
    console_for_output,
    show_answer,
    show_failure,
    show_remarks,
    show_rows,
    show_sql,
    tables_of,
)
from askwell.cli.client import Client
from askwell.cli.lessons import lesson_in, told
from askwell.cli.messages import shown, status_of_result
from askwell.cli.progress import LineReader, Progress
from askwell.cli.row_output import RowTarget, format_of, write_rows
from askwell.cli.shell import TOLD_CHARACTERS, Talk, as_command, help_lines
from askwell.errors import InvalidRequest
from askwell.mdl.names import plural, readable, singular
from askwell.messages import say
from askwell.question.follow_ups import leans

if TYPE_CHECKING:
    from askwell.mdl.semantic_model import SemanticModel

_MOST_TURNS = 10
# How like a known word one has to be that it may be a slip.
_ALIKE = 0.6
_MOST_ROWS = 10_000
_MORE = " (.rows 100 shows more)"
# Commands that take something away.
_TAKING = frozenset({".forget", ".unteach", ".save", ".new", ".quit"})


class Conversation(Talk):
    """Questions and commands of `askwell shell`. `rows` are shown of each answer; where somebody types, `reader` asks
    them back."""

    def __init__(self, client: Client, rows: int, reader: LineReader) -> None:
        super().__init__(
            {
                ".help": self._help,
                ".tables": self._tables,
                ".describe": self._describe,
                ".sql": self._sql,
                ".rows": self._more,
                ".why": self._why,
                ".chart": self._chart,
                ".export": self._export,
                ".save": self._save,
                ".forget": self._forget,
                ".teach": self._teach,
                ".unteach": self._unteach,
                ".lessons": self._lessons,
                ".new": self._new,
                ".quit": self._help,
            }
        )
        self._client, self._rows, self._reader = client, rows, reader
        self._turns: list[dict[str, str]] = []
        self._last: dict[str, Any] | None = None
        self._asked = ""
        self._hints: set[str] = set()
        self._kept = False
        self._missed = ""

    def _command_in(self, line: str) -> str:
        return as_command(line)

    def _unknown(self, name: str, rest: str) -> InvalidRequest:
        harmless = [known for known in self._commands if known not in _TAKING]
        near = self._offer(name, harmless, lambda found: f"{found} {rest}".strip())
        return InvalidRequest(f"There is no command {name}.", near or "Try .help.")

    def _offer(self, said: str, known: Iterable[str], line: Callable[[str], str] | None = None) -> str:
        """What is known and nearest, as a question; `line` makes the line of it that is offered. What takes something
        away is not offered: one number typed in haste would do it."""
        near = difflib.get_close_matches(said, list(known), n=1, cutoff=_ALIKE)
        self._offers = [line(found) for found in near] if line is not None else []
        return f"Did you mean {near[0]}?" if near else ""

    # -- questions --------------------------------------------------------------------------------------------------

    async def _answer(self, question: str) -> None:
        is_there = sys.stdin.isatty() and sys.stderr.isatty()
        reader = self._reader if is_there else None
        with Progress(quiet=not is_there, on_words=_print_words, reader=reader) as progress:
            result = await self._client.ask(question, progress, histories=self._turns[-_MOST_TURNS:])
        self.status = max(self.status, status_of_result(result))
        if progress.words:
            typer.echo()
        if result["status"] == "stopped" and self._reader.has_moved_on:
            return
        self._missed = "" if result["status"] == "finished" else question
        if result["status"] != "finished":
            show_failure(result, Console(stderr=True, highlight=False), told=self._hints)
            if not leans(question):
                self._turns.clear()  # what follows is about this question, which has no answer, and about none before
            self._offers = result.get("suggested_questions", ())
            return
        if result.get("is_followup") and result.get("rephrased_question"):
            typer.echo(f"= {shown(result['rephrased_question'])}")
        show_answer(result, rows=self._rows, more=_MORE)
        if result.get("response"):
            self._last, self._asked, self._kept = result, question, False
            if not result.get("is_followup"):
                self._turns.clear()
            self._turns.append({"question": question, "sql": result["response"][0]["sql"]})

    # -- commands ---------------------------------------------------------------------------------------------------

    async def _help(self, _: str) -> None:
        for command, does in help_lines().items():
            typer.echo(f"  {command:<16} {does}")
        typer.echo("  Anything else is a question. A line that ends in \\ goes on.")

    async def _tables(self, _: str) -> None:
        for table in await self._model():
            about = f": {shown(table.description, lines=False)}" if table.description else ""
            typer.echo(f"  {shown(table.name)}{about}")

    async def _describe(self, named: str) -> None:
        if not named:
            raise InvalidRequest(*say("cli.describe_which_table"))
        tables = {table.name: table for table in await self._model()}
        wanted = {one(named.strip("\"'").casefold()) for one in (str, plural, singular)}
        found = next((name for name in tables if wanted & {name.casefold(), readable(name).casefold()}), None)
        if found is None:
            near = self._offer(named, tables, lambda name: f".describe {name}")
            raise InvalidRequest(f"There is no table “{named[:TOLD_CHARACTERS]}”.", near or "`.tables` lists them.")
        for column in tables[found].columns:
            typer.echo(shown(f"  {column.name} {column.type}".rstrip()))

    async def _model(self) -> SemanticModel:
        if self._client.local is None:
            raise InvalidRequest(*say("cli.tables_of_a_service"))
        return await self._client.local.model()

    async def _more(self, number: str) -> None:
        if not number.isdecimal() or not 0 < int(number) <= _MOST_ROWS:
            raise InvalidRequest(*say("cli.how_many_rows", most_rows=_MOST_ROWS))
        self._rows = int(number)
        if self._last is not None and "data" in self._last:
            sql = self._last["response"][0]["sql"]
            show_rows(console_for_output(), self._last["data"], self._rows, sql=sql, more=_MORE)

    async def _sql(self, _: str) -> None:
        show_sql(console_for_output(), self._answered()["response"][0]["sql"])

    async def _why(self, _: str) -> None:
        last, console = self._answered(), console_for_output()
        sql = last["response"][0]["sql"]
        if last.get("rephrased_question"):
            typer.echo(f"Read as: {shown(last['rephrased_question'])}")
        if self._client.local is not None and (words := await self._client.local.words(sql)):
            typer.echo(shown(words))
        if tables := tables_of(sql):
            typer.echo(shown(f"Tables: {', '.join(tables)}.", lines=False))
        show_remarks(last, console)

    async def _chart(self, kind: str) -> None:
        from askwell.cli.charts import chart_of, print_chart

        last = self._answered()
        print_chart(chart_of(last, f"{kind} {self._asked}"), last)

    async def _export(self, named: str) -> None:
        last = self._answered()
        if not named or "data" not in last:
            raise InvalidRequest(*say("cli.nothing_to_export"))
        file = _new_file(named)
        target = RowTarget(format_of(file), file)
        local = self._client.local
        all_rows = partial(local.all_rows, last["response"][0]["sql"]) if local is not None else None
        written = await write_rows(last["data"], target, all_rows)
        typer.echo(shown(written.told(file)), err=True)

    async def _save(self, _: str) -> None:
        last = self._answered()
        await self._judge(last, positive=True)
        self._kept = True
        typer.echo(f"From now on this answers “{shown(self._question_of(last))}”. `.forget` takes it back.", err=True)

    async def _forget(self, _: str) -> None:
        last = self._answered()
        pair = None if self._kept else last.get("sql_pair_id")
        if not (self._kept or pair is not None or last.get("verified")):
            raise InvalidRequest(*say("cli.answer_not_saved"))
        if pair is not None:
            await self._client.call("DELETE /sql-pairs", {"sql_pair_ids": [pair]})
        else:
            await self._judge(last, positive=False)
        self._kept, self._last = False, {**last, "sql_pair_id": None, "verified": False}
        typer.echo(f"What was saved for “{shown(self._question_of(last))}” is not kept any more.", err=True)

    def _question_of(self, answered: Mapping[str, Any]) -> str:
        return str(answered.get("rephrased_question") or self._asked)

    async def _judge(self, answered: Mapping[str, Any], *, positive: bool) -> None:
        """Let an answer stand for its question from now on, or take that back."""
        ask_id = answered["query_id"]
        await self._client.call("POST /asks/{ask_id}/feedback", {"positive": positive}, ask_id=ask_id)

    async def _teach(self, line: str) -> None:
        lesson = lesson_in(line)
        await self._client.call("POST /lessons", {"lessons": [lesson]})
        said, meant = list(lesson["body"].values())[:2]
        typer.echo(
            f"From now on “{shown(said)}” means {shown(meant)}. `.unteach {shown(said)}` takes it back.", err=True
        )

    async def _unteach(self, said: str) -> None:
        wanted = said.strip("\"'“” ").casefold()
        lessons = [one for one in await self._client.all("lessons") if "said" in one["body"]]
        found = [one["id"] for one in lessons if one["body"]["said"].casefold() == wanted]
        if not found:
            near = self._offer(wanted, [one["body"]["said"] for one in lessons])
            raise InvalidRequest(
                f"“{shown(said[:TOLD_CHARACTERS])}” was not taught.", near or "`.lessons` lists what was."
            )
        await self._client.call("DELETE /lessons", {"lesson_ids": found})
        typer.echo(f"“{shown(wanted)}” means nothing of its own any more.", err=True)

    async def _lessons(self, _: str) -> None:
        lessons = await self._client.all("lessons")
        for lesson in lessons:
            typer.echo(f"  {told(lesson)}")
        if not lessons:
            typer.echo("Nothing learned yet.", err=True)

    async def _new(self, _: str) -> None:
        self._turns.clear()

    def _answered(self) -> dict[str, Any]:
        if self._last is None:
            raise InvalidRequest(*say("cli.nothing_answered"))
        if self._missed:
            typer.echo(f"(Of “{shown(self._asked, lines=False)}”: the last question has no answer.)", err=True)
        return self._last


def _new_file(named: str) -> Path:
    """Nothing that is there is lost."""
    file = Path(named).expanduser()
    if file.exists():
        raise InvalidRequest(*say("cli.file_exists", named=named))
    return file


def _print_words(piece: str) -> None:
    typer.echo(piece, nl=False)
