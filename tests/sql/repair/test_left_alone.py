"""What is not repaired: good statements, what is not certain, and whatever the guard refuses."""

from __future__ import annotations

import re

import pytest

from askwell.sql.outcome import RejectedSql, RejectionKind, ValidSql
from tests.sql.repair.clinic import checked
from tests.support.tables import case_table

GOOD = case_table(__file__, "good")
UNCERTAIN = [
    "SELECT height FROM pets",  # weight is another word
    "SELECT middle_name FROM owners",
    "SELECT full_name FROM owners",
    "SELECT addr2 FROM owners",  # numbers are never touched
    "SELECT visit_date FROM visits",
    "SELECT pname FROM pets",
    "SELECT id FROM owners AS o JOIN pets AS p ON p.owner_id = o.id WHERE p.weight > o.weight",
    "SELECT v.fee, d.full_name FROM visits AS v WHERE d.full_name = 'x'",  # two relationships lead to vets
    "SELECT species_id, id FROM pets AS p JOIN visits AS v ON v.pet_id = p.id",  # whose id?
    "SELECT p.name FROM pets AS p LEFT JOIN owners AS o ON p.owner_id = o.id WHERE o.name = 'x'",  # p.name is said too
    "SELECT p.name FROM pets AS p JOIN owners AS o ON p.species_id = o.species_id",  # would compare p with itself
    "SELECT o.city, p.city FROM pets AS p JOIN owners AS o ON p.owner_id = o.id",  # would select the same twice
    "SELECT name FROM pets WHERE (id > 3 OR weight = 2 AND species_id > 4",  # where the bracket closes matters
    "SELECT name FROM pets WHERE weight > MAX(weight) AND species_id = 2",  # of all, or of that species?
    "SELECT city FROM owners LIMIT 3 LIMIT 4",
    "SELECT TOP 5 PERCENT name FROM pets",
    "SELECT name FROM pets WHERE id IN (SELECT TOP 3 pet_id FROM visits UNION SELECT 1)",
    "SELECT frobnicate(name) FROM pets",
    "SELECT d FROM pets",  # any letter may be meant
    "SELECT " + ", ".join(f"nam{'e' * n}x" for n in range(2, 60)) + " FROM pets",
]
REFUSED = case_table(__file__, "refused")


@pytest.mark.parametrize("dialect", ["sqlite", "duckdb", "postgres", "mysql"])
@pytest.mark.parametrize("sql", GOOD)
async def test_a_good_statement_is_left_alone(sql: str, dialect: str) -> None:
    outcome = await checked(sql, dialect)
    assert isinstance(outcome, ValidSql), outcome
    assert outcome.repairs == ()


@pytest.mark.parametrize("sql", UNCERTAIN)
async def test_what_is_not_certain_stays_wrong(sql: str) -> None:
    outcome = await checked(sql)
    assert isinstance(outcome, RejectedSql), outcome
    assert outcome.kind in (RejectionKind.BIND, RejectionKind.PARSE)
    assert outcome.original_sql == sql


@pytest.mark.parametrize("sql", REFUSED)
async def test_a_refusal_of_the_guard_is_final(sql: str) -> None:
    outcome = await checked(sql)
    assert isinstance(outcome, RejectedSql), outcome
    assert outcome.kind is RejectionKind.GUARD


async def test_what_the_guard_refuses_only_after_a_repair_is_not_let_through_either() -> None:
    for sql in (
        "SELECT TOP 3 nme FROM 'people.csv'",
        "SELECT load_extension(nme FROM pets",
        "SELECT TOP 3 * FROM temp.x",
    ):
        outcome = await checked(sql)
        assert isinstance(outcome, RejectedSql), outcome
        assert outcome.sql == sql


async def test_an_aggregate_in_where_is_found_without_a_database() -> None:
    outcome = await checked("SELECT name FROM pets WHERE weight > MAX(weight) AND species_id = 2")
    assert isinstance(outcome, RejectedSql), outcome
    assert "MAX(weight)" in outcome.error
    assert "HAVING" in outcome.error


async def test_a_repair_that_fails_leaves_the_first_problem_and_its_nearest_names() -> None:
    outcome = await checked("SELECT frist_name, middle_name FROM owners")
    assert isinstance(outcome, RejectedSql), outcome
    assert outcome.sql == "SELECT frist_name, middle_name FROM owners"
    assert 'no column "frist_name"; nearest: owners.first_name' in outcome.error


async def test_an_unknown_function_is_found_without_a_database() -> None:
    for dialect, name, near in (
        ("sqlite", "stddev", ""),
        ("sqlite", "initcap", ""),
        ("duckdb", "list_dist", "list_"),
    ):
        outcome = await checked(f"SELECT {name}(name) FROM pets", dialect)
        assert isinstance(outcome, RejectedSql), outcome
        assert outcome.kind is RejectionKind.BIND
        assert name in outcome.error
        assert near in outcome.error


async def test_a_column_compared_with_itself_through_a_subquery_is_a_mistake() -> None:
    outcome = await checked("SELECT name FROM pets WHERE owner_id IN (SELECT owner_id FROM owners)")
    assert isinstance(outcome, RejectedSql), outcome
    assert 'owners has no column "owner_id"' in outcome.error
    said = await checked("SELECT name FROM pets WHERE owner_id IN (SELECT pets.owner_id FROM owners)")
    assert isinstance(said, ValidSql), said


async def test_a_long_statement_is_answered_as_it_is() -> None:
    sql = "SELECT nme FROM pets WHERE id IN (" + ", ".join(map(str, range(1500))) + ")"
    outcome = await checked(sql)
    assert isinstance(outcome, RejectedSql), outcome
    assert "name" in outcome.error


@pytest.mark.parametrize("dialect", ["duckdb", "postgres", "mysql"])
@pytest.mark.parametrize("table", ["archive.pets", "clinic.archive.pets"])
async def test_a_table_of_another_schema_is_not_taken_for_the_models(table: str, dialect: str) -> None:
    outcome = await checked(f"SELECT name FROM {table}", dialect)
    assert isinstance(outcome, RejectedSql)
    assert "pets" in outcome.error


@pytest.mark.parametrize("dialect", ["sqlite", "duckdb", "postgres", "mysql"])
@pytest.mark.parametrize("word", ["peek", "leek", "tear", "lover", "moth", "sing", "found", "minuet", "sux"])
async def test_another_word_is_no_slip_of_a_function(word: str, dialect: str) -> None:
    outcome = await checked(f"SELECT {word}(birth_date) FROM pets", dialect)

    assert isinstance(outcome, RejectedSql), outcome
    assert f"no function {word}" in outcome.error


@pytest.mark.parametrize(
    "sql", ["SELECT ENCRYPT('x') FROM pets", "SELECT '{a}'::regclass[] FROM pets", "SELECT 1 FROM"]
)
@pytest.mark.parametrize("dialect", ["sqlite", "duckdb", "postgres", "mysql"])
async def test_no_class_of_a_library_is_named(sql: str, dialect: str) -> None:
    outcome = await checked(sql, dialect)

    assert isinstance(outcome, ValidSql) or not re.search(r"<|sqlglot|Token", outcome.error), outcome


async def test_what_may_be_an_operator_of_the_databases_own_is_left_to_it() -> None:
    sql = "SELECT name FROM pets WHERE name === 'Rex'"

    assert isinstance(await checked(sql, "postgres"), RejectedSql)


async def test_a_function_that_means_something_else_elsewhere_is_not_said_in_other_words() -> None:
    assert isinstance(await checked("SELECT TO_TIMESTAMP(name) FROM pets", "mysql"), RejectedSql)
