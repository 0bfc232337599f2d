"""A model from what a database declares about itself."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from askwell.mdl.importers import manifest_from_schema
from askwell.mdl.manifest import Manifest, content_hash
from askwell.mdl.validation import read_manifest, warnings_against
from askwell.mdl.view import authorised_view
from askwell.providers.engine.base import ForeignKey, PhysicalColumn, PhysicalSchema, PhysicalTable
from tests.support.examples import examples
from tests.support.tables import case_table


def _table(name: str, *columns: str, key: str = "", schema: str | None = None, **more: object) -> PhysicalTable:
    """From columns like `customer_id INT`."""
    parts = [(*column.rsplit(" ", 1), "INT")[:2] for column in columns]
    return PhysicalTable(
        name=name,
        schema=schema,
        columns=tuple(PhysicalColumn(column, kind) for column, kind in parts),
        primary_key=tuple(key.split()),
        **more,  # type: ignore[arg-type]
    )


def _imported(*tables: PhysicalTable) -> Manifest:
    manifest = manifest_from_schema(PhysicalSchema(tables), data_source="SQLITE")
    reading = read_manifest(manifest.wire(), data_source="SQLITE")
    assert reading.problems == ()
    assert reading.manifest is not None
    return reading.manifest


def _conditions(manifest: Manifest) -> list[str]:
    return [entry.condition.replace('"', "") for entry in manifest.relationships]


CUSTOMERS = _table("customers", "id", "name TEXT", key="id")


def test_tables_become_models_where_they_are() -> None:
    manifest = _imported(_table("order items", "id", "unit price REAL", key="id", schema="sales"))
    model = manifest.models[0]
    assert model.name == "order items"
    assert model.table_reference is not None
    assert (model.table_reference.schema_name, model.table_reference.table) == ("sales", "order items")
    assert model.primary_key == ("id",)
    assert [(column.name, column.type) for column in model.columns] == [("id", "INT"), ("unit_price", "REAL")]
    assert (model.columns[1].expression, model.columns[1].properties["displayName"]) == ('"unit price"', "unit price")


def test_columns_get_names_that_need_no_quotes() -> None:
    named = case_table(__file__, "named")
    columns = tuple(PhysicalColumn(name, "TEXT") for name in named)
    manifest = _imported(PhysicalTable("t", None, columns))
    assert [column.name for column in manifest.models[0].columns] == list(named.values())
    for own, column in zip(named, manifest.models[0].columns, strict=True):
        is_own = own == column.name
        assert column.expression == (None if is_own else f'"{own}"')
        assert is_own or column.properties["displayName"] == own


def test_names_that_people_can_read() -> None:
    manifest = manifest_from_schema(
        PhysicalSchema((_table("OrderItems", "unit_price", "qty", "name"),)),
        data_source="SQLITE",
        names={("orderitems", "qty"): "Number of pieces"},
    )
    shown = {column.name: column.properties.get("displayName") for column in manifest.models[0].columns}
    assert manifest.models[0].properties["displayName"] == "Order items"
    assert shown == {"unit_price": "Unit price", "qty": "Number of pieces", "name": None}


def test_foreign_keys_become_relationships() -> None:
    orders = _table(
        "orders",
        "id",
        "customer_id",
        "payer",
        key="id",
        foreign_keys=(
            ForeignKey(("customer_id",), "customers", ("id",)),
            ForeignKey(("payer",), "CUSTOMERS", ()),
            ForeignKey(("payer",), "nowhere", ("id",)),
            ForeignKey(("no_such",), "customers", ("id",)),
        ),
    )
    details = _table(
        "details", "order_id", "x", key="order_id", foreign_keys=(ForeignKey(("order_id",), "orders", ()),)
    )
    manifest = _imported(CUSTOMERS, orders, details)
    assert _conditions(manifest) == [
        "orders.customer_id = customers.id",
        "orders.payer = customers.id",
        "details.order_id = orders.id",
    ]
    assert [entry.join_type for entry in manifest.relationships] == ["MANY_TO_ONE", "MANY_TO_ONE", "ONE_TO_ONE"]
    assert len({entry.name for entry in manifest.relationships}) == 3
    assert not any(entry.properties.get("inferred") for entry in manifest.relationships)


def test_a_key_of_two_columns() -> None:
    lines = _table("lines", "order_id", "line", key="order_id line")
    tags = _table("tags", "o", "l", foreign_keys=(ForeignKey(("o", "l"), "lines", ("order_id", "line")),))
    assert _conditions(_imported(lines, tags)) == ["tags.o = lines.order_id AND tags.l = lines.line"]


def test_links_that_names_suggest_are_inferred_and_say_so() -> None:
    orders = _table("orders", "id", "customer_id", "shippingCustomerId", "amount REAL", key="id")
    manifest = _imported(CUSTOMERS, orders)
    # A role ("shipping") is not sure enough by its name alone.
    assert _conditions(manifest) == ["orders.customer_id = customers.id"]
    assert all(entry.properties["inferred"] for entry in manifest.relationships)
    assert manifest.relationships[0].properties["reason"] == "customer_id names customers"
    assert all(link.inferred for link in authorised_view(manifest, "h").relationships)


def test_what_is_not_inferred() -> None:
    assert _conditions(_imported(CUSTOMERS, _table("orders", "customer_id TEXT"))) == []  # another type
    assert _conditions(_imported(CUSTOMERS, _table("orders", "customer"))) == []  # no word for a key
    assert _conditions(_imported(_table("customers", "a", "b", key="a b"), _table("orders", "customer_id"))) == []
    assert _conditions(_imported(_table("train", "id", "train_number", key="id"))) == []  # its own number
    assert _conditions(_imported(_table("parts", "part_id", "parent_part_id", key="part_id"))) == []  # by values only
    twice = (_table("visits", "visit_id", key="visit_id"), _table("old_visits", "visit_id", key="visit_id"))
    assert _conditions(_imported(*twice, _table("notes", "visit_id"))) == []  # which of the two?
    assert _conditions(_imported(CUSTOMERS, _table("sums", "customer_id", is_view=True))) == []


def test_tables_of_the_same_name_in_two_schemas() -> None:
    manifest = _imported(_table("t", "a", schema="x"), _table("T", "a", schema="y"), _table("u", "a"))
    assert [model.name for model in manifest.models] == ["x_t", "y_T", "u"]


def test_names_that_no_query_can_carry() -> None:
    manifest = _imported(_table('we"ird', 'co"l', "co'l", "dup", "DUP", key='co"l'), _table("dual", "a"))
    assert [model.name for model in manifest.models] == ["we_ird", "t_dual"]
    model = manifest.models[0]
    assert [(column.name, column.expression) for column in model.columns] == [
        ("co_l", '"co""l"'),
        ("co_l_2", '"co\'l"'),
        ("dup", None),
    ]
    assert model.primary_key == ("co_l",)


def test_the_systems_own_tables_are_left_out() -> None:
    manifest = _imported(_table("sqlite_sequence", "a"), _table("t", "a"), _table("tables", "a", schema="sys"))
    assert [model.name for model in manifest.models] == ["t"]


def test_the_same_schema_gives_the_same_manifest() -> None:
    tables = (CUSTOMERS, _table("orders", "id", "customer_id", key="id"))
    assert content_hash(_imported(*tables)) == content_hash(_imported(*tables))


NAMES = st.text(min_size=1, max_size=8) | st.sampled_from(
    ["id", "customer_id", "Customers", "orders", "order", "select"]
)
TABLES = st.builds(
    PhysicalTable,
    name=NAMES,
    schema=st.none() | st.sampled_from(["main", "other"]),
    columns=st.lists(
        st.builds(PhysicalColumn, NAMES, st.sampled_from(["INT", "TEXT", "", "odd type(3)"])), max_size=4
    ).map(tuple),
    primary_key=st.lists(NAMES, max_size=2).map(tuple),
    foreign_keys=st.lists(
        st.builds(ForeignKey, st.tuples(NAMES), NAMES, st.tuples(NAMES) | st.just(())), max_size=2
    ).map(tuple),
)


@settings(max_examples=examples(150), deadline=None)
@given(st.lists(TABLES, max_size=5))
def test_any_database_gives_a_model_that_validates(tables: list[PhysicalTable]) -> None:
    tables.append(_table("always_there", "id"))
    physical = PhysicalSchema(tuple(tables))
    manifest = _imported(*tables)
    assert [w for w in warnings_against(manifest, physical) if "tableReference" in w.where] == []


def test_a_foreign_key_into_another_schema_leads_there_or_nowhere() -> None:
    key = ForeignKey(("customer",), "customers", ("id",), "crm")
    owner = _table("orders", "id", "customer", key="id", schema="sales", foreign_keys=(key,))
    own = _table("customers", "id", key="id", schema="sales")
    other = _table("customers", "id", key="id", schema="crm")
    manifest = _imported(owner, own, other)
    assert [link.models for link in manifest.relationships] == [("orders", _model_of(manifest, "crm", "customers"))]
    declared = [link for link in _imported(owner, own).relationships if not link.properties.get("inferred")]
    assert declared == []


def _model_of(manifest: Manifest, schema: str, table: str) -> str:
    places = {
        (m.table_reference.schema_name, m.table_reference.table): m.name for m in manifest.models if m.table_reference
    }
    return places[schema, table]
