"""Where commands keep what they know of a database: its folder of the user's data, or a temporary one.

A database is known by where it is. One that lies somewhere else is known by what it declares: its tables, columns and
types. Where the file that was known is gone, it was moved, and its folder is taken along; else it is a copy, which
begins with what was taught about the other."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Self

from askwell.errors import AskwellError, RecordUnavailable
from askwell.messages import say
from askwell.providers.engine.base import PhysicalSchema
from askwell.user_folders import user_folder

_RECORD = "record.sqlite"
_ORIGIN = "database.json"
# What people said of a database, and what is a conversation about its rows.
_TAUGHT = ("lessons", "sql_pairs", "instructions", "keywords", "documents", "agents", "threads")
_ASKED = ("jobs", "messages", "run_events", "client_runs", "threads")
_ADDRESS = "address.json"
_PREPARED = "prepared.json"
_ASKING = "asking"
_TIDIED = "tidied"
_TIDY_SECONDS = 86_400.0
# Folders are named by a hash of the database's address; those that nobody taught or asked for so long are removed.
_FOLDER = re.compile(r"[0-9a-f]{24}")
_UNUSED_SECONDS = 90 * 86_400.0
# Looking at a database again may take this share of the time.
_AGAIN_SHARE = 50
_ALWAYS_SECONDS = 2.0
_SERVER_SECONDS = 3_600.0


@dataclass(frozen=True, slots=True)
class Prepared:
    """What was prepared here: the model's label, the digest of its file ("" where it was drafted), the
    version of the database's file (None for a server), how many seconds it took and when that was."""

    label: str
    model: str
    version: str | None
    seconds: float
    at: float

    def is_of(self, version: str | None, model: str) -> bool:
        """Whether the database's file and the model's are what they were, so that the schema need not be read."""
        return version is not None and version == self.version and model == self.model

    def is_current(self, version: str | None) -> bool:
        """Whether the values that were looked at may be trusted: always while the file is unchanged, and for a time in
        proportion to what looking again would take."""
        age = time.time() - self.at
        if version is None:
            return 0 <= age < _SERVER_SECONDS
        return version == self.version or (self.seconds > _ALWAYS_SECONDS and 0 <= age < self.seconds * _AGAIN_SHARE)


@dataclass(frozen=True, slots=True)
class DatabaseFolder:
    """A home for one command. `note` says in words why it is not the usual one; "" when it is. Where another command
    has that, it is a copy of the one at `copied`."""

    path: Path
    note: str = ""
    copied: Path | None = None

    def prepared(self) -> Prepared | None:
        """What was prepared here before."""
        return _prepared_in(self.path)

    def keep(self, prepared: Prepared) -> None:
        """Note what is prepared now. Where that cannot be written, it is prepared again next time."""
        with contextlib.suppress(OSError):
            half = self.path / f"{_PREPARED}.new"
            half.write_text(json.dumps(asdict(prepared)), encoding="utf-8")
            half.replace(self.path / _PREPARED)

    @contextlib.contextmanager
    def asking(self) -> Iterator[None]:
        """Leaves a mark behind where the process does not survive the ask."""
        with contextlib.suppress(OSError):
            (self.path / _ASKING).touch()
        try:
            yield
        finally:
            self.forget_interruption()

    @contextlib.contextmanager
    def serving(self, url: str) -> Iterator[None]:
        """Tells the user's other commands where this process serves the database."""
        address = self.path / _ADDRESS
        with contextlib.suppress(OSError):
            address.unlink(missing_ok=True)
            with os.fdopen(os.open(address, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as file:
                json.dump({"pid": os.getpid(), "url": url}, file)
        try:
            yield
        finally:
            with contextlib.suppress(OSError):
                address.unlink()

    def forget_interruption(self) -> None:
        """Take the mark away."""
        (self.path / _ASKING).unlink(missing_ok=True)

    def is_to_be_tidied(self) -> bool:
        """Whether that was not done for a day (in a new folder there is nothing to tidy). From now on it counts as
        done."""
        mark = self.path / _TIDIED
        try:
            due = mark.exists() and time.time() - mark.stat().st_mtime > _TIDY_SECONDS
            if due or not mark.exists():
                mark.touch()
        except OSError:
            return False
        return due

    @property
    def was_interrupted(self) -> bool:
        """Whether an ask was begun here and the process did not survive it."""
        return (self.path / _ASKING).exists()


@dataclass(frozen=True, slots=True)
class Origin:
    """The file that a folder is about (None where another database lies there now), a digest of what it declares, and
    the names of its tables."""

    file: str | None
    identity: str
    tables: tuple[str, ...]

    @classmethod
    def of(cls, file: Path, schema: PhysicalSchema) -> Self:
        """Of a database file with this schema."""
        tables = sorted((one.name, one.schema or "", [[c.name, c.type] for c in one.columns]) for one in schema.tables)
        identity = hashlib.sha256(json.dumps(tables).encode(errors="replace")).hexdigest()
        return cls(str(file), identity, tuple(name for name, *_ in tables))

    @classmethod
    def kept_in(cls, folder: Path) -> Self | None:
        """What a folder says that it is about."""
        try:
            return cls(**json.loads((folder / _ORIGIN).read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            return None

    def keep(self, folder: Path) -> None:
        """Write it into a folder."""
        (folder / _ORIGIN).write_text(json.dumps(asdict(self)), encoding="utf-8")


def _databases() -> Path:
    return user_folder("data") / "databases"


def prepared_for(key: str) -> Prepared | None:
    """What was prepared for a database before, without making its folder."""
    try:
        return _prepared_in(_databases() / key)
    except RuntimeError:
        return None


def _prepared_in(folder: Path) -> Prepared | None:
    try:
        return Prepared(**json.loads((folder / _PREPARED).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def csv_folder(key: str) -> DatabaseFolder:
    """The folder of the cache for the tables of CSV files. Raises `RecordUnavailable` where it cannot be made."""
    with _as_unavailable():
        return _made(user_folder("cache") / key)


def database_folder(key: str, origin: Origin | None) -> DatabaseFolder:
    """The folder of one database, only for this user; `origin` is None where the file is what it was, and for a server.
    Raises `RecordUnavailable` where it cannot be made."""
    with _as_unavailable():
        folder, old = _databases() / key, user_folder("cache") / key
        if origin is not None:
            _put_aside(folder, origin)
        if not (folder / _RECORD).exists() and not is_in_use(folder):
            if (old / _RECORD).exists():
                _move(old, folder)  # from where earlier versions kept it
            elif origin is not None:
                _take_along(folder, origin)
        made = _made(folder)
        if origin is not None:
            origin.keep(folder)
        return made


@contextlib.contextmanager
def _as_unavailable() -> Iterator[None]:
    try:
        yield
    except (OSError, RuntimeError) as error:
        folder = getattr(error, "filename", None) or "your home folder"
        reason = getattr(error, "strerror", None) or "there is none"
        raise RecordUnavailable(*say("cli.nothing_kept", folder=folder, reason=reason)) from None


def _made(folder: Path) -> DatabaseFolder:
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)
    (folder / _PREPARED).touch()
    return DatabaseFolder(folder)


def _put_aside(folder: Path, origin: Origin) -> None:
    """Where a database without any of the tables that were known lies there now, keep the other's folder for when it
    comes back."""
    known = Origin.kept_in(folder)
    if known is None or not known.tables or set(known.tables) & set(origin.tables) or is_in_use(folder):
        return
    aside = folder.with_name(hashlib.sha256(f"{folder.name} {known.identity}".encode()).hexdigest()[:24])
    if not aside.exists():
        replace(known, file=None).keep(folder)
        folder.rename(aside)


def _take_along(folder: Path, origin: Origin) -> None:
    """Begin with the folder of a file that was moved, or with what was taught about a file that was copied."""
    known = [(one, kept) for one in _databases().glob("*/") if (kept := Origin.kept_in(one)) is not None]
    same = [(one, kept) for one, kept in known if kept.identity == origin.identity and (one / _RECORD).exists()]
    if not same:
        return
    other, kept = max(same, key=lambda pair: (pair[0] / _PREPARED).stat().st_mtime)
    if (kept.file is None or not Path(kept.file).exists()) and not is_in_use(other):
        _move(other, folder)
        return
    _made(folder)
    if _copy(other, folder) and (prepared := _prepared_in(folder)) is not None:
        with contextlib.closing(sqlite3.connect(folder / _RECORD)) as record, record:
            for table in _ASKED:
                record.execute(f"DELETE FROM {table}")
        # The values are the other's.
        DatabaseFolder(folder).keep(replace(prepared, version="", seconds=0.0))


def _move(there: Path, folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)  # of a start that failed
    folder.parent.mkdir(parents=True, exist_ok=True)
    shutil.move(there, folder)


def is_in_use(folder: Path) -> bool:
    """Whether another process asks this database now."""
    from askwell.knowledge.engines import HomeLock  # with SQLAlchemy

    return HomeLock.holder(folder) is not None


def served_at(key: str) -> str | None:
    """The address at which another process serves a database now. What is written counts as long as the process that
    wrote it has the folder: the system takes the lock from one that is gone, and nobody else listens at its port."""
    try:
        folder = _databases() / key
        written = json.loads((folder / _ADDRESS).read_text(encoding="utf-8"))
        is_its = (folder / "service.lock").read_text(encoding="utf-8") == str(written["pid"])
        return str(written["url"]) if is_its and is_in_use(folder) else None
    except (OSError, RuntimeError, ValueError, TypeError, KeyError):
        return None


def remove_unused() -> None:
    """Remove the folders of databases that nobody has asked for three months, and taught nothing."""
    long_ago = time.time() - _UNUSED_SECONDS
    with contextlib.suppress(OSError):
        for folder in [*_databases().glob("*/"), *user_folder("cache").glob("*/")]:
            mark = folder / _PREPARED  # touched whenever the folder is used
            if _FOLDER.fullmatch(folder.name) and mark.exists() and mark.stat().st_mtime < long_ago:
                if not _is_taught(folder / _RECORD):
                    shutil.rmtree(folder, ignore_errors=True)


def _is_taught(record: Path) -> bool:
    """Whether a record holds what somebody said, or changed of its model. One that cannot be read may."""
    if not record.exists():
        return False
    changed = "SELECT 1 FROM labels WHERE label = content_hash"
    said = " UNION ALL ".join([changed, *(f"SELECT 1 FROM {table}" for table in _TAUGHT)])
    try:
        with contextlib.closing(sqlite3.connect(f"{record.as_uri()}?mode=ro", uri=True)) as connection:
            return connection.execute(f"{said} LIMIT 1").fetchone() is not None
    except sqlite3.Error:
        return True


@contextlib.contextmanager
def temporary_folder(note: str, copy_of: Path | None, *, in_use: bool = False) -> Iterator[DatabaseFolder]:
    """A folder that goes when the command ends, with what is known from another one, which may be in use. Raises
    `AskwellError` where there is no place for it."""
    try:
        path = Path(tempfile.mkdtemp(prefix="askwell-"))
    except OSError as error:
        raise AskwellError(*say("cli.no_temporary_files", strerror=error.strerror)) from None
    try:
        if copy_of is not None:
            _copy(copy_of, path)
        yield DatabaseFolder(path, note, copy_of if in_use else None)
    finally:
        shutil.rmtree(path, ignore_errors=True)


def _copy(usual: Path, path: Path) -> bool:
    """Whether the record and what is prepared could be copied. The other process may be writing: SQLite copies its file
    whole. Without a copy everything is prepared anew."""
    try:
        there = sqlite3.connect(f"{(usual / _RECORD).as_uri()}?mode=ro", uri=True, timeout=1)
        with contextlib.closing(there), contextlib.closing(sqlite3.connect(path / _RECORD)) as here:
            there.backup(here)
        shutil.copyfile(usual / _PREPARED, path / _PREPARED)
        # What the other process is asking would be taken up here.
        (path / _ASKING).touch()
    except (OSError, sqlite3.Error):
        for name in (_RECORD, _PREPARED):
            (path / name).unlink(missing_ok=True)
        return False
    return True
