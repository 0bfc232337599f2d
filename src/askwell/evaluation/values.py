"""How often the value index finds the texts that a gold query compares columns with (`askwell eval values`): on SQLite
files whose models are introspected and whose values are sampled as the service does it."""

from __future__ import annotations

import asyncio
import re
import sqlite3
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlglot import exp
from sqlglot.errors import SqlglotError

from askwell.errors import InvalidRequest
from askwell.evaluation.drafted import DraftedModel
from askwell.evaluation.text2sql import (
    Question,
    by_database,
    read_questions,
    read_spider_tables,
    split_of,
)
from askwell.mdl.semantic_model import ColumnRef, SampledValues, SemanticModel
from askwell.pipelines.retrieval.context import ValueMatch
from askwell.pipelines.retrieval.value_index import ValueIndex
from askwell.providers.engine.file_engine import SQLiteEngine
from askwell.services.value_sampling import SamplingBounds, sample_values
from askwell.sql.binder import ModelCatalogue
from askwell.sql.checker import SqlChecker
from askwell.sql.planner import Planner
from askwell.sql.scopes import resolve

# Candidates of a question that count.
FIRST = 5

_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class GoldValue:
    """A text that a gold query compares a column with. `pattern` is what LIKE is given, with its wildcards."""

    column: ColumnRef
    text: str
    pattern: str | None = None

    def is_met_by(self, match: ValueMatch) -> bool:
        """Whether a candidate is this column with this value (or one that fits the pattern), letter case aside."""
        if match.column != self.column:
            return False
        value = match.value.strip().casefold()
        if self.pattern is None:
            return value == self.text.strip().casefold()
        return re.fullmatch(_regex(self.pattern.casefold()), value, re.DOTALL) is not None


@dataclass(frozen=True, slots=True)
class Looked:
    """One text of one gold. `rank` counts from 1, None where it is no candidate at all; `kind` is the candidate's,
    `why_not` the reason of a miss, and `stands` says whether the column holds the text."""

    question: Question
    gold: GoldValue
    rank: int | None
    kind: str
    stands: bool
    why_not: str

    @property
    def found(self) -> bool:
        """Whether it is among the first candidates."""
        return self.rank is not None and self.rank <= FIRST


@dataclass(frozen=True, slots=True)
class ValuesReport:
    """Figures of one run. `candidates` are how many each question has that compares no text, then those that do; `ms`
    is the time of each look-up."""

    looked: tuple[Looked, ...]
    questions: int
    candidates_without: tuple[int, ...]
    candidates_with: tuple[int, ...]
    ms: tuple[float, ...]
    values: int

    def as_json(self) -> dict[str, Any]:
        """One object, JSON-ready. Shares are of the texts that their columns hold; `found_share_of_all` is of the
        others too, which nothing in the database can lead to."""
        looked = self.looked
        standing = [one for one in looked if one.stands]
        by_split = {
            split: _share([one for one in standing if split_of(one.question.db_id) == split])
            for split in ("tuning", "validation")
        }
        times = sorted(self.ms)
        return {
            "questions": self.questions,
            "texts": len(looked),
            "texts_in_database": len(standing),
            "found": sum(one.found for one in standing),
            "found_share": _share(standing),
            "found_share_tuning": by_split["tuning"],
            "found_share_validation": by_split["validation"],
            "found_share_of_all": _share(looked),
            "first_share": round(sum(one.rank == 1 for one in standing) / len(standing), 4) if standing else 0.0,
            "found_by_kind": dict(Counter(one.kind for one in standing if one.found).most_common()),
            "missed_because": dict(Counter(one.why_not for one in standing if not one.found).most_common()),
            "candidates_with_texts": _mean(self.candidates_with),
            "candidates_without_texts": _mean(self.candidates_without),
            "sampled_values": self.values,
            "p50_ms": round(statistics.median(times), 4) if times else 0.0,
            "p99_ms": round(times[len(times) * 99 // 100], 4) if times else 0.0,
        }

    def as_table(self) -> str:
        """Lines for people."""
        figures = self.as_json()
        lines = [
            f"questions with a text   {figures['questions']}",
            f"texts                   {figures['texts']}, of which their columns hold {figures['texts_in_database']}",
            f"in the first {FIRST}          {figures['found']}  ({figures['found_share']:.1%} of those held; "
            f"tuning {figures['found_share_tuning']:.1%}, validation {figures['found_share_validation']:.1%})",
            f"of all texts            {figures['found_share_of_all']:.1%}",
            f"the very first          {figures['first_share']:.1%} of those held",
            f"candidates a question   {figures['candidates_with_texts']:.2f} where the gold compares a text, "
            f"{figures['candidates_without_texts']:.2f} where not",
            f"values sampled          {figures['sampled_values']}",
            f"time a question         p50 {figures['p50_ms']:.3f} ms, p99 {figures['p99_ms']:.3f} ms",
            "",
            "found, by kind",
        ]
        lines += [f"{count:>6}  {kind}" for kind, count in figures["found_by_kind"].items()]
        lines += ["", "held, and missed because"]
        lines += [f"{count:>6}  {why}" for why, count in figures["missed_because"].items()]
        return "\n".join(lines)


def _share(looked: Sequence[Looked]) -> float:
    return round(sum(one.found for one in looked) / len(looked), 4) if looked else 0.0


def _mean(counts: Sequence[int]) -> float:
    return round(sum(counts) / len(counts), 2) if counts else 0.0


def run_values(
    questions: Path,
    databases: Path,
    *,
    limit: int | None = None,
    seed: int = 0,
    progress: Callable[[str], None] = lambda line: None,
) -> ValuesReport:
    """Look up every question of which there is a database, and look for the texts that its gold compares with columns
    (by =, IN and LIKE; each once a question), whether or not the gold gives any rows.

    `questions` is a `questions.jsonl` (with `tables.json` beside it, where there is one), `databases` the folder of
    `<db_id>.sqlite`. Raises `InvalidRequest` for files that cannot be read.
    """
    rows = [
        row
        for row in read_questions(questions, limit=limit, seed=seed)
        if row.scorable or (databases / f"{row.db_id}.sqlite").exists()
    ]
    found = by_database(rows, databases)
    spider = read_spider_tables(questions.parent)
    looked: list[Looked] = []
    candidates: dict[bool, list[int]] = {True: [], False: []}
    ms: list[float] = []
    held = 0
    for number, (path, mine) in enumerate(found.items(), 1):
        drafted, values = sampled_model(path, spider.get(mine[0].db_id))
        model = drafted.model
        held += sum(map(len, values.values()))
        index = ValueIndex(model, values)
        sampled = {ref: {value.strip().casefold() for value in texts} for ref, texts in values.items()}
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
            for row in mine:
                golds = list(dict.fromkeys(gold_values(row.sql, model)))
                started = time.perf_counter()
                matches = index.matches(row.question)
                ms.append((time.perf_counter() - started) * 1_000)
                candidates[bool(golds)].append(len(matches))
                looked += [_looked(row, gold, matches, sampled.get(gold.column, set()), connection) for gold in golds]
        if number % 10 == 0:
            progress(f"{number} of {len(found)} databases")
    asked = len({one.question.id for one in looked})
    return ValuesReport(tuple(looked), asked, tuple(candidates[False]), tuple(candidates[True]), tuple(ms), held)


def sampled_model(path: Path, spider: Any) -> tuple[DraftedModel, SampledValues]:
    """The drafted model of a SQLite file and the values that the service's own sampling takes from it."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        try:
            drafted = DraftedModel(connection, spider)
        except sqlite3.DatabaseError as broke:
            raise InvalidRequest(f"{path} is not a SQLite database.", "Name a folder of SQLite files.") from broke
    model = drafted.model

    async def sample() -> SampledValues:
        engine = SQLiteEngine(path)
        try:
            checker = SqlChecker(model, Planner(model, drafted.manifest, "sqlite"), engine)
            sampled = await sample_values(model, checker, bounds=SamplingBounds(), on_progress=lambda done, total: None)
        finally:
            await engine.close()
        return sampled.values

    return drafted, asyncio.run(sample())


def _looked(
    row: Question, gold: GoldValue, matches: Sequence[ValueMatch], sampled: set[str], connection: sqlite3.Connection
) -> Looked:
    rank = next((place for place, match in enumerate(matches, 1) if gold.is_met_by(match)), None)
    stands = _stands(gold, connection)
    kind = matches[rank - 1].kind if rank is not None else ""
    return Looked(row, gold, rank, kind, stands, _why_not(row, gold, rank, sampled))


def _why_not(row: Question, gold: GoldValue, rank: int | None, sampled: set[str]) -> str:
    if rank is not None:
        return "" if rank <= FIRST else "ranked lower"
    is_sampled = gold.text.strip().casefold() in sampled
    if gold.pattern is not None:
        is_sampled = any(re.fullmatch(_regex(gold.pattern.casefold()), value, re.DOTALL) for value in sampled)
    if not is_sampled:
        return "not sampled"
    words = {word for word in _WORD.findall(gold.text.casefold()) if len(word) > 1}
    if not words & set(_WORD.findall(row.question.casefold())):
        return "the question has none of its words"
    return "not a candidate"


def _stands(gold: GoldValue, connection: sqlite3.Connection) -> bool:
    column, table = (name.replace('"', '""') for name in (gold.column.column, gold.column.table))
    comparison = "LIKE ?" if gold.pattern is not None else "= ?"
    sql = f'SELECT 1 FROM "{table}" WHERE "{column}" {comparison} LIMIT 1'
    try:
        return connection.execute(sql, (gold.pattern or gold.text,)).fetchone() is not None
    except sqlite3.Error:
        return False


def gold_values(sql: str, model: SemanticModel) -> Iterator[GoldValue]:
    """The texts that a statement in SQLite's dialect compares columns of the model with. Nothing for one that cannot be
    read."""
    from sqlglot import parse_one

    try:
        tree = parse_one(sql, dialect="sqlite")
        resolution = resolve(tree, ModelCatalogue(model, "sqlite"), "sqlite")
    except (SqlglotError, RecursionError):
        return
    texts = {id(node) for node in resolution.text_literals}
    for use in resolution.columns:
        if use.source.table is None or use.source.renamed:
            continue
        ref = ColumnRef(use.source.table.name, use.name)
        for node, is_pattern in _compared_with(use.node):
            if not (isinstance(node, exp.Literal) and node.is_string) and id(node) not in texts:
                continue
            text = node.name.strip("%") if is_pattern else node.name
            if text.strip():
                yield GoldValue(ref, text, node.name if is_pattern else None)


def _compared_with(node: exp.Expr) -> Iterator[tuple[exp.Expr, bool]]:
    """What a column is compared with, and whether that is a pattern."""
    parent = node.parent
    while isinstance(parent, exp.Lower | exp.Upper | exp.Trim | exp.Paren):
        node, parent = parent, parent.parent
    if isinstance(parent, exp.EQ | exp.NEQ):
        yield (parent.expression if parent.this is node else parent.this), False
    elif isinstance(parent, exp.Like | exp.ILike) and parent.this is node:
        yield parent.expression, True
    elif isinstance(parent, exp.In) and parent.this is node:
        yield from ((one, False) for one in parent.expressions)


def _regex(pattern: str) -> str:
    """A LIKE pattern as a regular expression."""
    return "".join(".*" if mark == "%" else "." if mark == "_" else re.escape(mark) for mark in pattern)
