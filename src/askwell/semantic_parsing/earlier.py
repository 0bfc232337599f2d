"""What was asked before, read again from the questions and the statements that answered them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from askwell.mdl.semantic_model import ColumnRef
from askwell.semantic_parsing.bound_readings import relationships_in
from askwell.semantic_parsing.coverage import is_covered
from askwell.semantic_parsing.linking import Names
from askwell.semantic_parsing.model.catalog import DATE, Catalog
from askwell.semantic_parsing.notes import assumptions_of, still_assumed
from askwell.semantic_parsing.parser import Before, Candidate, Parse, SemanticParser
from askwell.semantic_parsing.translation import Assumption, Turn
from askwell.semantic_parsing.trust import probability
from askwell.sql.bindings import Bindings


@dataclass(frozen=True, slots=True)
class Earlier:
    """What was asked `before`, with the probability (0–1) of its least sure question, and what it took for granted. Of
    a question that was answered by another reading than the likeliest somebody has said what it means: it is sure."""

    before: Before
    sure: float
    assumptions: tuple[Assumption, ...]


@dataclass(frozen=True, slots=True)
class _Found:
    candidate: Candidate
    sure: float
    added_to: Earlier | None
    is_first: bool


@dataclass(frozen=True, slots=True)
class EarlierReader:
    """Reads again what was asked of one model before."""

    catalog: Catalog
    parser: SemanticParser
    dialect: str

    def of(self, turns: Sequence[Turn], taught: Names, *, bare: bool) -> Earlier | None:
        """What was asked last: the reading of each question, alone or added to the one before, whose statement is the
        one that answered it. None where there is none."""
        earlier: Earlier | None = None
        for turn in turns:
            answered, last = _read_sql(turn.sql, self.dialect), earlier
            earlier = None
            if answered is None:
                continue
            tree, wanted = answered
            found = list(self._readings(turn, tree, wanted, last, taught, bare=bare))
            if found:
                likeliest = next((one for one in found if one.is_first), found[0])
                earlier = self._after(likeliest, last, relationships_in(tree, self.catalog.facts))
        return earlier

    def _readings(
        self, turn: Turn, tree: exp.Expr, wanted: str, last: Earlier | None, taught: Names, *, bare: bool
    ) -> Iterator[_Found]:
        """The readings that have the statement, up to one that is the likeliest of its kind: those over its joins, and
        those of its dates, which somebody may have chosen."""
        joins = Bindings(relationships=relationships_in(tree, self.catalog.facts))
        dates = tuple(dict.fromkeys(ref for ref in _columns_of(tree) if self._is_date(ref)))
        for bound in (joins, replace(joins, columns=dates)) if dates else (joins,):
            parse = partial(self.parser.parse, turn.question, bare=bare, bound=bound, taught=taught)
            for way in (None, last) if last is not None else (None,):
                parsed = parse(before=way.before.of_times(bound.columns) if way is not None else None)
                if (found := self._in(parsed, wanted, turn, way)) is not None:
                    yield found
                    if found.is_first:
                        return

    def _in(self, parsed: Parse, wanted: str, turn: Turn, way: Earlier | None) -> _Found | None:
        for place, one in enumerate(parsed.candidates):
            own = _read_sql(one.sql, self.dialect)
            if own is not None and own[1] == wanted:
                likeliest = place == 0 and is_covered(one.features)
                sure = probability(parsed.candidates, len(turn.question.split())) if likeliest else 1.0
                return _Found(one, min(sure, way.sure if way is not None else 1.0), way, likeliest)
        return None

    def _after(self, found: _Found, last: Earlier | None, joined: tuple[str, ...]) -> Earlier:
        before = replace(Before.of(found.candidate, last.before if last else None), relationships=joined)
        own, added_to = assumptions_of(found.candidate, self.catalog), found.added_to
        kept = tuple(still_assumed(added_to.assumptions, found.candidate, own)) if added_to is not None else ()
        return Earlier(before, found.sure, (*own, *kept))

    def _is_date(self, column: ColumnRef) -> bool:
        return column in self.catalog.facts.columns and self.catalog.kind(column) == DATE


def _columns_of(tree: exp.Expr) -> Iterator[ColumnRef]:
    return (ColumnRef(column.table, column.name) for column in tree.find_all(exp.Column))


def _read_sql(sql: str, dialect: str) -> tuple[exp.Expr, str] | None:
    """A statement, and how it is written whoever wrote it, whatever its figures are called. None for what is no SQL, or
    nested too deeply."""
    try:
        tree = parse_one(sql, dialect=dialect)
        plain = tree.copy()
        if isinstance(plain, exp.Select):
            plain.set("expressions", [one.unalias() for one in plain.expressions])
        for identifier in plain.find_all(exp.Identifier):
            identifier.set("quoted", False)
        return tree, plain.sql(dialect=dialect).lower()
    except (SqlglotError, RecursionError):
        return None
