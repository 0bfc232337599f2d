"""The connections to a language model that runs in a child process of this one."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from askwell.local_model import runnable_model
from askwell.local_model.process import LocalModelProcess
from askwell.providers.model_server import (
    Address,
    Answer,
    BrokenOff,
    CallFailed,
    ModelServer,
    NotConnected,
    openai_address,
)


class LocalModelServer(ModelServer):
    """`timeout` is in seconds for an answer, `context_window` in tokens. The process starts with the first request, and
    again where it has ended. Raises `ConfigurationError` where the model cannot run on this machine."""

    def __init__(self, name: str, context_window: int, timeout: float) -> None:
        super().__init__(Address(""), timeout)
        self._process = LocalModelProcess(runnable_model(name), context_window)

    async def knock(self, timeout: float) -> bool | CallFailed | None:
        """It is there: what is asked starts it."""
        return True

    @asynccontextmanager
    async def answer(self, path: str, body: Mapping[str, Any] | None = None, **more: Any) -> AsyncIterator[Answer]:
        """See `ModelServer.answer`. Raises `ModelUnavailable` where the process does not start, or ends meanwhile."""
        self._address = openai_address(await self._process.base(), self._process.key)
        try:
            async with super().answer(path, body, **more) as answer:
                yield answer
        except (BrokenOff, NotConnected):
            await self._process.require_alive()
            raise

    async def close(self) -> None:
        await super().close()
        await self._process.close()
