"""Relationships that are recommended: told by names, looked at in the data, and never ones that cannot hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from askwell.mdl.semantic_model import Cardinality
from askwell.mdl.validation import read_manifest
from askwell.pipelines.generation.recommending import WrittenRelationship
from askwell.services.recommendations.relationships import RecommendedRelationship, recommend_relationships
from askwell.services.value_probe import ValueProbe
from tests.services.recommendations.conftest import manifest, open_project, table
from tests.support.tables import case_rows

Make = Callable[[str], Path]

CUSTOMERS = table("customers", {"id": "INTEGER", "name": "VARCHAR", "badge": "VARCHAR"})
ORDERS = table("orders", {"id": "INTEGER", "customer_id": "INTEGER", "buyer": "INTEGER", "note": "VARCHAR"})
DATA = """
    CREATE TABLE customers (id INTEGER, name TEXT, badge TEXT);
    CREATE TABLE orders (id INTEGER, customer_id INTEGER, buyer INTEGER, note TEXT);
    INSERT INTO customers VALUES (1, 'A', 'x1'), (2, 'B', 'x2'), (3, 'B', 'x3');
    INSERT INTO orders VALUES (1, 1, 2, 'x1'), (2, 1, 3, 'x2'), (3, NULL, 3, 'zz');
"""


async def recommended(
    path: Path, mdl: dict[str, Any], *proposals: tuple[str, str, str, str], probed: bool = True
) -> tuple[RecommendedRelationship, ...]:
    async def write() -> Sequence[WrittenRelationship]:
        return [WrittenRelationship(*proposal, "It is so.") for proposal in proposals]

    async with open_project(path, mdl) as project:
        probe = ValueProbe(project.model, project.checker) if probed else None
        return await recommend_relationships(project.model, probe, write if proposals else None)


def links(found: Sequence[RecommendedRelationship]) -> dict[str, str]:
    return {f"{r.from_model}.{r.from_column} = {r.to_model}.{r.to_column}": str(r.type) for r in found}


async def test_a_name_and_the_values_tell_a_relationship_that_can_be_added_as_it_is(database: Make) -> None:
    mdl = manifest(CUSTOMERS, ORDERS)
    (one,) = await recommended(database(DATA), mdl)
    assert (one.from_model, one.from_column, one.to_model, one.to_column) == (
        "orders",
        "customer_id",
        "customers",
        "id",
    )
    assert one.type is Cardinality.MANY_TO_ONE
    assert one.reason == "customer_id names customers"
    assert one.evidence == "all 1 values looked at are there"
    assert one.confidence > 0.9
    entry = {
        "name": one.name,
        "models": [one.from_model, one.to_model],
        "joinType": one.type,
        "condition": f"{one.from_model}.{one.from_column} = {one.to_model}.{one.to_column}",
    }
    assert read_manifest({**mdl, "relationships": [entry]}).problems == ()


async def test_one_that_there_is_does_not_come_again(database: Make) -> None:
    mdl = manifest(CUSTOMERS, ORDERS, links=(("orders.customer_id", "customers.id"),))
    again = ("customers", "ID", "Orders", "customer_id")
    assert await recommended(database(DATA), mdl, again) == ()


async def test_values_speak_for_or_against_it_and_names_alone_are_less_sure(database: Make, tmp_path: Path) -> None:
    orphans = DATA + "INSERT INTO orders VALUES (9, 77, 1, '')"
    assert await recommended(database(orphans), manifest(CUSTOMERS, ORDERS)) == ()
    (tmp_path / "data.db").unlink()
    path = database(DATA)
    (one,) = await recommended(path, manifest(CUSTOMERS, ORDERS), probed=False)
    (seen,) = await recommended(path, manifest(CUSTOMERS, ORDERS))
    assert one.evidence == "its values were not looked at"
    assert one.confidence < seen.confidence


@pytest.mark.deep
@pytest.mark.parametrize(
    ("proposal", "found"),
    case_rows(__file__, "what_a_language_model_proposes_is_checked_like_the_rest", "proposal", "found"),
)
async def test_what_a_language_model_proposes_is_checked_like_the_rest(
    database: Make, proposal: tuple[str, str, str, str], found: dict[str, str]
) -> None:
    known = {"orders.customer_id = customers.id": "MANY_TO_ONE"}
    result = await recommended(database(DATA), manifest(CUSTOMERS, ORDERS), proposal)
    assert links(result) == known | found
    assert [one.confidence for one in result] == sorted((one.confidence for one in result), reverse=True)


async def test_a_side_that_is_not_declared_unique_has_to_be_so_in_the_data(database: Make) -> None:
    badges = DATA.replace("'zz'", "'x3'")
    proposal = ("orders", "note", "customers", "badge")
    assert "orders.note = customers.badge" in links(
        await recommended(database(badges), manifest(CUSTOMERS, ORDERS), proposal)
    )
    unprobed = await recommended(database("SELECT 1"), manifest(CUSTOMERS, ORDERS), proposal, probed=False)
    assert "orders.note = customers.badge" not in links(unprobed)


async def test_hidden_and_sensitive_columns_are_not_proposed_nor_looked_at(database: Make) -> None:
    hidden = table("orders", {"id": "INTEGER", "customer_id": "INTEGER"}, customer_id={"isHidden": True})
    path = database(DATA)
    assert await recommended(path, manifest(CUSTOMERS, hidden), ("orders", "customer_id", "customers", "id")) == ()
    private = {"properties": {"sensitive": True}}
    sensitive = table("orders", {"id": "INTEGER", "customer_id": "INTEGER"}, customer_id=private)
    (one,) = await recommended(path, manifest(CUSTOMERS, sensitive))
    assert one.evidence == "its values were not looked at"


async def test_two_columns_of_a_table_get_names_of_their_own(database: Make) -> None:
    mdl = manifest(CUSTOMERS, ORDERS)
    mdl["relationships"] = [
        {
            "name": "Orders_Customer_Id",
            "models": ["orders", "customers"],
            "joinType": "MANY_TO_ONE",
            "condition": "orders.buyer = customers.id",
        }
    ]
    (one,) = await recommended(database(DATA), mdl)
    assert one.name == "orders_customer_id_2"


async def test_texts_that_are_all_keys_tell_a_relationship_without_a_name_but_less_surely(database: Make) -> None:
    places = table("places", {"plate": "VARCHAR"}, key="plate")
    trips = table("trips", {"id": "INTEGER", "origin": "VARCHAR", "driver": "VARCHAR"})
    rows = "".join(f"INSERT INTO places VALUES ('{city}');" for city in ("KA", "HD", "MA", "S"))
    trip = "".join(f"INSERT INTO trips VALUES ({n}, '{city}', 'Z');" for n, city in enumerate(("KA", "MA", "S", "S")))
    script = (
        f"CREATE TABLE places (plate TEXT); CREATE TABLE trips (id INTEGER, origin TEXT, driver TEXT); {rows}{trip}"
    )
    (one,) = await recommended(database(script), manifest(places, trips))
    assert (one.from_column, one.to_column, one.evidence) == ("origin", "plate", "all 3 values looked at are there")
    assert 0.5 < one.confidence < 0.9
