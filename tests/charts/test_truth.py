"""That charts show nothing that the result does not say."""

from __future__ import annotations

from typing import Any

import pytest

from askwell.charts.adjusting import Adjustment, adjust_chart
from askwell.charts.checking import check_allowed, read_chart
from askwell.charts.choice import choose_chart
from askwell.charts.plan import Chart, NoChart
from tests.charts.results import MONTHS, Rows, chart_of, columns

RATINGS = ["clinic", "specialty", "average_rating"]
RATED: Rows = [("North", "Heart", 4.5), ("North", "Skin", 2.0), ("South", "Heart", 3.0)]
AVERAGED = "SELECT clinic, specialty, AVG(rating) AS {} FROM visits GROUP BY 1, 2"
BAR = Adjustment("bar", x_axis="clinic", y_axis="average_rating")


def encoding(chart: Any) -> dict[str, Any]:
    assert isinstance(chart, Chart), chart
    found: dict[str, Any] = chart.chart_schema["encoding"]
    return found


class TestAverages:
    @pytest.mark.parametrize("kind", ["bar", "line", "area", "pie"])
    def test_averages_are_not_averaged_again(self, kind: Any) -> None:
        wanted = Adjustment(kind, x_axis="clinic", y_axis="average_rating")
        refused = adjust_chart(wanted, columns(*RATINGS), RATED, sql=AVERAGED.format("average_rating"))
        assert isinstance(refused, NoChart)
        assert "specialty" in refused.reason
        assert refused.missing in refused.reason

    @pytest.mark.parametrize(
        "made",
        [
            *("AVG(n)", "MIN(n)", "MAX(n)", "MEDIAN(n)", "COUNT(DISTINCT n)", "SUM(a) / SUM(b)"),
            "SUM(SUM(n)) OVER (ORDER BY 1)",
        ],
    )
    def test_the_statement_says_what_cannot_be_put_together(self, made: str) -> None:
        sql = f"SELECT clinic, specialty, {made} AS amount FROM visits GROUP BY 1, 2"
        names = ["clinic", "specialty", "amount"]
        assert isinstance(adjust_chart(Adjustment("bar", "clinic", "amount"), columns(*names), RATED, sql=sql), NoChart)

    @pytest.mark.parametrize("made", ["SUM(n)", "COUNT(*)", "SUM(cents) / 100.0"])
    def test_sums_are_added_and_the_title_says_so(self, made: str) -> None:
        sql = f"SELECT clinic, specialty, {made} AS amount FROM visits GROUP BY 1, 2"
        chart = adjust_chart(
            Adjustment("bar", "clinic", "amount"), columns("clinic", "specialty", "amount"), RATED, sql=sql
        )
        assert encoding(chart)["y"]["aggregate"] == "sum"
        assert isinstance(chart, Chart)
        assert chart.chart_schema["title"] == "Total amount by clinic"

    def test_a_title_with_a_total_in_its_name_says_that_it_is_added_up(self) -> None:
        chart = adjust_chart(
            Adjustment("bar", "clinic", "order_count"), columns("clinic", "kind", "order_count"), RATED
        )
        assert isinstance(chart, Chart)
        assert chart.chart_schema["title"] == "Order count by clinic (rows with the same clinic added up)"

    def test_a_free_channel_keeps_them_apart(self) -> None:
        wanted = Adjustment("grouped_bar", "clinic", "average_rating", "specialty")
        assert "aggregate" not in encoding(adjust_chart(wanted, columns(*RATINGS), RATED))["y"]
        assert chart_of("rating by clinic", RATINGS, RATED).chart_type == "grouped_bar"

    def test_averages_are_not_stacked(self) -> None:
        for kind in ("stacked_bar", "bar"):
            wanted = Adjustment(kind, "clinic", "average_rating", color="specialty")
            assert isinstance(adjust_chart(wanted, columns(*RATINGS), RATED), NoChart)

    def test_a_grouped_rating_is_an_average_by_any_name(self) -> None:
        sql = AVERAGED.format("rating")
        refused = adjust_chart(
            Adjustment("bar", "clinic", "rating"), columns("clinic", "specialty", "rating"), RATED, sql=sql
        )
        assert isinstance(refused, NoChart)

    def test_no_type_is_chosen_that_puts_averages_together(self) -> None:
        rows: Rows = [("North", 4.5), ("North", 2.0), ("South", 3.0)]
        chart = chart_of("q", ["clinic", "average_rating"], rows)
        assert (chart.chart_type, "average_rating" in chart.reasoning) == ("", True)

    def test_a_model_may_not_do_it_either(self) -> None:
        bars = {
            "mark": "bar",
            "encoding": {
                "x": {"field": "clinic", "type": "nominal"},
                "y": {"field": "average_rating", "type": "quantitative", "aggregate": "mean"},
            },
        }
        assert not isinstance(read_chart("r", bars, columns(*RATINGS), RATED), Chart)
        bars["encoding"]["xOffset"] = {"field": "specialty", "type": "nominal"}  # type: ignore[index]
        assert isinstance(read_chart("r", bars, columns(*RATINGS), RATED), Chart)


class TestEqualNames:
    ROWS: Rows = [(1, "Jonas Wagner", 10), (2, "Jonas Wagner", 30), (3, "Ida Berg", 25)]
    NAMES = ("customer_id", "name", "spent")

    def test_people_with_one_name_are_kept_apart(self) -> None:
        chart = chart_of("spent by customer", self.NAMES, self.ROWS)
        assert encoding(chart)["x"]["field"] == "customer_id"
        assert "aggregate" not in encoding(chart)["y"]
        assert "same name" in chart.reasoning
        assert encoding(adjust_chart(Adjustment("bar"), columns(*self.NAMES), self.ROWS))["x"]["field"] == "customer_id"

    def test_first_and_last_names_too(self) -> None:
        rows: Rows = [(1, "Jonas", "Wagner", 10), (2, "Jonas", "Wagner", 30), (3, "Ida", "Berg", 25)]
        chart = chart_of("q", ["id", "first_name", "last_name", "spent"], rows)
        assert (chart.chart_type, encoding(chart)["x"]["field"]) == ("bar", "id")

    def test_where_the_name_is_asked_for_the_title_says_that_rows_are_added(self) -> None:
        chart = adjust_chart(Adjustment("bar", x_axis="name"), columns(*self.NAMES), self.ROWS)
        assert isinstance(chart, Chart)
        assert chart.chart_schema["title"] == "Total spent by name (rows with the same name added up)"

    def test_orders_of_one_city_are_still_added_up(self) -> None:
        chart = chart_of("q", ["order_id", "city", "amount"], [(1, "Oslo", 5), (2, "Oslo", 6), (3, "Rome", 7)])
        assert (encoding(chart)["x"]["field"], encoding(chart)["y"]["aggregate"]) == ("city", "sum")


@pytest.mark.parametrize(("sql", "said"), [("SELECT 1", "30 largest of 69"), ("SELECT 1 ORDER BY 1", "first 30 of 69")])
def test_the_schema_says_which_bars_are_drawn(sql: str, said: str) -> None:
    chart = chart_of("q", ["city", "n"], [(f"city {at}", at) for at in range(69)], sql)
    assert chart.chart_schema["title"] == f"N by city ({said})"


class TestNames:
    SQL = "SELECT g.Name, COUNT(*) AS number_of_track FROM genres AS g JOIN tracks AS t ON t.genre = g.id GROUP BY g.id"

    def test_a_name_is_called_by_what_has_it_and_counts_are_of_several(self) -> None:
        chart = chart_of("q", ["Name", "number_of_track"], [("Rock", 3), ("Jazz", 2)], self.SQL)
        assert chart.chart_schema["title"] == "Number of tracks by genre"
        assert chart.chart_schema["encoding"]["x"]["title"] == "Genre"
        alone = chart_of("q", ["title", "length"], [("Help", 3), ("Yes", 2)], "SELECT title, length FROM tracks")
        assert alone.chart_schema["title"].startswith("Length by track")

    def test_names_that_say_it_themselves_stay(self) -> None:
        for name, sql in (
            ("label", "SELECT g.name AS label, COUNT(*) AS number_of_hours_worked FROM genres AS g GROUP BY 1"),
            ("name", "WITH g AS (SELECT 1 AS name) SELECT g.name, COUNT(*) AS number_of_hours_worked FROM g"),
            ("name", "SELECT name, COUNT(*) AS number_of_hours_worked FROM genres AS g JOIN tracks AS t GROUP BY 1"),
        ):
            chart = chart_of("q", [name, "number_of_hours_worked"], [("Rock", 3), ("Jazz", 2)], sql)
            assert chart.chart_schema["title"] == f"Number of hours worked by {name}"

    def test_labels_of_a_line_of_many_names_do_not_stand_on_each_other(self) -> None:
        rows: Rows = [(f"A long name {at}", at) for at in range(86)]
        chart = chart_of("as a line chart", ["name", "n"], rows)
        assert chart.chart_schema["encoding"]["x"]["axis"]["labelOverlap"] is True
        assert "point" not in chart.chart_schema["mark"]


class TestReasons:
    def test_a_type_that_was_asked_for_is_no_rule(self) -> None:
        chart = chart_of("draw a line chart of species", ["species", "n"], [("cat", 2), ("dog", 3)])
        assert (chart.chart_type, chart.reasoning) == ("line", "A line chart was asked for.")

    def test_what_anybody_sees_is_not_said(self) -> None:
        assert chart_of("n by month", ["month", "n"], [(m, at) for at, m in enumerate(MONTHS)]).reasoning == ""
        plain = adjust_chart(Adjustment("bar", x_axis="month", y_axis="n"), columns("month", "n"), [(MONTHS[0], 1)])
        assert isinstance(plain, Chart)
        assert plain.reasoning == ""

    def test_columns_whose_names_cannot_be_drawn_are_told(self) -> None:
        for names in (["city", 'the "n"'], ["city", "n", 'the "m"']):
            chart = choose_chart("q", columns(*names), [("a", 1, 2)[: len(names)], ("b", 2, 3)[: len(names)]])
            assert "A chart can't show these names" in chart.reasoning
            assert repr(names[-1]) in chart.reasoning

    def test_what_was_moved_is_said(self) -> None:
        chart = adjust_chart(Adjustment("pie", x_axis="status"), columns("status", "n"), [("a", 1), ("b", 2)])
        assert isinstance(chart, Chart)
        assert chart.reasoning == "status, asked for as x_axis, is drawn as color."
        bars = adjust_chart(
            Adjustment("bar", x_axis="status", theta="m"), columns("status", "n", "m"), [("a", 1, 2), ("b", 2, 3)]
        )
        assert isinstance(bars, Chart)
        assert "m, asked for as theta, is not shown." in bars.reasoning

    def test_one_row_of_amounts_of_different_sizes(self) -> None:
        assert "differ in size" in chart_of("q", ["min", "avg", "max"], [(1, 20, 900)]).reasoning
        assert chart_of("q", ["min", "avg", "max"], [(10, 20, 90)]).chart_type == "bar"


class TestGaps:
    def test_days_without_rows_are_told_and_points_are_drawn(self) -> None:
        days = [f"2025-{month:02}-{day:02}" for month in (1, 2, 3) for day in range(1, 29) if day != 9]
        chart = chart_of("q", ["day", "n"], [(day, 1) for day in days])
        assert chart.chart_schema["mark"]["point"] == {"size": 15}
        assert "Periods without rows have no point" in chart.reasoning
        assert check_allowed(chart.chart_schema, columns("day", "n")) == chart.chart_schema

    @pytest.mark.parametrize(
        ("moments", "gaps"),
        [
            (MONTHS, False),
            ([*MONTHS[:4], *MONTHS[6:]], True),
            (["2025-01-06", "2025-01-13", "2025-01-20"], False),
            (["2025-01-06", "2025-01-13", "2025-01-27"], True),
            ([2020, 2021, 2022], False),
            ([2020, 2021, 2024], True),
        ],
    )
    def test_steps_that_are_not_alike_are_gaps(self, moments: list[Any], gaps: bool) -> None:
        chart = chart_of("q", ["year" if moments[0] == 2020 else "day", "n"], [(one, 5) for one in moments])
        assert ("Periods without rows" in chart.reasoning) is gaps

    def test_a_series_can_lack_a_period(self) -> None:
        rows: Rows = [(month, city, 5) for month in MONTHS for city in "ab"]
        assert "Periods without" not in chart_of("q", ["month", "city", "n"], rows).reasoning
        assert "Periods without" in chart_of("q", ["month", "city", "n"], [*rows[:7], *rows[8:]]).reasoning


def test_counts_have_no_half_ticks() -> None:
    whole = encoding(chart_of("q", ["city", "n"], [("a", 1), ("b", 2)]))["y"]["axis"]
    parts = encoding(chart_of("q", ["city", "n"], [("a", 1.5), ("b", 2)]))["y"]["axis"]
    assert (whole.get("tickMinStep"), parts.get("tickMinStep")) == (1, None)
