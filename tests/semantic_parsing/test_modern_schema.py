"""A schema as services have them today: surrogate keys, statuses, flags, several dates a row, references in two roles
and to the own table. What one word decides is answered by it, and what nobody decides is not answered."""

from __future__ import annotations

import sqlite3
from typing import Any

import pytest

from askwell.semantic_parsing.reader import QuestionReader
from askwell.semantic_parsing.translation import Translation
from tests.support.tables import case_rows, case_table

from .answers import answer_of, answers_rightly, database_of, reader_of

ROWS = """
CREATE TABLE accounts (id INTEGER PRIMARY KEY, name TEXT NOT NULL, country TEXT, is_active BOOLEAN, created_at TIMESTAMP);
INSERT INTO accounts VALUES (1, 'Birk', 'Norway', 1, '2023-02-01'), (2, 'Dahl', 'Sweden', 0, '2024-03-01'),
  (3, 'Falk', 'Norway', 1, '2024-05-01');
CREATE TABLE jobs (id INTEGER PRIMARY KEY, job_title TEXT, min_salary INTEGER);
INSERT INTO jobs VALUES (1, 'Fitter', 20), (2, 'Planner', 50);
CREATE TABLE staff (id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, job_id INTEGER REFERENCES jobs(id),
  manager_id INTEGER REFERENCES staff(id), salary INTEGER, hired_on DATE);
INSERT INTO staff VALUES (1, 'Ann', 'Lie', 2, NULL, 90, '2019-01-01'), (2, 'Bo', 'Moe', 1, 1, 40, '2022-01-01'),
  (3, 'Cai', 'Nes', 1, 1, 30, '2024-02-01');
CREATE TABLE tickets (id INTEGER PRIMARY KEY, subject TEXT, account_id INTEGER REFERENCES accounts(id),
  handled_by INTEGER REFERENCES staff(id), status TEXT, priority TEXT, opened_at TIMESTAMP, closed_at TIMESTAMP,
  updated_at TIMESTAMP, resolved BOOLEAN);
INSERT INTO tickets VALUES (1, 'a', 1, 2, 'open', 'high', '2024-01-05', NULL, '2025-01-01', 0),
  (2, 'b', 1, 2, 'closed', 'low', '2024-02-05', '2024-03-01', '2025-01-01', 1),
  (3, 'c', 2, 3, 'open', 'low', '2025-01-05', NULL, '2025-01-09', 0);
CREATE TABLE cities (id INTEGER PRIMARY KEY, name TEXT);
INSERT INTO cities VALUES (1, 'Bergen'), (2, 'Lund');
CREATE TABLE trips (id INTEGER PRIMARY KEY, origin_city_id INTEGER REFERENCES cities(id),
  destination_city_id INTEGER REFERENCES cities(id), weight INTEGER);
INSERT INTO trips VALUES (1, 1, 2, 5), (2, 2, 1, 7), (3, 1, 2, 11);
CREATE TABLE makers (id INTEGER PRIMARY KEY, name TEXT, city TEXT);
INSERT INTO makers VALUES (1, 'Kvist', 'Lund'), (2, 'Ten', 'Oslo');
CREATE TABLE toys (id INTEGER PRIMARY KEY, title TEXT, features TEXT, maker_id INTEGER REFERENCES makers(id),
  launch_date TEXT, units_in_stock INTEGER, discount_pct REAL);
INSERT INTO toys VALUES (1, 'Bus', 'Wheels,Lights', 1, '8/6/2013', 4, 0.1), (2, 'Car', 'Wheels', 2, '9/6/2014', 6, 0.2),
  (10, 'Kite', 'Cord', 1, '9/7/2014', 1, 0);
CREATE TABLE parts (id INTEGER PRIMARY KEY, part_name TEXT, list_price REAL, unit_cost REAL);
INSERT INTO parts VALUES (1, 'Bolt', 5, 3), (2, 'Nut', 2, 1);
CREATE TABLE tools (id INTEGER PRIMARY KEY, tool_name TEXT, units_on_loan INTEGER);
INSERT INTO tools VALUES (1, 'Saw', 0), (2, 'Axe', 3);
CREATE TABLE loans (id INTEGER PRIMARY KEY, tool_id INTEGER REFERENCES tools(id));
INSERT INTO loans VALUES (1, 1), (2, 2);
CREATE TABLE depots (id INTEGER PRIMARY KEY, place TEXT);
INSERT INTO depots VALUES (1, 'Hamar'), (2, 'Hamar' || char(13)), (3, ' Molde ');
CREATE TABLE singers (id INTEGER PRIMARY KEY, name TEXT);
INSERT INTO singers VALUES (1, 'Moss'), (2, 'Fern');
CREATE TABLE records (id INTEGER PRIMARY KEY, title TEXT, singer_id INTEGER REFERENCES singers(id));
INSERT INTO records VALUES (1, 'Moss', 1), (2, 'Dew', 1), (3, 'Rain', 2);
CREATE TABLE songs (id INTEGER PRIMARY KEY, title TEXT, record_id INTEGER REFERENCES records(id), price REAL);
INSERT INTO songs VALUES (1, 'Moss', 3, 2), (2, 'Sand', 1, 3), (3, 'Silt', 2, 4);
"""  # noqa: E501


@pytest.fixture(scope="module")
def database() -> sqlite3.Connection:
    return database_of(ROWS)


@pytest.fixture(scope="module")
def rules(database: sqlite3.Connection) -> QuestionReader:
    return reader_of(database)


# Of the questions below; more is better, and what is answered must be right.
LEAST_ANSWERED = 19
ANSWERED: tuple[tuple[str, list[tuple[Any, ...]]], ...] = case_rows(__file__, "answered", "question", "rows")


def test_what_is_answered_is_right(rules: QuestionReader, database: sqlite3.Connection) -> None:
    answers_rightly(rules, database, ANSWERED, LEAST_ANSWERED)


REFUSED = case_table(__file__, "refused")


@pytest.mark.parametrize("question", REFUSED)
def test_what_nobody_decides_is_not_answered(question: str, rules: QuestionReader) -> None:
    assert answer_of(rules, question) is None


def test_negations_are_written_as_people_do(rules: QuestionReader) -> None:
    outcome = rules.translate("accounts that are not active")
    assert isinstance(outcome, Translation)
    assert outcome.sql == "SELECT accounts.name FROM accounts WHERE NOT accounts.is_active = 1"
