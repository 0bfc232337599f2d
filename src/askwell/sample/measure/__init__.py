"""What `askwell measure` asks: three databases of invented trades, and questions with what is right.

No prompt, rule or weight is ever tuned on them, else they would say nothing of questions that nobody has seen.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

from askwell.resources import words_file


class MeasuredQuestion(NamedTuple):
    """A question of a database; any of the statements `golds` gives what is right. Without one the data does not hold
    what is asked."""

    database: str
    text: str
    golds: tuple[str, ...]


def measured_questions(limit: int | None = None) -> list[MeasuredQuestion]:
    """All questions, or the first ones: from each database in turn."""
    by_database = [
        [MeasuredQuestion(name, one["ask"], _golds(one.get("gold", []))) for one in asked]
        for name, asked in _file().items()
    ]
    return [one for turn in zip_longest(*by_database) for one in turn if one is not None][:limit]


def _golds(written: str | list[str]) -> tuple[str, ...]:
    return (written,) if isinstance(written, str) else tuple(written)


def _file() -> Mapping[str, list[Mapping[str, Any]]]:
    return words_file(__package__, "questions.yaml")


def make_databases(folder: Path) -> dict[str, Path]:
    """Write the DuckDB files into a folder; they are the same everywhere and always."""
    import duckdb

    here, made = files(__package__), {}
    for name in _file():
        made[name] = folder / f"{name}.duckdb"
        with duckdb.connect(str(made[name])) as connection:
            for script in ("macros.sql", f"{name}.sql"):
                connection.execute(here.joinpath(script).read_text(encoding="utf-8"))
    return made
