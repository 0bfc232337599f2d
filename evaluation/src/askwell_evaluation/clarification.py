"""How often the rules ask back where a question means two things, how often where it does not, and what comes of the
right answer (`askwell eval clarification`).

Ambiguities are made from questions that are answered rightly: a column that the question names gets a twin (`price`
becomes `planned_price` and `actual_price`, with the same values), or the one table that it is about does. Which of the
two is meant is drawn.
"""

from __future__ import annotations

import random
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import sqlglot
from sqlglot.errors import SqlglotError

from askwell.errors import InvalidRequest
from askwell.question.words import stems
from askwell.semantic_parsing.reader import QuestionReader
from askwell.semantic_parsing.translation import Abstention, Choice, RulesMode, Translation
from askwell.services.rules_translation import translated
from askwell.sql.binder import bind
from askwell.sql.bindings import FREE, Bindings
from askwell.sql.bound import BoundSql
from askwell_evaluation.databases import DraftedModel, Judge, SqliteReader, open_file, sampled_values
from askwell_evaluation.questions import Question, by_database, read_checked
from askwell_evaluation.report import Report, ratio, say

# What tells twins apart: words that questions do not have.
_PAIRS = (("planned", "actual"), ("domestic", "foreign"), ("inner", "outer"), ("official", "estimated"))
_LARGEST = 4_000_000
_MOST_ROUNDS = 3


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
) -> Report:
    """Put `count` ambiguous and `count` clear questions. `questions` and `databases` as `run_rules` takes them. Raises
    `InvalidRequest` for files that cannot be read."""
    if count < 1:
        raise InvalidRequest("--count has to be at least 1.", "300 gives bounds of some 3 points.")
    run = _Run(random.Random(seed), count)
    found = small_databases(questions, databases, split, run.rng)
    each = max(1, -(-count // max(1, len(found))))
    for path, mine in found.items():
        if min(run.counts["ambiguous"], run.counts["clear"]) >= count:
            break
        run.put_database(path, mine, min(each * 2, count))
        say(f"{path.stem}: {run.counts['ambiguous']} ambiguous questions")
    figures = run.figures()
    return Report(figures, _lines(figures), failures=run.failures)


def small_databases(questions: Path, databases: Path, split: str, rng: random.Random) -> dict[Path, list[Question]]:
    """The questions of a split, shuffled, by the files of their databases, those alone that can be copied or read many
    times."""
    rows = read_checked(questions, split=split)
    rng.shuffle(rows)
    found = by_database(rows, databases)
    return {path: mine for path, mine in found.items() if path.stat().st_size <= _LARGEST}


def _lines(figures: dict[str, Any]) -> list[str]:
    return [
        f"{figures['ambiguous']} ambiguous questions: {figures['asked_back_rate']:.1%} asked back, "
        f"{figures['answered_at_once']} answered at once",
        f"  of these the options hold what is meant in {figures['options_hold_it_rate']:.1%}, "
        f"and once it is chosen {figures['right_after_answer_rate']:.1%} are right",
        f"{figures['clear']} clear questions: {figures['needlessly_rate']:.1%} asked back",
        *(f"  {kind}: {counts}" for kind, counts in sorted(figures["by_kind"].items())),
    ]


@dataclass(slots=True)
class _Run:
    """Puts up to `most` questions of each sort. Of the `ambiguous` ones some are `asked` back, and of these some
    `offered` what is meant; `right_after` are answered rightly once that is chosen. The others are answered at once
    (`at_once`) or not at all. Of the `clear` questions some are asked back `needlessly`."""

    rng: random.Random
    most: int
    counts: Counter[str] = field(default_factory=Counter)
    by_kind: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    failures: list[str] = field(default_factory=list)

    def figures(self) -> dict[str, Any]:
        """The counts and their rates."""
        counts = self.counts
        shown = ("ambiguous", "asked", "right_after")
        return {
            "ambiguous": counts["ambiguous"],
            "asked_back": counts["asked"],
            "asked_back_rate": ratio(counts["asked"], counts["ambiguous"]),
            "options_hold_it_rate": ratio(counts["offered"], counts["asked"]),
            "right_after_answer_rate": ratio(counts["right_after"], counts["offered"]),
            "answered_at_once": counts["at_once"],
            "clear": counts["clear"],
            "needlessly": counts["needlessly"],
            "needlessly_rate": ratio(counts["needlessly"], counts["clear"]),
            "by_kind": {kind: {name: some[name] for name in shown} for kind, some in self.by_kind.items()},
        }

    def put_database(self, path: Path, rows: Sequence[Question], each: int) -> None:
        """Put up to `each` questions of each sort to one database."""
        with closing(SqliteReader(path)) as database, closing(_copy(path)) as copy:
            reader, drafted = _reader(copy)
            judge = Judge(database, drafted, copy)
            made = clear = 0
            for row in rows:
                if made >= each and clear >= each:
                    return
                outcome = translated(reader, row.question)
                if clear < each and self.counts["clear"] < self.most:
                    clear += 1
                    self._count_clear(row.question, _asking_back(reader, row.question, outcome, FREE))
                if made < each and self.counts["ambiguous"] < self.most and (sql := _answer(outcome)) is not None:
                    gold = _read_by(row, drafted)
                    if gold is not None and judge.verdict(row, sql)[1]:
                        made += self._put_ambiguously(path, row, gold, database)

    def _count_clear(self, question: str, outcome: Translation | Abstention) -> None:
        self.counts["clear"] += 1
        if isinstance(outcome, Abstention) and outcome.asks_back:
            self.counts["needlessly"] += 1
            self.failures.append(f"asked back needlessly, {outcome.message}: {question}")

    def _put_ambiguously(self, path: Path, row: Question, gold: BoundSql, database: SqliteReader) -> bool:
        """Whether there was something to make ambiguous."""
        with closing(_copy(path)) as copy:
            makers = self.rng.sample(_MAKERS, len(_MAKERS))
            twins = next(filter(None, (make(copy.connection, row, gold, self.rng) for make in makers)), None)
            if twins is not None:
                self._put(row, twins, database, copy)
        return twins is not None

    def _put(self, row: Question, twins: _Twins, database: SqliteReader, copy: SqliteReader) -> None:
        reader, drafted = _reader(copy)
        self._count("ambiguous", twins)
        outcome = _asking_back(reader, row.question, translated(reader, row.question), FREE)
        if _answer(outcome) is not None:
            self._count("at_once", twins)
            self.failures.append(f"answered at once, {twins}: {row.question}")
            return
        if isinstance(outcome, Translation) or not outcome.asks_back:
            self.failures.append(f"not asked back, {twins}: {row.question}")
            return
        self._count("asked", twins)
        bound, offered = FREE, False
        for _ in range(_MOST_ROUNDS):
            choice = _meant(outcome.choices, twins) if isinstance(outcome, Abstention) else None
            if choice is None:
                break
            offered, bound = True, bound.merged(choice.bindings, drafted.model)
            outcome = _asking_back(reader, row.question, translated(reader, row.question, bound), bound)
        self.counts["offered"] += offered
        sql = _answer(outcome)
        if sql and twins.other not in sql and Judge(database, drafted, copy).verdict(row, sql)[1]:
            self._count("right_after", twins)
        else:
            self.failures.append(f"wrong after the answer, {twins}: {row.question}")

    def _count(self, name: str, twins: _Twins) -> None:
        self.counts[name] += 1
        self.by_kind[twins.kind][name] += 1


def _answer(outcome: Translation | Abstention) -> str | None:
    """The statement of an outcome that is sure enough to be an answer."""
    is_answer = isinstance(outcome, Translation) and outcome.answers_in(RulesMode.BALANCED)
    return outcome.sql if is_answer and isinstance(outcome, Translation) else None


def _asking_back(
    reader: QuestionReader, question: str, outcome: Translation | Abstention, bound: Bindings
) -> Translation | Abstention:
    """What an interactive ask comes to."""
    if isinstance(outcome, Abstention):
        return outcome if outcome.asks_back else reader.asking_back(question, outcome, bound=bound)
    if _answer(outcome) is not None:
        return outcome
    unsure = Abstention("unsure", "", tables=outcome.tables)
    asked = reader.asking_back(question, unsure, bound=bound)
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
    try:
        bound = bind(sqlglot.parse_one(row.golds[0], dialect="sqlite"), drafted.model, "sqlite")
    except SqlglotError:
        return None
    return bound if isinstance(bound, BoundSql) else None


def _column_twins(copy: sqlite3.Connection, row: Question, gold: BoundSql, rng: random.Random) -> _Twins | None:
    """A column that the question names and the gold query reads, twice."""
    named = set(stems(row.question))
    found = []
    for table in gold.tables:
        links = {here for _, _, _, here, *_ in copy.execute(f'PRAGMA foreign_key_list("{table}")')}
        for _, column, _, _, _, key in copy.execute(f'PRAGMA table_info("{table}")'):
            words = stems(column)
            if column in gold.columns[table] and not key and column not in links and words and set(words) <= named:
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
    with closing(open_file(path)) as source:
        source.backup(copy)
    return SqliteReader(copy)


def _reader(copy: SqliteReader) -> tuple[QuestionReader, DraftedModel]:
    drafted = DraftedModel(copy.connection, None)
    return QuestionReader(drafted.model, sampled_values(copy.connection, drafted.model), "sqlite"), drafted
