"""How many questions the rules answer without a language model, and how many of the answers are right
(`askwell eval rules`): by execution accuracy, on the SQLite files beside the questions."""

from __future__ import annotations

import itertools
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from askwell.errors import InvalidRequest
from askwell.evaluation.business import shows
from askwell.evaluation.scoring import QueryBroke, SqliteReader, same_result
from askwell.evaluation.text2sql import (
    Question,
    by_database,
    read_questions,
    read_spider_tables,
    split_of,
)
from askwell.evaluation.values import sampled_model
from askwell.semantic_parsing.reader import QuestionReader
from askwell.semantic_parsing.translation import Abstention, RulesMode, Translation

CURVE_STEPS = 20
# Where bands of sureness begin, and the last one ends.
BANDS = (0.0, 0.5, 0.7, 0.8, 0.9, 1.01)
MODES = ("strict", "balanced", "all")
SPLITS = ("all", "tuning", "validation")


@dataclass(frozen=True, slots=True)
class Judged:
    """One scorable question: what the rules made of it, how long that took in milliseconds, whether it is right to the
    column, and whether it at least shows what was asked for: with further columns, or in another order."""

    question: Question
    outcome: Translation | Abstention
    ms: float
    right: bool
    shown: bool


@dataclass(frozen=True, slots=True)
class RulesReport:
    """Figures of one run. `answered` are translations that `mode` accepts; the curve takes all translations, the most
    probable first, whatever the mode."""

    mode: str
    split: str
    judged: tuple[Judged, ...]

    @property
    def answers(self) -> list[Judged]:
        """The questions that are answered in this mode."""
        return [judged for judged in self.judged if _answers(judged.outcome, self.mode)]

    def by_reason(self) -> dict[str, int]:
        """Why the others are not answered: the abstention's reason, or `unsure`."""
        answered = {judged.question.id for judged in self.answers}
        reasons = Counter(
            judged.outcome.reason if isinstance(judged.outcome, Abstention) else "unsure"
            for judged in self.judged
            if judged.question.id not in answered
        )
        return dict(reasons.most_common())

    def curve(self) -> list[dict[str, float]]:
        """Precision at growing shares of answered questions."""
        ranked = sorted(
            (
                (judged.outcome.probability, judged.right)
                for judged in self.judged
                if isinstance(judged.outcome, Translation)
            ),
            key=lambda pair: -pair[0],
        )
        points = []
        for step in range(1, CURVE_STEPS + 1):
            count = len(self.judged) * step // CURVE_STEPS
            if not 0 < count <= len(ranked):
                continue
            precision = sum(right for _, right in ranked[:count]) / count
            points.append({"answered_share": round(count / len(self.judged), 4), "precision": round(precision, 4)})
        return points

    def bands(self) -> list[dict[str, float]]:
        """Whether sureness is true: what was said of the translations in bands of it, and how many show what was
        asked for."""
        sure = [(j.outcome.probability, j.shown) for j in self.judged if isinstance(j.outcome, Translation)]
        found = []
        for low, high in itertools.pairwise(BANDS):
            band = [pair for pair in sure if low <= pair[0] < high]
            if band:
                said, was = (statistics.fmean(values) for values in zip(*band, strict=True))
                found.append({"from": low, "translations": len(band), "said": round(said, 4), "shown": round(was, 4)})
        return found

    def as_json(self) -> dict[str, Any]:
        """One object, JSON-ready."""
        answers = self.answers
        correct = sum(judged.right for judged in answers)
        total = len(self.judged)
        return {
            "mode": self.mode,
            "split": self.split,
            "questions": total,
            "answered": len(answers),
            "correct": correct,
            "abstained": total - len(answers),
            "answered_share": round(len(answers) / total, 4) if total else 0.0,
            "accuracy": round(correct / total, 4) if total else 0.0,
            "precision": round(correct / len(answers), 4) if answers else 0.0,
            "shown": round(sum(judged.shown for judged in answers) / len(answers), 4) if answers else 0.0,
            "p50_ms": round(statistics.median(judged.ms for judged in self.judged), 3) if total else 0.0,
            "by_reason": self.by_reason(),
            "curve": self.curve(),
            "bands": self.bands(),
        }

    def as_table(self) -> str:
        """Lines for people."""
        figures = self.as_json()
        lines = [
            f"mode {self.mode}, databases: {self.split}",
            f"questions        {figures['questions']}",
            f"answered         {figures['answered']}  ({figures['answered_share']:.1%})",
            f"right            {figures['correct']}  (accuracy {figures['accuracy']:.1%} of all)",
            f"precision        {figures['precision']:.1%} of the answered",
            f"shown            {figures['shown']:.1%} of the answered, with further columns or in another order",
            f"time a question  p50 {figures['p50_ms']:.2f} ms",
            "",
            "answered   precision",
        ]
        lines += [f"{point['answered_share']:>8.1%}   {point['precision']:.1%}" for point in figures["curve"]]
        lines += ["", "sure from   translations   said     shown"]
        lines += [
            f"{band['from']:>9.0%}   {band['translations']:>12}   {band['said']:.1%}   {band['shown']:.1%}"
            for band in figures["bands"]
        ]
        lines += ["", "not answered because"]
        lines += [f"{count:>6}  {reason}" for reason, count in figures["by_reason"].items()]
        return "\n".join(lines)


def _answers(outcome: Translation | Abstention, mode: str) -> bool:
    if isinstance(outcome, Abstention):
        return False
    return mode == "all" or outcome.answers_in(RulesMode(mode))


def run_rules(
    questions: Path,
    databases: Path,
    mode: str,
    limit: int | None = None,
    seed: int = 0,
    split: str = "all",
    progress: Callable[[str], None] | None = None,
) -> RulesReport:
    """Translate and score every scorable question.

    `questions` is a `questions.jsonl` (with `tables.json` beside it, where there is one), `databases` the folder of
    `<db_id>.sqlite`; `mode` is strict, balanced or all; `split` is all, tuning or validation (by database).
    Raises `InvalidRequest` for another mode or split, and for files that cannot be read.
    """
    if mode not in MODES or split not in SPLITS:
        hint = f"Modes: {', '.join(MODES)}; splits: {', '.join(SPLITS)}."
        raise InvalidRequest(f"There is no mode {mode!r} or no split {split!r}.", hint)
    rows = read_questions(questions, limit=limit, seed=seed)
    rows = [row for row in rows if row.scorable and (split == "all" or split_of(row.db_id) == split)]
    judged = tuple(judge(rows, databases, read_spider_tables(questions.parent), progress))
    return RulesReport(mode, split, judged)


def judge(
    rows: Sequence[Question],
    databases: Path,
    spider: dict[str, Any],
    progress: Callable[[str], None] | None = None,
) -> Iterator[Judged]:
    """Translate and score rows, database by database."""
    found = by_database(rows, databases)
    for number, (path, mine) in enumerate(found.items(), 1):
        database = SqliteReader(path)
        try:
            drafted, values = sampled_model(path, spider.get(mine[0].db_id))
            reader = QuestionReader(drafted.model, values, "sqlite", bare=True)
            for row in mine:
                started = time.perf_counter()
                outcome = reader.translate(row.question, unsure=True)
                ms = (time.perf_counter() - started) * 1000
                sql = drafted.on_file(outcome.sql) if isinstance(outcome, Translation) else None
                yield Judged(row, outcome, ms, *verdict(database, row, sql))
        finally:
            database.close()
        if progress is not None and number % 10 == 0:
            progress(f"{number} of {len(found)} databases")


def verdict(reader: SqliteReader, row: Question, sql: str | None) -> tuple[bool, bool]:
    """Whether the statement's result is that of one of the gold queries, and whether it shows it."""
    predicted = reader.run(sql) if sql is not None else None
    if predicted is None or isinstance(predicted, QueryBroke):
        return False, False
    golds = [gold for sql in row.golds if not isinstance(gold := reader.run(sql), QueryBroke)]
    right = any(same_result(gold, predicted, ordered=row.ordered) for gold in golds)
    return right, right or any(shows(gold, predicted, ordered=row.ordered) for gold in golds)
