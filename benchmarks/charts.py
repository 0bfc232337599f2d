"""A page of pictures of charts, to look at: `python -m benchmarks.charts PAGE.html [--database FILE --questions FILE]`.

Without a database, the questions of `charts.json` are put to the sample shop. `--questions` names a file of the same
form: `[{"question", "sql"}]`, where SQL is the database's own.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
from dataclasses import dataclass
from datetime import date
from html import escape
from pathlib import Path

from askwell.charts.choice import choose_chart
from askwell.charts.plan import Chart
from askwell.charts.rendering import ChartRenderer
from askwell.providers.engine.base import Engine, QueryRows
from askwell.providers.engine.factory import create_engine
from askwell.sample.shop import generate_shop

_SHOP_QUESTIONS = Path(__file__).with_name("charts.json")
_TODAY = date(2026, 11, 1)
_HEAD = (
    "<!doctype html><meta charset=utf-8><title>Charts</title><style>body{font:14px sans-serif;margin:2em}"
    "main{display:grid;grid-template-columns:repeat(auto-fill,minmax(660px,1fr));gap:2em}"
    "figure{margin:0}svg{max-width:100%;height:auto}small{color:#667}</style><main>"
)


@dataclass(frozen=True)
class Picture:
    """A question with its chart; `svg` is empty where none makes sense."""

    question: str
    chart: Chart
    svg: str


def main() -> None:
    parser = argparse.ArgumentParser(description="A page of pictures of charts.")
    parser.add_argument("page", type=Path)
    parser.add_argument("--database", type=Path, help="a SQLite or DuckDB file instead of the sample shop")
    parser.add_argument("--questions", type=Path, default=_SHOP_QUESTIONS)
    chosen = parser.parse_args()
    pictures = asyncio.run(pictures_of(chosen.questions, chosen.database))
    chosen.page.write_text(page_of(pictures), encoding="utf-8")
    print(f"{len(pictures)} questions, {sum(bool(one.svg) for one in pictures)} charts: {chosen.page}")


async def pictures_of(questions: Path, database: Path | None = None) -> list[Picture]:
    """The charts of the questions in that file, over a database file or the sample shop."""
    with tempfile.TemporaryDirectory() as folder:
        if database is None:
            database = Path(folder) / "shop.duckdb"
            await asyncio.to_thread(generate_shop, database, _TODAY)
        kind = "duckdb" if database.suffix == ".duckdb" else "sqlite"
        engine, renderer = create_engine(kind, database), ChartRenderer()
        try:
            asked = json.loads(await asyncio.to_thread(questions.read_text, encoding="utf-8"))
            return [await _picture(engine, renderer, one["question"], one["sql"]) for one in asked]
        finally:
            await engine.close()
            await renderer.close()


async def _picture(engine: Engine, renderer: ChartRenderer, question: str, sql: str) -> Picture:
    result = await engine.execute(sql, row_limit=1_000, timeout=30)
    if not isinstance(result, QueryRows):
        raise SystemExit(f"{question}: {result.message}")
    chart = choose_chart(question, result.columns, result.rows, sql=sql, dialect=engine.dialect)
    svg = b""
    if chart.chart_type:
        svg = await renderer.render(chart.chart_schema, result.columns, result.rows)
    return Picture(question, chart, svg.decode())


def page_of(pictures: list[Picture]) -> str:
    """The pictures as one HTML page."""
    figures = (
        f"<figure><figcaption><b>{escape(one.question)}</b><br><small>{one.chart.chart_type or 'no chart'}: "
        f"{escape(one.chart.reasoning)}</small></figcaption>{one.svg}</figure>"
        for one in pictures
    )
    return _HEAD + "".join(figures) + "</main>"


if __name__ == "__main__":
    main()
