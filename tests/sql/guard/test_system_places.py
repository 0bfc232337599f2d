"""The database system's own tables are refused even where a plan is allowed them."""

from __future__ import annotations

import pytest
import sqlglot

from askwell.sql.guard import Allowed, Guard, GuardPass, GuardRefusal, Rule
from tests.support.tables import case_rows


@pytest.mark.parametrize(
    ("dialect", "table", "qualifier"),
    case_rows(__file__, "they_are", "dialect", "table", "qualifier"),
)
def test_they_are(dialect: str, table: str, qualifier: str) -> None:
    written = f"{qualifier}.{table}" if qualifier else table
    tree = sqlglot.parse_one(f"SELECT 1 FROM {written}", dialect=dialect)
    allowed = Allowed({table: None}, frozenset({qualifier} if qualifier else ()), spelling={table: table})
    outcome = Guard(dialect).check_tree(tree, allowed)
    assert isinstance(outcome, GuardRefusal)
    assert outcome.rule is Rule.SYSTEM_NAME


@pytest.mark.parametrize("table", ["pg_orders", "systems", "temperatures", "main.tables"])
def test_names_that_only_look_so_are_not(table: str) -> None:
    tree = sqlglot.parse_one(f"SELECT 1 FROM {table}", dialect="duckdb")
    allowed = Allowed({table.removeprefix("main."): None}, frozenset({"main"}))
    assert isinstance(Guard("duckdb").check_tree(tree, allowed), GuardPass)
