"""Everything that a service needs to know its callers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from askwell.access.audit import AuditLog
from askwell.access.authenticator import Authenticator, Authenticators
from askwell.access.keys import AdminKey, ApiKeys
from askwell.access.limits import Limits
from askwell.config import SignInConfig
from askwell.errors import Busy
from askwell.knowledge.api_keys import ApiKeyShelf

if TYPE_CHECKING:
    from askwell.access.oidc.service import SingleSignOn


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
                "Too many sign-ins from this address have failed.",
                f"Try again in {seconds} seconds.",
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
