"""Literals of SQL statements: tokens in their place, and back.

Statements are read as the dialect's tokenizer reads them, so that what is put in place of one literal is one literal,
written by sqlglot: no value can end the quotes that it stands in. A statement that does not parse can be read so too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass
from typing import Any

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import TokenType

from askwell.privacy.tokens import MISSPELT, TOKEN, Value, as_token
from askwell.resources import words_file


def _kinds(names: str) -> frozenset[TokenType]:
    return frozenset(TokenType[name] for name in names.split())


_STRINGS = _kinds("STRING NATIONAL_STRING RAW_STRING HEREDOC_STRING UNICODE_STRING BYTE_STRING HEX_STRING BIT_STRING")
# Behind what a quoted word is a name.
_BEFORE_NAMES = _kinds("ALIAS DOT END FROM IDENTIFIER JOIN R_PAREN VAR")
# In sums and roundings; a prompt may have a token in its place all the same.
_HARMLESS_NUMBERS = frozenset({"0", "1", "2", "100", "0.0", "1.0", "100.0"})
_NUMBER = re.compile(r"-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_FORMAT = re.compile(r"%-?[A-Za-z%]|[^\w%]+|[A-Za-z]+\d{0,2}|_+|\d")
_DURATION = re.compile(r"([+-]?)(\d+)(\s+[A-Za-z]+)")
_PATH = re.compile(r"\$(?:\.\w+|\[(?:\*|\d)\])+")
_KEY = re.compile(r"(?<=\.)\w+")


@dataclass(frozen=True, slots=True)
class Masking:
    """What becomes of the parts of a statement: `literal` gives what stands for a text, `number` what stands for a
    number, and `name` what stands for a quoted name or for the key of a JSON path, None where it may stay. `quoted` is
    that for what stands in double quotes and is no name by its place: many write texts so. `is_value` says of a number
    or text whether it is known to be one, and `stayed` hears of each name that stays."""

    literal: Callable[[str], str]
    number: Callable[[str], str]
    name: Callable[[str], str | None] = lambda name: None
    quoted: Callable[[str], str | None] = lambda text: None
    is_value: Callable[[str], bool] = lambda number: False
    stayed: Callable[[str], None] = lambda name: None


def masked_sql(sql: str, dialect: str, masking: Masking) -> str | None:
    """The statement with something else for each literal, without comments; None where it cannot be read."""
    tokens = _tokens(sql, dialect)
    if tokens is None:
        return None
    named = _named_in(tokens)
    pieces: list[str] = []
    end = 0
    for token in tokens:
        gap = sql[end : token.start]
        written = sql[token.start : token.end + 1]
        if _begins_with_point(sql, token):
            written = pieces.pop() + written
        pieces += [gap if gap.isspace() or not gap else " ", _masked_token(written, token, dialect, masking, named)]
        end = token.end + 1
    return "".join(pieces).strip()


def _begins_with_point(sql: str, token: Any) -> bool:
    """Whether it is what a number such as .5 has behind the point: tokenizers take that for a token of its own."""
    is_free = re.search(r"[\w\"`\])]\Z", sql[: max(token.start - 1, 0)][-1:]) is None
    return token.token_type is TokenType.NUMBER and sql[token.start - 1 : token.start] == "." and is_free


def _named_in(tokens: Sequence[Any]) -> frozenset[str]:
    """What stands in quotes and is a name by its place: an alias, a table, or a column with its table."""
    named: set[str] = set()
    for at, token in enumerate(tokens):
        if token.token_type is TokenType.IDENTIFIER:
            before = tokens[at - 1].token_type if at else None
            after = [one.token_type for one in tokens[at + 1 : at + 3]]
            opens = after == [TokenType.ALIAS, TokenType.L_PAREN]
            if before in _BEFORE_NAMES or after[:1] == [TokenType.DOT] or opens:
                named.add(token.text)
    return frozenset(named)


def _masked_token(written: str, token: Any, dialect: str, masking: Masking, named: Set[str]) -> str:
    if token.token_type in _STRINGS:
        return _string(written, token.text, masking)
    if token.token_type is TokenType.NUMBER:
        harmless = written in _HARMLESS_NUMBERS and not masking.is_value(written)
        return written if harmless else masking.number(written)
    if token.token_type is TokenType.IDENTIFIER and not TOKEN.fullmatch(token.text):
        name = masking.name(token.text) if token.text in named else masking.quoted(token.text)
        if name is not None:
            return exp.to_identifier(name, quoted=True).sql(dialect)
    if token.token_type in (TokenType.IDENTIFIER, TokenType.VAR):
        masking.stayed(token.text)
    return written


def restored_sql(sql: str, dialect: str, value_of: Callable[[str], Value | None], made: set[str]) -> str:
    """The statement with each token's value put back as a literal; tokens that `value_of` does not know stay. The texts
    of literals so written are added to `made`: in those that are there already nothing is put back again."""
    if not MISSPELT.search(sql):
        return sql
    tokens = _tokens(sql, dialect)
    if tokens is None:
        return sql
    pieces: list[str] = []
    end = 0
    for token in tokens:
        written = sql[token.start : token.end + 1]
        if TOKEN.search(written) or (token.token_type in _STRINGS and MISSPELT.search(written)):
            pieces += [sql[end : token.start], _literal(written, token, dialect, value_of, made)]
            end = token.end + 1
    return "".join([*pieces, sql[end:]])


def texts_in(sql: str, dialect: str) -> list[str]:
    """The texts of a statement's literals; none of one that cannot be read."""
    return [token.text for token in _tokens(sql, dialect) or () if token.token_type in _STRINGS]


def is_format(text: str) -> bool:
    """Whether a text of a statement says how something is written or counted, rather than what: `%Y-%m`, `month`."""
    if TOKEN.search(text) or not any(map(str.isalnum, text)):
        return not TOKEN.search(text)
    parts = _FORMAT.findall(text)
    return "".join(parts) == text and all(
        part.startswith("%") or not part[0].isalnum() or _is_of_statements(part) for part in parts
    )


def _is_of_statements(word: str) -> bool:
    return word.lower() in words_file("askwell.privacy", "words.yaml")["in_statements"]


def _tokens(sql: str, dialect: str) -> Sequence[Any] | None:
    try:
        return list(Dialect.get_or_raise(dialect).tokenize(sql))
    except (SqlglotError, ValueError, RecursionError):
        return None


def _string(written: str, text: str, masking: Masking) -> str:
    token_of = masking.literal
    if masking.is_value(text):
        return f"'{token_of(text)}'"
    if not text or is_format(text):
        return written
    if _PATH.fullmatch(text):
        return f"'{_KEY.sub(lambda key: masking.name(key[0]) or key[0], text)}'"
    if (duration := _DURATION.fullmatch(text)) is not None and _is_of_statements(duration[3].strip()):
        return f"'{duration[1]}{token_of(duration[2])}{duration[3]}'"
    return f"'{''.join(_masked_pieces(text, token_of))}'"


def _masked_pieces(text: str, token_of: Callable[[str], str]) -> Iterator[str]:
    """The text of a literal; wildcards at its ends and tokens in it stay."""
    end = 0
    for found in [*TOKEN.finditer(text), None]:
        piece = text[end : found.start() if found else len(text)]
        core = piece.strip("%")
        if core.strip(" -_:./") and not is_format(core):
            before, _, after = piece.partition(core)
            yield f"{before}{token_of(core)}{after}"
        else:
            yield piece.replace("'", "''")
        if found:
            yield found[0]
            end = found.end()


def _literal(written: str, token: Any, dialect: str, value_of: Callable[[str], Value | None], made: set[str]) -> str:
    if token.token_type in _STRINGS:
        if token.text in made:
            return written
        core = token.text.strip("% ")
        # In a longer text, words that only look like a token may be some of it.
        spelled = token.text.replace(core, as_token(core)) if MISSPELT.fullmatch(core) else token.text
        text = TOKEN.sub(lambda found: _in_text(found[0], value_of), spelled)
        if text == spelled:
            return written
        made.add(text)
        return exp.Literal.string(text).sql(dialect)
    if TOKEN.fullmatch(token.text) is None or (value := value_of(token.text)) is None:
        return written
    if value.kind == "NAME":
        return exp.to_identifier(value.in_sql, quoted=True).sql(dialect)
    if value.kind == "NUMBER" and _NUMBER.fullmatch(value.in_sql):
        # In brackets, a sign cannot become a part of what stands before it, such as of a comment.
        return f"({value.in_sql})" if value.in_sql.startswith("-") else value.in_sql
    return exp.Literal.string(value.in_sql).sql(dialect)


def _in_text(token: str, value_of: Callable[[str], Value | None]) -> str:
    value = value_of(token)
    return token if value is None else value.in_sql
