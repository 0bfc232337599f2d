"""`askwell measure`: how good the configured language model is at answering, on databases that ship with Askwell."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from askwell.cli.messages import print_json, shown
from askwell.cli.options import AsJson, Config
from askwell.cli.waiting import run, until_signalled
from askwell.errors import AskwellError
from askwell.resources import words_file

if TYPE_CHECKING:
    from askwell.cli.local.trial import Reply, Trial
    from askwell.config import Config as Settings
    from askwell.sample.measure import MeasuredQuestion

# To so many places people round who write statements.
_ROUNDED = (2, 1)
_KINDS = ("right", "right_unsure", "right_refused", "wrong_said", "wrong_unsaid", "asked_back", "refused", "failed")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a question: `right`, `right_unsure`, `right_refused` (the data does not hold it), `wrong_said`
    (Askwell called it unsure), `wrong_unsaid`, `asked_back`, `refused`, or `failed` where the model could not be asked.
    `source` is what wrote the statement."""

    database: str
    question: str
    outcome: str
    source: str
    sql: str
    sureness: float | None
    seconds: float
    tokens: int
    cost_usd: float


def measure(
    config: Config = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Ask only this many questions, from each database in turn.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Ask your language model some 60 questions about three small databases that come with Askwell, and count what is
    right. It costs what 60 questions cost; `askwell doctor` names the result.

    Status 0 when all was asked, 3 when the model cannot be asked.
    """
    from askwell.config import load_config
    from askwell.observability.logging import configure_logging

    configure_logging("error", as_json=False)

    async def measured() -> tuple[dict[str, Any], list[Outcome]]:
        settings = load_config(config, os.environ)
        name, outcomes = await _outcomes(settings, limit)
        return _summary(name, settings, outcomes), outcomes

    summary, outcomes = run(until_signalled(measured()))
    if len(outcomes) > summary["failed"]:
        _remember(summary)
    if as_json:
        print_json({**summary, "questions": [asdict(one) for one in outcomes]})
    else:
        _print(summary)


async def _outcomes(config: Settings, limit: int | None) -> tuple[str, list[Outcome]]:
    """The model's name, and what came of one question after the other: times are those of somebody who asks alone."""
    from askwell.cli.local.trial import trial
    from askwell.sample.measure import make_databases, measured_questions

    questions, outcomes = measured_questions(limit), list[Outcome]()
    with tempfile.TemporaryDirectory(prefix="askwell-measure-") as folder:
        databases = await asyncio.to_thread(make_databases, Path(folder))
        async with trial(config, databases) as asked:
            name = await _name_of_model(config)
            for database in {one.database: None for one in questions}:
                await asked.prepare(database)
            for number, question in enumerate(questions, 1):
                outcomes.append(await _outcome(asked, question, config.settings.confidence_threshold))
                mark, took = outcomes[-1].outcome.replace("_", " "), outcomes[-1].seconds
                typer.echo(f"{number:>3} of {len(questions)}  {took:5.1f} s  {mark:<12}  {question.text}", err=True)
    return name, outcomes


async def _name_of_model(config: Settings) -> str:
    """ "" without a model. Raises `AskwellError` where it does not answer: every question would fail, one by one."""
    from askwell.providers.llm import create_language_model

    if (model := create_language_model(config.llm["default"])) is None:
        return ""
    try:
        await model.probe()
    finally:
        await model.close()
    return model.name


async def _outcome(asked: Trial, question: MeasuredQuestion, sure: float) -> Outcome:
    reply = await asked.ask(question.database, question.text)
    usage: Mapping[str, float] = reply.result.get("usage") or {}
    return Outcome(
        question.database,
        question.text,
        await _judged(asked, question, reply, sure),
        str(reply.result.get("sql_source") or ""),
        next((one["sql"] for one in reply.result.get("response") or ()), ""),
        reply.result.get("sureness"),
        round(reply.seconds, 2),
        int(usage.get("prompt_tokens", 0) + usage.get("completion_tokens", 0)),
        usage.get("cost_usd", 0.0),
    )


async def _judged(asked: Trial, question: MeasuredQuestion, reply: Reply, sure: float) -> str:
    """See `Outcome`. Below `sure` Askwell warns, or asks whether an answer is what was meant."""
    result = reply.result
    if result.get("error", {}).get("code") == AskwellError.code:
        return "failed"
    if result["status"] != "finished" or not (sql := result.get("planned_sql")):
        refused = "asked_back" if result["status"] == "awaiting_correction" else "refused"
        return refused if question.golds else "right_refused"
    sureness = result.get("sureness")
    is_said = sureness is not None and sureness < sure
    if await _is_right(asked, question, sql):
        return "right_unsure" if is_said else "right"
    return "wrong_said" if is_said else "wrong_unsaid"


async def _is_right(asked: Trial, question: MeasuredQuestion, sql: str) -> bool:
    from askwell.sql.query_result import QueryBroke, is_ordered, shows

    given = await asked.rows(question.database, sql)
    for gold in question.golds:
        wanted = await asked.rows(question.database, gold)
        if isinstance(given, QueryBroke) or isinstance(wanted, QueryBroke):
            return False
        ordered = is_ordered(gold, "duckdb")
        for rows in (wanted.rows, *(_rounded(wanted.rows, places) for places in _ROUNDED)):
            if shows(rows, given.rows, ordered=ordered):
                return True
    return False


def _rounded(rows: Sequence[tuple[Any, ...]], places: int) -> list[tuple[Any, ...]]:
    return [tuple(round(value, places) if isinstance(value, float) else value for value in row) for row in rows]


def _summary(name: str, config: Settings, outcomes: Sequence[Outcome]) -> dict[str, Any]:
    counts = Counter(one.outcome for one in outcomes)
    return {
        "model": name,
        "api_base": config.llm["default"].api_base or "",
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "asked": len(outcomes),
        "sure": config.settings.confidence_threshold,
        **{kind: counts[kind] for kind in _KINDS},
        "by_rules": sum(one.source == "rules" for one in outcomes),
        "seconds": round(sum(one.seconds for one in outcomes), 1),
        "tokens": sum(one.tokens for one in outcomes),
        "cost_usd": round(sum(one.cost_usd for one in outcomes), 6),
    }


def _print(summary: Mapping[str, Any]) -> None:
    words, asked = words_file("askwell.cli", "words.yaml")["measure"], summary["asked"]
    known = summary["right"] + summary["wrong_unsaid"]
    facts = {
        **summary,
        "model": summary["model"] or words["rules"],
        "all_right": summary["right"] + summary["right_unsure"] + summary["right_refused"],
        "known": known,
        "each": summary["seconds"] / asked,
        "each_tokens": round(summary["tokens"] / asked),
        "cost": words["cost"].format(**summary) if summary["cost_usd"] else "",
        "unsure": words["unsure"].format(**summary) if summary["right_unsure"] else "",
    }
    lines = [words["lines"], words["failed"] if summary["failed"] else "", words["sure"] if known else ""]
    typer.echo(shown("".join(lines).format(**facts).rstrip()))


def _remember(summary: Mapping[str, Any]) -> None:
    """So that `askwell doctor` names it; where nothing can be written, it does not."""
    from askwell.config.user_files import state_file, write_whole

    file = state_file(os.environ, "measured.json")
    if file is not None:
        with contextlib.suppress(AskwellError):
            write_whole(file, json.dumps(summary))
