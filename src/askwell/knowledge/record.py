"""The system of record: the only truth, and the shelves it is divided into."""

from __future__ import annotations

from pathlib import Path
from typing import Self

from askwell.knowledge.api_keys import ApiKeyShelf, EndedTokens
from askwell.knowledge.claims import ClaimShelf
from askwell.knowledge.database import Database
from askwell.knowledge.documents import DocumentShelf
from askwell.knowledge.embeddings import EmbeddingShelf
from askwell.knowledge.engines import make_folder, make_private, record_url
from askwell.knowledge.jobs import JobShelf
from askwell.knowledge.models import ModelShelf
from askwell.knowledge.project_cache import ProjectVersions
from askwell.knowledge.project_rows import ProjectRows
from askwell.knowledge.saved import SavedShelf
from askwell.knowledge.threads import ThreadShelf
from askwell.knowledge.usage import UsageShelf

FILE_NAME = "record.sqlite"
SETTING = "`knowledge.url`"


class Record:
    """Everything that must not be lost. Indexes, caches and live jobs are shadows of it and can be made again.

    A method that writes returns when the write is on disk. Every method raises `RecordUnavailable` with a hint when the
    record is full, locked, read-only, damaged or out of reach; one that writes also when its file is gone.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        # Versions of what projects have saved, and of what is known of their models.
        self.versions, self.model_versions = ProjectVersions(), ProjectVersions()
        self.jobs = JobShelf(database)
        self.usage = UsageShelf(database)
        self.claims = ClaimShelf(database)
        self.models = ModelShelf(database)
        self.saved = SavedShelf(database, self.versions)
        self.documents = DocumentShelf(database, self.versions)
        self.threads = ThreadShelf(database)
        self.ended_tokens = EndedTokens(database)
        self.api_keys = ApiKeyShelf(database)
        self.embeddings = EmbeddingShelf(database)
        self.project_rows = ProjectRows(database)

    @classmethod
    async def open(
        cls, url: str, home: Path, *, patience: float = 0.0, setting: str = SETTING, shared: bool = False
    ) -> Self:
        """Open the record that `knowledge.url` names (`sqlite`: a file in `home`, made when missing). On PostgreSQL
        one process at a time has it, or several that open it `shared`; a server that is away or taken is waited for
        `patience` seconds, and what it breaks off later is begun again for a shorter while. Hints call `setting` what
        says where it is."""
        address = record_url(url, str(home / FILE_NAME))
        if address.get_backend_name() == "sqlite" and address.database:
            make_folder(Path(address.database).parent)
            # It holds rows of other people's databases.
            make_private(Path(address.database))
        record = cls(await Database.open(address, setting, patience, shared=shared))
        if address.get_backend_name() == "sqlite" and address.database:
            record.versions.share_file(Path(f"{address.database}.changed"))
        return record

    @classmethod
    async def look(cls, url: str, home: Path, *, setting: str = SETTING) -> Self | None:
        """The record that `knowledge.url` names, as it is and for reading alone, also beside a service that uses it;
        None where there is none yet."""
        database = await Database.look(record_url(url, str(home / FILE_NAME)), setting)
        return None if database is None else cls(database)

    @property
    def name(self) -> str:
        """The name of its database: the same for all that share it."""
        return self._database.name

    async def has_everything(self) -> bool:
        """Whether it has all tables and columns of this Askwell; opening it adds what is missing."""
        return await self._database.has_everything()

    async def check(self) -> None:
        """Raises `RecordUnavailable` where it takes no write, or where its file was deleted or replaced."""
        await self._database.check()

    async def close(self) -> None:
        """Finish pending writes and close. Safe to call twice."""
        await self._database.close()
