"""The keys of people and programs, never the keys themselves: who they are, what they may, until when. And the ids of
sessions and sign-ins that have ended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, delete, select, update

from askwell.knowledge.database import Database
from askwell.knowledge.rows import insert_one_new, row_of, value_of
from askwell.knowledge.schema import api_keys, ended_tokens
from askwell.principal import Role


@dataclass(frozen=True, slots=True)
class StoredKey:
    """A key as the record has it. `hash` and `former_hash`, which counts until `former_until`, are of the whole key.
    Without `projects` it is for all of them. `made_by` is the id of who made it, None from the command line."""

    id: str
    name: str
    role: Role
    projects: tuple[str, ...] | None
    attributes: Mapping[str, str]
    hash: str
    created_at: datetime
    expires_at: datetime | None = None
    former_hash: str | None = None
    former_until: datetime | None = None
    used_at: datetime | None = None
    revoked_at: datetime | None = None
    made_by: str | None = None


class ApiKeyShelf:
    """The keys of a service."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, key: StoredKey) -> None:
        """Store a new key."""
        await self._database.write(lambda connection: insert_one_new(connection, api_keys, row_of(key)))

    async def find(self, key_id: str) -> StoredKey | None:
        """The key of that id."""
        statement = select(api_keys).where(api_keys.c.id == key_id)
        row = await self._database.read(lambda connection: connection.execute(statement).one_or_none())
        return None if row is None else value_of(StoredKey, row)

    async def all(self) -> list[StoredKey]:
        """Every key, oldest first; those that were revoked too."""
        statement = select(api_keys).order_by(api_keys.c.created_at, api_keys.c.id)
        rows = await self._database.read(lambda connection: connection.execute(statement).all())
        return [value_of(StoredKey, row) for row in rows]

    async def change(self, key_id: str, **values: Any) -> None:
        """Write these columns of a key."""
        statement = update(api_keys).where(api_keys.c.id == key_id).values(**values)
        await self._database.write(lambda connection: connection.execute(statement))


class EndedTokens:
    """The shelf. Every method raises `RecordUnavailable`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, token_id: str, until: datetime) -> bool:
        """Keep the name until then, when it is over anyway; whether it was not there yet."""

        def write(connection: Connection) -> bool:
            return insert_one_new(connection, ended_tokens, {"id": token_id, "until": until})

        return await self._database.write(write)

    async def has(self, token_id: str) -> bool:
        """Whether the name is there."""
        statement = select(ended_tokens.c.id).where(ended_tokens.c.id == token_id)
        return await self._database.read(lambda connection: connection.scalar(statement)) is not None

    async def forget(self, until: datetime) -> None:
        """Remove the names of what was over by then."""
        statement = delete(ended_tokens).where(ended_tokens.c.until <= until)
        await self._database.write(lambda connection: connection.execute(statement))
