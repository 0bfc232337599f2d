"""What keeps a service running: whether it lives and can work, its metrics, who calls, and what a project's asks came
to."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import JSONResponse
from pydantic import BaseModel

from askwell.access.caller import Caller
from askwell.principal import Role
from askwell.services.health.models import NO_MODEL_YET
from askwell.web.deps import AnyCaller, Project
from askwell.web.errors import error_response, request_id_of
from askwell.web.responses import ERRORS, ErrorBody, Responses
from askwell.web.routing import router as new_router
from askwell.web.sign_in import CSRF_TOKEN

if TYPE_CHECKING:
    from askwell.container import Container

_TEXT = {"schema": {"type": "string"}}
_NOT_SET_UP = {"ok": True, "message": "not set up", "set_up": False}
_NO_MODEL = {**_NOT_SET_UP, "message": NO_MODEL_YET}
_WORKS = {True: "works", False: "does not work; `askwell doctor` says why"}


class HealthCheck(BaseModel):
    """`set_up` is false where there is none of it, which the service does without."""

    ok: bool
    message: str
    set_up: bool | None = None


class Ready(BaseModel):
    """Everything that the service depends on, by name."""

    status: Literal["ready"]
    checks: dict[str, HealthCheck]


class NotReady(ErrorBody):
    """An error that says what does not work; only the code where the service takes nothing more."""

    status: Literal["not ready"] | None = None
    checks: dict[str, HealthCheck] = {}


class Me(BaseModel):
    """Who calls: null `projects` are all of them; changes that come with a session's cookie send `csrf_token` in the
    header `X-CSRF-Token`."""

    name: str
    role: Role
    projects: list[str] | None
    csrf_token: str | None


class UsageDay(BaseModel):
    """The asks that were accepted on a day, in UTC. `unfinished` are those that have not
    ended: they are being answered, or wait for an answer to what was asked back."""

    date: date
    asks: int
    answered: int
    failed: int
    stopped: int
    unfinished: int
    llm_calls: int
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float


class FailedAsk(BaseModel):
    query_id: str
    query: str


class Cause(BaseModel):
    """Asks that failed with a code, and the last of them."""

    code: str
    count: int
    examples: list[FailedAsk]


class Source(BaseModel):
    """Answers whose SQL has this source."""

    source: str
    count: int


class Usage(BaseModel):
    """A project's asks in numbers."""

    days: list[UsageDay]
    causes: list[Cause]
    sources: list[Source]


def health(services: Container) -> APIRouter:
    """The routes under /health."""
    router = new_router("/health", tag="operations", role="anybody")

    async def live() -> dict[str, str]:
        """The process answers. Touches nothing."""
        return {"status": "ok"}

    async def ready(request: Request, caller: AnyCaller) -> JSONResponse:
        """Every dependency by name; 503 while one of them is down."""
        checks = {name: dict(check) for name, check in _visible_checks(await services.readiness(), caller).items()}
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


def _visible_checks(checks: Mapping[str, Mapping[str, Any]], caller: Caller) -> Mapping[str, Mapping[str, Any]]:
    """What works, without the names of projects, databases and models where people sign in; to who curates, also which
    database of their projects does not."""
    if caller.is_anybody:
        return checks
    found: dict[str, bool] = {}
    named: dict[str, Mapping[str, Any]] = {}
    absent: dict[str, Mapping[str, Any]] = {}
    for name, one in checks.items():
        kind, _, project = name.partition(".")
        if project and caller.may("curate") and caller.principal.may_use(project):
            named[name] = one
            continue
        found[kind] = found.get(kind, True) and bool(one["ok"])
        if one.get("set_up") is False:
            absent[kind] = _NO_MODEL if kind == "semantic_models" else _NOT_SET_UP
    summary = {kind: {"ok": is_ok, "message": _WORKS[is_ok]} for kind, is_ok in found.items()}
    return {**summary, **absent, **named}


def metrics(services: Container) -> APIRouter:
    """The route /metrics."""
    router = new_router(tag="operations", role="ask")

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


def usage(services: Container) -> APIRouter:
    """The route /usage."""
    router = new_router(tag="usage", role="curate")

    @router.get("/usage", response_model=Usage, responses=ERRORS)
    async def usage(
        caller: AnyCaller,
        project_id: Project,
        days: Annotated[int, Query(ge=1, le=366, description="How many days, today the last of them.")] = 30,
    ) -> Any:
        """A project's asks in numbers: those of each day (in UTC), why some failed, and what wrote the SQL of answers.
        The questions that stand as examples are those that `GET /asks` lists too."""
        return await services.history.usage(caller, project_id, days)

    return router


def me() -> APIRouter:
    """The route /me."""
    router = new_router(tag="operations", role="ask")

    @router.get("/me")
    async def me(request: Request, response: Response, caller: AnyCaller) -> Me:
        """Who you are, what you may do, and what changes have to bring along where a browser's session makes them."""
        response.headers["Cache-Control"] = "no-store"
        principal = caller.principal
        projects = None if principal.projects is None else sorted(principal.projects)
        token = request.scope.get(CSRF_TOKEN)
        return Me(name=principal.name, role=principal.role, projects=projects, csrf_token=token)

    return router
