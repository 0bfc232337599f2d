"""What lessons are worth, and whether they do harm (`askwell eval lessons`).

Questions that the rules answer rightly are asked in the words of a house: what names one table or column of each gives
way to an invented word, the same in all questions of a database. Those that are asked back are answered, as a person
would; what the service learns of that is held against the same questions, against the questions as they were, and
against poisoned lessons.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from askwell.asks.corrections import Correction, understood
from askwell.asks.learning import from_answers
from askwell.asks.project_knowledge import AppliedLessons
from askwell.asks.request import Clarification
from askwell.errors import InvalidRequest
from askwell.knowledge.lessons import Lesson
from askwell.knowledge.models import StoredModel
from askwell.mdl.manifest import canonical_json, content_hash
from askwell.mdl.semantic_model import ColumnRef
from askwell.providers.engine.factory import create_engine
from askwell.question.tokens import tokenize
from askwell.question.words import plurals
from askwell.semantic_parsing.model.catalog import Catalog, Target
from askwell.semantic_parsing.parser import SemanticParser
from askwell.semantic_parsing.reader import QuestionReader
from askwell.semantic_parsing.taught import key_of
from askwell.semantic_parsing.translation import Abstention, RulesMode, Translation
from askwell.semantic_parsing.trust import weights
from askwell.services.database import Database
from askwell.services.lessons import merging
from askwell.services.lessons.checking import new_lesson, read_form
from askwell.services.projects import ProjectModel, build
from askwell.sql.bindings import FREE, Bindings, Meaning
from askwell_evaluation.clarification import small_databases
from askwell_evaluation.databases import Judge, SqliteReader, drafted_model
from askwell_evaluation.house_words import POISONS, Poison, house_name, in_house_words, named_in, poisons
from askwell_evaluation.questions import Question
from askwell_evaluation.report import Report, ratio, say
from askwell_evaluation.rules import READING_SECONDS

POISONED = 50
_MOST_ATTEMPTS = 3

Outcome = Literal["right", "asked_back", "wrong", "refused"]
_OUTCOMES: tuple[Outcome, ...] = ("right", "asked_back", "wrong", "refused")


@dataclass(slots=True)
class _Counts:
    """`first` and `second` are outcomes of the questions in house words, without lessons and with them; `poisoned`
    lessons were taught, of which some were `refused`, by their kind. `all` counts the rest: of the questions that were
    asked back first, `told` were told the meaning and `corrected` were right then; of these `asked_again` are asked
    back in the second pass, and `lost` are not right. Of the questions as they were, `originals_changed` get another
    answer with the lessons, and `originals_broken` a wrong one. With poisoned lessons that were not refused
    `poisoned_changed` of `poisoned_asked` answers to questions without their words are other ones."""

    all: Counter[str] = field(default_factory=Counter)
    first: Counter[str] = field(default_factory=Counter)
    second: Counter[str] = field(default_factory=Counter)
    poisoned: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)

    def figures(self) -> dict[str, Any]:
        """The counts and their rates."""
        every = self.all
        return {
            "questions": every["questions"],
            "databases": every["databases"],
            "lessons": every["lessons"],
            "first": {one: self.first[one] for one in _OUTCOMES},
            "told": every["told"],
            "corrected": every["corrected"],
            "second": {one: self.second[one] for one in _OUTCOMES},
            "asked_again": every["asked_again"],
            "asked_again_rate": ratio(every["asked_again"], every["corrected"]),
            "corrected_and_not_right": every["lost"],
            "originals_changed": every["originals_changed"],
            "originals_broken": every["originals_broken"],
            "poisoned": {kind: {"taught": self.poisoned[kind], "refused": self.refused[kind]} for kind in POISONS},
            "poisoned_refused": self.refused.total(),
            "poisoned_asked": every["poisoned_asked"],
            "poisoned_changed": every["poisoned_changed"],
        }


def _lines(figures: Mapping[str, Any]) -> list[str]:
    poisoned = figures["poisoned"].items()
    by_kind = ", ".join(f"{kind} {counts['refused']} of {counts['taught']}" for kind, counts in poisoned)
    return [
        f"{figures['questions']} questions of {figures['databases']} databases, in words of the house",
        f"{'':<24}{'right':>8}{'asked back':>12}{'wrong':>8}{'refused':>9}",
        _row("without lessons", figures["first"]),
        _row(f"with {figures['lessons']} lessons", figures["second"]),
        f"{figures['told']} were told what it means, {figures['corrected']} were right then; of these with lessons "
        f"{figures['asked_again']} are asked back again ({figures['asked_again_rate']:.1%}), "
        f"{figures['corrected_and_not_right']} are not right",
        f"the questions as they were: {figures['originals_changed']} answers changed, "
        f"{figures['originals_broken']} to wrong",
        f"{sum(counts['taught'] for _, counts in poisoned)} poisoned lessons: {figures['poisoned_refused']} refused "
        f"({by_kind})",
        f"  of {figures['poisoned_asked']} answers to questions without their words {figures['poisoned_changed']} "
        "changed",
    ]


def _row(name: str, counts: Mapping[str, int]) -> str:
    right, asked, wrong, refused = (counts[one] for one in _OUTCOMES)
    return f"{name:<24}{right:>8}{asked:>12}{wrong:>8}{refused:>9}"


@dataclass(frozen=True, slots=True)
class _HouseQuestion:
    """`asked` has the question as it was, `text` says `name`, in either number, for `target`."""

    asked: Question
    text: str
    name: str
    target: Target


def run_lessons(
    questions: Path,
    databases: Path,
    *,
    count: int = 200,
    seed: int = 0,
    split: str = "all",
) -> Report:
    """Ask `count` questions in house words. `questions` and `databases` as `run_rules` takes them. Raises
    `InvalidRequest` for files that cannot be read."""
    if count < 1:
        raise InvalidRequest("--count has to be at least 1.", "200 gives bounds of some 4 points.")
    rng, counts = random.Random(seed), _Counts()
    found = small_databases(questions, databases, split, rng)
    each = max(1, -(-count // max(1, len(found)))) * 2
    houses: list[_House] = []
    try:
        for path, mine in found.items():
            if (left := count - counts.all["questions"]) <= 0:
                break
            house = _House(path, seed)
            houses.append(house)
            house.move_in(mine, min(each, left), rng)
            house.learn(counts)
            say(f"{path.stem}: {counts.all['questions']} questions")
        _poison([house for house in houses if house.questions], rng, counts)
    finally:
        for house in houses:
            house.close()
    figures = counts.figures()
    return Report(figures, _lines(figures), failures=counts.failures)


class _House:
    """One database as one project of a service, with the words of its house and what is learnt of them."""

    def __init__(self, path: Path, seed: int) -> None:
        drafted, values = drafted_model(path, None)
        text, digest = canonical_json(drafted.manifest), content_hash(drafted.manifest)
        stored = StoredModel(path.stem, digest, digest, text, values, (), datetime.now(UTC))
        self.project: ProjectModel = build(stored, Database(create_engine("sqlite", path)))
        self.catalog = Catalog.of(self.project.model, self.project.values)
        self.questions: list[_HouseQuestion] = []
        self.lessons: dict[str, Lesson] = {}
        self.names: dict[str, Target] = {}
        self._reader, self._seed = SqliteReader(path, READING_SECONDS), seed
        self._judge = Judge(self._reader, drafted)
        self._parser = SemanticParser(self.catalog, "sqlite", weights())

    @property
    def rules(self) -> QuestionReader:
        """The reader of the project. Raises `InvalidRequest` where there is none."""
        if self.project.rules is None:
            raise InvalidRequest(f"The rules cannot read {self.project.project_id}.", "Leave it out.")
        return self.project.rules

    def close(self) -> None:
        """Release the file."""
        self._reader.close()

    def move_in(self, rows: Iterable[Question], most: int, rng: random.Random) -> None:
        """Take `most` questions that are answered rightly, with a house name in place of what one of them names."""
        self.questions.extend(islice(self._in_house_words(rows, rng), most))

    def _in_house_words(self, rows: Iterable[Question], rng: random.Random) -> Iterator[_HouseQuestion]:
        for row in rows:
            reading = self.rules.translate(row.question)
            if not isinstance(reading, Translation) or self.outcome(row, reading) != "right":
                continue
            first = self._parser.parse(row.question, bare=False).candidates[0]
            named = list(named_in(first))
            for one in rng.sample(named, len(named)):
                name = self._name_of(one.target)
                if (text := in_house_words(row.question, one, name)) is not None:
                    self.names[name] = one.target
                    yield _HouseQuestion(row, text, name, one.target)
                    break

    def _name_of(self, target: Target) -> str:
        known = next((name for name, meant in self.names.items() if meant == target), None)
        return known or house_name(self._seed, self.catalog, self.names, f"{self.project.project_id} {target}")

    def outcome(self, asked: Question, reading: Translation | Abstention) -> Outcome:
        """What came of a question."""
        if isinstance(reading, Abstention):
            return "asked_back" if reading.asks_back else "refused"
        if not reading.answers_in(RulesMode.BALANCED):
            return "refused"
        return "right" if self._judge.verdict(asked, reading.sql)[1] else "wrong"

    def read(self, text: str, lessons: dict[str, Lesson], bound: Bindings = FREE) -> Translation | Abstention:
        """What the service makes of a question with these lessons, up to asking back."""
        applied = AppliedLessons.to(text, lessons, self.project.model)
        reading, _ = applied.read(self.rules, text, self.project.model, bound=bound)
        if isinstance(reading, Abstention) and not reading.asks_back:
            return self.rules.asking_back(text, reading, bound=bound, taught=applied.taught)
        return reading

    def learn(self, counts: _Counts) -> None:
        """Ask, tell, learn, and ask again."""
        corrected = set[int]()
        for number, one in enumerate(self.questions):
            reading = self.read(one.text, {})
            outcome = self.outcome(one.asked, reading)
            counts.first[outcome] += 1
            if outcome != "right":
                counts.failures.append(f"{outcome}, {one.name} is {one.target}: {one.text}")
            if outcome in ("right", "wrong") or not isinstance(reading, Abstention):
                continue
            if outcome == "asked_back":
                after, meanings = self._answered(one, reading)
            else:  # a word that nothing is near to is taught
                meanings = (Meaning(one.name, one.target),)
                after = self.read(one.text, {}, Bindings(meanings=meanings))
            counts.all["told"] += bool(meanings)
            if (outcome := self.outcome(one.asked, after)) in ("right", "wrong"):
                remembered = [replace(meaning, remembered=True) for meaning in meanings]
                self._keep(
                    replace(lesson, sources=(one.asked.id,)) for lesson in from_answers(remembered, self.project)
                )
            if outcome == "right":
                corrected.add(number)
            else:
                counts.failures.append(f"{outcome} once told, {one.name} is {one.target}: {one.text}")
        counts.all["corrected"] += len(corrected)
        counts.all["lessons"] += len(self.lessons)
        counts.all["questions"] += len(self.questions)
        counts.all["databases"] += bool(self.questions)
        for number, one in enumerate(self.questions):
            self._again(one, counts, was_corrected=number in corrected)

    def _keep(self, new: Iterable[Lesson]) -> None:
        for key, lesson in merging.learning(self.lessons, new).items():
            if lesson is not None:
                self.lessons[key] = lesson

    def _answered(self, one: _HouseQuestion, given: Abstention) -> tuple[Translation | Abstention, tuple[Meaning, ...]]:
        """What is read once a person has answered what the house name means, and these meanings."""
        bound, is_answered = FREE, False
        reading: Translation | Abstention = given
        while isinstance(reading, Abstention):
            asked = Clarification.of(reading, _MOST_ATTEMPTS)
            if (
                asked is None
                or is_answered
                or asked.said is None
                or not set(key_of(one.name)) <= set(key_of(asked.said))
            ):
                break
            answer = understood(asked, _answer(asked, one.target), self.project.model)
            if answer is None:
                break
            is_answered, bound = True, bound.merged(answer, self.project.model)
            reading = self.read(one.text, {}, bound)
        return reading, bound.meanings

    def _again(self, one: _HouseQuestion, counts: _Counts, *, was_corrected: bool) -> None:
        outcome = self.outcome(one.asked, self.read(one.text, self.lessons))
        counts.second[outcome] += 1
        counts.all["asked_again"] += was_corrected and outcome == "asked_back"
        if was_corrected and outcome != "right":
            counts.all["lost"] += 1
            counts.failures.append(f"{outcome} with lessons, {one.name} is {one.target}: {one.text}")
        before, after = (self.read(one.asked.question, lessons) for lessons in ({}, self.lessons))
        counts.all["originals_changed"] += before != after
        counts.all["originals_broken"] += self.outcome(one.asked, after) == "wrong"

    def keep_poisoned(self, some: Iterable[Poison], counts: _Counts) -> list[Poison]:
        """Teach what should not be taught, as a person who may; what was not refused."""
        kept = []
        for one in some:
            counts.poisoned[one.kind] += 1
            try:
                self._keep([new_lesson(read_form(_form(one)), self.project, "manual")])
            except InvalidRequest:
                counts.refused[one.kind] += 1
            else:
                kept.append(one)
        return kept


def _answer(asked: Clarification, target: Target) -> Correction:
    """The option that names the target, or else its name."""
    for option in asked.options:
        if (*option.bindings.tables, *option.bindings.columns) == (target,):
            return Correction("choice", option.id)
    return Correction("text", str(target))


def _form(poison: Poison) -> dict[str, Any]:
    if isinstance(poison.target, ColumnRef):
        return {"kind": "column_mapping", "body": {"said": poison.words, "column": str(poison.target)}}
    return {"kind": "table_mapping", "body": {"said": poison.words, "table": poison.target}}


def _poison(houses: Sequence[_House], rng: random.Random, counts: _Counts) -> None:
    """Teach poisoned lessons, to one project after the other, and see what changes where their words do not stand."""
    clean = {id(house): dict(house.lessons) for house in houses}
    for number, house in enumerate(houses):
        share = POISONED // len(houses) + (number < POISONED % len(houses))
        source = poisons(house.catalog, house.names, rng, first=number * share)
        kept = house.keep_poisoned(islice(source, share), counts)
        texts = [text for one in house.questions for text in (one.text, one.asked.question)]
        for text in texts if kept else ():
            if any(_has(text, one.words) for one in kept):
                continue
            counts.all["poisoned_asked"] += 1
            before, after = (house.read(text, lessons) for lessons in (clean[id(house)], house.lessons))
            if before != after:
                counts.all["poisoned_changed"] += 1
                counts.failures.append(f"changed by {[one.words for one in kept]}: {text}")


def _has(text: str, phrase: str) -> bool:
    """Whether a text has these words next to each other, in either number, by letters and not as lessons do it."""
    words, wanted = ([token.low for token in tokenize(one)] for one in (text, phrase))
    forms = [{one, *plurals(one)} for one in wanted]
    return any(
        all(word in form for word, form in zip(words[place:], forms, strict=False))
        for place in range(len(words) - len(forms) + 1)
    )
