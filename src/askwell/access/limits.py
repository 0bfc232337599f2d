"""How much one person may ask for in a minute, and how often someone may try to sign in."""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from cachetools import TTLCache

from askwell.config.sign_in import LimitsConfig
from askwell.jobs.cluster.cluster import redis_client

if TYPE_CHECKING:
    from limits import RateLimitItem

logger = logging.getLogger(__name__)

_IN_MEMORY = "async+memory://"
# A token that was good is heard from an address where others fail, as behind a proxy, for so long.
_GOOD_SECONDS = 3_600.0
_KEPT = 10_000


class Limits:
    """Counted in this process alone, or in the Redis server at `redis_url`, which all processes of a service share.
    Raises `ConfigurationError` as `redis_client` does."""

    def __init__(self, config: LimitsConfig, redis_url: str | None = None) -> None:
        # A tenth of a second to import, for those who have sign-in.
        from limits import RateLimitItemPerMinute
        from limits.aio.strategies import SlidingWindowCounterRateLimiter
        from limits.storage import storage_from_string

        self._redis = None if redis_url is None else redis_client(redis_url)
        if self._redis is None:
            storage = storage_from_string(_IN_MEMORY)
        else:
            # Of the clients that the library knows the one that we have, which waits no longer than for anything else.
            options: Any = {"implementation": "redispy", "connection_pool": self._redis.connection_pool}
            storage = storage_from_string(f"async+{redis_url}", **options)
        self._limiter = SlidingWindowCounterRateLimiter(storage)
        amounts = {"requests": config.requests, "asks": config.asks, "failures": config.failures}
        self._items = {name: RateLimitItemPerMinute(amount) for name, amount in amounts.items() if amount}
        self._good: TTLCache[int, bool] = TTLCache(_KEPT, _GOOD_SECONDS)

    async def request(self, principal_id: str) -> int | None:
        """Count a request. Where it is one too many, in how many seconds there is room again."""
        return await self._hit("requests", principal_id)

    async def ask(self, principal_id: str) -> int | None:
        """Count a new ask, or another job. Where it is one too many, in how many seconds there is room again."""
        return await self._hit("asks", principal_id)

    async def failed(self, address: str) -> None:
        """Count a sign-in that failed."""
        await self._hit("failures", address)

    async def barred(self, address: str, token: str) -> int | None:
        """In how many seconds an address is heard again from which too many sign-ins failed; None where it is heard
        now, which it is with a token that was good before."""
        item = self._items.get("failures")
        if item is None or hash(token) in self._good:
            return None
        return await self._seconds(self._limiter.test, item, "failures", address)

    def was_good(self, token: str) -> None:
        """Remember that a sign-in with this token worked."""
        self._good[hash(token)] = True

    async def close(self) -> None:
        """Close every connection. Safe to call twice."""
        if self._redis is not None:
            with contextlib.suppress(Exception):
                await self._redis.aclose()

    async def _hit(self, name: str, who: str) -> int | None:
        item = self._items.get(name)
        return None if item is None else await self._seconds(self._limiter.hit, item, name, who)

    async def _seconds(self, look: Callable[..., Awaitable[bool]], item: RateLimitItem, *who: str) -> int | None:
        """Until there is room again; None where there is. Nobody is turned away because counting does not work."""
        try:
            if await look(item, *who):
                return None
            stats = await self._limiter.get_window_stats(item, *who)
            return max(1, round(stats.reset_time - time.time()))
        except Exception as error:  # noqa: BLE001 - the library lets through what its storage raises
            logger.warning("requests are not counted", extra={"error": type(error).__name__})
            return None
