"""What a project has learnt, as one question needs it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from askwell.knowledge.lessons import Lesson, Lessons, LessonStatus
from askwell.knowledge.questions import normalise_question
from askwell.mdl.semantic_model import SemanticModel
from askwell.pipelines.retrieval.lesson_words import MOST, bearing_on
from askwell.question.stems import Stems
from askwell.semantic_parsing.notes import AS_SAID
from askwell.semantic_parsing.taught import Meant, Taught, key_of
from askwell.semantic_parsing.translation import Abstention, Assumption, Translation, Turn
from askwell.services.lessons.checking import in_words, meant_by, shortened
from askwell.services.rules_translation import Rules, translated
from askwell.sql.bindings import FREE, Bindings

# Lessons that language models are told; the later ones count before the others.
_TOLD: tuple[LessonStatus, ...] = ("candidate", "active")
# What is said of words whose meaning nobody has said.
_LEARNT = {"accepted": "as was confirmed", "verified": "as in answers that were confirmed"}


@dataclass(frozen=True)
class AppliedLessons:
    """The lessons that bear on a question, and the `proposals`, which only language models are told. `taught` are the
    words that rules are told the meaning of, `by_words` the lesson that each comes from; `by_error` says what mended an
    error before, by its normal form."""

    lessons: tuple[Lesson, ...] = ()
    proposals: tuple[Lesson, ...] = ()
    taught: Taught = field(default_factory=dict)
    by_words: Mapping[Stems, Lesson] = field(default_factory=dict)
    by_error: Mapping[str, Lesson] = field(default_factory=dict)

    @classmethod
    def to(cls, question: str, lessons: Lessons, model: SemanticModel) -> AppliedLessons:
        """Those of a project's lessons that bear on the question. What they say of names that the model has not any
        more is left out."""
        found = bearing_on(question, lessons.values())
        taught: dict[Stems, Meant] = {}
        by_words: dict[Stems, Lesson] = {}
        for one in found:
            rule = one.body.get("transformation_rule", {})
            prefix = rule.get("add_prefix", "").lower() if len(rule) == 1 else ""
            for table in model if prefix else ():
                key = key_of(table.name[len(prefix) :].replace("_", " "))
                if key and table.name.lower().startswith(prefix):
                    taught[key], by_words[key] = Meant(table.name), one
        said = {key_of(one.body["said"]): (meant, one) for one in found if (meant := meant_by(one, model)) is not None}
        by_words |= {key: one for key, (_, one) in said.items()}
        there = tuple(one for one in found if "said" not in one.body or key_of(one.body["said"]) in said)
        settled = {one.about for one in found}
        proposals = [
            one
            for one in bearing_on(question, lessons.values(), "candidate")
            if one.about not in settled and ("said" not in one.body or meant_by(one, model) is not None)
        ]
        errors = [one for one in lessons.values() if one.kind == "error_pattern" and one.status in _TOLD]
        in_turn = sorted(errors, key=lambda one: _TOLD.index(one.status))
        by_error = {normalise_question(one.body["error_like"]): one for one in in_turn}
        taught |= {key: meant for key, (meant, _) in said.items()}
        return cls(there, tuple(proposals[: MOST - len(there)]), taught, by_words, by_error)

    def answer_to(self, abstention: Abstention) -> tuple[Bindings, Lesson] | None:
        """What a lesson says to the question that rules would ask back, and that lesson; None where none does."""
        key = key_of(abstention.words[0]) if abstention.words else ()
        if key not in self.taught:
            return None
        for choice in abstention.choices:
            if (*choice.bindings.tables, *choice.bindings.columns) == (self.taught[key].target,):
                return choice.bindings, self.by_words[key]
        return None

    def on(self, error: str) -> Lesson | None:
        """What mended this error before."""
        return self.by_error.get(normalise_question(shortened(error)))

    def read(
        self,
        rules: Rules,
        question: str,
        model: SemanticModel,
        *,
        bound: Bindings = FREE,
        before: Sequence[Turn] = (),
    ) -> tuple[Translation | Abstention, tuple[Lesson, ...]]:
        """What rules read in the question, and the lessons that answered what they would have asked back. Takes up to
        half a second for each of these: call it on a thread."""
        answering: tuple[Lesson, ...] = ()
        while True:
            reading = self._worded(translated(rules, question, bound, before, self.taught))
            known = self.answer_to(reading) if isinstance(reading, Abstention) else None
            if known is None or known[1] in answering:
                return reading, answering
            bound, answering = bound.merged(known[0], model), (*answering, known[1])

    def _worded(self, reading: Translation | Abstention) -> Translation | Abstention:
        """The reading, which calls nothing said that nobody has said."""
        if isinstance(reading, Translation):
            reading = replace(reading, assumptions=tuple(map(self._told_as, reading.assumptions)))
        return reading

    def _told_as(self, one: Assumption) -> Assumption:
        lesson = self.by_words.get(key_of(one.said))
        words = _LEARNT.get(lesson.origin) if lesson is not None else None
        return replace(one, text=f"{one.text.removesuffix(AS_SAID)}, {words}.") if words else one

    def behind(self, words: Iterable[str]) -> tuple[Lesson, ...]:
        """The lessons that say what these words of the question mean."""
        found = {one.id: one for said in words if (one := self.by_words.get(key_of(said))) is not None}
        return tuple(found.values())

    @property
    def told(self) -> tuple[str, ...]:
        """Each in words, for a language model."""
        return tuple(map(in_words, (*self.lessons, *self.proposals)))
