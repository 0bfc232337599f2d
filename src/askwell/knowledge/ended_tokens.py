"""Names of what may not be used any more, though it would be valid by itself: sessions that were ended, sign-ins that
were completed."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection, delete, select

from askwell.knowledge.database import Database
from askwell.knowledge.rows import insert_one_new
from askwell.knowledge.schema import ended_tokens


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
