"""A small business of people: staff with two dates each, customers of whom two share a name, and their invoices; and
tracks whose composer is not always known. Asked by questions whose rows are compared."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any

from askwell.semantic_parsing.reader import QuestionReader
from askwell.semantic_parsing.translation import Abstention, RulesMode, Translation, Turn
from askwell.sql.bindings import FREE, Bindings
from askwell_evaluation.databases import DraftedModel

from .answers import database_of, reader_of

# Who was born first was hired last.
ROWS = """
CREATE TABLE employees (id INTEGER PRIMARY KEY, first_name TEXT NOT NULL, last_name TEXT NOT NULL, birth_date DATE,
  hire_date DATE);
INSERT INTO employees VALUES (1, 'Eva', 'Rask', '1960-03-01', '2020-01-01'),
  (2, 'Finn', 'Sund', '1990-05-05', '2001-01-01'), (3, 'Gro', 'Tveit', '1975-07-07', '2010-01-01');
CREATE TABLE customers (id INTEGER PRIMARY KEY, first_name TEXT NOT NULL, last_name TEXT NOT NULL, city TEXT,
  support_rep_id INTEGER REFERENCES employees(id));
INSERT INTO customers VALUES (1, 'Ann', 'Alder', 'São Paulo', 1), (2, 'Bob', 'Birch', 'Oslo', 2),
  (3, 'Ann', 'Alder', NULL, 2), (4, 'Luís', 'Gonçalves', NULL, 3);
CREATE TABLE invoices (id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customers(id),
  invoice_date DATE NOT NULL, total REAL NOT NULL);
INSERT INTO invoices VALUES (1, 1, '2022-01-05', 30), (2, 1, '2022-02-05', 20), (3, 2, '2023-02-07', 45),
  (4, 3, '2024-02-09', 12), (5, 4, '2024-05-01', 15);
CREATE TABLE artists (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
INSERT INTO artists VALUES (1, 'Grieg'), (2, 'Moe');
CREATE TABLE genres (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
INSERT INTO genres VALUES (1, 'Jazz'), (2, 'Folk');
CREATE TABLE albums (id INTEGER PRIMARY KEY, title TEXT NOT NULL, artist_id INTEGER REFERENCES artists(id));
INSERT INTO albums VALUES (1, 'Peer', 1), (2, 'Atys', 2);
CREATE TABLE tracks (id INTEGER PRIMARY KEY, name TEXT NOT NULL, composer TEXT,
  album_id INTEGER REFERENCES albums(id), genre_id INTEGER REFERENCES genres(id));
INSERT INTO tracks VALUES (1, 'Moss', 'Grieg', 1, 1), (2, 'Fern', NULL, 1, 2), (3, 'Dew', NULL, 2, 1),
  (4, 'Silt', NULL, 2, 2), (5, 'Sand', 'Grieg', 2, 2), (6, 'Reed', 'Lully', 2, 2);
"""

Rows = list[tuple[Any, ...]]


class Invoicing:
    """The business, to ask without a language model."""

    def __init__(self) -> None:
        self.database: sqlite3.Connection = database_of(ROWS)
        self.reader: QuestionReader = reader_of(self.database)
        self._drafted = DraftedModel(self.database, None)

    def answered(self, question: str, *, before: Sequence[Turn] = (), bound: Bindings = FREE) -> Translation:
        """What the question is read as, where that is sure enough to be the answer."""
        found = self.reader.translate(question, before=before, bound=bound)
        assert isinstance(found, Translation), (question, found)
        assert found.answers_in(RulesMode.BALANCED), (question, found)
        return found

    def refused(self, question: str, *, before: Sequence[Turn] = ()) -> Abstention:
        """Why the question has no answer."""
        found = self.reader.translate(question, before=before)
        assert isinstance(found, Abstention), (question, found)
        return found

    def rows(self, question: str, *, before: Sequence[Turn] = (), bound: Bindings = FREE) -> Rows:
        """The rows that answer the question, in their order."""
        sql = self.answered(question, before=before, bound=bound).sql
        return self.database.execute(self._drafted.on_file(sql)).fetchall()

    def rows_after(self, *questions: str) -> Rows:
        """The rows that answer the last question, where the others were answered before it."""
        before: list[Turn] = []
        for question in questions[:-1]:
            before.append(Turn(question, self.answered(question, before=before).sql))
        return self.rows(questions[-1], before=before)
