"""A small model to ask about: two roles between the same models, synonyms, calculated fields, an enum, a yes-or-no
column, a metric; and the same bookshop as rows, for asking a real database."""

from __future__ import annotations

from askwell.mdl.semantic_model import (
    Cardinality,
    Column,
    ColumnRef,
    ColumnRole,
    Relationship,
    SampledValues,
    SemanticModel,
    Table,
    TableKind,
)
from askwell.semantic_parsing.reader import QuestionReader
from tests.support.tables import case_table

_MANY_TO_ONE = Cardinality.MANY_TO_ONE


def _table(name: str, *columns: Column, key: str | None = None, **more: object) -> Table:
    return Table(
        name=name,
        kind=TableKind.MODEL,
        columns=columns,
        primary_key=(key,) if key else (),
        **more,  # type: ignore[arg-type]
    )


def bookshop() -> SemanticModel:
    """Readers order books; an order is sent to one address and billed to another."""
    tables = (
        _table(
            "readers",
            Column("id", "INTEGER"),
            Column("name", "VARCHAR"),
            Column("email", "VARCHAR"),
            Column("nationality", "VARCHAR"),
            Column("segment", "VARCHAR"),
            Column("joined_on", "DATE"),
            Column("spent", "DOUBLE", ColumnRole.CALCULATED, "sum(orders.total)", display_name="Lifetime value"),
            key="id",
            synonyms=("customers",),
        ),
        _table("addresses", Column("id", "INTEGER"), Column("city", "VARCHAR"), key="id"),
        _table(
            "orders",
            Column("id", "INTEGER"),
            Column("reader_id", "INTEGER"),
            Column("billing_address_id", "INTEGER"),
            Column("shipping_address_id", "INTEGER"),
            Column("ordered_at", "TIMESTAMP", display_name="Order date"),
            Column("shipped_at", "TIMESTAMP", display_name="Shipping date"),
            Column("status", "order_status", values=("open", "paid", "shipped", "cancelled")),
            Column("total", "DOUBLE", display_name="Order value", synonyms=("revenue", "sales")),
            key="id",
        ),
        _table(
            "order_lines",
            Column("order_id", "INTEGER"),
            Column("book_id", "INTEGER"),
            Column("quantity", "INTEGER"),
        ),
        _table(
            "books",
            Column("id", "INTEGER"),
            Column("title", "VARCHAR"),
            Column("genre_id", "INTEGER"),
            Column("price", "DOUBLE"),
            Column("pages", "INTEGER"),
            Column("in_print", "BOOLEAN"),
            Column("rating", "DOUBLE", ColumnRole.CALCULATED, "avg(reviews.stars)"),
            key="id",
        ),
        _table("genres", Column("id", "INTEGER"), Column("name", "VARCHAR"), key="id"),
        _table(
            "reviews",
            Column("id", "INTEGER"),
            Column("book_id", "INTEGER"),
            Column("stars", "INTEGER"),
            Column("written_on", "DATE"),
            key="id",
        ),
        Table(
            "genre_earnings",
            TableKind.METRIC,
            (
                Column("region", "VARCHAR", ColumnRole.DIMENSION),
                Column("earnings", "DOUBLE", ColumnRole.MEASURE),
            ),
            base="orders",
        ),
    )
    relationships = (
        Relationship("order_reader", "orders", "readers", _MANY_TO_ONE, (("reader_id", "id"),)),
        Relationship("billing_address", "orders", "addresses", _MANY_TO_ONE, (("billing_address_id", "id"),)),
        Relationship("shipping_address", "orders", "addresses", _MANY_TO_ONE, (("shipping_address_id", "id"),)),
        Relationship("line_order", "order_lines", "orders", _MANY_TO_ONE, (("order_id", "id"),)),
        Relationship("line_book", "order_lines", "books", _MANY_TO_ONE, (("book_id", "id"),)),
        Relationship("book_genre", "books", "genres", _MANY_TO_ONE, (("genre_id", "id"),)),
        Relationship("review_book", "reviews", "books", _MANY_TO_ONE, (("book_id", "id"),)),
    )
    return SemanticModel("bookshop", "DUCKDB", {table.name: table for table in tables}, relationships)


VALUES: SampledValues = {
    ColumnRef("readers", "name"): ("Ada Byron", "Bo Lind", "Cy Marsh", "Di Stone"),
    ColumnRef("readers", "nationality"): ("French", "German", "Japanese"),
    ColumnRef("readers", "segment"): ("private", "library"),
    ColumnRef("addresses", "city"): ("Paris", "Berlin", "Kyoto"),
    ColumnRef("genres", "name"): ("Crime", "Poetry", "Travel"),
    ColumnRef("books", "title"): ("Red Fog", "Blue Hour", "Long Way", "Small Songs"),
}


def translator(dialect: str = "duckdb") -> QuestionReader:
    """A translator for the bookshop."""
    return QuestionReader(bookshop(), VALUES, dialect)


# Rows for the physical side: calculated fields are plain columns here, which is what a planner makes of them.
ROWS = case_table(__file__, "database")
