"""What binds: every form of scope that SQL has; spelling; what is read; cost."""

from __future__ import annotations

import time

import pytest
import sqlglot

from askwell.sql.binder import bind
from tests.sql.binder.models import bound, library, rejected, table
from tests.support.tables import case_rows, case_table

GOOD = case_table(__file__, "good")


@pytest.mark.parametrize("sql", GOOD, ids=lambda sql: sql[:60])
def test_binds(sql: str) -> None:
    bound(sql)


@pytest.mark.parametrize(
    "sql",
    case_table(__file__, "binds_on_sqlite"),
)
def test_binds_on_sqlite(sql: str) -> None:
    bound(sql, "sqlite")


def test_spelling_is_the_models() -> None:
    outcome = bound(
        'SELECT BOOKS.TITLE, b.Pages FROM BOOKS JOIN main."books" B ON b.ID = "Books"."ID" ORDER BY b.PAGES'
    )
    assert outcome.tree.sql("duckdb") == (
        'SELECT Books.title, b.pages FROM Books JOIN "Books" AS B ON b.id = "Books"."id" ORDER BY b.pages'
    )


def test_names_that_need_quotes_get_them() -> None:
    assert bound('SELECT "READING ROOMS".city FROM "Reading Rooms"').tree.sql("duckdb") == (
        'SELECT "reading rooms".city FROM "reading rooms"'
    )


def test_names_that_postgres_would_fold_are_quoted() -> None:
    assert bound("SELECT Title FROM books", "postgres").tree.sql("postgres") == 'SELECT title FROM "Books"'


def test_schemas_go() -> None:
    assert bound("SELECT main.books.title, books.pages FROM memory.main.books").tree.sql("duckdb") == (
        "SELECT Books.title, Books.pages FROM Books"
    )


def test_references_to_ctes_are_spelled_like_them() -> None:
    assert bound("WITH Short AS (SELECT id FROM books) SELECT id FROM SHORT").tree.sql("duckdb") == (
        "WITH Short AS (SELECT id FROM Books) SELECT id FROM Short"
    )


def test_sqlites_texts_in_double_quotes_become_texts() -> None:
    assert bound('SELECT title FROM books WHERE title = "Emma"', "sqlite").tree.sql("sqlite") == (
        "SELECT title FROM Books WHERE title = 'Emma'"
    )


def test_the_given_tree_stays_as_it_is() -> None:
    tree = sqlglot.parse_one("SELECT TITLE FROM BOOKS", dialect="duckdb")
    bind(tree, library(), "duckdb")
    assert tree.sql("duckdb") == "SELECT TITLE FROM BOOKS"


@pytest.mark.parametrize(
    ("sql", "columns"),
    [
        ("SELECT count(*) FROM books", {"Books": set()}),
        ("SELECT title FROM books WHERE pages > 1", {"Books": {"title", "pages"}}),
        ("SELECT b.title FROM books b JOIN loans ON book_id = b.id", {"Books": {"title", "id"}, "loans": {"book_id"}}),
        ('SELECT * FROM "reading rooms"', {"reading rooms": {"id", "city", "seats"}}),
        ('SELECT r.* FROM "reading rooms" r, books', {"reading rooms": {"id", "city", "seats"}, "Books": set()}),
        ('SELECT r FROM "reading rooms" r', {"reading rooms": {"id", "city", "seats"}}),
        ("SELECT COLUMNS('c.*') FROM \"reading rooms\"", {"reading rooms": {"id", "city", "seats"}}),
        ('SELECT a FROM "reading rooms" t(a, b)', {"reading rooms": {"id", "city", "seats"}}),
        ("SELECT id FROM (SELECT id, title FROM books)", {"Books": {"id", "title"}}),
        ("SELECT id FROM loans JOIN books USING (id)", {"loans": {"id"}, "Books": {"id"}}),
        ("WITH authors AS (SELECT 1 AS x) SELECT x FROM authors", {}),
        (
            "SELECT title FROM books b WHERE EXISTS (SELECT 1 FROM loans WHERE book_id = b.id)",
            {"Books": {"title", "id"}, "loans": {"book_id"}},
        ),
        ("SELECT info.reader.name FROM loans", {"loans": {"info"}}),
        ("SELECT pages AS price FROM books ORDER BY price", {"Books": {"pages", "price"}}),
    ],
)
def test_what_is_read(sql: str, columns: dict[str, set[str]]) -> None:
    outcome = bound(sql)
    assert {name: set(used) for name, used in outcome.columns.items()} == columns
    assert outcome.tables == tuple(columns)


@pytest.mark.parametrize(
    ("dialect", "sql"),
    case_rows(__file__, "a_name_that_is_no_cte_here_is_no_table", "dialect", "sql"),
)
def test_a_name_that_is_no_cte_here_is_no_table(dialect: str, sql: str) -> None:
    assert "there is no table" in rejected(sql, dialect).error


def test_cost_does_not_grow_with_the_model() -> None:
    more = [table(f"t{i}", **{f"c{j}": "INT" for j in range(20)}) for i in range(3_000)]
    small, large = library(), library(*more)
    tree = sqlglot.parse_one("SELECT title FROM books JOIN loans ON book_id = books.id", dialect="duckdb")
    bind(tree, large, "duckdb")

    def best(model: object) -> float:
        times = []
        for _ in range(30):
            started = time.perf_counter()
            bind(tree, model, "duckdb")  # type: ignore[arg-type]
            times.append(time.perf_counter() - started)
        return min(times)

    assert best(large) < 5 * best(small)
