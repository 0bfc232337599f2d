"""Rows as people read them, what is copied of them, and statements that are changed and stopped."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.page.conftest import Looked, Service, until

pytestmark = pytest.mark.deep

Look = Callable[..., Looked]
SLOW = "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 200000000) SELECT COUNT(*) FROM t"


def edited(looked: Looked, sql: str) -> None:
    """Run another statement in the place of the last answer's."""
    looked.card.get_by_role("tab", name="SQL").click()
    looked.card.get_by_role("button", name="Edit").click()
    field = looked.card.get_by_role("textbox", name="SQL to run")
    field.fill(sql)
    field.press("Control+Enter")


def cells(looked: Looked) -> list[str]:
    looked.card.locator(".grid-body .grid-cell").first.wait_for()
    return list(looked.card.locator(".grid-body .grid-cell").all_inner_texts())


def test_figures_are_shown_without_the_noise_of_arithmetic_and_copied_whole(service: Service, look: Look) -> None:
    looked = look(service)
    looked.ask("How many customers are there?")
    edited(
        looked,
        "SELECT 598.4799999999999 + 0.1 AS total, 100 * 0.3702540679417642 AS share, 52.520008 AS latitude, "
        "10248 AS OrderID, 10248 AS orders, 0.00012345678 AS part",
    )
    assert cells(looked) == ["598.58", "37.0254", "52.520008", "10248", "10,248", "0.0001235"]
    looked.card.get_by_role("button", name="Copy", exact=True).last.click()
    looked.card.get_by_role("menuitem", name="For a spreadsheet").click()
    copied = looked.page.evaluate("() => navigator.clipboard.readText()").splitlines()[1].split("\t")
    assert copied[0] == "598.58"
    assert copied[1].startswith("37.02540679417")


def test_moments_and_turned_texts_are_shown_as_they_are(service: Service, look: Look) -> None:
    looked = look(service)
    looked.ask("How many customers are there?")
    edited(
        looked,
        "SELECT '2024-01-01T12:00:00.100Z' AS a, '2024-01-01T12:00:00+05:00' AS b, '2024-01-01T00:00:00' AS c, "
        "'x' || char(8238) || '12345' AS d",
    )
    assert cells(looked) == [
        "2024-01-01 12:00:00.100Z",
        "2024-01-01 12:00:00+05:00",
        "2024-01-01",
        "x\u2039U+202E\u203a12345",
    ]


def test_figures_have_the_digits_of_the_database(service: Service, look: Look) -> None:
    looked = look(service)
    looked.ask("How many customers are there?")
    edited(
        looked,
        "SELECT column1 AS mixed, column2 AS wide, column3 AS largest FROM (VALUES "
        "(9007199254740993, 9007199254740991.0, 1.7976931348623157e308), (1.5, 9223372036854775807, -1.5))",
    )
    assert cells(looked) == [
        "9,007,199,254,740,993",
        "9,007,199,254,740,991",
        "1.7976931348623157e+308",
        "1.5",
        "9,223,372,036,854,775,807",
        "-1.5",
    ]


def test_letters_without_a_width_are_written_out_where_nothing_needs_them(service: Service, look: Look) -> None:
    looked = look(service)
    looked.ask("How many customers are there?")
    edited(
        looked,
        "SELECT 'pay' || char(8203) || 'pal' AS a, '1' || char(65279) || '2' AS b, 'x' || char(8205) || 'y' AS c, "
        "char(1605, 1740, 8204, 1582) AS d, char(128105, 8205, 128187) AS e",
    )
    assert cells(looked) == [
        "pay\u2039U+200B\u203apal",
        "1\u2039U+FEFF\u203a2",
        "x\u2039U+200D\u203ay",
        "\u0645\u06cc\u200c\u062e",
        "\U0001f469\u200d\U0001f4bb",
    ]


def test_what_is_copied_as_markdown_is_text_where_it_is_pasted(service: Service, look: Look) -> None:
    looked = look(service)
    looked.ask("How many customers are there?")
    edited(
        looked,
        "SELECT '[click](javascript:x)' AS a, '<img src=x>' AS b, "
        "'`a` | *b* ' || char(10) || 'c' AS d, 'plain 1.5' AS e",
    )
    cells(looked)
    looked.card.get_by_role("button", name="Copy", exact=True).last.click()
    looked.card.get_by_role("menuitem", name="Markdown").click()
    copied = looked.page.evaluate("() => navigator.clipboard.readText()").splitlines()[2]
    assert copied == r"| \[click\](javascript:x) | \<img src=x\> | \`a\` \| \*b\* c | plain 1.5 |"


def test_nothing_that_is_copied_runs_in_a_spreadsheet(service: Service, look: Look) -> None:
    looked = look(service)
    looked.ask("How many customers are there?")
    edited(looked, "SELECT '=1+1' AS a, '-5.25' AS b, 'x;@y' AS c, '-- a note' AS d, '-2+3' AS e")
    cells(looked)
    looked.card.get_by_role("button", name="Copy", exact=True).last.click()
    looked.card.get_by_role("menuitem", name="For a spreadsheet").click()
    copied = looked.page.evaluate("() => navigator.clipboard.readText()").splitlines()[1]
    assert copied.split("\t") == ["'=1+1", "-5.25", "x;'@y", "-- a note", "'-2+3"]


def test_a_question_with_letters_that_nobody_sees_names_a_file(service: Service, look: Look) -> None:
    looked = look(service)
    looked.ask("list all\u00a0orders\u200c")
    looked.card.get_by_role("button", name="Download").click()
    with looked.page.expect_download() as download:
        looked.card.get_by_role("menuitem", name="CSV").click()
    assert download.value.suggested_filename.endswith(".csv")


def test_one_figure_stands_with_its_sql_and_without_a_table(service: Service, look: Look) -> None:
    looked = look(service)
    looked.ask("How many customers are there?")
    assert looked.card.locator(".figure-value").inner_text() == "3"
    assert looked.card.locator(".grid").count() == 0
    assert "COUNT" in looked.card.locator(".sql-text").inner_text()


def test_groups_without_an_order_are_read_from_the_largest_on(service: Service, look: Look) -> None:
    looked = look(service)
    looked.ask("How many customers are there?")
    edited(looked, "SELECT status, COUNT(*) AS n FROM orders GROUP BY status")
    shown = cells(looked)
    counts = [int(text) for text in shown[1::2]]
    assert counts == sorted(counts, reverse=True)
    assert looked.card.locator('[role=columnheader][aria-sort="descending"]').inner_text().startswith("n")


def test_the_first_column_stays_in_sight(service: Service, look: Look) -> None:
    looked = look(service, width=700)
    looked.ask("How many customers are there?")
    others = ", ".join(f"'value number {at}' AS column_{at}" for at in range(12))
    edited(looked, f"SELECT name, {others} FROM customers ORDER BY name")
    first = looked.card.locator(".grid-body .grid-cell", has_text="Ada Lovelace")
    first.wait_for()
    grid = looked.card.locator(".grid")
    grid.evaluate("grid => { grid.scrollLeft = 900 }")
    looked.card.locator("[role=columnheader]", has_text="column_9").wait_for()
    inside = grid.evaluate("grid => grid.getBoundingClientRect().left")
    box = first.bounding_box()
    assert box is not None
    assert inside <= box["x"] < inside + 60
    grid.focus()
    for _ in range(3):
        looked.page.keyboard.press("ArrowRight")
    looked.card.locator(".is-active").wait_for()
    # Rows are drawn anew while they move: both places are looked at in one moment.
    until(
        looked.page,
        """([grid, name]) => {
            const active = grid.querySelector(".is-active")?.getBoundingClientRect();
            const first = [...grid.querySelectorAll(".grid-body .grid-cell")].find((one) => one.textContent === name);
            return active && first && active.left >= first.getBoundingClientRect().right - 1;
        }""",
        arg=[grid.element_handle(), "Ada Lovelace"],
    )


def test_what_is_selected_is_what_is_copied(service: Service, look: Look) -> None:
    looked = look(service)
    looked.ask("How many customers are there?")
    edited(looked, "SELECT name, id FROM customers ORDER BY name")
    cells(looked)
    looked.card.locator(".grid").focus()
    looked.page.keyboard.press("Shift+ArrowDown")
    looked.card.get_by_role("button", name="Copy", exact=True).last.click()
    looked.card.get_by_role("menuitem", name="For a spreadsheet").click()
    copied = looked.page.evaluate("() => navigator.clipboard.readText()").splitlines()
    assert copied[0] == "name"
    assert len(copied) == 3


def test_a_statement_that_runs_is_stopped_by_leaving_it(service: Service, look: Look) -> None:
    looked = look(service)
    looked.ask("How many customers are there?")
    edited(looked, "DELETE FROM customers")
    looked.card.locator(".sql-edit .note.is-bad").wait_for()
    field = looked.card.get_by_role("textbox", name="SQL to run")
    field.fill(SLOW)
    with looked.page.expect_event("requestfailed", lambda request: request.url.endswith("/v1/sql-runs")):
        field.press("Control+Enter")
        looked.card.locator(".sql-edit .progress").wait_for()
        assert looked.card.locator(".note.is-bad").count() == 0
        looked.card.get_by_role("button", name="Cancel").click()
    assert looked.card.locator(".note.is-bad").count() == 0
    assert looked.card.locator(".figure-value").inner_text() == "3"


def test_other_rows_than_the_answer_s_are_not_said_to_be_sure(service: Service, look: Look) -> None:
    looked = look(service)
    looked.ask("How many customers are there?")
    looked.card.locator(".answer-head").wait_for()
    edited(looked, "SELECT name FROM customers")
    cells(looked)
    assert looked.card.locator(".answer-head").is_hidden()
    assert looked.card.locator(".answer-foot").is_hidden()
    looked.card.get_by_role("button", name="Back to the answer").click()
    assert looked.card.locator(".answer-head").is_visible()
