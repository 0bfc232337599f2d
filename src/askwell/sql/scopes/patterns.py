"""Columns that are chosen by a pattern of their names: DuckDB's COLUMNS('…') and `* LIKE '…'`."""

from __future__ import annotations

import re
from collections.abc import Callable

from sqlglot import exp

from askwell.sql.names import fold

# Patterns beyond these could keep Python's own matcher busy; they are taken for `*`.
_EASY = re.compile(r"[\w\s^$.*+?\[\]-]{0,80}")
_MOST_REPEATS = 2


def chosen_by(node: exp.Expr) -> tuple[str, Callable[[str], bool]] | None:
    """How `node` chooses columns: the pattern, and whether a name fits it. None when it is no pattern that can be told
    from the text; then any column may be meant.
    """
    if isinstance(node, exp.Columns):
        return _of_columns(node.this)
    operator = node.parent
    star = node.this if isinstance(node, exp.Column) else node
    like = star.args.get("ilike")
    if isinstance(like, exp.Literal):
        return _regex(like.name, _translated(like.name, many="%", one="_"))
    if isinstance(star, exp.Star) and isinstance(operator, exp.Like | exp.ILike | exp.Glob | exp.SimilarTo):
        return _of_operator(operator) if operator.this is node else None
    return None


def _of_columns(what: exp.Expr) -> tuple[str, Callable[[str], bool]] | None:
    if isinstance(what, exp.Literal) and what.is_string:
        return _regex(what.name, what.name)
    if isinstance(what, exp.Lambda) and len(what.expressions) == 1:
        body, name = what.this, what.expressions[0].name
        if isinstance(body, exp.Binary) and isinstance(body.this, exp.Identifier) and body.this.name == name:
            return _of_operator(body)
    if isinstance(what, exp.Array) and all(isinstance(item, exp.Literal) for item in what.expressions):
        names = {fold(item.name) for item in what.expressions}
        return ", ".join(sorted(names)), lambda name: fold(name) in names
    return None


def _of_operator(operator: exp.Expr) -> tuple[str, Callable[[str], bool]] | None:
    right = operator.expression
    if not isinstance(right, exp.Literal) or not right.is_string:
        return None
    text = right.name
    match operator:
        case exp.EQ():
            return text, lambda name: fold(name) == fold(text)
        case exp.Like() | exp.ILike():
            return _regex(text, _translated(text, many="%", one="_"))
        case exp.Glob():
            return _regex(text, _translated(text, many="*", one="?"))
        case exp.SimilarTo():
            return _regex(text, f"^{text}$")
    return None


def _translated(text: str, *, many: str, one: str) -> str:
    parts = (".*" if c == many else "." if c == one else re.escape(c) for c in text)
    return f"^{''.join(parts)}$"


def _regex(shown: str, pattern: str) -> tuple[str, Callable[[str], bool]] | None:
    if not _EASY.fullmatch(pattern) or sum(pattern.count(sign) for sign in "*+?") > _MOST_REPEATS:
        return None
    try:
        compiled = re.compile(pattern, re.IGNORECASE)
    except re.error:
        return None
    return shown, lambda name: compiled.search(name) is not None
