"""Charts, their adjustments and their pictures (CONTRACTS 2)."""

from __future__ import annotations

import copy

import pytest

from tests.client_kit import expect, kinds
from tests.client_kit.bodies import (
    BAR,
    CITY_DATA,
    CITY_QUESTION,
    CITY_SQL,
    COUNT_QUESTION,
    COUNT_SQL,
    DAY_SQL,
    EMPTY_SQL,
    JOIN_SQL,
    REFUSED_SQL,
    TWO_CATEGORIES_SQL,
    WRONG_COLUMN_SQL,
    Shop,
)
from tests.client_kit.client import LegacyClient, chart_adjustment_body, chart_body
from tests.client_kit.manifest import Json

CITY_COLUMNS = {"city", "customer_count"}


def test_a_chart_of_a_category(client: LegacyClient, shop: Shop) -> None:
    response = expect.finished(client.chart(CITY_QUESTION, CITY_SQL))
    expect.chart(response, CITY_COLUMNS)


def test_rows_are_in_the_schema_only_when_asked(client: LegacyClient, shop: Shop) -> None:
    kept = expect.finished(client.chart(CITY_QUESTION, CITY_SQL, remove_data_from_chart_schema=False))
    assert kept["chart_type"] != ""
    schema = expect.chart(kept, CITY_COLUMNS, with_data=True)
    assert len(schema["data"]["values"]) == 4
    assert all(set(row) == CITY_COLUMNS for row in schema["data"]["values"])
    removed = expect.finished(client.chart(CITY_QUESTION, CITY_SQL, remove_data_from_chart_schema=True))
    expect.chart(removed, CITY_COLUMNS)


def test_rows_that_the_client_sends_are_used(client: LegacyClient, shop: Shop) -> None:
    ended = client.chart(CITY_QUESTION, CITY_SQL, data=CITY_DATA, remove_data_from_chart_schema=False)
    schema = expect.chart(expect.finished(ended), CITY_COLUMNS, with_data=True)
    assert [row["city"] for row in schema["data"]["values"]] == ["Lyon", "Madrid", "Oslo", "Porto"]


def test_at_most_a_thousand_rows_are_in_the_schema(client: LegacyClient, shop: Shop) -> None:
    data = {
        "columns": ["day", "n"],
        "data": [[f"2020-01-01T{n // 60 % 24:02d}:{n % 60:02d}:00", n] for n in range(3000)],
    }
    ended = client.chart("How does n go?", DAY_SQL, data=data, remove_data_from_chart_schema=False)
    expect.chart(expect.finished(ended), {"day", "n"}, with_data=True)


@pytest.mark.parametrize(
    ("sql", "types"),
    [
        (DAY_SQL, {"line"}),
        (CITY_SQL, {"bar", "pie"}),
        (JOIN_SQL, {"bar", "pie"}),
        (TWO_CATEGORIES_SQL, {"grouped_bar", "stacked_bar", "bar"}),
        (COUNT_SQL, {""}),
        ("SELECT full_name, city FROM customers", {""}),
    ],
    ids=["day", "city", "category", "two categories", "one cell", "no measure"],
)
def test_the_choice_without_a_model(
    client: LegacyClient, shop: Shop, no_model: None, sql: str, types: set[str]
) -> None:
    ended = client.chart("What does this show?", sql)
    response = expect.finished(ended)
    assert response["chart_type"] in types, response


def test_a_line_has_a_time_axis(client: LegacyClient, shop: Shop, no_model: None) -> None:
    schema = expect.finished(client.chart("Orders by day", DAY_SQL))["chart_schema"]
    assert "temporal" in {channel.get("type") for channel in schema["encoding"].values() if isinstance(channel, dict)}


def test_one_cell_is_no_chart_and_the_reasoning_says_why(client: LegacyClient, shop: Shop, no_model: None) -> None:
    response = expect.finished(client.chart(COUNT_QUESTION, COUNT_SQL))
    assert response["chart_type"] == ""
    assert response["chart_schema"] == {}
    assert response["reasoning"].strip()


def test_no_rows_are_no_chart(client: LegacyClient, shop: Shop) -> None:
    expect.failed(client.chart("Atlantis", EMPTY_SQL), "NO_CHART")
    expect.failed(client.chart("Atlantis", EMPTY_SQL, data={"columns": ["city", "n"], "data": []}), "NO_CHART")


def test_refused_sql_names_the_rule(client: LegacyClient, shop: Shop) -> None:
    expect.refused_by_rule(expect.failed(client.chart("Remove", REFUSED_SQL), "OTHERS"))


@pytest.mark.parametrize("sql", [WRONG_COLUMN_SQL, "SELEC 1", "SELECT * FROM warehouses"])
def test_wrong_sql_is_others(client: LegacyClient, shop: Shop, sql: str) -> None:
    expect.failed(client.chart("What is there?", sql), "OTHERS")


def test_rows_of_the_wrong_width_are_told(client: LegacyClient, shop: Shop) -> None:
    data = {"columns": ["a", "b"], "data": [[1], [1, 2, 3]]}
    answer = client.post(kinds.CHART, chart_body(CITY_QUESTION, CITY_SQL) | {"data": data})
    assert answer.status_code in (202, 422), answer.text
    if answer.status_code == 202:
        expect.failed(client.wait(kinds.CHART, answer.json()["query_id"]))
    else:
        expect.no_leak(answer.text)


def test_columns_with_dots_and_brackets_are_escaped(client: LegacyClient, shop: Shop) -> None:
    data = {"columns": ["the.city", "n[1]"], "data": [["Lyon", 3], ["Oslo", 2], ["Porto", 2]]}
    response = expect.finished(client.chart("How many by city?", CITY_SQL, data=data))
    schema = expect.chart(response, {"the.city", "n[1]"})
    for field in expect.fields_of(schema):
        assert field.replace("\\.", "").count(".") == 0, f"a dot that is not escaped: {field}"
        assert field.replace("\\[", "").count("[") == 0, f"a bracket that is not escaped: {field}"


def test_a_custom_instruction_is_taken(client: LegacyClient, shop: Shop) -> None:
    expect.finished(client.chart(CITY_QUESTION, CITY_SQL, custom_instruction="Use plain colours."))


# Adjustments.


@pytest.mark.parametrize(
    "option",
    [
        {"chart_type": "bar", "x_axis": "customer_count", "y_axis": "city"},
        {"chart_type": "bar", "x_axis": "city", "y_axis": "customer_count"},
        {"chart_type": "area", "x_axis": "city", "y_axis": "customer_count"},
        {"chart_type": "line", "x_axis": "city", "y_axis": "customer_count"},
    ],
    ids=str,
)
def test_named_axes_win(client: LegacyClient, shop: Shop, option: Json) -> None:
    response = expect.finished(client.adjust_chart(CITY_QUESTION, CITY_SQL, BAR, option))
    schema = expect.chart(response, CITY_COLUMNS)
    assert response["chart_type"] == option["chart_type"]
    assert schema["encoding"]["x"]["field"] == option["x_axis"]
    assert schema["encoding"]["y"]["field"] == option["y_axis"]


def test_a_pie_has_theta_and_colour(client: LegacyClient, shop: Shop) -> None:
    option = {"chart_type": "pie", "theta": "customer_count", "color": "city"}
    response = expect.finished(client.adjust_chart(CITY_QUESTION, CITY_SQL, BAR, option))
    schema = expect.chart(response, CITY_COLUMNS)
    assert response["chart_type"] == "pie"
    assert schema["encoding"]["theta"]["field"] == "customer_count"
    assert schema["encoding"]["color"]["field"] == "city"


@pytest.mark.parametrize(
    ("option", "channel"),
    [
        ({"chart_type": "grouped_bar", "x_axis": "status", "y_axis": "n", "x_offset": "city"}, "xOffset"),
        ({"chart_type": "stacked_bar", "x_axis": "status", "y_axis": "n", "color": "city"}, "color"),
        ({"chart_type": "multi_line", "x_axis": "city", "y_axis": "n", "color": "status"}, "color"),
    ],
    ids=["grouped_bar", "stacked_bar", "multi_line"],
)
def test_charts_of_two_categories_have_their_channel(
    client: LegacyClient, shop: Shop, option: Json, channel: str
) -> None:
    response = expect.finished(client.adjust_chart("By status", TWO_CATEGORIES_SQL, BAR, option))
    schema = expect.chart(response, {"status", "city", "n"})
    assert response["chart_type"] == option["chart_type"]
    assert schema["encoding"][channel]["field"] == option["x_offset" if channel == "xOffset" else "color"]


def test_axes_that_are_null_or_empty_are_absent(client: LegacyClient, shop: Shop) -> None:
    option = {
        "chart_type": "pie",
        "theta": "customer_count",
        "color": "city",
        "x_axis": None,
        "y_axis": None,
        "x_offset": None,
    }
    expect.finished(client.adjust_chart(CITY_QUESTION, CITY_SQL, BAR, option))


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ({"chart_type": "grouped_bar", "x_axis": "city", "y_axis": "customer_count"}, ("x_offset", "xoffset")),
        ({"chart_type": "stacked_bar", "x_axis": "city", "y_axis": "customer_count"}, ("color", "colour")),
    ],
    ids=["grouped_bar", "stacked_bar"],
)
def test_a_channel_that_nothing_can_fill_is_named(
    client: LegacyClient, shop: Shop, no_model: None, option: Json, words: tuple[str, ...]
) -> None:
    error = expect.failed(client.adjust_chart(CITY_QUESTION, CITY_SQL, BAR, option), "NO_CHART")
    assert any(word in error["message"].casefold() for word in words), error


def test_an_axis_that_is_no_column_is_no_chart(client: LegacyClient, shop: Shop) -> None:
    option = {"chart_type": "bar", "x_axis": "moon", "y_axis": "customer_count"}
    ended = client.adjust_chart(CITY_QUESTION, CITY_SQL, BAR, option)
    if ended.status == "failed":
        assert "moon" in expect.failed(ended, "NO_CHART")["message"]
    else:
        expect.chart(expect.finished(ended), CITY_COLUMNS)


def test_an_adjustment_does_not_keep_what_is_forbidden(client: LegacyClient, shop: Shop) -> None:
    bad = copy.deepcopy(BAR) | {
        "data": {"url": "http://evil.example/rows.json"},
        "params": [{"name": "p", "expr": "1"}],
        "transform": [{"calculate": "datum.x", "as": "y"}],
    }
    bad["encoding"]["href"] = {"field": "city"}
    option = {"chart_type": "bar", "x_axis": "city", "y_axis": "customer_count"}
    response = expect.finished(client.adjust_chart(CITY_QUESTION, CITY_SQL, bad, option))
    expect.chart(response, CITY_COLUMNS)


def test_an_adjustment_of_refused_or_wrong_sql_is_others(client: LegacyClient, shop: Shop) -> None:
    option = {"chart_type": "bar", "x_axis": "city", "y_axis": "customer_count"}
    expect.refused_by_rule(expect.failed(client.adjust_chart("Remove", REFUSED_SQL, BAR, option), "OTHERS"))
    expect.failed(client.adjust_chart("What?", WRONG_COLUMN_SQL, BAR, option), "OTHERS")


def test_an_adjustment_of_nothing_is_no_chart(client: LegacyClient, shop: Shop) -> None:
    option = {"chart_type": "bar", "x_axis": "city", "y_axis": "n"}
    expect.failed(client.adjust_chart("Atlantis", EMPTY_SQL, BAR, option), "NO_CHART")


def test_an_empty_schema_can_be_adjusted(client: LegacyClient, shop: Shop) -> None:
    option = {"chart_type": "bar", "x_axis": "city", "y_axis": "customer_count"}
    body = chart_adjustment_body(CITY_QUESTION, CITY_SQL, {}, option)
    expect.chart(expect.finished(client.run(kinds.CHART_ADJUSTMENT, body)), CITY_COLUMNS)


# Pictures.


@pytest.mark.parametrize(("form", "start"), [("svg", b"<svg"), ("png", b"\x89PNG\r\n")])
def test_a_finished_chart_has_a_picture(client: LegacyClient, shop: Shop, form: str, start: bytes) -> None:
    ended = client.chart(CITY_QUESTION, CITY_SQL)
    assert expect.finished(ended)["chart_type"] != ""
    answer = client.http.get(f"/v1/charts/{ended.id}/image.{form}", params={"width": "400", "height": "300"})
    if answer.status_code == 501:
        expect.error_body(answer, 501)
        pytest.skip("the service runs without the extra `charts`")
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].split(";")[0] in ("image/svg+xml", "image/png")
    assert start in answer.content[:200]
    assert b"http://evil" not in answer.content


@pytest.mark.parametrize("form", ["svg", "png"])
def test_the_picture_of_an_unknown_chart_is_404(client: LegacyClient, unknown_id: str, form: str) -> None:
    answer = client.http.get(f"/v1/charts/{unknown_id}/image.{form}")
    assert answer.status_code in (404, 501), answer.text
    expect.error_body(answer, answer.status_code)


@pytest.mark.parametrize("size", ["2001", "-1", "0", "wide"])
def test_a_picture_of_a_wrong_size_is_422(client: LegacyClient, shop: Shop, size: str) -> None:
    ended = client.chart(CITY_QUESTION, CITY_SQL)
    for side in ("width", "height"):
        answer = client.http.get(f"/v1/charts/{ended.id}/image.svg", params={side: size})
        if answer.status_code != 501:
            expect.bad_body(answer)


def test_a_failed_chart_has_no_picture(client: LegacyClient, shop: Shop) -> None:
    ended = client.chart("Atlantis", EMPTY_SQL)
    answer = client.http.get(f"/v1/charts/{ended.id}/image.svg")
    assert answer.status_code in (404, 501), answer.text


@pytest.mark.usefixtures("no_compatibility")
def test_a_foreign_picture_is_404(client: LegacyClient, foreigner: LegacyClient, shop: Shop) -> None:
    ended = client.chart(CITY_QUESTION, CITY_SQL)
    answer = foreigner.http.get(f"/v1/charts/{ended.id}/image.svg")
    assert answer.status_code in (404, 501), answer.text
