"""100 jobs of mixed kinds at once, over a kill, and over a model server that fails: nothing accepted is lost.

These start services of their own; `load.py` does the same to a service that runs elsewhere."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.client_kit import load
from tests.client_kit.bodies import Shop
from tests.client_kit.load import Outcome, Waits
from tests.client_kit.manifest import hash_of, manifest

if "ASKWELL_KIT_URL" in os.environ:
    pytest.skip("these start services of their own", allow_module_level=True)

from tests.client_kit.own_service import OwnService, Setting
from tests.client_kit.shop_model import ShopModelServer

pytestmark = pytest.mark.deep

JOBS, PATIENCE, SEED = 100, 240.0, 12
# With failures by chance. Three tries that all fail are no fault: what ends as expected is printed, and is held to a
# bound that chance does not reach.
FLOODS = 4
AS_EXPECTED = 0.97
# Seconds: room for the pauses between tries.
MODEL_TIMEOUT = 6.0
# Jobs that are accepted before `kill -9`.
KILL_AFTER = 60

Starter = Callable[..., OwnService]


@pytest.fixture
def setting() -> None:
    """No check of this file is run in each setting."""


@pytest.fixture(autouse=True)
def _calm() -> None:
    """Each service here has its own model server."""


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Starter]:
    """Starts services that end with the check."""
    running: list[OwnService] = []

    def started(model: bool, server: ShopModelServer | None = None, **settings: Any) -> OwnService:
        folder = tmp_path / str(len(running))
        folder.mkdir()
        running.append(OwnService(Setting(model, wren_ui=False), folder, server, timeout=MODEL_TIMEOUT, **settings))
        return running[-1]

    yield started
    for one in running:
        one.close()


def _flood(own: OwnService, *, kill: bool = False) -> tuple[list[Outcome], Waits]:
    service = own.service
    model = manifest()
    shop = Shop(hash_of(model), model, None)
    load.deploy(service.url, shop, {})

    waits = Waits()

    async def killed() -> None:
        while waits.accepted < KILL_AFTER:
            await asyncio.sleep(0.01)
        await own.process.kill()
        sys.stderr.write(f"\nkilled with {waits.accepted} jobs accepted and {waits.ended} ended\n")
        assert waits.ended < waits.accepted, "nothing was under way"
        await own.process.start()

    async def whole() -> list[Outcome]:
        flood = load.flood(service.url, service.mode, shop, load.mixed(JOBS, SEED), PATIENCE, {}, waits)
        return (await asyncio.gather(flood, killed()))[0] if kill else await flood

    began = time.monotonic()
    outcomes = asyncio.run(whole())
    sys.stderr.write(f"\n{load.report(outcomes, waits, time.monotonic() - began)}\n")
    return outcomes, waits


def _nothing_is_lost(outcomes: list[Outcome], expected: int = JOBS) -> None:
    assert [one.why for one in outcomes if not one.accepted] == []
    assert [one.why for one in outcomes if one.lost or not one.ended] == []
    assert sum(one.expected for one in outcomes) >= expected, [one.why for one in outcomes if not one.expected]


@pytest.mark.parametrize("model", [False, True], ids=["no_model", "model"])
def test_a_hundred_jobs_at_once(start: Starter, model: bool) -> None:
    _nothing_is_lost(_flood(start(model))[0])


@pytest.mark.parametrize("model", [False, True], ids=["no_model", "model"])
def test_a_hundred_jobs_over_a_kill(start: Starter, model: bool) -> None:
    outcomes, waits = _flood(start(model), kill=True)
    assert waits.broken, "nobody noticed the kill"
    _nothing_is_lost(outcomes)


def _result(one: Outcome) -> str:
    """What a client reads of an end, without ids."""
    told = {name: one.body.get(name) for name in ("status", "response", "questions", "num_rows_used_in_llm")}
    return json.dumps([one.kind.name, told, one.text], sort_keys=True)


def test_a_model_server_that_fails_three_calls_in_ten_changes_little(start: Starter) -> None:
    # Without rules every ask is the model's.
    calm = ShopModelServer()
    usual, _ = _flood(start(True, calm, rules_mode="off"))
    _nothing_is_lost(usual)
    known = {_result(one) for one in usual}
    outcomes: list[Outcome] = []
    calls = 0
    for seed in range(FLOODS):
        failing = ShopModelServer(share=0.3, seed=seed)
        ended, _ = _flood(start(True, failing, rules_mode="off"))
        outcomes += ended
        calls += failing.calls()
    same = sum(_result(one) in known for one in outcomes)
    figures = f"model calls {calm.calls()}, and {calls} in {FLOODS} floods; the same result {same} of {len(outcomes)}"
    sys.stderr.write(f"{figures}\n")
    _nothing_is_lost(outcomes, expected=round(FLOODS * JOBS * AS_EXPECTED))
    assert calls <= 1.5 * FLOODS * calm.calls(), figures
    assert same >= FLOODS * JOBS * 95 // 100, figures


def test_a_kill_while_the_model_server_fails_loses_nothing(start: Starter) -> None:
    failing = ShopModelServer(share=0.3, seed=SEED)
    outcomes, waits = _flood(start(True, failing, rules_mode="off"), kill=True)
    assert waits.broken, "nobody noticed the kill"
    sys.stderr.write(f"model calls {failing.calls()}\n")
    _nothing_is_lost(outcomes, expected=round(JOBS * AS_EXPECTED))
