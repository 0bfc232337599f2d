"""Checks of databases, of addresses that something listens at, and of ours."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import socket
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol, runtime_checkable

from askwell.config import DataSourceConfig, ServerConfig, SignInConfig, address, kind_of, whereabouts
from askwell.config.hosts import is_loopback
from askwell.errors import AskwellError, ConfigurationError, EngineUnavailable
from askwell.messages import say
from askwell.providers.engine.base import Engine, QueryFailure, RoleRights
from askwell.providers.engine.worker.database_file import file_state, kind_of_file, lock_holder
from askwell.providers.engine.worker.outcomes import Unusable
from askwell.services.database import Database
from askwell.services.health.finding import Finding, failed, ok, warning

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
        return ok("callers need a key or a sign-in")
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


_STATEMENT_SECONDS = 5.0
_MOST_NAMED = 5


@runtime_checkable
class WithRoles(Protocol):
    """An engine whose database knows what the role that it signs in with may do."""

    async def rights(self) -> RoleRights:
        """What the role may do that questions do not need, and what the database has beside reviewed names."""
        ...


async def database_answers(make: Callable[[], Database], source: DataSourceConfig) -> Finding:
    """Whether the database can be asked, how many tables there are to see, and whether `tables` lists them."""
    database = make()
    engine = database.engine
    try:
        return await _asked(database, whereabouts(source))
    except EngineUnavailable as error:
        place = whereabouts(source)
        if source.path and (holder := await asyncio.to_thread(_holder, source.path)):
            return failed(*say("health.database_held", place=place, why=error.message, holder=holder))
        return failed(f"{place}: {error.message}", error.hint)
    finally:
        await engine.close()


async def _asked(database: Database, place: str) -> Finding:
    engine = database.engine
    answer = await engine.execute("SELECT 1", row_limit=1, timeout=_STATEMENT_SECONDS)
    if isinstance(answer, QueryFailure):
        return failed(*say("health.database_fails", place=place, why=answer.message))
    schema = await engine.introspect()
    if not schema.is_listed:
        return ok(f"{place}: answers; its list of tables isn't available")
    tables = len(schema.tables)
    if not tables:
        return warning(*say("health.database_empty", place=place))
    message = f"{place}: answers, and shows {tables} {'table' if tables == 1 else 'tables'}"
    found: list[tuple[str, str]] = []
    if database.tables is not None:
        message += f", of which models may read {len(database.visible(schema).tables)}"
        if unused := database.unused(schema):
            names = ", ".join(unused[:_MOST_NAMED])
            has_roles = isinstance(engine, WithRoles)
            found.append(say("health.unseen", names=names) if has_roles else say("health.unlisted", names=names))
    if isinstance(engine, WithRoles):
        found += _of_rights(await engine.rights())
    if engine.dialect == "mysql" and await _lacks_time_zones(engine):
        found.append(say("health.no_time_zones"))
    if found:
        return warning(". ".join((message, *(what for what, _ in found))), " ".join(todo for _, todo in found))
    return ok(message)


def _of_rights(rights: RoleRights) -> Iterator[tuple[str, str]]:
    """What is the matter, and what to do."""
    if role := _in_words(rights):
        yield say("health.role_rights", role=role)
    if own := rights.own_code:
        more = f" and {len(own) - _MOST_NAMED} more" if len(own) > _MOST_NAMED else ""
        yield say("health.own_code", names=f"{', '.join(own[:_MOST_NAMED])}{more}")


def _in_words(rights: RoleRights) -> str:
    found = list(rights.beyond_reading)
    if needless := rights.needless_functions:
        more = f" and {len(needless) - 1} more functions" if len(needless) > 1 else ""
        found.append(f"may execute {needless[0]}{more} that no question needs")
    return ", ".join(found)


async def _lacks_time_zones(engine: Engine) -> bool:
    sql = "SELECT CONVERT_TZ('2024-01-01', 'UTC', 'Europe/Berlin') IS NULL"
    answer = await engine.execute(sql, row_limit=1, timeout=_STATEMENT_SECONDS)
    return not isinstance(answer, QueryFailure) and bool(answer.rows[0][0])


def _holder(path: Path) -> str:
    try:
        return lock_holder(file_state(str(path)))
    except Unusable:
        return ""


def _file_is_there(path: Path, engine: str) -> Finding:
    try:
        found = kind_of_file(str(path))
    except Unusable:
        return failed(f"The {engine} file is missing or may not be read by this user.", "")
    # SQLite makes its databases empty.
    if _is_damaged(path) if engine == "sqlite" and found in ("sqlite", "empty") else found != engine:
        return failed(f"The {engine} file is damaged, or not a {engine} database.", "")
    return ok(f"{engine} file, readable")


def _is_damaged(path: Path) -> bool:
    """Whether SQLite cannot read which tables there are. One that is locked, or of another user, is not damaged."""
    try:
        with contextlib.closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=0)) as opened:
            opened.execute("SELECT 1 FROM sqlite_master LIMIT 1").close()
    except sqlite3.DatabaseError as error:
        return error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
    return False


async def database_is_there(source: DataSourceConfig) -> Finding:
    """The same for everybody, cheap and in nobody's way: of a file its beginning and schema are read, a server is not
    signed in to, and no connection of an engine is taken for it. Where the database is stays untold."""
    if source.path is not None:
        return await asyncio.to_thread(_file_is_there, source.path, source.engine)
    kind, server = kind_of(source), address(source)
    if server is None:
        return ok(f"{kind}; not looked at before it is asked")
    if problem := await connection_problem(*server):
        return failed(f"The server ({kind}) cannot be reached: {problem}.", "")
    return ok(f"{kind}, reachable")
