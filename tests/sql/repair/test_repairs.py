"""What is put right, into what, and what is said about it: through the whole way up to the plan, without a database."""

from __future__ import annotations

import pytest

from askwell.sql.outcome import ValidSql
from tests.sql.repair.clinic import checked
from tests.support.tables import case_rows

EVERYWHERE = ("sqlite", "duckdb", "postgres", "mysql")

NAMES = case_rows(__file__, "names", "wrong", "right", "said")
ALIASES = case_rows(__file__, "aliases", "wrong", "right", "said")
WORDS = case_rows(__file__, "words", "wrong", "right", "said")
DIALECTS = case_rows(__file__, "dialects", "dialect", "wrong", "right", "said")


async def put_right(sql: str, dialect: str) -> tuple[str, str]:
    outcome = await checked(sql, dialect)
    assert isinstance(outcome, ValidSql), outcome
    return " ".join(outcome.sql.split()).replace("( ", "(").replace(" )", ")"), "; ".join(outcome.repairs)


@pytest.mark.parametrize("dialect", EVERYWHERE)
@pytest.mark.parametrize(("wrong", "right", "said"), NAMES + ALIASES + WORDS)
async def test_what_is_certain_is_put_right_in_every_dialect(wrong: str, right: str, said: str, dialect: str) -> None:
    sql, repairs = await put_right(wrong, dialect)
    assert sql == right
    assert said in repairs


@pytest.mark.parametrize(("dialect", "wrong", "right", "said"), DIALECTS)
async def test_words_of_other_databases(dialect: str, wrong: str, right: str, said: str) -> None:
    sql, repairs = await put_right(wrong, dialect)
    assert sql == right
    assert said in repairs


async def test_several_slips_at_once_are_all_said() -> None:
    outcome = await checked(
        "Sure! ```sql\nSELECT TOP 3 p.nmae FROM clinic.pets p GROUP BY p.name WHERE count(*) > 1;\n```"
    )
    assert isinstance(outcome, ValidSql), outcome
    assert outcome.sql == "SELECT p.name FROM pets AS p GROUP BY p.name HAVING COUNT(*) > 1 LIMIT 3"
    assert len(outcome.repairs) == 5, outcome.repairs


async def test_a_condition_left_in_where_says_how_the_table_is_joined() -> None:
    sql, _ = await put_right("SELECT p.name FROM pets p WHERE p.species_id = s.id AND s.diet = 'x'", "sqlite")
    assert "JOIN species AS s ON p.species_id = s.id" in sql


async def test_a_known_value_in_other_letters_is_suggested_and_not_put_in() -> None:
    outcome = await checked("SELECT species_name FROM species WHERE diet = 'carnivore'")
    assert isinstance(outcome, ValidSql), outcome
    assert "'carnivore'" in outcome.sql
    assert outcome.repairs == ()
    assert any("'Carnivore'" in warning for warning in outcome.warnings)
