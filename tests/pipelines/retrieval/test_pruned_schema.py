"""Fewer columns, as a language model named them: what stays, what goes, and what its names may look like."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwell.mdl.semantic_model import Column, ColumnRef, Table
from askwell.pipelines.retrieval.context import ValueMatch
from askwell.pipelines.retrieval.prepared import PreparedModel
from askwell.pipelines.retrieval.pruned_schema import pruned_context
from askwell.pipelines.retrieval.schema_context import ColumnWishes, part_of_model
from tests.prompts import contexts as c
from tests.support.models import semantic_model
from tests.support.tables import case_rows, case_table

CLINIC = semantic_model(
    {
        "Visits": [
            "id",
            "patient_id",
            "reason",
            "cost",
            Column("state", "VARCHAR", essential=True),
            Column("address", "STRUCT", properties={"nested_columns": {"city": "VARCHAR", "zip": "VARCHAR"}}),
            Column(
                "form", "JSON", properties={"json_type": "JSON", "json_fields": {"answers.smoker": {"type": "INT"}}}
            ),
        ],
        "Patients": ["id", "full_name", "born", "blood_group"],
        "Rooms": ["number", "floor", "beds"],
        "Notes": ["text", "written_on"],
    },
    [("Visits.patient_id", "Patients.id")],
)
PREPARED = PreparedModel(CLINIC, {})


def no_wishes() -> ColumnWishes:
    return ColumnWishes(frozenset(), {})


SHOWN = ("Visits", "Patients", "Rooms")
FOUND = replace(
    c.PLAIN,
    schema=part_of_model(PREPARED, SHOWN, no_wishes, 4_000),
    values=(ValueMatch("A+", ColumnRef("Patients", "blood_group"), "A+"),),
)


def columns_left(named: Mapping[str, Collection[str]]) -> dict[str, tuple[str, ...]]:
    pruned = pruned_context(FOUND, named, PREPARED)
    assert pruned is not None
    return dict(pruned.schema.columns)


def test_named_columns_keys_joins_essential_ones_and_values_stay() -> None:
    pruned = pruned_context(FOUND, {"Visits": ["cost"], "Patients": ["born"]}, PREPARED)
    assert pruned is not None
    schema = pruned.schema
    assert schema.columns == {
        "Visits": ("id", "patient_id", "cost", "state"),
        "Patients": ("id", "born", "blood_group"),
        "Rooms": ("number",),
    }
    assert schema.tables == SHOWN
    assert "reason" not in schema.text
    assert "-- Columns left out here: 3" in schema.text
    assert schema.join_lines == ("Visits.patient_id = Patients.id",)
    assert schema.joins == FOUND.schema.joins
    assert schema.tokens < FOUND.schema.tokens
    assert schema.has_json  # what stands before the schema does not change with it
    assert pruned.values == FOUND.values


@pytest.mark.parametrize(
    "written",
    case_table(__file__, "a_name_may_be_written_in_any_case_with_quotes_and_with_its_table"),
)
def test_a_name_may_be_written_in_any_case_with_quotes_and_with_its_table(written: str) -> None:
    assert "cost" in columns_left({"VISITS": [written]})["Visits"]


@pytest.mark.parametrize(
    ("written", "parent"),
    case_rows(__file__, "a_field_inside_a_column_stands_for_the_column", "written", "parent"),
)
def test_a_field_inside_a_column_stands_for_the_column(written: str, parent: str) -> None:
    assert parent in columns_left({"Visits": [written]})["Visits"]


@pytest.mark.parametrize("named", [{}, {"Doctors": ["name"]}, {"Notes": ["text"]}, {"": [""]}, {"cost": ["Visits"]}])
def test_names_that_are_none_of_the_schema_leave_everything(named: Mapping[str, Collection[str]]) -> None:
    assert pruned_context(FOUND, named, PREPARED) is None


def test_unknown_names_beside_known_ones_are_passed_over() -> None:
    left = columns_left({"Visits": ["cost", "price", "full_name", "patients.born"], "Doctors": ["name"]})
    assert left["Visits"] == ("id", "patient_id", "cost", "state")
    assert "Notes" not in left
    assert "born" not in left["Patients"]


def test_a_table_of_which_nothing_stays_is_named_as_left_out() -> None:
    keyless = semantic_model({"Visits": ["id", "cost", "reason"], "Notes": ["text", "written_on"]})
    tables = {**keyless.tables, "Notes": _without_key(keyless.tables["Notes"])}
    prepared = PreparedModel(replace(keyless, tables=tables), {})
    schema = part_of_model(prepared, ("Visits", "Notes"), no_wishes, 4_000)
    pruned = pruned_context(replace(c.PLAIN, schema=schema), {"Visits": ["cost"]}, prepared)
    assert pruned is not None
    assert pruned.schema.tables == ("Visits",)
    assert pruned.schema.left_out == ("Left out: Notes.",)
    assert "Notes" not in pruned.schema.text


_NAMES = st.sampled_from(["Visits", "Patients", "Rooms", "id", "reason", "cost", "address.city", "beds", "x", ""])


@given(st.dictionaries(_NAMES, st.lists(_NAMES)))
def test_whatever_is_named_the_schema_never_grows_and_keeps_what_it_must(named: dict[str, list[str]]) -> None:
    pruned = pruned_context(FOUND, named, PREPARED) or FOUND
    assert pruned.schema.tokens <= FOUND.schema.tokens
    for table, columns in {"Visits": {"id", "patient_id", "state"}, "Patients": {"id", "blood_group"}}.items():
        assert columns <= set(pruned.schema.columns[table]) <= set(FOUND.schema.columns[table])


def _without_key(table: Table) -> Table:
    return replace(table, primary_key=())
