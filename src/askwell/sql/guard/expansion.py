"""How much work a statement makes: for the parser before it is parsed, for the generator before it is written.

Where a word may be a type or a function, the parser reads what is in its brackets twice; nested, that doubles with
every level. What follows a join without a condition is read twice too, in case the condition comes last: that doubles
with every such join. The generator writes some functions of one dialect as an expression of another in which an
argument appears several times; nested, that multiplies as well. Both are reckoned beforehand, and bounded.
"""

from __future__ import annotations

import sqlglot
from sqlglot import exp
from sqlglot.errors import ErrorLevel
from sqlglot.tokenizer_core import Token, TokenType

from askwell.sql.guard.limits import Limits
from askwell.sql.guard.nodes import STRUCTURE, types_named
from askwell.sql.guard.outcome import Refused, Rule

_OPENING = frozenset({TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE})
_CLOSING = frozenset({TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE})
_NESTED_TYPES = frozenset(
    {TokenType.ARRAY, TokenType.STRUCT, TokenType.MAP, TokenType.NULLABLE, TokenType.NESTED, TokenType.LIST}
)
# Functions that the parser turns into an expression with an argument in it twice or three times.
_COPYING = {"DIV0": 2.0, "DIV0NULL": 3.0, "NULLIFZERO": 2.0, "ZEROIFNULL": 2.0, "SORT_ARRAY": 2.0}
# Words whose first argument may be a type.
_TRIED_TWICE = {"IF": 2.0, "CONVERT": 2.0, "TRY_CONVERT": 2.0, "@": 2.0}
_READING = _COPYING | _TRIED_TWICE
_INSIDE = 1.5
_JOINING = frozenset({TokenType.JOIN, TokenType.STRAIGHT_JOIN})
_WITHOUT_CONDITION = frozenset({TokenType.CROSS, TokenType.NATURAL, TokenType.ASOF})
_CONDITIONS = frozenset({TokenType.ON, TokenType.USING})
_AFTER_JOINS = frozenset(
    {TokenType.WHERE, TokenType.GROUP_BY, TokenType.ORDER_BY, TokenType.SELECT, TokenType.FROM, TokenType.UNION}
)
_MOST_DOUBLINGS = 40
_UNKNOWN_FACTOR = 4
_REMEMBERED = 2_000
# Not twice in the rendering, but the generator makes their arguments' rendering twice.
_WRITTEN_TWICE = types_named(
    "TsOrDsToDate TsOrDsToTime TsOrDsToTimestamp TsOrDsToDatetime TsOrDsAdd TsOrDsDiff TsOrDiToDi"
)


def check_parsing(tokens: list[Token], dialect: sqlglot.Dialect, limits: Limits) -> None:
    """Refuse text whose nesting would keep the parser busy; raises `Refused`."""
    types = frozenset(dialect.parser_class.TYPE_TOKENS)
    repeated = 0.0
    factors = [1.0]
    unconditioned = [0]  # joins whose condition has not come yet, by level of brackets
    previous: Token | None = None
    for token in tokens:
        # Reading a token once or twice is what everyday statements ask for.
        repeated += max(0.0, factors[-1] * 2.0 ** min(unconditioned[-1], _MOST_DOUBLINGS) - 2.0)
        if repeated > limits.rereading:
            raise Refused(Rule.TOO_DEEP, token.text, "The statement nests types or calls too deeply to be read.")
        if token.token_type in _OPENING:
            factor = _reading_factor(previous, token, types)
            # Inside what is read again, other brackets are tried in several ways too.
            around = factors[-1] * 2.0 ** min(unconditioned[-1], _MOST_DOUBLINGS)
            factors.append(around * (_INSIDE if factor == 1.0 and around > 1.0 else factor))
            unconditioned.append(0)
        elif token.token_type in _CLOSING and len(factors) > 1:
            factors.pop()
            unconditioned.pop()
        elif token.token_type in _JOINING:
            unconditioned[-1] += previous is None or previous.token_type not in _WITHOUT_CONDITION
        elif token.token_type in _CONDITIONS:
            unconditioned[-1] = max(0, unconditioned[-1] - 1)
        elif token.token_type in _AFTER_JOINS:
            unconditioned[-1] = 0
        elif token.token_type == TokenType.LT and previous is not None and previous.token_type in _NESTED_TYPES:
            factors[-1] *= 2.0  # a type with types inside, up to the end of these brackets
        previous = token


def _reading_factor(previous: Token | None, bracket: Token, types: frozenset[TokenType]) -> float:
    if previous is None:
        return 1.0
    if previous.token_type in types:
        return 2.0
    if bracket.token_type == TokenType.L_BRACKET and previous.token_type in _CLOSING:
        return 2.0  # after a type in brackets this could be its dimensions
    return _READING.get(previous.text.upper(), 1.0)


class WritingWork:
    """Reckons the size of a tree's rendering in one dialect. Learns each function's factor once, by rendering it."""

    def __init__(self, dialect: sqlglot.Dialect) -> None:
        self._dialect = dialect
        self._factors: dict[tuple[type[exp.Expr], tuple[tuple[str, str], ...]], int] = {}

    def check(self, nodes: list[exp.Expr], limits: Limits) -> None:
        """Refuse a tree that would be written out too large. `nodes` are all of it, parents first; raises `Refused`."""
        sizes: dict[int, int] = {}
        for node in reversed(nodes):
            size = sizes.pop(id(node), 0)
            size = 1 + (size * self._factor(node) if size else 0)
            if size > limits.written:
                raise Refused(Rule.GROWTH, node, "The statement becomes too long when it is written for the database.")
            if node.parent is not None:
                sizes[id(node.parent)] = sizes.get(id(node.parent), 0) + size

    def _factor(self, node: exp.Expr) -> int:
        kind = type(node)
        if (kind in STRUCTURE and kind not in (exp.Between, exp.Ordered)) or isinstance(node, exp.Anonymous):
            return 1
        key = (kind, tuple((name, _shape(value)) for name, value in node.args.items() if value))
        factor = self._factors.get(key)
        if factor is None:
            if len(self._factors) >= _REMEMBERED:
                self._factors.clear()
            factor = self._factors[key] = max(self._learned(node), 2 if kind in _WRITTEN_TWICE else 1)
        return factor

    def _learned(self, node: exp.Expr) -> int:
        """How often the call's argument that appears most often does so in its rendering."""
        arguments: dict[str, object] = {}
        markers: list[str] = []
        for name, value in node.args.items():
            if isinstance(value, list):
                arguments[name] = [_marked(item, markers) for item in value[:3]]
            else:
                arguments[name] = _marked(value, markers)
        try:
            written = self._dialect.generate(
                type(node)(**arguments), copy=False, comments=False, unsupported_level=ErrorLevel.IGNORE
            )
        except Exception:  # noqa: BLE001 - functions that want other arguments than columns
            return _UNKNOWN_FACTOR
        return max([1, *(written.count(marker) for marker in markers)])


def _marked(value: object, markers: list[str]) -> object:
    """A column with a name to count, in place of an expression; constants and types stay, as they shape the text."""
    if not isinstance(value, exp.Expr):
        return value
    if isinstance(value, exp.Literal | exp.DataType | exp.Var | exp.Null | exp.Boolean):
        return value.copy()
    markers.append(f"marker{len(markers)}x")
    return exp.column(markers[-1])


def _shape(value: object) -> str:
    if isinstance(value, exp.Literal):
        return value.name[:8]
    if isinstance(value, list):
        return ",".join(_shape(item) for item in value[:3])
    return type(value).__name__
