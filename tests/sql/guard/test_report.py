"""The report over lists of attacks and legitimate queries."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from askwell.errors import InvalidRequest
from askwell.sql.guard import DIALECTS
from askwell_evaluation.guard import run_guard
from tests.sql.guard.attacks import ATTACKS
from tests.sql.guard.parcels import QUALIFIERS, TABLES
from tests.sql.guard.test_cases import legitimate


def write(folder: Path, attacks: object, benign: object) -> tuple[Path, Path]:
    model = {
        "tables": {name: list(columns) for name, columns in TABLES.items()},
        "qualifiers": {dialect: sorted(prefixes) for dialect, prefixes in QUALIFIERS.items()},
    }
    for name, content in (("model", model), ("attacks", attacks), ("benign", benign)):
        (folder / f"{name}.json").write_text(json.dumps(content), encoding="utf-8")
    return folder / "attacks.json", folder / "benign.json"


def test_all_of_ours(tmp_path: Path) -> None:
    attacks = [{"dialect": d, "sql": sql, "expect": "refuse"} for d, cases in ATTACKS.items() for _, sql in cases]
    benign = [{"dialect": d, "sql": sql} for d in DIALECTS for sql in legitimate(d)]
    report = run_guard(*write(tmp_path, attacks, benign))
    assert report.passed
    shown = report.figures
    assert (shown["must_refuse"], shown["benign"]) == (len(attacks), len(benign))
    assert sum(shown["rules"].values()) == shown["refused"] == len(attacks)
    assert 0 < shown["p50_ms"] <= shown["p95_ms"]


def test_what_is_missed_and_blocked_is_listed(tmp_path: Path) -> None:
    attacks = [
        {"dialect": "duckdb", "sql": "SELECT name FROM people", "expect": "refuse"},
        {"dialect": "duckdb", "sql": "SELECT name FROM people", "expect": "limit"},
        {"dialect": "sqlite", "sql": "DROP TABLE people"},
    ]
    report = run_guard(*write(tmp_path, attacks, [{"dialect": "mysql", "sql": "SELECT sleep(1)"}]))
    shown = report.figures
    assert (shown["must_refuse"], shown["refused"], shown["benign"], shown["benign_passed"]) == (2, 1, 1, 0)
    assert shown["missed"] == [{"dialect": "duckdb", "sql": "SELECT name FROM people"}]
    assert shown["blocked"][0]["rule"] == "function_denied"
    assert json.loads(json.dumps(shown)) == shown
    assert "MISSED" in report.table
    assert "BLOCKED" in report.table
    assert not report.passed


@pytest.mark.parametrize(
    "attacks", [{"dialect": "duckdb"}, [{"sql": "SELECT 1"}], [{"sql": "x", "dialect": "klingon"}]]
)
def test_a_bad_list_is_said(tmp_path: Path, attacks: object) -> None:
    with pytest.raises(InvalidRequest, match=r"attacks\.json"):
        run_guard(*write(tmp_path, attacks, []))


def test_a_missing_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest, match=r"nowhere\.json"):
        run_guard(tmp_path / "nowhere.json", tmp_path / "nowhere.json")
