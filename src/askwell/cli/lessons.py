"""`askwell lessons`: what a service's project has learnt, to be looked at, approved, undone, and moved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from askwell.cli.messages import give_up, print_json, status_of
from askwell.cli.plain_text import shown
from askwell.errors import AskwellError

Url = Annotated[str, typer.Option(envvar="ASKWELL_URL", help="The service that runs there.")]
Project = Annotated[str, typer.Option(help="The project of the service.")]
LessonId = Annotated[str, typer.Argument(help="Its id, as `askwell lessons list` shows it.")]
_PAGE = 1_000

app = typer.Typer(
    context_settings={"help_option_names": ["-h", "--help"]}, no_args_is_help=True, help="What a project has learnt."
)


@app.command("list")
def list_(
    url: Url,
    project: Project = "default",
    as_json: Annotated[bool, typer.Option("--json", help="Print the lessons as JSON.")] = False,
) -> None:
    """List the lessons, oldest first."""
    from askwell.cli.remote import lessons_call

    with _refusals():
        lessons = lessons_call(url, project, "GET", f"?limit={_PAGE}")["lessons"]
    if as_json:
        print_json(lessons)
        return
    for lesson in lessons:
        typer.echo(f"{lesson['id']}  {lesson['status']:<9} {lesson['confidence']:.2f}  {told(lesson)}")
    if not lessons:
        typer.echo("Nothing was learnt yet.", err=True)


@app.command()
def export(url: Url, project: Project = "default") -> None:
    """Print the active lessons as YAML."""
    from askwell.cli.remote import lessons_text

    with _refusals():
        typer.echo(lessons_text(url, project), nl=False)


@app.command("import")
def import_(
    file: Annotated[Path, typer.Argument(help="A YAML file, as `export` writes it.", exists=True, dir_okay=False)],
    url: Url,
    project: Project = "default",
) -> None:
    """Keep the lessons of a file. Status 1 where some could not be kept."""
    from askwell.cli.remote import lessons_call

    with _refusals():
        text = file.read_text("utf-8", errors="replace")
        kept = lessons_call(url, project, "POST", "/import", {"yaml": text})
    for problem in kept["problems"]:
        typer.echo(shown(problem), err=True)
    count = len(kept["lessons"])
    typer.echo(f"{count} {'lesson is' if count == 1 else 'lessons are'} kept.")
    raise typer.Exit(1 if kept["problems"] else 0)


@app.command()
def approve(lesson: LessonId, url: Url, project: Project = "default") -> None:
    """Let a lesson count."""
    _decide(lesson, "active", url, project)


@app.command()
def refuse(lesson: LessonId, url: Url, project: Project = "default") -> None:
    """Let a lesson not count, and not be learnt again."""
    _decide(lesson, "refused", url, project)


@app.command()
def revert(lesson: LessonId, url: Url, project: Project = "default") -> None:
    """Undo a lesson; what it took the place of counts again."""
    from askwell.cli.remote import lessons_call

    with _refusals():
        lessons_call(url, project, "POST", f"/{lesson}/revert")
    typer.echo("It is undone.")


def told(lesson: Mapping[str, Any]) -> str:
    """A lesson on one line."""
    body = " ".join(f"{name}: {value}" for name, value in lesson["body"].items())
    problem = f" ({lesson['problem']})" if lesson.get("problem") else ""
    return shown(f"{lesson['kind']} {body}{problem}", lines=False)


def _decide(lesson: str, status: str, url: str, project: str) -> None:
    from askwell.cli.remote import lessons_call

    with _refusals():
        kept = lessons_call(url, project, "PATCH", f"/{lesson}", {"status": status})
    typer.echo(f"{kept['status']}: {told(kept)}")


@contextmanager
def _refusals() -> Iterator[None]:
    try:
        yield
    except AskwellError as error:
        give_up(error, status_of(error))
