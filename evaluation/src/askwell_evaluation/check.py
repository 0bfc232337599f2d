"""How many wrong statements a check finds, how many right ones it flags, and whether sureness is true
(`askwell eval check`)."""

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
from askwell.mdl.semantic_model import SampledValues, SemanticModel
from askwell.semantic_parsing.reader import QuestionReader
from askwell.semantic_parsing.translation import RulesMode, Translation
from askwell.sql.binder import bind
from askwell.sql.bound import BoundSql
from askwell.sql.query_result import QueryBroke, shows
from askwell.sql.same_result import Row, same_result
from askwell_evaluation.databases import (
    DraftedModel,
    Spider,
    SqliteReader,
    drafted_model,
    introspected_model,
    read_spider_tables,
    sampled_values,
)
from askwell_evaluation.fit_sureness import Answered, reliability, with_sureness
from askwell_evaluation.questions import each_database, in_split, read_rows
from askwell_evaluation.report import Report, percent
from askwell_evaluation.wrong_statements import changed

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
    def right(self) -> bool:
        return self.statement.kind == RIGHT

    @property
    def answered(self) -> Answered:
        """As sureness is learnt from it."""
        one = self.statement
        return Answered(one.db_id, one.origin.source, features(self.findings, one.origin), self.right)


def run_check(
    questions: Path,
    databases: Path,
    *,
    split: str = "all",
    each: int = 14,
    seed: int = 0,
    rules: bool = False,
) -> tuple[Report, list[Answered]]:
    """Check statements against their questions; the report, and what sureness is learnt from. Rows with `right` (true
    or false), and those of a results file of `askwell eval asks`, are taken as they are judged. Of other rows with a
    gold that can be scored at most `each` of a database are drawn; each is right as it is, and one statement that
    differs from it by one change, and whose result is another, is wrong; or with `rules` the answer of rules takes the
    place of both. Raises `InvalidRequest` for files that cannot be read."""
    rows = read_rows(questions, _statement, "db_id, question, sql, and right or gold_exec")
    drawn = _drawn([row for row in rows if row is not None and in_split(row.db_id, split)], each, seed)
    spider = read_spider_tables(questions.parent)
    judged: list[Judged] = []
    unread = 0
    for path, mine in each_database(drawn, databases):
        with closing(SqliteReader(path, _TIMEOUT)) as reader:
            model, index, some = _prepared(path, reader, mine, spider.get(path.stem), seed=seed, rules=rules)
            for statement in some:
                one = _judged(statement, model, index)
                unread += one is None
                judged += () if one is None else (one,)
    figures = _figures(judged) | {"unread": unread, "by_source": _by_source(judged)}
    return Report(figures, list(_lines(figures))), [one.answered for one in judged]


def _prepared(
    path: Path, reader: SqliteReader, mine: Sequence[Statement], spider: Spider | None, *, seed: int, rules: bool
) -> tuple[SemanticModel, ValueIndex, Iterator[Statement]]:
    """The model of a database, its values, and the statements to be checked."""
    if rules or any(one.origin.source == "llm" for one in mine):
        drafted, values = drafted_model(path, spider, by_service=True)
        grammar = _Grammar(reader, drafted, QuestionReader(drafted.model, values, "sqlite"))
        return drafted.model, ValueIndex.build(values), grammar.answers(mine) if rules else map(grammar.compared, mine)
    model = introspected_model(reader.connection, spider)
    values = sampled_values(reader.connection, model)
    return model, ValueIndex.build(values), _with_wrong_ones(mine, reader, model, values, seed)


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


def _drawn(rows: Sequence[Statement], each: int, seed: int) -> list[Statement]:
    """All that are judged, and at most `each` golds of a database, each statement once."""
    found: defaultdict[str, dict[str, Statement]] = defaultdict(dict)
    for row in random.Random(seed).sample(rows, len(rows)):
        mine = found[row.db_id]
        if row.kind is not None or len(mine) < each:
            mine.setdefault(f"{row.sql}{row.question if row.kind else ''}", row)
    return [row for mine in found.values() for row in mine.values()]


def _with_wrong_ones(
    statements: Sequence[Statement], reader: SqliteReader, model: SemanticModel, values: SampledValues, seed: int
) -> Iterator[Statement]:
    for one in statements:
        if one.kind is not None:
            yield one
            continue
        gold = reader.run(one.sql, _ROW_LIMIT)
        if isinstance(gold, QueryBroke):
            continue
        yield replace(one, kind=RIGHT)
        made = []
        for kind, sql in changed(one.sql, "sqlite", model, values, seed):
            rows = reader.run(sql, _ROW_LIMIT)
            if not isinstance(rows, QueryBroke) and not same_result(gold, rows, ordered=one.ordered):
                made.append(replace(one, sql=sql, kind=kind))
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
    """None for a statement that does not bind."""
    try:
        bound = bind(sqlglot.parse_one(statement.sql, dialect="sqlite"), model, "sqlite")
    except SqlglotError:
        return None
    if not isinstance(bound, BoundSql):
        return None
    began = perf_counter()
    findings = QuestionCheck(statement.question, model, index, _TODAY).findings(bound)
    return Judged(statement, findings, (perf_counter() - began) * 1_000)


# ---------------------------------------------------------------- figures
def _figures(judged: Sequence[Judged]) -> dict[str, Any]:
    right, wrong = [one for one in judged if one.right], [one for one in judged if not one.right]
    kinds = _groups(wrong, lambda one: str(one.statement.kind))
    times = quantiles([one.ms for one in judged], n=20) if len(judged) > 1 else [0.0] * 19
    return {
        "right": len(right),
        "wrong": len(wrong),
        "found": _flagged(wrong),
        "false_alarms": _flagged(right),
        "found_wrong": _flagged(wrong, Verdict.WRONG),
        "false_wrong": _flagged(right, Verdict.WRONG),
        "by_kind": {kind: {"statements": len(some), "found": _flagged(some)} for kind, some in sorted(kinds.items())},
        "by_code": _by_code(right, wrong),
        "p50_ms": round(times[9], 2),
        "p95_ms": round(times[18], 2),
    }


def _by_source(judged: Sequence[Judged]) -> dict[str, Any]:
    kept = ("right", "wrong", "found", "false_alarms")
    return {
        source: {key: figure for key, figure in _figures(some).items() if key in kept}
        | {"sureness": reliability(with_sureness(fitted(), (one.answered for one in some)), CLEAR)}
        for source, some in _groups(judged, lambda one: one.statement.origin.source).items()
    }


def _groups(judged: Sequence[Judged], key: Callable[[Judged], str]) -> dict[str, list[Judged]]:
    found: defaultdict[str, list[Judged]] = defaultdict(list)
    for one in judged:
        found[key(one)].append(one)
    return found


def _flagged(some: Sequence[Judged], *verdicts: Verdict) -> int:
    return sum(verdict_of(one.findings) in (verdicts or (Verdict.DOUBTFUL, Verdict.WRONG)) for one in some)


def _by_code(right: Sequence[Judged], wrong: Sequence[Judged]) -> dict[str, dict[str, int]]:
    """How often each finding was made of right and of wrong statements, the most telling first; notes are left out."""

    def codes_of(one: Judged) -> set[str]:
        return {finding.code for finding in one.findings if finding.severity is not Severity.NOTE}

    counts = {
        name: Counter(code for one in some for code in codes_of(one))
        for name, some in (("right", right), ("wrong", wrong))
    }
    codes = sorted({*counts["right"], *counts["wrong"]}, key=lambda code: (-counts["wrong"][code], code))
    return {code: {name: count[code] for name, count in counts.items()} for code in codes}


def _lines(figures: Mapping[str, Any]) -> Iterator[str]:
    right, wrong = figures["right"], figures["wrong"]
    yield (
        f"wrong statements  {wrong}, of these found {percent(figures['found'], wrong)}, "
        f"as certainly wrong {percent(figures['found_wrong'], wrong)}"
    )
    yield (
        f"right statements  {right}, of these flagged {percent(figures['false_alarms'], right)}, "
        f"as certainly wrong {percent(figures['false_wrong'], right)}"
    )
    yield f"time a statement  p50 {figures['p50_ms']:.2f} ms, p95 {figures['p95_ms']:.2f} ms"
    for source, some in figures["by_source"].items():
        yield (
            f"{source:17} {some['right']} right, flagged {percent(some['false_alarms'], some['right'])}; "
            f"{some['wrong']} wrong, found {percent(some['found'], some['wrong'])}"
        )
        sure = some["sureness"]
        if sure["answers"]:
            clear = f"{percent(sure['clear'], sure['answers'])}, right {percent(sure['clear_right'], sure['clear'])}"
            yield f"  sureness: calibration error {sure['error']:.3f}; clear {clear}"
        for row in sure["bins"]:
            yield f"    from {row['from']:.1f}  {row['answers']:5} said {row['said']:.2f} right {row['right']:.2f}"
    for kind, some in figures["by_kind"].items():
        yield f"  {kind:20} found {percent(some['found'], some['statements'])}"
    for code, some in figures["by_code"].items():
        yield f"  {code:20} wrong {some['wrong']:5} right {some['right']:5}"
