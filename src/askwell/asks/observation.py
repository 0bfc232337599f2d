"""What the world outside hears of an ask: its end in the metrics, and its trace."""

from __future__ import annotations

from typing import Any

from askwell.asks.states import AskState, Failed, Finished, SqlAnswer, status_name
from askwell.observability.metrics import Metrics


def count_end(metrics: Metrics, end: AskState, seconds: float) -> None:
    """An ask ended `seconds` after it was accepted."""
    metrics.ask_ended(
        status_name(end),
        _source(end),
        seconds,
        code=end.error.code if isinstance(end, Failed) else None,
        repairs=len(end.answer.valid.repairs) if isinstance(end, Finished) and isinstance(end.answer, SqlAnswer) else 0,
    )


def facts_of(state: AskState) -> dict[str, Any]:
    """What the log and the trace say of a state."""
    facts: dict[str, Any] = {"source": _source(state)}
    if isinstance(state, Finished | Failed):
        facts["llm_calls"] = state.account.usage.llm_calls
        facts["stage_ms"] = {stage: round(ms, 1) for stage, ms in state.account.timings}
        facts["ms"] = round(state.account.ms)
    return facts


def answer_of(state: AskState, text: str) -> str:
    """What was answered: the SQL, the words, or why there is no answer."""
    match state:
        case Finished(answer=SqlAnswer(valid=valid)):
            return valid.sql
        case Failed(error=error):
            return error.message
        case _:
            return text


def _source(state: AskState) -> str:
    if not isinstance(state, Finished):
        return "none"
    return state.answer.source if isinstance(state.answer, SqlAnswer) else "words"
