"""Apache Ossie (Open Semantic Interchange), read and written."""

from __future__ import annotations

import copy
import json
import random
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from askwell.errors import ConfigurationError
from askwell.mdl.expressions import read_condition
from askwell.mdl.importers.imported import ImportedModel, complete_types
from askwell.mdl.importers.ossie import TYPES, read_ossie
from askwell.mdl.manifest import Manifest
from askwell.mdl.ossie_export import ExportedModel, export_ossie
from askwell.mdl.validation import read_manifest
from askwell.providers.engine.base import PhysicalColumn, PhysicalSchema, PhysicalTable
from tests.support.examples import examples
from tests.support.random_models import random_database
from tests.support.tables import case_table

SHOP = Path(__file__).parents[3] / "src" / "askwell" / "sample" / "shop_model.json"


def field(name: str, expression: str | None = None, **more: Any) -> dict[str, Any]:
    written = {"dialects": [{"dialect": "ANSI_SQL", "expression": expression or name}]}
    return {"name": name, "expression": written, **more}


def semantic_model() -> dict[str, Any]:
    """A model as another tool writes it."""
    return copy.deepcopy(case_table(__file__, "semantic_model"))


def read(folder: Path, document: Any) -> ImportedModel:
    path = folder / "model.yaml"
    path.write_text(document if isinstance(document, str) else yaml.safe_dump(document))
    return read_ossie(path)


def valid(result: ImportedModel) -> dict[str, Any]:
    assert [str(one) for one in result.problems] == []
    complete_types(result.mdl, None)
    assert [str(one) for one in read_manifest(result.mdl).problems] == []
    return result.mdl


class TestImport:
    @pytest.mark.parametrize("form", ["released", "draft", "json"])
    def test_what_other_tools_write(self, tmp_path: Path, form: str) -> None:
        if form == "draft":
            result = read(tmp_path, {"version": "0.2.0.dev0", **semantic_model()})
        else:
            document = {"version": "0.1.1", "semantic_model": [semantic_model()]}
            result = read(tmp_path, document)
            if form == "json":
                (tmp_path / "model.json").write_text(json.dumps(document))
                result = read_ossie(tmp_path / "model.json")
        mdl = valid(result)
        sales, items = mdl["models"]
        assert sales["tableReference"] == {"catalog": "retail", "schema": "public", "table": "Store Sales"}
        assert (sales["primaryKey"], sales["uniqueKeys"]) == (["item_id", "ticket"], [["ticket", "line"], "code"])
        assert sales["properties"] == {"description": "Sales. One row for each line.", "synonyms": ["purchases"]}
        assert sales["columns"][4] == {
            "name": "price",
            "type": "DECIMAL",
            "expression": "ss_price",
            "properties": {"synonyms": ["cost"]},
        }
        assert sales["columns"][5]["type"] == "VARCHAR"  # `is_time` says what it is for, not what it is
        assert items["refSql"] == "SELECT * FROM item"
        assert items["columns"][1]["expression"] == "brand || ' ' || name"
        assert mdl["relationships"] == [
            {
                "name": "sold",
                "models": ["sales", "items"],
                "joinType": "MANY_TO_ONE",
                "condition": '"sales"."item_id" = "items"."id"',
            }
        ]
        assert [(one["name"], one["baseObject"], one["measure"][0]["expression"]) for one in mdl["metrics"]] == [
            ("revenue", "sales", "SUM(price)"),
            ("number_of_items", "items", "COUNT(DISTINCT id)"),
        ]
        told = " ".join(str(one) for one in result.warnings)
        assert "are left out: per_item" in told
        assert "1 extensions of DBT, 1 labels and 1 lists of examples" in told

    def test_expressions_of_one_vendor_say_which_database_it_is(self, tmp_path: Path) -> None:
        model = semantic_model()
        for dataset in model["datasets"]:
            for one in dataset["fields"]:
                one["expression"]["dialects"][0]["dialect"] = "SNOWFLAKE"
        mdl = read(tmp_path, {"version": "0.1.1", "semantic_model": [model]}).mdl
        assert mdl["dataSource"] == "SNOWFLAKE"

    def test_a_field_that_is_written_for_no_database_is_told(self, tmp_path: Path) -> None:
        model = semantic_model()
        model["datasets"][0]["fields"][4]["expression"]["dialects"][0]["dialect"] = "MDX"
        result = read(tmp_path, {"version": "0.1.1", "semantic_model": [model]})
        assert [column["name"] for column in result.mdl["models"][0]["columns"]][-2:] == ["code", "sold"]
        assert any('fields[4] "price"' in one.where for one in result.warnings)

    def test_names_that_lead_nowhere(self, tmp_path: Path) -> None:
        model = semantic_model()
        model["datasets"][0]["primary_key"] = ["item_idd"]
        model["relationships"][0]["to"] = "itms"
        model["relationships"].append({**semantic_model()["relationships"][0], "name": "b", "to_columns": ["id", "x"]})
        told = {one.where: one.todo for one in read(tmp_path, {"semantic_model": [model]}).problems}
        assert told['datasets[0] "sales"'] == "Nearest: item_id."
        assert told['relationships[0] "sold"'] == "Nearest: items."
        assert 'relationships[1] "b"' in told

    def test_another_version_is_told(self, tmp_path: Path) -> None:
        result = read(tmp_path, {"version": "3.0", "semantic_model": [semantic_model()]})
        assert "written for version 3.0" in str(result.warnings[0])

    def test_bare_words_stay_names(self, tmp_path: Path) -> None:
        text = """
        version: 0.1.1
        semantic_model:
          - name: x
            datasets:
              - name: no
                source: on
                fields:
                  - {name: 2024-01-01, expression: {dialects: [{dialect: ANSI_SQL, expression: '"2024-01-01"'}]}}
        """
        (model,) = valid(read(tmp_path, text))["models"]
        assert (model["name"], model["tableReference"], model["columns"][0]["name"]) == (
            "no",
            {"table": "on"},
            "2024-01-01",
        )


class TestWhatIsNotRead:
    @pytest.mark.parametrize("text", ["", "3", "[]", "a: 1", "semantic_model: 3", "semantic_model: [1]", "datasets: x"])
    def test_other_yaml(self, tmp_path: Path, text: str) -> None:
        assert read(tmp_path, text).problems

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("a: [", "is not YAML"),
            ("a: &x [1]\nb: *x", "anchor"),
            ("a: !!python/object/apply:os.system [ls]", "neither"),
            ("[" * 100 + "]" * 100, "nested more than 60 levels"),
            ("a: \x00", "is not YAML"),
        ],
    )
    def test_yaml_that_is_more_than_text(self, tmp_path: Path, text: str, words: str) -> None:
        try:
            told = " ".join(str(one) for one in read(tmp_path, text).problems)
        except ConfigurationError as error:
            told = error.message
        assert words in told

    def test_a_few_lines_that_stand_for_gigabytes(self, tmp_path: Path) -> None:
        lines = ["a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]"]
        lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
        with pytest.raises(ConfigurationError, match="anchor"):
            read(tmp_path, "\n".join(lines))

    def test_a_file_that_is_too_large(self, tmp_path: Path) -> None:
        with pytest.raises(ConfigurationError, match="larger than 10 MB"):
            read(tmp_path, "#" * 10_000_001)


def normal(manifest: Manifest) -> dict[str, Any]:
    """What a model says, whatever way its conditions are spelled and in which order its relationships stand."""
    wire = manifest.wire()
    for entry in wire.get("relationships", ()):
        entry["condition"] = str(read_condition(entry["condition"]))
        entry["joinType"] = entry["joinType"].upper()
    wire["relationships"] = sorted(wire.get("relationships", ()), key=lambda entry: str(entry["name"]))
    return {key: value for key, value in wire.items() if value not in ([], {})}


def both(folder: Path, manifest: Manifest) -> tuple[ExportedModel, Manifest]:
    """The document, and the model that comes back from it, and from the same as version 0.1.1 had it."""
    exported = export_ossie(manifest)
    (folder / "model.yaml").write_text(exported.yaml(), encoding="utf-8")
    content = {key: value for key, value in exported.document.items() if key != "version"}
    (folder / "before.json").write_text(json.dumps({"version": "0.1.1", "semantic_model": [content]}))
    before, result = read_ossie(folder / "before.json"), read_ossie(folder / "model.yaml")
    assert [str(one) for one in result.problems] == []
    assert before.mdl == result.mdl
    found = read_manifest(result.mdl)
    assert found.manifest is not None, found.problems
    return exported, found.manifest


def conforms(document: dict[str, Any]) -> None:
    """Whether the document has the keys of version 0.2's schema, and no others: one model, at the root."""
    said = {"name", "description", "ai_context", "custom_extensions"}
    assert document["version"] == "0.2.0.dev0"
    assert {"version", "name", "datasets"} <= document.keys()
    assert document.keys() <= said | {"version", "datasets", "relationships", "metrics"}
    for dataset in document["datasets"]:
        assert {"name", "source"} <= dataset.keys() <= said | {"source", "primary_key", "unique_keys", "fields"}
        for one in dataset.get("fields", ()):
            assert {"name", "expression"} <= one.keys() <= said | {"expression", "dimension", "label", "datatype"}
            assert one.get("datatype") in (None, *TYPES)
    for link in document["relationships"]:
        needed = {"name", "from", "to", "from_columns", "to_columns"}
        assert needed <= link.keys() <= needed | {"ai_context", "custom_extensions"}
    for metric in document["metrics"]:
        assert {"name", "expression"} <= metric.keys() <= said | {"expression", "datatype"}


class TestExport:
    def test_the_sample_shop_comes_back_as_it_was(self, tmp_path: Path) -> None:
        manifest = read_manifest(json.loads(SHOP.read_text())).manifest
        assert manifest is not None
        exported, back = both(tmp_path, manifest)
        conforms(exported.document)
        assert normal(back) == normal(manifest)
        told = " ".join(str(one) for one in exported.warnings)
        assert "what this model protects: password_hash" in told
        assert "views are left out: best_customers" in told

    def test_what_another_tool_changes_counts(self, tmp_path: Path) -> None:
        manifest = read_manifest(json.loads(SHOP.read_text())).manifest
        assert manifest is not None
        document = export_ossie(manifest).document
        document["datasets"][0]["description"] = "Changed elsewhere."
        back = valid(read(tmp_path, document))
        assert back["models"][0]["properties"]["description"] == "Changed elsewhere."

    @settings(max_examples=examples(100))
    @given(seed=st.integers(0, 10**9))
    def test_every_model_comes_back_as_it_was(self, tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
        manifest = read_manifest(random_database(random.Random(seed)).mdl).manifest
        assert manifest is not None
        exported, back = both(tmp_path_factory.mktemp("ossie"), manifest)
        conforms(exported.document)
        assert normal(back) == normal(manifest)


class TestWhatIsAssumed:
    def test_fields_of_time_have_a_type_unless_the_database_says_one(self, tmp_path: Path) -> None:
        fields = [
            field("id"),
            field("order_date", dimension={"is_time": True}),
            field("at", dimension={"is_time": True}),
        ]
        dataset = {"name": "orders", "source": "orders", "fields": fields}
        result = read(tmp_path, {"version": "0.1.1", "semantic_model": [{"name": "m", "datasets": [dataset]}]})
        again = copy.deepcopy(result.mdl)
        warnings = complete_types(result.mdl, None, result.guesses)
        assert [column["type"] for column in result.mdl["models"][0]["columns"]] == ["VARCHAR", "DATE", "TIMESTAMP"]
        assert "no type is known for order_date; DATE was taken" in "\n".join(map(str, warnings))
        known = PhysicalSchema((PhysicalTable("orders", None, (PhysicalColumn("order_date", "TIMESTAMPTZ"),)),))
        complete_types(again, known, result.guesses)
        assert again["models"][0]["columns"][1]["type"] == "TIMESTAMPTZ"

    def test_expressions_in_other_dialects_are_told_by_their_dialect(self, tmp_path: Path) -> None:
        both = [{"dialect": "ANSI_SQL", "expression": "a"}, {"dialect": "SNOWFLAKE", "expression": "a::int"}]
        dataset = {"name": "t", "source": "t", "fields": [{"name": "a", "expression": {"dialects": both}}]}
        result = read(tmp_path, {"version": "0.1.1", "semantic_model": [{"name": "m", "datasets": [dataset]}]})
        assert "1 SNOWFLAKE expressions beside those in ANSI_SQL" in "\n".join(map(str, result.warnings))
