"""The record of a configuration, without a service: its keys, and its projects as archives."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from askwell.access.keys import ApiKeys, NewKey, told
from askwell.archives import ProjectArchives
from askwell.cli.client import Answer, InProcess, Item
from askwell.config import IN_HOME, Config, load_config, record_setting
from askwell.errors import AskwellError, ConfigurationError
from askwell.knowledge.engines import HomeLock
from askwell.knowledge.record import Record
from askwell.messages import say


@asynccontextmanager
async def keys_of_record(config: Path | None) -> AsyncIterator[InProcess]:
    """A transport to the keys in the record of a configuration. Raises `ConfigurationError`, and `RecordUnavailable`
    where a service has the record."""
    async with _record_to_change(load_config(config, os.environ)) as (record, settings):
        keys = ApiKeys(record.api_keys, settings.sign_in, lambda: datetime.now(UTC))
        yield InProcess(keys, _KEY_ANSWERS, {})


@asynccontextmanager
async def archives_of_record(config: Path | None, *, changing: bool) -> AsyncIterator[ProjectArchives]:
    """The projects in the record of a configuration. To be changed, no service may have it."""
    settings = load_config(config, os.environ)
    if changing:
        async with _record_to_change(settings) as (record, _):
            yield ProjectArchives(record)
        return
    setting = record_setting(settings.knowledge)
    looked = await Record.look(settings.knowledge.url.get_secret_value(), settings.home, setting=setting)
    if looked is None:
        raise ConfigurationError(*say("cli.no_record", setting=setting))
    try:
        if not await looked.has_everything():
            raise AskwellError(*say("cli.record_too_old"))
        yield ProjectArchives(looked)
    finally:
        await looked.close()


@asynccontextmanager
async def _record_to_change(settings: Config) -> AsyncIterator[tuple[Record, Config]]:
    place = settings.knowledge.url.get_secret_value()
    async with AsyncExitStack() as closing:
        if place == IN_HOME:
            closing.callback(HomeLock.take(settings.home).release)
        record = await Record.open(place, settings.home, setting=record_setting(settings.knowledge))
        closing.push_async_callback(record.close)
        yield record, settings


async def _create_key(keys: ApiKeys, given: Item) -> Item:
    new = NewKey(given["name"], given["role"], given.get("projects"), given["attributes"], _moment(given))
    stored, key = await keys.create(new)
    return {**_told(stored), "key": key}


async def _list_keys(keys: ApiKeys, _: Item) -> Item:
    return {"keys": [_told(key) for key in await keys.all()]}


async def _rotate_key(keys: ApiKeys, given: Item) -> Item:
    stored, key = await keys.rotate(given["key_id"], timedelta(seconds=given["grace"]), _moment(given))
    return {**_told(stored), "key": key}


async def _revoke_key(keys: ApiKeys, given: Item) -> Item:
    return _told(await keys.revoke(given["key_id"]))


_KEY_ANSWERS: Mapping[str, Answer] = {
    "POST /keys": _create_key,
    "GET /keys": _list_keys,
    "POST /keys/{key_id}/rotate": _rotate_key,
    "DELETE /keys/{key_id}": _revoke_key,
}


def _moment(given: Item) -> datetime | None:
    expires = given.get("expires_at")
    return datetime.fromisoformat(expires) if expires is not None else None


def _told(stored: Any) -> dict[str, Any]:
    return {name: value.isoformat() if isinstance(value, datetime) else value for name, value in told(stored).items()}
