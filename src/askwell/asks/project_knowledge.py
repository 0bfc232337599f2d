"""What a project has saved that bears on a question: lessons, passages of documents, instructions."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

from askwell.asks.citations import Citation, citation_of
from askwell.asks.overview import without_keys
from askwell.asks.stages import Ledger
from askwell.documents.chunking import sentences_of
from askwell.errors import AskwellError
from askwell.knowledge.lessons import Lesson, Lessons, LessonStatus
from askwell.knowledge.questions import normalise_question
from askwell.mdl.semantic_model import Column, SemanticModel, Table
from askwell.pipelines.generation.question import PromptPassage
from askwell.pipelines.passages.search import FoundPassage, PassageSearch
from askwell.pipelines.retrieval.context import InstructionText
from askwell.pipelines.retrieval.lessons import MOST, bearing_on
from askwell.pipelines.retrieval.model_text import estimated_tokens
from askwell.pipelines.retrieval.prepared import PreparedModel
from askwell.providers.document_store.words import terms
from askwell.question.words import Stems
from askwell.resources import words_file
from askwell.semantic_parsing.notes import AS_SAID
from askwell.semantic_parsing.reader import QuestionReader
from askwell.semantic_parsing.taught import Meant, Taught, key_of
from askwell.semantic_parsing.translation import Abstention, Assumption, Translation, Turn
from askwell.services.lessons.checking import in_words, meant_by, shortened
from askwell.services.rules_translation import translated
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
        rules: QuestionReader,
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
    def texts(self) -> tuple[str, ...]:
        """Each in words, for a language model."""
        return tuple(map(in_words, (*self.lessons, *self.proposals)))


logger = logging.getLogger(__name__)

_MOST = 5
_MOST_TOKENS = 1_500
_CHARACTERS = 4  # of a token, as `estimated_tokens` counts
# Of the window of a language model, what passages take at most: the schema and the rules are more.
_SHARE_OF_WINDOW = 0.125
_SECONDS = 10.0
_LONGEST_QUOTE = 200
# Of a title or a place in a document: both are given by its author.
_LONGEST_NAME = 200
# What is not seen and can stand inside of a tag: soft hyphens, spaces of no width, marks of direction, tag characters.
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f]")
# Without a language model nobody looks whether a passage answers: it has to be this probable. Of questions that no
# passage answered 74 and 80 of 100 found none then (docs/passages.md).
_SURE = 0.5


async def passages_for(
    project_id: str, question: str, search: PassageSearch, ledger: Ledger, *, seconds: float, window: int | None
) -> tuple[PromptPassage, ...]:
    """The passages that may answer the question, fit for prompts; none, with a warning, where they cannot be searched
    within `seconds`. `window` is how many tokens the language model reads at once, where there is one."""
    with ledger.stage("passages"):
        try:
            async with asyncio.timeout(min(seconds, _SECONDS)):
                found = await search.run(project_id, question, top_k=_MOST)
        except (AskwellError, TimeoutError) as error:
            logger.warning("documents were not searched", extra={"error": type(error).__name__})
            why = error.message if isinstance(error, AskwellError) else "The search took too long."
            ledger.warn(f"The documents of this project were not searched. {why}")
            return ()
    room = _MOST_TOKENS if window is None else min(_MOST_TOKENS, int(window * _SHARE_OF_WINDOW))
    return fitted(found, question, room)


def fitted(found: Sequence[FoundPassage], question: str, tokens: int = _MOST_TOKENS) -> tuple[PromptPassage, ...]:
    """Those of the passages that have room in so many tokens, numbered from 1; the first one in any case, cut."""
    shown: list[PromptPassage] = []
    for one in found:
        text = _INVISIBLE.sub("", one.passage.text)
        if not shown:
            text = text[: tokens * _CHARACTERS]
        size = estimated_tokens(text)
        if size > tokens:
            continue
        tokens -= size
        shown.append(
            PromptPassage(
                number=len(shown) + 1,
                document_id=one.passage.document_id,
                title=_in_one_line(one.title),
                locator=_in_one_line(one.passage.locator),
                text=text,
                quote=_quote(text, question),
                score=one.score,
            )
        )
    return tuple(shown)


def quoted(passages: Sequence[PromptPassage]) -> tuple[str, tuple[Citation, ...]]:
    """An answer that nobody wrote, in Markdown, with its citations: what the passages say that probably answer. ""
    where none does."""
    text = ""
    citations: list[Citation] = []
    for one in passages:
        if one.score < _SURE:
            continue
        text += "\n\n" if text else "No table answers this. These passages of your documents may:\n\n"
        text += f"> {_in_one_line(one.quote, _LONGEST_QUOTE)} "
        mark = f"[{one.number}]"
        citations.append(citation_of(one, len(text), len(text) + len(mark)))
        text += f"{mark}\n>\n> {', '.join(filter(None, (one.title, one.locator)))}"
    return text, tuple(citations)


def _quote(text: str, question: str) -> str:
    """The sentence that shares most words with the question, the first of several."""
    asked = set(terms(question))
    sentences = sentences_of(text) or [text]
    best = max(sentences, key=lambda sentence: len(asked.intersection(terms(sentence))))
    return best if len(best) <= _LONGEST_QUOTE else f"{best[: _LONGEST_QUOTE - 1].rstrip()}…"


def _in_one_line(text: str, longest: int = _LONGEST_NAME) -> str:
    return " ".join(_INVISIBLE.sub("", text).split())[:longest]


_NUMBER = re.compile(r"INT|DEC|NUM|DOUB|REAL|FLOAT|MONEY", re.IGNORECASE)
_YEAR = re.compile(r"\b(19|20)\d\d\b")


def instructions_that_matter(
    instructions: Iterable[InstructionText], question: str, sql: str, prepared: PreparedModel, *, has_model: bool = True
) -> tuple[str, ...]:
    """The texts of the instructions that say something about this answer: those that are saved for such questions
    (without a model, which could follow them, only where they or their questions share a word as below), and of those
    for all questions the ones that share a word with the question, or with the names of the tables and columns that
    `sql` reads, or are about times, figures or rows where the answer is. Takes a millisecond or two: call it on a
    thread."""
    chosen = list(instructions)
    if not chosen:
        return ()
    model, words = prepared.model, prepared.scope_words
    read = [
        (table, names) for name, names in (prepared.columns_of_sql(sql) or {}).items() if (table := model.table(name))
    ]
    columns = [column for table, names in read for name in names if (column := table.column(name))]
    figures = any(
        _NUMBER.search(column.type)
        for table, names in read
        for column in without_keys(table, model)
        if column.name in names
    )
    named: list[Table | Column] = [*columns, *(table for table, _ in read)]
    about = words.telling(question) | words.telling(" ".join(name for one in named for name in _names(one)))
    topics = _topics_of(question, figures=figures)

    def matters(one: InstructionText) -> bool:
        telling, spelled = words.telling(one.text), _words(one.text)
        if not one.is_default:
            # Found by similarity alone, it may be about something else: the caller would be warned of nothing.
            return has_model or bool(words.telling(" ".join((one.text, *one.questions))) & about)
        if telling & about or any(spelled & topic for topic in topics):
            return True
        return not telling & words.names and bool(spelled & _topics()["rows"])

    return tuple(one.text for one in chosen if matters(one))


def _topics_of(question: str, *, figures: bool) -> list[frozenset[str]]:
    """The words of instructions that are about what this answer is about."""
    topics = _topics()
    found = [topics["figures"]] if figures else []
    if _words(question) & topics["times"] or _YEAR.search(question):
        found.append(topics["times"])
    return found


def _names(one: Table | Column) -> Iterable[str]:
    return (one.name, one.display_name or "", *one.synonyms)


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[^\W\d_]+", text.lower()))


@cache
def _topics() -> dict[str, frozenset[str]]:
    listed = words_file("askwell.asks", "instructions.yaml")
    return {topic: frozenset(words.split()) for topic, words in listed.items()}
