"""`askwell chat`: an agent of a database, or of a running service, to talk to."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from askwell.cli.answer import console_for_output, show_rows, show_sql, sources_of
from askwell.cli.client import STOP, Client
from askwell.cli.client import Item as Event
from askwell.cli.messages import FAILED, NOT_ANSWERED, print_json, shown
from askwell.cli.options import DatabaseOptions, GivenDatabase, ProjectOptions, with_option_groups
from askwell.cli.progress import LineReader
from askwell.cli.shell import Talk, converse, is_elsewhere, run_talk
from askwell.errors import AskwellError, InvalidRequest
from askwell.messages import say
from askwell.resources import words_file


@dataclass(frozen=True, kw_only=True)
class TalkOptions:
    """With whom, and how."""

    agent: Annotated[
        str | None, typer.Option(help="The agent to talk to; by default that of the thread, or `default`.")
    ] = None
    thread: Annotated[str | None, typer.Option(help="Continue this conversation, or begin one of this name.")] = None
    as_json: Annotated[bool, typer.Option("--json", help="Print each AG-UI event as a line of JSON.")] = False


@with_option_groups
def chat(
    of: ProjectOptions,
    local: DatabaseOptions,
    talk: TalkOptions,
    place: GivenDatabase = None,
) -> None:
    """Talk to an agent: it asks the data with tools, and answers in words from what they give. It needs a language
    model. Where it has to know which of several things you mean you choose by number; `.help` lists what else there is.

    Status 0 at the end of what somebody types. Of lines that come through a pipe, each a message, the highest of 0 for
    an answer, 1 for none, 2 for what cannot be done, and 3 for what failed.
    """

    async def hold(client: Client) -> int:
        reader = LineReader(is_elsewhere)
        talking = AgentTalk(client, reader, talk)
        await talking.take_up()
        status = await converse(talking, reader, client.name)
        if talking.thread_id is not None and sys.stdin.isatty():
            typer.echo(f"--thread {talking.thread_id} goes on with this conversation.", err=True)
        return status

    run_talk(of.asked(place, local), local, hold, needs_model=True)


_RUN = "PATCH /runs/{run_id}"
_CALL_CHARACTERS = 100
_ROWS = 20


class AgentTalk(Talk):
    """Messages to an agent. `reader` reads what is answered where the agent asks back."""

    def __init__(self, client: Client, reader: LineReader, options: TalkOptions) -> None:
        super().__init__(
            {".help": self._help, ".sql": self._sql, ".rows": self._rows, ".new": self._new, ".quit": self._help}
        )
        self._client, self._reader, self._options = client, reader, options
        self.thread_id = options.thread
        self._last = Answer(as_json=options.as_json)

    async def take_up(self) -> None:
        """Ask what the conversation that is gone on with was waiting for."""
        waiting = await self._client.waiting_run(self.thread_id) if self.thread_id is not None else None
        if waiting is not None:
            run_id, self._last.interrupts = waiting
            await self._through(run_id)

    def _unknown(self, name: str, rest: str) -> InvalidRequest:
        return InvalidRequest(*say("cli.chat_unknown_command", name=name, known=", ".join(self._commands)))

    def _fail(self, error: AskwellError) -> None:
        if self._options.as_json:
            print_json({"type": "RUN_ERROR", "code": error.code, "message": f"{error.message} {error.hint}".strip()})
        super()._fail(error)

    # -- messages ---------------------------------------------------------------------------------------------------

    async def _answer(self, line: str) -> None:
        self.thread_id, run_id = await self._client.send(line, self.thread_id, self._options.agent)
        self._last = Answer(as_json=self._options.as_json)
        await self._followed(run_id, 0)

    async def _followed(self, run_id: str, after: int) -> None:
        try:
            after = await self._client.follow(run_id, after, self._last.hear)
        except asyncio.CancelledError:
            self._last.break_line()
            await self._client.call(_RUN, STOP, run_id=run_id)
            raise
        await self._through(run_id, after)

    async def _through(self, run_id: str, after: int = 0) -> None:
        """Show what a run came to; or ask what it asked back, and go on with it."""
        self.status = max(self.status, self._last.status)
        interrupts, self._last.interrupts = self._last.interrupts, ()
        if not interrupts:
            self._offers = [] if self._options.as_json else self._last.suggestions
            return
        for one in interrupts:
            said = await self._asked(one)
            if said is None:
                await self._client.call(_RUN, STOP, run_id=run_id)
                self.status = max(self.status, NOT_ANSWERED)
                return
            answer = {"interrupt_id": one["id"], "payload": said}
            await self._client.call("POST /runs/{run_id}/input", answer, run_id=run_id)
        await self._followed(run_id, after or await self._told(run_id, interrupts))

    async def _asked(self, interrupt: Event) -> str | None:
        if self._options.as_json:
            line = await self._reader.line("")
            return (line.strip() or None) if line is not None else None
        return await self._reader.choose(interrupt["metadata"]["clarification"])

    async def _told(self, run_id: str, interrupts: Sequence[Event]) -> int:
        """The place of the event by which this was asked, before this talk took the run up."""
        asked, found, after = {one["id"] for one in interrupts}, set[str](), 0

        def look(event: Event) -> None:
            found.update(one["id"] for one in event.get("outcome", {}).get("interrupts") or ())

        while not asked & found:
            after = await self._client.follow(run_id, after, look)
        return after

    # -- commands ---------------------------------------------------------------------------------------------------

    async def _help(self, _: str) -> None:
        for command, does in words_file("askwell.cli", "words.yaml")["chat_help"].items():
            typer.echo(f"  {command:<8} {does}")

    async def _sql(self, _: str) -> None:
        if not self._last.sql:
            raise InvalidRequest(*say("cli.chat_no_statement"))
        for statement in self._last.sql:
            show_sql(console_for_output(), statement)

    async def _rows(self, _: str) -> None:
        if self._last.data is None:
            raise InvalidRequest(*say("cli.chat_no_rows"))
        show_rows(console_for_output(), self._last.data, _ROWS, sql="".join(self._last.sql[-1:]))

    async def _new(self, _: str) -> None:
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
                from askwell.cli.charts import print_told_chart

                print_told_chart(value)
            case "askwell.suggestions":
                self.suggestions = value
            case "askwell.citations" if not self._as_json:
                self.break_line()
                for line in sources_of({"citations": value}):
                    typer.echo(shown(" ".join(line.split()), lines=False))
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
