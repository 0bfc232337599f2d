"""`askwell lessons`: what a project has learnt, to be looked at, approved, undone, and moved."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from askwell.cli.messages import give_up, print_json, status_of
from askwell.cli.option_groups import Database, Project, Url
from askwell.cli.plain_text import shown
from askwell.errors import AskwellError

if TYPE_CHECKING:
    from askwell.cli.lesson_books import Book

Found = TypeVar("Found")
LessonId = Annotated[str, typer.Argument(help="Its id, as `askwell lessons list` shows it.")]

_ORIGINS = {
    "manual": "taught",
    "correction": "learnt when asked back",
    "accepted": "proposed, and approved",
    "verified": "proposed, and right in confirmed answers",
    "recovery": "learnt from a mistake",
    "feedback": "learnt from feedback",
}

_SENTENCES = {
    "table_mapping": "“{said}” means the table {table}",
    "column_mapping": "“{said}” means the column {column}",
    "metric": "“{said}” means {formula}",
    "query_pattern": "“{question_like}” is answered so: {advice}",
    "error_pattern": "the error “{error_like}” is mended so: {fix}",
}

app = typer.Typer(
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    no_args_is_help=True,
    help="What a project has learnt.",
)


@app.command("list")
def list_(
    url: Url = None,
    project: Project = "default",
    database: Database = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the lessons as JSON.")] = False,
) -> None:
    """List the lessons, oldest first."""
    lessons = with_book(url, project, database, lambda book: book.all())
    if as_json:
        print_json(lessons)
        return
    for lesson in lessons:
        typer.echo(f"{lesson['id']}  {lesson['status']:<9} {lesson['confidence']:.2f}  {told(lesson)}")
    if not lessons:
        typer.echo("Nothing was learnt yet.", err=True)


@app.command()
def export(url: Url = None, project: Project = "default", database: Database = None) -> None:
    """Print the active lessons as YAML."""
    typer.echo(with_book(url, project, database, lambda book: book.export()), nl=False)


@app.command("import")
def import_(
    file: Annotated[Path, typer.Argument(help="A YAML file, as `export` writes it.", exists=True, dir_okay=False)],
    url: Url = None,
    project: Project = "default",
    database: Database = None,
) -> None:
    """Keep the lessons of a file. Status 1 where some could not be kept."""
    text = file.read_text("utf-8", errors="replace")
    kept, problems = with_book(url, project, database, lambda book: book.load(text))
    for problem in problems:
        typer.echo(shown(problem), err=True)
    typer.echo(f"{len(kept)} {'lesson is' if len(kept) == 1 else 'lessons are'} kept.")
    raise typer.Exit(1 if problems else 0)


@app.command()
def approve(lesson: LessonId, url: Url = None, project: Project = "default", database: Database = None) -> None:
    """Let a lesson count."""
    kept = with_book(url, project, database, lambda book: book.decide(lesson, "active"))
    typer.echo(f"{kept['status']}: {told(kept)}")


@app.command()
def refuse(lesson: LessonId, url: Url = None, project: Project = "default", database: Database = None) -> None:
    """Let a lesson not count, and not be learnt again."""
    kept = with_book(url, project, database, lambda book: book.decide(lesson, "refused"))
    typer.echo(f"{kept['status']}: {told(kept)}")


@app.command()
def revert(lesson: LessonId, url: Url = None, project: Project = "default", database: Database = None) -> None:
    """Undo a lesson; what it took the place of counts again."""
    with_book(url, project, database, lambda book: book.revert(lesson))
    typer.echo("It is undone.")


def told(lesson: Mapping[str, Any]) -> str:
    """A lesson on one line: what it says, where it comes from, and whether it counts."""
    body = lesson["body"]
    if rule := body.get("transformation_rule"):
        from askwell.services.lessons.checking import rule_in_words

        says = rule_in_words(rule)
    else:
        says = _SENTENCES[lesson["kind"]].format_map({"advice": body.get("sql")} | body)
    problem = f", no longer of use: {lesson['problem']}" if lesson.get("problem") else ""
    plain = " ".join(f"{says} ({_ORIGINS[lesson['origin']]}, {lesson['status']}{problem})".split())
    return shown(plain, lines=False)


def with_book(url: str | None, project: str, database: str | None, action: Callable[[Book], Awaitable[Found]]) -> Found:
    """What something done with a project's lessons comes to. Ends the command with a reason where it cannot be done."""
    from askwell.cli.lesson_books import opened_book

    async def done() -> Found:
        async with opened_book(url, project, database) as book:
            return await action(book)

    try:
        return asyncio.run(done())
    except AskwellError as error:
        give_up(error, status_of(error))
