"""Services that the tests of a process share: one for each shop and settings, in a thread of its own, and a project for
each test. Starting a service and its child processes is half of what a short test would cost.

What a test changes outside of its project (metrics, health, the list of projects) is seen by others: a test about these
starts a service of its own, as does one that needs a restart or a sign-in, or whose language model is away or can do
less than usual: that is known of a model for longer than a test.
"""

from __future__ import annotations

import json
import logging
import os
import shutil
import tempfile
import uuid
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anyio.from_thread import start_blocking_portal

from tests.fakes.openai_server import ChatServer
from tests.support import tiny_shop
from tests.support.service import Client, client, running_service, write_config
from tests.support.small_shops import make_small_shop

# So many stay; of more, the one that was wanted longest ago ends.
_AT_MOST = 4


@asynccontextmanager
async def shared_service(
    shop: str = "tiny", mdl: Any = None, api_base: str | None = None, **settings: Any
) -> AsyncIterator[Client]:
    """A client of a new project over a shop (`tiny`, or one of `small_shops`), whose model is prepared: the shop's, or
    `mdl`. With `api_base` there is a language model: a scripted one, which the test starts and ends."""
    started = _started(shop, api_base, settings)
    async with client(started.url, f"test-{uuid.uuid4().hex}") as one:
        assert (await one.prepare(mdl or started.model))["status"] == "finished"
        try:
            yield one
        finally:
            # One that goes on would ask the language model of the next test, which is at the same address.
            for ask_id in one.asked:
                await one.stop(ask_id)


@asynccontextmanager
async def shared_scripted_service(
    script: Any = None, mdl: Any = None, **settings: Any
) -> AsyncIterator[tuple[Client, ChatServer]]:
    """The same over the tiny shop, and its language model, which says what the script says."""
    async with ChatServer(script) as server, shared_service(mdl=mdl, api_base=server.api_base, **settings) as service:
        yield service, server


def close_shared_services() -> None:
    """At the end of a run, without a word of their servers."""
    logging.getLogger("uvicorn.error").setLevel(logging.ERROR)
    while _SERVICES:
        _SERVICES.popitem()[1].closing.close()


@dataclass
class _Started:
    """A service, and the model of its shop."""

    url: str
    model: dict[str, Any]
    closing: ExitStack


_SERVICES: dict[str, _Started] = {}


def _started(shop: str, api_base: str | None, settings: dict[str, Any]) -> _Started:
    key = json.dumps([shop, api_base, settings], sort_keys=True)
    if key in _SERVICES:
        _SERVICES[key] = _SERVICES.pop(key)
        return _SERVICES[key]
    if len(_SERVICES) == _AT_MOST:
        _SERVICES.pop(next(iter(_SERVICES))).closing.close()
    folder = Path(tempfile.mkdtemp(prefix="askwell-shared-", dir=os.environ.get("PYTEST_DEBUG_TEMPROOT")))
    closing = ExitStack()
    closing.callback(shutil.rmtree, folder, ignore_errors=True)
    sources, model = {}, tiny_shop.manifest()
    if shop != "tiny":
        path, model = make_small_shop(shop, folder)
        sources = {"data_sources": {"default": {"engine": "sqlite", "path": str(path), "shared": True}}}
    running = running_service(write_config(folder, api_base=api_base, settings=settings, **sources))
    portal = closing.enter_context(start_blocking_portal())
    url = closing.enter_context(portal.wrap_async_context_manager(running)).url
    _SERVICES[key] = _Started(url, model, closing)
    return _SERVICES[key]
