"""A joined query as a sqlglot tree, and as SQL in a dialect."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from askwell.mdl.semantic_model import ColumnRef
from askwell.sql.rules.expressions import FIRST_DAY, OPERATORS, Scope, alias
from askwell.sql.rules.facts import ModelFacts
from askwell.sql.rules.joining import JoinedQuery, Missing
from askwell.sql.rules.joins import Join
from askwell.sql.rules.query import Condition, Output, Query, Sort, hidden_sorts
from askwell.sql.rules.vocabulary import Vocabulary

_NULLS_FIRST = frozenset({"sqlite", "mysql"})


class Compiler:
    """Writes queries over one model in one dialect. Read-only after construction."""

    def __init__(self, facts: ModelFacts, dialect: str) -> None:
        self._vocabulary = Vocabulary(facts, dialect)
        self._dialect = dialect

    def sql(self, joined: JoinedQuery) -> str:
        """The query's SQL, over the model's names."""
        return self.tree(joined).sql(dialect=self._dialect)

    def ranking(self, joined: JoinedQuery) -> str | None:
        """Where only the first few rows are shown: what they are sorted by, of these and of the next one."""
        select = self.tree(joined)
        if not isinstance(select, exp.Select) or joined.query.limit is None or joined.query.distinct:
            return None
        keys = [
            Scope(self._vocabulary, bool(joined.tree.joins or joined.missing)).ranked(sort.output)
            for sort in joined.query.sorts
        ]
        select.set("expressions", keys)
        return select.limit(joined.query.limit + 1).sql(dialect=self._dialect) if keys else None

    def tree(self, joined: JoinedQuery) -> exp.Query:
        """The query as a tree; two conditions that no row meets at once become an intersection."""
        both = joined.query.both
        if joined.query.counts_groups:
            return self._count_of_groups(joined)
        if not both:
            return self._select(joined, ())
        left, right = (self._select(joined, (condition,)) for condition in both)
        return exp.Intersect(this=left, expression=right, distinct=True)

    def _count_of_groups(self, joined: JoinedQuery) -> exp.Select:
        name = alias(Output(aggregate="count", rows_of=joined.query.outputs[0].table))
        matching = exp.TableAlias(this=exp.to_identifier("matching"))
        groups = exp.Subquery(this=self._select(joined, ()), alias=matching)
        counted: exp.Expr = exp.Count(this=exp.Star())
        return exp.select(
            exp.alias_(counted, self._vocabulary.identifier(name)) if name is not None else counted
        ).from_(groups)

    def _select(self, joined: JoinedQuery, extra: tuple[Condition, ...]) -> exp.Select:
        query = joined.query
        qualified = bool(joined.tree.joins or joined.missing)
        scope = Scope(self._vocabulary, qualified)
        shown = (output for output in query.outputs if output.aggregate != "share")
        outputs: list[exp.Expr] = [scope.shown(output) for output in shown]
        if query.everything is not None:
            outputs = [scope.everything(query.everything)]
        select = exp.select(*outputs).from_(self._vocabulary.table(joined.tree.root))
        for join in joined.tree.joins:
            select = select.join(self._vocabulary.table(join.table), on=self._on(join))
        conditions = [scope.condition(condition) for condition in query.conditions]
        if query.any_of and conditions:
            conditions = [exp.or_(*conditions)]
        conditions += list(self._without_zero_dates(scope, query))
        conditions += [scope.condition(condition) for condition in extra]
        conditions += [self._missing(missing) for missing in joined.missing]
        if any(output.aggregate == "share" for output in query.outputs):
            return select.select(_percentage(conditions), append=False)
        if conditions:
            select = select.where(*conditions)
        if query.groups:
            # every dialect but SQLite wants each plain column that is shown among the groups
            sorted_by = (sort.output for sort in query.sorts)
            plain = tuple(output for output in (*query.outputs, *sorted_by) if output.aggregate is None)
            groups = dict.fromkeys((*query.groups, *plain))
            select = select.group_by(*(scope.expression(output) for output in groups))
        for having in query.having:
            operator = OPERATORS[having.operator]
            left = scope.expression(having.output)
            select = select.having(operator(this=left, expression=self._vocabulary.literal(having.value)))
        sorts = query.sorts or tuple(Sort(output, False) for output in query.groups if output.bucket)
        once = self._shows_once(query)
        if once and not query.groups:
            select = select.group_by(*(scope.expression(output) for output in query.outputs))
        for sort in sorts:
            select = select.order_by(self._ordered(scope, sort, query.limit is not None, first_of=once))
        if query.limit is not None:
            select = select.limit(query.limit)
        return select.distinct() if query.distinct and not once else select

    def _shows_once(self, query: Query) -> bool:
        """Whether groups stand for DISTINCT, beside which only SQLite sorts by what is not shown: each is shown once,
        where the first of its rows would be."""
        return query.distinct and self._dialect != "sqlite" and bool(hidden_sorts(query))

    def _without_zero_dates(self, scope: Scope, query: Query) -> Iterator[exp.Expr]:
        """The earliest day is none of those that mean no day."""
        for sort in query.sorts if query.limit is not None else ():
            ref = sort.output.column
            if (
                ref is not None
                and not sort.descending
                and sort.output.aggregate is None
                and self._vocabulary.has_zero_dates(ref)
            ):
                yield exp.GTE(this=scope.expression(sort.output), expression=exp.Literal.string(FIRST_DAY))

    def _ordered(self, scope: Scope, sort: Sort, limited: bool, *, first_of: bool) -> exp.Ordered:
        """Missing values never win a superlative; a plain sort keeps the dialect's own order, which reads best."""
        nulls_first = not sort.descending and not limited and self._dialect in _NULLS_FIRST
        aggregated = sort.output.aggregate is not None
        if aggregated:
            nulls_first = not sort.descending and self._dialect in _NULLS_FIRST
        by = scope.expression(sort.output)
        if first_of and not aggregated:
            by = exp.Max(this=by) if sort.descending else exp.Min(this=by)
        return exp.Ordered(this=by, desc=sort.descending, nulls_first=nulls_first)

    def _missing(self, missing: Missing) -> exp.Expr:
        """NOT EXISTS, which is right with missing values where NOT IN is not; EXISTS where rows have to be there."""
        scope = Scope(self._vocabulary, True)
        inner = exp.select(exp.Literal.number(1)).from_(self._vocabulary.table(missing.tree.root))
        for join in missing.tree.joins:
            inner = inner.join(self._vocabulary.table(join.table), on=self._on(join))
        conditions = [scope.condition(condition) for condition in missing.absence.conditions]
        there = exp.Exists(this=inner.where(self._on(missing.outer), *conditions))
        return there if missing.absence.present else exp.Not(this=there)

    def _on(self, join: Join) -> exp.Expr:
        return exp.and_(
            *(
                exp.EQ(
                    this=self._vocabulary.column(ColumnRef(join.source, left), qualified=True),
                    expression=self._vocabulary.column(ColumnRef(join.table, right), qualified=True),
                )
                for left, right in join.pairs
            )
        )


def _percentage(conditions: list[exp.Expr]) -> exp.Expr:
    """How many of a hundred rows meet the conditions."""
    met = exp.Case().when(exp.and_(*conditions), exp.Literal.number(1)).else_(exp.Literal.number(0))
    hundred = exp.Mul(this=exp.Literal.number("100.0"), expression=exp.Sum(this=met))
    return exp.alias_(exp.Div(this=hundred, expression=exp.Count(this=exp.Star()), typed=True, safe=True), "percentage")
