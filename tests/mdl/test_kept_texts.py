"""What people wrote of a model, in the model that takes its place."""

from __future__ import annotations

import copy
import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from askwell.mdl.kept_texts import TEXTS, with_texts_of

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
