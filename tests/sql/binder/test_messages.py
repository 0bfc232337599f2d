"""What does not bind is said with the nearest valid names in scope."""

from __future__ import annotations

import pytest

from askwell.sql.outcome import RejectionKind
from tests.sql.binder.models import bound, rejected


@pytest.mark.parametrize(
    ("sql", "sentence"),
    [
        ("SELECT titel FROM books", 'Books has no column "titel"; nearest: Books.title'),
        ("SELECT b.titel FROM books b", 'Books has no column "titel"; nearest: title'),
        ("SELECT autor_id FROM books", 'Books has no column "autor_id"; nearest: Books.author_id'),
        ("SELECT bookId FROM loans", 'loans has no column "bookId"; nearest: loans.book_id'),
        ("SELECT name_first FROM authors", 'authors has no column "name_first"; nearest: authors.first_name'),
        ("SELECT zzz FROM \"reading rooms\"", 'reading rooms has no column "zzz"; there is: reading rooms.id, '
         "reading rooms.city, reading rooms.seats"),
        (
            "SELECT last_name FROM books",
            'Books has no column "last_name"; there is: Books.id, Books.title, Books.author_id, Books.pages, '
            "Books.price, Books.tags; not in FROM or JOIN: authors.last_name",
        ),
        (
            "SELECT b.last_name FROM books b JOIN authors a ON a.id = b.author_id",
            'Books has no column "last_name"; there is: id, title, author_id, pages, price, tags; it is a column of a',
        ),
        ("SELECT 1 FROM boks", 'there is no table "boks"; nearest: Books'),
        ("SELECT 1 FROM author", 'there is no table "author"; nearest: authors'),
        ("SELECT 1 FROM rooms", 'there is no table "rooms"; nearest: reading rooms'),
        ("SELECT 1 FROM qwertz", 'there is no table "qwertz"'),
        ("SELECT 1 FROM other.books", 'there is no table "other.books"'),
        ("SELECT id FROM books b JOIN loans ON book_id = b.id", '"id" is ambiguous; write one of: b.id, loans.id'),
        ("SELECT bk.title FROM books b", '"bk" is no table or alias of this query; title is a column of b'),
        (
            "SELECT loans.due FROM books",
            '"loans" is no table or alias of this query; the table loans has to be in FROM or JOIN, as has every table '
            "that is used",
        ),
        ("SELECT bb.x FROM books b", '"bb" is no table or alias of this query; nearest: b'),
        ("SELECT books.title FROM books b", '"books" is no table or alias of this query; title is a column of b'),
        ("SELECT titel", 'there is no column "titel": the query reads no table'),
        ("WITH t AS (SELECT title FROM books) SELECT titel FROM t", 't has no column "titel"; nearest: t.title'),
        ("SELECT x.pags FROM (SELECT pages FROM books) x", 'x has no column "pags"; nearest: pages'),
        ("SELECT title FROM books ORDER BY prise", 'Books has no column "prise"; nearest: Books.price'),
        ("SELECT title FROM books UNION SELECT first_name FROM authors ORDER BY titel", "the result has no column"),
        ("SELECT * FROM books JOIN authors USING (author_id)", 'Books, authors has no column "author_id"'),
        ("SELECT id FROM books WHERE EXISTS (SELECT 1 FROM loans WHERE bok_id = books.id)", "nearest: loans.book_id"),
        ("SELECT middle_name FROM authors", "nearest: authors.first_name, authors.last_name"),
        ("SELECT max(pags) FROM books GROUP BY titl HAVING min(pags) > 1", 'no column "titl"; nearest: Books.title'),
        ("PIVOT books ON titel USING count(*)", 'Books has no column "titel"; nearest: Books.title'),
    ],
)  # fmt: skip
def test_sentence(sql: str, sentence: str) -> None:
    outcome = rejected(sql)
    assert outcome.kind is RejectionKind.BIND
    assert sentence in outcome.error
    assert outcome.suggestions == ()


def test_every_mistake_is_said_once() -> None:
    outcome = rejected("SELECT titel, titel, x.pages FROM boks, authors")
    assert outcome.error.count('"boks"') == outcome.error.count('"x"') == 1


@pytest.mark.parametrize(
    "sql",
    [
        'SELECT "titel" FROM books',
        'SELECT title FROM books ORDER BY "pags"',
        'SELECT title FROM books WHERE "pags" > 3',
        'SELECT length("titel") FROM books',
    ],
)
def test_sqlites_double_quotes_do_not_hide_a_misspelt_column(sql: str) -> None:
    assert "nearest" in rejected(sql, "sqlite").error


@pytest.mark.parametrize(
    ("dialect", "sql"),
    [
        ("sqlite", "SELECT SUM(cost) AS cost FROM books"),
        ("sqlite", "SELECT title, cost AS cost FROM books"),
        ("sqlite", "SELECT pages AS cost, cost + 1 AS more FROM books"),
        ("duckdb", "SELECT SUM(cost) AS cost FROM books"),
        ("duckdb", "SELECT cost + 1 AS more, pages AS cost FROM books"),
    ],
)
def test_an_alias_is_no_column_of_itself(dialect: str, sql: str) -> None:
    assert 'no column "cost"' in rejected(sql, dialect).error


@pytest.mark.parametrize(
    ("dialect", "sql"),
    [
        ("duckdb", "SELECT pages AS cost, cost + 1 AS more FROM books"),
        ("sqlite", "SELECT pages AS cost FROM books WHERE cost > 1 GROUP BY cost HAVING cost > 1 ORDER BY cost"),
    ],
)
def test_an_alias_is_known_where_the_database_knows_it(dialect: str, sql: str) -> None:
    assert bound(sql, dialect).tables == ("Books",)
