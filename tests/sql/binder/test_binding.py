"""What binds: every form of scope that SQL has; spelling; what is read; cost."""

from __future__ import annotations

import time

import pytest
import sqlglot

from askwell.sql.binder import bind
from tests.sql.binder.models import bound, library, rejected, table

GOOD = [
    "SELECT * FROM books",
    "SELECT b.* , a.last_name FROM books AS b JOIN authors a ON a.id = b.author_id",
    "SELECT title FROM books WHERE author_id IN (SELECT id FROM authors WHERE born < DATE '1900-01-01')",
    "SELECT title FROM books b WHERE pages > (SELECT avg(pages) FROM books WHERE author_id = b.author_id)",
    "SELECT title FROM books b WHERE EXISTS (SELECT 1 FROM loans WHERE book_id = b.id AND EXISTS "
    "(SELECT 1 FROM authors WHERE id = b.author_id AND born < lent_on))",
    "SELECT title AS t, count(*) AS n FROM books GROUP BY t HAVING n > 1 ORDER BY n DESC, t",
    "SELECT upper(title) AS title FROM books GROUP BY title ORDER BY 1",
    "SELECT price * 2 AS twice, twice + 1 AS more FROM books WHERE more > 3",
    "SELECT a.id AS id FROM authors a JOIN books b ON b.author_id = a.id ORDER BY id",
    "SELECT id, due FROM loans JOIN (SELECT id, title FROM books) b USING (id)",
    "SELECT id FROM books NATURAL JOIN loans",
    "SELECT id FROM books SEMI JOIN loans ON loans.book_id = books.id WHERE id > 1",
    "WITH a AS (SELECT id AS aid FROM authors), b AS (SELECT aid + 1 AS bid FROM a) SELECT bid FROM b",
    "WITH a(x, y) AS (SELECT id, title FROM books) SELECT x, y FROM a",
    "WITH RECURSIVE up(id, depth) AS (SELECT id, 0 FROM authors UNION ALL SELECT m.mentor_id, depth + 1 FROM up "
    "JOIN authors m ON m.id = up.id) SELECT max(depth) FROM up",
    "WITH books AS (SELECT id, title AS t FROM books) SELECT t FROM books",
    "SELECT x.n FROM (SELECT count(*) AS n FROM books) x",
    'SELECT "count_star()" FROM (SELECT count(*) FROM books)',
    "SELECT id FROM books UNION SELECT id FROM authors ORDER BY id",
    "SELECT id AS a FROM books UNION ALL BY NAME SELECT born AS b FROM authors ORDER BY b",
    "SELECT t.tag FROM books, UNNEST(tags) AS t(tag)",
    "SELECT unnest(tags) AS tag FROM books",
    "SELECT l.due, x.title FROM loans l, LATERAL (SELECT title FROM books WHERE books.id = l.book_id) x",
    "SELECT b.title, l.* FROM books b LEFT JOIN LATERAL (SELECT due FROM loans WHERE book_id = b.id) l ON true",
    "SELECT info.reader.name, l.info.reader FROM loans l",
    "SELECT info->>'$.a' FROM loans",
    "SELECT list_transform(tags, lambda t : t || title) FROM books",
    "SELECT [pages + x FOR x IN [1, 2]] FROM books",
    "SELECT {'t': title, 'p': pages} FROM books",
    "SELECT struct_pack(anything := title) FROM books",
    "SELECT sum(price) OVER w FROM books WINDOW w AS (PARTITION BY author_id ORDER BY pages)",
    "SELECT title FROM books QUALIFY row_number() OVER (PARTITION BY author_id ORDER BY pages) = 1",
    "SELECT COLUMNS('.*_id') FROM loans",
    "SELECT * EXCLUDE (tags) REPLACE (price * 2 AS price) FROM books",
    "SELECT v.label, title FROM books JOIN (VALUES (1, 'x')) v(id, label) ON v.id = books.id",
    "SELECT d FROM range(3) t(d)",
    "SELECT g FROM generate_series(1, 3) AS g",
    "SELECT * FROM (PIVOT books ON author_id USING sum(price))",
    "SELECT van, truck FROM (SELECT title, price FROM books) PIVOT (sum(price) FOR title IN ('van', 'truck'))",
    "UNPIVOT (SELECT id, pages, price FROM books) ON pages, price INTO NAME what VALUE n",
    "SELECT b FROM books b",
    "SELECT (SELECT max(due) FROM loans WHERE book_id = books.id) AS last FROM books ORDER BY last",
    "SELECT main.books.title FROM main.books",
    'SELECT r.seats FROM "reading rooms" r',
    "FROM books SELECT title",
    "SELECT DISTINCT ON (author_id) title FROM books ORDER BY author_id, price",
    "SELECT count(*) FILTER (WHERE pages > 100) FROM books",
    "(SELECT id FROM books LIMIT 1) UNION ALL (SELECT id FROM authors LIMIT 1) ORDER BY id",
    "SELECT a.x FROM (books JOIN (SELECT id AS x FROM authors) a ON a.x = books.author_id)",
    "SELECT title FROM (SELECT * FROM books) WHERE pages > 1",
    "SELECT book.title FROM books book, authors author WHERE author.id = book.author_id",
    "SELECT e.last_name, m.last_name FROM authors e LEFT JOIN authors m ON e.mentor_id = m.id",
    "SELECT CASE WHEN pages > 10 THEN 'long' END AS size, count(*) FROM books GROUP BY size",
    "SELECT count(DISTINCT author_id), max(price) - min(price) FROM books HAVING count(*) > 1",
]


@pytest.mark.parametrize("sql", GOOD, ids=lambda sql: sql[:60])
def test_binds(sql: str) -> None:
    bound(sql)


@pytest.mark.parametrize(
    "sql",
    [
        'SELECT title FROM books WHERE title = "Emma" OR title IN ("Ulysses", "Dubliners")',
        "SELECT T1.title FROM Books AS T1 JOIN loans AS T2 ON T1.id = T3.id JOIN authors AS T3 ON T3.id = T1.author_id",
        "SELECT j.value FROM loans, json_each(info) AS j WHERE j.key = 'a'",
        "SELECT json_each.value FROM loans, json_each(loans.info)",
        "WITH n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 5 UNION ALL SELECT i FROM n WHERE 0) "
        "SELECT i FROM n",
        "SELECT strftime(\"%Y\", lent_on) FROM loans",
    ],
)  # fmt: skip
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
        ("SELECT * FROM \"reading rooms\"", {"reading rooms": {"id", "city", "seats"}}),
        ("SELECT r.* FROM \"reading rooms\" r, books", {"reading rooms": {"id", "city", "seats"}, "Books": set()}),
        ("SELECT r FROM \"reading rooms\" r", {"reading rooms": {"id", "city", "seats"}}),
        ("SELECT COLUMNS('c.*') FROM \"reading rooms\"", {"reading rooms": {"id", "city", "seats"}}),
        ("SELECT a FROM \"reading rooms\" t(a, b)", {"reading rooms": {"id", "city", "seats"}}),
        ("SELECT id FROM (SELECT id, title FROM books)", {"Books": {"id", "title"}}),
        ("SELECT id FROM loans JOIN books USING (id)", {"loans": {"id"}, "Books": {"id"}}),
        ("WITH authors AS (SELECT 1 AS x) SELECT x FROM authors", {}),
        ("SELECT title FROM books b WHERE EXISTS (SELECT 1 FROM loans WHERE book_id = b.id)",
         {"Books": {"title", "id"}, "loans": {"book_id"}}),
        ("SELECT info.reader.name FROM loans", {"loans": {"info"}}),
        ("SELECT pages AS price FROM books ORDER BY price", {"Books": {"pages", "price"}}),
    ],
)  # fmt: skip
def test_what_is_read(sql: str, columns: dict[str, set[str]]) -> None:
    outcome = bound(sql)
    assert {name: set(used) for name, used in outcome.columns.items()} == columns
    assert outcome.tables == tuple(columns)


@pytest.mark.parametrize(
    ("dialect", "sql"),
    [
        # Before the last part of a UNION a CTE's own name is the table of that name, recursive or not.
        ("duckdb", "WITH RECURSIVE nowhere AS (SELECT * FROM nowhere) SELECT * FROM nowhere"),
        ("duckdb", "WITH RECURSIVE t AS (SELECT * FROM t UNION ALL SELECT 1) SELECT * FROM t"),
        ("duckdb", "WITH RECURSIVE t AS (SELECT 1 UNION ALL SELECT * FROM t UNION ALL SELECT 2) SELECT * FROM t"),
        ("duckdb", "WITH RECURSIVE t AS (SELECT 1 EXCEPT SELECT * FROM t) SELECT * FROM t"),
        ("duckdb", "WITH t AS (SELECT 1 UNION ALL SELECT * FROM t) SELECT * FROM t"),
        ("duckdb", "WITH a AS (SELECT * FROM b), b AS (SELECT 1) SELECT * FROM a"),
        ("duckdb", "SELECT * FROM (WITH t AS (SELECT 1) SELECT * FROM t) x, t"),
        ("sqlite", "WITH a AS (SELECT * FROM b), b AS (SELECT 1) SELECT * FROM a"),
        ("duckdb", "SELECT * FROM books WHERE id IN (TABLE nowhere)"),
        ("duckdb", "SELECT COLUMNS(lambda c : c IN (SELECT x FROM nowhere)) FROM books"),
        ("duckdb", "SELECT * FROM (SELECT 1) ORDER BY (SELECT x FROM nowhere)"),
        ("duckdb", "(SELECT 1) LIMIT (SELECT x FROM nowhere)"),
    ],
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
