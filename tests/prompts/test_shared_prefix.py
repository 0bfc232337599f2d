"""Servers keep what they have read: how much of a prompt they have read before, as it is sent over HTTP."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from itertools import pairwise, takewhile
from pathlib import Path

from askwell.sample.shop import generate_shop, shop_manifest
from tests.fakes.openai_server import Answer, ChatServer
from tests.support.service import running_service, write_config

QUESTIONS = (
    "Which five customers seem to be the keenest spenders of last year, roughly?",
    "How come so many orders got refunded in Berlin, roughly speaking?",
)
WRONG = [Answer(json={"sql": "SELECT nonsense FROM nowhere_at_all"})]
# What the stages of one ask share of a prompt, at least, and the prompts of a stage for two questions.
LEAST = 0.7

# The text of each stage's prompt.
Prompts = Mapping[str, str]


async def _asked(folder: Path, style: str) -> list[Prompts]:
    """The prompts of each question, in their order."""
    generate_shop(folder / "shop.duckdb", date(2026, 3, 31))
    sources = {"default": {"engine": "duckdb", "path": str(folder / "shop.duckdb"), "shared": True}}
    settings = {"rules_mode": "off", "max_sql_correction_retries": 1, "prompt_style": style}
    asks: list[Prompts] = []
    async with ChatServer({"sql_generation": WRONG, "sql_correction": WRONG}) as server:
        config = write_config(folder, api_base=server.api_base, settings=settings, data_sources=sources)
        async with running_service(config) as service:
            assert (await service.prepare(shop_manifest()))["status"] == "finished"
            for question in QUESTIONS:
                await service.answer(question)
                asks.append(
                    {one.stage: "\n".join(m["content"] for m in one.body["messages"]) for one in server.requests}
                )
                server.requests.clear()
    return asks


def _share(before: str, after: str) -> float:
    """The part of a prompt that one before it began with."""
    same = takewhile(lambda pair: pair[0] == pair[1], zip(before, after, strict=False))
    return sum(1 for _ in same) / len(after)


async def test_a_second_question_and_the_next_stage_begin_as_what_was_sent_before(tmp_path: Path) -> None:
    first, second = await _asked(tmp_path, "full")
    for stage in ("intent_classification", "sql_reasoning", "sql_generation", "sql_correction"):
        assert _share(first[stage], second[stage]) >= LEAST, stage
    # Intent sees a line for each table, so nothing of it comes again but in other asks.
    stages = ("sql_reasoning", "sql_generation", "sql_correction")
    for before, after in pairwise(stages):
        assert _share(first[before], first[after]) >= LEAST, after


async def test_so_do_the_prompts_for_a_small_model_which_is_asked_for_no_plan(tmp_path: Path) -> None:
    first, second = await _asked(tmp_path, "lean")
    assert "sql_reasoning" not in first
    for stage in ("intent_classification", "sql_generation", "sql_correction"):
        assert _share(first[stage], second[stage]) >= LEAST, stage
    assert _share(first["sql_generation"], first["sql_correction"]) >= LEAST
