"""Pairs of questions, a line each: some that differ in what they ask, though their words are nearly the same, and some
that ask the same in other words."""

from __future__ import annotations

from tests.support.tables import case_table

_DIFFERENT = case_table(__file__, "different")

_THE_SAME = case_table(__file__, "the_same")


def _pairs(text: str) -> list[tuple[str, str]]:
    lines = (line.split(" | ") for line in text.strip().splitlines() if not line.startswith("#"))
    return [(one, other) for one, other in lines]


DIFFERENT = _pairs(_DIFFERENT)
THE_SAME = _pairs(_THE_SAME)
