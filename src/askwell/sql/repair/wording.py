"""Slips in the text of a statement, found before anything is parsed: keywords that are doubled, misplaced or of another
database, commas too many, brackets and quotes.

Each edit is certain from the words alone, whether or not a parser happens to read over the slip. The one place where
meaning moves is `TOP n`, which says the same as `LIMIT n`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import SqlglotError
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


def tokens_of(sql: str, dialect: str) -> Sequence[Token] | None:
    """The tokens of a text; None where it has none."""
    try:
        return Dialect.get_or_raise(dialect).tokenize(sql)
    except (SqlglotError, ValueError, IndexError):
        return None


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


@dataclass(frozen=True, slots=True)
class Edit:
    """The text with one slip put right, and what that was, in a sentence."""

    sql: str
    sentence: str


# What ends a list, so that a comma before it is one too many.
_LIST_ENDS = frozenset(RANKS) - {TokenType.SELECT, TokenType.JOIN}
_WITH_TOP = frozenset({"tsql", "snowflake", "redshift", "teradata"})
_MOST_EDITS = 12


def reworded(sql: str, dialect: str) -> tuple[str, list[str]]:
    """The text with every slip of this kind put right, and a sentence for each; the same text where there is none."""
    sentences: list[str] = []
    for _ in range(_MOST_EDITS):
        tokens = tokens_of(sql, dialect)
        edit = next_edit(sql, tokens, dialect) if tokens else None
        if edit is None:
            break
        sql = edit.sql
        sentences.append(edit.sentence)
    return sql, sentences


def next_edit(sql: str, tokens: Sequence[Token], dialect: str) -> Edit | None:
    """The first slip of this kind put right, or None where there is none."""
    found = _spare_comma(sql, tokens, dialect)
    if found is not None:
        return found
    if not is_balanced(tokens):
        return None  # what belongs to which SELECT is not known
    for level in levels(tokens):
        found = _top(sql, tokens, level, dialect) or _order(sql, tokens, level) or _two_conditions(sql, tokens, level)
        if found is not None:
            return found
    return None


def reordered(sql: str, tokens: Sequence[Token]) -> Edit | None:
    """The clauses in order where a clause was moved together with a parenthesis, so that they pair up only then."""
    kinds = [token.token_type for token in tokens]
    if is_balanced(tokens) or kinds.count(TokenType.L_PAREN) != kinds.count(TokenType.R_PAREN):
        return None
    return next((edit for level in levels(tokens) if (edit := _order(sql, tokens, level)) is not None), None)


def cut(sql: str, tokens: Sequence[Token], first: int, behind: int) -> str:
    """The text of the tokens from `first` up to, but not including, `behind`."""
    return sql[tokens[first].start : tokens[behind - 1].end + 1] if behind > first else ""


def without(sql: str, tokens: Sequence[Token], first: int, behind: int) -> str:
    """The text without those tokens."""
    return sql[: tokens[first].start] + sql[tokens[behind - 1].end + 1 :]


def _spare_comma(sql: str, tokens: Sequence[Token], dialect: str) -> Edit | None:
    for position, token in enumerate(tokens):
        if token.token_type is not TokenType.COMMA:
            continue
        after = tokens[position + 1].token_type if position + 1 < len(tokens) else None
        if after in _LIST_ENDS and not (dialect == "duckdb" and after is TokenType.FROM):
            return Edit(without(sql, tokens, position, position + 1), "a comma too many was dropped")
        if after is None:
            return Edit(sql[: token.start].rstrip(), "a comma too many was dropped")
    return None


def _top(sql: str, tokens: Sequence[Token], level: Level, dialect: str) -> Edit | None:
    """`SELECT TOP 3 a FROM t` says `SELECT a FROM t LIMIT 3`, where nothing else limits the rows."""
    if dialect in _WITH_TOP or level.clauses[0].kind is not TokenType.SELECT:
        return None
    word = level.clauses[0].keyword + 1
    if word < len(tokens) and tokens[word].token_type is TokenType.DISTINCT:
        word += 1
    text = tokens[word].text.upper() if word < level.end else ""
    if text not in ("TOP", "FIRST"):
        return None
    behind = _number_behind(tokens, word + 1)
    if behind is None or behind >= level.end or level.combined or level.of_kind(TokenType.LIMIT):
        return None
    following = tokens[behind]
    if following.text.upper() in ("PERCENT", "WITH") or following.token_type in _NO_COLUMN:
        return None
    number = next(t.text for t in tokens[word + 1 : behind] if t.token_type is TokenType.NUMBER)
    end = tokens[level.end - 1].end + 1
    limited = sql[: tokens[word].start] + sql[following.start : end] + f" LIMIT {number}" + sql[end:]
    return Edit(limited, f"`{text} {number}` read as `LIMIT {number}`")


_NO_COLUMN = frozenset({TokenType.COMMA, TokenType.FROM, TokenType.ALIAS, TokenType.R_PAREN, TokenType.DOT})


def _number_behind(tokens: Sequence[Token], position: int) -> int | None:
    """The position behind `3` or `(3)`."""
    kinds = [token.token_type for token in tokens[position : position + 3]]
    if kinds[:1] == [TokenType.NUMBER]:
        return position + 1
    return position + 3 if kinds == [TokenType.L_PAREN, TokenType.NUMBER, TokenType.R_PAREN] else None


def _order(sql: str, tokens: Sequence[Token], level: Level) -> Edit | None:
    """Clauses in the order in which they are written, each whole."""
    ranks = [RANKS[clause.kind] for clause in level.clauses]
    if level.clauses[0].kind is not TokenType.SELECT or ranks.count(0) > 1 or ranks == sorted(ranks):
        return None
    if len(level.of_kind(TokenType.FROM)) > 1:
        return None
    late = next(i for i in range(1, len(ranks)) if ranks[i] < ranks[i - 1])
    order = sorted(range(len(ranks)), key=lambda number: ranks[number])
    pieces = [cut(sql, tokens, level.clauses[n].first, level.end_of(n)) for n in order]
    begin, end = tokens[level.clauses[0].first].start, tokens[level.end - 1].end + 1
    moved, before = (tokens[level.clauses[n].keyword].text.upper() for n in (late, late - 1))
    return Edit(sql[:begin] + " ".join(pieces) + sql[end:], f"`{moved}` moved before `{before}`")


def _two_conditions(sql: str, tokens: Sequence[Token], level: Level) -> Edit | None:
    """Two WHERE, or two HAVING, of one SELECT both have to hold."""
    for kind in (TokenType.WHERE, TokenType.HAVING):
        numbers = [number for number, clause in enumerate(level.clauses) if clause.kind is kind]
        if len(numbers) < 2 or numbers[1] != numbers[0] + 1:
            continue
        first, second = numbers[:2]
        conditions = [
            cut(sql, tokens, level.clauses[number].keyword + 1, level.end_of(number)) for number in (first, second)
        ]
        begin, end = tokens[level.clauses[first].first].start, tokens[level.end_of(second) - 1].end + 1
        word = tokens[level.clauses[first].keyword].text
        both = f"{word} ({conditions[0]}) AND ({conditions[1]})"
        return Edit(sql[:begin] + both + sql[end:], f"two `{word.upper()}` read as one")
    return None


# How many places are tried: each is parsed, and then looked at for names.
_MOST_BRACKET_TRIES = 40
_BRACKET_OPERATORS = token_kinds("PLUS DASH STAR SLASH MOD DPIPE")
_CLAUSES = SET_OPERATIONS.union(RANKS, token_kinds("R_PAREN LEFT INNER"))
# Words in front of a parenthesis that groups, and is no list of arguments.
_CONNECTING = token_kinds("AND OR NOT ON WHEN").union(RANKS)
# A parenthesis may close before these.
_BEFORE = (
    _CLAUSES
    | _BRACKET_OPERATORS
    | token_kinds("COMMA AND OR ALIAS ON EQ NEQ LT LTE GT GTE DESC ASC THEN ELSE END IS NOT IN BETWEEN LIKE")
)


def balanced(sql: str, tokens: Sequence[Token], works: Callable[[str], bool]) -> Edit | None:
    """The text with one parenthesis added or taken out so that it works; the likeliest place first."""
    open_, extra = unmatched(tokens)
    if len(extra) == 1 and not open_:
        found = next((text for text in _without_one(sql, tokens, extra[0]) if works(text)), None)
        return Edit(found, "a `)` too many was dropped") if found is not None else None
    if len(open_) == 1 and not extra:
        places = list(_places(tokens, open_[0]))[:_MOST_BRACKET_TRIES]
        texts = (sql[: tokens[at].end + 1] + ")" + sql[tokens[at].end + 1 :] for at in places)
        found = next((text for text in texts if works(text)), None)
        return Edit(found, "a missing `)` was added") if found is not None else None
    return None


def _without_one(sql: str, tokens: Sequence[Token], last: int) -> Iterator[str]:
    """The one that closes nothing, then those before it."""
    closing = [p for p in range(last, -1, -1) if tokens[p].token_type is TokenType.R_PAREN]
    for position in closing[:_MOST_BRACKET_TRIES]:
        yield sql[: tokens[position].start] + sql[tokens[position].end + 1 :]


def _places(tokens: Sequence[Token], opening: int) -> Iterator[int]:
    """The tokens that the parenthesis may stand behind, the likeliest first.

    A subquery goes on as long as it can. Arguments and lists end at the first comma or clause where they can, and only
    failing that before an operator; a condition ends with its clause. Where an inner pair took the parenthesis that was
    meant for the outer one, the place lies inside.
    """
    behind = [p for p in range(opening + 1, len(tokens)) if p + 1 == len(tokens) or tokens[p + 1].token_type in _BEFORE]
    after = tokens[opening + 1].token_type if opening + 1 < len(tokens) else None
    before = tokens[opening - 1] if opening else None
    if after in (TokenType.SELECT, TokenType.WITH):
        yield from reversed(behind)
    elif before is not None and _takes_arguments(before):
        ends = [p for p in behind if p + 1 == len(tokens) or tokens[p + 1].token_type not in _BRACKET_OPERATORS]
        yield from ends
        yield from (p for p in behind if p not in ends)
    else:
        kinds = {token.token_type for token in tokens[opening:]}
        if not {TokenType.AND, TokenType.OR} <= kinds:
            yield from (p for p in behind if p + 1 == len(tokens) or tokens[p + 1].token_type in _CLAUSES)


def _takes_arguments(token: Token) -> bool:
    return token.token_type is TokenType.IN or (token.text[:1].isalpha() and token.token_type not in _CONNECTING)


_WITH_BACKTICKS = frozenset({"mysql", "bigquery", "sqlite"})
_BACKTICKED = re.compile(r"`([A-Za-z_][\w ]*)`")
# A text without a backtick in it may be left alone; any other is not touched.
_OUTSIDE = re.compile(r"'[^'`]*'")


def quotes_made_plain(sql: str) -> Edit | None:
    """Typographic quotes in place of plain ones, where no plain text stands beside them."""
    if not any(char in sql for char in "‘’“”") or "'" in sql or '"' in sql:
        return None
    plain = sql.translate({ord("‘"): "'", ord("’"): "'", ord("“"): '"', ord("”"): '"'})
    return Edit(plain, "typographic quotes read as plain ones")


def names_quoted(sql: str, dialect: str) -> Edit | None:
    """Backticks around names, where the dialect has other quotes for them."""
    if dialect in _WITH_BACKTICKS or "'" in _OUTSIDE.sub("", sql):
        return None
    quoted = _BACKTICKED.sub(r'"\1"', sql)
    return Edit(quoted, "backticks read as quotes of names") if quoted != sql else None
