"""Sessions of people who signed in with a browser.

A session is in its cookie, sealed, so that every worker of a cluster can read it; the record knows only those that were
ended before their time.
"""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from hmac import compare_digest
from typing import Any

from cachetools import TTLCache
from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from askwell.config import SignInConfig
from askwell.config.sign_in import OidcConfig
from askwell.knowledge.api_keys import EndedTokens
from askwell.principal import ROLES, Person, Principal

# What browsers keep of a cookie is 4096 bytes, its name and attributes included.
MOST_BYTES = 3_800


class Seal:
    """Seals objects of JSON for one purpose, as cookies that only this service, on any machine, can read or write. The
    first secret seals; all of them open.

    Fernet (cryptography) encrypts and signs them. Each purpose has a key of its own, made from the configured secrets
    by HKDF (RFC 5869), so that a cookie of one purpose is nothing for another."""

    def __init__(self, secrets: Sequence[str], purpose: str) -> None:
        self._fernet = MultiFernet([Fernet(_key(secret, purpose)) for secret in secrets])

    def close(self, content: Mapping[str, Any]) -> str:
        """The content as letters that fit into a cookie."""
        return self._fernet.encrypt(json.dumps(content, separators=(",", ":")).encode()).decode()

    def open(self, sealed: str) -> dict[str, Any] | None:
        """The content; None where it was not sealed by one of the secrets for this purpose."""
        if len(sealed) > MOST_BYTES or not sealed.isascii():
            return None
        try:
            if base64.urlsafe_b64encode(base64.urlsafe_b64decode(sealed)).decode() != sealed:
                return None  # another spelling of the same bytes
            found = json.loads(self._fernet.decrypt(sealed))
        except (InvalidToken, ValueError):
            return None
        return found if isinstance(found, dict) else None


def _key(secret: str, purpose: str) -> bytes:
    derived = HKDF(SHA256(), 32, salt=None, info=f"askwell {purpose}".encode()).derive(secret.encode())
    return base64.urlsafe_b64encode(derived)


# For so many seconds it is believed that a session was not ended on another machine.
_BELIEVED_SECONDS = 2.0
_MOST_BELIEVED = 10_000
# A cookie is written anew when this share of the idle time has gone by.
_RENEWED_AFTER = 0.1


@dataclass(frozen=True, slots=True)
class Session:
    """Who signed in. `csrf_token` has to come in a header with each change; `began` and `seen` are seconds since
    1970."""

    id: str
    principal: Principal
    csrf_token: str
    began: float
    seen: float


class Sessions:
    """Makes, reads and ends sessions. Sessions of another mapping of claims are nobody's, so that a role which was
    taken away in the configuration is gone at once. `now` is the wall clock, `clock` gives seconds."""

    def __init__(
        self,
        secret_texts: Sequence[str],
        config: SignInConfig,
        oidc: OidcConfig,
        ended: EndedTokens,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._seal = Seal(secret_texts, "session")
        self._ttl, self._idle = float(oidc.session_ttl), float(oidc.session_idle)
        self._mapping = _fingerprint(config, oidc)
        self._ended = ended
        self._now = now
        self._open: TTLCache[str, bool] = TTLCache(_MOST_BELIEVED, _BELIEVED_SECONDS, timer=clock)

    def begin(self, principal: Principal) -> tuple[Session, str] | None:
        """A new session and its cookie; None where what is known of the person does not fit into one."""
        now = self._now().timestamp()
        session = Session(secrets.token_urlsafe(24), principal, secrets.token_urlsafe(24), now, now)
        cookie = self._sealed(session)
        return (session, cookie) if len(cookie) <= MOST_BYTES else None

    async def read(self, cookie: str) -> Session | None:
        """The session of a cookie; None for one that is over, was ended, or is not ours. Raises
        `RecordUnavailable`."""
        content = self._seal.open(cookie)
        session = _session(content) if content is not None and content.get("mapping") == self._mapping else None
        if session is None:
            return None
        return session if await self.is_open(session) else None

    async def is_open(self, session: Session) -> bool:
        """Whether the session still goes on. Raises `RecordUnavailable`."""
        now = self._now().timestamp()
        if now - session.began >= self._ttl or now - session.seen >= self._idle:
            return False
        if session.id not in self._open:
            if await self._ended.has(session.id):
                return False
            self._open[session.id] = True
        return True

    def renewed(self, session: Session) -> str | None:
        """The session's cookie anew, so that it goes on being used; None while that is not needed."""
        now = self._now().timestamp()
        if now - session.seen < _RENEWED_AFTER * self._idle:
            return None
        return self._sealed(replace(session, seen=now))

    def seconds_left(self, session: Session) -> int:
        """How long the cookie is of use at most."""
        return max(0, int(session.began + self._ttl - self._now().timestamp()))

    async def end(self, session: Session) -> None:
        """Make the session unusable, on this machine at once, on others within seconds. Raises
        `RecordUnavailable`."""
        until = datetime.fromtimestamp(session.began, UTC) + timedelta(seconds=self._ttl)
        await self._ended.add(session.id, until)
        self._open.pop(session.id, None)

    def _sealed(self, session: Session) -> str:
        return self._seal.close(
            {
                "id": session.id,
                "csrf": session.csrf_token,
                "began": session.began,
                "seen": session.seen,
                "mapping": self._mapping,
                "person": session.principal.person.to_json(),
                "name": session.principal.name,
                "role": session.principal.role,
                "projects": None if session.principal.projects is None else sorted(session.principal.projects),
            }
        )


def is_csrf_token(session: Session, sent: str) -> bool:
    """Whether this is the session's token, in constant time."""
    return compare_digest(session.csrf_token.encode(), sent.encode("utf-8", "surrogateescape"))


def _session(content: Mapping[str, Any]) -> Session | None:
    """The session in what was sealed; None where another version sealed something else."""
    try:
        role, projects = content["role"], content["projects"]
        if role not in ROLES:
            return None
        person = Person.from_json(content["person"])
        principal = Principal(person, content["name"], role, None if projects is None else frozenset(projects))
        return Session(
            str(content["id"]), principal, str(content["csrf"]), float(content["began"]), float(content["seen"])
        )
    except (KeyError, TypeError, ValueError):
        return None


def _fingerprint(config: SignInConfig, oidc: OidcConfig) -> str:
    """Tells one mapping of claims from another. Keys that stand at their defaults do not count, so that a new version
    of this service with more keys takes the sessions of the old one."""
    parts = (
        oidc.issuer,
        oidc.role.model_dump_json(exclude_defaults=True),
        oidc.projects.model_dump_json(exclude_defaults=True) if oidc.projects else "",
        config.model_dump_json(include={"properties", "database_role"}, exclude_defaults=True),
    )
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]
