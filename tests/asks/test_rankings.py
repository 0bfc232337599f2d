"""Rankings by rules: what decided the order is said, and whether the place of the last row shown is shared."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.support.service import Client
from tests.support.shared import shared_service

ONE = "This is not the only one: others share the first place with it."
LAST = "Others, which are not shown, share the last place."


@pytest.fixture
async def service() -> AsyncIterator[Client]:
    async with shared_service() as running:
        yield running


async def test_what_decides_is_said_and_who_shares_a_place(service: Client) -> None:
    # Ada Lovelace has two orders, the others one each; two of three customers are from Germany.
    most = await service.answer("Which customer has the most orders?", execute=True)
    assert most["data"]["rows"] == [["Ada Lovelace", 2]], "a ranking shows what it is ranked by"
    assert "warnings" not in most

    fewest = await service.answer("Which customer has the fewest orders?", execute=True)
    assert [row[1] for row in fewest["data"]["rows"]] == [1]
    assert fewest["warnings"] == [ONE]

    two = await service.answer("Which two customers have the most orders?", execute=True)
    assert [row[1] for row in two["data"]["rows"]] == [2, 1]
    assert two["warnings"] == [LAST]

    three = await service.answer("Which three customers have the most orders?", execute=True)
    assert "warnings" not in three


async def test_without_rows_nothing_is_looked_up(service: Client) -> None:
    result = await service.answer("Which customer has the most orders?")
    assert result["status"] == "finished"
    assert not any("Ranked" in note for note in result.get("assumptions", []))
