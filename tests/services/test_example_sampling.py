"""What prompts show of columns that hold no texts."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from askwell.mdl.semantic_model import ColumnRef
from askwell.services.example_sampling import sample_examples
from askwell.services.projects import ProjectModel
from askwell.services.value_sampling import SamplingBounds
from tests.services.conftest import Desk
from tests.support.tables import case_table

TYPES = case_table(__file__, "types")


def manifest() -> dict[str, Any]:
    columns: list[dict[str, Any]] = [{"name": name, "type": type_name} for name, type_name in TYPES.items()]
    columns[-1]["properties"] = {"sensitive": "true"}
    visits = {"name": "visits", "tableReference": {"table": "visits"}, "columns": columns, "primaryKey": "visit_id"}
    return {"catalog": "c", "schema": "s", "dataSource": "SQLITE", "models": [visits]}


@pytest.fixture
async def project(desk: Desk, tmp_path: Path) -> ProjectModel:
    (tmp_path / "shop.sqlite").unlink()
    with sqlite3.connect(tmp_path / "shop.sqlite") as connection:
        connection.execute(f"CREATE TABLE visits ({', '.join(f'{name} {kind}' for name, kind in TYPES.items())})")
        for n in range(100):
            day = f"{1 + n % 28:02}"
            row = (n, n % 3, f"2024-05-{day} 08:30:00", f"{day}.05.1990", 202400 + 1 + n % 12, n % 4, "ty"[n % 2])
            connection.execute(f"INSERT INTO visits VALUES ({'?, ' * 10}?)", (*row, n / 7, n, 1234, n % 2))
    status = await desk.prepare(manifest())
    assert status["status"] == "finished", status
    found = await desk.projects.get("default", None)
    assert found is not None
    return found


async def test_dates_as_they_are_written_and_codes_are_found(project: ProjectModel) -> None:
    found = await sample_examples(project.model, project.checker, bounds=SamplingBounds())
    assert {str(place): examples for place, examples in found.items()} == {
        "visits.admitted": ("2024-05-01 08:30:00", "2024-05-28 08:30:00"),
        "visits.born": ("01.05.1990", "28.05.1990"),
        "visits.billed_ym": ("202401", "202412"),
        "visits.state": ("0", "1", "2", "3"),
        "visits.is_paid": ("t", "y"),
    }


async def test_prompts_show_them_and_questions_do_not_find_them(project: ProjectModel) -> None:
    text = project.prepared.text.table("visits").whole
    assert "such as '01.05.1990', '28.05.1990'" in text
    assert "such as 202401, 202412" in text
    assert "such as 0, 1, 2, 3" in text
    assert "such as 't', 'y'" in text
    assert "1234" not in text
    assert project.prepared.value_index.matches("visits of 202401 in 2024-05-01") == ()
    assert project.values == {}
    assert ColumnRef("visits", "state") in project.examples


async def test_they_are_there_again_after_a_restart(project: ProjectModel, desk: Desk) -> None:
    desk.projects.forget("default")
    again = await desk.projects.get("default", None)
    assert again is not None
    assert (again.values, again.examples) == ({}, project.examples)


async def test_a_table_that_fails_and_a_time_that_is_over_are_no_faults(project: ProjectModel, tmp_path: Path) -> None:
    assert await sample_examples(project.model, project.checker, bounds=SamplingBounds(seconds_in_all=0)) == {}
    with sqlite3.connect(tmp_path / "shop.sqlite") as connection:
        connection.execute("ALTER TABLE visits RENAME TO other")
    assert await sample_examples(project.model, project.checker, bounds=SamplingBounds()) == {}
