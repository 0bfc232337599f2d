"""`askwell ask`: one question, to a running service or directly to a database."""

from __future__ import annotations

import asyncio
import gc
import importlib
import os
import shutil
import signal
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from askwell.cli.chart import IN_TERMINAL, AskCommand, chart_of, require_chart_file, show_chart, write_chart
from askwell.cli.messages import give_up, print_json, until_nobody_reads
from askwell.cli.progress import Progress
from askwell.cli.row_formats import RowFormat, format_of, write_rows
from askwell.errors import AskwellError, ConfigurationError, InvalidModel

if TYPE_CHECKING:
    from askwell.charts.plan import Chart
    from askwell.cli.local.given_database import GivenDatabase
    from askwell.providers.engine.base import PhysicalSchema

_URL = "http://127.0.0.1:5555"
_INTERRUPTED = 130
Command = AskCommand


def ask(
    question: Annotated[
        str, typer.Argument(help="What you want to know, in plain language; - reads it from standard input.")
    ],
    place: Annotated[
        str | None, typer.Argument(metavar="[DATABASE]", help="The database, as --database takes it.")
    ] = None,
    database: Annotated[
        str | None,
        typer.Option(
            help="Ask this database directly: a SQLite or DuckDB file, the URL of a PostgreSQL, MySQL or MariaDB "
            "server, or env:NAME for what that variable holds; $ASKWELL_DATABASE without it. No service is needed."
        ),
    ] = None,
    url: Annotated[str | None, typer.Option(help=f"Where the service runs; {_URL} without --database.")] = None,
    project: Annotated[str | None, typer.Option(help="The project of the service whose data is asked.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result object on the last line.")] = False,
    row_format: Annotated[
        RowFormat | None,
        typer.Option("--format", help="Print the rows alone, in this format; everything else goes to standard error."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", dir_okay=False, help="Write the rows to this file: .csv, .tsv, .json, .ndjson or .md."
        ),
    ] = None,
    dry: Annotated[bool, typer.Option("--dry", help="Write and check the SQL without running it.")] = False,
    planned: Annotated[bool, typer.Option("--planned", help="Show the SQL that the database got.")] = False,
    rows: Annotated[int, typer.Option(min=1, help="How many rows to show.")] = 20,
    chart: Annotated[
        str | None,
        typer.Option(
            metavar="[FILE]", help="Show a chart in the terminal too, or write it to a .svg, .png, .html or .json file."
        ),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Only the answer and its warnings.")] = False,
    max_attempts: Annotated[
        int | None, typer.Option(min=0, max=10, help="How often SQL that fails is corrected (with --database).")
    ] = None,
    model: Annotated[
        Path | None, typer.Option(help="A semantic model, as MDL JSON, to use for the database.", dir_okay=False)
    ] = None,
    config: Annotated[
        Path | None, typer.Option("--config", "-c", help="Where the language model and settings are (with --database).")
    ] = None,
    refresh: Annotated[bool, typer.Option("--refresh", help="Look at the database anew (with --database).")] = False,
    timezone: Annotated[
        str | None,
        typer.Option(
            help="Where days begin and end: a name such as Europe/Berlin; this machine's without it (with --database)."
        ),
    ] = None,
) -> None:
    """Ask a question: shows its progress, the SQL, the first rows, and what to know about them.

    Status 0 with an answer, 1 without one, 2 when what was given cannot be used.
    """
    question = _as_typed(sys.stdin.read() if question == "-" else question)
    database = _the_database(place, database, url)
    _require_writable(row_format, output, as_json=as_json, dry=dry)
    only_local = {
        "--max-attempts": max_attempts,
        "--model": model,
        "--config": config,
        "--refresh": refresh or None,
        "--timezone": timezone,
    }
    _require_sense(question, database, {"--url": url, "--project": project}, only_local)
    _require_drawable(chart, dry=dry)

    def answered(on_event: Progress) -> dict[str, Any]:
        if database is None:
            from askwell.cli.remote import ask_service

            answer = on_event.answer_at_once if on_event.is_there else None
            return ask_service(
                url or _URL, project or "default", question, execute=not dry, on_event=on_event.event, answer=answer
            )
        return _ask_directly(
            database,
            question,
            on_event,
            execute=not dry,
            max_attempts=max_attempts,
            model=model,
            config=config,
            refresh=refresh,
            timezone=timezone,
        )

    display = _Display(
        question=question,
        as_json=as_json,
        planned=planned,
        rows=rows,
        quiet=quiet,
        chart=chart,
        row_format=row_format,
        output=output,
    )
    _run(answered, display)


@dataclass(frozen=True, kw_only=True)
class _Display:
    """How an answer is shown."""

    question: str
    as_json: bool
    planned: bool
    rows: int
    quiet: bool
    chart: str | None
    row_format: RowFormat | None = None
    output: Path | None = None


def _the_database(place: str | None, database: str | None, url: str | None) -> str | None:
    """The one that was named, or else that of the environment, unless a service was."""
    if place is not None and database is not None:
        give_up(AskwellError("The database is named twice.", "Leave out --database."), status=2)
    named = place if place is not None else database
    return named if named is not None or url is not None else os.environ.get("ASKWELL_DATABASE") or None


def _require_writable(row_format: RowFormat | None, output: Path | None, *, as_json: bool, dry: bool) -> None:
    try:
        if (row_format or output) and (as_json or dry):
            raise ConfigurationError(
                "--format and -o do not go with --json or --dry.", "They write rows, which these do not have alone."
            )
        if output is not None and row_format in (None, RowFormat.TABLE):
            format_of(output)
        if output is not None and not output.parent.is_dir():
            raise ConfigurationError(f"{output} cannot be written.", "Name a file in a folder that exists.")
    except ConfigurationError as error:
        give_up(error, status=2)


def _as_typed(question: str) -> str:
    """Where the locale knows ASCII only, other letters come as halves of surrogate pairs."""
    try:
        question.encode()
    except UnicodeEncodeError:
        return os.fsencode(question).decode("utf-8", "replace")
    return question


def _require_sense(
    question: str, database: str | None, only_service: Mapping[str, Any], only_local: Mapping[str, Any]
) -> None:
    if not question.strip():
        give_up(AskwellError("There is no question.", 'Write it in quotes: askwell ask "How many …?"'), status=2)
    unfit = [name for name, value in (only_service if database else only_local).items() if value is not None]
    if unfit:
        with_it = "does not go with --database" if database else "needs --database"
        hint = "The service has its own configuration." if not database else "A database is asked without a service."
        give_up(AskwellError(f"{unfit[0]} {with_it}.", hint), status=2)


def _require_drawable(chart: str | None, *, dry: bool) -> None:
    if chart is None:
        return
    try:
        if dry:
            raise ConfigurationError("--chart does not go with --dry.", "A chart is drawn from rows.")
        require_chart_file(chart)
    except ConfigurationError as error:
        give_up(error, status=2)


def _run(answered: Callable[[Progress], dict[str, Any]], display: _Display) -> None:
    printed = False

    def print_words(piece: str) -> None:
        nonlocal printed
        printed = True
        with until_nobody_reads():
            typer.echo(piece, nl=False)

    is_there = sys.stdin.isatty() and sys.stderr.isatty() and not (display.as_json or display.quiet)
    progress = Progress(quiet=display.quiet, on_words=None if display.as_json else print_words, is_there=is_there)
    try:
        with progress:
            result = answered(progress)
    except (KeyboardInterrupt, asyncio.CancelledError):
        typer.echo("Stopped.", err=True)
        raise typer.Exit(_INTERRUPTED) from None
    except Exception as error:  # noqa: BLE001 - whatever breaks is told in words; a message may hold a value
        _fail(error if isinstance(error, AskwellError) else _unexpected(error), as_json=display.as_json)
    with until_nobody_reads():
        if printed:
            typer.echo()
        if progress.words and display.as_json:
            result = result | {"words": progress.words}
        _print(result, display)
    raise typer.Exit(0 if result["status"] == "finished" else 1)


def _fail(error: AskwellError, *, as_json: bool) -> NoReturn:
    """No question could be asked, or its end is not known."""
    if as_json:
        failed = {"code": error.code, "message": error.message, "hint": error.hint}
        print_json({"status": "failed", "error": failed})
    give_up(error, status=2 if isinstance(error, ConfigurationError | InvalidModel) else 1)


def _unexpected(error: Exception) -> AskwellError:
    return AskwellError(
        f"Something unexpected went wrong ({type(error).__name__}).",
        "Ask again with --refresh; if it happens again, report it with the kind of database and the version.",
    )


def _print(result: dict[str, Any], display: _Display) -> None:
    from askwell.cli.answer import show_answer, show_failure, with_sql

    finished = result["status"] == "finished"
    chart = chart_of(result, display.question) if finished and display.chart else None
    if display.as_json:
        drawn = {} if chart is None else {"chart": asdict(chart)}
        print_json(with_sql(result) | drawn)
    elif finished and "data" in result and (display.output is not None or display.row_format is not None):
        from rich.console import Console

        from askwell.cli.answer import show_remarks

        _write_rows(result["data"], display)
        show_remarks(result, Console(stderr=True, highlight=False), quiet=display.quiet)
    else:
        show_answer(result, rows=display.rows, quiet=display.quiet, planned=display.planned)
    if chart is not None and display.chart == IN_TERMINAL and not display.as_json:
        _show_chart(chart, result)
    if chart is not None and display.chart and display.chart != IN_TERMINAL:
        try:
            write_chart(chart, result, display.question, display.chart)
        except AskwellError as error:
            give_up(error)
        typer.echo(f"The chart is in {display.chart}.", err=True)
    if not finished and not display.as_json:
        from rich.console import Console

        show_failure(result, Console(stderr=True, highlight=False), quiet=display.quiet)


def _write_rows(data: Mapping[str, Any], display: _Display) -> None:
    """The rows alone, for programs; how many they are goes to standard error."""
    form, output = display.row_format, display.output
    if output is None and form is not None and form is not RowFormat.TABLE:
        write_rows(data, form, sys.stdout)
    elif output is None:
        from askwell.cli.answer import console_for_output
        from askwell.cli.rows_table import show_rows

        show_rows(console_for_output(), data, display.rows)
    else:
        plain = format_of(output) if form in (None, RowFormat.TABLE) else form
        try:
            with output.open("w", encoding="utf-8", newline="") as out:
                write_rows(data, plain or RowFormat.CSV, out)
        except OSError as error:
            give_up(AskwellError(f"{output} cannot be written: {error.strerror}.", "Name another file."))
        if not display.quiet:
            typer.echo(f"{data['row_count']} rows are in {output}.", err=True)
    if data["truncated"]:
        typer.echo("There are more rows than settings.row_limit; these are the first ones.", err=True)


def _show_chart(chart: Chart, result: Mapping[str, Any]) -> None:
    is_unicode = (sys.stdout.encoding or "").lower().startswith("utf")
    typer.echo()
    for line in show_chart(chart, result, width=shutil.get_terminal_size().columns, plain=not is_unicode):
        typer.echo(line)


def _ask_directly(
    database: str,
    question: str,
    progress: Progress,
    *,
    execute: bool,
    max_attempts: int | None,
    model: Path | None,
    config: Path | None,
    refresh: bool,
    timezone: str | None,
) -> dict[str, Any]:
    """Ask in this process. What was given is looked at before anything heavy is imported."""
    from askwell.cli.local.given_database import given_database
    from askwell.cli.local.time_zone import time_zone
    from askwell.config import load_config
    from askwell.observability.logging import configure_logging

    configure_logging("error", as_json=False)
    given = given_database(database, os.environ)
    zone = time_zone(timezone, os.environ)
    settings = load_config(config, os.environ)
    if max_attempts is not None:
        changed = settings.settings.model_copy(update={"max_sql_correction_retries": max_attempts})
        settings = settings.model_copy(update={"settings": changed})
    text = None
    if model is not None:
        from askwell.cli.local.model_file import read_model_file

        text = read_model_file(model)
    progress.step("reading the schema")

    async def look_and_ask() -> dict[str, Any]:
        # The libraries are imported while the database is looked at; where it cannot be used nothing else is done.
        imported = asyncio.to_thread(_import_without_pauses, "askwell.cli.local.session")
        schema, session = await asyncio.gather(_schema_of(given), imported)
        options = session.LocalOptions(model=text, refresh=refresh, timezone=zone)
        async with session.local_session(given, schema, settings, os.environ, options, progress) as ready:
            result: dict[str, Any] = await ready.ask(question, progress, execute=execute)
            return result

    return asyncio.run(_interruptible(look_and_ask))


def _import_without_pauses(module: str) -> Any:
    """The module. What importing makes stays for good: looking through it for garbage takes an eighth of the time."""
    gc.disable()
    try:
        return importlib.import_module(module)
    finally:
        gc.freeze()
        gc.enable()


async def _schema_of(given: GivenDatabase) -> PhysicalSchema:
    async with given.engine() as engine:
        return await engine.introspect()


async def _interruptible(work: Callable[[], Any]) -> dict[str, Any]:
    """Ends in good order on SIGTERM and Ctrl-C: query processes and temporary folders are cleaned up."""
    running = asyncio.ensure_future(work())
    for one in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(one, running.cancel)
    result: dict[str, Any] = await running
    return result
