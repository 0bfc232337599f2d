"""A language model in front of another one: a subclass says what becomes of a call."""

from __future__ import annotations

from askwell.providers.llm.base import Capabilities, LanguageModel


class WrappedModel:
    """Everything of a `LanguageModel` but `reply` and `converse`, as the model within has it."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model

    @property
    def name(self) -> str:
        return self._model.name

    @property
    def context_window(self) -> int:
        return self._model.context_window

    @property
    def away(self) -> bool:
        return self._model.away

    async def reach(self) -> None:
        """See `LanguageModel.reach`."""
        await self._model.reach()

    async def probe(self) -> Capabilities:
        """See `LanguageModel.probe`."""
        return await self._model.probe()

    async def close(self) -> None:
        """See `LanguageModel.close`."""
        await self._model.close()
