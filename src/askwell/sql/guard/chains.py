"""Long chains of subscripts, which the parser reads over and over: refused by their tokens."""

from __future__ import annotations

from sqlglot.tokenizer_core import Token, TokenType

from askwell.sql.guard.outcome import Refused, Rule

_MOST = 60


def check_chains(tokens: list[Token]) -> None:
    """Refuse more than some subscripts of subscripts and fields, as in `x[1][1].a[1]`; raises `Refused`."""
    count = 0
    before = earlier = None
    for token in tokens:
        kind = token.token_type
        if kind == TokenType.L_BRACKET and (
            before in (TokenType.R_BRACKET, TokenType.R_PAREN, TokenType.R_BRACE) or earlier == TokenType.DOT
        ):
            count += 1
            if count > _MOST:
                raise Refused(Rule.TOO_DEEP, token.text, f"More than {_MOST} subscripts follow one another.")
        before, earlier = kind, before
