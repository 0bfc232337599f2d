"""How the demo prints a conversation: as somebody sees it who talks to an agent."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from askwell.cli.answer import sources_of
from askwell.cli.demo.turn import Event, ToldCall, ToldTurn
from askwell.cli.plain_text import shown
from askwell.cli.rows_table import show_rows
from askwell.cli.text_chart import told_chart
from askwell.sample.scripted_model import HeldBack

_ROWS_SHOWN = 5
_INDENT = 3
_WIDTH = 120
_PREFACE = (
    "A conversation of {count} turns. Its words are scripted: a stand-in for a language model says them, and chooses "
    "the tools, from a file (sample/conversation.yaml). The figures are not: they come from the database through the "
    "tools, and behind each turn the demo compares them with statements that it runs itself."
)


class TurnDisplay:
    """Prints a turn while it happens."""

    def __init__(self, console: Console, agent: str) -> None:
        self._console = console
        self._agent = agent
        self._variables: Mapping[str, str] = {}

    def preface(self, count: int) -> None:
        """What is real and what is not."""
        self._console.print()
        self._console.print(Text(_PREFACE.format(count=count), "bold yellow"), width=_WIDTH)

    def message(self, number: int, form: str, text: str) -> None:
        """What the person says."""
        self._console.print()
        self._console.print(
            Text.assemble((f"{number}. ", "dim"), ("You: ", "cyan"), (text, "bold"), (f"  ({form})", "dim"))
        )

    @contextlib.contextmanager
    def live(self) -> Iterator[Callable[[str], None]]:
        """While the agent works; takes each of its steps. Seen on a terminal only."""
        if not self._console.is_terminal:
            yield lambda _: None
            return
        begin = f"{self._agent} is at work"
        with self._console.status(Text(begin)) as line:
            yield lambda step: line.update(Text(f"{begin}: {step}"))

    def event(self, event: Event, told: ToldTurn) -> None:
        """Something happened in the turn, which has taken it."""
        match event["type"]:
            case "STEP_STARTED" if event["stepName"] == "reformulate":
                self._line("↻ the message is rewritten so that it stands alone", "dim")
            case "TOOL_CALL_END":
                self._call(told.calls[event["toolCallId"]])
            case "TOOL_CALL_RESULT":
                self._failure(told.calls[event["toolCallId"]])
            case "STATE_SNAPSHOT":
                self._remembered(told.variables)
            case "CUSTOM":
                self._shown(event["name"].removeprefix("askwell."), event["value"], told)

    def asked_back(self, interrupt: Mapping[str, Any], choice: str) -> None:
        """What the person is asked, the ways to answer, and the one that they take."""
        self._line(f"{self._agent} asks: {interrupt['message']}", "yellow")
        options = [one for one in interrupt["responseSchema"].get("anyOf", ()) if "const" in one]
        for number, option in enumerate(options, 1):
            self._line(f"  {number}. {option['title']}{'  ← chosen' if option['title'] == choice else ''}")

    def answer(self, told: ToldTurn, held_back: Sequence[HeldBack]) -> None:
        """The words of the turn with what belongs to them."""
        for one in held_back:
            self._line(f"The model wrote: “{one.written}”", "dim")
            self._line(f"Held back; the service told the model: “{one.objection.partition('. ')[0]}.”", "yellow")
        if told.message:
            self._block(Text.assemble((f"{self._agent}: ", "green"), shown(told.message)))
        for source in sources_of({"citations": told.citations}):
            self._line(" ".join(source.split()), "dim")
        if told.error:
            self._line(told.error, "red")
        if told.suggestions:
            self._line("You might ask next:", "dim")
        for question in told.suggestions:
            self._line(f"  • {question}")

    def verdict(self, wrong: Sequence[str], told: ToldTurn, statements: int) -> None:
        """Whether all is as expected."""
        took = f"({told.milliseconds:.0f} ms)"
        for one in wrong:
            self._block(Text.assemble(("✗ not as expected: ", "red"), shown(one), f" {took}"))
        if not wrong:
            compared = {0: "", 1: ", 1 statement compared"}.get(statements, f", {statements} statements compared")
            self._line(f"✓ as expected{compared} {took}", "green")

    def summary(self, turns: int, wrong: int) -> None:
        """All turns at a glance."""
        self._console.print()
        if wrong:
            self._console.print(Text(f"{wrong} of {turns} turns were not as expected.", "red"))
        else:
            self._console.print(
                Text(f"All {turns} turns were as expected, and their figures are the database's.", "green")
            )

    # -- parts of a turn --------------------------------------------------------------------------------------------

    def _call(self, call: ToldCall) -> None:
        arguments = json.loads(call.arguments or "{}")
        given = ", ".join(f"{name}: {value}" for name, value in arguments.items())
        self._one_line(f"⚙ {call.tool}  {given}", "dim")

    def _failure(self, call: ToldCall) -> None:
        if call.error:
            self._line(f"✗ {call.tool} refused, {call.error['code']}: {call.error['message']}", "yellow")

    def _remembered(self, variables: Mapping[str, str]) -> None:
        for name, value in variables.items():
            if value and value != self._variables.get(name):
                self._line(f"✎ remembers {name} = {value}", "magenta")
        self._variables = variables

    def _shown(self, name: str, value: Any, told: ToldTurn) -> None:
        match name:
            case "sql":
                self._one_line(f"SQL {value['sql']}", "dim")
                if assumptions := value.get("assumptions"):
                    self._line(f"taken for granted: {' '.join(assumptions)}", "dim")
            case "data":
                show_rows(self._console, value, _ROWS_SHOWN)
            case "chart":
                self._chart(value)
            case "warning":
                self._line(f"! {value['message']}", "yellow")

    def _chart(self, told: Mapping[str, Any]) -> None:
        plain = not self._console.encoding.lower().startswith("utf")
        self._console.print()
        for line in told_chart(told, width=self._width, plain=plain):
            self._console.print(Text(" " * _INDENT + line), no_wrap=True)
        self._console.print()

    # -- printing ---------------------------------------------------------------------------------------------------

    def _line(self, text: str, style: str = "") -> None:
        self._block(Text(shown(text), style))

    def _one_line(self, text: str, style: str) -> None:
        """One line, cut where the terminal ends."""
        line = Text(shown(" ".join(text.split())), style)
        line.truncate(self._width, overflow="ellipsis")
        self._block(line)

    def _block(self, text: Text) -> None:
        """Lines behind a margin."""
        for line in text.wrap(self._console, self._width):
            line.rstrip()
            self._console.print(Text.assemble(" " * _INDENT, line) if line.plain else line)

    @property
    def _width(self) -> int:
        return min(self._console.width, _WIDTH) - _INDENT
