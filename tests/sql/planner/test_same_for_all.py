"""Of which columns everybody reads the same values: no rule with a session property stands on the way to them."""

from __future__ import annotations

from typing import Any

import pytest

from askwell.mdl.view import authorised_view
from askwell.sql.planner import Planner
from tests.mdl.shop import calculated, handle, link, plain, read

ANYBODY = {"name": "r", "condition": "area = 'South'", "requiredProperties": []}
OWN = {"name": "r", "condition": "area = @area", "requiredProperties": [{"name": "area"}]}
DEFAULT = OWN | {"requiredProperties": [{"name": "area", "required": False, "defaultExpr": "'South'"}]}
COLUMN = {"name": "c", "operator": "=", "threshold": 1, "requiredProperties": DEFAULT["requiredProperties"]}


def _same(table: str, team_rule: dict[str, Any] | None = None, staff_rule: dict[str, Any] | None = None) -> set[str]:
    staff = {
        "name": "Staff",
        "primaryKey": "id",
        "tableReference": {"table": "staff"},
        "columns": [plain("id"), plain("name", "VARCHAR"), plain("team"), handle("squad", "Teams", "of")],
        "rowLevelAccessControls": [staff_rule] if staff_rule else [],
    }
    staff["columns"].append(calculated("area", "squad.area", "VARCHAR"))
    rule = {"columnLevelAccessControl": COLUMN} if team_rule is COLUMN else {}
    teams = {
        "name": "Teams",
        "primaryKey": "id",
        "tableReference": {"table": "teams"},
        "columns": [plain("id"), plain("area", "VARCHAR") | rule, plain("lead", "VARCHAR")],
        "rowLevelAccessControls": [team_rule] if team_rule and not rule else [],
    }
    based = [
        {"name": "OnStaff", "baseObject": "Staff", "columns": [plain("name", "VARCHAR"), plain("area", "VARCHAR")]},
        {"name": "OnView", "baseObject": "Seen", "columns": [plain("lead", "VARCHAR")]},
    ]
    manifest = read(
        {
            "catalog": "c",
            "schema": "s",
            "dataSource": "duckdb",
            "models": [staff, teams, *based],
            "relationships": [link("of", "Staff", "MANY_TO_ONE", "Teams", "Staff.team = Teams.id")],
            "views": [{"name": "Seen", "statement": "SELECT lead FROM Teams"}],
        }
    )
    planner = Planner(authorised_view(manifest, "h"), manifest, "duckdb")
    columns = {"Staff": ["name", "area"], "Teams": ["area", "lead"], "OnStaff": ["name", "area"], "OnView": ["lead"]}
    return set(planner.same_for_all(table, columns[table]))


@pytest.mark.parametrize("rule", [OWN, DEFAULT], ids=["required", "default"])
def test_a_property_in_a_rule_of_the_rows_decides_wherever_they_are_read(rule: dict[str, Any]) -> None:
    assert _same("Teams", rule) == set()
    assert _same("Staff", rule) == {"name"}
    assert _same("OnStaff", rule) == {"name"}
    assert _same("OnView", rule) == set()
    assert _same("Staff", None, rule) == set()
    assert _same("OnStaff", None, rule) == set()
    assert _same("Teams", None, rule) == {"area", "lead"}


def test_a_rule_of_everybody_that_leads_to_one_of_somebody_decides() -> None:
    assert _same("Staff", DEFAULT, ANYBODY) == set()


def test_a_column_rule_decides_for_its_column() -> None:
    assert _same("Teams", COLUMN) == {"lead"}
    assert _same("Staff", COLUMN) == {"name"}


def test_a_rule_without_a_property_is_the_same_for_all() -> None:
    for table, same in {"Teams": {"area", "lead"}, "Staff": {"name", "area"}, "OnView": {"lead"}}.items():
        assert _same(table, ANYBODY) == same
