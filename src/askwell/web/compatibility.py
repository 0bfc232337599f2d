"""What is different for `settings.compatibility: wren_ui`, a web client that takes more for granted than others."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from typing import Any, Literal

from fastapi.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from askwell.errors import NotFound
from askwell.jobs.reading import LEAST_WAIT
from askwell.jobs.request import one_project
from askwell.web.services import JobDoor

Compatibility = Literal["none", "wren_ui"]


class OneProject:
    """All requests are of the project `default`: this client names one on some routes, none on others, and means the
    same."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        token = one_project.set(True)
        try:
            await self._app(scope, receive, send)
        finally:
            one_project.reset(token)


async def polled(
    door: JobDoor, job_id: str, wait: float, compatibility: Compatibility, code: str = "OTHERS"
) -> Response:
    """The result of a job, ready to be sent; see `unknown_failed`."""
    try:
        # Already JSON: clients poll often, and validating our own output again would cost more than the poll.
        return Response(await door.result_json(job_id, wait or LEAST_WAIT), media_type="application/json")
    except NotFound as error:
        return unknown_failed(error, job_id, compatibility, code)


async def told(status: Awaitable[Mapping[str, Any]], job_id: str, compatibility: Compatibility) -> JSONResponse:
    """The status of a change or a preparation, ready to be sent; see `unknown_failed`."""
    try:
        return JSONResponse(dict(await status))
    except NotFound as error:
        return unknown_failed(error, job_id, compatibility)


def unknown_failed(error: NotFound, job_id: str, compatibility: Compatibility, code: str = "OTHERS") -> JSONResponse:
    """For `wren_ui` a job that is not known has failed, with the `code`: that client polls for ever where it gets a
    404. Else raises the error."""
    if compatibility == "none":
        raise error
    problem = {"code": code, "message": error.message, "hint": error.hint}
    return JSONResponse({"status": "failed", "error": problem, "trace_id": job_id})
