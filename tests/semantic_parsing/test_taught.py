"""Words that a model does not have: taught, asked about, and refused where they already mean something."""

from __future__ import annotations

import pytest

from askwell.mdl.semantic_model import Column, ColumnRef, SemanticModel, Table, TableKind
from askwell.semantic_parsing.forms import Metric
from askwell.semantic_parsing.model.catalog import Target
from askwell.semantic_parsing.reader import QuestionReader
from askwell.semantic_parsing.taught import Meant, Taught, key_of, taught_metric
from askwell.semantic_parsing.translation import Abstention, Translation
from askwell.sql.bindings import Bindings
from tests.support.tables import case_rows


@pytest.fixture(scope="module")
def reader() -> QuestionReader:
    columns = (Column("id", "INTEGER"), Column("name", "VARCHAR"), Column("unit_price", "DOUBLE"))
    seconds = Column("seconds", "INTEGER", description="How long the flims of it are.")
    tracks = Table("tracks", TableKind.MODEL, (*columns, seconds), primary_key=("id",))
    sold = (Column("id", "INTEGER"), Column("ticket", "VARCHAR"), Column("quantity", "INTEGER"))
    lines = Table("ticket_lines", TableKind.MODEL, sold, primary_key=("id",))
    return QuestionReader(SemanticModel("m", "DUCKDB", {"tracks": tracks, "ticket_lines": lines}), {}, "duckdb")


def taught(said: str, target: Target | Metric, *, firm: bool = False) -> Taught:
    return {key_of(said): Meant(target, firm)}


@pytest.mark.parametrize(
    ("question", "said", "target", "sql"),
    [
        ("how many ditties are there?", "ditty", "tracks", "SELECT COUNT(*) AS number_of_tracks FROM tracks"),
        ("How many Ditties?", "ditties", "tracks", "SELECT COUNT(*) AS number_of_tracks FROM tracks"),
        (
            "how many stubs are there?",
            "stubs",
            "ticket_lines",
            "SELECT COUNT(*) AS number_of_ticket_lines FROM ticket_lines",
        ),
        (
            "average grand hoopla of tracks",
            "grand hoopla",
            ColumnRef("tracks", "seconds"),
            "SELECT AVG(tracks.seconds) AS average_seconds FROM tracks",
        ),
        # It ends like the longest, and is none.
        (
            "average gurest of tracks",
            "gurest",
            ColumnRef("tracks", "seconds"),
            "SELECT AVG(tracks.seconds) AS average_seconds FROM tracks",
        ),
    ],
)
def test_taught_words_are_as_good_as_the_model_s_own(
    reader: QuestionReader, question: str, said: str, target: Target, sql: str
) -> None:
    assert isinstance(reader.translate(question), Abstention)
    found = reader.translate(question, taught=taught(said, target))
    assert isinstance(found, Translation), found
    assert found.sql == sql
    assert [key_of(word) for word in found.taught] == [key_of(said)]


def test_what_is_taught_says_nothing_of_the_model_s_words(reader: QuestionReader) -> None:
    alone = reader.translate("how many tracks are there?")
    assert reader.translate("how many tracks are there?", taught=taught("tracks", "ticket_lines")) == alone
    assert reader.translate("how many tracks are there?", taught=taught("zorbs", "ticket_lines")) == alone


def test_what_a_person_wrote_counts_before_what_part_of_a_name_could_mean(reader: QuestionReader) -> None:
    question = "average price of tracks"  # of unit_price
    written = taught("price", ColumnRef("tracks", "seconds"), firm=True)
    assert "tracks.unit_price" in str(reader.translate(question))
    found = reader.translate(question, taught=written)
    assert isinstance(found, Translation)
    assert found.sql == "SELECT AVG(tracks.seconds) AS average_seconds FROM tracks"
    learnt = taught("price", ColumnRef("tracks", "seconds"))
    assert reader.translate(question, taught=learnt) == reader.translate(question)
    own = taught("seconds", ColumnRef("tracks", "unit_price"), firm=True)
    assert reader.translate("average seconds of tracks", taught=own) == reader.translate("average seconds of tracks")


@pytest.mark.parametrize(
    ("question", "formula", "sql"),
    case_rows(__file__, "a_figure_is_taught_as_sql", "question", "formula", "sql"),
)
def test_a_figure_is_taught_as_sql(reader: QuestionReader, question: str, formula: str, sql: str | None) -> None:
    metric = taught_metric("revenue", formula, None, reader_model(reader))
    assert isinstance(metric, Metric)
    found = reader.translate(question, taught=taught("revenue", metric, firm=True))
    if sql is not None:
        assert isinstance(found, Translation), found
        assert found.sql == sql
        assert found.taught == ("revenue",)


def reader_model(reader: QuestionReader) -> SemanticModel:
    tables = {name: facts.table for name, facts in reader.facts.tables.items()}
    return SemanticModel("m", "DUCKDB", tables)


@pytest.mark.parametrize(
    ("formula", "why"),
    [
        ("sum(tracks.lava)", "the model has no tracks.lava"),
        ("sum(lava)", "the model has no lava"),
        ("sum(id)", "the model has no id"),  # of two tables
        ("tracks.seconds", "it has to add up"),
        ("tracks.seconds + sum(tracks.unit_price)", "it has to add up"),
        ("sum(tracks.seconds) - sum(ticket_lines.quantity)", "over the columns of one table"),
        ("(select sum(seconds) from tracks)", "a subquery cannot stand in it"),
        ("sum(seconds) over ()", "it "),
        ("count(*)", "it does not say of which table"),
        ("sum(", ""),
        ("sum(seconds); drop table tracks", ""),
    ],
)
def test_why_sql_is_no_figure(reader: QuestionReader, formula: str, why: str) -> None:
    found = taught_metric("revenue", formula, None, reader_model(reader))
    assert isinstance(found, str)
    assert why in found


def test_what_the_draft_of_a_model_guessed_gives_way_to_a_person(reader: QuestionReader) -> None:
    drafted = {"drafted_synonyms": ["turnover"]}
    columns = (
        Column("id", "INTEGER"),
        Column("total", "DOUBLE", synonyms=("turnover", "sum due"), properties=drafted),
        Column("tax", "DOUBLE"),
    )
    bills = Table("bills", TableKind.MODEL, columns, primary_key=("id",))
    shop = QuestionReader(SemanticModel("m", "DUCKDB", {"bills": bills}), {}, "duckdb")
    tax = ColumnRef("bills", "tax")
    assert "bills.total" in str(shop.translate("total turnover of bills"))
    assert shop.why_not_taught("turnover", tax) is None
    assert shop.why_not_taught("sum due", tax) is not None
    assert "bills.tax" in str(shop.translate("total turnover of bills", taught=taught("turnover", tax, firm=True)))
    assert "bills.total" in str(shop.translate("total turnover of bills", taught=taught("turnover", tax)))


def test_a_column_that_is_gone_means_nothing(reader: QuestionReader) -> None:
    gone = taught("flim", ColumnRef("tracks", "lava"))
    assert isinstance(reader.translate("average flim of tracks", taught=gone), Abstention)


@pytest.mark.parametrize(
    ("said", "why"),
    case_rows(__file__, "why_words_are_not_taught", "said", "why"),
)
def test_why_words_are_not_taught(reader: QuestionReader, said: str, why: str) -> None:
    told = reader.why_not_taught(said, "ticket_lines")
    assert told is not None
    assert told.startswith(why)


def test_unknown_words_come_with_what_they_could_mean(reader: QuestionReader) -> None:
    question = "average flim of tracks"
    given = reader.translate(question)
    assert isinstance(given, Abstention)
    asked = reader.asking_back(question, given)
    assert (asked.reason, asked.words) == ("unknown_word", ("flim",))
    assert asked.asks_back
    for choice in asked.choices:
        assert isinstance(reader.translate(question, bound=choice.bindings), Translation), choice
    assert ColumnRef("tracks", "seconds") in {ref for choice in asked.choices for ref in choice.bindings.columns}


@pytest.fixture(scope="module")
def stated() -> QuestionReader:
    """Of a model with tables alike and a column of few values."""
    state = ColumnRef("tracks", "state")
    columns = (Column("id", "INTEGER"), Column("title", "VARCHAR"), Column("state", "VARCHAR"))
    tables = {
        name: Table(name, TableKind.MODEL, columns[: 3 if name == "tracks" else 2], primary_key=("id",))
        for name in ("tracks", "albums")
    }
    return QuestionReader(SemanticModel("m", "DUCKDB", tables), {state: ("cancelled", "issued")}, "duckdb")


@pytest.mark.parametrize(
    ("question", "like", "message", "sql"), case_rows(__file__, "by_meaning", "question", "like", "message", "sql")
)
def test_words_are_compared_with_names_and_values(
    stated: QuestionReader, question: str, like: dict[str, float], message: str | None, sql: str | None
) -> None:
    """What is far is refused, what is near is asked back, and what is surely meant is read; a value never is."""
    given = stated.translate(question)
    assert isinstance(given, Abstention)
    unknown = stated.unknown_words(question, given)
    assert unknown is not None
    likeness = [[like.get(f"{word} = {text}", 0.0) for text in unknown.texts] for word in unknown.said]
    asked = stated.asking_back(question, given, likeness=likeness)
    meant = stated.surely_meant(question, given, likeness)
    assert asked.message == message
    assert bool(meant) is (message is not None and sql is not None and "state" not in sql)
    for bound in [choice.bindings for choice in asked.choices[:1]]:
        after = stated.translate(question, bound=Bindings.from_json(bound.to_json()))
        assert isinstance(after, Translation)
        assert sql is None or after.sql == sql


@pytest.mark.parametrize("question", ["tracks of Quux", "how many tracks are there?"])
def test_names_are_not_asked_about(reader: QuestionReader, question: str) -> None:
    given = reader.translate(question)
    if isinstance(given, Abstention):
        assert reader.asking_back(question, given) == given
