"""Every message for people stands in a catalogue, with the places that its values fill, and none that nothing says."""

from __future__ import annotations

import ast
import string
from collections import defaultdict
from pathlib import Path

import pytest
import yaml

import askwell
from askwell.messages import say

_SOURCE = Path(askwell.__file__).parent
_CATALOGUES = {name: _SOURCE / "messages" / name for name in ("command_line.yaml", "service.yaml")}


def _said() -> dict[str, list[tuple[str, frozenset[str]]]]:
    """By code: where it is said, and with the values of which names."""
    found: dict[str, list[tuple[str, frozenset[str]]]] = defaultdict(list)
    for path in _SOURCE.rglob("*.py"):
        text = path.read_text("utf-8")
        for node in ast.walk(ast.parse(text)) if "from askwell.messages import say" in text else ():
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "say":
                place = f"{path.relative_to(_SOURCE)}:{node.lineno}"
                assert isinstance(node.args[0], ast.Constant), f"{place}: the code is no literal"
                found[node.args[0].value].append((place, frozenset(word.arg or "**" for word in node.keywords)))
    return found


def _catalogue() -> dict[str, frozenset[str]]:
    """By code: the places in its sentences."""
    entries = {}
    for file in _CATALOGUES.values():
        for area, messages in yaml.safe_load(file.read_text("utf-8")).items():
            for what, texts in messages.items():
                assert texts.keys() <= {"message", "hint"}
                places = [place for text in texts.values() for _, place, _, _ in string.Formatter().parse(text)]
                entries[f"{area}.{what}"] = frozenset(place for place in places if place)
    return entries


def test_every_message_has_its_values_and_is_said() -> None:
    catalogue, said = _catalogue(), _said()
    wrong = [
        f"{place}: {code} has {sorted(catalogue.get(code, ()))}, and is given {sorted(values)}"
        for code, places in said.items()
        for place, values in places
        if catalogue.get(code) != values
    ]
    assert wrong == []
    assert sorted(catalogue.keys() - said.keys()) == []


def test_a_code_that_nobody_wrote_is_a_defect() -> None:
    with pytest.raises(KeyError):
        say("lessons.no_such_message")
