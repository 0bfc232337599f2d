"""`askwell ask`: one question, to a running service or directly to a database."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer
from typer.core import TyperCommand

from askwell.cli.client import opened_client
from askwell.cli.messages import (
    INTERRUPTED,
    NOT_ANSWERED,
    UNUSABLE,
    Force,
    as_typed,
    confirm_overwriting,
    failures_told,
    give_up,
    print_json,
    sql_of,
    status_of,
    status_of_result,
    until_nobody_reads,
)
from askwell.cli.options import (
    LOCAL_SERVICE,
    DatabaseOptions,
    ProjectOptions,
    options_given,
    sorted_words,
    with_option_groups,
)
from askwell.cli.progress import LineReader, Progress
from askwell.cli.row_output import NOT_ALL, RowFormat, RowTarget, Written, format_of, write_rows
from askwell.cli.setup_offer import offer_setup
from askwell.cli.waiting import until_signalled
from askwell.errors import AskwellError, ConfigurationError
from askwell.messages import say

if TYPE_CHECKING:
    from askwell.charts.plan import Chart
    from askwell.cli.local.session import LocalSession

# Longer than any question that is answered.
_MOST_READ = 1_000_000
_STANDARD_OUTPUT = Path("-")
IN_TERMINAL = "-"
CHART_FORMATS = (".svg", ".png", ".html", ".json")


class Command(TyperCommand):
    """The command with an option that may stand alone: what follows `--chart` is its file only if it looks like one."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """See `click.Command.parse_args`."""
        completed: list[str] = []
        for at, argument in enumerate(args):
            if argument == "--":
                completed.extend(args[at:])
                break
            completed.append(argument)
            if argument == "--chart" and not _is_chart_file(args[at + 1] if at + 1 < len(args) else ""):
                completed.append(IN_TERMINAL)
        return super().parse_args(ctx, completed)


def _is_chart_file(text: str) -> bool:
    name = Path(text)
    return (
        text == IN_TERMINAL
        or name.suffix.lower() in CHART_FORMATS
        or (bool(name.suffix) and not any(map(str.isspace, text)))
    )


@dataclass(frozen=True, kw_only=True)
class DisplayOptions:
    """How an answer is shown."""

    as_json: Annotated[bool, typer.Option("--json", help="Print the result object on the last line.")] = False
    row_format: Annotated[
        RowFormat | None,
        typer.Option(
            "--format",
            help="Print only the rows: all as csv, tsv, json, ndjson or markdown, or the first as a table.",
        ),
    ] = None
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            dir_okay=False,
            help="Write all rows to this file: .csv, .tsv, .xlsx, .json, .ndjson or .md; otherwise in --format.",
        ),
    ] = None
    force: Force = False
    dry: Annotated[bool, typer.Option("--dry", help="Write and check the SQL without running it.")] = False
    planned: Annotated[
        bool, typer.Option("--planned", help="Show the SQL that the database got, not the SQL over the model.")
    ] = False
    rows: Annotated[int, typer.Option(min=1, help="How many rows to show.")] = 20
    chart: Annotated[
        str | None,
        typer.Option(
            metavar="[FILE]", help="Show a chart in the terminal, or write it to a .svg, .png, .html or .json file."
        ),
    ] = None
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Only the answer and its warnings.")] = False
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Print each step on standard error, also where that is no terminal.")
    ] = False


@dataclass(frozen=True, kw_only=True)
class OneQuestionOptions(DatabaseOptions):
    """How a database is asked one question."""

    max_attempts: Annotated[
        int | None,
        typer.Option(
            min=0, max=10, help="How often to correct SQL that fails; by default settings.max_sql_correction_retries."
        ),
    ] = None


@with_option_groups
def ask(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="[DATABASE] QUESTION",
            help="The database (a SQLite, DuckDB or CSV file, a folder of CSV files, a URL, or env:NAME), and what you "
            "want to know; - reads that from standard input. Without a database: $ASKWELL_URL, $ASKWELL_DATABASE, or "
            f"the service at {LOCAL_SERVICE}.",
        ),
    ],
    of: ProjectOptions,
    local: OneQuestionOptions,
    display: DisplayOptions,
) -> None:
    """Ask a question: shows its progress, the SQL, the first rows, and what to know about them.

    Status 0 with an answer, 1 without one, 2 when what was given cannot be used, 3 when something failed.
    """
    with failures_told(lambda _: UNUSABLE):
        place, question = sorted_words(words)
        said = as_typed(sys.stdin.read(_MOST_READ) if question == "-" else question)
        of = of.at(place)
        if not said.strip():
            raise ConfigurationError(*say("cli.no_question"))
        if of.database is None:
            of = replace(of, url=of.url or LOCAL_SERVICE)
            if given := options_given(local):
                raise ConfigurationError(*say("cli.option_without_database", option=given[0]))
        require_display(display)
    if of.database is not None:
        offer_setup(local.config)
    _run(of, local, said, display)


def _run(of: ProjectOptions, options: OneQuestionOptions, question: str, display: DisplayOptions) -> None:
    """Ask, and ask again while somebody chooses another question in place of one that has no answer."""
    is_there = sys.stdin.isatty() and sys.stderr.isatty() and not (display.as_json or display.quiet)
    reader = LineReader() if is_there else None
    asked: str | None = question
    while asked is not None:
        result = _answered(of, options, asked, display, reader)
        instead = result.get("suggested_questions", ()) if result["status"] == "failed" and reader is not None else ()
        asked = _interruptible_run(reader.choose_question(instead)) if reader and instead else None
    raise typer.Exit(status_of_result(result))


def _answered(
    of: ProjectOptions, options: OneQuestionOptions, question: str, display: DisplayOptions, reader: LineReader | None
) -> dict[str, Any]:
    """The result object, once all of it is printed and written."""
    printed, written = False, None
    # What is not rows must not stand among rows.
    rows_alone = row_target(display) is not None

    def print_words(piece: str) -> None:
        nonlocal printed
        printed = True
        with until_nobody_reads():
            typer.echo(piece, nl=False, err=rows_alone)

    progress = Progress(
        quiet=display.quiet,
        states=display.verbose,
        on_words=None if display.as_json else print_words,
        reader=reader,
    )

    async def answer() -> dict[str, Any]:
        nonlocal written
        attempts, alone = options.max_attempts, rows_alone
        ready = opened_client(of, options, progress, max_attempts=attempts, asks_only=True, alone=alone)
        async with ready as client:
            result = await client.ask(question, progress, execute=not display.dry)
            written = await _write(result, display, progress, client.local)
            return result

    try:
        with progress:
            result: dict[str, Any] = _interruptible_run(answer())
    except typer.Exit:
        raise
    except Exception as error:  # noqa: BLE001 - whatever breaks is said in words; a message may hold a value
        _fail(error if isinstance(error, AskwellError) else _unexpected(error), as_json=display.as_json)
    with until_nobody_reads():
        if printed:
            typer.echo(err=rows_alone)
        if progress.words and display.as_json:
            result = result | {"words": progress.words}
        print_result(result, question, display, written)
    return result


async def _write(
    result: Mapping[str, Any], display: DisplayOptions, progress: Progress, local: LocalSession | None
) -> Written | None:
    """Write the rows of the answer where they are to be written: all of them, where they can be had."""
    target = row_target(display)
    if target is None or result["status"] != "finished" or "data" not in result:
        return None
    progress.step("writing rows")
    if target.file is None:
        progress.stop()
    sql = sql_of(result)
    written = Written(0, is_all=True)  # where nobody reads
    with until_nobody_reads():
        written = await write_rows(result["data"], target, partial(local.all_rows, sql) if local is not None else None)
    return written  # noqa: RET504 - it is not set where nobody reads


def _interruptible_run(work: Awaitable[Any]) -> Any:
    """Ends in good order on SIGTERM and Ctrl-C: query processes and temporary folders are cleaned up."""

    try:
        return asyncio.run(until_signalled(work))
    except (KeyboardInterrupt, asyncio.CancelledError):
        typer.echo("Stopped.", err=True)
        raise typer.Exit(INTERRUPTED) from None


def _fail(error: AskwellError, *, as_json: bool) -> NoReturn:
    """No question could be asked, or its end is not known."""
    if as_json:
        failed = {"code": error.code, "message": error.message, "hint": error.hint}
        print_json({"status": "failed", "error": failed})
    give_up(error, status=status_of(error))


def _unexpected(error: Exception) -> AskwellError:
    return AskwellError(*say("cli.unexpected", name=type(error).__name__))


def require_display(display: DisplayOptions) -> None:
    """Raises `ConfigurationError` for options that contradict each other, and where nothing could be written. Asks
    before files that exist are overwritten."""
    writes = display.row_format is not None or display.output is not None
    if writes and (display.as_json or display.dry):
        raise ConfigurationError(*say("cli.rows_with_json_or_dry"))
    if display.quiet and display.verbose:
        raise ConfigurationError(*say("cli.quiet_and_verbose"))
    target = row_target(display)
    if target is not None and target.file is not None and not target.file.parent.is_dir():
        raise ConfigurationError(*say("cli.output_not_writable", file=target.file))
    if display.chart is not None:
        if display.dry:
            raise ConfigurationError(*say("cli.chart_with_dry"))
        from askwell.cli.charts import require_chart_file

        require_chart_file(display.chart)
    chart = None if display.chart in (None, IN_TERMINAL) else Path(display.chart or "")
    rows = target.file if target is not None else None
    if rows is not None and chart is not None and rows.absolute() == chart.absolute():
        raise ConfigurationError(*say("cli.output_same_as_chart"))
    confirm_overwriting(rows, chart, force=display.force)


def row_target(display: DisplayOptions) -> RowTarget | None:
    """Where rows are written apart from what people read; None where they are not. Raises `ConfigurationError` where
    the format is not known, or two are named."""
    form, file = display.row_format, display.output
    if file is not None and file != _STANDARD_OUTPUT:
        return RowTarget(format_of(file, form), file)
    if file is not None and form is None:
        raise ConfigurationError(*say("cli.output_without_format"))
    if form is RowFormat.XLSX:
        raise ConfigurationError(*say("cli.workbook_without_file"))
    return None if form in (None, RowFormat.TABLE) else RowTarget(form)


def print_result(result: dict[str, Any], question: str, display: DisplayOptions, written: Written | None) -> None:
    """Print a result object; `written` is what was written of its rows. Ends the command where a file was wanted and
    there is none."""
    from rich.console import Console

    from askwell.cli.answer import console_for_output, show_answer, show_failure, show_remarks, show_rows, with_sql

    finished = result["status"] == "finished"
    chart = None
    if finished and display.chart:
        from askwell.cli.charts import chart_of

        chart = chart_of(result, question)
    for_people = Console(stderr=True, highlight=False)
    if display.as_json:
        drawn = {} if chart is None else {"chart": asdict(chart)}
        print_json(with_sql(result) | drawn)
    elif written is not None:
        _tell(written, display)
        show_remarks(_of_all_rows(result) if written.is_all else result, for_people, quiet=display.quiet)
    elif display.row_format is RowFormat.TABLE and finished and "data" in result:
        show_rows(console_for_output(), result["data"], display.rows)
        show_remarks(result, for_people, quiet=display.quiet)
    elif finished and row_target(display) is not None:
        give_up(AskwellError(*say("cli.output_without_rows")), status=NOT_ANSWERED)
    else:
        show_answer(result, rows=display.rows, quiet=display.quiet, planned=display.planned)
    if chart is not None and display.chart and not (display.as_json and display.chart == IN_TERMINAL):
        _draw(chart, result, question, display.chart)
    if not finished and not display.as_json:
        show_failure(result, for_people, quiet=display.quiet)


def _of_all_rows(result: Mapping[str, Any]) -> dict[str, Any]:
    """The result without the warning that rows are cut off."""
    from askwell.asks.proof import cut_off_after

    cut_off = cut_off_after(result["data"]["row_count"])
    return {**result, "warnings": [said for said in result.get("warnings", ()) if said != cut_off]}


def _tell(written: Written, display: DisplayOptions) -> None:
    target = row_target(display)
    if target is not None and target.file is not None and (not display.quiet or not written.is_all):
        typer.echo(written.told(target.file), err=True)
    elif not written.is_all:
        typer.echo(NOT_ALL, err=True)


def _draw(chart: Chart, result: Mapping[str, Any], question: str, target: str) -> None:
    from askwell.cli.charts import print_chart, write_chart

    if target == IN_TERMINAL:
        typer.echo()
        print_chart(chart, result)
        return
    with failures_told(lambda _: NOT_ANSWERED):
        write_chart(chart, result, question, target)
    typer.echo(f"The chart is in {target}.", err=True)
