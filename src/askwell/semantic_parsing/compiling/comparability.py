"""What has no statement: values that do not fit the type of the column that they are compared with, totals and averages
of columns without numbers, joins of columns that do not compare."""

from __future__ import annotations

import re
from collections.abc import Iterable

from askwell.mdl.semantic_model import ColumnRef
from askwell.mdl.types import TypeFamily, comparable, type_family
from askwell.question.periods import day_of
from askwell.semantic_parsing.model.facts import ColumnFacts, ColumnKind, ModelFacts, is_code
from askwell.semantic_parsing.model.join_graph import Join

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
Literal = str | int | float
_BOOLEANS = frozenset({"true", "false", "t", "f", "yes", "no", "y", "n", "1", "0"})


class Meaningless(Exception):
    """There is no statement for this reading. `reason` is a stable name, `about` what it is about, for people; `roles`
    are the relationships of which any could be meant."""

    def __init__(self, reason: str, *about: str, roles: tuple[str, ...] = ()) -> None:
        super().__init__(reason)
        self.reason, self.about, self.roles = reason, about, roles


def refuse_joins(joins: Iterable[Join], facts: ModelFacts, dialect: str) -> None:
    """Raise `Meaningless` where joined columns are of types that only SQLite compares."""
    for join in joins if dialect not in UNTYPED else ():
        for left, right in join.pairs:
            ends = facts.columns[ColumnRef(join.source, left)], facts.columns[ColumnRef(join.table, right)]
            if not comparable(ends[0].column.type, ends[1].column.type):
                raise Meaningless("no_join_path")


def refuse_figure(
    column: ColumnFacts, dialect: str, *, aggregate: str | None = None, bucket: str | None = None
) -> None:
    """Raise `Meaningless` for an aggregate (avg, sum, min, max) or a period (`bucket`) that is not computed: totals and
    averages are of numbers; of lists, shapes and documents there is no order either."""
    is_coded = column.formula is None and is_code(column.names[-1], is_total=aggregate == "sum")
    if aggregate in ("sum", "avg") and (is_coded or not _adds_up(column, dialect)):
        raise Meaningless("aggregate_of_what")
    if dialect not in UNTYPED:
        if aggregate in ("min", "max") and column.kind is ColumnKind.BOOLEAN:
            raise Meaningless("aggregate_of_what")
        if aggregate is not None and _is_opaque(column, dialect):
            raise Meaningless("aggregate_of_what")
        if bucket is not None and _WITHOUT_LITERALS.search(column.column.type):
            raise Meaningless("no_date")


def _adds_up(column: ColumnFacts, dialect: str) -> bool:
    if column.is_date:
        return False
    match column.kind:
        case ColumnKind.NUMBER:  # DuckDB has no total of intervals
            return dialect in UNTYPED or not _WITHOUT_LITERALS.search(column.column.type)
        case ColumnKind.TEXT:
            return column.number_form is not None and not column.number_form.are_codes
        case _:
            return dialect in UNTYPED


def _is_opaque(column: ColumnFacts, dialect: str) -> bool:
    """Whether nothing that a question says compares with the column's values: lists, documents, shapes."""
    if dialect in UNTYPED or column.formula is not None:
        return False
    bits = dialect in _BIT_STRINGS and _BIT.match(column.column.type) is not None
    return bits or type_family(column.column.type) is TypeFamily.OTHER


def refuse_condition(
    column: ColumnFacts,
    dialect: str,
    *,
    values: Iterable[Literal] = (),
    with_period: bool = False,
    than_average: bool = False,
    other: ColumnFacts | None = None,
) -> None:
    """Raise `Meaningless` where the column's values do not compare with literals, a period, their own average or an
    `other` column of the row."""
    if than_average and not _adds_up(column, dialect):
        raise Meaningless("average_of_what")
    if _is_opaque(column, dialect):
        raise Meaningless("comparison_without_column")
    if with_period and dialect not in UNTYPED and _WITHOUT_LITERALS.search(column.column.type):
        raise Meaningless("no_date")
    other = other or column
    if column.clock != other.clock or (dialect not in UNTYPED and column.kind is not other.kind):
        raise Meaningless("comparison_without_column")
    if not all(_fits(value, column, dialect) for value in values):
        raise Meaningless("value_of_other_type")


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
            return column.number_form is not None
        case ColumnKind.TEXT:
            return "uuid" not in column.column.type.lower() or _UUID.fullmatch(text) is not None
