"""The routes of a kind of job: start, poll, stop, follow. One set for all kinds, and pictures of charts."""

# Without `from __future__ import annotations`: FastAPI reads the types of bodies that are only known here.

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Depends, Path, Query, Request, Response
from fastapi.responses import JSONResponse, StreamingResponse
from pydantic import BaseModel, create_model

from askwell.asks.kind import AskKind
from askwell.charts.rendering import MOST_PIXELS, ImageFormat
from askwell.jobs.kind import SimpleKind
from askwell.web.deps import AnyCaller, ProjectSaid, body_of, job_of
from askwell.web.polling import Compatibility, IdempotencyKey, Jobs, StopBody, Wait, add_events, or_failed, result_of
from askwell.web.responses import BINARY, CHANGES, NOT_FOUND, STARTS_WORK, STREAM, error_answer, started
from askwell.web.routing import router as new_router
from askwell.web.sse import message_stream

if TYPE_CHECKING:
    from askwell.container import Container

# Rows or a whole semantic model may come with a request.
MAX_BODY = 32 * 1024 * 1024
Followed = type[SimpleKind[Any]] | type[AskKind]


def routes(services: "Container", kind: type[SimpleKind[Any]], compatibility: Compatibility) -> APIRouter:
    """The routes under the kind's path."""
    router = new_router(f"/{kind.path}", tag=kind.path, role="ask", most_bytes=MAX_BODY)
    name = kind.name.replace("_", " ")
    started_body = started_body_of(kind)

    def jobs() -> Jobs:
        return services.jobs[kind.name]

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
        request: Request,
        caller: AnyCaller,
        body: Annotated[Any, Depends(body_of(kind.request))],
        idempotency_key: IdempotencyKey = None,
    ) -> JSONResponse:
        job_id = await jobs().start(body, idempotency_key, person=await caller.counted())
        return started(request, {kind.id_name: job_id}, f"/{kind.path}/{job_id}{kind.result_path}")

    add_following(router, services, kind, jobs, compatibility)
    return router


def add_following(
    router: APIRouter,
    services: "Container",
    kind: Followed,
    jobs: Callable[[], Jobs],
    compatibility: Compatibility,
    id_in_path: str = "job_id",
) -> None:
    """The routes of a job that was started: its result, to stop it, its events and its words."""
    own_job = job_of(jobs, id_in_path)
    name, one = kind.name.replace("_", " "), f"/{{{id_in_path}}}"
    started_body = started_body_of(kind)
    unknown = "RESOURCE_NOT_FOUND" if "RESOURCE_NOT_FOUND" in getattr(kind, "codes", ()) else "OTHERS"

    @router.get(
        f"{one}{kind.result_path}",
        response_model=kind.result,
        responses=NOT_FOUND,
        name=f"{kind.name}_result",
        summary=f"Result: {name}",
    )
    async def result(
        job_id: Annotated[str, Path(alias=id_in_path)],
        caller: AnyCaller,
        wait: Wait = 0,
        project_id: ProjectSaid = None,
    ) -> Response:
        """How far it is, and its result. Fields that are not known yet are absent."""
        return await or_failed(result_of(caller, jobs(), job_id, project_id, wait), job_id, compatibility, unknown)

    @router.patch(
        one,
        response_model=started_body,
        responses=NOT_FOUND | CHANGES,
        name=f"stop_{kind.name}",
        summary=f"Stop: {name}",
    )
    async def stop(caller: AnyCaller, body: StopBody, job_id: str = Depends(own_job)) -> JSONResponse:
        """Stop it. One that has ended stays as it is."""
        await caller.require_job(jobs(), job_id, body.project_id)
        await jobs().stop(job_id)
        return JSONResponse({kind.id_name: job_id})

    add_events(router, services, jobs, name, own_job, f"{one}/events")

    if kind.stream_path:

        @router.get(
            f"{one}{kind.stream_path}",
            response_class=StreamingResponse,
            responses=NOT_FOUND | STREAM,
            name=f"{kind.name}_words",
            summary=f"Words: {name}",
        )
        async def words(job_id: str = Depends(own_job)) -> StreamingResponse:
            """The words of the answer, or of the plan for it, while they are written: `data: {"message":chunk}`."""
            return message_stream(await jobs().stream(job_id), services.ending)


def started_body_of(kind: Followed) -> type[BaseModel]:
    """What is answered where one is started: its id."""
    title = "".join(part.title() for part in kind.name.split("_"))
    fields: Any = {kind.id_name: (str, ...)}
    return create_model(f"{title}Started", **fields)


Pixels = Annotated[int | None, Query(ge=50, le=MOST_PIXELS)]

_MEDIA_TYPES: dict[ImageFormat, str] = {"svg": "image/svg+xml", "png": "image/png"}
_NOT_INSTALLED: dict[int | str, dict[str, Any]] = {501: error_answer("Pictures take the extra `charts`")}


def image_routes(services: "Container") -> APIRouter:
    """The pictures under /charts and /chart-adjustments."""
    router = new_router(tag="charts", role="ask")
    for path, kind in (("charts", "chart"), ("chart-adjustments", "chart_adjustment")):
        for image in _MEDIA_TYPES:
            _add_image(router, services, path, kind, image)
    return router


def _add_image(router: APIRouter, services: "Container", path: str, kind: str, image: ImageFormat) -> None:
    own_chart = job_of(lambda: services.jobs[kind])

    @router.get(
        f"/{path}/{{job_id}}/image.{image}",
        response_class=Response,
        responses=NOT_FOUND | _NOT_INSTALLED | {200: {"content": {_MEDIA_TYPES[image]: BINARY}}},
        name=f"{kind} {image}",
    )
    async def chart_image(
        width: Pixels = None,
        height: Pixels = None,
        job_id: str = Depends(own_chart),
    ) -> Response:
        """The chart as a picture, of so many pixels at most (a PNG has twice as many, for sharp screens). It is drawn
        from the rows that came with the request, else from those that its SQL gives now."""
        picture = await services.chart_images.draw(services.jobs[kind], job_id, image, width=width, height=height)
        return Response(picture, media_type=_MEDIA_TYPES[image])
