"""`askwell demo`: the service on the sample shop, asked over HTTP, and every answer compared with the right one."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Annotated

import typer

from askwell.cli.messages import INTERRUPTED, give_up
from askwell.cli.threads import until_signalled
from askwell.errors import AskwellError

Home = Annotated[
    Path,
    typer.Option(help="Where the shop and the service's own files go.", envvar="ASKWELL_HOME", file_okay=False),
]
_STAY = "At the end show the address of the page, and serve it until Ctrl-C; at a terminal that is usual."
_TALK = "Hold a conversation of ten turns; a stand-in is its language model."


def demo(
    home: Home = Path(".askwell"),
    keep: Annotated[bool, typer.Option("--keep", help="Leave the service running, and show how to ask it.")] = False,
    conversation: Annotated[bool, typer.Option("--conversation", help=_TALK)] = False,
    stay: Annotated[bool | None, typer.Option("--stay/--no-stay", help=_STAY, show_default=False)] = None,
) -> None:
    """Make the sample shop, start the service on it and ask it questions. Status 1 when an answer is not the right one.

    No language model is used, whatever the environment holds, so that everybody sees the same. With --conversation a
    stand-in on this machine says what a script says; the figures are the database's.
    """
    if keep + bool(stay) + conversation > 1:
        what = (
            "take one: the stand-in for a language model ends with the demo, and with --keep the service stays anyway."
        )
        raise typer.BadParameter(what, param_hint="--conversation, --keep, --stay")
    if stay is None:
        stay = not keep and not conversation and sys.stdin.isatty() and sys.stdout.isatty()
    from askwell.cli.demo.run import run_demo

    try:
        demo = run_demo(home.absolute(), conversation=conversation, keep=keep, stay=stay)
        # Else SIGTERM would leave the service behind.
        right = asyncio.run(until_signalled(demo))
    except AskwellError as error:
        give_up(error)
    except (KeyboardInterrupt, asyncio.CancelledError):
        raise typer.Exit(INTERRUPTED) from None
    raise typer.Exit(0 if right else 1)
