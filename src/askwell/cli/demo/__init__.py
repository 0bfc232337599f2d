"""`askwell demo`: the service on the sample shop, asked over HTTP, and every answer compared with the right one."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Annotated

import typer

from askwell.cli.messages import give_up
from askwell.cli.threads import until_signalled
from askwell.errors import AskwellError


def demo(
    home: Annotated[
        Path,
        typer.Option(help="Where the shop and the service's own files go.", envvar="ASKWELL_HOME", file_okay=False),
    ] = Path(".askwell"),
    keep: Annotated[bool, typer.Option("--keep", help="Leave the service running, and show how to ask it.")] = False,
    conversation: Annotated[
        bool, typer.Option("--conversation", help="Hold a conversation of ten turns; a stand-in is its language model.")
    ] = False,
    stay: Annotated[
        bool | None,
        typer.Option(
            "--stay/--no-stay",
            help="At the end show the address of the page, and serve it until Ctrl-C; at a terminal that is usual.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Make the sample shop, start the service on it and ask it questions. Status 1 when an answer is not the right one.

    No language model is used, whatever the environment holds, so that everybody sees the same. With --conversation a
    stand-in on this machine says what a script says; the figures are the database's.
    """
    for hint, wanted in (("--keep", keep), ("--stay", stay)):
        if wanted and conversation:
            raise typer.BadParameter("the stand-in for a language model ends with the demo.", param_hint=hint)
    if keep and stay:
        raise typer.BadParameter("the service stays anyway with --keep.", param_hint="--stay")
    if stay is None:
        stay = not keep and sys.stdin.isatty() and sys.stdout.isatty()
    try:
        right = asyncio.run(_interruptible(home.absolute(), conversation, keep=keep, stay=stay))
    except AskwellError as error:
        give_up(error)
    except (KeyboardInterrupt, asyncio.CancelledError):
        raise typer.Exit(130) from None
    raise typer.Exit(0 if right else 1)


async def _interruptible(home: Path, conversation: bool, *, keep: bool, stay: bool) -> bool:
    from askwell.cli.demo.conversation import run_conversation
    from askwell.cli.demo.run import run_demo

    # Without this SIGTERM would end the demo and leave the service behind.
    return await until_signalled(run_conversation(home) if conversation else run_demo(home, keep=keep, stay=stay))
