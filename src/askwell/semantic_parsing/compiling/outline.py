"""What a SELECT shows, groups by and sorts by: what a grounded reading says, and what it leaves to be understood."""

from __future__ import annotations

from dataclasses import dataclass, replace

from askwell.mdl.semantic_model import ColumnRef
from askwell.semantic_parsing.compiling.comparability import Meaningless
from askwell.semantic_parsing.compiling.outputs import Key, OutputChooser, Shown, Span
from askwell.semantic_parsing.compiling.predicates import PredicateWriter
from askwell.semantic_parsing.forms import Compare, Holds, Measure, Query, Rank, Ref, Rows
from askwell.semantic_parsing.grounding import parts_of, tables_of
from askwell.semantic_parsing.model.catalog import NUMBER, Catalog

Orders = list[tuple[Shown, bool]]


@dataclass(frozen=True, slots=True)
class Outline:
    """`query` as it is written in the end; `head` is the table it is about. `plain` are what it shows of rows before
    anything is added. `orders` are (what, descending); of `partitions` each shows its own first rows. `whole` is the
    table of which whole rows are shown, where they do not repeat: nothing names them. All rows of `kept` count, be it
    with nothing that belongs to them."""

    query: Query
    head: str | None
    outputs: list[Shown]
    plain: list[Key]
    groups: list[Key]
    orders: Orders
    limit: int | None
    partitions: list[Key]
    whole: str | None = None
    kept: str | None = None

    @property
    def measures(self) -> list[Measure]:
        """The figures that are shown."""
        return [shown for shown in self.outputs if isinstance(shown, Measure)]

    @property
    def figures(self) -> list[Measure]:
        """The figures that are shown or sorted by."""
        return [o for o in (*self.outputs, *(by for by, _ in self.orders)) if isinstance(o, Measure)]


def havings_of(query: Query) -> list[Compare]:
    """The conditions on groups."""
    return [p for p in query.where if isinstance(p, Compare) and isinstance(p.left, Measure)]


class Outliner:
    """Outlines the readings of one grounding. Tables that are needed and features go to `predicates`."""

    def __init__(self, catalog: Catalog, predicates: PredicateWriter, variant: str, *, bare: bool) -> None:
        self._catalog, self._predicates, self._variant, self._bare = catalog, predicates, variant, bare
        self.features, self._needed = predicates.features, predicates.needed
        self._shown = OutputChooser(catalog, predicates, variant, bare=bare)

    def outline(self, query: Query) -> Outline:
        """The outline. Raises `Meaningless` where a reading shows nothing, or one value of groups that have many."""
        head = self._head(query)
        by = self._leading(query, head)
        if by is not None and head is not None:
            return self._leaders(query, head, by)
        outputs = self._shown.outputs(query, head)
        measures = [o for o in outputs if isinstance(o, Measure)]
        plain = [o for o in outputs if not isinstance(o, Measure)]
        groups = self._groups(query, plain, measures, head)
        if query.group and not plain and measures:
            outputs, plain = self._shown.with_groups(query, outputs)
        if query.rank is not None and query.rank.grouped and isinstance(query.rank.by, Ref):
            groups = [self._shown.column(query.rank.by)]
            outputs = outputs or list(groups)
        if not outputs and not query.everything:
            raise Meaningless("nothing to show")
        totalled = self._variant == "rank_total" and head is not None and self._catalog.key(head) is not None
        if totalled and head is not None and not measures and not groups:
            query, groups = self._ranked_by_total(query, head, plain)
        if query.everything and (groups or measures):
            raise Meaningless("group_of_what")
        orders, limit = self._orders(query, outputs, groups, measures)
        if measures and not groups and (orders or limit):
            raise Meaningless("order of a single row")
        if not self._bare and limit is not None and not query.everything:
            outputs = [*outputs, *(by for by, _ in orders if by not in outputs)]
        partitions = self._partitions(query, groups, measures)
        whole = head if not (partitions or groups or measures) and self._is_nameless(query, head, plain) else None
        beside = query.select[:1] == (Rows(head or ""),) != query.select
        if (whole is not None or partitions or beside) and "sql:key_as_label" in self.features:
            self.features.remove("sql:key_as_label")  # nobody has to know a row by its key who sees what it is of
        kept = self._kept(query, groups, [*measures, *(by for by, _ in orders if isinstance(by, Measure))])
        found = Outline(query, head, outputs, plain, groups, orders, limit, partitions, whole, kept)
        self._check_groups(found)
        return found

    def _kept(self, query: Query, groups: list[Key], figures: list[Measure]) -> str | None:
        """The table by whose rows or columns is grouped where those with nothing count too: "how many courses does each
        student take", the fewest, and several counts side by side."""
        tables = {key.table for key in groups if isinstance(key, ColumnRef)}
        counted = {figure.of.table for figure in figures if isinstance(figure.of, Rows) and not figure.of.where}
        alone = len(tables) == 1 and all(isinstance(key, ColumnRef) for key in groups)
        if self._bare or not alone or any(f.op != "count" or not isinstance(f.of, Rows) for f in figures):
            return None
        (table,) = tables
        fewest = query.rank is not None and not query.rank.descending
        if not (query.every or fewest or len(counted) > 1) or not all(map(self._catalog.key, counted)):
            return None
        columns = {self._predicates.columns[part].table for p in query.where for part, _ in parts_of(p)}
        is_plain = not havings_of(query) and (query.rank is None or fewest)
        return table if is_plain and counted - {table} and columns <= {table} else None

    def _leading(self, query: Query, head: str | None) -> Measure | None:
        """The figure by which rows are ranked within groups: "the three customers of each country with most orders"."""
        rank, key = query.rank, self._catalog.key(head) if head is not None else None
        if rank is None or key is None or not query.group or any(g == Rows(key.table) for g in query.group):
            return None
        names = {*self._catalog.labels(key.table), key}
        shown = [self._shown.column(part) for part in query.select if isinstance(part, Ref)]
        others = [part.table for part in query.select if isinstance(part, Rows)]
        if not names.issuperset(shown) or any(table != head for table in others):
            return None
        by = query.order.by[0] if rank.by is None and query.order is not None and query.order.by else rank.by
        match by:
            case Measure() if head == query.head:
                return by
            case Rows(table) if table == head:
                return Measure("count", None)
            case Ref() if head == query.head and self._variant == "rank_total":
                self.features.append("sql:rank_total")
                return Measure("sum", by)
        return None

    def _leaders(self, query: Query, head: str, by: Measure) -> Outline:
        if query.rank is None or query.limit is not None or havings_of(query):
            raise Meaningless("the first of groups of groups")
        rank = replace(query.rank, by=by)
        query = replace(query, rank=rank, order=None)
        orders, _ = self._rank_orders(query, rank, [self._shown.key(head)], [])
        groups = [self._shown.grouping(g) for g in query.group]
        plain = [*(c for g in query.group for c in self._shown.group_shown(g)), *self._shown.label(head)]
        figures = [part for part in query.select if isinstance(part, Measure)]
        if not self._bare and by not in figures:
            figures.append(by)
        for figure in figures:
            if isinstance(figure.of, Ref):
                self._shown.column(figure.of)
        self.features.append("sql:leaders")
        everyone = [*groups, self._shown.key(head)]
        return Outline(query, head, [*plain, *figures], plain, everyone, orders, rank.n, groups)

    def _is_nameless(self, query: Query, head: str | None, plain: list[Key]) -> bool:
        """Whether rows are asked for that only their key would tell apart."""
        if self._bare or head is None or any(isinstance(shown, Ref) for shown in query.select):
            return False
        return not self._catalog.labels(head) and plain == [self._catalog.key(head)]

    def _partitions(self, query: Query, groups: list[Key], measures: list[Measure]) -> list[Key]:
        """What the first of each is asked of: "the most expensive product of each supplier"."""
        if query.rank is None or not isinstance(query.rank.by, Ref) or measures:
            return []
        partitions = [self._shown.grouping(g) for g in query.group]
        if partitions and (havings_of(query) or groups or query.limit is not None):
            raise Meaningless("the first of groups of groups")
        return partitions

    def _check_groups(self, found: Outline) -> None:
        groups, outputs = found.groups, found.outputs
        if groups and not all(self._is_of_group(o, groups, []) for o in outputs if not isinstance(o, Measure)):
            raise Meaningless("one value of a group that has many")
        plainly = [by for by, _ in found.orders if not isinstance(by, Measure)]
        if groups and not all(self._is_of_group(by, groups, outputs) for by in plainly):
            raise Meaningless("order of groups by what is not of one")

    # ------------------------------------------------------------ what is shown
    def _head(self, query: Query) -> str | None:
        """What the question is about: the table that it names first, or that of the first column."""
        named, columns = tables_of(query), self._predicates.columns
        if not named and columns and all(isinstance(part, Holds) or part.implicit for part in columns):
            self.features.append("sql:head_of_value")  # "how many fitters" asks for those who are, and not for the job
        return named[0] if named else next((column.table for column in columns.values()), None)

    # ------------------------------------------------------------ groups and orders
    def _groups(
        self,
        query: Query,
        plain: list[Key],
        measures: list[Measure],
        head: str | None,
    ) -> list[Key]:
        rank, havings = query.rank, havings_of(query)
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
                    self.features.append("sql:each_row" if self._is_of_each(query, plain) else "sql:group_ignored")
                return []
            return [self._shown.grouping(g) for g in query.group]
        if plain and (measures or counting or havings):
            return self._groups_of_shown(query, plain, measures, head)
        if havings or counting:
            if head is None or measures:
                raise Meaningless("groups of what")
            return [self._shown.key(head)]
        return []

    def _is_of_each(self, query: Query, plain: list[Key]) -> bool:
        """Whether all that is shown is of one row that is grouped by: "the name and price of each product"."""
        rows = {group.table for group in query.group if isinstance(group, Rows)}
        own = {table for row in rows for table in (row, *self._catalog.facts.referred.get(row, ()))}
        is_one = len(rows) == len(query.group) == 1 and any(isinstance(one, Ref) for one in query.select)
        return is_one and all(isinstance(c, ColumnRef) and c.table in own for c in plain)

    def _groups_of_shown(
        self,
        query: Query,
        plain: list[Key],
        measures: list[Measure],
        head: str | None,
    ) -> list[Key]:
        """What is shown beside a figure is what it is grouped by: rows by their key where they are named."""
        columns = [c for c in plain if isinstance(c, ColumnRef)]
        figures = [*measures, *(h.left for h in havings_of(query)), query.rank.by if query.rank is not None else None]
        counted = {m.of.table for m in figures if isinstance(m, Measure) and isinstance(m.of, Rows)}
        tables = {c.table for c in columns}
        if len(columns) == len(plain) and len(tables) == 1:
            (only,) = tables
            key = self._catalog.key(only)
            names = {*self._catalog.labels(only), key}
            asked = only == head or only in tables_of(query)
            if key is not None and names & set(columns) and asked:
                if only in counted and names.issuperset(columns):
                    raise Meaningless("each counts once")
                if only not in counted:
                    return [key]
        self.features.append("sql:group_by_shown")
        return list(plain)

    def _ranked_by_total(self, query: Query, head: str, plain: list[Key]) -> tuple[Query, list[Key]]:
        """Ranked by a sum, for each row that is asked about; for each value of what is shown, where no table is named:
        "which country has the highest sales"."""
        by = query.rank.by if query.rank is not None else None
        if query.rank is None or not isinstance(by, Ref):
            raise Meaningless("a total of what")
        self.features.append("sql:rank_total")
        total = replace(query, rank=replace(query.rank, by=Measure("sum", by)), order=None)
        return total, list(plain) if head not in tables_of(query) and plain else [self._shown.key(head)]

    def _orders(
        self, query: Query, outputs: list[Shown], groups: list[Key], measures: list[Measure]
    ) -> tuple[Orders, int | None]:
        if query.rank is not None:
            return self._rank_orders(query, query.rank, groups, measures)
        if query.limit is not None and (measures or groups or query.order is not None):
            raise Meaningless("a number of nothing")
        if query.order is None:
            return [], query.limit
        orders: Orders = []
        numbers = [c for c in outputs if isinstance(c, ColumnRef) and self._catalog.kind(c) == NUMBER]
        shown = numbers if query.order.figures else outputs
        if not query.order.by and not measures and not shown:
            raise Meaningless("order by what")
        for by in query.order.by or measures[:1] or shown[:1]:
            match by:
                case ColumnRef() | Span():
                    orders.append((by, bool(query.order.descending)))
                case Measure():
                    if not groups:
                        raise Meaningless("order of groups without groups")
                    orders.append((self._shown.figure(by), bool(query.order.descending)))
                case Ref():
                    column = self._shown.column(by)
                    periods: list[Shown] = [one for one in groups if isinstance(one, Span) and one.column == column]
                    periods += [
                        one for one in measures if isinstance(one.of, Ref) and self._shown.column(one.of) == column
                    ]
                    orders.append((periods[0] if periods else column, bool(query.order.descending)))
                case Rows(table):
                    orders.append((self._shown.label(table)[0], bool(query.order.descending)))
        return orders, None

    def _rank_orders(
        self, query: Query, rank: Rank, groups: list[Key], measures: list[Measure]
    ) -> tuple[Orders, int | None]:
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
                found = self._shown.column(by)
            case Measure():
                found = self._shown.figure(by)
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

    def _is_of_group(self, by: Key, groups: list[Key], outputs: list[Shown]) -> bool:
        """Whether a column has one value in each group."""
        if isinstance(by, Span):  # the name of a day has the number of the day
            by = replace(by, unit=by.unit.removesuffix("_name"))
        table = by.column.table if isinstance(by, Span) else by.table
        keys = {self._catalog.key(one.table) for one in groups if isinstance(one, ColumnRef)}
        near = (one for key in keys if key in groups for one in self._catalog.of_rows(key.table))
        return by in groups or by in outputs or table in near
