"""From a grounded reading to SQL: outputs, groups, joins, conditions and rankings. Refuses what has no meaning."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from sqlglot import exp

from askwell.mdl.semantic_model import ColumnRef
from askwell.question.stems import stem_set
from askwell.semantic_parsing.catalog import DATE, KEY, NUMBER, Catalog
from askwell.semantic_parsing.forms import (
    Both,
    Bucket,
    Compare,
    During,
    Holds,
    Measure,
    Query,
    Rank,
    Ref,
    Rows,
)
from askwell.semantic_parsing.grounding import KEY_WORDS, Grounding, Part, tables_of
from askwell.semantic_parsing.joined import Joined, Meaningless, join, on, repeats
from askwell.semantic_parsing.predicates import OPERATORS, PredicateWriter
from askwell.sql.rules.comparability import refuse_figure
from askwell.sql.rules.draft import DeadEnd
from askwell.sql.rules.expressions import alias
from askwell.sql.rules.query import Output
from askwell.sql.rules.vocabulary import Vocabulary

_AGGREGATES: Mapping[str, type[exp.AggFunc]] = {
    "avg": exp.Avg,
    "sum": exp.Sum,
    "total": exp.Sum,
    "min": exp.Min,
    "max": exp.Max,
}
_NULLS_FIRST = frozenset({"sqlite", "mysql"})
_FIGURES = {"total": "sum"}
# Last words of a label that says more of a row than what it is called.
_DESCRIBING = stem_set(frozenset({"detail", "description"}))
_GROUP_PLACES = ("group_first", "group_last", "group_hidden")
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
class Span:
    """The day, month, … of a date column."""

    unit: str
    column: ColumnRef


Shown = ColumnRef | Span | Measure


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
        self._tables: list[str] = []

    def compiled(self, query: Query, grounding: Grounding) -> Compiled:
        """The statement. Raises `Meaningless` where the reading has none."""
        columns = grounding.columns
        tree = self._intersection(query, columns) or self._figure_of_figures(query, columns)
        tree = tree or self._count_of_groups(query, columns) or self.select(query, columns)
        ordered = tree.args.get("order") is not None
        return Compiled(tree, tuple(self.features), tuple(dict.fromkeys(self._tables)), ordered)

    def inner(self, query: Query, columns: Mapping[Part, ColumnRef]) -> exp.Select:
        """A SELECT that stands in another one. Raises `Meaningless` where there is none."""
        return self.select(query, columns, bare=True)

    def select(self, query: Query, columns: Mapping[Part, ColumnRef], *, bare: bool | None = None) -> exp.Select:
        """One SELECT. Raises `Meaningless` where there is none."""
        bare = self._bare if bare is None else bare
        made = _Select(self._catalog, self._vocabulary, columns, self._said, self._variant, self, bare=bare)
        select = made.written(query)
        self.features += made.features
        self._tables += made.tables
        return select

    # ------------------------------------------------------------ wholes
    def _intersection(self, query: Query, columns: Mapping[Part, ColumnRef]) -> exp.Query | None:
        both = next((p for p in query.where if isinstance(p, Both)), None)
        if both is None:
            return None
        if query.rank or query.order or any(isinstance(s, Measure) for s in query.select):
            raise Meaningless("intersection of figures")
        rest = tuple(p for p in query.where if p is not both)
        left, right = (self.select(replace(query, where=(*rest, p)), columns) for p in both.parts)
        self.features.append("sql:intersect")
        return exp.Intersect(this=left, expression=right, distinct=True)

    def _count_of_groups(self, query: Query, columns: Mapping[Part, ColumnRef]) -> exp.Query | None:
        """ "How many clients have more than three orders": a count of groups."""
        measure = query.select[0] if len(query.select) == 1 else None
        havings = [p for p in query.where if isinstance(p, Compare) and isinstance(p.left, Measure)]
        if not havings or not isinstance(measure, Measure) or measure.op != "count" or query.group:
            return None
        if not isinstance(measure.of, Rows):
            return None
        key = self._catalog.key(measure.of.table)
        if key is None:
            raise Meaningless("no key")
        shown = Ref(((key, 0),), key.table)
        where = query.where + measure.of.where
        inner = self.inner(replace(query, select=(shown,), head=key.table, where=where), {**columns, shown: key})
        self.features.append("sql:counted_groups")
        return exp.select(exp.Count(this=exp.Star())).from_(inner.subquery("counted"))

    def _figure_of_figures(self, query: Query, columns: Mapping[Part, ColumnRef]) -> exp.Query | None:
        """An average of counts."""
        measure = next((s for s in query.select if isinstance(s, Measure) and s.outer), None)
        if measure is None or measure.outer is None:
            return None
        if len(query.select) > 1 or query.rank or measure.outer not in _AGGREGATES:
            raise Meaningless("figure of figures beside others")
        self._variant = "group_hidden"
        inner = self.inner(replace(query, select=(replace(measure, outer=None),)), columns)
        if inner.args.get("group") is None:
            raise Meaningless("a figure of one figure")
        self.features = [f for f in self.features if not f.startswith("sql:group")] + ["sql:nested"]
        inner = inner.select(exp.alias_(inner.selects[0].unalias(), "n"), append=False)
        return exp.select(_AGGREGATES[measure.outer](this=exp.column("n"))).from_(inner.subquery("counted"))


class _Select:
    """The parts of one SELECT."""

    def __init__(
        self,
        catalog: Catalog,
        vocabulary: Vocabulary,
        columns: Mapping[Part, ColumnRef],
        said: frozenset[str],
        variant: str,
        compiler: Compiler,
        *,
        bare: bool,
    ) -> None:
        self._catalog, self._vocabulary, self._columns, self._said = catalog, vocabulary, columns, said
        self._variant, self._bare, self._dialect = variant, bare, vocabulary.dialect
        self._predicates = PredicateWriter(catalog, vocabulary, columns, said, compiler)
        self.features = self._predicates.features
        self._needed = self._predicates.needed
        self.tables: tuple[str, ...] = ()

    def written(self, query: Query) -> exp.Select:
        catalog = self._catalog
        head = self._head(query)
        outputs = self._outputs(query, head)
        measures = [o for o in outputs if isinstance(o, Measure)]
        plain = [o for o in outputs if not isinstance(o, Measure)]
        havings = [p for p in query.where if isinstance(p, Compare) and isinstance(p.left, Measure)]
        groups = self._groups(query, plain, measures, havings, head)
        if query.group and not plain and measures:
            outputs, plain = self._with_groups_shown(query, outputs)
        rank = query.rank
        if rank is not None and rank.grouped and isinstance(rank.by, Ref):
            groups = [self._column(rank.by)]
            outputs = outputs or list(groups)
        if not outputs and not query.everything:
            raise Meaningless("nothing to show")
        if self._variant == "rank_total" and head is not None and catalog.key(head) and not measures and not groups:
            query, groups = self._ranked_by_total(query, head)
            rank = query.rank
        orders, limit = self._orders(query, outputs, groups, measures)
        if measures and not groups and (orders or limit):
            raise Meaningless("order of a single row")
        if not self._bare and limit is not None and not query.everything:
            outputs = [*outputs, *(by for by, _ in orders if by not in outputs)]
        wheres = self._wheres(query, havings, head)
        first_of_each = rank is not None and isinstance(rank.by, Ref) and not measures
        partitions = [self._key(g.table) if isinstance(g, Rows) else self._grouping(g) for g in query.group]
        partitions = partitions if first_of_each else []
        if partitions and (havings or groups):
            raise Meaningless("the first of groups of groups")
        if groups and not all(self._is_of_group(o, groups, []) for o in outputs if not isinstance(o, Measure)):
            raise Meaningless("one value of a group that has many")
        sorted_plainly = [by for by, _ in orders if not isinstance(by, Measure)]
        if groups and not partitions and not all(self._is_of_group(by, groups, outputs) for by in sorted_plainly):
            raise Meaningless("order of groups by what is not of one")
        joined = self._join(query, head, plain)
        self._check(query, outputs, groups, orders, joined, head)
        expressions = [self._shown(o, joined) for o in outputs] if not query.everything else [exp.Star()]
        if query.everything and joined.joins:
            raise Meaningless("everything of several tables")
        select = exp.select(*expressions).from_(self._vocabulary.table(joined.root))
        for step in joined.joins:
            select = select.join(self._vocabulary.table(step.table), on=on(self._vocabulary, step), copy=False)
        select, wheres = self._with_share(select, query, measures, wheres, plain)
        select = select.where(*wheres, copy=False) if wheres else select
        if groups:
            shown = [o for o in (*outputs, *(by for by, _ in orders)) if not isinstance(o, Measure)]
            every = dict.fromkeys((*groups, *shown)) if self._dialect != "sqlite" else groups
            select = select.group_by(*(self._expression(g, joined) for g in every), copy=False)
            self.features.append("sql:group")
        for having in havings:
            select = select.having(self._having(having, joined), copy=False)
            self.features.append("sql:having")
        for by, descending in orders:
            select = select.order_by(self._ordered(by, joined, descending, limited=limit is not None), copy=False)
        select = select.limit(limit) if limit else select
        if partitions and rank is not None:
            return self._first_of_each(select, rank, partitions, joined)
        self.tables = joined.tables
        return self._distinct(select, query, outputs, groups, orders, joined, head)

    # ------------------------------------------------------------ what is shown
    def _head(self, query: Query) -> str | None:
        """What the question is about: the table that it names first, or that of the first column."""
        named = tables_of(query)
        return named[0] if named else next((column.table for column in self._columns.values()), None)

    def _column(self, part: Part) -> ColumnRef:
        return self._predicates.column_of(part)

    def _grouping(self, part: Ref | Bucket) -> ColumnRef | Span:
        if isinstance(part, Ref):
            return self._column(part)
        column = self._column(part.of)
        if self._catalog.is_year(column):
            if part.unit != "year":
                raise Meaningless("no such period in a year")
            return column
        if self._catalog.kind(column) != DATE:
            raise Meaningless("no date")
        return Span(part.unit, column)

    def _label(self, table: str) -> list[ColumnRef]:
        label = list(self._catalog.labels(table))
        if not label:
            key = self._catalog.key(table)
            if key is None:
                raise Meaningless("no label")
            label = [key]
            self.features.append("sql:key_as_label")
        elif not self._bare and self._catalog.column(label[0]).words[-1] in _DESCRIBING:
            key = self._catalog.key(table)
            label = [key, *label] if key is not None else label  # two rows may be described alike
        self._needed.append(table)
        return label

    def _outputs(self, query: Query, head: str | None) -> list[Shown]:
        outputs: list[Shown] = []
        for part in query.select:
            match part:
                case Ref():
                    column = self._column(part)
                    outputs += [column] if column not in outputs else []
                case Rows(table):
                    outputs += [c for c in self._label(table) if c not in outputs]
                    own = table in (query.head, *query.mentions)
                    self.features.append("sql:entity_shown" if own else "sql:other_shown")
                case Measure(_, of):
                    if isinstance(of, Rows):
                        self._needed.append(of.table)
                    elif of is not None:
                        self._column(of)
                    outputs.append(part)
        if self._variant == "with_label" and query.head is not None:
            outputs = [*(c for c in self._label(query.head) if c not in outputs), *outputs]
            self.features.append("sql:with_label")
        counted = query.rank is not None and query.rank.grouped and query.rank.by is not None
        if not outputs and not query.everything and not counted:
            outputs = self._implied_outputs(query, head)
        return outputs

    def _implied_outputs(self, query: Query, head: str | None) -> list[Shown]:
        """Where nothing is asked to be shown: names, or for groups how many rows each has."""
        if head is None:
            raise Meaningless("nothing to show")
        listed = query.rank is not None and isinstance(query.rank.by, Ref)
        if query.group and not listed:
            if query.rank is None and self._variant != "group_counted":
                self.features.append("sql:group_listed")
                if not query.order and query.group_place != "versus":
                    shown: list[Shown] = [c for g in query.group for c in self._group_shown(g)]
                    return [*shown, *self._label(head)]
            self.features.append("sql:group_counted")
            self._needed.append(head)
            return [Measure("count", Rows(head))]
        outputs: list[Shown] = [c for g in query.group for c in self._group_shown(g)]
        self.features.append("sql:label_shown")
        return [*outputs, *self._label(head)]

    def _group_shown(self, group: Ref | Rows | Bucket) -> list[ColumnRef | Span]:
        return [*self._label(group.table)] if isinstance(group, Rows) else [self._grouping(group)]

    def _with_groups_shown(self, query: Query, outputs: list[Shown]) -> tuple[list[Shown], list[ColumnRef | Span]]:
        """ "the number of orders per city" shows the city."""
        shown = [column for group in query.group for column in self._group_shown(group)]
        place = self._variant if self._variant in _GROUP_PLACES else "group_first"
        self.features += ["sql:group_shown", f"sql:{place}", f"sql:{place}:{query.group_place}"]
        if place == "group_hidden":
            return outputs, []
        return ([*shown, *outputs] if place == "group_first" else [*outputs, *shown]), shown

    # ------------------------------------------------------------ groups and orders
    def _groups(
        self,
        query: Query,
        plain: list[ColumnRef | Span],
        measures: list[Measure],
        havings: list[Compare],
        head: str | None,
    ) -> list[ColumnRef | Span]:
        rank = query.rank
        sorted_by = query.order.by if query.order is not None and rank is None else ()
        counting = any(isinstance(by, Measure) for by in sorted_by)
        if rank is not None:
            by_column = bool(query.order and query.order.by and isinstance(query.order.by[0], Ref))
            counting = isinstance(rank.by, Measure | Rows) or (rank.by is None and not by_column)
        if query.group:
            if not measures and not counting and not havings and not query.order:
                if query.group_place == "versus":
                    raise Meaningless("nothing to set side by side")
                if rank is None or not isinstance(rank.by, Ref):
                    self.features.append("sql:group_ignored")
                return []
            return [self._key(g.table) if isinstance(g, Rows) else self._grouping(g) for g in query.group]
        if plain and (measures or counting or havings):
            return self._groups_of_shown(query, plain, measures, havings, head)
        if havings or counting:
            if head is None or measures:
                raise Meaningless("groups of what")
            return [self._key(head)]
        return []

    def _groups_of_shown(
        self,
        query: Query,
        plain: list[ColumnRef | Span],
        measures: list[Measure],
        havings: list[Compare],
        head: str | None,
    ) -> list[ColumnRef | Span]:
        """What is shown beside a figure is what it is grouped by: rows by their key where they are named."""
        columns = [c for c in plain if isinstance(c, ColumnRef)]
        figures = [*measures, *(h.left for h in havings), query.rank.by if query.rank is not None else None]
        counted = {m.of.table for m in figures if isinstance(m, Measure) and isinstance(m.of, Rows)}
        tables = {c.table for c in columns}
        if len(columns) == len(plain) and len(tables) == 1:
            (only,) = tables
            key = self._catalog.key(only)
            names = {*self._catalog.labels(only), key}
            asked = only == head or only in tables_of(query)
            if key is not None and names & set(columns) and asked and only not in counted:
                return [key]
        self.features.append("sql:group_by_shown")
        return list(plain)

    def _key(self, table: str) -> ColumnRef:
        self._needed.append(table)
        return self._catalog.key(table) or self._label(table)[0]

    def _ranked_by_total(self, query: Query, head: str) -> tuple[Query, list[ColumnRef | Span]]:
        by = query.rank.by if query.rank is not None else None
        if query.rank is None or not isinstance(by, Ref):
            raise Meaningless("a total of what")
        self.features.append("sql:rank_total")
        return replace(query, rank=replace(query.rank, by=Measure("sum", by)), order=None), [self._key(head)]

    def _orders(
        self, query: Query, outputs: list[Shown], groups: list[ColumnRef | Span], measures: list[Measure]
    ) -> tuple[list[tuple[Shown, bool]], int | None]:
        if query.rank is not None:
            return self._rank_orders(query, query.rank, groups, measures)
        if query.limit is not None:
            raise Meaningless("a number of nothing")
        if query.order is None:
            return [], None
        orders: list[tuple[Shown, bool]] = []
        if not query.order.by and not outputs:
            raise Meaningless("order by what")
        for by in query.order.by or outputs[:1]:
            match by:
                case ColumnRef() | Span():
                    orders.append((by, bool(query.order.descending)))
                case Measure(_, of):
                    if not groups:
                        raise Meaningless("order of groups without groups")
                    self._needed += [of.table] if isinstance(of, Rows) else []
                    if isinstance(of, Ref):
                        self._column(of)
                    orders.append((by, bool(query.order.descending)))
                case Ref():
                    orders.append((self._column(by), bool(query.order.descending)))
                case Rows(table):
                    orders.append((self._label(table)[0], bool(query.order.descending)))
        return orders, None

    def _rank_orders(
        self, query: Query, rank: Rank, groups: list[ColumnRef | Span], measures: list[Measure]
    ) -> tuple[list[tuple[Shown, bool]], int | None]:
        limit = query.limit if rank.n == 1 and query.limit else rank.n
        by = rank.by
        if by is None and query.order is not None and query.order.by:
            by = query.order.by[0]
        found: Shown
        match by:
            case Ref() if rank.grouped:
                found = Measure("count", None)
            case Ref():
                if measures and not groups:
                    raise Meaningless("figure of the first row")
                found = self._column(by)
            case Measure(_, Rows(table)):
                self._needed.append(table)
                found = by
            case Measure(_, of):
                if isinstance(of, Ref):
                    self._column(of)
                found = by
            case Rows(table):
                self._needed.append(table)
                found = Measure("count", None)
            case _:
                found = measures[0] if measures else Measure("count", None)
        if isinstance(found, Measure) and not groups:
            raise Meaningless("ranking of groups without groups")
        if measures and found in groups:
            raise Meaningless("ranking of groups by what they are called")
        return [(found, rank.descending)], limit

    def _is_only_name(self, key: ColumnRef) -> bool:
        """Whether rows of its table have no other name."""
        return self._catalog.key(key.table) == key and not self._catalog.labels(key.table)

    def _is_of_group(self, by: ColumnRef | Span, groups: list[ColumnRef | Span], outputs: list[Shown]) -> bool:
        """Whether a column has one value in each group."""
        table = by.column.table if isinstance(by, Span) else by.table
        return by in groups or by in outputs or self._catalog.key(table) in groups

    def _ordered(self, by: Shown, joined: Joined, descending: bool, *, limited: bool) -> exp.Ordered:
        """A sort key. Missing values never win a superlative; a plain sort keeps the dialect's own order."""
        nulls_first = not descending and not limited and self._dialect in _NULLS_FIRST
        return exp.Ordered(this=self._expression(by, joined), desc=descending, nulls_first=nulls_first)

    def _first_of_each(
        self, select: exp.Select, rank: Rank, partitions: list[ColumnRef | Span], joined: Joined
    ) -> exp.Select:
        """The best rows of each group: a ranking within partitions, that keeps ties where one is asked for."""
        if not isinstance(rank.by, Ref):
            raise Meaningless("the first by what")
        self.features.append("sql:first_of_each")
        self.tables = joined.tables
        by = self._ordered(self._columns[rank.by], joined, rank.descending, limited=True)
        order = exp.Order(expressions=[by])
        ranking = exp.RowNumber() if rank.n > 1 else exp.Anonymous(this="RANK")
        place = exp.Window(this=ranking, partition_by=[self._expression(p, joined) for p in partitions], order=order)
        names = [self._vocabulary.identifier(name) for name in _distinct_names(select.selects)]
        shown = [exp.alias_(e.unalias(), name) for e, name in zip(select.selects, names, strict=True)]
        inner = select.select(*shown, exp.alias_(place, "place"), append=False)
        for clause in ("order", "limit", "group"):
            inner.set(clause, None)
        chosen = exp.LTE(this=exp.column("place"), expression=exp.Literal.number(rank.n))
        return exp.select(*(exp.Column(this=name) for name in names)).from_(inner.subquery("placed")).where(chosen)

    # ------------------------------------------------------------ conditions and joins
    def _wheres(self, query: Query, havings: list[Compare], head: str | None) -> list[exp.Expr]:
        wheres = [self._predicates.condition(p, head) for p in query.where if p not in havings]
        equal = [(self._columns[p], p.values) for p in query.where if isinstance(p, Holds) and not p.negated]
        if len({column for column, _ in equal}) < len(set(equal)):
            self.features.append("sql:contradiction")
        measured = [query.rank.by if query.rank is not None else None, *(h.left for h in havings), *query.select]
        for measure in measured:
            if isinstance(measure, Measure) and isinstance(measure.of, Rows):
                self._needed.append(measure.of.table)
                wheres += [self._predicates.condition(p, measure.of.table) for p in measure.of.where]
            elif isinstance(measure, Measure) and isinstance(measure.of, Ref):
                self._column(measure.of)
        return wheres

    def _join(self, query: Query, head: str | None, plain: list[ColumnRef | Span]) -> Joined:
        mentions = [table for table in query.mentions if table not in self._predicates.absent]
        shown = [c.column.table if isinstance(c, Span) else c.table for c in plain]
        needed = list(dict.fromkeys([*shown, *self._needed]))
        tables = list(dict.fromkeys([*needed, *([head] if head else []), *mentions]))
        if query.everything:
            tables.sort(key=lambda table: table != head)
            needed = [head] if head else needed
        if not tables:
            raise Meaningless("no table")
        joined = join(self._catalog, tables, needed, self._said, self._dialect)
        self.features += joined.signs
        self.features += ["sql:named_left_out"] * len(
            set(tables_of(query)) - set(joined.tables) - self._predicates.absent
        )
        self.features.append(f"sql:tables{min(len(joined.joins) + 1, 5)}")
        return joined

    def _check(
        self,
        query: Query,
        outputs: list[Shown],
        groups: list[ColumnRef | Span],
        orders: list[tuple[Shown, bool]],
        joined: Joined,
        head: str | None,
    ) -> None:
        """Features of the whole, and what may not be: a figure of rows that a join repeats."""
        catalog = self._catalog
        figures = [o for o in (*outputs, *(by for by, _ in orders)) if isinstance(o, Measure)]
        for figure in figures:
            if figure.op in ("sum", "avg", "total") and isinstance(figure.of, Ref):
                if repeats(catalog, joined, self._columns[figure.of].table):
                    self.features.append("sql:figure_over_repeats")
        if query.head is not None and catalog.labels(query.head) and query.select and query.late:
            if not set(catalog.labels(query.head)) & {o for o in outputs if isinstance(o, ColumnRef)}:
                self.features.append("sql:label_apart")
        if not self._bare and not self._said & KEY_WORDS:
            keys = [o for o in outputs if isinstance(o, ColumnRef) and catalog.kind(o) == KEY]
            self.features += ["people:key_shown"] * any(not self._is_only_name(key) for key in keys)
        told = {self._columns[p] for p in query.where if isinstance(p, Holds) and not p.negated and len(p.values) == 1}
        if outputs and all(isinstance(o, ColumnRef) and o in told for o in outputs):
            self.features.append("sql:echo")  # what is shown is what was said
        elif any(o in told for o in outputs if isinstance(o, ColumnRef)):
            self.features.append("sql:echo_beside")
        self.features.append(f"sql:shown{min(len(outputs), 5)}")
        self.features.append(f"sql:conditions{min(len(query.where), 4)}")
        first = orders[0][0] if orders else None
        if head is not None and groups == [catalog.key(head)] and not repeats(catalog, joined, head):
            if any(f.op == "count" and (f.of is None or isinstance(f.of, Rows)) for f in figures) or (
                not figures and any(isinstance(p, Compare) and isinstance(p.left, Measure) for p in query.where)
            ):
                raise Meaningless("each counts once")
        if query.rank is not None and isinstance(first, ColumnRef) and not groups and head is not None:
            if repeats(catalog, joined, head) and catalog.kind(first) == NUMBER and catalog.is_additive(first):
                self.features.append("sql:rank_over_repeats")

    def _distinct(
        self,
        select: exp.Select,
        query: Query,
        outputs: list[Shown],
        groups: list[ColumnRef | Span],
        orders: list[tuple[Shown, bool]],
        joined: Joined,
        head: str | None,
    ) -> exp.Select:
        listed = not groups and not query.everything and not any(isinstance(o, Measure) for o in outputs)
        repeated = listed and not orders and head is not None and repeats(self._catalog, joined, head)
        if repeated:
            self.features.append("sql:repeats")
        attribute = listed and not repeated and not query.distinct and not any(map(self._names_a_row, outputs))
        if attribute:
            self.features += ["sql:attribute", f"sql:attribute{bool(query.head):d}"]
        if listed and query.distinct:
            self.features.append("sql:distinct")
        elif repeated and self._variant != "repeats":
            self.features.append("sql:distinct_repeats")
        elif attribute and self._variant == "distinct":
            self.features.append(f"sql:distinct_attribute{bool(query.head):d}")
        else:
            return select
        return select.distinct()

    def _names_a_row(self, shown: Shown) -> bool:
        if not isinstance(shown, ColumnRef):
            return False
        return shown in self._catalog.labels(shown.table) or self._catalog.key(shown.table) == shown

    # ------------------------------------------------------------ expressions
    def _expression(self, shown: Shown, joined: Joined) -> exp.Expr:
        match shown:
            case Measure():
                return self._measure(shown, joined)
            case Span(unit, column):
                return self._vocabulary.bucket(self._vocabulary.column(column, qualified=True), unit, column)
            case _:
                return self._vocabulary.column(shown, qualified=True)

    def _shown(self, shown: Shown, joined: Joined) -> exp.Expr:
        """An expression of the select list, named where the database would make up a name."""
        match shown:
            case Measure(op, of):
                column = self._columns[of] if isinstance(of, Ref) else None
                rows = of.table if isinstance(of, Rows) else None
                name = alias(Output(column, _FIGURES.get(op, op), rows_of=rows)) if op != "share" else "percentage"
            case Span(unit, column):
                name = alias(Output(column, bucket=unit))
            case _:
                name = None
        expression = self._expression(shown, joined)
        return exp.alias_(expression, self._vocabulary.identifier(name)) if name is not None else expression

    def _having(self, having: Compare, joined: Joined) -> exp.Expr:
        if not isinstance(having.left, Measure):
            raise Meaningless("no figure")
        left = self._measure(having.left, joined)
        values = [self._vocabulary.literal(v) for v in having.right if isinstance(v, int | float)]
        if len(values) != len(having.right) or not values:
            raise Meaningless("a figure beside a text")
        if having.op == "between":
            return exp.Between(this=left, low=values[0], high=values[1])
        return OPERATORS[having.op](this=left, expression=values[0])

    def _measure(self, measure: Measure, joined: Joined) -> exp.Expr:
        match measure:
            case Measure("count", None) | Measure("share"):
                return exp.Count(this=exp.Star())
            case Measure("count", Rows(table), distinct):
                key, labels = self._catalog.key(table), self._catalog.labels(table)
                if key is not None and table in joined.tables and repeats(self._catalog, joined, table):
                    self.features.append("sql:count_repeats")
                    return self._counted(key)
                return self._counted(labels[0]) if distinct and labels else exp.Count(this=exp.Star())
            case Measure("count", Ref() as of):
                return self._counted(self._columns[of])
            case Measure(op, Ref() as of) if op in _AGGREGATES:
                column = self._columns[of]
                if self._catalog.kind(column) == KEY:
                    raise Meaningless("figure of a key")
                try:
                    refuse_figure(Output(column, "sum" if op == "total" else op), self._catalog.facts, self._dialect)
                except DeadEnd as end:
                    raise Meaningless(end.reason) from end
                return self._aggregate(op, column)
        raise Meaningless("figure of what")

    def _aggregate(self, op: str, column: ColumnRef) -> exp.Expr:
        per = self._vocabulary.per(column)
        if op == "avg" and per is not None:
            total = exp.Sum(this=self._vocabulary.column(column, qualified=True))
            return exp.Div(this=total, expression=self._counted(per), typed=False, safe=True)
        return _AGGREGATES[op](this=self._predicates.number(column))

    def _counted(self, column: ColumnRef) -> exp.Expr:
        return exp.Count(this=exp.Distinct(expressions=[self._vocabulary.column(column, qualified=True)]))

    def _with_share(
        self,
        select: exp.Select,
        query: Query,
        measures: list[Measure],
        wheres: list[exp.Expr],
        plain: list[ColumnRef | Span],
    ) -> tuple[exp.Select, list[exp.Expr]]:
        """How much of a hundred the rows that meet the conditions make up; periods say of which rows."""
        share = next((m for m in measures if m.op == "share"), None)
        if share is None:
            return select, wheres
        own = [p for p in query.where if not (isinstance(p, Compare) and isinstance(p.left, Measure))]
        pairs = list(zip(own, wheres, strict=False))
        part = [where for p, where in pairs if not isinstance(p, During)] or [where for _, where in pairs]
        rest = [where for where in wheres if where not in part]
        if not part or len(measures) > 1:
            raise Meaningless("share of nothing")
        worth: exp.Expr = exp.Literal.number(1)
        whole: exp.Expr = exp.Count(this=exp.Star())
        if isinstance(share.of, Ref):
            worth = self._vocabulary.column(self._columns[share.of], qualified=True)
            whole = exp.Sum(this=worth.copy())
        met = exp.Case().when(exp.and_(*part), worth).else_(exp.Literal.number(0))
        hundred = exp.Mul(this=exp.Literal.number("100.0"), expression=exp.Sum(this=met))
        percentage = exp.Div(this=hundred, expression=whole, typed=False, safe=True)
        self.features.append("sql:share")
        others = [e for e, o in zip(select.selects, [*plain, share], strict=False) if o is not share][: len(plain)]
        return select.select(*others, exp.alias_(percentage, "percentage"), append=False), rest


def _distinct_names(selects: list[exp.Expr]) -> Iterator[str]:
    """A name for each expression, that no other one has."""
    taken: set[str] = {"place"}
    for number, expression in enumerate(selects, 1):
        name = expression.alias_or_name or f"column_{number}"
        if name.lower() in taken and isinstance(expression, exp.Column):
            name = f"{expression.table}_{name}"
        while name.lower() in taken:
            name = f"{name}_{number}"
        taken.add(name.lower())
        yield name
