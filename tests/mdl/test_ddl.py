"""The text of a model for a prompt. `pytest --update-golden` rewrites the files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwell.mdl.ddl import model_ddl, table_ddl, written_name
from askwell.mdl.semantic_model import Cardinality, Column, ColumnRole, Relationship, Table, TableKind
from askwell.mdl.view import authorised_view
from tests.mdl.shop import read, shop_mdl

GOLDEN = Path(__file__).parent / "golden"
Golden = Callable[[Path, str], None]

_ORDERS = Table(
    name="orders",
    kind=TableKind.MODEL,
    display_name="Shop orders",
    description="One row for each order placed.",
    primary_key=("id",),
    columns=(
        Column("id", "BIGINT", display_name="Order number"),
        Column("status", "VARCHAR", description="State of the order", values=("open", "paid", "shipped")),
        Column("rating", "DOUBLE", role=ColumnRole.CALCULATED, expression="avg(reviews.score)", display_name="Rating"),
        Column("customer_id", "BIGINT"),
    ),
    properties={"join_hints": ["orders.status = states.code"]},
)
_TO_CUSTOMERS = Relationship("r", "orders", "customers", Cardinality.MANY_TO_ONE, (("customer_id", "id"),))


def test_the_whole_shop(golden: Golden) -> None:
    golden(GOLDEN / "shop.sql", model_ddl(authorised_view(read(shop_mdl()), "h")) + "\n")


def test_the_form(golden: Golden) -> None:
    golden(GOLDEN / "form.sql", table_ddl(_ORDERS, [_TO_CUSTOMERS]) + "\n")


def test_chosen_columns(golden: Golden) -> None:
    golden(GOLDEN / "chosen-columns.sql", table_ddl(_ORDERS, [_TO_CUSTOMERS], columns={"ID", "status"}) + "\n")


def test_odd_names_types_and_facts(golden: Golden) -> None:
    table = Table(
        name="order",
        kind=TableKind.MODEL,
        columns=(
            Column("first name", "VARCHAR(20)", synonyms=("given name",)),
            Column("Größe", "", unit="cm"),
            Column("at", "BIGINT", epoch="millis"),
            Column("doc", "JSON", properties={"json_type": "JSON", "json_fields": {"a.b": {"type": "INT"}}}),
            Column("amt", "INT", properties={"abbreviation_of": "amount"}),
            Column("code", "VARCHAR", values=tuple(f"v{number}" for number in range(60))),
        ),
        primary_key=("first name", "at"),
    )
    golden(GOLDEN / "odd.sql", table_ddl(table) + "\n")


def test_a_foreign_key_stands_at_the_many_side_once_and_needs_its_columns() -> None:
    one_to_many = Relationship("r", "customers", "orders", Cardinality.ONE_TO_MANY, (("id", "customer_id"),))
    line = "FOREIGN KEY (customer_id) REFERENCES customers(id)  -- MANY_TO_ONE"
    assert line in table_ddl(_ORDERS, [one_to_many])
    customers = Table("customers", TableKind.MODEL, (Column("id", "BIGINT"),))
    assert "FOREIGN KEY" not in table_ddl(customers, [one_to_many])
    assert "FOREIGN KEY" not in table_ddl(_ORDERS, [one_to_many], columns=["id"])
    guess = Relationship("r", "orders", "customers", Cardinality.MANY_TO_ONE, (("customer_id", "id"),), inferred=True)
    assert f"{line}, inferred" in table_ddl(_ORDERS, [guess])


def test_an_alias_that_only_respells_the_name_is_not_shown() -> None:
    columns = (Column("unit_price", "INT", display_name="Unit price"), Column("qty", "INT", display_name="Pieces"))
    text = table_ddl(Table("t", TableKind.MODEL, columns))
    assert "Unit price" not in text
    assert '{"alias": "Pieces"}' in text


def test_only_tables_that_are_shown_are_referred_to() -> None:
    text = model_ddl(authorised_view(read(shop_mdl()), "h"), ["orders", "Items"], {"Orders": ["id", "customer_id"]})
    assert "REFERENCES Orders(id)" in text
    assert "Customers" not in text


@pytest.mark.parametrize(
    ("name", "dialect", "written"),
    [
        ("orders", "duckdb", "orders"),
        ("Orders", "duckdb", "Orders"),
        ("Orders", "postgres", '"Orders"'),
        ("order", "sqlite", '"order"'),
        ("two words", "mysql", "`two words`"),
        ("orders", "snowflake", '"orders"'),
    ],
)
def test_names_are_quoted_where_they_have_to_be(name: str, dialect: str, written: str) -> None:
    assert written_name(name, dialect) == written


@given(st.text(), st.text())
def test_no_text_leaves_its_comment(described: str, expression: str) -> None:
    column = Column("a", "INT", role=ColumnRole.CALCULATED, expression=expression, description=described)
    table = Table("t", TableKind.MODEL, (column,), description=described, properties={"join_hints": [described]})
    lines = table_ddl(table).splitlines()
    code = [line for line in lines if not line.lstrip().startswith(("--", "/*"))]
    assert code == ["CREATE TABLE t (", "  a INT", ");"]
    assert sum(line.count("*/") for line in lines) == (1 if lines[0].startswith("/*") else 0)
