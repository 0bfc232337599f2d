"""A running service over the small shop of a trader, whose “orders” may be two tables."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests.support.service import Client, running_service, write_config
from tests.support.small_shops import make_small_shop

COUNT = "how many customers are there?"
AMBIGUOUS = "how many orders are open?"


@asynccontextmanager
async def trader_service(folder: Path, **sections: Any) -> AsyncIterator[Client]:
    """The service, its model prepared. It learns nothing from what it is told."""
    path, model = make_small_shop("trader", folder)
    sources = {"default": {"engine": "sqlite", "path": str(path), "shared": True}}
    sections = {"data_sources": sources, "settings": {"apply_lessons": False}} | sections
    async with running_service(write_config(folder, **sections)) as service:
        assert (await service.prepare(model))["status"] == "finished"
        yield service


def trader_file(folder: Path) -> Path:
    """Its database alone."""
    path, _ = make_small_shop("trader", folder)
    return path


def content_of(path: Path) -> list[str]:
    """All that a database of SQLite holds, as SQL."""
    with sqlite3.connect(path) as connection:
        return list(connection.iterdump())
