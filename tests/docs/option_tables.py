"""The tables of options in docs/cli.md, made from the commands."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import typer

from askwell.cli.main import COMMANDS, app

SHARED = "## Options of several commands"
# Of a package of its own, which describes itself.
_ELSEWHERE = {"eval"}
_TABLE = re.compile(r"^\| option \|.*\n\|---.*\n(?:\|.*\n)*", re.MULTILINE)


@dataclass(frozen=True)
class CommandOption:
    """An option of one subcommand; `subcommand` is empty where a command has none."""

    command: str
    subcommand: str
    names: tuple[str, ...]
    meaning: str
    default: str

    @property
    def is_explained(self) -> bool:
        """Whether `askwell COMMAND -h` says what it means."""
        return bool(self.meaning)


def options() -> Iterator[CommandOption]:
    """Every option of every command."""
    group = typer.main.get_command(app)
    context = typer.Context(group)
    for name in COMMANDS:
        _, command, _ = group.resolve_command(context, [name])  # type: ignore[attr-defined]
        for sub, one in (getattr(command, "commands", None) or {"": command}).items():
            for option in one.params:
                if option.param_type_name == "option":
                    given = (*option.opts, *option.secondary_opts)
                    yield CommandOption(name, sub, given, option.help or "", _default(option))


def with_tables(page: str) -> str:
    """The page with the first table of options of each section as the commands have them."""
    described = [one for one in options() if one.command not in _ELSEWHERE]
    users: dict[tuple[tuple[str, ...], str], list[str]] = defaultdict(list)
    for one in described:
        if one.command not in users[one.names, one.meaning]:
            users[one.names, one.meaning].append(one.command)
    shared = {key for key, commands in users.items() if len(commands) > 1}
    rows = [(names, ", ".join(f"`{each}`" for each in users[names, text]), text) for names, text in sorted(shared)]
    page = _put(page, SHARED, _table(rows))
    for name in COMMANDS:
        own: dict[tuple[tuple[str, ...], str], list[str]] = defaultdict(list)
        for one in described:
            if one.command == name and (one.names, one.meaning) not in shared:
                own[one.names, one.meaning.removesuffix(".") + one.default].append(one.subcommand)
        page = _put(
            page, f"## `askwell {name}`", _table([(n, ", ".join(subs), text) for (n, text), subs in own.items()])
        )
    return page


def _default(option: Any) -> str:
    """What holds without the option, to be put behind its meaning."""
    value = option.default
    return f" (`{value}`)." if isinstance(value, (str, int)) and not isinstance(value, bool) else "."


def _table(rows: list[tuple[tuple[str, ...], str, str]]) -> str:
    """Rows of names, commands and meaning; without a column of commands where none has any."""
    if not rows:
        return ""
    wide = any(commands for _, commands, _ in rows)
    lines = ["| option | commands | meaning |", "|---|---|---|"] if wide else ["| option | meaning |", "|---|---|"]
    for names, commands, text in rows:
        cells = [", ".join(f"`{name}`" for name in names), *([commands] if wide else []), text.replace("|", "\\|")]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _put(page: str, heading: str, table: str) -> str:
    """The page with this table in place of the first one of options below the heading."""
    before, found, rest = page.partition(f"{heading}\n")
    assert found, f"docs/cli.md has no section {heading}"
    section, end, after = rest.partition("\n## ")
    assert not table or _TABLE.search(section), f"docs/cli.md has no table of options below {heading}"
    return before + found + _TABLE.sub(lambda _: table, section, count=1) + end + after
