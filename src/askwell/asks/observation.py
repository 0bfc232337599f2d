"""What the world outside hears of an ask: its end in the metrics, and its trace."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from askwell.asks.states import AskState, EndState, Failed, Finished, SqlAnswer, is_end, status_name
from askwell.asks.status_store import Entry
from askwell.observability.metrics import Metrics
from askwell.observability.tracing import Tracing, within


def count_end(metrics: Metrics, end: EndState, seconds: float) -> None:
    """An ask ended `seconds` after it was accepted."""
    metrics.ask_ended(
        status_name(end),
        _source(end),
        seconds,
        code=end.error.code if isinstance(end, Failed) else None,
        repairs=len(end.answer.valid.repairs) if isinstance(end, Finished) and isinstance(end.answer, SqlAnswer) else 0,
    )


@contextmanager
def traced(tracing: Tracing, entry: Entry, question: str) -> Iterator[None]:
    """Everything traced inside belongs to the trace of this ask, whose id is the ask's."""
    root = tracing.begin(entry.ask_id, "ask", given=question)
    if root is None:
        yield
        return
    try:
        with within(root):
            yield
    finally:
        end = entry.state
        failure = end.error.code if isinstance(end, Failed) else None
        root.end(gave=_words(entry), facts=_facts(end), error=failure)


def _source(state: AskState) -> str:
    if not isinstance(state, Finished):
        return "none"
    return state.answer.source if isinstance(state.answer, SqlAnswer) else "words"


def _facts(state: AskState) -> dict[str, Any]:
    # An ask that was put down while the service stopped has no end: it runs again.
    facts: dict[str, Any] = {"status": status_name(state) if is_end(state) else "interrupted", "source": _source(state)}
    if isinstance(state, Finished | Failed):
        facts["llm_calls"] = state.account.usage.llm_calls
        facts["stage_ms"] = {stage: round(ms, 1) for stage, ms in state.account.timings}
    return facts


def _words(entry: Entry) -> str:
    """What was answered: the SQL, the words, or why there is no answer."""
    match entry.state:
        case Finished(answer=SqlAnswer(valid=valid)):
            return valid.sql
        case Failed(error=error):
            return error.message
        case _:
            return entry.stream.text()
