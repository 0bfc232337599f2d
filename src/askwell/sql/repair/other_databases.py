"""What MySQL and MariaDB would run, and mean something else by, than whoever wrote it for another database.

The parser reads such words and writes them in MySQL's own, which can lose a unit, a format or digits without an error.
So they are refused with what to write; repairs are only for what means the same.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import Token, TokenType

from askwell.mdl.semantic_model import SemanticModel
from askwell.sql.names import fold
from askwell.sql.nearest import nearest_text
from askwell.sql.repair.functions import parsed_call
from askwell.sql.repair.spelling import repair_words

# Calls of other databases that mean the same in MySQL's words, whatever their arguments.
_SAME_MEANING = repair_words("same_in_mysql")

# Known under that name to some versions only, and never with the meaning that it is written with.
_OTHER_MEANING = frozenset({"trunc"})


def foreign_words(sql: str, dialect: str, functions: frozenset[str], model: SemanticModel) -> tuple[str, ...]:
    """A sentence for each, in order; empty for other dialects. `functions` are those that may be called, folded."""
    if dialect != "mysql":
        return ()
    try:
        tokens = Dialect.get_or_raise(dialect).tokenize(sql)
    except (SqlglotError, ValueError, IndexError):
        return ()
    columns: frozenset[str] | None = None
    sentences: dict[str, None] = {}
    for position, token in enumerate(tokens):
        if token.token_type is TokenType.DCOLON:
            sentences["MySQL has no ::; write CAST(x AS type), for numbers with their digits: DECIMAL(18, 4)"] = None
        elif token.token_type is TokenType.STRING and sql[token.start] == '"':
            columns = _columns_of(sql, model) if columns is None else columns
            if fold(token.text) in columns:
                quoted = f"`{token.text}`"
                sentences[f"\"{token.text}\" is a text in MySQL; for the column write {quoted}, for a text use '…'"] = (
                    None
                )
        elif _is_foreign_call(sql, tokens, position, dialect, functions):
            sentences[f"The database has no function {token.text.upper()}" + nearest_text(token.text, functions)] = None
    return tuple(sentences)


def _columns_of(sql: str, model: SemanticModel) -> frozenset[str]:
    """The columns of the tables whose names stand in the text."""
    text = fold(sql)
    return frozenset(fold(c.name) for table in model if fold(table.name) in text for c in table.columns)


def _is_foreign_call(sql: str, tokens: Sequence[Token], position: int, dialect: str, functions: frozenset[str]) -> bool:
    """Whether a function is called here that the database lacks and the parser would write in other words."""
    token = tokens[position]
    if token.token_type is not TokenType.VAR or position + 1 == len(tokens):
        return False
    name = fold(token.text)
    known = (name in functions or name in _SAME_MEANING) and name not in _OTHER_MEANING
    if known or tokens[position + 1].token_type is not TokenType.L_PAREN:
        return False
    call = parsed_call(sql, tokens, position, dialect)
    # A name the parser does not know stays as it is, and is said to be missing elsewhere.
    return call is not None and not isinstance(call, exp.Anonymous | exp.AnonymousAggFunc)
