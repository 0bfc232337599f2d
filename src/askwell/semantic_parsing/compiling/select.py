"""One SELECT: joins, conditions, groups, orders and the first of each group, from an outline."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from askwell.mdl.semantic_model import ColumnRef
from askwell.question.lexicon import english
from askwell.semantic_parsing.compiling.comparability import Meaningless
from askwell.semantic_parsing.compiling.expressions import ExpressionWriter
from askwell.semantic_parsing.compiling.joined import Joined, join, on, repeats
from askwell.semantic_parsing.compiling.outline import Outline, havings_of
from askwell.semantic_parsing.compiling.outputs import Shown, Span
from askwell.semantic_parsing.compiling.predicates import PredicateWriter
from askwell.semantic_parsing.compiling.undone import States, earning, left_out, unspoken_states
from askwell.semantic_parsing.forms import Compare, During, Holds, Measure, Metric, Ref, Rows, Without
from askwell.semantic_parsing.grounding import tables_of
from askwell.semantic_parsing.model.catalog import DATE, FLAG, KEY, NUMBER, Catalog
from askwell.semantic_parsing.model.word_forms import word_forms


class SelectWriter:
    """Writes outlines of one grounding. Features go to `predicates`."""

    def __init__(self, catalog: Catalog, predicates: PredicateWriter, variant: str, *, bare: bool) -> None:
        self._catalog, self._predicates, self._variant, self._bare = catalog, predicates, variant, bare
        self._vocabulary, self._columns, self._said = predicates.vocabulary, predicates.columns, predicates.said
        self._dialect = predicates.vocabulary.dialect
        self.features, self._needed = predicates.features, predicates.needed

    def written(self, outline: Outline) -> exp.Select:
        """The statement. Raises `Meaningless` where there is none."""
        query = outline.query
        wheres = self._wheres(outline)
        undone = self._undone(outline)
        joined = self._join(outline)
        self._check(outline, joined)
        writer = ExpressionWriter(self._catalog, self._predicates, joined)
        if self._predicates.barred & set(joined.tables):
            raise Meaningless("table_beside")
        if query.everything and joined.joins:
            raise Meaningless("everything of several tables")
        shown = self._whole_rows(outline, joined) or [writer.shown(o) for o in outline.outputs]
        select = exp.select(*shown).from_(self._vocabulary.table(joined.root))
        for step in joined.joins:
            select = select.join(self._vocabulary.table(step.table), on=on(self._vocabulary, step), copy=False)
        wheres += left_out(self._vocabulary, undone)
        select, wheres = self._with_share(select, outline, wheres)
        select = select.where(*wheres, copy=False) if wheres else select
        select = self._grouped(select, outline, writer)
        if outline.partitions:
            return self._first_of_each(select, outline, writer)
        for by, descending in outline.orders:
            select = select.order_by(writer.ordered(by, descending, limited=outline.limit is not None), copy=False)
        select = select.limit(outline.limit) if outline.limit else select
        return self._distinct(select, outline, joined)

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

    # ------------------------------------------------------------ conditions and joins
    def _wheres(self, outline: Outline) -> list[exp.Expr]:
        query, havings = outline.query, havings_of(outline.query)
        wheres = [self._predicates.condition(p, outline.head) for p in query.where if p not in havings]
        equal = [(self._columns[p], p.values) for p in query.where if isinstance(p, Holds) and not p.negated]
        within = [(self._columns[p.of], p.periods) for p in query.where if isinstance(p, During) and _is_closed(p)]
        for held in (equal, within):  # no row has two values, or is of two times
            if len({column for column, _ in held}) < len(set(held)):
                self.features.append("sql:contradiction")
        without = [(self._columns[p.of], p.periods) for p in query.where if isinstance(p, During) and p.negated]
        blank = [p for p in query.where if isinstance(p, Compare) and p.op in ("empty", "blank") and not p.negated]
        missing = {self._columns[p.left] for p in blank if isinstance(p.left, Ref)}
        if set(within) & set(without) or missing & {column for column, _ in within}:
            self.features.append("sql:contradiction")
        self.features += self._misplaced_times(outline)
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

    def _misplaced_times(self, outline: Outline) -> Iterator[str]:
        """A time that may be that of another date that is spoken of, or of what did not happen ("who has bought
        nothing in 2026"), and today as the day on which something began that is still so."""
        query, catalog = outline.query, self._catalog
        absent = [p.other.table for p in query.where if isinstance(p, Without)]
        dated = any(column.is_date for table in absent for column in catalog.table(table).columns)
        done = [self._columns[p.left] for p in query.where if isinstance(p, Compare) and isinstance(p.left, Ref)]
        done = [column for column in done if catalog.kind(column) == DATE]
        for during in (p for p in query.where if isinstance(p, During)):
            column = self._columns[during.of]
            if during.of.implicit and any(c.table == column.table and c != column for c in done):
                yield "sql:time_of_another"  # "cancelled last year" is when that was, and not when it began
            if dated and during.of.implicit and column.table == outline.head:
                yield "sql:time_beside_absence"
            if any(period.is_today for period in during.periods) and self._begins_a_span(column):
                yield "sql:begun_today"

    def _begins_a_span(self, date: ColumnRef) -> bool:
        """Whether a date is called by a word that nobody said for the begin of what another date of the row ends."""
        words = set(self._catalog.column(date).words)
        others = {word for c in self._catalog.table(date.table).columns if c.is_date for word in c.words}
        return any(first in words - self._said and last in others for first, last in english().spans)

    def _join(self, outline: Outline) -> Joined:
        query, head = outline.query, outline.head
        mentions = [table for table in query.mentions if table not in self._predicates.absent]
        shown = [c.column.table if isinstance(c, Span) else c.table for c in outline.plain]
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

    def _check(self, outline: Outline, joined: Joined) -> None:
        """Features of the whole, and what may not be: a figure of rows that a join repeats."""
        self._check_figures(outline, joined)
        self._check_shown(outline)
        self.features.append(f"sql:shown{min(len(outline.outputs), 5)}")
        self.features.append(f"sql:conditions{min(len(outline.query.where), 4)}")

    def _check_figures(self, outline: Outline, joined: Joined) -> None:
        catalog, query, head, groups = self._catalog, outline.query, outline.head, outline.groups
        figures = outline.figures
        for figure in figures:
            if figure.op in ("sum", "avg", "total") and isinstance(figure.of, Ref):
                if repeats(catalog, joined, self._columns[figure.of].table):
                    self.features.append("sql:figure_over_repeats")
        counted = figures and "sql:undone_left_out" not in self.features
        if counted and unspoken_states(catalog, joined.tables, self._columns):
            self.features.append("sql:undone_too")
        facts = {
            self._columns[f.of].table if isinstance(f.of, Ref) else f.of.table for f in figures if f.of is not None
        }
        if facts and joined.joins and not any(repeats(catalog, joined, table) for table in facts):
            self.features.append("sql:star")  # what is counted or added up, by what its rows refer to
        keyed = [g.table for g in groups if isinstance(g, ColumnRef) and g == catalog.key(g.table)]
        if len(keyed) == len(groups) == 1 and not repeats(catalog, joined, keyed[0]):
            counted = any(f.op == "count" and (f.of is None or isinstance(f.of, Rows)) for f in figures)
            if counted or (not figures and havings_of(query)):
                raise Meaningless("each counts once")
        first = outline.orders[0][0] if outline.orders else None
        if query.rank is not None and isinstance(first, ColumnRef) and not groups and head is not None:
            if repeats(catalog, joined, head) and catalog.kind(first) == NUMBER and catalog.is_additive(first):
                self.features.append("sql:rank_over_repeats")
            elif first.table != head and not repeats(catalog, joined, head):
                self.features.append("sql:rank_of_parent")  # others may share the first place

    def _check_shown(self, outline: Outline) -> None:
        """Whether what is shown is what was said, names no row, or is a key that nobody asked for."""
        catalog, query, outputs = self._catalog, outline.query, outline.outputs
        columns = [o for o in outputs if isinstance(o, ColumnRef)]
        if query.head is not None and catalog.labels(query.head) and query.select and query.late:
            if not set(catalog.labels(query.head)) & set(columns):
                self.features.append("sql:label_apart")
        if not self._bare and not self._said & word_forms().key_words:
            keys = [column for column in columns if catalog.kind(column) == KEY]
            self.features += ["people:key_shown"] * any(not self._is_only_name(key) for key in keys)
        self.features += self._shows_only(outline, columns)
        if len(outputs) == len(columns) == 1 and self._is_total(columns[0]):
            self.features.append("sql:total_listed")  # "the total of bookings" is one figure
        told = {self._columns[p] for p in query.where if isinstance(p, Holds) and not p.negated and len(p.values) == 1}
        counted = {self._columns[m.of] for m in outline.measures if m.op == "count" and isinstance(m.of, Ref)}
        if counted & told:
            raise Meaningless("one value counts once")
        if outputs and len(columns) == len(outputs) and told.issuperset(columns):
            self.features.append("sql:echo")
        elif told.intersection(columns):
            self.features.append("sql:echo_beside")

    def _shows_only(self, outline: Outline, columns: list[ColumnRef]) -> Iterator[str]:
        """What the answer would be nothing but: a figure, whether something is so, or a time that nobody asked for; and
        whether how things are now was asked for, and the rows that are so no more are among them."""
        catalog, lexicon = self._catalog, english()
        kinds = {catalog.kind(column) for column in columns} if len(columns) == len(outline.outputs) else set()
        if not columns and outline.measures and not outline.groups:
            yield "sql:one_figure"
        if kinds == {NUMBER}:
            yield "sql:only_numbers"
        if kinds == {FLAG}:
            yield "sql:only_flag"
        if kinds == {DATE} and not lexicon.times_asked & self._said:
            yield "sql:only_date"
        if outline.head is not None and lexicon.nowadays & self._said:
            ends = [
                c.ref for c in catalog.table(outline.head).columns if c.is_date and lexicon.ended_dates & set(c.words)
            ]
            if ends and not set(ends) & set(self._columns.values()):
                yield "sql:not_only_now"

    def _is_total(self, column: ColumnRef) -> bool:
        facts = self._catalog.column(column)
        return facts.is_measure and facts.words[-1] in english().figures

    def _is_only_name(self, key: ColumnRef) -> bool:
        """Whether rows of its table have no other name."""
        return self._catalog.key(key.table) == key and not self._catalog.labels(key.table)

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
        self, select: exp.Select, outline: Outline, wheres: list[exp.Expr]
    ) -> tuple[exp.Select, list[exp.Expr]]:
        """How much of a hundred the rows that meet the conditions make up; periods say of which rows."""
        query, measures, plain = outline.query, outline.measures, outline.plain
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


def _is_closed(during: During) -> bool:
    return not during.negated and all(None not in (period.start, period.end) for period in during.periods)


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
