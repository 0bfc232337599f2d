"""How the guard does on lists of attacks and of legitimate queries (`askwell eval guard`)."""

from __future__ import annotations

import json
import sqlite3
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import quantiles
from typing import Any

from askwell.errors import InvalidRequest
from askwell.sql.guard import DIALECTS, Allowed, Guard, GuardPass, GuardRefusal
from askwell.sql.names import fold


@dataclass(frozen=True, slots=True)
class GuardReport:
    """`missed` are attacks to be refused that passed, `blocked` legitimate queries that did not, both with dialect and
    SQL. `rules` counts the refused attacks by the rule that refused them. Times are per statement, in milliseconds."""

    must_refuse: int
    refused: int
    benign: int
    benign_passed: int
    p50_ms: float
    p95_ms: float
    missed: tuple[dict[str, str], ...]
    blocked: tuple[dict[str, str], ...]
    rules: dict[str, int]

    @property
    def passed(self) -> bool:
        """Whether every attack was refused and every legitimate query passed."""
        return not self.missed and not self.blocked

    def as_json(self) -> dict[str, Any]:
        """One object, JSON-ready."""
        return {
            "must_refuse": self.must_refuse,
            "refused": self.refused,
            "benign": self.benign,
            "benign_passed": self.benign_passed,
            "p50_ms": round(self.p50_ms, 3),
            "p95_ms": round(self.p95_ms, 3),
            "missed": list(self.missed),
            "blocked": list(self.blocked),
            "rules": self.rules,
        }

    def as_table(self) -> str:
        """Lines for people."""
        lines = [
            f"attacks refused      {self.refused} of {self.must_refuse}",
            f"legitimate passed    {self.benign_passed} of {self.benign}",
            f"time a statement     p50 {self.p50_ms:.2f} ms, p95 {self.p95_ms:.2f} ms",
        ]
        lines += [f"  refused by {rule:<18} {count}" for rule, count in sorted(self.rules.items(), key=lambda i: -i[1])]
        lines += [f"MISSED   {item['dialect']}: {item['sql'][:200]}" for item in self.missed]
        lines += [f"BLOCKED  {item['dialect']} by {item['rule']}: {item['sql'][:200]}" for item in self.blocked]
        return "\n".join(lines)


def run_guard(attacks: Path, benign: Path) -> GuardReport:
    """Check every statement of two JSON lists of `{dialect, sql, expect?}`; `model.json` beside `attacks` says what may
    be read. Attacks whose `expect` is not `refuse` are left out.

    Raises `InvalidRequest` for files that cannot be read or a dialect that the guard does not know.
    """
    attack_list, benign_list = _statements(attacks), _statements(benign)
    model = _read(attacks.parent / "model.json")
    guards = {dialect: Guard(dialect, _catalogue(dialect)) for dialect in DIALECTS}
    allowed = {dialect: _allowed(model, dialect) for dialect in DIALECTS}
    times: list[float] = []

    def check(item: dict[str, str]) -> GuardPass | GuardRefusal:
        started = time.perf_counter()
        outcome = guards[item["dialect"]].check(item["sql"], allowed[item["dialect"]])
        times.append((time.perf_counter() - started) * 1000)
        return outcome

    must_refuse = [item for item in attack_list if item.get("expect", "refuse") == "refuse"]
    missed: list[dict[str, str]] = []
    blocked: list[dict[str, str]] = []
    rules: dict[str, int] = {}
    for item in must_refuse:
        outcome = check(item)
        if isinstance(outcome, GuardRefusal):
            rules[outcome.rule] = rules.get(outcome.rule, 0) + 1
        else:
            missed.append({"dialect": item["dialect"], "sql": item["sql"]})
    for item in benign_list:
        outcome = check(item)
        if isinstance(outcome, GuardRefusal):
            blocked.append(
                {"dialect": item["dialect"], "sql": item["sql"], "rule": outcome.rule, "message": outcome.message}
            )
    spread = quantiles(times, n=20) if len(times) > 1 else [0.0] * 19
    return GuardReport(
        must_refuse=len(must_refuse),
        refused=len(must_refuse) - len(missed),
        benign=len(benign_list),
        benign_passed=len(benign_list) - len(blocked),
        p50_ms=spread[9],
        p95_ms=spread[18],
        missed=tuple(missed),
        blocked=tuple(blocked),
        rules=rules,
    )


def _statements(path: Path) -> list[dict[str, str]]:
    data = _read(path)
    if not isinstance(data, list) or not all(isinstance(i, dict) and {"dialect", "sql"} <= i.keys() for i in data):
        raise InvalidRequest(f"{path} is not a list of objects with dialect and sql.")
    for item in data:
        if item["dialect"] not in DIALECTS:
            raise InvalidRequest(f"{path} names the dialect {item['dialect']!r}.", f"Known: {', '.join(DIALECTS)}.")
    return data


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InvalidRequest(f"{path} cannot be read as JSON.", str(error)) from error


def _allowed(model: Any, dialect: str) -> Allowed:
    return Allowed(
        tables={fold(name): frozenset(map(fold, columns)) for name, columns in model["tables"].items()},
        qualifiers=frozenset(map(fold, model.get("qualifiers", {}).get(dialect, ()))),
    )


def _catalogue(dialect: str) -> frozenset[str] | None:
    """The functions that the embedded engines themselves list; nothing else is asked of them."""
    if dialect == "duckdb":
        import duckdb

        with duckdb.connect(":memory:") as connection:
            rows = connection.execute("SELECT DISTINCT lower(function_name) FROM duckdb_functions()").fetchall()
        return frozenset(row[0] for row in rows)
    if dialect == "sqlite":
        lite = sqlite3.connect(":memory:")
        try:
            return frozenset(row[0].lower() for row in lite.execute("SELECT DISTINCT name FROM pragma_function_list"))
        finally:
            lite.close()
    return None
