"""Pictures of charts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Depends, Query, Response

from askwell.charts.rendering import MOST_PIXELS, ImageFormat
from askwell.web.deps import job_of
from askwell.web.responses import NOT_FOUND, error_answer
from askwell.web.routing import router as new_router

if TYPE_CHECKING:
    from askwell.container import Container

Pixels = Annotated[int | None, Query(ge=50, le=MOST_PIXELS)]

_MEDIA_TYPES: dict[ImageFormat, str] = {"svg": "image/svg+xml", "png": "image/png"}
_BINARY = {"schema": {"type": "string", "format": "binary"}}
_NOT_INSTALLED: dict[int | str, dict[str, Any]] = {501: error_answer("Pictures take the extra `charts`")}


def routes(services: Container) -> APIRouter:
    """The pictures under /charts and /chart-adjustments."""
    router = new_router(tag="charts", role="ask")
    for path, kind in (("charts", "chart"), ("chart-adjustments", "chart_adjustment")):
        for image in _MEDIA_TYPES:
            _add(router, services, path, kind, image)
    return router


def _add(router: APIRouter, services: Container, path: str, kind: str, image: ImageFormat) -> None:
    own_chart = job_of(lambda: services.jobs[kind])

    @router.get(
        f"/{path}/{{job_id}}/image.{image}",
        response_class=Response,
        responses=NOT_FOUND | _NOT_INSTALLED | {200: {"content": {_MEDIA_TYPES[image]: _BINARY}}},
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
