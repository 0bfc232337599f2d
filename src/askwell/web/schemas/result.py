"""The result of an ask, for the OpenAPI page. Results are rendered by `asks.result`; a test keeps the two in step."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from askwell.checking.finding import Severity
from askwell.checking.sureness import Source, Word
from askwell.knowledge.lessons import LessonKind


class AnswerSql(BaseModel):
    """`sql` is over the model; `llm` also stands for rules and history (`sql_source` says which)."""

    model_config = ConfigDict(extra="forbid")

    sql: str
    type: Literal["llm", "view"]
    viewId: str | None = None


AskErrorCode = Literal["NO_RELEVANT_DATA", "NO_RELEVANT_SQL", "OTHERS"]


class AskErrorBody(BaseModel):
    model_config = ConfigDict(extra="forbid")

    code: AskErrorCode
    message: str
    hint: str | None = None


class UsageBody(BaseModel):
    model_config = ConfigDict(extra="forbid")

    llm_calls: int
    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int
    cost_usd: float


class Timing(BaseModel):
    model_config = ConfigDict(extra="forbid")

    stage: str
    ms: float


class DataColumn(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: str
    type: str
    heading: str | None = Field(None, description="What it shows, with its unit, where the model knows that.")


class Data(BaseModel):
    model_config = ConfigDict(extra="forbid")

    columns: list[DataColumn]
    rows: list[list[Any]]
    row_count: int
    truncated: bool


class FindingBody(BaseModel):
    """What speaks against a statement as the answer to its question, or is worth knowing."""

    code: str
    severity: Severity
    words: str = Field(description="Words of the question that it is about; may be empty.")
    sql: str = Field(description="The part of the statement that it is about; may be empty.")
    message: str


class LessonUsed(BaseModel):
    """One of the lessons that the answer was made with; `note` says it in words."""

    model_config = ConfigDict(extra="forbid")

    id: str
    kind: LessonKind
    note: str


class CitationBody(BaseModel):
    """The passage of a document that a mark such as `[1]` names. The mark stands from the character `start` of the text
    to before `end`; the text is `sql_generation_reasoning` where there is one, else the words of the answer."""

    model_config = ConfigDict(extra="forbid")

    n: int
    document_id: str
    title: str
    locator: str
    quote: str
    start: int
    end: int


class ClarificationOption(BaseModel):
    """One of the things that the question could mean."""

    model_config = ConfigDict(extra="forbid")

    id: str
    label: str
    detail: str | None = None
    tables: list[str] | None = None
    columns: list[str] | None = None
    condition: str | None = None


class ClarificationField(BaseModel):
    """A parameter of a saved question; `type` is a SQL type."""

    model_config = ConfigDict(extra="forbid")

    name: str
    type: str
    required: bool
    description: str | None = None
    default: str | int | float | bool | list[str | int | float | bool] | None = None


class ClarificationBody(BaseModel):
    """What is asked back. With an `id` the ask waits for an answer, until `expires_at`; without one it has ended."""

    model_config = ConfigDict(extra="forbid")

    kind: Literal["table_selection", "join", "choice", "fields"]
    question: str
    options: list[ClarificationOption]
    fields: list[ClarificationField] | None = Field(
        None, description="Of the kind `fields`: the values that are asked for."
    )
    id: str | None = None
    said: str | None = Field(None, description="The words of the question whose meaning an answer may `remember`.")
    allow_text: bool | None = None
    attempt: int | None = None
    max_attempts: int | None = None
    expires_at: datetime | None = None


class Requirements(BaseModel):
    """What the SQL has to do, as a language model worked it out (`settings.table_selection: three_phase`)."""

    model_config = ConfigDict(extra="forbid")

    tables: list[str]
    joins_needed: bool = Field(description="Whether more than one of the tables has to be read.")
    joins: list[str]
    filters: list[str]
    aggregations: list[str]
    ordering: list[str]
    parameters: list[str]
    reasoning: str


class MeantSaid(BaseModel):
    """What a request says as `meant`."""

    model_config = ConfigDict(extra="forbid")

    columns: list[str] | None = None
    tables: list[str] | None = None
    not_tables: list[str] | None = None
    joins: list[str] | None = None


class AlternativeOption(BaseModel):
    model_config = ConfigDict(extra="forbid")

    label: str
    detail: str | None = None
    meant: MeantSaid
    question: str | None = Field(
        None, description="Of a period: the question to ask in place of the one that was asked."
    )


class AlternativeBody(BaseModel):
    """What was taken for granted, and what else could be meant."""

    model_config = ConfigDict(extra="forbid")

    about: Literal["column", "date", "table", "join", "period"]
    assumed: str
    assumption: str | None = Field(None, description="The sentence of `assumptions` about it, where there is one.")
    options: list[AlternativeOption]


class AskResult(BaseModel):
    """Fields that are not known yet are absent."""

    model_config = ConfigDict(extra="forbid")

    query_id: str
    status: Literal[
        "queued",
        "understanding",
        "searching",
        "planning",
        "generating",
        "correcting",
        "awaiting_correction",
        "finished",
        "failed",
        "stopped",
    ]
    rephrased_question: str | None = None
    intent_reasoning: str | None = None
    sql_generation_reasoning: str | None = None
    type: Literal["GENERAL", "TEXT_TO_SQL"] | None = None
    retrieved_tables: list[str] | None = None
    response: list[AnswerSql] | None = None
    invalid_sql: str | None = None
    error: AskErrorBody | None = None
    trace_id: str | None = None
    is_followup: bool | None = None
    general_type: Literal["MISLEADING_QUERY", "DATA_ASSISTANCE", "USER_GUIDE"] | None = None
    nl2sql_code: Literal["0", "3002", "3003", "3005"] | None = None
    planned_sql: str | None = None
    renamed: bool | None = Field(None, description="True where the database has other names than the SQL.")
    repairs: list[str] | None = None
    assumptions: list[str] | None = Field(None, description="What rules took for granted.")
    reading: str | None = Field(None, description="What the SQL does, as one question in words.")
    alternatives: list[AlternativeBody] | None = Field(
        None,
        description="What else could be meant; a request with `meant` and `question` of an option is answered by that.",
    )
    verdict: Word | None = Field(
        None, description="checked: somebody vouched for it; clear: such answers are nearly always right; else a guess."
    )
    sureness: float | None = Field(
        None, description="How often such answers were right, 0 to 1; absent where nothing was measured."
    )
    findings: list[FindingBody] | None = Field(None, description="What speaks against the SQL, the worst first.")
    warnings: list[str] | None = None
    sql_source: Source | None = None
    lessons_used: list[LessonUsed] | None = Field(None, description="What was learnt before that the answer relies on.")
    lessons_learnt: list[LessonUsed] | None = Field(
        None, description="What counts from now on, because it was said when this question was asked back."
    )
    requirements: Requirements | None = Field(
        None, description="What the SQL has to do, where the language model chooses the tables."
    )
    citations: list[CitationBody] | None = Field(
        None, description="The passages of documents that marks in the plan, or in an answer in words, name."
    )
    verified: bool | None = Field(None, description="True where people vouched for the SQL: a saved question or view.")
    sql_pair_id: str | None = Field(None, description="The saved question that answered, where it is no view.")
    suggested_questions: list[str] | None = Field(None, description="Three, when the request said `suggest`.")
    clarification: ClarificationBody | None = Field(None, description="What would have to be said, or is awaited.")
    usage: UsageBody | None = None
    timings: list[Timing] | None = None
    data: Data | None = Field(None, description="Rows, when the request said `execute`.")
