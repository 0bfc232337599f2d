"""Whole asks as rows: each scenario of `scenarios/`, over HTTP."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.scenarios import Scenario, play, scenarios


@pytest.mark.parametrize("scenario", scenarios(Path(__file__).parent / "scenarios"))
async def test_what_comes_back(scenario: Scenario) -> None:
    await play(scenario)
