"""What is found in statements that do not answer their question, and nothing in those that do."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import sqlglot
import yaml
from sqlglot import exp

from askwell.checking.check import QuestionCheck
from askwell.checking.finding import Severity, verdict_of
from askwell.checking.values import ValueIndex
from askwell.providers.engine.base import QueryRows, ResultColumn
from askwell.sql.binder import bind
from askwell.sql.bound import BoundSql
from askwell_evaluation.databases import introspected_model, sampled_values

TODAY = date(2026, 11, 28)
CASES = yaml.load((Path(__file__).parent / "cases.yaml").read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)


@pytest.fixture(scope="module")
def yard() -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(
            """
            CREATE TABLE boats (id INTEGER PRIMARY KEY, name TEXT, length REAL, hull TEXT, owner_sex TEXT, state TEXT);
            CREATE TABLE repairs
                (id INTEGER PRIMARY KEY, boat_id INTEGER REFERENCES boats (id), done_on DATE, fee REAL);
            CREATE TABLE sails (id INTEGER PRIMARY KEY, code TEXT, price TEXT, maker TEXT, postcode INTEGER,
                lent TEXT, returned TEXT, panels INTEGER NOT NULL, patches INTEGER, mast REAL);
            INSERT INTO sails VALUES (1, '007', '1200', 'Lee', 1067, '2024-05-02', '2024-05-09', 7, 2, 9),
                (2, '012', '80', 'Ray', 4109, '2024-06-01', '2024-06-03', 11, 0, NULL);
            CREATE TABLE rentals (id INTEGER PRIMARY KEY, boat_id INTEGER REFERENCES boats (id), booked_on DATE,
                returned_on DATE, started_at DATETIME, price REAL);
            CREATE TABLE tolls (id INTEGER PRIMARY KEY, harbour TEXT, charged TEXT, day_no INTEGER, amount REAL);
            CREATE TABLE tows (id INTEGER PRIMARY KEY, boat_id INTEGER, tow_date DATE, paid_on DATE, price REAL);
            CREATE TABLE moorings (id INTEGER PRIMARY KEY, harbour TEXT, arrived_on DATE, left_on DATE, cost REAL,
                currency TEXT, refunded INTEGER);
            INSERT INTO moorings VALUES (1, 'Gull Bay', '2025-03-02', '2025-03-05', 40, 'EUR', 0),
                (2, 'Gull Bay', '2025-04-09', '2025-04-01', 50, 'USD', 1),
                (3, 'gull bay ', '2025-05-01', NULL, NULL, 'EUR', 0),
                (4, 'Cliff End', '2025-06-01', '2025-06-02', 0, 'EUR', 0);
            INSERT INTO rentals VALUES (1, 1, '2025-03-02', '2025-03-09', '2025-03-04 10:30:00', 80),
                (2, 2, '2026-10-20', '2026-11-01', '2026-10-25 08:00:00', 95.5), (3, 2, '2026-11-20', NULL, NULL, 70);
            CREATE TABLE crew (id INTEGER PRIMARY KEY, boat_id INTEGER REFERENCES boats (id), name TEXT, duty TEXT,
                port TEXT, insured TEXT, hourly_wage REAL, drill_minutes INTEGER);
            INSERT INTO crew VALUES (1, 1, 'Ann', 'bosun', 'Gull Bay', 'Y', 20, 45),
                (2, 2, 'Bo', 'cook', 'gull bay ', 'N', 18, 30), (3, 2, 'Cy', 'Cook', 'Long Reach West', 'Y', 17, 60),
                (4, 1, 'Di', 'mate', 'Long Reach West', 'Y', 19, 30);
            INSERT INTO tolls VALUES (1, 'Gull Bay', '28/02/2025', 20250228, 4),
                (2, 'Gull Bay', '05/03/2025', 20250305, 5);
            CREATE TABLE hoists (id INTEGER PRIMARY KEY, tonnes REAL, ph TEXT -- Q queued, L lifted, B bent
            );
            INSERT INTO hoists VALUES (1, 4, 'Q'), (2, 9, 'L'), (3, 2, 'B');
            CREATE VIEW longest_boats AS SELECT name FROM boats WHERE length > 12;
            INSERT INTO boats VALUES (1, 'Siren', 9.5, 'oak', 'F', 'NY'), (2, 'Tern', 14, 'steel', 'M', 'MA');
            INSERT INTO repairs VALUES (1, 1, '2024-05-02', 120), (2, 1, '2024-06-09', 80.5);
            """
        )
        yield connection


def rows_of(connection: sqlite3.Connection, tree: exp.Expr) -> QueryRows:
    cursor = connection.execute(tree.sql("sqlite"))
    return QueryRows(tuple(ResultColumn(name, "") for name, *_ in cursor.description), tuple(cursor.fetchall()))


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['question']} {case['sql']}")
def test_findings(case: dict[str, Any], yard: sqlite3.Connection) -> None:
    model = introspected_model(yard, None)
    dialect = case.get("dialect", "sqlite")
    bound = bind(sqlglot.parse_one(case["sql"], dialect=dialect), model, dialect)
    assert isinstance(bound, BoundSql)
    index = ValueIndex.build({} if case.get("unsampled") else sampled_values(yard, model), model)
    rows = rows_of(yard, bound.tree) if case.get("rows") else None
    against = QuestionCheck(case["question"], model, index, TODAY)
    findings = against.findings(bound, rows)
    told = [finding for finding in findings if finding.severity is not Severity.NOTE]
    assert {finding.code for finding in told} == set(case["codes"])
    assert (verdict_of(findings) == "sound") is (case["codes"] == [])
    assert verdict_of(findings) == case.get("verdict", verdict_of(findings))
    assert all(finding.message.endswith(".") for finding in findings)
    if "rewritten" in case:
        assert case["rewritten"] in [found.rewrite.tree.sql(dialect) for found in findings if found.rewrite is not None]
    if "probed" in case:
        said = [probe.say(rows_of(yard, probe.tree)) for probe in against.probes(bound)]
        assert [finding.message for finding in said if finding is not None] == case["probed"]
