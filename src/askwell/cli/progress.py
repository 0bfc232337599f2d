"""What somebody sees who waits for an answer: on a terminal one line that changes, elsewhere a line for each state."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Self

import typer

from askwell.cli.plain_text import shown

if TYPE_CHECKING:
    from rich.status import Status

    from askwell.cli.asking_back import LineReader

_IN_WORDS = {
    "queued": "waiting",
    "understanding": "understanding the question",
    "searching": "looking for the tables that matter",
    "planning": "planning",
    "generating": "writing SQL",
    "correcting": "correcting the SQL",
    "awaiting_correction": "waiting to be told what is meant",
}


class Progress:
    """Shows on standard error what happens, and hands on the words of an answer that is none in SQL (`on_words`)."""

    def __init__(
        self,
        *,
        quiet: bool = False,
        states: bool = True,
        on_words: Callable[[str], None] | None = None,
        reader: LineReader | None = None,
    ) -> None:
        """`states`: elsewhere than on a terminal each state is a line. Somebody can be asked back where there is a
        `reader`."""
        self._quiet, self._states, self._reader = quiet, states, reader
        self._on_words = on_words
        self._live = not quiet and sys.stderr.isatty()
        self._status: Status | None = None
        self._state = ""
        self.reached: list[str] = []
        self._corrections = 0
        self._plan = ""
        self.words = ""

    def __enter__(self) -> Self:
        if self._live:
            from rich.console import Console

            self._status = Console(stderr=True).status("…")
            self._status.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def step(self, what: str) -> None:
        """Something is being done now, before the ask."""
        if self._status is not None:
            self._status.update(what)

    def note(self, what: str) -> None:
        """Something that the asker should know."""
        self._line(f"note: {what}")

    def event(self, kind: str, data: Mapping[str, Any]) -> None:
        """An event of the ask."""
        if kind == "delta":
            self._text(str(data.get("message", "")))
        elif kind in ("state", "done", "error"):
            self._reached(str(data.get("status", "")))

    async def answer(self, clarification: Mapping[str, Any]) -> str | None:
        """What somebody says who is asked which of several things they mean; None where they say nothing."""
        if self._reader is None:
            return None
        with self._still():
            return await self._reader.choose(clarification)

    @property
    def is_there(self) -> bool:
        """Whether somebody can be asked back."""
        return self._reader is not None

    @contextmanager
    def _still(self) -> Iterator[None]:
        """Nothing moves while somebody reads and types."""
        if self._status is not None:
            self._status.stop()
        try:
            yield
        finally:
            if self._status is not None:
                self._status.start()

    def _reached(self, state: str) -> None:
        self._finish_plan()
        if state == "correcting":
            self._corrections += 1
        elif state == self._state:
            return
        self._state = state
        self.reached.append(state)
        if self._status is not None:
            count = f" ({self._corrections})" if state == "correcting" else ""
            self._status.update(_IN_WORDS.get(state, state) + count)
        elif self._states and not self._live:
            self._line(state)

    def _text(self, piece: str) -> None:
        """Text comes while a plan is written, which is for those who watch, or it is the answer itself."""
        if self._state == "planning":
            *lines, self._plan = (self._plan + piece).split("\n")
            for line in lines if self._live else ():
                self._line(f"  {line}")
            return
        self.words += piece
        if self._on_words is not None:
            self.stop()
            self._on_words(shown(piece))

    def _finish_plan(self) -> None:
        if self._plan and self._live:
            self._line(f"  {self._plan}")
        self._plan = ""

    def _line(self, text: str) -> None:
        if self._quiet:
            return
        if self._status is not None:
            from rich.text import Text

            self._status.console.print(Text(shown(text), "dim"))
        else:
            typer.secho(shown(text), dim=True, err=True)

    def stop(self) -> None:
        """Nothing moves any more: something else is printed now."""
        if self._status is not None:
            self._status.stop()
            self._status = None
