"""The result of an ask: its types, which the OpenAPI document shows, and a state as such a result. Keys that are not
known yet are absent.

The types are those of plain dictionaries, which cost nothing where nobody validates them."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Any, Literal, Required, assert_never

from pydantic import Field
from typing_extensions import TypedDict

from askwell.asks.alternatives import AlternativeBody
from askwell.asks.citations import Citation
from askwell.asks.states import (
    Account,
    AskState,
    AwaitingCorrection,
    Correcting,
    ErrorCode,
    Failed,
    Finished,
    Generating,
    Known,
    Planning,
    Queued,
    Searching,
    SqlAnswer,
    Stopped,
    Understanding,
    WordsAnswer,
    status_name,
)
from askwell.checking.finding import FindingBody
from askwell.checking.sureness import Source, Word, word_for
from askwell.jobs.request import FORBIDDEN
from askwell.knowledge.lessons import Lesson, LessonKind
from askwell.knowledge.saved import AskedParameter
from askwell.pipelines.generation.question import Intent, QueryRequirements
from askwell.providers.engine.base import QueryRows
from askwell.services.lessons.checking import in_words
from askwell.sql.outcome import RejectedSql


@FORBIDDEN
class AnswerSql(TypedDict, total=False):
    """`sql` is over the model; `llm` also stands for rules and history (`sql_source` says which)."""

    sql: Required[str]
    type: Required[Literal["llm", "view"]]
    viewId: str | None


@FORBIDDEN
class AskErrorBody(TypedDict, total=False):
    code: Required[ErrorCode]
    message: Required[str]
    hint: str | None


@FORBIDDEN
class UsageBody(TypedDict):
    llm_calls: int
    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int
    cost_usd: float


@FORBIDDEN
class Timing(TypedDict):
    stage: str
    ms: float


@FORBIDDEN
class DataColumn(TypedDict, total=False):
    name: Required[str]
    type: Required[Annotated[str, Field(description="A SQL type.")]]
    heading: Annotated[str | None, Field(description="What it shows, with its unit, where the model knows that.")]


@FORBIDDEN
class Data(TypedDict):
    columns: list[DataColumn]
    rows: list[list[Any]]
    row_count: int
    truncated: bool


@FORBIDDEN
class LessonUsed(TypedDict):
    """One of the lessons that the answer was made with; `note` says it in words."""

    id: str
    kind: LessonKind
    note: str


@FORBIDDEN
class ClarificationOption(TypedDict, total=False):
    """One of the things that the question could mean."""

    id: Required[str]
    label: Required[str]
    detail: str | None
    tables: list[str] | None
    columns: list[str] | None
    condition: str | None


@FORBIDDEN
class ClarificationBody(TypedDict, total=False):
    """What is asked back. With an `id` the ask waits for an answer, until `expires_at`; without one it has ended."""

    kind: Required[Literal["table_selection", "join", "choice", "fields"]]
    question: Required[str]
    options: Required[list[ClarificationOption]]
    fields: Annotated[
        list[AskedParameter] | None, Field(description="Of the kind `fields`: the values that are asked for.")
    ]
    id: str | None
    said: Annotated[str | None, Field(description="The words of the question whose meaning an answer may `remember`.")]
    allow_text: bool | None
    attempt: int | None
    max_attempts: int | None
    expires_at: datetime | None


AskStatus = Literal[
    "queued",
    "understanding",
    "searching",
    "planning",
    "generating",
    "correcting",
    "awaiting_correction",
    "finished",
    "failed",
    "stopped",
]


class ResultFields(TypedDict, total=False):
    """What every result may have beside its error."""

    query_id: Required[str]
    status: Required[AskStatus]
    rephrased_question: str | None
    intent_reasoning: str | None
    sql_generation_reasoning: str | None
    type: Literal["GENERAL", "TEXT_TO_SQL"] | None
    retrieved_tables: list[str] | None
    response: list[AnswerSql] | None
    invalid_sql: str | None
    trace_id: str | None
    is_followup: bool | None
    general_type: Literal["MISLEADING_QUERY", "DATA_ASSISTANCE", "USER_GUIDE"] | None
    nl2sql_code: Literal["0", "3002", "3003", "3005"] | None
    planned_sql: str | None
    renamed: Annotated[bool | None, Field(description="True where the database has other names than the SQL.")]
    repairs: list[str] | None
    assumptions: Annotated[list[str] | None, Field(description="What rules took for granted.")]
    reading: Annotated[str | None, Field(description="What the SQL does, as one question in words.")]
    alternatives: Annotated[
        list[AlternativeBody] | None,
        Field(description="Other possible meanings. To get the answer for one, send its `meant` and `question`."),
    ]
    verdict: Annotated[
        Word | None,
        Field(
            description="checked: a person confirmed it; clear: such answers are nearly always right; guess: others."
        ),
    ]
    sureness: Annotated[
        float | None,
        Field(description="How often such answers were right, 0 to 1; absent if that was not measured."),
    ]
    findings: Annotated[list[FindingBody] | None, Field(description="Problems found in the SQL, worst first.")]
    warnings: list[str] | None
    sql_source: Source | None
    lessons_used: Annotated[list[LessonUsed] | None, Field(description="Earlier lessons that the answer uses.")]
    lessons_learnt: Annotated[
        list[LessonUsed] | None,
        Field(description="Lessons saved from the answers that you gave for this question."),
    ]
    requirements: Annotated[
        QueryRequirements | None,
        Field(description="What the SQL has to do, if the language model chooses the tables."),
    ]
    citations: Annotated[
        list[Citation] | None,
        Field(description="The passages of documents that the plan or the answer in words cites."),
    ]
    verified: Annotated[bool | None, Field(description="True if a person confirmed the SQL: a saved question or view.")]
    sql_pair_id: Annotated[str | None, Field(description="The saved question that gave the answer; absent for a view.")]
    suggested_questions: Annotated[list[str] | None, Field(description="Three, when the request said `suggest`.")]
    clarification: Annotated[
        ClarificationBody | None, Field(description="What Askwell needs to know, or is waiting for.")
    ]
    usage: UsageBody | None
    timings: list[Timing] | None
    data: Annotated[Data | None, Field(description="Rows, when the request said `execute`.")]


@FORBIDDEN
class AskResult(ResultFields, total=False):
    """Fields that are not known yet are absent."""

    error: AskErrorBody | None


def render(ask_id: str, state: AskState) -> dict[str, Any]:
    """The result object for `state`, ready to be written as JSON."""
    result: dict[str, Any] = {
        "query_id": ask_id,
        "status": status_name(state),
        **_body(state),
        "trace_id": ask_id,
    }
    return {key: value for key, value in result.items() if value is not None}


def _body(state: AskState) -> dict[str, Any]:
    match state:
        case Queued() | Stopped():
            return {}
        case Understanding(is_followup):
            return {"is_followup": is_followup}
        case Searching(known):
            return _known(Known(known.is_followup, known.rephrased))
        case Planning(known) | Generating(known):
            return _FOR_SQL | _known(known)
        case Correcting(known, rejected):
            return _FOR_SQL | _known(known) | {"invalid_sql": _last_sql(rejected)}
        case AwaitingCorrection(clarification, known):
            return _known(known) | {"clarification": clarification.rendered()}
        case Finished():
            return _finished(state)
        case Failed():
            return _failed(state)
        case _:
            assert_never(state)


# Clients open the plan and the answer on it. `GENERAL` is told with the end only: they stop polling then.
_FOR_SQL = {"type": "TEXT_TO_SQL"}


def _finished(state: Finished) -> dict[str, Any]:
    facts = _known(state.known) | _account(state.account)
    facts["suggested_questions"] = list(state.suggested) or None
    facts["lessons_used"] = _lessons(state.lessons)
    facts["lessons_learnt"] = _lessons(tuple(one for one in state.learnt if one.status == "active"))
    match state.answer:
        case SqlAnswer():
            return facts | _sql_answer(state.answer)
        case WordsAnswer(intent, warnings):
            said = {"type": "GENERAL", "general_type": _GENERAL_TYPES[intent], "warnings": list(warnings) or None}
            return facts | said
        case _:
            assert_never(state.answer)


_GENERAL_TYPES = {
    Intent.GENERAL: "DATA_ASSISTANCE",
    Intent.MISLEADING_QUERY: "MISLEADING_QUERY",
    Intent.USER_GUIDE: "USER_GUIDE",
}


def _sql_answer(answer: SqlAnswer) -> dict[str, Any]:
    # Older clients know two types: a saved view, and everything else.
    entry: dict[str, Any] = {"sql": answer.valid.sql, "type": "view" if answer.view_id else "llm"}
    if answer.view_id:
        entry["viewId"] = answer.view_id
    result: dict[str, Any] = {
        **_FOR_SQL,
        "verified": True if answer.source in ("history", "view") else None,
        "sql_pair_id": answer.pair_id,
        "response": [entry],
        "nl2sql_code": "0",
        "planned_sql": answer.valid.shown_plan,
        "renamed": answer.valid.renamed or None,
        "sql_source": answer.source,
        "verdict": word_for(answer.sureness, answer.findings, answer.source),
        "sureness": round(answer.sureness, 3) if answer.sureness is not None else None,
        "findings": [one.as_json() for one in answer.findings],
        "reading": answer.reading,
        "alternatives": list(answer.alternatives) or None,
        "data": data_of(answer.rows) if answer.rows is not None else None,
    }
    lists = {
        "repairs": answer.valid.repairs,
        "assumptions": answer.assumptions,
        "warnings": tuple(dict.fromkeys((*answer.valid.warnings, *answer.warnings))),
    }
    return result | {key: list(values) for key, values in lists.items() if values}


def _failed(state: Failed) -> dict[str, Any]:
    error = {"code": state.error.code, "message": state.error.message}
    if state.error.hint:
        error["hint"] = state.error.hint
    for_sql = _FOR_SQL if state.known.for_sql or state.rejected else {}
    return (
        for_sql
        | _known(state.known)
        | _account(state.account)
        | {
            "error": error,
            "nl2sql_code": state.error.nl2sql_code,
            "invalid_sql": _last_sql(state.rejected) if state.rejected else None,
            "findings": [one.as_json() for one in state.findings] or None,
            "clarification": state.clarification.rendered() if state.clarification else None,
            "suggested_questions": list(state.suggested) or None,
        }
    )


def _lessons(lessons: tuple[Lesson, ...]) -> list[dict[str, Any]] | None:
    used = [{"id": one.id, "kind": one.kind, "note": one.note or in_words(one)} for one in lessons]
    return used or None


def _known(known: Known) -> dict[str, Any]:
    return {
        "is_followup": known.is_followup,
        "rephrased_question": known.rephrased,
        "retrieved_tables": list(known.tables) if known.tables else None,
        "intent_reasoning": known.intent_reasoning,
        "requirements": asdict(known.requirements) if known.requirements is not None else None,
        "sql_generation_reasoning": known.plan,
        "citations": [asdict(one) for one in known.citations] or None,
    }


def _account(account: Account) -> dict[str, Any]:
    return {
        "usage": asdict(account.usage),
        "timings": [{"stage": stage, "ms": round(ms, 1)} for stage, ms in account.timings],
    }


def data_of(rows: QueryRows) -> dict[str, Any]:
    """All of the rows, as `Data`."""
    return {
        "columns": [column.to_json() for column in rows.columns],
        "rows": [list(row) for row in rows.rows],
        "row_count": len(rows.rows),
        "truncated": rows.truncated,
    }


def _last_sql(rejected: RejectedSql) -> str:
    return rejected.sql or rejected.original_sql
