"""Repair on whatever comes: it never raises, what it gives out binds, and giving it its own answer changes nothing."""

from __future__ import annotations

import asyncio
from functools import cache

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sqlglot.dialects.dialect import Dialect

from askwell.sql.checker import SqlChecker
from askwell.sql.outcome import RejectedSql, SqlOutcome, ValidSql
from tests.sql.repair.clinic import checked, checker, functions, model
from tests.sql.repair.test_left_alone import GOOD, UNCERTAIN
from tests.sql.repair.test_repairs import ALIASES, NAMES, WORDS
from tests.support.examples import examples
from tests.support.tables import case_table

DIALECTS = ["sqlite", "duckdb", "postgres", "mysql"]
STATEMENTS = [*GOOD, *UNCERTAIN[:-1], *(case[0] for case in NAMES + ALIASES + WORDS)]
PIECES = case_table(__file__, "pieces")


@cache
def way(dialect: str) -> SqlChecker:
    return checker(dialect)


def outcome_of(text: str, dialect: str) -> SqlOutcome:
    return asyncio.run(checked(text, dialect, way(dialect)))


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """A statement with a few characters lost, doubled or swapped, and pieces put in or cut out."""
    text = draw(st.sampled_from(STATEMENTS))
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(text)))
        match draw(st.sampled_from(["lose", "double", "swap", "insert", "cut"])):
            case "lose":
                text = text[:at] + text[at + 1 :]
            case "double":
                text = text[:at] + text[at : at + 1] * 2 + text[at + 1 :]
            case "swap":
                text = text[:at] + text[at + 1 : at + 2] + text[at : at + 1] + text[at + 2 :]
            case "insert":
                text = text[:at] + draw(st.sampled_from(PIECES)) + text[at:]
            case _:
                text = text[:at] + text[at + draw(st.integers(1, 12)) :]
    return text


@pytest.mark.parametrize("dialect", DIALECTS)
@settings(max_examples=examples(120), deadline=None)
@given(text=mutated())
@example(text="SELECT ((((((((((name FROM pets")
@example(text="SELECT name FROM pets WHERE " + "NOT " * 50 + "id")
def test_what_comes_out_binds_and_is_not_repaired_again(dialect: str, text: str) -> None:
    outcome = outcome_of(text, dialect)
    if isinstance(outcome, RejectedSql):
        assert outcome.error
        return
    assert set(outcome.tables) <= set(model(dialect).tables)
    if outcome.repairs:
        again = outcome_of(outcome.sql, dialect)
        assert isinstance(again, ValidSql), (outcome, again)
        assert again.repairs == ()
        assert again.sql == outcome.sql


@settings(max_examples=examples(150), deadline=None)
@given(
    text=st.one_of(
        st.text(max_size=200), st.lists(st.sampled_from([*PIECES, "SELECT ", "name ", "pets "])).map("".join)
    )
)
def test_any_text_has_an_outcome(text: str) -> None:
    assert outcome_of(text, "sqlite") is not None


COLUMNS = [(table.name, column.name) for table in model() for column in table.columns]


@st.composite
def good(draw: st.DrawFn) -> str:
    """A statement over one table of the model that has nothing wrong with it."""
    table = draw(st.sampled_from(sorted({table for table, _ in COLUMNS})))
    mine = [column for owner, column in COLUMNS if owner == table]
    alias = draw(st.sampled_from(["", "x", "T1"]))
    columns = draw(st.lists(st.sampled_from(mine), min_size=1, max_size=3, unique=True))
    names = [f"{alias or table}.{column}" if draw(st.booleans()) else column for column in columns]
    sql = f"SELECT {', '.join(names)} FROM {table}" + (f" AS {alias}" if alias else "")
    if draw(st.booleans()):
        sql += f" WHERE {draw(st.sampled_from(mine))} IS NOT NULL"
    if draw(st.booleans()):
        sql = sql.replace("SELECT", "SELECT COUNT(*),", 1) + f" GROUP BY {', '.join(names)} HAVING COUNT(*) > 1"
    if draw(st.booleans()):
        sql += f" ORDER BY {names[0]}"
    return sql + draw(st.sampled_from(["", " LIMIT 3"]))


@pytest.mark.parametrize("dialect", DIALECTS)
@settings(max_examples=examples(60), deadline=None)
@given(sql=good())
def test_a_good_statement_is_never_changed(dialect: str, sql: str) -> None:
    outcome = outcome_of(sql, dialect)
    assert isinstance(outcome, ValidSql), outcome
    assert outcome.repairs == ()


ARGUMENTS = case_table(__file__, "arguments")


@cache
def spellings(dialect: str) -> list[str]:
    """Functions of the dialect, and those that the parser knows from elsewhere."""
    known = {name for other in DIALECTS for name in Dialect.get_or_raise(other).parser_class.FUNCTIONS}
    return sorted({name.lower() for name in known} | functions(dialect))


@st.composite
def called(draw: st.DrawFn, dialect: str) -> str:
    """A call of a function that may be spelled in any way, with up to three arguments."""
    name = draw(st.sampled_from(spellings(dialect)) | st.from_regex("[A-Za-z_]{1,9}", fullmatch=True))
    if draw(st.booleans()):
        at = draw(st.integers(0, len(name) - 1))
        letters = draw(st.sampled_from(["", name[at] * 2, *"aelmnprty_"]))
        name = name[:at] + letters + name[at + 1 :]
    given = ", ".join(draw(st.lists(st.sampled_from(ARGUMENTS), max_size=3)))
    return f"SELECT {name}({given}) FROM pets"


@pytest.mark.parametrize("dialect", DIALECTS)
@settings(max_examples=examples(300), deadline=None)
@given(data=st.data())
def test_a_call_of_any_function_has_an_outcome(dialect: str, data: st.DataObject) -> None:
    assert outcome_of(data.draw(called(dialect)), dialect) is not None


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_call_that_can_be_read_but_not_written_is_turned_away(dialect: str) -> None:
    outcome = outcome_of("SELECT json_exists(name, name, name), nosuch FROM pets", dialect)
    assert isinstance(outcome, RejectedSql)
    assert outcome.error


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("name", ["peek", "mnoth", "yeear", "wek"])
def test_a_misspelt_call_without_its_argument_is_turned_away(dialect: str, name: str) -> None:
    outcome = outcome_of(f"SELECT {name}() FROM pets", dialect)
    assert isinstance(outcome, RejectedSql)
    assert "no function" in outcome.error
