"""What language models write on the way from a question to SQL: a plan, a statement, and what is wrong with one."""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial

from askwell.pipelines.generation.pipeline import TEXT, Asking, Pipeline, object_schema, pipeline
from askwell.pipelines.generation.question import Answered, Diagnosis, Intent, QuestionContext, SqlReply, values_of
from askwell.pipelines.generation.reading import found_in, plan_in_words, read_object, read_sql
from askwell.pipelines.retrieval.context import RetrievedContext
from askwell.providers.llm.base import ModelCall, ModelReply, OnDelta, Usage
from askwell.providers.llm.call_options import at_most
from askwell.sql.outcome import RejectedSql


@dataclass(frozen=True, slots=True)
class Generated:
    """What one call gives. `sql` is text to be checked; where it is missing, `problem` says why the reply could not be
    used. `plan` is Markdown, empty where none was asked for."""

    intent: Intent
    plan: str
    sql: str | None
    usage: Usage
    problem: str | None = None

    @property
    def reply(self) -> SqlReply:
        """The statement alone."""
        return SqlReply(self.sql, self.problem, self.usage)


@pipeline("sql_generation")
async def sql_generation(
    ask: Asking,
    question: QuestionContext,
    context: RetrievedContext,
    *,
    asks_intent: bool = False,
    asks_plan: bool = False,
    on_delta: OnDelta | None = None,
) -> Generated:
    """The first SQL for a question, still to be checked, or the problem with the reply. The same call says what kind of
    question it is, and writes a plan, where that is asked for: `on_delta` gets the words of the plan while they are
    written. A reply without a readable intent counts as TEXT_TO_SQL. Models with lean prompts are asked for no plan:
    small ones write SQL with errors into it and then copy them (1 of 3 answers right with a plan, 3 of 3 without;
    Qwen2.5-Coder-1.5B)."""
    asks_plan = asks_plan and ask.style == "full"
    intent = {"intent": {"type": "string", "enum": [intent.value for intent in Intent]}} if asks_intent else {}
    values = values_of(question, context, asks_intent=asks_intent, asks_plan=asks_plan)
    return await ask(
        values,
        partial(_generated, asks_intent),
        on_delta=None if on_delta is None or not asks_plan else _PlanWords(on_delta),
        schema=object_schema("sql_generation", **intent, **({"plan": TEXT} if asks_plan else {}), sql=TEXT),
    )


def _generated(asks_intent: bool, reply: ModelReply) -> Generated:
    found = found_in(reply, "intent", "sql", "plan")
    named = str(found.get("intent") or "").strip().upper()
    intent = Intent.__members__.get(named, Intent.TEXT_TO_SQL) if asks_intent else Intent.TEXT_TO_SQL
    plan = found.get("plan")
    words = plan.strip() if isinstance(plan, str) else ""
    written = read_sql(reply)
    return Generated(intent, words, written.sql, reply.usage, written.problem)


async def read_prefix(generation: Pipeline[..., Generated], context: RetrievedContext, dialect: str) -> None:
    """Has the model read, and write one token, what it reads first of any question to these tables: a server that keeps
    what it read last need not read it when someone waits. Raises `ModelUnavailable`."""
    ask, question = generation.asking, QuestionContext("", datetime.now(UTC), dialect=dialect)
    asks = ask.style == "full"  # as most questions are
    values = values_of(question, context, asks_intent=asks, asks_plan=asks)
    prompt = await asyncio.to_thread(ask.prompt.write, values)
    with at_most(1):
        await ask.llm.reply(ModelCall(prompt.system, prompt.user))


_IN_WORDS = "|".join(intent.value for intent in Intent if intent is not Intent.TEXT_TO_SQL)
_NOT_FOR_SQL = re.compile(rf"\"intent\"\s*:\s*\"(?:{_IN_WORDS})\"", re.IGNORECASE)
_PLAN = re.compile(r"\"plan\"\s*:\s*\"((?:[^\"\\]|\\.)*)", re.DOTALL)
# The first of the two escapes of one character too.
_HALF_AN_ESCAPE = re.compile(r"(?:\\u[dD][89abAB][0-9a-fA-F]{2})?(?:\\u[0-9a-fA-F]{0,3})?$")


class _PlanWords:
    """An `OnDelta` for JSON that passes on what its "plan" says, unless it said before that no SQL is needed."""

    def __init__(self, on_delta: OnDelta) -> None:
        self._on_delta = on_delta
        self._heard = ""
        self._told = 0

    def __call__(self, piece: str) -> None:
        self._heard += piece
        found = _PLAN.search(self._heard)
        if found is None or _NOT_FOR_SQL.search(self._heard):
            return
        try:
            words = json.loads(f'"{_HALF_AN_ESCAPE.sub("", found[1])}"', strict=False)
        except ValueError:
            return
        if len(words) > self._told:
            self._on_delta(words[self._told :])
            self._told = len(words)


@pipeline("sql_diagnosis", diagnosis=TEXT, suggested_fix=TEXT)
async def sql_diagnosis(
    ask: Asking,
    question: QuestionContext,
    context: RetrievedContext,
    *,
    rejected: RejectedSql,
) -> Answered[Diagnosis]:
    """Why a statement was rejected, before it is corrected. A reply in prose is taken as it is; when nothing can be
    used, the error stands for itself."""

    def diagnosis(reply: ModelReply) -> Diagnosis:
        found = read_object(reply.text, "diagnosis", "suggested_fix")
        if found is not None:
            cause, fix = (str(found.get(key) or "").strip() for key in ("diagnosis", "suggested_fix"))
            return Diagnosis(cause or rejected.error, fix)
        prose = "" if reply.text.lstrip().startswith(("{", "`")) else reply.text.strip()
        return Diagnosis(prose or rejected.error, "")

    return await ask(
        values_of(question, context, rejected=rejected),
        lambda reply: Answered(diagnosis(reply), reply.usage),
    )


@pipeline("sql_correction", sql=TEXT)
async def sql_correction(
    ask: Asking,
    question: QuestionContext,
    context: RetrievedContext,
    *,
    rejected: RejectedSql,
    plan: str | None = None,
    diagnosis: Diagnosis | None = None,
    earlier: tuple[RejectedSql, ...] = (),
    anew: bool = False,
) -> SqlReply:
    """SQL in the place of a rejected statement, still to be checked, or the problem with the reply. `earlier` are the
    attempts before `rejected`. With `anew` only their errors are told: what a model reads once more it writes once
    more."""
    failures = {"rejected": rejected, "diagnosis": diagnosis, "earlier": earlier, "anew": anew}
    return await ask(values_of(question, context, plan=plan_in_words(plan or ""), **failures), read_sql)


@pipeline("sql_regeneration", sql=TEXT)
async def sql_regeneration(
    ask: Asking,
    question: QuestionContext,
    context: RetrievedContext,
    *,
    plan: str,
    sql: str = "",
) -> SqlReply:
    """SQL by a plan that a person edited, which binds; still to be checked, or the problem with the reply. `sql` is the
    statement from before the edit, where there was one."""
    return await ask(values_of(question, context, plan=plan, sql=sql), read_sql)
