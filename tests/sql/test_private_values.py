"""Which statements tell of values that not everybody may read, in the world of tests/rights: `deals`, `clients`,
`staff.badge` and `staff.salary` depend on who asks, and everybody reads the same `branches.city` and `staff.name`."""

from __future__ import annotations

from functools import cache

import pytest

from askwell.mdl.view import authorised_view
from askwell.sql.planner import Planner
from askwell.sql.private_values import PrivateValues
from tests.mdl.shop import read
from tests.rights.world import manifest
from tests.support.tables import case_rows, case_table


@cache
def _private(dialect: str) -> PrivateValues:
    model_manifest = read(manifest("SQLITE"))
    model = authorised_view(model_manifest, "h")
    planner = Planner(model, model_manifest, dialect)
    return PrivateValues(model, planner.same_for_all, dialect, are_any=planner.has_rules)


def _in(sql: str, dialect: str = "sqlite") -> bool:
    return _private(dialect).in_sql(sql)


@pytest.mark.parametrize(
    "sql",
    case_table(__file__, "a_statement_without_a_private_value_is_for_everybody"),
)
def test_a_statement_without_a_private_value_is_for_everybody(sql: str) -> None:
    dialect = "postgres" if "INTERVAL" in sql else "sqlite"
    assert not _in(sql, dialect)


@pytest.mark.parametrize(
    "sql",
    case_table(__file__, "a_statement_with_a_value_that_may_be_private_is_not"),
)
def test_a_statement_with_a_value_that_may_be_private_is_not(sql: str) -> None:
    assert _in(sql)


@pytest.mark.parametrize(
    ("dialect", "written"),
    case_rows(__file__, "a_literal_is_a_value_however_it_is_written", "dialect", "written"),
)
def test_a_literal_is_a_value_however_it_is_written(dialect: str, written: str) -> None:
    assert _in(f"SELECT id FROM deals WHERE note = {written}", dialect)
    assert _in(f"SELECT {written} AS x, COUNT(*) AS n FROM deals", dialect)


def test_names_that_a_pivot_makes_columns_of_are_values() -> None:
    assert _in("PIVOT deals ON note IN ('Bravokanari') USING SUM(amount)", "duckdb")
    assert _in("SELECT * FROM deals PIVOT (SUM(amount) FOR note IN (Bravokanari))", "duckdb")
