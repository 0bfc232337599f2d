"""Bounds that are checked on the text and its tokens, before anything is parsed."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from sqlglot.tokenizer_core import Token, TokenType

from askwell.sql.guard.outcome import Refused, Rule


@dataclass(frozen=True, slots=True)
class Limits:
    """How large a statement may be.

    `words` bounds how long the parser keeps everybody waiting: it takes about 5 µs for each, in one go.
    `depth` counts levels of the tree; a chain of AND, OR or UNION is one. `rereading` and `written` bound what parser
    and generator make of it, in tokens and in nodes; see `expansion`.
    """

    characters: int = 20_000
    words: int = 8_000
    brackets: int = 60
    nodes: int = 8_000
    depth: int = 120
    rereading: int = 4_000
    written: int = 40_000


STATEMENT = Limits()
# A planned statement carries a generated body for each model it reads.
PLANNED = Limits(characters=2_000_000, brackets=400, nodes=200_000, depth=320, written=400_000)

_OPENING = frozenset({TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE})
_CLOSING = frozenset({TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE})
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
# MySQL and MariaDB run these "comments"; optimizer hints have no place in an analytical query either.
_EXECUTABLE_COMMENT = re.compile(r"/\*\s*(?:!|M!|\+)", re.IGNORECASE)
_COMMENT = re.compile(r"--[^\n]*|/\*.*?\*/|#[^\n]*|//[^\n]*", re.DOTALL)
_QUOTES = frozenset({TokenType.STRING, TokenType.IDENTIFIER, TokenType.RAW_STRING, TokenType.HEREDOC_STRING})


def check_text(sql: str, dialect: str, limits: Limits) -> None:
    """Size, characters and comments of the text that came in; raises `Refused`."""
    if len(sql) > limits.characters:
        raise Refused(Rule.TOO_LARGE, sql, f"The statement has {len(sql)} characters; {limits.characters} are allowed.")
    control = _CONTROL.search(sql)
    if control:
        raise Refused(Rule.CHARACTERS, repr(control.group()), "The statement contains a control character.")
    if _SURROGATE.search(sql):
        raise Refused(Rule.CHARACTERS, "", "The statement is not valid Unicode text.")
    if dialect == "mysql" and _EXECUTABLE_COMMENT.search(sql):
        raise Refused(Rule.COMMENT, "/*! …", "Comments that the database would run are not allowed.")


def check_tokens(sql: str, tokens: list[Token], limits: Limits) -> None:
    """Nesting of brackets, odd comments and odd characters; raises `Refused`."""
    if len(tokens) > limits.words:
        raise Refused(Rule.TOO_LARGE, sql, f"The statement has {len(tokens)} words; {limits.words} are allowed.")
    depth = 0
    end = 0
    plain = sql.isascii()
    for token in tokens:
        kind = token.token_type
        if kind in _OPENING:
            depth += 1
            if depth > limits.brackets:
                raise Refused(Rule.TOO_DEEP, token.text, f"Brackets are nested deeper than {limits.brackets} levels.")
        elif kind in _CLOSING:
            depth -= 1
        for comment in token.comments:
            # Engines disagree on whether comments nest, and so on where such a comment ends.
            if "/*" in comment or "*/" in comment:
                raise Refused(Rule.COMMENT, comment, "Comments inside comments are not allowed.")
        if not plain:
            _check_unicode(sql[end : token.start])
            if kind not in _QUOTES:
                _check_unicode(sql[token.start : token.end + 1])
        end = token.end + 1
    rest = _COMMENT.sub(" ", sql[end:])
    _check_unicode(rest)
    if "/*" in rest:
        raise Refused(Rule.COMMENT, "/*", "A comment is not closed.")


def _check_unicode(text: str) -> None:
    """Refuse invisible characters outside quotes and comments: engines read them differently."""
    if text.isascii():
        return
    for char in _COMMENT.sub(" ", text):
        if not char.isascii() and unicodedata.category(char)[0] in "ZC":
            raise Refused(Rule.CHARACTERS, repr(char), "There is an invisible character outside quotes.")
