"""Rows of an answer for programs and documents: CSV, TSV, JSON, NDJSON, Markdown."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any, TextIO

from askwell.errors import ConfigurationError


class RowFormat(StrEnum):
    """How rows are written. `table` is for people."""

    TABLE = "table"
    CSV = "csv"
    TSV = "tsv"
    JSON = "json"
    NDJSON = "ndjson"
    MARKDOWN = "markdown"


_BY_ENDING = {".csv": "csv", ".tsv": "tsv", ".json": "json", ".ndjson": "ndjson", ".jsonl": "ndjson", ".md": "markdown"}


def format_of(file: Path) -> RowFormat:
    """By the ending of its name. Raises `ConfigurationError` for another one."""
    found = _BY_ENDING.get(file.suffix.lower())
    if found is None:
        raise ConfigurationError(f"{file} is of no known kind.", f"Its name ends in {', '.join(_BY_ENDING)}.")
    return RowFormat(found)


def write_rows(data: Mapping[str, Any], form: RowFormat, out: TextIO) -> None:
    """Write `data` of a result object. Two columns of one name get numbers behind it where names have to differ."""
    names, rows = [column["name"] for column in data["columns"]], data["rows"]
    _WRITERS[form](names, rows, out)


def _separated(delimiter: str) -> Callable[[list[str], Sequence[Sequence[Any]], TextIO], None]:
    def write(names: list[str], rows: Sequence[Sequence[Any]], out: TextIO) -> None:
        writer = csv.writer(out, delimiter=delimiter, lineterminator="\n")
        writer.writerow(names)
        writer.writerows([_plain(cell) for cell in row] for row in rows)

    return write


def _plain(cell: Any) -> Any:
    return json.dumps(cell, ensure_ascii=False) if isinstance(cell, list | dict) else cell


def _json(names: list[str], rows: Sequence[Sequence[Any]], out: TextIO) -> None:
    out.write("[")
    for place, line in enumerate(_objects(names, rows)):
        out.write(f"{',' if place else ''}\n  {line}")
    out.write("\n]\n" if rows else "]\n")


def _ndjson(names: list[str], rows: Sequence[Sequence[Any]], out: TextIO) -> None:
    for line in _objects(names, rows):
        out.write(f"{line}\n")


def _objects(names: list[str], rows: Sequence[Sequence[Any]]) -> Iterator[str]:
    keys = list(_different(names))
    for row in rows:
        yield json.dumps(dict(zip(keys, row, strict=True)), ensure_ascii=False)


def _different(names: Sequence[str]) -> Iterator[str]:
    taken: set[str] = set()
    for name in names:
        key, number = name, 1
        while key in taken:
            number += 1
            key = f"{name}_{number}"
        taken.add(key)
        yield key


def _markdown(names: list[str], rows: Sequence[Sequence[Any]], out: TextIO) -> None:
    out.write(_markdown_row(names))
    out.write(_markdown_row(["---"] * len(names)))
    for row in rows:
        out.write(_markdown_row(["" if cell is None else str(_plain(cell)) for cell in row]))


def _markdown_row(cells: Sequence[str]) -> str:
    escaped = (" ".join(cell.replace("\\", "\\\\").replace("|", "\\|").split()) for cell in cells)
    return f"| {' | '.join(escaped)} |\n"


_WRITERS: Mapping[RowFormat, Callable[[list[str], Sequence[Sequence[Any]], TextIO], None]] = {
    RowFormat.CSV: _separated(","),
    RowFormat.TSV: _separated("\t"),
    RowFormat.JSON: _json,
    RowFormat.NDJSON: _ndjson,
    RowFormat.MARKDOWN: _markdown,
}
