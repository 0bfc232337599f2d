"""What people wrote of a model's tables and columns, carried over into the model that is to take its place."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

# The texts of a table or column: as a described model names them, and as a manifest does.
TEXTS: Mapping[str, str] = {
    "description": "description",
    "display_name": "displayName",
    "synonyms": "synonyms",
    "unit": "unit",
}
# The parts of a manifest that people may ask about, and where each keeps its columns, in both spellings that are read.
# A view's columns are those of its statement: nothing is written of them.
_PARTS: Mapping[str, tuple[str, ...]] = {
    "models": ("columns",),
    "metrics": ("dimension", "measure"),
    "cubes": ("dimensions", "timeDimensions", "time_dimensions", "measures"),
    "views": (),
}
_Texts = Mapping[str, Any]
_Place = tuple[str, str | None]


@dataclass(frozen=True, slots=True)
class KeptTexts:
    """`manifest` is the new model with the texts that it had none for, `kept` how many these are, by the names of
    `TEXTS`. Where texts could not be kept: `lost` are the tables and columns (`table.column`) that the new model does
    not have, and `replaced` those for which it has other texts of its own."""

    manifest: dict[str, Any]
    kept: Mapping[str, int]
    lost: tuple[str, ...]
    replaced: tuple[str, ...]


def with_texts_of(described: Mapping[str, Any], manifest: Mapping[str, Any]) -> KeptTexts:
    """A manifest (MDL JSON, which need not be valid) with the descriptions, display names, synonyms and units of the
    current model, as GET /v1/semantics tells it. Names are the same in any case; a text of the manifest's own stays,
    and nothing else in it changes."""
    texts = dict(_written(described))
    result = copy.deepcopy(dict(manifest))
    kept, found, replaced = Counter[str](), set[_Place](), list[str]()
    for place, entry in _places(result):
        found.add(place)
        own = _without_inherited(texts.get(place, {}), entry, texts)
        taken, differs = _fill(entry.entry, own)
        kept.update(taken)
        if differs:
            replaced.append(entry.name)
    return KeptTexts(result, kept, tuple(_lost(described, texts, found)), tuple(replaced))


@dataclass(frozen=True, slots=True)
class _Entry:
    """A table or column of a manifest. `source` is the column that a dimension shows, whose texts it inherits."""

    name: str
    entry: dict[str, Any]
    source: _Place | None = None


def _written(described: Mapping[str, Any]) -> Iterator[tuple[_Place, _Texts]]:
    """What is said of each table and column of the current model."""
    for table in described["tables"]:
        yield (table["name"].lower(), None), _said(table)
        if table["kind"] != "view":
            for column in table["columns"]:
                yield (table["name"].lower(), column["name"].lower()), _said(column)


def _said(entry: Mapping[str, Any]) -> _Texts:
    return {name: entry[name] for name in TEXTS if entry.get(name)}


def _places(manifest: Mapping[str, Any]) -> Iterator[tuple[_Place, _Entry]]:
    """The tables and columns of a manifest. What is misshapen is passed over: whoever prepares it says so."""
    for part, lists in _PARTS.items():
        for table in _named(manifest.get(part)):
            name = table["name"]
            yield (name.lower(), None), _Entry(name, table)
            for key in lists:
                for column in _named(table.get(key)):
                    source = _source(table, column) if part != "models" else None
                    yield (name.lower(), column["name"].lower()), _Entry(f"{name}.{column['name']}", column, source)


def _named(entries: Any) -> Iterator[dict[str, Any]]:
    for entry in entries if isinstance(entries, list) else ():
        if isinstance(entry, dict) and isinstance(entry.get("name"), str):
            yield entry


def _source(table: Mapping[str, Any], column: Mapping[str, Any]) -> _Place | None:
    base, written = table.get("baseObject", table.get("base_object")), column.get("expression") or column["name"]
    if not isinstance(base, str) or not isinstance(written, str):
        return None
    return base.lower(), written.strip().strip('"').lower()


def _without_inherited(own: _Texts, entry: _Entry, texts: Mapping[_Place, _Texts]) -> _Texts:
    """A dimension without texts of its own is told with those of the column that it shows; that is not to be fixed in
    the manifest, where it would stand against a better text of that column."""
    if entry.source is None:
        return own
    inherited = texts.get(entry.source, {})
    return {name: text for name, text in own.items() if inherited.get(name) != text}


def _fill(entry: dict[str, Any], texts: _Texts) -> tuple[list[str], bool]:
    """Write the texts that the entry does not have; which these are, and whether it has another one of its own."""
    properties = entry.get("properties")
    if not texts or not isinstance(properties, dict | None):
        return [], False
    filled, taken, differs = dict(properties or {}), [], False
    for name, text in texts.items():
        key = TEXTS[name]
        if _is_absent(filled.get(key)):
            filled[key] = text
            taken.append(name)
        else:
            differs = differs or not _same(filled[key], text)
    if taken:
        entry["properties"] = filled
    return taken, differs


def _is_absent(value: Any) -> bool:
    """Whether nothing is said; tools that write models write every key that they know."""
    if isinstance(value, list):
        return all(map(_is_absent, value))
    return value is None or (isinstance(value, str) and not value.strip())


def _same(own: Any, text: Any) -> bool:
    """Whether the manifest's own text is what the current model says, which tells it without blanks around it."""
    if isinstance(text, list):
        listed = own if isinstance(own, list) else [own]
        return [one.strip() for one in listed if isinstance(one, str) and one.strip()] == text
    return isinstance(own, str) and own.strip() == text


def _lost(described: Mapping[str, Any], texts: Mapping[_Place, _Texts], found: set[_Place]) -> Iterator[str]:
    """Tables and columns that are gone with their texts; of a table that is gone, itself alone."""
    for table in described["tables"]:
        name = table["name"]
        columns = [one["name"] for one in table["columns"] if texts.get((name.lower(), one["name"].lower()))]
        if (name.lower(), None) not in found:
            if columns or texts[name.lower(), None]:
                yield name
        else:
            yield from (f"{name}.{one}" for one in columns if (name.lower(), one.lower()) not in found)
