"""The examples of the page on semantic models are models, and what the page says of them is so."""

from __future__ import annotations

import copy
import json
import re
import sqlite3
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from askwell.config import Settings
from askwell.mdl.manifest import Cube, Manifest, Metric, Model, ModelColumn, RelationshipEntry
from askwell.mdl.validation import read_manifest, warnings_against
from askwell.mdl.view import authorised_view
from askwell.providers.engine.factory import create_engine
from askwell.semantic_parsing.reader import QuestionReader
from askwell.semantic_parsing.translation import Translation
from askwell.services.value_sampling import SamplingBounds, sample_values
from askwell.sql.checker import Executed, SqlChecker
from askwell.sql.context import QueryContext
from askwell.sql.planner import Planner, unsafe_parts
from tests.support.tables import case_table

PAGE = (Path(__file__).parents[2] / "docs" / "models.md").read_text()
BLOCKS = re.findall(r"^```json ?([^\n]*)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
WHOLE = [json.loads(text) for what, text in BLOCKS if not what]
PARTS = [(what, json.loads(text)) for what, text in BLOCKS if what]
EXAMPLE = WHOLE[-1]
_LISTS = case_table(__file__, "lists")
CONTEXT = QueryContext(datetime(2026, 3, 4, 12, 0, tzinfo=UTC), "UTC")


def put_into(manifest: dict[str, Any], what: str, part: dict[str, Any]) -> None:
    """Put a part of a model where the page says that it belongs, in place of one of the same name."""
    kind, _, owner = what.partition(" of ")
    place = next(model for model in manifest["models"] if model["name"] == owner) if owner else manifest
    known = place.setdefault(_LISTS[kind], [])
    known[:] = [entry for entry in known if entry["name"] != part["name"]] + [part]


def read(mdl: dict[str, Any]) -> Manifest:
    """The manifest of a model about which there is nothing to say."""
    reading = read_manifest(mdl, data_source="SQLITE")
    assert [str(line) for line in (*reading.problems, *reading.warnings)] == []
    assert reading.manifest is not None
    assert unsafe_parts(reading.manifest, "sqlite") == ()
    return reading.manifest


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "bikes.sqlite"
    script = re.search(r"^```sql\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert script is not None
    with sqlite3.connect(path) as connection:
        connection.executescript(script[1])
    return path


def test_there_are_examples() -> None:
    assert len(WHOLE) == 2
    assert {what.partition(" of ")[0] for what, _ in PARTS} == set(_LISTS)


@pytest.mark.parametrize("mdl", WHOLE)
def test_whole_examples_are_models(mdl: dict[str, Any]) -> None:
    read(mdl)


@pytest.mark.parametrize(("what", "part"), PARTS, ids=[f"{what} {part['name']}" for what, part in PARTS])
async def test_parts_fit_into_the_example_and_its_database(what: str, part: dict[str, Any], database: Path) -> None:
    mdl = copy.deepcopy(EXAMPLE)
    put_into(mdl, what, part)
    manifest = read(mdl)
    engine = create_engine("sqlite", database)
    try:
        assert warnings_against(manifest, await engine.introspect()) == ()
    finally:
        await engine.close()


async def test_everything_in_it_can_be_selected_and_the_rules_answer_what_the_page_says(database: Path) -> None:
    mdl = copy.deepcopy(EXAMPLE)
    for what, part in PARTS:
        if "columnLevelAccessControl" not in part and not what.startswith("rule"):
            put_into(mdl, what, part)
    manifest = read(mdl)
    model = authorised_view(manifest, "h")
    engine = create_engine("sqlite", database)
    try:
        checker = SqlChecker(model, Planner(model, manifest, "sqlite"), engine)
        for table in model:
            done = await checker.execute(f"SELECT * FROM {table.name}", context=CONTEXT, row_limit=9, timeout=20)
            assert isinstance(done, Executed), done
        sampled = await sample_values(model, checker, bounds=SamplingBounds(), on_progress=lambda *_: None)
        rules = QuestionReader(model, sampled.values, "sqlite")
        questions = re.findall(r"^- (.*\?)$", PAGE, re.MULTILINE)
        assert len(questions) >= 4
        for question in questions:
            translation = rules.translate(question)
            assert isinstance(translation, Translation), (question, translation)
            assert translation.probability >= Settings().confidence_threshold, question
            done = await checker.execute(translation.sql, context=CONTEXT, row_limit=9, timeout=20)
            assert isinstance(done, Executed), done
            assert done.rows.rows
    finally:
        await engine.close()


def test_the_line_that_explains_problems_is_one() -> None:
    mdl = copy.deepcopy(EXAMPLE)
    mdl["models"] = [mdl["models"][0], mdl["models"][4], mdl["models"][3], *mdl["models"][1:3]]
    columns = mdl["models"][2]["columns"]
    wrong = {"name": "start_city", "type": "VARCHAR", "isCalculated": True, "expression": "from_station.citty"}
    columns[:] = [column for column in columns if column["name"] != "start_city"]
    columns.insert(4, wrong)
    (problem,) = read_manifest(mdl).problems
    assert str(problem) in PAGE


def test_every_key_is_described() -> None:
    described = set(re.findall(r"`(\w+)`", PAGE))
    for kind in (Manifest, Model, ModelColumn, RelationshipEntry, Metric, Cube):
        keys = {info.alias or name for name, info in kind.model_fields.items()}
        in_examples = set(re.findall(r'"(\w+)":', PAGE))
        assert keys - described - in_examples == set(), kind.__name__
