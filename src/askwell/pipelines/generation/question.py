"""What every generation pipeline is told about the question, and what the pipelines give back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from askwell.providers.llm.base import Usage
from askwell.sql.bindings import FREE, Bindings


@dataclass(frozen=True, slots=True)
class HistoryTurn:
    """An earlier question of the conversation and the SQL that answered it."""

    question: str
    sql: str


@dataclass(frozen=True, slots=True)
class PromptPassage:
    """A passage of a document as prompts show it: `number` (from 1) is what a mark such as `[1]` names it by, `text` is
    cut to what a prompt has room for, and `quote` is the sentence of it that is nearest to the question, of 200
    characters at most. `score` is how probable it is that the passage answers the question."""

    number: int
    document_id: str
    title: str
    locator: str
    text: str
    quote: str
    score: float


@dataclass(frozen=True, slots=True)
class QueryRequirements:
    """What the SQL for a question has to do with its `tables`, in short lines as a language model wrote them; `joins`
    are conditions over columns of the semantic model. `joins_needed`: it has to read more than one of the tables."""

    tables: tuple[str, ...] = ()
    joins_needed: bool = False
    joins: tuple[str, ...] = ()
    filters: tuple[str, ...] = ()
    aggregations: tuple[str, ...] = ()
    ordering: tuple[str, ...] = ()
    parameters: tuple[str, ...] = ()
    reasoning: str = ""

    def __bool__(self) -> bool:
        return any((self.joins, self.filters, self.aggregations, self.ordering, self.parameters))


@dataclass(frozen=True, slots=True)
class QuestionContext:
    """The question as asked (or rewritten), with everything about the asker that prompts need.

    `now` is timezone-aware and in `timezone` (an IANA name), fixed once an ask. `dialect` names the SQL to write.
    `bindings` is what was answered when it was asked back what the question means, `lessons` what was learnt before
    that bears on it, each in words. `requirements` are None where nobody worked them out. `passages` are those of the
    project's documents, the most probable first.
    """

    question: str
    now: datetime
    timezone: str = "UTC"
    language: str = "English"
    dialect: str = "duckdb"
    histories: tuple[HistoryTurn, ...] = ()
    custom_instruction: str | None = None
    bindings: Bindings = FREE
    lessons: tuple[str, ...] = ()
    requirements: QueryRequirements | None = None
    passages: tuple[PromptPassage, ...] = ()


class Intent(StrEnum):
    """What kind of question it is."""

    TEXT_TO_SQL = "TEXT_TO_SQL"
    GENERAL = "GENERAL"
    MISLEADING_QUERY = "MISLEADING_QUERY"
    USER_GUIDE = "USER_GUIDE"


@dataclass(frozen=True, slots=True)
class IntentReading:
    """The intent, the question rewritten to stand alone, and why."""

    intent: Intent
    rephrased_question: str
    reasoning: str
    usage: Usage


@dataclass(frozen=True, slots=True)
class WrittenText:
    """Prose a model wrote: a plan, an answer in words, a rewritten question."""

    text: str
    usage: Usage


@dataclass(frozen=True, slots=True)
class ColumnChoice:
    """The columns that a model wants shown, by table, as it wrote the names."""

    tables: Mapping[str, tuple[str, ...]]
    usage: Usage


@dataclass(frozen=True, slots=True)
class TableVerdict:
    """Whether a question needs a table: how sure that is, from 0 to 1, which of its columns matter, and why."""

    is_relevant: bool
    confidence: float
    columns: tuple[str, ...] = ()
    reasoning: str = ""


@dataclass(frozen=True, slots=True)
class SqlReply:
    """SQL a model wrote, as text to be checked; or, with `sql` None, why its reply could not be used (`problem`)."""

    sql: str | None
    problem: str | None
    usage: Usage


@dataclass(frozen=True, slots=True)
class StepSummaries:
    """What a statement finds out, and what each of its steps does; or why the model's reply could not be used
    (`problem`), with nothing in the rest."""

    description: str
    summaries: tuple[str, ...]
    problem: str | None
    usage: Usage


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Why a statement failed, and what to change, in plain words."""

    diagnosis: str
    suggested_fix: str
    usage: Usage
