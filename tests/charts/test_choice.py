"""Which chart a result gets without a language model."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from askwell.charts.checking import check_allowed, check_schema
from askwell.charts.choice import choose_chart
from askwell.charts.fields import drawable_text
from askwell.charts.labels import Labels, words_of
from askwell.charts.plan import MOST_BARS, Chart
from askwell.charts.rendering import chart_values, with_data
from askwell.providers.engine.base import ResultColumn
from tests.charts.results import MONTHS, Rows, chart_of, columns
from tests.support.examples import examples
from tests.support.tables import case_rows

NAMES = [f"name {number}" for number in range(40)]


@pytest.mark.parametrize(
    ("question", "names", "rows", "kind"),
    [
        ("orders per month", ["month", "orders"], [(month, 5) for month in MONTHS], "line"),
        ("orders", ["month", "orders"], [("2025-01-01", 5)], "bar"),
        ("as an area chart", ["month", "orders"], [(month, 5) for month in MONTHS], "area"),
        ("bar chart per month", ["month", "orders"], [(month, 5) for month in MONTHS], "bar"),
        ("by month", ["month", "city", "n"], [(m, c, 1) for m in MONTHS for c in "abc"], "multi_line"),
        ("by status", ["status", "n"], [("a", 1), ("b", 2)], "bar"),
        ("share by status", ["status", "n"], [("a", 1), ("b", 2)], "pie"),
        ("share by status", ["status", "n"], [("a", 1), ("b", -2)], "bar"),
        ("share by status", ["status", "n"], [("a", 1), ("b", 0)], "pie"),
        ("share by status", ["status", "n"], [(name, 1) for name in NAMES[:7]], "bar"),
        ("share by status", ["status", "average_price"], [("a", 1.5), ("b", 2)], "bar"),
        ("by status", ["status", "percent"], [("a", 40), ("b", "60.0")], "pie"),
        ("two", ["city", "kind", "n"], [(c, k, 1) for c in NAMES[:9] for k in "abcd"], "grouped_bar"),
        ("two", ["city", "kind", "n"], [(c, k, 1) for c in NAMES[:9] for k in "abcde"], "stacked_bar"),
        ("two, stacked", ["city", "kind", "n"], [(c, k, 1) for c in NAMES[:9] for k in "ab"], "stacked_bar"),
        ("two", ["city", "kind", "n"], [(c, k, -1) for c in NAMES[:9] for k in "abcde"], "grouped_bar"),
        ("years", ["year:INTEGER", "n"], [(2020, 1), (2021, 2), (2022, 4)], "line"),
        ("years", ["strftime('%Y', day):TEXT", "n"], [("2020", 1), ("2021", 2), ("2022", 4)], "line"),
        ("ratings", ["rating", "reviews"], [(1, 5), (2, 9), (3, 7)], "bar"),
        ("both", ["month", "paid", "open"], [(month, 5, 9) for month in MONTHS], "multi_line"),
        ("both", ["city", "paid", "open"], [(name, 5, 9) for name in NAMES[:5]], "grouped_bar"),
        ("in one row", ["paid", "open"], [(5, 9)], "bar"),
        ("one value", ["n"], [(5,)], ""),
        ("a list", ["name"], [("a",), ("b",)], ""),
        ("three", ["a", "b", "c", "n"], [(a, b, c, 1) for a in "xy" for b in "xy" for c in "xy"], ""),
        ("nothing", ["name", "n"], [], ""),
        ("nulls", ["name", "n"], [("a", None), ("b", None)], ""),
    ],
)
def test_the_chart_of_a_result(question: str, names: list[str], rows: Rows, kind: str) -> None:
    chart = chart_of(question, names, rows)
    assert chart.chart_type == kind
    assert chart.reasoning or kind
    assert bool(chart.chart_schema) == bool(kind)


def _encoding(chart: Chart) -> dict[str, Any]:
    encoding: dict[str, Any] = chart.chart_schema["encoding"]
    return encoding


class TestColumns:
    def test_text_is_time_when_nearly_all_of_it_is_iso(self) -> None:
        rows: Rows = [(f"2025-01-{day:02}", 1) for day in range(1, 31)]
        assert _encoding(chart_of("q", ["day", "n"], [*rows, ("unknown", 1)]))["x"]["type"] == "temporal"
        chart = chart_of("q", ["day", "n"], [*rows, *[(f"unknown {number}", 1) for number in range(3)]])
        assert chart.chart_type == "bar"

    def test_days_are_utc_and_moments_local_as_browsers_read_them(self) -> None:
        days = _encoding(chart_of("q", ["month", "n"], [(month, 1) for month in MONTHS]))["x"]
        moments = _encoding(chart_of("q", ["month", "n"], [(f"{month}T00:00:00", 1) for month in MONTHS]))["x"]
        assert (days["timeUnit"], moments["timeUnit"]) == ("utcyearmonth", "yearmonth")

    @pytest.mark.parametrize(
        ("days", "written"),
        [
            (["2024-12-29", "2024-12-30", "2024-12-31"], "%-d %b"),
            (["2024-12-30", "2024-12-31", "2025-01-01"], "%-d %b %Y"),
        ],
    )
    def test_days_of_two_years_are_written_with_them(self, days: list[str], written: str) -> None:
        chart = chart_of("q", ["day", "n"], [(day, number) for number, day in enumerate(days, 1)])
        assert _encoding(chart)["x"]["axis"]["format"] == written

    def test_decimals_as_text_are_amounts_and_codes_are_names(self) -> None:
        assert chart_of("q", ["name", "total:DECIMAL(10,2)"], [("a", "1.50"), ("b", "2.00")]).chart_type == "bar"
        assert chart_of("q", ["name", "code"], [("a", "00123"), ("b", "00456")]).chart_type == ""
        assert chart_of("q", ["name", "branch:VARCHAR"], [("a", "12"), ("b", "13")]).chart_type == ""

    def test_an_identifier_is_no_amount_and_gives_way_to_a_name(self) -> None:
        chart = chart_of("q", ["customer_id", "name", "spent"], [(7, "Ann", 9.5), (8, "Bob", 3.5)])
        assert [one.get("field") for one in _encoding(chart).values()] == ["name", "spent"]
        assert _encoding(chart_of("q", ["customer_id", "spent"], [(7, 9.5), (8, 3.5)]))["x"]["field"] == "customer_id"

    def test_a_column_that_follows_from_another_is_left_out_and_told(self) -> None:
        chart = chart_of(
            "q", ["city", "country", "n"], [("Rome", "Italy", 1), ("Milan", "Italy", 2), ("Oslo", "Norway", 3)]
        )
        assert (chart.chart_type, "Not shown: country." in chart.reasoning) == ("bar", True)

    def test_amounts_of_another_size_do_not_share_an_axis(self) -> None:
        chart = chart_of("revenue by city", ["city", "orders", "revenue"], [("a", 5, 9000), ("b", 9, 7000)])
        assert (chart.chart_type, _encoding(chart)["y"]["field"]) == ("bar", "revenue")

    def test_of_columns_with_one_name_none_is_mixed_up(self) -> None:
        chart = chart_of("q", ["name", "n", "n"], [("a", 1, 100), ("b", 2, 200)])
        assert chart.chart_type == "bar"
        values = chart_values(chart.chart_schema, columns("name", "n", "n"), [("a", 1, 100), ("b", 2, 200)])
        assert [one["n"] for one in values] == [100, 200]


class TestOrder:
    ROWS: Rows = [("b", 1), ("a", 3), ("c", 2)]

    def test_the_order_of_the_statement_is_kept(self) -> None:
        chart = chart_of("q", ["name", "n"], self.ROWS, "SELECT name, n FROM t ORDER BY rank")
        assert _encoding(chart)["x"]["sort"] is None

    def test_without_one_the_largest_bar_comes_first(self) -> None:
        assert _encoding(chart_of("q", ["name", "n"], self.ROWS, "SELECT name, n FROM t"))["x"]["sort"] == "-y"

    def test_weekdays_and_numbers_have_an_order_of_their_own(self) -> None:
        days = chart_of("q", ["weekday", "n"], [("Tuesday", 1), ("Monday", 9)], "SELECT 1")
        assert _encoding(days)["x"]["sort"] == ["Monday", "Tuesday"]
        bands = chart_of("q", ["age", "n"], [("18-25", 1), ("65+", 9)], "SELECT 1")
        assert _encoding(bands)["x"]["sort"] == "ascending"

    def test_a_statement_that_cannot_be_read_is_judged_by_its_rows(self) -> None:
        rows: Rows = [("d", 9), ("b", 7), ("c", 5), ("a", 1)]
        assert _encoding(chart_of("q", ["name", "n"], rows, "SELEC ((("))["x"]["sort"] is None


class TestManyRows:
    def test_the_first_thirty_bars_of_a_ranking_are_drawn_and_the_rest_is_told(self) -> None:
        rows: Rows = [(name, 100 - at) for at, name in enumerate(NAMES)]
        chart = chart_of("q", ["name", "n"], rows, "SELECT 1 ORDER BY 2 DESC")
        assert "The first 30 of 40 are shown." in chart.reasoning
        values = chart_values(chart.chart_schema, columns("name", "n"), rows)
        assert [one["name"] for one in values] == NAMES[:MOST_BARS]

    def test_of_unsorted_bars_the_largest_are_drawn(self) -> None:
        rows: Rows = [(name, at * 37 % 41) for at, name in enumerate(NAMES)]
        chart = chart_of("q", ["name", "n"], rows, "SELECT 1")
        assert "The largest 30 of 40 are shown." in chart.reasoning
        values = chart_values(chart.chart_schema, columns("name", "n"), rows)
        assert sorted(one["n"] for one in values) == sorted(n for _, n in rows)[10:]

    def test_rows_of_one_name_are_put_together_and_it_is_said(self) -> None:
        chart = chart_of("q", ["name", "amount"], [("a", 1), ("b", 5), ("a", 2)])
        assert _encoding(chart)["y"]["aggregate"] == "sum"
        assert "added up" in chart.reasoning
        assert _encoding(chart_of("q", ["name", "price"], [("a", 1), ("b", 5), ("a", 2)]))["y"]["aggregate"] == "mean"

    def test_many_moments_are_put_together_by_the_month(self) -> None:
        rows: Rows = [(f"2025-{1 + at % 12:02}-{1 + at % 28:02}T10:{at % 60:02}:00", at) for at in range(300)]
        chart = chart_of("q", ["paid_at", "amount"], sorted(rows))
        assert _encoding(chart)["x"]["timeUnit"] == "yearmonth"
        assert _encoding(chart)["y"]["aggregate"] == "sum"

    def test_at_most_a_thousand_rows_are_handed_out(self) -> None:
        rows: Rows = [(f"{2000 + at // 300}-{1 + at % 12:02}-{1 + at % 25:02}", at) for at in range(1200)]
        chart = chart_of("q", ["day", "n"], rows)
        assert len(with_data(chart.chart_schema, columns("day", "n"), rows)["data"]["values"]) == 1000
        assert "1000 rows" in chart.reasoning


class TestLabels:
    @pytest.mark.parametrize(("name", "words"), case_rows(__file__, "names_become_words", "name", "words"))
    def test_names_become_words(self, name: str, words: str) -> None:
        assert words_of(name) == words

    def test_display_names_and_units_are_used(self) -> None:
        labels = Labels("German", {"rev": "Umsatz", "city": "Stadt"}, {"rev": "EUR"})
        chart = choose_chart("q", columns("city", "rev"), [("a", 1), ("b", 2)], labels=labels)
        assert chart.chart_schema["title"] == "Umsatz nach Stadt"
        assert _encoding(chart)["y"]["title"] == "Umsatz (EUR)"

    def test_another_language_gets_no_english_words(self) -> None:
        chart = choose_chart("q", columns("city", "rev"), [("a", 1), ("b", 2)], labels=Labels("Korean"))
        assert chart.chart_schema["title"] == "Rev / City"

    def test_what_has_no_name_is_said(self) -> None:
        chart = chart_of("q", ["name", "n"], [(None, 1), ("", 2), ("x", 3)])
        values = chart_values(chart.chart_schema, columns("name", "n"), [(None, 1), ("", 2), ("x", 3)])
        assert [one["name"] for one in values] == ["(none)", "(none)", "x"]

    def test_shares_are_percentages(self) -> None:
        chart = chart_of("q", ["name", "late_share"], [("a", 0.125), ("b", 0.5), ("c", 0.2)])
        assert _encoding(chart)["y"]["axis"]["format"] == ".0%"


_cell = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**18), 10**18),
    st.floats(),
    st.text(max_size=12),
    st.dates().map(str),
    st.datetimes().map(lambda one: one.isoformat()),
    st.decimals(allow_nan=True).map(str),
    st.lists(st.integers(), max_size=2),
    st.sampled_from(["Monday", "2024", "Q1", "0", "a", "b"]),
)
_names = st.one_of(st.text(max_size=12), st.sampled_from(["id", "year", "month", "share", "a.b", "http_status", "lat"]))


@settings(max_examples=examples(1200), deadline=None)
@given(st.data())
def test_every_result_gets_a_chart_that_passes_the_check_or_a_reason(data: st.DataObject) -> None:
    names = data.draw(st.lists(_names, min_size=1, max_size=4))
    kinds = [data.draw(st.one_of(st.just(_cell), st.sampled_from([st.integers(0, 9), st.floats(0, 1)]))) for _ in names]
    rows = data.draw(st.lists(st.tuples(*kinds), max_size=45))
    question = data.draw(st.sampled_from(["", "share of it", "as a pie chart", "stacked", "area chart", "line chart"]))
    result = [ResultColumn(name, "") for name in names]
    chart = choose_chart(
        question, result, rows, sql=data.draw(st.sampled_from(["", "SELECT 1", "SELECT 1 ORDER BY 1"]))
    )
    assert chart.reasoning or chart.chart_type
    if chart.chart_type:
        assert check_allowed(chart.chart_schema, result) == chart.chart_schema
        assert isinstance(check_schema(chart.chart_schema, result), dict)
        assert len(chart_values(chart.chart_schema, result, rows)) <= 1000
    else:
        assert chart.chart_schema == {}


# -- Characters that nobody sees are written out in what a chart shows, as in tables.


@pytest.mark.parametrize(("text", "shown"), case_rows(__file__, "what_is_not_seen_is_written_out", "text", "shown"))
def test_what_is_not_seen_is_written_out(text: str, shown: str) -> None:
    assert drawable_text(text) == shown
