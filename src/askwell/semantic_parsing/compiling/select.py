"""One SELECT: joins, conditions, groups, orders and the first of each group, from an outline."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sqlglot import exp

from askwell.mdl.semantic_model import ColumnRef
from askwell.question.words import stem
from askwell.semantic_parsing.compiling.checks import Checks, States, earning, left_out, unspoken_states
from askwell.semantic_parsing.compiling.comparability import Meaningless
from askwell.semantic_parsing.compiling.expressions import ExpressionWriter
from askwell.semantic_parsing.compiling.joined import Joined, join, on, optional, repeats
from askwell.semantic_parsing.compiling.outline import Outline, havings_of
from askwell.semantic_parsing.compiling.outputs import Shown, Span
from askwell.semantic_parsing.compiling.predicates import PredicateWriter
from askwell.semantic_parsing.forms import Compare, During, Measure, Metric, Ref, Rows
from askwell.semantic_parsing.grounding import tables_of
from askwell.semantic_parsing.model.catalog import DATE, TEXT, Catalog
from askwell.semantic_parsing.model.word_forms import word_forms
from askwell.spelling import free_name, spelled_words


class SelectWriter:
    """Writes outlines of one grounding. Features go to `predicates`."""

    def __init__(self, catalog: Catalog, predicates: PredicateWriter, variant: str, *, bare: bool) -> None:
        self._catalog, self._predicates, self._variant, self._bare = catalog, predicates, variant, bare
        self._vocabulary, self._columns, self._said = predicates.vocabulary, predicates.columns, predicates.said
        self._dialect = predicates.vocabulary.dialect
        self.features, self._needed = predicates.features, predicates.needed
        self._checks = Checks(catalog, predicates, bare=bare)

    def written(self, outline: Outline) -> exp.Select:
        """The statement. Raises `Meaningless` where there is none."""
        query = outline.query
        wheres = self._wheres(outline)
        undone = self._undone(outline)
        joined = self._join(outline)
        once = self._checks.once(outline, joined)
        self.features += self._checks.of_whole(outline, joined, once)
        writer = ExpressionWriter(self._catalog, self._predicates, joined, self._kinds(outline))
        if self._predicates.barred & set(joined.tables):
            raise Meaningless("table_beside")
        if query.everything and joined.joins:
            raise Meaningless("everything of several tables")
        shown = self._whole_rows(outline, joined) or [
            one for o in outline.outputs for one in self._others_named(o) or [writer.shown(o)]
        ]
        select = exp.select(*shown).from_(self._vocabulary.table(joined.root))
        for step in joined.joins:
            side = "LEFT" if step.table in joined.outer else ""
            table = self._vocabulary.table(step.table)
            select = select.join(table, on=on(self._vocabulary, step), join_type=side, copy=False)
        wheres += left_out(self._vocabulary, undone)
        wheres += self._named_groups(outline)
        select, wheres = self._with_share(select, outline, wheres, joined)
        select = select.where(*wheres, copy=False) if wheres else select
        select = self._grouped(select, outline, writer)
        if outline.partitions:
            return self._first_of_each(select, outline, writer)
        for by, descending in outline.orders:
            select = select.order_by(writer.ordered(by, descending, limited=outline.limit is not None), copy=False)
        if not outline.orders and outline.limit is None:
            # Months are looked at one after the other.
            for key in (key for key in outline.groups if isinstance(key, Span)):
                select = select.order_by(writer.ordered(key, False, limited=False), copy=False)
        select = select.limit(outline.limit) if outline.limit else select
        select = self._distinct(select, outline, joined) if once is None else self._of_rows_once(select, once)
        return self._sorted_again(select, outline) if query.again is not None else select

    def _others_named(self, shown: Shown) -> list[exp.Expr]:
        """The names of the row of its own table that a column refers to: "staff with their managers"."""
        keys = word_forms().key_words - {stem("number")}
        if self._bare or not isinstance(shown, ColumnRef) or self._predicates.said & keys:
            return []
        key, column = self._catalog.key(shown.table), self._catalog.column(shown)
        labels = self._catalog.labels(shown.table) if column.self_reference else ()
        if key is None:
            return []
        other, found = exp.to_identifier("other"), []
        for label in labels:
            ends = (
                exp.column(self._vocabulary.identifier(key.column), other),
                self._vocabulary.column(shown, qualified=True),
            )
            named = exp.select(exp.column(self._vocabulary.identifier(label.column), other))
            named = named.from_(exp.alias_(self._vocabulary.table(shown.table), other, table=True)).where(
                exp.EQ(this=ends[0], expression=ends[1])
            )
            role = "_".join(spelled_words(shown.column)[:-1] or [shown.column])
            found.append(
                exp.alias_(exp.Subquery(this=named), self._vocabulary.identifier(f"{role}_{label.column}".lower()))
            )
        return found

    def _kinds(self, outline: Outline) -> frozenset[Shown]:
        """What is shown once for each kind of it, so that "gold" and "Gold" are one. A benchmark takes them for two."""
        kinds = [
            *outline.groups,
            *outline.partitions,
            *outline.measures,
            *(outline.outputs if outline.query.distinct else ()),
        ]
        return frozenset(kinds) if not self._bare else frozenset()

    def _named_groups(self, outline: Outline) -> list[exp.Expr]:
        """What has no value is no group that comes first: "which composer wrote the most tracks", "top 3 years"."""
        if self._bare or outline.limit is None or outline.partitions:
            return []
        keys = (key.column if isinstance(key, Span) else key for key in outline.groups)
        columns = [c for c in keys if self._catalog.kind(c) in (TEXT, DATE) or self._catalog.is_year(c)]
        known = [
            self._vocabulary.column(c, qualified=True) for c in columns if not self._catalog.column(c).column.not_null
        ]
        return [exp.Not(this=exp.Is(this=one, expression=exp.Null())) for one in known]

    def _whole_rows(self, outline: Outline, joined: Joined) -> list[exp.Expr]:
        """All columns, of one table where others are joined to it; nothing where they were not asked for."""
        if outline.query.everything or (outline.whole is not None and not joined.joins):
            return [exp.Star()]
        if outline.whole is None or repeats(self._catalog, joined, outline.whole):
            return []
        return [exp.Column(this=exp.Star(), table=self._vocabulary.identifier(outline.whole))]

    def _grouped(self, select: exp.Select, outline: Outline, writer: ExpressionWriter) -> exp.Select:
        if any(isinstance(key, Span) for key in outline.groups):
            self.features.append("sql:by_time")
        if outline.groups:
            shown = [o for o in (*outline.outputs, *(by for by, _ in outline.orders)) if not isinstance(o, Measure)]
            # every dialect but SQLite wants each plain column that is shown among the groups
            every = dict.fromkeys((*outline.groups, *shown)) if self._dialect != "sqlite" else outline.groups
            select = select.group_by(*map(writer.expression, every), copy=False)
            self.features.append("sql:group")
        for having in havings_of(outline.query):
            select = select.having(writer.having(having), copy=False)
            self.features.append("sql:having")
        return select

    def _first_of_each(self, select: exp.Select, outline: Outline, writer: ExpressionWriter) -> exp.Select:
        """The best rows of each group: a ranking within partitions, that keeps ties where one is asked for."""
        if outline.query.rank is None or len(outline.orders) != 1:
            raise Meaningless("the first by what")
        self.features.append("sql:first_of_each")
        (by, descending), first = outline.orders[0], outline.query.rank.n
        order = exp.Order(expressions=[writer.ordered(by, descending, limited=True)])
        ranking = exp.RowNumber() if first > 1 else exp.Anonymous(this="RANK")
        place = exp.Window(this=ranking, partition_by=[writer.expression(p) for p in outline.partitions], order=order)
        names = [self._vocabulary.identifier(name) for name in _distinct_names(select.selects)]
        shown = [exp.alias_(e.unalias(), name) for e, name in zip(select.selects, names, strict=True)]
        inner = select.select(*shown, exp.alias_(place, "place"), append=False)
        chosen = exp.LTE(this=exp.column("place"), expression=exp.Literal.number(first))
        return exp.select(*(exp.Column(this=name) for name in names)).from_(inner.subquery("placed")).where(chosen)

    def _of_rows_once(self, select: exp.Select, table: str) -> exp.Select:
        """The same figures, where each row of the table counts once for each group, however often joins repeat it."""
        key = self._catalog.key(table)
        if key is None:
            raise Meaningless("no key")
        inner = exp.Select()
        for part in ("from_", "joins", "where"):
            inner.set(part, select.args.pop(part, None))
        read = [self._vocabulary.column(key, qualified=True), *select.find_all(exp.Column)]
        columns = list({column.sql(): column for column in read}.values())
        names = [self._vocabulary.identifier(name) for name in _distinct_names(columns)]
        shown = [exp.alias_(column.copy(), name) for column, name in zip(columns, names, strict=True)]
        named = {column.sql(): name for column, name in zip(columns, names, strict=True)}
        for column in list(select.find_all(exp.Column)):
            column.replace(exp.Column(this=named[column.sql()].copy()))
        return select.from_(inner.select(*shown).distinct().subquery("counted"), copy=False)

    def _sorted_again(self, select: exp.Select, outline: Outline) -> exp.Select:
        """The rows that are shown, in another order. Raises `Meaningless` where it is not that of something shown."""
        order = outline.query.again
        if order is None or select.is_star:
            raise Meaningless("order by what")
        names = [self._vocabulary.identifier(name) for name in _distinct_names(select.selects)]
        shown = [exp.alias_(e.unalias(), name) for e, name in zip(select.selects, names, strict=True)]
        outer = exp.select(*(exp.Column(this=name) for name in names))
        outer = outer.from_(select.select(*shown, append=False).subquery("shown"))
        for by in order.by or outline.outputs[:1]:
            key = self._catalog.labels(by.table)[0] if isinstance(by, Rows) and self._catalog.labels(by.table) else by
            key = self._predicates.column_of(key) if isinstance(key, Ref) else key
            if key not in outline.outputs:
                raise Meaningless("order by what is not shown")
            column = exp.Column(this=names[outline.outputs.index(key)])
            outer = outer.order_by(exp.Ordered(this=column, desc=bool(order.descending)), copy=False)
        return outer

    # ------------------------------------------------------------ conditions and joins
    def _wheres(self, outline: Outline) -> list[exp.Expr]:
        query, havings = outline.query, havings_of(outline.query)
        wheres = [self._predicates.condition(p, outline.head) for p in query.where if p not in havings]
        self.features += self._checks.of_conditions(outline)
        measured = [query.rank.by if query.rank is not None else None, *(h.left for h in havings), *query.select]
        for measure in measured:
            if isinstance(measure, Measure) and isinstance(measure.of, Rows):
                self._needed.append(measure.of.table)
                wheres += [self._predicates.condition(p, measure.of.table) for p in measure.of.where]
            elif isinstance(measure, Measure) and isinstance(measure.of, Metric):
                self._needed.append(measure.of.table)
            elif isinstance(measure, Measure) and isinstance(measure.of, Ref):
                self._predicates.column_of(measure.of)
        return wheres

    def _undone(self, outline: Outline) -> list[States]:
        """The states that bring no income. A benchmark adds up all."""
        tables = earning(self._catalog, outline.figures, self._columns, self._said) if not self._bare else ()
        states = unspoken_states(self._catalog, tables, self._columns)
        self._needed.extend(state.table for state, _ in states)
        self.features += ["sql:undone_left_out"] * bool(states)
        return states

    def _join(self, outline: Outline) -> Joined:
        query, head = outline.query, outline.head
        mentions = [table for table in query.mentions if table not in self._predicates.absent]
        shown = [c.column.table if isinstance(c, Span) else c.table for c in outline.plain]
        needed = list(dict.fromkeys([*shown, *self._needed]))
        tables = list(dict.fromkeys([*needed, *([head] if head else []), *mentions]))
        if query.everything:
            tables.sort(key=lambda table: table != head)
            needed = list(dict.fromkeys([head, *needed])) if head else needed
        if not tables:
            raise Meaningless("no table")
        first = outline.kept or self._referred_by_others(outline)
        tables.sort(key=lambda table: table != first)
        joined = join(self._catalog, tables, needed, self._said, self._dialect)
        if first is not None:
            joined = replace(joined, outer=optional(joined, whole=outline.kept is not None))
        self.features += [*joined.signs, *(["sql:none_counted"] * bool(joined.outer and outline.kept))]
        left_out = set(tables_of(query)) - set(joined.tables) - self._predicates.absent
        counted, *others = joined.tables
        is_named = counted in tables_of(query) or not any(isinstance(one.of, Ref) for one in outline.figures)
        if is_named and not others and not shown:  # "how many orders did customers make", "how long did guests stay"
            left_out -= {*self._catalog.facts.referred.get(counted, ())}
        self.features += ["sql:named_left_out"] * len(left_out)
        self.features.append(f"sql:tables{min(len(joined.joins) + 1, 5)}")
        return joined

    def _referred_by_others(self, outline: Outline) -> str | None:
        """Of several tables that figures are of, side by side, the one that the rows of the others belong to: hives
        without a harvest count as well in "the number of hives and total kg per county"."""
        of = [self._columns[f.of].table if isinstance(f.of, Ref) else f.of.table for f in outline.measures if f.of]
        tables = set(of) if not self._bare and outline.groups and not outline.query.where else set()
        belong = (t for t in tables if all(self._catalog.is_of_row(t, other) for other in tables))
        return next(belong, None) if len(tables) > 1 else None

    def _distinct(self, select: exp.Select, outline: Outline, joined: Joined) -> exp.Select:
        query, head = outline.query, outline.head
        listed = not outline.groups and not query.everything and not outline.measures
        repeated = listed and not outline.orders and head is not None and repeats(self._catalog, joined, head)
        if repeated:
            self.features.append("sql:repeats")
        attribute = listed and not repeated and not query.distinct and not any(map(self._names_a_row, outline.outputs))
        if attribute:
            self.features += ["sql:attribute", f"sql:attribute{bool(query.head):d}"]
        if listed and query.distinct:
            if self._dialect != "sqlite" and any(by not in outline.outputs for by, _ in outline.orders):
                raise Meaningless("order of what is shown once")
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

    def _with_share(
        self, select: exp.Select, outline: Outline, wheres: list[exp.Expr], joined: Joined
    ) -> tuple[exp.Select, list[exp.Expr]]:
        """How much of a hundred the rows that meet the conditions make up; periods say of which rows."""
        query, measures, plain = outline.query, outline.measures, outline.plain
        share = next((m for m in measures if m.op == "share"), None)
        if share is None:
            return select, wheres
        if isinstance(share.of, Rows) and not self._bare and repeats(self._catalog, joined, share.of.table):
            raise Meaningless("a share of repeated rows")
        said = share.of.where if isinstance(share.of, Rows) else ()
        own = [*(p for p in query.where if not (isinstance(p, Compare) and isinstance(p.left, Measure))), *said]
        pairs = list(zip(own, wheres, strict=False))
        part = [where for p, where in pairs if not isinstance(p, During)]
        if not part and (self._bare or not outline.groups):
            part = [where for _, where in pairs]
        rest = [where for where in wheres if where not in part]
        if len(measures) > 1 or not (part or (outline.groups and not self._bare)):
            raise Meaningless("share of nothing")
        worth: exp.Expr = exp.Literal.number(1)
        whole: exp.Expr = exp.Count(this=exp.Star())
        if isinstance(share.of, Ref):
            worth = self._vocabulary.column(self._columns[share.of], qualified=True)
            whole = exp.Sum(this=worth.copy())
        if part:
            met: exp.Expr = exp.Sum(this=exp.Case().when(exp.and_(*part), worth).else_(exp.Literal.number(0)))
        else:  # "the share of orders by status": of the groups together
            met, whole = whole, exp.Window(this=exp.Sum(this=whole.copy()))
        hundred = exp.Mul(this=exp.Literal.number("100.0"), expression=met)
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
        yield free_name(name, taken, str.lower)
