"""What does not bind is said with the nearest valid names in scope."""

from __future__ import annotations

import pytest

from askwell.sql.outcome import RejectionKind
from tests.sql.binder.models import bound, rejected
from tests.support.tables import case_rows, case_table


@pytest.mark.parametrize(
    ("sql", "sentence"),
    case_rows(__file__, "sentence", "sql", "sentence"),
)
def test_sentence(sql: str, sentence: str) -> None:
    outcome = rejected(sql)
    assert outcome.kind is RejectionKind.BIND
    assert sentence in outcome.error
    assert outcome.suggestions == ()


def test_every_mistake_is_said_once() -> None:
    outcome = rejected("SELECT titel, titel, x.pages FROM boks, authors")
    assert outcome.error.count('"boks"') == outcome.error.count('"x"') == 1


@pytest.mark.parametrize(
    "sql",
    case_table(__file__, "sqlites_double_quotes_do_not_hide_a_misspelt_column"),
)
def test_sqlites_double_quotes_do_not_hide_a_misspelt_column(sql: str) -> None:
    assert "nearest" in rejected(sql, "sqlite").error


@pytest.mark.parametrize(
    ("dialect", "sql"),
    case_rows(__file__, "an_alias_is_no_column_of_itself", "dialect", "sql"),
)
def test_an_alias_is_no_column_of_itself(dialect: str, sql: str) -> None:
    assert 'no column "cost"' in rejected(sql, dialect).error


@pytest.mark.parametrize(
    ("dialect", "sql"),
    [
        ("duckdb", "SELECT pages AS cost, cost + 1 AS more FROM books"),
        ("sqlite", "SELECT pages AS cost FROM books WHERE cost > 1 GROUP BY cost HAVING cost > 1 ORDER BY cost"),
    ],
)
def test_an_alias_is_known_where_the_database_knows_it(dialect: str, sql: str) -> None:
    assert bound(sql, dialect).tables == ("Books",)
