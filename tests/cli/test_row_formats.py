"""Rows for programs: what a reader of each format gets back is what was there."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwell.cli.row_formats import RowFormat, format_of
from askwell.errors import ConfigurationError
from askwell.row_files.text import row_writer

CELLS = (
    st.none()
    | st.integers(-(10**6), 10**6)
    | st.text(st.characters(codec="utf-8", exclude_characters="\x00\r"), max_size=12)
)
TABLES = st.integers(1, 4).flatmap(lambda width: st.lists(st.lists(CELLS, min_size=width, max_size=width), max_size=5))


def written(form: RowFormat, names: list[str], rows: list[list[Any]]) -> str:
    out = io.StringIO()
    writer = row_writer(form, names, out)
    for row in rows:
        writer.write([row])
    writer.end()
    assert writer.count == len(rows)
    return out.getvalue()


def names_of(rows: list[list[Any]]) -> list[str]:
    return [f"c{place}" for place in range(len(rows[0]) if rows else 2)]


@given(TABLES)
def test_separated_values_come_back(rows: list[list[Any]]) -> None:
    names = names_of(rows)
    for form, delimiter in ((RowFormat.CSV, ","), (RowFormat.TSV, "\t")):
        back = list(csv.reader(io.StringIO(written(form, names, rows), newline=""), delimiter=delimiter))
        assert back == [names, *([str(c) if c is not None else "" for c in row] for row in rows)] or any(
            row == [None] or row == [""] for row in rows
        )


@given(TABLES)
def test_json_comes_back(rows: list[list[Any]]) -> None:
    names = names_of(rows)
    wanted = [dict(zip(names, row, strict=True)) for row in rows]
    assert json.loads(written(RowFormat.JSON, names, rows)) == wanted
    lines = written(RowFormat.NDJSON, names, rows).split("\n")
    assert [json.loads(line) for line in lines if line] == wanted


@given(TABLES)
def test_a_markdown_table_has_as_many_cells_in_each_line(rows: list[list[Any]]) -> None:
    names = names_of(rows)
    lines = written(RowFormat.MARKDOWN, names, rows).removesuffix("\n").split("\n")
    assert len(lines) == len(rows) + 2
    for line in lines:
        plain = line.replace("\\\\", "").replace("\\|", "")
        assert plain.count("|") == len(names) + 1


def test_columns_of_one_name_are_told_apart() -> None:
    assert json.loads(written(RowFormat.JSON, ["a", "a", "a_2"], [[1, 2, 3]])) == [{"a": 1, "a_2": 2, "a_2_2": 3}]


def test_the_ending_says_the_format() -> None:
    assert format_of(Path("x.CSV")) is RowFormat.CSV
    assert format_of(Path("x.jsonl")) is RowFormat.NDJSON
    assert format_of(Path("x.txt"), RowFormat.CSV) is RowFormat.CSV
    assert format_of(Path("x.md"), RowFormat.MARKDOWN) is RowFormat.MARKDOWN
    with pytest.raises(ConfigurationError, match="no known kind"):
        format_of(Path("x.xlsx"))
    with pytest.raises(ConfigurationError, match="is to be csv, and its name says json"):
        format_of(Path("x.json"), RowFormat.CSV)
    with pytest.raises(ConfigurationError, match="for people"):
        format_of(Path("x.txt"), RowFormat.TABLE)
