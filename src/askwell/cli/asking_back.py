"""Asking somebody at a terminal which of several things they mean."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import typer

from askwell.cli.plain_text import as_typed, shown
from askwell.cli.threads import in_own_thread

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
        """The next line without its end; None at the end of input. Where whoever waited for a line was cancelled, the
        next one that is typed is for whoever waits then."""
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


def correction_in(said: str) -> dict[str, Any]:
    """What somebody typed as an answer, as clients send it."""
    text = said.rstrip("! ")
    return {"text": text, "remember": True} if text and said.endswith("!") else {"text": said}


def numbered(options: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Lines for options, each with more about it, with their numbers."""
    for place, (label, detail) in enumerate(options, 1):
        more = f"  ({shown(detail, lines=False)})" if detail else ""
        yield from _wrapped(f"  {place}. {shown(label, lines=False)}{more}", "     ")


def offered(said: str | None, options: Sequence[str]) -> str | None:
    """The option of which somebody said the number; None where they did not."""
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
