"""Where a model and its database do not agree."""

from __future__ import annotations

from askwell.mdl.validation import warnings_against
from askwell.providers.engine.base import PhysicalColumn, PhysicalSchema, PhysicalTable
from tests.mdl.shop import plain, read, shop_mdl

_COLUMNS = {
    "cust": ["id", "full name", "country", "secret"],
    "ORDERS": ["ID", "customer_id", "ship_customer_id", "amount", "status", "placed_at"],
    "items": ["order_id", "line", "qty"],
    "tags": ["order_id", "line", "tag"],
    "staff": ["id", "boss_id", "name"],
}


def _database(**changes: list[str]) -> PhysicalSchema:
    columns = _COLUMNS | changes
    return PhysicalSchema(
        tuple(
            PhysicalTable(name, "main", tuple(PhysicalColumn(column, "TEXT") for column in names))
            for name, names in columns.items()
            if names
        )
    )


def test_a_model_that_fits_its_database() -> None:
    assert warnings_against(read(shop_mdl()), _database()) == ()


def test_a_table_that_is_not_there() -> None:
    (warning,) = warnings_against(read(shop_mdl()), _database(staff=[], stafff=["id"]))
    assert warning.where == 'models[4] "Staff" . tableReference'
    assert 'no table "staff"' in warning.what
    assert warning.todo == "Nearest: stafff."


def test_columns_that_are_not_there() -> None:
    warnings = warnings_against(read(shop_mdl()), _database(cust=["id", "fullname", "country", "secret"], tags=["tag"]))
    assert [warning.where for warning in warnings] == [
        'models[0] "Customers" . columns[1] "Name"',
        'models[3] "Tags" . columns[0] "order_id"',
        'models[3] "Tags" . columns[1] "line"',
    ]
    assert warnings[0].what == 'the table cust has no column "full name"'
    assert warnings[0].todo == "Nearest: fullname."


def test_a_table_of_another_schema_does_not_count() -> None:
    mdl = shop_mdl()
    mdl["models"][0]["tableReference"]["schema"] = "archive"
    (warning,) = warnings_against(read(mdl), _database())
    assert warning.what == 'the table "cust" is not in the schema archive, but in main'


def test_every_name_in_an_expression_counts() -> None:
    mdl = shop_mdl()
    mdl["models"][4]["columns"].append(plain("label", "VARCHAR", expression="name || nickname"))
    (warning,) = warnings_against(read(mdl), _database())
    assert 'no column "nickname"' in warning.what
