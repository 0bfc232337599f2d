"""Everything that is fetched from an issuer: what it says of itself, its keys, and tokens for codes.

Requests go to the issuer's host and the allowed ones alone, follow no redirect, and take no reply that is large or long
in coming.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

import aiohttp

from askwell.config.hosts import is_among, is_loopback
from askwell.config.sign_in import OidcConfig
from askwell.errors import Unavailable
from askwell.messages import say
from askwell.providers.redirects import sends_on

WELL_KNOWN = "/.well-known/openid-configuration"
_CONNECT_SECONDS = 3.0
_SECONDS = 8.0
_MOST_BYTES = 512 * 1024
# Seconds for which what the issuer says of itself is believed, and between two tries where it says nothing.
_DISCOVERY_SECONDS = 600.0
_PAUSE = 5.0


@dataclass(frozen=True, slots=True)
class Discovery:
    """What an issuer says of itself (OpenID Connect Discovery 1.0, section 3). `names_itself` is whether it says in
    each answer to a sign-in who it is (RFC 9207). Addresses that it does not name are empty."""

    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    client_authentication: tuple[str, ...]
    names_itself: bool


@dataclass(frozen=True, slots=True)
class Reply:
    """What came: the status, the JSON object, and the server's clock (seconds since 1970) where it told it."""

    status: int
    body: dict[str, Any]
    date: float | None


class Issuer:
    """The issuer of a configuration. `clock` gives seconds. Every method raises `Unavailable` with a sentence for the
    operator."""

    def __init__(self, config: OidcConfig, clock: Callable[[], float] = time.monotonic) -> None:
        self._config = config
        self._clock = clock
        self._looking = asyncio.Lock()
        self._known: Discovery | None = None
        self._failure: Unavailable | None = None
        self._looked_at = float("-inf")
        self._host = urlsplit(config.issuer).hostname or ""
        self._session: aiohttp.ClientSession | None = None
        self._closed = False

    async def discovery(self) -> tuple[Discovery, Reply]:
        """What it says of itself, and how that came."""
        url = self._config.discovery_url or f"{self._config.issuer.rstrip('/')}{WELL_KNOWN}"
        reply = await self._get(url)
        if reply.body.get("issuer") != self._config.issuer:
            raise Unavailable(*say("sign_in.other_issuer", url=url, issuer=self._config.issuer))
        methods = reply.body.get("token_endpoint_auth_methods_supported", ["client_secret_basic"])
        return Discovery(
            self._address(reply.body, "authorization_endpoint"),
            self._address(reply.body, "token_endpoint"),
            self._config.jwks_url or self._address(reply.body, "jwks_uri"),
            tuple(one for one in methods if isinstance(one, str)) if isinstance(methods, list) else (),
            reply.body.get("authorization_response_iss_parameter_supported") is True,
        ), reply

    async def known_discovery(self) -> Discovery:
        """What it says of itself, asked for now and then: strangers cannot make us hammer the issuer."""
        async with self._looking:
            age = self._clock() - self._looked_at
            if age >= (_DISCOVERY_SECONDS if self._failure is None else _PAUSE):
                try:
                    self._known, self._failure = (await self.discovery())[0], None
                except Unavailable as error:
                    self._failure = error
                # Not where the caller went away meanwhile: then nothing is known, and the next one asks.
                self._looked_at = self._clock()
            if self._known is None:
                raise self._failure or Unavailable(*say("sign_in.issuer_not_known_yet"))
            return self._known

    async def key_set(self) -> dict[str, Any]:
        """Its keys, as a JSON Web Key Set (RFC 7517)."""
        url = self._config.jwks_url or (await self.discovery())[0].jwks_uri
        if not url:
            raise Unavailable(*say("sign_in.issuer_without_keys", issuer=self._config.issuer))
        return (await self._get(url)).body

    async def tokens(self, endpoint: str, form: Mapping[str, str], authorization: str | None) -> Reply:
        """Its answer to a code."""
        headers = {"Authorization": authorization} if authorization else {}
        return await self._request("POST", endpoint, dict(form), headers)

    async def close(self) -> None:
        """Close every connection. Safe to call twice."""
        self._closed = True
        if self._session is not None:
            await self._session.close()

    async def _get(self, url: str) -> Reply:
        reply = await self._request("GET", url, None, {})
        if reply.status != 200:
            raise Unavailable(*say("sign_in.issuer_status", url=url, status=reply.status))
        return reply

    async def _request(
        self, method: str, url: str, form: Mapping[str, str] | None, headers: Mapping[str, str]
    ) -> Reply:
        wanted = {"Accept": "application/json", "Accept-Encoding": "identity", **headers}
        try:
            async with (
                asyncio.timeout(_SECONDS),
                self._open().request(method, url, data=form, headers=wanted, allow_redirects=False) as response,
            ):
                if did := sends_on(response.status, response.headers.get("location")):
                    raise Unavailable(*say("sign_in.issuer_fails", url=url, did=did))
                content = await response.content.read(_MOST_BYTES + 1)
                while len(content) <= _MOST_BYTES and (more := await response.content.read(_MOST_BYTES)):
                    content += more
                date = response.headers.get("date", "")
        except (aiohttp.ClientError, OSError, TimeoutError, ValueError) as error:
            # The class alone: messages hold addresses of other machines.
            raise Unavailable(*say("sign_in.issuer_unreachable", url=url, name=type(error).__name__)) from None
        if len(content) > _MOST_BYTES:
            raise Unavailable(*say("sign_in.issuer_too_large", url=url, most_bytes=_MOST_BYTES))
        try:
            body = json_object(content)
        except ValueError:
            raise Unavailable(*say("sign_in.issuer_no_json", url=url, status=response.status)) from None
        return Reply(response.status, body, _seconds(date))

    def _open(self) -> aiohttp.ClientSession:
        if self._closed:
            raise Unavailable(*say("service.shutting_down_later"))
        if self._session is None:
            self._session = aiohttp.ClientSession(
                timeout=aiohttp.ClientTimeout(total=_SECONDS, sock_connect=_CONNECT_SECONDS),
                cookie_jar=aiohttp.DummyCookieJar(),
            )
        return self._session

    def _address(self, document: Mapping[str, Any], name: str) -> str:
        """An address of the document, where nothing else than the configuration allows can be reached by it."""
        url = document.get(name, "")
        try:
            parts = urlsplit(url if isinstance(url, str) else "\\")
            host, _ = parts.hostname or "", parts.port
        except ValueError:
            host = ""
        if url == "":
            return ""
        if not host or not isinstance(url, str) or not url.isascii() or not url.isprintable() or "@" in parts.netloc:
            raise Unavailable(*say("sign_in.issuer_names_no_address", issuer=self._config.issuer, name=name))
        if parts.scheme != "https" and not (parts.scheme == "http" and is_loopback(host)):
            raise Unavailable(*say("sign_in.issuer_address_not_https", issuer=self._config.issuer, name=name))
        if host != self._host and not is_among(host, self._config.allowed_hosts):
            raise Unavailable(*say("sign_in.issuer_other_host", issuer=self._config.issuer, name=name, host=host))
        return url


def _seconds(date: str) -> float | None:
    try:
        return parsedate_to_datetime(date).timestamp()
    except (ValueError, TypeError, OverflowError):
        return None


def json_object(content: bytes) -> dict[str, Any]:
    """The object in a text of JSON as UTF-8 that two readers cannot understand differently: no name twice, no NaN,
    nothing nested without end. Raises `ValueError` for anything else."""
    try:
        found = json.loads(content.decode("utf-8"), object_pairs_hook=_once_each, parse_constant=_refused)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if not isinstance(found, dict):
        raise ValueError("not an object")
    return found


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name stands there twice")
    return found


def _refused(name: str) -> None:
    raise ValueError(f"{name} is no JSON")
