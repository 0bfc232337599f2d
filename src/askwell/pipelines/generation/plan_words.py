"""A plan as words: what of it is SQL is taken out, because models copy it with its errors."""

from __future__ import annotations

import re
from collections.abc import Iterator

_FENCE = re.compile(r"[ \t]*(```|~~~)")
_STEP = re.compile(r"\s*(?:\d+[.)]|[-*])\s")
_SPAN = re.compile(r"`[^`]*`")
_STATEMENT_IN_SPAN = re.compile(r"`\s*(?:select\b|with\s+\w+\s+as\s*\()", re.IGNORECASE)
# Capitals tell a statement from the words of a step ("select the orders from last year").
_STATEMENT = re.compile(r"\b(?:SELECT\b|WITH\s+\w+\s+AS\s*\()")
_FROM = re.compile(r"\bFROM\b")


def plan_in_words(plan: str) -> str:
    """The plan (Markdown) without fenced code and without statements; "" where nothing else is in it. Takes time in
    proportion to its length, whatever a model wrote."""
    parts = (_without_statement(_SPAN.sub(_unless_statement, part)) for part in _parts(plan))
    lines = [line.rstrip() for part in parts for line in part.splitlines()]
    return "\n".join(line for line in lines if line).strip()


def _parts(plan: str) -> Iterator[str]:
    """Steps and paragraphs, without what is fenced."""
    part: list[str] = []
    fence = ""
    for line in plan.splitlines():
        marked = _FENCE.match(line)
        if fence:
            fence = "" if marked and marked[1] == fence else fence
            continue
        if marked or not line.strip() or _STEP.match(line):
            yield "\n".join(part)
            part = []
        if marked:
            fence = marked[1]
        else:
            part.append(line)
    yield "\n".join(part)


def _unless_statement(span: re.Match[str]) -> str:
    is_statement = _STATEMENT_IN_SPAN.match(span[0]) and _FROM.search(span[0].upper())
    return "" if is_statement else span[0]


def _without_statement(part: str) -> str:
    """The part up to its first statement. Without FROM, SELECT is a word."""
    for found in _STATEMENT.finditer(part):
        if found[0] != "SELECT" or _FROM.search(part, found.end()):
            return part[: found.start()]
        return _before_with(part, found.end())
    return part


def _before_with(part: str, after: int) -> str:
    """No FROM follows, so no later SELECT is a statement either."""
    later = (found.start() for found in _STATEMENT.finditer(part, after) if found[0] != "SELECT")
    return part[: next(later, len(part))]
