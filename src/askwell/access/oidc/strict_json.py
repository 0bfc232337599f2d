"""JSON that two readers cannot understand differently: no name twice, no NaN, nothing nested without end."""

from __future__ import annotations

import json
from typing import Any


def json_object(content: bytes) -> dict[str, Any]:
    """The object in a text of JSON as UTF-8. Raises `ValueError` for anything else."""
    try:
        found = json.loads(content.decode("utf-8"), object_pairs_hook=_once_each, parse_constant=_refused)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if not isinstance(found, dict):
        raise ValueError("not an object")
    return found


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name stands there twice")
    return found


def _refused(name: str) -> None:
    raise ValueError(f"{name} is no JSON")
