"""Which models get short rules, and that the setting decides before the name does."""

from __future__ import annotations

from pathlib import Path

import pytest

from askwell.providers.llm.model_size import is_small_model
from tests.fakes.openai_server import Answer, ChatServer
from tests.support.service import running_service, write_config
from tests.support.tables import case_rows

LOCAL, HOSTED = "http://127.0.0.1:8911/v1", "https://llm.example.org/v1"


@pytest.mark.parametrize(
    ("model", "api_base", "is_small"),
    case_rows(
        __file__,
        "small_models",
        "model",
        "api_base",
        "is_small",
    ),
)
def test_a_small_model_is_known_by_its_name_or_by_being_an_unknown_one_at_home(
    model: str, api_base: str | None, *, is_small: bool
) -> None:
    assert is_small_model(model, api_base) is is_small


@pytest.mark.parametrize(
    ("model", "style", "is_lean"),
    case_rows(__file__, "a_small_model_gets_short_rules_and_is_asked_for_no_plan", "model", "style", "is_lean"),
)
async def test_a_small_model_gets_short_rules_and_is_asked_for_no_plan(
    tmp_path: Path, model: str, style: str, *, is_lean: bool
) -> None:
    right = Answer(json={"sql": "SELECT name FROM customers"})
    async with ChatServer({"sql_generation": [right]}) as server:
        llm = {"default": {"model": model, "api_base": server.api_base}}
        config = write_config(tmp_path, llm=llm, settings={"rules_mode": "off", "prompt_style": style})
        async with running_service(config) as service:
            await service.prepare()
            result = await service.answer("Who among our customers is the keenest spender, roughly?")
    assert result["status"] == "finished"
    generation = next(request for request in server.requests if request.stage == "sql_generation")
    assert ("## Rules for the SQL" in generation.system) is not is_lean
    assert ('"plan"' in generation.user) is not is_lean
