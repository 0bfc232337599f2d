"""The pipelines that config.yaml can name are the ones that exist."""

from __future__ import annotations

from pathlib import Path

import pytest

from askwell.config import load_config
from askwell.errors import ConfigurationError
from askwell.pipelines.conversation.build import ConversationPipelines
from askwell.pipelines.generation.build import GenerationPipelines
from askwell.prompts import OURS
from askwell.providers.llm.base import LanguageModel, ModelCall, ModelReply, Usage


class SilentModel:
    """Fits the door of a language model; nothing is asked of it here."""

    name = "silent"
    context_window = 8_000

    async def reply(self, call: ModelCall) -> ModelReply:
        return ModelReply("", Usage())

    async def close(self) -> None:
        pass


def test_every_pipeline_with_a_model_can_be_configured(tmp_path: Path) -> None:
    names: set[str] = set()

    def llm_for(name: str) -> LanguageModel:
        names.add(name)
        return SilentModel()

    GenerationPipelines(llm_for)
    ConversationPipelines(llm_for, lambda _: OURS, {})
    path = tmp_path / "config.yaml"
    lines = [f"  {name}: {{llm: default}}" for name in sorted(names)]
    path.write_text("\n".join(["llm: {default: {provider: none}}", "pipelines:", *lines]))
    assert set(load_config(path, {}).pipelines) == names

    path.write_text("llm: {default: {provider: none}}\npipelines: {no_such_pipeline: {llm: default}}")
    with pytest.raises(ConfigurationError) as caught:
        load_config(path, {})
    known = caught.value.message.partition("Known here: ")[2].rstrip(".").split(", ")
    assert set(known) == names
