"""Whether SQL that is kept holds values that not everybody may read, by what its literals are compared with.

What people saved is used for others: their questions, and the values that stand in the SQL. Where rules depend on who
asks, such a value may be one that someone may not know of.

A literal may be a value that a person read in a row. It tells of the columns that it is compared with: by a condition,
by CASE, by arithmetic that an order goes by. What leaves a subquery may be compared with anything around it.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from decimal import Decimal, InvalidOperation

from cachetools import LRUCache
from sqlglot import Dialect, exp
from sqlglot.errors import SqlglotError

from askwell.mdl.semantic_model import SemanticModel, Table
from askwell.sql.bound import ModelCatalogue, Names
from askwell.sql.guard.nodes import types_named
from askwell.sql.names import fold
from askwell.sql.scopes import Resolution, Source, resolve

_LITERALS = tuple(types_named("Literal National RawString UnicodeString HexString BitString ByteString Heredoc"))
# An operand that is a term of its own: what stands beside it is not compared with it.
_TERMS = (exp.Connector, exp.Not, exp.Where, exp.Having, exp.Qualify, exp.Join)
# Functions that compare or choose between what they are given.
_COMPARING = (exp.Predicate, exp.Connector, exp.Case, exp.If, exp.Coalesce, exp.Nullif, exp.DecodeCase)
# How many rows, digits or characters: never a value of a row.
_COUNTS = (exp.Limit, exp.Offset, exp.Fetch, exp.WindowSpec, exp.DataType, exp.DataTypeParam, exp.Parameter)
_COUNTED = (
    "Round Trunc Substring Left Right Ntile Lag Lead PercentileCont PercentileDisc Quantile ApproxQuantile IntervalOp"
)
_COUNTING = tuple(types_named(_COUNTED))
_SCALING = (exp.Mul, exp.Div, exp.IntDiv, exp.Mod)
_HARMLESS_NUMBERS = frozenset({"0", "1"})
# Days of a year, minutes of a day, seconds of an hour and of a day: what units of time are converted by.
_UNIT_FACTORS = frozenset({"365", "365.25", "366", "1440", "3600", "86400"})
# A factor of so few digits converts or rounds; one of more may be a figure of a person's.
_MOST_DIGITS = 2
_UNITS = ("second", "minute", "hour", "day", "week", "month", "quarter", "year")
_TIME_WORDS = frozenset({*_UNITS, "now", "utc"})
_SPAN = re.compile(
    rf"[-+]?\s*\d{{1,4}}(?:\s*(?:{'|'.join(_UNITS)})s?)?(?:\s+[-+]?\d{{1,4}}\s*(?:{'|'.join(_UNITS)})s?)*"
)
# ASCII punctuation only: a text of any other alphabet may be a name.
_PUNCTUATION = r"[ -$&-/:-@\[-^`{-~]"
_SEPARATOR = re.compile(rf"{_PUNCTUATION}{{0,20}}")
_FORMAT = re.compile(rf"(?:%[-#]?[A-Za-z]|{_PUNCTUATION}){{1,20}}")


def compared_literals(tree: exp.Query) -> Iterator[exp.Expr | None]:
    """For each literal that may be a value of a row, the expression that it is compared within; None for one that is
    shown as it is, or that may be compared with anything outside of its subquery."""
    for literal in tree.find_all(*_LITERALS):
        if not (_is_harmless_number(literal) if _is_number(literal) else _is_harmless_text(literal)):
            yield from _compared_within(literal, tree)


def _compared_within(literal: exp.Expr, root: exp.Query) -> Iterator[exp.Expr | None]:
    node, is_result = literal, False
    while (parent := node.parent) is not None and not isinstance(parent, exp.Query):
        if isinstance(parent, exp.Predicate):
            yield parent
            return
        if isinstance(parent, _TERMS):
            yield node
            return
        if _is_tested(node, parent):
            yield parent.parent if isinstance(parent, exp.If) else parent
            return
        is_result = is_result or isinstance(parent, exp.If | exp.Case)
        node = parent
    if _is_number(literal) and _is_scale(literal):
        return
    is_shown = node.arg_key == "expressions"
    if node.arg_key in ("order", "group", "distinct") or (is_shown and _is_outermost(parent, root)):
        # A text that a row shows in any case is told as it is; a number there is arithmetic.
        yield node if is_result or not is_shown or _is_number(literal) else None
        return
    yield None


def _is_tested(node: exp.Expr, parent: exp.Expr) -> bool:
    """Whether it stands in `CASE column WHEN node`."""
    if isinstance(parent, exp.If):
        return node.arg_key == "this" and isinstance(parent.parent, exp.Case)
    return isinstance(parent, exp.Case) and node.arg_key == "this"


def _is_outermost(query: exp.Expr | None, root: exp.Query) -> bool:
    """Whether what a query shows is what the statement shows."""
    while query is not None and query is not root:
        if not isinstance(query.parent, exp.SetOperation | exp.Subquery):
            return False
        query = query.parent
    return query is not None


def _is_number(literal: exp.Expr) -> bool:
    return isinstance(literal, exp.Literal) and not literal.is_string


def _is_harmless_number(literal: exp.Expr) -> bool:
    if str(literal.this) in _HARMLESS_NUMBERS:
        return True
    node = _bare(literal)
    place = node.parent
    if isinstance(place, exp.Interval):
        return _is_span(literal, place)
    if isinstance(place, exp.Group) or (isinstance(place, exp.Ordered) and isinstance(_above(place, 2), exp.Query)):
        return True  # the place of a result
    if isinstance(place, _COUNTING):
        return _is_short(literal)
    return isinstance(place, _COUNTS)


def _is_scale(literal: exp.Expr) -> bool:
    """Whether it is a factor of what a row or a group gives: a percentage, a rate, a conversion of units."""
    place = _bare(literal).parent
    if not isinstance(place, _SCALING) or not _is_short(literal):
        return False
    return place.find(exp.Column, exp.AggFunc, exp.Window) is not None


def _is_short(literal: exp.Expr) -> bool:
    text = str(literal.this)
    try:
        digits = Decimal(text).normalize().as_tuple().digits
    except InvalidOperation:
        return False
    return len(digits) <= _MOST_DIGITS or text in _UNIT_FACTORS


def _is_harmless_text(literal: exp.Expr) -> bool:
    text, place = str(literal.this), literal.parent
    if not isinstance(literal, exp.Literal | exp.National):
        return False
    if isinstance(place, exp.Interval):
        return _is_span(literal, place)
    if not isinstance(place, exp.Func | exp.DPipe) or isinstance(place, _COMPARING):
        return False
    if literal.arg_key == "format":
        return _FORMAT.fullmatch(text) is not None
    return text.lower() in _TIME_WORDS or _SEPARATOR.fullmatch(text) is not None


def _is_span(literal: exp.Expr, interval: exp.Interval) -> bool:
    """Whether an interval says how long, and nothing else."""
    unit = str(interval.args["unit"].this).lower() if interval.args.get("unit") is not None else ""
    return _SPAN.fullmatch(f"{literal.this} {unit}".strip().lower()) is not None


def _bare(node: exp.Expr) -> exp.Expr:
    """With the parentheses and the sign around it."""
    while isinstance(node.parent, exp.Paren | exp.Neg):
        node = node.parent
    return node


def _above(node: exp.Expr, levels: int) -> exp.Expr | None:
    above: exp.Expr | None = node
    for _ in range(levels):
        above = above.parent if above is not None else None
    return above


# Those of a table's columns of which everybody reads the same values.
SameForAll = Callable[[str, Sequence[str]], Collection[str]]

_KEPT = 10_000
# May hold a value that is no literal: the names that a PIVOT makes columns of, filters of JSON paths.
_UNREADABLE = (exp.Command, exp.Hint, exp.Pivot, exp.JSONPathFilter, exp.JSONPathScript)


class PrivateValues:
    """The columns of a model whose values depend on who asks, and statements, in sqlglot's `dialect`, that name such
    values. Where there may not be any such column (`are_any`), nothing is looked at. May be used by several threads."""

    def __init__(self, model: SemanticModel, same_for_all: SameForAll, dialect: str, *, are_any: bool) -> None:
        self._model = model
        self._same_for_all = same_for_all
        self.dialect = dialect
        self.are_any = are_any
        self._private: dict[str, frozenset[str]] = {}
        self._known: LRUCache[str, bool] = LRUCache(_KEPT)
        self._lock = threading.Lock()

    def in_sql(self, sql: str) -> bool:
        """Whether a statement over the model compares a private column with a value that stands in it, or may do so:
        what cannot be read counts as one that does, and so does a comment. One that was not looked at before takes
        milliseconds."""
        if not self.are_any:
            return False
        with self._lock:
            known = self._known.get(sql)
        if known is None:
            known = self._looked_for(sql)
            with self._lock:
                self._known[sql] = known
        return known

    def _looked_for(self, sql: str) -> bool:
        try:
            dialect = Dialect.get_or_raise(self.dialect)
            tokens = dialect.tokenize(sql)
            if any(token.comments for token in tokens):
                return True
            trees = dialect.parser().parse(tokens, sql)
            tree = trees[0] if len(trees) == 1 else None
            return not isinstance(tree, exp.Query) or self._in_query(tree)
        except (SqlglotError, RecursionError):
            return True

    def _in_query(self, tree: exp.Query) -> bool:
        resolution = resolve(tree, ModelCatalogue(self._model, self.dialect), self.dialect)
        # SQLite takes a name in double quotes that nothing has for a text.
        if resolution.problems or resolution.text_literals:
            return True
        readers = _Readers(tree, resolution, self._model, self._of)
        if readers.are_public:
            return False
        if tree.find(*_UNREADABLE) is not None:
            return True
        for compared in compared_literals(tree):
            columns = [] if compared is None else list(compared.find_all(exp.Column))
            if not columns or not all(map(readers.is_public, columns)):
                return True
        return False

    def _of(self, table: Table) -> frozenset[str]:
        """The folded names of the table's private columns."""
        known = self._private.get(table.name)
        if known is None:
            names = [column.name for column in table.columns]
            private = set(names) - set(self._same_for_all(table.name, names))
            known = self._private[table.name] = frozenset(map(fold, private))
        return known


class _Readers(Names):
    """What the columns of one statement, whose tables are all the model's, take their values from."""

    def __init__(
        self,
        tree: exp.Query,
        resolution: Resolution,
        model: SemanticModel,
        private_of: Callable[[Table], frozenset[str]],
    ) -> None:
        super().__init__(resolution, model)
        self._private = {name: private_of(model.tables[name]) for name in self.tables}
        # A branch of a set operation gives its values under the names of the first one.
        self._has_nested_union = any(one is not tree for one in tree.find_all(exp.SetOperation))
        # Whether nothing is read but tables of which everybody reads the same.
        self.are_public = not any(self._private.values())
        self._known: dict[int, bool] = {}

    def is_public(self, column: exp.Expr) -> bool:
        """Whether everybody reads the same in a column, as far as is known."""
        if id(column) not in self._known:
            uses = self.uses(column)
            self._known[id(column)] = bool(uses) and all(self._gives_public(use.source, fold(use.name)) for use in uses)
        return self._known[id(column)]

    def _gives_public(self, source: Source, name: str) -> bool:
        if source.table is not None:
            return not source.renamed and name not in self._private[source.table.name]
        if self._has_nested_union:
            return False
        origin = source.origins.get(name)
        if isinstance(origin, tuple):
            return self._gives_public(*origin)
        columns = list(origin.find_all(exp.Column)) if origin is not None else []
        return bool(columns) and all(map(self.is_public, columns))
