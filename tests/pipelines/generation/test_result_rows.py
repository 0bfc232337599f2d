"""Rows as lines of a prompt."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwell.pipelines.generation.result_rows import FittedRows, cut_cell, fit_rows
from askwell.providers.engine.base import QueryRows, ResultColumn
from tests.support.tables import case_rows

_CELLS = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=600), st.lists(st.text()))


@given(
    st.lists(st.tuples(_CELLS, _CELLS), max_size=40),
    st.integers(0, 3_000),
    st.integers(1_000, 10_000),
    st.integers(100, 2_000),
)
def test_rows_are_dropped_from_the_end_by_halves(
    rows: list[tuple[Any, Any]], other: int, window: int, output: int
) -> None:
    result = QueryRows((ResultColumn("a", ""), ResultColumn("b", "")), tuple(rows))
    fitted = fit_rows(result, other_tokens=other, context_window=window, max_output=output)
    halves = [len(rows)]
    while halves[-1]:
        halves.append(halves[-1] // 2)
    assert fitted.shown in halves
    assert fitted.total == len(rows)
    for line in fitted.lines:
        assert len(json.loads(line)) == 2
        assert "\n" not in line
    size = sum(len(line) for line in fitted.lines)
    assert fitted.shown == 0 or size / 3 - 1 <= window * 0.9 - output - other


def test_long_cells_are_cut() -> None:
    assert cut_cell("x" * 500) == "x" * 500
    assert cut_cell("x" * 501) == "x" * 499 + "…"
    assert cut_cell([1, 2]) == [1, 2]
    assert len(cut_cell(["y" * 600])) == 500


@pytest.mark.parametrize(
    ("shown", "total", "more", "words"),
    case_rows(__file__, "how_many_rows_are_shown_is_said", "shown", "total", "more", "words"),
)
def test_how_many_rows_are_shown_is_said(shown: int, total: int, more: bool, words: str) -> None:
    assert FittedRows("", ("[]",) * shown, total, more).in_words == words
