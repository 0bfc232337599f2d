"""A little shop as a manifest (`shop.json`): every kind of thing that a manifest may hold, and rows to ask about."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from askwell.mdl.manifest import Manifest
from askwell.mdl.validation import read_manifest
from tests.support.tables import case_table


def plain(name: str, kind: str = "INTEGER", **more: Any) -> dict[str, Any]:
    """A column that is in the database."""
    return {"name": name, "type": kind, **more}


def calculated(name: str, expression: str, kind: str = "DOUBLE", **more: Any) -> dict[str, Any]:
    """A calculated field."""
    return {"name": name, "type": kind, "isCalculated": True, "expression": expression, **more}


def handle(name: str, model: str, relationship: str) -> dict[str, Any]:
    """A relationship column."""
    return {"name": name, "type": model, "relationship": relationship}


def link(name: str, left: str, join_type: str, right: str, condition: str, **more: Any) -> dict[str, Any]:
    """A relationship."""
    return {"name": name, "models": [left, right], "joinType": join_type, "condition": condition, **more}


_SHOP = Path(__file__).with_name("shop.json").read_text("utf-8")

# The rows. Order 13 has no customer, customer 3 no order; the item without pieces is not in the model Items.
SHOP_ROWS = case_table(__file__, "rows")


def shop_mdl() -> dict[str, Any]:
    """The shop's MDL, to be changed at will."""
    mdl: dict[str, Any] = json.loads(_SHOP)
    return mdl


def legacy_manifest(data_source: str = "DUCKDB") -> dict[str, Any]:
    """A manifest over the tables of `SHOP_ROWS` as the legacy web client's model builder writes it: every key that it
    knows, most of them empty."""
    text = Path(__file__).with_name("legacy_client.json").read_text("utf-8")
    return {**json.loads(text), "dataSource": data_source}


def read(mdl: dict[str, Any]) -> Manifest:
    """The manifest of an MDL that has to be good."""
    reading = read_manifest(mdl)
    assert reading.manifest is not None, [str(problem) for problem in reading.problems]
    return reading.manifest
