"""What is put right, into what, and what is said about it: through the whole way up to the plan, without a database."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwell.sql.outcome import RejectedSql, RejectionKind, ValidSql
from askwell.sql.repair.spelling import closest, slip, words
from tests.fakes.openai_server import Answer
from tests.sql.repair.clinic import checked
from tests.support.service import scripted_service
from tests.support.tables import case_rows, case_table

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
        "Sure! ```sql\nSELECT TOP 3 p.nmae FROM clinic.pets p GROUP BY p.name WHERE cuont(*) > 1;\n```"
    )
    assert isinstance(outcome, ValidSql), outcome
    assert outcome.sql == "SELECT p.name FROM pets AS p GROUP BY p.name HAVING COUNT(*) > 1 LIMIT 3"
    assert len(outcome.repairs) == 6, outcome.repairs


async def test_a_condition_left_in_where_says_how_the_table_is_joined() -> None:
    sql, _ = await put_right("SELECT p.name FROM pets p WHERE p.species_id = s.id AND s.diet = 'x'", "sqlite")
    assert "JOIN species AS s ON p.species_id = s.id" in sql


async def test_a_known_value_in_other_letters_is_suggested_and_not_put_in() -> None:
    outcome = await checked("SELECT species_name FROM species WHERE diet = 'carnivore'")
    assert isinstance(outcome, ValidSql), outcome
    assert "'carnivore'" in outcome.sql
    assert outcome.repairs == ()
    assert any("'Carnivore'" in warning for warning in outcome.warnings)


# -- When one name is another one misspelt, and when it is another name.


SLIPS = case_rows(__file__, "slips", "wrong", "meant")
OTHERS = case_rows(__file__, "others", "one", "other")


@pytest.mark.parametrize(("wrong", "meant"), SLIPS)
def test_slips_of_the_fingers(wrong: str, meant: str) -> None:
    assert closest(wrong, [meant, "quite_another"]) == meant


@pytest.mark.parametrize(("one", "other"), OTHERS)
def test_one_real_word_is_never_taken_for_another(one: str, other: str) -> None:
    assert closest(one, [other]) is None
    assert closest(other, [one]) is None


@pytest.mark.parametrize(
    ("written", "meant"),
    case_rows(__file__, "another_style_is_the_same_name", "written", "meant"),
)
def test_another_style_is_the_same_name(written: str, meant: str) -> None:
    assert closest(written, [meant, "customer", "last_name"]) == meant


def test_two_that_are_as_near_are_none() -> None:
    assert closest("naame", ["naame_1", "naames", "naamy"]) == "naames"
    assert closest("categoryy", ["category", "categorys"]) is None
    assert closest("customr", ["customer", "customer_", "invoices"]) is None


def test_a_word_that_names_here_are_made_of_is_no_slip() -> None:
    assert closest("depat", ["depot"]) == "depot"
    assert closest("depat", ["depot"], known=frozenset({"depat"})) is None


@given(st.text(max_size=30), st.lists(st.text(max_size=30), max_size=6))
def test_any_text_gives_a_candidate_or_none(name: str, candidates: list[str]) -> None:
    found = closest(name, candidates)
    assert found is None or found in candidates


@given(st.from_regex(r"[a-z]{2,8}(_[a-z0-9]{1,8}){0,3}", fullmatch=True))
def test_a_name_is_no_slip_of_itself_in_another_style(name: str) -> None:
    assert closest(name.upper(), [name]) == name
    assert slip(name, name) is None
    assert words(name) == words(name.upper())


# -- `||` and ISNULL of two arguments, which MySQL takes for something else than is mostly meant.


JOINED = case_rows(__file__, "joined", "wrong", "right")
REFUSED = case_table(__file__, "refused")


@pytest.mark.parametrize(("wrong", "right"), JOINED)
async def test_what_certainly_joins_texts_or_stands_in_for_null_is_written_so(wrong: str, right: str) -> None:
    outcome = await checked(wrong, "mysql")
    assert isinstance(outcome, ValidSql), outcome
    assert right in outcome.sql
    assert len(outcome.repairs) == 1


@pytest.mark.parametrize("sql", REFUSED)
async def test_what_may_mean_either_is_refused_with_what_to_write(sql: str) -> None:
    outcome = await checked(sql, "mysql")
    assert isinstance(outcome, RejectedSql), outcome
    assert outcome.kind is RejectionKind.BIND
    assert "CONCAT(a, b)" in outcome.error


async def test_no_other_repair_carries_it_through() -> None:
    assert isinstance(await checked("SELECT TOP 2 city FROM owners WHERE id = 1 || id = 2", "mysql"), RejectedSql)


@pytest.mark.parametrize("pattern", ["Q", "Month YYYY", "999.9", "YYY"])
async def test_a_format_that_mysql_has_no_letters_for_is_not_dropped(pattern: str) -> None:
    outcome = await checked(f"SELECT TO_CHAR(birth_date, '{pattern}') FROM pets", "mysql")
    assert isinstance(outcome, RejectedSql), outcome
    assert outcome.kind is RejectionKind.BIND
    assert "DATE_FORMAT" in outcome.error


@pytest.mark.parametrize("sql", ["SELECT '||' FROM owners", "SELECT ISNULL(city) FROM owners"])
async def test_what_mysql_means_by_it_stays(sql: str) -> None:
    outcome = await checked(sql, "mysql")
    assert isinstance(outcome, ValidSql), outcome
    assert outcome.repairs == ()


# -- What a database would run, but not as it was meant, is refused with what to write; repairs keep the meaning.


@pytest.mark.parametrize(
    ("sql", "said"),
    case_rows(__file__, "what_mysql_would_take_for_something_else_is_refused", "sql", "said"),
)
async def test_what_mysql_would_take_for_something_else_is_refused(sql: str, said: str) -> None:
    outcome = await checked(sql, "mysql")
    assert isinstance(outcome, RejectedSql)
    assert outcome.kind is RejectionKind.BIND
    assert said in outcome.error


@pytest.mark.parametrize(
    "sql",
    case_table(__file__, "what_it_understands_is_not"),
)
async def test_what_it_understands_is_not(sql: str) -> None:
    assert isinstance(await checked(sql, "mysql"), ValidSql)


async def test_other_databases_keep_their_own_words() -> None:
    assert isinstance(await checked("SELECT DATE_TRUNC('hour', birth_date), \"name\" FROM pets", "postgres"), ValidSql)


# A call that SQLite lacks, and what it gives for a pet by the name of Rex, without an owner, born on 29 February 2024.
_SAME = case_rows(__file__, "same", "call", "value")


@pytest.mark.parametrize(("call", "value"), _SAME)
async def test_what_sqlite_lacks_is_said_with_the_same_meaning(call: str, value: object) -> None:
    outcome = await checked(f"SELECT {call} AS v FROM pets")
    assert isinstance(outcome, ValidSql), outcome
    assert outcome.repairs
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute("CREATE TABLE pets AS SELECT 'Rex' AS name, NULL AS owner_id, '2024-02-29' AS birth_date")
        assert database.execute(outcome.sql).fetchone() == (value,)


@pytest.mark.parametrize(
    "call",
    case_table(__file__, "what_it_cannot_say_is_left_to_the_model"),
)
async def test_what_it_cannot_say_is_left_to_the_model(call: str) -> None:
    outcome = await checked(f"SELECT {call} FROM pets")
    assert isinstance(outcome, RejectedSql), outcome
    assert outcome.kind is RejectionKind.BIND


# -- What was repaired stands on the answer: asked over HTTP, with a scripted language model, on a real database.


# A question that rules cannot place, so that it reaches the model.
QUESTION = "Who among our customers is the keenest spender, roughly?"


async def test_a_repaired_statement_is_answered_without_another_model_call_and_says_so(tmp_path: Path) -> None:
    wrong = "SELECT TOP 1 nmae FROM custmers ORDER BY total_spent DESC"
    async with scripted_service(tmp_path, {"sql_generation": [Answer(json={"sql": wrong})]}) as (service, server):
        result = await service.answer(QUESTION, execute=True)
        assert server.calls("sql_correction") == 0
    assert result["status"] == "finished"
    assert result["response"][0]["sql"] == "SELECT name FROM customers ORDER BY total_spent DESC LIMIT 1"
    assert result["data"]["rows"] == [["Ada Lovelace"]]
    assert result["repairs"] == [
        "`TOP 1` read as `LIMIT 1`",
        "`custmers` read as `customers`",
        "`nmae` read as `name`",
    ]


async def test_an_answer_as_it_came_has_no_repairs(tmp_path: Path) -> None:
    right = "SELECT name FROM customers ORDER BY total_spent DESC LIMIT 1"
    async with scripted_service(tmp_path, {"sql_generation": [Answer(json={"sql": right})]}) as (service, _):
        result = await service.answer(QUESTION)
    assert "repairs" not in result
