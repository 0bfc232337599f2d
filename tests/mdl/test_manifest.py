"""Reading MDL JSON into types, and the hash that its content is known by."""

from __future__ import annotations

import json

import pytest
from pydantic import ValidationError

from askwell.mdl.manifest import canonical_json, content_hash
from tests.mdl.shop import read, shop_mdl


def test_what_is_written_back_is_what_was_read() -> None:
    mdl = shop_mdl()
    mdl["models"][0]["columns"][0]["vendorHint"] = {"keep": ["me"]}
    mdl["layoutVersion"] = 3
    again = read(mdl).wire()
    assert again["layoutVersion"] == 3
    assert again["models"][0]["columns"][0]["vendorHint"] == {"keep": ["me"]}
    # The one freedom that is taken: a single key column is a list of one.
    mdl["models"] = [model | ({"primaryKey": key} if (key := _listed(model)) else {}) for model in mdl["models"]]
    assert again == mdl


def _listed(model: dict[str, object]) -> list[object] | None:
    key = model.get("primaryKey")
    return [key] if isinstance(key, str) else key  # type: ignore[return-value]


def test_a_manifest_does_not_change() -> None:
    manifest = read(shop_mdl())
    with pytest.raises(ValidationError):
        manifest.catalog = "other"  # type: ignore[misc]


def test_the_hash_is_of_the_content_not_of_its_spelling() -> None:
    mdl = shop_mdl()
    shuffled = json.loads(json.dumps({key: mdl[key] for key in sorted(mdl, reverse=True)}, indent=7))
    shuffled["models"][3]["primaryKey"] = None
    assert content_hash(read(shuffled)) == content_hash(read(mdl))


def test_canonical_json_is_what_the_whole_manifest_gives_at_once() -> None:
    mdl = shop_mdl() | {"layoutVersion": 3, "enumDefinitions": [], "zzz": "größe"}
    mdl["models"][0]["properties"] = {"description": "Größe, 数"}
    model = {"name": "t", "tableReference": {"table": "t"}, "columns": [{"name": "c", "type": "DOUBLE"}]}
    bare = {"catalog": "c", "schema": "s", "models": [model], "properties": {"b": 1, "a": []}}
    for one in (mdl, bare):
        manifest = read(one)
        text = json.dumps(manifest.wire(), sort_keys=True, separators=(",", ":"))
        assert canonical_json(manifest) == text
        assert read(json.loads(text)) == manifest


def test_the_hash_changes_with_the_content() -> None:
    changed = shop_mdl()
    changed["models"][0]["columns"][0]["properties"]["displayName"] = "Client number"
    assert content_hash(read(changed)) != content_hash(read(shop_mdl()))
