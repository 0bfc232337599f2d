"""`askwell lessons`: what a project has learned, to be looked at, approved, undone, and moved."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from askwell.cli.client import Item, with_client
from askwell.cli.messages import print_items, shown
from askwell.cli.options import AsJson, GivenDatabase, ProjectOptions, command_group, with_option_groups
from askwell.errors import ConfigurationError, InvalidRequest
from askwell.messages import say
from askwell.resources import words_file

_LESSON, _REVERT = "PATCH /lessons/{lesson_id}", "POST /lessons/{lesson_id}/revert"
LessonId = Annotated[
    list[str],
    typer.Argument(metavar="[DATABASE] LESSON", help="The database, and the id that `askwell lessons list` shows."),
]

app = command_group("What a project has learned.")


@app.command("list")
@with_option_groups
def list_(of: ProjectOptions, place: GivenDatabase = None, as_json: AsJson = False) -> None:
    """List the lessons, oldest first."""

    def line(one: Mapping[str, Any]) -> str:
        return f"{one['id']}  {one['status']:<9} {one['confidence']:.2f}  {told(one)}"

    lessons = with_client(of.at(place), lambda client: client.all("lessons"), asks_only=True)
    print_items(lessons, line, as_json=as_json, nothing="Nothing learned yet.")


@app.command()
@with_option_groups
def export(of: ProjectOptions, place: GivenDatabase = None) -> None:
    """Print the active lessons as YAML."""
    typer.echo(_called(of.at(place), "GET /lessons/export"), nl=False)


@app.command("import")
@with_option_groups
def import_(
    words: Annotated[
        list[str],
        typer.Argument(metavar="[DATABASE] FILE", help="The database, and a YAML file, as `export` writes it."),
    ],
    of: ProjectOptions,
) -> None:
    """Keep the lessons of a file. Status 1 where some could not be kept."""
    of, file = of.at_pair(words)
    try:
        text = Path(file).read_text("utf-8", errors="replace")
    except OSError as error:
        raise ConfigurationError(
            *say("cli.file_unreadable_name_another", source=file, strerror=error.strerror)
        ) from None
    loaded = _called(of, "POST /lessons/import", {"yaml": text})
    for problem in loaded["problems"]:
        typer.echo(shown(problem), err=True)
    kept = len(loaded["lessons"])
    typer.echo(f"{kept} {'lesson is' if kept == 1 else 'lessons are'} kept.")
    raise typer.Exit(1 if loaded["problems"] else 0)


@app.command()
@with_option_groups
def approve(words: LessonId, of: ProjectOptions) -> None:
    """Let a lesson count."""
    _decide(of, words, "active")


@app.command()
@with_option_groups
def refuse(words: LessonId, of: ProjectOptions) -> None:
    """Let a lesson not count, and not be learned again."""
    _decide(of, words, "refused")


def _decide(of: ProjectOptions, words: Sequence[str], status: str) -> None:
    of, lesson = of.at_pair(words)
    kept = _called(of, _LESSON, {"status": status}, lesson_id=lesson)
    typer.echo(f"{kept['status']}: {told(kept)}")


@app.command()
@with_option_groups
def revert(words: LessonId, of: ProjectOptions) -> None:
    """Undo a lesson; what it took the place of counts again."""
    of, lesson = of.at_pair(words)
    _called(of, _REVERT, lesson_id=lesson)
    typer.echo("It is undone.")


def _called(of: ProjectOptions, route: str, body: Item | None = None, **given: Any) -> Any:
    return with_client(of, lambda client: client.call(route, body, **given), asks_only=True)


def told(lesson: Mapping[str, Any]) -> str:
    """A lesson on one line: what it says, where it comes from, and whether it counts."""
    body, words = lesson["body"], words_file("askwell.cli", "words.yaml")
    if rule := body.get("transformation_rule"):
        from askwell.services.lessons.checking import rule_in_words

        says = rule_in_words(rule)
    else:
        says = words["lessons"][lesson["kind"]].format_map({"advice": body.get("sql")} | body)
    problem = f", no longer of use: {lesson['problem']}" if lesson.get("problem") else ""
    plain = " ".join(f"{says} ({words['lesson_origins'][lesson['origin']]}, {lesson['status']}{problem})".split())
    return shown(plain, lines=False)


USAGE = 'Write it as "zorbs" = customers, "turnover" = orders.net_amount, or "revenue" = sum(orders.net_amount).'
_LINE = re.compile(r"""\s*["'“]?(?P<said>[^=]*?)["'”]?\s*=\s*(?P<meant>.*)""", re.DOTALL)
_QUOTED = re.compile(r"""(["'])(?P<text>[^"']*)\1""")


def lesson_in(line: str) -> dict[str, Any]:
    """The lesson in one line, as clients send it. Raises `InvalidRequest`."""
    found = _LINE.fullmatch(line)
    if found is None:
        raise InvalidRequest(*say("cli.teach_what"))
    return _lesson(found["said"], _unquoted(found["meant"]))


def lesson_of(words: Sequence[str]) -> dict[str, Any]:
    """The lesson that words, `=` and what they mean say, each as a shell has unquoted it. Raises `InvalidRequest`."""
    if "=" in words:
        place = list(words).index("=")
        return _lesson(" ".join(words[:place]), " ".join(words[place + 1 :]))
    if len(words) == 2:
        return _lesson(*words)
    return lesson_in(" ".join(words))


def _lesson(said: str, meant: str) -> dict[str, Any]:
    said, meant = said.strip(), meant.strip()
    if not said or not meant:
        raise InvalidRequest(*say("cli.teach_what"))
    if "(" in meant:
        return {"kind": "metric", "body": {"said": said, "formula": meant}}
    kind, name = ("column_mapping", "column") if "." in meant else ("table_mapping", "table")
    return {"kind": kind, "body": {"said": said, name: meant}}


def _unquoted(text: str) -> str:
    found = _QUOTED.fullmatch(text.strip())
    return found["text"] if found is not None else text


@with_option_groups
def teach(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="[DATABASE] LESSON",
            help='The database, and "zorbs" = customers, "turnover" = orders.net_amount, or '
            '"revenue" = "sum(orders.net_amount)".',
        ),
    ],
    of: ProjectOptions,
) -> None:
    """Teach what words mean: a table, a column as table.column, or a figure such as sum(table.column). It counts from
    the next question on."""
    of, said = (of.at(None), words) if words[1:2] == ["="] else of.at_first(words)
    lesson = lesson_of(said)
    for kept in _called(of, "POST /lessons", {"lessons": [lesson]})["lessons"]:
        typer.echo(told(kept))
