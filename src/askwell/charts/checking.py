"""Whether a chart that somebody else wrote, a language model or a client, may be drawn.

Two checks, and both have to pass. What a chart may hold is a list: a mark, channels on columns of the result, three
transforms, titles and a size. Whatever is not on it, expressions, addresses, images and links among it, is refused.
Then the whole is validated against Vega-Lite's own JSON schema, where the extra `charts` has brought it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeGuard

from askwell.charts import allowed
from askwell.charts.fields import field_of, is_drawable, is_writable
from askwell.charts.labels import words_of
from askwell.charts.plan import NoChart
from askwell.charts.vega_spec import SCHEMA
from askwell.providers.engine.base import ResultColumn

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

_SCHEMAS = frozenset({SCHEMA, SCHEMA.replace("v5", "v6")})
_ADDRESS = re.compile(r"https?|://|javascript:|data:|^//", re.IGNORECASE)
_LONGEST_TEXT = 500
_MOST_ITEMS = 1_000
_NEW_NAME = re.compile(r"[^\W\d][\w ]{0,60}")
_LAID_OUT_BY = "vegalite/v6/schema/vega-lite-schema.json"


def check_schema(schema: object, columns: Sequence[ResultColumn]) -> dict[str, Any] | NoChart:
    """The chart as it may be drawn over a result with these columns, or why not. Its data is left out, and fields are
    written as Vega-Lite reads them. A chart that cannot be validated, because the extra is missing, is refused."""
    checked = check_allowed(schema, columns)
    if isinstance(checked, NoChart):
        return checked
    validator = _validator()
    if validator is None:
        return NoChart("It cannot be validated without the packages of askwell[charts].")
    error = next(iter(validator.iter_errors(checked)), None)
    if error is None:
        return checked
    place = ".".join(map(str, error.absolute_path))
    return NoChart(f"It is no valid Vega-Lite{f' at {place}' if place else ''}.")


def can_validate() -> bool:
    """Whether the extra that has Vega-Lite's JSON schema is installed. Imports nothing."""
    return _schema_file() is not None and find_spec("jsonschema") is not None


def check_allowed(schema: object, columns: Sequence[ResultColumn]) -> dict[str, Any] | NoChart:
    """The chart with nothing in it but what the list has, or the first thing that is not on it."""
    try:
        return _Checker([column.name for column in columns]).chart(schema)
    except NoChart as refused:
        return refused
    except RecursionError:
        return NoChart("It is nested too deeply.")


class _Checker:
    """Goes through a chart, place by place. `fields` are those that a channel may name, by how they may be written."""

    def __init__(self, names: Sequence[str]) -> None:
        columns = [name for name in names if is_drawable(name)]
        self._fields = {written: field_of(name) for name in columns for written in (name, field_of(name))}
        self._fields |= {field_of(name): field_of(name) for name in columns}
        labels = {text.lower() for name in columns for text in (name, field_of(name), words_of(name))}
        self._names_with_addresses = [name for name in labels if _ADDRESS.search(name)]

    def chart(self, schema: object) -> dict[str, Any]:
        given = _object(schema, "the chart", allowed.TOP)
        _require("mark" in given and "encoding" in given, "It has no mark or no encoding.")
        _object(given.get("data", {}), "data", frozenset({"values", "name"}))
        checked: dict[str, Any] = {}
        if "$schema" in given:
            _require(_is_one_of(given["$schema"], _SCHEMAS), "Its $schema is none of Vega-Lite 5 or 6.")
            checked["$schema"] = given["$schema"]
        if "title" in given:
            checked["title"] = self._title(given["title"])
        for side in ("width", "height"):
            if side in given:
                checked[side] = _size(given[side], side)
        checked["mark"] = self._mark(given["mark"])
        if given.get("transform"):
            checked["transform"] = self._transforms(given["transform"])
        checked["encoding"] = self._encoding(given["encoding"])
        return checked

    def _title(self, title: object) -> Any:
        if isinstance(title, Mapping):
            return self._settings(title, "title", allowed.TITLE)
        return self._simple(title, "title")

    def _mark(self, mark: object) -> Any:
        if isinstance(mark, str):
            mark = {"type": mark}
        checked = self._settings(mark, "mark", allowed.MARK)
        _require(_is_one_of(checked.get("type"), allowed.MARKS), "Its mark is none of bar, line, area, arc and point.")
        return checked

    def _transforms(self, transforms: object) -> list[Any]:
        checked = []
        for at, transform in enumerate(_list(transforms, "transform")):
            place = f"transform.{at}"
            kinds = [kind for kind in allowed.TRANSFORMS if isinstance(transform, Mapping) and kind in transform]
            _require(len(kinds) == 1, f"{place} is none of fold, aggregate and timeUnit.")
            checked.append(_TRANSFORMS[kinds[0]](self, _object(transform, place, allowed.TRANSFORMS[kinds[0]]), place))
        return checked

    def fold(self, given: Mapping[str, Any], place: str) -> dict[str, Any]:
        fields = [self._field(one, place) for one in _list(given["fold"], place)]
        names = _list(given.get("as", ["key", "value"]), place)
        _require(len(names) == 2, f"{place}.as is not two names.")
        return {"fold": fields, "as": [self._new_name(name, place) for name in names]}

    def aggregate(self, given: Mapping[str, Any], place: str) -> dict[str, Any]:
        groups = [self._field(one, place) for one in _list(given.get("groupby", []), place)]
        made = []
        for one in _list(given["aggregate"], place):
            entry = _object(one, place, frozenset({"op", "field", "as"}))
            _require(_is_one_of(entry.get("op"), allowed.OPERATIONS), f"{place} has an unknown operation.")
            field = {"field": self._field(entry["field"], place)} if "field" in entry else {}
            made.append({"op": entry["op"], **field, "as": self._new_name(entry.get("as"), place)})
        return {"aggregate": made, "groupby": groups}

    def time_unit(self, given: Mapping[str, Any], place: str) -> dict[str, Any]:
        _require(_is_one_of(given["timeUnit"], allowed.TIME_UNITS), f"{place} has an unknown time unit.")
        field = self._field(given.get("field"), place)
        return {"timeUnit": given["timeUnit"], "field": field, "as": self._new_name(given.get("as"), place)}

    def _encoding(self, encoding: object) -> dict[str, Any]:
        given = _object(encoding, "encoding", allowed.CHANNELS)
        checked: dict[str, Any] = {}
        for channel, definition in given.items():
            place = f"encoding.{channel}"
            if channel in allowed.LISTED_CHANNELS and isinstance(definition, list):
                checked[channel] = [self._channel(one, place) for one in _list(definition, place)]
            else:
                checked[channel] = self._channel(definition, place)
        _require(bool(checked), "Its encoding is empty.")
        return checked

    def _channel(self, definition: object, place: str) -> dict[str, Any]:
        given = _object(definition, place, allowed.CHANNEL)
        checked: dict[str, Any] = {}
        for key, value in given.items():
            where = f"{place}.{key}"
            if key == "field":
                checked[key] = self._field(value, where)
            elif key in allowed.CHOICES:
                choices = allowed.CHOICES[key]
                _require(isinstance(value, (str, bool, type(None))) and value in choices, f"{where} is unknown.")
                checked[key] = value
            elif key in allowed.SETTINGS:
                checked[key] = None if value is None else self._settings(value, where, allowed.SETTINGS[key])
            elif key == "sort":
                checked[key] = self._sort(value, where)
            else:
                checked[key] = self._simple(value, where)
        return checked

    def _sort(self, sort: object, place: str) -> Any:
        if not isinstance(sort, Mapping):
            return self._simple(sort, place)
        given = _object(sort, place, allowed.SORT)
        return {k: self._field(v, place) if k == "field" else self._simple(v, place) for k, v in given.items()}

    def _settings(self, given: object, place: str, keys: frozenset[str]) -> dict[str, Any]:
        return {key: self._simple(value, f"{place}.{key}", key) for key, value in _object(given, place, keys).items()}

    def _simple(self, value: object, place: str, key: str = "") -> Any:
        """A value that is no object, but for the few that have two plain members; or a list of such values."""
        if isinstance(value, Mapping) and key in allowed.NESTED:
            return self._settings(value, place, allowed.NESTED[key])
        if isinstance(value, list):
            return [self._simple(one, place) for one in _list(value, place) if not isinstance(one, list) or _no(place)]
        if isinstance(value, str):
            self._require_plain(value, place)
            form = allowed.FORMS.get(key)
            _require(form is None or form.fullmatch(value) is not None, f"{place} has a form that is not allowed.")
            return value
        _require(value is None or isinstance(value, (bool, int, float)), f"{place} is not allowed.")
        # No infinity, and no number that no picture can have.
        _require(not isinstance(value, (int, float)) or abs(value) <= allowed.LARGEST, f"{place} is too large.")
        return value

    def _require_plain(self, text: str, place: str) -> None:
        _require(len(text) <= _LONGEST_TEXT, f"{place} is too long.")
        _require(is_writable(text), f"{place} has a character that is not allowed.")
        rest = text.lower()
        for name in self._names_with_addresses:
            rest = rest.replace(name, "")
        _require(_ADDRESS.search(rest) is None, f"{place} holds an address.")

    def _field(self, field: object, place: str) -> str:
        _require(isinstance(field, str) and field in self._fields, f"{place} is no column of the result.")
        return self._fields[str(field)]

    def _new_name(self, name: object, place: str) -> str:
        """A name that a transform makes."""
        _require(isinstance(name, str) and _NEW_NAME.fullmatch(name) is not None, f"{place}.as is not a plain name.")
        self._require_plain(str(name), place)
        self._fields.setdefault(str(name), str(name))
        return str(name)


_TRANSFORMS: Mapping[str, Callable[[_Checker, Mapping[str, Any], str], dict[str, Any]]] = {
    "fold": _Checker.fold,
    "aggregate": _Checker.aggregate,
    "timeUnit": _Checker.time_unit,
}


def _require(holds: bool, reason: str) -> None:
    if not holds:
        raise NoChart(reason)


def _no(place: str) -> bool:
    raise NoChart(f"{place} is nested too deeply.")


def _object(value: object, place: str, keys: frozenset[str]) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise NoChart(f"{place} is no object.")
    for key in value:
        if key not in keys:
            raise NoChart(f"{place} has a part that is not allowed.")
    return value


def _list(value: object, place: str) -> list[Any]:
    if not isinstance(value, list) or len(value) > _MOST_ITEMS:
        raise NoChart(f"{place} is no list, or too long.")
    return value


def _size(value: object, side: str) -> Any:
    if value == "container":
        return value
    if isinstance(value, Mapping):
        step = _object(value, side, frozenset({"step"})).get("step")
        if not _is_number(step) or not 0 < step <= 100:
            raise NoChart(f"{side}.step is not between 0 and 100.")
        return {"step": step}
    if not _is_number(value) or not 0 < value <= 2000:
        raise NoChart(f"{side} is not between 0 and 2000.")
    return value


def _is_one_of(value: object, choices: frozenset[str]) -> bool:
    return isinstance(value, str) and value in choices


def _is_number(value: object) -> TypeGuard[int | float]:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


@cache
def _validator() -> Validator | None:
    """Of a chart with one view; None without the extra. The schema is read from its package without importing that."""
    file = _schema_file()
    if file is None or not can_validate():
        return None
    from jsonschema import Draft7Validator

    definitions = json.loads(file.read_text(encoding="utf-8"))["definitions"]
    # What is checked has no data, which the whole schema requires and whoever draws it adds.
    unit = definitions["TopLevelUnitSpec"]
    unit["required"] = [name for name in unit.get("required", ()) if name != "data"]
    return Draft7Validator({"$ref": "#/definitions/TopLevelUnitSpec", "definitions": definitions})


def _schema_file() -> Path | None:
    spec = find_spec("altair")
    if spec is None or spec.origin is None:
        return None
    file = Path(spec.origin).parent / _LAID_OUT_BY
    return file if file.is_file() else None
