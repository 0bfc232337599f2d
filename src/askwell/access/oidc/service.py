"""Single sign-on as the rest of the program uses it: bearer tokens, sign-ins by the browser, and their sessions."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from askwell.access.oidc.claims import OidcAuthenticator
from askwell.access.oidc.code_flow import CodeFlow
from askwell.access.oidc.issuer import Issuer
from askwell.access.oidc.keys import IssuerKeys, KeySet
from askwell.access.oidc.sessions import Sessions
from askwell.access.oidc.tokens import TokenChecker
from askwell.config import SignInConfig
from askwell.config.sign_in import OidcConfig, session_secrets
from askwell.knowledge.api_keys import EndedTokens


@dataclass(frozen=True, slots=True)
class IssuerFacts:
    """How many usable keys it has, names that several of them share, by how many seconds its clock is before ours
    (None where it does not tell), and whether people can sign in there."""

    keys: int
    shared_names: tuple[str, ...]
    clock_off: float | None
    has_sign_in: bool


async def look_at(oidc: OidcConfig) -> IssuerFacts:
    """Ask the issuer. Raises `Unavailable` with what is wrong."""
    issuer = Issuer(oidc)
    date, has_sign_in = None, False
    try:
        if oidc.signs_in_browsers or oidc.jwks_url is None:
            discovery, reply = await issuer.discovery()
            date, has_sign_in = reply.date, bool(discovery.authorization_endpoint and discovery.token_endpoint)
        keys = KeySet(await issuer.key_set(), oidc.algorithms)
    finally:
        await issuer.close()
    off = None if date is None else date - datetime.now(UTC).timestamp()
    return IssuerFacts(len(keys), tuple(keys.ambiguous), off, has_sign_in)


class SingleSignOn:
    """Made of the section `sign_in.oidc`; nothing is fetched before someone comes. `code_flow` and `sessions` are None
    where no browser signs in."""

    def __init__(
        self,
        config: SignInConfig,
        oidc: OidcConfig,
        ended: EndedTokens,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`now` is the wall clock, `clock` gives seconds."""
        self._issuer = Issuer(oidc, clock)
        self._keys = IssuerKeys(self._issuer.key_set, oidc.algorithms, clock)
        checker = TokenChecker(oidc.issuer, self._keys, oidc.algorithms)
        self.authenticator = OidcAuthenticator(config, oidc, checker)
        # Without https the browser is on this machine, and takes no cookie that is for https alone.
        self.uses_https = (oidc.redirect_url or "").startswith("https://")
        self.sessions: Sessions | None = None
        self.code_flow: CodeFlow | None = None
        if oidc.signs_in_browsers and config.session_secret is not None:
            secrets = session_secrets(config.session_secret)
            self.sessions = Sessions(secrets, config, oidc, ended, now, clock)
            self.code_flow = CodeFlow(
                config, oidc, self._issuer, checker, self.sessions, secret_texts=secrets, used=ended, now=now
            )

    async def close(self) -> None:
        """End what is being fetched, and close connections. Safe to call twice."""
        await self._keys.close()
        await self._issuer.close()
