"""What people save for a project: SQL pairs and instructions, which change as jobs, and keyword rules, which change at
once."""

# Without `from __future__ import annotations`: FastAPI reads the types of bodies that are only known here.

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import APIRouter, Depends, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, Field

from askwell.field_types import Flag, Identifier
from askwell.jobs.request import Body, NullIsAbsent
from askwell.knowledge.keywords import MAX_KEYWORDS, Keyword, check_pattern
from askwell.knowledge.saved import EventKind, Instruction, SqlPair
from askwell.web.deps import AnyCaller, InPage, Project, ProjectSaid, body_of, job_of
from askwell.web.polling import Compatibility, IdempotencyKey, add_events, or_failed, status_of
from askwell.web.responses import CHANGES, ERRORS, NOT_FOUND, STARTS_WORK, started
from askwell.web.routing import router as new_router

if TYPE_CHECKING:
    from askwell.container import Container

MAX_BODY = 4 * 1024 * 1024


MAX_ITEMS = 5_000


class SqlPairsBody(Body):
    sql_pairs: Annotated[list[Annotated[SqlPair, NullIsAbsent()]], Field(max_length=MAX_ITEMS)]
    strict: Annotated[
        Flag, Field(description="Refuse SQL that works only with repairs, and questions that another pair has.")
    ] = False


class SqlPairIdsBody(Body):
    sql_pair_ids: Annotated[list[Identifier], Field(max_length=MAX_ITEMS)]


class InstructionsBody(Body):
    instructions: Annotated[list[Annotated[Instruction, NullIsAbsent()]], Field(max_length=MAX_ITEMS)]


class InstructionIdsBody(Body):
    instruction_ids: Annotated[list[Identifier], Field(max_length=MAX_ITEMS)]


class KeywordsBody(Body):
    keywords: Annotated[list[Annotated[Keyword, NullIsAbsent()]], Field(max_length=MAX_KEYWORDS)]


class KeywordIdsBody(Body):
    keyword_ids: Annotated[list[Identifier], Field(max_length=MAX_ITEMS)]


class KeywordsNow(BaseModel):
    """All rules of the project, after the change where there was one."""

    keywords: list[Keyword]
    warnings: list[str] = []


class SqlPairsNow(BaseModel):
    """A page of the project's pairs, in the order in which they were saved; `total` is how many it has."""

    sql_pairs: list[SqlPair]
    total: int


class InstructionsNow(BaseModel):
    """A page of the project's instructions, in the order in which they were saved; `total` is how many it has."""

    instructions: list[Instruction]
    total: int


class EventStarted(BaseModel):
    event_id: str


class PairRemark(BaseModel):
    """Of a pair: what has to be put right in its SQL when that is used, the SQL with that done (of one without
    parameters), and the id of another pair whose question asks the same."""

    id: str
    repairs: list[str] | None = None
    sql: str | None = None
    same_question: str | None = None


class EventStatus(BaseModel):
    event_id: str
    status: Literal["indexing", "deleting", "finished", "failed"]
    error: dict[str, Any] | None = None
    trace_id: str | None = None
    warnings: list[str] | None = None
    remarks: list[PairRemark] | None = None


@dataclass(frozen=True, slots=True)
class Collection:
    """Things of a project that are saved, listed and removed by id; `called` is what people call them. `save`
    gives the id of the event that tells how far the change is."""

    path: str
    name: str
    called: str
    kind: EventKind
    saved: type[Body]
    removed: type[Body]
    listed: type[BaseModel]
    save: Callable[["Container", Any, Mapping[str, Any]], Awaitable[str]]


SQL_PAIRS = Collection(
    "/sql-pairs",
    "sql_pairs",
    "pairs",
    "sql_pair",
    SqlPairsBody,
    SqlPairIdsBody,
    SqlPairsNow,
    lambda services, body, how: services.knowledge.save_sql_pairs(
        body.project_id, body.sql_pairs, strict=body.strict, **how
    ),
)
INSTRUCTIONS = Collection(
    "/instructions",
    "instructions",
    "instructions",
    "instruction",
    InstructionsBody,
    InstructionIdsBody,
    InstructionsNow,
    lambda services, body, how: services.knowledge.save_instructions(body.project_id, body.instructions, **how),
)


def routes(services: "Container", compatibility: Compatibility) -> list[APIRouter]:
    """The routes under /sql-pairs, /instructions and /keywords."""
    collections = [collection_routes(one, services, compatibility) for one in (SQL_PAIRS, INSTRUCTIONS)]
    return [*collections, _keywords(services)]


def collection_routes(spec: Collection, services: "Container", compatibility: Compatibility) -> APIRouter:
    """The routes of a collection: save, list, remove, and how far a change is."""
    router = new_router(spec.path, tag="knowledge", role="curate", most_bytes=MAX_BODY)
    name, called = spec.name, spec.called

    async def begin(request: Request, change: Awaitable[str]) -> JSONResponse:
        event_id = await change
        return started(request, {"event_id": event_id}, f"{spec.path}/{event_id}")

    @router.post(
        "",
        status_code=202,
        response_model=EventStarted,
        responses=STARTS_WORK,
        name=f"save_{name}",
        description=f"Store {called}; one with a known id replaces it. `Location` says where to poll.",
    )
    async def save(
        request: Request,
        caller: AnyCaller,
        body: Annotated[Any, Depends(body_of(spec.saved))],
        idempotency_key: IdempotencyKey = None,
    ) -> JSONResponse:
        how = {"idempotency_key": idempotency_key, "person": await caller.counted()}
        return await begin(request, spec.save(services, body, how))

    @router.get(
        "",
        response_model=spec.listed,
        response_model_exclude_none=True,
        responses=ERRORS,
        name=f"list_{name}",
        description=f"A project's {called}: `limit` of them after the first `offset`, in the order in which they were "
        "saved.",
    )
    async def page(project_id: Project, shown: InPage) -> dict[str, Any]:
        listed, total = await services.knowledge.page(spec.kind, project_id, shown.offset, shown.limit)
        return {name: listed, "total": total}

    @router.delete(
        "",
        status_code=202,
        response_model=EventStarted,
        responses=STARTS_WORK,
        name=f"delete_{name}",
        description=f"Remove {called} by id. `Location` says where to poll.",
    )
    async def delete(
        request: Request,
        caller: AnyCaller,
        body: Annotated[Any, Depends(body_of(spec.removed))],
        idempotency_key: IdempotencyKey = None,
    ) -> JSONResponse:
        person, ids = await caller.counted(), getattr(body, f"{spec.kind}_ids")
        delete = services.knowledge.delete(spec.kind, body.project_id, ids, idempotency_key, person=person)
        return await begin(request, delete)

    @router.get(
        "/{event_id}",
        response_model=EventStatus,
        responses=NOT_FOUND,
        name=f"{name}_event",
        description=f"How far a change to the {called} is.",
    )
    async def event(event_id: str, caller: AnyCaller, project_id: ProjectSaid = None) -> Response:
        async def status() -> Mapping[str, Any]:
            await caller.require_job(services.knowledge.jobs[spec.kind], event_id)
            return await services.knowledge.event(event_id, spec.kind, project_id)

        return await or_failed(status_of(status()), event_id, compatibility)

    def jobs() -> Any:
        return services.knowledge.jobs[spec.kind]

    add_events(router, services, jobs, spec.kind.replace("_", " "), job_of(jobs))
    return router


def _keywords(services: "Container") -> APIRouter:
    router = new_router("/keywords", tag="knowledge", role="curate", most_bytes=MAX_BODY)

    @router.post("", response_model=KeywordsNow, responses=CHANGES)
    async def save_keywords(body: Annotated[KeywordsBody, Depends(body_of(KeywordsBody))]) -> dict[str, Any]:
        """Store rules; one with a known id replaces it. They count from the next question on."""
        # Not while the body is read, which is on the event loop: hundreds of patterns take seconds.
        if refused := await asyncio.to_thread(lambda: list(_refused(body.keywords))):
            raise RequestValidationError(refused)
        warnings = await services.knowledge.save_keywords(body.project_id, body.keywords)
        return {"keywords": await services.knowledge.keywords(body.project_id), "warnings": warnings}

    @router.get("", response_model=KeywordsNow, responses=ERRORS)
    async def list_keywords(project_id: Project) -> dict[str, Any]:
        """A project's rules."""
        return {"keywords": await services.knowledge.keywords(project_id)}

    @router.delete("", response_model=KeywordsNow, responses=CHANGES)
    async def delete_keywords(body: Annotated[KeywordIdsBody, Depends(body_of(KeywordIdsBody))]) -> dict[str, Any]:
        """Remove rules by id, passing over unknown ones."""
        await services.knowledge.delete_keywords(body.project_id, body.keyword_ids)
        return {"keywords": await services.knowledge.keywords(body.project_id)}

    return router


def _refused(keywords: Sequence[Keyword]) -> Iterator[dict[str, Any]]:
    """The patterns that cannot be used, as validation tells of fields."""
    for number, keyword in enumerate(keywords):
        try:
            check_pattern(keyword.pattern)
        except ValueError as error:
            yield {"type": "value_error", "loc": ("body", "keywords", number, "pattern"), "msg": str(error)}
