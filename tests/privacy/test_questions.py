"""Two hundred questions whose literals stand nowhere else: none of them leaves, and the answers stay as they are."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from sqlglot import exp, parse_one

from tests.fakes.openai_server import ChatServer
from tests.privacy.asking import Asked, Writer, all_asked, found_in
from tests.privacy.shop import ROWS, make_shop, manifest
from tests.support.service import running_service, write_config

SETTINGS = {"rules_mode": "off", "scope_gate": False, "max_sql_correction_retries": 0, "apply_lessons": False}


def answer_of(end: dict[str, Any]) -> object:
    """Its rows, and the values that its statement has: of many questions there are no rows to compare."""
    if end["status"] != "finished":
        return end["error"]
    literals = parse_one(end["response"][0]["sql"], dialect="sqlite").find_all(exp.Literal)
    values = sorted(one.this if one.is_string else format(float(one.this), "g") for one in literals)
    return end["data"]["rows"], values


async def answers(folder: Path, privacy: str, asked: list[Asked]) -> tuple[list[object], list[str]]:
    """What each question gave, and everything that the model was sent for it."""
    await asyncio.to_thread(folder.mkdir)
    database = make_shop(folder / "canaries.sqlite")
    sources = {"default": {"engine": "sqlite", "path": str(database), "shared": True}}
    async with ChatServer(Writer(asked=[])) as model:
        config = write_config(folder, api_base=model.api_base, data_sources=sources, settings=SETTINGS, privacy=privacy)
        async with running_service(config) as service:
            assert (await service.prepare(manifest()))["status"] == "finished"
            given: list[object] = []
            sent: list[str] = []
            for one in asked:
                model.script = Writer(asked=[one])
                model.requests.clear()
                end = await service.answer(one.question, execute=True)
                given.append(answer_of(end))
                sent.append(json.dumps([request.body for request in model.requests], ensure_ascii=False))
            return given, sent


async def compared(folder: Path, asked: list[Asked]) -> tuple[dict[str, set[str]], list[str]]:
    """What of each question's values left, and the questions whose answer is another than where values may leave."""
    full, _ = await answers(folder / "full", "full", asked)
    kept, sent = await answers(folder / "kept", "values_stay", asked)
    held = {str(cell) for rows in ROWS.values() for row in rows for cell in row if len(str(cell)) > 4}
    leaked = {one.question: found_in(said, one.canaries | held) for one, said in zip(asked, sent, strict=True)}
    differ = [one.question for one, a, b in zip(asked, full, kept, strict=True) if a != b]
    return {question: found for question, found in leaked.items() if found}, differ


@pytest.mark.deep
async def test_no_literal_leaves_and_answers_stay(tmp_path: Path) -> None:
    asked = all_asked()
    assert len(asked) == 200
    leaked, differ = await compared(tmp_path, asked)
    assert leaked == {}
    assert len(differ) <= 0.03 * len(asked), differ


async def test_the_same_for_some_that_nothing_was_tuned_on(tmp_path: Path) -> None:
    """All of them are asked in the deep run's test below."""
    leaked, differ = await compared(tmp_path, all_asked("unseen_questions.yaml")[::4])
    assert leaked == {}
    assert len(differ) <= 1, differ


@pytest.mark.deep
async def test_the_same_for_all_that_nothing_was_tuned_on(tmp_path: Path) -> None:
    leaked, differ = await compared(tmp_path, all_asked("unseen_questions.yaml"))
    assert leaked == {}
    # Two have a plural of a value, of which a real model is told the value; two a noun of German that no list has.
    assert len(differ) <= 5, differ
