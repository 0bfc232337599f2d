"""Questions: start, poll, stop, and read along."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal, Required, get_args

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import JSONResponse
from pydantic import AliasChoices, BaseModel, Discriminator, Field, Tag
from typing_extensions import TypedDict

from askwell.asks.corrections import Correction
from askwell.asks.feedback import Feedback
from askwell.asks.kind import AskKind
from askwell.asks.meant import Meant
from askwell.asks.request import AskRequest
from askwell.asks.result import AskResult, ResultFields
from askwell.asks.states import ErrorCode
from askwell.checking.finding import FindingBody
from askwell.field_types import Flag, Identifier, Question, Sql, Text
from askwell.jobs.request import FORBIDDEN, Body, Lenient, MdlHash, ProjectId
from askwell.knowledge.jobs import JobFilter
from askwell.semantic_parsing.translation import Turn
from askwell.web.deps import AnyCaller, InPage, Project, body_of, job_of
from askwell.web.polling import Compatibility, IdempotencyKey, Jobs
from askwell.web.responses import CHANGES, CONFLICTS, ERRORS, NOT_FOUND, STARTS_WORK, started
from askwell.web.routes.jobs import add_following, started_body_of
from askwell.web.routing import router as new_router

if TYPE_CHECKING:
    from askwell.container import Container

# A hundred turns of history with long SQL still fit.
MAX_BODY = 2 * 1024 * 1024


class HistoryItem(Lenient):
    """An earlier question and the SQL that answered it."""

    question: Question
    sql: Sql


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
    meant: Meant | None = Field(default=None, description="What the question means, where it could mean more.")
    session_properties: Annotated[
        dict[Identifier, Text],
        Field(max_length=50, description="For row and column rules; only where the configuration allows them."),
    ] = {}

    def to_request(self, *, teaches: bool = True) -> AskRequest:
        """The question as the ask service takes it; `teaches` whether the project may learn from it."""
        said = self.model_dump(exclude={"histories", "configurations", "meant"})  # the others are called the same there
        return AskRequest(
            **said,
            histories=tuple(Turn(turn.question, turn.sql) for turn in self.histories),
            language=self.configurations.language,
            timezone=self.configurations.timezone.name,
            teaches=teaches,
        )


class _CorrectionPart(Lenient):
    clarification_id: Annotated[str, Field(max_length=64)] | None = None
    project_id: ProjectId | None = None
    remember: Flag = Field(
        default=False, description="From now on the words that were asked about (`said`) mean this in every question."
    )

    def correction(self) -> Correction:
        """The answer as the ask service takes it."""
        given = self.model_dump()
        return Correction(
            given["type"] or "text",
            next((given[name] for name in _SAID if given.get(name)), ""),
            tuple(given.get("rejected_tables", ())),
            self.clarification_id,
            given.get("values", {}),
            self.remember,
        )


# What is said, under its name in each kind of answer.
_SAID = ("selected_table", "condition", "option_id", "text")


class TextCorrection(_CorrectionPart):
    """An answer in words."""

    text: Annotated[Text, Field(max_length=1_000)]
    type: Literal["text"] | None = None


class _NoTextCorrection(_CorrectionPart):
    # Clients that send every field send an empty one.
    text: Literal[""] | None = None


class TableCorrection(_NoTextCorrection):
    """The table that is meant, and those that are not."""

    type: Literal["table_selection"]
    selected_table: Text
    rejected_tables: Annotated[list[Text], Field(max_length=50)] = []


class JoinCorrection(_NoTextCorrection):
    """How two tables are joined: `a.id = b.a_id`."""

    type: Literal["join"]
    condition: Text


class ChoiceCorrection(_NoTextCorrection):
    """One of the options."""

    type: Literal["choice"]
    option_id: Annotated[str, Field(max_length=64)]


class FieldsCorrection(_NoTextCorrection):
    """Values for parameters of a saved question, by name."""

    type: Literal["fields"]
    values: Annotated[dict[Identifier, Any], Field(max_length=50)]


class SkipCorrection(_NoTextCorrection):
    """The likeliest option; of a saved question's parameters, none for those that may be left out."""

    type: Literal["skip"]


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


AskStarted = started_body_of(AskKind)
AskEnd = Literal["finished", "failed", "stopped"]
_ENDS = frozenset(get_args(AskEnd))


FeedbackSaid = Literal["positive", "negative"]


@FORBIDDEN
class PastAskError(TypedDict, total=False):
    """Of someone else's ask, administrators are told the code alone: messages may name values."""

    code: Required[ErrorCode]
    message: str | None
    hint: str | None


@FORBIDDEN
class PastAsk(ResultFields, total=False):
    """A result, without `data`, what was asked when, and what was said of the answer. `is_own` is false where someone
    else asked: that question cannot be opened, and little of its result is there."""

    error: PastAskError | None
    query: Required[str]
    created_at: Required[datetime]
    follows: Annotated[str | None, Field(description="The question that was asked before it, where there was one.")]
    feedback: Feedback | None
    is_own: bool | None


@FORBIDDEN
class OneAsk(AskResult, total=False):
    """A result, with what was asked, after which questions, and what was said of the answer."""

    query: Required[str]
    project_id: Required[str]
    histories: Required[list[HistoryItem]]
    feedback: Feedback | None


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


def routes(services: Container, compatibility: Compatibility) -> APIRouter:
    """The routes under /asks."""
    router = new_router("/asks", tag="asks", role="ask", most_bytes=MAX_BODY)

    def asks() -> Jobs:
        return services.asks

    own_ask = job_of(asks, "query_id")

    @router.post("", status_code=202, response_model=AskStarted, responses=STARTS_WORK)
    async def start_ask(
        request: Request,
        caller: AnyCaller,
        body: Annotated[AskBody, Depends(body_of(AskBody))],
        idempotency_key: IdempotencyKey = None,
    ) -> JSONResponse:
        """Accept a question. `Location` says where to poll its result."""
        question = body.to_request(teaches=caller.may("curate"))
        if body.meant is not None:
            question = await services.corrections.in_advance(question, body.meant, caller.person)
        ask_id = await services.asks.start(question, idempotency_key, person=await caller.counted())
        return started(request, {"query_id": ask_id}, f"/asks/{ask_id}/result")

    add_following(router, services, AskKind, asks, compatibility, "query_id")

    @router.get("/{query_id}", response_model=OneAsk, responses=NOT_FOUND)
    async def one_ask(query_id: str = Depends(own_ask)) -> JSONResponse:
        """A question with its result, for callers that have only its id."""
        request, result = await services.asks.request_and_result(query_id)
        notes = await services.asks.notes(query_id) if result["status"] in _ENDS else {}
        asked = {
            "query": request.query,
            "project_id": request.project_id,
            "histories": [asdict(turn) for turn in request.histories],
        }
        return JSONResponse({**result, **asked, **notes})

    @router.post(
        "/{query_id}/corrections",
        status_code=202,
        response_model=AskStarted,
        responses=STARTS_WORK | NOT_FOUND | CONFLICTS,
    )
    async def answer_ask(
        request: Request, caller: AnyCaller, body: CorrectionBody, query_id: str = Depends(own_ask)
    ) -> JSONResponse:
        """Answer what a question asked back (`awaiting_correction`). It goes on under the same id; words that are none
        of its options are asked for again."""
        await caller.require_job(services.asks, query_id, body.project_id)
        await services.corrections.give(query_id, body.correction())
        return started(request, {"query_id": query_id}, f"/asks/{query_id}/result")

    @router.get("", response_model=AsksNow, responses=ERRORS)
    async def list_asks(
        caller: AnyCaller,
        project_id: Project,
        shown: InPage,
        status: Annotated[AskEnd | None, Query()] = None,
        q: Annotated[Text | None, Query(description="Part of the question, in any case.")] = None,
        feedback: Annotated[
            FeedbackSaid | None,
            Query(description="Only questions marked right, or wrong. The role `curate` sees everyone's wrong ones."),
        ] = None,
    ) -> JSONResponse:
        """A project's questions, latest first: their results without `data`, with `query`, `created_at`, the question
        that it `follows`, and the last `feedback`."""
        said = None if feedback is None else feedback == "positive"
        chosen = JobFilter(status=status, text=q, feedback=said)
        page, total = await services.history.latest(caller, project_id, chosen, limit=shown.limit, offset=shown.offset)
        asks = [
            {
                **one["result"],
                "query": one["request"]["query"],
                "created_at": one["created_at"].isoformat(),
                **_follows(one["request"]),
                **one["notes"],
            }
            for one in page
        ]
        return JSONResponse({"asks": asks, "total": total})

    @router.post("/{query_id}/feedback", response_model=FeedbackTaken, responses=NOT_FOUND | CHANGES)
    async def give_feedback(caller: AnyCaller, body: FeedbackBody, query_id: str = Depends(own_ask)) -> JSONResponse:
        """Say whether an answer is right, and the right SQL where it is not. What is right answers the same question
        from then on, and takes the role `curate`; a second word replaces the first. That it is wrong is a report: who
        may curate the project sees the question and the `comment`."""
        await caller.require_job(services.asks, query_id, body.project_id)
        feedback = Feedback(body.positive, body.sql, body.comment)
        return JSONResponse(await services.feedback.give(query_id, feedback, may_teach=caller.may("curate")))

    return router


def _follows(request: Mapping[str, Any]) -> dict[str, str]:
    """The last of the questions that were asked before, as the client said them."""
    before = request.get("histories") or ()
    return {"follows": str(before[-1]["question"])} if before else {}
