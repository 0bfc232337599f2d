"""Database and CSV files that people send: each is a project of its own, with a model drafted from it.

A file lies in a folder of its own in the home, under a name that nobody can guess, with what is known of it beside it;
nothing else is kept, so a restart finds all of them again. Whatever is in it is read by query processes alone, which
open it read-only, without a network and without other files.

Whether all that a database file holds can be read: one that was cut off opens, and fails once it is asked.
"""

from __future__ import annotations

import asyncio
import json
import re
import secrets
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import IO

from askwell.config import UploadsConfig
from askwell.csv_files import CSV_SUFFIXES
from askwell.csv_files.upload_loader import CsvLoader
from askwell.errors import Conflict, EngineUnavailable, Forbidden, InvalidRequest, NotFound, Unavailable
from askwell.mdl.importers.imported import quoted
from askwell.mdl.manifest import Manifest
from askwell.messages import say
from askwell.principal import NOBODY, Person
from askwell.providers.engine.base import Engine, PhysicalSchema, PhysicalTable, QueryFailure
from askwell.providers.engine.worker.database_file import kind_of_file
from askwell.providers.engine.worker.outcomes import Unusable
from askwell.services.csv_drafting import draft_csv_model
from askwell.services.database import Database
from askwell.services.knowledge import Knowledge
from askwell.services.model_drafting import draft_model
from askwell.services.semantics_preparation import SemanticsPreparation

# For all tables together. A gigabyte takes some seconds; what is not read by then is taken as it is.
_SECONDS = 60.0
# Columns of one statement: what SQLite takes, and quick to plan.
_AT_ONCE = 500
# What has to look at each value, and keeps none.
_LOOKS = {"duckdb": "bit_xor(hash({0}))", "sqlite": "max({0})"}


async def check_readable(engine: Engine, schema: PhysicalSchema) -> None:
    """Read each value of each table once. Raises `EngineUnavailable` where the file is damaged; statements that fail
    for other reasons, such as a module that is not there, say nothing about it."""
    ends = time.monotonic() + _SECONDS
    for table in schema.tables:
        for sql in [] if table.is_view else _statements(table, _LOOKS[engine.dialect]):
            left = ends - time.monotonic()
            outcome = await engine.execute(sql, row_limit=1, timeout=max(left, 0.1))
            if left < 0 or (isinstance(outcome, QueryFailure) and outcome.kind == "timeout"):
                return


def _statements(table: PhysicalTable, look: str) -> list[str]:
    place = ".".join(quoted(part) for part in (table.schema, table.name) if part)
    names = [quoted(column.name) for column in table.columns]
    return [
        f"SELECT {', '.join(look.format(name) for name in names[start : start + _AT_ONCE])} FROM {place}"
        for start in range(0, len(names), _AT_ONCE)
    ]


_FOLDER = "uploads"
_ABOUT = "upload.json"
_LONGEST_NAME = 40
_LONGEST_CALLED = 200


@dataclass(frozen=True, slots=True)
class Upload:
    """A file that was sent. `owner` is the id of who sent it, empty where nobody had to sign in; `engine` reads it;
    `file` is its name in its folder, `name` what its sender calls it, without the ending."""

    project_id: str
    owner: str
    engine: str
    file: str
    created_at: str
    name: str = ""

    @property
    def sent_at(self) -> datetime:
        """When it was sent."""
        return datetime.fromisoformat(self.created_at)


@dataclass(frozen=True, slots=True)
class _Kept:
    """An upload with the folder that it lies in, and the engine that reads it."""

    upload: Upload
    folder: Path
    engine: Engine


# Makes the engine of a database file of a kind.
MakeEngine = Callable[[str, Path], Engine]


class Uploads:
    """The files in a home. `make_engine` makes engines, `now` is the present moment."""

    def __init__(self, config: UploadsConfig, home: Path, make_engine: MakeEngine, now: Callable[[], datetime]) -> None:
        self._config = config
        self._home = home / _FOLDER
        self._make_engine = make_engine
        self._now = now
        self._loader = CsvLoader(self.most_bytes)
        self._known: dict[str, _Kept] = {}
        self._adding = asyncio.Lock()
        self._preparation: SemanticsPreparation | None = None
        self._knowledge: Knowledge | None = None

    # -- the life of the service --------------------------------------------------------------------------------------

    def find(self) -> None:
        """Know what was sent before, and remove what was not sent whole."""
        for folder, upload in _uploads_in(self._home):
            if upload is None:
                shutil.rmtree(folder, ignore_errors=True)
            else:
                self._keep(upload, folder)

    def start(self, preparation: SemanticsPreparation, knowledge: Knowledge) -> None:
        """From now on files can be taken and removed: their models are prepared and removed by these."""
        self._preparation, self._knowledge = preparation, knowledge

    async def close(self) -> None:
        """Let go of all files. Safe to call twice."""
        await self._loader.close()
        for kept in self._known.values():
            await kept.engine.close()

    # -- what the rest of the service asks ----------------------------------------------------------------------------

    @property
    def are_taken(self) -> bool:
        """Whether this service takes files."""
        return self._config.enabled

    @property
    def most_bytes(self) -> int:
        """How large a file may be."""
        return self._config.max_mb * 1024 * 1024

    def database(self, project_id: str) -> Database | None:
        """The database of a project that was sent."""
        known = self._known.get(project_id)
        return None if known is None else Database(known.engine)

    def find_upload(self, project_id: str) -> Upload | None:
        """What is known of a project that was sent; None for others."""
        known = self._known.get(project_id)
        return None if known is None else known.upload

    def projects_of(self, owner: str) -> frozenset[str]:
        """The projects that a person sent."""
        return frozenset(name for name, kept in self._known.items() if owner and kept.upload.owner == owner)

    # -- what people do -----------------------------------------------------------------------------------------------

    def require_room(self) -> None:
        """Raises `Forbidden` where nothing can be sent, and `Conflict` where there are too many already."""
        if not self.are_taken:
            raise Forbidden(*say("uploads.disabled"))
        if len(self._known) >= self._config.projects_at_most:
            raise Conflict(*say("uploads.too_many", count=len(self._known)))

    async def add(self, file: IO[bytes], name: str, wanted: str | None, person: Person = NOBODY) -> tuple[str, str]:
        """Make a project of a file, called `name` by its sender: its id, made of what is `wanted` or of the
        name, and the label of its model, whose preparation goes on. Raises `InvalidRequest` with why the file cannot be
        used, and as `require_room` does."""
        assert self._preparation is not None
        async with self._adding:
            self.require_room()
            folder = await asyncio.to_thread(self._new_folder)
            project_id = f"{_slug(wanted or Path(name).stem)}-{secrets.token_hex(4)}"
            try:
                upload, manifest = await self._read(folder, file, name, project_id, person)
                await asyncio.to_thread(_write_about, folder, upload)
                self._keep(upload, folder)
                mdl = json.dumps(manifest.wire(), ensure_ascii=False)
                label = await self._preparation.start(project_id, mdl, person=person)
            except BaseException:
                await self._drop(project_id, folder)
                raise
        return project_id, label

    async def delete(self, project_id: str) -> None:
        """Remove a project that was sent: its file, its models and index, and its saved questions and instructions.
        Raises `NotFound`."""
        assert self._preparation is not None
        assert self._knowledge is not None
        if project_id not in self._known:
            raise NotFound(*say("uploads.unknown", project_id=project_id[:64]))
        await self._preparation.delete(project_id)
        await self._knowledge.delete_all(project_id)
        await self._drop(project_id, self._known[project_id].folder)

    # -- files --------------------------------------------------------------------------------------------------------

    def _new_folder(self) -> Path:
        try:
            self._home.mkdir(mode=0o700, parents=True, exist_ok=True)
            folder = self._home / secrets.token_hex(16)
            folder.mkdir(mode=0o700)
        except OSError as error:
            raise Unavailable(*say("uploads.not_kept", strerror=error.strerror)) from None
        return folder

    async def _read(
        self, folder: Path, file: IO[bytes], name: str, project_id: str, person: Person
    ) -> tuple[Upload, Manifest]:
        sent = folder / "sent"
        await asyncio.to_thread(_copy, file, sent)
        kind = await asyncio.to_thread(_kind, sent, Path(name).suffix.lower())
        database = folder / f"data.{'duckdb' if kind == 'csv' else kind}"
        if kind == "csv":
            # The table is called like the file.
            table = folder / f"{_slug(Path(name).stem, '_')}.csv"
            sent.rename(table)
            loaded = await self._loader.load(table, database)
            table.unlink()
            engine = self._make_engine("duckdb", database)
        else:
            sent.rename(database)
            engine = self._make_engine(kind, database)
        try:
            if kind == "csv":
                manifest = await draft_csv_model(engine, loaded)
            else:
                schema = await engine.introspect()
                await check_readable(engine, schema)
                manifest = await draft_model(schema, engine)
        except EngineUnavailable as error:
            # The message names the file as it lies here.
            why = error.reason or "it cannot be opened"
            raise InvalidRequest(*say("uploads.unusable", why=why.rstrip("."))) from None
        finally:
            await engine.close()
        moment = self._now().isoformat()
        called = "".join(letter for letter in Path(name).stem if letter.isprintable())[:_LONGEST_CALLED]
        return Upload(project_id, person.id, engine.dialect, database.name, moment, called), manifest

    def _keep(self, upload: Upload, folder: Path) -> None:
        engine = self._make_engine(upload.engine, folder / upload.file)
        self._known[upload.project_id] = _Kept(upload, folder, engine)

    async def _drop(self, project_id: str, folder: Path) -> None:
        known = self._known.pop(project_id, None)
        if known is not None:
            await known.engine.close()
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)


def uploaded_projects(home: Path) -> frozenset[str]:
    """The projects that were sent to the service of this home."""
    return frozenset(upload.project_id for _, upload in _uploads_in(home / _FOLDER) if upload is not None)


def _uploads_in(place: Path) -> Iterator[tuple[Path, Upload | None]]:
    """Each folder, and what lies in it; None for what was not sent whole."""
    for folder in list(place.iterdir()) if place.is_dir() else ():
        try:
            about = json.loads((folder / _ABOUT).read_text(encoding="utf-8"))
            yield folder, Upload(**about)
        except (OSError, ValueError, TypeError):
            yield folder, None


def _copy(file: IO[bytes], target: Path) -> None:
    try:
        file.seek(0)
        with target.open("xb") as out:
            shutil.copyfileobj(file, out, 1 << 20)
        target.chmod(0o600)
    except OSError as error:
        raise Unavailable(*say("uploads.no_room", strerror=error.strerror)) from None


def _kind(file: Path, suffix: str) -> str:
    """`sqlite`, `duckdb` or `csv`, by what is in the file. Raises `InvalidRequest` for anything else, and for a file
    that is called like something else."""
    try:
        found = kind_of_file(str(file))
    except Unusable:
        raise Unavailable(*say("uploads.gone")) from None
    if found == "empty":
        raise InvalidRequest(*say("uploads.empty"))
    is_called_csv = suffix in CSV_SUFFIXES
    if found in ("sqlite", "duckdb"):
        if is_called_csv:
            raise InvalidRequest(*say("uploads.wrong_name", suffix=suffix))
        return found
    if not is_called_csv:
        raise InvalidRequest(*say("uploads.kind"))
    return "csv"


def _slug(text: str, dash: str = "-") -> str:
    """Letters, digits and dashes that stand for a name."""
    plain = re.sub(r"[^a-z0-9]+", dash, text.lower()).strip(dash)[:_LONGEST_NAME].strip(dash)
    return plain or "data"


def _write_about(folder: Path, upload: Upload) -> None:
    half = folder / f"{_ABOUT}.new"
    half.write_text(json.dumps(asdict(upload)), encoding="utf-8")
    half.replace(folder / _ABOUT)
