"""Bodies of requests as the legacy client sends them, from `contract.yaml`."""

from __future__ import annotations

import itertools
import re
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tests.client_kit.kinds import Kind
from tests.client_kit.manifest import Json, manifest, text_of

CONTRACT: Json = yaml.load(
    Path(__file__).with_name("contract.yaml").read_text(encoding="utf-8"), Loader=yaml.CSafeLoader
)
SQL: dict[str, str] = CONTRACT["sql"]
COUNT_QUESTION = "How many orders are there?"
COUNT_SQL = SQL["count"]

_numbers = itertools.count(9000)
_LEFT_OUT = object()


@dataclass(frozen=True)
class Shop:
    """The deployed shop: its hash, its manifest, and the project that the client names where it names one."""

    hash: str
    model: Json
    project: str | None


def good(kind: Kind, shop: Shop) -> Json:
    """A body that the service should take and, with a working model, answer."""
    return filled(CONTRACT["bodies"][kind.name], shop)


def ask_body(question: str, shop: Shop) -> Json:
    return filled(CONTRACT["bodies"]["ask"] | {"query": question}, shop)


def filled(body: Any, shop: Shop) -> Any:
    """The body with the placeholders of `contract.yaml` filled in, all of one number."""
    values = SQL | {
        "hash": shop.hash,
        "mdl": text_of(shop.model),
        "unlinked": text_of(manifest(relationships=False)),
        "number": str(next(_numbers)),
        "project": shop.project or _LEFT_OUT,
        "unknown": str(uuid.uuid4()),
    }
    return _filled(body, values)


def _filled(value: Any, values: dict[str, Any]) -> Any:
    if isinstance(value, dict):
        made = {name: _filled(one, values) for name, one in value.items()}
        return {name: one for name, one in made.items() if one is not _LEFT_OUT}
    if isinstance(value, list):
        return [_filled(one, values) for one in value]
    if not isinstance(value, str):
        return value
    if value.startswith("$") and value[1:] in values:
        return values[value[1:]]
    return re.sub(r"\$(number|unknown)", lambda found: str(values[found[1]]), value)


def succeeds_without_model(kind: Kind) -> bool:
    """Only an edited plan needs a model: there is no other way from its words to SQL."""
    return kind.name != "feedback"
