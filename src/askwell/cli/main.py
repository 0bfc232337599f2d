"""The `askwell` command. Each subcommand is a file here, imported only when it is the one that was asked for."""

from __future__ import annotations

import importlib
import os
from typing import Annotated, Any, Literal

import typer
from typer.completion import completion_init, get_completion_script  # type: ignore[attr-defined]  # its own names
from typer.core import TyperCommand, TyperGroup

from askwell.cli.messages import API_KEY, UNUSABLE, give_up, make_streams_usable
from askwell.errors import ConfigurationError
from askwell.messages import say

# Is set where a shell asks what fits.
COMPLETES = "_ASKWELL_COMPLETE"
_HELP = {"help_option_names": ["-h", "--help"]}
# Name → what it does, as `askwell --help` lists it.
COMMANDS = {
    "ask": "Ask a database, or a running service, a question.",
    "shell": "Ask one question after the other, with follow-ups.",
    "open": "Ask a database in the browser.",
    "chat": "Talk to an agent about a database, or that of a running service.",
    "teach": "Teach what words mean.",
    "lessons": "List, approve, undo and move what was taught and learned.",
    "check": "Check whether SQL answers a question.",
    "docs": "Add, list, search and remove documents of words.",
    "model": "Write, import, check, show and send semantic models.",
    "setup": "Find the language models that you have, try one, and use it.",
    "measure": "Say how good your language model is at answering.",
    "local-model": "Fetch a language model to this machine, and run it.",
    "demo": "Start the service on the sample shop and ask it questions over HTTP.",
    "completion": "Let bash, zsh or fish complete commands and options.",
    "mcp": "Serve a database, or a service, to AI assistants over MCP.",
    "serve": "Start the service.",
    "worker": "Work on what services accept, beside others.",
    "keys": "Make, list, rotate and revoke keys of people and programs.",
    "project": "Write a project to a file, and read one back.",
    "doctor": "Look at every configured part, and say what to do.",
    "eval": "Measure parts of the service on folders of data.",
}
# Commands of other packages, which name their Typer by an entry point of this group → the package, and its folder here.
ENTRY_POINTS = "askwell.commands"
_ELSEWHERE = {"eval": ("askwell-evaluation", "./evaluation")}
# The modules of commands that are not in one of their own name.
_MODULES = {"teach": "lessons", "worker": "serve", "completion": "main", "local-model": "local_model"}
# Sections of that list for what is not for people who ask.
_OPERATING = dict.fromkeys(("serve", "worker", "keys", "project", "doctor"), "Running a service")
_SECTIONS = {**_OPERATING, "eval": "Developing Askwell"}


class LazyGroup(TyperGroup):
    """Knows its commands by name alone: `askwell --help` imports none of them.

    A command's module holds a function of its name, and with that, if it reads its options in a way of its own, a
    `Command`; or a Typer named `app`.
    """

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """See `click.Command.main`."""
        make_streams_usable()
        if COMPLETES in os.environ:
            completion_init()
        if os.environ.get("NO_COLOR"):  # https://no-color.org
            kwargs.setdefault("color", False)
        return super().main(*args, **kwargs)

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The name and help only, which is all that a listing needs."""
        if cmd_name not in COMMANDS:
            return None
        return TyperCommand(cmd_name, help=COMMANDS[cmd_name])

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """The list, by sections. Rich would have it in boxes, and takes longer to import than all else."""
        for title in dict.fromkeys(("Commands", *_SECTIONS.values())):
            with formatter.section(title):
                formatter.write_dl([one for one in COMMANDS.items() if _SECTIONS.get(one[0], "Commands") == title])

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command to run, now with its own options."""
        name, _, rest = super().resolve_command(ctx, args)
        return name, _load(name or args[0]), rest


def _load(name: str) -> Any:
    if name in _ELSEWHERE:
        return typer.main.get_command(_from_another_package(name))
    module = importlib.import_module(f"askwell.cli.{_MODULES.get(name, name)}")
    if hasattr(module, name):
        single = typer.Typer(add_completion=False, context_settings=_HELP)
        kind = getattr(module, "Command", TyperCommand)
        single.command(name, cls=kind, help=COMMANDS[name])(getattr(module, name))
        return typer.main.get_command(single)
    return typer.main.get_command(module.app)


def _from_another_package(name: str) -> Any:
    """The Typer of a command that another package brings; ends the program where that is not installed."""
    from importlib.metadata import entry_points

    found = tuple(entry_points(group=ENTRY_POINTS, name=name))
    if not found:
        package, folder = _ELSEWHERE[name]
        error = ConfigurationError(*say("cli.other_package", name=name, package=package, folder=folder))
        give_up(error, UNUSABLE)
    return found[0].load()


app = typer.Typer(
    cls=LazyGroup,
    name="askwell",
    context_settings=_HELP,
    help="Answers questions put to a database in plain language.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def _version(wanted: bool) -> None:
    if wanted:
        from askwell import __version__

        typer.echo(f"askwell {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
    api_key: Annotated[
        str | None,
        typer.Option(help="The key for commands that talk to a service; better in the variable ASKWELL_API_KEY."),
    ] = None,
) -> None:
    """Answers questions put to a database in plain language."""
    if api_key is not None:
        os.environ[API_KEY] = api_key


Shell = Annotated[Literal["bash", "zsh", "fish"], typer.Argument(help="The shell that is to complete.")]


def completion(shell: Shell) -> None:
    """Print the script that lets a shell complete `askwell`: eval "$(askwell completion bash)" in ~/.bashrc."""
    typer.echo(get_completion_script(prog_name="askwell", complete_var=COMPLETES, shell=shell))


if __name__ == "__main__":
    app()
