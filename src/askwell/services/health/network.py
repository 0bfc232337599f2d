"""Whether something takes connections at an address, without saying a word to it; and whether we may."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import socket

from askwell.errors import AskwellError
from askwell.services.health.finding import Finding, failed, ok

# Seconds for a server to take a connection; a probe has to answer soon.
CONNECT_SECONDS = 2.0
# What listens on all addresses is found at this one.
_LOOPBACK = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}


async def connection_problem(host: str, port: int) -> str:
    """Why no connection can be made, without the address; empty where one can."""
    try:
        async with asyncio.timeout(CONNECT_SECONDS):
            _, writer = await asyncio.open_connection(host, port)
    except TimeoutError:
        return f"no connection within {CONNECT_SECONDS:g} seconds"
    except (OSError, ValueError) as error:
        # The error's own words hold the address. Those of looking up a name have numbers of another kind.
        number = error.errno if isinstance(error, OSError) and not isinstance(error, socket.gaierror) else None
        return os.strerror(number) if number else "its name is not known"
    writer.close()
    with contextlib.suppress(OSError):
        await writer.wait_closed()
    return ""


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens there. Raises `AskwellError` with the reason."""
    listener = _bound(host, port)
    try:
        listener.listen(2048)
    except OSError as error:
        listener.close()
        raise _cannot_listen(host, port, error) from None
    return listener


async def port_is_free(host: str, port: int) -> Finding:
    """Whether a service could listen there now, or does."""
    try:
        (await asyncio.to_thread(_bound, host, port)).close()
    except AskwellError as error:
        if await _is_askwell(host, port):
            return ok(f"{host} port {port}, where Askwell answers")
        return failed(error.message, error.hint)
    return ok(f"{host} port {port} is free" if port else f"{host}, on any free port")


async def _is_askwell(host: str, port: int) -> bool:
    """Whether what listens there says that it lives, as `/v1/health/live` does."""
    import aiohttp  # not for a service that only wants its port

    here = _LOOPBACK.get(host, host)
    url = f"http://[{here}]:{port}/v1/health/live" if ":" in here else f"http://{here}:{port}/v1/health/live"
    limit = aiohttp.ClientTimeout(total=CONNECT_SECONDS)
    try:
        async with aiohttp.ClientSession(timeout=limit) as session, session.get(url) as answer:
            return bool(await answer.json() == {"status": "ok"})
    except (aiohttp.ClientError, TimeoutError, ValueError):
        return False


def _bound(host: str, port: int) -> socket.socket:
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[
            0
        ]
        listener = socket.socket(family, kind)
    except OSError as error:
        raise _cannot_listen(host, port, error) from None
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
    except OSError as error:
        listener.close()
        raise _cannot_listen(host, port, error) from None
    return listener


def _cannot_listen(host: str, port: int, error: OSError) -> AskwellError:
    in_use = error.errno == errno.EADDRINUSE
    reason = "the port is in use" if in_use else (error.strerror or "it cannot be resolved")
    return AskwellError(
        f"Cannot listen on {host} port {port}: {reason}.",
        "Stop what listens there, or choose another place with --host and --port (server.host, server.port).",
    )
