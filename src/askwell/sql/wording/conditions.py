"""Conditions in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from sqlglot import exp

from askwell.mdl.names import listed
from askwell.sql.wording.joins import from_words
from askwell.sql.wording.terms import Speaker, is_read_whole, operand, the, words_by_type


class _Wording(NamedTuple):
    """A comparison, its opposite, and both for dates."""

    said: str
    denied: str
    of_dates: str = ""
    denied_of_dates: str = ""

    def chosen(self, *, negated: bool, dates: bool) -> str:
        plain, special = (self.denied, self.denied_of_dates) if negated else (self.said, self.of_dates)
        return special if dates and special else plain


_COMPARISONS = {kind: _Wording(*words) for kind, words in words_by_type("comparisons").items()}
_PATTERNS = (exp.Like, exp.ILike)
# By whether anything may stand before the text, and behind it.
_PLACES = {
    (True, True): ("contains", "does not contain"),
    (False, True): ("begins with", "does not begin with"),
    (True, False): ("ends with", "does not end with"),
    (False, False): ("is", "is not"),
}
# Clauses of a subquery in EXISTS besides what it shows, which does not matter.
_EXISTS = frozenset({"expressions", "from_", "joins", "where", "distinct"})
_DATES = ("DATE", "TIME")


def condition_words(speaker: Speaker, node: exp.Expr) -> str:
    """A condition as a clause."""
    return _said(speaker, node, negated=False)


def _said(speaker: Speaker, node: exp.Expr, *, negated: bool) -> str:
    if isinstance(node, exp.Paren):
        return _said(speaker, node.this, negated=negated)
    if isinstance(node, exp.Not):
        return _said(speaker, node.this, negated=not negated)
    if isinstance(node, exp.And | exp.Or):
        return _connected(speaker, node, negated=negated)
    say = _SAYINGS.get(type(node)) if is_read_whole(node) else None
    # NOT LIKE is a LIKE that is marked so, in PostgreSQL IS NOT too.
    said = say(speaker, node, negated != bool(node.args.get("negate"))) if say is not None else None
    if said is None:
        said = f"{speaker.value(node) if not isinstance(node, exp.Predicate) else speaker.code(node)} is true"
        return f"it is not so that {said}" if negated else said
    return said


def _connected(speaker: Speaker, node: exp.Expr, *, negated: bool) -> str:
    """`a and b`; what binds otherwise stands in parentheses."""
    parts = [part.unnest() for part in node.flatten()]
    clauses = []
    for part in parts:
        clause = _said(speaker, part, negated=False)
        nested = isinstance(part, exp.Connector) and type(part) is not type(node)
        clauses.append(f"({clause})" if nested else clause)
    word = "and" if isinstance(node, exp.And) else "or"
    joined = f" {word} ".join(clauses)
    return f"it is not so that ({joined})" if negated else joined


def _compared(speaker: Speaker, node: exp.Expr, negated: bool) -> str | None:
    left, right = node.this, node.expression
    if negated and any(isinstance(side, exp.Any | exp.All) for side in (left, right)):
        return None  # that not all are equal does not mean that each is another
    dates = any(_is_date(speaker, side) for side in (left, right))
    words = _COMPARISONS[type(node)].chosen(negated=negated, dates=dates)
    in_any_case = isinstance(left, exp.Lower) and isinstance(right, exp.Lower)
    if in_any_case:
        return f"{operand(speaker, left.this)} {words} {_other(speaker, right.this)} in any letter case"
    return f"{_subject(speaker, left)} {words} {_other(speaker, right)}"


def _other(speaker: Speaker, node: exp.Expr) -> str:
    """What something is compared with."""
    words = operand(speaker, node)
    return words if isinstance(node, exp.Neg) else the(words)


def _subject(speaker: Speaker, node: exp.Expr) -> str:
    """What a condition is about; columns need no article."""
    words = operand(speaker, node)
    return the(words) if isinstance(node, exp.Func) and not isinstance(node, exp.Case) else words


def _is_date(speaker: Speaker, node: exp.Expr) -> bool:
    column = speaker.names.column_of(node) if isinstance(node, exp.Column) else None
    return column is not None and any(word in column.type.upper() for word in _DATES)


def _between(speaker: Speaker, node: exp.Expr, negated: bool) -> str:
    low, high = (_other(speaker, node.args[side]) for side in ("low", "high"))
    return f"{_subject(speaker, node.this)} is {'not ' * negated}between {low} and {high}"


def _in(speaker: Speaker, node: exp.Expr, negated: bool) -> str | None:
    query, field = node.args.get("query"), node.args.get("field")
    left = _subject(speaker, node.this)
    if query is not None:
        return f"{left} is {'not ' * negated}among {the(speaker.value(query))}"
    if field is not None or not node.expressions:
        return None
    values = [speaker.value(one) for one in node.expressions]
    if len(values) == 1:
        return f"{left} is {'not ' * negated}{values[0]}"
    return f"{left} is {'neither ' * negated}{listed(values, 'nor' if negated else 'or')}"


def _is(speaker: Speaker, node: exp.Expr, negated: bool) -> str | None:
    left = _subject(speaker, node.this)
    if isinstance(node.expression, exp.Null):
        return f"{left} has {'a' if negated else 'no'} value"
    if isinstance(node.expression, exp.Boolean):
        return f"{left} is {'not ' * negated}{speaker.value(node.expression)}"
    return None


def _like(speaker: Speaker, node: exp.Expr, negated: bool) -> str | None:
    subject, pattern = node.this, node.expression
    ignores_case = isinstance(node, exp.ILike)
    if isinstance(subject, exp.Lower) and isinstance(pattern, exp.Lower):
        subject, pattern, ignores_case = subject.this, pattern.this, True
    if not isinstance(pattern, exp.Literal) or not pattern.is_string:
        return None
    ending = " in any letter case" if ignores_case else ""
    marks = "%_\\[" if speaker.dialect == "tsql" else "%_\\"
    return f"{_subject(speaker, subject)} {_pattern(pattern.name, marks, negated=negated)}{ending}"


def _pattern(pattern: str, marks: str, *, negated: bool) -> str:
    middle = pattern.strip("%")
    open_left, open_right = pattern.startswith("%"), pattern.endswith("%")
    if not middle or any(mark in middle for mark in marks):
        return f"{'does not match' if negated else 'matches'} the pattern “{pattern}”"
    said, denied = _PLACES[open_left, open_right]
    return f"{denied if negated else said} “{middle}”"


def _exists(speaker: Speaker, node: exp.Expr, negated: bool) -> str:
    inner = node.this.this if isinstance(node.this, exp.Subquery) else node.this
    clauses = {name for name, value in inner.args.items() if value}
    # An aggregate gives a row of nothing too.
    aggregates = isinstance(inner, exp.Select) and any(one.find(exp.AggFunc) for one in inner.expressions)
    if aggregates or not isinstance(inner, exp.Select) or "from_" not in clauses or not clauses <= _EXISTS:
        return f"there {'is nothing' if negated else 'is something'} in ({speaker.query(inner)})"
    kept = f" where {speaker.condition(inner.args['where'].this)}" if "where" in clauses else ""
    return f"(there are {'no ' * negated}{from_words(speaker, inner, say_declared=False)}{kept})"


_SAYINGS: Mapping[type[exp.Expr], Callable[[Speaker, exp.Expr, bool], str | None]] = {
    **dict.fromkeys(_COMPARISONS, _compared),
    **dict.fromkeys(_PATTERNS, _like),
    exp.Between: _between,
    exp.In: _in,
    exp.Is: _is,
    exp.Exists: _exists,
}
