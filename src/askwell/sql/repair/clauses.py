"""The clauses of each SELECT as they stand in the text, before anything is parsed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from sqlglot.tokenizer_core import Token, TokenType


def token_kinds(names: str) -> frozenset[TokenType]:
    """Kinds of tokens by their names in sqlglot."""
    return frozenset(TokenType[name] for name in names.split())


SET_OPERATIONS = token_kinds("UNION EXCEPT INTERSECT")
# The order in which clauses have to stand; a join belongs to FROM.
_IN_ORDER = ("SELECT", "FROM JOIN", "WHERE", "GROUP_BY", "HAVING", "ORDER_BY", "LIMIT FETCH")
RANKS = {kind: rank for rank, names in enumerate(_IN_ORDER) for kind in token_kinds(names)}
_JOIN_WORDS = token_kinds("LEFT RIGHT FULL INNER OUTER CROSS NATURAL")


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


def unmatched(tokens: Sequence[Token]) -> tuple[list[int], list[int]]:
    """The parentheses that nothing closes, and those that close nothing."""
    open_: list[int] = []
    extra: list[int] = []
    for position, token in enumerate(tokens):
        if token.token_type is TokenType.L_PAREN:
            open_.append(position)
        elif token.token_type is TokenType.R_PAREN:
            if open_:
                open_.pop()
            else:
                extra.append(position)
    return open_, extra


def is_balanced(tokens: Sequence[Token]) -> bool:
    """Whether every parenthesis has its other one."""
    return not any(unmatched(tokens))


def closing(tokens: Sequence[Token], opening: int) -> int:
    """The parenthesis that closes the one at `opening`; the last token where none does."""
    depth = 0
    for position in range(opening, len(tokens)):
        kind = tokens[position].token_type
        depth += (kind is TokenType.L_PAREN) - (kind is TokenType.R_PAREN)
        if depth == 0:
            return position
    return len(tokens) - 1


def levels(tokens: Sequence[Token]) -> Iterator[Level]:
    """The SELECTs of a statement, inner ones before those around them."""
    stack = [Level()]
    for position, token in enumerate(tokens):
        kind = token.token_type
        if kind is TokenType.L_PAREN:
            stack.append(Level())
        elif kind is TokenType.R_PAREN:
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
