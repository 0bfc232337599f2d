"""The server that traces go to."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urlsplit

from askwell.observability.tracing import Tracing
from askwell.services.health.finding import Finding, ok, warning
from askwell.services.health.network import connection_problem

_CLOSE_SECONDS = 1.0


async def traces_can_be_sent(make: Callable[[], Tracing], provider: str, host: str) -> Finding:
    """Whether the package is there and the server takes connections; nothing is sent. `host` is a URL."""
    if provider == "none":
        return ok("none")
    await make().close(_CLOSE_SECONDS)
    server = urlsplit(host)
    port = server.port or (443 if server.scheme == "https" else 80)
    if problem := await connection_problem(server.hostname or "", port):
        return warning(
            f"{provider} at {server.hostname}:{port} cannot be reached: {problem}. Traces are lost, and no ask waits.",
            "Check tracing.host and the network.",
        )
    return ok(f"{provider} at {server.hostname}:{port}; the package and both keys are there")
