"""The servers that traces go to."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from urllib.parse import urlsplit

from askwell.observability.tracing import Tracing
from askwell.services.health.finding import Finding, ok, warning
from askwell.services.health.network import connection_problem

_CLOSE_SECONDS = 1.0


async def traces_can_be_sent(make: Callable[[], Tracing], servers: Mapping[str, tuple[str, str]]) -> Finding:
    """Whether the packages are there and the servers take connections; nothing is sent. `servers` by provider: a URL,
    and the setting that says it."""
    if not servers:
        return ok("none")
    await make().close(_CLOSE_SECONDS)
    problems = await asyncio.gather(*(connection_problem(*_address(url)) for url, _ in servers.values()))
    reached, away = [], {}
    for (provider, (url, setting)), problem in zip(servers.items(), problems, strict=True):
        host, port = _address(url)
        if problem:
            away[setting] = f"{provider} at {host}:{port} cannot be reached: {problem}."
        else:
            reached.append(f"{provider} at {host}:{port}")
    if away:
        told = " ".join([*away.values(), "Traces are lost, and no ask waits."])
        return warning(told, f"Check {' and '.join(away)}, and the network.")
    return ok(f"{', '.join(reached)}; what they need is there")


def _address(url: str) -> tuple[str, int]:
    server = urlsplit(url)
    return server.hostname or "", server.port or (443 if server.scheme == "https" else 80)
