"""OPENAI_API_KEY goes to OpenAI and nowhere else."""

from __future__ import annotations

from pathlib import Path

import pytest

from askwell.config import load_config
from askwell.container import Container
from askwell.providers.llm import ModelOptions, create_language_model
from tests.fakes.openai_server import Answer, ChatScript, ChatServer
from tests.fakes.recording_model import reply_of

SECRET = "sk-belongs-to-openai"


@pytest.mark.parametrize(("named", "sent"), [(None, "Bearer no-key"), ("OPENAI_API_KEY", f"Bearer {SECRET}")])
async def test_another_server_gets_the_key_only_when_it_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, named: str | None, sent: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    script = ChatScript({"*": [Answer(text="hello")]})
    async with ChatServer(script) as server:
        lines = [f"    api_base: {server.api_base}", *([f"    api_key_env: {named}"] if named else [])]
        path = tmp_path / "config.yaml"
        path.write_text("\n".join(["llm:", "  default:", "    model: test", *lines]))
        chosen = load_config(path, {"OPENAI_API_KEY": SECRET}).llm["default"]
        model = create_language_model(
            ModelOptions(
                chosen.provider,
                model=chosen.model,
                api_base=chosen.api_base,
                api_key=chosen.api_key.get_secret_value() if chosen.api_key else None,
                api_key_env=chosen.api_key_env,
            )
        )
        assert model is not None
        await reply_of(model, system="Be brief.", user="Hello?")
        await model.close()
        assert server.requests[0].authorization == sent


def test_a_container_can_be_built_from_every_provider_at_once(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(
        "llm: {default: {model: a}, local: {model: b, api_base: 'http://127.0.0.1:1/v1'}, off: {provider: none}}\n"
        "pipelines: {sql_generation: {llm: local}}\n"
        "embedder: {default: {provider: none}}\n"
    )
    assert Container(load_config(path, {"OPENAI_API_KEY": SECRET}))
