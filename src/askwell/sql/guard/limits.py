"""Bounds checked on the text and its tokens before anything is parsed, and the collations a statement may name.

Which collations and character sets a statement may name: those that come with the database.

One that somebody made could be anything, in SQLite a function of the program that opened the file.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from sqlglot import exp
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


_LANGUAGE = r"[a-z]{2,3}"
# https://mariadb.com/kb/en/supported-character-sets-and-collations/
_CHARACTER_SET = (
    r"utf8|utf8mb3|utf8mb4|latin[12579]|ascii|ucs2|utf16|utf16le|utf32|cp\d{3,4}|koi8[ru]|greek|hebrew|armscii8|big5|gb2312"
    r"|gbk|gb18030|sjis|ujis|euckr|eucjpms|tis620|macce|macroman|geostd8|keybcs2|hp8|dec8|swe7"
)
_KNOWN = {
    # https://www.postgresql.org/docs/current/collation.html: standard, of the operating system, of ICU
    "postgres": rf"default|C|POSIX|unicode|ucs_basic|pg_c_utf8|C\.(utf8|UTF-8)|{_LANGUAGE}_[A-Z]{{2}}(\.(utf8|UTF-8))?"
    rf"|(und|{_LANGUAGE})(-[A-Za-z0-9]+)*-x-icu",
    # https://duckdb.org/docs/stable/sql/expressions/collations
    "duckdb": rf"(?i:NOCASE|NOACCENT|NFC|C|POSIX|BINARY|{_LANGUAGE}(_[a-z]{{2,4}})?)",
    # https://www.sqlite.org/datatype3.html#collating_sequences
    "sqlite": r"(?i:BINARY|NOCASE|RTRIM)",
    "mysql": rf"(?i:binary|({_CHARACTER_SET}|uca1400)_\w+)",
    # https://learn.microsoft.com/sql/t-sql/statements/windows-collation-name-transact-sql
    "tsql": r"(?i:database_default|catalog_default|\w+_(C[IS]_A[IS]\w*|BIN2?)(_UTF8)?)",
}
_KNOWN_SET = re.compile(rf"(?i:binary|{_CHARACTER_SET})")
_PLAIN = {dialect: re.compile(pattern) for dialect, pattern in _KNOWN.items()}
# Names of languages and their options, in a text: 'en-ci', 'und:ci'.
_IN_TEXT = re.compile(r"[A-Za-z]{2,3}([-_:][A-Za-z0-9]{2,8})*|utf8")


def check_collation(collate: exp.Expr, dialect: str) -> None:
    """Refuse a collation that does not come with the database; raises `Refused`."""
    named = collate.expression
    parts = _parts(named)
    if dialect == "postgres" and len(parts) == 2 and parts[0] == "pg_catalog":
        parts = parts[1:]
    pattern = _PLAIN.get(dialect, _IN_TEXT)
    # DuckDB's are combined with dots, those of others have one name.
    if not parts or (len(parts) > 1 and dialect != "duckdb") or not all(map(pattern.fullmatch, parts)):
        raise Refused(Rule.ARGUMENT, collate, "A collation has to be one that comes with the database.")


def is_known_character_set(name: str) -> bool:
    """Whether MySQL or MariaDB comes with a character set of that name."""
    return _KNOWN_SET.fullmatch(name) is not None


def _parts(named: exp.Expr | None) -> list[str]:
    match named:
        case exp.Column():
            return [
                part.name for key in ("catalog", "db", "table", "this") if (part := named.args.get(key)) is not None
            ]
        case exp.Dot():
            return [*_parts(named.this), *_parts(named.expression)]
        case exp.Identifier() | exp.Var() | exp.Literal():
            return [named.name]
    return []
