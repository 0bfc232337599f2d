"""The routes of a kind of job: start, poll, stop, follow. One set for all kinds."""

# Without `from __future__ import annotations`: FastAPI reads the types of bodies that are only known here.

from typing import Any

from fastapi import APIRouter, Depends, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse
from pydantic import BaseModel, create_model

from askwell.jobs.simple import SimpleKind
from askwell.web.body_limit import body_limit
from askwell.web.compatibility import Compatibility, polled
from askwell.web.polling import IdempotencyKey, Wait, add_events
from askwell.web.responses import CHANGES, NOT_FOUND, STARTS_WORK, STREAM, started
from askwell.web.schemas.asks import StopBody
from askwell.web.schemas.common import ProjectSaid
from askwell.web.services import JobDoor, Services
from askwell.web.sse import message_stream

# Rows or a whole semantic model may come with a request.
MAX_BODY = 32 * 1024 * 1024


def routes(services: Services, kind: type[SimpleKind[Any]], compatibility: Compatibility) -> APIRouter:
    """The routes under the kind's path."""
    router = APIRouter(prefix=f"/{kind.path}", tags=[kind.path], route_class=body_limit(MAX_BODY))
    name = kind.name.replace("_", " ")
    request_body: Any = kind.request
    started_body = _started_body(kind)

    def door() -> JobDoor:
        return services.jobs[kind.name]

    async def of_project(job_id: str, project_id: ProjectSaid = None) -> None:
        if project_id is not None:
            await door().require_project(job_id, project_id)

    ours = [Depends(of_project)]
    unknown = "RESOURCE_NOT_FOUND" if "RESOURCE_NOT_FOUND" in kind.codes else "OTHERS"

    @router.post(
        "",
        status_code=202,
        response_model=started_body,
        responses=STARTS_WORK,
        name=f"start_{kind.name}",
        summary=f"Start: {name}",
        description=kind.__doc__,
    )
    async def start(
        request: Request, body: request_body, idempotency_key: IdempotencyKey = None, project_id: ProjectSaid = None
    ) -> JSONResponse:
        job_id = await door().start(body.of(project_id), idempotency_key)
        return started(request, {kind.id_name: job_id}, f"/{kind.path}/{job_id}{kind.result_path}")

    @router.get(
        f"/{{job_id}}{kind.result_path}",
        response_model=kind.result,
        responses=NOT_FOUND,
        dependencies=ours,
        name=f"{kind.name}_result",
        summary=f"Result: {name}",
    )
    async def result(job_id: str, wait: Wait = 0) -> Response:
        """How far it is, and its result. Fields that are not known yet are absent."""
        return await polled(door(), job_id, wait, compatibility, unknown)

    @router.patch(
        "/{job_id}",
        response_model=started_body,
        responses=NOT_FOUND | CHANGES,
        dependencies=ours,
        name=f"stop_{kind.name}",
        summary=f"Stop: {name}",
    )
    async def stop(job_id: str, body: StopBody) -> JSONResponse:
        """Stop it. One that has ended stays as it is."""
        await of_project(job_id, body.project_id)
        await door().stop(job_id)
        return JSONResponse({kind.id_name: job_id})

    add_events(router, services, door, name, ours)

    if kind.stream_path:

        @router.get(
            f"/{{job_id}}{kind.stream_path}",
            response_class=StreamingResponse,
            responses=NOT_FOUND | STREAM,
            dependencies=ours,
            name=f"{kind.name}_words",
            summary=f"Words: {name}",
        )
        async def words(job_id: str) -> StreamingResponse:
            """The words of the answer while they are written: `data: {"message":chunk}`."""
            return message_stream(await door().stream(job_id), services.ending)

    return router


def _started_body(kind: type[SimpleKind[Any]]) -> type[BaseModel]:
    title = "".join(part.title() for part in kind.name.split("_"))
    fields: Any = {kind.id_name: (str, ...)}
    return create_model(f"{title}Started", **fields)
