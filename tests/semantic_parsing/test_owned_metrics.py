"""Figures that the owner of a model has defined are asked for by the names that they gave them."""

from __future__ import annotations

import pytest

from askwell.mdl.semantic_model import (
    Cardinality,
    Column,
    ColumnRole,
    Relationship,
    SemanticModel,
    Table,
    TableKind,
)
from askwell.semantic_parsing.reader import QuestionReader
from askwell.semantic_parsing.translation import Abstention, Translation


def _metric(name: str, base: str, *measures: Column) -> Table:
    return Table(name, TableKind.METRIC, measures, base=base)


def _reader(*metrics: Table) -> QuestionReader:
    products = Table(
        "products",
        TableKind.MODEL,
        (Column("id", "INTEGER"), Column("name", "VARCHAR"), Column("category", "VARCHAR")),
        primary_key=("id",),
    )
    lines = Table(
        "order_lines",
        TableKind.MODEL,
        (
            Column("id", "INTEGER"),
            Column("product_id", "INTEGER"),
            Column("paid", "DOUBLE"),
            Column("cost", "DOUBLE"),
            Column("is_returned", "INTEGER"),
        ),
        primary_key=("id",),
    )
    sold = Relationship("line_product", "order_lines", "products", Cardinality.MANY_TO_ONE, (("product_id", "id"),))
    tables = {table.name: table for table in (products, lines, *metrics)}
    return QuestionReader(SemanticModel("shop", "DUCKDB", tables, (sold,)), {}, "duckdb")


def _measure(name: str, expression: str, *synonyms: str) -> Column:
    return Column(name, "DOUBLE", ColumnRole.MEASURE, expression, synonyms=synonyms)


def test_a_measure_is_asked_for_by_its_name_and_grouped_by_what_its_base_joins() -> None:
    rate = _measure("return_rate", "100.0 * avg(is_returned)", "share of returns")
    reader = _reader(_metric("returns", "order_lines", rate))
    for question in ("return rate per category", "share of returns per category"):
        found = reader.translate(question)
        assert isinstance(found, Translation)
        assert found.sql == (
            "SELECT products.category, 100.0 * AVG(order_lines.is_returned) AS return_rate FROM products "
            "JOIN order_lines ON products.id = order_lines.product_id GROUP BY products.category"
        )


@pytest.mark.parametrize("first", [0, 1])
def test_measures_of_one_name_that_compute_different_things_are_told_apart_by_their_metrics(first: int) -> None:
    metrics = [
        _metric("gross_margin", "order_lines", _measure("margin", "sum(paid - cost)")),
        _metric("relative_margin", "order_lines", _measure("margin", "1 - sum(cost) / sum(paid)")),
    ]
    reader = _reader(metrics[first], metrics[1 - first])
    gross, relative = reader.translate("gross margin per category"), reader.translate("relative margin per category")
    assert isinstance(gross, Translation)
    assert "SUM(order_lines.paid - order_lines.cost) AS margin" in gross.sql
    assert isinstance(relative, Translation)
    assert "1 - SUM(order_lines.cost) / SUM(order_lines.paid) AS margin" in relative.sql
    assert isinstance(reader.translate("margin per category"), Abstention)


def test_what_aggregates_more_than_plain_columns_of_the_base_is_not_read() -> None:
    reader = _reader(_metric("puzzle", "order_lines", _measure("stickiness", "sum(paid) over ()")))
    assert isinstance(reader.translate("stickiness per category"), Abstention)
