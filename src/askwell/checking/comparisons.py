"""Comparisons: the direction that the wording says against the direction of the statement."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from askwell.checking.finding import Finding, Severity
from askwell.checking.lexicon import cues
from askwell.checking.question import AskedWords
from askwell.checking.statement import Written
from askwell.question.tokens import TokenKind
from askwell.question.words import NUMBER_WORDS

_MORE, _LESS = (exp.GT, exp.GTE), (exp.LT, exp.LTE)
# How many words may stand between "more than" and its number.
_NEAR = 2


def comparisons(asked: AskedWords, written: Written) -> Iterator[Finding]:
    """Numbers and averages that are compared the other way round than the question says."""
    for words, more, number in _stated(asked):
        found = {_is_more(node, other) for node, other in _compared(written, number)}
        if found == {not more}:
            message = f"“{words}” is compared the other way round."
            yield Finding("comparison_turned", Severity.WRONG, words, "", message)


def _stated(asked: AskedWords) -> Iterator[tuple[str, bool, str]]:
    """The words of a comparison, whether more is meant, and the number as digits (empty for the average)."""
    negated, averages = asked.cue("NOT") is not None, cues().words["average"]
    for cue in asked.cues:
        if negated or not cue.is_only("COMPARE", "COMPARE_BY", "OR_MORE"):
            continue
        operators = {meaning[0] for _, meaning in cue.meanings}
        if len(operators) != 1:
            continue
        places = range(cue.start - 1, cue.start) if cue.is_only("OR_MORE") else range(cue.end, cue.end + _NEAR + 1)
        for place in places:
            if not 0 <= place < len(asked.tokens):
                break
            token = asked.tokens[place]
            number = token.text if token.kind is TokenKind.NUMBER else str(NUMBER_WORDS.get(token.low, ""))
            if number or token.low in averages:
                yield f"{cue.words} {token.text}", operators == {">"}, number.removesuffix(".0")
                break


def _compared(written: Written, number: str) -> Iterator[tuple[exp.Expr, exp.Expr]]:
    """Comparisons with the number, or with an average; with the side that it stands on."""
    for node in written.tree.find_all(*_MORE, *_LESS):
        if node.find_ancestor(exp.Not) is not None or _in_exclusion(node):
            continue
        for side in (node.this, node.expression):
            inner = side.unnest() if hasattr(side, "unnest") else side
            if (not number and isinstance(inner, exp.Select) and inner.find(exp.Avg) is not None) or (
                number and isinstance(inner, exp.Literal) and _near(inner.name, number)
            ):
                yield node, side


def _in_exclusion(node: exp.Expr) -> bool:
    """Whether it stands in the part of an EXCEPT that is taken away."""
    child: exp.Expr = node
    while (parent := child.parent) is not None:
        if isinstance(parent, exp.Except) and parent.expression is child:
            return True
        child = parent
    return False


def _near(text: str, number: str) -> bool:
    try:
        return abs(float(text) - float(number)) <= 1
    except ValueError:
        return False


def _is_more(node: exp.Expr, side: exp.Expr) -> bool:
    return isinstance(node, _MORE) is (node.expression is side)
