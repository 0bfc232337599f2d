"""dbt's manifest.json, whose form is that of dbt-core 1.11 (manifest v12) unless a test says otherwise."""

from __future__ import annotations

import copy
import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from askwell.errors import ConfigurationError
from askwell.mdl.importers.dbt import read_dbt
from askwell.mdl.importers.imported import ImportedModel, complete_types
from askwell.mdl.validation import read_manifest
from tests.support.examples import examples
from tests.support.tables import case_table


def model(name: str, *columns: str, **more: Any) -> dict[str, Any]:
    described = {column: {"name": column, "description": "", "data_type": "integer"} for column in columns}
    own = {"resource_type": "model", "name": name, "alias": name, "schema": "main", "database": "shop"}
    relation = f'"shop"."main"."{name}"'
    return own | {"package_name": "shop", "relation_name": relation, "config": {}, "columns": described} | more


def a_check(name: str, node: str, column: str = "", parent: str = "", **arguments: Any) -> dict[str, Any]:
    kwargs = {"column_name": column, "model": "{{ get_where_subquery(ref('x')) }}"} | arguments
    return {
        "resource_type": "test",
        "test_metadata": {"name": name, "kwargs": kwargs},
        "attached_node": f"model.shop.{node}",
        "column_name": column or None,
        "depends_on": {"nodes": [*([f"model.shop.{parent}"] if parent else []), f"model.shop.{node}"]},
        "config": {"where": None},
    }


def project(version: int = 12) -> dict[str, Any]:
    """Of customers, orders and their lines, with tests and constraints."""
    written = copy.deepcopy(case_table(__file__, "project"))
    written["metadata"]["dbt_schema_version"] = f"https://schemas.getdbt.com/dbt/manifest/v{version}.json"
    return written


def semantics() -> dict[str, Any]:
    """A semantic model of the orders, and metrics of which it has some."""
    return copy.deepcopy(case_table(__file__, "semantics"))


def imported(folder: Path, manifest: Any) -> ImportedModel:
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return read_dbt(folder / "manifest.json")


def valid(result: ImportedModel) -> dict[str, Any]:
    assert [str(one) for one in result.problems] == []
    complete_types(result.mdl, None)
    assert [str(one) for one in read_manifest(result.mdl).problems] == []
    return result.mdl


class TestModels:
    @pytest.mark.parametrize("version", [10, 11, 12, 13])
    def test_models_keys_references_and_values(self, tmp_path: Path, version: int) -> None:
        mdl = valid(imported(tmp_path, project(version)))
        assert mdl["dataSource"] == "DUCKDB"
        models = {one["name"]: one for one in mdl["models"]}
        assert sorted(models) == ["customers", "lines", "orders"]
        assert models["customers"]["tableReference"] == {"table": "dim_customers", "schema": "main", "catalog": "shop"}
        assert models["customers"]["properties"] == {"description": "One row for each customer."}
        assert [models[name]["primaryKey"] for name in sorted(models)] == [
            "customer_id",
            ["order_id", "line_no"],
            "order_id",
        ]
        assert models["customers"]["columns"][0] == {"name": "customer_id", "type": "integer", "notNull": True}
        assert [one["condition"] for one in mdl["relationships"]] == [
            '"lines"."order_id" = "orders"."order_id"',
            '"orders"."customer_id" = "customers"."customer_id"',
        ]
        assert mdl["enumDefinitions"] == [{"name": "customers.country", "values": [{"name": "DE"}, {"name": "AT"}]}]

    def test_a_unique_column_that_may_be_empty_is_no_primary_key(self, tmp_path: Path) -> None:
        manifest = project()
        del manifest["nodes"]["test.shop.t1"]
        customers = next(one for one in valid(imported(tmp_path, manifest))["models"] if one["name"] == "customers")
        assert "primaryKey" not in customers
        assert customers["uniqueKeys"] == ["customer_id"]

    def test_a_test_with_a_condition_says_nothing_of_the_other_rows(self, tmp_path: Path) -> None:
        manifest = project()
        manifest["nodes"]["test.shop.t3"]["config"]["where"] = "status = 'paid'"
        orders = next(one for one in valid(imported(tmp_path, manifest))["models"] if one["name"] == "orders")
        assert "primaryKey" not in orders

    def test_accepted_values_that_are_no_texts_are_left_out(self, tmp_path: Path) -> None:
        manifest = project()
        manifest["nodes"]["test.shop.t9"] = a_check(
            "accepted_values", "lines", "line_no", values=["1", "2"], quote=False
        )
        enums = valid(imported(tmp_path, manifest))["enumDefinitions"]
        assert [one["name"] for one in enums] == ["customers.country"]

    def test_two_packages_with_a_model_of_one_name(self, tmp_path: Path) -> None:
        manifest = project()
        manifest["nodes"]["model.crm.orders"] = model("orders", "id", package_name="crm")
        names = {one["name"] for one in valid(imported(tmp_path, manifest))["models"]}
        assert names == {"customers", "lines", "shop_orders", "crm_orders"}

    def test_a_reference_to_a_source_is_told(self, tmp_path: Path) -> None:
        manifest = project()
        manifest["nodes"]["test.shop.t9"] = a_check("relationships", "orders", "status", field="id")
        manifest["nodes"]["test.shop.t9"]["depends_on"]["nodes"] = ["source.shop.raw.states", "model.shop.orders"]
        manifest["nodes"]["test.shop.t9"]["test_metadata"]["kwargs"]["to"] = "source('raw', 'states')"
        result = imported(tmp_path, manifest)
        assert len(valid(result)["relationships"]) == 2
        assert any("relationships of status leads to nothing" in str(one) for one in result.warnings)

    @pytest.mark.parametrize("tested_first", [True, False])
    @pytest.mark.parametrize("says_model", [True, False])
    def test_without_an_attached_node_the_tested_model_is_the_one_with_the_column(
        self, tmp_path: Path, tested_first: bool, says_model: bool
    ) -> None:
        manifest = project(10)
        for node in manifest["nodes"].values():
            if node["resource_type"] == "test":
                node.pop("attached_node")
                node["test_metadata"]["kwargs"].pop("model")
        reference = manifest["nodes"]["test.shop.t5"]
        reference["depends_on"]["nodes"].sort(reverse=tested_first)
        reference["test_metadata"]["kwargs"]["to"] = "ref('shop', 'customers')"
        if says_model:
            reference["test_metadata"]["kwargs"]["model"] = "{{ get_where_subquery(ref('orders')) }}"
        mdl = valid(imported(tmp_path, manifest))
        assert [one["condition"] for one in mdl["relationships"]] == [
            '"lines"."order_id" = "orders"."order_id"',
            '"orders"."customer_id" = "customers"."customer_id"',
        ]

    def test_a_test_that_may_be_about_several_models_is_told(self, tmp_path: Path) -> None:
        manifest = project(10)
        check = a_check("unique", "orders", "order_id", "lines")
        del check["attached_node"], check["test_metadata"]["kwargs"]["model"], manifest["nodes"]["test.shop.t3"]
        manifest["nodes"]["test.shop.t9"] = check
        result = imported(tmp_path, manifest)
        assert any("unique of order_id may be about several models" in str(one) for one in result.warnings)
        assert {one["name"]: one.get("primaryKey") for one in valid(result)["models"]}["orders"] is None

    def test_a_reference_from_a_column_to_itself_is_told(self, tmp_path: Path) -> None:
        manifest = project()
        manifest["nodes"]["test.shop.t9"] = a_check(
            "relationships", "orders", "order_id", to="ref('orders')", field="ORDER_ID"
        )
        result = imported(tmp_path, manifest)
        assert len(valid(result)["relationships"]) == 2
        assert any("leads from the column to itself" in str(one) for one in result.warnings)

    def test_models_whose_columns_are_not_written_down_are_told(self, tmp_path: Path) -> None:
        assert any(
            "name no columns and are left out: bare" in str(one) for one in imported(tmp_path, project()).warnings
        )


class TestMetrics:
    def test_simple_metrics_are_a_cube_and_the_others_are_told(self, tmp_path: Path) -> None:
        result = imported(tmp_path, project() | semantics())
        (cube,) = valid(result)["cubes"]
        assert (cube["name"], cube["baseObject"]) == ("orders_metrics", "orders")
        assert [one["name"] for one in cube["dimensions"] + cube["timeDimensions"]] == ["state", "ordered_at"]
        assert cube["measures"] == [
            {
                "name": "paid",
                "type": "DOUBLE",
                "expression": 'sum("amount") FILTER (WHERE ("status" = \'paid\'))',
                "properties": {"displayName": "Paid"},
            },
            {
                "name": "number",
                "type": "BIGINT",
                "expression": 'count("order_id")',
                "properties": {"displayName": "number"},
            },
        ]
        assert any("left out: abroad, slow and ratio" in str(one) for one in result.warnings)

    def test_metrics_without_measures(self, tmp_path: Path) -> None:
        own = {"semantic_model": "orders", "agg": "max", "expr": "amount", "agg_time_dimension": "ordered_at"}
        manifest = project() | semantics()
        manifest["metrics"] = {
            "metric.shop.n": {
                "name": "largest",
                "type": "simple",
                "type_params": {"measure": None, "metric_aggregation_params": own},
            }
        }
        (cube,) = valid(imported(tmp_path, manifest))["cubes"]
        assert cube["measures"] == [{"name": "largest", "type": "decimal(10,2)", "expression": 'max("amount")'}]


class TestWhatCannotBeRead:
    @pytest.mark.parametrize("version", [9, 14, 20])
    def test_other_versions(self, tmp_path: Path, version: int) -> None:
        (told,) = imported(tmp_path, project(version)).problems
        assert f"version {version}, and 10 to 13 can be read" in str(told)

    @pytest.mark.parametrize("manifest", [[], {}, {"metadata": {}}, {"models": []}, 3, {"metadata": [1]}])
    def test_other_json(self, tmp_path: Path, manifest: Any) -> None:
        (told,) = imported(tmp_path, manifest).problems
        assert "no manifest of dbt" in str(told)

    @pytest.mark.parametrize("nodes", [{}, {"a": 3}, {"model.a": model("a")}, []])
    def test_a_project_without_anything(self, tmp_path: Path, nodes: Any) -> None:
        assert imported(tmp_path, project() | {"nodes": nodes}).problems

    @pytest.mark.parametrize("content", [b"{", b"\xff\xfe\x00", b"[" * 100_000])
    def test_what_is_no_json(self, tmp_path: Path, content: bytes) -> None:
        (tmp_path / "manifest.json").write_bytes(content)
        with pytest.raises(ConfigurationError):
            read_dbt(tmp_path / "manifest.json")


@settings(max_examples=examples(120))
@given(seed=st.integers(0, 10**9))
def test_a_damaged_manifest_comes_back_as_a_model_or_as_problems(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    rng = random.Random(seed)
    manifest = copy.deepcopy(project() | semantics())
    for _ in range(rng.randrange(1, 6)):
        damage(manifest, rng)
    result = imported(tmp_path_factory.mktemp("dbt"), manifest)
    if not result.problems:
        complete_types(result.mdl, None)
        read_manifest(result.mdl)


def damage(value: Any, rng: random.Random) -> None:
    """Change one place below `value` into something else."""
    while isinstance(value, dict | list) and value:
        key: Any = rng.choice(list(value)) if isinstance(value, dict) else rng.randrange(len(value))
        if rng.random() < 0.25 or not isinstance(value[key], dict | list) or not value[key]:
            if key != "metadata":
                value[key] = rng.choice(
                    [None, 3, "", "x", [], {}, [None], {"name": 5}, True, ["a", 3], "ref('orders')"]
                )
            return
        value = value[key]


def test_the_latest_version_of_a_model_has_its_plain_name(tmp_path: Path) -> None:
    document = project()
    for version in (1, 2):
        versions = {"version": version, "latest_version": 2, "alias": f"carts_v{version}"}
        document["nodes"][f"model.shop.carts.v{version}"] = model("carts", "cart_id", **versions)
    path = tmp_path / "manifest.json"
    path.write_text(json.dumps(document))
    result = read_dbt(path)
    tables = {one["name"]: one["tableReference"]["table"] for one in result.mdl["models"]}
    assert (tables["carts"], tables["carts_v1"]) == ("carts_v2", "carts_v1")
    assert "carts (version 2); older and newer ones are carts_v1" in "\n".join(map(str, result.warnings))
