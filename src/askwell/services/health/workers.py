"""The Redis through which processes tell each other what becomes of jobs."""

from __future__ import annotations

import asyncio

from askwell.jobs.cluster.cluster import redis_client
from askwell.jobs.cluster.signals import ANSWER_SECONDS, RedisAway, Signals, redis_trouble
from askwell.services.health.finding import Finding, failed, ok

_HINT = "Start it, or correct jobs.redis (ASKWELL_JOBS__REDIS); nothing accepted before is lost."


async def redis_is_heard(signals: Signals) -> Finding:
    """The same for everybody, as a service knows it."""
    try:
        signals.require_connection()
    except RedisAway as away:
        return failed(away.message, "What goes on ends all the same, and what was accepted waits.")
    return ok("answers")


async def redis_answers(url: str) -> Finding:
    """Whether it answers now."""
    client = redis_client(url)
    try:
        await asyncio.wait_for(client.ping(), ANSWER_SECONDS)
    except redis_trouble() as error:
        return failed(f"Redis does not answer ({type(error).__name__}).", _HINT)
    finally:
        await client.aclose()
    return ok("answers")
