"""What Prometheus scrapes."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from fastapi.responses import PlainTextResponse

from askwell.web.services import Services


def routes(services: Services) -> APIRouter:
    """The route /metrics."""
    router = APIRouter(tags=["operations"])

    @router.get("/metrics", response_class=PlainTextResponse)
    async def metrics(request: Request) -> Response:
        """Counters, gauges and histograms in Prometheus' text format."""
        body, media_type = services.metrics.exposition(request.headers.get("accept", ""))
        return Response(body, media_type=media_type)

    return router
