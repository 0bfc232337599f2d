"""`askwell doctor`: looks at every configured part, says what it found and what to do."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import sys
import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from askwell.cli.messages import give_up, print_json, shown
from askwell.cli.options import AsJson, Config
from askwell.errors import ConfigurationError

if TYPE_CHECKING:
    from askwell.config import Config as Settings
    from askwell.services.health.finding import Finding, State

_COLOURS = {"ok": typer.colors.GREEN, "skipped": None, "warning": typer.colors.YELLOW, "failed": typer.colors.RED}
_STATE_WIDTH = 9


def doctor(
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """Look at every configured part: what was found, and what to do. Changes nothing, also beside a running service.

    Status 0 when everything works, 1 when something does not, 2 when the configuration cannot be used.
    """
    from askwell.config import configuration_file, load_config
    from askwell.observability.logging import configure_logging

    configure_logging("error", as_json=False)
    try:
        settings = load_config(config, os.environ)
    except ConfigurationError as error:
        if as_json:
            found = {"state": "failed", "message": error.message, "hint": error.hint}
            print_json({"status": "failed", "parts": {"configuration": found}})
        give_up(error, status=2)
    from askwell.services.health.finding import State, worst

    findings = _findings(settings, configuration_file(config, os.environ))
    _print_table(findings)
    result = worst(findings.values()).state
    counts = {state: sum(one.state is state for one in findings.values()) for state in reversed(State)}
    typer.echo("\n" + ", ".join(_counted(count, state) for state, count in counts.items() if count))
    if as_json:
        parts = {part: {"state": one.state, "message": one.message, "hint": one.hint} for part, one in findings.items()}
        status = "failed" if result is State.FAILED else "warning" if result is State.WARNING else "ok"
        print_json({"status": status, "parts": parts})
    raise typer.Exit(1 if result is State.FAILED else 0)


def _findings(config: Settings, file: Path | None) -> dict[str, Finding]:
    """Looks at all parts at once; on a terminal a line says what is still being looked at."""
    from rich.console import Console

    console = Console(stderr=True)
    with console.status("getting ready") if console.is_terminal else contextlib.nullcontext() as status:
        from askwell.diagnosis import checks
        from askwell.services.health.finding import examine

        looks = checks(config, file)
        waiting = list(looks)

        def ended(part: str) -> None:
            waiting.remove(part)
            if status is not None:
                status.update(f"looking at {', '.join(waiting)}")

        return asyncio.run(examine(looks, ended))


def _print_table(findings: Mapping[str, Finding]) -> None:
    """State, part, what was found, and under it what to do. Lines are broken for a terminal only."""
    part_width = max(map(len, findings)) + 2
    indent = " " * (_STATE_WIDTH + part_width)
    width = shutil.get_terminal_size().columns - len(indent) if sys.stdout.isatty() else None
    for part, finding in findings.items():
        told = [line for text in finding.message.splitlines() for line in _lines(text, width)]
        if finding.hint:
            first, *more = _lines(finding.hint, width and width - 2)
            told += [f"→ {first}", *(f"  {line}" for line in more)]
        state = typer.style(f"{finding.state:<{_STATE_WIDTH}}", fg=_COLOURS[finding.state])
        typer.echo(f"{state}{part:<{part_width}}" + f"\n{indent}".join(told))


def _counted(count: int, state: State) -> str:
    return f"{count} {state}s" if count > 1 and state == "warning" else f"{count} {state}"


def _lines(text: str, width: int | None) -> list[str]:
    clean = shown(text, lines=False)
    return [clean] if width is None else textwrap.wrap(clean, max(width, 40)) or [""]
