"""One statement out of what models really reply."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwell.sql.extract import NoStatement, extract_sql
from tests.support.tables import case_rows, case_table

SQL = "SELECT town, count(*) FROM people GROUP BY town"


@pytest.mark.parametrize("reply", case_table(__file__, "the_statement_is_found"))
def test_the_statement_is_found(reply: str) -> None:
    assert extract_sql(reply) == SQL


@pytest.mark.parametrize("sql", case_table(__file__, "a_bare_statement_is_taken_as_it_is"))
def test_a_bare_statement_is_taken_as_it_is(sql: str) -> None:
    assert extract_sql(sql) == sql


def test_line_breaks_inside_json_strings_are_forgiven() -> None:
    assert extract_sql('{"sql": "SELECT a\nFROM b"}') == "SELECT a\nFROM b"


def test_in_prose_a_statement_ends_at_a_semicolon_outside_quotes() -> None:
    assert extract_sql("Try this:\nSELECT ';' AS a FROM b; and tell me.") == "SELECT ';' AS a FROM b"


@pytest.mark.parametrize(("reply", "reason"), case_rows(__file__, "otherwise_there_is_a_reason", "reply", "reason"))
def test_otherwise_there_is_a_reason(reply: str, reason: str) -> None:
    outcome = extract_sql(reply)
    assert isinstance(outcome, NoStatement)
    assert reason in outcome.reason


@given(st.text(max_size=400))
def test_any_text_gives_a_statement_or_a_reason(text: str) -> None:
    outcome = extract_sql(text)
    assert isinstance(outcome, NoStatement) or (outcome and outcome == outcome.strip())


@given(st.text(st.sampled_from("`{}\"'sql:;\n SELECTWHab/*-()"), max_size=120))
def test_hostile_punctuation_is_survived(text: str) -> None:
    extract_sql(text)


def test_long_prose_is_quick_to_give_up_on() -> None:
    assert isinstance(extract_sql("we select what we want with care, " * 20_000), NoStatement)


@pytest.mark.parametrize(
    "reply",
    [
        '{"a":' * 20_000 + "}",
        '{"a":' + "[" * 50_000 + "]" * 50_000 + "}",
        "```yaml\n" + "[" * 900 + "\n```",
        "sql: " + "[" * 900,
        "```yaml\n" + "- a\n" * 20_000 + "```",
        "```" * 60_000,
        "``` " + " " * 100_000 + "x",
        "```\n" * 40_000,
        '{"result":' * 900 + "{}" + "}" * 900,
        "x" * 200_001,
    ],
)
def test_replies_made_to_keep_us_busy_hold_no_statement(reply: str) -> None:
    assert isinstance(extract_sql(reply), NoStatement)


def test_many_blank_lines_inside_a_statement_are_passed_over() -> None:
    reply = "Answer: SELECT 1" + "\n" * 100_000 + "WHERE true\n\nDone."
    assert extract_sql(reply) == "SELECT 1" + "\n" * 100_000 + "WHERE true"
