"""What builders of models leave empty is not given."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from askwell.mdl.data_sources import SQL_DIALECTS
from askwell.mdl.manifest import content_hash
from askwell.mdl.prompt_schema import model_ddl
from askwell.mdl.validation import read_manifest
from askwell.mdl.view import authorised_view
from tests.mdl.shop import legacy_manifest, read, shop_mdl
from tests.support.examples import examples
from tests.support.tables import case_rows, case_table

# The optional keys of each kind of entry, by the list that it stands in.
_PROPERTIES = ("properties",)
_FIELD = ("expression", "isHidden", *_PROPERTIES)
_OPTIONAL = case_table(__file__, "optional")
_KNOWN_PROPERTIES = ("displayName", "description", "synonyms", "unit", "epoch", "essential", "sensitive", "question")


def _entries(value: dict[str, Any], kind: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    yield kind, value
    for key, part in value.items():
        for entry in part if isinstance(part, list) else [part]:
            if key in _OPTIONAL and isinstance(entry, dict):
                yield from _entries(entry, key)


_ABSENT = [
    (number, key)
    for number, (kind, entry) in enumerate(_entries(shop_mdl()))
    for key in _OPTIONAL[kind]
    if key not in entry
]


@pytest.mark.deep
@settings(max_examples=examples(200))
@given(st.dictionaries(st.sampled_from(_ABSENT), st.sampled_from([None, "", "  "])))
def test_an_empty_optional_key_never_changes_the_reading(empty: dict[tuple[int, str], Any]) -> None:
    mdl = shop_mdl()
    entries = [entry for _, entry in _entries(mdl)]
    for (number, key), nothing in empty.items():
        entries[number][key] = nothing
    assert read(mdl) == read(shop_mdl())
    assert content_hash(read(mdl)) == content_hash(read(shop_mdl()))


def test_every_absent_optional_key_may_be_empty_at_once() -> None:
    for nothing in (None, ""):
        mdl = shop_mdl()
        entries = [entry for _, entry in _entries(mdl)]
        for number, key in _ABSENT:
            entries[number][key] = nothing
        assert read(mdl) == read(shop_mdl())


@cache
def _shop_text() -> str:
    return model_ddl(authorised_view(read(shop_mdl()), "h"))


@settings(max_examples=examples(40))
@given(st.lists(st.sampled_from([None, "", " "]), min_size=len(_KNOWN_PROPERTIES), max_size=len(_KNOWN_PROPERTIES)))
def test_an_empty_property_is_not_shown(values: list[Any]) -> None:
    mdl = shop_mdl()
    for kind, entry in list(_entries(mdl)):
        if "properties" in _OPTIONAL[kind]:
            entry["properties"] = dict(zip(_KNOWN_PROPERTIES, values, strict=True)) | entry.get("properties", {})
    reading = read_manifest(mdl)
    assert reading.manifest is not None
    assert reading.warnings == ()
    assert model_ddl(authorised_view(reading.manifest, "h")) == _shop_text()


@pytest.mark.parametrize("data_source", sorted(SQL_DIALECTS))
def test_the_model_of_the_legacy_client_is_read_for_every_database(data_source: str) -> None:
    assert read_manifest(legacy_manifest(data_source)).problems == ()


def test_the_model_of_the_legacy_client_is_read_without_a_word() -> None:
    reading = read_manifest(legacy_manifest())
    assert [str(problem) for problem in (*reading.problems, *reading.warnings)] == []
    models = {model.name: model for model in reading.manifest.models} if reading.manifest else {}
    assert models["orders"].primary_key == ("id",)
    assert models["order_lines"].primary_key == ()
    assert models["tags"].table_reference is None
    assert models["staff"].ref_sql is None


@pytest.mark.parametrize(("change", "told"), case_rows(__file__, "what_is_needed_is_still_needed", "change", "told"))
def test_what_is_needed_is_still_needed(change: dict[str, Any], told: str) -> None:
    mdl = copy.deepcopy(legacy_manifest())
    mdl["models"][3] |= change
    assert any(told in str(problem) for problem in read_manifest(mdl).problems)


def test_an_empty_rule_is_refused_and_not_taken_for_none() -> None:
    mdl = legacy_manifest()
    mdl["models"][0]["columns"][0]["columnLevelAccessControl"] = {}
    assert read_manifest(mdl).problems


def test_a_calculated_field_needs_its_expression() -> None:
    mdl = legacy_manifest()
    mdl["models"][0]["columns"][4]["expression"] = ""
    assert any("no expression" in str(problem) for problem in read_manifest(mdl).problems)


def test_empty_text_is_a_value_of_an_enum() -> None:
    mdl = shop_mdl()
    mdl["enumDefinitions"][0]["values"].append({"name": "unknown", "value": ""})
    assert read(mdl).enum_definitions[0].values[-1].value == ""
