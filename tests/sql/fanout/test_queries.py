"""What is found in queries of every shape, and that the text says what a person and a model have to know."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from askwell.mdl.semantic_model import SemanticModel
from tests.sql.fanout.shop import DDL, fan_outs, model

_QUERIES = Path(__file__).with_name("queries.txt")
_SHORT = re.compile(r"# (@\w+): (.+)")


def _cases() -> Iterator[tuple[str, str]]:
    text = _QUERIES.read_text(encoding="utf-8")
    short = dict(_SHORT.findall(text))
    for line in text.splitlines():
        if line.strip() and not line.startswith("#"):
            expected, _, sql = line.partition("| ")
            yield " ".join(expected.split()), re.sub(r"@\w+", lambda found: short[found[0]], sql.strip())


@pytest.fixture(scope="module")
def shop() -> SemanticModel:
    return model()


@pytest.fixture(scope="module")
def database() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        connection.execute(DDL)
        yield connection


@pytest.mark.parametrize(("expected", "sql"), list(_cases()))
def test_what_is_found(expected: str, sql: str, shop: SemanticModel, database: duckdb.DuckDBPyConnection) -> None:
    database.execute(f"EXPLAIN {sql}")
    found = " ".join(f"{'!' if one.inflates else '~'} {one.aggregate}" for one in fan_outs(sql, shop))
    assert found == expected


def test_there_are_enough_queries_of_each_kind() -> None:
    marks = [re.findall("[!~]", expected)[:1] for expected, _ in _cases()]
    assert [marks.count(kind) >= 12 for kind in (["!"], ["~"], [])] == [True, True, True]
    assert len(marks) >= 120
