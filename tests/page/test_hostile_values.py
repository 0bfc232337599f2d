"""Wherever data is shown, it is text: hostile values as cells, names, questions and addresses."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.page.conftest import Looked, Service, service_of, show
from tests.page.hostile import HOSTILE
from tests.support.service import write_config

pytestmark = pytest.mark.deep

COLUMNS = ["__proto__", "constructor", "<img src=x onerror=window.hacked=1>", "a.b[c]", "toString"]


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A table of hostile values, whose columns are called as badly."""
    folder = tmp_path_factory.mktemp("hostile")
    with sqlite3.connect(folder / "shop.sqlite") as database:
        names = ", ".join(f'"{name}" TEXT' for name in COLUMNS)
        database.execute(f"CREATE TABLE things (id INTEGER PRIMARY KEY, remark TEXT, {names})")
        for number, value in enumerate(HOSTILE, 1):
            database.execute("INSERT INTO things VALUES (?, ?, ?, ?, ?, ?, ?)", (number, *[value] * 6))
    model: dict[str, Any] = {
        "catalog": "shop",
        "schema": "main",
        "dataSource": "SQLITE",
        "models": [
            {
                "name": "things",
                "tableReference": {"table": "things"},
                "primaryKey": "id",
                "columns": [
                    {"name": "id", "type": "INTEGER", "notNull": True},
                    {"name": "remark", "type": "VARCHAR", "properties": {"description": HOSTILE[0]}},
                    *({"name": name, "type": "VARCHAR"} for name in COLUMNS[:2]),
                ],
                "properties": {"description": HOSTILE[1], "displayName": "Things"},
            }
        ],
    }
    with service_of(write_config(folder), model) as running:
        yield running


def is_unharmed(looked: Looked) -> bool:
    looked.page.wait_for_timeout(200)
    return bool(looked.page.evaluate("window.hacked === undefined && ({}).polluted === undefined"))


def test_cells_and_columns_are_text(hostile: Service, look: Callable[..., Looked]) -> None:
    looked = look(hostile)
    looked.ask("list all things")
    grid = looked.card.locator(".grid")
    grid.locator('[role="gridcell"]').first.wait_for()
    for place in range(0, 60 * 30, 300):
        grid.evaluate("(grid, place) => grid.scrollTo(0, place)", place)
        looked.page.wait_for_timeout(60)
    assert is_unharmed(looked)
    grid.locator('[role="gridcell"]').first.dblclick()
    looked.page.get_by_role("dialog").wait_for()
    looked.page.keyboard.press("Escape")
    show(looked.card, "Chart")
    looked.card.locator(".how > summary").click()
    looked.page.wait_for_timeout(300)
    assert is_unharmed(looked)
