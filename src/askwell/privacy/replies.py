"""Replies that should be one JSON object, found wherever models write them: in fences, in prose, or as YAML."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import yaml

_FENCE = re.compile(r"```[ \t]*\w*[^\n]*\n(.*?)(?:\n[ \t]*```|\Z)", re.DOTALL)
_YAML_START = re.compile(r"\s*['\"]?[a-z_]+['\"]?\s*:", re.IGNORECASE)
# YAML is slow to read, and what has anchors may be endless when it is written as JSON.
_LONGEST_YAML = 20_000
_MOST_YAML_BRACKETS = 200
_ANCHOR = re.compile(r"(?:\A|[\s\[{,])&\S")
_MOST_FAILURES = 20


def objects_changed(text: str, change: Callable[[Any], Any]) -> str | None:
    """The reply with what `change` makes of each JSON object in it, or of its lists where it has no object; YAML comes
    as JSON, without what stands around it. None where there is neither."""
    if (begun := text.lstrip()).startswith(("{", "[")):
        # Of one that is broken, what is whole within it says less than all of it.
        return _json_changed(text, begun[0], change) if _begins_whole(begun) else None
    return _json_changed(text, "{", change) or _yaml_changed(text, change) or _json_changed(text, "[", change)


def _begins_whole(text: str) -> bool:
    try:
        json.JSONDecoder(strict=False).raw_decode(text)
    except (ValueError, RecursionError):
        return False
    return True


def _json_changed(text: str, opening: str, change: Callable[[Any], Any]) -> str | None:
    decoder = json.JSONDecoder(strict=False)
    pieces: list[str] = []
    done, failures = 0, 0
    at = text.find(opening)
    while at >= 0 and failures < _MOST_FAILURES:
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            failures += 1
            end = at + 1
        else:
            pieces += [text[done:at], json.dumps(change(value), ensure_ascii=False)]
            done = end
        at = text.find(opening, end)
    return "".join([*pieces, text[done:]]) if pieces else None


def _yaml_changed(text: str, change: Callable[[Any], Any]) -> str | None:
    for body in (*_FENCE.findall(text), text):
        is_short = len(body) <= _LONGEST_YAML and body.count("[") + body.count("{") <= _MOST_YAML_BRACKETS
        if not is_short or _YAML_START.match(body) is None or _ANCHOR.search(body) is not None:
            continue
        try:
            loaded = yaml.safe_load(body)
        except (yaml.YAMLError, ValueError, RecursionError):
            continue
        if isinstance(loaded, dict):
            return json.dumps(change(loaded), ensure_ascii=False, default=str)
    return None
