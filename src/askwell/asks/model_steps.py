"""Stages that ask the language model: kind of question, columns, plan and SQL by one call, and which join is meant
where the semantic model leaves it open: as was answered, as the model says, or as a person has to be asked."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from askwell.asks.about.answer import answer_about
from askwell.asks.about.wording import name_words, wordings
from askwell.asks.citations import Citation, MarkedText
from askwell.asks.request import Clarification
from askwell.asks.stages import StageContext, attempted
from askwell.jobs.text_stream import TextStream
from askwell.mdl.join_graph import JoinEdge
from askwell.mdl.names import listed, readable
from askwell.mdl.semantic_model import SemanticModel, TableKind
from askwell.pipelines.generation.question import Intent, IntentReading, PromptPassage
from askwell.pipelines.generation.reading import JoinSaid, join_choices
from askwell.pipelines.retrieval.joins import JoinChoice, OpenJoin, open_joins, with_choices
from askwell.pipelines.retrieval.prepared import PreparedModel
from askwell.pipelines.retrieval.pruned_schema import pruned_context
from askwell.providers.llm.base import NoTextReply, UnfinishedReply, Usage
from askwell.providers.llm.call_options import with_thoughts
from askwell.question.about_data import asks_an_assistant
from askwell.semantic_parsing.choices import MOST
from askwell.semantic_parsing.translation import Abstention, Choice, RulesMode
from askwell.services.projects import ProjectModel
from askwell.sql.bindings import Bindings, equations_of

if TYPE_CHECKING:
    from askwell.pipelines.generation.sql_writing import Generated


class StreamedText:
    """What a model writes and thinks: Markdown, with its thoughts as a quotation before the words. Marks name the
    `passages` that the model was shown: others do not get into the stream."""

    def __init__(self, stream: TextStream, passages: Sequence[PromptPassage]) -> None:
        self._stream = stream
        self._thinking = False
        self._marked = MarkedText(passages, len(stream.text()) if passages else 0)

    @property
    def citations(self) -> tuple[Citation, ...]:
        """Of the marks in the stream, with their places in all of it."""
        return self._marked.citations

    def append(self, piece: str) -> None:
        """Words of the reply."""
        if self._thinking:
            self._thinking = False
            self._pass("\n\n")
        self._pass(piece)

    def think(self, piece: str) -> None:
        """A part of the model's own reasoning."""
        quoted = piece.replace("\n", "\n> ")
        self._pass(quoted if self._thinking else f"> {quoted}")
        self._thinking = True

    def end(self) -> None:
        """No more comes: what could have become a mark is none."""
        self._stream.append(self._marked.rest())

    def _pass(self, piece: str) -> None:
        self._stream.append(self._marked.add(piece))


@dataclass(frozen=True, slots=True)
class QuestionReading:
    """The kind of question, why it is that, and the question rewritten to stand alone; None where nobody rewrote it."""

    intent: Intent = Intent.TEXT_TO_SQL
    reasoning: str | None = None
    rephrased: str | None = None


# Evidence of the scope gate (`pipelines.retrieval.scope`) from which on a question is surely one to the data: three of
# four of Spider's have as much, and of 25 messages of `benchmarks/intent` no small talk has.
_PLAIN = 0.7


async def plain_reading(stage: StageContext, project: ProjectModel, mode: RulesMode) -> QuestionReading | None:
    """The kind of question where its wording says it without a model; None where the call that writes the SQL is to say
    it. A small model takes nearly everything for a question to the data: it is not asked about what is near to it."""
    question, found = stage.question.question, stage.fitted.found
    about = await asyncio.to_thread(answer_about, project, question, mode, only_sure=True)
    if about is not None:
        return QuestionReading(about.intent)
    speaks_of_it = asks_an_assistant(question) or not name_words().nouns.isdisjoint(question.lower().split())
    if stage.generation.generation.asking.style == "full" or stage.question.passages or speaks_of_it:
        return None
    is_plain = found.scope.evidence >= _PLAIN and next(wordings(question), None) is None
    return QuestionReading() if is_plain else None


async def understand(stage: StageContext) -> QuestionReading:
    """One call classifies and rewrites where the settings let it; else two at once. A call that fails is done without:
    then the question is one for SQL, as it was asked."""
    question, classifies = stage.question, stage.settings.allow_intent_classification
    rewrites_too = stage.settings.intent_mode == "standard"
    reading, rephrased = await asyncio.gather(
        _reading(stage) if classifies else _nothing(),
        _rewritten(stage) if question.histories and not (classifies and rewrites_too) else _nothing(),
    )
    if reading is None:
        return QuestionReading(rephrased=rephrased)
    if question.histories and rewrites_too:
        rephrased = reading.rephrased_question or question.question
    return QuestionReading(reading.intent, reading.reasoning or None, rephrased)


async def _reading(stage: StageContext) -> IntentReading | None:
    asking = stage.fitted.ask(lambda found: stage.generation.intent.run(stage.question, found))
    read = await attempted("intent", stage.ledger, stage.settings, asking)
    return read.value if read is not None else None


async def _rewritten(stage: StageContext) -> str | None:
    asking = stage.generation.reformulation.run(stage.question)
    written = await attempted("reformulation", stage.ledger, stage.settings, asking)
    return (written.value.strip() or None) if written is not None else None


async def _nothing() -> None:
    return None


logger = logging.getLogger(__name__)


async def leave_out_columns(stage: StageContext, prepared: PreparedModel) -> None:
    """Leaves the columns that the model says the question needs, and those that always stay, in what was found. A model
    that fails, or is late, or whose reply names nothing of the schema, leaves everything as it was. Where the whole
    model is shown there is nothing to choose, and nobody is asked."""
    found = stage.fitted.found
    if found.schema.is_whole:
        return
    asking = stage.generation.pruning.run(stage.question, found)
    if (choice := await attempted("column_pruning", stage.ledger, stage.settings, asking)) is None:
        return
    pruned = pruned_context(found, choice.value, prepared)
    if pruned is None:
        logger.warning("no columns were left out: the language model's reply names none of the schema")
        return
    stage.fitted.found = pruned


T = TypeVar("T")


@asynccontextmanager
async def beside(work: Coroutine[Any, Any, T], name: str) -> AsyncIterator[asyncio.Task[T]]:
    """Work that goes on beside the block, and has stopped when the block is left."""
    task = asyncio.create_task(work, name=name)
    try:
        yield task
    finally:
        if not task.done():
            task.cancel()
            await asyncio.wait([task])


async def write_at_once(
    stage: StageContext, text: StreamedText | None, on_plan: Callable[[], None], *, asks_intent: bool
) -> Generated:
    """What the call gives. The words of the plan go to `text`, where there is one; `on_plan` is called before the first
    of them. A model that refuses, or calls a tool, has written no SQL. Raises `ModelUnavailable`."""
    from askwell.pipelines.generation.sql_writing import Generated

    begun = False

    def on_delta(piece: str) -> None:
        nonlocal begun
        if not begun:
            begun = True
            on_plan()
        assert text is not None
        text.append(piece)

    heard = (on_delta, text.think) if text is not None else (None, None)
    generate = partial(
        stage.generation.generation.run,
        stage.question,
        asks_intent=asks_intent,
        asks_plan=text is not None,
        on_delta=heard[0],
    )
    with stage.ledger.stage("generation"), with_thoughts(heard[1]):
        try:
            answer = await stage.fitted.ask(lambda found: generate(context=found))
        except UnfinishedReply as error:
            stage.ledger.add(error.usage)
            raise
        except NoTextReply as error:
            answer = Generated(Intent.TEXT_TO_SQL, "", None, error.usage, error.message)
        except asyncio.CancelledError:
            stage.ledger.add(Usage(llm_calls=1))  # what it cost until then nobody tells
            raise
    if text is not None:
        text.end()
    stage.ledger.add(answer.usage)
    return replace(answer, usage=Usage())


# A join that is less probable by more than this is no rival of the best one.
_NEAR = 0.2


@dataclass(frozen=True, slots=True)
class ChosenJoins:
    """What a language model said of the joins, and what has to be asked back where it is not sure."""

    said: tuple[JoinSaid, ...] = ()
    unsure: Clarification | None = None


async def choose_joins(
    stage: StageContext, model: SemanticModel, said: Sequence[JoinSaid] | None = None
) -> ChosenJoins:
    """Puts what was answered, and then what a language model says of joins that are less sure than
    `confidence_threshold`, into what was found. What it `said` before is not asked again; nobody is asked where there
    is none, or where `allow_join_inference` is off. A model that fails or is late, or whose reply is of no use, leaves
    everything as it was."""
    bound = {equations_of(name, model) for name in stage.question.bindings.relationships}
    if bound:
        schema = stage.fitted.found.schema
        every = (one for pair in open_joins(schema.joins, schema.tables, 2.0) for one in pair.choices)
        meant = (one.edges for one in every if all(edge.equations in bound for edge in one.edges))
        _choose(stage, [JoinChoice(tuple(replace(edge, confidence=1.0) for edge in edges), 1.0) for edges in meant])
    pairs = _open(stage, model)
    if said is None:
        said = await _inferred(stage, pairs, model)
    choices = join_choices(said, pairs, model)
    _choose(stage, choices)
    required = stage.question.requirements
    needed = set(required.tables) if required is not None and required.joins_needed else set()
    about = {one.tables for one in choices}
    asked = (
        _which(pair, model, stage.settings.max_correction_attempts)
        for pair in _open(stage, model)
        if {pair.left, pair.right} == needed or about & {one.tables for one in pair.choices}
    )
    return ChosenJoins(tuple(said), next(filter(None, asked), None))


async def _inferred(stage: StageContext, pairs: Sequence[OpenJoin], model: SemanticModel) -> tuple[JoinSaid, ...]:
    if not pairs or not stage.settings.allow_join_inference:
        return ()
    asking = stage.generation.joins.run(stage.question, stage.fitted.found, pairs=pairs, model=model)
    inferred = await attempted("join_inference", stage.ledger, stage.settings, asking)
    return inferred.value if inferred is not None else ()


def _open(stage: StageContext, model: SemanticModel) -> tuple[OpenJoin, ...]:
    schema = stage.fitted.found.schema
    # Views and metrics are there to be used as they are.
    tables = [name for name in schema.tables if model.tables[name].kind is TableKind.MODEL]
    return open_joins(schema.joins, tables, stage.settings.confidence_threshold)


def _choose(stage: StageContext, choices: Sequence[JoinChoice]) -> None:
    found = stage.fitted.found
    stage.fitted.found = replace(found, schema=replace(found.schema, joins=with_choices(found.schema.joins, choices)))


def _which(pair: OpenJoin, model: SemanticModel, attempts: int) -> Clarification | None:
    """What has to be asked back where the most probable join has a rival; None where it has none."""
    ways = sorted(pair.choices, key=lambda one: -one.confidence)[:MOST]
    if len(ways) < 2 or ways[0].confidence - ways[1].confidence > _NEAR:
        return None
    labels = [_label(way, model) for way in ways]
    if len(set(labels)) < len(labels):
        labels = [way.condition for way in ways]
    choices = tuple(
        Choice(label, Bindings(relationships=tuple(map(_relationship, way.edges))), way.condition)
        for label, way in zip(labels, ways, strict=True)
    )
    ends = listed(model.tables[name].display_name or readable(name) for name in (pair.left, pair.right))
    message = f"{ends} can be joined in several ways. Which one do you mean?"
    return Clarification.of(Abstention("ambiguous_path", message, choices=choices), attempts)


def _label(way: JoinChoice, model: SemanticModel) -> str:
    """The column that refers, or the tables between."""
    if len(way.edges) > 1:
        return listed(readable(name) for name in sorted(way.tables - {way.edges[0].left, way.edges[-1].right}))
    edge = way.edges[0]
    here, there = edge.pairs[0]
    return readable(here if there in model.tables[edge.right].primary_key else there)


def _relationship(edge: JoinEdge) -> str:
    """As `Bindings` have it."""
    pairs = (f'"{edge.left}"."{here}" = "{edge.right}"."{there}"' for here, there in edge.pairs)
    return edge.role or " AND ".join(pairs)
