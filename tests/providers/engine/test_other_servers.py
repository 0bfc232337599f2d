"""What servers reached by URL have in common, proved on a driver that stands in for Trino's."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from askwell.errors import EngineUnavailable
from askwell.providers.engine.base import ForeignKey, PhysicalColumn, QueryFailure
from askwell.providers.engine.sqlalchemy_engine import SQLAlchemyEngine
from tests.providers.engine.conftest import ENDLESS, SMALL, failure_of, query_processes, rows_of

# SQLite speaks of tables and types in its own way, so the shared sample is written out once more.
_SCHEMA = """
CREATE TABLE customers (id INTEGER PRIMARY KEY, name VARCHAR(50) NOT NULL);
CREATE TABLE orders (
  id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customers(id), total DECIMAL(8, 2));
INSERT INTO customers VALUES (1, 'Ada'), (2, 'Grace');
INSERT INTO orders VALUES (10, 1, 20.5), (11, 1, 5.0), (12, 2, 100.0);
CREATE VIEW big_orders AS SELECT id, total FROM orders WHERE total > 10;
"""


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(str(Path(__file__).parent / "fake_trino"))
    path = tmp_path / "shop.db"
    with sqlite3.connect(path) as connection:
        connection.executescript(_SCHEMA)
    return path


@pytest.fixture
async def engine(file: Path) -> AsyncIterator[SQLAlchemyEngine]:
    opened = SQLAlchemyEngine(f"trino://me:hunter2@db:8080/shop?file={file}", SMALL)
    yield opened
    await opened.close()
    assert query_processes() == []


def statements(file: Path) -> list[str]:
    """What the server was told, in order."""
    return Path(f"{file}.log").read_text().splitlines()


async def test_rows_types_and_truncation(engine: SQLAlchemyEngine, file: Path) -> None:
    assert (engine.dialect, engine.data_source) == ("trino", "TRINO")

    outcome = await rows_of(engine, "SELECT id, total, id FROM orders ORDER BY id", row_limit=2)
    assert [column.name for column in outcome.columns] == ["id", "total", "id"]
    assert outcome.rows == ((10, 20.5, 10), (11, 5, 11))
    assert outcome.truncated
    limit, query = [said for said in statements(file) if "SET SESSION" in said or "orders" in said]
    assert limit == "SET SESSION query_max_run_time = '19s'"
    assert query.startswith("SELECT id, total")


async def test_a_dry_run_is_the_servers_own_and_runs_nothing(engine: SQLAlchemyEngine, file: Path) -> None:
    assert await engine.dry_run(ENDLESS, timeout=20) is None
    wrong = await engine.dry_run("SELECT nmae FROM customers", timeout=20)

    assert isinstance(wrong, QueryFailure)
    assert "nmae" in wrong.message
    assert statements(file)[-1] == "EXPLAIN (TYPE VALIDATE) SELECT nmae FROM customers"


async def test_percent_signs_and_colons_are_not_parameters(engine: SQLAlchemyEngine) -> None:
    sql = "SELECT count(*), ':x', '%(y)s', '{z}' FROM customers WHERE name LIKE '%a%'"

    assert await engine.dry_run(sql, timeout=20) is None
    outcome = await rows_of(engine, sql, row_limit=1)
    assert outcome.rows == ((2, ":x", "%(y)s", "{z}"),)


async def test_functions_and_introspection(engine: SQLAlchemyEngine) -> None:
    assert {"count", "lower"} <= await engine.functions()

    tables = {table.name: table for table in (await engine.introspect()).tables}

    assert set(tables) == {"customers", "orders", "big_orders"}
    assert tables["orders"].columns[2] == PhysicalColumn("total", "DECIMAL(8, 2)", not_null=False)
    assert tables["orders"].primary_key == ("id",)
    assert tables["orders"].foreign_keys == (ForeignKey(("customer_id",), "customers", ("id",)),)
    assert tables["big_orders"].is_view


async def test_what_changes_data_is_rolled_back(engine: SQLAlchemyEngine, file: Path) -> None:
    await failure_of(engine, "DELETE FROM orders", row_limit=1)
    with sqlite3.connect(file) as connection:
        assert connection.execute("SELECT count(*) FROM orders").fetchone() == (3,)


async def test_a_query_that_does_not_end_is_ended(engine: SQLAlchemyEngine) -> None:
    began = time.monotonic()
    outcome = await engine.execute(ENDLESS, row_limit=1, timeout=0.7)

    assert time.monotonic() - began < 20
    assert isinstance(outcome, QueryFailure), outcome
    assert outcome.kind == "timeout"
    await rows_of(engine, "SELECT count(*) FROM orders", row_limit=1)


async def test_a_server_that_refuses_is_said_without_its_words(file: Path, caplog: pytest.LogCaptureFixture) -> None:
    engine = SQLAlchemyEngine("trino://me:hunter2@db:8080/shop?file=nowhere", SMALL)
    with pytest.raises(EngineUnavailable) as caught:
        await engine.execute("SELECT 1", row_limit=1, timeout=20)
    await engine.close()

    said = caught.value.message + caught.value.hint + " ".join(str(vars(record)) for record in caplog.records)
    assert "hunter2" not in said
    assert "The database shop cannot be used" in caught.value.message
