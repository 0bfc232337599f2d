"""Statements made to keep the parser or the resolver busy."""

from __future__ import annotations

import pytest

from askwell.sql.guard import Allowed, Guard, GuardPass, GuardRefusal, Rule

ALLOWED = Allowed({"parcels": frozenset({"id", "marks"})})


@pytest.mark.parametrize("dialect", ["duckdb", "postgres"])
@pytest.mark.parametrize(
    "expression",
    ["marks" + "[1]" * 1300, "marks" + "['a']" * 790, "marks" + ".a[1]" * 790, "(marks)" + "[1]" * 1300],
)
def test_long_chains_of_subscripts_are_refused_before_they_are_parsed(dialect: str, expression: str) -> None:
    outcome = Guard(dialect).check(f"SELECT {expression} FROM parcels", ALLOWED)
    assert isinstance(outcome, GuardRefusal)
    assert outcome.rule is Rule.TOO_DEEP


def test_subscripts_that_do_not_follow_one_another_are_not_counted() -> None:
    sql = "SELECT " + ", ".join(f"marks[{i}][1]" for i in range(50)) + ", " + "+".join(["marks[1]"] * 80)
    outcome = Guard("duckdb").check(f"{sql} FROM parcels", ALLOWED)
    assert isinstance(outcome, GuardPass), outcome


@pytest.mark.parametrize("dialect", ["duckdb", "sqlite"])
def test_recursive_ctes_inside_one_another_are_walked_once(dialect: str) -> None:
    # Walked twice at each level, this would take a million times as long as one level does.
    sql = "SELECT id AS a FROM parcels"
    for level in range(20):
        body = f"{sql} UNION ALL SELECT a + 1 FROM c{level} WHERE a < 3"
        sql = f"WITH RECURSIVE c{level} AS ({body}) SELECT a FROM c{level}"
    outcome = Guard(dialect).check(sql, ALLOWED)
    assert isinstance(outcome, GuardPass), outcome
    wrong = Guard(dialect).check(sql.replace("a + 1 FROM c7", "b + 1 FROM c7"), ALLOWED)
    assert isinstance(wrong, GuardRefusal)
    assert wrong.rule is Rule.COLUMN


@pytest.mark.parametrize(
    "join", ["JOIN", "LEFT JOIN", "JOIN LATERAL", "JOIN (SELECT 1) AS p ON true JOIN", "JOIN parcels JOIN"]
)
@pytest.mark.parametrize("dialect", ["duckdb", "sqlite", "postgres", "mysql", "tsql"])
def test_joins_whose_conditions_never_come_are_refused_before_they_are_parsed(dialect: str, join: str) -> None:
    # The parser would look for the conditions at the end, and start over: 2 to the power of 40 times.
    outcome = Guard(dialect).check("SELECT 1 FROM parcels " + f"{join} parcels " * 40, ALLOWED)
    assert isinstance(outcome, GuardRefusal)
    assert outcome.rule is Rule.TOO_DEEP


def test_many_joins_with_conditions_and_a_few_without_pass() -> None:
    joins = " ".join(f"LEFT JOIN parcels AS p{i} ON p{i}.id = parcels.id" for i in range(60))
    sql = f"SELECT parcels.id FROM parcels {joins} JOIN parcels AS x JOIN parcels AS y CROSS JOIN parcels AS z"
    outcome = Guard("duckdb").check(sql, ALLOWED)
    assert isinstance(outcome, GuardPass), outcome


def test_a_statement_has_a_bounded_number_of_words() -> None:
    outcome = Guard("duckdb").check("SELECT " + "1," * 8_000 + "1", ALLOWED)
    assert isinstance(outcome, GuardRefusal)
    assert outcome.rule is Rule.TOO_LARGE
