"""Row and column rules: applied wherever the model is read, or the statement is refused. Never skipped."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from askwell.sql.outcome import RejectedSql
from askwell.sql.planner import PlannedSql
from tests.mdl.shop import plain
from tests.sql.planner.conftest import CONTEXT, Desk
from tests.support.tables import case_table


def _as(desk: Desk, **properties: str) -> Desk:
    desk.context = replace(CONTEXT, session_properties=properties)
    return desk


@pytest.fixture
def ruled(desk: Desk) -> Desk:
    """Customers are seen by country; amounts by level."""
    country: dict[str, Any] = {"name": "country", "required": True}
    desk.mdl["models"][0]["rowLevelAccessControls"] = [
        {"name": "own country", "condition": "country = @country", "requiredProperties": [country]}
    ]
    desk.mdl["models"][1]["columns"][3]["columnLevelAccessControl"] = {
        "name": "seniors",
        "operator": ">=",
        "threshold": "3",
        "requiredProperties": [{"name": "level", "required": True}],
    }
    return desk


def test_rows_that_are_not_the_askers_are_not_there(ruled: Desk) -> None:
    assert _as(ruled, country="'FR'").rows("SELECT name FROM customers ORDER BY 1") == [("Bob",), ("Cy",)]
    assert _as(ruled, COUNTRY="'DE'").rows("SELECT name FROM customers ORDER BY 1") == [("Ann",)]


def test_nor_through_relationships_views_and_counts(ruled: Desk) -> None:
    _as(ruled, country="'DE'", level="9")
    assert ruled.rows("SELECT id, country, receiver_country FROM orders ORDER BY 1") == [
        (10, "DE", None),
        (11, "DE", "DE"),
        (12, None, None),
        (13, None, None),
    ]
    assert ruled.rows("SELECT count(*), sum(revenue) FROM customers") == [(1, 30)]
    assert ruled.rows("SELECT * FROM known_sales ORDER BY 2") == [("Ann", 10), ("Ann", 20)]
    assert ruled.rows("SELECT country FROM items WHERE order_id = 12") == [(None,)]


@pytest.mark.parametrize("sql", ["SELECT id FROM customers", "SELECT country FROM orders", "SELECT * FROM known_sales"])
def test_without_the_property_nothing_is_read(ruled: Desk, sql: str) -> None:
    outcome = _as(ruled, level="9").plan(sql)
    assert isinstance(outcome, RejectedSql)
    assert '"country"' in outcome.error
    assert "own country" in outcome.error


def test_what_does_not_read_the_model_needs_no_property(ruled: Desk) -> None:
    assert isinstance(ruled.plan("SELECT id FROM orders"), PlannedSql)


def test_a_rule_that_is_not_required_is_not_skipped_either(desk: Desk) -> None:
    rule: dict[str, Any] = {"name": "r", "condition": "country = @country"}
    rule["requiredProperties"] = [{"name": "country", "required": False}]
    desk.mdl["models"][0]["rowLevelAccessControls"] = [rule]
    assert isinstance(desk.plan("SELECT id FROM customers"), RejectedSql)


def test_a_default_stands_in_for_what_is_not_required(desk: Desk) -> None:
    rule: dict[str, Any] = {"name": "r", "condition": "country = @country"}
    rule["requiredProperties"] = [{"name": "country", "required": False, "defaultExpr": "'DE'"}]
    desk.mdl["models"][0]["rowLevelAccessControls"] = [rule]
    assert desk.rows("SELECT name FROM customers") == [("Ann",)]
    assert _as(desk, country="'FR'").rows("SELECT count(*) FROM customers") == [(2,)]


@pytest.mark.deep
@pytest.mark.parametrize(
    "value", ["1 OR 1 = 1", "country", "(SELECT 'DE')", "'DE' --", "'DE'; DROP TABLE cust", "", "'"]
)
def test_a_property_is_a_literal_and_nothing_else(ruled: Desk, value: str) -> None:
    outcome = _as(ruled, country=value).plan("SELECT name FROM customers")
    if isinstance(outcome, PlannedSql):
        assert ruled.direct(outcome.sql) == [("Ann",)]
    else:
        assert "literal" in outcome.error


def test_a_column_that_may_not_be_read(ruled: Desk) -> None:
    for properties in ({"level": "2"}, {}, {"level": "NULL"}):
        outcome = _as(ruled, **properties).plan("SELECT id FROM orders WHERE amount > 1")
        assert isinstance(outcome, RejectedSql)
        assert "Orders.amount" in outcome.error
    assert _as(ruled, level="3").rows("SELECT amount FROM orders WHERE id = 10") == [(10,)]
    assert _as(ruled, level="10").rows("SELECT amount FROM orders WHERE id = 10") == [(10,)]


def test_nor_through_calculated_fields(ruled: Desk) -> None:
    outcome = _as(ruled, country="'DE'", level="1").plan("SELECT revenue FROM customers")
    assert isinstance(outcome, RejectedSql)
    assert "Orders.amount" in outcome.error


def test_a_star_leaves_it_out(ruled: Desk) -> None:
    ruled.mdl["models"][1]["columns"] = [c for c in ruled.mdl["models"][1]["columns"] if not c.get("isCalculated")]
    ruled.mdl["models"] = ruled.mdl["models"][:2]
    ruled.mdl["models"][0]["columns"] = ruled.mdl["models"][0]["columns"][:4]
    ruled.mdl["models"][1]["columns"] = ruled.mdl["models"][1]["columns"][:6]
    ruled.mdl.update(relationships=[], metrics=[], cubes=[], views=[])
    assert ruled.rows("SELECT * FROM orders WHERE id = 10") == [(10, 1, 2, "a", 0)]
    assert isinstance(ruled.plan("SELECT *, amount FROM orders"), RejectedSql)
    assert _as(ruled, level="5").rows("SELECT * FROM orders WHERE id = 10") == [(10, 1, 2, 10, "a", 0)]


def test_a_star_leaves_out_what_is_worked_out_from_it(ruled: Desk) -> None:
    ruled.mdl["models"].append({"name": "bills", "baseObject": "Orders", "columns": [plain("id"), plain("amount")]})
    _as(ruled, country="'DE'", level="1")
    for table, gone in {"orders": "amount", "customers": "revenue", "bills": "amount"}.items():
        left = [name.lower() for name in ruled.names(f"SELECT * FROM {table}")]
        assert gone not in left
        assert "id" in left
        assert isinstance(ruled.plan(f"SELECT {gone} FROM {table}"), RejectedSql)
        senior = _as(replace(ruled), country="'DE'", level="9")
        assert gone in [name.lower() for name in senior.names(f"SELECT * FROM {table}")]
        _as(ruled, country="'DE'", level="1")


def test_one_askers_plan_is_not_anothers(ruled: Desk) -> None:
    first = _as(ruled, country="'DE'").rows("SELECT count(*) FROM customers")
    second = _as(ruled, country="'FR'").rows("SELECT count(*) FROM customers")
    assert (first, second) == ([(1,)], [(2,)])


@pytest.mark.parametrize(
    "sql",
    case_table(__file__, "a_rule_holds_however_the_rows_are_asked_for"),
)
def test_a_rule_holds_however_the_rows_are_asked_for(ruled: Desk, sql: str) -> None:
    people = {"name": "people", "baseObject": "Customers", "columns": [plain("Name", "VARCHAR")]}
    ruled.mdl["models"].append(people)
    by_name = {"name": "people_by_name", "baseObject": "people", "dimensions": [{"name": "Name", "type": "VARCHAR"}]}
    ruled.mdl["cubes"].append({**by_name, "measures": [{"name": "n", "type": "BIGINT", "expression": "count(*)"}]})
    assert set(_as(ruled, country="'DE'", level="9").rows(sql)) == {("Ann",)}
    assert isinstance(_as(ruled, level="9").plan(sql), RejectedSql)


def test_a_metric_counts_only_the_askers_rows(ruled: Desk) -> None:
    _as(ruled, country="'DE'", level="9")
    assert ruled.rows("SELECT * FROM revenue_by_country WHERE country IS NOT NULL") == [("DE", 30)]


TEXTS = ["O'Hara", "back\\slash", "\\'; DROP TABLE cust --", '"', "`", "%s", "$1", ":x", "?", "Ünï", "a\nb"]


@pytest.mark.deep
@pytest.mark.parametrize("text", TEXTS)
def test_a_property_is_that_very_text(ruled: Desk, text: str) -> None:
    """Whatever a database would read into it; written as SQL writes texts, in any dialect."""
    literal = "'" + text.replace("'", "''") + "'"
    assert _as(ruled, country=literal).rows("SELECT name FROM customers") == []
    rule = ruled.mdl["models"][0]["rowLevelAccessControls"][0]
    rule["condition"] = "@country = @country and length(@country) = @size"
    rule["requiredProperties"].append({"name": "size"})
    counted = {"mysql": len(text.encode())}.get(ruled.dialect, len(text))
    fresh = _as(Desk(ruled.dialect, ruled.mdl, ruled.database), country=literal, size=str(counted))
    assert len(fresh.rows("SELECT name FROM customers")) == 3


def test_a_condition_is_in_the_databases_own_sql(desk: Desk) -> None:
    own = {"duckdb": "list_contains([1, @n], id)", "sqlite": "id GLOB @n || '*'", "postgres": "id = ANY(ARRAY[@n, 1])"}
    condition = own.get(desk.dialect, "find_in_set(id, concat('1,', @n))")
    rule = {"name": "r", "condition": condition, "requiredProperties": [{"name": "n"}]}
    desk.mdl["models"][0]["rowLevelAccessControls"] = [rule]
    found = [number for (number,) in _as(desk, n="2").rows("SELECT id FROM customers ORDER BY 1")]
    assert found == ([2] if desk.dialect == "sqlite" else [1, 2])


def test_a_mail_address_is_no_property(desk: Desk) -> None:
    rule = {"name": "r", "condition": "country <> 'x@country'", "requiredProperties": []}
    desk.mdl["models"][0]["rowLevelAccessControls"] = [rule]
    assert desk.rows("SELECT count(*) FROM customers") == [(3,)]


@pytest.mark.parametrize("level", ["3", "'3'", "4.5", "'1e2'"])
def test_a_number_passes_a_rule_of_numbers(ruled: Desk, level: str) -> None:
    assert isinstance(_as(ruled, country="'DE'", level=level).plan("SELECT amount FROM orders"), PlannedSql)


@pytest.mark.deep
@pytest.mark.parametrize("level", ["'abc'", "true", "'NaN'", "'Infinity'", "NULL", "'~'", "2", "''", "-9"])
@pytest.mark.parametrize("operator", [">=", ">", "!="])
def test_what_is_no_number_never_passes_a_rule_of_numbers(ruled: Desk, level: str, operator: str) -> None:
    ruled.mdl["models"][1]["columns"][3]["columnLevelAccessControl"]["operator"] = operator
    outcome = _as(ruled, country="'DE'", level=level).plan("SELECT amount FROM orders")
    if operator == "!=" and level in ("2", "-9"):
        assert isinstance(outcome, PlannedSql)  # another number
    else:
        assert isinstance(outcome, RejectedSql)
