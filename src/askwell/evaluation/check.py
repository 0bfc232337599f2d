"""How many wrong statements a check finds, and how many right ones it flags (`askwell eval check`)."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from statistics import quantiles
from time import perf_counter
from typing import Any

import sqlglot
from sqlglot.errors import SqlglotError

from askwell.checking.check import QuestionCheck
from askwell.checking.finding import Finding, Severity, Verdict, verdict_of
from askwell.checking.sureness import CLEAR, Origin, features, fitted
from askwell.checking.values import ValueIndex
from askwell.errors import InvalidRequest
from askwell.evaluation.business import shows
from askwell.evaluation.check_material import changed
from askwell.evaluation.drafted import DraftedModel
from askwell.evaluation.fit_sureness import Answered, reliability, said
from askwell.evaluation.scoring import QueryBroke, Row, SqliteReader, same_result
from askwell.evaluation.text2sql import (
    introspected_model,
    read_rows,
    read_spider_tables,
    sampled_values,
    split_of,
)
from askwell.evaluation.values import sampled_model
from askwell.mdl.semantic_model import SemanticModel
from askwell.semantic_parsing.reader import QuestionReader
from askwell.semantic_parsing.translation import RulesMode, Translation
from askwell.sql.binder import bind
from askwell.sql.bound import BoundSql

_ROW_LIMIT, _TIMEOUT = 5_000, 3.0
RIGHT = "right"
GIVEN = Origin("given")
# Always the same, so that figures can be repeated.
_TODAY = date(2026, 11, 28)


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement with its question. `kind` is `right`, or how it is wrong; None where that is to be made from a right
    one."""

    db_id: str
    question: str
    sql: str
    kind: str | None
    ordered: bool
    origin: Origin = GIVEN


@dataclass(frozen=True, slots=True)
class Judged:
    """A statement, what was found, and how long that took in milliseconds."""

    statement: Statement
    findings: tuple[Finding, ...]
    ms: float

    @property
    def verdict(self) -> Verdict:
        return verdict_of(self.findings)

    @property
    def answered(self) -> Answered:
        """As sureness is learnt from it."""
        one = self.statement
        return Answered(one.db_id, one.origin.source, features(self.findings, one.origin), one.kind == RIGHT)


@dataclass(frozen=True, slots=True)
class CheckReport:
    """`unread` statements do not bind and are not counted."""

    judged: tuple[Judged, ...]
    unread: int

    def as_json(self) -> dict[str, Any]:
        """One object, JSON-ready."""
        right = [one for one in self.judged if one.statement.kind == RIGHT]
        wrong = [one for one in self.judged if one.statement.kind != RIGHT]
        kinds: defaultdict[str, list[Judged]] = defaultdict(list)
        for one in wrong:
            kinds[str(one.statement.kind)].append(one)
        times = quantiles([one.ms for one in self.judged], n=20) if len(self.judged) > 1 else [0.0] * 19
        return {
            "right": len(right),
            "wrong": len(wrong),
            "found": _flagged(wrong, Verdict.DOUBTFUL, Verdict.WRONG),
            "false_alarms": _flagged(right, Verdict.DOUBTFUL, Verdict.WRONG),
            "found_wrong": _flagged(wrong, Verdict.WRONG),
            "false_wrong": _flagged(right, Verdict.WRONG),
            "by_kind": {
                kind: {"statements": len(some), "found": _flagged(some, Verdict.DOUBTFUL, Verdict.WRONG)}
                for kind, some in sorted(kinds.items())
            },
            "by_code": _by_code(right, wrong),
            "p50_ms": round(times[9], 2),
            "p95_ms": round(times[18], 2),
            "unread": self.unread,
            "by_source": {source: _source_figures(some) for source, some in self.by_source().items()},
        }

    def by_source(self) -> dict[str, list[Judged]]:
        """The statements by where they come from."""
        found: defaultdict[str, list[Judged]] = defaultdict(list)
        for one in self.judged:
            found[one.statement.origin.source].append(one)
        return dict(found)

    def as_table(self) -> str:
        """Lines for people."""
        figures = self.as_json()
        right, wrong = figures["right"], figures["wrong"]
        lines = [
            f"wrong statements  {wrong}, of these found {_share(figures['found'], wrong)}, "
            f"as certainly wrong {_share(figures['found_wrong'], wrong)}",
            f"right statements  {right}, of these flagged {_share(figures['false_alarms'], right)}, "
            f"as certainly wrong {_share(figures['false_wrong'], right)}",
            f"time a statement  p50 {figures['p50_ms']:.2f} ms, p95 {figures['p95_ms']:.2f} ms",
        ]
        for source, some in figures["by_source"].items():
            lines.append(
                f"{source:17} {some['right']} right, flagged {_share(some['false_alarms'], some['right'])}; "
                f"{some['wrong']} wrong, found {_share(some['found'], some['wrong'])}"
            )
            sure = some["sureness"]
            if sure["answers"]:
                clear = f"{_share(sure['clear'], sure['answers'])}, right {_share(sure['clear_right'], sure['clear'])}"
                lines.append(f"  sureness: calibration error {sure['error']:.3f}; clear {clear}")
            lines += [
                f"    from {row['from']:.1f}  {row['answers']:5} said {row['said']:.2f} right {row['right']:.2f}"
                for row in sure["bins"]
            ]
        for kind, some in figures["by_kind"].items():
            lines.append(f"  {kind:20} found {_share(some['found'], some['statements'])}")
        for code, some in figures["by_code"].items():
            lines.append(f"  {code:20} wrong {some['wrong']:5} right {some['right']:5}")
        return "\n".join(lines)


def _source_figures(some: Sequence[Judged]) -> dict[str, Any]:
    right = [one for one in some if one.statement.kind == RIGHT]
    wrong = [one for one in some if one.statement.kind != RIGHT]
    sure = said(fitted(), (one.answered for one in some))
    return {
        "right": len(right),
        "wrong": len(wrong),
        "found": _flagged(wrong, Verdict.DOUBTFUL, Verdict.WRONG),
        "false_alarms": _flagged(right, Verdict.DOUBTFUL, Verdict.WRONG),
        "sureness": reliability(sure, CLEAR),
    }


def _flagged(some: Sequence[Judged], *verdicts: Verdict) -> int:
    return sum(one.verdict in verdicts for one in some)


def _share(part: int, whole: int) -> str:
    return f"{part}/{whole} {100 * part / whole:.1f}%" if whole else "-"


def _by_code(right: Sequence[Judged], wrong: Sequence[Judged]) -> dict[str, dict[str, int]]:
    """How often each finding was made of right and of wrong statements, the most telling first; notes are left out."""
    counts = {
        name: Counter(code for one in some for code in _codes(one))
        for name, some in (("right", right), ("wrong", wrong))
    }
    codes = sorted({*counts["right"], *counts["wrong"]}, key=lambda code: (-counts["wrong"][code], code))
    return {code: {name: count[code] for name, count in counts.items()} for code in codes}


def _codes(judged: Judged) -> set[str]:
    return {finding.code for finding in judged.findings if finding.severity is not Severity.NOTE}


def run_check(
    questions: Path,
    databases: Path,
    *,
    split: str = "all",
    each: int = 14,
    seed: int = 0,
    rules: bool = False,
    progress: Callable[[str], None],
) -> CheckReport:
    """Check statements against their questions. Rows with `right` (true or false), and those of a results file of
    `askwell eval asks`, are taken as they are judged. Of other rows with a gold that can be scored at most `each` of a
    database are drawn; each is right as it is, and one statement that differs from it by one change, and whose result
    is another, is wrong; or with `rules` the answer of rules takes the place of both. Raises `InvalidRequest` for files
    that cannot be read."""
    rows = read_rows(questions, _statement, "db_id, question, sql, and right or gold_exec")
    drawn = _drawn([row for row in rows if row is not None and split in ("all", split_of(row.db_id))], each, seed)
    spider = read_spider_tables(questions.parent)
    judged: list[Judged] = []
    unread = 0
    for number, (db_id, mine) in enumerate(drawn.items(), 1):
        path = databases / f"{db_id}.sqlite"
        if not path.exists():
            raise InvalidRequest(f"There is no {path}.", "The folder of databases holds <db_id>.sqlite files.")
        with closing(SqliteReader(path, _TIMEOUT)) as reader:
            model = introspected_model(reader.connection, spider.get(db_id))
            index = ValueIndex.build(sampled_values(reader.connection, model))
            if rules or any(one.origin.source == "llm" for one in mine):
                drafted, values = sampled_model(path, spider.get(db_id))
                model, index = drafted.model, ValueIndex.build(values)
                grammar = _Grammar(reader, drafted, QuestionReader(model, values, "sqlite"))
                some = grammar.answers(mine) if rules else map(grammar.compared, mine)
            else:
                some = _with_wrong_ones(mine, reader, model, seed)
            for statement in some:
                found = _judged(statement, model, index)
                unread += found is None
                judged += () if found is None else (found,)
        if number % 20 == 0:
            progress(f"{number} of {len(drawn)} databases, {len(judged)} statements")
    return CheckReport(tuple(judged), unread)


def _statement(row: Mapping[str, Any]) -> Statement | None:
    """None for a gold that cannot be scored."""
    origin = GIVEN
    if row.get("verdict") in ("correct", "wrong"):
        kind = RIGHT if row["verdict"] == "correct" or row.get("contained") else "wrong"
        corrections = int(row.get("timings", {}).get("correction", 0) > 0)
        origin = Origin(row.get("source") or "llm", corrections=corrections)
    elif "verdict" in row:
        return None
    elif "right" in row:
        kind = RIGHT if row["right"] else str(row.get("kind", "wrong"))
    elif row.get("gold_exec") == "ok":
        kind = None
    else:
        return None
    return Statement(str(row["db_id"]), str(row["question"]), str(row["sql"]), kind, bool(row.get("ordered")), origin)


def _drawn(rows: Sequence[Statement], each: int, seed: int) -> dict[str, list[Statement]]:
    """By database: all that are judged, and at most `each` golds, each statement once."""
    found: defaultdict[str, dict[str, Statement]] = defaultdict(dict)
    for row in random.Random(seed).sample(rows, len(rows)):
        mine = found[row.db_id]
        if row.kind is not None or len(mine) < each:
            mine.setdefault(f"{row.sql}{row.question if row.kind else ''}", row)
    return {db_id: list(mine.values()) for db_id, mine in found.items()}


def _with_wrong_ones(
    statements: Sequence[Statement], reader: SqliteReader, model: SemanticModel, seed: int
) -> Iterator[Statement]:
    values = sampled_values(reader.connection, model)
    for one in statements:
        if one.kind is not None:
            yield one
            continue
        gold = reader.run(one.sql, _ROW_LIMIT)
        if isinstance(gold, QueryBroke):
            continue
        yield Statement(one.db_id, one.question, one.sql, RIGHT, one.ordered)
        made = []
        for kind, sql in changed(one.sql, "sqlite", model, values, seed):
            rows = reader.run(sql, _ROW_LIMIT)
            if not isinstance(rows, QueryBroke) and not same_result(gold, rows, ordered=one.ordered):
                made.append(Statement(one.db_id, one.question, sql, kind, one.ordered))
        if made:
            yield random.Random(f"{seed}{one.sql}").choice(made)


@dataclass(frozen=True, slots=True)
class _Grammar:
    """What rules read in questions about one database."""

    reader: SqliteReader
    drafted: DraftedModel
    rules: QuestionReader

    def answers(self, golds: Sequence[Statement]) -> Iterator[Statement]:
        """The answers of rules to the questions of golds."""
        for one in golds:
            outcome = self.rules.translate(one.question)
            if not isinstance(outcome, Translation) or not outcome.answers_in(RulesMode.BALANCED):
                continue
            gold, rows = self._run(one.sql), self._run(outcome.sql)
            if gold is not None and rows is not None:
                kind = RIGHT if shows(gold, rows, ordered=one.ordered) else "wrong"
                origin = Origin("rules", reading=outcome.probability)
                yield replace(one, sql=outcome.sql, kind=kind, origin=origin)

    def compared(self, one: Statement) -> Statement:
        """A statement, with whether the reading of rules gives the same rows."""
        outcome = self.rules.translate(one.question)
        rows, others = self._run(one.sql), self._run(outcome.sql) if isinstance(outcome, Translation) else None
        if rows is None or others is None:
            return one
        return replace(one, origin=replace(one.origin, second=same_result(rows, others, ordered=False)))

    def _run(self, sql: str) -> Sequence[Row] | None:
        rows = self.reader.run(self.drafted.on_file(sql), _ROW_LIMIT)
        return None if isinstance(rows, QueryBroke) else rows


def _judged(statement: Statement, model: SemanticModel, index: ValueIndex) -> Judged | None:
    try:
        bound = bind(sqlglot.parse_one(statement.sql, dialect="sqlite"), model, "sqlite")
    except SqlglotError:
        return None
    if not isinstance(bound, BoundSql):
        return None
    began = perf_counter()
    findings = QuestionCheck(statement.question, model, index, _TODAY).findings(bound)
    return Judged(statement, findings, (perf_counter() - began) * 1_000)
