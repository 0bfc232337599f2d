"""API keys: made, listed, rotated, revoked, and known again when someone sends one.

A key is `ak_`, an id that is no secret, `_`, and 256 random bits. The record has a hash of the whole: with so many bits
a plain one is enough, and cheap enough for each request.
"""

from __future__ import annotations

import hashlib
import hmac
import logging
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from cachetools import LRUCache, TTLCache
from pydantic import SecretStr

from askwell.access.reading_rights import UnusableClaim, principal_from
from askwell.config import SignInConfig
from askwell.errors import InvalidRequest, NotFound, RecordUnavailable
from askwell.knowledge.api_keys import ApiKeyShelf, StoredKey
from askwell.messages import say
from askwell.principal import Person, Principal, Role

logger = logging.getLogger(__name__)

PREFIX = "ak_"
_ID_BYTES, _SECRET_BYTES = 8, 32
# How long what the record said of a key is believed: a key that is revoked elsewhere works for so many seconds more.
_BELIEVED_SECONDS = 2.0
# And how long while the record is away.
_BELIEVED_WITHOUT_RECORD = 60.0
_KEPT = 10_000
_USED_EVERY = timedelta(hours=1)
_MOST_PROJECTS, _MOST_ATTRIBUTES = 1_000, 50
ADMIN_KEY_ID = "admin-key"


@dataclass(frozen=True, slots=True)
class NewKey:
    """What is said of a key when it is made."""

    name: str
    role: Role = "ask"
    projects: Sequence[str] | None = None
    attributes: Mapping[str, str] | None = None
    expires_at: datetime | None = None
    made_by: str | None = None


class ApiKeys:
    """The keys of a record. `now` gives the present moment, and `timer` the seconds for which something is believed."""

    def __init__(
        self,
        shelf: ApiKeyShelf,
        mapping: SignInConfig,
        now: Callable[[], datetime],
        timer: Callable[[], float] = time.monotonic,
    ) -> None:
        self._shelf = shelf
        self._mapping = mapping
        self._now = now
        self._fresh: TTLCache[str, StoredKey | None] = TTLCache(_KEPT, _BELIEVED_SECONDS, timer)
        self._last: TTLCache[str, StoredKey | None] = TTLCache(_KEPT, _BELIEVED_WITHOUT_RECORD, timer)
        # When the use of a key was noted here. It has no say in how long what was read of the key is believed.
        self._noted: LRUCache[str, datetime] = LRUCache(_KEPT)

    # -- known again ------------------------------------------------------------------------------------------------

    async def principal(self, token: str) -> Principal | None:
        """Whose key this is; None for one that is wrong, over or revoked. Raises `RecordUnavailable`."""
        prefix, _, rest = token.partition("_")
        key_id, _, secret = rest.partition("_")
        if f"{prefix}_" != PREFIX or not secret or len(key_id) != 2 * _ID_BYTES or not token.isascii():
            return None
        stored = await self._known(key_id)
        now = self._now()
        # Of a key that is not there one is compared too, so that both take as long.
        fits = hmac.compare_digest(_hash(token), stored.hash if stored is not None else _hash(""))
        if stored is None or not (fits or _fits_former(token, stored, now)):
            return None
        if stored.revoked_at is not None or (stored.expires_at is not None and stored.expires_at <= now):
            return None
        principal = self._principal(stored)
        if principal is not None:
            await self._note_use(stored, now)
        return principal

    def _principal(self, stored: StoredKey) -> Principal | None:
        try:
            return principal_from(
                stored.attributes,
                id=f"key:{stored.id}",
                name=stored.name,
                role=stored.role,
                projects=None if stored.projects is None else frozenset(stored.projects),
                mapping=self._mapping,
            )
        except UnusableClaim as error:
            logger.warning("a key is refused: %s", error, extra={"key": stored.id})
            return None

    async def _known(self, key_id: str) -> StoredKey | None:
        if key_id in self._fresh:
            return self._fresh[key_id]
        try:
            found = await self._shelf.find(key_id)
        except RecordUnavailable:
            if key_id in self._last:
                return self._last[key_id]
            raise
        self._fresh[key_id] = self._last[key_id] = found
        return found

    async def _note_use(self, stored: StoredKey, now: datetime) -> None:
        """Coarsely: nobody needs to know it to the minute, and a write for each request would be too much."""
        noted = (one for one in (stored.used_at, self._noted.get(stored.id)) if one is not None)
        if any(now - one < _USED_EVERY for one in noted):
            return
        self._noted[stored.id] = now
        try:
            await self._shelf.change(stored.id, used_at=now)
        except RecordUnavailable:
            logger.info("the use of a key could not be noted", extra={"key": stored.id})

    # -- looked after -----------------------------------------------------------------------------------------------

    async def create(self, new: NewKey) -> tuple[StoredKey, str]:
        """A new key: what is kept, and the key itself, which is told this once. Raises `InvalidRequest`."""
        now = self._now()
        if not new.name.strip() or len(new.name) > 200:
            raise InvalidRequest(*say("keys.name_length"))
        if new.expires_at is not None and new.expires_at <= now:
            raise InvalidRequest(*say("keys.expires_in_the_past"))
        projects = None if new.projects is None else tuple(dict.fromkeys(new.projects))
        if len(projects or ()) > _MOST_PROJECTS or len(new.attributes or {}) > _MOST_ATTRIBUTES:
            raise InvalidRequest(
                *say("keys.too_many_parts", most_projects=_MOST_PROJECTS, most_attributes=_MOST_ATTRIBUTES)
            )
        key_id = secrets.token_hex(_ID_BYTES)
        token = _new_token(key_id)
        attributes, ends = dict(new.attributes or {}), new.expires_at
        stored = StoredKey(
            key_id, new.name.strip(), new.role, projects, attributes, _hash(token), now, ends, made_by=new.made_by
        )
        try:
            principal_from(
                stored.attributes, id=key_id, name=new.name, role=new.role, projects=None, mapping=self._mapping
            )
        except UnusableClaim as error:
            raise InvalidRequest(*say("keys.attribute_unusable", reason=str(error))) from None
        await self._shelf.add(stored)
        return stored, token

    async def all(self) -> list[StoredKey]:
        """Every key, oldest first."""
        return await self._shelf.all()

    async def get(self, key_id: str) -> StoredKey:
        """A key. Raises `NotFound`."""
        stored = await self._shelf.find(key_id)
        if stored is None:
            raise unknown_key(key_id)
        return stored

    async def rotate(self, key_id: str, grace: timedelta, expires_at: datetime | None = None) -> tuple[StoredKey, str]:
        """Another secret for a key that stays who it is; the one before works for `grace` more, but no longer than it
        would have. With `expires_at` the key is over then, and one that is over already works again. Raises `NotFound`,
        and `InvalidRequest` for one that was revoked, or is over and stays so."""
        stored, now = await self.get(key_id), self._now()
        if stored.revoked_at is not None:
            raise InvalidRequest(*say("keys.revoked"))
        if expires_at is not None and expires_at <= now:
            raise InvalidRequest(*say("keys.expires_in_the_past"))
        if expires_at is None and stored.expires_at is not None and stored.expires_at <= now:
            raise InvalidRequest(*say("keys.expired"))
        former_until = min(now + grace, stored.expires_at or datetime.max.replace(tzinfo=UTC))
        token = _new_token(key_id)
        changed: dict[str, Any] = {"hash": _hash(token), "former_hash": stored.hash, "former_until": former_until}
        rotated = replace(stored, **changed, expires_at=expires_at or stored.expires_at)
        await self._shelf.change(key_id, **changed, expires_at=rotated.expires_at)
        self._forget(key_id)
        return rotated, token

    async def revoke(self, key_id: str) -> StoredKey:
        """Let a key work no more; one that was revoked stays so. Raises `NotFound`."""
        stored = await self.get(key_id)
        if stored.revoked_at is None:
            stored = replace(stored, revoked_at=self._now())
            await self._shelf.change(key_id, revoked_at=stored.revoked_at)
        self._forget(key_id)
        return stored

    def _forget(self, key_id: str) -> None:
        self._fresh.pop(key_id, None)
        self._last.pop(key_id, None)


class AdminKey:
    """The one key of the configuration: all of it is the operator's, who also has the databases."""

    def __init__(self, key: SecretStr) -> None:
        self._hash = _hash(key.get_secret_value())

    async def principal(self, token: str) -> Principal | None:
        """The operator, for exactly that key."""
        if not hmac.compare_digest(_hash(token), self._hash):
            return None
        return Principal(Person(ADMIN_KEY_ID), "admin key", "admin")


def told(key: StoredKey) -> dict[str, Any]:
    """What administrators are told of a key."""
    names = ("id", "name", "role", "created_at", "expires_at", "used_at", "revoked_at")
    projects = None if key.projects is None else list(key.projects)
    return {**{name: getattr(key, name) for name in names}, "projects": projects, "attributes": dict(key.attributes)}


def unknown_key(key_id: str) -> NotFound:
    """That there is no such key, or not for the caller."""
    return NotFound(*say("keys.unknown", key_id=key_id[:64]))


def _new_token(key_id: str) -> str:
    return f"{PREFIX}{key_id}_{secrets.token_urlsafe(_SECRET_BYTES)}"


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def _fits_former(token: str, stored: StoredKey, now: datetime) -> bool:
    if stored.former_hash is None or stored.former_until is None or stored.former_until <= now:
        return False
    return hmac.compare_digest(_hash(token), stored.former_hash)
