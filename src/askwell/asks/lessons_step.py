"""What a project has learnt, as one question needs it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from askwell.knowledge.lessons import Lesson, Lessons
from askwell.knowledge.questions import normalise_question
from askwell.mdl.semantic_model import SemanticModel
from askwell.pipelines.retrieval.lesson_words import bearing_on
from askwell.question.stems import Stems
from askwell.semantic_parsing.taught import Meant, Taught, key_of
from askwell.semantic_parsing.translation import Abstention, Translation, Turn
from askwell.services.lessons.checking import in_words, meant_by, shortened
from askwell.services.rules_translation import Rules, translated
from askwell.sql.bindings import FREE, Bindings


@dataclass(frozen=True)
class AppliedLessons:
    """The lessons that bear on a question. `taught` are the words that rules are told the meaning of, `by_words` the
    lesson that each comes from; `by_error` says what mended an error before, by its normal form."""

    lessons: tuple[Lesson, ...] = ()
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
            prefix = one.body.get("transformation_rule", {}).get("add_prefix", "").lower()
            for table in model if prefix else ():
                if table.name.lower().startswith(prefix) and (
                    key := key_of(table.name[len(prefix) :].replace("_", " "))
                ):
                    taught[key], by_words[key] = Meant(table.name), one
        said = {key_of(one.body["said"]): (meant, one) for one in found if (meant := meant_by(one, model)) is not None}
        by_words |= {key: one for key, (_, one) in said.items()}
        there = tuple(one for one in found if "said" not in one.body or key_of(one.body["said"]) in said)
        errors = (one for one in lessons.values() if one.kind == "error_pattern" and one.status == "active")
        by_error = {normalise_question(one.body["error_like"]): one for one in errors}
        return cls(there, taught | {key: meant for key, (meant, _) in said.items()}, by_words, by_error)

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
            reading = translated(rules, question, bound, before, self.taught)
            known = self.answer_to(reading) if isinstance(reading, Abstention) else None
            if known is None or known[1] in answering:
                return reading, answering
            bound, answering = bound.merged(known[0], model), (*answering, known[1])

    def behind(self, words: Iterable[str]) -> tuple[Lesson, ...]:
        """The lessons that say what these words of the question mean."""
        found = {one.id: one for said in words if (one := self.by_words.get(key_of(said))) is not None}
        return tuple(found.values())

    @property
    def told(self) -> tuple[str, ...]:
        """Each in words, for a language model."""
        return tuple(map(in_words, self.lessons))
