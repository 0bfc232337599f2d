"""Charts that a language model or a client wrote: whether they may be drawn, and the form in which they are given out.

Two checks, and both have to pass. What a chart may hold is a list (`allowed.yaml`): a mark, channels on columns of the
result, three transforms, titles and a size. Whatever is not on it, expressions, addresses, images and links among it,
is refused. Then the whole is validated against Vega-Lite's own JSON schema, where the extra `charts` has brought it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from askwell.charts.columns import MeasuredColumn, Role, measure_columns
from askwell.charts.fields import field_of, is_drawable, is_writable
from askwell.charts.labels import words_of
from askwell.charts.plan import Chart, ChartPlan, NoChart, why_not_together
from askwell.charts.statement import with_statement
from askwell.charts.vega_spec import SCHEMA
from askwell.charts.words import ChartType
from askwell.providers.engine.base import ResultColumn
from askwell.resources import words_file

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError
    from jsonschema.protocols import Validator

_ADDRESS = re.compile(r"https?|://|javascript:|data:|^//", re.IGNORECASE)
_LARGEST = 1e15
# What is kept of a chart. Transforms make names that channels may use.
_PARTS = ("$schema", "title", "width", "height", "mark", "transform", "encoding")
_NAMED_COLUMNS = frozenset({"field", "fold", "groupby"})
_LAID_OUT_BY = "vegalite/v6/schema/vega-lite-schema.json"


def check_schema(schema: object, columns: Sequence[ResultColumn]) -> dict[str, Any] | NoChart:
    """The chart as it may be drawn over a result with these columns, or why not. Its data is left out, and fields are
    written as Vega-Lite reads them. A chart that cannot be validated, because the extra is missing, is refused."""
    checked = check_allowed(schema, columns)
    if isinstance(checked, NoChart):
        return checked
    validator = _validator()
    if validator is None:
        return NoChart("Checking it needs the packages of askwell[charts].")
    error = next(iter(validator.iter_errors(checked)), None)
    if error is None:
        return checked
    place = ".".join(map(str, error.absolute_path))
    return NoChart(f"It isn't valid Vega-Lite{f' at {place}' if place else ''}.")


def can_validate() -> bool:
    """Whether the extra that has Vega-Lite's JSON schema is installed. Imports nothing."""
    return _schema_file() is not None and find_spec("jsonschema") is not None


def check_allowed(schema: Any, columns: Sequence[ResultColumn]) -> dict[str, Any] | NoChart:
    """The chart with nothing in it but what the list has, or the first thing that is not on it."""
    from jsonschema.exceptions import best_match

    try:
        error = next(_allowed().iter_errors(schema), None)
        if error is not None:
            return NoChart(_refusal(best_match([error]) or error))
        return _Texts([column.name for column in columns]).chart(schema)
    except NoChart as refused:
        return refused
    except RecursionError:
        return NoChart("It is nested too deeply.")


def _refusal(error: ValidationError) -> str:
    """Why a place is not on the list, without the words that stand there."""
    place = ".".join(map(str, error.absolute_path)) or "The chart"
    wanted: Any = error.validator_value
    match error.validator:
        case "additionalProperties":
            return f"{place} has a part that is not allowed."
        case "required":
            return f"{place} needs {', '.join(wanted)}."
        case "enum":
            return f"{place} is none of {', '.join(map(str, wanted))}."
    return f"{place} is not allowed."


class _Texts:
    """Looks at the texts and numbers of a chart of the right shape, and writes columns as Vega-Lite reads them.
    `fields` are those that a channel may name, by how they may be written."""

    def __init__(self, names: Sequence[str]) -> None:
        columns = [name for name in names if is_drawable(name)]
        self._fields = {written: field_of(name) for name in columns for written in (name, field_of(name))}
        self._fields |= {field_of(name): field_of(name) for name in columns}
        labels = {text.lower() for name in columns for text in (name, field_of(name), words_of(name))}
        self._names_with_addresses = [name for name in labels if _ADDRESS.search(name)]

    def chart(self, given: Mapping[str, Any]) -> dict[str, Any]:
        mark = given["mark"]
        given = {**given, "mark": {"type": mark} if isinstance(mark, str) else mark}
        parts = [part for part in _PARTS if part in given and (given[part] or part != "transform")]
        return {part: self._checked(given[part], part, part) for part in parts}

    def _checked(self, value: Any, key: str, place: str) -> Any:
        if isinstance(value, Mapping):
            value = {"as": ["key", "value"], **value} if "fold" in value else value
            names = sorted(value, key=lambda name: name == "as")  # a new name is no column before it is made
            return {name: self._checked(value[name], name, f"{place}.{name}") for name in names}
        if isinstance(value, list):
            return [self._checked(one, key, place) for one in value]
        if isinstance(value, str) and key in _NAMED_COLUMNS:
            _require(value in self._fields, f"{place} isn't a column of the result.")
            return self._fields[value]
        if isinstance(value, str) and key != "$schema":
            self._require_plain(value, place)
        if key == "as":
            self._fields.setdefault(value, value)
        # No infinity, and no number that no picture can have.
        _require(not isinstance(value, (int, float)) or abs(value) <= _LARGEST, f"{place} is too large.")
        return value

    def _require_plain(self, text: str, place: str) -> None:
        _require(is_writable(text), f"{place} has a character that is not allowed.")
        rest = text.lower()
        for name in self._names_with_addresses:
            rest = rest.replace(name, "")
        _require(_ADDRESS.search(rest) is None, f"{place} holds an address.")


def _require(holds: bool, reason: str) -> None:
    if not holds:
        raise NoChart(reason)


@cache
def _allowed() -> Validator:
    from jsonschema import Draft202012Validator

    return Draft202012Validator(words_file("askwell.charts", "allowed.yaml"))


@cache
def _validator() -> Validator | None:
    """Of a chart with one view; None without the extra. The schema is read from its package without importing that."""
    file = _schema_file()
    if file is None or not can_validate():
        return None
    from jsonschema import Draft7Validator

    definitions = json.loads(file.read_text(encoding="utf-8"))["definitions"]
    # What is checked has no data, which the whole schema requires and the renderer adds.
    unit = definitions["TopLevelUnitSpec"]
    unit["required"] = [name for name in unit.get("required", ()) if name != "data"]
    return Draft7Validator({"$ref": "#/definitions/TopLevelUnitSpec", "definitions": definitions})


def _schema_file() -> Path | None:
    spec = find_spec("altair")
    if spec is None or spec.origin is None:
        return None
    file = Path(spec.origin).parent / _LAID_OUT_BY
    return file if file.is_file() else None


# Where null says something in Vega-Lite; elsewhere it is how models leave a part out.
_TELLING_NULLS = frozenset({"sort", "axis", "legend", "scale"})
_COUNTS = ("count", "distinct")
_DEPTH = 12


def read_chart(
    reasoning: str,
    schema: object,
    columns: Sequence[ResultColumn],
    rows: Sequence[Sequence[Any]],
    *,
    sql: str = "",
    dialect: str = "",
) -> Chart | NoChart:
    """The chart when it passes every check: the allow-list, Vega-Lite's own schema, types that fit the values, and the
    channels that its type needs. Where the statement sorts, axes of names keep its order."""
    checked = check_schema(_without_nulls(schema), columns)
    if isinstance(checked, NoChart):
        return checked
    kind = chart_type_of(checked)
    if not kind:
        return NoChart("Its mark lacks the channels that it needs: x and y, or theta and color.")
    measured = measure_columns(columns, rows)
    by_field = {field_of(one.name): one for one in measured}
    if reason := next(_type_errors(checked["encoding"], by_field), ""):
        return NoChart(reason)
    judged, is_ordered = with_statement(sql, measured, dialect)
    stated = {field_of(one.name): one for one in judged}
    if reason := _puts_final_together(checked, stated):
        return NoChart(reason)
    if is_ordered:
        for channel in ("x", "y"):
            definition = checked["encoding"].get(channel, {})
            if definition.get("type") in ("nominal", "ordinal"):
                definition.setdefault("sort", None)
    return Chart(reasoning, kind, {"$schema": SCHEMA, **checked})


def _puts_final_together(schema: Mapping[str, Any], by_field: Mapping[str, MeasuredColumn]) -> str:
    """Why the chart would average or add up what the result has averaged; "" where it does not."""
    encoding = schema["encoding"]
    shown = {
        channel: by_field.get(one.get("field", "")) for channel, one in encoding.items() if isinstance(one, Mapping)
    }
    kind = chart_type_of(schema)
    measures = [
        one for one in (shown.get(channel) for channel in ("y", "x", "theta")) if one and one.role is Role.MEASURE
    ]
    if not measures or "transform" in schema:
        return ""
    bases = [one for one in (shown.get("x"), shown.get("y"), shown.get("color")) if one and one is not measures[0]]
    tellers = [one for one in (shown.get("color"), shown.get("xOffset"), shown.get("yOffset")) if one]
    if not bases:
        return ""
    series = next((one for one in tellers if one is not bases[0]), None)
    return why_not_together(ChartPlan(kind, bases[0], (measures[0],), series), tuple(by_field.values()))


def chart_type_of(schema: Mapping[str, Any]) -> ChartType:
    """The type of a checked chart, by its mark and channels; "" where it is none of ours."""
    encoding = schema["encoding"]
    has = {channel for channel in encoding if isinstance(encoding[channel], Mapping) and _shows(encoding[channel])}
    mark = schema["mark"]["type"]
    if mark == "arc":
        return "pie" if {"theta", "color"} <= has else ""
    if not {"x", "y"} <= has:
        return ""
    base = {encoding[axis].get("field") for axis in ("x", "y")}
    has_series = "color" in has and encoding["color"].get("field") not in base
    match mark:
        case "bar":
            return "grouped_bar" if has & {"xOffset", "yOffset"} else "stacked_bar" if has_series else "bar"
        case "line":
            return "multi_line" if has_series else "line"
        case "area":
            return "area"
        case _:
            return ""


def _shows(definition: Mapping[str, Any]) -> bool:
    return "field" in definition or definition.get("aggregate") == "count"


def _type_errors(encoding: Mapping[str, Any], by_field: Mapping[str, MeasuredColumn]) -> Iterator[str]:
    """Types that the values of a column cannot have: amounts of text, times of numbers."""
    for channel, definition in encoding.items():
        for one in definition if isinstance(definition, list) else [definition]:
            column = by_field.get(one.get("field", ""))
            if column is None or one.get("aggregate") in _COUNTS:
                continue
            kind = one.get("type", "nominal")
            if kind == "quantitative" and not all(isinstance(value, (int, float)) for value in column.known):
                yield f"encoding.{channel}: {column.name} holds no numbers."
            if kind == "temporal" and column.role is not Role.TEMPORAL:
                yield f"encoding.{channel}: {column.name} holds no times; use nominal."


def _without_nulls(value: object, depth: int = 0) -> Any:
    if depth > _DEPTH:
        return value
    if isinstance(value, Mapping):
        items = value.items()
        return {k: _without_nulls(v, depth + 1) for k, v in items if v is not None or k in _TELLING_NULLS}
    if isinstance(value, list):
        return [_without_nulls(one, depth + 1) for one in value]
    return value
