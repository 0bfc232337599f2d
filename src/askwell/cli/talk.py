"""What is said in `askwell chat`, and what is shown of the answers."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

import typer

from askwell.cli.answer import console_for_output, show_sql, sources_of
from askwell.cli.asking_back import LineReader, numbered, offered
from askwell.cli.chat_doors import ChatDoor, Event
from askwell.cli.messages import FAILED, NOT_ANSWERED, print_json, status_of
from askwell.cli.plain_text import shown
from askwell.cli.rows_table import show_rows
from askwell.cli.text_chart import told_chart
from askwell.errors import AskwellError, InvalidRequest

_TOLD_CHARACTERS = 80
_CALL_CHARACTERS = 100
_ROWS = 20


class Talk:
    """Hears one line after the other: a message, a command, or the number of what was suggested. `reader` reads what is
    answered where the agent asks back. Of `thread_id` None a new conversation begins.

    `status` is what the lines came to so far: the highest of 0 for an answer, 1 for none, 2 for what cannot be done and
    3 for what failed."""

    def __init__(self, door: ChatDoor, reader: LineReader, *, thread_id: str | None, as_json: bool) -> None:
        self._door, self._reader, self._as_json = door, reader, as_json
        self.thread_id = thread_id
        self.status = 0
        self._offers: Sequence[str] = []
        self._answer = Answer(as_json=as_json)

    async def take_up(self) -> None:
        """Ask what the conversation that is gone on with was waiting for."""
        waiting = await self._door.waiting(self.thread_id) if self.thread_id is not None else None
        if waiting is not None:
            run_id, self._answer.interrupts = waiting
            await self._through(run_id)

    async def hear(self, line: str) -> bool:
        """Whether that was to end."""
        line = offered(line, self._offers) or line
        self._offers = []
        name, *_ = line.split()
        try:
            if name == ".quit":
                return True
            if not name.startswith("."):
                await self._say(line)
            elif (command := self._commands().get(name)) is None:
                known = ", ".join(self._commands())
                raise InvalidRequest(f"There is no command {name[:_TOLD_CHARACTERS]}.", f"There are {known}.")
            else:
                await command()
        except BrokenPipeError:
            raise
        except AskwellError as error:
            self._failed(error)
        for choice in numbered([(offer, "") for offer in self._offers]):
            typer.echo(choice, err=True)
        return False

    def _failed(self, error: AskwellError) -> None:
        if self._as_json:
            print_json({"type": "RUN_ERROR", "code": error.code, "message": f"{error.message} {error.hint}".strip()})
        typer.secho(shown(f"{error.message} {error.hint}".strip()), fg=typer.colors.RED, err=True)
        self.status = max(self.status, status_of(error))

    # -- messages ---------------------------------------------------------------------------------------------------

    async def _say(self, text: str) -> None:
        self.thread_id, run_id = await self._door.send(text, self.thread_id)
        self._answer = Answer(as_json=self._as_json)
        await self._followed(run_id, 0)

    async def _followed(self, run_id: str, after: int) -> None:
        try:
            after = await self._door.follow(run_id, after, self._answer.hear)
        except asyncio.CancelledError:
            self._answer.break_line()
            await self._door.stop(run_id)
            raise
        await self._through(run_id, after)

    async def _through(self, run_id: str, after: int = 0) -> None:
        """Show what a run came to; or ask what it asked back, and go on with it."""
        self.status = max(self.status, self._answer.status)
        interrupts, self._answer.interrupts = self._answer.interrupts, ()
        if not interrupts:
            self._offers = [] if self._as_json else self._answer.suggestions
            return
        for one in interrupts:
            said = await self._asked(one)
            if said is None:
                await self._door.stop(run_id)
                self.status = max(self.status, NOT_ANSWERED)
                return
            await self._door.answer(run_id, one["id"], said)
        await self._followed(run_id, after or await self._told(run_id, interrupts))

    async def _asked(self, interrupt: Event) -> str | None:
        if self._as_json:
            line = await self._reader.line("")
            return (line.strip() or None) if line is not None else None
        return await self._reader.choose(interrupt["metadata"]["clarification"])

    async def _told(self, run_id: str, interrupts: Sequence[Event]) -> int:
        """The place of the event by which this was asked, before this talk took the run up."""
        asked, found, after = {one["id"] for one in interrupts}, set[str](), 0

        def look(event: Event) -> None:
            found.update(one["id"] for one in event.get("outcome", {}).get("interrupts") or ())

        while not asked & found:
            after = await self._door.follow(run_id, after, look)
        return after

    # -- commands ---------------------------------------------------------------------------------------------------

    def _commands(self) -> Mapping[str, Callable[[], Awaitable[None]]]:
        return {".help": self._help, ".sql": self._sql, ".rows": self._rows, ".new": self._new, ".quit": self._help}

    async def _help(self) -> None:
        for command, does in _HELP.items():
            typer.echo(f"  {command:<8} {does}")

    async def _sql(self) -> None:
        if not self._answer.sql:
            raise InvalidRequest("The last answer stands on no SQL.", "Ask something of the data first.")
        for statement in self._answer.sql:
            show_sql(console_for_output(), statement)

    async def _rows(self) -> None:
        if self._answer.data is None:
            raise InvalidRequest("The last answer stands on no rows.", "Ask something of the data first.")
        show_rows(console_for_output(), self._answer.data, _ROWS, sql="".join(self._answer.sql[-1:]))

    async def _new(self) -> None:
        self.thread_id = None


class Answer:
    """One answer while it comes in: its words are printed at once, with each call of a tool as a line beside them."""

    def __init__(self, *, as_json: bool) -> None:
        self._as_json = as_json
        self._calls: dict[str, str] = {}
        self._has_words, self._in_line = False, False
        self.sql: list[str] = []
        self.data: Mapping[str, Any] | None = None
        self.suggestions: Sequence[str] = ()
        self.interrupts: Sequence[Event] = ()
        self.status = NOT_ANSWERED

    def hear(self, event: Event) -> None:
        """Show an event, and keep what may be asked about."""
        if self._as_json:
            print_json(dict(event))
            sys.stdout.flush()
        kind = event["type"]
        match kind:
            case "TEXT_MESSAGE_START" if self._has_words:
                self._print("\n\n")
            case "TEXT_MESSAGE_CONTENT":
                self._has_words = True
                self._print(shown(event["delta"]))
            case "TEXT_MESSAGE_END":
                self.break_line()
            case "TOOL_CALL_START":
                self._calls[event["toolCallId"]] = event["toolCallName"]
            case "TOOL_CALL_ARGS":
                self._beside(f"{self._calls.get(event['toolCallId'], '')}: {_in_short(event['delta'])}")
            case "CUSTOM":
                self._custom(event["name"], event["value"])
            case "RUN_FINISHED" | "RUN_ERROR":
                self.break_line()
                self._ended(event)

    def _custom(self, name: str, value: Any) -> None:
        match name:
            case "askwell.sql":
                self.sql = [*dict.fromkeys([*self.sql, value["sql"]])]
            case "askwell.data":
                self.data = value
            case "askwell.chart" if not self._as_json:
                self.break_line()
                console = console_for_output()
                plain = not console.encoding.lower().startswith("utf")
                for line in told_chart(value, width=console.width, plain=plain):
                    typer.echo(line)
            case "askwell.suggestions":
                self.suggestions = value
            case "askwell.citations" if not self._as_json:
                self.break_line()
                for line in sources_of({"citations": value}):
                    typer.echo(shown(line, lines=False))
            case "askwell.warning" if not self._as_json:
                self.break_line()
                typer.echo(shown(f"warning: {value['message']}", lines=False))

    def _ended(self, event: Event) -> None:
        if event["type"] == "RUN_ERROR":
            typer.secho(shown(event["message"]), fg=typer.colors.RED, err=True)
            self.status = FAILED
            return
        outcome = event["outcome"]
        self.interrupts = outcome.get("interrupts") or ()
        self.status = NOT_ANSWERED if outcome["type"] == "cancelled" else 0

    def _print(self, text: str) -> None:
        if not self._as_json:
            typer.echo(text, nl=False)
            sys.stdout.flush()
            self._in_line = not text.endswith("\n")

    def break_line(self) -> None:
        """What comes next begins a line."""
        if self._in_line:
            self._print("\n")

    def _beside(self, text: str) -> None:
        if not self._as_json and sys.stderr.isatty():
            self.break_line()
            typer.secho(f"  {shown(text, lines=False)}", dim=True, err=True)


def _in_short(arguments: str) -> str:
    """Arguments as a person would say them: values, cut to a line."""
    try:
        said = json.loads(arguments)
    except ValueError:
        said = arguments
    values = (
        [one if isinstance(one, str) else json.dumps(one) for one in said.values()] if isinstance(said, dict) else []
    )
    text = " ".join(", ".join(values or [arguments]).split())
    return text if len(text) <= _CALL_CHARACTERS else f"{text[: _CALL_CHARACTERS - 1]}…"


_HELP = {
    ".sql": "the statements that the last answer stands on",
    ".rows": "its rows",
    ".new": "begin a new conversation",
    ".quit": "end (Ctrl-D too)",
    "NUMBER": "ask what was suggested under it",
}
