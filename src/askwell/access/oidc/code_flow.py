"""Signing in with a browser: OpenID Connect's authorization code flow with PKCE (RFC 7636).

What has to be known when the browser comes back is in a cookie of its own, sealed and of one use: `state` binds the
answer to the browser, `nonce` the token to the sign-in, and the code's verifier the code to this service.
"""

from __future__ import annotations

import base64
import hashlib
import logging
import re
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hmac import compare_digest
from typing import Any
from urllib.parse import quote, urlencode

from askwell.access.oidc.claims import principal_of
from askwell.access.oidc.issuer import Discovery, Issuer
from askwell.access.oidc.sessions import MOST_BYTES, Seal, Session, Sessions
from askwell.access.oidc.tokens import Claims, Refused, TokenChecker
from askwell.config import SignInConfig
from askwell.config.sign_in import OidcConfig
from askwell.errors import InvalidRequest, Unavailable
from askwell.knowledge.api_keys import EndedTokens
from askwell.messages import say

logger = logging.getLogger(__name__)

# Seconds that someone has for signing in at the issuer.
SIGN_IN_SECONDS = 600
_AGAIN = "Start again at /v1/sign-in."
# A path of this service: no host, nothing that a browser reads as one or leaves out.
_PATH = re.compile(r"/(?![/\\])[!-\[\]-~]{0,1999}", re.ASCII)
_ERROR_CODE = re.compile(r"[a-z_]{1,64}", re.ASCII)
_LONGEST_CODE = 4_096


@dataclass(frozen=True, slots=True)
class Begun:
    """Where to send the browser, and the cookie that it has to bring back."""

    url: str
    cookie: str


@dataclass(frozen=True, slots=True)
class SignedIn:
    """The new session, its cookie, and the path that the person wanted to see."""

    session: Session
    cookie: str
    return_to: str


@dataclass(frozen=True, slots=True)
class NotSignedIn:
    """Why not, and what to do."""

    message: str
    hint: str


class _Failed(Exception):
    def __init__(self, message: str, hint: str = _AGAIN) -> None:
        super().__init__(message)
        self.refusal = NotSignedIn(message, hint)


class CodeFlow:
    """Sign-ins by the browser. `now` is the wall clock."""

    def __init__(
        self,
        config: SignInConfig,
        oidc: OidcConfig,
        issuer: Issuer,
        checker: TokenChecker,
        sessions: Sessions,
        *,
        secret_texts: tuple[str, ...],
        used: EndedTokens,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._config, self._oidc = config, oidc
        self._issuer, self._checker, self._sessions = issuer, checker, sessions
        self._seal = Seal(secret_texts, "sign-in")
        self._used = used
        self._now = now

    async def begin(self, return_to: str) -> Begun:
        """Begin a sign-in that ends at the path `return_to`. Raises `InvalidRequest` for anything else than a path, and
        for one that no cookie can hold, and `Unavailable` where the issuer is away."""
        if not _PATH.fullmatch(return_to):
            raise InvalidRequest(*say("sign_in.return_to_no_path"))
        discovery = await self._discovery()
        state, nonce, verifier = (secrets.token_urlsafe(32) for _ in range(3))
        query = {
            "response_type": "code",
            "client_id": self._oidc.client_id or "",
            "redirect_uri": self._oidc.redirect_url or "",
            "scope": " ".join(self._oidc.scopes),
            "state": state,
            "nonce": nonce,
            "code_challenge": _base64(hashlib.sha256(verifier.encode()).digest()),
            "code_challenge_method": "S256",
        }
        cookie = self._seal.close(
            {
                "state": state,
                "nonce": nonce,
                "verifier": verifier,
                "return_to": return_to,
                "began": self._now().timestamp(),
            }
        )
        if len(cookie) > MOST_BYTES:
            raise InvalidRequest(*say("sign_in.return_to_too_long"))
        mark = "&" if "?" in discovery.authorization_endpoint else "?"
        return Begun(f"{discovery.authorization_endpoint}{mark}{urlencode(query)}", cookie)

    async def complete(self, cookie: str | None, answer: Mapping[str, str]) -> SignedIn | NotSignedIn:
        """End a sign-in by the parameters that the browser brought from the issuer and the cookie that it had. Raises
        `Unavailable` where the issuer or the record is away."""
        try:
            return await self._completed(cookie, answer)
        except _Failed as failed:
            logger.info("a sign-in was refused", extra={"reason": failed.refusal.message})
            return failed.refusal

    async def _completed(self, cookie: str | None, answer: Mapping[str, str]) -> SignedIn:
        begun = self._seal.open(cookie) if cookie else None
        now = self._now()
        if begun is None or now.timestamp() - begun["began"] >= SIGN_IN_SECONDS:
            raise _Failed("This browser has begun no sign-in, or more than ten minutes ago.")
        if not _is_same(begun["state"], answer.get("state", "")):
            raise _Failed("This is the answer to another sign-in than the one that this browser began last.")
        if not await self._used.add(begun["state"], now + timedelta(seconds=SIGN_IN_SECONDS)):
            raise _Failed("This sign-in was completed already.")
        discovery = await self._discovery()
        _check_sender(answer.get("iss"), self._oidc.issuer, discovery)
        if "error" in answer:
            code = answer["error"] if _ERROR_CODE.fullmatch(answer["error"]) else "no readable reason"
            raise _Failed(f"The issuer refused the sign-in: {code}.")
        claims = await self._exchanged(answer.get("code", ""), begun, discovery)
        try:
            principal = principal_of(claims, self._config, self._oidc)
        except Refused as refused:
            message = f"You are known to the issuer, and may do nothing here: {refused}."
            raise _Failed(message, "Ask an administrator for a role.") from None
        made = self._sessions.begin(principal)
        if made is None:
            message = "What the issuer says of you is more than a cookie can hold."
            raise _Failed(message, "Have it send fewer groups, or map them to fewer projects.")
        return SignedIn(*made, begun["return_to"])

    async def _exchanged(self, code: str, begun: Mapping[str, Any], discovery: Discovery) -> Claims:
        """The claims of the ID token that the issuer gives for a code."""
        if not 0 < len(code) <= _LONGEST_CODE:
            raise _Failed("The issuer sent no code.")
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": self._oidc.redirect_url or "",
            "code_verifier": begun["verifier"],
        }
        authorization = self._authenticate(form, discovery)
        reply = await self._issuer.tokens(discovery.token_endpoint, form, authorization)
        if reply.status >= 500:
            raise Unavailable(*say("sign_in.code_refused", status=reply.status))
        token = reply.body.get("id_token")
        if reply.status != 200 or not isinstance(token, str):
            given = reply.body.get("error")
            known = isinstance(given, str) and _ERROR_CODE.fullmatch(given)
            raise _Failed(f"The issuer does not take the code{f': {given}' if known else ''}.")
        client = self._oidc.client_id or ""
        try:
            claims = await self._checker.claims(token, [client], ("jwt",))
        except Refused as refused:
            raise _Failed(f"The issuer's token is not taken: {refused}.") from None
        party, several = claims.get("azp"), isinstance(claims["aud"], list) and len(claims["aud"]) > 1
        if (party is not None or several) and party != client:
            raise _Failed("The issuer's token was made for another client.")
        if not _is_same(begun["nonce"], claims.get("nonce")):
            raise _Failed("The issuer's token belongs to another sign-in.")
        return claims

    def _authenticate(self, form: dict[str, str], discovery: Discovery) -> str | None:
        """Say in `form`, or in the header that this gives, which client we are (RFC 6749, section 2.3.1)."""
        client, secret = self._oidc.client_id or "", self._oidc.client_secret
        if secret is None:
            form["client_id"] = client
            return None
        text = secret.get_secret_value()
        if "client_secret_basic" not in discovery.client_authentication and (
            "client_secret_post" in discovery.client_authentication
        ):
            form |= {"client_id": client, "client_secret": text}
            return None
        pair = f"{quote(client, safe='')}:{quote(text, safe='')}"
        return f"Basic {base64.b64encode(pair.encode()).decode()}"

    async def _discovery(self) -> Discovery:
        found = await self._issuer.known_discovery()
        if not found.authorization_endpoint or not found.token_endpoint:
            raise Unavailable(*say("sign_in.issuer_without_sign_in", issuer=self._oidc.issuer))
        return found


def _check_sender(named: str | None, issuer: str, discovery: Discovery) -> None:
    """Raises where an answer is of another issuer (RFC 9207)."""
    if named != issuer and (named is not None or discovery.names_itself):
        raise _Failed("This is the answer of another issuer.")


def _is_same(kept: str, sent: object) -> bool:
    return isinstance(sent, str) and compare_digest(kept.encode(), sent.encode("utf-8", "surrogateescape"))


def _base64(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()
