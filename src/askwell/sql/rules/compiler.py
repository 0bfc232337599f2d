"""A joined query as a sqlglot tree, and as SQL in a dialect."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from sqlglot import Dialect, exp

from askwell.mdl.semantic_model import ColumnRef
from askwell.sql.rules.facts import ColumnKind, ModelFacts
from askwell.sql.rules.joining import JoinedQuery, Missing
from askwell.sql.rules.joins import Join
from askwell.sql.rules.measures import Formula
from askwell.sql.rules.periods import Moment
from askwell.sql.rules.query import Condition, Literal, Output, Query, Sort, Subset
from askwell.sql.rules.timesql import bucket_sql, moment_sql

_MINDS_CAPITALS = frozenset({"postgres", "duckdb", "snowflake", "bigquery", "trino"})
# The first day that MySQL supports (Reference Manual, 13.2.2); smaller ones are stand-ins for none.
_FIRST_DAY = "1000-01-01"
_PLAIN_NAME = re.compile(r"[a-z_][a-z0-9_]*")
_ANY_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_WORDS = re.compile(r"CHAR|TEXT|STRING|CLOB", re.IGNORECASE)
_FOLDS_NOTHING = frozenset({"sqlite", "duckdb", "mysql", "tsql", "bigquery"})
_NULLS_FIRST = frozenset({"sqlite", "mysql"})
_OPERATORS: dict[str, type[exp.Binary]] = {
    "=": exp.EQ,
    "<>": exp.NEQ,
    ">": exp.GT,
    "<": exp.LT,
    ">=": exp.GTE,
    "<=": exp.LTE,
}
_AGGREGATES: dict[str, type[exp.AggFunc]] = {"avg": exp.Avg, "sum": exp.Sum, "min": exp.Min, "max": exp.Max}
_ALIASES = {
    "per": "average_number_of",
    "avg": "average",
    "sum": "total",
    "min": "lowest",
    "max": "highest",
    "count": "number_of",
}


class Compiler:
    """Writes queries over one model in one dialect. Read-only after construction."""

    def __init__(self, facts: ModelFacts, dialect: str) -> None:
        self._facts = facts
        self._dialect = dialect
        self._keywords = {word for word in Dialect.get_or_raise(dialect).tokenizer_class.KEYWORDS if word.isalpha()}

    def sql(self, joined: JoinedQuery) -> str:
        """The query's SQL, over the model's names."""
        return self.tree(joined).sql(dialect=self._dialect)

    def ranking(self, joined: JoinedQuery) -> str | None:
        """Where only the first few rows are shown: what they are sorted by, of these and of the next one."""
        select = self.tree(joined)
        if not isinstance(select, exp.Select) or joined.query.limit is None or select.args.get("distinct"):
            return None
        keys = [
            _Scope(self, bool(joined.tree.joins or joined.missing)).ranked(sort.output) for sort in joined.query.sorts
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
        name = _alias(Output(aggregate="count", rows_of=joined.query.outputs[0].table))
        alias = exp.TableAlias(this=exp.to_identifier("matching"))
        groups = exp.Subquery(this=self._select(joined, ()), alias=alias)
        counted: exp.Expr = exp.Count(this=exp.Star())
        return exp.select(exp.alias_(counted, self.identifier(name)) if name is not None else counted).from_(groups)

    def _select(self, joined: JoinedQuery, extra: tuple[Condition, ...]) -> exp.Select:
        query = joined.query
        qualified = bool(joined.tree.joins or joined.missing)
        scope = _Scope(self, qualified)
        shown = (output for output in query.outputs if output.aggregate != "share")
        outputs: list[exp.Expr] = [scope.shown(output) for output in shown]
        if query.everything is not None:
            outputs = [scope.everything(query.everything)]
        select = exp.select(*outputs).from_(self.table(joined.tree.root))
        for join in joined.tree.joins:
            select = select.join(self.table(join.table), on=self.on(join))
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
            operator = _OPERATORS[having.operator]
            left = scope.expression(having.output)
            select = select.having(operator(this=left, expression=self.literal(having.value)))
        sorts = query.sorts or tuple(Sort(output, False) for output in query.groups if output.bucket)
        for sort in sorts:
            select = select.order_by(self._ordered(scope, sort, query.limit is not None))
        if query.limit is not None:
            select = select.limit(query.limit)
        return select.distinct() if query.distinct else select

    def _without_zero_dates(self, scope: _Scope, query: Query) -> Iterator[exp.Expr]:
        """The earliest day is none of those that mean no day."""
        for sort in query.sorts if query.limit is not None else ():
            ref = sort.output.column
            if ref is not None and not sort.descending and sort.output.aggregate is None and self.has_zero_dates(ref):
                yield exp.GTE(this=scope.expression(sort.output), expression=exp.Literal.string(_FIRST_DAY))

    def _ordered(self, scope: _Scope, sort: Sort, limited: bool) -> exp.Ordered:
        """Missing values never win a superlative; a plain sort keeps the dialect's own order, which reads best."""
        nulls_first = not sort.descending and not limited and self._dialect in _NULLS_FIRST
        aggregated = sort.output.aggregate is not None
        if aggregated:
            nulls_first = not sort.descending and self._dialect in _NULLS_FIRST
        return exp.Ordered(this=scope.expression(sort.output), desc=sort.descending, nulls_first=nulls_first)

    def _missing(self, missing: Missing) -> exp.Expr:
        """NOT EXISTS, which is right with missing values where NOT IN is not; EXISTS where rows have to be there."""
        scope = _Scope(self, True)
        inner = exp.select(exp.Literal.number(1)).from_(self.table(missing.tree.root))
        for join in missing.tree.joins:
            inner = inner.join(self.table(join.table), on=self.on(join))
        conditions = [scope.condition(condition) for condition in missing.absence.conditions]
        there = exp.Exists(this=inner.where(self.on(missing.outer), *conditions))
        return there if missing.absence.present else exp.Not(this=there)

    def on(self, join: Join) -> exp.Expr:
        """The condition of a join."""
        return exp.and_(
            *(
                exp.EQ(
                    this=self.column(ColumnRef(join.source, left), qualified=True),
                    expression=self.column(ColumnRef(join.table, right), qualified=True),
                )
                for left, right in join.pairs
            )
        )

    def table(self, name: str) -> exp.Table:
        """A table by its name in the model."""
        return exp.Table(this=self.identifier(name))

    def column(self, ref: ColumnRef, *, qualified: bool) -> exp.Expr:
        """A column by its names in the model, or what it is computed from."""
        facts = self._facts.columns.get(ref)
        if facts is not None and facts.formula is not None:
            return self._formula(facts.formula, qualified=qualified)
        table = self.identifier(ref.table) if qualified else None
        return exp.Column(this=self.identifier(ref.column), table=table)

    def _formula(self, formula: Formula, *, qualified: bool) -> exp.Expr:
        product, *factors = (self.column(ref, qualified=qualified) for ref in formula.factors)
        for factor in factors:
            product = exp.Mul(this=product, expression=factor)
        if formula.reduction is not None:
            reduction = self.column(formula.reduction, qualified=qualified)
            left = exp.Paren(this=exp.Sub(this=exp.Literal.number(1), expression=reduction))
            product = exp.Mul(this=product, expression=left)
        return product

    def per(self, ref: ColumnRef) -> ColumnRef | None:
        """What a computed column says something about each value of."""
        return self._facts.columns[ref].per

    def identifier(self, name: str) -> exp.Identifier:
        """A name, quoted where the dialect would otherwise read it as something else."""
        plain = _ANY_NAME if self._dialect in _FOLDS_NOTHING else _PLAIN_NAME
        return exp.to_identifier(name, quoted=not plain.fullmatch(name) or name.upper() in self._keywords)

    @property
    def minds_capitals(self) -> bool:
        """Whether LIKE tells capitals from small letters."""
        return self._dialect in _MINDS_CAPITALS

    def has_zero_dates(self, ref: ColumnRef) -> bool:
        """Whether the column may hold days such as 0000-00-00, which come before all others and mean none."""
        return self._dialect == "mysql" and self.kind(ref) is ColumnKind.DATE

    def kind(self, ref: ColumnRef) -> ColumnKind:
        """How the column's values behave."""
        return self._facts.columns[ref].kind

    def numeric_text(self, ref: ColumnRef) -> bool:
        """Whether the column holds numbers as text."""
        return self._facts.columns[ref].numeric_text

    def always_there(self, ref: ColumnRef) -> bool:
        """Whether every row has a value in the column."""
        facts = self._facts.columns[ref]
        return facts.is_key or facts.column.not_null

    def nothing(self, ref: ColumnRef) -> exp.Expr | None:
        """What says "nothing" in the column beside a missing value, where its type has such a value."""
        column = self._facts.columns[ref]
        if _WORDS.search(column.column.type):
            return exp.Literal.string("")
        return exp.Literal.number(0) if column.is_measure and column.kind is ColumnKind.NUMBER else None

    def literal(self, value: Literal) -> exp.Expr:
        """A literal."""
        return exp.Literal.string(value) if isinstance(value, str) else exp.Literal.number(value)

    def moment(self, moment: Moment, ref: ColumnRef) -> exp.Expr:
        """A moment as the column's values compare with it."""
        return moment_sql(moment, self._dialect, as_text=self.kind(ref) is not ColumnKind.DATE)

    def bucket(self, column: exp.Expr, unit: str, ref: ColumnRef) -> exp.Expr:
        """The period that a date falls in."""
        return bucket_sql(column, unit, self._dialect, is_text=self.kind(ref) is not ColumnKind.DATE)


class _Scope:
    """Expressions inside one SELECT."""

    def __init__(self, compiler: Compiler, qualified: bool) -> None:
        self._compiler = compiler
        self._qualified = qualified

    def _column(self, ref: ColumnRef) -> exp.Expr:
        return self._compiler.column(ref, qualified=self._qualified)

    def expression(self, output: Output) -> exp.Expr:
        """What an output computes."""
        if output.aggregate == "count":
            if output.column is None or not output.distinct:
                return exp.Count(this=exp.Star())
            return exp.Count(this=exp.Distinct(expressions=[self._column(output.column)]))
        if output.aggregate == "per" and output.column is not None:
            rows = exp.Mul(this=exp.Literal.number("1.0"), expression=exp.Count(this=exp.Star()))
            each = exp.Count(this=exp.Distinct(expressions=[self._column(output.column)]))
            return exp.Div(this=rows, expression=each, typed=True, safe=False)
        if output.column is None:
            raise AssertionError("only a count needs no column")
        column = self._column(output.column)
        if output.bucket is not None:
            return self._compiler.bucket(column, output.bucket, output.column)
        per = self._compiler.per(output.column)
        if output.aggregate == "avg" and per is not None:
            each = exp.Count(this=exp.Distinct(expressions=[self._column(per)]))
            return exp.Div(this=exp.Sum(this=column), expression=each, typed=False, safe=False)
        return _AGGREGATES[output.aggregate](this=column) if output.aggregate is not None else column

    def everything(self, table: str) -> exp.Expr:
        """All columns of a table."""
        return exp.Column(this=exp.Star(), table=self._compiler.identifier(table)) if self._qualified else exp.Star()

    def shown(self, output: Output) -> exp.Expr:
        """An output of the select list, named where the database would make up a name."""
        expression = self.expression(output)
        alias = _alias(output)
        return exp.alias_(expression, self._compiler.identifier(alias)) if alias is not None else expression

    def ranked(self, output: Output) -> exp.Expr:
        """An output that rows are sorted by, under a name that tells people what it is."""
        plain = output.column.column if output.column is not None else "rank"
        return exp.alias_(self.expression(output), self._compiler.identifier(_alias(output) or plain))

    def condition(self, condition: Condition) -> exp.Expr:
        """A condition; negated ones keep the rows without a value out, as people expect of "not". What has never
        happened has not happened in a period either."""
        found = self._positive(condition)
        if not condition.negated:
            return found
        negation = _negation(found)
        if condition.period is None or self._compiler.always_there(condition.column):
            return negation
        return exp.or_(negation, exp.Is(this=self._column(condition.column), expression=exp.Null()))

    def _positive(self, condition: Condition) -> exp.Expr:
        column: exp.Expr = self._column(condition.column)
        if condition.than_average or condition.than:
            ref = condition.column
            inner = exp.select(_AGGREGATES[condition.than or "avg"](this=self._compiler.column(ref, qualified=False)))
            average = exp.Subquery(this=inner.from_(self._compiler.table(ref.table)))
            return _OPERATORS[condition.operator](this=column, expression=average)
        if condition.period is not None:
            return exp.and_(*self._during(condition, column))
        if condition.other is not None:
            return _OPERATORS[condition.operator](this=column, expression=self._column(condition.other))
        if condition.subset is not None:
            return self._within(condition.subset, column)
        if (
            self._compiler.numeric_text(condition.column)
            and condition.values
            and all(not isinstance(v, str) for v in condition.values)
        ):
            return self._numeric(condition, column)
        return self._compared(condition, column)

    def _within(self, subset: Subset, column: exp.Expr) -> exp.Expr:
        """A row may be of the outer table as well, so the inner one has a scope of its own and no joins."""
        inner = _Scope(self._compiler, False)
        conditions = (inner.condition(condition) for condition in subset.conditions)
        chosen = exp.select(self._compiler.column(subset.column, qualified=False))
        chosen = chosen.from_(self._compiler.table(subset.column.table)).where(*conditions)
        return exp.In(this=column, query=exp.Subquery(this=chosen))

    def _compared(self, condition: Condition, column: exp.Expr) -> exp.Expr:
        values = [self._compiler.literal(value) for value in condition.values]
        match condition.operator:
            case "between":
                return exp.Between(this=column, low=values[0], high=values[1])
            case "like":
                # nobody minds capitals in a part of a name; elsewhere LIKE does not either
                like = exp.ILike if self._compiler.minds_capitals else exp.Like
                return like(this=column, expression=values[0])
            case "in":
                return exp.In(this=column, expressions=values)
            case "true":
                return exp.EQ(this=column, expression=exp.true())
            case "blank" | "filled" as state:
                return self._blank(condition.column, column, blank=state == "blank")
            case "null":
                return exp.Is(this=column, expression=exp.Null())
            case operator:
                return _OPERATORS[operator](this=column, expression=values[0])

    def _blank(self, ref: ColumnRef, column: exp.Expr, *, blank: bool) -> exp.Expr:
        """Whether nothing is there: no value, and of a text or a number not an empty one either."""
        missing: exp.Expr = exp.Is(this=column, expression=exp.Null())
        nothing = self._compiler.nothing(ref)
        if not blank:
            there = [_negation(missing)]
            return exp.and_(*there, *([exp.NEQ(this=column.copy(), expression=nothing)] if nothing else []))
        return exp.or_(missing, exp.EQ(this=column.copy(), expression=nothing)) if nothing else missing

    def _numeric(self, condition: Condition, column: exp.Expr) -> exp.Expr:
        """Numbers that are kept as text compare as numbers; equality does not need it."""
        if condition.operator in ("=", "in"):
            texts = tuple(str(value) for value in condition.values)
            return self._compared(replace(condition, values=texts), column)
        return self._compared(condition, exp.Cast(this=column, to=exp.DataType.build("double")))

    def _during(self, condition: Condition, column: exp.Expr) -> Iterable[exp.Expr]:
        period, ref = condition.period, condition.column
        if period is not None and period.start is None and self._compiler.has_zero_dates(ref):
            yield exp.GTE(this=column.copy(), expression=exp.Literal.string(_FIRST_DAY))
        if period is not None and period.start is not None:
            yield exp.GTE(this=column, expression=self._compiler.moment(period.start, ref))
        if period is not None and period.end is not None:
            yield exp.LT(this=column.copy(), expression=self._compiler.moment(period.end, ref))


def _negation(condition: exp.Expr) -> exp.Expr:
    """NOT, written as people do."""
    match condition:
        case exp.EQ(this=left, expression=exp.Boolean(this=True)):
            return exp.EQ(this=left, expression=exp.false())
        case exp.EQ(this=left, expression=right):
            return exp.NEQ(this=left, expression=right)
        case exp.Is(this=left, expression=exp.Null() as nothing):
            return exp.Is(this=left, expression=exp.Not(this=nothing))
        case exp.Is(this=left, expression=exp.Not(this=nothing)):
            return exp.Is(this=left, expression=nothing)
        case exp.Connector():  # NOT binds more tightly than AND and OR
            return exp.Not(this=exp.Paren(this=condition))
        case _:
            return exp.Not(this=condition)


def _percentage(conditions: list[exp.Expr]) -> exp.Expr:
    """How many of a hundred rows meet the conditions."""
    met = exp.Case().when(exp.and_(*conditions), exp.Literal.number(1)).else_(exp.Literal.number(0))
    hundred = exp.Mul(this=exp.Literal.number("100.0"), expression=exp.Sum(this=met))
    return exp.alias_(
        exp.Div(this=hundred, expression=exp.Count(this=exp.Star()), typed=True, safe=False), "percentage"
    )


def _alias(output: Output) -> str | None:
    if output.bucket is not None:
        return output.bucket
    if output.aggregate is None:
        return None
    rows = output.rows_of if output.aggregate in ("count", "per") else None
    about = (rows or (output.column.column if output.column is not None else "rows")).removeprefix("total_")
    if about.lower() == "total":
        return "total" if output.aggregate == "sum" else f"{_ALIASES[output.aggregate]}_total"
    return f"{_ALIASES[output.aggregate]}_{about}".lower() if _ANY_NAME.fullmatch(about) else None
