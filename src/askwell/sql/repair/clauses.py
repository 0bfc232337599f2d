"""The clauses of each SELECT as they stand in the text, before anything is parsed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from sqlglot.tokenizer_core import Token, TokenType

OPENING = frozenset({TokenType.L_PAREN})
CLOSING = frozenset({TokenType.R_PAREN})
SET_OPERATIONS = frozenset({TokenType.UNION, TokenType.EXCEPT, TokenType.INTERSECT})
# The order in which clauses have to stand; a join belongs to FROM.
RANKS = {
    TokenType.SELECT: 0,
    TokenType.FROM: 1,
    TokenType.JOIN: 1,
    TokenType.WHERE: 2,
    TokenType.GROUP_BY: 3,
    TokenType.HAVING: 4,
    TokenType.ORDER_BY: 6,
    TokenType.LIMIT: 7,
    TokenType.FETCH: 7,
}
_JOIN_WORDS = frozenset(
    {
        TokenType.LEFT,
        TokenType.RIGHT,
        TokenType.FULL,
        TokenType.INNER,
        TokenType.OUTER,
        TokenType.CROSS,
        TokenType.NATURAL,
    }
)


@dataclass(frozen=True, slots=True)
class Clause:
    """Where a clause begins, and the token of its keyword (of JOIN also where words such as LEFT stand before it)."""

    kind: TokenType
    first: int
    keyword: int


@dataclass(slots=True)
class Level:
    """One SELECT: its clauses in the order of the text, and the position of the token behind its last one.

    `combined` says that it is a side of a UNION, EXCEPT or INTERSECT.
    """

    clauses: list[Clause] = field(default_factory=list)
    end: int = 0
    combined: bool = False

    def end_of(self, number: int) -> int:
        """The position of the token behind the clause of this number."""
        return self.clauses[number + 1].first if number + 1 < len(self.clauses) else self.end

    def of_kind(self, kind: TokenType) -> list[Clause]:
        """The clauses of one kind."""
        return [clause for clause in self.clauses if clause.kind is kind]


def is_balanced(tokens: Sequence[Token]) -> bool:
    """Whether every parenthesis has its other one."""
    depth = 0
    for token in tokens:
        depth += (token.token_type in OPENING) - (token.token_type in CLOSING)
        if depth < 0:
            return False
    return depth == 0


def levels(tokens: Sequence[Token]) -> list[Level]:
    """The SELECTs of a statement, inner ones before those around them."""
    return list(_levels(tokens))


def _levels(tokens: Sequence[Token]) -> Iterator[Level]:
    stack = [Level()]
    for position, token in enumerate(tokens):
        kind = token.token_type
        if kind in OPENING:
            stack.append(Level())
        elif kind in CLOSING:
            if len(stack) > 1:
                yield from _ended(stack.pop(), position)
        elif kind in SET_OPERATIONS:
            stack[-1].combined = True
            yield from _ended(stack[-1], position)
            stack[-1] = Level(combined=True)
        elif kind in RANKS:
            level = stack[-1]
            if kind is not TokenType.SELECT and not level.clauses:
                continue  # no SELECT: ORDER BY of a window, FROM of EXTRACT, and the like
            if kind is TokenType.FROM and position and tokens[position - 1].token_type is TokenType.DISTINCT:
                continue  # IS DISTINCT FROM
            level.clauses.append(Clause(kind, _first(tokens, position, kind), position))
    for level in reversed(stack):
        yield from _ended(level, len(tokens))


def _ended(level: Level, position: int) -> Iterator[Level]:
    level.end = position
    if level.clauses:
        yield level


def _first(tokens: Sequence[Token], position: int, kind: TokenType) -> int:
    while kind is TokenType.JOIN and position and tokens[position - 1].token_type in _JOIN_WORDS:
        position -= 1
    return position
