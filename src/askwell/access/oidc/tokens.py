"""Whether a token is the issuer's, for us, and of now.

PyJWT checks signature and claims, and that their bytes are spelled in the one way there is. What it would let pass is
refused here before: padding, a name twice, times that are no numbers, headers that have to be understood and are not.
What a token says of keys (`jwk`, `jku`, `x5u`, `x5c`) is never looked at; `kid` is looked up in the issuer's set.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import jwt

from askwell.access.authentication import LONGEST_TOKEN
from askwell.access.oidc.issuer import json_object
from askwell.access.oidc.keys import IssuerKeys

# How far clocks may differ, in seconds.
CLOCK_SKEW = 60
Claims = Mapping[str, Any]
_COMPACT = re.compile(r"([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)", re.ASCII)
_NAME_OF_KEY = re.compile(r"[!-~]{1,256}", re.ASCII)
# What may name a person (OpenID Connect Core 1.0, section 2: at most 255 characters of ASCII).
SUBJECT = re.compile(r"[ -~]{1,255}", re.ASCII)
# Later ones are nobody's: the year 5138.
_LAST_SECOND = 1e11
# What a header has to be understood for (RFC 7515, section 4.1.11; RFC 7797; RFC 7516), and what we know nothing of.
_NOT_UNDERSTOOD = ("crit", "b64", "enc", "zip")


def is_compact(token: str) -> bool:
    """Whether a text has the form of a signed token."""
    return len(token) <= LONGEST_TOKEN and _COMPACT.fullmatch(token) is not None


class Refused(Exception):
    """A token is not taken, for a reason in words that quote nothing of it."""


@dataclass(frozen=True, slots=True)
class TokenChecker:
    """Checks the tokens of `issuer` by its `keys`."""

    issuer: str
    keys: IssuerKeys
    algorithms: Sequence[str]

    async def claims(self, token: str, audiences: Sequence[str], types: Sequence[str]) -> Claims:
        """The claims of a token that is for one of `audiences` and says to be of one of `types`. Raises `Refused`, and
        `Unavailable` where the issuer cannot be asked for a key that may be new."""
        parts = _COMPACT.fullmatch(token) if len(token) <= LONGEST_TOKEN else None
        if parts is None:
            raise Refused("it has not the form of a signed token")
        header = _object(parts[1], "header")
        name, algorithm = self._named_key(header, types)
        claims = _object(parts[2], "claims")
        _check_types(claims)
        key = await self.keys.find(name, algorithm)
        if key is None:
            raise Refused("the issuer has no such key for signatures")
        try:
            jwt.decode(
                token,
                key,
                algorithms=[algorithm],
                audience=audiences,
                issuer=self.issuer,
                leeway=CLOCK_SKEW,
                options={"require": ["iss", "aud", "exp", "iat", "sub"], "enforce_minimum_key_length": True},
            )
        except (jwt.PyJWTError, ValueError, TypeError, ArithmeticError) as error:
            raise Refused(_WORDS.get(type(error), type(error).__name__)) from None
        return claims

    def _named_key(self, header: Mapping[str, Any], types: Sequence[str]) -> tuple[str | None, str]:
        """The name and the algorithm that a header gives. Raises `Refused`."""
        algorithm, name, kind = header.get("alg"), header.get("kid"), header.get("typ", "jwt")
        if not isinstance(algorithm, str) or algorithm not in self.algorithms:
            raise Refused("its algorithm is not one of sign_in.oidc.algorithms")
        if any(member in header for member in _NOT_UNDERSTOOD):
            raise Refused("its header asks for something that is not understood here")
        if "kid" in header and (not isinstance(name, str) or not _NAME_OF_KEY.fullmatch(name)):
            raise Refused("its kid is not a key name")
        if not isinstance(kind, str) or kind.lower().removeprefix("application/") not in types:
            raise Refused("its typ is not one of sign_in.oidc.token_types")
        return name, algorithm


_WORDS: Mapping[type[Exception], str] = {
    jwt.InvalidSignatureError: "its signature is wrong",
    jwt.ExpiredSignatureError: "it has expired",
    jwt.ImmatureSignatureError: "it is not valid yet",
    jwt.InvalidAudienceError: "its audience is another service",
    jwt.InvalidIssuerError: "it comes from another issuer",
    jwt.MissingRequiredClaimError: "a claim is missing",
}


def _object(part: str, what: str) -> dict[str, Any]:
    try:
        return json_object(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    except ValueError:
        raise Refused(f"its {what} cannot be read") from None


def _check_types(claims: Mapping[str, Any]) -> None:
    """Raises `Refused` where a claim is not what the standard says, which some readers would take for something."""
    for name in ("exp", "iat", "nbf"):
        value = claims.get(name, 0)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise Refused(f"its {name} is not a number")
        if not 0 <= value <= _LAST_SECOND:
            raise Refused(f"its {name} is not a time")
    subject, audience = claims.get("sub"), claims.get("aud")
    if not isinstance(subject, str) or not SUBJECT.fullmatch(subject):
        raise Refused("its sub is not a valid name")
    audiences = audience if isinstance(audience, list) else [audience]
    if not audiences or not all(isinstance(one, str) for one in audiences):
        raise Refused("its aud is not a name")
