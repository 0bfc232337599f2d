"""What a database cannot compute: values that do not fit the type of the column that they are compared with, totals and
averages of columns without numbers, and columns of tables that the query does not read."""

from __future__ import annotations

import re
from collections.abc import Iterator

from askwell.mdl.semantic_model import ColumnRef
from askwell.mdl.types import TypeFamily, comparable, type_family
from askwell.question.periods import day_of
from askwell.sql.rules.draft import DeadEnd
from askwell.sql.rules.facts import ColumnFacts, ColumnKind, ModelFacts
from askwell.sql.rules.joining import JoinedQuery
from askwell.sql.rules.joins import Join
from askwell.sql.rules.query import Condition, Literal, Output, Query, hidden_sorts

# SQLite compares values of any types, and its columns hold any.
UNTYPED = frozenset({"sqlite"})
_PLAIN_NUMBER = re.compile(r"[-+]?[0-9]+(?:\.[0-9]+)?")
_DAY = re.compile(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[ T][0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?)?")
_UUID = re.compile(r"[0-9a-f]{8}(?:-?[0-9a-f]{4}){3}-?[0-9a-f]{12}", re.IGNORECASE)
# Of these only values in their own notation are literals, and questions do not have them.
_WITHOUT_LITERALS = re.compile(r"^\W*(?:INTERVAL|TIME)(?!STAMP)", re.IGNORECASE)
# Where a BIT is one of a string of bits, and no truth value.
_BIT_STRINGS = frozenset({"postgres", "duckdb"})
_BIT = re.compile(r"^\W*BIT\b", re.IGNORECASE)
_BOOLEANS = frozenset({"true", "false", "t", "f", "yes", "no", "y", "n", "1", "0"})


def refuse_misfits(joined: JoinedQuery, facts: ModelFacts, dialect: str) -> None:
    """Raise a `DeadEnd` where the query compares or computes what the types of its columns do not allow, or reads a
    column of a table that is only there to be absent."""
    query = joined.query
    _refuse_unread(joined, facts)
    if dialect not in UNTYPED:
        _refuse_typed(joined, facts)
    for output in _outputs(query):
        refuse_figure(output, facts, dialect)
    for condition in _conditions(joined):
        refuse_condition(condition, facts, dialect)


def _refuse_unread(joined: JoinedQuery, facts: ModelFacts) -> None:
    read = {joined.tree.root, *(join.table for join in joined.tree.joins)}
    query = joined.query
    shown = {output.table for output in _outputs(query)} | {query.everything}
    compared = {condition.column.table for condition in (*query.conditions, *query.both)}
    for table in sorted(filter(None, (shown | compared) - read)):
        raise DeadEnd("table_beside", facts.tables[table].readable)


def _refuse_typed(joined: JoinedQuery, facts: ModelFacts) -> None:
    """What SQLite alone computes: joins of a number with a text, and DISTINCT rows in the order of what they lack."""
    query = joined.query
    for join in (*joined.tree.joins, *(join for m in joined.missing for join in (m.outer, *m.tree.joins))):
        refuse_join(join, facts)
    hidden = hidden_sorts(query) if query.distinct else ()
    booleans = (s for s in hidden if s.output.column and facts.columns[s.output.column].kind is ColumnKind.BOOLEAN)
    split = query.groups and any(sort.output.aggregate is None for sort in hidden)
    if hidden and (query.everything or set(query.groups) - set(query.outputs) or split or any(booleans)):
        raise DeadEnd("too_much_at_once")


def refuse_join(join: Join, facts: ModelFacts) -> None:
    """Raise a `DeadEnd` where a join compares types that only SQLite compares."""
    for left, right in join.pairs:
        ends = facts.columns[ColumnRef(join.source, left)], facts.columns[ColumnRef(join.table, right)]
        if not comparable(ends[0].column.type, ends[1].column.type):
            raise DeadEnd("no_join_path", *(facts.tables[table].readable for table in (join.source, join.table)))


def _outputs(query: Query) -> Iterator[Output]:
    yield from query.outputs
    yield from query.groups
    yield from (sort.output for sort in query.sorts)
    yield from (having.output for having in query.having)


def _conditions(joined: JoinedQuery) -> Iterator[Condition]:
    query = joined.query
    absent = (condition for missing in joined.missing for condition in missing.absence.conditions)
    for condition in (*query.conditions, *query.both, *absent):
        yield condition
        if condition.subset is not None:
            yield from condition.subset.conditions


def refuse_figure(output: Output, facts: ModelFacts, dialect: str) -> None:
    """Raise a `DeadEnd` for what is not computed: totals and averages are of numbers; of lists, shapes and documents
    there is no order either."""
    if output.aggregate in ("count", "share") or (output.aggregate == "per" and output.column is not None):
        return
    if output.column is None:
        raise DeadEnd("aggregate_of_rows", facts.tables[output.rows_of].readable if output.rows_of is not None else "")
    column = facts.columns[output.column]
    if output.aggregate in ("sum", "avg") and not _adds_up(column, dialect):
        raise DeadEnd("aggregate_of_what", column.readable)
    if dialect not in UNTYPED:
        if output.aggregate in ("min", "max") and column.kind is ColumnKind.BOOLEAN:
            raise DeadEnd("aggregate_of_what", column.readable)
        if output.aggregate is not None and _is_opaque(column, dialect):
            raise DeadEnd("aggregate_of_what", column.readable)
        if output.bucket is not None and _WITHOUT_LITERALS.search(column.column.type):
            raise DeadEnd("no_date", output.bucket)


def _adds_up(column: ColumnFacts, dialect: str) -> bool:
    match column.kind:
        case ColumnKind.NUMBER:  # DuckDB has no total of intervals
            return dialect in UNTYPED or not _WITHOUT_LITERALS.search(column.column.type)
        case ColumnKind.DATE:
            return False
        case ColumnKind.TEXT:
            return dialect in UNTYPED or column.only_numbers
        case ColumnKind.BOOLEAN:
            return dialect in UNTYPED


def _is_opaque(column: ColumnFacts, dialect: str) -> bool:
    """Whether nothing that a question says compares with the column's values: lists, documents, shapes."""
    if dialect in UNTYPED or column.formula is not None:
        return False
    bits = dialect in _BIT_STRINGS and _BIT.match(column.column.type) is not None
    return bits or type_family(column.column.type) is TypeFamily.OTHER


def refuse_condition(condition: Condition, facts: ModelFacts, dialect: str) -> None:
    """Raise a `DeadEnd` where the column's values do not compare so."""
    column = facts.columns[condition.column]
    if condition.than_average and not _adds_up(column, dialect):
        raise DeadEnd("average_of_what", column.readable)
    if _is_opaque(column, dialect) and condition.operator not in ("null", "blank", "filled"):
        raise DeadEnd("comparison_without_column", column.readable)
    if condition.period is not None and dialect not in UNTYPED and _WITHOUT_LITERALS.search(column.column.type):
        raise DeadEnd("no_date", column.readable)
    other = facts.columns[condition.other] if condition.other is not None else column
    if dialect not in UNTYPED and column.kind is not other.kind:
        raise DeadEnd("comparison_without_column", column.readable, other.readable)
    if condition.operator == "like":
        return
    for value in condition.values:
        if not _fits(value, column, dialect):
            raise DeadEnd("value_of_other_type", str(value) or '""', column.readable)


def _fits(value: Literal, column: ColumnFacts, dialect: str) -> bool:
    """Whether a value can be written so that the column's values compare with it."""
    text = value if isinstance(value, str) else None
    if column.kind is ColumnKind.DATE and text is None:
        return False  # as text every day is greater than any number
    if dialect in UNTYPED:
        return True
    if _WITHOUT_LITERALS.search(column.column.type):
        return False
    match column.kind:
        case ColumnKind.NUMBER:
            return text is None or _PLAIN_NUMBER.fullmatch(text) is not None
        case ColumnKind.DATE:
            return text is not None and _DAY.fullmatch(text) is not None and day_of(text) is not None
        case ColumnKind.BOOLEAN:
            return value in (0, 1) or (text is not None and text.lower() in _BOOLEANS)
        case ColumnKind.TEXT if text is None:
            return column.only_numbers
        case ColumnKind.TEXT:
            return "uuid" not in column.column.type.lower() or _UUID.fullmatch(text) is not None
