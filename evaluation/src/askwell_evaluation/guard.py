"""How the guard does on lists of attacks and of legitimate queries (`askwell eval guard`)."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from statistics import quantiles
from typing import Any

from sqlglot import Dialect, TokenType

from askwell.errors import InvalidRequest
from askwell.sql.guard import DIALECTS, Allowed, Guard, GuardPass, GuardRefusal
from askwell.sql.names import fold
from askwell.sql.scopes import shape_of_column
from askwell_evaluation.guard_limits import GRACE, TIME_LIMIT, run_limits
from askwell_evaluation.questions import read_json
from askwell_evaluation.report import Report

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

# `dialect` and `sql`, of attacks also `class` and `expect`.
Item = dict[str, str]


def run_guard(attacks: Path, benign: Path, servers: Sequence[str] = ()) -> Report:
    """Check every statement of two JSON lists of `{dialect, sql, class?, expect?}`; `model.json` beside `attacks` says
    what may be read and, in `types` (table → column → SQL type), what columns hold. Attacks with `expect: limit` that
    pass are run: on files, and on databases made for it on `servers` (URLs). The report is passed where every attack
    was refused, ended by limits or made harmless, and every legitimate query passed.

    Raises `InvalidRequest` for files that cannot be read or a dialect that the guard does not know.
    """
    expected = defaultdict[str, list[Item]](list)
    for item in _statements(attacks):
        expected[item.get("expect", "refuse")].append(item)
    good = _statements(benign)
    model = read_json(attacks.parent / "model.json", dict, "tables, qualifiers and types")
    bench = _Bench(model)
    refused = [(item, bench.check(item)) for item in expected["refuse"]]
    rules = Counter(outcome.rule for _, outcome in refused if isinstance(outcome, GuardRefusal))
    missed = [_named(item) for item, outcome in refused if isinstance(outcome, GuardPass)]
    blocked = [
        _named(item) | {"rule": outcome.rule, "message": outcome.message}
        for item in good
        if isinstance(outcome := bench.check(item), GuardRefusal)
    ]
    endless = [(item, bench.check(item)) for item in expected["limit"]]
    passed = [item | {"rendered": outcome.sql} for item, outcome in endless if isinstance(outcome, GuardPass)]
    limit = asyncio.run(run_limits(passed, model["tables"], servers=servers))
    neutralise = bench.neutralise(expected["neutralise"])
    spread = quantiles(bench.times, n=20) if len(bench.times) > 1 else [0.0] * 19
    figures = {
        "must_refuse": len(refused),
        "refused": len(refused) - len(missed),
        "benign": len(good),
        "benign_passed": len(good) - len(blocked),
        "p50_ms": round(spread[9], 3),
        "p95_ms": round(spread[18], 3),
        "missed": missed,
        "blocked": blocked,
        "rules": dict(rules),
        "by_class": _by_class(refused),
        "limit": {"attacks": len(endless), "refused": len(endless) - len(passed)} | limit,
        "neutralise": neutralise,
    }
    is_fine = not (missed or blocked or limit["overran"] or neutralise["missed"])
    return Report(figures, _lines(figures), passed=is_fine)


class _Bench:
    """A guard for each dialect with what may be read, and how long each check took in milliseconds."""

    def __init__(self, model: Mapping[str, Any]) -> None:
        self._guards = {dialect: Guard(dialect, _catalogue(dialect)) for dialect in DIALECTS}
        self._allowed = {dialect: _allowed(model, dialect) for dialect in DIALECTS}
        self.times: list[float] = []

    def check(self, item: Item) -> GuardPass | GuardRefusal:
        """What the guard says of a statement."""
        started = time.perf_counter()
        outcome = self._guards[item["dialect"]].check(item["sql"], self._allowed[item["dialect"]])
        self.times.append((time.perf_counter() - started) * 1000)
        return outcome

    def neutralise(self, items: Sequence[Item]) -> dict[str, Any]:
        """Attacks that are harmless once rendered anew: `harmless` renderings are one query, stay the same when they
        are read and rendered again, and hold no command outside names and texts. `missed` are none of that."""
        passed = [(item, found) for item in items if isinstance(found := self.check(item), GuardPass)]
        harmful = [_named(item) for item, found in passed if not self._is_harmless(found.sql, item["dialect"])]
        return {
            "attacks": len(items),
            "refused": len(items) - len(passed),
            "harmless": len(passed) - len(harmful),
            "missed": harmful,
        }

    def _is_harmless(self, rendered: str, dialect: str) -> bool:
        again = self.check({"dialect": dialect, "sql": rendered})
        if not isinstance(again, GuardPass) or again.sql != rendered:
            return False
        tokens = Dialect.get_or_raise(dialect).tokenize(rendered)
        return not any(token.token_type in _COMMANDS or token.comments for token in tokens)


def _named(item: Item) -> Item:
    return {"dialect": item["dialect"], "sql": item["sql"]}


def _by_class(refused: Iterable[tuple[Item, GuardPass | GuardRefusal]]) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for item, outcome in refused:
        counts = found.setdefault(item.get("class", "none"), {"refused": 0, "of": 0})
        counts["refused"] += isinstance(outcome, GuardRefusal)
        counts["of"] += 1
    return found


def _lines(figures: Mapping[str, Any]) -> list[str]:
    limit, neutralise = figures["limit"], figures["neutralise"]
    rules = sorted(figures["rules"].items(), key=lambda item: -item[1])
    classes = sorted(figures["by_class"].items())
    listed = (
        ("MISSED  ", figures["missed"]), ("OVERRAN ", limit["overran"]), ("NOT RUN ", limit["not_run"]),
        ("HARMFUL ", neutralise["missed"]), ("BLOCKED ", figures["blocked"]),
    )  # fmt: skip
    return [
        f"attacks refused      {figures['refused']} of {figures['must_refuse']}",
        f"stopped by limits    {limit['ended']} of {limit['attacks'] - limit['refused']} that passed, "
        f"within {TIME_LIMIT + GRACE:g} s ({limit['refused']} were refused)",
        f"made harmless        {neutralise['harmless']} of {neutralise['attacks'] - neutralise['refused']} that passed "
        f"({neutralise['refused']} were refused)",
        f"legitimate passed    {figures['benign_passed']} of {figures['benign']}",
        f"time a statement     p50 {figures['p50_ms']:.2f} ms, p95 {figures['p95_ms']:.2f} ms",
        *(f"  refused by {rule:<18} {count}" for rule, count in rules),
        *(f"  class {name:<23} {counts['refused']} of {counts['of']}" for name, counts in classes),
        *(f"{name} {_where(item)}: {item['sql'][:200]}" for name, items in listed for item in items),
    ]


def _where(item: Item) -> str:
    """The dialect, and why a statement overran or by which rule it was blocked."""
    if "why" in item:
        return f"{item['dialect']}, {item['why']}"
    return f"{item['dialect']} by {item['rule']}" if "rule" in item else item["dialect"]


def _statements(path: Path) -> list[Item]:
    data = read_json(path, lambda data: data, "a list of objects with dialect and sql")
    if not isinstance(data, list) or not all(isinstance(i, dict) and {"dialect", "sql"} <= i.keys() for i in data):
        raise InvalidRequest(f"{path} does not hold what it should.", "It is a list of objects with dialect and sql.")
    for item in data:
        for key, default, known in (("dialect", "", DIALECTS), ("expect", "refuse", EXPECTATIONS)):
            if item.get(key, default) not in known:
                raise InvalidRequest(f"{path} has the {key} {item[key]!r}.", f"Known: {', '.join(known)}.")
    return data


def _allowed(model: Mapping[str, Any], dialect: str) -> Allowed:
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
        with closing(sqlite3.connect(":memory:")) as lite:
            return frozenset(row[0].lower() for row in lite.execute("SELECT DISTINCT name FROM pragma_function_list"))
    return None
