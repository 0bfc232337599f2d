"""What is said of a bad manifest is said to a person: whole sentences, in the manifest's own words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from askwell.mdl.validation import ManifestReading, read_manifest
from tests.mdl.shop import calculated, plain, shop_mdl
from tests.mdl.test_validation import is_sentence
from tests.support.examples import examples

Mdl = dict[str, Any]


def read(change: Callable[[Mdl], object]) -> ManifestReading:
    mdl = shop_mdl()
    change(mdl)
    return read_manifest(mdl)


BROKEN_SQL = [
    "(", "a +", "sum(a", "a b c", "'abc", '"abc', "case when a then", "cast(a as banana x)", "a ) b", "between 1",
    "substr()", "a.", "/* a", "$$a", "extract(banana)", "a[", "not", "in (1)", "case end", "a not", "selec a from b",
]  # fmt: skip


@pytest.mark.parametrize("data_source", ["DUCKDB", "SQLITE", "MYSQL"])
@pytest.mark.parametrize("sql", BROKEN_SQL)
def test_broken_sql_anywhere_is_said_in_a_sentence(sql: str, data_source: str) -> None:
    def change(mdl: Mdl) -> None:
        mdl["dataSource"] = data_source
        mdl["models"][0]["columns"] += [calculated("x", sql), plain("y", expression=sql)]
        mdl["models"][1]["rowLevelAccessControls"] = [{"name": "r", "condition": sql}]
        mdl["models"][2]["refSql"] = f"SELECT {sql}"
        mdl["relationships"][0]["condition"] = sql
        mdl["metrics"][0]["measure"][0]["expression"] = sql
        mdl["views"][0]["statement"] = f"SELECT * FROM Orders WHERE {sql}"

    problems = read(change).problems
    assert problems
    assert [str(p) for p in problems if not is_sentence(p)] == []


@settings(max_examples=examples(60), deadline=None)
@given(st.data())
def test_a_wrong_kind_of_value_anywhere_is_said_in_a_sentence(data: st.DataObject) -> None:
    mdl = shop_mdl()
    here: Any = mdl
    for _ in range(data.draw(st.integers(0, 5))):
        keys = [k for k in (here if isinstance(here, dict) else range(len(here))) if isinstance(here[k], dict | list)]
        if not keys:
            break
        here = here[data.draw(st.sampled_from(keys))]
    keys = list(here) if isinstance(here, dict) else list(range(len(here)))
    if keys:
        here[data.draw(st.sampled_from(keys))] = data.draw(st.sampled_from(["", "x", 7, 1.5, True, [], {}, [1], [[]]]))
    reading = read_manifest(mdl)
    assert [str(p) for p in (*reading.problems, *reading.warnings) if not is_sentence(p)] == []


def test_a_top_level_that_lacks_several_things_is_told_all_of_them() -> None:
    assert [str(problem) for problem in read_manifest({"catalog": "x"}).problems] == [
        'manifest: "schema" is missing. Add "schema".',
        'manifest: it has no models, so there is nothing to ask about. List a table in "models".',
    ]
    (misshapen,) = read_manifest({"catalog": "x", "schema": "y", "models": [7]}).problems
    assert str(misshapen).startswith("models[0]: it is a number")


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT o.id, (SELECT max(i.qty) FROM Items i WHERE i.order_id = o.id) AS most FROM Orders o",
        "WITH big AS (SELECT * FROM Orders WHERE amount > 15) SELECT big.id FROM big",
        "SELECT list_filter([{'qty': 1}], x -> x.qty > 0) AS some FROM Orders",
        "SELECT t.n FROM Orders o, UNNEST([1, 2]) AS t(n)",
        "SELECT Orders.id FROM orders",
    ],
)
def test_names_of_subqueries_and_lambdas_are_no_mistakes(statement: str) -> None:
    assert read(lambda m: m["views"].append({"name": "v", "statement": statement})).problems == ()


class TestTypes:
    @pytest.mark.parametrize(
        ("written", "todo"),
        [
            ("BANANA", "Use one such as INTEGER, DOUBLE, VARCHAR, DATE or TIMESTAMP."),
            ("INTEGR", "Nearest: INTEGER"),
            ("contry_code", "Nearest: country_code"),
            ("STRUCT(a BANANA)", "Use one such as"),
        ],
    )
    def test_a_type_that_is_none_is_a_warning(self, written: str, todo: str) -> None:
        reading = read(lambda m: m["models"][4]["columns"].append(plain("x", written)))
        assert reading.manifest is not None
        (warning,) = reading.warnings
        assert warning.where == 'models[4] "Staff" . columns[6] "x"'
        assert warning.what == f'its type "{written}" is neither a SQL type nor an enum of the model'
        assert warning.todo.startswith(todo)

    def test_a_type_that_is_a_model_wants_a_relationship(self) -> None:
        reading = read(lambda m: m["models"][4]["columns"].append(plain("x", "orders")))
        assert [w.what for w in reading.warnings] == ['its type is the model Orders, but it names no "relationship"']

    def test_types_of_measures_count(self) -> None:
        reading = read(lambda m: m["metrics"][0]["measure"][0].update(type="BANANA"))
        assert [w.where for w in reading.warnings] == ['metrics[0] "revenue_by_country" . measure[0] "revenue"']

    @pytest.mark.parametrize("data_source", ["DUCKDB", "SQLITE", "POSTGRES"])
    @pytest.mark.parametrize(
        "written",
        [
            "int", "UNSIGNED BIG INT", "NATIVE CHARACTER(70)", "NVARCHAR(160)", "DECIMAL(10, 2)", "INTEGER[]",
            "STRUCT(a INTEGER, b VARCHAR)", "MAP(VARCHAR, INTEGER)", "UNION(num INTEGER, str VARCHAR)",
            "ENUM('a', 'b')", "TIMESTAMP WITH TIME ZONE", "TIMESTAMP_NS", "HUGEINT", "BIGNUM", "string", "int64",
            "jsonb", "citext", "double precision", "character varying(20)", "clob", "Country_Code",
        ],
    )  # fmt: skip
    def test_types_that_databases_have(self, written: str, data_source: str) -> None:
        def change(mdl: Mdl) -> None:
            mdl["dataSource"] = data_source
            mdl["models"][4]["columns"].append(plain("x", written))

        assert read(change).warnings == ()
