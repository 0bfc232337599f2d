"""Who calls: every request has to say, but those that ask whether the service lives.

By a key or token, or by the cookies of people who sign in with a browser. Scripts cannot read these (`HttpOnly`), other
sites cannot have them sent along with changes (`SameSite=Lax`), and where browsers come by https they are for https and
this host alone (`Secure`, and `__Host-`, which no other host of the domain can set). A change that comes with the
session's cookie has to bring the session's token in a header too, which no page of another origin can read.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from askwell.access.authentication import Access
from askwell.access.caller import CALLER, STRANGER, Caller
from askwell.errors import AskwellError, Busy, Forbidden, NotFound, Unauthorized, http_status
from askwell.messages import say
from askwell.principal import Principal
from askwell.web.errors import askwell_error, request_id_of
from askwell.web.page_files import is_of_page
from askwell.web.responses import PREFIX

if TYPE_CHECKING:
    from askwell.access.oidc.service import SingleSignOn
    from askwell.access.oidc.sessions import Session
    from askwell.container import Container

logger = logging.getLogger(__name__)

# How often it is looked whether the reader of a stream still may.
_LOOK_AGAIN_SECONDS = 2.0
_READING = frozenset({"GET", "HEAD", "OPTIONS"})
# Answered also to people who have not signed in; who has is told more.
_READY = "/health/ready"
# Outside of the routes, for every role.
_ELSEWHERE = frozenset({"/mcp", "/docs", "/openapi.json"})
_SCHEME = "bearer "


class SignIn:
    """Plain ASGI. Finds out the principal of a request, counts it, and lets it in as theirs; a stream ends when whoever
    reads it may not any more."""

    def __init__(self, app: ASGIApp, services: Container, public: Collection[str]) -> None:
        """`public` are the addresses, without their prefix, that nobody has to sign in for."""
        self._app = app
        self._services = services
        self._public = public

    @property
    def _access(self) -> Access:
        assert self._services.access is not None
        return self._services.access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"].removeprefix(PREFIX) in self._public or is_of_page(scope["path"]):
            principal = await self._principal_if_known(scope)
            scope[CALLER] = STRANGER if principal is None else Caller(principal)
            await self._app(scope, receive, send)
            return
        try:
            access = self._access
            known = await _known(access, scope)
            principal = known.principal
            if principal.projects is not None:
                # What they sent is theirs too.
                uploaded = self._services.uploads.projects_of(principal.id)
                principal = replace(principal, projects=principal.projects | uploaded)
            seconds = await access.limits.request(principal.id)
            if seconds is not None:
                raise Busy(*say("limits.requests", seconds=seconds), retry_after=seconds)
            caller = scope[CALLER] = Caller(principal, access.limits)
            access.audit.met(principal)
            await self._handle(caller, known, scope, receive, send)
        except AskwellError as error:
            response = await askwell_error(Request(scope), error)
            await response(scope, receive, send)

    async def _principal_if_known(self, scope: Scope) -> Principal | None:
        """Who asks whether the service is ready, where they say so: nobody has to."""
        if scope["type"] != "http" or scope["path"].removeprefix(PREFIX) != _READY:
            return None
        access = self._access
        try:
            if token := _token(scope):
                # A probe with an old key is no failed sign-in.
                await access.require_patience(address_of(scope), token)
                return await access.authenticators.principal(token)
            return (await _known(access, scope)).principal
        except AskwellError:
            return None

    async def _handle(self, caller: Caller, known: _Known, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the request in, and write down what came of it: of a change also where it ended in an error."""
        watched = _Watched(known, scope, receive, send)
        try:
            if not scope["path"].startswith(f"{PREFIX}/") and scope["path"].rstrip("/") not in _ELSEWHERE:
                raise NotFound(*say("service.no_address"))
            await self._app(scope, watched.receive, watched.send)
        except Exception as error:
            # It is answered farther out, unless an answer began.
            watched.status = watched.status or (http_status(error) if isinstance(error, AskwellError) else 500)
            raise
        finally:
            await watched.close()
            if scope["method"] not in _READING:
                self._access.audit.handled(caller, _route_of(scope), watched.status, request_id_of(Request(scope)))


def _route_of(scope: Scope) -> str:
    """The method, and the pattern that the path fits, which may stand there without its prefix."""
    pattern = getattr(scope.get("route"), "path", None)
    if pattern is None or not scope["path"].startswith(f"{PREFIX}/"):
        return f"{scope['method']} {scope['path'][:64]}"
    return f"{scope['method']} {PREFIX}{pattern.removeprefix(PREFIX)}"


def _token(scope: Scope) -> str:
    """What the caller sends as theirs; "" for nothing. Raises `Unauthorized` where they send two."""
    found = []
    for name, value in scope["headers"]:
        if name == b"authorization":
            text = value.decode("latin-1").strip()
            found.append(text[len(_SCHEME) :].strip() if text.lower().startswith(_SCHEME) else "?")
        elif name == b"x-api-key":
            found.append(value.decode("latin-1").strip())
    if len(set(found)) > 1:
        raise Unauthorized(*say("sign_in.twice"))
    return found[0] if found else ""


def address_of(scope: Scope) -> str:
    """The address from which a request comes."""
    client = scope.get("client")
    return str(client[0]) if client else "unknown"


@dataclass(frozen=True, slots=True)
class _Known:
    """Who calls, whether that still holds, and the header `Set-Cookie` by which their session goes on."""

    principal: Principal
    still: Callable[[], Awaitable[bool]]
    cookie: str | None = None


async def _known(access: Access, scope: Scope) -> _Known:
    """By the token that a request comes with, or else by its session. Raises `Unauthorized`, `Forbidden` and `Busy`."""
    token = _token(scope)
    if not token and access.sign_on is not None:
        session = await session_of(scope, access.sign_on)
        if session is not None and access.sign_on.sessions is not None:
            scope[CSRF_TOKEN] = session.csrf_token
            still = partial(access.sign_on.sessions.is_open, session)
            return _Known(session.principal, still, renewal(session, access.sign_on))

    async def is_good() -> bool:
        return await access.authenticators.principal(token) is not None

    return _Known(await _principal(access, token, address_of(scope)), is_good)


async def _principal(access: Access, token: str, address: str) -> Principal:
    """Raises `Unauthorized`, and `Busy` after too many failures from one address."""
    if not token:
        by_browser = access.sign_on is not None and access.sign_on.code_flow is not None
        raise Unauthorized(*(say("sign_in.needed_browser") if by_browser else say("sign_in.needed")))
    await access.require_patience(address, token)
    principal = await access.authenticators.principal(token)
    if principal is None:
        await access.refused(address, "unknown token")
        raise Unauthorized(*say("sign_in.unknown_key"))
    access.limits.was_good(token)
    return principal


class _Watched:
    """The two ends of a request, and what the answer's status is. Whoever may not read any more is told so, while an
    answer is held too, and a stream of theirs ends: to the application it looks as if they had gone."""

    def __init__(self, known: _Known, scope: Scope, receive: Receive, send: Send) -> None:
        self._known = known
        self._scope, self._receive, self._send = scope, receive, send
        self._began = time.monotonic()
        self._sending = asyncio.Lock()
        # The reader may not read any more; they were told; nothing can be sent any more.
        self._is_over, self._told, self._is_ended = False, asyncio.Event(), False
        self.status = 0
        self._watching = asyncio.create_task(self._watch(), name="who-reads")

    async def send(self, message: Message) -> None:
        """What the application sends, until the reader may not read it any more."""
        is_start = message["type"] == "http.response.start"
        if is_start and time.monotonic() - self._began >= _LOOK_AGAIN_SECONDS:
            await self._look()
        if self._is_over:
            await self._end()
        async with self._sending:
            if self._is_ended:
                return
            if is_start:
                self.status = message["status"]
                headers = message.setdefault("headers", [])
                # The session goes on, unless the answer says otherwise.
                if self._known.cookie is not None and not any(name == b"set-cookie" for name, _ in headers):
                    headers.append((b"set-cookie", self._known.cookie.encode()))
            else:
                self._is_ended = not message.get("more_body")
            await self._send(message)

    async def receive(self) -> Message:
        """What the client sends; that it is gone, where it may not read any more."""
        coming = asyncio.ensure_future(self._receive())
        refusal = asyncio.ensure_future(self._told.wait())
        try:
            await asyncio.wait({coming, refusal}, return_when=asyncio.FIRST_COMPLETED)
            return coming.result() if coming.done() else {"type": "http.disconnect"}
        finally:
            coming.cancel()
            refusal.cancel()

    async def close(self) -> None:
        """Look no more. An end that is being told is told first."""
        if not self._is_over or self._told.is_set():
            self._watching.cancel()
        await asyncio.wait({self._watching})

    async def _watch(self) -> None:
        """By its own clock, however seldom something is sent."""
        while not self._is_over:
            await asyncio.sleep(_LOOK_AGAIN_SECONDS)
            await self._look()
        await self._end()

    async def _end(self) -> None:
        """401 where nothing was sent yet, and nothing more where something was."""
        try:
            async with self._sending:
                if self._is_ended:
                    return
                self._is_ended = True
                if self.status:
                    await self._send({"type": "http.response.body", "body": b"", "more_body": False})
                    return
                self.status = 401
                response = await askwell_error(Request(self._scope), Unauthorized(*say("sign_in.unknown_key")))
                await response(self._scope, self._receive, self._send)
        finally:
            # Also where the end could not be sent: the application is to stop.
            self._told.set()

    async def _look(self) -> None:
        """Whether the reader still may. What cannot be found out now is found out the next time: a look that fails is
        not the last one."""
        try:
            self._is_over = not await self._known.still()
        except AskwellError:
            return
        except Exception as error:
            logger.error("it could not be found out whether a reader still may", exc_info=error)


SESSION = "askwell-session"
SIGN_IN = "askwell-sign-in"
CSRF_HEADER = "X-CSRF-Token"
# In the scope of a request that comes with a session: what that header has to hold.
CSRF_TOKEN = "askwell.csrf_token"
_CSRF_HEADER = CSRF_HEADER.lower().encode()


def sent_cookie(scope: Scope, name: str, sign_on: SingleSignOn) -> str | None:
    """The cookie of that name; None where there is none, or two, of which someone else set one."""
    wanted = _full_name(name, sign_on)
    pairs = (
        pair.strip().partition("=")
        for header, value in scope["headers"]
        if header == b"cookie"
        for pair in value.decode("latin-1").split(";")
    )
    found = [value for key, _, value in pairs if key == wanted]
    return found[0] if len(found) == 1 else None


def cookie_header(name: str, value: str, seconds: int, sign_on: SingleSignOn) -> str:
    """The header `Set-Cookie`; for no seconds the browser forgets the cookie."""
    secure = "; Secure" if sign_on.uses_https else ""
    return f"{_full_name(name, sign_on)}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}"


async def session_of(scope: Scope, sign_on: SingleSignOn) -> Session | None:
    """The session that a request comes with; None for a request without its cookie. Raises `Unauthorized` for a
    session that is over, `Forbidden` for a change without the session's token, and `RecordUnavailable`."""
    from askwell.access.oidc.sessions import is_csrf_token  # its libraries are an extra

    cookie = sent_cookie(scope, SESSION, sign_on)
    if cookie is None or sign_on.sessions is None:
        return None
    session = await sign_on.sessions.read(cookie)
    if session is None:
        raise Unauthorized(*say("sign_in.session_over"))
    if scope["method"] not in _READING:
        tokens = [value.decode("latin-1") for name, value in scope["headers"] if name == _CSRF_HEADER]
        if len(tokens) != 1 or not is_csrf_token(session, tokens[0]):
            raise Forbidden(*say("sign_in.csrf"))
    return session


def renewal(session: Session, sign_on: SingleSignOn) -> str | None:
    """The header `Set-Cookie` by which a session goes on that is in use; None while that is not needed."""
    cookie = sign_on.sessions.renewed(session) if sign_on.sessions is not None else None
    if cookie is None or sign_on.sessions is None:
        return None
    return cookie_header(SESSION, cookie, sign_on.sessions.seconds_left(session), sign_on)


def _full_name(name: str, sign_on: SingleSignOn) -> str:
    return f"__Host-{name}" if sign_on.uses_https else name
