"""The questions of docs/what-you-can-ask.md, asked about the sample shop without a language model."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

from askwell.sample.shop import generate_shop, shop_manifest
from tests.support.service import running_service, write_config

PAGE = (Path(__file__).parents[2] / "docs" / "what-you-can-ask.md").read_text()


def questions(part: str, column: int) -> list[str]:
    """The questions in a column of a part's table."""
    rows = [line.split("|") for line in part.splitlines() if re.match(r"\| (?!you )", line)]
    return [question.strip() for row in rows for question in row[column].split("·")]


async def test_what_can_be_asked_is_answered_and_what_not_yet_is_not(tmp_path: Path) -> None:
    can, not_yet = PAGE.split("## Not yet")
    shop = tmp_path / "shop.duckdb"
    generate_shop(shop, datetime.now(UTC).date())
    sources = {"default": {"engine": "duckdb", "path": str(shop), "shared": True}}
    async with running_service(write_config(tmp_path, data_sources=sources)) as service:
        await service.prepare(shop_manifest())
        ended = {question: (await service.answer(question, execute=True))["status"] for question in questions(can, 2)}
        assert [question for question, status in ended.items() if status != "finished"] == []
        refused = [question for question in questions(not_yet, 1) if question.endswith(("?", "orders", "Ada"))]
        ended = {question: (await service.answer(question))["status"] for question in refused}
        assert [question for question, status in ended.items() if status != "failed"] == []
    assert len(refused) == 4
