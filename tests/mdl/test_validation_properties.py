"""Whatever comes in, validation answers: a manifest or problems, never an exception."""

from __future__ import annotations

import copy
import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from askwell.mdl.ddl import model_ddl
from askwell.mdl.manifest import content_hash
from askwell.mdl.validation import ManifestReading, read_manifest
from askwell.mdl.view import authorised_view
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


def _is_answer(reading: ManifestReading) -> None:
    assert (reading.manifest is None) == bool(reading.problems)
    for problem in (*reading.problems, *reading.warnings):
        assert problem.where.strip()
        assert problem.what.strip()
        assert problem.todo.strip()
        assert "\n" not in str(problem)


@given(JSON)
def test_any_json_value_is_answered(value: Any) -> None:
    _is_answer(read_manifest(value))
    _is_answer(read_manifest(json.dumps(value)))


@given(st.text() | st.binary())
def test_any_text_is_answered(source: str | bytes) -> None:
    _is_answer(read_manifest(source))


@given(st.dictionaries(KEYS, JSON | WORDS))
def test_any_object_with_the_right_keys_is_answered(value: dict[str, Any]) -> None:
    _is_answer(read_manifest({"catalog": "c", "schema": "s", **value}))


@st.composite
def _mutated(draw: st.DrawFn) -> dict[str, Any]:
    """The shop with one to three of its values changed, removed or doubled."""
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


def _places(value: Any) -> Any:
    """Every (container, key) in a JSON value."""
    for key in list(value) if isinstance(value, dict) else range(len(value)):
        yield value, key
        if isinstance(value[key], dict | list):
            yield from _places(value[key])


@settings(max_examples=250, deadline=None)
@given(_mutated())
def test_any_mutation_of_a_good_manifest_is_good_or_has_problems(mdl: dict[str, Any]) -> None:
    reading = read_manifest(mdl)
    _is_answer(reading)
    if reading.manifest is not None:
        # What was found good can be used.
        view = authorised_view(reading.manifest, content_hash(reading.manifest))
        assert model_ddl(view) is not None
