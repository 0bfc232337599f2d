"""`askwell eval`: measure parts of the service, with the service's own code, on folders of data."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Literal

import typer

from askwell.cli.messages import INTERRUPTED, Force, confirm_overwriting, give_up, print_json
from askwell.errors import AskwellError, InvalidRequest
from askwell_evaluation.report import Report, say

app = typer.Typer(help="Measure parts of the service on folders of data.", no_args_is_help=True, add_completion=False)


Splits = Literal["all", "tuning", "validation"]

AsJson = Annotated[
    bool, typer.Option("--json", help="Print one JSON object on the last line; progress goes to standard error.")
]
Limit = Annotated[int | None, typer.Option(min=1, help="Take a sample of this size.")]
Seed = Annotated[int, typer.Option(help="Which sample.")]
Questions = Annotated[Path, typer.Option(help="Questions with their gold SQL, a JSON object a line.")]
Databases = Annotated[Path, typer.Option(help="The folder of SQLite files, <db_id>.sqlite.")]
Split = Annotated[Splits, typer.Option(help="Which databases: those the rules were tuned on, or the others.")]
Verbose = Annotated[bool, typer.Option(help="List what went wrong on standard error.")]
ConfigFile = Annotated[
    Path | None, typer.Option("--config", "-c", help="Where models and settings are. Without it ./config.yaml.")
]


@contextmanager
def _measuring(*files: Path | None) -> Iterator[None]:
    """What goes wrong is printed, with status 2: 1 would mean that something was measured."""
    from askwell.observability.logging import configure_logging

    missing = [str(path) for path in dict.fromkeys(filter(None, files)) if not path.exists()]
    if missing:
        give_up(AskwellError(f"There is no {' and no '.join(missing)}.", "Check the paths."), status=2)
    configure_logging("error", as_json=False)
    try:
        yield
    except AskwellError as error:
        give_up(error, status=2)


def _finish(report: Report, as_json: bool, *, verbose: bool = False) -> None:
    """Print the report on standard output, as a table or as one line of JSON; status 1 where it is not passed."""
    for failure in report.failures if verbose else ():
        typer.echo(failure, err=True)
    if as_json:
        print_json(report.figures)
    else:
        typer.echo(report.table)
    raise typer.Exit(0 if report.passed else 1)


def _names(listed: str | None) -> list[str]:
    return [name.strip() for name in (listed or "").split(",") if name.strip()]


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
    with _measuring(attacks, benign, attacks.parent / "model.json"):
        from askwell_evaluation.guard import run_guard

        say("checking every statement ...")
        _finish(run_guard(attacks, benign, server or ()), as_json)


@app.command()
def rules(
    questions: Questions,
    databases: Databases,
    mode: Annotated[
        Literal["strict", "balanced", "all"],
        typer.Option(help="How sure a translation has to be to count as an answer."),
    ] = "balanced",
    split: Split = "all",
    ablate: Annotated[
        Literal["rules", "lexicon"] | None,
        typer.Option(help="In place of all this: what each rule, or each list of the lexicon, is worth."),
    ] = None,
    limit: Limit = None,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """How many questions the rules answer without a language model, and how many of those answers are right."""
    with _measuring(questions, databases):
        from askwell_evaluation.rules import run_ablation, run_rules

        run, what = (run_rules, mode) if ablate is None else (run_ablation, ablate)
        _finish(run(what, questions, databases, limit=limit, seed=seed, split=split), as_json)


@app.command()
def clarification(
    questions: Questions,
    databases: Databases,
    split: Split = "all",
    count: Annotated[int, typer.Option(help="How many ambiguous questions, and how many clear ones.")] = 300,
    seed: Seed = 0,
    verbose: Verbose = False,
    as_json: AsJson = False,
) -> None:
    """How often the rules ask back where a question means two things, and where it does not."""
    with _measuring(questions, databases):
        from askwell_evaluation.clarification import run_clarification

        report = run_clarification(questions, databases, count=count, seed=seed, split=split)
        _finish(report, as_json, verbose=verbose)


@app.command()
def lessons(
    questions: Questions,
    databases: Databases,
    split: Split = "all",
    count: Annotated[int, typer.Option(help="How many questions.")] = 200,
    seed: Seed = 0,
    verbose: Verbose = False,
    as_json: AsJson = False,
) -> None:
    """What is learnt of the words of a house, and whether lessons, also poisoned ones, change other answers."""
    with _measuring(questions, databases):
        from askwell_evaluation.lessons import run_lessons

        report = run_lessons(questions, databases, count=count, seed=seed, split=split)
        _finish(report, as_json, verbose=verbose)


@app.command()
def repair(
    cases: Annotated[Path, typer.Option(help="Broken statements with their gold SQL, a JSON object a line.")],
    databases: Databases,
    limit: Limit = None,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """How many broken statements are found without a database, and how many are put right without a model."""
    with _measuring(cases, databases):
        from askwell_evaluation.repair import run_repair

        _finish(run_repair(cases, databases, limit=limit, seed=seed), as_json)


@app.command()
def plan(
    questions: Questions, databases: Databases, limit: Limit = None, seed: Seed = 0, as_json: AsJson = False
) -> None:
    """Whether statements give the same rows through the planner and the engine as run directly."""
    with _measuring(questions, databases):
        from askwell_evaluation.plan import run_plan

        _finish(run_plan(questions, databases, limit=limit, seed=seed), as_json)


@app.command()
def check(
    questions: Questions,
    databases: Databases,
    split: Annotated[Splits, typer.Option(help="Which databases, by a hash of their names.")] = "all",
    each: Annotated[int, typer.Option(min=1, help="How many golds of a database at most.")] = 14,
    seed: Seed = 0,
    rules: Annotated[bool, typer.Option("--rules", help="Check what rules answer to the golds' questions.")] = False,
    keep: Annotated[Path | None, typer.Option(help="Write what sureness is learnt from to this file.")] = None,
    as_json: AsJson = False,
) -> None:
    """How many wrong statements a check against the question finds, how many right ones it flags, and whether sureness
    is true."""
    with _measuring(questions, databases):
        from askwell_evaluation.check import run_check

        report, answered = run_check(questions, databases, split=split, each=each, seed=seed, rules=rules)
        if keep is not None:
            keep.write_text("".join(f"{json.dumps(asdict(one))}\n" for one in answered), "utf-8")
        _finish(report, as_json)


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
    config: ConfigFile = None,
    limit: Limit = None,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """How many of the tables and columns that questions need are found, in one catalogue of many databases."""
    with _measuring(schemas, *questions, *(merge or ()), descriptions):
        from askwell.config import load_config
        from askwell_evaluation.catalogue import read_catalogue, read_linked_questions
        from askwell_evaluation.retrieval import run_retrieval

        loaded = load_config(config, os.environ)
        if budget is not None:
            settings = loaded.settings.model_copy(update={"context_token_budget": budget})
            loaded = loaded.model_copy(update={"settings": settings})
        catalogue = read_catalogue([schemas, *(merge or ())], descriptions)
        rows = read_linked_questions(questions, catalogue, limit=limit, seed=seed)
        _finish(run_retrieval(catalogue, rows, loaded, folds=folds), as_json)


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
    config: ConfigFile = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Take a sample of this size of those that belong.")] = None,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """How many questions the scope gate stops that belong to a database, and how many that do not."""
    with _measuring(inside, outside, schemas):
        from askwell.config import load_config
        from askwell_evaluation.catalogue import read_models
        from askwell_evaluation.scope import read_asked, run_scope

        report = run_scope(
            read_asked(inside),
            read_asked(outside),
            read_models([schemas]),
            load_config(config, os.environ),
            catalogues=_names(databases),
            limit=limit,
            seed=seed,
        )
        _finish(report, as_json)


@app.command()
def values(
    questions: Questions, databases: Databases, limit: Limit = None, seed: Seed = 0, as_json: AsJson = False
) -> None:
    """How many of the texts that gold queries compare columns with the value index finds in their questions."""
    with _measuring(questions, databases):
        from askwell_evaluation.values import run_values

        _finish(run_values(questions, databases, limit=limit, seed=seed), as_json)


@app.command()
def links(
    questions: Questions,
    databases: Databases,
    only: Annotated[
        str | None, typer.Option(help="Only these databases, separated by commas. Without it all that have links.")
    ] = None,
    split: Split = "all",
    without_keys: Annotated[bool, typer.Option(help="Take the primary keys away too.")] = False,
    as_json: AsJson = False,
) -> None:
    """How many foreign keys are inferred again where they are taken away, and how many gold joins are known then."""
    with _measuring(questions, databases):
        from askwell_evaluation.links import run_links

        chosen = _names(only)
        report = run_links(questions, databases, only=chosen, split=split, without_keys=without_keys)
        _finish(report, as_json)


@app.command()
def asks(
    questions: Annotated[
        Path, typer.Option(help="Questions with their gold: Spider's or BIRD's file, a JSON list, or an object a line.")
    ],
    databases: Annotated[
        Path | None,
        typer.Option(help="A folder with <db_id>.sqlite or <db_id>/<db_id>.sqlite, or one file for all questions."),
    ] = None,
    project: Annotated[
        str | None, typer.Option(help="Ask the database of this project of the configuration instead.")
    ] = None,
    config: ConfigFile = None,
    llm: Annotated[
        Literal["configured", "none"], typer.Option(help="none: without a language model, whatever is configured.")
    ] = "configured",
    model: Annotated[
        str | None,
        typer.Option(
            help="The language model of every pipeline: a name of the llm section, or of its server's models."
        ),
    ] = None,
    mdl: Annotated[
        Path | None,
        typer.Option(help="A semantic model in place of the one that is made, or a folder of <db_id>.json."),
    ] = None,
    instructions: Annotated[Path | None, typer.Option(help="Instructions, as YAML or JSON.")] = None,
    sql_pairs: Annotated[Path | None, typer.Option(help="SQL pairs, a file like that of sql_pairs_path.")] = None,
    prompts: Annotated[
        Path | None, typer.Option(help="A folder of prompts that stand in for ours, in place of prompts_path.")
    ] = None,
    limit: Limit = None,
    seed: Seed = 0,
    concurrency: Annotated[
        int | None, typer.Option(min=1, max=1_000, help="How many asks run at once; settings.concurrency without it.")
    ] = None,
    max_cost: Annotated[
        float | None, typer.Option(min=0, help="Stop asking when this many US dollars are spent; needs prices.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Write what came of each question to this results file, as it ends.")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the file of --out: ask what is missing, and outages again.")
    ] = False,
    reply_cache: Annotated[
        Path | None, typer.Option(help="A folder of replies: what a model was asked before is not asked again.")
    ] = None,
    report: Annotated[Path | None, typer.Option(help="Write a page for reading to this HTML file.")] = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """How many questions whole asks answer with the configured language model, and how many of the answers are right.

    Every question costs what an ask costs: start with --limit, and keep what was answered by --out.
    """
    confirm_overwriting(report, force=force)
    with _measuring(questions, databases, mdl, instructions, sql_pairs, prompts):
        from askwell.config import load_config
        from askwell_evaluation.asks import run_asks
        from askwell_evaluation.asks_options import AsksOptions, configured

        if databases is not None and project is not None:
            raise InvalidRequest("--databases and --project both name what is asked.", "Give one of them.")
        if model is not None and llm == "none":
            raise InvalidRequest("--model and --llm none do not go together.", "Give one of them.")
        if report is not None and not report.absolute().parent.is_dir():
            raise InvalidRequest(f"{report} cannot be written: its folder is not there.", "Make it, or name another.")
        has_model, loaded = llm != "none", load_config(config, os.environ)
        settings = configured(loaded, has_model=has_model, model=model, prompts=prompts, concurrency=concurrency)
        options = AsksOptions(
            questions=questions,
            databases=databases,
            project=project,
            mdl=mdl,
            instructions=instructions,
            sql_pairs=sql_pairs,
            limit=limit,
            seed=seed,
            max_cost=max_cost,
            out=out,
            resume=resume,
            reply_cache=reply_cache,
            page=report,
        )
        try:
            _finish(run_asks(options, settings), as_json)
        except (KeyboardInterrupt, asyncio.CancelledError):
            kept = f"What had ended is in {out}: --resume goes on with it." if out else "Nothing is kept without --out."
            typer.echo(f"Interrupted. {kept}", err=True)
            raise typer.Exit(INTERRUPTED) from None


@app.command()
def compare(
    first: Annotated[Path, typer.Argument(metavar="A", help="A results file of `askwell eval asks --out`.")],
    second: Annotated[Path, typer.Argument(metavar="B", help="Another one, over the same questions.")],
    as_json: AsJson = False,
) -> None:
    """Which questions two runs of `askwell eval asks` answer differently, whether that may be chance, and what each
    run cost."""
    with _measuring(first, second):
        from askwell_evaluation.compare import compare_results

        _finish(compare_results(first, second), as_json)


@app.command()
def passages(
    folder: Annotated[
        Path, typer.Argument(help="With docs/, questions.jsonl and unrelated.jsonl.", exists=True, file_okay=False)
    ],
    config: ConfigFile = None,
    as_json: AsJson = False,
) -> None:
    """How often the passage that answers a question is found, and none where there is none."""
    with _measuring(folder / "questions.jsonl", folder / "unrelated.jsonl"):
        from askwell.config import load_config
        from askwell_evaluation.passages import run_passages

        _finish(run_passages(folder, load_config(config, os.environ)), as_json)
