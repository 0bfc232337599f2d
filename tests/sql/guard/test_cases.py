"""Tables of cases, one statement a line: attacks are refused; legitimate queries pass and mean what they meant.

A line that ends in `-- varies` gives other rows every time; what ends in `-- MySQL` MariaDB only takes as written anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from askwell.sql.guard import DIALECTS, GuardPass
from tests.sql.guard.parcels import GUARDS, allowed, duckdb_database, sqlite_database
from tests.support.servers import ServerDatabase, new_mariadb, new_postgresql

FOLDER = Path(__file__).parent / "cases"
Query = Callable[[str], list[Any]]


def statements(kind: str, dialect: str) -> list[str]:
    lines = (FOLDER / kind / f"{dialect}.sql").read_text(encoding="utf-8").splitlines()
    return [line.replace("\\n", "\n") if "-- " in line else line for line in lines if line.strip()]


LONG = [
    f"SELECT * FROM people WHERE id IN ({', '.join(map(str, range(1000)))})",
    f"SELECT * FROM people WHERE {' OR '.join(f'id = {i}' for i in range(300))}",
    " UNION ALL ".join(f"SELECT {i} AS n FROM people" for i in range(100)),
]


def legitimate(dialect: str) -> list[str]:
    return statements("legitimate", dialect) + LONG


@pytest.mark.parametrize("dialect", DIALECTS)
def test_attacks_are_refused(dialect: str) -> None:
    names = allowed(dialect)
    passed = [sql for sql in statements("attacks", dialect) if isinstance(GUARDS[dialect].check(sql, names), GuardPass)]
    assert passed == []


@pytest.mark.parametrize("dialect", DIALECTS)
def test_legitimate_queries_pass(dialect: str) -> None:
    outcomes = [(sql, GUARDS[dialect].check(sql, allowed(dialect))) for sql in legitimate(dialect)]
    assert [(sql, outcome) for sql, outcome in outcomes if not isinstance(outcome, GuardPass)] == []


@pytest.fixture
def engine(request: pytest.FixtureRequest) -> Iterator[Query]:
    match request.param:
        case "duckdb":
            connection = duckdb_database()
            # What the parser writes anew in today's spelling, the original may have in yesterday's.
            connection.execute("SET lambda_syntax = 'ENABLE_SINGLE_ARROW'")
            yield lambda sql: connection.execute(sql).fetchall()
        case "sqlite":
            lite = sqlite_database()
            yield lambda sql: lite.execute(sql).fetchall()
        case "postgres":
            yield from served(new_postgresql(), filled("DATE", "TIMESTAMP", tags="TEXT[]", json="JSONB", quote='"'))
        case "mysql":
            made = filled("DATE", "DATETIME", tags="JSON", json="JSON", quote="`")
            yield from served(new_mariadb(), [*made, "ALTER TABLE shipments ADD FULLTEXT (carrier)"])


def served(server: ServerDatabase, statements: Iterable[str]) -> Iterator[Query]:
    try:
        for statement in statements:
            server.ask(statement)
        yield server.ask
    finally:
        server.drop()


def filled(date: str, moment: str, *, tags: str, json: str, quote: str) -> Iterator[str]:
    """The parcel service on a server."""
    texts = "VARCHAR(40)"
    yield f"CREATE TABLE people (id INT, name {texts}, town {texts}, joined_on {date}, boss_id INT)"
    yield (
        f"CREATE TABLE shipments (id INT, sender_id INT, carrier {texts}, weight DOUBLE PRECISION, "
        f"price DECIMAL(10, 2), sent_on {date}, delivered_at {moment}, tags {tags}, details {json}, margin {texts})"
    )
    yield f"CREATE TABLE stops (shipment_id INT, depot_code {texts}, seq INT)"
    yield f"CREATE TABLE {quote}depot sites{quote} (code {texts}, town {texts}, capacity INT)"
    yield (
        "INSERT INTO people VALUES (1, 'Ada', 'Ulm', '2020-01-05', NULL), (2, 'Bo', 'Bonn', '2021-02-06', 1), "
        "(3, 'Cy', 'Ulm', '2022-03-07', 1)"
    )
    both, one, none = ('["a", "b"]', '["b"]', "[]") if tags == "JSON" else ("{a,b}", "{b}", "{}")
    yield (
        "INSERT INTO shipments VALUES "
        f"(1, 1, 'van', 2.5, 10.00, '2024-01-10', '2024-01-12 10:00:00', '{both}', '{{\"box\": {{\"w\": 3}}}}', 'H1'), "
        f"(2, 1, 'bike', 0.5, 4.50, '2024-02-11', NULL, '{one}', '{{\"box\": {{\"w\": 1}}}}', 'H2'), "
        f"(3, 2, 'van', 8.0, 30.25, '2024-02-20', '2024-02-25 18:30:00', '{none}', '{{}}', 'H3')"
    )
    yield "INSERT INTO stops VALUES (1, 'U1', 1), (1, 'B1', 2), (3, 'B1', 1)"
    yield f"INSERT INTO {quote}depot sites{quote} VALUES ('U1', 'Ulm', 10), ('B1', 'Bonn', 20)"


@pytest.mark.parametrize(
    ("engine", "dialect"),
    [
        ("sqlite", "sqlite"),
        *(pytest.param(d, d, marks=pytest.mark.deep) for d in ("duckdb", "postgres", "mysql")),
    ],
    indirect=["engine"],
)
def test_renderings_give_the_same_rows(engine: Query, dialect: str) -> None:
    different = []
    for sql in legitimate(dialect):
        outcome = GUARDS[dialect].check(sql, allowed(dialect))
        assert isinstance(outcome, GuardPass)
        rows = shown(engine(outcome.sql))
        if not sql.endswith(("-- varies", "-- MySQL")) and rows != shown(engine(sql)):
            different.append((sql, outcome.sql))
    assert different == []


def shown(rows: list[Any]) -> list[str]:
    """Rows in any order, whatever type a whole number has."""
    return sorted(repr([float(v) if isinstance(v, Decimal) else v for v in row]) for row in rows)
