"""From whatever a client sent as a manifest to a JSON value that is safe to walk."""

from __future__ import annotations

import json
import math
from typing import Any

from askwell.mdl.bounds import DEPTH, TEXT, crowded, excesses
from askwell.mdl.problems import Findings, shown

MAX_BYTES = 50_000_000
_SMALLER = "Leave out what nobody asks about, or make several projects of it."


def read_json(source: object, findings: Findings) -> dict[str, Any] | None:
    """The manifest's JSON object, or nothing after saying why: not JSON, no object, too large, too deep, bad text.
    Text is not read when it holds more than `bounds` allow."""
    value = source
    if isinstance(value, bytes | bytearray):
        value = _decoded(bytes(value), findings)
    if isinstance(value, str):
        value = _parsed(value, findings)
    if findings.problems:
        return None
    if not isinstance(value, dict):
        findings.refuse("manifest", f"it is {kind_of(value)}, not a JSON object", "Send the MDL as one JSON object.")
        return None
    return value if _safe(value, findings) and _within_bounds(value, findings) else None


def _decoded(raw: bytes, findings: Findings) -> str:
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        findings.refuse("manifest", f"it is not UTF-8 text (byte {error.start})", "Send the MDL as JSON in UTF-8.")
        return ""


def _parsed(text: str, findings: Findings) -> object:
    if findings.problems:
        return None
    if len(text) > MAX_BYTES:
        findings.refuse("manifest", f"it is larger than {MAX_BYTES // 1_000_000} MB", "Send a smaller model.")
        return None
    bound = crowded(text)
    if bound is not None:
        findings.refuse("manifest", f"it has more than {bound.limit:,} {bound.what}", _SMALLER)
        return None
    try:
        return json.loads(text.removeprefix("\ufeff"), object_pairs_hook=lambda pairs: _object(pairs, findings))
    except json.JSONDecodeError as error:
        at = f"line {error.lineno}, column {error.colno}"
        findings.refuse(
            "manifest", f"it is not JSON: {error.msg[:1].lower()}{error.msg[1:]} at {at}", "Correct the text there."
        )
    except RecursionError:
        findings.refuse("manifest", "it is nested too deeply", f"Keep it within {DEPTH} levels.")
    except ValueError:
        findings.refuse("manifest", "it holds a number with thousands of digits", "Write it as text.")
    return None


def _object(pairs: list[tuple[str, Any]], findings: Findings) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        findings.warn(
            "manifest", f'an object has the key "{shown(twice)}" twice', "Only the last one counts; keep one."
        )
    return value


def _safe(root: dict[str, Any], findings: Findings) -> bool:
    """Whether every part is a JSON value that can be walked, hashed and stored; walked without recursion."""
    waiting: list[tuple[object, int]] = [(root, 1)]
    while waiting:
        value, depth = waiting.pop()
        what = _unsafe(value, depth)
        if what is not None:
            findings.refuse("manifest", what, "Correct that part of the model.")
            return False
        if isinstance(value, dict):
            waiting.extend((part, depth + 1) for pair in value.items() for part in pair)
        elif isinstance(value, list | tuple):
            waiting.extend((part, depth + 1) for part in value)
    return True


def _within_bounds(value: dict[str, Any], findings: Findings) -> bool:
    for bound, count, name in excesses(value):
        where = f'model "{shown(name)}"' if name else "manifest"
        findings.refuse(where, f"it has {count:,} {bound.what}, and {bound.limit:,} are allowed", _SMALLER)
    return not findings.problems


def _unsafe(value: object, depth: int) -> str | None:
    if depth > DEPTH + 1:
        return f"it is nested more than {DEPTH} levels deep"
    if isinstance(value, str) and len(value) > TEXT.limit:
        return f'it has more than {TEXT.limit:,} {TEXT.what} ("{shown(value[:200])}")'
    if isinstance(value, str):
        return None if value.isascii() or _encodable(value) else f'it has text that is not Unicode ("{shown(value)}")'
    if isinstance(value, float) and not math.isfinite(value):
        return f"it has a number that JSON does not know ({value})"
    if value is None or isinstance(value, bool | int | float):
        return None
    if isinstance(value, dict):
        return None if all(isinstance(key, str) for key in value) else "it has an object key that is not text"
    return None if isinstance(value, list | tuple) else f"it has a value that is not JSON ({type(value).__name__})"


def _encodable(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def kind_of(value: object) -> str:
    """What kind of JSON value this is, with its article."""
    names = {bool: "true or false", str: "text", list: "a list", tuple: "a list", dict: "an object", type(None): "null"}
    names |= {int: "a number", float: "a number"}
    return names.get(type(value), type(value).__name__)
