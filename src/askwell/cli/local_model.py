"""`askwell local-model`: language models that run on this machine, with nothing else installed."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from askwell import local_model
from askwell.cli.messages import failures_told, print_items, status_of_work
from askwell.cli.options import AsJson, command_group
from askwell.cli.waiting import run as run_asynchronously
from askwell.cli.waiting import until_signalled
from askwell.config.loading import LOCAL_MODEL, LOCAL_WINDOW
from askwell.local_model.process import LocalModelProcess
from askwell.messages import say

# Seconds between two lines of progress, at a terminal and elsewhere.
_AT_A_TERMINAL, _ELSEWHERE = 0.5, 30.0

app = command_group("Language models that run on this machine, with nothing else installed.")
Name = Annotated[str, typer.Argument(help="One of `askwell local-model list`.")]


@app.command("list")
def list_(as_json: AsJson = False) -> None:
    """List the models that can be fetched, and those that are here."""

    def line(one: Mapping[str, Any]) -> str:
        size, place = f"{one['size'] / 1e9:.1f} GB", one["file"]
        if not one["fetched"]:
            place = f"{place} is incomplete: fetch it again" if Path(place).exists() else "not fetched"
        return f"{one['name']:<20} {size}, needs {one['memory_gb']:g} GB of memory, {one['licence']}  {place}"

    with failures_told():
        models = local_model.known_models().values()
    items = [{**asdict(model), "file": str(model.file), "fetched": model.is_fetched} for model in models]
    print_items(items, line, as_json=as_json)


@app.command()
def fetch(
    name: Name = LOCAL_MODEL,
    source: Annotated[
        str | None,
        typer.Option(
            "--from", metavar="FILE|URL", help="The address of a mirror, or a file, for a machine without a network."
        ),
    ] = None,
) -> None:
    """Fetch a model, or go on where that was interrupted. Its SHA-256 is checked."""
    with failures_told(status_of_work):
        file = local_model.fetch(name, source, show_progress())
    typer.echo(file)
    typer.echo(f"Use it with `llm: {{default: {{provider: local, model: {name}}}}}` in config.yaml.", err=True)
    if not local_model.available():
        typer.echo(say("local_model.not_installed", name=name).hint, err=True)


@app.command("run")
def run_(
    name: Name = LOCAL_MODEL,
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port on 127.0.0.1; 0 takes a free one.")] = 0,
    context_window: Annotated[int, typer.Option(min=1_000, help="The context window in tokens.")] = LOCAL_WINDOW,
) -> None:
    """Run a model for other programs, until Ctrl-C: commands of Askwell that are configured for it start their own."""

    async def serve() -> None:
        process = LocalModelProcess(local_model.runnable_model(name), context_window, port)
        try:
            base = await process.base()
            typer.echo(f"OPENAI_BASE_URL={base}\nOPENAI_API_KEY={process.key}")
            typer.echo(f"{name} speaks OpenAI's protocol there, under the name {name}. Ctrl-C ends it.", err=True)
            while True:
                await process.require_alive(3600)
        finally:
            await process.close()

    async def work() -> None:
        await until_signalled(serve())

    run_asynchronously(work())


def show_progress() -> Callable[[int, int], None]:
    """What says on standard error how far a fetch is: at a terminal in one line, elsewhere in some."""
    at_terminal = sys.stderr.isatty()
    pause, end = (_AT_A_TERMINAL, "\r") if at_terminal else (_ELSEWHERE, "\n")
    said = began = time.monotonic()
    first: int | None = None

    def tell(have: int, size: int) -> None:
        nonlocal said, first
        first = have if first is None else first
        now = time.monotonic()
        if now - said < pause and have < size:
            return
        said = now
        speed = (have - first) / 1e6 / max(now - began, 0.001)
        line = f"{have / 1e6:,.0f} of {size / 1e6:,.0f} MB ({have * 100 // size}%), {speed:.1f} MB/s"
        print(f"{line:<60}", end="\n" if have == size else end, file=sys.stderr, flush=True)

    return tell
