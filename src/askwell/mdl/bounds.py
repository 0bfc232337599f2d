"""How large a semantic model may be, in one place, each number with its reason.

All are far above what people have: the largest models of public benchmarks have some hundred tables, warehouses of
companies two thousand tables with fifty thousand columns. What is beyond is a slip of a generator, or meant ill.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any


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
