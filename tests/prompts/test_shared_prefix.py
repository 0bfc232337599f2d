"""Servers keep what they have read: how much of a prompt they have read before, as it is sent over HTTP."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from itertools import pairwise, takewhile
from pathlib import Path

import pytest
from benchmarks.prefixes import measure, share_read, text_of

from askwell.sample.shop import generate_shop, shop_manifest
from tests.fakes.openai_server import Answer, ChatServer
from tests.support import tiny_shop
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


@pytest.mark.parametrize("style", ["full", "lean"])
async def test_a_second_question_and_the_next_stage_begin_as_what_was_sent_before(tmp_path: Path, style: str) -> None:
    first, second = await _asked(tmp_path, style)
    stages = ("sql_generation", "sql_correction")
    assert set(first) == set(second) == set(stages)
    for stage in stages:
        assert _share(first[stage], second[stage]) >= LEAST, stage
    assert _share(first["sql_generation"], first["sql_correction"]) >= LEAST


@pytest.mark.parametrize(("tables", "window", "least"), [(27, 12, 0.9), (27, 16, 0.9), (27, 8, 0.35), (200, 16, 0.45)])
async def test_of_many_tables_a_small_window_shows_the_same_to_every_question(
    tmp_path: Path, tables: int, window: int, least: float
) -> None:
    """Of the model as a whole where it has room, else of its outline."""
    sent = await measure(tmp_path, tables, window)
    for before, after in pairwise(sent):
        assert share_read(before.prompts, after.prompts) >= least
    assert all(one.tokens <= 1_024 * window * len(one.prompts) for one in sent)


async def test_a_model_on_this_machine_has_read_it_before_anybody_asks(tmp_path: Path) -> None:
    async with ChatServer({"sql_generation": [Answer(json={"sql": "SELECT name FROM customers"})]}) as server:
        config = write_config(tmp_path, api_base=server.api_base, settings={"rules_mode": "off"})
        async with running_service(config, lasting=True) as service:
            await service.prepare()
            read = await server.arrived("read_ahead")
            await service.answer(QUESTIONS[0])
    asked = server.requests[0]
    assert _share(text_of(read), text_of(asked)) >= LEAST


async def test_what_could_not_be_read_ahead_is_read_later_and_holds_up_no_other_project(tmp_path: Path) -> None:
    refused = Answer(status=403, error={"message": "Not now."})
    later = tiny_shop.manifest()
    later["models"][0]["properties"] = {"description": "Of the second project"}
    async with ChatServer({"read_ahead": [refused, Answer(text="Yes."), refused, Answer(text="Yes.")]}) as server:
        config = write_config(tmp_path, api_base=server.api_base, settings={"rules_mode": "off"})
        async with running_service(config, lasting=True) as service:
            await service.prepare(project_id="first")
            await server.ended(await server.arrived("read_ahead"))
            await service.prepare(later, project_id="second")
            await server.arrived("read_ahead", 3)  # again, and that of the second project, which is refused
            await service.prepare(project_id="third")  # the same model as the first one's
            last = await server.arrived("read_ahead", 4)
            await server.ended(last)
    told = ["Of the second project" in text_of(one) for one in server.probes if one.stage == "read_ahead"]
    assert told == [False, False, True, True]


async def test_a_project_that_cannot_be_read_ahead_leaves_those_after_it(tmp_path: Path) -> None:
    later = tiny_shop.manifest()
    later["models"][0]["properties"] = {"description": "Of the second project"}
    async with ChatServer({"read_ahead": [Answer(text="Yes.")]}) as server:
        config = write_config(tmp_path, api_base=server.api_base, settings={"rules_mode": "off"})
        async with running_service(config) as service:
            await service.prepare(project_id="first")
            await service.prepare(later, project_id="second")
        server.script.stages["read_ahead"] = [Answer(status=403, error={"message": "Not now."}), Answer(text="Yes.")]
        async with running_service(config, lasting=True):
            last = await server.arrived("read_ahead", 2)
    assert "Of the second project" in text_of(last)
