"""Models are read and tried where it costs nobody else: whatever one is, the service goes on."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import psutil
import pytest

from askwell.errors import InvalidModel, ShuttingDown
from askwell.knowledge.models import StoredModel
from askwell.services.database import Database
from askwell.services.model_processes import ReadsApart
from askwell.services.model_reading import ModelReader, ReadModel
from askwell.services.projects import ProjectModels
from askwell.services.semantics_preparation import SemanticsPreparation
from askwell.services.value_sampling import SamplingBounds
from tests.services.conftest import Desk
from tests.support import tiny_shop
from tests.support.processes import child_processes, forget_others
from tests.support.records import store_model

# What the tests give a small model in place of twenty seconds.
SECONDS = 2.0


def poisoned() -> dict[str, Any]:
    """A valid model that nobody ever gets to the end of: written out, its last field has 8³⁰ terms."""
    manifest = tiny_shop.manifest()
    fields = [
        {
            "name": f"f{level}",
            "type": "VARCHAR",
            "isCalculated": True,
            "expression": " || ".join([f"f{level - 1}"] * 8) if level else "name",
        }
        for level in range(31)
    ]
    manifest["models"][0]["columns"] += fields
    return manifest


@pytest.fixture
async def reader() -> AsyncIterator[ReadsApart]:
    one = ReadsApart(seconds=SECONDS)
    try:
        yield one
    finally:
        await one.close()


def with_reader(desk: Desk, reader: ReadsApart) -> Desk:
    """The same desk as a lasting service has it."""
    projects = ProjectModels(desk.record, lambda _: Database(desk.engine), reader=reader)
    preparation = SemanticsPreparation(projects, desk.indexing, desk.jobs, bounds=SamplingBounds())
    return replace(desk, projects=projects, preparation=preparation)


@pytest.fixture(scope="module", autouse=True)
def _own_processes() -> None:
    forget_others()


def processes() -> list[psutil.Process]:
    """Those that read models, and live."""
    found = []
    for child in child_processes():
        with contextlib.suppress(psutil.NoSuchProcess):  # a zombie counts as such
            if "model_child" in " ".join(child.cmdline()):
                found.append(child)
    return found


async def one_works() -> None:
    """Returns when a process is at work."""
    async with asyncio.timeout(30):
        while not any(child.status() == psutil.STATUS_RUNNING for child in processes()):
            await asyncio.sleep(0.01)


@pytest.mark.deep
async def test_what_is_read_apart_is_what_is_read_here_and_a_process_that_dies_is_no_verdict(
    desk: Desk, reader: ReadsApart
) -> None:
    database, here = Database(desk.engine), ModelReader()
    bad = tiny_shop.manifest() | {"dataSorce": "x", "models": [{"name": "é\ud800"}]}
    for mdl in (
        tiny_shop.manifest(),
        json.dumps(tiny_shop.manifest()),
        bad,
        "no json",
        '{"catalog": "\ud800"}',
        '{"models": []}',
    ):
        there: ReadModel = await reader.read(mdl, database)
        assert there == await here.read(mdl, database)
    (child,) = processes()
    child.kill()
    assert (await reader.read(tiny_shop.manifest(), database)).problems == ()
    await reader.close()
    assert processes() == []
    with pytest.raises(ShuttingDown):
        await reader.read(tiny_shop.manifest(), database)


@pytest.mark.deep
async def test_a_service_that_has_grown_large_has_its_models_read_all_the_same(desk: Desk, reader: ReadsApart) -> None:
    grown = bytearray(600 * 1024 * 1024)
    grown[::4096] = b"x" * (len(grown) // 4096)  # a process inherits the peak of the one that started it
    for _ in range(3):
        assert (await reader.read(tiny_shop.manifest(), Database(desk.engine))).problems == ()
    assert len(processes()) == 1


@pytest.mark.deep
async def test_a_poisoned_model_fails_in_a_sentence_and_holds_nobody_up(desk: Desk, reader: ReadsApart) -> None:
    desk = with_reader(desk, reader)
    longest, task = 0.0, asyncio.create_task(desk.prepare(poisoned(), "poison"))
    while not task.done():
        before = time.monotonic()
        await asyncio.sleep(0.005)
        longest = max(longest, time.monotonic() - before)
    status: Mapping[str, Any] = task.result()
    assert status["status"] == "failed"
    assert status["error"]["code"] == "MDL_PARSE_ERROR"
    assert "takes more than 2 seconds" in status["error"]["message"]
    assert longest < SECONDS / 2, "something held the event loop"
    assert await desk.projects.get("default", None) is None
    assert (await desk.prepare(tiny_shop.manifest(), "good"))["status"] == "finished"
    project = await desk.projects.get("default", None)
    assert project is not None
    assert (await desk.retrieval.run(project, "How many orders from Germany?")).tables


@pytest.mark.deep
async def test_a_poisoned_model_in_the_record_is_tried_once_for_all_who_ask(desk: Desk, reader: ReadsApart) -> None:
    desk = with_reader(desk, reader)
    read = await reader.read(poisoned(), Database(desk.engine))
    models = desk.record.models
    await store_model(desk.record, "default", read.digest, read.text)
    await models.finish("default", "m1", read.digest)  # as a version before this one left it

    impatient = asyncio.create_task(desk.projects.get("default", None))
    await one_works()
    impatient.cancel()
    asked = await asyncio.gather(*(desk.projects.get("default", None) for _ in range(5)), return_exceptions=True)
    assert {type(one) for one in asked} == {InvalidModel}
    async with asyncio.timeout(10):
        while processes():  # the one that was killed
            await asyncio.sleep(0.01)
    for _ in range(20):
        with pytest.raises(InvalidModel, match="takes more than"):
            await desk.projects.get("default", None)
    assert processes() == [], "what is known is not tried again"


async def test_closing_ends_what_is_still_tried(desk: Desk) -> None:
    reader = ReadsApart()
    database = Database(desk.engine)
    read = await reader.read(poisoned(), database)
    stored = StoredModel("p", read.digest, "l", read.text, None, (), datetime.now(UTC))
    trying = asyncio.create_task(reader.try_out(stored, database))
    await one_works()
    async with asyncio.timeout(10):
        await reader.close()
    assert processes() == []
    with pytest.raises((asyncio.CancelledError, ShuttingDown)):
        await trying
