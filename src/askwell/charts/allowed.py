"""What a chart may hold, place by place. Nothing here takes an expression, an address, a style sheet or markup."""

from __future__ import annotations

import re
from collections.abc import Mapping

TOP = frozenset({"$schema", "title", "data", "width", "height", "mark", "transform", "encoding"})
TITLE = frozenset({"text", "subtitle", "anchor", "fontSize", "offset"})

MARKS = frozenset({"bar", "line", "area", "arc", "point"})
MARK = frozenset(
    {"type", "tooltip", "point", "line", "opacity", "filled", "color", "size", "strokeWidth", "strokeJoin"}
    | {"interpolate"}
    | {"innerRadius", "outerRadius", "cornerRadius", "cornerRadiusEnd", "padAngle", "orient"}
)

CHANNELS = frozenset(
    {"x", "y", "xOffset", "yOffset", "color", "theta", "order", "opacity", "size", "detail", "tooltip"}
)
LISTED_CHANNELS = frozenset({"tooltip", "detail", "order"})
CHANNEL = frozenset(
    {"field", "type", "title", "aggregate", "timeUnit", "stack", "sort", "axis", "legend", "scale", "format", "bin"}
    | {"formatType", "value"}
)
SORT = frozenset({"field", "op", "order", "encoding"})

_SETTINGS_OF_SCALES = {"type", "zero", "nice", "domain", "range", "scheme", "reverse", "padding", "paddingInner"}
SETTINGS: Mapping[str, frozenset[str]] = {
    "axis": frozenset(
        {"title", "format", "formatType", "grid", "labels", "ticks", "domain", "labelAngle", "labelLimit", "orient"}
        | {
            "maxExtent",
            "labelOverlap",
            "tickCount",
            "tickMinStep",
            "values",
            "labelAlign",
            "labelFontSize",
            "titleFontSize",
        }
    ),
    "legend": frozenset({"title", "format", "formatType", "orient", "labelLimit", "columns", "direction"}),
    "scale": frozenset(_SETTINGS_OF_SCALES | {"paddingOuter"}),
}
# Settings that may be an object themselves.
NESTED: Mapping[str, frozenset[str]] = {
    "tickCount": frozenset({"interval", "step"}),
    "tooltip": frozenset({"content"}),
    "point": frozenset({"filled", "size"}),
    "line": frozenset({"strokeWidth"}),
}

OPERATIONS = frozenset({"sum", "mean", "average", "median", "min", "max", "count", "distinct"})
_UNITS = (
    *("year", "quarter", "month", "week", "day", "date", "hours", "minutes", "seconds", "hoursminutes", "monthdate"),
    *("yearquarter", "yearmonth", "yearmonthdate", "yearweek", "yearmonthdatehours", "yearmonthdatehoursminutes"),
    "yearmonthdatehoursminutesseconds",
)
TIME_UNITS = frozenset({*_UNITS, *(f"utc{unit}" for unit in _UNITS)})
CHOICES: Mapping[str, frozenset[str | bool | None]] = {
    "type": frozenset({"temporal", "quantitative", "nominal", "ordinal"}),
    "aggregate": OPERATIONS,
    "timeUnit": TIME_UNITS,
    "stack": frozenset({"zero", "normalize", "center", None, True, False}),
    "bin": frozenset({True, False, None}),
    "formatType": frozenset({"number", "time"}),
}

TRANSFORMS: Mapping[str, frozenset[str]] = {
    "fold": frozenset({"fold", "as"}),
    "aggregate": frozenset({"aggregate", "groupby"}),
    "timeUnit": frozenset({"timeUnit", "field", "as"}),
}

# d3's formats of numbers and of times, and colours: others make the renderer fail.
_NUMBERS = r"(?:.?[<>=^])?[+\-( ]?[$#]?0?\d{0,2},?(?:\.\d{1,2})?~?[a-zA-Z%]?"
_TIMES = r"(?:%[-_0]?[aAbBcdefgGHIjLmMpqQsSuUVwWxXyYZ%]|[\w\s.,:/\-'’()])*"
FORMS: Mapping[str, re.Pattern[str]] = {
    "format": re.compile(f"{_NUMBERS}|{_TIMES}"),
    "color": re.compile(r"#[0-9a-fA-F]{3,8}|[a-zA-Z]{3,30}"),
    # A curve that runs beyond its points shows values that are not there.
    "interpolate": re.compile("linear|monotone|step|step-before|step-after"),
    "strokeJoin": re.compile("round|bevel|miter"),
    "scheme": re.compile(r"[a-z0-9\-]{2,30}"),
}

LARGEST = 1e15
