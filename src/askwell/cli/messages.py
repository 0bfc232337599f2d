"""What all commands share: safe printing, exit statuses, and errors in words."""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, NoReturn, TypeVar

import typer

from askwell.errors import AskwellError, ConfigurationError, InvalidModel, InvalidRequest
from askwell.messages import say

T = TypeVar("T")
# Where commands that talk to a service find the key for it.
API_KEY = "ASKWELL_API_KEY"
# How `askwell ask` and `askwell shell` end, beside 0 for an answer.
NOT_ANSWERED, UNUSABLE, FAILED, INTERRUPTED = 1, 2, 3, 130
Force = Annotated[bool, typer.Option("--force", help="Overwrite files that exist.")]


def make_streams_usable() -> None:
    """A terminal or a pipe that is not UTF-8 shows `?` for letters that it does not know, and gives bytes that it does
    not know as they are. A stream that was closed at the start is empty."""
    for name in ("stdin", "stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "r" if name == "stdin" else "w"))  # noqa: SIM115 - as long as the process
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="surrogateescape" if name == "stdin" else "replace")


def status_of(error: AskwellError) -> int:
    """How a command that asks ends where this was raised."""
    return UNUSABLE if isinstance(error, ConfigurationError | InvalidModel | InvalidRequest) else FAILED


def status_of_work(error: AskwellError) -> int:
    """How a command ends that asks nothing."""
    return UNUSABLE if isinstance(error, ConfigurationError) else 1


@contextlib.contextmanager
def failures_told(status: Callable[[AskwellError], int] = status_of) -> Iterator[None]:
    """What fails in here ends the command with its reason and `status`; so does an interruption, without words."""
    try:
        yield
    except (KeyboardInterrupt, asyncio.CancelledError, typer.Abort):
        raise typer.Exit(INTERRUPTED) from None
    except AskwellError as error:
        give_up(error, status(error))


def sql_of(result: Mapping[str, Any]) -> str:
    """The statement of a result object; "" where it has none."""
    return "".join(answer["sql"] for answer in result.get("response", ())[:1])


def status_of_result(result: Mapping[str, Any]) -> int:
    """How a command ends that got this result object."""
    if result["status"] == "finished":
        return 0
    return FAILED if result.get("error", {}).get("code") == "OTHERS" else NOT_ANSWERED


def confirm_overwriting(*files: Path | None, force: bool) -> None:
    """Ask at a terminal before a file that exists is overwritten; end the command where it is not to be, or where
    there is no terminal. Devices and pipes can always be written to."""
    for file in files:
        if force or file is None or not file.is_file():
            continue
        with failures_told():
            if sys.stdin.isatty() and sys.stderr.isatty() and typer.confirm(f"{file} exists. Overwrite it?", err=True):
                continue
            raise ConfigurationError(*say("cli.file_not_overwritten", file=file))


def print_json(value: Any, indent: int | None = None) -> None:
    """On standard output, without `indent` as one line; other letters than ASCII's as they are where they can be
    printed."""
    is_unicode = (sys.stdout.encoding or "").lower().startswith("utf")
    typer.echo(json.dumps(value, indent=indent, ensure_ascii=not is_unicode))


def print_items(
    items: Iterable[Mapping[str, Any]], line: Callable[[Any], str], *, as_json: bool, nothing: str = ""
) -> None:
    """Print a list: as JSON, or a line for each; where there are none, `nothing` on standard error."""
    found = list(items)
    if as_json:
        print_json(found)
        return
    for one in found:
        typer.echo(shown(line(one), lines=False))
    if not found and nothing:
        typer.echo(nothing, err=True)


@contextlib.contextmanager
def until_nobody_reads() -> Iterator[None]:
    """Printing in here ends without a word once nobody reads standard output any more, as with `| head`. Where it
    cannot be written for another reason the command ends."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        _print_nowhere()
    except OSError as error:
        _print_nowhere()
        give_up(AskwellError(*say("cli.output_closed", strerror=error.strerror)), FAILED)


def _print_nowhere() -> None:
    """What is still in the buffer would fail again when the process ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def give_up(error: AskwellError, status: int = 1) -> NoReturn:
    """Print what happened and what to do next on standard error, and end with `status`."""
    typer.secho(error.message, fg=typer.colors.RED, err=True)
    if error.hint:
        typer.echo(error.hint, err=True)
    raise typer.Exit(status)


def counted(count: int, what: str) -> str:
    """`1 model`, `2 models`."""
    return f"{count} {what}{'' if count == 1 else 's'}"


def shown(text: str, *, lines: bool = True) -> str:
    """`text` with what cannot be seen written out, such as \\x1b; line breaks and tabs stay where `lines` is set."""
    kept = "\n\t" if lines else ""
    return "".join(c if c.isprintable() or c in kept else _written_out(c) for c in text)


def _written_out(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def as_typed(text: str) -> str:
    """Where the locale knows ASCII only, other letters come as halves of surrogate pairs."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return os.fsencode(text).decode("utf-8", "replace")
    return text
