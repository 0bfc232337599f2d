"""Which names a list of tables holds: those alone that lead the database to a table that is listed."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlglot import parse_one

from askwell.mdl.expressions import Unreadable, read_query
from askwell.sql.table_list import TableList
from tests.support.tables import case_rows, case_table


def strange(patterns: list[str], sql: str, dialect: str) -> list[str]:
    return list(TableList(patterns, dialect).strange(parse_one(sql, dialect=dialect)))


@pytest.mark.parametrize(
    ("dialect", "patterns", "listed", "not_listed"),
    case_rows(__file__, "a_name_is_listed_as_the_database_reads_it", "dialect", "patterns", "listed", "not_listed"),
)
def test_a_name_is_listed_as_the_database_reads_it(
    dialect: str, patterns: list[str], listed: str, not_listed: str
) -> None:
    assert strange(patterns, f"SELECT 1 FROM {listed}", dialect) == []
    assert len(strange(patterns, f"SELECT 1 FROM {not_listed}", dialect)) == len(not_listed.split(", "))


@pytest.mark.parametrize("parts", [("public.orders",), ("x.public", "orders"), ("public", ""), ("", "", ""), ()])
def test_dots_within_names_and_missing_names_are_never_listed(parts: tuple[str, ...]) -> None:
    assert not TableList(["public.orders", "*", "public.*"], "postgres").has(parts)


# Two tables, each under several names, put together in all the ways that statements nest.
_NAMES = ["open", '"open"', "OPEN", "main.open", "shut", '"shut"', "Shut", "main.shut", "q", '"Shut"']
_names = st.sampled_from(_NAMES)


def _nested(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.builds("WITH {} AS ({}) {}".format, st.sampled_from(["open", "shut", '"Shut"', "q"]), inner, inner),
        st.builds("SELECT v FROM ({}) AS x".format, inner),
        st.builds("SELECT v FROM {} WHERE v IN ({})".format, _names, inner),
        st.builds("SELECT * FROM ({}) AS x UNION ALL SELECT * FROM ({}) AS y".format, inner, inner),
        st.builds("WITH a AS ({}), b AS ({}) SELECT v FROM b".format, inner, inner),
    )


_statements = st.recursive(st.builds("SELECT v FROM {}".format, _names), _nested, max_leaves=5)


@pytest.mark.parametrize("dialect", ["sqlite", "duckdb"])
@given(sql=_statements)
def test_what_passes_reads_a_listed_table_only(dialect: str, sql: str) -> None:
    tree = read_query(sql, dialect)
    assert not isinstance(tree, Unreadable)
    if not list(TableList(["open"], dialect).strange(tree)):
        assert "shut" not in str(_ON[dialect](tree.sql(dialect=dialect)))


_TABLES = case_table(__file__, "tables")


def _on_sqlite(sql: str) -> list[tuple[str, ...]]:
    with closing(sqlite3.connect(":memory:")) as connection:
        for statement in _TABLES:
            connection.execute(statement)
        try:
            return connection.execute(sql).fetchall()
        except sqlite3.Error:
            return []


def _on_duckdb(sql: str) -> list[tuple[str, ...]]:
    with _DUCKDB.cursor() as connection:
        try:
            return connection.execute(sql).fetchall()
        except duckdb.Error:
            return []


_ON = {"sqlite": _on_sqlite, "duckdb": _on_duckdb}
_DUCKDB = duckdb.connect(config={"threads": 1})
for _statement in _TABLES:
    _DUCKDB.execute(_statement)
