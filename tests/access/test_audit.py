"""What stands in the audit log."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from askwell.access.audit import FILE_NAME, AuditLog
from askwell.config.sign_in import AuditConfig
from askwell.principal import Person


@pytest.mark.parametrize(
    ("sql", "tables"),
    [
        ("SELECT * FROM orders JOIN shop.customers USING (id)", ["orders", "shop.customers"]),
        ("WITH recent AS (SELECT * FROM orders) SELECT * FROM Recent", ["orders"]),
        # A CTE with the name of a table reads the table, and hides it only where the CTE is in scope.
        ("WITH orders AS (SELECT * FROM orders WHERE open) SELECT * FROM orders", ["orders"]),
        ("WITH orders AS (SELECT * FROM shop.orders) SELECT * FROM orders", ["shop.orders"]),
        ("SELECT * FROM orders WHERE id > (WITH orders AS (SELECT 1 AS x) SELECT x FROM orders)", ["orders"]),
        ("WITH a AS (SELECT * FROM b), b AS (SELECT * FROM a) SELECT * FROM b", ["b"]),
        (
            "WITH RECURSIVE n AS (SELECT 1 AS x UNION ALL SELECT x + 1 FROM n JOIN items ON x = id) SELECT * FROM n",
            ["items"],
        ),
        ("SELECT 1 FROM generate_series(1, 3)", []),
        ("SELECT FROM WHERE (", None),
    ],
)
def test_the_tables_of_a_statement(tmp_path: Path, sql: str, tables: list[str] | None) -> None:
    log = AuditLog(AuditConfig(), tmp_path)
    log.open()
    log.called(Person("key:1"), "alpha", "run_sql", {"sql": sql}, 1)
    log.close()
    (line,) = (tmp_path / "audit" / FILE_NAME).read_text("utf-8").splitlines()
    assert json.loads(line).get("tables") == tables
