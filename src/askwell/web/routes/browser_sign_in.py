"""Signing in and out with a browser, by the issuer of the configuration."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import Response

from askwell.access.authentication import Access
from askwell.access.oidc.code_flow import SIGN_IN_SECONDS, CodeFlow, SignedIn
from askwell.access.oidc.service import SingleSignOn
from askwell.access.oidc.sessions import Sessions
from askwell.errors import AskwellError, Forbidden, NotFound
from askwell.messages import say
from askwell.web.deps import require
from askwell.web.page_files import PageFiles
from askwell.web.responses import CHANGES, NOT_FOUND, Responses
from askwell.web.routing import router as new_router
from askwell.web.sign_in import SESSION, SIGN_IN, address_of, cookie_header, sent_cookie

if TYPE_CHECKING:
    from askwell.container import Container

_SENT_ON: Responses = {303: {"description": "On to the issuer, or back to the page"}}
# Nothing on the way keeps the answer, and no page that follows hears of the code in the address.
_PRIVATE = {"Cache-Control": "no-store", "Referrer-Policy": "no-referrer"}


def routes(services: Container, page: PageFiles) -> APIRouter:
    """The routes under /sign-in, and /sign-out. Who looks at a sign-in that is refused is told so on the page."""
    router = new_router(tag="operations", role="anybody")

    async def shown(request: Request, answering: Awaitable[Response]) -> Response:
        try:
            return await answering
        except AskwellError as error:
            if "text/html" not in request.headers.get("accept", ""):
                raise
            return await page.refusal(request, error)

    @router.get("/sign-in", status_code=303, response_class=Response, responses=_SENT_ON | NOT_FOUND)
    async def sign_in(request: Request, return_to: Annotated[str, Query(max_length=2_000)] = "/docs") -> Response:
        """Send the browser to the issuer; after that it comes to `return_to`, a path of this service."""
        return await shown(request, _sent_to_issuer(services, return_to))

    @router.get("/sign-in/callback", status_code=303, response_class=Response, responses=_SENT_ON | NOT_FOUND)
    async def sign_in_callback(request: Request) -> Response:
        """Where the issuer sends the browser back to, with a code and the state of the sign-in."""
        return await shown(request, _signed_in(services, request))

    @router.post(
        "/sign-out",
        status_code=204,
        response_class=Response,
        responses=NOT_FOUND | CHANGES,
        dependencies=[Depends(require("ask"))],
    )
    async def sign_out(request: Request) -> Response:
        """End the session of this browser, on every machine within seconds. The issuer's own session goes on."""
        sign_on, _, sessions = _parts(services)
        cookie = sent_cookie(request.scope, SESSION, sign_on)
        session = await sessions.read(cookie) if cookie is not None else None
        if session is not None:
            await sessions.end(session)
        response = Response(status_code=204, headers=_PRIVATE)
        response.headers.append("Set-Cookie", cookie_header(SESSION, "", 0, sign_on))
        return response

    return router


async def _sent_to_issuer(services: Container, return_to: str) -> Response:
    sign_on, flow, _ = _parts(services)
    begun = await flow.begin(return_to)
    answer = Response(status_code=303, headers={"Location": begun.url, **_PRIVATE})
    answer.headers.append("Set-Cookie", cookie_header(SIGN_IN, begun.cookie, SIGN_IN_SECONDS, sign_on))
    return answer


async def _signed_in(services: Container, request: Request) -> Response:
    sign_on, flow, sessions = _parts(services)
    address = address_of(request.scope)
    await _access(services).require_patience(address)
    sent = request.query_params.multi_items()
    answer = dict(sent) if len(dict(sent)) == len(sent) else {}
    ended = await flow.complete(sent_cookie(request.scope, SIGN_IN, sign_on), answer)
    if not isinstance(ended, SignedIn):
        await _access(services).refused(address, ended.message)
        raise Forbidden(ended.message, ended.hint)
    # Whatever session the browser had before, it is not this person's.
    before = sent_cookie(request.scope, SESSION, sign_on)
    former = await sessions.read(before) if before is not None else None
    if former is not None:
        await sessions.end(former)
    response = Response(status_code=303, headers={"Location": ended.return_to, **_PRIVATE})
    seconds = sessions.seconds_left(ended.session)
    response.headers.append("Set-Cookie", cookie_header(SESSION, ended.cookie, seconds, sign_on))
    response.headers.append("Set-Cookie", cookie_header(SIGN_IN, "", 0, sign_on))
    return response


def _parts(services: Container) -> tuple[SingleSignOn, CodeFlow, Sessions]:
    """Raises `NotFound` where browsers do not sign in."""
    sign_on = _access(services).sign_on
    if sign_on is None or sign_on.code_flow is None or sign_on.sessions is None:
        raise NotFound(*say("sign_in.no_browser"))
    return sign_on, sign_on.code_flow, sign_on.sessions


def _access(services: Container) -> Access:
    assert services.access is not None
    return services.access
