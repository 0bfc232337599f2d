"""Every kind of mistake is found, all of them at once, and each is reported in a sentence with its place."""

from __future__ import annotations

import copy
import json
import re
import time
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from askwell.mdl.manifest import canonical_json, content_hash
from askwell.mdl.names import plural, words
from askwell.mdl.problems import MAX_PROBLEMS
from askwell.mdl.prompt_schema import model_ddl
from askwell.mdl.validation import ManifestReading, Problem, read_manifest
from askwell.mdl.view import authorised_view
from tests.mdl.mutations import JSON, KEYS, WORDS, mutated_shops
from tests.mdl.shop import calculated, link, plain, read, shop_mdl
from tests.support.examples import examples
from tests.support.tables import case_rows, case_table

Mdl = dict[str, Any]

MISTAKES: list[Mdl] = yaml.load(Path(__file__).with_name("mistakes.yaml").read_text("utf-8"), Loader=yaml.CSafeLoader)
# Words of the libraries that read JSON and SQL, and of Python.
_FOREIGN = re.compile(
    r"sqlglot|pydantic|<class|Token|SENTINEL|keyword|input should|valid (string|list|boolean|integer)|pattern|NoneType"
    r"|dictionary|tuple|instance of|Error\b|Exception|\bdict\b|\bbool\b|\b1 names\b|  |\.\.",
    re.IGNORECASE,
)


def is_sentence(problem: Problem) -> bool:
    """Whether the line reads `place: what is wrong. What to do.`"""
    return (
        not _FOREIGN.search(f"{problem.what}. {problem.todo}")
        and problem.todo[:1].isupper()
        and problem.todo.endswith((".", "…)."))
        and not problem.what.endswith((".", ",", ":", " "))
        and problem.what[:1] in '"' + "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
        and not problem.what.startswith("is ")
    )


def _changed(mdl: Mdl, changes: list[Mdl]) -> Mdl:
    """The model after changes of `mistakes.yaml`, made in place."""
    for change in copy.deepcopy(changes):
        kind = next(iter(change))
        steps: list[Any] = [int(step) if step.isdecimal() else step for step in change[kind].split(".")]
        here: Any = mdl
        for step in steps if kind == "add" else steps[:-1]:
            here = here[step]
        match kind:
            case "set":
                here[steps[-1]] = change["to"]
            case "drop":
                del here[steps[-1]]
            case "add":
                here.append(change["item"])
    return mdl


@pytest.mark.parametrize("row", MISTAKES, ids=[row["mistake"] for row in MISTAKES])
def test_a_mistake_is_reported_where_it_is(row: Mdl) -> None:
    reading = read_manifest(json.dumps(_changed(shop_mdl(), row["changes"])))
    lines = [str(problem) for problem in reading.problems]
    assert row["problem"] in lines
    # What merely follows from a mistake elsewhere is not reported again.
    assert len(lines) == row.get("problems", 1)
    assert [str(one) for one in (*reading.problems, *reading.warnings) if not is_sentence(one)] == []


def test_every_mistake_of_a_manifest_is_found_at_once() -> None:
    mdl = shop_mdl()
    for row in MISTAKES:
        if row["changes"][0].get("set") != "models":  # those leave no model
            try:
                _changed(mdl, row["changes"])
            except (KeyError, IndexError, TypeError, AttributeError):
                continue
    assert len(read_manifest(mdl).problems) > 20


def test_the_shop_has_no_problems_and_no_warnings() -> None:
    reading = read_manifest(shop_mdl(), data_source="duckdb")
    assert (reading.problems, reading.warnings) == ((), ())


@pytest.mark.parametrize("condition", case_table(__file__, "conditions_in_any_spacing_and_quoting"))
def test_conditions_in_any_spacing_and_quoting(condition: str) -> None:
    assert read_manifest(_changed(shop_mdl(), [{"set": "relationships.0.condition", "to": condition}])).problems == ()


def test_a_manifest_of_another_engine_is_refused() -> None:
    reading = read_manifest(shop_mdl(), data_source="SQLITE")
    assert [problem.where for problem in reading.problems] == ["manifest"]
    assert "DUCKDB" in reading.problems[0].what
    assert "SQLITE" in reading.problems[0].what


@pytest.mark.parametrize(
    ("written", "engine", "read"),
    [(None, "sqlite", "SQLITE"), *((name, "POSTGRES", "POSTGRES") for name in ("postgresql", "Postgres", "POSTGRES"))],
)
def test_a_data_source_is_spelled_in_one_way(written: str | None, engine: str, read: str) -> None:
    models = [{"name": "t", "tableReference": {"table": "t"}, "columns": [plain("a")]}]
    mdl = {"catalog": "a", "schema": "b", "dataSource": written, "models": models}
    reading = read_manifest(mdl, data_source=engine)
    assert reading.manifest is not None
    assert reading.manifest.data_source == read


def test_warnings_do_not_stand_in_the_way() -> None:
    mdl = shop_mdl()
    mdl["models"][1]["columns"][1]["type"] = "VARCHAR"
    mdl["models"][1]["columns"][5]["properties"]["epoch"] = "fortnights"
    mdl["models"][0]["columns"][0]["isHiden"] = True
    mdl["views"].append({"name": "unnamed", "statement": "SELECT count(*), sum(amount) FROM Orders"})
    mdl["views"].append({"name": "opaque", "statement": "SELECT * FROM (PIVOT Orders ON status USING sum(amount))"})
    mdl["views"].append({"name": "twice", "statement": "SELECT o.id, i.line AS id FROM Orders o, Items i"})
    reading = read_manifest(mdl)
    assert reading.manifest is not None
    said = " | ".join(map(str, reading.warnings))
    assert "Orders.customer_id is VARCHAR, but Customers.id is INTEGER" in said
    assert "fortnights" in said
    assert 'If "isHidden" was meant' in said
    assert 'views[2] "unnamed": 2 of its columns have no name' in said
    assert 'views[3] "opaque": Askwell can\'t read its columns' in said
    assert 'views[4] "twice": several of its columns have the same name' in said


JUNK: list[tuple[str, Any]] = [
    ("nothing", ""),
    ("prose", "Here is the model you asked for:"),
    ("not UTF-8", b"\xff\xfe{}"),
    ("a list", "[]"),
    ("a number", "7"),
    ("null", "null"),
    ("NaN", '{"catalog": NaN}'),
    ("a number that JSON does not know", json.dumps(shop_mdl()).replace('"essential": true', '"essential": 1e999', 1)),
    ("a lone surrogate", '{"catalog": "\\ud800"}'),
    ("a bomb of brackets", "[" * 200_000),
    ("a bomb of objects", '{"models":' * 5_000 + "1" + "}" * 5_000),
    ("a number of a million digits", "1" * 1_000_000),
    ("a text of five megabytes", json.dumps({"catalog": "x" * 5_000_000})),
    ("a million models that are none", '{"catalog":"c","schema":"s","models":[' + "1," * 1_000_000 + "1]}"),
    ("many models without anything", '{"catalog":"c","schema":"s","models":[' + "{}," * 60_000 + "{}]}"),
    ("something that is no JSON value", {"catalog": {1, 2}}),
]


@pytest.mark.parametrize("source", [source for _, source in JUNK], ids=[name for name, _ in JUNK])
def test_junk_is_refused_in_words(source: Any) -> None:
    reading = read_manifest(source)
    assert reading.manifest is None
    assert 1 <= len(reading.problems) <= MAX_PROBLEMS + 1
    assert [str(problem) for problem in reading.problems[:20] if not is_sentence(problem)] == []
    assert all(len(str(problem)) < 2_000 for problem in reading.problems)


def test_looking_for_problems_ends() -> None:
    mdl = shop_mdl()
    mdl["models"] = [{"name": f"m{number}", "columns": []} for number in range(2_000)]
    started = time.monotonic()
    reading = read_manifest(mdl)
    assert len(reading.problems) == MAX_PROBLEMS + 1
    assert "more than" in reading.problems[-1].what
    assert time.monotonic() - started < 60


def test_a_byte_order_mark_is_no_mistake() -> None:
    assert read_manifest(json.dumps(shop_mdl()).encode("utf-8-sig")).problems == ()


def test_a_calculated_field_may_come_back_to_its_own_model() -> None:
    """Orders.x → Customers.revenue → Orders.amount leads through Orders twice, but in no circle."""
    mdl = shop_mdl()
    mdl["models"][1]["columns"].append(calculated("customer_revenue", "customer.revenue"))
    assert read_manifest(mdl).problems == ()


def test_several_relationships_between_two_models_are_roles() -> None:
    mdl = shop_mdl()
    mdl["relationships"].append(
        link("again", "Customers", "ONE_TO_MANY", "Orders", "Customers.id = Orders.ship_customer_id")
    )
    assert read_manifest(mdl).problems == ()


# -- Whatever comes in, validation answers: a manifest or problems, never an exception.


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


# -- Reading MDL JSON into types, and the hash that its content is known by.


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


# --


@pytest.mark.parametrize(
    ("identifier", "expected"),
    case_rows(__file__, "words_of_identifiers_in_any_alphabet", "identifier", "expected"),
)
def test_words_of_identifiers_in_any_alphabet(identifier: str, expected: list[str]) -> None:
    assert words(identifier) == tuple(expected)


@pytest.mark.parametrize(("one", "several"), case_rows(__file__, "plurals_of_nouns", "one", "several"))
def test_plurals_of_nouns(one: str, several: str) -> None:
    assert plural(one) == several
