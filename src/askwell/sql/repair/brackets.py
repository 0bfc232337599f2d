"""A parenthesis too few or too many."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from sqlglot.tokenizer_core import Token, TokenType

from askwell.sql.repair.clauses import RANKS, SET_OPERATIONS, token_kinds, unmatched
from askwell.sql.repair.wording import Edit

# How many places are tried: each is parsed, and then looked at for names.
_MOST_TRIES = 40
_OPERATORS = token_kinds("PLUS DASH STAR SLASH MOD DPIPE")
_CLAUSES = SET_OPERATIONS.union(RANKS, token_kinds("R_PAREN LEFT INNER"))
# Words in front of a parenthesis that groups, and is no list of arguments.
_CONNECTING = token_kinds("AND OR NOT ON WHEN").union(RANKS)
# A parenthesis may close before these.
_BEFORE = (
    _CLAUSES
    | _OPERATORS
    | token_kinds("COMMA AND OR ALIAS ON EQ NEQ LT LTE GT GTE DESC ASC THEN ELSE END IS NOT IN BETWEEN LIKE")
)


def balanced(sql: str, tokens: Sequence[Token], works: Callable[[str], bool]) -> Edit | None:
    """The text with one parenthesis added or taken out so that it works; the likeliest place first."""
    open_, extra = unmatched(tokens)
    if len(extra) == 1 and not open_:
        found = next((text for text in _without_one(sql, tokens, extra[0]) if works(text)), None)
        return Edit(found, "a `)` too many was dropped") if found is not None else None
    if len(open_) == 1 and not extra:
        places = list(_places(tokens, open_[0]))[:_MOST_TRIES]
        texts = (sql[: tokens[at].end + 1] + ")" + sql[tokens[at].end + 1 :] for at in places)
        found = next((text for text in texts if works(text)), None)
        return Edit(found, "a missing `)` was added") if found is not None else None
    return None


def ended_case(sql: str, tokens: Sequence[Token], works: Callable[[str], bool]) -> Edit | None:
    """The text with the END that a CASE lacks, at the first place behind its last branch where it works."""
    kinds = [token.token_type for token in tokens]
    if kinds.count(TokenType.CASE) != kinds.count(TokenType.END) + 1:
        return None
    branch = max((p for p, kind in enumerate(kinds) if kind in (TokenType.THEN, TokenType.ELSE)), default=len(tokens))
    ends = [p for p in range(branch + 1, len(tokens)) if p + 1 == len(tokens) or kinds[p + 1] in _BEFORE]
    texts = (sql[: tokens[p].end + 1] + " END" + sql[tokens[p].end + 1 :] for p in ends[:_MOST_TRIES])
    found = next((text for text in texts if works(text)), None)
    return Edit(found, "a missing `END` was added") if found is not None else None


def _without_one(sql: str, tokens: Sequence[Token], last: int) -> Iterator[str]:
    """The one that closes nothing, then those before it."""
    closing = [p for p in range(last, -1, -1) if tokens[p].token_type is TokenType.R_PAREN]
    for position in closing[:_MOST_TRIES]:
        yield sql[: tokens[position].start] + sql[tokens[position].end + 1 :]


def _places(tokens: Sequence[Token], opening: int) -> Iterator[int]:
    """The tokens that the parenthesis may stand behind, the likeliest first.

    A subquery goes on as long as it can. Arguments and lists end at the first comma or clause where they can, and only
    failing that before an operator; a condition ends with its clause. Where an inner pair took the parenthesis that was
    meant for the outer one, the place lies inside.
    """
    behind = [p for p in range(opening + 1, len(tokens)) if p + 1 == len(tokens) or tokens[p + 1].token_type in _BEFORE]
    after = tokens[opening + 1].token_type if opening + 1 < len(tokens) else None
    before = tokens[opening - 1] if opening else None
    if after in (TokenType.SELECT, TokenType.WITH):
        yield from reversed(behind)
    elif before is not None and _takes_arguments(before):
        ends = [p for p in behind if p + 1 == len(tokens) or tokens[p + 1].token_type not in _OPERATORS]
        yield from ends
        yield from (p for p in behind if p not in ends)
    else:
        kinds = {token.token_type for token in tokens[opening:]}
        if not {TokenType.AND, TokenType.OR} <= kinds:
            yield from (p for p in behind if p + 1 == len(tokens) or tokens[p + 1].token_type in _CLAUSES)


def _takes_arguments(token: Token) -> bool:
    return token.token_type is TokenType.IN or (token.text[:1].isalpha() and token.token_type not in _CONNECTING)
