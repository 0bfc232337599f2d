"""Checks of the home, the record, the document store, Redis, the servers of traces, and what models are told."""

from __future__ import annotations

import asyncio
import errno
import os
import tempfile
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from urllib.parse import urlsplit

from askwell.config import Config
from askwell.config.values import Privacy
from askwell.errors import Unavailable
from askwell.jobs.cluster.cluster import redis_client
from askwell.jobs.cluster.signals import ANSWER_SECONDS, RedisAway, Signals, redis_trouble
from askwell.knowledge.engines import HomeLock
from askwell.knowledge.record import Record
from askwell.messages import say
from askwell.observability.tracing import Tracing
from askwell.providers.document_store.base import DocumentStore
from askwell.services.health.databases import connection_problem
from askwell.services.health.finding import Finding, State, failed, ok, skipped, warning
from askwell.services.private_values import everyday_vocabulary

OpenRecord = Callable[[], Awaitable[Record | None]]

# About as much as an ask with some rows.
_WRITTEN_BYTES = 65_536


async def home_is_writable(home: Path, *, has_record: bool = True) -> Finding:
    """Whether files can be written there, by writing one, and, where the record lies in it, which service uses it. A
    home that is not there yet is not made."""
    return await asyncio.to_thread(_written_to, home, has_record)


def _written_to(home: Path, has_record: bool) -> Finding:
    if not home.exists():
        above = next(folder for folder in home.parents if folder.exists())
        if above.is_dir() and os.access(above, os.W_OK | os.X_OK):
            return ok(f"{home} is made at the first start")
        reason = "may not be written" if above.is_dir() else "is not a folder"
        return failed(*say("health.home_not_made", home=home, above=above, reason=reason))
    try:
        with tempfile.TemporaryFile(dir=home) as file:
            file.write(bytes(_WRITTEN_BYTES))
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            return failed(*say("health.home_full", home=home, strerror=error.strerror))
        return failed(*say("record.home_unusable", home=home, strerror=error.strerror))
    if not has_record:
        return ok(f"{home}, writable")
    holder = HomeLock.holder(home)
    return ok(f"{home}, writable; {f'{holder} uses it' if holder else 'no service uses it now'}")


async def record_opens(open_record: OpenRecord, place: str, file: Path | None) -> Finding:
    """Whether this Askwell can use the record, and what is in it. `place` says which database it is; `file` is None for
    one on a server."""
    record = await open_record()
    if record is None:
        if file is not None and (await home_is_writable(file.parent)).state is State.FAILED:
            return skipped("its folder cannot be used")
        return ok(f"{place}: not there yet, and made at the first start")
    if file is not None and not await asyncio.to_thread(os.access, file, os.W_OK):
        await record.close()
        return failed(*say("health.record_read_only", place=place))
    try:
        current = await record.has_everything()
        projects = await record.models.projects() if current else []
    finally:
        await record.close()
    if not current:
        return ok(f"{place}, of an earlier Askwell: the next start adds what is new")
    models = ", ".join(projects[:5]) + (" …" if len(projects) > 5 else "")
    return ok(f"{place}, with models of {models}" if projects else f"{place}, without a model as yet")


async def record_answers(record: Record) -> Finding:
    """The same for everybody: whether it keeps what is written."""
    await record.check()
    return ok("can be read and written")


async def store_answers(store: DocumentStore, name: str) -> Finding:
    """Whether the document store can be used."""
    await store.check()
    return ok("in memory, built from the record at the start" if name == "memory" else f"{name} answers")


async def store_is_there(store: DocumentStore, name: str) -> Finding:
    """The same for everybody."""
    try:
        return await store_answers(store, name)
    except Unavailable:
        return failed(*say("health.store_away", name=name))


async def audit_is_written(problem: Callable[[], str]) -> Finding:
    """Whether what is done can be written down; `problem` says why not."""
    why = problem()
    return failed(*say("health.audit_unwritten", why=why)) if why else ok("is written")


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
        return warning(*say("health.traces_lost", away=" ".join(away.values()), settings=" and ".join(away)))
    return ok(f"{', '.join(reached)}; what they need is there")


def _address(url: str) -> tuple[str, int]:
    server = urlsplit(url)
    return server.hostname or "", server.port or (443 if server.scheme == "https" else 80)


async def redis_is_heard(signals: Signals) -> Finding:
    """The same for everybody, as a service knows it."""
    try:
        signals.require_connection()
    except RedisAway as away:
        return failed(*say("health.redis_unheard", why=away.message))
    return ok("answers")


async def redis_answers(url: str) -> Finding:
    """Whether it answers now."""
    client = redis_client(url)
    try:
        await asyncio.wait_for(client.ping(), ANSWER_SECONDS)
    except redis_trouble() as error:
        return failed(*say("health.redis_silent", kind=type(error).__name__))
    finally:
        await client.aclose()
    return ok("answers")


_MEANS: dict[Privacy, str] = {
    "full": "language models may get values, rows and literals",
    "values_stay": "no values, rows or literals are in prompts",
    "schema_only": "names, types and descriptions are in prompts, and questions without values",
}


async def what_models_are_told(config: Config) -> Finding:
    """The setting, and what differs from it by data source. Raises `ConfigurationError` where the words are missing."""
    if config.keeps_values:
        await asyncio.to_thread(everyday_vocabulary)
    own = [
        f"{name} {source.privacy}"
        for name, source in config.data_sources.items()
        if source.privacy not in (None, config.privacy)
    ]
    suffix = f"; {', '.join(own)}" if own else ""
    return ok(f"{config.privacy}: {_MEANS[config.privacy]}{suffix}")
