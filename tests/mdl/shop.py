"""A little shop as a manifest: every kind of thing that a manifest may hold, and rows to ask about."""

from __future__ import annotations

import copy
from typing import Any

from askwell.mdl.manifest import Manifest
from askwell.mdl.validation import read_manifest


def plain(name: str, kind: str = "INTEGER", **more: Any) -> dict[str, Any]:
    """A column that is in the database."""
    return {"name": name, "type": kind, **more}


def calculated(name: str, expression: str, kind: str = "DOUBLE", **more: Any) -> dict[str, Any]:
    """A calculated field."""
    return {"name": name, "type": kind, "isCalculated": True, "expression": expression, **more}


def handle(name: str, model: str, relationship: str) -> dict[str, Any]:
    """A relationship column."""
    return {"name": name, "type": model, "relationship": relationship}


def link(name: str, left: str, join_type: str, right: str, condition: str, **more: Any) -> dict[str, Any]:
    """A relationship."""
    return {"name": name, "models": [left, right], "joinType": join_type, "condition": condition, **more}


_CUSTOMERS = {
    "name": "Customers",
    "tableReference": {"schema": "main", "table": "cust"},
    "primaryKey": "id",
    "properties": {"displayName": "People who buy", "description": "One row a person.", "synonyms": ["clients"]},
    "columns": [
        plain("id", properties={"displayName": "Customer number"}),
        plain("Name", "VARCHAR", expression='"full name"', properties={"essential": True}),
        plain("country", "country_code"),
        plain("secret", "VARCHAR", isHidden=True),
        handle("orders", "Orders", "orders_customer"),
        calculated("order_count", "count(orders.id)", "BIGINT"),
        calculated("revenue", "coalesce(sum(orders.amount), 0)"),
        calculated("mean_order", "sum(orders.amount) / count(orders.id)"),
        calculated("double_revenue", "revenue * 2"),
        calculated("loud_secret", "upper(secret)", "VARCHAR"),
        calculated("pieces", "sum(orders.items.qty)"),
        calculated("large_orders", "count(orders.id) filter (where orders.amount > 15)", "BIGINT"),
        calculated("pieces_again", "sum(orders.pieces)"),
        calculated("states", "count(distinct orders.status)", "BIGINT"),
    ],
}
_ORDERS = {
    "name": "Orders",
    "tableReference": {"schema": "main", "table": "orders"},
    "primaryKey": "id",
    "columns": [
        plain("id"),
        plain("customer_id"),
        plain("ship_customer_id"),
        plain("amount", "DOUBLE", properties={"unit": "EUR"}),
        plain("status", "VARCHAR", properties={"description": "State of the order"}),
        plain("placed_at", "BIGINT", properties={"epoch": "seconds", "sensitive": True}),
        handle("customer", "Customers", "orders_customer"),
        handle("receiver", "Customers", "orders_receiver"),
        handle("items", "Items", "orders_items"),
        calculated("country", "customer.country", "VARCHAR"),
        calculated("receiver_country", "receiver.country", "VARCHAR"),
        calculated("share", "amount / customer.revenue"),
        calculated("pieces", "sum(items.qty)"),
        calculated("is_large", "amount > 15", "BOOLEAN"),
    ],
}
_ITEMS = {
    "name": "Items",
    "refSql": "SELECT order_id AS oid, line, qty FROM items WHERE qty > 0",
    "primaryKey": ["order_id", "line"],
    "columns": [
        plain("order_id", expression="oid"),
        plain("line"),
        plain("qty"),
        handle("order", "Orders", "orders_items"),
        handle("tags", "Tags", "items_tags"),
        calculated("country", "order.customer.country", "VARCHAR"),
        calculated("tag_count", "count(tags.tag)", "BIGINT"),
    ],
}
_TAGS = {
    "name": "Tags",
    "tableReference": {"table": "tags"},
    "columns": [plain("order_id"), plain("line"), plain("tag", "VARCHAR"), handle("item", "Items", "items_tags")],
}
_STAFF = {
    "name": "Staff",
    "tableReference": {"table": "staff"},
    "primaryKey": "id",
    "columns": [
        plain("id"),
        plain("boss_id"),
        plain("name", "VARCHAR"),
        handle("boss", "Staff", "staff_boss"),
        calculated("boss_name", "boss.name", "VARCHAR"),
        calculated("boss_of_boss", "boss.boss.name", "VARCHAR"),
    ],
}
_SHIPMENTS = {
    "name": "Shipments",
    "baseObject": "Orders",
    "primaryKey": "id",
    "columns": [plain("id"), plain("value", "DOUBLE", expression="amount"), plain("country", "VARCHAR")],
}
_SHOP: dict[str, Any] = {
    "catalog": "askwell",
    "schema": "main",
    "dataSource": "DUCKDB",
    "models": [_CUSTOMERS, _ORDERS, _ITEMS, _TAGS, _STAFF, _SHIPMENTS],
    "relationships": [
        link("orders_customer", "Orders", "MANY_TO_ONE", "Customers", "Orders.customer_id = Customers.id"),
        link("orders_receiver", "Orders", "MANY_TO_ONE", "Customers", '"Orders".ship_customer_id=Customers."id"'),
        link("orders_items", "Orders", "ONE_TO_MANY", "Items", "Orders.id = Items.order_id"),
        link("items_tags", "Items", "one_to_many", "Tags", "Items.order_id = Tags.order_id and (Tags.line=Items.line)"),
        link("staff_boss", "Staff", "MANY_TO_ONE", "Staff", "Staff.boss_id = Staff.id", properties={"inferred": True}),
    ],
    "enumDefinitions": [{"name": "country_code", "values": [{"name": "DE"}, {"name": "France", "value": "FR"}]}],
    "metrics": [
        {
            "name": "revenue_by_country",
            "baseObject": "Orders",
            "dimension": [{"name": "country", "type": "VARCHAR"}],
            "measure": [{"name": "revenue", "type": "DOUBLE", "expression": "sum(amount)"}],
        }
    ],
    "cubes": [
        {
            "name": "order_facts",
            "baseObject": "Orders",
            "dimensions": [{"name": "state", "type": "VARCHAR", "expression": "status"}],
            "measures": [{"name": "orders", "type": "BIGINT", "expression": "count(*)"}],
        }
    ],
    "views": [
        {
            "name": "known_sales",
            "statement": "SELECT c.Name, o.amount FROM orders o JOIN customers c ON o.customer_id = c.id"
            " WHERE c.secret <> 'x'",
        },
        {
            "name": "sales_by_name",
            "statement": "SELECT Name, sum(amount) AS total FROM known_sales GROUP BY 1",
            "properties": {"question": "How much did each person buy?", "viewId": "v-7"},
        },
    ],
}

# The rows. Order 13 has no customer, customer 3 no order; the item without pieces is not in the model Items.
SHOP_ROWS = """
create table cust (id int, "full name" varchar(20), country varchar(20), secret varchar(20));
insert into cust values (1, 'Ann', 'DE', 's'), (2, 'Bob', 'FR', 'x'), (3, 'Cy', 'FR', 'y');
create table orders (id int, customer_id int, ship_customer_id int, amount double precision, status varchar(20),
  placed_at int);
insert into orders values (10, 1, 2, 10, 'a', 0), (11, 1, 1, 20, 'b', 0);
insert into orders values (12, 2, 3, 30, 'a', 0), (13, null, 3, 5, 'c', 0);
create table items (order_id int, line int, qty int);
insert into items values (10, 1, 2), (10, 2, 3), (11, 1, 7), (12, 1, 0), (12, 2, 4);
create table tags (order_id int, line int, tag varchar(20));
insert into tags values (10, 1, 'x'), (10, 1, 'y'), (11, 1, 'z');
create table staff (id int, boss_id int, name varchar(20));
insert into staff values (1, null, 'Top'), (2, 1, 'Mid'), (3, 2, 'Low');
"""


def shop_mdl() -> dict[str, Any]:
    """The shop's MDL, to be changed at will."""
    return copy.deepcopy(_SHOP)


def read(mdl: dict[str, Any]) -> Manifest:
    """The manifest of an MDL that has to be good."""
    reading = read_manifest(mdl)
    assert reading.manifest is not None, [str(problem) for problem in reading.problems]
    return reading.manifest
