"""`askwell eval guard`: attacks that only limits can stop, and attacks that rendering makes harmless."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from askwell.errors import EngineUnavailable, InvalidRequest
from askwell_evaluation.guard import run_guard
from askwell_evaluation.report import Report
from tests.support.servers import ServerDatabase, new_mariadb, new_postgresql

MODEL = {"tables": {"boat": ["id", "name"], "Big Harbour": ["id"]}, "qualifiers": {"duckdb": ["memory.main"]}}
MANY = ", ".join(f"boat AS b{number}" for number in range(7))


def report(folder: Path, attacks: list[dict[str, str]], servers: tuple[str, ...] = ()) -> Report:
    for name, content in (("model", MODEL), ("attacks", attacks), ("benign", [])):
        (folder / f"{name}.json").write_text(json.dumps(content), encoding="utf-8")
    return run_guard(folder / "attacks.json", folder / "benign.json", servers)


@pytest.mark.deep
def test_what_passes_is_run_and_has_to_end(tmp_path: Path) -> None:
    attacks = [
        {"dialect": dialect, "sql": sql, "expect": "limit"}
        for dialect in ("duckdb", "sqlite")
        for sql in (
            f"SELECT count(*) FROM {MANY} WHERE b0.id + b1.id + b2.id < 0",
            f"SELECT count(*) FROM {MANY} WHERE upper(b0.name) || b1.name || b6.name = 'x'",
            'SELECT count(*) FROM "Big Harbour"',
            "DROP TABLE boat",
        )
    ]
    attacks.append({"dialect": "trino", "sql": "SELECT count(*) FROM boat", "expect": "limit"})
    found = report(tmp_path, attacks)
    limit = found.figures["limit"]
    assert (limit["attacks"], limit["refused"], limit["ended"], limit["overran"]) == (9, 2, 6, [])
    assert limit["not_run"] == [{"dialect": "trino", "sql": "SELECT count(*) FROM boat"}]
    assert found.passed
    assert "stopped by limits    6 of 7 that passed" in found.table
    assert "NOT RUN  trino" in found.table


@pytest.mark.deep
@pytest.mark.parametrize(("dialect", "new"), [("postgres", new_postgresql), ("mysql", new_mariadb)])
def test_servers_are_tried_where_they_are_named(
    tmp_path: Path, dialect: str, new: Callable[[], ServerDatabase]
) -> None:
    server = new()
    try:
        attacks = [
            {"dialect": dialect, "sql": sql, "expect": "limit"}
            for sql in (f"SELECT count(*) FROM {MANY} WHERE b0.id + b1.id + b2.id < 0", "SELECT upper(name) FROM boat")
        ]
        limit = report(tmp_path, attacks, (server.url,)).figures["limit"]
    finally:
        server.drop()
    assert (limit["ended"], limit["overran"], limit["not_run"]) == (2, [], [])


def test_a_server_that_is_not_there_is_said(tmp_path: Path) -> None:
    pytest.importorskip("psycopg", reason="psycopg is not installed, so nothing is said about PostgreSQL")
    attacks = [{"dialect": "postgres", "sql": "SELECT id FROM boat", "expect": "limit"}]
    with pytest.raises(EngineUnavailable, match="No throw-away database") as caught:
        report(tmp_path, attacks, ("postgresql://somebody:secret@127.0.0.1:1/x",))
    assert "secret" not in str(caught.value)


def test_what_is_rendered_anew_holds_no_command(tmp_path: Path) -> None:
    attacks = [
        {"dialect": "tsql", "sql": "SELECT 1 DELETE FROM boat", "expect": "neutralise"},
        {"dialect": "postgres", "sql": "SELECT 'x' -- ; DROP TABLE boat", "expect": "neutralise"},
        {"dialect": "sqlite", "sql": "SELECT 1; DROP TABLE boat", "expect": "neutralise"},
    ]
    found = report(tmp_path, attacks)
    assert found.figures["neutralise"] == {"attacks": 3, "refused": 1, "harmless": 2, "missed": []}
    assert found.passed


def test_an_unknown_expectation_is_said(tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest, match="'hope'"):
        report(tmp_path, [{"dialect": "sqlite", "sql": "SELECT 1", "expect": "hope"}])
