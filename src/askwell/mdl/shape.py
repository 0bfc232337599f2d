"""From a JSON object to manifest types, item by item, so that one misshapen part does not hide the others' problems."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Any, get_args, get_origin

from pydantic import ValidationError
from pydantic_core import ErrorDetails
from rapidfuzz import fuzz

from askwell.mdl.json_source import kind_of
from askwell.mdl.manifest import Entry, Manifest
from askwell.mdl.names import listed
from askwell.mdl.problems import Findings, item, place, shown

# An unknown key this like a known one (rapidfuzz ratio, 0-100) is more likely a slip than somebody's extension.
_SLIP = 85
# Unknown keys of one object that are looked at.
_MOST_SLIPS = 200

# pydantic's names for what a field may be, and ours.
_WANTED = {
    "string": "text",
    "bool": "true or false",
    "tuple": "a list",
    "list": "a list",
    "dict": "an object",
    "mapping": "an object",
    "model": "an object",
    "int": "a number",
    "float": "a number",
}
_UNION_MEMBERS = frozenset({"str", "int", "float", "bool"})


@dataclass(slots=True)
class Shaped:
    """What could be read. `broken` are the lower-case names of parts that were left out because of their shape, so that
    nobody reports a second time that they are missing: `("orders",)`, `("orders", "total")`. `positions` tells where an
    entry stood in its list, by the entry's identity."""

    manifest: Manifest | None
    broken: set[tuple[str, ...]] = field(default_factory=set)
    positions: dict[int, int] = field(default_factory=dict)


def read_shape(value: Mapping[str, Any], findings: Findings) -> Shaped:
    """Read a JSON object as a manifest. Wrong types and missing fields become problems; lists keep their good items."""
    shaped = Shaped(manifest=None)
    # A manifest without a usable catalog and schema is still worth looking through.
    stand_in = {"catalog": "?", "schema": "?"}
    manifest = _Reader(findings, shaped).entry(Manifest, value, "manifest", (), stand_in)
    shaped.manifest = manifest if isinstance(manifest, Manifest) else None
    if value.get("models") in (None, "", []):  # not where the shape of those that it has is wrong
        findings.refuse("manifest", "it has no models, so there is nothing to ask about", 'List a table in "models".')
    return shaped


@dataclass(slots=True)
class _Reader:
    findings: Findings
    shaped: Shaped

    def entry(
        self,
        kind: type[Entry],
        value: object,
        where: str,
        path: tuple[str, ...],
        stand_in: Mapping[str, Any] | None = None,
    ) -> Entry | None:
        """One object. Wrong optional fields are left out of it; wrong required ones leave the whole object out."""
        if not isinstance(value, dict):
            what = f"it is {kind_of(value)}, not a JSON object"
            self.findings.refuse(where, what, f"Write it as an object with {_required(kind)}.")
            return None
        parts = kind.given(value)
        self._note_slips(kind, parts, where)
        lists = _entry_lists(kind)
        for key in lists.keys() & parts.keys():
            parts[key] = self._entries(key, lists[key], parts[key], _inside(where, path), path)
        try:
            return kind.model_validate(parts)
        except ValidationError as error:
            details = error.errors(include_url=False, include_context=False)
        for detail in {detail["loc"][0]: detail for detail in reversed(details)}.values():
            self._refuse_field(where, detail)
        if kind is Manifest and any(detail["loc"][0] == "models" for detail in details):
            return None  # without any model, all the rest would be reported for missing them
        good = {key: part for key, part in parts.items() if key not in {detail["loc"][0] for detail in details}}
        try:
            return kind.model_validate({**(stand_in or {}), **good})
        except ValidationError:
            if path:
                self.shaped.broken.add(path)
            return None

    def _entries(self, key: str, kind: type[Entry], value: object, where: str, path: tuple[str, ...]) -> object:
        if not isinstance(value, list | tuple):
            return value  # the object's own validation says what is wrong
        entries = []
        for position, part in enumerate(value):
            name = part.get("name") if isinstance(part, dict) else None
            own_path = (*path, name.lower()) if isinstance(name, str) else path
            entry = self.entry(kind, part, place(where, item(key, position, name)), own_path)
            if entry is not None:
                self.shaped.positions[id(entry)] = position
                entries.append(entry)
        return entries

    def _refuse_field(self, where: str, detail: ErrorDetails) -> None:
        name = shown(_spelled(detail["loc"]))
        if detail["type"] == "missing":
            self.findings.refuse(where, f'"{name}" is missing', f'Add "{name}".')
        else:
            what = f'"{name}" has to be {_wanted(name, detail)}, not {kind_of(detail["input"])}'
            self.findings.refuse(where, what, "Correct its value.")

    def _note_slips(self, kind: type[Entry], parts: Mapping[str, Any], where: str) -> None:
        if self.findings.enough_warnings:
            return
        for key in sorted(parts.keys() - _known_keys(kind))[:_MOST_SLIPS]:
            meant = _meant(kind, key)
            if meant and meant not in parts:
                self.findings.warn(
                    where, f'"{shown(key)}" is not known and is ignored', f'If "{meant}" was meant, rename it.'
                )


def _inside(where: str, path: tuple[str, ...]) -> str:
    return where if path or where != "manifest" else ""


@cache
def _entry_lists(kind: type[Entry]) -> dict[str, type[Entry]]:
    """The fields of a type that are lists of objects, by their name on the wire."""
    lists = {}
    for name, info in kind.model_fields.items():
        arguments = get_args(info.annotation)
        if get_origin(info.annotation) is tuple and isinstance(arguments[0], type) and issubclass(arguments[0], Entry):
            lists[info.alias or name] = arguments[0]
    return lists


@cache
def _known_keys(kind: type[Entry]) -> frozenset[str]:
    return frozenset(info.alias or name for name, info in kind.model_fields.items())


@lru_cache(1_000)  # generators repeat their own keys in every object
def _meant(kind: type[Entry], key: str) -> str:
    """The known key that an unknown one is a slip of; empty where there is none."""
    meant = max(sorted(_known_keys(kind)), key=lambda name: fuzz.ratio(key, name))
    return meant if fuzz.ratio(key, meant) >= _SLIP else ""


def _required(kind: type[Entry]) -> str:
    return listed(f'"{info.alias or name}"' for name, info in kind.model_fields.items() if info.is_required())


def _spelled(loc: tuple[int | str, ...]) -> str:
    """A place inside an object: `tableReference.schema`, `dateParts[0]`."""
    name = ""
    for part in loc:
        if isinstance(part, int):
            name += f"[{part}]"
        elif part not in _UNION_MEMBERS and not part.startswith(("function-", "tuple")):
            name += f".{part}" if name else part
    return name


def _wanted(name: str, detail: ErrorDetails) -> str:
    if detail["loc"][-1] in _UNION_MEMBERS:
        return "text, a number, or true or false"
    if name == "primaryKey":
        return "a name or a list of names"
    return _WANTED.get(detail["type"].removesuffix("_type"), "another kind of value")
