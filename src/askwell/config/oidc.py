"""Single sign-on by OpenID Connect: the section `sign_in.oidc`, and the secrets that go with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal
from urllib.parse import SplitResult, urlsplit

from pydantic import AfterValidator, Field, SecretStr, model_validator
from pydantic_core import PydanticCustomError

from askwell.config.hosts import Hosts, is_loopback
from askwell.config.named_variables import named_secret
from askwell.config.problems import Origins, Problem
from askwell.config.section import Section
from askwell.config.values import Count, Frozen, VariableName
from askwell.principal import Role

CALLBACK = "/sign-in/callback"
# Algorithms with a public and a private key: whoever can check a token cannot make one.
SigningAlgorithm = Literal["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"]
# The media type that a token says of itself: an access token (RFC 9068), or any token, which many issuers say.
TokenType = Literal["at+jwt", "jwt"]
# As long as what `openssl rand -hex 16` prints.
_LEAST_SECRET = 32


def _parts(value: str) -> SplitResult | None:
    """The URL taken apart; None for one that is not plain https, or plain http on this machine."""
    try:
        parts = urlsplit(value)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        return None
    if not value.isascii() or not value.isprintable() or set(value) & set(" \\#") or "@" in parts.netloc or not host:
        return None
    return parts if parts.scheme == "https" or (parts.scheme == "http" and is_loopback(host)) else None


def _secure_url(value: str) -> str:
    if _parts(value) is None:
        raise PydanticCustomError(
            "secure_url", "has to be a URL that starts with https://, or with http:// and an address of this machine"
        )
    return value


def _issuer(value: str) -> str:
    _secure_url(value)
    if "?" in value:
        raise PydanticCustomError("issuer", "has to be the issuer as its tokens name it, a URL without a query")
    return value


def _redirect_url(value: str) -> str:
    parts = _parts(_secure_url(value))
    if parts is None or not parts.path.endswith(CALLBACK) or parts.query:
        raise PydanticCustomError(
            "redirect_url",
            "has to be the address of this service's /v1/sign-in/callback, as browsers reach it, without a query",
        )
    return value


def _scopes(value: tuple[str, ...]) -> tuple[str, ...]:
    if "openid" not in value or any(not one or not one.isprintable() or " " in one for one in value):
        raise PydanticCustomError("scopes", 'has to be a list of scopes, "openid" among them')
    return value


def session_secrets(secret: SecretStr) -> tuple[str, ...]:
    """The secrets in a text, which blanks part; the first is for new sessions, and all of them are for those that
    exist."""
    return tuple(secret.get_secret_value().split())


def _session_secret(value: SecretStr | None) -> SecretStr | None:
    if value is not None:
        secrets = session_secrets(value)
        if not secrets or any(len(one) < _LEAST_SECRET for one in secrets):
            raise PydanticCustomError(
                "session_secret",
                "has to be {least} characters or more, for example what openssl rand -hex 32 prints; several are "
                "parted by blanks",
                {"least": _LEAST_SECRET},
            )
    return value


SecureUrl = Annotated[str, AfterValidator(_secure_url)]
SessionSecret = Annotated[SecretStr | None, AfterValidator(_session_secret)]


class RoleClaim(Section):
    """From a claim to what the person may do here: what `roles` has for its text, or for one of its texts, the role
    that may most; without `roles` the texts are roles themselves. `default` is for those for whom that gives none;
    where there is none, they are refused."""

    claim: str = Field("roles", min_length=1, max_length=256)
    roles: Frozen[str, Role] = Field(default_factory=dict)
    default: Role | None = None


class ProjectsClaim(Section):
    """From a claim to the projects that a person may use: what `projects` has for its texts, "*" being all; without
    `projects` the texts are ids of projects."""

    claim: str = Field(min_length=1, max_length=256)
    projects: Frozen[str, tuple[str, ...]] = Field(default_factory=dict)


class OidcConfig(Section):
    """The issuer whose tokens are taken. `audiences` are what bearer tokens have to be for (none: no bearer tokens);
    `redirect_url` turns sign-in by the browser on, which needs `client_id` and `sign_in.session_secret`. The issuer's
    addresses are on its own host or one of `allowed_hosts`; `discovery_url` and `jwks_url` are for issuers that have
    them elsewhere. `subject_claim` tells one person from another, by bearer tokens and in browsers alike. Sessions end
    after `session_ttl` seconds, or when not used for `session_idle` seconds."""

    issuer: Annotated[str, AfterValidator(_issuer)]
    audiences: tuple[Annotated[str, Field(min_length=1, max_length=512)], ...] = ()
    client_id: str | None = Field(None, min_length=1, max_length=512)
    client_secret: SecretStr | None = Field(None, exclude=True)
    client_secret_env: VariableName | None = None
    redirect_url: Annotated[str, AfterValidator(_redirect_url)] | None = None
    scopes: Annotated[tuple[str, ...], AfterValidator(_scopes)] = ("openid", "profile")
    discovery_url: SecureUrl | None = None
    jwks_url: SecureUrl | None = None
    allowed_hosts: Hosts = ()
    algorithms: tuple[SigningAlgorithm, ...] = Field(("RS256", "ES256", "PS256", "EdDSA"), min_length=1)
    token_types: tuple[TokenType, ...] = Field(("at+jwt", "jwt"), min_length=1)
    subject_claim: str = Field("sub", min_length=1, max_length=256)
    name_claim: str = Field("name", min_length=1, max_length=256)
    role: RoleClaim = Field(default_factory=RoleClaim)
    projects: ProjectsClaim | None = None
    session_ttl: Count = Field(43_200, ge=60, le=2_592_000)
    session_idle: Count = Field(3_600, ge=60, le=2_592_000)

    @property
    def takes_bearer_tokens(self) -> bool:
        """Whether tokens of the issuer are taken from API clients."""
        return bool(self.audiences)

    @property
    def signs_in_browsers(self) -> bool:
        """Whether people can sign in with a browser."""
        return self.redirect_url is not None

    @model_validator(mode="after")
    def _does_something(self) -> OidcConfig:
        if not self.audiences and self.redirect_url is None:
            raise ValueError("needs `audiences` to take bearer tokens, or `redirect_url` to sign browsers in, or both")
        if self.redirect_url is not None and self.client_id is None:
            raise ValueError("needs the `client_id` that the issuer knows this service by, beside `redirect_url`")
        return self


def oidc_secrets(
    data: Mapping[str, Any], environ: Mapping[str, str], origins: Origins
) -> tuple[dict[str, SecretStr], Mapping[str, SecretStr], list[Problem]]:
    """The session secret for the section `sign_in` and the client secret for `sign_in.oidc`, where variables are named
    that hold them, and what is wrong."""
    section = data.get("sign_in")
    if not isinstance(section, Mapping):
        return {}, {}, []
    oidc = section.get("oidc")
    if not isinstance(oidc, Mapping):
        oidc = {}
    session, problems = named_secret(("sign_in", "session_secret"), section, environ, origins, _session_secret)
    client, wrong = named_secret(("sign_in", "oidc", "client_secret"), oidc, environ, origins)
    if oidc.get("redirect_url") and not session and section.get("session_secret") is None and not problems:
        what = (
            "is needed to sign browsers in: set ASKWELL_SIGN_IN__SESSION_SECRET to what openssl rand -hex 32 prints, "
            "the same on each machine."
        )
        problems = [origins.problem(("sign_in", "session_secret"), what)]
    return session, client, problems + wrong
