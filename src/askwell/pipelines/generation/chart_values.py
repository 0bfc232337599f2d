"""What the prompts about charts are told of a result."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from askwell.charts.columns import Role, measure_columns
from askwell.pipelines.retrieval.context import InstructionText
from askwell.providers.engine.base import ResultColumn

_SAMPLE_ROWS = 5
_LONGEST_CELL = 60
_WITHHELD = "(withheld)"
_KINDS = {
    Role.TEMPORAL: "time",
    Role.PERIOD: "names of periods",
    Role.MEASURE: "amount",
    Role.CATEGORY: "names",
    Role.IDENTIFIER: "identifier",
    Role.OTHER: "not for charts",
}


@dataclass(frozen=True, slots=True)
class ResultToDraw:
    """A statement and its rows, with the instructions of scope `chart` that apply. No model sees the values of the
    columns that are `withheld`: those that come from sensitive columns of the semantic model."""

    sql: str
    columns: tuple[ResultColumn, ...]
    rows: tuple[tuple[Any, ...], ...]
    withheld: frozenset[str]
    instructions: tuple[InstructionText, ...] = ()


def result_values(result: ResultToDraw) -> dict[str, Any]:
    """The values for the templates: few rows, with long cells cut."""
    shown = [column.name not in result.withheld for column in result.columns]
    measured = {one.name: one for one in measure_columns(result.columns, result.rows)}
    return {
        "sql": result.sql,
        "columns": [
            {"name": name, "kind": f"{_KINDS[one.role]}, {one.distinct} different"} for name, one in measured.items()
        ],
        "sample_rows": [_row(row, shown) for row in result.rows[:_SAMPLE_ROWS]],
        "row_count": len(result.rows),
        "instructions": result.instructions,
    }


def _row(row: Sequence[Any], shown: Sequence[bool]) -> str:
    cells = (_cell(value) if visible else _WITHHELD for value, visible in zip(row, shown, strict=False))
    return json.dumps(list(cells), ensure_ascii=False)


def _cell(value: Any) -> Any:
    if value is None or isinstance(value, (bool, int, float)):
        return value
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST_CELL else text[: _LONGEST_CELL - 1] + "…"
