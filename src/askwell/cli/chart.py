"""`askwell ask --chart`: a chart of the answer, in the terminal or in a file."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from typer.core import TyperCommand

from askwell.errors import AskwellError, ConfigurationError

if TYPE_CHECKING:
    from askwell.charts.plan import Chart
    from askwell.providers.engine.base import ResultColumn

IN_TERMINAL = "-"
_OPTION = "--chart"
# What letters can draw.
_DRAWN_AS_MEANT = frozenset({"bar", "grouped_bar", "stacked_bar"})
_FORMATS = (".svg", ".png", ".html", ".json")


class AskCommand(TyperCommand):
    """The command with an option that may stand alone: what follows `--chart` is its file only if it looks like one."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """See `click.Command.parse_args`."""
        completed: list[str] = []
        for at, argument in enumerate(args):
            if argument == "--":
                completed.extend(args[at:])
                break
            completed.append(argument)
            if argument == _OPTION and not _is_file(args[at + 1] if at + 1 < len(args) else ""):
                completed.append(IN_TERMINAL)
        return super().parse_args(ctx, completed)


def _is_file(text: str) -> bool:
    name = Path(text)
    return (
        text == IN_TERMINAL
        or name.suffix.lower() in _FORMATS
        or (bool(name.suffix) and not any(map(str.isspace, text)))
    )


def require_chart_file(target: str) -> None:
    """Raises `ConfigurationError` where no chart could be written there, before anything is asked."""
    if target == IN_TERMINAL:
        return
    file = Path(target)
    if file.suffix.lower() not in _FORMATS:
        raise ConfigurationError(f"--chart: {target} is of no known kind.", f"Its name ends in {', '.join(_FORMATS)}.")
    if not file.parent.is_dir() or file.is_dir():
        raise ConfigurationError(f"--chart: {target} cannot be written.", "Name a file in a folder that exists.")
    if file.suffix.lower() != ".json":
        from askwell.charts.rendering import ChartsNotInstalled, can_render

        if not can_render():
            raise ChartsNotInstalled


def chart_of(result: Mapping[str, Any], question: str) -> Chart:
    """The chart of an answer with rows."""
    from askwell.charts.choice import choose_chart
    from askwell.charts.cut import with_cut
    from askwell.charts.labels import Labels
    from askwell.charts.plan import Chart

    if "data" not in result:
        return Chart("The answer has no rows to draw.", "")
    sql = "".join(answer["sql"] for answer in result.get("response", ())[:1])
    rows = result["data"]["rows"]
    chart = choose_chart(question, _columns(result), rows, sql=sql)
    return with_cut(chart, len(rows), Labels()) if result["data"].get("truncated") else chart


def show_chart(chart: Chart, result: Mapping[str, Any], *, width: int, plain: bool) -> list[str]:
    """The lines for a terminal: the chart, and what was left out of it; or why there is none."""
    from askwell.cli.text_chart import text_chart

    if not chart.chart_type:
        return [f"No chart: {chart.reasoning}"]
    lines = text_chart(chart, _columns(result), result["data"]["rows"], width=width, plain=plain)
    as_meant = chart.chart_type in _DRAWN_AS_MEANT
    note = "" if as_meant else " A terminal shows it in bars; `askwell ask --chart FILE.svg` draws it as it is."
    said = f"{chart.reasoning}{note}".strip()
    return [*lines, said] if said else lines


def write_chart(chart: Chart, result: Mapping[str, Any], question: str, target: str) -> None:
    """Write the chart to the file. Raises `AskwellError` where there is none, or it cannot be written."""
    if not chart.chart_type:
        raise AskwellError(f"No chart was written: {chart.reasoning}", "The answer stands above.")
    file = Path(target)
    content = asyncio.run(_content(chart, result, question, file.suffix.lower()))
    try:
        file.write_bytes(content)
    except OSError as error:
        raise AskwellError(f"{target} cannot be written: {error.strerror}.", "Name another file.") from None


async def _content(chart: Chart, result: Mapping[str, Any], question: str, suffix: str) -> bytes:
    from askwell.charts.drawing import with_data

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
    from askwell.providers.engine.base import ResultColumn

    return [ResultColumn(column["name"], column.get("type", "")) for column in result["data"]["columns"]]
