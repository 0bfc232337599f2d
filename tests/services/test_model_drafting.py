"""Models of databases that nobody has described: what is guessed has to be so in the data."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from askwell.errors import InvalidRequest
from askwell.mdl.manifest import Manifest
from askwell.mdl.validation import read_manifest
from askwell.mdl.view import authorised_view
from askwell.providers.engine.base import EngineLimits
from askwell.providers.engine.factory import create_engine
from askwell.services.model_drafting import draft_model, schema_fingerprint
from askwell.sql.planner import unsafe_parts
from tests.support.tables import case_table

NUMBERS = """
CREATE TEMP TABLE numbers AS
  WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 500) SELECT n FROM c;
"""


async def drafted(path: Path, script: str, warned: tuple[str, ...] = ()) -> Manifest:
    """The model of a SQLite file with that content; whatever is guessed, it is a valid one, with warnings only where
    they are expected."""
    with sqlite3.connect(path) as connection:
        connection.executescript(NUMBERS + script)
    engine = create_engine("sqlite", path, EngineLimits(pool_size=1))
    try:
        manifest = await draft_model(await engine.introspect(), engine)
    finally:
        await engine.close()
    reading = read_manifest(manifest.wire(), data_source="SQLITE")
    assert (reading.problems, tuple(warning.where for warning in reading.warnings)) == ((), warned)
    assert unsafe_parts(manifest, "sqlite") == ()
    return manifest


def keys(manifest: Manifest) -> dict[str, tuple[str, ...]]:
    return {model.name: model.primary_key for model in manifest.models if model.properties.get("inferredKey")}


def links(manifest: Manifest) -> dict[str, str]:
    """Guessed links by their condition, with the reason."""
    return {
        entry.condition.replace('"', ""): str(entry.properties["reason"])
        for entry in manifest.relationships
        if entry.properties.get("inferred") is True
    }


def drafts() -> Iterator[Any]:
    for name, draft in case_table(__file__, "drafts").items():
        for number, values in enumerate(draft.get("each", [{}])):
            script, links_, keys_ = (draft.get(part) for part in ("script", "links", "keys"))
            filled = {"script": script.format(**values)}
            if links_ is not None:
                filled["links"] = {condition.format(**values): reason for condition, reason in links_.items()}
            if keys_ is not None:
                filled["keys"] = {table: tuple(key.format(**values) for key in names) for table, names in keys_.items()}
            yield pytest.param(draft | filled, id=f"{name}-{number}")


@pytest.mark.parametrize("draft", [*drafts()])
async def test_what_is_guessed(tmp_path: Path, draft: dict[str, Any]) -> None:
    manifest = await drafted(tmp_path / "a.db", draft["script"], tuple(draft.get("warned", ())))
    assert manifest.models
    if "links" in draft:
        found = links(manifest)
        assert found.keys() == draft["links"].keys()
        assert [one for one, reason in draft["links"].items() if (reason or "") not in found[one]] == []
    joins = {entry.condition.replace('"', ""): entry.join_type for entry in manifest.relationships}
    called = {model.name: model.properties.get("displayName") for model in manifest.models}
    told = {"keys": keys(manifest), "joins": joins, "called": called}
    assert {part: told[part] for part in told if part in draft} == {part: draft[part] for part in told if part in draft}


async def test_nothing_to_ask_about(tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest, match="no tables"):
        await drafted(tmp_path / "a.db", "CREATE TABLE t (a); DROP TABLE t")


async def test_the_fingerprint_follows_the_schema_and_not_the_rows(tmp_path: Path) -> None:
    seen = []
    for statement in (
        "CREATE TABLE author (id INTEGER)",
        "INSERT INTO author VALUES (9)",
        "ALTER TABLE author ADD x TEXT",
    ):
        await drafted(tmp_path / "a.db", statement)
        engine = create_engine("sqlite", tmp_path / "a.db")
        seen.append(schema_fingerprint(await engine.introspect(), engine.data_source))
        await engine.close()
    assert seen[0] == seen[1] != seen[2]


@pytest.mark.parametrize("case", case_table(__file__, "comments_that_tell_codes"))
async def test_codes_in_a_comment_are_an_enum_with_names(tmp_path: Path, case: dict[str, Any]) -> None:
    kind = "INTEGER" if all(value.isdigit() for value in case["held"]) else "TEXT"
    rows = ", ".join(f"('{value}')" for value in case["held"])
    script = f"CREATE TABLE job (st {kind} -- {case['comment']}\n); INSERT INTO job VALUES {rows}"
    manifest = await drafted(tmp_path / "a.db", script)
    column = authorised_view(manifest, "").tables["job"].columns[0]
    assert {value: column.value_names.get(value, value) for value in column.values} == case["told"]
    assert column.description == case["comment"]


@pytest.mark.parametrize("case", case_table(__file__, "tables_that_list_codes"))
async def test_codes_that_a_table_lists_are_an_enum_with_names(tmp_path: Path, case: dict[str, Any]) -> None:
    listed = "('SPEC', 'C', 'Cat'), ('SPEC', 'D', 'Dog'), ('SPEC', 'B', 'Bird'), ('COLOUR', 'R', 'Red')"
    rows = ", ".join(f"({number}, '{value}')" for number, value in enumerate(case["held"]))
    script = f"CREATE TABLE codes ({case['list']}); INSERT INTO codes VALUES {listed};"
    script += f"CREATE TABLE pets (id INTEGER PRIMARY KEY, {case['column']} TEXT); INSERT INTO pets VALUES {rows}"
    manifest = await drafted(tmp_path / "a.db", script)
    column = authorised_view(manifest, "").tables["pets"].columns[1]
    assert {value: column.value_names.get(value, value) for value in column.values} == case["told"]


@pytest.mark.parametrize("case", case_table(__file__, "comments_in_the_text_of_a_table"))
async def test_comments_are_descriptions(tmp_path: Path, case: dict[str, Any]) -> None:
    (model,) = (await drafted(tmp_path / "a.db", f"CREATE TABLE job ({case['text']})")).models
    told = {column.name: column.properties.get("description") for column in model.columns}
    told[""] = model.properties.get("description")
    assert {name: text for name, text in told.items() if text} == case["told"]
