"""Whether something takes connections at an address, without saying a word to it; and whether we may."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import socket

from askwell.config import ServerConfig, SignInConfig
from askwell.config.hosts import is_loopback
from askwell.errors import AskwellError, ConfigurationError
from askwell.messages import say
from askwell.services.health.finding import Finding, ok, warning

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


def listen(server: ServerConfig) -> socket.socket:
    """A socket that listens there. Raises `AskwellError` with the reason, `ConfigurationError` where others could reach
    it and nothing says under which names."""
    listener = _bound(server)
    try:
        listener.listen(2048)
    except OSError as error:
        listener.close()
        raise _cannot_listen(server.host, server.port, error) from None
    return listener


async def port_is_free(server: ServerConfig) -> Finding:
    """Whether a service could listen there now, or does."""
    host, port = server.host, server.port
    try:
        (await asyncio.to_thread(_bound, server)).close()
    except AskwellError as error:
        if isinstance(error, ConfigurationError) or not await _is_askwell(host, port):
            raise
        return ok(f"{host} port {port}, where Askwell answers")
    return ok(f"{host} port {port} is free" if port else f"{host}, on any free port")


async def _is_askwell(host: str, port: int) -> bool:
    """Whether what listens there says that it lives, as `/v1/health/live` does."""
    import aiohttp  # not for a service that only wants its port

    here = _LOOPBACK.get(host, host)
    url = f"http://[{here}]:{port}/v1/health/live" if ":" in here else f"http://{here}:{port}/v1/health/live"
    limit = aiohttp.ClientTimeout(total=CONNECT_SECONDS)
    try:
        # Under a name that it has wherever it listens.
        session_of = aiohttp.ClientSession(timeout=limit, headers={"Host": "localhost"})
        async with session_of as session, session.get(url, allow_redirects=False) as answer:
            return bool(await answer.json() == {"status": "ok"})
    except (aiohttp.ClientError, TimeoutError, ValueError):
        return False


def require_sign_in(address: str, sign_in: SignInConfig) -> None:
    """Raises `ConfigurationError` where others can reach the address and nobody has to say who they are."""
    if is_loopback(address) or sign_in.is_on or sign_in.open:
        return
    raise ConfigurationError(*say("health.open_to_others", address=address))


async def sign_in_is_said(server: ServerConfig, sign_in: SignInConfig) -> Finding:
    """Who may call."""
    if sign_in.is_on:
        return ok("whoever calls has to say who they are")
    if server.is_loopback:
        return ok("off: only this machine reaches the service")
    if sign_in.open:
        return warning(*say("health.sign_in_open"))
    require_sign_in(server.host, sign_in)
    return ok("off")


def _bound(server: ServerConfig) -> socket.socket:
    host, port = server.host, server.port
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, kind, protocol, _, address = found[0]
        # asyncio turns Nagle's algorithm off only for sockets that name TCP; with it each answer waits 40 ms.
        listener = socket.socket(family, kind, protocol)
    except OSError as error:
        raise _cannot_listen(host, port, error) from None
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
    except OSError as error:
        listener.close()
        raise _cannot_listen(host, port, error) from None
    if not server.allowed_hosts and not is_loopback(listener.getsockname()[0]):
        listener.close()
        raise _nameless(host)
    return listener


def _nameless(host: str) -> ConfigurationError:
    name = "askwell.example.org" if host in _LOOPBACK else f'"[{host}]"' if ":" in host else host
    return ConfigurationError(*say("health.no_allowed_hosts", host=host, name=name))


def _cannot_listen(host: str, port: int, error: OSError) -> AskwellError:
    if error.errno == errno.EADDRINUSE:
        return AskwellError(*say("health.port_in_use", host=host, port=port))
    reason = error.strerror or "it cannot be resolved"
    return AskwellError(*say("health.cannot_listen", host=host, port=port, reason=reason))
