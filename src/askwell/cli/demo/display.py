"""What the demo prints. On a terminal in colour; elsewhere plain lines, for logs."""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from askwell.cli.answer import show_sql
from askwell.cli.rows_table import show_rows
from askwell.sample.questions import DemoQuestion, Refused

_ROWS_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Outcome:
    """One question of the demo: what came back, how long it took (ms), and what is wrong with it ("" when nothing)."""

    question: DemoQuestion
    result: dict[str, Any]
    statuses: tuple[str, ...]
    milliseconds: float
    wrong: str

    @property
    def answered_by(self) -> str:
        """`rules`, `history`, `view` or `llm`; for a refusal its code."""
        return str(self.result.get("sql_source") or self.result.get("error", {}).get("code", ""))


class Display:
    """Prints as things happen."""

    def __init__(self, console: Console | None = None) -> None:
        # Without a terminal rich would break lines at 80 characters.
        self._console = console or Console(highlight=False)
        if not self._console.is_terminal:
            self._console.width = max(self._console.width, 120)

    @property
    def console(self) -> Console:
        """Where it prints."""
        return self._console

    def step(self, text: str) -> None:
        """Something was done."""
        self._console.print(Text.assemble(("✓ ", "green"), text))

    def warning(self, text: str) -> None:
        """Something that the reader should know."""
        self._console.print(Text.assemble(("! ", "yellow"), text))

    @contextlib.contextmanager
    def live(self, question: str) -> Iterator[Callable[[str], None]]:
        """While a question is being answered; takes each status as it comes. Seen on a terminal only."""
        if not self._console.is_terminal:
            yield lambda _: None
            return
        with self._console.status(Text(question)) as line:
            yield lambda status: line.update(Text(f"{question}  {status}"))

    def outcome(self, number: int, outcome: Outcome) -> None:
        """A question with everything that came back."""
        self._console.print()
        self._console.print(
            Text.assemble(
                (f"{number}. ", "dim"), (outcome.question.text, "bold"), (f"  ({outcome.question.form})", "dim")
            )
        )
        self._console.print(Text(f"   {' → '.join(outcome.statuses)}", "dim"))
        if outcome.result["status"] == "finished":
            self._answer(outcome.result)
        else:
            self._refusal(outcome)
        self._verdict(outcome)

    def summary(self, outcomes: list[Outcome]) -> None:
        """All questions at a glance."""
        table = Table(box=box.SIMPLE_HEAD, title="Askwell on the sample shop", title_justify="left")
        for heading in ("", "kind of question", "question", "answered by"):
            table.add_column(heading, no_wrap=heading != "question")
        table.add_column("ms", justify="right")
        for outcome in outcomes:
            mark = Text("✗", "red") if outcome.wrong else Text("✓", "green")
            cells = (outcome.question.form, outcome.question.text, outcome.answered_by, f"{outcome.milliseconds:.0f}")
            table.add_row(mark, *(Text(cell) for cell in cells))
        self._console.print()
        self._console.print(table)
        wrong = sum(1 for outcome in outcomes if outcome.wrong)
        if wrong:
            self._console.print(Text(f"{wrong} of {len(outcomes)} questions were not answered as expected.", "red"))
        else:
            self._console.print(Text(f"All {len(outcomes)} questions were answered as expected.", "green"))

    def invitation(self, shop: Path) -> None:
        """What somebody can ask next, as lines to copy."""
        program, file = _this_program(), shlex.quote(_from_here(shop))
        lines = (
            "Now ask it something of your own, for example:",
            f'  {program} ask "How many reviews were written last month?" {file}',
            f"  {program} shell {file}",
        )
        self._console.print()
        for line in lines:
            self._console.print(Text(line), soft_wrap=True)

    def staying(self, url: str) -> None:
        """Where the page is, for as long as the demo runs."""
        self._console.print()
        self._console.print(Text(f"Or ask the shop in your browser: {url}/  (Ctrl-C ends the demo.)"), soft_wrap=True)

    def left_running(self, url: str, pid: int, folder: Path) -> None:
        """How to go on with a service that was left running."""
        lines = (
            f"The service still runs at {url} (its routes: {url}/docs). Ask it:",
            f"  {_this_program()} ask --url {url} 'How many reviews were written last month?'",
            f"  curl -s -X POST {url}/v1/asks -H 'Content-Type: application/json' \\",
            """    -d '{"query": "How many products are there per department?", "execute": true}'""",
            f"  curl -s {url}/v1/asks/<query_id>/result",
            f"Stop it with: kill {pid}  (its files stay in {folder})",
        )
        self._console.print()
        for line in lines:
            self._console.print(Text(line), soft_wrap=True)

    def _answer(self, result: dict[str, Any]) -> None:
        for answer in result.get("response", []):
            show_sql(self._console, answer["sql"], indent=3)
        if "data" in result:
            show_rows(self._console, result["data"], _ROWS_SHOWN)
        for kind in ("assumptions", "warnings"):
            for line in result.get(kind, []):
                self._console.print(Text(f"   {kind.removesuffix('s')}: {line}", "dim"))

    def _refusal(self, outcome: Outcome) -> None:
        error = outcome.result.get("error", {})
        for line in (
            f"{error.get('code', outcome.result['status'])}: {error.get('message', '')}",
            error.get("hint", ""),
        ):
            if line:
                self._console.print(Text(f"   {line}", "yellow"))

    def _verdict(self, outcome: Outcome) -> None:
        took = f"{outcome.answered_by}, {outcome.milliseconds:.0f} ms"
        if outcome.wrong:
            self._console.print(Text.assemble(("   ✗ not as expected: ", "red"), outcome.wrong, f" ({took})"))
        elif isinstance(outcome.question.expected, Refused):
            self._console.print(
                Text.assemble(("   ✓ rightly refused: ", "green"), outcome.question.expected.why, f" ({took})")
            )
        else:
            self._console.print(Text.assemble(("   ✓ the right rows ", "green"), f"({took})"))


def _this_program() -> str:
    """How this command is called again from the same folder."""
    called = Path(sys.argv[0])
    if called.name != "askwell":
        return f"{shlex.quote(_from_here(Path(sys.executable)))} -m askwell"
    return "askwell" if shutil.which("askwell") == str(called) else shlex.quote(_from_here(called))


def _from_here(path: Path) -> str:
    """The path as people write it: from this folder where it is in there."""
    full = Path(os.path.abspath(path))
    return str(full.relative_to(Path.cwd())) if full.is_relative_to(Path.cwd()) else str(full)
