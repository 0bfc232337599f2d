"""Asking somebody at a terminal which of several things they mean."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import threading
from collections.abc import Iterator, Mapping
from typing import Any

import typer

from askwell.cli.plain_text import shown

_PROMPT = "Number or name, or nothing to stop: "


def options_of(clarification: Mapping[str, Any]) -> Iterator[str]:
    """A clarification as lines: the question, and its options with their numbers."""
    yield from shown(clarification["question"]).splitlines()
    for place, option in enumerate(clarification.get("options", ()), 1):
        detail = option.get("detail")
        more = f"  ({shown(detail, lines=False)})" if detail else ""
        yield f"  {place}. {shown(option['label'], lines=False)}{more}"


async def choose(clarification: Mapping[str, Any]) -> str | None:
    """Show what could be meant on standard error, and read what is. None for an empty line and for the end of input."""
    _show(clarification)
    return _said(await typed_line(_PROMPT))


def choose_at_once(clarification: Mapping[str, Any]) -> str | None:
    """The same for who has nothing else to do meanwhile."""
    _show(clarification)
    return _said(_read(_PROMPT))


async def typed_line(prompt: str) -> str | None:
    """A line that somebody types, without its end; None at the end of input. Whoever waits can be cancelled: the thread
    that reads is left behind, and keeps no process alive."""
    loop = asyncio.get_running_loop()
    found: asyncio.Future[str | None] = loop.create_future()

    def tell(line: str | None) -> None:
        if not found.done():
            found.set_result(line)

    def read() -> None:
        line = _read(prompt)
        with contextlib.suppress(RuntimeError):  # nobody waits any more
            loop.call_soon_threadsafe(tell, line)

    threading.Thread(target=read, name="typed-line", daemon=True).start()
    return await found


def _show(clarification: Mapping[str, Any]) -> None:
    for line in options_of(clarification):
        typer.echo(line, err=True)


def _said(line: str | None) -> str | None:
    return (line.strip() or None) if line is not None else None


def _read(prompt: str) -> str | None:
    try:
        if sys.stdin.isatty() and sys.stdout.isatty():
            return input(prompt)  # with what `readline` gives to who types
        if sys.stderr.isatty():
            typer.echo(prompt, nl=False, err=True)
        line = sys.stdin.readline()
    except (EOFError, OSError, ValueError):
        return None
    return line.rstrip("\n") if line else None
