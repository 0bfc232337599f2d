"""Whether the service lives, and whether it can work."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse

from askwell.web.errors import error_response, request_id_of
from askwell.web.responses import Responses
from askwell.web.schemas.health import NotReady, Ready
from askwell.web.services import Services


def routes(services: Services) -> APIRouter:
    """The routes under /health."""
    router = APIRouter(prefix="/health", tags=["operations"])

    async def live() -> dict[str, str]:
        """The process answers. Touches nothing."""
        return {"status": "ok"}

    async def ready(request: Request) -> JSONResponse:
        """Every dependency by name; 503 while one of them is down."""
        checks = {name: dict(check) for name, check in (await services.readiness()).items()}
        down = [name for name, check in checks.items() if not check.get("ok")]
        if not down:
            return JSONResponse({"status": "ready", "checks": checks})
        return error_response(
            request_id_of(request),
            503,
            "UNAVAILABLE",
            f"Not ready: {', '.join(down)}.",
            "`checks` says what each dependency reports.",
            more={"status": "not ready", "checks": checks},
        )

    for path in ("", "/live"):
        router.add_api_route(path, live, methods=["GET"])
        # Load balancers often ask with HEAD.
        router.add_api_route(path, live, methods=["HEAD"], include_in_schema=False)
    described: Responses = {200: {"model": Ready}, 503: {"model": NotReady}}
    router.add_api_route("/ready", ready, methods=["GET"], response_model=Ready, responses=described)
    router.add_api_route("/ready", ready, methods=["HEAD"], include_in_schema=False)
    return router
