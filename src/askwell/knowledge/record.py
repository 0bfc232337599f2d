"""The system of record: the only truth, and the shelves it is divided into."""

from __future__ import annotations

from pathlib import Path
from typing import Self

from askwell.knowledge.database import Database
from askwell.knowledge.documents import DocumentShelf
from askwell.knowledge.embeddings import EmbeddingShelf
from askwell.knowledge.engines import record_url
from askwell.knowledge.folders import make_folder, make_private
from askwell.knowledge.jobs import JobShelf
from askwell.knowledge.models import ModelShelf
from askwell.knowledge.saved import SavedShelf
from askwell.knowledge.threads import ThreadShelf

FILE_NAME = "record.sqlite"
SETTING = "`knowledge.url`"


class Record:
    """Everything that must not be lost. Indexes, caches and live jobs are shadows of it and can be made again.

    A method that writes returns when the write is on disk. Every method raises `RecordUnavailable` with a hint when the
    record is full, locked, read-only, damaged or out of reach; one that writes also when its file is gone.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self.jobs = JobShelf(database)
        self.models = ModelShelf(database)
        self.saved = SavedShelf(database)
        self.documents = DocumentShelf(database)
        self.threads = ThreadShelf(database)
        self.embeddings = EmbeddingShelf(database)

    @classmethod
    async def open(cls, url: str, home: Path, *, patience: float = 0.0, setting: str = SETTING) -> Self:
        """Open the record that `knowledge.url` names (`sqlite`: a file in `home`, made when missing). On PostgreSQL
        one process at a time has it; a server that is away or taken is waited for `patience` seconds, and what it
        breaks off later is begun again for a shorter while. Hints call `setting` what says where it is."""
        address = record_url(url, str(home / FILE_NAME))
        if address.get_backend_name() == "sqlite" and address.database:
            make_folder(Path(address.database).parent)
            # It holds rows of other people's databases.
            make_private(Path(address.database))
        return cls(await Database.open(address, setting, patience))

    @classmethod
    async def look(cls, url: str, home: Path, *, setting: str = SETTING) -> Self | None:
        """The record that `knowledge.url` names, as it is and for reading alone, also beside a service that uses it;
        None where there is none yet."""
        database = await Database.look(record_url(url, str(home / FILE_NAME)), setting)
        return None if database is None else cls(database)

    async def has_everything(self) -> bool:
        """Whether it has all tables and columns of this Askwell; opening it adds what is missing."""
        return await self._database.has_everything()

    async def check(self) -> None:
        """Raises `RecordUnavailable` where it takes no write, or where its file was deleted or replaced."""
        await self._database.check()

    async def close(self) -> None:
        """Finish pending writes and close. Safe to call twice."""
        await self._database.close()
