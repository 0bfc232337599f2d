"""How often the rules ask back where a question means two things, how often where it does not, and what comes of the
right answer (`askwell eval clarification`).

Ambiguities are made from questions that are answered rightly: a column that the question names gets a twin (`price`
becomes `planned_price` and `actual_price`, with the same values), or the one table that it is about does. Which of the
two is meant is drawn.
"""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import sqlglot
from sqlglot import exp

from askwell.errors import InvalidRequest
from askwell.evaluation.business import shows
from askwell.evaluation.drafted import DraftedModel
from askwell.evaluation.scoring import QueryBroke, SqliteReader
from askwell.evaluation.text2sql import Question, by_database, read_questions, sampled_values, split_of
from askwell.question.stems import stems
from askwell.semantic_parsing.reader import QuestionReader
from askwell.semantic_parsing.translation import Abstention, Choice, RulesMode, Translation
from askwell.sql.bindings import FREE

# What twins are told apart by: words that questions do not have.
_PAIRS = (("planned", "actual"), ("domestic", "foreign"), ("inner", "outer"), ("official", "estimated"))
_LARGEST = 4_000_000
_MOST_ROUNDS = 3


@dataclass(slots=True)
class ClarificationReport:
    """Counts. Of the `ambiguous` questions some are `asked` back, and of these some `offered` what is meant;
    `right_after` are answered rightly once that is chosen. The others are answered at once (`at_once`) or not at all.
    Of the `clear` questions some are asked back `needlessly`."""

    ambiguous: int = 0
    asked: int = 0
    offered: int = 0
    right_after: int = 0
    at_once: int = 0
    clear: int = 0
    needlessly: int = 0
    by_kind: dict[str, dict[str, int]] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """One object, JSON-ready."""
        return {
            "ambiguous": self.ambiguous,
            "asked_back": self.asked,
            "asked_back_rate": _rate(self.asked, self.ambiguous),
            "options_hold_it_rate": _rate(self.offered, self.asked),
            "right_after_answer_rate": _rate(self.right_after, self.offered),
            "answered_at_once": self.at_once,
            "clear": self.clear,
            "needlessly": self.needlessly,
            "needlessly_rate": _rate(self.needlessly, self.clear),
            "by_kind": self.by_kind,
        }

    def as_table(self) -> str:
        """For people."""
        found = self.as_json()
        lines = [
            f"{self.ambiguous} ambiguous questions: {found['asked_back_rate']:.1%} asked back, "
            f"{self.at_once} answered at once",
            f"  of these the options hold what is meant in {found['options_hold_it_rate']:.1%}, "
            f"and once it is chosen {found['right_after_answer_rate']:.1%} are right",
            f"{self.clear} clear questions: {found['needlessly_rate']:.1%} asked back",
        ]
        lines += [f"  {kind}: {counts}" for kind, counts in sorted(self.by_kind.items())]
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class _Twins:
    """What was made ambiguous, the name of what is meant and of the other one."""

    kind: str
    meant: str
    other: str


def run_clarification(
    questions: Path,
    databases: Path,
    *,
    count: int = 300,
    seed: int = 0,
    split: str = "all",
    progress: Callable[[str], None] | None = None,
) -> ClarificationReport:
    """Put `count` ambiguous and `count` clear questions. `questions` and `databases` as `run_rules` takes them. Raises
    `InvalidRequest` for files that cannot be read."""
    if count < 1:
        raise InvalidRequest("--count has to be at least 1.", "300 gives bounds of some 3 points.")
    rng, report = random.Random(seed), ClarificationReport()
    rows = [row for row in read_questions(questions) if row.scorable and split in ("all", split_of(row.db_id))]
    rng.shuffle(rows)
    found = list(by_database(rows, databases).items())
    found = [(path, mine) for path, mine in found if path.stat().st_size <= _LARGEST]
    each = max(1, -(-count // max(1, len(found))))
    for number, (path, mine) in enumerate(found, 1):
        if report.ambiguous >= count and report.clear >= count:
            break
        _one_database(path, mine, min(each * 2, count), rng, report, count)
        if progress is not None and number % 10 == 0:
            progress(f"{number} of {len(found)} databases, {report.ambiguous} ambiguous questions")
    return report


def _one_database(
    path: Path, rows: list[Question], each: int, rng: random.Random, report: ClarificationReport, count: int
) -> None:
    database = SqliteReader(path)
    try:
        with closing(_copy(path)) as copy:
            reader, drafted = _reader(copy)
            made = clear = 0
            for row in rows:
                if made >= each and clear >= each:
                    return
                outcome = reader.translate(row.question)
                if clear < each and report.clear < count:
                    clear, report.clear = clear + 1, report.clear + 1
                    report.needlessly += isinstance(outcome, Abstention) and len(outcome.choices) > 1
                answers = isinstance(outcome, Translation) and outcome.answers_in(RulesMode.BALANCED)
                if made < each and report.ambiguous < count and answers and isinstance(outcome, Translation):
                    if _shows(database, row, copy, drafted.on_file(outcome.sql)):
                        made += _put_ambiguously(path, row, database, rng, report)
    finally:
        database.close()


def _put_ambiguously(
    path: Path, row: Question, database: SqliteReader, rng: random.Random, report: ClarificationReport
) -> bool:
    """Whether there was something to make ambiguous."""
    with closing(_copy(path)) as copy:
        twins = next(filter(None, (make(copy, row, rng) for make in rng.sample(_MAKERS, len(_MAKERS)))), None)
        if twins is None:
            return False
        reader, drafted = _reader(copy)
        kind = report.by_kind.setdefault(twins.kind, {"ambiguous": 0, "asked": 0, "right_after": 0})
        report.ambiguous += 1
        kind["ambiguous"] += 1
        outcome = reader.translate(row.question)
        if isinstance(outcome, Translation) and outcome.answers_in(RulesMode.BALANCED):
            report.at_once += 1
            report.failures.append(f"answered at once, {twins}: {row.question}")
            return True
        if isinstance(outcome, Translation) or len(outcome.choices) < 2:
            report.failures.append(f"not asked back, {twins}: {row.question}")
            return True
        report.asked += 1
        kind["asked"] += 1
        bound, offered = FREE, False
        for _ in range(_MOST_ROUNDS):
            choice = _meant(outcome.choices, twins) if isinstance(outcome, Abstention) else None
            if choice is None:
                break
            offered, bound = True, bound.merged(choice.bindings)
            outcome = reader.translate(row.question, bound=bound)
        report.offered += offered
        sql = outcome.sql if isinstance(outcome, Translation) and outcome.answers_in(RulesMode.BALANCED) else ""
        if sql and twins.other not in sql and _shows(database, row, copy, drafted.on_file(sql)):
            report.right_after += 1
            kind["right_after"] += 1
        else:
            report.failures.append(f"wrong after the answer, {twins}: {row.question}")
    return True


def _meant(choices: tuple[Choice, ...], twins: _Twins) -> Choice | None:
    for choice in choices:
        names = {*choice.bindings.tables, *(ref.column for ref in choice.bindings.columns)}
        names |= {ref.table for ref in choice.bindings.columns}
        if twins.meant in names:
            return choice
    return None


# ---------------------------------------------------------------- twins
def _column_twins(copy: sqlite3.Connection, row: Question, rng: random.Random) -> _Twins | None:
    """A column that the question names, twice."""
    said = set(stems(row.question))
    tree = sqlglot.parse_one(row.sql, dialect="sqlite")
    read = {column.name.lower() for column in tree.find_all(exp.Column)}
    found = []
    for table in _tables(tree):
        links = {here for _, _, _, here, *_ in copy.execute(f'PRAGMA foreign_key_list("{table}")')}
        for _, column, _, _, _, key in copy.execute(f'PRAGMA table_info("{table}")'):
            words = stems(column)
            if column.lower() in read and not key and column not in links and words and set(words) <= said:
                found.append((table, column))
    if not found:
        return None
    table, column = rng.choice(found)
    meant, other = (f"{word}_{column}" for word in rng.sample(rng.choice(_PAIRS), 2))
    try:
        copy.execute(f'ALTER TABLE "{table}" RENAME COLUMN "{column}" TO "{meant}"')
        kind = next(t for _, known, t, *_ in copy.execute(f'PRAGMA table_info("{table}")') if known == meant)
        copy.execute(f'ALTER TABLE "{table}" ADD COLUMN "{other}" {kind}')
        copy.execute(f'UPDATE "{table}" SET "{other}" = "{meant}"')
    except sqlite3.Error:
        return None
    return _Twins("column", meant, other)


def _table_twins(copy: sqlite3.Connection, row: Question, rng: random.Random) -> _Twins | None:
    """The one table that the question is about, twice."""
    tables = _tables(sqlglot.parse_one(row.sql, dialect="sqlite"))
    if len(tables) != 1 or not set(stems(tables[0])) <= set(stems(row.question)):
        return None
    table = tables[0]
    meant, other = (f"{word}_{table}" for word in rng.sample(rng.choice(_PAIRS), 2))
    try:
        copy.execute(f'ALTER TABLE "{table}" RENAME TO "{meant}"')
        written = copy.execute("SELECT sql FROM sqlite_master WHERE name = ?", (meant,)).fetchone()[0]
        copy.execute(written.replace(f'"{meant}"', f'"{other}"', 1))
        copy.execute(f'INSERT INTO "{other}" SELECT * FROM "{meant}"')
    except sqlite3.Error:
        return None
    return _Twins("table", meant, other)


def _tables(tree: exp.Expr) -> list[str]:
    return list(dict.fromkeys(table.name for table in tree.find_all(exp.Table)))


_MAKERS: list[Callable[[sqlite3.Connection, Question, random.Random], _Twins | None]] = [_column_twins, _table_twins]


# ---------------------------------------------------------------- databases
def _copy(path: Path) -> sqlite3.Connection:
    copy = sqlite3.connect(":memory:")
    copy.text_factory = lambda raw: raw.decode(errors="replace")
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as source:
        source.backup(copy)
    return copy


def _reader(connection: sqlite3.Connection) -> tuple[QuestionReader, DraftedModel]:
    drafted = DraftedModel(connection, None)
    return QuestionReader(drafted.model, sampled_values(connection, drafted.model), "sqlite"), drafted


def _shows(database: SqliteReader, row: Question, copy: sqlite3.Connection, sql: str) -> bool:
    """Whether the statement shows what one of the gold queries gives."""
    try:
        predicted = copy.execute(sql).fetchall()
    except sqlite3.Error:
        return False
    return any(shows(gold, predicted, ordered=row.ordered) for gold in _golds(database, row))


def _golds(database: SqliteReader, row: Question) -> Iterator[Any]:
    for sql in row.golds:
        gold = database.run(sql)
        if not isinstance(gold, QueryBroke):
            yield gold


def _rate(part: int, whole: int) -> float:
    return round(part / whole, 4) if whole else 0.0
