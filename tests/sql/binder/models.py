"""A made-up model of a library."""

from __future__ import annotations

import sqlglot

from askwell.mdl.semantic_model import Column, SemanticModel, Table, TableKind
from askwell.sql.binder import bind
from askwell.sql.bound import BoundSql
from askwell.sql.outcome import RejectedSql


def table(name: str, **columns: str) -> Table:
    return Table(name, TableKind.MODEL, tuple(Column(column, kind) for column, kind in columns.items()))


def library(*more: Table) -> SemanticModel:
    tables = [
        table("Books", id="INT", title="VARCHAR", author_id="INT", pages="INT", price="DOUBLE", tags="VARCHAR[]"),
        table("authors", id="INT", first_name="VARCHAR", last_name="VARCHAR", born="DATE", mentor_id="INT"),
        table("loans", id="INT", book_id="INT", reader_id="INT", lent_on="DATE", due="DATE", info="JSON"),
        table("reading rooms", id="INT", city="VARCHAR", seats="INT"),
        *more,
    ]
    return SemanticModel("library", "DUCKDB", {t.name: t for t in tables})


def bound(sql: str, dialect: str = "duckdb", model: SemanticModel | None = None) -> BoundSql:
    outcome = bind(sqlglot.parse_one(sql, dialect=dialect), model or library(), dialect)
    assert isinstance(outcome, BoundSql), outcome
    return outcome


def rejected(sql: str, dialect: str = "duckdb", model: SemanticModel | None = None) -> RejectedSql:
    outcome = bind(sqlglot.parse_one(sql, dialect=dialect), model or library(), dialect)
    assert isinstance(outcome, RejectedSql), outcome.tree.sql(dialect)
    return outcome
