"""Aggregates over rows that a join repeats, and columns that stand beside groups without being grouped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlglot import exp

from askwell.sql.fanout.aggregates import Aggregate, Kind, Terms, aggregates_in, has_aggregate
from askwell.sql.fanout.rows import Col, Repetition, Way
from askwell.sql.fanout.statement import SelectRows, Statement
from askwell.sql.names import fold

# The others refuse such a statement.
_LENIENT = frozenset({"sqlite", "mysql"})
# What has one value in a group, or may have: calls by a name that the parser does not know can be aggregates.
_OVER_ROWS = (
    exp.AggFunc,
    exp.Anonymous,
    exp.AnonymousAggFunc,
    exp.Filter,
    exp.JSONArrayAgg,
    exp.JSONObjectAgg,
    exp.Query,
    exp.Window,
    exp.WithinGroup,
)


def bare_columns(statement: Statement) -> tuple[str, ...]:
    """A sentence for each such column of a bound statement; empty where what is grouped by determines them all, by the
    keys of the model and the equalities of joins and filters, and for databases that refuse them."""
    if statement.dialect not in _LENIENT:
        return ()
    sentences: dict[str, None] = {}
    for select, column in undetermined_columns(statement):
        grouped = select.args.get("group") is not None
        shows = "each group shows one of its values" if grouped else "the one row shows one of its values"
        text = column.sql(dialect=statement.dialect, comments=False)
        sentences[f"{text} is neither grouped nor aggregated: {shows}."] = None
    return tuple(sentences)


def undetermined_columns(statement: Statement) -> Iterator[tuple[exp.Select, exp.Column]]:
    """Each such column with its SELECT, whether or not the database refuses it."""
    for select in filter(_groups, statement.tree.find_all(exp.Select)):
        rows = statement.select(select)
        if rows is None or rows.joined.opaque or rows.totals:
            continue
        if statement.dialect == "sqlite" and _one_extreme(select):
            continue  # SQLite takes bare columns beside a single MIN or MAX from the row that has it
        for column in _undetermined(select, rows):
            yield select, column


def _clauses(select: exp.Select) -> list[exp.Expr]:
    """What is worked out once for each group."""
    after = (select.args.get(key) for key in ("having", "order"))
    return [*(projection.unalias() for projection in select.expressions), *(part for part in after if part is not None)]


def _groups(select: exp.Select) -> bool:
    return select.args.get("group") is not None or any(map(has_aggregate, _clauses(select)))


def _one_extreme(select: exp.Select) -> bool:
    found = {node.sql(comments=False) for part in _clauses(select) for node in part.find_all(exp.Min, exp.Max)}
    return len(found) == 1


def _undetermined(select: exp.Select, rows: SelectRows) -> Iterator[exp.Column]:
    grouping = [part.unnest() for part in rows.grouping or ()]
    reach = rows.joined.reach((), rows.fixed_by(grouping))
    keys = {_text(part) for part in grouping} - {""}
    # One row needs no order.
    shown = [part for part in _clauses(select) if grouping or not isinstance(part, exp.Order)]
    waiting = list(reversed(shown))
    while waiting:
        part = waiting.pop()
        if isinstance(part, _OVER_ROWS) or _text(part) in keys:
            continue
        if isinstance(part, exp.Column):
            candidates = rows.from_clause.candidates(part)
            if candidates and not any(reach.settles(column) for column in candidates):
                yield part
        else:
            waiting += reversed(list(part.iter_expressions()))


def _text(node: exp.Expr) -> str:
    """An expression without saying whose its columns are: a group may be written with it and shown without."""
    if isinstance(node, exp.Column | exp.Literal):
        return ""
    bare = node.copy()
    for column in list(bare.find_all(exp.Column)):
        for key in ("table", "db", "catalog"):
            column.set(key, None)
    return fold(bare.sql(comments=False))


def repetition_sentence(aggregates: Sequence[str], kind: Kind, found: Repetition) -> str:
    """Which aggregates, whose rows, which join, and what to write instead."""
    verb, verb_of_several = _VERBS[kind]
    effect = (verb if len(aggregates) == 1 else verb_of_several).format(table=found.table)
    causes = ", and ".join(map(_cause, found.ways))
    return f"{', '.join(aggregates)} {effect}: {causes}. {_advice(kind, found)}"


def _cause(way: Way) -> str:
    inside = f" inside {way.inside}" if way.inside else ""
    if way.conditions:
        join = f"the join with {way.by} on {' and '.join(way.conditions)}{inside}"
        return f"{join} repeats it for every row that matches"
    return f"nothing ties one row of {way.by} to it{inside}, so that it is repeated for every row of {way.by}"


def crossing_sentence(aggregate: str, labels: Sequence[str]) -> str:
    """Rows of several tables that are combined each with each, and counted."""
    tables = f"{', '.join(labels[:-1])} and {labels[-1]}"
    return (
        f"{aggregate} counts every combination of rows of {tables}, which are joined each with each. "
        "If rows of one of them are to be counted, count each in a subquery or CTE of its own and join the results."
    )


_VERBS = {
    Kind.SUM: ("adds the same row of {table} more than once", "add the same row of {table} more than once"),
    Kind.AVERAGE: (
        "gives one row of {table} more weight than another",
        "give one row of {table} more weight than another",
    ),
    Kind.COUNT: ("counts the same row of {table} more than once", "count the same row of {table} more than once"),
    Kind.LIST: ("lists the same row of {table} more than once", "list the same row of {table} more than once"),
}


def _advice(kind: Kind, found: Repetition) -> str:
    if kind is Kind.COUNT and found.key is not None:
        return f"To count each row once, write COUNT(DISTINCT {found.key})."
    joins = "that join" if len(found.ways) == 1 else "these joins"
    subqueries = " and ".join(f"a subquery of {way.by}" for way in found.ways)
    grouped = "that is grouped" if len(found.ways) == 1 else "that are each grouped"
    advice = (
        f"ggregate {found.table} in a subquery or CTE of its own before {joins}, "
        f"or join {subqueries} {grouped} to one row for each match."
    )
    return f"A{advice}" if kind is Kind.SUM else f"If each row should go in once, a{advice}"


@dataclass(frozen=True, slots=True)
class FanOut:
    """An aggregate over rows that a join repeats.

    `sentence` says, for people and for the model that corrects, which aggregate, which table's rows are repeated and by
    which join, and what to write instead. `inflates` is True where the result is wrong in almost every case (SUM): the
    model is asked once to write it anew. Otherwise (AVG, COUNT) the sentence is only a note, or a doubt where it
    `crosses`: every row of one table is combined with every row of another.
    """

    aggregate: str
    sentence: str
    inflates: bool
    crosses: bool = False


def find_fan_outs(statement: Statement) -> tuple[FanOut, ...]:
    """The aggregates of a bound statement that joins inflate, by the keys and relationship cardinalities of the model.

    Nothing is found where no row can be repeated, nor where nothing is known of the keys. Aggregates that the same join
    inflates in the same way share a finding.
    """
    if statement.tree.find(exp.Join, exp.Lateral) is None:
        return ()
    repeated: dict[tuple[Kind, Repetition], list[str]] = {}
    crossings: dict[str, str] = {}
    for select in statement.tree.find_all(exp.Select):
        for aggregate, kind, found in _findings(select, statement):
            text = aggregate.node.sql(dialect=statement.dialect, comments=False)
            if isinstance(found, Repetition):
                texts = repeated.setdefault((kind, found), [])
                if text not in texts:
                    texts.append(text)
            else:
                crossings.setdefault(text, crossing_sentence(text, found))
    inflated = [
        FanOut(", ".join(texts), repetition_sentence(texts, kind, found), kind is Kind.SUM)
        for (kind, found), texts in repeated.items()
    ]
    return (*inflated, *(FanOut(text, sentence, False, True) for text, sentence in crossings.items()))


# A repetition, or the labels of the tables that are combined each with each.
_Found = Repetition | list[str]


def _findings(select: exp.Select, statement: Statement) -> Iterator[tuple[Aggregate, Kind, _Found]]:
    clauses = (*select.expressions, *(select.args.get(key) for key in ("having", "qualify", "order")))
    aggregates = [found for clause in clauses if clause is not None for found in aggregates_in(clause)]
    if not aggregates or not select.args.get("from_"):
        return
    rows = statement.select(select)
    if rows is None or rows.joined.opaque:
        return
    for aggregate in aggregates:
        if any(True for part in aggregate.node.iter_expressions() for _ in aggregates_in(part)):
            continue  # over groups, each of which is there once
        judged = _Judge(rows, aggregate).judge()
        if judged is not None:
            yield aggregate, *judged


# What may stand between an aggregate and the division that makes an average of it.
_AROUND_RATIO = (exp.Paren, exp.Cast, exp.TryCast, exp.Round, exp.Coalesce, exp.Nullif, exp.Mul, exp.Filter)


class _Judge:
    """Looks at one aggregate of a SELECT."""

    def __init__(self, rows: SelectRows, aggregate: Aggregate) -> None:
        self._rows = rows
        self._joined = rows.joined
        self._aggregate = aggregate
        self._fixed = self._fixed_columns()

    def judge(self) -> tuple[Kind, _Found] | None:
        """What repeated rows do to the aggregate, and how they come about."""
        aggregate, kind = self._aggregate, self._aggregate.kind
        if not aggregate.terms:
            return self._crossing()
        if kind is Kind.SUM and self._is_ratio(aggregate.node):
            kind = Kind.AVERAGE
        if kind in (Kind.AVERAGE, Kind.COUNT):
            fixed = self._joined.reach((), self._fixed)
            columns = self._columns(aggregate.terms)
            if kind is Kind.AVERAGE and all(fixed.settles(column) for column in columns):
                return None  # the average of one value is that value
            if kind is Kind.COUNT and all(position in fixed.sources for position, _ in columns):
                return self._crossing()  # a row that is the same in the whole group stands for the joined rows
        found = self._repetition(aggregate.terms, sums=kind is not Kind.COUNT)
        return (kind, found) if found is not None else None

    def _fixed_columns(self) -> set[Col]:
        window = self._aggregate.window
        if window is not None:
            return self._rows.fixed_by(window.args.get("partition_by") or ())
        return set() if self._rows.totals else self._rows.fixed_by(self._rows.grouping or ())

    def _repetition(self, terms: Terms, *, sums: bool) -> Repetition | None:
        """How all parts of the argument are repeated: one that is not makes the row count."""
        found = None
        for term in terms:
            found = self._of_term(term, sums=sums)
            if found is None:
                return None
        return found

    def _of_term(self, term: tuple[exp.Expr, ...], *, sums: bool) -> Repetition | None:
        candidates = [found for node in term if (found := self._rows.from_clause.candidates(node))]
        repetition = self._rows.repetition({found[0] for found in candidates}, self._fixed, sums=sums)
        if repetition is not None and any(len(found) > 1 for found in candidates):
            # A column that USING made of two may stand for either.
            other = {found[-1] for found in candidates}
            return repetition if self._rows.repetition(other, self._fixed, sums=sums) is not None else None
        return repetition

    def _columns(self, terms: Terms) -> list[Col]:
        found = (self._rows.from_clause.column(node) for term in terms for node in term)
        return [column for column in found if column is not None]

    # Counts of rows

    def _crossing(self) -> tuple[Kind, _Found] | None:
        """Whether the joined rows are rows of nothing: several tables of which none has the others' rows."""
        joined = self._joined
        if len(joined.sources) < 2:
            return None
        reaches, whole = [], len(joined.sources)
        for position in joined.everything:
            reaches.append(joined.reach((position,), self._fixed).sources)
            if len(reaches[-1]) == whole:
                return None
        for together in _connected(joined.pairs):
            if len(joined.reach(together, self._fixed).sources) == whole:
                return None
        branches = [
            position
            for position in joined.everything
            if not any(
                position in reaches[other] and (other not in reaches[position] or other < position)
                for other in joined.everything
                if other != position
            )
        ]
        return Kind.COUNT, [joined.sources[position].label for position in branches]

    # Ratios

    def _is_ratio(self, node: exp.Expr) -> bool:
        """Whether a sum is divided by, or divides, a count or sum over the same repeated rows: an average of them."""
        child, parent = node, node.parent
        while isinstance(parent, _AROUND_RATIO):
            child, parent = parent, parent.parent
        if not isinstance(parent, exp.Div | exp.SafeDivide):
            return False
        for other in aggregates_in(parent.expression if parent.this is child else parent.this):
            if other.kind is Kind.COUNT:
                return True
            if other.kind is Kind.SUM and (not other.terms or self._repetition(other.terms, sums=True)):
                return True
        return False


def _connected(pairs: list[frozenset[int]]) -> list[frozenset[int]]:
    """Sets that share a member, joined."""
    groups: list[frozenset[int]] = []
    for pair in pairs:
        touching = [group for group in groups if group & pair]
        groups = [group for group in groups if not group & pair] + [pair.union(*touching)]
    return groups
