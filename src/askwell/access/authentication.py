"""Everything that a service needs to know its callers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from askwell.access.audit import AuditLog
from askwell.access.keys import AdminKey, ApiKeys
from askwell.access.limits import Limits
from askwell.config import SignInConfig
from askwell.errors import Busy
from askwell.knowledge.api_keys import ApiKeyShelf
from askwell.messages import say
from askwell.principal import Principal

if TYPE_CHECKING:
    from askwell.access.oidc.service import SingleSignOn

# Longer ones are nobody's: a token of an issuer has a few kilobytes.
LONGEST_TOKEN = 16_384


class Authenticator(Protocol):
    """Knows the tokens of one kind."""

    async def principal(self, token: str) -> Principal | None:
        """Whose token this is; None for one that is wrong, over, or of another kind. Raises `Unavailable` where that
        cannot be found out now."""
        ...


class Authenticators:
    """Several, tried one after the other."""

    def __init__(self, tried: Sequence[Authenticator]) -> None:
        self._tried = tuple(tried)

    async def principal(self, token: str) -> Principal | None:
        """Whose token this is; None for nobody's. Raises `Unavailable`."""
        if not 0 < len(token) <= LONGEST_TOKEN:
            return None
        for one in self._tried:
            found = await one.principal(token)
            if found is not None:
                return found
        return None


@dataclass(frozen=True, slots=True)
class Access:
    """Who callers are, which keys there are, how much a caller may, and what was done; `sign_on` where an issuer signs
    people in."""

    authenticators: Authenticators
    keys: ApiKeys
    limits: Limits
    audit: AuditLog
    sign_on: SingleSignOn | None = None

    @classmethod
    def of(
        cls,
        config: SignInConfig,
        shelf: ApiKeyShelf,
        audit: AuditLog,
        now: Callable[[], datetime],
        *,
        sign_on: SingleSignOn | None = None,
        redis_url: str | None = None,
    ) -> Access:
        """As the configuration says; requests are counted in the Redis at `redis_url`, or else in this process."""
        keys = ApiKeys(shelf, config, now)
        tried: list[Authenticator] = []
        if config.admin_key is not None:
            tried.append(AdminKey(config.admin_key))
        if config.takes_keys:
            tried.append(keys)
        if sign_on is not None:
            tried.append(sign_on.authenticator)
        return cls(Authenticators(tried), keys, Limits(config.limits, redis_url), audit, sign_on)

    async def require_patience(self, address: str, token: str = "") -> None:
        """Raises `Busy` for an address from which too many sign-ins failed, but with a token that was good before."""
        seconds = await self.limits.barred(address, token)
        if seconds is not None:
            raise Busy(
                *say("sign_in.too_many_failures", seconds=seconds),
                retry_after=seconds,
            )

    async def refused(self, address: str, reason: str) -> None:
        """Count a sign-in that failed, and write it down."""
        await self.limits.failed(address)
        self.audit.refused(address, reason)

    async def close(self) -> None:
        """Close every connection to issuers and to where requests are counted. Safe to call twice."""
        if self.sign_on is not None:
            await self.sign_on.close()
        await self.limits.close()
