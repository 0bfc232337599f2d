"""Polls without a parameter, answered before the framework looks at them.

Clients ask many times for one answer, and routing, dependencies and exit stacks cost several times what telling a
result does that is rendered already. Whatever is not a plain poll of a job that is known goes on to the routes: only
they decide what else is told. A record that is away is not waited for twice.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from askwell.errors import AskwellError, NotFound
from askwell.jobs.reading import LEAST_WAIT
from askwell.web.errors import askwell_error
from askwell.web.services import JobDoor


@dataclass(frozen=True, slots=True)
class Poll:
    """The path of the route that it stands in for, as the log names it, and where the jobs are."""

    path: str
    door: Callable[[], JobDoor]


class QuickPolls:
    """Plain ASGI. `polls` by the word before the id and what follows it (`"asks"`, `"/result"`); `prefix` stands before
    both."""

    def __init__(self, app: ASGIApp, polls: Mapping[tuple[str, str], Poll], prefix: str) -> None:
        self._app = app
        self._polls = polls
        self._prefix = prefix

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        answer = await self._answer(scope) or self._app
        await answer(scope, receive, send)

    async def _answer(self, scope: Scope) -> Response | None:
        if scope["type"] != "http" or scope["method"] != "GET" or scope["query_string"]:
            return None
        words = scope["path"].removeprefix(self._prefix).split("/", 3)
        if len(words) < 3:
            return None
        _, word, job_id, *after = words
        poll = self._polls.get((word, "".join(f"/{rest}" for rest in after)))
        if poll is None:
            return None
        scope["route"] = poll
        try:
            return Response(await poll.door().result_json(job_id, LEAST_WAIT), media_type="application/json")
        except NotFound:
            return None
        except AskwellError as error:
            return await askwell_error(Request(scope), error)
