"""Questions: start, poll, stop, and read along."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Annotated, Any, get_args

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse

from askwell.asks.feedback import Feedback
from askwell.asks.result import AskResult
from askwell.jobs.request import Text
from askwell.knowledge.jobs import JobFilter
from askwell.web.deps import AnyCaller, Project, body_of, job_of
from askwell.web.polling import Compatibility, IdempotencyKey, Wait, follow, or_failed, result_of
from askwell.web.responses import CHANGES, CONFLICTS, ERRORS, EVENTS, NOT_FOUND, STARTS_WORK, STREAM, started
from askwell.web.routing import router as new_router
from askwell.web.schemas.asks import (
    AskBody,
    AskEnd,
    AsksNow,
    AskStarted,
    CorrectionBody,
    FeedbackBody,
    FeedbackSaid,
    FeedbackTaken,
    OneAsk,
    StopBody,
)
from askwell.web.schemas.common import PageOffset, PageSize, ProjectSaid
from askwell.web.sse import LastEventId, message_stream

if TYPE_CHECKING:
    from askwell.container import Container

# A hundred turns of history with long SQL still fit.
MAX_BODY = 2 * 1024 * 1024
_ENDS = frozenset(get_args(AskEnd))


def routes(services: Container, compatibility: Compatibility) -> APIRouter:
    """The routes under /asks."""
    router = new_router("/asks", tag="asks", role="ask", most_bytes=MAX_BODY)

    own_ask = job_of(lambda: services.asks, "query_id")

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
            question = await services.corrections.in_advance(question, body.meant.to_meant(), caller.person)
        ask_id = await services.asks.start(question, idempotency_key, person=await caller.counted())
        return started(request, {"query_id": ask_id}, f"/asks/{ask_id}/result")

    @router.get("/{query_id}/result", response_model=AskResult, responses=NOT_FOUND)
    async def ask_result(query_id: str, caller: AnyCaller, wait: Wait = 0, project_id: ProjectSaid = None) -> Response:
        """How far the question is, and its answer. Fields that are not known yet are absent."""
        return await or_failed(result_of(caller, services.asks, query_id, project_id, wait), query_id, compatibility)

    @router.get("/{query_id}", response_model=OneAsk, responses=NOT_FOUND)
    async def one_ask(query_id: str = Depends(own_ask)) -> JSONResponse:
        """A question with its result, for whoever has its id alone."""
        request, result = await services.asks.request_and_result(query_id)
        notes = await services.asks.notes(query_id) if result["status"] in _ENDS else {}
        asked = {
            "query": request.query,
            "project_id": request.project_id,
            "histories": [asdict(turn) for turn in request.histories],
        }
        return JSONResponse({**result, **asked, **notes})

    @router.patch("/{query_id}", response_model=AskStarted, responses=NOT_FOUND | CHANGES)
    async def stop_ask(caller: AnyCaller, body: StopBody, query_id: str = Depends(own_ask)) -> JSONResponse:
        """Stop a question. One that has ended stays as it is."""
        await caller.require_job(services.asks, query_id, body.project_id)
        await services.asks.stop(query_id)
        return JSONResponse({"query_id": query_id})

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
        await services.corrections.give(query_id, replace(body.correction(), remember=body.remember))
        return started(request, {"query_id": query_id}, f"/asks/{query_id}/result")

    @router.get(
        "/{query_id}/streaming-result",
        response_class=StreamingResponse,
        responses=NOT_FOUND | STREAM,
    )
    async def ask_words(query_id: str = Depends(own_ask)) -> StreamingResponse:
        """The words of an answer, or of the reasoning plan, while they are written: `data: {"message": chunk}`."""
        return message_stream(await services.asks.stream(query_id), services.ending)

    @router.get(
        "/{query_id}/events",
        response_class=StreamingResponse,
        responses=NOT_FOUND | EVENTS,
    )
    async def ask_events(last_seen: LastEventId = None, query_id: str = Depends(own_ask)) -> Response:
        """Everything that happens to a question: `state` with the result so far, `delta` with a piece of text, and
        `done` or `error` with the whole result at the end. `Last-Event-ID` goes on behind that event; 204 behind the
        last one, which a browser's `EventSource` takes for the end."""
        return await follow(services.asks, services, query_id, last_seen)

    @router.get("", response_model=AsksNow, responses=ERRORS)
    async def list_asks(
        caller: AnyCaller,
        project_id: Project,
        limit: Annotated[PageSize, Query()] = 100,
        offset: Annotated[PageOffset, Query()] = 0,
        status: Annotated[AskEnd | None, Query()] = None,
        q: Annotated[Text | None, Query(description="Part of the question, in any case.")] = None,
        feedback: Annotated[
            FeedbackSaid | None,
            Query(
                description="Those whose answer was said to be right, or wrong. The wrong ones are everybody's for the "
                "role `curate`."
            ),
        ] = None,
    ) -> JSONResponse:
        """A project's questions, latest first: their results without `data`, with `query`, `created_at`, the question
        that it `follows`, and the last `feedback`."""
        said = None if feedback is None else feedback == "positive"
        chosen = JobFilter(status=status, text=q, feedback=said)
        page, total = await services.history.latest(caller, project_id, chosen, limit=limit, offset=offset)
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
