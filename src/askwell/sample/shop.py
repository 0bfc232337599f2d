"""The sample shop's database file and its semantic model.

The data is the same on every machine on the same day: `shop.sql` derives every row from hashes and from the day it is
generated. Dates hang on that day rather than on a fixed one because people (and the demo) ask about "last month", and
a fixed past would have nothing to say about it. Whoever checks answers therefore compares them with a reference query,
never with numbers written down.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from datetime import date
from importlib.resources import files
from pathlib import Path
from typing import Any

_HERE = files(__package__)


def shop_version() -> str:
    """Names what the rows are made by: another `shop.sql`, another version."""
    return hashlib.sha256(_HERE.joinpath("shop.sql").read_bytes()).hexdigest()[:8]


def generate_shop(path: Path, today: date) -> None:
    """Write the shop's DuckDB file as it stands on `today`. What was at `path` is replaced, at once and whole."""
    import duckdb

    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    unfinished.unlink(missing_ok=True)
    try:
        with duckdb.connect(str(unfinished)) as connection:
            connection.execute("SET VARIABLE today = ?::DATE", [today.isoformat()])
            connection.execute(_HERE.joinpath("shop.sql").read_text(encoding="utf-8"))
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def shop_manifest() -> dict[str, Any]:
    """The shop's semantic model: an MDL manifest as JSON objects."""
    return _read("shop_model.json")


def shop_knowledge() -> Mapping[str, list[dict[str, Any]]]:
    """What a person taught the service about the shop: `sql_pairs` and `instructions`, as the HTTP routes take them."""
    return _read("shop_knowledge.json")


def _read(name: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(_HERE.joinpath(name).read_text(encoding="utf-8"))
    return content
