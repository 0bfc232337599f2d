"""What an issuer is like now, for whoever looks after the service."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from askwell.access.oidc.issuer import Issuer
from askwell.access.oidc.keys import KeySet
from askwell.config.oidc import OidcConfig


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
