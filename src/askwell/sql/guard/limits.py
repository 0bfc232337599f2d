"""Bounds on a statement's text, on the work that it makes for the parser and the generator, and on collations.

Where a word may be a type or a function, the parser reads what is in its brackets twice; nested, that doubles with
every level. What follows a join without a condition is read twice too, in case the condition comes last: that doubles
with every such join. The generator writes some functions of one dialect as an expression of another in which an
argument appears several times; nested, that multiplies as well. Both are reckoned beforehand, and bounded.

A collation or character set that a user made could be anything, in SQLite a function of the program that opened the
file: so only those that come with the database may be named.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

import sqlglot
from sqlglot import exp
from sqlglot.errors import ErrorLevel
from sqlglot.tokenizer_core import Token, TokenType

from askwell.sql.guard.nodes import STRUCTURE, types_named
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
