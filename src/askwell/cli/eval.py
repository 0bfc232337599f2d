"""`askwell eval`: measure parts of the service, with the service's own code, on folders of data."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Protocol

import typer

from askwell.cli.messages import give_up, print_json
from askwell.errors import AskwellError

app = typer.Typer(help="Measure parts of the service on folders of data.", no_args_is_help=True, add_completion=False)

AsJson = Annotated[
    bool, typer.Option("--json", help="Print one JSON object on the last line; progress goes to standard error.")
]

Questions = Annotated[Path, typer.Option(help="Questions with their gold SQL, a JSON object a line.")]
Databases = Annotated[Path, typer.Option(help="The folder of SQLite files, <db_id>.sqlite.")]
Limit = Annotated[int | None, typer.Option(min=1, help="Take a sample of this size.")]
Seed = Annotated[int, typer.Option(help="Which sample.")]


class Report(Protocol):
    """What every evaluation gives back."""

    def as_json(self) -> dict[str, Any]: ...

    def as_table(self) -> str: ...


class Split(StrEnum):
    all = "all"
    tuning = "tuning"
    validation = "validation"


class Mode(StrEnum):
    strict = "strict"
    balanced = "balanced"
    all = "all"


@app.command()
def guard(
    attacks: Annotated[Path, typer.Option(help="Statements to be refused; model.json lies beside them.")],
    benign: Annotated[Path, typer.Option(help="Statements to be let through.")],
    server: Annotated[
        list[str] | None,
        typer.Option(help="URL of a server to try attacks on that only limits can stop; makes and drops databases."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """How many attacks the guard refuses, and how many good statements it lets through. Status 1 if any is wrong."""
    _need(attacks, benign, attacks.parent / "model.json")
    from askwell.evaluation.guard import run_guard

    _progress("checking every statement ...")
    with _told():
        report = run_guard(attacks, benign, server or ())
    _print(report, as_json)
    raise typer.Exit(0 if report.passed else 1)


@app.command()
def rules(
    questions: Questions,
    databases: Databases,
    mode: Annotated[Mode, typer.Option(help="How sure a translation has to be to count as an answer.")] = Mode.balanced,
    split: Annotated[
        Split, typer.Option(help="Which databases: those the rules were tuned on, or the others.")
    ] = Split.all,
    limit: Limit = None,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """How many questions the rules answer without a language model, and how many of those answers are right."""
    _need(questions, databases)
    from askwell.evaluation.rules import run_rules

    with _told():
        report = run_rules(
            questions, databases, mode.value, limit=limit, seed=seed, split=split.value, progress=_progress
        )
    _print(report, as_json)


@app.command()
def repair(
    cases: Annotated[Path, typer.Option(help="Broken statements with their gold SQL, a JSON object a line.")],
    databases: Databases,
    limit: Limit = None,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """How many broken statements are found without a database, and how many are put right without a model."""
    _need(cases, databases)
    from askwell.evaluation.repair import run_repair

    with _told():
        report = run_repair(cases, databases, limit=limit, seed=seed, progress=_progress)
    _print(report, as_json)


@app.command()
def plan(
    questions: Questions,
    databases: Databases,
    limit: Limit = None,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Whether statements give the same rows through the planner and the engine as run directly."""
    _need(questions, databases)
    from askwell.evaluation.plan import run_plan

    with _told():
        report = run_plan(questions, databases, limit=limit, seed=seed, progress=_progress)
    _print(report, as_json)


@app.command()
def retrieval(
    schemas: Annotated[Path, typer.Option(help="schema.json: databases with their tables and columns.")],
    questions: Annotated[
        list[Path],
        typer.Option(help="Questions with their gold tables and columns, a JSON object a line; may be repeated."),
    ],
    merge: Annotated[
        list[Path] | None, typer.Option(help="Another file of schemas for the same catalogue; may be repeated.")
    ] = None,
    descriptions: Annotated[Path | None, typer.Option(help="Descriptions of columns by database and table.")] = None,
    budget: Annotated[
        int | None, typer.Option(min=200, help="Tokens of schema in a prompt, in place of the configured ones.")
    ] = None,
    folds: Annotated[
        int,
        typer.Option(
            min=0,
            max=50,
            help="Rank each database's tables by weights that are fitted to the others, in so many folds, in place of "
            "the configured ones.",
        ),
    ] = 0,
    config: Annotated[
        Path | None,
        typer.Option("--config", "-c", help="Where embedder and settings are. Without it ./config.yaml."),
    ] = None,
    limit: Limit = None,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """How many of the tables and columns that questions need are found, in one catalogue of many databases."""
    _need(schemas, *questions, *(merge or ()), *([descriptions] if descriptions else ()))
    from askwell.config import load_config
    from askwell.observability.logging import configure_logging

    configure_logging("error", as_json=False)
    with _told():
        loaded = load_config(config, os.environ)
        if budget is not None:
            settings = loaded.settings.model_copy(update={"context_token_budget": budget})
            loaded = loaded.model_copy(update={"settings": settings})
        from askwell.evaluation.catalogue import read_catalogue, read_linked_questions
        from askwell.evaluation.retrieval import run_retrieval

        catalogue = read_catalogue([schemas, *(merge or ())], descriptions)
        rows = read_linked_questions(questions, catalogue, limit=limit, seed=seed)
        report = run_retrieval(catalogue, rows, loaded, folds=folds, progress=_progress)
    _print(report, as_json)


@app.command()
def scope(
    inside: Annotated[
        Path, typer.Option("--in", help="Questions that belong, with their db_id, a JSON object a line.")
    ],
    outside: Annotated[Path, typer.Option("--out", help="Questions that do not, a JSON object a line.")],
    schemas: Annotated[Path, typer.Option(help="schema.json: databases with their tables and columns.")],
    databases: Annotated[
        str | None,
        typer.Option(help="Only these, separated by commas. Without it all that questions of --in belong to."),
    ] = None,
    config: Annotated[
        Path | None,
        typer.Option("--config", "-c", help="Where embedder and settings are. Without it ./config.yaml."),
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Take a sample of this size of those that belong.")] = None,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """How many questions the scope gate stops that belong to a database, and how many that do not."""
    _need(inside, outside, schemas)
    from askwell.config import load_config
    from askwell.observability.logging import configure_logging

    configure_logging("error", as_json=False)
    with _told():
        loaded = load_config(config, os.environ)
        from askwell.evaluation.catalogue import read_models
        from askwell.evaluation.scope import read_asked, run_scope

        report = run_scope(
            read_asked(inside),
            read_asked(outside),
            read_models([schemas]),
            loaded,
            catalogues=[name.strip() for name in (databases or "").split(",") if name.strip()],
            limit=limit,
            seed=seed,
            progress=_progress,
        )
    _print(report, as_json)


@app.command()
def values(
    questions: Questions,
    databases: Databases,
    limit: Limit = None,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """How many of the texts that gold queries compare columns with the value index finds in their questions."""
    _need(questions, databases)
    from askwell.evaluation.values import run_values

    with _told():
        report = run_values(questions, databases, limit=limit, seed=seed, progress=_progress)
    _print(report, as_json)


class Llm(StrEnum):
    configured = "configured"
    none = "none"


@app.command()
def asks(
    questions: Questions,
    databases: Databases,
    config: Annotated[
        Path | None,
        typer.Option("--config", "-c", help="Where the language model and settings are. Without it ./config.yaml."),
    ] = None,
    llm: Annotated[Llm, typer.Option(help="none: without a language model, whatever is configured.")] = Llm.configured,
    limit: Limit = None,
    seed: Seed = 0,
    out: Annotated[
        Path | None, typer.Option(help="Write what came of each question here, a JSON object a line.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """How many questions whole asks answer with the configured language model, and how many of the answers are right.

    As many asks run at once as `settings.concurrency` says. Every question costs what an ask costs.
    """
    _need(questions, databases)
    from askwell.config import LlmConfig, load_config
    from askwell.observability.logging import configure_logging

    configure_logging("error", as_json=False)
    with _told():
        settings = load_config(config, os.environ)
        if llm is Llm.none:
            settings = settings.model_copy(update={"llm": {"default": LlmConfig(provider="none")}, "pipelines": {}})
        from askwell.evaluation.asks import run_asks

        report = run_asks(questions, databases, settings, limit=limit, seed=seed, progress=_progress, out=out)
    _print(report, as_json)


@contextmanager
def _told() -> Iterator[None]:
    """What goes wrong is said, with status 2: 1 would mean that something was measured."""
    try:
        yield
    except AskwellError as error:
        give_up(error, status=2)


def _need(*paths: Path) -> None:
    missing = [str(path) for path in dict.fromkeys(paths) if not path.exists()]
    if missing:
        give_up(AskwellError(f"There is no {' and no '.join(missing)}.", "Check the paths."), status=2)


def _print(report: Report, as_json: bool) -> None:
    if as_json:
        print_json(report.as_json())
    else:
        typer.echo(report.as_table())


def _progress(line: str) -> None:
    typer.echo(line, err=True)
