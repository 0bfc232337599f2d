"""Slips in the wording of a statement: keywords doubled, misplaced or of another database, commas too many.

Each edit is certain from the words alone, whether or not a parser happens to read over the slip. The one place where
meaning moves is `TOP n`, which says the same as `LIMIT n`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqlglot.tokenizer_core import Token, TokenType

from askwell.sql.repair.clauses import RANKS, Level, is_balanced, levels, token_kinds
from askwell.sql.repair.mysql_words import in_mysql_words


@dataclass(frozen=True, slots=True)
class Edit:
    """The text with one slip put right, and what that was, in a sentence."""

    sql: str
    sentence: str


# Keywords that never stand twice in a row.
_ONCE = token_kinds("AND OR ON DISTINCT ALIAS COMMA IN LIKE BETWEEN EQ USING").union(RANKS) - {TokenType.FETCH}
_CONDITIONS = frozenset({TokenType.WHERE, TokenType.HAVING, TokenType.ON})
# What ends a list, so that a comma before it is one too many.
_LIST_ENDS = frozenset(RANKS) - {TokenType.SELECT, TokenType.JOIN}
_WITH_TOP = frozenset({"tsql", "snowflake", "redshift", "teradata"})
_WITH_FETCH = frozenset({"postgres", "trino", "tsql", "snowflake", "oracle"})
_WITH_OPERATORS_OF_ONES_OWN = frozenset({"postgres"})
_MOST_EDITS = 12


def reworded(sql: str, dialect: str, tokenize: Callable[[str], Sequence[Token] | None]) -> tuple[str, list[str]]:
    """The text with every slip of this kind put right, and a sentence for each; the same text where there is none."""
    sentences: list[str] = []
    for _ in range(_MOST_EDITS):
        tokens = tokenize(sql)
        edit = next_edit(sql, tokens, dialect) if tokens else None
        if edit is None:
            break
        sql = edit.sql
        sentences.append(edit.sentence)
    return sql, sentences


def next_edit(sql: str, tokens: Sequence[Token], dialect: str) -> Edit | None:
    """The first slip of this kind put right, or None where there is none."""
    found = _doubled(sql, tokens, dialect) or _spare_comma(sql, tokens, dialect)
    if found is not None:
        return found
    reread = in_mysql_words(sql, tokens) if dialect == "mysql" else None
    if reread is not None:
        return Edit(*reread)
    if not is_balanced(tokens):
        return None  # what belongs to which SELECT is not known
    for level in levels(tokens):
        found = _top(sql, tokens, level, dialect) or _order(sql, tokens, level) or _two_conditions(sql, tokens, level)
        if found is None and dialect not in _WITH_FETCH:
            found = _fetch(sql, tokens, level) or _rows_behind_limit(sql, tokens, level)
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


def _doubled(sql: str, tokens: Sequence[Token], dialect: str) -> Edit | None:
    for position in range(1, len(tokens)):
        before, token = tokens[position - 1].token_type, tokens[position].token_type
        touching = tokens[position - 1].end + 1 == tokens[position].start
        if token is TokenType.EQ and touching and dialect in _WITH_OPERATORS_OF_ONES_OWN:
            continue  # `===` may be one
        if before is token and token in _ONCE:
            return Edit(without(sql, tokens, position, position + 1), f"`{tokens[position].text}` was there twice")
        if before in _CONDITIONS and token in (TokenType.AND, TokenType.OR):
            text = without(sql, tokens, position, position + 1)
            return Edit(text, f"`{tokens[position].text}` dropped behind `{tokens[position - 1].text}`")
    return None


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


def _fetch(sql: str, tokens: Sequence[Token], level: Level) -> Edit | None:
    """`FETCH FIRST 3 ROWS ONLY`, which the parser reads and writes as LIMIT."""
    for clause in level.of_kind(TokenType.FETCH):
        number = next((t.text for t in tokens[clause.keyword : level.end] if t.token_type is TokenType.NUMBER), "1")
        offset = tokens[clause.keyword - 1].text.upper() in ("ROW", "ROWS")
        words = [token.text.upper() for token in tokens[clause.keyword : level.end]]
        if offset or level.combined or "TIES" in words or "PERCENT" in words or words[-1:] != ["ONLY"]:
            continue
        text = sql[: tokens[clause.keyword].start] + f"LIMIT {number}" + sql[tokens[level.end - 1].end + 1 :]
        return Edit(text, f"`FETCH FIRST {number} ROWS ONLY` read as `LIMIT {number}`")
    return None


def _rows_behind_limit(sql: str, tokens: Sequence[Token], level: Level) -> Edit | None:
    """`LIMIT 5 ROWS`, which is half of each way to say it."""
    for clause in level.of_kind(TokenType.LIMIT):
        words = [token.text.upper() for token in tokens[clause.keyword : level.end]]
        if words[2:] in (["ROWS"], ["ROWS", "ONLY"]):
            return Edit(without(sql, tokens, clause.keyword + 2, level.end), "`ROWS` dropped behind `LIMIT`")
    return None


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
