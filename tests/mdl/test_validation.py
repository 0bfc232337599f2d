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

from askwell.mdl.problems import MAX_PROBLEMS
from askwell.mdl.validation import Problem, read_manifest
from tests.mdl.shop import calculated, link, plain, shop_mdl
from tests.support.tables import case_table

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
    assert 'views[3] "opaque": its columns cannot be told' in said
    assert 'views[4] "twice": several of its columns have the same name' in said


JUNK: list[tuple[str, Any]] = [
    ("nothing", ""),
    ("prose", "Here is the model you asked for:"),
    ("not UTF-8", b"\xff\xfe{}"),
    ("a list", "[]"),
    ("a number", "7"),
    ("null", "null"),
    ("NaN", '{"catalog": NaN}'),
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
