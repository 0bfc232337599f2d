"""Whatever comes in, validation answers: a manifest or problems, never an exception."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from askwell.mdl.ddl import model_ddl
from askwell.mdl.manifest import content_hash
from askwell.mdl.validation import ManifestReading, read_manifest
from askwell.mdl.view import authorised_view
from tests.mdl.mutations import JSON, KEYS, WORDS, mutated_shops
from tests.support.examples import examples


def _is_answer(reading: ManifestReading) -> None:
    assert (reading.manifest is None) == bool(reading.problems)
    for problem in (*reading.problems, *reading.warnings):
        assert problem.where.strip()
        assert problem.what.strip()
        assert problem.todo.strip()
        assert "\n" not in str(problem)


@given(JSON)
def test_any_json_value_is_answered(value: Any) -> None:
    _is_answer(read_manifest(value))
    _is_answer(read_manifest(json.dumps(value)))


@given(st.text() | st.binary())
def test_any_text_is_answered(source: str | bytes) -> None:
    _is_answer(read_manifest(source))


@given(st.dictionaries(KEYS, JSON | WORDS))
def test_any_object_with_the_right_keys_is_answered(value: dict[str, Any]) -> None:
    _is_answer(read_manifest({"catalog": "c", "schema": "s", **value}))


@settings(max_examples=examples(140), deadline=None)
@given(mutated_shops())
def test_any_mutation_of_a_good_manifest_is_good_or_has_problems(mdl: dict[str, Any]) -> None:
    reading = read_manifest(mdl)
    _is_answer(reading)
    if reading.manifest is not None:
        # What was found good can be used.
        view = authorised_view(reading.manifest, content_hash(reading.manifest))
        assert model_ddl(view) is not None
