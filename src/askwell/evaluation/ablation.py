"""What each rule of the grammar, and each list of the lexicon, is worth: questions are read again without it
(`askwell eval rules --ablate`)."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import Any

from askwell.evaluation.reading_candidates import Asked, Judge, model_of, read_asked
from askwell.evaluation.text2sql import read_spider_tables
from askwell.question.lexicon import English, english, standing_in
from askwell.question.tokens import tokenize
from askwell.semantic_parsing.coverage import is_covered
from askwell.semantic_parsing.grammar import GRAMMAR
from askwell.semantic_parsing.model.catalog import Catalog
from askwell.semantic_parsing.parser import SemanticParser
from askwell.semantic_parsing.scoring import weights

# Fields of the lexicon that follow from others.
_DERIVED = frozenset({"phrases", "longest", "everywhere", "function_words", "nouns"})
Progress = Callable[[str], None]


@dataclass(slots=True)
class Worth:
    """`used`: questions that were read again. Without the part `lost` are no longer right and `gained` are; `wrong` are
    wrong readings that the gate lets through only with it (negative: only without)."""

    used: int = 0
    lost: int = 0
    gained: int = 0
    wrong: int = 0


@dataclass(frozen=True, slots=True)
class AblationReport:
    """The worth of each part by its name."""

    questions: int
    worth: Mapping[str, Worth]

    def as_json(self) -> dict[str, Any]:
        """One object, JSON-ready."""
        parts = {
            name: {field.name: getattr(worth, field.name) for field in fields(worth)}
            for name, worth in self.worth.items()
        }
        return {"questions": self.questions, "parts": parts}

    def as_table(self) -> str:
        """The parts, those that are worth most first."""
        ranked = sorted(self.worth.items(), key=lambda pair: (pair[1].gained - pair[1].lost, -pair[1].used))
        lines = [f"{self.questions} questions", f"{'used':>6} {'lost':>6} {'gained':>7} {'wrong':>6}  without"]
        lines += [f"{w.used:>6} {w.lost:>6} {w.gained:>7} {w.wrong:>6}  {name}" for name, w in ranked]
        unused = sum(not worth.used for worth in self.worth.values())
        return "\n".join([*lines, f"{len(self.worth)} in all, {unused} of no use to any first reading"])


@dataclass(frozen=True, slots=True)
class _Reading:
    """The first reading of a question, and whether it is right and lets the gate pass."""

    features: frozenset[str]
    right: bool
    covered: bool


def run_ablation(
    part: str, questions: Path, databases: Path, *, limit: int | None, seed: int, split: str, progress: Progress
) -> AblationReport:
    """Read the questions without each rule, or each list, that their first reading may rest on.

    `questions` are those of a benchmark (with `tables.json` beside them, where there is one), or of business users,
    whose gold SQL is a list; `databases` is the folder of `<db_id>.sqlite`. Raises `OSError` for files that cannot be
    read.
    """
    with questions.open(encoding="utf-8") as lines:
        business = isinstance(json.loads(next(lines))["sql"], list)
    asked = read_asked(questions, business=business, split=split, limit=limit, seed=seed)
    spider = {} if business else read_spider_tables(questions.parent)
    by_database: defaultdict[str, list[Asked]] = defaultdict(list)
    for one in asked:
        by_database[one.db_id].append(one)
    names = GRAMMAR.names if part == "rules" else list(_lists())
    worth = {name: Worth() for name in names}
    for number, (db_id, mine) in enumerate(sorted(by_database.items()), 1):
        path = databases / f"{db_id}.sqlite"
        drafted, values = model_of(path, spider.get(db_id))
        with closing(Judge(path, drafted)) as judge:
            _compare(part, partial(Catalog.of, drafted.model, values), mine, judge, worth)
        progress(f"{number} of {len(by_database)} databases")
    return AblationReport(len(asked), worth)


def _compare(
    part: str, catalog_of: Callable[[], Catalog], mine: Sequence[Asked], judge: Judge, worth: Mapping[str, Worth]
) -> None:
    """Add what the parts are worth to the questions of one database."""
    whole = catalog_of()
    parser = SemanticParser(whole, "sqlite", weights())
    before = {one.id: _read(parser, one, judge) for one in mine}
    for name, told in worth.items():
        words = _lists()[name] if part == "lexicon" else None
        concerned = [
            one
            for one in mine
            if (name in before[one.id].features if part == "rules" else words is None or words & _words(one.question))
        ]
        if not concerned:
            continue
        with standing_in(_without(english(), name) if part == "lexicon" else english()):
            grammar = GRAMMAR.without(name) if part == "rules" else GRAMMAR
            without = SemanticParser(whole if part == "rules" else catalog_of(), "sqlite", weights(), grammar)
            for one in concerned:
                _add(told, before[one.id], _read(without, one, judge))


def _words(question: str) -> set[str]:
    return {token.low for token in tokenize(question)}


def _add(told: Worth, before: _Reading, after: _Reading) -> None:
    told.used += 1
    told.lost += before.right and not after.right
    told.gained += after.right and not before.right
    told.wrong += (before.covered and not before.right) - (after.covered and not after.right)


def _read(parser: SemanticParser, asked: Asked, judge: Judge) -> _Reading:
    found = parser.candidates(asked.question, bare=not asked.business)
    if not found:
        return _Reading(frozenset(), False, False)
    right, _ = judge.verdict(asked, found[0].sql)
    return _Reading(frozenset(found[0].features), right, is_covered(found[0].features))


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
