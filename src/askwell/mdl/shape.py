"""From a JSON object to manifest types, item by item, so that one misshapen part does not hide the others' problems."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, get_args, get_origin

from pydantic import ValidationError
from pydantic_core import ErrorDetails
from rapidfuzz import fuzz

from askwell.mdl.manifest import Entry, Manifest
from askwell.mdl.problems import Findings, item, place, shown

# An unknown key this like a known one (rapidfuzz ratio, 0-100) is more likely a slip than somebody's extension.
_SLIP = 85


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
            self.findings.refuse(where, "is not a JSON object", f"Write it as an object ({_required(kind)}).")
            return None
        parts = {key: part for key, part in value.items() if part is not None}
        self._note_slips(kind, parts, where)
        lists = _entry_lists(kind)
        for key in lists.keys() & parts.keys():
            parts[key] = self._entries(key, lists[key], parts[key], _inside(where, path), path)
        try:
            return kind.model_validate(parts)
        except ValidationError as error:
            details = error.errors(include_url=False, include_context=False, include_input=False)
        for detail in details:
            self._refuse_field(where, detail)
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
        field_name = ".".join(str(part) for part in detail["loc"] if not str(part).startswith(("function-", "tuple")))
        if detail["type"] == "missing":
            self.findings.refuse(where, f'"{field_name}" is missing', f'Add "{field_name}".')
        else:
            self.findings.refuse(
                where, f'"{shown(field_name)}" is wrong: {_said(detail)}', "Correct its type or value."
            )

    def _note_slips(self, kind: type[Entry], parts: Mapping[str, Any], where: str) -> None:
        known = _known_keys(kind)
        for key in sorted(parts.keys() - known):
            meant = max(sorted(known), key=lambda name: fuzz.ratio(key, name))
            if fuzz.ratio(key, meant) >= _SLIP and meant not in parts:
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


def _required(kind: type[Entry]) -> str:
    return ", ".join(info.alias or name for name, info in kind.model_fields.items() if info.is_required())


def _said(detail: ErrorDetails) -> str:
    message = detail["msg"]
    return message[:1].lower() + message[1:].replace("dictionary", "object").replace("tuple", "list")
