"""Bodies of the ask routes."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal, Required

from pydantic import AliasChoices, BaseModel, ConfigDict, Discriminator, Field, Tag
from typing_extensions import TypedDict

from askwell.asks.corrections import Correction
from askwell.asks.meant import Meant
from askwell.asks.request import AskRequest
from askwell.asks.result import FORBIDDEN, AskErrorCode, AskResult, FindingBody, ResultFields
from askwell.jobs.request import Body, Flag, Identifier, Lenient, MdlHash, ProjectId, Question, Sql, Text
from askwell.pipelines.generation.question import HistoryTurn


class HistoryItem(Lenient):
    """An earlier question and the SQL that answered it."""

    question: Question
    sql: Sql


Names = Annotated[list[Annotated[Text, Field(max_length=400)]], Field(max_length=20)]


class MeantBody(Lenient):
    """What a question means, by the names of the model. The statement that answers reads all of `columns` and `tables`
    and none of `not_tables`."""

    model_config = ConfigDict(extra="forbid")

    columns: Annotated[Names, Field(description="Written `table.column`.")] = []
    tables: Names = []
    not_tables: Names = []
    joins: Annotated[
        Names, Field(description="Of tables that are related in several ways, the relationship: `a.id = b.a_id`.")
    ] = []

    def to_meant(self) -> Meant:
        """What was said, as the ask service takes it."""
        return Meant(tuple(self.columns), tuple(self.tables), tuple(self.not_tables), tuple(self.joins))


class AskBody(Body):
    """A question with its options."""

    query: Question
    mdl_hash: MdlHash | None = Field(default=None, validation_alias=AliasChoices("mdl_hash", "id"))
    histories: Annotated[list[HistoryItem], Field(max_length=100)] = []
    ignore_sql_generation_reasoning: Flag = False
    enable_column_pruning: Flag = Field(
        default=False, description="Let the language model choose the columns that the prompts after it show."
    )
    use_dry_plan: Flag = False
    allow_dry_plan_fallback: Flag = True
    custom_instruction: Text | None = None
    execute: Flag = Field(default=False, description="Run the SQL and return rows.")
    suggest: Flag = Field(default=False, description="Give three questions that may follow.")
    allow_data_preview: Flag = False
    interactive: Flag = Field(
        default=False, description="Wait and ask back, where the question could mean several things."
    )
    passages: Flag | None = Field(
        default=None, description="Search the project's documents too; what is not said the configuration says."
    )
    meant: MeantBody | None = Field(default=None, description="What the question means, where it could mean more.")
    session_properties: Annotated[
        dict[Identifier, Text],
        Field(max_length=50, description="For row and column rules; only where the configuration allows them."),
    ] = {}

    def to_request(self, *, teaches: bool = True) -> AskRequest:
        """The question as the ask service takes it; `teaches` whether the project may learn from it."""
        return AskRequest(
            query=self.query,
            project_id=self.project_id,
            mdl_hash=self.mdl_hash,
            histories=tuple(HistoryTurn(turn.question, turn.sql) for turn in self.histories),
            thread_id=self.thread_id,
            request_from=self.request_from,
            language=self.configurations.language,
            timezone=self.configurations.timezone.name,
            ignore_sql_generation_reasoning=self.ignore_sql_generation_reasoning,
            enable_column_pruning=self.enable_column_pruning,
            use_dry_plan=self.use_dry_plan,
            allow_dry_plan_fallback=self.allow_dry_plan_fallback,
            allow_data_preview=self.allow_data_preview,
            execute=self.execute,
            suggest=self.suggest,
            custom_instruction=self.custom_instruction,
            session_properties=self.session_properties,
            interactive=self.interactive,
            passages=self.passages,
            teaches=teaches,
        )


class StopBody(Lenient):
    """Stops an ask, only where it is of the project that is said."""

    status: Literal["stopped"]
    project_id: ProjectId | None = None


class _CorrectionPart(Lenient):
    clarification_id: Annotated[str, Field(max_length=64)] | None = None
    project_id: ProjectId | None = None
    remember: Flag = Field(
        default=False, description="From now on the words that were asked about (`said`) mean this in every question."
    )


# Clients that send every field send an empty one.
NoText = Literal[""] | None


class TextCorrection(_CorrectionPart):
    """An answer in words."""

    text: Annotated[Text, Field(max_length=1_000)]
    type: Literal["text"] | None = None

    def correction(self) -> Correction:
        return Correction("text", self.text, clarification_id=self.clarification_id)


class TableCorrection(_CorrectionPart):
    """The table that is meant, and those that are not."""

    type: Literal["table_selection"]
    selected_table: Text
    rejected_tables: Annotated[list[Text], Field(max_length=50)] = []
    text: NoText = None

    def correction(self) -> Correction:
        return Correction(self.type, self.selected_table, tuple(self.rejected_tables), self.clarification_id)


class JoinCorrection(_CorrectionPart):
    """How two tables are joined: `a.id = b.a_id`."""

    type: Literal["join"]
    condition: Text
    text: NoText = None

    def correction(self) -> Correction:
        return Correction(self.type, self.condition, clarification_id=self.clarification_id)


class ChoiceCorrection(_CorrectionPart):
    """One of the options."""

    type: Literal["choice"]
    option_id: Annotated[str, Field(max_length=64)]
    text: NoText = None

    def correction(self) -> Correction:
        return Correction(self.type, self.option_id, clarification_id=self.clarification_id)


class FieldsCorrection(_CorrectionPart):
    """Values for parameters of a saved question, by name."""

    type: Literal["fields"]
    values: Annotated[dict[Identifier, Any], Field(max_length=50)]
    text: NoText = None

    def correction(self) -> Correction:
        return Correction(self.type, clarification_id=self.clarification_id, values=self.values)


class SkipCorrection(_CorrectionPart):
    """The likeliest option; of a saved question's parameters, none for those that may be left out."""

    type: Literal["skip"]
    text: NoText = None

    def correction(self) -> Correction:
        return Correction(self.type, clarification_id=self.clarification_id)


def _type_of(body: Any) -> str:
    said = body.get("type") if isinstance(body, dict) else None
    return said if isinstance(said, str) else "text"


CorrectionBody = Annotated[
    Annotated[TextCorrection, Tag("text")]
    | Annotated[TableCorrection, Tag("table_selection")]
    | Annotated[JoinCorrection, Tag("join")]
    | Annotated[ChoiceCorrection, Tag("choice")]
    | Annotated[FieldsCorrection, Tag("fields")]
    | Annotated[SkipCorrection, Tag("skip")],
    Discriminator(_type_of),
]


class AskStarted(BaseModel):
    query_id: str


AskEnd = Literal["finished", "failed", "stopped"]


FeedbackSaid = Literal["positive", "negative"]


class FeedbackGiven(BaseModel):
    """What somebody said of an answer last."""

    positive: bool
    sql: str | None = None
    comment: str | None = None


@FORBIDDEN
class PastAskError(TypedDict, total=False):
    """Of somebody else's ask, administrators are told the code alone: messages may name values."""

    code: Required[AskErrorCode]
    message: str | None
    hint: str | None


@FORBIDDEN
class PastAsk(ResultFields, total=False):
    """A result, without `data`, what was asked when, and what was said of the answer. `is_own` is false where somebody
    else asked: that question cannot be opened, and little of its result is there."""

    error: PastAskError | None
    query: Required[str]
    created_at: Required[datetime]
    follows: Annotated[str | None, Field(description="The question that was asked before it, where there was one.")]
    feedback: FeedbackGiven | None
    is_own: bool | None


@FORBIDDEN
class OneAsk(AskResult, total=False):
    """A result, with what was asked, after which questions, and what was said of the answer."""

    query: Required[str]
    project_id: Required[str]
    histories: Required[list[HistoryItem]]
    feedback: FeedbackGiven | None


class AsksNow(BaseModel):
    """A page of questions, and how many there are."""

    asks: list[PastAsk]
    total: int


class FeedbackBody(Lenient):
    """`sql` is the right statement over the model, where the answer was not right."""

    positive: Flag
    sql: Sql | None = None
    comment: Text | None = None
    project_id: ProjectId | None = None


class FeedbackTaken(BaseModel):
    """`accepted_question_id` is the SQL pair that answers this question from now on; `findings` are what speaks against
    the SQL that was sent."""

    accepted_question_id: str | None = None
    lesson_ids: list[str]
    findings: list[FindingBody] | None = None
