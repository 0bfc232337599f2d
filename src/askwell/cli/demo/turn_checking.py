"""Whether a turn of the demo's conversation came to what it should. The right figures are asked of the database."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from askwell.cli.demo.checking import comparable, received_rows
from askwell.cli.demo.turn import ToldCall, ToldTurn
from askwell.evaluation.scoring import same_result
from askwell.sample.answer_template import formatted
from askwell.sample.conversation import Expected, ScriptedTurn
from askwell.sample.questions import Answered, reference_rows
from askwell.sample.scripted_model import HeldBack

Rows = Sequence[tuple[Any, ...]]


def wrong_with(turn: ScriptedTurn, told: ToldTurn, held_back: Sequence[HeldBack], shop: Path, today: date) -> list[str]:
    """What is not as expected, in words; empty when all is. Runs the statements of the script on the file `shop`.
    Raises `EngineUnavailable` when it cannot be read."""

    def right(statement: str) -> Rows:
        return reference_rows(shop, Answered(statement), today)

    expected = turn.expected
    calls = dict(zip((call.name for reply in turn.replies for call in reply.calls), told.calls.values(), strict=False))
    return [
        *_wrong_end(expected, told),
        *_wrong_calls(turn, told, calls),
        *(
            f"the rows of {name} are not the right ones"
            for name, statement in expected.rows.items()
            if not _are_right(right(statement), calls.get(name))
        ),
        *(
            f"the answer lacks {written}, which the database gives"
            for one in expected.figures
            for row in right(one.reference)
            for value in row
            if not _stands_in(told.message, written := _written(value, one.form))
        ),
        *_wrong_remarks(expected, told),
        *_wrongly_told(expected, told, held_back),
    ]


def _wrong_end(expected: Expected, told: ToldTurn) -> Iterator[str]:
    ends = ["interrupt", "success"] if expected.asks_back else ["success"]
    if told.ends != ends:
        yield f"it ended with {', '.join(told.ends) or 'nothing'} instead of {', '.join(ends)}"
    if not told.message:
        yield "no words came"
    yield from (f"a warning came: {one}" for one in told.warnings)


def _wrong_calls(turn: ScriptedTurn, told: ToldTurn, calls: dict[str, ToldCall]) -> Iterator[str]:
    tools = [call.tool for reply in turn.replies for call in reply.calls]
    made = [call.tool for call in told.calls.values()]
    if made != tools:
        yield f"the calls were {', '.join(made) or 'none'} instead of {', '.join(tools) or 'none'}"
    for name, call in calls.items():
        code = turn.expected.refused.get(name, "")
        if call.error.get("code", "") != code:
            yield f"{call.tool} gave {call.error.get('code', 'a result')} instead of {code or 'a result'}"


def _are_right(right: Rows, call: ToldCall | None) -> bool:
    if call is None or "data" not in call.shown:
        return False
    rows = [tuple(comparable(value) for value in row) for row in right]
    return same_result(rows, received_rows(dict(call.shown["data"])), ordered=False)


def _written(value: Any, form: str) -> str:
    return value if isinstance(value, str) else formatted(value, form)


def _stands_in(text: str, written: str) -> bool:
    """Whether it stands there as a whole word or number: 234 does not in 1,234."""
    return re.search(rf"(?<![\w.,]){re.escape(written)}(?!\w|[.,]\d)", text) is not None


def _wrong_remarks(expected: Expected, told: ToldTurn) -> Iterator[str]:
    cited = {one["document_id"] for one in told.citations}
    yield from (f"{document} is not cited" for document in expected.cites if document not in cited)
    for name, value in expected.remembers.items():
        if told.variables.get(name) != value:
            yield f"{name} is remembered as {told.variables.get(name)!r} instead of {value!r}"
    if expected.chart and not any("chart" in call.shown for call in told.calls.values()):
        yield "no chart came"
    if len(told.suggestions) != expected.suggestions:
        yield f"{len(told.suggestions)} questions are suggested instead of {expected.suggestions}"


def _wrongly_told(expected: Expected, told: ToldTurn, held_back: Sequence[HeldBack]) -> Iterator[str]:
    wrong = expected.holds_back
    if wrong and wrong in told.message:
        yield f"the wrong figure {wrong} was told"
    if wrong and not any(wrong in one.objection for one in held_back):
        yield f"the wrong figure {wrong} was not objected to"
    if held_back and not wrong:
        yield f"the service objected: {held_back[0].objection}"
