"""`askwell eval`: measure parts of the service, with the service's own code, on folders of data."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from askwell.cli.eval_asks import asks, compare
from askwell.cli.eval_options import AsJson, Limit, Seed, errors_in_words, print_report, progress, require_files

app = typer.Typer(help="Measure parts of the service on folders of data.", no_args_is_help=True, add_completion=False)

Questions = Annotated[Path, typer.Option(help="Questions with their gold SQL, a JSON object a line.")]
Databases = Annotated[Path, typer.Option(help="The folder of SQLite files, <db_id>.sqlite.")]


class Split(StrEnum):
    all = "all"
    tuning = "tuning"
    validation = "validation"


class Part(StrEnum):
    rules = "rules"
    lexicon = "lexicon"


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
    require_files(attacks, benign, attacks.parent / "model.json")
    from askwell.evaluation.guard import run_guard

    progress("checking every statement ...")
    with errors_in_words():
        report = run_guard(attacks, benign, server or ())
    print_report(report, as_json)
    raise typer.Exit(0 if report.passed else 1)


@app.command()
def rules(
    questions: Questions,
    databases: Databases,
    mode: Annotated[Mode, typer.Option(help="How sure a translation has to be to count as an answer.")] = Mode.balanced,
    split: Annotated[
        Split, typer.Option(help="Which databases: those the rules were tuned on, or the others.")
    ] = Split.all,
    ablate: Annotated[
        Part | None, typer.Option(help="In place of all this: what each rule, or each list of the lexicon, is worth.")
    ] = None,
    limit: Limit = None,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """How many questions the rules answer without a language model, and how many of those answers are right."""
    require_files(questions, databases)
    if ablate is not None:
        from askwell.evaluation.ablation import run_ablation

        with errors_in_words():
            ablation = run_ablation(
                ablate.value, questions, databases, limit=limit, seed=seed, split=split.value, progress=progress
            )
        print_report(ablation, as_json)
        return
    from askwell.evaluation.rules import run_rules

    with errors_in_words():
        report = run_rules(
            questions,
            databases,
            mode.value,
            limit=limit,
            seed=seed,
            split=split.value,
            progress=progress,
        )
    print_report(report, as_json)


@app.command()
def clarification(
    questions: Questions,
    databases: Databases,
    split: Annotated[
        Split, typer.Option(help="Which databases: those the rules were tuned on, or the others.")
    ] = Split.all,
    count: Annotated[int, typer.Option(help="How many ambiguous questions, and how many clear ones.")] = 300,
    seed: Seed = 0,
    verbose: Annotated[bool, typer.Option(help="List what went wrong on standard error.")] = False,
    as_json: AsJson = False,
) -> None:
    """How often the rules ask back where a question means two things, and where it does not."""
    require_files(questions, databases)
    from askwell.evaluation.clarification import run_clarification

    with errors_in_words():
        report = run_clarification(questions, databases, count=count, seed=seed, split=split.value, progress=progress)
    for failure in report.failures if verbose else ():
        typer.echo(failure, err=True)
    print_report(report, as_json)


@app.command()
def lessons(
    questions: Questions,
    databases: Databases,
    split: Annotated[
        Split, typer.Option(help="Which databases: those the rules were tuned on, or the others.")
    ] = Split.all,
    count: Annotated[int, typer.Option(help="How many questions.")] = 200,
    seed: Seed = 0,
    verbose: Annotated[bool, typer.Option(help="List what went wrong on standard error.")] = False,
    as_json: AsJson = False,
) -> None:
    """What is learnt of the words of a house, and whether lessons, also poisoned ones, change other answers."""
    require_files(questions, databases)
    from askwell.evaluation.lessons import run_lessons

    with errors_in_words():
        report = run_lessons(questions, databases, count=count, seed=seed, split=split.value, progress=progress)
    for failure in report.failures if verbose else ():
        typer.echo(failure, err=True)
    print_report(report, as_json)


@app.command()
def repair(
    cases: Annotated[Path, typer.Option(help="Broken statements with their gold SQL, a JSON object a line.")],
    databases: Databases,
    limit: Limit = None,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """How many broken statements are found without a database, and how many are put right without a model."""
    require_files(cases, databases)
    from askwell.evaluation.repair import run_repair

    with errors_in_words():
        report = run_repair(cases, databases, limit=limit, seed=seed, progress=progress)
    print_report(report, as_json)


@app.command()
def plan(
    questions: Questions,
    databases: Databases,
    limit: Limit = None,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Whether statements give the same rows through the planner and the engine as run directly."""
    require_files(questions, databases)
    from askwell.evaluation.plan import run_plan

    with errors_in_words():
        report = run_plan(questions, databases, limit=limit, seed=seed, progress=progress)
    print_report(report, as_json)


@app.command()
def check(
    questions: Questions,
    databases: Databases,
    split: Annotated[Split, typer.Option(help="Which databases, by a hash of their names.")] = Split.all,
    each: Annotated[int, typer.Option(min=1, help="How many golds of a database at most.")] = 14,
    seed: Seed = 0,
    rules: Annotated[bool, typer.Option("--rules", help="Check what rules answer to the golds' questions.")] = False,
    keep: Annotated[Path | None, typer.Option(help="Write what sureness is learnt from to this file.")] = None,
    as_json: AsJson = False,
) -> None:
    """How many wrong statements a check against the question finds, how many right ones it flags, and whether sureness
    is true."""
    require_files(questions, databases)
    from askwell.evaluation.check import run_check

    with errors_in_words():
        report = run_check(
            questions, databases, split=split.value, each=each, seed=seed, rules=rules, progress=progress
        )
        if keep is not None:
            keep.write_text("".join(f"{json.dumps(asdict(one.answered))}\n" for one in report.judged), "utf-8")
    print_report(report, as_json)


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
    require_files(schemas, *questions, *(merge or ()), *([descriptions] if descriptions else ()))
    from askwell.config import load_config
    from askwell.observability.logging import configure_logging

    configure_logging("error", as_json=False)
    with errors_in_words():
        loaded = load_config(config, os.environ)
        if budget is not None:
            settings = loaded.settings.model_copy(update={"context_token_budget": budget})
            loaded = loaded.model_copy(update={"settings": settings})
        from askwell.evaluation.catalogue import read_catalogue, read_linked_questions
        from askwell.evaluation.retrieval import run_retrieval

        catalogue = read_catalogue([schemas, *(merge or ())], descriptions)
        rows = read_linked_questions(questions, catalogue, limit=limit, seed=seed)
        report = run_retrieval(catalogue, rows, loaded, folds=folds, progress=progress)
    print_report(report, as_json)


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
    require_files(inside, outside, schemas)
    from askwell.config import load_config
    from askwell.observability.logging import configure_logging

    configure_logging("error", as_json=False)
    with errors_in_words():
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
            progress=progress,
        )
    print_report(report, as_json)


@app.command()
def values(
    questions: Questions,
    databases: Databases,
    limit: Limit = None,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """How many of the texts that gold queries compare columns with the value index finds in their questions."""
    require_files(questions, databases)
    from askwell.evaluation.values import run_values

    with errors_in_words():
        report = run_values(questions, databases, limit=limit, seed=seed, progress=progress)
    print_report(report, as_json)


@app.command()
def links(
    questions: Questions,
    databases: Databases,
    only: Annotated[
        str | None, typer.Option(help="Only these databases, separated by commas. Without it all that have links.")
    ] = None,
    split: Annotated[
        Split, typer.Option(help="Which databases: those the rules were tuned on, or the others.")
    ] = Split.all,
    without_keys: Annotated[bool, typer.Option(help="Take the primary keys away too.")] = False,
    as_json: AsJson = False,
) -> None:
    """How many foreign keys are inferred again where they are taken away, and how many gold joins are known then."""
    require_files(questions, databases)
    from askwell.evaluation.links import run_links

    with errors_in_words():
        report = run_links(
            questions,
            databases,
            only=[name.strip() for name in (only or "").split(",") if name.strip()],
            split=split.value,
            without_keys=without_keys,
            progress=progress,
        )
    print_report(report, as_json)


app.command()(asks)
app.command()(compare)


@app.command()
def passages(
    folder: Annotated[
        Path, typer.Argument(help="With docs/, questions.jsonl and unrelated.jsonl.", exists=True, file_okay=False)
    ],
    config: Annotated[
        Path | None, typer.Option("--config", "-c", help="Where the embedder is. Without it ./config.yaml.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """How often the passage that answers a question is found, and none where there is none."""
    require_files(folder / "questions.jsonl", folder / "unrelated.jsonl")
    from askwell.config import load_config
    from askwell.evaluation.passages import run_passages
    from askwell.observability.logging import configure_logging

    configure_logging("error", as_json=False)
    with errors_in_words():
        report = run_passages(folder, load_config(config, os.environ), progress=progress)
    print_report(report, as_json)
