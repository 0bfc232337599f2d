"""Looking at a database for values, within bounds."""

from __future__ import annotations

import asyncio
import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from askwell.mdl.semantic_model import ColumnRef
from askwell.mdl.validation import read_manifest
from askwell.mdl.view import authorised_view
from askwell.providers.engine.base import Engine, PhysicalSchema
from askwell.services.database import Database
from askwell.services.example_sampling import sample_examples
from askwell.services.projects import ProjectModel, ProjectModels
from askwell.services.semantics_preparation import SemanticsPreparation
from askwell.services.value_sampling import SampledColumns, SamplingBounds, sample_values
from askwell.sql.checker import SqlChecker
from askwell.sql.planner import Planner
from tests.services.conftest import Desk
from tests.support import tiny_shop
from tests.support.scenarios import differences
from tests.support.service import running_service, write_config
from tests.support.tables import case_table

COLUMNS = ("few", "many", "long", "mixed", "blank", "empty", "number", "switch")


def database(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute(f"CREATE TABLE things ({', '.join(f'{name} TEXT' for name in COLUMNS)})")
        rows = [_row(n) for n in range(200)]
        connection.executemany(f"INSERT INTO things VALUES ({', '.join('?' * len(COLUMNS))})", rows)


def _row(n: int) -> tuple[str | None, ...]:
    mixed = "y" * 100 if n == 1 else f"m{n % 4}"
    return (f"v{n % 3}", f"value {n}", "x" * 100 + str(n), mixed, "  ", None, str(n % 5), str(n % 2))


def manifest() -> dict[str, Any]:
    types = dict.fromkeys(COLUMNS, "VARCHAR") | {"number": "INTEGER", "switch": "INTEGER"}
    return {
        "catalog": "c",
        "schema": "s",
        "dataSource": "SQLITE",
        "models": [
            {
                "name": "things",
                "tableReference": {"table": "things"},
                "columns": [{"name": name, "type": type_name} for name, type_name in types.items()],
            },
            {
                "name": "shouted",
                "refSql": "SELECT upper(few) AS word FROM things",
                "columns": [{"name": "word", "type": "VARCHAR"}],
            },
        ],
    }


@pytest.fixture
async def project(desk: Desk, tmp_path: Path) -> ProjectModel:
    (tmp_path / "shop.sqlite").unlink()
    database(tmp_path / "shop.sqlite")
    status = await desk.prepare(manifest())
    assert status["status"] == "finished", status
    found = await desk.projects.get("default", None)
    assert found is not None
    return found


async def sample(project: ProjectModel, **bounds: Any) -> SampledColumns:
    return await sample_values(
        project.model, project.checker, bounds=SamplingBounds(**bounds), on_progress=lambda done, total: None
    )


SAMPLED = case_table(__file__, "sampled")


@pytest.mark.parametrize("case", SAMPLED.values(), ids=SAMPLED)
async def test_what_is_sampled(project: ProjectModel, tmp_path: Path, case: dict[str, Any]) -> None:
    with sqlite3.connect(tmp_path / "shop.sqlite") as connection:
        connection.executescript(case.get("change", ""))
    sampled = await sample(project, **case.get("bounds", {}))
    found: dict[str, dict[str, list[str]]] = {}
    for place, values in sampled.values.items():
        found.setdefault(place.table, {})[place.column] = list(values)
    assert [*differences(found, case.get("values", {}))] == []
    assert len(sampled.values) == case.get("columns", len(sampled.values))
    assert [*differences(list(sampled.warnings), case.get("warnings", []))] == []


async def test_names_are_kept_though_all_of_them_differ(project: ProjectModel, tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "shop.sqlite") as connection:
        connection.execute("CREATE TABLE people (name TEXT, motto TEXT)")
        connection.executemany("INSERT INTO people VALUES (?, ?)", [(f"P. {n}", f"Be {n}!") for n in range(1_500)])
    columns = [{"name": name, "type": "VARCHAR"} for name in ("name", "motto")]
    people = {"name": "people", "tableReference": {"table": "people"}, "columns": columns}
    reading = read_manifest({**manifest(), "models": [people]})
    assert reading.manifest is not None
    model = authorised_view(reading.manifest, "h")
    checker = SqlChecker(model, Planner(model, reading.manifest, "sqlite"), project.engine)
    sampled = await sample_values(model, checker, bounds=SamplingBounds(), on_progress=lambda done, total: None)
    assert {str(place): len(values) for place, values in sampled.values.items()} == {"people.name": 1_500}


async def test_nothing_is_taken_from_columns_that_are_sensitive_hidden_denied_or_hold_secrets(
    desk: Desk, tmp_path: Path
) -> None:
    (tmp_path / "shop.sqlite").unlink()
    with sqlite3.connect(tmp_path / "shop.sqlite") as connection:
        connection.execute("CREATE TABLE users (city TEXT, mail TEXT, note TEXT, wage TEXT, password TEXT, level TEXT)")
        connection.execute("INSERT INTO users VALUES ('Graz', 'a@b.example', 'hush', 'high', 'open sesame', 'gold')")
    rule = {
        "name": "finance",
        "operator": ">=",
        "threshold": 2,
        "requiredProperties": [{"name": "level", "required": True}],
    }
    columns: list[dict[str, Any]] = [
        {"name": "city", "type": "VARCHAR"},
        {"name": "mail", "type": "VARCHAR", "properties": {"sensitive": True}},
        {"name": "note", "type": "VARCHAR", "isHidden": True},
        {"name": "wage", "type": "VARCHAR", "columnLevelAccessControl": rule},
        {"name": "password", "type": "VARCHAR"},
        {"name": "level", "type": "VARCHAR"},
    ]
    model = {"name": "users", "tableReference": {"table": "users"}, "columns": columns}
    assert (await desk.prepare({**manifest(), "models": [model]}))["status"] == "finished"
    project = await desk.projects.get("default", None)
    assert project is not None
    assert project.values == {ColumnRef("users", "city"): ("Graz",), ColumnRef("users", "level"): ("gold",)}


@pytest.mark.deep
@pytest.mark.parametrize(
    "name", ["passcode", "passphrase", "loginCredentials", "otp", "card_cvc", "CVV", "apikey", "api_key", "privateKey"]
)
async def test_nothing_is_taken_from_a_column_that_is_called_a_secret(desk: Desk, tmp_path: Path, name: str) -> None:
    with sqlite3.connect(tmp_path / "shop.sqlite") as connection:
        connection.execute(f"CREATE TABLE users ({name} TEXT, private_room TEXT)")
        connection.execute("INSERT INTO users VALUES ('open sesame', 'blue')")
    columns = [{"name": one, "type": "VARCHAR"} for one in (name, "private_room")]
    model = {"name": "users", "tableReference": {"table": "users"}, "columns": columns}
    assert (await desk.prepare({**manifest(), "models": [model]}))["status"] == "finished"
    project = await desk.projects.get("default", None)
    assert project is not None
    assert project.values == {ColumnRef("users", "private_room"): ("blue",)}


@pytest.mark.deep
async def test_turned_off_no_value_from_before_is_used_and_the_next_preparation_removes_them(tmp_path: Path) -> None:
    question = "How many customers are in Germany?"
    lost = tiny_shop.manifest()
    lost["models"][0]["columns"].append({"name": "lost", "type": "VARCHAR"})

    def config(enabled: bool) -> Path:
        return write_config(tmp_path, settings={"value_sampling": {"enabled": enabled}})

    async with running_service(config(True)) as service:
        warnings = (await service.prepare(lost))["warnings"]
        assert (await service.answer(question))["status"] == "finished"
    async with running_service(config(False)) as service:
        assert (await service.answer(question))["status"] == "failed"
    async with running_service(config(True)) as service:
        assert (await service.answer(question))["status"] == "finished", "only a preparation removes them"
    async with running_service(config(False)) as service:
        again = await service.prepare(lost)
        assert (await service.answer(question))["status"] == "failed"
    async with running_service(config(True)) as service:
        assert (await service.answer(question))["status"] == "failed", "they are no longer in the record"
    missing = [warning for warning in warnings if "could not be read" not in warning]
    assert again["warnings"] == missing, "a warning is not said twice"


async def test_progress_counts_every_column(project: ProjectModel) -> None:
    seen: list[tuple[int, int]] = []
    await sample_values(
        project.model,
        project.checker,
        bounds=SamplingBounds(),
        on_progress=lambda done, total: seen.append((done, total)),
    )
    assert [total for _, total in seen] == [9] * len(seen)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert seen[-1] == (9, 9)


async def test_a_text_in_other_letters_than_a_sampled_value_is_warned_of(tmp_path: Path) -> None:
    asked = {"Who lives in germany?": "germany", "Who is in Germany?": "Germany"}
    warnings = {}
    async with running_service(write_config(tmp_path)) as service:
        await service.prepare()
        for question, country in asked.items():
            sql = f"SELECT name FROM customers WHERE country = '{country}'"
            pair = {"id": country, "question": question, "sql": sql}
            assert (await service.call("POST", "/v1/sql-pairs", json={"sql_pairs": [pair]}))[0] == 202
            async with asyncio.timeout(20):
                while (answer := await service.answer(question)).get("sql_source") != "history":
                    await asyncio.sleep(0.05)
            assert answer["response"][0]["sql"] == sql
            warnings[country] = answer.get("warnings", [])

    assert warnings == {
        "germany": ["customers.country holds no 'germany' that is known of; it holds 'Germany'"],
        "Germany": [],
    }


async def test_a_filter_that_finds_nothing_is_told_the_nearest_values(tmp_path: Path) -> None:
    filters = {
        "Who is German?": "country = 'German'",
        "Who is from Franse?": "country LIKE '%Franse%'",
        "Who is from Peru or Chile?": "country IN ('Peru', 'Chile')",
    }
    warnings = {}
    async with running_service(write_config(tmp_path)) as service:
        await service.prepare()
        for question, condition in filters.items():
            pair = {"id": question, "question": question, "sql": f"SELECT name FROM customers WHERE {condition}"}
            assert (await service.call("POST", "/v1/sql-pairs", json={"sql_pairs": [pair]}))[0] == 202
            async with asyncio.timeout(20):
                while (answer := await service.answer(question, execute=True)).get("sql_source") != "history":
                    await asyncio.sleep(0.05)
            warnings[question] = answer["warnings"]

    nothing = "The query is valid and returns no rows."
    assert {question: set(said) for question, said in warnings.items()} == {
        "Who is German?": {
            nothing,
            "customers.country holds no 'German' that is known of; nearest: 'Germany'",
        },
        "Who is from Franse?": {
            nothing,
            "customers.country holds no 'Franse' that is known of; nearest: 'France'",
        },
        "Who is from Peru or Chile?": {nothing},
    }


# -- What prompts show of columns that hold no texts.


TYPES = case_table(__file__, "types")


def manifest_of_examples() -> dict[str, Any]:
    columns: list[dict[str, Any]] = [{"name": name, "type": type_name} for name, type_name in TYPES.items()]
    columns[-1]["properties"] = {"sensitive": "true"}
    visits = {"name": "visits", "tableReference": {"table": "visits"}, "columns": columns, "primaryKey": "visit_id"}
    return {"catalog": "c", "schema": "s", "dataSource": "SQLITE", "models": [visits]}


@pytest.fixture
async def clinic(desk: Desk, tmp_path: Path) -> ProjectModel:
    (tmp_path / "shop.sqlite").unlink()
    with sqlite3.connect(tmp_path / "shop.sqlite") as connection:
        connection.execute(f"CREATE TABLE visits ({', '.join(f'{name} {kind}' for name, kind in TYPES.items())})")
        for n in range(100):
            day = f"{1 + n % 28:02}"
            row = (n, n % 3, f"2024-05-{day} 08:30:00", f"{day}.05.1990", 202400 + 1 + n % 12, n % 4, "ty"[n % 2])
            connection.execute(f"INSERT INTO visits VALUES ({'?, ' * 10}?)", (*row, n / 7, n, 1234, n % 2))
    status = await desk.prepare(manifest_of_examples())
    assert status["status"] == "finished", status
    found = await desk.projects.get("default", None)
    assert found is not None
    return found


async def test_dates_as_they_are_written_and_codes_are_found(clinic: ProjectModel) -> None:
    found = await sample_examples(clinic.model, clinic.checker, bounds=SamplingBounds())
    assert {str(place): examples for place, examples in found.items()} == {
        "visits.admitted": ("2024-05-01 08:30:00", "2024-05-28 08:30:00"),
        "visits.born": ("01.05.1990", "28.05.1990"),
        "visits.billed_ym": ("202401", "202412"),
        "visits.state": ("0", "1", "2", "3"),
        "visits.is_paid": ("t", "y"),
    }


async def test_prompts_show_them_and_questions_do_not_find_them(clinic: ProjectModel) -> None:
    text = clinic.prepared.text.table("visits").whole
    assert "such as '01.05.1990', '28.05.1990'" in text
    assert "such as 202401, 202412" in text
    assert "such as 0, 1, 2, 3" in text
    assert "such as 't', 'y'" in text
    assert "1234" not in text
    assert clinic.prepared.value_index.matches("visits of 202401 in 2024-05-01") == ()
    assert clinic.values == {}
    assert ColumnRef("visits", "state") in clinic.examples


async def test_they_are_there_again_after_a_restart(clinic: ProjectModel, desk: Desk) -> None:
    desk.projects.forget("default")
    again = await desk.projects.get("default", None)
    assert again is not None
    assert (again.values, again.examples) == ({}, clinic.examples)


async def test_a_table_that_fails_and_a_time_that_is_over_are_no_faults(clinic: ProjectModel, tmp_path: Path) -> None:
    assert (
        await sample_examples(
            clinic.model,
            clinic.checker,
            bounds=SamplingBounds(seconds_in_all=0),
        )
        == {}
    )
    with sqlite3.connect(tmp_path / "shop.sqlite") as connection:
        connection.execute("ALTER TABLE visits RENAME TO other")
    assert await sample_examples(clinic.model, clinic.checker, bounds=SamplingBounds()) == {}


# -- Values that are sampled once the model is in use.


class LooksLate:
    """An engine whose database is not looked at before `looking`."""

    def __init__(self, engine: Engine, looking: asyncio.Event) -> None:
        self._engine = engine
        self._looking = looking

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)

    async def introspect(self) -> PhysicalSchema:
        await self._looking.wait()
        return await self._engine.introspect()


def looking_with(desk: Desk, engine: Any) -> Desk:
    """The desk over another engine, with values sampled last."""
    projects = ProjectModels(desk.record, lambda _: Database(engine))
    preparation = SemanticsPreparation(projects, desk.indexing, desk.jobs, bounds=SamplingBounds(), sample_last=True)
    return replace(desk, projects=projects, preparation=preparation)


async def test_a_model_is_ready_before_its_values_and_has_them_soon_after(desk: Desk) -> None:
    looking = asyncio.Event()
    slow: Any = LooksLate(desk.engine, looking)
    desk = looking_with(desk, slow)
    preparation = desk.preparation
    await preparation.start("default", tiny_shop.manifest(), "m1")
    status = await desk.ended(lambda: preparation.status("default", "m1"))
    assert status["status"] == "finished"
    project = await desk.model("m1")
    assert project.values == {}
    assert [job.label for job in await desk.record.jobs.unfinished("preparation")] == ["m1"]

    looking.set()
    async with asyncio.timeout(10):
        while await desk.record.jobs.unfinished("preparation"):
            await asyncio.sleep(0.01)
    project = await desk.model("m1")
    assert project.values[ColumnRef("orders", "status")] == ("open", "paid", "shipped")
    assert (await preparation.status("default", "m1"))["status"] == "finished"


async def test_a_newer_model_does_not_wait_for_the_values_of_an_older_one(desk: Desk) -> None:
    slow: Any = LooksLate(desk.engine, asyncio.Event())  # for ever
    desk = looking_with(desk, slow)
    preparation = desk.preparation
    await preparation.start("default", tiny_shop.manifest(), "m1")
    await desk.ended(lambda: preparation.status("default", "m1"))
    await preparation.start("default", tiny_shop.manifest(), "m2")
    status = await desk.ended(lambda: preparation.status("default", "m2"))
    assert status["status"] == "finished"
    assert [job.label for job in await desk.record.jobs.unfinished("preparation")] == ["m2"]
