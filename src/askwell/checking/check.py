"""Checks a bound statement against its question and the semantic model, and returns findings."""

from __future__ import annotations

from dataclasses import dataclass

from askwell.checking.accounting import unaccounted
from askwell.checking.comparisons import comparisons
from askwell.checking.finding import Finding, Rewrite, Severity
from askwell.checking.joins import contradictions, joins
from askwell.checking.operators import demanded, unasked
from askwell.checking.question import read_question
from askwell.checking.shape import shapes
from askwell.checking.statement import read_statement
from askwell.checking.twins import twins
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
from askwell.sql.binder import bind
from askwell.sql.bound import BoundSql

_MOST_REWRITES = 4
_SEVERITIES = (Severity.WRONG, Severity.DOUBT, Severity.NOTE)


def check(
    question: str, bound: BoundSql, model: SemanticModel, index: ValueIndex, *, background: str = ""
) -> tuple[Finding, ...]:
    """What speaks against a statement as the answer to a question, the worst first. `background` are texts that say
    what statements may do besides, such as instructions. Reads no database and calls no model."""
    asked, written = read_question(question, background), read_statement(bound, model)
    found = [
        *demanded(asked, written),
        *unasked(asked, written),
        *comparisons(asked, written),
        *unasked_filters(asked, written, index),
        *unused_numbers(asked, written),
        *unused_values(asked, written),
        *unused_columns(asked, written),
        *unasked_columns(asked, written),
        *unasked_orders(asked, written),
        *misplaced_values(asked, written, index),
        *forgotten_values(asked, written, index),
        *shapes(asked, written),
        *types(written, index),
        *joins(written, index),
        *contradictions(written),
        *twins(asked, written),
        *unaccounted(asked, written),
    ]
    return tuple(sorted(found, key=lambda finding: _SEVERITIES.index(finding.severity)))


@dataclass(frozen=True, slots=True)
class Mended:
    """A statement after the rewrites that were kept, what still speaks against it, and a sentence for each rewrite."""

    bound: BoundSql
    findings: tuple[Finding, ...]
    said: tuple[str, ...] = ()


def mended(question: str, bound: BoundSql, model: SemanticModel, index: ValueIndex) -> Mended:
    """The statement with the rewrites of its findings, the worst first. One is kept where its finding is gone and
    nothing came that is worse than a note, but doubts that have a rewrite themselves; at most four are tried."""
    now = Mended(bound, check(question, bound, model, index))
    tried: set[tuple[str, str]] = set()
    while len(tried) < _MOST_REWRITES:
        waiting = (found for found in now.findings if found.rewrite is not None and _about(found) not in tried)
        found = next(waiting, None)
        if found is None or found.rewrite is None:
            break
        tried.add(_about(found))
        after = _rewritten(question, found.rewrite, now, model, index)
        if after is not None and _about(found) not in map(_about, after.findings):
            now = after
    return now


def _rewritten(question: str, rewrite: Rewrite, now: Mended, model: SemanticModel, index: ValueIndex) -> Mended | None:
    """The statement after a rewrite; None where it does not bind, or is worse."""
    bound = bind(rewrite.tree, model, now.bound.dialect)
    if not isinstance(bound, BoundSql):
        return None
    findings, known = check(question, bound, model, index), {one.code for one in now.findings}
    new = [one for one in findings if one.severity is not Severity.NOTE and one.code not in known]
    is_worse = any(one.severity is Severity.WRONG or one.rewrite is None for one in new)
    return None if is_worse else Mended(bound, findings, (*now.said, rewrite.said))


def _about(found: Finding) -> tuple[str, str]:
    return found.code, found.sql
