"""Which functions may be called: reviewed ones that the engine has, whatever else a database may hold."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
import sqlglot

from askwell.sql.guard import DIALECTS, Allowed, Guard, GuardPass, GuardRefusal, Rule
from askwell.sql.guard.catalogues import REVIEWED
from askwell.sql.guard.functions import denied_reason
from askwell_evaluation.guard import run_guard
from tests.sql.guard.parcels import allowed
from tests.support.tables import case_rows

# As a server with many extensions and functions of its users' own would list them.
SERVER = REVIEWED["postgres"] | frozenset(
    """
    charge_customer refresh_totals mean pg_sleep pg_read_file dblink dblink_exec lo_export lo_import loread
    plperl_call_handler plpython3_call_handler file_fdw_handler pg_file_write crosstab connectby xpath query_to_xml
    set_config current_setting nextval setval get_raw_page pgp_sym_decrypt crypt gen_salt uuid_generate_v1mc
    pg_stat_statements_reset amcheck bt_index_check http_get aws_s3 hstore_to_json normal_rand
    """.split()  # noqa: SIM905 - reads better as words
)
EVERYDAY = [
    *("COUNT(*)", "SUM(price)", "AVG(price)", "MIN(price)", "MAX(price)", "ABS(price)", "ROUND(price, 1)"),
    *("UPPER(carrier)", "LOWER(carrier)", "TRIM(carrier)", "REPLACE(carrier, 'a', 'b')"),
    *("COALESCE(carrier, '')", "NULLIF(carrier, '')", "CAST(price AS INT)"),
]


def refusal(guard: Guard, sql: str) -> GuardRefusal:
    outcome = guard.check(sql, allowed(guard.dialect))
    assert isinstance(outcome, GuardRefusal), outcome
    return outcome


@pytest.mark.parametrize("name", sorted(SERVER - REVIEWED["postgres"]))
def test_what_a_server_has_but_nobody_reviewed_is_not_called(name: str) -> None:
    guard = Guard("postgres", SERVER)
    assert refusal(guard, f"SELECT {name}(name) FROM people").rule is Rule.FUNCTION_DENIED
    assert refusal(guard, f"SELECT * FROM {name}('x')").rule in (Rule.FUNCTION_DENIED, Rule.TABLE_FUNCTION)


def test_a_reviewed_function_that_the_engine_lacks_is_unknown_not_denied() -> None:
    guard = Guard("postgres", SERVER - {"similarity"})
    outcome = refusal(guard, "SELECT similarity(name, 'Ada') FROM people")
    assert (outcome.rule, outcome.name) == (Rule.FUNCTION_UNKNOWN, "similarity")
    assert isinstance(
        Guard("postgres", SERVER).check("SELECT similarity(name, 'Ada')  FROM people", allowed("postgres")), GuardPass
    )


@pytest.mark.parametrize(
    ("dialect", "sql", "name", "nearest"),
    case_rows(__file__, "a_function_of_another_dialect_is_unknown", "dialect", "sql", "name", "nearest"),
)
def test_a_function_of_another_dialect_is_unknown(dialect: str, sql: str, name: str, nearest: str) -> None:
    """The parser knows them by type, but here somebody could have made one of that name."""
    outcome = refusal(Guard(dialect), sql)
    assert outcome.rule is Rule.FUNCTION_UNKNOWN
    assert name in outcome.message or outcome.name
    assert nearest in outcome.message


@pytest.mark.parametrize("dialect", DIALECTS)
def test_nothing_denied_is_on_a_reviewed_list(dialect: str) -> None:
    assert [name for name in sorted(REVIEWED[dialect]) if denied_reason(name)] == []


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_dialect_has_the_everyday_functions(dialect: str) -> None:
    guard = Guard(dialect)
    for call in EVERYDAY:
        assert isinstance(guard.check(f"SELECT {call} FROM shipments", allowed(dialect)), GuardPass), call


def test_without_a_catalogue_the_reviewed_list_stands_in() -> None:
    bare = Guard("duckdb")
    assert isinstance(bare.check("SELECT list_zip([1], [2])", allowed("duckdb")), GuardPass)
    assert refusal(bare, "SELECT read_text('x')").rule is Rule.FUNCTION_DENIED


# -- The database system's own tables are refused even where a plan is allowed them.


@pytest.mark.parametrize(
    ("dialect", "table", "qualifier"),
    case_rows(__file__, "they_are", "dialect", "table", "qualifier"),
)
def test_they_are(dialect: str, table: str, qualifier: str) -> None:
    written = f"{qualifier}.{table}" if qualifier else table
    tree = sqlglot.parse_one(f"SELECT 1 FROM {written}", dialect=dialect)
    allowed = Allowed({table: None}, frozenset({qualifier} if qualifier else ()), spelling={table: table})
    outcome = Guard(dialect).check_tree(tree, allowed)
    assert isinstance(outcome, GuardRefusal)
    assert outcome.rule is Rule.SYSTEM_NAME


@pytest.mark.parametrize("table", ["pg_orders", "systems", "temperatures", "main.tables"])
def test_names_that_only_look_so_are_not(table: str) -> None:
    tree = sqlglot.parse_one(f"SELECT 1 FROM {table}", dialect="duckdb")
    allowed = Allowed({table.removeprefix("main."): None}, frozenset({"main"}))
    assert isinstance(Guard("duckdb").check_tree(tree, allowed), GuardPass)


# -- Classes of attack in which a name, a type, an operator or a sign makes the database call or read something else.


_FOLDER = Path(__file__).parent / "cases" / "classes"


def test_every_attack_of_each_class_is_refused_and_what_looks_alike_passes() -> None:
    report = run_guard(_FOLDER / "attacks.json", _FOLDER / "benign.json")
    assert report.figures["missed"] == report.figures["blocked"] == []
    assert {counts["refused"] == counts["of"] for counts in report.figures["by_class"].values()} == {True}


def test_each_dialect_has_cases_enough_to_mean_something() -> None:
    attacks = json.loads((_FOLDER / "attacks.json").read_text(encoding="utf-8"))
    calls = Counter(case["dialect"] for case in attacks if case["class"] == "call_without_parentheses")
    assert set(calls) == set(DIALECTS)
    assert min(calls.values()) >= 30
