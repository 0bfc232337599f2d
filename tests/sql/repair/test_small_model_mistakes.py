"""What small language models get wrong about tables and columns: repaired where one meaning is left, and otherwise
rejected with everything that may have been meant."""

from __future__ import annotations

import pytest

from askwell.sql.outcome import RejectedSql, RejectionKind, ValidSql
from tests.sql.repair.brewery import brewery_checker
from tests.sql.repair.clinic import checked, checker_over, manifest_of
from tests.support.tables import case_rows, case_table

# The question, what was written, and what that is read as.
REPAIRED = case_rows(__file__, "repaired", "question", "sql", "repaired")
# The question, what was written, what the error says, and the tables whose columns would help.
REJECTED = case_rows(__file__, "rejected", "question", "sql", "error", "tables")


@pytest.mark.parametrize(("question", "sql", "repaired"), REPAIRED)
async def test_one_meaning_is_left(question: str, sql: str, repaired: str) -> None:
    outcome = await checked(sql, way=brewery_checker(), question=question)

    assert isinstance(outcome, ValidSql), outcome
    assert " ".join(outcome.sql.split()).replace("( ", "(").replace(" )", ")") == repaired
    assert outcome.repairs


@pytest.mark.parametrize(("question", "sql", "error", "tables"), REJECTED)
async def test_another_may_be_meant(question: str, sql: str, error: str, tables: tuple[str, ...]) -> None:
    outcome = await checked(sql, way=brewery_checker(), question=question)

    assert isinstance(outcome, RejectedSql), outcome
    assert outcome.kind is RejectionKind.BIND
    assert error in outcome.error
    assert set(tables) == set(outcome.tables)
    assert outcome.suggestions == ()


@pytest.mark.parametrize("dialect", ["sqlite", "duckdb", "postgres", "mysql"])
async def test_a_repair_that_leaves_a_column_ungrouped_is_none(dialect: str) -> None:
    sql = "SELECT t.strength, AVG(t.score) FROM tastings AS t JOIN beers AS b ON t.beer_id = b.id GROUP BY t.{key}"

    assert isinstance(await checked(sql.format(key="beer_id"), dialect, brewery_checker(dialect)), ValidSql)
    assert isinstance(await checked(sql.format(key="tasted_on"), dialect, brewery_checker(dialect)), RejectedSql)


async def test_the_question_decides_between_tables_that_an_alias_may_stand_for() -> None:
    sql = "SELECT bb.name, t.town FROM tastings AS tt JOIN beers AS bb ON tt.beer_id = bb.id"
    asked = await checked(sql, way=brewery_checker(), question="In which towns do the tasters of each beer live?")
    unknown = await checked(sql, way=brewery_checker())

    assert isinstance(asked, ValidSql), asked
    assert asked.repairs == ("`tasters` joined as `t` where `tt.taster_id = t.id`",)
    assert isinstance(unknown, RejectedSql), unknown


async def test_a_column_stays_wrong_where_the_question_names_another_table_that_has_it() -> None:
    sql = "SELECT t.town, t.score FROM tastings AS t JOIN tasters AS s ON t.taster_id = s.id"
    tasters = await checked(sql, way=brewery_checker(), question="What are the towns of the tasters?")
    breweries = await checked(sql, way=brewery_checker(), question="How are breweries of each town tasted?")

    assert isinstance(tasters, ValidSql), tasters
    assert tasters.repairs == ("`t.town` read as `s.town`",)
    assert isinstance(breweries, RejectedSql), breweries
    assert "breweries.town" in breweries.error


async def test_a_column_stays_wrong_where_a_table_near_any_of_the_query_has_it() -> None:
    sql = "SELECT t.name, t.score FROM tastings AS t JOIN beers AS b ON t.beer_id = b.id"
    outcome = await checked(sql, way=brewery_checker(), question="Which beers did well in tastings?")

    assert isinstance(outcome, RejectedSql), outcome
    assert "BeerBatches.name" in outcome.error


async def test_columns_behind_one_wrong_qualifier_go_together() -> None:
    sql = (
        "SELECT b.beer_id, b.litres, b.name AS beer FROM beers AS b JOIN BeerBatches AS c ON c.beer_id = b.id "
        "JOIN tastings AS t ON t.beer_id = b.id"
    )
    outcome = await checked(sql, way=brewery_checker())

    assert isinstance(outcome, ValidSql), outcome
    assert outcome.repairs == ("`b.beer_id`, `b.litres` read as `c.beer_id`, `c.litres`",)


@pytest.mark.parametrize(
    "sql",
    case_table(__file__, "no_table_is_joined_where_rows_would_be_lost"),
)
async def test_no_table_is_joined_where_rows_would_be_lost(sql: str) -> None:
    outcome = await checked(sql, way=brewery_checker(), question="Which tasters tasted beers of which strength?")

    assert isinstance(outcome, RejectedSql), outcome


async def test_a_joined_table_takes_no_name_from_the_query_around() -> None:
    sql = (
        "SELECT w.brewery_name FROM breweries AS w WHERE w.id IN "
        "(SELECT g.score FROM tastings AS g WHERE town = 'Ulm' AND first_name = 'Jo' AND last_name = 'Lee')"
    )
    outcome = await checked(sql, way=brewery_checker(), question="Which tasters were in which breweries?")

    assert isinstance(outcome, ValidSql), outcome
    assert "w.town = 'Ulm' AND tasters.first_name = 'Jo'" in " ".join(outcome.sql.split())


async def test_the_tables_that_are_shown_already_are_left_out() -> None:
    outcome = await checked("SELECT breweries.name FROM breweries", way=brewery_checker())

    assert isinstance(outcome, RejectedSql), outcome
    assert outcome.tables_beyond(["BREWERIES", "Owners"]) == ("beers", "BeerBatches")
    assert outcome.tables_beyond([]) == outcome.tables


_STRIKES = case_table(__file__, "strikes")
# A name in braces is one that stands without its quotes.
UNQUOTED = case_table(__file__, "unquoted")


@pytest.mark.parametrize("dialect", ["sqlite", "duckdb", "postgres", "mysql"])
@pytest.mark.parametrize("sql", UNQUOTED)
async def test_names_that_need_quotes_get_them(sql: str, dialect: str) -> None:
    quote = "`" if dialect == "mysql" else '"'
    way = checker_over(manifest_of(_STRIKES, {}, dialect), dialect)
    outcome = await checked(sql.replace("{", "").replace("}", ""), dialect, way)
    assert isinstance(outcome, ValidSql), outcome
    plain = await checked(sql.replace("{", quote).replace("}", quote), dialect, way)
    assert isinstance(plain, ValidSql), plain
    assert outcome.sql.split() == plain.sql.split()
    assert (bool(outcome.repairs), plain.repairs) == (True, ())


@pytest.mark.parametrize("sql", ["SELECT Flight Datum FROM strikes", "SELECT Airline Operators Name FROM strikes"])
async def test_words_that_are_no_name_get_none(sql: str) -> None:
    assert isinstance(
        await checked(sql, "sqlite", checker_over(manifest_of(_STRIKES, {}, "sqlite"), "sqlite")), RejectedSql
    )
