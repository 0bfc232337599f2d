"""`askwell shell`: a database, or a running service, asked one question after the other."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from askwell.cli.client import Client, opened_client
from askwell.cli.messages import shown, status_of, until_nobody_reads
from askwell.cli.options import (
    DatabaseOptions,
    GivenDatabase,
    ProjectOptions,
    with_option_groups,
)
from askwell.cli.progress import LineReader, Progress, numbered, offered
from askwell.cli.setup_offer import offer_setup
from askwell.cli.waiting import run, until_signalled
from askwell.errors import AskwellError, ConfigurationError, InvalidRequest
from askwell.messages import say
from askwell.resources import words_file
from askwell.user_folders import user_folder

_PROMPT, _GOES_ON = "askwell> ", "... "
# Of what was typed and is not known.
TOLD_CHARACTERS = 80


@with_option_groups
def shell(
    of: ProjectOptions,
    local: DatabaseOptions,
    place: GivenDatabase = None,
    rows: Annotated[int, typer.Option(min=1, help="How many rows to show.")] = 20,
) -> None:
    """Ask one question after the other: follow-ups add to what was asked before ("and per country?", "only 2023"), and
    where a question could mean several things you choose by number. `.help` lists what else there is.

    Status 0 at the end of what somebody types. Of lines that come through a pipe the highest of 0 for an answer, 1 for
    none, 2 for what cannot be done, and 3 for what failed.
    """

    async def talk(client: Client) -> int:
        from askwell.cli.conversation import Conversation

        reader = LineReader(is_elsewhere)
        return await converse(Conversation(client, rows, reader), reader, client.name)

    run_talk(of.asked(place, local), local, talk)


def run_talk(
    of: ProjectOptions,
    local: DatabaseOptions,
    talk: Callable[[Client], Awaitable[int]],
    *,
    needs_model: bool = False,
) -> NoReturn:
    """Talk to a service or to a database, whichever was named, and end with the status that comes of it. `talk` takes
    its client; with `needs_model`, a language model has to be configured."""
    if of.database is not None:
        offer_setup(local.config)

    async def done() -> int:
        if needs_model and of.url is None:
            _require_model(local)
        async with contextlib.AsyncExitStack() as opened:
            with Progress(quiet=of.url is not None) as progress:
                # The shell shows more than a service tells; an agent's conversation is kept where others see it.
                alone = not needs_model
                ready = opened_client(of, local, progress, asks_only=alone, alone=alone)
                client = await opened.enter_async_context(ready)
            return await talk(client)

    raise typer.Exit(run(until_signalled(done(), signal.SIGHUP)))


def _require_model(options: DatabaseOptions) -> None:
    from askwell.config import load_config

    if not load_config(options.config, os.environ).has_language_model:
        raise ConfigurationError(*say("cli.chat_needs_model"))


class Talk(ABC):
    """Hears one line after the other: something to be answered, a command, or the number of what was offered.

    `status` is what the lines came to so far: the highest of 0 for an answer, 1 for none, 2 for what cannot be done and
    3 for what failed."""

    def __init__(self, commands: Mapping[str, Callable[[str], Awaitable[None]]]) -> None:
        self.status = 0
        self._commands = commands
        self._offers: Sequence[str] = []

    async def hear(self, line: str) -> bool:
        """Answer a line, or do what a command says; whether that was to end."""
        line = offered(line, self._offers) or line
        self._offers = []
        name, _, rest = self._command_in(line).partition(" ")
        if name == ".quit":
            return True
        try:
            if not name.startswith("."):
                await self._answer(line)
            elif (command := self._commands.get(name)) is None:
                raise self._unknown(name[:TOLD_CHARACTERS], rest)
            else:
                await command(rest.strip())
        except BrokenPipeError:
            raise
        except AskwellError as error:
            self._fail(error)
        except OSError as error:
            self._fail(AskwellError(f"{error.strerror}: {rest}"))
        for choice in numbered([(offer, "") for offer in self._offers]):
            typer.echo(choice, err=True)
        return False

    @abstractmethod
    async def _answer(self, line: str) -> None:
        """Answer what is no command."""

    @abstractmethod
    def _unknown(self, name: str, rest: str) -> InvalidRequest:
        """What to say of a command that there is not."""

    def _command_in(self, line: str) -> str:
        """The command that a line says; else the line."""
        return line

    def _fail(self, error: AskwellError) -> None:
        typer.secho(shown(f"{error.message} {error.hint}".strip()), fg=typer.colors.RED, err=True)
        self.status = max(self.status, status_of(error))


async def converse(conversation: Talk, reader: LineReader, name: str) -> int:
    """Read lines until the end, and the status that they come to. Ctrl-C stops the question that is being answered, and
    nothing else."""
    is_there = sys.stdin.isatty()
    if is_there:
        typer.echo(f"Ask {name} in your own words. `.help` lists commands, Ctrl-D ends.", err=True)
    answering: asyncio.Task[Any] | None = None
    lines: list[str] = []

    def interrupted() -> None:
        if answering is not None and not answering.done():
            answering.cancel()
        else:
            lines.clear()
            typer.echo(f"\n(Ctrl-D or .quit ends.)\n{_PROMPT if is_there else ''}", nl=False, err=True)

    asyncio.get_running_loop().add_signal_handler(signal.SIGINT, interrupted)
    with kept_history() if is_there else contextlib.nullcontext():
        ended = False
        while not ended:
            line = await reader.line(_GOES_ON if lines else _PROMPT)
            lines.append((line or "").removesuffix("\\"))
            if line is not None and line.endswith("\\"):
                continue
            said, ended = " ".join(lines).strip(), line is None
            lines.clear()
            if not said or said.startswith("#"):
                continue
            answering = asyncio.create_task(_heard(conversation, said))
            try:
                ended = await answering or ended
            except asyncio.CancelledError:
                if (own := asyncio.current_task()) is not None and own.cancelling():
                    raise
                typer.echo("Stopped.", err=True)
    if is_there:
        typer.echo(err=True)
    return 0 if is_there else conversation.status


async def _heard(conversation: Talk, said: str) -> bool:
    """Whether that was to end, or nobody reads any more."""
    ended = True
    with until_nobody_reads():
        ended = await conversation.hear(said)
    return ended  # noqa: RET504 - it is not set where nobody reads


# How people end a phrase that stands for a command.
_ENDS = "?!. "
# Fewer words are an answer, however they begin.
_LEAST_WORDS = 3


def help_lines() -> Mapping[str, str]:
    """What each command does."""
    found: Mapping[str, str] = _words()["help"]
    return found


def as_command(line: str) -> str:
    """The command that the line is, or says in words; else the line."""
    plain = " ".join(line.casefold().split())
    return _phrases().get(plain.rstrip(_ENDS) or plain, line.strip())


def is_elsewhere(line: str) -> bool:
    """Whether a line is no answer to what is asked back: a command, SQL, or a question of its own."""
    first, *others = line.casefold().split() or [""]
    if as_command(line).startswith(".") or first in _words()["sql"]:
        return True
    return len(others) + 1 >= _LEAST_WORDS and (line.rstrip().endswith("?") or first in _words()["asking"])


def _words() -> Mapping[str, Any]:
    return words_file("askwell.cli", "shell_words.yaml")


@cache
def _phrases() -> Mapping[str, str]:
    def pairs() -> Iterator[tuple[str, str]]:
        for command, phrases in _words().items():
            if command.startswith("."):
                yield from ((phrase, command) for phrase in phrases)

    return dict(pairs())


_MOST_LINES = 1_000


@contextlib.contextmanager
def kept_history() -> Iterator[None]:
    """Editing and history for `input()`, where the platform has them. The file is readable by its owner only. The
    terminal is left as it was found, also where nobody has ended the line that is edited."""
    try:
        import readline
        import termios
    except ImportError:  # Windows
        yield
        return
    file = Path(os.devnull)
    with contextlib.suppress(OSError, RuntimeError):
        file = user_folder("state") / "shell_history"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch(mode=0o600, exist_ok=True)
        readline.read_history_file(file)
    readline.set_history_length(_MOST_LINES)
    terminal = termios.tcgetattr(sys.stdin)
    try:
        yield
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSANOW, terminal)
        with contextlib.suppress(OSError):
            readline.write_history_file(file)
