"""Services that the tests of a process share: one for each shop and settings, in a thread of its own, and a project for
each test. Starting a service and its child processes is half of what a short test would cost.

What a test changes outside of its project (metrics, health, the list of projects) is seen by others: a test about these
starts a service of its own, as does one that needs a language model, a restart or a sign-in.
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
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from anyio.from_thread import start_blocking_portal

from tests.support import tiny_shop
from tests.support.service import Client, client, running_service, write_config
from tests.support.small_shops import make_small_shop


@asynccontextmanager
async def shared_service(shop: str = "tiny", **settings: Any) -> AsyncIterator[Client]:
    """A client of a new project over a shop (`tiny`, or one of `small_shops`), whose model is prepared."""
    started = _started(shop, settings)
    async with client(started.url, f"test-{uuid.uuid4().hex}") as one:
        assert (await one.prepare(started.model))["status"] == "finished"
        yield one


def close_shared_services() -> None:
    """At the end of a run, without a word of their servers."""
    logging.getLogger("uvicorn.error").setLevel(logging.ERROR)
    while _SERVICES:
        _SERVICES.popitem()[1].closing.close()


@dataclass
class _Started:
    url: str
    model: dict[str, Any]
    closing: ExitStack = field(default_factory=ExitStack)


_SERVICES: dict[str, _Started] = {}


def _started(shop: str, settings: dict[str, Any]) -> _Started:
    key = json.dumps([shop, settings], sort_keys=True)
    if key not in _SERVICES:
        folder = Path(tempfile.mkdtemp(prefix="askwell-shared-", dir=os.environ.get("PYTEST_DEBUG_TEMPROOT")))
        closing = ExitStack()
        closing.callback(shutil.rmtree, folder, ignore_errors=True)
        sources, model = {}, tiny_shop.manifest()
        if shop != "tiny":
            path, model = make_small_shop(shop, folder)
            sources = {"data_sources": {"default": {"engine": "sqlite", "path": str(path), "shared": True}}}
        portal = closing.enter_context(start_blocking_portal())
        running = running_service(write_config(folder, settings=settings, **sources))
        _SERVICES[key] = _Started(closing.enter_context(portal.wrap_async_context_manager(running)).url, model, closing)
    return _SERVICES[key]
