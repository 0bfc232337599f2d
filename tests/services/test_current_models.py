"""Models as people look at them and describe them better, over HTTP."""

from __future__ import annotations

import asyncio
import io
import json
import zipfile
from dataclasses import replace
from functools import reduce
from pathlib import Path
from typing import Any

from tests.support import tiny_shop
from tests.support.service import Client, running_service, write_config
from tests.support.shared import shared_service
from tests.support.tables import case_table

CUBE = case_table(__file__, "cube")
METRIC = case_table(__file__, "metric")


def shop() -> dict[str, Any]:
    """The tiny shop with a metric, a cube, an enum, and properties that are nobody's but its author's."""
    manifest = tiny_shop.manifest()
    customers, orders = manifest["models"]
    orders["properties"] = {**orders.get("properties", {}), "is_view": True}
    customers["properties"] |= {"owner": "sales", "synonyms": ["buyers"], "displayName": "Buyers"}
    orders["columns"][4]["properties"] = {"unit": "EUR", "description": "What it costs.", "ours": [1, {"a": None}]}
    orders["columns"][3]["type"] = "state"
    values = [{"name": "open"}, {"name": "paid"}, {"name": "shipped", "value": "s" * 300}]
    values += [{"name": f"later {number}"} for number in range(30)]
    manifest["enumDefinitions"] = [{"name": "state", "values": values}]
    return manifest | {"metrics": [METRIC], "cubes": [CUBE]}


async def looked_at(service: Client) -> dict[str, Any]:
    status, told = await service.call("GET", "/v1/semantics")
    assert status == 200, told
    return {**told, "tables": {table["name"]: table for table in told["tables"]}}


async def patched(service: Client, mdl_hash: str, *changes: dict[str, Any]) -> tuple[int, Any]:
    return await service.call("PATCH", "/v1/semantics", json={"mdl_hash": mdl_hash, "changes": changes})


async def prepared(service: Client, label: str) -> None:
    async with asyncio.timeout(20):
        while True:
            _, told = await service.call("GET", f"/v1/semantics-preparations/{label}/status")
            if told["status"] != "indexing":
                break
            await asyncio.sleep(0.02)
    assert told["status"] == "finished", told


async def changed(service: Client, *changes: dict[str, Any]) -> str:
    """The label of the model with these changes, once it is current."""
    _, told = await service.call("GET", "/v1/semantics")
    status, answer = await patched(service, told["mdl_hash"], *changes)
    assert status == 202, answer
    await prepared(service, answer["id"])
    return str(answer["id"])


async def manifest_of(service: Client) -> Any:
    """The current model's manifest, as an archive has it."""
    async with service.session.get(f"{service.url}/v1/projects/{service.project or 'default'}/archive") as response:
        assert response.status == 200
        archive = zipfile.ZipFile(io.BytesIO(await response.read()))
    rows = {
        name: [json.loads(line) for line in archive.read(name).splitlines()]
        for name in archive.namelist()
        if name.endswith(".jsonl")
    }
    current = next(one["content_hash"] for name, lines in rows.items() if "current" in name for one in lines)
    kept = next(one for lines in rows.values() for one in lines if "manifest" in one and one["content_hash"] == current)
    return json.loads(kept["manifest"]) if isinstance(kept["manifest"], str) else kept["manifest"]


async def test_a_model_is_shown_as_it_is_asked_about(tmp_path: Path) -> None:
    async with running_service(write_config(tmp_path)) as service:
        status, told = await service.call("GET", "/v1/semantics")
        assert (status, told["code"]) == (404, "NOT_FOUND")
        assert "POST /v1/semantics-preparations" in told["hint"]
        await service.prepare(shop())
        _, told = await service.call("GET", "/v1/semantics")
        times = {name: told.pop(name) for name in ("prepared_at", "sampled_at")}
        assert all(moment.endswith("Z") for moment in times.values())
        assert told == case_table(__file__, "shown")
        assert "secret" not in json.dumps({**told, "warnings": []})


async def test_the_tag_of_a_model_is_new_when_the_model_is_and_the_same_after_a_restart(tmp_path: Path) -> None:
    async def tag(known: str = "") -> tuple[int, str]:
        headers = {"If-None-Match": known}
        async with service.session.get(f"{service.url}/v1/semantics", headers=headers) as response:
            return response.status, response.headers["ETag"]

    config = write_config(tmp_path)
    async with running_service(config) as service:
        await service.prepare(shop())
        _, first = await tag()
        assert await tag(first) == (304, first)
        await changed(service, {"table": "orders", "description": "What was bought."})
        status, second = await tag(first)
        assert (status, second != first) == (200, True)
        # The same content under another label.
        await service.prepare(shop(), "m2")
        assert (await looked_at(service))["mdl_hash"] == "m2"
        status, third = await tag(second)
        assert status == 200
    async with running_service(config) as service:
        assert await tag(third) == (304, third)


async def test_what_is_described_is_changed_and_nothing_else() -> None:
    async with shared_service(mdl=shop()) as service:
        before = await manifest_of(service)
        label = await changed(service, *case_table(__file__, "changes"))
        for place, wanted in case_table(__file__, "described").items():
            *path, last = (int(part) if part.isdigit() else part for part in place.split("."))
            reduce(lambda found, part: found[part], path, before)[last] = wanted
        assert await manifest_of(service) == before
        told = await looked_at(service)
        assert told["mdl_hash"] == label
        assert told["tables"]["customers"]["synonyms"] == []
        assert told["tables"]["spending"]["description"] == "Money."
        asked = await service.answer("How many customers by nation?", execute=True)
        assert sorted(asked["data"]["rows"]) == [["France", 1], ["Germany", 2]]


NOT_THERE: list[tuple[dict[str, Any], str]] = case_table(__file__, "not_there")


async def test_what_is_not_there_is_told_with_the_nearest_up_to_five_times() -> None:
    async with shared_service(mdl=shop()) as service:
        good = {"table": "orders", "description": "Never kept."}
        for change, told in NOT_THERE:
            status, answer = await patched(service, "m1", good, {**change, "description": "x"})
            assert (status, answer["code"]) == (422, "INVALID_REQUEST")
            assert answer["message"].startswith(told)
        assert (await looked_at(service))["mdl_hash"] == "m1"
        _, answer = await patched(service, "m1", *({"table": f"q{number}"} for number in range(8)))
        assert len(answer["message"].splitlines()) == 6
        assert answer["message"].endswith("… and 3 more.")


async def test_changes_for_another_model_than_the_current_one_are_refused() -> None:
    async with shared_service(mdl=shop()) as service:
        change = {"table": "orders", "description": "Sold."}
        status, told = await patched(replace(service, project="none"), "m1", change)
        assert (status, told["code"]) == (404, "NOT_FOUND")
        label = await changed(service, change)
        status, told = await patched(service, "m1", change)
        assert (status, told["code"]) == (409, "CONFLICT")
        assert label in told["message"]
        # Whether the one before is still being prepared or current by now.
        first, _ = await patched(service, label, {"table": "orders", "description": "1"})
        second, _ = await patched(service, label, {"table": "orders", "synonyms": ["2"]})
        assert (first, second) == (202, 409)


async def test_of_changes_that_come_at_once_no_accepted_one_is_lost() -> None:
    async with shared_service(mdl=shop()) as service:
        answers = await asyncio.gather(
            *(patched(service, "m1", {"table": "orders", "synonyms": [f"word {number}"]}) for number in range(4))
        )
        assert sorted(status for status, _ in answers) == [202, 409, 409, 409]
        accepted = next(number for number, (status, _) in enumerate(answers) if status == 202)
        await prepared(service, answers[accepted][1]["id"])
        told = await looked_at(service)
        assert told["tables"]["orders"]["synonyms"] == [f"word {accepted}"]
        # The same change, sent by somebody who did not hear of the first answer.
        again = await asyncio.gather(
            *(patched(service, told["mdl_hash"], {"table": "orders", "synonyms": None}) for _ in range(2))
        )
        # It is the same preparation, or that one has ended and the model is no longer the one that was changed.
        (first, accepted_first), (second, accepted_second) = sorted(again, key=lambda answer: answer[0])
        assert first == 202
        assert second == 409 or accepted_second == accepted_first


async def test_projects_of_the_configuration_and_of_the_record_are_listed(tmp_path: Path) -> None:
    database = tiny_shop.make_database(tmp_path / "own.sqlite")
    shared = {"engine": "sqlite", "path": str(database), "shared": True}
    own = {"engine": "duckdb", "path": str(tmp_path / "none.duckdb")}
    sources = {"default": shared, "sales": own}
    async with running_service(write_config(tmp_path, data_sources=sources, projects="open")) as service:
        await service.prepare(project_id="guest")
        status, told = await service.call("GET", "/v1/projects")
        assert status == 200
        default, guest, sales = told["projects"]
        assert default == {"id": "default", "engine": "sqlite", "database": "own", "has_model": False}
        assert sales == {"id": "sales", "engine": "duckdb", "database": "none", "has_model": False}
        assert guest.pop("prepared_at").endswith("Z")
        named = {"id": "guest", "engine": "sqlite", "database": "own"}
        assert guest == {**named, "has_model": True, "mdl_hash": "m1", "tables": 3}
    # A project that the configuration does not admit any more has no database.
    async with running_service(write_config(tmp_path, data_sources=sources, projects=["named"])) as service:
        _, told = await service.call("GET", "/v1/projects")
        assert [(one["id"], one.get("engine"), one.get("tables")) for one in told["projects"]] == [
            ("default", "sqlite", None),
            ("guest", None, None),
            ("named", "sqlite", None),
            ("sales", "duckdb", None),
        ]
