"""Values that are sampled once the model is in use."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

from askwell.mdl.semantic_model import ColumnRef
from askwell.providers.engine.base import Engine, PhysicalSchema
from askwell.services.database import Database
from askwell.services.projects import ProjectModels
from askwell.services.semantics_preparation import SemanticsPreparation
from askwell.services.value_sampling import SamplingBounds
from tests.services.conftest import Desk
from tests.support import tiny_shop


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
