"""Questions as business users ask them, and whether a result answers one.

A public benchmark fixes which columns are shown, a business user does not: an answer is right when it has the rows of
a reference and, among its columns, those of the reference. A question may have several references, or none where it
must not be answered. A file holds one JSON object a line: `{db_id, question, sql: [...], ordered}`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice, product
from pathlib import Path

from askwell.evaluation.scoring import QueryBroke, Row, SqliteReader, same_result

_MOST_ARRANGEMENTS = 500


@dataclass(frozen=True, slots=True)
class BusinessQuestion:
    """`references` are queries of which any gives the answer; none: the question has no answer in this database."""

    db_id: str
    question: str
    references: tuple[str, ...]
    ordered: bool = False


def read_business_questions(path: Path) -> list[BusinessQuestion]:
    """All rows of a file, in order. Raises `OSError`, `ValueError` or `KeyError` for a file that is none."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    return [
        BusinessQuestion(row["db_id"], row["question"], tuple(row["sql"]), bool(row.get("ordered"))) for row in rows
    ]


def answers(reader: SqliteReader, question: BusinessQuestion, sql: str) -> bool:
    """Whether the query gives what one of the references gives. Raises `ValueError` for a reference that breaks."""
    predicted = reader.run(sql)
    if isinstance(predicted, QueryBroke):
        return False
    for reference in question.references:
        wanted = reader.run(reference)
        if isinstance(wanted, QueryBroke):
            raise ValueError(f"{reference}: {wanted.message}")
        if shows(wanted, predicted, ordered=question.ordered):
            return True
    return False


def shows(wanted: Sequence[Row], predicted: Sequence[Row], *, ordered: bool) -> bool:
    """Whether the predicted rows are the wanted ones when only some of their columns, in any order, are looked at."""
    if len(wanted) != len(predicted):
        return False
    if not wanted:
        return True
    fitting = [
        [j for j in range(len(predicted[0])) if _same_column(wanted, i, predicted, j)] for i in range(len(wanted[0]))
    ]
    chosen = (columns for columns in product(*fitting) if len(set(columns)) == len(columns))
    return any(
        same_result(wanted, [tuple(row[j] for j in columns) for row in predicted], ordered=ordered)
        for columns in islice(chosen, _MOST_ARRANGEMENTS)
    )


def _same_column(wanted: Sequence[Row], i: int, predicted: Sequence[Row], j: int) -> bool:
    return same_result([(row[i],) for row in wanted], [(row[j],) for row in predicted], ordered=False)
