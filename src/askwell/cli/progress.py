"""What somebody sees who waits for an answer: on a terminal one line that changes, elsewhere a line for each state."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, Self

import typer

from askwell.cli.messages import as_typed, shown
from askwell.cli.waiting import in_own_thread
from askwell.resources import words_file

if TYPE_CHECKING:
    from rich.status import Status


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
            states: Mapping[str, str] = words_file("askwell.cli", "words.yaml")["states"]
            self._status.update(states.get(state, state) + count)
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


_PROMPT = "Number or name, or nothing to stop: "
_WORDS_PROMPT = "Number or name (with ! to remember it), or nothing to stop: "
_VALUES_PROMPT = "Values, or nothing to stop: "
_OPTIONAL_PROMPT = "A value, or nothing to go on without: "
_SKIP = "skip"
_AGAIN = "Number, or nothing to stop: "


class LineReader:
    """Reads what somebody types, a line at a time. `is_elsewhere` tells lines that answer no question: commands, and
    questions of their own."""

    def __init__(self, is_elsewhere: Callable[[str], bool] = lambda _: False) -> None:
        self._reading: asyncio.Future[str | None] | None = None
        self._is_elsewhere = is_elsewhere
        self._put_back: str | None = None

    async def line(self, prompt: str) -> str | None:
        """The next line without its end; None at the end of input. Where a wait for a line was cancelled, the next
        line goes to the next wait."""
        if self._put_back is not None:
            said, self._put_back = self._put_back, None
            return said
        if self._reading is None:
            self._reading = in_own_thread(partial(_read, prompt))
        elif sys.stderr.isatty():
            typer.echo(prompt, nl=False, err=True)
        typed: str | None = await asyncio.shield(self._reading)
        self._reading = None
        return typed

    @property
    def has_moved_on(self) -> bool:
        """Whether somebody who was asked back typed something else, which is the next line."""
        return self._put_back is not None

    async def choose(self, clarification: Mapping[str, Any]) -> str | None:
        """Show what could be meant on standard error, and read what is. None for an empty line, for the end of input,
        and where somebody moves on to something else."""
        for line in options_of(clarification):
            typer.echo(line, err=True)
        fields = clarification.get("fields", ())
        if not fields:
            return await self._said(_WORDS_PROMPT if clarification.get("said") else _PROMPT)
        if any(field["required"] for field in fields):
            return await self._said(_VALUES_PROMPT)
        said = await self.line(_OPTIONAL_PROMPT)
        return (said.strip() or _SKIP) if said is not None else None

    async def choose_question(self, questions: Sequence[str]) -> str | None:
        """One of these questions, by its number. None where none is wanted."""
        for line in numbered([(question, "") for question in questions]):
            typer.echo(line, err=True)
        return offered(await self._said(_AGAIN), questions)

    async def _said(self, prompt: str) -> str | None:
        line = await self.line(prompt)
        said = (line.strip() or None) if line is not None else None
        if said is not None and self._is_elsewhere(said):
            self._put_back, said = said, None
        return said


def options_of(clarification: Mapping[str, Any]) -> Iterator[str]:
    """A clarification as lines: the question, and its options with their numbers."""
    for line in shown(clarification["question"]).splitlines():
        yield from _wrapped(line, "")
    yield from numbered([(option["label"], option.get("detail") or "") for option in clarification.get("options", ())])
    for field in clarification.get("fields", ()):
        more = f": {shown(field['description'], lines=False)}" if field.get("description") else ""
        default = f" (else {shown(str(field['default']), lines=False)})" if field.get("default") is not None else ""
        yield from _wrapped(f"  - {shown(field['name'], lines=False)}{more}{default}", "    ")


def numbered(options: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Lines for options, each with more about it, with their numbers."""
    for place, (label, detail) in enumerate(options, 1):
        more = f"  ({shown(detail, lines=False)})" if detail else ""
        yield from _wrapped(f"  {place}. {shown(label, lines=False)}{more}", "     ")


def offered(said: str | None, options: Sequence[str]) -> str | None:
    """The option whose number was typed; None for anything else."""
    place = int(said) if said is not None and said.isdecimal() and len(said) < 4 else 0
    return options[place - 1] if 0 < place <= len(options) else None


def _wrapped(line: str, indent: str) -> list[str]:
    """A line in the width of the terminal, without words cut in two."""
    if not sys.stderr.isatty():
        return [line]
    width = max(shutil.get_terminal_size().columns, len(indent) + 8)
    return textwrap.wrap(line, width, subsequent_indent=indent, drop_whitespace=True, replace_whitespace=False) or [""]


@contextmanager
def _interrupt_as_key() -> Iterator[None]:
    """Where `readline` reads, Ctrl-C is a key that empties the line and ends it: as a signal it would leave what was
    typed in the line that comes next."""
    readline = sys.modules.get("readline")
    if readline is None or "libedit" in (readline.__doc__ or ""):
        yield
        return
    import termios

    before = termios.tcgetattr(sys.stdin)
    without = termios.tcgetattr(sys.stdin)
    without[6][termios.VINTR] = bytes([os.fpathconf(sys.stdin.fileno(), "PC_VDISABLE")])
    readline.parse_and_bind(r'"\C-c": "\C-e\C-u\C-m"')
    termios.tcsetattr(sys.stdin, termios.TCSANOW, without)
    try:
        yield
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSANOW, before)


def _read(prompt: str) -> str | None:
    try:
        if sys.stdin.isatty() and sys.stdout.isatty():
            with _interrupt_as_key():
                return as_typed(input(prompt))  # with what `readline` gives to who types
        if sys.stderr.isatty():
            typer.echo(prompt, nl=False, err=True)
        line = sys.stdin.readline()
    except (EOFError, OSError, ValueError):
        return None
    return as_typed(line.rstrip("\r\n")) if line else None
