"""Who may call, and what is made of what is known of a person: the section `sign_in`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr, model_validator
from pydantic_core import PydanticCustomError

from askwell.config.named_variables import named_secret
from askwell.config.oidc import OidcConfig, SessionSecret
from askwell.config.problems import Origins, Problem
from askwell.config.section import Section
from askwell.config.values import Count, Flag, Frozen, VariableName, off_is_a_word

# A key of `openssl rand -hex 16` and longer.
_LEAST_KEY, _MOST_KEY = 32, 512
_KEY = re.compile(rf"[!-~]{{{_LEAST_KEY},{_MOST_KEY}}}", re.ASCII)


def _admin_key(value: SecretStr | None) -> SecretStr | None:
    if value is None or _KEY.fullmatch(value.get_secret_value()):
        return value
    raise PydanticCustomError(
        "admin_key",
        "has to be {least} to {most} letters, digits and signs without blanks, for example what openssl rand -hex 32 "
        "prints",
        {"least": _LEAST_KEY, "most": _MOST_KEY},
    )


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
    admin_key: Annotated[SecretStr | None, AfterValidator(_admin_key)] = Field(None, exclude=True)
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


def admin_key(
    data: Mapping[str, Any], environ: Mapping[str, str], origins: Origins
) -> tuple[dict[str, SecretStr], list[Problem]]:
    """`admin_key`, where another variable of the environment holds it, and what is wrong with it."""
    section = data.get("sign_in")
    if not isinstance(section, Mapping):
        return {}, []
    return named_secret(("sign_in", "admin_key"), section, environ, origins, _admin_key)
