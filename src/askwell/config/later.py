"""Choices and settings that are designed and not built: naming one is answered with "not yet", not with "unknown"."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from askwell.config.problems import Origins, Path, Problem

# Where the choice stands (`*` is a name people choose) → the choices to come.
_CHOICES: dict[tuple[str, ...], tuple[str, ...]] = {
    ("settings", "table_selection"): ("three_phase",),
}
# Settings that older versions took and nothing read.
SETTINGS_TO_COME = (("settings", "apply_lessons"),)
TO_COME = "is not supported yet; remove it."


def not_yet(data: Mapping[str, Any], origins: Origins) -> list[tuple[Path, Problem]]:
    """For each such choice or setting: the section whose other keys are not worth judging, and the problem in words."""
    found: list[tuple[Path, Problem]] = []
    for pattern, choices in _CHOICES.items():
        for path, value in _at(data, pattern, ()):
            if isinstance(value, str) and value in choices:
                section = path if path[0] == "settings" else path[:-1]
                found.append((section, origins.problem(path, f'"{value}" is not available yet in this version.')))
    for setting in SETTINGS_TO_COME:
        found += [(path, origins.problem(path, TO_COME)) for path, _ in _at(data, setting, ())]
    return found


def _at(data: object, pattern: tuple[str, ...], path: Path) -> Iterator[tuple[Path, Any]]:
    if not pattern:
        yield path, data
    elif isinstance(data, Mapping):
        for name in data if pattern[0] == "*" else pattern[:1]:
            if name in data:
                yield from _at(data[name], pattern[1:], (*path, name))
