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
ROWS = """
CREATE TABLE readers (id INTEGER, name VARCHAR, email VARCHAR, nationality VARCHAR, segment VARCHAR, joined_on DATE, spent DOUBLE);
INSERT INTO readers VALUES (1, 'Ada Byron', 'ada@example.org', 'French', 'private', '2023-05-01', 90.0),
  (2, 'Bo Lind', NULL, 'German', 'library', '2024-02-11', 10.0), (3, 'Cy Marsh', 'cy@example.org', 'French', 'private', '2024-03-09', 35.0),
  (4, 'Di Stone', 'di@example.org', 'Japanese', 'private', '2024-03-20', NULL);
CREATE TABLE addresses (id INTEGER, city VARCHAR);
INSERT INTO addresses VALUES (1, 'Paris'), (2, 'Berlin'), (3, 'Kyoto');
CREATE TABLE orders (id INTEGER, reader_id INTEGER, billing_address_id INTEGER, shipping_address_id INTEGER,
  ordered_at TIMESTAMP, shipped_at TIMESTAMP, status VARCHAR, total DOUBLE);
INSERT INTO orders VALUES (1, 1, 1, 1, '2024-01-05 10:00:00', '2024-01-31 23:30:00', 'shipped', 40.0),
  (2, 1, 1, 2, '2024-01-31 23:59:00', '2024-02-02 08:00:00', 'shipped', 50.0), (3, 2, 2, 1, '2024-02-14 09:00:00', NULL, 'paid', 10.0),
  (4, 3, 3, 3, '2023-12-31 12:00:00', NULL, 'cancelled', 35.0);
CREATE TABLE order_lines (order_id INTEGER, book_id INTEGER, quantity INTEGER);
INSERT INTO order_lines VALUES (1, 1, 2), (1, 2, 1), (2, 1, 5), (3, 3, 1), (4, 2, 2);
CREATE TABLE books (id INTEGER, title VARCHAR, genre_id INTEGER, price DOUBLE, pages INTEGER, in_print BOOLEAN, rating DOUBLE);
INSERT INTO books VALUES (1, 'Red Fog', 1, 12.0, 310, TRUE, 4.5), (2, 'Blue Hour', 2, 8.0, 90, FALSE, 3.0),
  (3, 'Long Way', 3, 15.0, 420, TRUE, NULL), (4, 'Small Songs', 2, 9.0, 60, TRUE, NULL);
CREATE TABLE genres (id INTEGER, name VARCHAR);
INSERT INTO genres VALUES (1, 'Crime'), (2, 'Poetry'), (3, 'Travel');
CREATE TABLE reviews (id INTEGER, book_id INTEGER, stars INTEGER, written_on DATE);
INSERT INTO reviews VALUES (1, 1, 5, '2024-03-01'), (2, 1, 4, '2024-03-02'), (3, 2, 3, '2024-04-01');
"""  # noqa: E501
