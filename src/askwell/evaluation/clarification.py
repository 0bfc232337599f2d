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

from askwell.errors import InvalidRequest
from askwell.evaluation.business import shows
from askwell.evaluation.drafted import DraftedModel
from askwell.evaluation.scoring import QueryBroke, SqliteReader, parsed_query
from askwell.evaluation.text2sql import Question, by_database, read_questions, sampled_values, split_of
from askwell.question.stems import stems
from askwell.semantic_parsing.reader import QuestionReader
from askwell.semantic_parsing.translation import Abstention, Choice, RulesMode, Translation
from askwell.services.rules_translation import asking_back, translated
from askwell.sql.binder import bind
from askwell.sql.bindings import FREE, Bindings
from askwell.sql.bound import BoundSql

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
            "asked_back_rate": _ratio(self.asked, self.ambiguous),
            "options_hold_it_rate": _ratio(self.offered, self.asked),
            "right_after_answer_rate": _ratio(self.right_after, self.offered),
            "answered_at_once": self.at_once,
            "clear": self.clear,
            "needlessly": self.needlessly,
            "needlessly_rate": _ratio(self.needlessly, self.clear),
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
    rng = random.Random(seed)
    run = _Run(rng, count)
    rows = [row for row in read_questions(questions) if row.scorable and split in ("all", split_of(row.db_id))]
    rng.shuffle(rows)
    found = list(by_database(rows, databases).items())
    found = [(path, mine) for path, mine in found if path.stat().st_size <= _LARGEST]
    each = max(1, -(-count // max(1, len(found))))
    for number, (path, mine) in enumerate(found, 1):
        if run.report.ambiguous >= count and run.report.clear >= count:
            break
        run.put_database(path, mine, min(each * 2, count))
        if progress is not None and number % 10 == 0:
            progress(f"{number} of {len(found)} databases, {run.report.ambiguous} ambiguous questions")
    return run.report


class _Run:
    """Puts up to `count` questions of each sort."""

    def __init__(self, rng: random.Random, count: int) -> None:
        self.report = ClarificationReport()
        self._rng, self._count = rng, count

    def put_database(self, path: Path, rows: list[Question], each: int) -> None:
        """Put up to `each` questions of each sort to one database."""
        with closing(SqliteReader(path)) as database, closing(_copy(path)) as copy:
            reader, drafted = _reader(copy)
            made = clear = 0
            for row in rows:
                if made >= each and clear >= each:
                    return
                outcome = translated(reader, row.question)
                if clear < each and self.report.clear < self._count:
                    clear, self.report.clear = clear + 1, self.report.clear + 1
                    self._count_clear(row.question, _asking_back(reader, row.question, outcome, FREE))
                answers = isinstance(outcome, Translation) and outcome.answers_in(RulesMode.BALANCED)
                if made < each and self.report.ambiguous < self._count and answers and isinstance(outcome, Translation):
                    gold = _read_by(row, drafted)
                    if gold is not None and _shows(database, row, copy, drafted.on_file(outcome.sql)):
                        made += self._put_ambiguously(path, row, gold, database)

    def _count_clear(self, question: str, outcome: Translation | Abstention) -> None:
        if not isinstance(outcome, Abstention) or not outcome.asks_back:
            return
        self.report.needlessly += 1
        self.report.failures.append(f"asked back needlessly, {outcome.message}: {question}")

    def _put_ambiguously(self, path: Path, row: Question, gold: BoundSql, database: SqliteReader) -> bool:
        """Whether there was something to make ambiguous."""
        with closing(_copy(path)) as copy:
            makers = self._rng.sample(_MAKERS, len(_MAKERS))
            twins = next(filter(None, (make(copy.connection, row, gold, self._rng) for make in makers)), None)
            if twins is not None:
                self._put(row, twins, database, copy)
        return twins is not None

    def _put(self, row: Question, twins: _Twins, database: SqliteReader, copy: SqliteReader) -> None:
        report, (reader, drafted) = self.report, _reader(copy)
        kind = report.by_kind.setdefault(twins.kind, {"ambiguous": 0, "asked": 0, "right_after": 0})
        report.ambiguous += 1
        kind["ambiguous"] += 1
        outcome = _asking_back(reader, row.question, translated(reader, row.question), FREE)
        if isinstance(outcome, Translation) and outcome.answers_in(RulesMode.BALANCED):
            report.at_once += 1
            report.failures.append(f"answered at once, {twins}: {row.question}")
            return
        if isinstance(outcome, Translation) or not outcome.asks_back:
            report.failures.append(f"not asked back, {twins}: {row.question}")
            return
        report.asked += 1
        kind["asked"] += 1
        bound, offered = FREE, False
        for _ in range(_MOST_ROUNDS):
            choice = _meant(outcome.choices, twins) if isinstance(outcome, Abstention) else None
            if choice is None:
                break
            offered, bound = True, bound.merged(choice.bindings, drafted.model)
            outcome = _asking_back(reader, row.question, translated(reader, row.question, bound), bound)
        report.offered += offered
        sql = outcome.sql if isinstance(outcome, Translation) and outcome.answers_in(RulesMode.BALANCED) else ""
        if sql and twins.other not in sql and _shows(database, row, copy, drafted.on_file(sql)):
            report.right_after += 1
            kind["right_after"] += 1
        else:
            report.failures.append(f"wrong after the answer, {twins}: {row.question}")


def _asking_back(
    reader: QuestionReader, question: str, outcome: Translation | Abstention, bound: Bindings
) -> Translation | Abstention:
    """What an interactive ask comes to."""
    if isinstance(outcome, Abstention):
        return outcome if outcome.asks_back else asking_back(reader, question, outcome, bound)
    if outcome.answers_in(RulesMode.BALANCED):
        return outcome
    unsure = Abstention("unsure", "", tables=outcome.tables)
    asked = asking_back(reader, question, unsure, bound)
    return asked if asked.asks_back else outcome


def _meant(choices: tuple[Choice, ...], twins: _Twins) -> Choice | None:
    for choice in choices:
        names = {*choice.bindings.tables, *(ref.column for ref in choice.bindings.columns)}
        names |= {ref.table for ref in choice.bindings.columns}
        if twins.meant in names:
            return choice
    return None


# ---------------------------------------------------------------- twins
def _read_by(row: Question, drafted: DraftedModel) -> BoundSql | None:
    """What the gold query reads; None for one that cannot be read."""
    tree = parsed_query(row.sql, "sqlite")
    bound = bind(tree, drafted.model, "sqlite") if tree is not None else None
    return bound if isinstance(bound, BoundSql) else None


def _column_twins(copy: sqlite3.Connection, row: Question, gold: BoundSql, rng: random.Random) -> _Twins | None:
    """A column that the question names and the gold query reads, twice."""
    said = set(stems(row.question))
    found = []
    for table in gold.tables:
        links = {here for _, _, _, here, *_ in copy.execute(f'PRAGMA foreign_key_list("{table}")')}
        for _, column, _, _, _, key in copy.execute(f'PRAGMA table_info("{table}")'):
            words = stems(column)
            if column in gold.columns[table] and not key and column not in links and words and set(words) <= said:
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


def _table_twins(copy: sqlite3.Connection, row: Question, gold: BoundSql, rng: random.Random) -> _Twins | None:
    """The one table that the question is about, twice."""
    if len(gold.tables) != 1 or not set(stems(gold.tables[0])) <= set(stems(row.question)):
        return None
    (table,) = gold.tables
    meant, other = (f"{word}_{table}" for word in rng.sample(rng.choice(_PAIRS), 2))
    try:
        copy.execute(f'ALTER TABLE "{table}" RENAME TO "{meant}"')
        written = copy.execute("SELECT sql FROM sqlite_master WHERE name = ?", (meant,)).fetchone()[0]
        copy.execute(written.replace(f'"{meant}"', f'"{other}"', 1))
        copy.execute(f'INSERT INTO "{other}" SELECT * FROM "{meant}"')
    except sqlite3.Error:
        return None
    return _Twins("table", meant, other)


_MAKERS: list[Callable[[sqlite3.Connection, Question, BoundSql, random.Random], _Twins | None]] = [
    _column_twins,
    _table_twins,
]


# ---------------------------------------------------------------- databases
def _copy(path: Path) -> SqliteReader:
    copy = sqlite3.connect(":memory:")
    with closing(SqliteReader(path)) as source:
        source.connection.backup(copy)
    return SqliteReader(copy)


def _reader(copy: SqliteReader) -> tuple[QuestionReader, DraftedModel]:
    drafted = DraftedModel(copy.connection, None)
    return QuestionReader(drafted.model, sampled_values(copy.connection, drafted.model), "sqlite"), drafted


def _shows(database: SqliteReader, row: Question, copy: SqliteReader, sql: str) -> bool:
    """Whether the statement shows what one of the gold queries gives."""
    predicted = copy.run(sql)
    if isinstance(predicted, QueryBroke):
        return False
    return any(shows(gold, predicted, ordered=row.ordered) for gold in _golds(database, row))


def _golds(database: SqliteReader, row: Question) -> Iterator[Any]:
    for sql in row.golds:
        gold = database.run(sql)
        if not isinstance(gold, QueryBroke):
            yield gold


def _ratio(part: int, whole: int) -> float:
    return round(part / whole, 4) if whole else 0.0
