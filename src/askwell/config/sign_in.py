"""Who may call, and what is made of what is known of a person: the section `sign_in`, with single sign-on by OpenID
Connect."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import SplitResult, urlsplit

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr, model_validator

from askwell.config.hosts import Hosts, is_loopback
from askwell.config.problems import wrong
from askwell.config.values import Count, Flag, Frozen, Section, VariableName, off_is_a_word
from askwell.principal import Role

CALLBACK = "/sign-in/callback"
# Algorithms with a public and a private key: being able to check a token is not being able to make one.
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
        raise wrong("secure_url")
    return value


def _issuer(value: str) -> str:
    _secure_url(value)
    if "?" in value:
        raise wrong("issuer")
    return value


def _redirect_url(value: str) -> str:
    parts = _parts(_secure_url(value))
    if parts is None or not parts.path.endswith(CALLBACK) or parts.query:
        raise wrong("redirect_url")
    return value


def _scopes(value: tuple[str, ...]) -> tuple[str, ...]:
    if "openid" not in value or any(not one or not one.isprintable() or " " in one for one in value):
        raise wrong("scopes")
    return value


def session_secrets(secret: SecretStr) -> tuple[str, ...]:
    """The secrets in a text, which blanks part; the first is for new sessions, and all of them are for those that
    exist."""
    return tuple(secret.get_secret_value().split())


def check_session_secret(value: SecretStr | None) -> SecretStr | None:
    if value is not None:
        secrets = session_secrets(value)
        if not secrets or any(len(one) < _LEAST_SECRET for one in secrets):
            raise wrong("session_secret", least=_LEAST_SECRET)
    return value


SecureUrl = Annotated[str, AfterValidator(_secure_url)]
SessionSecret = Annotated[SecretStr | None, AfterValidator(check_session_secret)]


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


# A key of `openssl rand -hex 16` and longer.
_LEAST_KEY, _MOST_KEY = 32, 512
_KEY = re.compile(rf"[!-~]{{{_LEAST_KEY},{_MOST_KEY}}}", re.ASCII)


def check_admin_key(value: SecretStr | None) -> SecretStr | None:
    if value is None or _KEY.fullmatch(value.get_secret_value()):
        return value
    raise wrong("admin_key", least=_LEAST_KEY, most=_MOST_KEY)


class PropertyFromClaim(Section):
    """A session property of row and column rules, from a claim of the person's token or an attribute of their key."""

    claim: str = Field(min_length=1, max_length=256)
    type: Literal["text", "number", "boolean"] = "text"


class RoleFromClaim(Section):
    """The role that the person's statements take on in the database: what `roles` has for the claim's text, or without
    `roles` the text itself. `default` is for those without the claim; where there is none, they are refused."""

    claim: str = Field(min_length=1, max_length=256)
    roles: Frozen[str, str] = Field(default_factory=dict)
    default: str | None = Field(None, min_length=1, max_length=128)


class LimitsConfig(Section):
    """For a minute: requests and new asks (and other jobs) of one person, and failed sign-ins from one address. 0 is no
    limit."""

    requests: Count = Field(1_200, ge=0, le=1_000_000)
    asks: Count = Field(120, ge=0, le=1_000_000)
    failures: Count = Field(20, ge=0, le=1_000_000)


class AuditConfig(Section):
    """Where it is written who asked what: a `file` in `home` (or at `path`) that begins anew each day and is kept for
    `days`, or `stdout`. `questions` says whether the words of questions are in it."""

    to: Annotated[Literal["file", "stdout", "off"], BeforeValidator(off_is_a_word)] = "file"
    path: Path | None = None
    days: Count = Field(90, ge=1, le=3_650)
    questions: Flag = True


class SignInConfig(Section):
    """Who may call. `keys` takes API keys; `admin_key`, which only the environment holds, is one for the first start.
    `oidc` is single sign-on, and `session_secret`, which only the environment holds, keeps its sessions. `open` lets
    everybody in who reaches the service, also where that is more than this machine. `properties` and
    `database_role` make of what is known of a person what they may read."""

    keys: Flag = False
    admin_key: Annotated[SecretStr | None, AfterValidator(check_admin_key)] = Field(None, exclude=True)
    admin_key_env: VariableName | None = None
    open: Flag = False
    oidc: OidcConfig | None = None
    session_secret: SessionSecret = Field(None, exclude=True)
    session_secret_env: VariableName | None = None
    properties: Frozen[str, PropertyFromClaim] = Field(default_factory=dict)
    database_role: RoleFromClaim | None = None
    limits: LimitsConfig = LimitsConfig()
    audit: AuditConfig = AuditConfig()

    @property
    def takes_keys(self) -> bool:
        """Whether API keys are let in."""
        return self.keys or self.admin_key is not None or self.admin_key_env is not None

    @property
    def is_on(self) -> bool:
        """Whether callers have to say who they are."""
        return self.takes_keys or self.oidc is not None

    @model_validator(mode="after")
    def _is_one_or_the_other(self) -> SignInConfig:
        if self.open and self.is_on:
            raise ValueError("`open` lets everybody in, and the rest of the section does not: keep one of the two")
        return self
