"""What stands in the audit log."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from askwell.access.audit import FILE_NAME, AuditLog
from askwell.config.sign_in import AuditConfig
from askwell.principal import Person
from tests.support.tables import case_rows


@pytest.mark.parametrize(("sql", "tables"), case_rows(__file__, "the_tables_of_a_statement", "sql", "tables"))
def test_the_tables_of_a_statement(tmp_path: Path, sql: str, tables: list[str] | None) -> None:
    log = AuditLog(AuditConfig(), tmp_path)
    log.open()
    log.called(Person("key:1"), "alpha", "run_sql", {"sql": sql}, 1)
    log.close()
    (line,) = (tmp_path / "audit" / FILE_NAME).read_text("utf-8").splitlines()
    assert json.loads(line).get("tables") == tables
