"""What small language models get wrong about tables and columns: repaired where one meaning is left, and otherwise
rejected with everything that may have been meant."""

from __future__ import annotations

import pytest

from askwell.sql.outcome import RejectedSql, RejectionKind, ValidSql
from tests.sql.repair.brewery import brewery_checker
from tests.sql.repair.clinic import checked, checker_over, manifest_of

# The question, what was written, and what that is read as.
REPAIRED = [
    (
        "Which beers are of which style?",
        "SELECT name, style_name FROM beers",
        "SELECT name, styles.style_name FROM beers JOIN styles ON beers.style_id = styles.id",
    ),
    (
        "How many beers has each style?",
        "SELECT style_name, COUNT(*) FROM beers AS b GROUP BY style_name",
        "SELECT styles.style_name, COUNT(*) FROM beers AS b JOIN styles ON b.style_id = styles.id "
        "GROUP BY styles.style_name",
    ),
    (
        "List the scores with the names of the tasters.",
        "SELECT first_name, last_name, score FROM tastings",
        "SELECT tasters.first_name, tasters.last_name, score FROM tastings "
        "JOIN tasters ON tastings.taster_id = tasters.id",
    ),
    (
        "What is the average score of the tastings of each beer?",
        "SELECT name, AVG(score) FROM beers GROUP BY beers.id",
        "SELECT name, AVG(tastings.score) FROM beers JOIN tastings ON beers.id = tastings.beer_id GROUP BY beers.id",
    ),
    (
        "Which breweries are there, with the capital of their owners?",
        "SELECT id, capital FROM breweries",
        "SELECT breweries.id, owners.capital FROM breweries JOIN owners ON breweries.owner_id = owners.id",
    ),
    (
        "Which beers are of which style and origin?",
        "SELECT b.name, b.style_name, b.origin FROM beers AS b",
        "SELECT b.name, styles.style_name, styles.origin FROM beers AS b JOIN styles ON b.style_id = styles.id",
    ),
    (
        "Which scores did beers stronger than 6 percent get?",
        "SELECT t.score FROM tastings AS t JOIN beers AS b ON t.beer_id = b.id WHERE t.strength > 6",
        "SELECT t.score FROM tastings AS t JOIN beers AS b ON t.beer_id = b.id WHERE b.strength > 6",
    ),
    (
        "How much of each beer was brewed, and how did it do?",
        "SELECT b.beer_id, b.litres FROM beers AS b JOIN BeerBatches AS c ON c.beer_id = b.id "
        "JOIN tastings AS t ON t.beer_id = b.id",
        "SELECT c.beer_id, c.litres FROM beers AS b JOIN BeerBatches AS c ON c.beer_id = b.id "
        "JOIN tastings AS t ON t.beer_id = b.id",
    ),
    (
        "How strong is each beer, and of which style?",
        "SELECT b.name, s.style_name FROM beers AS b",
        "SELECT b.name, s.style_name FROM beers AS b JOIN styles AS s ON b.style_id = s.id",
    ),
    (  # the question says `capital`, and only owners have any; repeated, the highest is still the highest
        "What is the highest capital of the breweries of each town?",
        "SELECT town, MAX(capital) FROM breweries GROUP BY town",
        "SELECT town, MAX(owners.capital) FROM breweries JOIN owners ON breweries.owner_id = owners.id GROUP BY town",
    ),
    (  # no brewery has a style, and the beers that are read have
        "Which breweries brew which styles?",
        "SELECT w.brewery_name, w.style_name FROM beers AS b JOIN breweries AS w ON b.brewery_id = w.id",
        "SELECT w.brewery_name, styles.style_name FROM beers AS b JOIN breweries AS w ON b.brewery_id = w.id "
        "JOIN styles ON b.style_id = styles.id",
    ),
    ("How many tastings were there?", "SELECT COUNT(*) FROM tasting", "SELECT COUNT(*) FROM tastings"),
]
# The question, what was written, what the error says, and the tables whose columns would help.
REJECTED = [
    (  # `owners`, one key away from the breweries, is asked for and grouped by
        "Which owners have the most beers?",
        "SELECT T2.name, COUNT(*) FROM beers AS T1 JOIN breweries AS T2 ON T1.brewery_id = T2.id GROUP BY T2.owner_id",
        'breweries has no column "name"; nearest: brewery_name; it is a column of T1; not in FROM or JOIN: owners.name',
        ("owners", "BeerBatches"),
    ),
    (
        "Which breweries are there in which town?",
        "SELECT breweries.name FROM breweries",
        "not in FROM or JOIN: beers.name, owners.name, BeerBatches.name",
        ("beers", "owners", "BeerBatches"),
    ),
    (  # the tasters are near; their town is not the brewery's
        "In which towns was each beer tasted?",
        "SELECT t.town FROM tastings AS t JOIN beers AS b ON t.beer_id = b.id "
        "JOIN breweries AS w ON b.brewery_id = w.id",
        "it is a column of w; not in FROM or JOIN: tasters.town",
        ("tasters",),
    ),
    (  # no neighbour of the tastings has another name, but the question asks for one that does
        "Which owners did well in tastings of beers?",
        "SELECT t.name, t.score FROM tastings AS t JOIN beers AS b ON t.beer_id = b.id",
        "it is a column of b; not in FROM or JOIN: BeerBatches.name, owners.name",
        ("owners", "BeerBatches"),
    ),
    (
        "How much of each beer was brewed?",
        "SELECT name, litres, town FROM beers",
        "not in FROM or JOIN: BeerBatches.litres",
        ("BeerBatches", "breweries", "tasters"),
    ),
    (  # a beer would be counted for each of its tastings
        "How many beers have a tasting with a score over 8?",
        "SELECT COUNT(*) FROM beers WHERE score > 8",
        "not in FROM or JOIN: tastings.score",
        ("tastings",),
    ),
    (  # an owner's capital would be added once for each brewery
        "What capital do the owners of all breweries have?",
        "SELECT SUM(capital) FROM breweries",
        "not in FROM or JOIN: owners.capital",
        ("owners",),
    ),
    (  # and weigh more in a mean
        "What is the average capital of the breweries of each town?",
        "SELECT town, AVG(capital) FROM breweries GROUP BY town",
        "not in FROM or JOIN: owners.capital",
        ("owners",),
    ),
    (  # every column of the other table would be selected too
        "Show all beers of the style Porter.",
        "SELECT * FROM beers WHERE style_name = 'Porter'",
        "not in FROM or JOIN: styles.style_name, to be joined where beers.style_id = styles.id",
        ("styles",),
    ),
    (  # nothing but the column says that it is this table
        "What is shown of the breweries?",
        "SELECT w.brewery_name, w.capital FROM breweries AS w",
        "not in FROM or JOIN: owners.capital, to be joined where w.owner_id = owners.id",
        ("owners",),
    ),
    ("How many litres?", "SELECT volume FROM BeerBatches", 'BeerBatches has no column "volume"', ()),
    (
        "Which sips score over 8?",
        "SELECT taster_id FROM sips WHERE score > 8",
        'there is no table "sips"; with the columns that are read from it: tastings',
        ("tastings",),
    ),
    (
        "How many ratings are there?",
        "SELECT COUNT(*) FROM ratings",
        'there is no table "ratings"; nearest: tastings',
        ("tastings",),
    ),
    (
        "Which kinds are there?",
        "SELECT COUNT(*) FROM qwertz",
        'there is no table "qwertz"; there is: beers, breweries, owners, styles, tasters, tastings, BeerBatches',
        (),
    ),
    (
        "Which styles are there?",
        "SELECT style FROM beers",
        "one join away: styles.style_name",
        ("styles",),
    ),
]


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
    [
        # the join would drop the tasters without a tasting
        "SELECT t.last_name, b.name FROM tasters AS t LEFT JOIN tastings AS g ON g.taster_id = t.id",
        "SELECT last_name, strength FROM tasters LEFT JOIN tastings ON tastings.taster_id = tasters.id",
        # of the outer query's table, which the inner one cannot join to
        "SELECT b.id FROM beers AS b WHERE EXISTS (SELECT 1 FROM tastings AS t WHERE b.style_name = 'Porter')",
    ],
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


_STRIKES = {
    "strikes": {
        name: "INTEGER" if "$" in name or "%" in name or "/" in name else "VARCHAR"
        for name in (
            *("id", "Flight Date", "Airline Operator", "Amount of damage", "Cost Total $", "Growth %", "Price/Unit"),
            *("Order-ID", "Cost (USD)", "2nd Place", "Group By Name", "Unit.Price", "编号 no"),
            *("Net", "Net Worth", "Price", "Price/Net"),
        )
    },
    "Order Details": {"id": "INTEGER", "Ship Via": "VARCHAR"},
}
# A name in braces is one that stands without its quotes.
UNQUOTED = [
    "SELECT {Airline Operator}, COUNT(*) FROM strikes GROUP BY {Airline Operator} ORDER BY 2 DESC LIMIT 1",
    "SELECT COUNT(*) FROM strikes WHERE {Amount of damage} = 'None'",
    "SELECT SUM({Cost Total $}) FROM strikes",
    "SELECT COUNT(*) FROM strikes WHERE {Flight Date} BETWEEN '1999-01-01' AND '1999-12-31'",
    "SELECT s.{Flight Date}, 'Flight Date' FROM strikes AS s WHERE s.{Airline Operator} <> 'Airline Operator'",
    "SELECT MAX({Growth %}), SUM({Price/Unit}) FROM strikes",
    "SELECT {Order-ID}, {Unit.Price}, {编号 no} FROM strikes",
    "SELECT MIN({Cost (USD)}), MIN({2nd Place}) FROM strikes",
    "SELECT {Group By Name}, COUNT(*) FROM strikes GROUP BY {Group By Name}",
    "SELECT id, {Ship Via} FROM {Order Details}",
    "SELECT MAX({Net Worth}), Price / Net FROM strikes WHERE {Net Worth} > 1",
]


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
