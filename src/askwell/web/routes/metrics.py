"""What Prometheus scrapes."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from askwell.web.services import Services

_TEXT = {"schema": {"type": "string"}}


def routes(services: Services) -> APIRouter:
    """The route /metrics."""
    router = APIRouter(tags=["operations"])

    @router.get(
        "/metrics",
        # Not PlainTextResponse, with which FastAPI describes errors as plain text too.
        response_class=Response,
        responses={200: {"content": dict.fromkeys(("text/plain", "application/openmetrics-text"), _TEXT)}},
    )
    async def metrics(request: Request) -> Response:
        """Counters, gauges and histograms in Prometheus' text format."""
        body, media_type = services.metrics.exposition(request.headers.get("accept", ""))
        return Response(body, media_type=media_type)

    return router
