"""How the guard does on lists of attacks and of legitimate queries (`askwell eval guard`)."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import quantiles
from typing import Any

from sqlglot import Dialect, TokenType

from askwell.errors import InvalidRequest
from askwell.evaluation.guard_limits import GRACE, TIME_LIMIT, LimitFigures, run_limits
from askwell.sql.guard import DIALECTS, Allowed, Guard, GuardPass, GuardRefusal
from askwell.sql.names import fold
from askwell.sql.scopes import shape_of_column

EXPECTATIONS = ("refuse", "limit", "neutralise")
# Where one of these is left in a rendering as a word of its own, it does something.
_COMMANDS = frozenset(
    {
        TokenType.ALTER, TokenType.ANALYZE, TokenType.ATTACH, TokenType.CACHE, TokenType.COMMAND, TokenType.COPY,
        TokenType.CREATE, TokenType.DELETE, TokenType.DETACH, TokenType.DROP, TokenType.EXECUTE, TokenType.GRANT,
        TokenType.INSERT, TokenType.INTO, TokenType.KILL, TokenType.LOAD, TokenType.MERGE, TokenType.PRAGMA,
        TokenType.SEMICOLON, TokenType.SET, TokenType.TRUNCATE, TokenType.UPDATE, TokenType.USE,
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class NeutraliseFigures:
    """Attacks that are harmless once rendered anew: `harmless` renderings are one query, stay the same when they are
    read and rendered again, and hold no command outside names and texts. `missed` are none of that."""

    attacks: int
    refused: int
    harmless: int
    missed: tuple[dict[str, str], ...]

    def as_json(self) -> dict[str, Any]:
        """One object, JSON-ready."""
        return {
            "attacks": self.attacks,
            "refused": self.refused,
            "harmless": self.harmless,
            "missed": list(self.missed),
        }


@dataclass(frozen=True, slots=True)
class GuardReport:
    """`missed` are attacks to be refused that passed, `blocked` legitimate queries that did not, both with dialect and
    SQL. `rules` counts the refused attacks by the rule that refused them, `classes` maps the class of an attack to how
    many were refused and how many there are. Times are per statement, in milliseconds."""

    must_refuse: int
    refused: int
    benign: int
    benign_passed: int
    p50_ms: float
    p95_ms: float
    missed: tuple[dict[str, str], ...]
    blocked: tuple[dict[str, str], ...]
    rules: dict[str, int]
    classes: dict[str, tuple[int, int]]
    limit: LimitFigures
    neutralise: NeutraliseFigures

    @property
    def passed(self) -> bool:
        """Whether every attack was refused, ended by limits or made harmless, and every legitimate query passed."""
        return not (self.missed or self.blocked or self.limit.overran or self.neutralise.missed)

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
            "by_class": {name: {"refused": refused, "of": of} for name, (refused, of) in self.classes.items()},
            "limit": self.limit.as_json(),
            "neutralise": self.neutralise.as_json(),
        }

    def as_table(self) -> str:
        """Lines for people."""
        lines = [
            f"attacks refused      {self.refused} of {self.must_refuse}",
            f"stopped by limits    {self.limit.ended} of {self.limit.attacks - self.limit.refused} that passed, "
            f"within {TIME_LIMIT + GRACE:g} s ({self.limit.refused} were refused)",
            f"made harmless        {self.neutralise.harmless} of "
            f"{self.neutralise.attacks - self.neutralise.refused} that passed ({self.neutralise.refused} were refused)",
            f"legitimate passed    {self.benign_passed} of {self.benign}",
            f"time a statement     p50 {self.p50_ms:.2f} ms, p95 {self.p95_ms:.2f} ms",
        ]
        lines += [f"  refused by {rule:<18} {count}" for rule, count in sorted(self.rules.items(), key=lambda i: -i[1])]
        lines += [f"  class {name:<23} {refused} of {of}" for name, (refused, of) in sorted(self.classes.items())]
        lines += [f"MISSED   {item['dialect']}: {item['sql'][:200]}" for item in self.missed]
        lines += [f"OVERRAN  {item['dialect']}, {item['why']}: {item['sql'][:200]}" for item in self.limit.overran]
        lines += [f"NOT RUN  {item['dialect']}: {item['sql'][:200]}" for item in self.limit.not_run]
        lines += [f"HARMFUL  {item['dialect']}: {item['sql'][:200]}" for item in self.neutralise.missed]
        lines += [f"BLOCKED  {item['dialect']} by {item['rule']}: {item['sql'][:200]}" for item in self.blocked]
        return "\n".join(lines)


def run_guard(attacks: Path, benign: Path, servers: Sequence[str] = ()) -> GuardReport:
    """Check every statement of two JSON lists of `{dialect, sql, class?, expect?}`; `model.json` beside `attacks` says
    what may be read and, in `types` (table → column → SQL type), what columns hold. Attacks with `expect: limit` that
    pass are run: on files, and on databases made for it on `servers` (URLs).

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

    by_expectation: dict[str, list[dict[str, str]]] = {expectation: [] for expectation in EXPECTATIONS}
    for item in attack_list:
        by_expectation[item.get("expect", "refuse")].append(item)
    must_refuse = by_expectation["refuse"]
    missed: list[dict[str, str]] = []
    blocked: list[dict[str, str]] = []
    rules: dict[str, int] = {}
    classes: dict[str, tuple[int, int]] = {}
    for item in must_refuse:
        outcome = check(item)
        refused, of = classes.get(item.get("class", "none"), (0, 0))
        classes[item.get("class", "none")] = refused + isinstance(outcome, GuardRefusal), of + 1
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
    endless = [item | _rendered(check(item)) for item in by_expectation["limit"]]
    passed = [item for item in endless if "rendered" in item]
    limit = asyncio.run(run_limits(passed, model["tables"], refused=len(endless) - len(passed), servers=servers))
    outcomes = [(item, check(item)) for item in by_expectation["neutralise"]]
    rendered = [(item, outcome) for item, outcome in outcomes if isinstance(outcome, GuardPass)]
    harmful = [item for item, outcome in rendered if not _harmless(outcome, item["dialect"], check)]
    neutralise = NeutraliseFigures(
        attacks=len(outcomes),
        refused=len(outcomes) - len(rendered),
        harmless=len(rendered) - len(harmful),
        missed=tuple({"dialect": item["dialect"], "sql": item["sql"]} for item in harmful),
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
        classes=classes,
        limit=limit,
        neutralise=neutralise,
    )


def _rendered(outcome: GuardPass | GuardRefusal) -> dict[str, str]:
    return {"rendered": outcome.sql} if isinstance(outcome, GuardPass) else {}


def _harmless(first: GuardPass, dialect: str, check: Callable[[dict[str, str]], GuardPass | GuardRefusal]) -> bool:
    """See `NeutraliseFigures`."""
    again = check({"dialect": dialect, "sql": first.sql})
    if not isinstance(again, GuardPass) or again.sql != first.sql:
        return False
    tokens = Dialect.get_or_raise(dialect).tokenize(first.sql)
    return not any(token.token_type in _COMMANDS or token.comments for token in tokens)


def _statements(path: Path) -> list[dict[str, str]]:
    data = _read(path)
    if not isinstance(data, list) or not all(isinstance(i, dict) and {"dialect", "sql"} <= i.keys() for i in data):
        raise InvalidRequest(f"{path} does not hold what it should.", "It is a list of objects with dialect and sql.")
    for item in data:
        if item["dialect"] not in DIALECTS:
            raise InvalidRequest(f"{path} names the dialect {item['dialect']!r}.", f"Known: {', '.join(DIALECTS)}.")
        if item.get("expect", "refuse") not in EXPECTATIONS:
            raise InvalidRequest(f"{path} expects {item['expect']!r}.", f"Known: {', '.join(EXPECTATIONS)}.")
    return data


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InvalidRequest(f"{path} cannot be read: {error.strerror}.", "Name a file.") from error
    except ValueError as error:
        raise InvalidRequest(f"{path} is not JSON: {error}.") from error


def _allowed(model: Any, dialect: str) -> Allowed:
    return Allowed(
        tables={fold(name): frozenset(map(fold, columns)) for name, columns in model["tables"].items()},
        qualifiers=frozenset(map(fold, model.get("qualifiers", {}).get(dialect, ()))),
        shapes={
            fold(name): {fold(column): shape_of_column(kind, None, dialect) for column, kind in columns.items()}
            for name, columns in model.get("types", {}).items()
        },
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
