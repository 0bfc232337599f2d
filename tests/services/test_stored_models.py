"""A model is checked whenever it is loaded: what an older version took, or another configuration, is not served."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import yaml

from askwell.config import load_config
from askwell.diagnosis import checks
from askwell.knowledge.models import StoredModel
from askwell.services.database import Database
from askwell.services.health.finding import examine
from askwell.services.model_reading import ModelReader
from askwell.services.projects import ProjectModels
from tests.services.conftest import Desk
from tests.support import tiny_shop
from tests.support.service import Client, running_service, write_config
from tests.support.tables import case_table

QUESTION = "How many orders are there?"


def reconfigured(path: Path, **source: Any) -> Path:
    """The same with more keys for its data source."""
    config = yaml.safe_load(path.read_text())
    config["data_sources"]["default"] |= source
    path.write_text(yaml.safe_dump(config))
    return path


def changed_in_the_record(folder: Path, **model: Any) -> None:
    """As if an older version had taken the model with these keys in its first part."""
    with closing(sqlite3.connect(folder / "home" / "record.sqlite")) as record, record:
        ((text,),) = record.execute("SELECT manifest FROM manifests").fetchall()
        manifest = json.loads(text)
        manifest["models"][0] = {k: v for k, v in manifest["models"][0].items() if k != "tableReference"} | model
        record.execute("UPDATE manifests SET manifest = ?", (json.dumps(manifest),))


class ReadsWhenTold(ModelReader):
    """Lets a model be read as far as the record, and no further until it is told."""

    def __init__(self) -> None:
        self.has_begun, self.may_go_on = asyncio.Event(), asyncio.Event()

    async def try_out(self, stored: StoredModel, database: Database) -> None:
        self.has_begun.set()
        await self.may_go_on.wait()


@pytest.mark.parametrize("changes_all", [False, True])
async def test_what_was_read_before_others_changed_it_is_not_kept(desk: Desk, changes_all: bool) -> None:
    await desk.prepare(tiny_shop.manifest())
    reader = ReadsWhenTold()
    projects = ProjectModels(desk.record, lambda _: Database(desk.engine), reader=reader)
    reading = asyncio.create_task(projects.get("default", None))
    await reader.has_begun.wait()
    # Another process learns something of the database, and says so.
    known = await desk.model()
    await desk.projects.learn(known, {}, ("learnt meanwhile",), None)
    versions = desk.record.model_versions
    versions.all_changed() if changes_all else versions.changed("default")
    reader.may_go_on.set()
    before, after = await reading, await projects.get("default", None)
    assert before is not None
    assert after is not None
    assert (before.warnings, after.warnings) == ((), ("learnt meanwhile",))
    assert await projects.get("default", None) is after


async def ready(service: Client) -> tuple[int, str]:
    status, said = await service.call("GET", "/health/ready")
    return status, said["checks"]["semantic_models"]["message"]


async def doctor(path: Path, part: str) -> tuple[str, str]:
    """State and message of what `askwell doctor` finds of a part."""
    found = await examine({part: checks(load_config(path, {}), path)[part]})
    return found[part].state.value, found[part].message


async def test_a_model_that_an_older_version_took_is_not_served(tmp_path: Path) -> None:
    path = write_config(tmp_path)
    async with running_service(path) as service:
        await service.prepare()
    changed_in_the_record(tmp_path, refSql="SELECT load_extension('x') AS id, name, country FROM customers")
    async with running_service(path) as service:
        answer = await service.answer(QUESTION, execute=True)
        again = await service.answer(QUESTION, execute=True)
        told = await ready(service)
        mended = await service.prepare(tiny_shop.manifest() | {"schema": "corrected"}, mdl_hash="m2")
        after = await service.answer(QUESTION, execute=True)
        told_after = await ready(service)

    assert answer["status"] == again["status"] == "failed"
    assert answer["error"]["message"].startswith("The model m1 of project default is not served")
    assert 'models[0] "customers" . refSql: it cannot be used' in answer["error"]["message"]
    assert "send it again" in answer["error"]["hint"]
    assert again["error"] == answer["error"]
    # One project's model is no reason to send nobody here.
    assert (told[0], told[1][:29]) == (200, "1 stored model isn't used: it")
    assert mended["status"] == "finished"
    assert after["data"]["rows"] == [[4]]
    assert told_after == (200, "every model that was loaded can be used")


async def test_after_a_start_readiness_says_that_models_are_still_being_looked_at(tmp_path: Path) -> None:
    path = write_config(tmp_path)
    async with running_service(path) as service:
        await service.prepare()
    changed_in_the_record(tmp_path, refSql="SELECT load_extension('x') AS id, name, country FROM customers")
    async with running_service(path, lasting=True) as service:
        said = [(await ready(service))[1]]
        async with asyncio.timeout(20):
            while "isn't used" not in said[-1]:
                await asyncio.sleep(0.02)
                said.append((await ready(service))[1])
    assert set(said[:-1]) == {"the stored ones are still being looked at"}


async def test_a_model_over_a_table_that_is_no_longer_listed_is_not_served(tmp_path: Path) -> None:
    path = write_config(tmp_path)
    async with running_service(path) as service:
        await service.prepare()
    reconfigured(path, tables=["orders", "customer"])
    async with running_service(path, lasting=True) as service:
        answer = await service.answer(QUESTION, execute=True)
        pair = {"id": "p", "question": "Who?", "sql": "SELECT name FROM customers"}
        _, saved = await service.call("POST", "/v1/sql-pairs", json={"sql_pairs": [pair]})
    assert 'models[0] "customers" . tableReference: it reads "customers"' in answer["error"]["message"]
    assert saved["event_id"]
    state, message = await doctor(path, "semantic_model.default")
    assert (state, "is not served" in message, '"customers"' in message) == ("failed", True, True)
    state, message = await doctor(path, "data_source.default")
    assert (state, message.partition("answers, ")[2]) == (
        "warning",
        "and shows 2 tables, of which models may read 1. `tables` lists tables that don't exist: customer",
    )


@pytest.mark.deep
@pytest.mark.parametrize("tables", [["orders", "customers"], ["*"], ["main.*"], ["ORDERS", "main.Customers"]])
async def test_a_model_over_listed_tables_goes_on(tmp_path: Path, tables: list[str]) -> None:
    path = write_config(tmp_path)
    async with running_service(path) as service:
        await service.prepare()
    async with running_service(reconfigured(path, tables=tables)) as service:
        answer = await service.answer(QUESTION, execute=True)
    assert answer["data"]["rows"] == [[4]]
    assert (await doctor(path, "semantic_model.default"))[0] == "ok"


@pytest.mark.deep
async def test_projects_that_are_not_named_may_not_prepare_a_model_unless_open(tmp_path: Path) -> None:
    mdl = tiny_shop.manifest()
    body = {"mdl": mdl, "mdl_hash": "m1", "project_id": "sales"}
    others = {"host": "0.0.0.0", "port": 0}
    path = write_config(tmp_path)

    # One person on the own machine names nothing.
    async with running_service(path) as service:
        assert (await service.prepare(mdl, project_id="sales"))["status"] == "finished"
    path = write_config(tmp_path, server=others)
    async with running_service(path) as service:
        status, refused = await service.call("POST", "/v1/semantics-preparations", json=body)
        calls = case_table(__file__, "calls")
        others_too = [
            (await service.call(method, f"/v1/{path}?project_id=sales", json=sent)) for method, path, sent in calls
        ]
        assert (await service.prepare(mdl))["status"] == "finished"
        own = await service.answer(QUESTION, execute=True)
    not_named = await doctor(path, "semantic_model.default")
    ends = {}
    for projects in (["sales"], "open", []):
        async with running_service(write_config(tmp_path, server=others, projects=projects)) as service:
            _, answer = await service.call("POST", "/v1/semantics-preparations", json=body)
            ends[str(projects)] = answer.get("code", "taken")

    assert (status, refused["code"]) == (422, "INVALID_REQUEST")
    assert refused["message"] == "The configuration of this service does not name a project sales."
    assert "`projects: [sales]`" in refused["hint"]
    assert {(code, answer["message"], answer["hint"]) for code, answer in others_too} == {
        (422, refused["message"], refused["hint"])
    }
    assert own["data"]["rows"] == [[4]]
    assert (not_named[0], "sales: its model isn't used" in not_named[1]) == ("warning", True)
    assert ends == {"['sales']": "taken", "open": "taken", "[]": "INVALID_REQUEST"}
