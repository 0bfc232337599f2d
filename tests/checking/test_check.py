"""What is found in statements that do not answer their question, and nothing in those that do."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import sqlglot
import yaml

from askwell.checking.check import check
from askwell.checking.finding import Severity, verdict_of
from askwell.checking.values import ValueIndex
from askwell.evaluation.text2sql import introspected_model, sampled_values
from askwell.sql.binder import bind
from askwell.sql.bound import BoundSql

CASES = yaml.safe_load((Path(__file__).parent / "cases.yaml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def yard() -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(
            """
            CREATE TABLE boats (id INTEGER PRIMARY KEY, name TEXT, length REAL, hull TEXT, owner_sex TEXT, state TEXT);
            CREATE TABLE repairs
                (id INTEGER PRIMARY KEY, boat_id INTEGER REFERENCES boats (id), done_on DATE, fee REAL);
            CREATE VIEW longest_boats AS SELECT name FROM boats WHERE length > 12;
            INSERT INTO boats VALUES (1, 'Siren', 9.5, 'oak', 'F', 'NY'), (2, 'Tern', 14, 'steel', 'M', 'MA');
            INSERT INTO repairs VALUES (1, 1, '2024-05-02', 120), (2, 1, '2024-06-09', 80.5);
            """
        )
        yield connection


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['question']} {case['sql']}")
def test_findings(case: dict[str, Any], yard: sqlite3.Connection) -> None:
    model = introspected_model(yard, None)
    bound = bind(sqlglot.parse_one(case["sql"], dialect="sqlite"), model, "sqlite")
    assert isinstance(bound, BoundSql)
    findings = check(case["question"], bound, model, ValueIndex.build(sampled_values(yard, model)))
    told = [finding for finding in findings if finding.severity is not Severity.NOTE]
    assert {finding.code for finding in told} == set(case["codes"])
    assert (verdict_of(findings) == "sound") is (case["codes"] == [])
    assert all(finding.message.endswith(".") for finding in findings)
