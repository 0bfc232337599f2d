"""`askwell chat`: an agent of a database, or of a running service, to talk to."""

from __future__ import annotations

import contextlib
import os
import sys
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from askwell.cli.option_groups import DatabaseOptions, ServiceOptions, with_option_groups
from askwell.cli.shell import converse, line_reader, run_talk
from askwell.errors import ConfigurationError

if TYPE_CHECKING:
    from askwell.cli.chat_doors import ChatDoor


@dataclass(frozen=True, kw_only=True)
class TalkOptions:
    """With whom, and how."""

    agent: Annotated[str | None, typer.Option(help="The agent; `default` without it, or the thread's.")] = None
    thread: Annotated[str | None, typer.Option(help="Go on with this conversation, or begin one of this name.")] = None
    as_json: Annotated[bool, typer.Option("--json", help="Print each event of AG-UI as a line of JSON.")] = False


@with_option_groups
def chat(
    service: ServiceOptions,
    local: DatabaseOptions,
    talk: TalkOptions,
    database: Annotated[
        str | None,
        typer.Argument(
            help="A SQLite or DuckDB file, the URL of a server, or env:NAME for what that variable holds; "
            "$ASKWELL_DATABASE without it."
        ),
    ] = None,
) -> None:
    """Talk to an agent: it asks the data with tools, and answers in words from what they give. It needs a language
    model. Where it has to know which of several things you mean you choose by number; `.help` lists what else there is.

    Status 0 at the end of what somebody types. Of lines that come through a pipe, each a message, the highest of 0 for
    an answer, 1 for none, 2 for what cannot be done, and 3 for what failed.
    """
    run_talk("chat", database, service, local, partial(_talk_to_service, talk), partial(_talk_to_database, talk))


async def _talk_to_database(talk: TalkOptions, database: str, options: DatabaseOptions) -> int:
    from askwell.cli.local.opening import opened_session
    from askwell.cli.progress import Progress
    from askwell.config import load_config

    if not load_config(options.config, os.environ).has_language_model:
        raise ConfigurationError(
            "Conversations need a language model, and none is configured.",
            "Configure one under `llm` in config.yaml, which --config names. "
            "`askwell ask` and `askwell shell` work without one.",
        )
    async with contextlib.AsyncExitStack() as opened:
        with Progress() as progress:
            session = await opened.enter_async_context(opened_session(database, options, progress))
        from askwell.cli.chat_doors import LocalChat

        return await _talk(LocalChat(session, talk.agent), talk, session.name)


async def _talk_to_service(talk: TalkOptions, url: str, project: str) -> int:
    from askwell.cli.chat_doors import ServiceChat

    return await _talk(ServiceChat(url, project, talk.agent), talk, url)


async def _talk(door: ChatDoor, talk: TalkOptions, name: str) -> int:
    from askwell.cli.talk import Talk

    reader = line_reader()
    talking = Talk(door, reader, thread_id=talk.thread, as_json=talk.as_json)
    await talking.take_up()
    status = await converse(talking, reader, name)
    if talking.thread_id is not None and sys.stdin.isatty():
        typer.echo(f"--thread {talking.thread_id} goes on with this conversation.", err=True)
    return status
