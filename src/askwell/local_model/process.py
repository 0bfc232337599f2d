"""The process of a local language model, seen from its owner: started when it is first needed, ended with its owner."""

from __future__ import annotations

import asyncio
import secrets
import signal
from collections.abc import Sequence
from typing import Any

from askwell.child_process.pool import ChildDied, ChildKind, ChildPool
from askwell.errors import ModelUnavailable, Unavailable
from askwell.local_model.files import KnownModel
from askwell.messages import say

# What loading a file of 5 GB from a slow disk takes.
_READY_SECONDS = 300.0
# What it takes until the end of a process is known here.
_ENDING_SECONDS = 1.0
_FOREVER = 10 * 365 * 86_400.0


class LocalModelProcess:
    """A model behind OpenAI's protocol on a loopback port (`port` 0 takes a free one), with a key of its own. Belongs
    to the event loop of its first use; one that has ended is started again when it is next needed."""

    def __init__(self, model: KnownModel, context_window: int, port: int = 0) -> None:
        self._model = model
        self.key = secrets.token_urlsafe(24)
        settings = {
            "file": str(model.file),
            "name": model.name,
            "context_window": context_window,
            "key": self.key,
            "port": port,
        }
        kind = ChildKind(
            runs="askwell.local_model.child",
            purpose="for the local language model",
            imports=("xllamacpp",),
            settings=settings,
            unavailable=ModelUnavailable,
        )
        self._pool = ChildPool(kind)
        self._life: asyncio.Task[ModelUnavailable] | None = None
        self._listens: asyncio.Future[str] | None = None

    async def base(self) -> str:
        """The address of its API, once it is ready. Leaving early leaves it starting. Raises `ModelUnavailable`."""
        if self._life is None or self._listens is None or self._life.done():
            self._listens = asyncio.get_running_loop().create_future()
            self._life = asyncio.create_task(self._live(self._listens), name="local model")
        life, listens = self._life, self._listens
        either: set[asyncio.Future[Any]] = {life, listens}
        await asyncio.wait(either, timeout=_READY_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        if not listens.done() and not life.done():
            life.cancel()
            late = say("local_model.start_is_late", name=self._model.name, seconds=_READY_SECONDS)
            raise ModelUnavailable(*late)
        await self.require_alive(0)
        return f"{listens.result()}/v1"

    async def require_alive(self, seconds: float = _ENDING_SECONDS) -> None:
        """Raises `ModelUnavailable` with the reason where it has ended, or does so within `seconds`."""
        if self._life is None:
            return
        await asyncio.wait({self._life}, timeout=seconds)
        if self._life.cancelled():
            raise ModelUnavailable(*say("llm.closed"))
        if self._life.done():
            raise self._life.result()

    async def close(self) -> None:
        """End it. Safe to call twice."""
        if self._life is not None:
            self._life.cancel()
        await self._pool.close()

    async def _live(self, listens: asyncio.Future[str]) -> ModelUnavailable:
        """Run it to its end; returns why it has ended."""

        async def hear(rows: Sequence[Sequence[Any]]) -> None:
            listens.set_result(rows[0][0])

        name, memory = self._model.name, self._model.memory_gb
        try:
            reply = await self._pool.ask({}, _FOREVER, take=hear)
        except ChildDied as death:
            if death.signal_number == signal.SIGKILL:
                return ModelUnavailable(*say("local_model.killed", name=name, memory=memory))
            return ModelUnavailable(*say("local_model.ended", name=name, memory=memory))
        except Unavailable as error:
            return ModelUnavailable(error.message, error.hint)
        if "refused" in reply.fields:
            return ModelUnavailable(*say("local_model.not_loaded", name=name, file=self._model.file))
        return ModelUnavailable(*say("local_model.ended", name=name, memory=memory))
