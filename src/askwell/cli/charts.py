"""Charts of answers: as bars of letters for terminals, and in files."""

from __future__ import annotations

import asyncio
import json
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

import typer

from askwell.charts.choice import choose_chart
from askwell.charts.fields import field_of
from askwell.charts.labels import Labels
from askwell.charts.plan import Chart, with_cut
from askwell.charts.rendering import chart_values, with_data
from askwell.cli.ask import CHART_FORMATS, IN_TERMINAL
from askwell.cli.messages import shown, sql_of
from askwell.errors import AskwellError, ConfigurationError
from askwell.messages import say
from askwell.providers.engine.base import ResultColumn

# What letters can draw.
_DRAWN_AS_MEANT = frozenset({"bar", "grouped_bar", "stacked_bar"})
_EIGHTHS = " ▏▎▍▌▋▊▉█"
_PLAIN_BAR, _NEGATIVE = "#", "░"
_LONGEST_LABEL = 28
_LEAST_BAR, _MOST_BAR = 10, 60
# What a time unit keeps of an ISO text.
_KEPT_LETTERS = {"year": 4, "yearmonth": 7, "yearmonthdate": 10, "yearmonthdatehours": 13}

# Amounts by what they are of, for each series.
_Points = dict[str, dict[str, float]]


def print_told_chart(told: Mapping[str, Any]) -> None:
    """Print a chart as an agent tells it: `{chart_type, chart_schema}`, the schema with its data."""
    schema = told["chart_schema"]
    values = schema["data"]["values"]
    columns = [ResultColumn(name, "") for name in values[0]]
    chart = Chart("", told["chart_type"], {name: one for name, one in schema.items() if name != "data"})
    _print(chart, columns, [tuple(one.values()) for one in values])


def _print(chart: Chart, columns: Sequence[ResultColumn], rows: Sequence[Sequence[Any]]) -> None:
    plain, width = not (sys.stdout.encoding or "").lower().startswith("utf"), shutil.get_terminal_size().columns
    for line in text_chart(chart, columns, rows, width=width, plain=plain):
        typer.echo(line)


def text_chart(
    chart: Chart,
    columns: Sequence[ResultColumn],
    rows: Sequence[Sequence[Any]],
    *,
    width: int = 80,
    plain: bool = False,
) -> list[str]:
    """The lines of a chart of at most `width` letters; with `plain`, in ASCII but for the values themselves."""
    title = chart.chart_schema["title"]
    values = chart_values(chart.chart_schema, columns, rows)
    points = _points(chart.chart_schema, values, [column.name for column in columns])
    drawn = _bars(points, width, plain)
    return [shown(str(title), lines=False), "", *(line.rstrip() for line in drawn)]


def _points(schema: Mapping[str, Any], values: Sequence[Mapping[str, Any]], names: Sequence[str]) -> _Points:
    """The amounts that the chart shows, put together as it does it, in the order in which it does."""
    encoding = schema["encoding"]
    by_field = {field_of(name): name for name in names}
    channels = [encoding[name] for name in ("theta", "x", "y") if name in encoding]
    value = next(one for one in channels if one["type"] == "quantitative")
    base = next((one for one in channels if one is not value), None) or encoding["color"]
    series = encoding.get("color") if base is not encoding.get("color") else None
    found: dict[str, dict[str, list[float]]] = {}
    for row in _unfolded(schema, values, by_field):
        amount = row.get(by_field.get(value["field"], value["field"]))
        if isinstance(amount, (int, float)):
            line = _label(row, series, by_field) if series else ""
            found.setdefault(line, {}).setdefault(_label(row, base, by_field), []).append(amount)
    mean = value.get("aggregate") == "mean"
    points = {
        line: {label: sum(group) / (len(group) if mean else 1) for label, group in groups.items()}
        for line, groups in found.items()
    }
    return {line: dict(_sorted(groups, base)) for line, groups in points.items()}


def _unfolded(
    schema: Mapping[str, Any], values: Sequence[Mapping[str, Any]], by_field: Mapping[str, str]
) -> Iterator[Mapping[str, Any]]:
    """The rows, once for each amount that the chart turns into rows."""
    folds = [one for one in schema.get("transform", ()) if "fold" in one]
    for row in values:
        if not folds:
            yield row
        for field in folds[0]["fold"] if folds else ():
            key, amount = folds[0]["as"]
            name = by_field[field]
            yield {**row, key: name, amount: row[name]}


def _label(row: Mapping[str, Any], channel: Mapping[str, Any], by_field: Mapping[str, str]) -> str:
    value = row.get(by_field.get(channel["field"], channel["field"]))
    text = shown(str(value), lines=False)
    if unit := channel.get("timeUnit"):
        text = text.replace("T", " ")[: _KEPT_LETTERS.get(unit.removeprefix("utc"), 16)]
    return text if len(text) <= _LONGEST_LABEL else f"{text[: _LONGEST_LABEL - 1]}…"


def _sorted(points: Mapping[str, float], base: Mapping[str, Any]) -> list[tuple[str, float]]:
    sort = base.get("sort", "ascending")
    if isinstance(sort, list):
        places = {str(name): at for at, name in enumerate(sort)}
        return sorted(points.items(), key=lambda one: places.get(one[0], len(places)))
    if isinstance(sort, Mapping) or sort in ("-x", "-y"):
        return sorted(points.items(), key=lambda one: -one[1])
    # Time runs on; names that sort by themselves are numbers, in the order in which they came.
    return sorted(points.items()) if base.get("timeUnit") else list(points.items())


def _bars(points: _Points, width: int, plain: bool) -> Iterator[str]:
    labels = list(dict.fromkeys(label for groups in points.values() for label in groups))
    names = [*labels, *(f"  {line}" for line in points if line)]
    amounts = [amount for groups in points.values() for amount in groups.values()]
    beside = max(map(len, names), default=0)
    room = width - beside - max((len(_written(amount)) for amount in amounts), default=0) - 3
    room = max(_LEAST_BAR, min(room, _MOST_BAR))
    largest = max(map(abs, amounts), default=0) or 1
    for label in labels:
        if len(points) > 1:
            yield label
        for line, groups in points.items():
            if label in groups:
                name = f"  {line}" if len(points) > 1 else label
                bar = _bar(groups[label] / largest * room, plain)
                yield f"{name:<{beside}} {bar} {_written(groups[label])}"


def _bar(length: float, plain: bool) -> str:
    if length < 0:
        return (_PLAIN_BAR if plain else _NEGATIVE) * round(-length)
    if plain:
        return _PLAIN_BAR * round(length)
    whole, rest = divmod(round(length * 8), 8)
    return _EIGHTHS[8] * whole + (_EIGHTHS[rest] if rest else "")


def _written(amount: float) -> str:
    if amount == int(amount):
        return f"{int(amount):,}"
    return f"{amount:,.2f}" if abs(amount) >= 1 else f"{amount:.3g}"


def require_chart_file(target: str) -> None:
    """Raises `ConfigurationError` where no chart could be written there, before anything is asked."""
    if target == IN_TERMINAL:
        return
    file = Path(target)
    if file.suffix.lower() not in CHART_FORMATS:
        raise ConfigurationError(*say("cli.chart_kind", target=target, chart_formats=", ".join(CHART_FORMATS)))
    if not file.parent.is_dir() or file.is_dir():
        raise ConfigurationError(*say("cli.chart_not_writable", target=target))
    if file.suffix.lower() != ".json":
        from askwell.charts.rendering import ChartsNotInstalled, can_render

        if not can_render():
            raise ChartsNotInstalled


def chart_of(result: Mapping[str, Any], question: str) -> Chart:
    """The chart of an answer with rows."""
    if "data" not in result:
        return Chart("The answer has no rows to draw.", "")
    rows = result["data"]["rows"]
    chart = choose_chart(question, _columns(result), rows, sql=sql_of(result))
    return with_cut(chart, len(rows), Labels()) if result["data"].get("truncated") else chart


def print_chart(chart: Chart, result: Mapping[str, Any]) -> None:
    """Print the chart in the width of the terminal, and what was left out of it; or why there is none."""
    if not chart.chart_type:
        typer.echo(f"No chart: {chart.reasoning}")
        return
    as_meant = chart.chart_type in _DRAWN_AS_MEANT
    note = "" if as_meant else " A terminal shows it in bars; `askwell ask --chart FILE.svg` draws it as it is."
    reasons = f"{chart.reasoning}{note}".strip()
    _print(chart, _columns(result), result["data"]["rows"])
    if reasons:
        typer.echo(reasons)


def write_chart(chart: Chart, result: Mapping[str, Any], question: str, target: str) -> None:
    """Write the chart to the file. Raises `AskwellError` where there is none, or it cannot be written."""
    if not chart.chart_type:
        raise AskwellError(*say("cli.no_chart", reasoning=chart.reasoning))
    file = Path(target)
    content = asyncio.run(_content(chart, result, question, file.suffix.lower()))
    try:
        file.write_bytes(content)
    except OSError as error:
        raise AskwellError(*say("cli.file_not_writable", target=target, strerror=error.strerror)) from None


async def _content(chart: Chart, result: Mapping[str, Any], question: str, suffix: str) -> bytes:
    columns, rows = _columns(result), result["data"]["rows"]
    if suffix == ".json":
        return json.dumps(with_data(chart.chart_schema, columns, rows), ensure_ascii=False, indent=1).encode()
    from askwell.charts.rendering import ChartRenderer

    renderer = ChartRenderer()
    try:
        picture = await renderer.render(chart.chart_schema, columns, rows, "png" if suffix == ".png" else "svg")
    finally:
        await renderer.close()
    return picture if suffix != ".html" else _page(question, picture.decode()).encode()


def _page(question: str, svg: str) -> str:
    title = escape(question)
    return (
        f'<!doctype html><html><head><meta charset="utf-8"><title>{title}</title></head>'
        f'<body style="font-family:sans-serif;margin:2em"><h1 style="font-size:1.2em">{title}</h1>{svg}</body></html>\n'
    )


def _columns(result: Mapping[str, Any]) -> list[ResultColumn]:
    return [ResultColumn(column["name"], column.get("type", "")) for column in result["data"]["columns"]]
