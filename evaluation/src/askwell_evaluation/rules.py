"""How many questions the rules answer without a language model, and how many of the answers are right
(`askwell eval rules`): by execution accuracy, on the SQLite files beside the questions. With `--ablate`, what each rule
of the grammar, and each list of the lexicon, is worth: questions are read again without it."""

from __future__ import annotations

import itertools
import statistics
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import Any

from askwell.question.lexicon import English, english, standing_in
from askwell.question.tokens import tokenize
from askwell.semantic_parsing.coverage import is_covered
from askwell.semantic_parsing.grammar import GRAMMAR
from askwell.semantic_parsing.model.catalog import Catalog
from askwell.semantic_parsing.parser import SemanticParser
from askwell.semantic_parsing.reader import QuestionReader
from askwell.semantic_parsing.translation import Abstention, RulesMode, Translation
from askwell.semantic_parsing.trust import weights
from askwell_evaluation.databases import Judge, SqliteReader, drafted_model, read_spider_tables
from askwell_evaluation.questions import Question, each_database, in_split, read_checked, read_questions, sample
from askwell_evaluation.report import Report, ratio

CURVE_STEPS = 20
# Where bands of sureness begin, and the last one ends.
BANDS = (0.0, 0.5, 0.7, 0.8, 0.9, 1.01)
# How long a statement of a reading may take where many are tried, in seconds.
READING_SECONDS = 3.0

# Fields of the lexicon that follow from others.
_DERIVED = frozenset({"phrases", "longest", "everywhere", "function_words", "nouns"})


@dataclass(frozen=True, slots=True)
class Judged:
    """One question: what the rules made of it, how long that took in milliseconds, whether it is right to the column,
    and whether it at least shows what was asked for."""

    question: Question
    outcome: Translation | Abstention
    ms: float
    right: bool
    shown: bool

    def is_answer(self, mode: str) -> bool:
        """Whether it counts as an answer in this mode."""
        if isinstance(self.outcome, Abstention):
            return False
        return mode == "all" or self.outcome.answers_in(RulesMode(mode))


def run_rules(
    mode: str,
    questions: Path,
    databases: Path,
    *,
    limit: int | None = None,
    seed: int = 0,
    split: str = "all",
) -> Report:
    """Translate and score every scorable question.

    `questions` may have `tables.json` beside it, `databases` is the folder of `<db_id>.sqlite`; `mode` is strict,
    balanced or all; `split` is all, tuning or validation (by database). Raises `InvalidRequest` for files that cannot
    be read.
    """
    rows = [row for row in sample(read_checked(questions), limit, seed) if in_split(row.db_id, split)]
    judged = list(_judged(rows, databases, read_spider_tables(questions.parent)))
    figures = {"mode": mode, "split": split} | _figures(judged, mode)
    return Report(figures, _lines(figures))


def _judged(rows: Sequence[Question], databases: Path, spider: dict[str, Any]) -> Iterator[Judged]:
    for path, mine in each_database(rows, databases):
        with closing(SqliteReader(path)) as database:
            drafted, values = drafted_model(path, spider.get(path.stem), by_service=True)
            reader = QuestionReader(drafted.model, values, "sqlite", bare=True)
            judge = Judge(database, drafted)
            for row in mine:
                started = time.perf_counter()
                outcome = reader.translate(row.question, unsure=True)
                ms = (time.perf_counter() - started) * 1000
                verdict = judge.verdict(row, outcome.sql) if isinstance(outcome, Translation) else (False, False)
                yield Judged(row, outcome, ms, *verdict)


def _figures(judged: Sequence[Judged], mode: str) -> dict[str, Any]:
    """`answered` are translations that `mode` accepts; curve and bands take all translations, whatever the mode."""
    answers = [one for one in judged if one.is_answer(mode)]
    others = [one.outcome for one in judged if not one.is_answer(mode)]
    reasons = Counter(outcome.reason if isinstance(outcome, Abstention) else "unsure" for outcome in others)
    correct, total = sum(one.right for one in answers), len(judged)
    sure = [(one.outcome.probability, one) for one in judged if isinstance(one.outcome, Translation)]
    return {
        "questions": total,
        "answered": len(answers),
        "correct": correct,
        "abstained": len(others),
        "answered_share": ratio(len(answers), total),
        "accuracy": ratio(correct, total),
        "precision": ratio(correct, len(answers)),
        "shown": ratio(sum(one.shown for one in answers), len(answers)),
        "p50_ms": round(statistics.median(one.ms for one in judged), 3) if total else 0.0,
        "by_reason": dict(reasons.most_common()),
        "curve": list(_curve(sure, total)),
        "bands": list(_bands(sure)),
    }


def _curve(sure: Sequence[tuple[float, Judged]], total: int) -> Iterator[dict[str, float]]:
    """Precision at growing shares of answered questions, the most probable first."""
    ranked = [one.right for _, one in sorted(sure, key=lambda pair: -pair[0])]
    for step in range(1, CURVE_STEPS + 1):
        count = total * step // CURVE_STEPS
        if 0 < count <= len(ranked):
            yield {"answered_share": ratio(count, total), "precision": ratio(sum(ranked[:count]), count)}


def _bands(sure: Sequence[tuple[float, Judged]]) -> Iterator[dict[str, float]]:
    """Whether sureness is true: the mean sureness of the translations in bands of it, and how many show what was asked
    for."""
    for low, high in itertools.pairwise(BANDS):
        band = [(probability, one.shown) for probability, one in sure if low <= probability < high]
        if band:
            mean, was = (statistics.fmean(values) for values in zip(*band, strict=True))
            yield {"from": low, "translations": len(band), "said": round(mean, 4), "shown": round(was, 4)}


def _lines(figures: Mapping[str, Any]) -> list[str]:
    return [
        f"mode {figures['mode']}, databases: {figures['split']}",
        f"questions        {figures['questions']}",
        f"answered         {figures['answered']}  ({figures['answered_share']:.1%})",
        f"right            {figures['correct']}  (accuracy {figures['accuracy']:.1%} of all)",
        f"precision        {figures['precision']:.1%} of the answered",
        f"shown            {figures['shown']:.1%} of the answered, with further columns or in another order",
        f"time a question  p50 {figures['p50_ms']:.2f} ms",
        "",
        "answered   precision",
        *(f"{point['answered_share']:>8.1%}   {point['precision']:.1%}" for point in figures["curve"]),
        "",
        "sure from   translations   said     shown",
        *(
            f"{band['from']:>9.0%}   {band['translations']:>12}   {band['said']:.1%}   {band['shown']:.1%}"
            for band in figures["bands"]
        ),
        "",
        "not answered because",
        *(f"{count:>6}  {reason}" for reason, count in figures["by_reason"].items()),
    ]


# ---------------------------------------------------------------- ablation
@dataclass(slots=True)
class Worth:
    """`used`: questions that were read again. Without the part `lost` are no longer right and `gained` are; `wrong` are
    wrong readings that the gate lets through only with it (negative: only without)."""

    used: int = 0
    lost: int = 0
    gained: int = 0
    wrong: int = 0


@dataclass(frozen=True, slots=True)
class _Reading:
    """The first reading of a question, and whether it is right and lets the gate pass."""

    features: frozenset[str] = frozenset()
    right: bool = False
    covered: bool = False


def run_ablation(
    part: str,
    questions: Path,
    databases: Path,
    *,
    limit: int | None = None,
    seed: int = 0,
    split: str = "all",
) -> Report:
    """Read the questions without each rule, or each list, that their first reading may rest on.

    `questions` are those of a benchmark (with `tables.json` beside them, where there is one), or of business users,
    of whose golds nothing is known; `databases` is the folder of `<db_id>.sqlite`. Raises `InvalidRequest` for files
    that cannot be read.
    """
    business = not read_checked(questions)
    asked = read_questions(questions) if business else read_checked(questions, split=split)
    asked = sorted(sample(asked, limit, seed), key=lambda one: one.db_id)
    spider = {} if business else read_spider_tables(questions.parent)
    worth = {name: Worth() for name in (GRAMMAR.names if part == "rules" else _lists())}
    for path, mine in each_database(asked, databases):
        drafted, values = drafted_model(path, spider.get(path.stem))
        with closing(SqliteReader(path, READING_SECONDS)) as reader:
            bench = _Bench(part, business, Judge(reader, drafted), partial(Catalog.of, drafted.model, values))
            bench.compare(mine, worth)
    return _ablation_report(len(asked), worth)


def _ablation_report(questions: int, worth: Mapping[str, Worth]) -> Report:
    """The parts, for people those that are worth most first."""
    figures = {"questions": questions, "parts": {name: asdict(one) for name, one in worth.items()}}
    ranked = sorted(worth.items(), key=lambda pair: (pair[1].gained - pair[1].lost, -pair[1].used))
    unused = sum(not one.used for one in worth.values())
    lines = [
        f"{questions} questions",
        f"{'used':>6} {'lost':>6} {'gained':>7} {'wrong':>6}  without",
        *(f"{w.used:>6} {w.lost:>6} {w.gained:>7} {w.wrong:>6}  {name}" for name, w in ranked),
        f"{len(worth)} in all, {unused} of no use to any first reading",
    ]
    return Report(figures, lines)


@dataclass(frozen=True, slots=True)
class _Bench:
    """One database, whose questions are read with all rules and lists, and without each."""

    part: str
    business: bool
    judge: Judge
    catalog: Callable[[], Catalog]

    def compare(self, mine: Sequence[Question], worth: Mapping[str, Worth]) -> None:
        """Add what the parts are worth to the questions."""
        whole, lists, is_rules = self.catalog(), _lists(), self.part == "rules"
        parser = SemanticParser(whole, "sqlite", weights())
        before = {one.id: self._read(parser, one) for one in mine}
        for name, found in worth.items():
            words = None if is_rules else lists[name]
            concerned = [
                one
                for one in mine
                if (name in before[one.id].features if is_rules else words is None or words & _words(one.question))
            ]
            if not concerned:
                continue
            with standing_in(english() if is_rules else _without(english(), name)):
                grammar = GRAMMAR.without(name) if is_rules else GRAMMAR
                without = SemanticParser(whole if is_rules else self.catalog(), "sqlite", weights(), grammar)
                for one in concerned:
                    _add(found, before[one.id], self._read(without, one))

    def _read(self, parser: SemanticParser, question: Question) -> _Reading:
        found = parser.candidates(question.question, bare=not self.business)
        if not found:
            return _Reading()
        right = self.judge.verdict(question, found[0].sql)[self.business]
        return _Reading(frozenset(found[0].features), right, is_covered(found[0].features))


def _words(question: str) -> set[str]:
    return {token.low for token in tokenize(question)}


def _add(found: Worth, before: _Reading, after: _Reading) -> None:
    found.used += 1
    found.lost += before.right and not after.right
    found.gained += after.right and not before.right
    found.wrong += (before.covered and not before.right) - (after.covered and not after.right)


def _lists() -> dict[str, frozenset[str] | None]:
    """The lists of the lexicon: classes of phrases with their words, and others, whose words may stand in names."""
    classes: defaultdict[str, set[str]] = defaultdict(set)
    for words, meanings in english().phrases.items():
        for category, _ in meanings:
            classes[category].update(words)
    others = {field.name: None for field in fields(English) if field.name not in _DERIVED}
    return {**{name: frozenset(words) for name, words in sorted(classes.items())}, **others}


def _without(lexicon: English, name: str) -> English:
    """The lexicon without a class of phrases, or without another list."""
    if name in {field.name for field in fields(English)}:
        return replace(lexicon, **{name: type(getattr(lexicon, name))()})
    left = {words: tuple(m for m in meanings if m[0] != name) for words, meanings in lexicon.phrases.items()}
    return replace(lexicon, phrases={words: meanings for words, meanings in left.items() if meanings})
