"""From a grounded reading to SQL: outputs, groups, joins, rankings, changes. Refuses what has no meaning."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from sqlglot import exp, parse_one

from askwell.mdl.semantic_model import ColumnRef
from askwell.question.words import stem
from askwell.semantic_parsing.compiling.comparability import Meaningless
from askwell.semantic_parsing.compiling.expressions import AGGREGATES, named
from askwell.semantic_parsing.compiling.outline import Outliner, havings_of
from askwell.semantic_parsing.compiling.predicates import PredicateWriter
from askwell.semantic_parsing.compiling.select import SelectWriter
from askwell.semantic_parsing.compiling.vocabulary import Vocabulary
from askwell.semantic_parsing.forms import (
    Among,
    AnyOf,
    Best,
    Both,
    Bucket,
    Compare,
    Measure,
    Metric,
    Predicate,
    Query,
    Ref,
    Rows,
    Without,
)
from askwell.semantic_parsing.grounding import Grounding, Part, parts_of, tables_of
from askwell.semantic_parsing.model.catalog import Catalog
from askwell.semantic_parsing.model.facts import ColumnKind
from askwell.semantic_parsing.model.join_graph import role_sign
from askwell.semantic_parsing.model.word_forms import word_forms


def _beside(figures: exp.Select, vocabulary: Vocabulary, window: type[exp.Func], name: str) -> exp.Select:
    """The rows of `figures`, a period and a figure each, with what a window makes of the figures in order of time."""
    period, figure = (exp.Column(this=vocabulary.identifier(one.alias_or_name)) for one in figures.selects)
    by_time = exp.Order(expressions=[exp.Ordered(this=period.copy())])
    made = exp.Window(this=window(this=figure.copy()), order=by_time)
    return exp.select(period, figure, exp.alias_(made, name)).from_(figures.subquery("figures"))


def changes_of(figures: exp.Select, vocabulary: Vocabulary, *, first: bool) -> exp.Select:
    """The rows of `figures`, a period and a figure each, in order of time, with the difference from the row before, as
    it is and in percent of that one. `first`: the first row is shown, which has none before it."""
    compared = _beside(figures, vocabulary, exp.Lag, "previous")
    period, figure, _ = compared.selects
    previous = exp.column("previous")
    difference = exp.Sub(this=figure.copy(), expression=previous.copy())
    hundred = exp.Mul(this=exp.Literal.number("100.0"), expression=exp.paren(difference.copy()))
    percent = exp.Div(this=hundred, expression=previous.copy(), typed=False, safe=True)
    found = exp.select(
        period.copy(), figure.copy(), exp.alias_(difference, "difference"), exp.alias_(percent, "difference_percent")
    ).from_(compared.subquery("compared"))
    if not first:
        found = found.where(exp.Is(this=previous, expression=exp.Not(this=exp.Null())))
    return found.order_by(exp.Ordered(this=period.copy()))


def _running(figures: exp.Select, vocabulary: Vocabulary) -> exp.Select:
    """The rows of `figures`, a period and a figure each, in order of time, with the sum of all figures until then."""
    found = _beside(figures, vocabulary, exp.Sum, "running_total")
    period = found.selects[0]
    dated = exp.Is(this=period.copy(), expression=exp.Not(this=exp.Null()))
    return found.where(dated).order_by(exp.Ordered(this=period.copy()))


# Signs of a compiled reading, and the other ways to write it: what a language leaves open.
VARIANTS: Mapping[str, tuple[str, ...]] = {
    "sql:repeats": ("repeats",),
    "sql:group_shown": ("group_last", "group_hidden"),
    "sql:attribute": ("distinct",),
    "sql:rank_over_repeats": ("rank_total",),
    "sql:label_apart": ("with_label",),
    "sql:group_listed": ("group_counted",),
}
# Those that people are shown: nobody wants repeated rows, or figures without saying whose they are.
PLAIN_VARIANTS: Mapping[str, tuple[str, ...]] = {
    sign: ways for sign, ways in VARIANTS.items() if sign in ("sql:rank_over_repeats", "sql:group_listed")
}


@dataclass(frozen=True, slots=True)
class Compiled:
    """A statement over the model, with what it showed about itself. `ordered`: row order is part of the answer."""

    tree: exp.Query
    features: tuple[str, ...]
    tables: tuple[str, ...]
    ordered: bool


class Compiler:
    """Writes one grounded reading. `variant` is one of `VARIANTS`; `bare`: no column is shown that was not asked for,
    as a benchmark wants it."""

    def __init__(
        self,
        catalog: Catalog,
        vocabulary: Vocabulary,
        said: frozenset[str],
        *,
        variant: str = "",
        bare: bool = True,
    ) -> None:
        self._catalog, self._vocabulary, self._said = catalog, vocabulary, said
        self._variant, self._bare = variant, bare
        self.features: list[str] = []

    def compiled(self, query: Query, grounding: Grounding) -> Compiled:
        """The statement. Raises `Meaningless` where the reading has none."""
        columns = grounding.columns
        query = query if self._bare else self._named_by_role(query, columns)
        query = self._either_of_one(query if self._bare else self._of_whole_rows(_with_few(query)), columns)
        query = self._of_groups(self._of_one_row(self._of_the_first(query, columns), columns), columns)
        wholes = (self._percentile, self._side_by_side, self._intersection, self._figure_of_figures, self._change)
        tree = next((tree for write in wholes if (tree := write(query, columns)) is not None), None)
        tree = tree if tree is not None else self.select(query, columns)
        ordered = tree.args.get("order") is not None
        tables = dict.fromkeys(table.name for table in tree.find_all(exp.Table))
        known = tuple(name for name in tables if name in self._catalog.facts.tables)
        return Compiled(tree, tuple(self.features), known, ordered)

    def inner(self, query: Query, columns: Mapping[Part, ColumnRef]) -> exp.Select:
        """A SELECT that stands in another one. Raises `Meaningless` where there is none."""
        return self.select(query, columns, bare=True)

    def select(self, query: Query, columns: Mapping[Part, ColumnRef], *, bare: bool | None = None) -> exp.Select:
        """One SELECT. Raises `Meaningless` where there is none."""
        bare = self._bare if bare is None else bare
        predicates = PredicateWriter(self._catalog, self._vocabulary, columns, self._said, self)
        outline = Outliner(self._catalog, predicates, self._variant, bare=bare).outline(query)
        select = SelectWriter(self._catalog, predicates, self._variant, bare=bare).written(outline)
        self.features += predicates.features
        return select

    def _named_by_role(self, query: Query, columns: Mapping[Part, ColumnRef]) -> Query:
        """Shows by name what a key refers to, unless the key itself is asked for: "per tuner", where visits have a
        tuner_id."""
        if self._said & (word_forms().key_words - {stem("number")}):  # "the number of visits per tuner"
            return query
        roles = {part: role for part in (*query.select, *query.group) if (role := self._role(part, columns))}
        named = {part: table for part, (table, _) in roles.items()}
        if not named or len(set(named.values())) < len(named) or set(named.values()) & set(tables_of(query)):
            return query
        self._said |= {role_sign(name) for _, name in roles.values()}
        select = tuple(Rows(named[part]) if part in named else part for part in query.select)
        group = tuple(Rows(named[part]) if part in named else part for part in query.group)
        query = replace(query, select=select, group=group, mentions=(*query.mentions, *named.values()))
        if query.head is not None or query.group:
            return query
        of = next(columns[part].table for part in named if isinstance(part, Ref))
        return replace(query, head=of, distinct=True)  # "directors" are not all people

    def _role(self, part: object, columns: Mapping[Part, ColumnRef]) -> tuple[str, str] | None:
        """The table of rows with names that a column refers to, and the relationship in which it does."""
        column = columns.get(part) if isinstance(part, Ref) else None
        role = self._catalog.role_of(column) if column is not None else None
        return role if role is not None and self._catalog.labels(role[0]) else None

    # ------------------------------------------------------------ wholes
    def _of_whole_rows(self, query: Query) -> Query:
        """Rows that nothing tells apart are shown whole."""
        head = query.head
        if head is None or query.group or self._catalog.key(head) or self._catalog.labels(head):
            return query
        plain = all(shown == Rows(head) for shown in query.select)
        return replace(query, select=(), everything=True) if plain else query

    def _of_one_row(self, query: Query, columns: Mapping[Part, ColumnRef]) -> Query:
        """ "The average amount per order" is one figure: an order has one amount."""
        averages = [s for s in query.select if isinstance(s, Measure) and s.op == "avg"]
        tables = {_table_of(figure, columns) for figure in averages}
        own = len(averages) == len(query.select) and [Rows(table) for table in tables if table] == [*query.group]
        return replace(query, group=()) if own and not self._bare else query

    def _of_the_first(self, query: Query, columns: Mapping[Part, ColumnRef]) -> Query:
        """ "Products of the supplier with the most employees" are all of them, and not one."""
        rank, head = query.rank, query.head
        table = columns[rank.by].table if rank is not None and isinstance(rank.by, Ref) else None
        is_other = table in query.mentions and table != head and head is not None
        if rank is None or rank.grouped or query.group or self._bare or not is_other:
            return query
        if table is None or table not in self._catalog.of_rows(head or ""):
            return query
        own = tuple(p for p in query.where if {columns[part].table for part, _ in parts_of(p)} == {table})
        rest = tuple(p for p in query.where if p not in own)
        rank = replace(rank, n=query.limit or rank.n)
        return replace(query, where=(*rest, Best(Rows(table, own), rank)), rank=None, limit=None)

    def _intersection(self, query: Query, columns: Mapping[Part, ColumnRef]) -> exp.Query | None:
        both = next((p for p in query.where if isinstance(p, Both)), None)
        if both is None:
            return None
        if query.rank or query.order or any(isinstance(s, Measure) for s in query.select):
            raise Meaningless("intersection of figures")
        if not self._bare and not all(query.head and self._names_row(s, query.head) for s in query.select):
            raise Meaningless("intersection of what names no row")
        rest = tuple(p for p in query.where if p is not both)
        left, right = (self.select(replace(query, where=(*rest, p)), columns) for p in both.parts)
        self.features.append("sql:intersect")
        return exp.Intersect(this=left, expression=right, distinct=True)

    def _either_of_one(self, query: Query, columns: Mapping[Part, ColumnRef]) -> Query:
        """ "guests in Oslo and Lund": no guest is in both, so either is meant where guests themselves are asked for,
        counted or added up."""
        both = next((p for p in query.where if isinstance(p, Both)), None)
        measured = [_table_of(s, columns) for s in query.select if isinstance(s, Measure)]
        head = next(filter(None, measured), query.head)
        if both is None or both.told or head is None or not self._is_of_row(both, head, columns):
            return query
        if query.select and not all(isinstance(s, Measure) or self._names_row(s, head) for s in query.select):
            return query
        self.features.append("sql:either_of_one")
        return replace(query, where=tuple(AnyOf(p.parts) if p is both else p for p in query.where))

    def _is_of_row(self, both: Both, head: str, columns: Mapping[Part, ColumnRef]) -> bool:
        """Whether a row has one value of what both conditions are about."""
        tables = {columns[part].table for one in both.parts for part, _ in parts_of(one)}
        return all(self._catalog.is_of_row(table, head) for table in tables)

    def _names_row(self, shown: Ref | Measure | Rows, head: str) -> bool:
        if isinstance(shown, Rows):
            return shown.table == head
        names = {*self._catalog.labels(head), self._catalog.key(head)}
        return isinstance(shown, Ref) and any(column in names for column, _ in shown.options)

    def _of_groups(self, query: Query, columns: Mapping[Part, ColumnRef]) -> Query:
        """ "How many clients have more than three orders", "the average age of clients in both clubs": figures of the
        rows that conditions on groups leave, or several conditions that no row of another table meets at once."""
        figures = [shown for shown in query.select if isinstance(shown, Measure)]
        havings = havings_of(query)
        several = any(isinstance(p, Both) for p in query.where)
        if not (havings or several) or not figures or len(figures) < len(query.select) or any(f.outer for f in figures):
            return query
        measured = [_table_of(figure, columns) for figure in figures]
        compared = {_table_of(having.left, columns) for having in havings if isinstance(having.left, Measure)}
        tables = dict.fromkeys((*measured[:1], query.head, *query.mentions))
        table = next((one for one in tables if one and one not in compared and self._catalog.key(one)), None)
        if table is None or any(one == Rows(table) for one in query.group):
            return query
        where = (*query.where, *(p for figure in figures if isinstance(figure.of, Rows) for p in figure.of.where))
        rest = tuple(p for p in where if p not in havings and not isinstance(p, Both))
        if rest and set(measured) != {table}:
            raise Meaningless("conditions of which rows")
        if any(not self._is_of_rows(group, table, columns) for group in query.group):
            raise Meaningless("groups of groups")
        told = {columns[part].table for p in where for part, _ in parts_of(p)} | compared | {table, *measured}
        if not {query.head or table, *query.mentions} <= told:
            raise Meaningless("rows that have others")
        if any(self._is_of_row(p, table, columns) for p in where if isinstance(p, Both)):
            raise Meaningless("two values of one row")
        parts = [part for p in where if isinstance(p, Both) for part in p.parts]
        met = [Among((*rest, part), table) for part in parts]
        met += [Among((*rest, *havings), table)] * bool(havings)
        select = tuple(replace(f, of=replace(f.of, where=())) if isinstance(f.of, Rows) else f for f in figures)
        return replace(query, select=select, head=table, mentions=(), where=tuple(met))

    def _side_by_side(self, query: Query, columns: Mapping[Part, ColumnRef]) -> exp.Query | None:
        """ "How many customers and how many orders": figures of different tables, each by itself."""
        figures = [shown for shown in query.select if isinstance(shown, Measure)]
        tables = [_table_of(figure, columns) for figure in figures]
        alone = len(figures) == len(query.select) and not (query.where or query.group or query.rank or query.order)
        if self._bare or len(set(tables)) < 2 or not alone or None in tables or any(f.outer or f.over for f in figures):
            return None
        if not {query.head or tables[0], *query.mentions} <= set(tables):
            raise Meaningless("rows that have others")
        selects = [
            self.select(replace(query, select=(f,), head=t, mentions=()), columns)
            for f, t in zip(figures, tables, strict=True)
        ]
        shown = [
            exp.alias_(exp.Subquery(this=one.select(one.selects[0].unalias(), append=False)), one.selects[0].alias)
            for one in selects
        ]
        return exp.select(*shown)

    def _is_of_rows(self, group: Ref | Rows | Bucket, table: str, columns: Mapping[Part, ColumnRef]) -> bool:
        of = group.of if isinstance(group, Bucket) else group
        return self._catalog.is_of_row(of.table if isinstance(of, Rows) else columns[of].table, table)

    def _percentile(self, query: Query, columns: Mapping[Part, ColumnRef]) -> exp.Query | None:
        """The value that so many percent lie below, between the two next to it, of each group; not every database has a
        function for it."""
        figure = next((s for s in query.select if isinstance(s, Measure) and s.percent), None)
        if figure is None:
            return None
        groups = [one for group in query.group for one in self._telling(group)]
        columns = {**columns, **{one: one.options[0][0] for one in groups if one not in columns}}
        if len(query.select) > 1 or query.rank or query.order or havings_of(query):
            raise Meaningless("a percentile beside others")
        table = _table_of(figure, columns)
        if not isinstance(figure.of, Ref) or self._catalog.column(columns[figure.of]).kind is ColumnKind.TEXT:
            raise Meaningless("a percentile of what")
        of = replace(figure.of, owner=table)
        if any(not self._is_of_rows(group, table or "", columns) for group in groups):
            raise Meaningless("a percentile of repeated rows")
        if {query.head, *query.mentions} - {None, table, *(columns[group].table for group in groups)}:
            raise Meaningless("a percentile of rows that have others")
        listed = replace(query, select=(*groups, of), group=(), head=table, mentions=())
        values = self.inner(listed, {**columns, of: columns[figure.of]})
        if values.args.get("distinct") is not None:
            raise Meaningless("a percentile of repeated rows")
        names = [f"group_{place}" for place in range(len(groups))]
        shown = [exp.alias_(one.unalias(), name) for one, name in zip(values.selects, [*names, "value"], strict=True)]
        by = [exp.column(name) for name in names]
        order = exp.Order(expressions=[exp.Ordered(this=exp.column("value"))])
        place = exp.Window(this=exp.RowNumber(), partition_by=by, order=order)
        number = exp.Window(this=exp.Count(this=exp.Star()), partition_by=[one.copy() for one in by])
        there = exp.Not(this=exp.Is(this=exp.column("value"), expression=exp.Null()))
        placed = exp.select(*names, "value", exp.alias_(place, "place"), exp.alias_(number, "values_there"))
        placed = placed.from_(values.select(*shown, append=False).subquery("listed")).where(there)
        off = parse_one(f"ABS(place - 1 - {figure.percent} * (values_there - 1) / 100.0)")
        value = exp.Sum(this=exp.column("value") * (exp.Literal.number(1) - off))
        keys = {group for group in groups if columns[group] == self._catalog.key(columns[group].table)}
        known = {key for key in keys if self._catalog.labels(columns[key].table)}
        told = zip(groups, names, values.selects, strict=False)
        called = [exp.alias_(exp.column(name), one.alias_or_name) for group, name, one in told if group not in known]
        name = named(figure.op, values.selects[-1].alias_or_name)
        shown = [*called, exp.alias_(value, self._vocabulary.identifier(name or figure.op))]
        self.features.append("sql:nested")
        return exp.select(*shown).from_(placed.subquery("placed")).where(off < 1).group_by(*(c.copy() for c in by))

    def _telling(self, group: Ref | Rows | Bucket) -> list[Ref]:
        """The columns that tell groups apart, and what these are called."""
        if isinstance(group, Bucket):
            raise Meaningless("a percentile of periods")
        if isinstance(group, Ref):
            return [group]
        told = dict.fromkeys((self._catalog.key(group.table), *self._catalog.labels(group.table)))
        return [Ref(((column, 0),), group.table) for column in told if column is not None]

    def _change(self, query: Query, columns: Mapping[Part, ColumnRef]) -> exp.Query | None:
        """A figure of each period beside how it differs from that of the period before, by itself and in percent."""
        measure = next((s for s in query.select if isinstance(s, Measure) and s.over), None)
        if measure is None:
            if query.group_place == "ends":
                raise Meaningless("two periods of nothing that changes")
            return None
        periods = [group for group in query.group if isinstance(group, Bucket)]
        if len(query.select) > 1 or len(periods) != 1 or len(query.group) > 1 or query.rank or query.order:
            raise Meaningless("a change of what, and when")
        self._variant = ""
        figures = self.inner(replace(query, select=(replace(measure, over=None),)), columns)
        self.features.append("sql:change")
        if measure.over == "running":
            return _running(figures, self._vocabulary)
        return changes_of(figures, self._vocabulary, first=query.group_place not in ("versus", "ends"))

    def _figure_of_figures(self, query: Query, columns: Mapping[Part, ColumnRef]) -> exp.Query | None:
        """An average of counts."""
        measure = next((s for s in query.select if isinstance(s, Measure) and s.outer), None)
        if measure is None or measure.outer is None:
            return None
        if len(query.select) > 1 or query.rank or measure.outer not in AGGREGATES:
            raise Meaningless("figure of figures beside others")
        self._variant = "group_hidden"
        inner = self.select(replace(query, select=(replace(measure, outer=None),), every=True), columns)
        if inner.args.get("group") is None:
            raise Meaningless("a figure of one figure")
        self.features = [f for f in self.features if not f.startswith("sql:group")] + ["sql:nested"]
        inner = inner.select(exp.alias_(inner.selects[0].unalias(), "n"), append=False)
        return exp.select(AGGREGATES[measure.outer](this=exp.column("n"))).from_(inner.subquery("counted"))


def _table_of(figure: Measure, columns: Mapping[Part, ColumnRef]) -> str | None:
    """The table whose rows a figure counts or adds up."""
    return figure.of.table if isinstance(figure.of, Rows | Metric) else columns[figure.of].table if figure.of else None


def _with_few(query: Query) -> Query:
    """ "fewer than two orders" are said of those without any too, of which a join has no row. A benchmark leaves them
    out."""
    if query.group:
        return query
    shown = tuple(
        replace(one, of=replace(one.of, where=tuple(map(_few, one.of.where))))
        if isinstance(one, Measure) and isinstance(one.of, Rows)
        else one
        for one in query.select
    )
    return replace(query, where=tuple(map(_few, query.where)), select=shown)


def _few(predicate: Predicate) -> Predicate:
    match predicate:
        case Compare(Measure("count", Rows() as other), op, (int() as number,)) if op in ("<", "<=", "="):
            most = number - 1 if op == "<" else number
            if op == "=" and number:
                return predicate
            more = Compare(Measure("count", other), ">", (most,))
            return Without(other) if most <= 0 else Among((more,), negated=True)
    return predicate
