"""Models that are larger than anybody means are refused before they cost anything; the largest that there are pass."""

from __future__ import annotations

import json
from typing import Any

import pytest

from askwell.mdl import json_source as bounds
from askwell.mdl.problems import MAX_PROBLEMS
from askwell.mdl.validation import read_manifest


def table(number: int, columns: int = 1, **more: Any) -> dict[str, Any]:
    listed = [{"name": f"c{column}", "type": "INTEGER"} for column in range(columns)]
    return {"name": f"t{number}", "tableReference": {"table": f"t{number}"}, "columns": listed, **more}


def manifest(*models: Any, **more: Any) -> dict[str, Any]:
    return {"catalog": "c", "schema": "s", "dataSource": "DUCKDB", "models": list(models), **more}


def said(source: Any) -> str:
    return "\n".join(map(str, read_manifest(source).problems))


def padded(*parts: Any, count: int) -> list[Any]:
    return list(parts) * count


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (manifest(*padded({}, count=10_001)), "10,001 models, and 10,000 are allowed"),
        (manifest(table(1, 10_001)), 'model "t1": it has 10,001 columns, and 10,000 are allowed'),
        (manifest(*(table(n, 5_000) for n in range(21))), "105,000 columns in all its models, and 100,000"),
        (manifest(table(1), relationships=padded({}, count=50_001)), "50,001 relationships"),
        (manifest(table(1), views=padded({}, count=5_001)), "5,001 views"),
        (manifest(table(1), metrics=padded({}, count=5_001)), "5,001 metrics"),
        (manifest(table(1), cubes=padded({}, count=5_001)), "5,001 cubes"),
        (manifest(table(1), enumDefinitions=padded({}, count=10_001)), "10,001 enums"),
        (manifest(table(1, properties={"description": "x" * 100_001})), "100,000 characters in one text"),
        (manifest(table(1, properties={"x" * 100_001: 1})), "100,000 characters in one text"),
        (manifest(table(1, refSql="SELECT " + "1," * 9_000 + "1", tableReference=None)), "8,000 words"),
        ('{"models":[' + "{}," * 500_000 + "{}]}", "more than 500,000 objects"),
        ('{"models":[' + "[]," * 500_000 + "[]]}", "more than 500,000 lists"),
        ('{"models":[' + "1," * 1_000_001 + "1]}", "more than 1,000,000 entries"),
    ],
)
def test_more_than_anybody_means_is_refused(source: Any, words: str) -> None:
    told = said(source)
    assert words in told
    assert told.count("\n") == 0, "what is too much is not looked through as well"


def test_what_a_text_counts_is_counted_in_bytes_too() -> None:
    text = '{"a": [' + "{}," * 500_000 + "{}]}"
    assert bounds.crowded(text) is bounds.crowded(text.encode()) is bounds.OBJECTS
    assert bounds.crowded(text[: len(text) // 2]) is None


def test_wrong_names_without_number_cost_no_more_than_those_that_are_told() -> None:
    wrong = manifest(table(1, 2_000, primaryKey=[f"nothing{n}" for n in range(50_000)]))
    told = read_manifest(wrong).problems
    assert len(told) == MAX_PROBLEMS + 1
    assert "more than 100 problems, and these are the first" in told[-1].what


def test_a_hundred_problems_are_all_told() -> None:
    told = read_manifest(manifest(table(1, primaryKey=[f"nothing{n}" for n in range(MAX_PROBLEMS)]))).problems
    assert len(told) == MAX_PROBLEMS
    assert "these are the first" not in str(told[-1])


@pytest.mark.deep
def test_the_largest_warehouse_passes() -> None:
    described = {"description": "What it holds: the amount, in euros, after tax.", "displayName": "Amount"}
    models = [table(number, 25, properties=described) for number in range(2_000)]
    for model in models:
        for column in model["columns"]:
            column["properties"] = described
    links = [
        {
            "name": f"r{n}",
            "models": [f"t{n}", f"t{n + 1}"],
            "joinType": "MANY_TO_ONE",
            "condition": f"t{n}.c0 = t{n + 1}.c0",
        }
        for n in range(1_999)
    ]
    text = json.dumps(manifest(*models, relationships=links), indent=2)
    assert read_manifest(text).problems == ()


def test_of_very_many_unknown_keys_the_first_are_looked_at() -> None:
    slips = {f"descripton{number:06}": 1 for number in range(100_000)}
    reading = read_manifest(manifest(table(1), **slips, zz_model=1))
    assert reading.manifest is not None
    assert not any("zz_model" in str(warning) for warning in reading.warnings)
