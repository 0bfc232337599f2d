"""From whatever a client sent as a manifest to a JSON value that is safe to walk and no larger than a model may be.

All bounds are far above what people have: the largest models of public benchmarks have some hundred tables, warehouses
of companies two thousand tables with fifty thousand columns. What is beyond is a slip of a generator, or meant ill.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from askwell.mdl.problems import Findings, shown


@dataclass(frozen=True, slots=True)
class Bound:
    """At most `limit` of `what` (a plural)."""

    limit: int
    what: str


# JSON text, counted before it is read: an empty object takes two bytes, and 64 once it is read.
# Fifty thousand columns with properties are a hundred thousand objects; read, five times that take 100 MB.
OBJECTS = Bound(500_000, "objects")
# Lists are rarer than objects: columns, keys, synonyms.
LISTS = Bound(500_000, "lists")
# Fifty thousand columns with ten entries each are half a million, and commas inside texts count as well.
MEMBERS = Bound(1_000_000, "entries")
_SIGNS = (("{", OBJECTS), ("[", LISTS), (",", MEMBERS))

# How deep the JSON may be nested: an MDL's own parts are eight levels deep, the rest is for properties.
DEPTH = 60
# A statement or description. The largest SQL that the service plans has 20,000 characters; a prompt shows far less.
TEXT = Bound(100_000, "characters in one text")
# Words of one piece of SQL: the parser takes about 5 µs for each, in one go, and nothing else runs meanwhile.
SQL_WORDS = Bound(8_000, "words")

# Parts of the manifest, by their key. Five times the tables of a large warehouse; checking one takes some milliseconds.
_PARTS = {
    "models": Bound(10_000, "models"),
    # A model has a handful.
    "relationships": Bound(50_000, "relationships"),
    # Each is SQL that is read, and resolved over the model: 5 ms.
    "views": Bound(5_000, "views"),
    "metrics": Bound(5_000, "metrics"),
    "cubes": Bound(5_000, "cubes"),
    "enumDefinitions": Bound(10_000, "enums"),
}
# The widest tables that databases have: BigQuery's 10,000 columns, SQL Server's 30,000 are of sparse ones.
COLUMNS_EACH = Bound(10_000, "columns")
# Twice a large warehouse. Making a model ready takes about 0.2 ms and 10 KB for each.
COLUMNS = Bound(100_000, "columns in all its models")


def crowded(text: str | bytes) -> Bound | None:
    """The first bound that JSON text exceeds, by its brackets and commas, wherever they stand: nothing is read. Takes
    some 50 ms for 30 MB, in steps of a millisecond, between which other threads run."""
    for sign, bound in _SIGNS:
        wanted: Any = sign if isinstance(text, str) else sign.encode()
        count = 0
        for start in range(0, len(text), _STEP):
            count += text.count(wanted, start, start + _STEP)
            if count > bound.limit:
                return bound
    return None


_STEP = 1_000_000


def excesses(manifest: Mapping[str, Any]) -> Iterator[tuple[Bound, int, str]]:
    """The bounds that a manifest's JSON exceeds: which, how many there are, and the name of the model where it is one
    model's (may be empty)."""
    for key, bound in _PARTS.items():
        if (count := _length(manifest.get(key))) > bound.limit:
            yield bound, count, ""
    models = manifest.get("models")
    in_all = 0
    for model in models if isinstance(models, list | tuple) else ():
        if not isinstance(model, Mapping):
            continue
        count = _length(model.get("columns"))
        in_all += count
        if count > COLUMNS_EACH.limit:
            yield COLUMNS_EACH, count, str(model.get("name") or "")
    if in_all > COLUMNS.limit:
        yield COLUMNS, in_all, ""


def _length(value: object) -> int:
    return len(value) if isinstance(value, list | tuple) else 0


MAX_BYTES = 50_000_000
_SMALLER = "Leave out what people don't ask about, or split it into several projects."


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
