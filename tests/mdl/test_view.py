"""What the rest of the service gets to see of a manifest."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwell.mdl.kept_texts import TEXTS, with_texts_of
from askwell.mdl.manifest import content_hash
from askwell.mdl.prompt_schema import model_ddl
from askwell.mdl.semantic_model import Cardinality, Column, ColumnRole, SemanticModel, TableKind
from askwell.mdl.view import authorised_view
from tests.mdl.shop import calculated, plain, read, shop_mdl
from tests.support.tables import case_table


@pytest.fixture
def shop() -> SemanticModel:
    manifest = read(shop_mdl())
    return authorised_view(manifest, content_hash(manifest))


def _column(model: SemanticModel, table: str, column: str) -> Column:
    found = model.tables[table].column(column)
    assert found is not None
    return found


def test_models_come_first_then_views_metrics_and_cubes(shop: SemanticModel) -> None:
    assert {name: table.kind for name, table in shop.tables.items()} == {
        **dict.fromkeys(["Customers", "Orders", "Items", "Tags", "Staff", "Shipments"], TableKind.MODEL),
        **dict.fromkeys(["known_sales", "sales_by_name"], TableKind.VIEW),
        "revenue_by_country": TableKind.METRIC,
        "order_facts": TableKind.CUBE,
    }
    assert next(table.name for table in shop) == "Customers"


@pytest.mark.parametrize(
    ("written", "shown"),
    [("_order_state", "Order state"), ("__ID", "ID"), ("_", None), ("Order_state", "Order_state"), ("State", "State")],
)
def test_a_display_name_that_is_an_identifier_is_shown_as_words(written: str, shown: str | None) -> None:
    mdl = shop_mdl()
    mdl["models"][0]["properties"] = {"displayName": written}
    manifest = read(mdl)
    assert authorised_view(manifest, content_hash(manifest)).tables["Customers"].display_name == shown


def test_hidden_columns_and_relationship_columns_are_not_there(shop: SemanticModel) -> None:
    customers = shop.tables["Customers"]
    assert customers.column("secret") is None
    assert customers.column("orders") is None
    assert customers.column("NAME") == _column(shop, "Customers", "Name")


def test_nothing_in_the_view_names_a_hidden_column(shop: SemanticModel) -> None:
    """A calculated field or a view that reads one is there, but not the text that would give the column away."""
    loud = _column(shop, "Customers", "loud_secret")
    assert (loud.role, loud.expression) == (ColumnRole.CALCULATED, None)
    assert [column.name for column in shop.tables["known_sales"].columns] == ["Name", "amount"]
    assert shop.tables["known_sales"].statement is None
    everything = repr(shop)
    assert "secret" not in everything.replace("loud_secret", "")


def test_facts_about_tables_and_columns(shop: SemanticModel) -> None:
    customers = shop.tables["Customers"]
    assert customers.display_name == "People who buy"
    assert customers.description == "One row a person."
    assert customers.synonyms == ("clients",)
    assert customers.primary_key == ("id",)
    assert _column(shop, "Customers", "Name").essential
    assert _column(shop, "Orders", "amount").unit == "EUR"
    placed = _column(shop, "Orders", "placed_at")
    assert (placed.epoch, placed.sensitive) == ("seconds", True)
    assert _column(shop, "Orders", "share").expression == "amount / customer.revenue"


@pytest.mark.parametrize("written", [True, "true", "True ", 1, "ja"])
def test_a_column_is_sensitive_unless_that_is_denied(written: object) -> None:
    assert _with_flag("sensitive", written).sensitive


@pytest.mark.parametrize("written", [False, "false", 0, None, "", "no"])
def test_a_column_is_not_sensitive_where_that_is_denied(written: object) -> None:
    assert not _with_flag("sensitive", written).sensitive


def test_a_column_is_essential_where_that_is_said() -> None:
    assert [_with_flag("essential", written).essential for written in (True, "true", 1, "ja", "", False)] == [
        *(True, True, True),
        *(False, False, False),
    ]


def _with_flag(name: str, written: object) -> Column:
    pay = plain("pay", "INTEGER", properties={name: written})
    model = {"name": "people", "tableReference": {"table": "people"}, "columns": [pay]}
    mdl = {"catalog": "c", "schema": "s", "dataSource": "SQLITE", "models": [model]}
    return _column(authorised_view(read(mdl), "h"), "people", "pay")


def test_an_enum_column_has_its_values_as_the_database_holds_them(shop: SemanticModel) -> None:
    country = _column(shop, "Customers", "country")
    assert (country.type, country.values) == ("VARCHAR", ("DE", "FR"))


def test_part_of_a_key_is_no_key() -> None:
    mdl = shop_mdl()
    mdl["models"][2]["columns"][1]["isHidden"] = True
    assert authorised_view(read(mdl), "h").tables["Items"].primary_key == ()


def test_relationships_are_canonical_and_read_left_to_right(shop: SemanticModel) -> None:
    found = {link.name: link for link in shop.relationships}
    tags = found["items_tags"]
    assert (tags.left, tags.right, tags.cardinality) == ("Items", "Tags", Cardinality.ONE_TO_MANY)
    assert tags.pairs == (("order_id", "order_id"), ("line", "line"))
    assert found["staff_boss"].pairs == (("boss_id", "id"),)
    assert found["staff_boss"].inferred
    assert not found["orders_customer"].inferred


def test_a_join_over_a_hidden_column_is_not_there() -> None:
    mdl = shop_mdl()
    mdl["models"][1]["columns"][1]["isHidden"] = True
    view = authorised_view(read(mdl), "h")
    assert "orders_customer" not in {link.name for link in view.relationships}
    assert "orders_receiver" in {link.name for link in view.relationships}
    assert _column(view, "Orders", "country").expression == "customer.country"


@pytest.mark.parametrize("hint", case_table(__file__, "a_join_hint_that_gives_a_column_away_is_not_shown"))
def test_a_join_hint_that_gives_a_column_away_is_not_shown(hint: str) -> None:
    assert _hints_shown(hint) == []


@pytest.mark.parametrize("hint", case_table(__file__, "other_join_hints_are_shown"))
def test_other_join_hints_are_shown(hint: str) -> None:
    assert _hints_shown(hint) == [f"-- Join hint: {hint}"]


def test_a_visible_column_with_the_name_of_a_hidden_one_may_be_hinted_at() -> None:
    hint = "lower(Orders.status) is customers.country"
    mdl = shop_mdl()
    mdl["models"][4]["columns"].append(plain("country", "VARCHAR", isHidden=True))
    assert _hints_shown(hint, mdl) == [f"-- Join hint: {hint}"]


def _hints_shown(hint: str, mdl: dict[str, Any] | None = None) -> list[str]:
    mdl = mdl or shop_mdl()
    mdl["models"][1]["properties"] = {"join_hints": [hint]}
    return [line for line in model_ddl(authorised_view(read(mdl), "h")).splitlines() if "Join hint" in line]


def test_columns_of_views_come_from_their_statements(shop: SemanticModel) -> None:
    assert [(c.name, c.type) for c in shop.tables["sales_by_name"].columns] == [
        ("Name", "VARCHAR"),
        ("total", "DOUBLE"),
    ]
    assert shop.tables["sales_by_name"].question == "How much did each person buy?"
    assert shop.tables["sales_by_name"].view_id == "v-7"


def test_a_column_that_a_view_passes_on_keeps_what_is_known_of_it() -> None:
    mdl = shop_mdl()
    statement = (
        "WITH o AS (SELECT 1 AS one) SELECT c.*, upper(c.country) AS loud, amount AS value FROM Customers c, Orders"
    )
    mdl["views"].append({"name": "wide", "statement": statement})
    view = authorised_view(read(mdl), "h")
    columns = {column.name: column for column in view.tables["wide"].columns}
    assert "secret" not in columns
    assert columns["country"].values == ("DE", "FR")
    assert columns["value"].unit == "EUR"
    assert columns["loud"].type in ("TEXT", "VARCHAR")


def test_a_metric_has_dimensions_and_measures(shop: SemanticModel) -> None:
    metric = shop.tables["revenue_by_country"]
    assert metric.base == "Orders"
    assert [(c.name, c.role, c.expression) for c in metric.columns] == [
        ("country", ColumnRole.DIMENSION, None),
        ("revenue", ColumnRole.MEASURE, "sum(amount)"),
    ]
    assert metric.statement == 'SELECT "country" AS "country", SUM(amount) AS "revenue" FROM "Orders" GROUP BY 1'


def test_a_dimension_keeps_what_is_known_of_its_column() -> None:
    mdl = shop_mdl()
    mdl["cubes"][0]["dimensions"][0]["properties"] = {"displayName": "State"}
    state = _column(authorised_view(read(mdl), "h"), "order_facts", "state")
    assert (state.display_name, state.description) == ("State", "State of the order")


def test_a_metric_over_a_hidden_column_does_not_show_it() -> None:
    mdl = shop_mdl()
    measure = {"name": "secrets", "type": "BIGINT", "expression": "count(distinct secret)"}
    mdl["metrics"].append({"name": "known", "baseObject": "customers", "measure": [measure], "dimension": []})
    metric = authorised_view(read(mdl), "h").tables["known"]
    assert (metric.statement, metric.columns[0].expression) == (None, None)


def test_names_in_any_script() -> None:
    mdl = shop_mdl()
    mdl["models"][3]["name"] = "标签"
    mdl["models"][3]["columns"] = [plain("étiquette", "VARCHAR"), calculated("größe", "length(étiquette)", "BIGINT")]
    mdl["models"][2]["columns"] = mdl["models"][2]["columns"][:4]
    mdl["relationships"] = [entry for entry in mdl["relationships"] if entry["name"] != "items_tags"]
    view = authorised_view(read(mdl), "h")
    assert view.table("标签") is not None
    assert _column(view, "标签", "GRÖSSE".replace("SS", "ß")).role is ColumnRole.CALCULATED


def test_unique_keys_are_those_whose_every_column_can_be_named() -> None:
    mdl = shop_mdl()
    mdl["models"][0]["uniqueKeys"] = ["NAME", ["country", "name"], "secret", ["name", "secret"], ["Name"]]
    model = authorised_view(read(mdl), "h")
    assert model.tables["Customers"].unique_keys == (("Name",), ("country", "Name"))
    assert model.tables["Orders"].unique_keys == ()


# -- What people wrote of a model, in the model that takes its place.


NAMES = ("orders", "Orders2", "customers")
COLUMNS = ("id", "Status", "total")
# Texts as people write them, and the ways in which programs write none.
texts = st.sampled_from(["Where it stands.", "money", "größe"])
absent = st.sampled_from([None, "", "  "])
written = st.fixed_dictionaries(
    {},
    optional={
        "description": texts | absent,
        "displayName": texts | absent,
        "synonyms": st.lists(texts, max_size=2) | st.none(),
        "unit": texts,
    },
)


def column(properties: Any, name: str) -> dict[str, Any]:
    return {"name": name, "type": "INTEGER"} | ({} if properties is None else {"properties": properties})


columns = st.lists(
    st.builds(column, st.none() | written, st.sampled_from(COLUMNS)), max_size=3, unique_by=lambda one: one["name"]
)


@st.composite
def manifests(draw: st.DrawFn) -> dict[str, Any]:
    names = draw(st.lists(st.sampled_from(NAMES), unique=True))
    models = [{"name": name, "columns": draw(columns), "properties": draw(written)} for name in names]
    return {"catalog": "c", "schema": "s", "models": models, "properties": {"note": draw(texts)}}


def described_text(properties: Any) -> dict[str, Any]:
    """What GET /v1/semantics tells of an entry with these properties."""
    said = properties or {}
    told = {
        name: said[key].strip() for name, key in TEXTS.items() if name != "synonyms" and (said.get(key) or "").strip()
    }
    return {**told, "synonyms": said.get("synonyms") or []}


def described(manifest: dict[str, Any]) -> dict[str, Any]:
    tables = [
        {
            "name": model["name"],
            "kind": "model",
            **described_text(model.get("properties")),
            "columns": [{"name": one["name"], **described_text(one.get("properties"))} for one in model["columns"]],
        }
        for model in manifest["models"]
    ]
    return {"tables": tables}


def entries(manifest: dict[str, Any]) -> dict[tuple[str, ...], dict[str, Any]]:
    found: dict[tuple[str, ...], dict[str, Any]] = {}
    for model in manifest["models"]:
        found[(model["name"].lower(),)] = model
        found |= {(model["name"].lower(), one["name"].lower()): one for one in model["columns"]}
    return found


@given(manifests(), manifests())
def test_nothing_changes_but_texts_that_were_not_there(before: dict[str, Any], new: dict[str, Any]) -> None:
    given_before, given_new = copy.deepcopy(before), copy.deepcopy(new)
    kept = with_texts_of(described(before), new)
    assert (before, new) == (given_before, given_new)
    added = 0
    for place, entry in entries(kept.manifest).items():
        own, old = entries(new)[place], described_text(entries(before).get(place, {}).get("properties"))
        for name, key in TEXTS.items():
            was, now = (own.get("properties") or {}).get(key), (entry.get("properties") or {}).get(key)
            if was and (isinstance(was, list) or was.strip()):
                assert now == was
            elif old.get(name):
                assert now == old[name]
                added += 1
            else:
                assert now == was
            entry.get("properties", {}).pop(key, None)
            own.get("properties", {}).pop(key, None)
        if not own.get("properties"):
            own.pop("properties", None)
            entry.pop("properties", None)
    assert sum(kept.kept.values()) == added
    assert kept.manifest == new


@given(manifests(), manifests())
def test_what_was_written_is_kept_or_named(before: dict[str, Any], new: dict[str, Any]) -> None:
    kept = with_texts_of(described(before), new)
    told = {name.lower() for name in (*kept.lost, *kept.replaced)}
    for place, entry in entries(before).items():
        now = entries(kept.manifest).get(place)
        for name, text in described_text(entry.get("properties")).items():
            if text and (now is None or described_text(now.get("properties")).get(name) != text):
                assert ".".join(place) in told or place[0] in told


@given(manifests())
def test_the_same_model_again_is_the_same(model: dict[str, Any]) -> None:
    kept = with_texts_of(described(model), model)
    assert (kept.manifest, dict(kept.kept), kept.lost, kept.replaced) == (model, {}, (), ())


def current(*tables: dict[str, Any]) -> dict[str, Any]:
    return {"tables": [{"synonyms": [], "columns": [], **one} for one in tables]}


def test_a_dimension_does_not_keep_what_it_has_of_its_column() -> None:
    of_column = {"name": "country", "description": "Where they live.", "synonyms": []}
    of_dimension = {**of_column, "name": "land", "expression": "country", "display_name": "Land"}
    now = current(
        {"name": "customers", "kind": "model", "columns": [of_column]},
        {"name": "by_land", "kind": "metric", "description": "How many live there.", "columns": [of_dimension]},
    )
    metric = {"name": "by_land", "baseObject": "customers", "measure": []}
    metric["dimension"] = [{"name": "land", "type": "VARCHAR", "expression": "country"}]
    kept = with_texts_of(
        now, {"models": [{"name": "Customers", "columns": [{"name": "COUNTRY"}]}], "metrics": [metric]}
    )
    (model,), (metric,) = kept.manifest["models"], kept.manifest["metrics"]
    assert model["columns"][0]["properties"] == {"description": "Where they live."}
    assert metric["properties"] == {"description": "How many live there."}
    assert metric["dimension"][0]["properties"] == {"displayName": "Land"}
    assert dict(kept.kept) == {"description": 2, "display_name": 1}


def test_views_and_cubes_keep_theirs_and_columns_of_views_have_none() -> None:
    now = current(
        {"name": "best", "kind": "view", "synonyms": ["top"], "columns": [{"name": "x", "description": "of the base"}]},
        {"name": "sums", "kind": "cube", "columns": [{"name": "total", "description": "All of it.", "synonyms": []}]},
    )
    cube = {"name": "sums", "base_object": "orders", "measures": [{"name": "Total"}]}
    kept = with_texts_of(now, {"views": [{"name": "best", "statement": "SELECT 1"}], "cubes": [cube]})
    assert kept.manifest["views"][0]["properties"] == {"synonyms": ["top"]}
    assert kept.manifest["cubes"][0]["measures"][0]["properties"] == {"description": "All of it."}
    assert kept.lost == ()


def test_what_is_gone_is_named_once() -> None:
    noted = {"name": "note", "description": "Words.", "synonyms": []}
    now = current(
        {"name": "old", "kind": "model", "description": "Before.", "columns": [noted]},
        {"name": "orders", "kind": "model", "columns": [noted, {"name": "id", "synonyms": []}]},
        {"name": "silent", "kind": "model", "columns": [{"name": "id", "synonyms": []}]},
    )
    assert with_texts_of(now, {"models": [{"name": "orders", "columns": []}]}).lost == ("old", "orders.note")


def test_what_is_misshapen_stays_for_the_service_to_refuse() -> None:
    said = {"name": "orders", "kind": "model", "description": "Buys.", "columns": [{"name": "id", "synonyms": ["no"]}]}
    for wrong in (
        {"models": "none"},
        {"models": [1, {"name": 2}, {"name": "orders", "columns": {"id": 1}, "properties": "x"}]},
        {"models": [{"name": "orders", "columns": [None, {"name": None}], "properties": []}], "views": None},
        {"metrics": [{"name": "m", "baseObject": 7, "dimension": [{"name": "id", "expression": 3}]}]},
    ):
        assert json.dumps(with_texts_of(current(said), wrong).manifest) == json.dumps(wrong)
