"""Whether an answer that came over HTTP is the right one."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from askwell.evaluation.scoring import same_result
from askwell.sample.questions import Answered, Refused

# Types whose values the service sends as text, because JSON's numbers would round them.
_NUMBERS_AS_TEXT = ("DECIMAL", "HUGEINT", "UHUGEINT", "BIGINT")


def what_is_wrong(expected: Answered | Refused, result: dict[str, Any], reference: Sequence[tuple[Any, ...]]) -> str:
    """Empty when `result` is as expected; otherwise the difference, in words. `reference` are the right rows."""
    match expected:
        case Refused():
            return _wrong_refusal(expected, result)
        case Answered():
            return _wrong_answer(expected, result, reference)


def _wrong_refusal(expected: Refused, result: dict[str, Any]) -> str:
    if result["status"] != "failed":
        return f"it was answered, and should not have been: {expected.why}"
    code = result.get("error", {}).get("code")
    return "" if code == expected.code else f"it failed with {code} instead of {expected.code}"


def _wrong_answer(expected: Answered, result: dict[str, Any], reference: Sequence[tuple[Any, ...]]) -> str:
    if result["status"] != "finished":
        return f"no answer: {result.get('error', {}).get('message', result['status'])}"
    if result.get("sql_source") != expected.source:
        return f"answered by {result.get('sql_source')} instead of {expected.source}"
    if "data" not in result:
        return "no rows came with the answer"
    rows = received_rows(result["data"])
    right = [tuple(comparable(value) for value in row) for row in reference]
    if not same_result(right, rows, ordered=expected.ordered):
        return f"{len(rows)} rows are not the {len(right)} right ones"
    return ""


def received_rows(data: dict[str, Any]) -> list[tuple[Any, ...]]:
    """The rows of a result object with exact numbers as numbers again."""
    exact = [column["type"].upper().startswith(_NUMBERS_AS_TEXT) for column in data["columns"]]
    return [
        tuple(
            float(value) if number and isinstance(value, str) else value
            for value, number in zip(row, exact, strict=True)
        )
        for row in data["rows"]
    ]


def comparable(value: Any) -> Any:
    """A value of the database as the service tells it, exact numbers as floats."""
    match value:
        case Decimal():
            return float(value)
        case date() | datetime():
            return value.isoformat()
        case _:
            return value
