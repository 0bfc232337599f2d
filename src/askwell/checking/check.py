"""Checks bound statements against a question and the semantic model: what speaks against them, and what mends them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from functools import cached_property

from askwell.checking.finding import Finding, Rewrite, Severity, worst_first
from askwell.checking.joins import always_so, contradictions, joins, twins
from askwell.checking.operators import operators
from askwell.checking.periods import periods
from askwell.checking.question import AskedWords, read_question
from askwell.checking.results import Probe, mixed_units, probes, results
from askwell.checking.shape import shapes
from askwell.checking.statement import read_statement
from askwell.checking.types import types
from askwell.checking.values import (
    ValueIndex,
    forgotten_values,
    ignored_states,
    other_spellings,
    strange_values,
    turned_flags,
)
from askwell.checking.words import unaccounted, words
from askwell.mdl.semantic_model import SemanticModel
from askwell.providers.engine.base import QueryRows
from askwell.sql.binder import bind
from askwell.sql.bound import BoundSql

_MOST_REWRITES = 4


@dataclass(frozen=True, slots=True)
class Mended:
    """A statement after the rewrites that were kept, what still speaks against it, and a sentence for each rewrite."""

    bound: BoundSql
    findings: tuple[Finding, ...]
    said: tuple[str, ...] = ()


@dataclass(frozen=True)
class QuestionCheck:
    """Checks statements against one question. `background` are texts that say what statements may do besides, such as
    instructions. Reads no database and calls no model; a statement takes milliseconds."""

    question: str
    model: SemanticModel
    index: ValueIndex
    today: date
    background: str = ""

    @cached_property
    def asked(self) -> AskedWords:
        return read_question(self.question, self.background)

    def findings(self, bound: BoundSql, rows: QueryRows | None = None) -> tuple[Finding, ...]:
        """What speaks against a statement as the answer, and against its `rows` where it was run, the worst first."""
        asked, written, index = self.asked, read_statement(bound, self.model), self.index
        found = [
            *operators(asked, written, index),
            *words(asked, written, index),
            *strange_values(asked, written, index),
            *forgotten_values(asked, written, index),
            *other_spellings(written, index),
            *ignored_states(asked, written),
            *turned_flags(asked, written, index),
            *shapes(asked, written),
            *types(written, index),
            *joins(written, index),
            *contradictions(written),
            *always_so(written),
            *periods(asked, written, index, self.today),
            *mixed_units(written, index),
            *twins(asked, written),
            *unaccounted(asked, written),
            *(results(asked, written, rows) if rows is not None else ()),
        ]
        return worst_first(found)

    def probes(self, bound: BoundSql) -> tuple[Probe, ...]:
        """Small queries that say more about a statement that was run."""
        return probes(self.asked, read_statement(bound, self.model), self.index, self.today)

    def mended(self, bound: BoundSql, findings: tuple[Finding, ...] | None = None, *, notes: bool = True) -> Mended:
        """The statement with the rewrites of its findings, the worst first. One is kept where its finding is gone and
        nothing came that is worse than a note, but doubts that have a rewrite themselves; at most four are tried.
        Without `notes`, what is only worth knowing stays."""
        now = Mended(bound, self.findings(bound) if findings is None else findings)
        tried: set[tuple[str, str]] = set()
        while len(tried) < _MOST_REWRITES:
            waiting = (one for one in now.findings if notes or one.severity is not Severity.NOTE)
            found = next((one for one in waiting if one.rewrite is not None and _about(one) not in tried), None)
            if found is None or found.rewrite is None:
                break
            tried.add(_about(found))
            after = self._rewritten(found.rewrite, now)
            if after is not None and _about(found) not in map(_about, after.findings):
                now = after
        return now

    def _rewritten(self, rewrite: Rewrite, now: Mended) -> Mended | None:
        """The statement after a rewrite; None where it does not bind, or is worse."""
        bound = bind(rewrite.tree, self.model, now.bound.dialect)
        if not isinstance(bound, BoundSql):
            return None
        findings, known = self.findings(bound), {one.code for one in now.findings}
        new = [one for one in findings if one.severity is not Severity.NOTE and one.code not in known]
        is_worse = any(one.severity is Severity.WRONG or one.rewrite is None for one in new)
        return None if is_worse else Mended(bound, findings, (*now.said, rewrite.said))


def _about(found: Finding) -> tuple[str, str]:
    return found.code, found.sql
