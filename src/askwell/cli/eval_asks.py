"""`askwell eval asks` and `askwell eval compare`: whole asks, and two runs of them side by side."""

from __future__ import annotations

import asyncio
import os
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from askwell.cli.eval_options import AsJson, Limit, Seed, errors_in_words, print_report, progress, require_files
from askwell.cli.messages import Force, confirm_overwriting
from askwell.errors import InvalidRequest

_INTERRUPTED = 130


class Llm(StrEnum):
    configured = "configured"
    none = "none"


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
    config: Annotated[
        Path | None,
        typer.Option("--config", "-c", help="Where the language model and settings are. Without it ./config.yaml."),
    ] = None,
    llm: Annotated[Llm, typer.Option(help="none: without a language model, whatever is configured.")] = Llm.configured,
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
    require_files(questions, *filter(None, (databases, mdl, instructions, sql_pairs, prompts)))
    from askwell.config import load_config
    from askwell.evaluation.asks_setup import (
        AsksOptions,
        about_run,
        with_concurrency,
        with_language_model,
        with_prompts,
        without_language_model,
    )
    from askwell.observability.logging import configure_logging

    configure_logging("error", as_json=False)
    with errors_in_words():
        if databases is not None and project is not None:
            raise InvalidRequest("--databases and --project both name what is asked.", "Give one of them.")
        if model is not None and llm is Llm.none:
            raise InvalidRequest("--model and --llm none do not go together.", "Give one of them.")
        if report is not None and not report.absolute().parent.is_dir():
            raise InvalidRequest(f"{report} cannot be written: its folder is not there.", "Make it, or name another.")
        settings = load_config(config, os.environ)
        if llm is Llm.none:
            settings = without_language_model(settings)
        if model is not None:
            settings = with_language_model(settings, model)
        if prompts is not None:
            settings = with_prompts(settings, prompts)
        if concurrency is not None:
            settings = with_concurrency(settings, concurrency)
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
        )
        from askwell.evaluation.asks import run_asks
        from askwell.evaluation.html_report import write_report

        try:
            found = run_asks(options, settings, progress=progress)
        except (KeyboardInterrupt, asyncio.CancelledError):
            kept = f"What had ended is in {out}: --resume goes on with it." if out else "Nothing is kept without --out."
            typer.echo(f"Interrupted. {kept}", err=True)
            raise typer.Exit(_INTERRUPTED) from None
        print_report(found, as_json)
        if report is not None:
            write_report(report, found, about_run(options, settings))
    raise typer.Exit(0 if found.measured else 1)


def compare(
    first: Annotated[Path, typer.Argument(metavar="A", help="A results file of `askwell eval asks --out`.")],
    second: Annotated[Path, typer.Argument(metavar="B", help="Another one, over the same questions.")],
    as_json: AsJson = False,
) -> None:
    """Which questions two runs of `askwell eval asks` answer differently, whether that may be chance, and what each
    run cost."""
    require_files(first, second)
    from askwell.evaluation.compare import compare_results

    with errors_in_words():
        found = compare_results(first, second)
    print_report(found, as_json)
