"""What `askwell ask` prints and writes of a result, and the options that say so."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from askwell.cli.chart import IN_TERMINAL, chart_of, require_chart_file, show_chart, write_chart
from askwell.cli.messages import NOT_ANSWERED, Force, confirm_overwriting, give_up, print_json
from askwell.cli.row_formats import RowFormat, format_of
from askwell.cli.row_output import NOT_ALL, RowTarget, Written
from askwell.errors import AskwellError, ConfigurationError

if TYPE_CHECKING:
    from askwell.charts.plan import Chart

_STANDARD_OUTPUT = Path("-")


@dataclass(frozen=True, kw_only=True)
class DisplayOptions:
    """How an answer is shown."""

    as_json: Annotated[bool, typer.Option("--json", help="Print the result object on the last line.")] = False
    row_format: Annotated[
        RowFormat | None,
        typer.Option("--format", help="Print all rows alone, in this format; everything else goes to standard error."),
    ] = None
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            dir_okay=False,
            help="Write all rows to this file: .csv, .tsv, .json, .ndjson or .md.",
        ),
    ] = None
    force: Force = False
    dry: Annotated[bool, typer.Option("--dry", help="Write and check the SQL without running it.")] = False
    planned: Annotated[bool, typer.Option("--planned", help="Show the SQL that the database got.")] = False
    rows: Annotated[int, typer.Option(min=1, help="How many rows to show.")] = 20
    chart: Annotated[
        str | None,
        typer.Option(
            metavar="[FILE]", help="Show a chart in the terminal too, or write it to a .svg, .png, .html or .json file."
        ),
    ] = None
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Only the answer and its warnings.")] = False
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Print each state on standard error where that is no terminal.")
    ] = False


def require_display(display: DisplayOptions) -> None:
    """Raises `ConfigurationError` for options that contradict each other, and where nothing could be written. Asks
    before files that exist are overwritten."""
    writes = display.row_format is not None or display.output is not None
    if writes and (display.as_json or display.dry):
        raise ConfigurationError(
            "--format and -o do not go with --json or --dry.", "They write rows, which these do not have alone."
        )
    if display.quiet and display.verbose:
        raise ConfigurationError("--quiet does not go with --verbose.", "Give one of them.")
    target = row_target(display)
    if target is not None and target.file is not None and not target.file.parent.is_dir():
        raise ConfigurationError(f"{target.file} cannot be written.", "Name a file in a folder that exists.")
    if display.chart is not None:
        if display.dry:
            raise ConfigurationError("--chart does not go with --dry.", "A chart is drawn from rows.")
        require_chart_file(display.chart)
    chart = None if display.chart in (None, IN_TERMINAL) else Path(display.chart or "")
    rows = target.file if target is not None else None
    if rows is not None and chart is not None and rows.absolute() == chart.absolute():
        raise ConfigurationError("-o and --chart name the same file.", "Name two files.")
    confirm_overwriting(rows, chart, force=display.force)


def row_target(display: DisplayOptions) -> RowTarget | None:
    """Where rows are written apart from what people read; None where they are not. Raises `ConfigurationError` where
    the format is not known, or two are named."""
    form, file = display.row_format, display.output
    if file is not None and file != _STANDARD_OUTPUT:
        return RowTarget(format_of(file, form), file)
    if file is not None and form is None:
        raise ConfigurationError("-o - does not say which format is wanted.", "Say it with --format.")
    return None if form in (None, RowFormat.TABLE) else RowTarget(form)


def print_result(result: dict[str, Any], question: str, display: DisplayOptions, written: Written | None) -> None:
    """Print a result object; `written` is what was written of its rows. Ends the command where a file was wanted and
    there is none."""
    from rich.console import Console

    from askwell.cli.answer import console_for_output, show_answer, show_failure, show_remarks, with_sql

    finished = result["status"] == "finished"
    chart = chart_of(result, question) if finished and display.chart else None
    for_people = Console(stderr=True, highlight=False)
    if display.as_json:
        drawn = {} if chart is None else {"chart": asdict(chart)}
        print_json(with_sql(result) | drawn)
    elif written is not None:
        _tell(written, display)
        show_remarks(_of_all_rows(result) if written.is_all else result, for_people, quiet=display.quiet)
    elif display.row_format is RowFormat.TABLE and finished and "data" in result:
        from askwell.cli.rows_table import show_rows

        show_rows(console_for_output(), result["data"], display.rows)
        show_remarks(result, for_people, quiet=display.quiet)
    elif finished and row_target(display) is not None:
        give_up(AskwellError("The answer has no rows: nothing was written.", "It stands above."), status=NOT_ANSWERED)
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
    if target == IN_TERMINAL:
        is_unicode = (sys.stdout.encoding or "").lower().startswith("utf")
        typer.echo()
        for line in show_chart(chart, result, width=shutil.get_terminal_size().columns, plain=not is_unicode):
            typer.echo(line)
        return
    try:
        write_chart(chart, result, question, target)
    except AskwellError as error:
        give_up(error)
    typer.echo(f"The chart is in {target}.", err=True)
