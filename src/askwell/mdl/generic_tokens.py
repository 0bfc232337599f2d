"""What expressions of a manifest mean the same in every dialect, put into a dialect's own tokens before it is parsed.

Manifests are written once for many databases: double quotes are around names, `||` joins texts, and in the condition of
a row rule `@name` is a session property. Everything else is the data source's own SQL. The pieces are replaced as
tokens, so that what stands inside texts is never touched.
"""

from __future__ import annotations

from sqlglot import Dialect, exp
from sqlglot.tokenizer_core import Token, TokenType

# In front of a session property's name while it passes through the parser as a column; no name can hold it.
_PROPERTY = "\x01"


def generic_tokens(text: str, dialect: Dialect, *, properties: bool) -> list[Token]:
    """The tokens of `text` with the generic pieces as the dialect writes them; `properties` says that `@x` is one."""
    tokens: list[Token] = []
    before: Token | None = None
    for token in dialect.tokenize(text):
        if properties and before is not None and _is_word_behind(token, before, text):
            tokens[-1] = _like(before, TokenType.IDENTIFIER, _PROPERTY + text[token.start : token.end + 1])
        elif token.token_type is TokenType.STRING and text[token.start : token.start + 1] == '"':
            tokens.append(_like(token, TokenType.IDENTIFIER, token.text))
        elif token.token_type is TokenType.DPIPE and not dialect.DPIPE_IS_STRING_CONCAT:
            # Read as OR otherwise. No parser of ours can be made to read it as text: `a | ||/ b` holds its place, of
            # which the second sign, a cube root, is in no dialect that reads `||` as OR.
            tokens += [_like(token, TokenType.PIPE, "|"), _like(token, TokenType.DPIPE_SLASH, "||/")]
        else:
            tokens.append(token)
        before = token
    return tokens


def restored(tree: exp.Expr, dialect: Dialect) -> exp.Expr:
    """The parsed tree with what held a place replaced by what is meant; changed in place."""
    for column in list(tree.find_all(exp.Column)):
        if column.name.startswith(_PROPERTY):
            column.replace(exp.Parameter(this=exp.Var(this=column.name.removeprefix(_PROPERTY))))
    for sign in list(tree.find_all(exp.Cbrt)) if not dialect.DPIPE_IS_STRING_CONCAT else ():
        joined = sign.find_ancestor(exp.BitwiseOr)
        if joined is not None:
            sign.replace(sign.this)
            joined.replace(exp.DPipe(this=joined.this, expression=joined.expression, safe=False))
    return tree


def _is_word_behind(token: Token, sign: Token, text: str) -> bool:
    """Whether `token` is the name right behind an `@`."""
    if sign.token_type is not TokenType.PARAMETER or token.start != sign.end + 1:
        return False
    return text[token.start : token.end + 1].replace("_", "a").isalnum()


def _like(token: Token, kind: TokenType, text: str) -> Token:
    return Token(kind, text, token.line, token.col, token.start, token.end, token.comments)
