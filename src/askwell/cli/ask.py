"""`askwell ask`: one question, to a running service or directly to a database."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from askwell.cli.ask_output import DisplayOptions, print_result, require_display, row_target
from askwell.cli.asking_back import LineReader
from askwell.cli.chart import AskCommand
from askwell.cli.messages import (
    INTERRUPTED,
    UNUSABLE,
    give_up,
    print_json,
    status_of,
    status_of_result,
    until_nobody_reads,
)
from askwell.cli.option_groups import (
    LOCAL_SERVICE,
    DatabaseOptions,
    ServiceOptions,
    with_option_groups,
    with_service_of_environment,
)
from askwell.cli.plain_text import as_typed
from askwell.cli.progress import Progress
from askwell.cli.row_output import AllRows, Written, write_rows
from askwell.cli.threads import until_signalled
from askwell.errors import AskwellError, ConfigurationError

# Longer than any question that is answered.
_MOST_READ = 1_000_000
Command = AskCommand


@dataclass(frozen=True, kw_only=True)
class OneQuestionOptions(DatabaseOptions):
    """How a database is asked one question."""

    max_attempts: Annotated[
        int | None, typer.Option(min=0, max=10, help="How often SQL that fails is corrected (with a database).")
    ] = None


@with_option_groups
def ask(
    question: Annotated[
        str, typer.Argument(help="What you want to know, in plain language; - reads it from standard input.")
    ],
    service: ServiceOptions,
    local: OneQuestionOptions,
    display: DisplayOptions,
    place: Annotated[
        str | None, typer.Argument(metavar="[DATABASE]", help="The database, as --database takes it.")
    ] = None,
    database: Annotated[
        str | None,
        typer.Option(
            help="Ask this database directly: a SQLite or DuckDB file, the URL of a PostgreSQL, MySQL or MariaDB "
            "server, or env:NAME for what that variable holds; $ASKWELL_DATABASE without it. No service is needed; "
            f"without a database that of --url or $ASKWELL_URL is asked, or else the one at {LOCAL_SERVICE}."
        ),
    ] = None,
) -> None:
    """Ask a question: shows its progress, the SQL, the first rows, and what to know about them.

    Status 0 with an answer, 1 without one, 2 when what was given cannot be used, 3 when something failed.
    """
    try:
        if place is not None and _is_file(question) and not _is_file(place):
            question, place = place, question  # the database was named first
        said = as_typed(sys.stdin.read(_MOST_READ) if question == "-" else question)
        service = with_service_of_environment(service, place if place is not None else database)
        database = _the_database(place, database, service.url)
        _require_sense(said, database, service, local)
        require_display(display)
    except KeyboardInterrupt:
        raise typer.Exit(INTERRUPTED) from None
    except AskwellError as error:
        give_up(error, status=UNUSABLE)
    answer = partial(_ask_service, service) if database is None else partial(_ask_database, database, local)
    _run(answer, said, display)


def _is_file(text: str) -> bool:
    try:
        return Path(text).is_file()
    except (OSError, ValueError):  # longer than a name may be, or with NUL in it: words
        return False


def _the_database(place: str | None, database: str | None, url: str | None) -> str | None:
    """The one that was named, or else that of the environment, unless a service was."""
    if place is not None and database is not None:
        raise ConfigurationError("The database is named twice.", "Leave out --database.")
    named = place if place is not None else database
    return named if named is not None or url is not None else os.environ.get("ASKWELL_DATABASE") or None


def _require_sense(question: str, database: str | None, service: ServiceOptions, local: DatabaseOptions) -> None:
    if not question.strip():
        raise ConfigurationError("There is no question.", 'Write it in quotes: askwell ask "How many …?"')
    unfit = service if database else local
    given = [one.name for one in fields(unfit) if getattr(unfit, one.name) != one.default]
    if given:
        with_it = "does not go with --database" if database else "needs --database"
        hint = "The service has its own configuration." if not database else "A database is asked without a service."
        raise ConfigurationError(f"--{given[0].replace('_', '-')} {with_it}.", hint)


class _Asking:
    """One question on its way: what is shown meanwhile, and what is written as soon as it is answered."""

    def __init__(self, question: str, display: DisplayOptions, progress: Progress) -> None:
        self.question, self.display, self.progress = question, display, progress
        self.written: Written | None = None

    async def write(self, result: dict[str, Any], all_rows: AllRows | None) -> None:
        """Write the rows of the answer where they are to be written."""
        target = row_target(self.display)
        if target is not None and result["status"] == "finished" and "data" in result:
            self.progress.step("writing rows")
            if target.file is None:
                self.progress.stop()
            self.written = Written(0, is_all=True)  # where nobody reads
            with until_nobody_reads():
                self.written = await write_rows(result["data"], target, all_rows)


Answer = Callable[[_Asking], Awaitable[dict[str, Any]]]


async def _ask_service(service: ServiceOptions, asking: _Asking) -> dict[str, Any]:
    from askwell.cli.remote import ask_service

    url, project, execute = service.url or LOCAL_SERVICE, service.project or "default", not asking.display.dry
    result = await ask_service(url, project, asking.question, asking.progress, execute=execute)
    await asking.write(result, None)
    return result


async def _ask_database(database: str, options: OneQuestionOptions, asking: _Asking) -> dict[str, Any]:
    from askwell.cli.local.opening import opened_session

    progress = asking.progress
    async with opened_session(database, options, progress, max_attempts=options.max_attempts) as session:
        result = await session.ask(asking.question, progress, execute=not asking.display.dry)
        sql = "".join(answer["sql"] for answer in result.get("response", ())[:1])
        await asking.write(result, partial(session.all_rows, sql))
        return result


def _run(answer: Answer, question: str, display: DisplayOptions) -> None:
    """Ask, and ask again while somebody chooses another question in place of one that has no answer."""
    is_there = sys.stdin.isatty() and sys.stderr.isatty() and not (display.as_json or display.quiet)
    reader = LineReader() if is_there else None
    asked: str | None = question
    while asked is not None:
        result = _answered(answer, asked, display, reader)
        instead = result.get("suggested_questions", ()) if result["status"] == "failed" and reader is not None else ()
        asked = _interruptible_run(partial(reader.choose_question, instead)) if reader and instead else None
    raise typer.Exit(status_of_result(result))


def _answered(answer: Answer, question: str, display: DisplayOptions, reader: LineReader | None) -> dict[str, Any]:
    printed = False
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
    asking = _Asking(question, display, progress)
    try:
        with progress:
            result: dict[str, Any] = _interruptible_run(partial(answer, asking))
    except typer.Exit:
        raise
    except Exception as error:  # noqa: BLE001 - whatever breaks is told in words; a message may hold a value
        _fail(error if isinstance(error, AskwellError) else _unexpected(error), as_json=display.as_json)
    with until_nobody_reads():
        if printed:
            typer.echo(err=rows_alone)
        if progress.words and display.as_json:
            result = result | {"words": progress.words}
        print_result(result, question, display, asking.written)
    return result


def _interruptible_run(work: Callable[[], Awaitable[Any]]) -> Any:
    """Ends in good order on SIGTERM and Ctrl-C: query processes and temporary folders are cleaned up."""

    try:
        return asyncio.run(until_signalled(work()))
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
    return AskwellError(
        f"Something unexpected went wrong ({type(error).__name__}).",
        "Ask again with --refresh; if it happens again, report it with the kind of database and the version.",
    )
