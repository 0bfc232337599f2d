"""An answer for people: the table of its rows in a terminal of some width, and what it cites."""

from __future__ import annotations

import io
from typing import Any

import pytest
from rich.console import Console

from askwell.cli.answer import show_answer, show_rows
from tests.support.tables import case_table

INVOICES: dict[str, list[Any]] = case_table(__file__, "invoices")


def printed(columns: dict[str, list[Any]], width: int = 100, sql: str = "") -> str:
    told = io.StringIO()
    rows = [list(row) for row in zip(*columns.values(), strict=True)]
    names = [{"name": name, "type": "?"} for name in columns]
    data = {"columns": names, "rows": rows, "row_count": len(rows), "truncated": False}
    show_rows(Console(file=told, width=width), data, 20, sql=sql)
    return told.getvalue()


def cells(values: list[Any]) -> list[str]:
    return [line.strip() for line in printed({"it": values}).splitlines()[3 : 3 + len(values)]]


@pytest.mark.parametrize("sql", ["SELECT * FROM i ORDER BY Total DESC", "SELECT * FROM i WHERE total > 20"])
def test_where_not_all_columns_fit_the_ones_that_were_asked_about_do(sql: str) -> None:
    assert "25.86" not in printed(INVOICES, 24)
    said = printed(INVOICES, 24, sql)
    assert "25.86" in said
    assert "3 columns do not fit into this terminal: Date, Address, City" in said


def test_no_cell_is_cut() -> None:
    assert [width for width in range(20, 100) if "…" in printed(INVOICES, width)] == []
    assert "fit" not in printed(INVOICES, 100)


@pytest.mark.parametrize("width", range(20, 40))
def test_what_is_about_something_has_its_figure_in_a_narrow_terminal_too(width: int) -> None:
    said = printed({"Name": ["Rock", "Alternative & Punk"], "number_of_tracks": [1297, 332]}, width)
    lines = said.splitlines()
    assert max(map(len, lines[:-1])) <= width
    assert any("Rock" in line and "1297" in line for line in lines)
    assert "…" not in said
    assert "fit" not in said


def test_one_long_text_goes_on_in_the_next_line() -> None:
    said = printed({"Name": ["In Through The Out Door"]}, 20)
    assert [word for word in ("In", "Through", "The", "Out", "Door") if word not in said] == []


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        (["2025-11-13 00:00:00", None], ["2025-11-13", "NULL"]),
        (["2018-02-28T10:55:36", "2018-03-01T00:00:00"], ["2018-02-28 10:55:36", "2018-03-01 00:00:00"]),
        (["2018-02-28T00:00:00+02:00"], ["2018-02-28 00:00:00+02:00"]),
        (["2018-02-28T10:55:36", "Tuesday"], ["2018-02-28T10:55:36", "Tuesday"]),
        (["1.8000000000000000", "2.0000000000000000"], ["1.8", "2"]),
        (["12.50", "3.00"], ["12.50", "3.00"]),
        ([0.1 + 0.2, 1.0], ["0.3", "1"]),
        (
            [2328.600000000004, 100 / 3, -2 / 3, 1e20, 5e-324],
            ["2328.6", "33.3333", "-0.6667", "1e+20", "4.9407e-324"],
        ),
        ([0.00001234567891, 0.0, 99999.99999999], ["1.2346e-05", "0", "100000"]),
        ([0.0012345678912, 52.520008, -13.40495], ["0.001235", "52.520008", "-13.40495"]),
        (["39.3846153846153846", "0.3333333333333333"], ["39.3846", "0.3333"]),
        (["1234567.0000000000001"], ["1234567"]),
    ],
)
def test_values_are_shown_in_one_form(values: list[Any], shown: list[str]) -> None:
    assert cells(values) == shown


CITED = case_table(__file__, "cited")
ANSWER = {"status": "finished", "type": "GENERAL", "citations": [CITED, CITED | {"start": 20, "end": 23}]}


@pytest.mark.parametrize(
    ("result", "quiet", "sources"),
    [(ANSWER, False, 1), (ANSWER, True, 0), (ANSWER | {"type": "TEXT_TO_SQL"}, False, 0)],
    ids=["words", "quiet", "a plan that is not shown"],
)
def test_each_source_is_told_once(
    result: dict[str, object], quiet: bool, sources: int, capsys: pytest.CaptureFixture[str]
) -> None:
    show_answer(result, rows=5, words="Thirty days [1]. So [1].", quiet=quiet)
    assert capsys.readouterr().out.count("[1] Shop rules: “Thirty days.”") == sources
