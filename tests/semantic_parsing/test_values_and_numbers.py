"""Numbers and spellings in texts, numbers that name a row, lists that are left out, times between dates: each was
answered wrongly, and sure of it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator

import duckdb
import pytest

from askwell.semantic_parsing.reader import QuestionReader
from askwell.semantic_parsing.translation import Abstention, Translation
from askwell_evaluation.databases import DraftedModel, sampled_values
from tests.support.servers import new_mariadb, new_postgresql
from tests.support.tables import case_rows, case_table

from .answers import Rows, answer_of, answers_rightly, database_of

ROWS = case_table(__file__, "database")
SHOPS = """
CREATE TABLE stores (id INTEGER PRIMARY KEY, code TEXT, city TEXT, takings REAL, opened DATE);
INSERT INTO stores VALUES (1, '007', 'Dresden', 10, '2023-01-01'), (2, '7', 'Bonn', 20, '2024-01-01'),
  (3, '070', 'Halle', 30, '2025-01-01'), (4, '1.10', 'Ulm', 40, '2025-02-01');
CREATE TABLE rooms (id INTEGER PRIMARY KEY, room_number INTEGER, hotel TEXT, price REAL);
INSERT INTO rooms VALUES (1, 101, 'Ritz', 50), (2, 102, 'Ritz', 60), (3, 3, 'Plaza', 70);
CREATE TABLE accts (acct INTEGER PRIMARY KEY, owner TEXT, balance REAL);
INSERT INTO accts VALUES (7, 'Ann', 50), (12, 'Bob', 60);
CREATE TABLE notes (line TEXT);
CREATE TABLE guests (id INTEGER PRIMARY KEY, name TEXT);
INSERT INTO guests VALUES (1, 'Ada'), (2, 'Lin'), (3, 'Moe');
CREATE TABLE stays (id INTEGER PRIMARY KEY, guest_id INTEGER REFERENCES guests (id), nights INTEGER);
INSERT INTO stays VALUES (1, 1, 2), (2, 2, 3), (3, 3, 4), (4, 3, 5);
CREATE TABLE hauliers (id INTEGER PRIMARY KEY, name TEXT, founded_on DATE, hired_on DATE, booked_on DATE);
CREATE TABLE lorries (id INTEGER PRIMARY KEY, plate TEXT, purchased DATE, ordered_on DATE);
CREATE TABLE loads (id INTEGER PRIMARY KEY, haulier_id INTEGER REFERENCES hauliers (id),
  lorry_id INTEGER REFERENCES lorries (id), origin TEXT, destination TEXT, picked_up DATE);
INSERT INTO hauliers VALUES (1, 'Acme', '2001-01-01', '2022-01-01', '2022-01-02');
INSERT INTO lorries VALUES (1, 'B-1', '2020-01-01', '2019-01-01');
INSERT INTO loads VALUES (1, 1, 1, 'Rome', 'Berlin', '2023-05-01'), (2, 1, 1, 'Berlin', 'Oslo', '2024-05-01'),
  (3, 1, 1, 'Berlin', 'Rome', '2024-06-01');
"""
ON_EVERY_DATABASE: tuple[tuple[str, list[object]], ...] = case_rows(
    __file__, "on_every_database", "question", "expected"
)


def _on_a_server(kind: str) -> Iterator[Callable[[str], Rows]]:
    server = new_postgresql() if kind == "postgres" else new_mariadb()
    for statement in filter(str.strip, ROWS.split(";")):
        server.ask(statement)
    yield lambda sql: [tuple(row) for row in server.ask(sql)]
    server.drop()


@pytest.fixture(scope="module", params=["sqlite", "duckdb", "postgres", "mysql"])
def run(request: pytest.FixtureRequest) -> Iterator[tuple[str, Callable[[str], Rows]]]:
    match request.param:
        case "sqlite":
            database = database_of(ROWS)
            yield request.param, lambda sql: database.execute(sql).fetchall()
        case "duckdb":
            connection = duckdb.connect()
            connection.execute(ROWS)
            yield request.param, lambda sql: connection.execute(sql).fetchall()
        case kind:
            yield from ((kind, ask) for ask in _on_a_server(kind))


def test_texts_and_times_are_read_alike_on_every_database(run: tuple[str, Callable[[str], Rows]]) -> None:
    dialect, rows_of = run
    database = database_of(ROWS)
    model = DraftedModel(database, None).model
    reader = QuestionReader(model, sampled_values(database, model), dialect)
    for question, expected in ON_EVERY_DATABASE:
        answer = answer_of(reader, question)
        assert answer is not None, question
        got = [row[0] for row in rows_of(answer.sql)][: len(expected)]
        assert [float(one) if isinstance(one, int | float) else one for one in got] == pytest.approx(expected), question


@pytest.fixture(scope="module")
def database() -> sqlite3.Connection:
    return database_of(ROWS + SHOPS)


@pytest.fixture(scope="module")
def reader(database: sqlite3.Connection) -> QuestionReader:
    model = DraftedModel(database, None).model
    return QuestionReader(model, sampled_values(database, model), "sqlite", bare=False)


@pytest.mark.parametrize(
    ("question", "rows"),
    case_rows(__file__, "the_answer_is_right", "question", "rows"),
)
def test_the_answer_is_right(question: str, rows: Rows, reader: QuestionReader, database: sqlite3.Connection) -> None:
    answers_rightly(reader, database, [(question, rows)], least=1)


@pytest.mark.parametrize(
    ("question", "kind", "said"),
    [
        ("How many parts have the grade gold?", "value", "“gold”, “Gold” and “ GOLD ”"),
        ("How many parts are there per grade?", "spellings", "count as one value"),
        ("average price of parts", "numbers_in_text", "no number"),
    ],
)
def test_what_is_taken_for_granted_is_said(question: str, kind: str, said: str, reader: QuestionReader) -> None:
    answer = answer_of(reader, question)
    assert answer is not None
    assert [said in one.text for one in answer.assumptions if one.kind == kind] == [True]


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("stores opened on 31 February 2024", "no_such_day"),
        ("stores opened after April 31st", "no_such_day"),
        ("total takings except Bonn and 007 and Ritz", ""),
    ],
)
def test_what_cannot_be_is_not_answered(question: str, reason: str, reader: QuestionReader) -> None:
    outcome = reader.translate(question)
    if reason:
        assert isinstance(outcome, Abstention)
        assert outcome.reason == reason
    else:
        assert answer_of(reader, question) is None


def test_the_heading_of_a_time_names_its_unit(reader: QuestionReader, database: sqlite3.Connection) -> None:
    outcome = reader.translate("average duration of parts in minutes")
    assert isinstance(outcome, Translation)
    assert [column[0] for column in database.execute(outcome.sql).description] == ["average_duration_minutes"]


@pytest.mark.parametrize("guests", ["those of guests Ada and Lin", "guests Ada and Lin", "Ada and Lin"])
def test_rows_of_each_that_is_named_are_left_out(
    guests: str, reader: QuestionReader, database: sqlite3.Connection
) -> None:
    read = reader.translate(f"How many stays are there except {guests}?")
    assert isinstance(read, Translation)
    assert database.execute(read.sql).fetchall() == [(2,)]


@pytest.mark.parametrize(
    ("kind", "end", "heading", "figure"),
    case_rows(__file__, "a_time_is_shown_in_the_unit_that_fits", "kind", "end", "heading", "figure"),
)
def test_a_time_is_shown_in_the_unit_that_fits(kind: str, end: str, heading: str, figure: float) -> None:
    database = database_of(
        f"CREATE TABLE rides (id INTEGER PRIMARY KEY, started_at {kind}, ended_at {kind});"
        f"INSERT INTO rides VALUES (1, '2024-01-01 08:00:00', '{end}')"
    )
    model = DraftedModel(database, None).model
    reader = QuestionReader(model, sampled_values(database, model), "sqlite")
    for question in ("average duration of rides", f"average duration of rides in {heading.split('_')[-1]}"):
        answer = answer_of(reader, question)
        assert answer is not None
        cursor = database.execute(answer.sql)
        assert (cursor.description[0][0], cursor.fetchone()) == (heading, (pytest.approx(figure),))
