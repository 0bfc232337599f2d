"""Checks a bound statement against its question and the semantic model, and returns findings."""

from __future__ import annotations

from datetime import date

from askwell.checking.comparisons import comparisons
from askwell.checking.finding import Finding
from askwell.checking.operators import demanded, unasked
from askwell.checking.periods import periods
from askwell.checking.question import read_question
from askwell.checking.results import mixed_units, results
from askwell.checking.shape import shapes
from askwell.checking.statement import read_statement
from askwell.checking.types import types
from askwell.checking.values import ValueIndex, forgotten_values, misplaced_values
from askwell.checking.words import (
    unasked_columns,
    unasked_filters,
    unasked_orders,
    unused_columns,
    unused_numbers,
    unused_values,
)
from askwell.mdl.semantic_model import SemanticModel
from askwell.providers.engine.base import QueryRows
from askwell.sql.bound import BoundSql


def check(
    question: str,
    bound: BoundSql,
    model: SemanticModel,
    index: ValueIndex,
    *,
    today: date | None = None,
    rows: QueryRows | None = None,
) -> tuple[Finding, ...]:
    """What speaks against a statement as the answer to a question, the worst first. Reads no database and calls no
    model. Without `today` periods are not looked at, and without its `rows` no result."""
    asked, written = read_question(question), read_statement(bound, model)
    found = [
        *demanded(asked, written),
        *unasked(asked, written),
        *comparisons(asked, written),
        *unasked_filters(asked, written),
        *unused_numbers(asked, written),
        *unused_values(asked, written),
        *unused_columns(asked, written),
        *unasked_columns(asked, written),
        *unasked_orders(asked, written),
        *misplaced_values(asked, written, index),
        *forgotten_values(asked, written, index),
        *shapes(asked, written),
        *types(written),
        *(periods(asked, written, index, today) if today is not None else ()),
        *mixed_units(written, index),
        *(results(asked, written, rows) if rows is not None else ()),
    ]
    order = ("wrong", "doubt", "note")
    return tuple(sorted(found, key=lambda finding: order.index(finding.severity)))
