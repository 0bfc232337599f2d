"""An ask's state as the JSON of `GET /asks/{id}/result`. Keys that are not known yet are absent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, assert_never

from askwell.asks.citations import Citation
from askwell.asks.states import (
    Account,
    AskState,
    AwaitingCorrection,
    Correcting,
    Failed,
    Finished,
    Found,
    Generating,
    Planning,
    Queued,
    Searching,
    SqlAnswer,
    Stopped,
    Understanding,
    Understood,
    WordsAnswer,
    status_name,
)
from askwell.checking.sureness import word_for
from askwell.knowledge.lessons import Lesson
from askwell.pipelines.generation.question import Intent
from askwell.providers.engine.base import QueryRows
from askwell.services.lessons.checking import in_words
from askwell.sql.outcome import RejectedSql


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
        case Searching(understood):
            return _understood(understood)
        case Planning(understood, found):
            return _FOR_SQL | _understood(understood) | _found(found)
        case Generating(understood, found, plan, citations):
            return _FOR_SQL | _understood(understood) | _found(found) | _plan(plan, citations)
        case Correcting(understood, found, plan, rejected):
            facts = _understood(understood) | _found(found) | _plan(plan, state.citations)
            return _FOR_SQL | facts | {"invalid_sql": _last_sql(rejected)}
        case AwaitingCorrection(clarification, understood, found):
            return _understood(understood) | _found(found) | {"clarification": clarification.rendered()}
        case Finished():
            return _finished(state)
        case Failed():
            return _failed(state)
        case _:
            assert_never(state)


# Clients open the plan and the answer on it. `GENERAL` is told with the end only: they stop polling then.
_FOR_SQL = {"type": "TEXT_TO_SQL"}


def _finished(state: Finished) -> dict[str, Any]:
    facts = _understood(state.understood) | _found(state.found) | _plan(state.plan, state.citations)
    facts |= _account(state.account)
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
        "planned_sql": answer.valid.told_plan,
        "renamed": answer.valid.renamed or None,
        "sql_source": answer.source,
        "verdict": word_for(answer.sureness, answer.findings, answer.source),
        "sureness": round(answer.sureness, 3) if answer.sureness is not None else None,
        "findings": [one.as_json() for one in answer.findings],
        "reading": answer.reading,
        "alternatives": [one.rendered() for one in answer.alternatives] or None,
        "data": _data(answer.rows) if answer.rows is not None else None,
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
    known = _FOR_SQL if state.found.for_sql or state.rejected else {}
    return (
        known
        | _understood(state.understood)
        | _found(state.found)
        | _plan(state.plan, state.citations)
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
    told = [{"id": one.id, "kind": one.kind, "note": one.note or in_words(one)} for one in lessons]
    return told or None


def _understood(understood: Understood) -> dict[str, Any]:
    return {"is_followup": understood.is_followup, "rephrased_question": understood.rephrased}


def _found(found: Found) -> dict[str, Any]:
    return {
        "retrieved_tables": list(found.tables) if found.tables else None,
        "intent_reasoning": found.intent_reasoning,
        "requirements": found.requirements.to_json() if found.requirements is not None else None,
    }


def _plan(plan: str | None, citations: Sequence[Citation]) -> dict[str, Any]:
    return {"sql_generation_reasoning": plan, "citations": [asdict(one) for one in citations] or None}


def _account(account: Account) -> dict[str, Any]:
    usage = account.usage
    return {
        "usage": {
            "llm_calls": usage.llm_calls,
            "prompt_tokens": usage.prompt_tokens,
            "completion_tokens": usage.completion_tokens,
            "cached_tokens": usage.cached_tokens,
            "cost_usd": usage.cost_usd,
        },
        "timings": [{"stage": stage, "ms": round(ms, 1)} for stage, ms in account.timings],
    }


def _data(rows: QueryRows) -> dict[str, Any]:
    return {
        "columns": [column.to_json() for column in rows.columns],
        "rows": [list(row) for row in rows.rows],
        "row_count": len(rows.rows),
        "truncated": rows.truncated,
    }


def _last_sql(rejected: RejectedSql) -> str:
    return rejected.sql or rejected.original_sql
