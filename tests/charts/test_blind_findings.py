"""What somebody who looked at pictures found wrong: cut rows, silent months, bars out of order, years left out."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest

from askwell.charts.checking import check_allowed
from askwell.charts.choice import choose_chart
from askwell.charts.labels import Labels
from askwell.charts.plan import Chart, with_cut
from askwell.charts.rendering import chart_values
from tests.charts.results import Rows, chart_of, columns


def encoding(chart: Chart) -> dict[str, Any]:
    found: dict[str, Any] = chart.chart_schema["encoding"]
    return found


def days(count: int) -> Rows:
    return [((date(2023, 10, 1) + timedelta(days=day)).isoformat(), 5.0) for day in range(count)]


class TestCutRows:
    def test_title_and_reasoning_say_that_rows_are_missing(self) -> None:
        chart = with_cut(chart_of("q", ["day", "trips"], days(1000)), 1000, Labels())
        assert chart.chart_schema["title"] == "Total trips by month (first 1,000 rows only)"
        assert "The chart has only the first 1,000 rows" in chart.reasoning

    def test_a_title_in_brackets_or_of_two_parts_keeps_them(self) -> None:
        rows: Rows = [(f"city {number}", float(number)) for number in range(40)]
        assert with_cut(chart_of("q", ["city", "n"], rows), 40, Labels()).chart_schema["title"] == (
            "N by city (first 30 of 40, first 40 rows only)"
        )
        written = Chart("", "bar", {"title": {"text": "Cities", "subtitle": "all"}})
        told = with_cut(written, 40, Labels("German")).chart_schema["title"]
        assert told == {"text": "Cities (nur die ersten 40 Zeilen)", "subtitle": "all"}

    def test_rows_that_are_given_and_not_drawn_are_told_too(self) -> None:
        assert "first 1,000 rows only" in chart_of("q", ["day", "trips"], days(1146)).chart_schema["title"]


class TestGrain:
    def test_months_that_days_are_put_together_to_are_on_the_axis(self) -> None:
        chart = chart_of("q", ["day", "trips"], days(600))
        assert chart.chart_schema["title"] == "Total trips by month"
        assert encoding(chart)["x"]["title"] == "Month"

    def test_the_name_of_a_moment_is_kept_beside_it(self) -> None:
        labels = Labels("German")
        chart = choose_chart("q", columns("order_date", "n"), days(600), labels=labels)
        assert encoding(chart)["x"]["title"] == "Order date (Monat)"


class TestBars:
    SQL = "SELECT name, SUM(revenue) AS revenue FROM drivers GROUP BY id, name ORDER BY revenue"
    ROWS: Rows = [("Ann", 9.0), ("Bob", 8.0), ("Cy", 5.0), ("Bob", 4.0)]

    @pytest.mark.parametrize(("rows", "order"), [(ROWS, "-y"), (ROWS[::-1], "y")])
    def test_sorted_bars_are_sorted_again_after_adding_up(self, rows: Rows, order: str) -> None:
        assert encoding(chart_of("q", ["name", "revenue"], rows, self.SQL))["x"]["sort"] == order

    def test_of_many_the_largest_after_adding_up_are_drawn(self) -> None:
        rows: Rows = [(f"d{number}", 100.0 - number) for number in range(40)] + [("d39", 60.0), ("d38", 59.5)]
        chart = chart_of("q", ["name", "revenue"], rows, self.SQL)
        drawn = {row["name"] for row in chart_values(chart.chart_schema, columns("name", "revenue"), rows)}
        assert {"d38", "d39"} <= drawn
        assert "30 largest of 40" in chart.chart_schema["title"]

    def test_the_order_of_names_stays(self) -> None:
        rows: Rows = [("Ann", 9.0), ("Bob", 8.0), ("Bob", 4.0), ("Cy", 3.0)]
        assert encoding(chart_of("q", ["name", "revenue"], rows, self.SQL))["x"]["sort"] is None


class TestTime:
    def test_years_without_rows_have_their_place(self) -> None:
        rows: Rows = [(2009, 4), (2010, 3), (2012, 4), (2013, 4)]
        chart = chart_of("q", ["hired_year", "drivers"], rows, "SELECT y FROM t ORDER BY 1")
        assert encoding(chart)["x"]["scale"]["domain"] == [2009, 2010, 2011, 2012, 2013]
        assert "Periods without rows have no point" in chart.reasoning

    def test_quarters_and_weeks_too(self) -> None:
        rows: Rows = [("2024-Q3", 4), ("2024-Q4", 3), ("2025-Q2", 4)]
        found = encoding(chart_of("q", ["quarter", "n"], rows))["x"]["scale"]["domain"]
        assert found == ["2024-Q3", "2024-Q4", "2025-Q1", "2025-Q2"]
        weeks: Rows = [("2025-W01", 4), ("2025-W02", 3), ("2025-W05", 4)]
        assert len(encoding(chart_of("q", ["week", "n"], weeks))["x"]["scale"]["domain"]) == 5

    def test_years_that_are_ranked_by_their_amounts_are_left_so(self) -> None:
        rows: Rows = [(2012, 9), (2009, 4), (2010, 3)]
        chart = chart_of("as a bar chart", ["year", "n"], rows, "SELECT y FROM t ORDER BY n DESC")
        assert "scale" not in encoding(chart)["x"]

    def test_months_run_from_january_where_years_stand_beside_them(self) -> None:
        months = [(2023, 10), (2023, 11), (2023, 12), *((2024, month) for month in range(1, 13))]
        sql = "SELECT year, month, COUNT(*) AS n FROM t GROUP BY 1, 2 ORDER BY 1, 2"
        rows: Rows = [(year, month, 7 + month) for year, month in months]
        assert encoding(chart_of("q", ["year", "month", "n"], rows, sql))["x"]["sort"] == list(range(1, 13))
        alone: Rows = [(month, 5) for month in (10, 11, 12, 1, 2)]
        assert encoding(chart_of("q", ["month", "n"], alone, "SELECT m FROM t ORDER BY x"))["x"]["sort"] is None

    def test_peaks_end_at_their_value(self) -> None:
        assert chart_of("q", ["day", "n"], days(12)).chart_schema["mark"]["strokeJoin"] == "round"
        schema = {"mark": {"type": "line", "interpolate": "cardinal"}, "encoding": {"x": {"field": "a"}}}
        assert not isinstance(check_allowed(schema, columns("a")), dict)
        schema["mark"] = {"type": "line", "interpolate": "monotone"}
        assert isinstance(check_allowed(schema, columns("a")), dict)

    def test_a_line_that_starts_above_zero_is_told(self) -> None:
        rows: Rows = [(day, 270 + at) for at, (day, _) in enumerate(days(12))]
        assert "does not start at 0" in chart_of("q", ["day", "n"], rows).reasoning


class TestValues:
    @pytest.mark.parametrize("values", [(0, 1), (False, True), ("0", "1")])
    def test_yes_and_no_are_words(self, values: tuple[Any, Any]) -> None:
        rows: Rows = [(values[0], 14), (values[1], 13)]
        names = columns("low_floor:BOOLEAN", "vehicles")
        chart = choose_chart("q", names, rows)
        assert [row["low_floor"] for row in chart_values(chart.chart_schema, names, rows)] == ["no", "yes"]

    def test_long_names_have_room_beside_horizontal_bars(self) -> None:
        rows: Rows = [(f"M{number} Technology Park – Industrial Estate", 5.0 - number) for number in range(5)]
        axis = encoding(chart_of("q", ["line_name", "length"], rows))["y"]["axis"]
        assert 240 <= axis["labelLimit"] < axis["maxExtent"]

    def test_weights_of_a_plain_list_are_no_total(self) -> None:
        rows: Rows = [("dog", 30.5, 80.5), ("dog", 12.5, 20.0), ("cat", 4.1, 7.5)]
        names = ["species", "weight", "amount"]
        chart = chart_of("weight by species", names, rows, "SELECT * FROM pets")
        assert encoding(chart)["x" if encoding(chart)["y"]["type"] == "nominal" else "y"]["aggregate"] == "mean"
        assert "averaged" in chart.reasoning
        money = chart_of("amount by species", ["species", "amount"], [(a, c) for a, _, c in rows], "SELECT * FROM pets")
        assert money.chart_schema["title"].startswith("Total amount")
        counts: Rows = [("dog", 3), ("dog", 1), ("cat", 4)]
        visits = chart_of("visits by species", ["species", "visits"], counts, "SELECT * FROM pets")
        assert visits.chart_schema["title"].startswith("Total visits")
