"""An issuer of OpenID Connect over real HTTP: discovery, keys, sign-ins with PKCE, tokens, and everything that can go
wrong with them.

    async with FakeIssuer() as issuer:
        token = issuer.token(sub="ann", aud="askwell", roles=["ask"])

`issuer.requests` counts what came in, by path. Whoever visits `/authorize` is signed in at once as `issuer.person`.
`faults` answers a path otherwise: with a status and a body, with a redirect, or not at all.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import secrets
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self
from urllib.parse import unquote, urlencode

import jwt
from aiohttp import web
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

DISCOVERY, KEYS, AUTHORIZE, TOKEN = "/.well-known/openid-configuration", "/keys", "/authorize", "/token"
CLIENT, CLIENT_SECRET, AUDIENCE = "askwell-client", "a client's secret & more", "askwell"
HANG = object()


@dataclass
class Key:
    """A key of the issuer. `shown` is what stands of it in the key set; None hides it."""

    kid: str
    algorithm: str
    private: Any
    more: dict[str, Any] = field(default_factory=dict)
    shown: bool = True

    @classmethod
    def new(cls, kid: str, algorithm: str = "RS256", bits: int = 2048) -> Key:
        if algorithm == "EdDSA":
            return cls(kid, algorithm, ed25519.Ed25519PrivateKey.generate())
        if algorithm.startswith("ES"):
            curve = {"ES256": ec.SECP256R1(), "ES384": ec.SECP384R1(), "ES512": ec.SECP521R1()}[algorithm]
            return cls(kid, algorithm, ec.generate_private_key(curve))
        return cls(kid, algorithm, rsa.generate_private_key(65537, bits))

    def jwk(self) -> dict[str, Any]:
        public = jwt.get_algorithm_by_name(self.algorithm).to_jwk(self.private.public_key(), as_dict=True)
        return {**public, "kid": self.kid, "use": "sig", "alg": self.algorithm, **self.more}

    def pem(self) -> bytes:
        return self.private.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


# Making one takes a tenth of a second.
RSA_KEY = Key.new("rsa-1")
OTHER_RSA_KEY = Key.new("rsa-2")


class FakeIssuer:
    def __init__(self) -> None:
        self.keys = [Key("rsa-1", "RS256", RSA_KEY.private), Key.new("ec-1", "ES256"), Key.new("ed-1", "EdDSA")]
        self.requests: Counter[str] = Counter()
        self.person: dict[str, Any] = {"sub": "ann", "name": "Ann", "roles": ["ask"]}
        self.faults: dict[str, Any] = {}
        self.discovery: dict[str, Any] = {}
        self.id_token: dict[str, Any] = {}
        self.seconds_off = 0.0
        self.asked: dict[str, Any] = {}
        self.exchanged: list[Mapping[str, str]] = []
        self._codes: dict[str, Mapping[str, str]] = {}
        self._runner: web.AppRunner | None = None
        self._port = 0
        self._released = asyncio.Event()

    @property
    def url(self) -> str:
        """Its name, as in tokens."""
        return f"http://127.0.0.1:{self._port}"

    async def __aenter__(self) -> Self:
        app = web.Application(middlewares=[self._around])
        app.router.add_get(DISCOVERY, self._discovery)
        app.router.add_get(KEYS, self._keys)
        app.router.add_get(AUTHORIZE, self._authorize)
        app.router.add_post(TOKEN, self._token)
        app.router.add_get(f"/moved{DISCOVERY}", self._discovery)
        app.router.add_get(f"/moved{KEYS}", self._keys)
        app.router.add_get("/{elsewhere:.*}", self._elsewhere)
        self._runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self._port)
        await site.start()
        self._port = site._server.sockets[0].getsockname()[1]  # type: ignore[union-attr]
        return self

    async def __aexit__(self, *args: object) -> None:
        self._released.set()
        if self._runner is not None:
            await self._runner.cleanup()

    # -- tokens -----------------------------------------------------------------------------------------------------

    def claims(self, **claims: Any) -> dict[str, Any]:
        """The claims of a token that is taken; one that is given as None is left out."""
        now = int(time.time())
        usual = {"iss": self.url, "aud": AUDIENCE, "iat": now, "exp": now + 300, **self.person}
        return {name: value for name, value in (usual | claims).items() if value is not None}

    def token(self, key: Key | None = None, header: Mapping[str, Any] | None = None, **claims: Any) -> str:
        """A token signed with a key of the issuer, or another one."""
        key = key or self.keys[0]
        header = {"kid": key.kid, "typ": "at+jwt", **(header or {})}
        return sign(key, {name: value for name, value in header.items() if value is not None}, self.claims(**claims))

    # -- what it serves ---------------------------------------------------------------------------------------------

    @web.middleware
    async def _around(self, request: web.Request, handler: Any) -> web.StreamResponse:
        self.requests[request.path] += 1
        fault = self.faults.get(request.path)
        if fault is HANG:
            await self._released.wait()
        if isinstance(fault, str):
            return web.Response(status=302, headers={"Location": fault})
        if isinstance(fault, tuple):
            return web.Response(status=fault[0], body=fault[1], content_type="application/json")
        response: web.StreamResponse = await handler(request)
        if self.seconds_off:
            moment = time.gmtime(time.time() + self.seconds_off)
            response.headers["Date"] = time.strftime("%a, %d %b %Y %H:%M:%S GMT", moment)
        return response

    async def _discovery(self, request: web.Request) -> web.Response:
        usual = {
            "issuer": self.url,
            "authorization_endpoint": f"{self.url}{AUTHORIZE}",
            "token_endpoint": f"{self.url}{TOKEN}",
            "jwks_uri": f"{self.url}{KEYS}",
            "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post"],
            "authorization_response_iss_parameter_supported": True,
        }
        return web.json_response(usual | self.discovery)

    async def _keys(self, request: web.Request) -> web.Response:
        return web.json_response({"keys": [key.jwk() for key in self.keys if key.shown]})

    async def _authorize(self, request: web.Request) -> web.Response:
        asked = self.asked = dict(request.query)
        assert asked["response_type"] == "code"
        assert asked["client_id"] == CLIENT
        assert asked["code_challenge_method"] == "S256"
        code = secrets.token_urlsafe(16)
        self._codes[code] = asked
        answer = urlencode({"code": code, "state": asked["state"], "iss": self.url})
        return web.Response(status=302, headers={"Location": f"{asked['redirect_uri']}?{answer}"})

    async def _token(self, request: web.Request) -> web.Response:
        form = dict(await request.post())
        self.exchanged.append({str(name): str(value) for name, value in form.items()})
        kind, _, pair = request.headers.get("Authorization", "").partition(" ")
        if kind == "Basic":
            client, _, secret = base64.b64decode(pair).decode().partition(":")
            client, secret = unquote(client), unquote(secret)
        else:
            client, secret = str(form.get("client_id")), str(form.get("client_secret"))
        if (client, secret) != (CLIENT, CLIENT_SECRET):
            return web.json_response({"error": "invalid_client"}, status=401)
        asked = self._codes.pop(str(form.get("code")), None)
        digest = hashlib.sha256(str(form.get("code_verifier", "")).encode()).digest()
        if (
            asked is None
            or asked["redirect_uri"] != form.get("redirect_uri")
            or asked["code_challenge"] != base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        ):
            return web.json_response({"error": "invalid_grant"}, status=400)
        key = self.id_token.get("key", self.keys[0])
        more = {"aud": CLIENT, "nonce": asked["nonce"]} | {n: v for n, v in self.id_token.items() if n != "key"}
        token = self.token(key, {"typ": "JWT"}, **more)
        return web.json_response({"access_token": "opaque", "token_type": "Bearer", "id_token": token})

    async def _elsewhere(self, request: web.Request) -> web.Response:
        return web.json_response({"keys": []})


def sign(key: Key, header: Mapping[str, Any], claims: Any) -> str:
    """A token with exactly this header, `alg` of the key where it says none; `claims` may be bytes."""
    head = encode({"alg": key.algorithm, **header})
    body = encode(claims)
    algorithm = jwt.get_algorithm_by_name(key.algorithm)
    signature = algorithm.sign(f"{head}.{body}".encode(), algorithm.prepare_key(key.private))
    return f"{head}.{body}.{encode(signature)}"


def encode(content: Any) -> str:
    """Bytes, or the JSON of anything else, in base64url without padding."""
    raw = content if isinstance(content, bytes) else json.dumps(content, separators=(",", ":")).encode()
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()
