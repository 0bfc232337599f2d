"""`askwell check`: whether SQL answers a question."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from askwell.cli.client import Client, opened_client
from askwell.cli.messages import UNUSABLE, print_json
from askwell.cli.options import AsJson, DatabaseOptions, ProjectOptions, sorted_words, with_option_groups
from askwell.cli.progress import Progress
from askwell.cli.waiting import run
from askwell.errors import AskwellError, ConfigurationError, InvalidRequest, StatementRejected
from askwell.messages import say

_STATUS = {"sound": 0, "doubtful": 1, "wrong": 2}
_NOT_CHECKABLE = 3
_WORDS = {
    "sound": "Nothing speaks against it.",
    "doubtful": "It may answer another question.",
    "wrong": "It does not answer the question.",
}


@with_option_groups
def check(
    of: ProjectOptions,
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="DATABASE QUESTION", help="The database, and the question in words."),
    ] = None,
    sql: Annotated[str | None, typer.Option(help="The statement to check.")] = None,
    questions: Annotated[
        Path | None,
        typer.Option(help='Check many: a file with {"id", "question", "sql"} on each line.', dir_okay=False),
    ] = None,
    dialect: Annotated[
        str | None, typer.Option(help="The dialect of the SQL, such as postgres or tsql, if not the database's.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check whether SQL answers a question; it is run for a look at its rows. The status is 0 where nothing speaks
    against it, 1 in doubt, 2 where it is wrong, and 3 where it cannot be checked."""

    async def checked() -> tuple[Sequence[Mapping[str, Any]], list[dict[str, Any]]]:
        place, question = sorted_words(words or [], question=questions is None)
        rows, chosen = _asked(question, sql, questions), of.asked(place, DatabaseOptions())
        with Progress(quiet=True) as progress:
            async with opened_client(chosen, DatabaseOptions(), progress) as client:
                return rows, await _check(client, rows, dialect)

    rows, results = run(checked(), lambda error: _NOT_CHECKABLE if _is_about_the_statement(error) else UNUSABLE)
    if questions is not None:
        for row, result in zip(rows, results, strict=True):
            print_json({"id": row.get("id")} | result)
        raise typer.Exit(_NOT_CHECKABLE if any(result["verdict"] is None for result in results) else 0)
    (result,) = results
    if as_json:
        print_json(result)
    else:
        typer.echo(_in_words(result))
    raise typer.Exit(_STATUS.get(result["verdict"], _NOT_CHECKABLE))


def _is_about_the_statement(error: AskwellError) -> bool:
    """Whether the command was used rightly, and the statement or the database is at fault."""
    return _is_rejection(error) or not isinstance(error, ConfigurationError | InvalidRequest)


def _is_rejection(error: AskwellError) -> bool:
    return error.code in StatementRejected.codes


def _asked(question: str | None, sql: str | None, questions: Path | None) -> Sequence[Mapping[str, Any]]:
    if questions is not None and (question or sql):
        raise ConfigurationError(*say("cli.check_question_or_file"))
    if questions is None:
        if not question or not sql:
            raise ConfigurationError(*say("cli.check_nothing_given"))
        return [{"question": question, "sql": sql}]
    rows = []
    for number, line in enumerate(_lines(questions), 1):
        try:
            row = json.loads(line)
            rows.append({"id": row.get("id"), "question": str(row["question"]), "sql": str(row["sql"])})
        except (ValueError, KeyError, AttributeError, TypeError) as broke:
            raise ConfigurationError(*say("cli.check_line", number=number, questions=questions)) from broke
    return rows


def _lines(path: Path) -> list[str]:
    try:
        return [line for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    except (OSError, ValueError) as broke:
        raise ConfigurationError(*say("cli.questions_not_readable", path=path)) from broke


async def _check(client: Client, rows: Sequence[Mapping[str, Any]], dialect: str | None) -> list[dict[str, Any]]:
    """The result of each row; of one that cannot be checked among many, its `verdict` is None and `error` says why."""
    results = []
    for row in rows:
        try:
            statement = {"question": row["question"], "sql": row["sql"], "dialect": dialect, "execute": True}
            results.append(await client.call("POST /sql-checks", statement))
        except AskwellError as error:
            if not _is_rejection(error) or len(rows) == 1:
                raise
            results.append({"verdict": None, "error": error.message})
    return results


def _in_words(result: Mapping[str, Any]) -> str:
    lines = [_WORDS[result["verdict"]]]
    lines += [f"- {finding['message']}" for finding in result["findings"] if finding["severity"] != "note"]
    lines += [f"Askwell would write: {result['rewritten']}"] if result["rewritten"] else []
    return "\n".join(lines)
