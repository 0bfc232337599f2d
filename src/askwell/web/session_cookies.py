"""The cookies of people who sign in with a browser.

Scripts cannot read them (`HttpOnly`), other sites cannot have them sent along with changes (`SameSite=Lax`), and where
browsers come by https they are for https and this host alone (`Secure`, and `__Host-`, which no other host of the
domain can set). A change that comes with the session's cookie has to bring the session's token in a header too, which
no page of another origin can read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.types import Scope

from askwell.errors import Forbidden, Unauthorized

if TYPE_CHECKING:
    from askwell.access.oidc.service import SingleSignOn
    from askwell.access.oidc.sessions import Session

SESSION = "askwell-session"
SIGN_IN = "askwell-sign-in"
CSRF_HEADER = "X-CSRF-Token"
# In the scope of a request that comes with a session: what that header has to hold.
CSRF_TOKEN = "askwell.csrf_token"
_CSRF_HEADER = CSRF_HEADER.lower().encode()
_READING = frozenset({"GET", "HEAD", "OPTIONS"})
_OVER = Unauthorized("Your session is over.", "Sign in again at /v1/sign-in.")


def sent_cookie(scope: Scope, name: str, sign_on: SingleSignOn) -> str | None:
    """The cookie of that name; None where there is none, or two, of which somebody else set one."""
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
        raise _OVER
    if scope["method"] not in _READING:
        tokens = [value.decode("latin-1") for name, value in scope["headers"] if name == _CSRF_HEADER]
        if len(tokens) != 1 or not is_csrf_token(session, tokens[0]):
            raise Forbidden(
                f"A change that comes with a session's cookie needs the header {CSRF_HEADER}.",
                "Send the csrf_token that /v1/me tells.",
            )
    return session


def renewal(session: Session, sign_on: SingleSignOn) -> str | None:
    """The header `Set-Cookie` by which a session goes on that is in use; None while that is not needed."""
    cookie = sign_on.sessions.renewed(session) if sign_on.sessions is not None else None
    if cookie is None or sign_on.sessions is None:
        return None
    return cookie_header(SESSION, cookie, sign_on.sessions.seconds_left(session), sign_on)


def _full_name(name: str, sign_on: SingleSignOn) -> str:
    return f"__Host-{name}" if sign_on.uses_https else name
