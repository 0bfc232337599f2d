"""Where keys are looked after: a running service, or the record of a configuration that no service has open."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import ExitStack, asynccontextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

from askwell.cli.remote import keys_call
from askwell.cli.threads import in_own_thread


class ServiceKeys:
    """Through a service, whose administrator calls."""

    def __init__(self, url: str) -> None:
        self._url = url

    async def create(self, said: Mapping[str, Any]) -> Mapping[str, Any]:
        """A new key, with itself as `key`. Raises `AskwellError`."""
        return await self._call("POST", "", said)

    async def all(self) -> list[Mapping[str, Any]]:
        """Another secret, as `key`; the one before works for `grace` seconds. Without `expires_at` the key is over when
        it was to be. Raises `AskwellError`."""
        keys: list[Mapping[str, Any]] = (await self._call("GET", ""))["keys"]
        return keys

    async def rotate(self, key_id: str, grace: int, expires_at: str | None) -> Mapping[str, Any]:
        body = {"grace": grace} | ({"expires_at": expires_at} if expires_at is not None else {})
        return await self._call("POST", f"/{quote(key_id, safe='')}/rotate", body)

    async def revoke(self, key_id: str) -> Mapping[str, Any]:
        """Raises `AskwellError`."""
        return await self._call("DELETE", f"/{quote(key_id, safe='')}")

    async def _call(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
        return await in_own_thread(partial(keys_call, self._url, method, path, body))


class RecordKeys:
    """In the record itself."""

    def __init__(self, keys: Any) -> None:
        self._keys = keys

    async def create(self, said: Mapping[str, Any]) -> Mapping[str, Any]:
        from askwell.access.keys import NewKey

        until = said.get("expires_at")
        expires_at = datetime.fromisoformat(until) if until is not None else None
        new = NewKey(said["name"], said["role"], said.get("projects"), said["attributes"], expires_at)
        stored, key = await self._keys.create(new)
        return {**_told(stored), "key": key}

    async def all(self) -> list[Mapping[str, Any]]:
        return [_told(one) for one in await self._keys.all()]

    async def rotate(self, key_id: str, grace: int, expires_at: str | None) -> Mapping[str, Any]:
        until = datetime.fromisoformat(expires_at) if expires_at is not None else None
        stored, key = await self._keys.rotate(key_id, timedelta(seconds=grace), until)
        return {**_told(stored), "key": key}

    async def revoke(self, key_id: str) -> Mapping[str, Any]:
        return _told(await self._keys.revoke(key_id))


# Keys as `/v1/keys` tells of them.
KeyDoor = ServiceKeys | RecordKeys


@asynccontextmanager
async def opened_keys(url: str | None, config: Path | None, environ: Mapping[str, str]) -> AsyncIterator[KeyDoor]:
    """The keys of a service or, without `url`, of a configuration's record. Raises `ConfigurationError`, and
    `RecordUnavailable` where a service has it."""
    if url is not None:
        yield ServiceKeys(url)
        return
    from askwell.access.keys import ApiKeys
    from askwell.config import IN_HOME, load_config, record_setting
    from askwell.knowledge.home_lock import HomeLock
    from askwell.knowledge.record import Record

    settings = load_config(config, environ)
    place = settings.knowledge.url.get_secret_value()
    with ExitStack() as held:
        if place == IN_HOME:
            held.callback(HomeLock.take(settings.home).release)
        record = await Record.open(place, settings.home, setting=record_setting(settings.knowledge))
        try:
            yield RecordKeys(ApiKeys(record.api_keys, settings.sign_in, lambda: datetime.now(UTC)))
        finally:
            await record.close()


def _told(stored: Any) -> dict[str, Any]:
    from askwell.access.keys import told

    return {name: value.isoformat() if isinstance(value, datetime) else value for name, value in told(stored).items()}
