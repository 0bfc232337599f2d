"""Texts with places for values that a tool gave: `{orders.table.rows[0][1]|count}`. Values are looked up, never run."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

# {name.field[0][=first cell]|form}
_PLACE = re.compile(r"\{(?P<path>[a-z_]\w*(?:\.\w+|\[[^\]{}]*\])*)(?:\|(?P<form>\w+))?\}")
_STEP = re.compile(r"\.?(\w+)|\[=([^\]]*)\]|\[(\d+)\]")
_SENTENCE = re.compile(r"(?:[^.!?\n]|[.!?](?!\s|$))+[.!?]")


class NoSuchValue(LookupError):
    """A place of a template names a value that is not there."""


def filled(template: Any, values: Mapping[str, Any]) -> Any:
    """The template with values in its places, at any depth of lists and mappings. Raises `NoSuchValue`."""
    if isinstance(template, str):
        return _PLACE.sub(lambda place: formatted(_found(values, place["path"]), place["form"]), template)
    if isinstance(template, Mapping):
        return {name: filled(one, values) for name, one in template.items()}
    if isinstance(template, list):
        return [filled(one, values) for one in template]
    return template


def formatted(value: Any, form: str | None) -> str:
    """A value as people read it: `count` (12,345), `money` (12,345.67), `sentence` (the first one of a text), or as
    it is. Raises `NoSuchValue` for other forms and for values without one."""
    if form is None:
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    written = _FORMS.get(form)
    if written is None:
        raise NoSuchValue(f"There is no form {form}; there are {', '.join(_FORMS)}.")
    try:
        return written(value)
    except (TypeError, ValueError):
        raise NoSuchValue(f"{value!r} has no form {form}.") from None


def _found(values: Any, path: str) -> Any:
    """Follow names, places of lists, and `[=cell]`, which is the row that begins with that cell."""
    found = values
    for name, cell, place in _STEP.findall(path):
        try:
            found = _row_of(found, cell) if not name and not place else found[int(place) if place else name]
        except (KeyError, IndexError, TypeError):
            raise NoSuchValue(f"{{{path}}} leads to nothing at {name or cell or place}.") from None
    return found


def _row_of(rows: Sequence[Sequence[Any]], cell: str) -> Sequence[Any]:
    found = [row for row in rows if row and str(row[0]) == cell]
    return found[0]


def _sentence(text: Any) -> str:
    found = _SENTENCE.search(text)
    if found is None:
        raise ValueError
    return " ".join(found[0].split())


_FORMS: Mapping[str, Callable[[Any], str]] = {
    "count": lambda value: f"{int(value):,}",
    "money": lambda value: f"{float(value):,.2f}",
    "sentence": _sentence,
}
