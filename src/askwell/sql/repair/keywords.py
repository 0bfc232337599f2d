"""Misspelt and incomplete keywords and operators, in statements that cannot be parsed as they are."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from rapidfuzz.distance import DamerauLevenshtein
from sqlglot.tokenizer_core import Token, TokenType

from askwell.sql.repair.wording import Edit

_KEYWORDS = (
    "SELECT", "DISTINCT", "FROM", "JOIN", "INNER", "LEFT", "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", "BETWEEN",
    "UNION", "EXCEPT", "INTERSECT", "LIKE", "EXISTS", "DESC",
)  # fmt: skip
_JOIN_SIDES = frozenset({"INNER", "LEFT", "RIGHT", "FULL", "OUTER", "CROSS"})
_OPERATORS = {"= <": "<=", "= >": ">=", "> =": ">=", "< =": "<=", "< >": "<>", "! =": "!="}
_WITH_BACKTICKS = frozenset({"mysql", "bigquery", "sqlite"})
_BACKTICKED = re.compile(r"`([A-Za-z_][\w ]*)`")
# A text without a backtick in it may be left alone; any other is not touched.
_OUTSIDE = re.compile(r"'[^'`]*'")
# Places that are tried in one statement, each with a parse.
_MOST_TRIES = 8


def respelled(sql: str, tokens: Sequence[Token], works: Callable[[str], bool]) -> Edit | None:
    """The text with one keyword or operator put right so that it can be parsed; None where that does not help."""
    for number, edit in enumerate(_edits(sql, tokens)):
        if number >= _MOST_TRIES:
            return None
        if works(edit.sql):
            return edit
    return None


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


def closed_text(sql: str, tokenize: Callable[[str], Sequence[Token] | None]) -> Edit | None:
    """A last text without its closing quote, of one word, so that nothing else can have been swallowed by it."""
    if sql.count("'") % 2 == 0 or any(char.isspace() for char in sql[sql.rindex("'") :]):
        return None
    closed = sql + "'"
    return Edit(closed, "a missing quote was added") if tokenize(closed) is not None else None


def _edits(sql: str, tokens: Sequence[Token]) -> Iterator[Edit]:
    for position, token in enumerate(tokens):
        following = tokens[position + 1] if position + 1 < len(tokens) else None
        word = token.text.upper()
        if following is not None and (right := _OPERATORS.get(f"{token.text} {following.text}")):
            yield _replaced(sql, token, following, right)
        elif token.token_type is TokenType.FARROW:
            yield _replaced(sql, token, token, ">=")
        elif word in ("GROUP", "ORDER") and following is not None and following.text.upper() != "BY":
            yield _replaced(sql, token, token, f"{word} BY")
        elif word in ("GROUPBY", "ORDERBY"):
            yield _replaced(sql, token, token, f"{word[:5]} BY")
        elif word in _JOIN_SIDES and following is not None and following.token_type is TokenType.VAR:
            yield _replaced(sql, token, token, f"{word} JOIN")
        elif token.token_type is TokenType.VAR:
            meant = [k for k in _KEYWORDS if DamerauLevenshtein.distance(word, k) == 1 and abs(len(word) - len(k)) < 2]
            if len(meant) == 1 and len(word) > 2:
                yield _replaced(sql, token, token, meant[0])


def _replaced(sql: str, first: Token, last: Token, text: str) -> Edit:
    was = sql[first.start : last.end + 1]
    return Edit(f"{sql[: first.start]}{text}{sql[last.end + 1 :]}", f"`{was}` read as `{text}`")
