"""Looking at many parts at once: none hides, breaks or holds up another."""

from __future__ import annotations

import asyncio
import re
import sqlite3
from functools import partial
from pathlib import Path

import pytest

from askwell import parts
from askwell.config import DataSourceConfig
from askwell.errors import Unavailable
from askwell.knowledge.record import Record
from askwell.services.health.finding import Check, Finding, State, examine, failed, ok, skipped, warning, worst
from askwell.services.health.models import models_fit
from tests.support.service import running_service, write_config
from tests.support.tiny_shop import make_database, manifest


async def test_one_that_is_late_one_that_fails_and_one_that_breaks_leave_the_others_alone() -> None:
    cancelled = asyncio.Event()

    async def never() -> Finding:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.set()
            raise
        raise AssertionError

    async def down() -> Finding:
        raise Unavailable("The store is away.", "Start it.")

    async def broken() -> Finding:
        raise KeyError("a row that nobody may see")

    async def fine() -> Finding:
        return ok("here")

    ended: list[str] = []
    checks = {
        "late": Check(never, seconds=0.01, when_late="Wake it."),
        "down": Check(down),
        "broken": Check(broken),
        "fine": Check(fine),
    }
    found = await examine(checks, ended.append)
    assert list(found) == ["late", "down", "broken", "fine"]
    assert cancelled.is_set()
    assert found["late"] == failed("It is late: nothing was found out within 0.01 seconds.", "Wake it.")
    assert found["down"] == failed("The store is away.", "Start it.")
    assert found["broken"].state is State.FAILED
    assert "KeyError" in found["broken"].message
    assert "row" not in str(found)
    assert found["fine"] == ok("here")
    assert (set(ended), ended[-1]) == (set(checks), "late")


@pytest.mark.parametrize(
    ("findings", "state"),
    [
        ([ok("a")], State.OK),
        ([ok("a"), skipped("b")], State.SKIPPED),
        ([skipped("a"), warning("b", ""), ok("c")], State.WARNING),
        ([warning("a", ""), failed("b", ""), skipped("c")], State.FAILED),
    ],
)
def test_what_matters_most_decides(findings: list[Finding], state: State) -> None:
    assert worst(findings).state is state


async def test_a_project_without_a_model_is_told_how_to_send_its_own(tmp_path: Path) -> None:
    await (await Record.open("sqlite", tmp_path)).close()
    source = DataSourceConfig(engine="sqlite", path=make_database(tmp_path / "shop.db"))

    async def hint(project: str) -> str:
        found = await models_fit(
            partial(Record.look, "sqlite", tmp_path),
            lambda _: [project],
            lambda: parts.database(source, parts.engine(source)),
            lambda _: True,
        )
        assert found.state is State.WARNING
        return found.hint

    assert "project_id" not in await hint("default")
    assert 'semantics-preparations with "project_id": "sales"' in await hint("sales")


async def test_tables_that_the_model_does_not_have_are_a_hint(tmp_path: Path) -> None:
    config, path = write_config(tmp_path), tmp_path / "shop.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE refunds (id INTEGER)")

    async def look() -> Finding:
        source = DataSourceConfig(engine="sqlite", path=path)
        return await models_fit(
            partial(Record.look, "sqlite", tmp_path / "home"),
            lambda _: ["default"],
            lambda: parts.database(source, parts.engine(source)),
            lambda _: True,
        )

    async with running_service(config) as http:
        mdl = manifest()
        mdl["models"].append(
            {"name": "big", "refSql": "SELECT id FROM refunds", "columns": [{"name": "id", "type": "INTEGER"}]}
        )
        await http.prepare(mdl)
        found = await look()
        assert (found.state, found.hint) == (State.OK, "")
        assert found.message.endswith("fits: all its 3 tables are there, with their columns")
        with sqlite3.connect(path) as connection:
            connection.execute("CREATE TABLE Shipments (id INTEGER)")
        found = await look()
        assert (found.state, "1 table of the database is not in it: Shipments" in found.message) == (State.OK, True)
        assert "askwell model push" in found.hint
        with sqlite3.connect(path) as connection:
            for name in ("a", "b", "c"):
                connection.execute(f"CREATE VIEW {name} AS SELECT 1 AS one")
        found = await look()
        assert re.search(r"4 tables of the database are not in it: \w+, \w+, \w+ and 1 more$", found.message)
