"""Manifests with mistakes: the shop, with one to three of its values changed, removed or doubled."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st

from tests.mdl.shop import shop_mdl

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda children: st.lists(children, max_size=4) | st.dictionaries(st.text(), children, max_size=4),
    max_leaves=20,
)
# Values that are right for some other key.
NAMES = ["Orders", "Customers", "orders", "id", "VARCHAR", "MANY_TO_ONE", "x" * 300, "", "'", '"', "\x00", "@x"]
SQL = ["customer.country", "sum(orders.amount)", "a.x = b.y", "SELECT 1", "SELECT * FROM Orders", "((((", "--", "/*"]
WORDS = st.sampled_from(NAMES + SQL)
# fmt: off
KEYS = st.sampled_from([
    "name", "type", "expression", "isCalculated", "relationship", "models", "columns", "condition", "joinType",
    "refSql", "baseObject", "primaryKey", "statement", "properties", "measure", "dimension", "values", "tableReference",
    "views", "catalog", "schema", "dataSource", "relationships",
])
# fmt: on


@st.composite
def mutated_shops(draw: st.DrawFn) -> dict[str, Any]:
    """MDLs that may be good, or not."""
    mdl = shop_mdl()
    for _ in range(draw(st.integers(1, 3))):
        places = list(_places(mdl))
        holder, key = places[draw(st.integers(0, len(places) - 1))]
        match draw(st.sampled_from(["replace", "remove", "double", "rename"])):
            case "replace":
                holder[key] = draw(JSON | WORDS)
            case "remove":
                del holder[key]
            case "double" if isinstance(holder, list):
                holder.append(copy.deepcopy(holder[key]))
            case "rename" if isinstance(holder, dict):
                holder[draw(KEYS)] = holder.pop(key)
            case _:
                holder[key] = None
    return mdl


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every (container, key) in a JSON value."""
    for key in list(value) if isinstance(value, dict) else range(len(value)):
        yield value, key
        if isinstance(value[key], dict | list):
            yield from _places(value[key])
