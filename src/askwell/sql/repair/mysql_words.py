"""What MySQL and MariaDB read as something else than the databases do from which it is known: `||` and ISNULL.

Neither shows in the tree any more: `||` has become OR there, and the second argument of ISNULL is gone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import Token, TokenType

from askwell.sql.repair.clauses import closing, token_kinds

# What stands before and behind an expression of its own.
_BEFORE = token_kinds("SELECT DISTINCT COMMA L_PAREN")
_BEHIND = token_kinds("COMMA FROM ALIAS R_PAREN")
_NAMES = frozenset({TokenType.VAR, TokenType.IDENTIFIER})


def misread_in_mysql(sql: str) -> tuple[str, ...]:
    """A sentence for each of the two that the text has, with what to write instead."""
    if "||" not in sql and "isnull" not in sql.lower():
        return ()
    try:
        tokens = Dialect.get_or_raise("mysql").tokenize(sql)
    except (SqlglotError, ValueError, IndexError):
        return ()
    sentences = []
    if any(token.token_type is TokenType.DPIPE for token in tokens):
        sentences.append("In MySQL || means OR: write CONCAT(a, b) to join texts, and OR for one or the other")
    if next(_two_argument_isnull(tokens), None) is not None:
        sentences.append("In MySQL ISNULL has one argument: write IFNULL(a, b) for a value in place of NULL")
    return tuple(sentences)


def in_mysql_words(sql: str, tokens: Sequence[Token]) -> tuple[str, str] | None:
    """The text with one of them put right and what that was, where it is certain what is meant."""
    for position in _two_argument_isnull(tokens):
        word = tokens[position]
        return f"{sql[: word.start]}IFNULL{sql[word.end + 1 :]}", "`ISNULL` of two arguments read as `IFNULL`"
    for position, token in enumerate(tokens):
        if token.token_type is TokenType.DPIPE and (chain := _chain(tokens, position)) is not None:
            parts = [sql[tokens[first].start : tokens[last].end + 1] for first, last in chain]
            begin, end = tokens[chain[0][0]].start, tokens[chain[-1][1]].end + 1
            return f"{sql[:begin]}CONCAT({', '.join(parts)}){sql[end:]}", "`||` read as `CONCAT`"
    return None


def _two_argument_isnull(tokens: Sequence[Token]) -> Iterator[int]:
    for position in range(len(tokens) - 1):
        opens = tokens[position + 1].token_type is TokenType.L_PAREN
        if not opens or tokens[position].text.upper() != "ISNULL":
            continue
        depth = 0
        for token in tokens[position + 1 : closing(tokens, position + 1)]:
            depth += (token.token_type is TokenType.L_PAREN) - (token.token_type is TokenType.R_PAREN)
            if depth == 1 and token.token_type is TokenType.COMMA:
                yield position
                break


def _chain(tokens: Sequence[Token], first_pipe: int) -> list[tuple[int, int]] | None:
    """The operands around the first `||` of a chain, as first and last token, if it can only join texts.

    That is where nothing but it makes up the expression, each operand is a column, text or call, and one is a text:
    nobody asks whether a text is true.
    """
    begin = _operand_before(tokens, first_pipe - 1)
    if begin is None or begin == 0 or tokens[begin - 1].token_type not in _BEFORE:
        return None
    chain = [(begin, first_pipe - 1)]
    pipe = first_pipe
    while pipe < len(tokens) and tokens[pipe].token_type is TokenType.DPIPE:
        last = _operand_behind(tokens, pipe + 1)
        if last is None:
            return None
        chain.append((pipe + 1, last))
        pipe = last + 1
    if pipe < len(tokens) and tokens[pipe].token_type not in _BEHIND:
        return None
    texts = any(tokens[first].token_type is TokenType.STRING for first, _ in chain)
    return chain if texts else None


def _operand_behind(tokens: Sequence[Token], position: int) -> int | None:
    """The last token of the column, text or call that begins there."""
    if position >= len(tokens):
        return None
    if tokens[position].token_type is TokenType.STRING:
        return position
    if tokens[position].token_type not in _NAMES:
        return None
    while position + 2 < len(tokens) and tokens[position + 1].token_type is TokenType.DOT:
        position += 2
    if position + 1 < len(tokens) and tokens[position + 1].token_type is TokenType.L_PAREN:
        last = closing(tokens, position + 1)
        return last if tokens[last].token_type is TokenType.R_PAREN else None
    return position


def _operand_before(tokens: Sequence[Token], last: int) -> int | None:
    """The first token of the column, text or call that ends there."""
    for begin in range(last, -1, -1):
        if tokens[begin].token_type in _BEFORE and _operand_behind(tokens, begin + 1) == last:
            return begin + 1
    return None
