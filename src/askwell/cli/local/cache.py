"""Where a command keeps what it has learnt about a database: a folder in the user's cache, or a temporary one."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from askwell.errors import AskwellError, RecordUnavailable
from askwell.messages import say

_PREPARED = "prepared.json"
_ASKING = "asking"
_TIDIED = "tidied"
_TIDY_SECONDS = 86_400.0
# Folders are named by a hash of the database's address; those that nobody asked for so long are removed.
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
class CacheFolder:
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


def cache_root() -> Path:
    """The folder for all databases, by the XDG Base Directory Specification."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    # The specification has relative paths ignored.
    return (Path(base) if base.startswith("/") else Path("~/.cache").expanduser()) / "askwell"


def prepared_for(key: str) -> Prepared | None:
    """What was prepared for a database before, without making its folder."""
    return _prepared_in(cache_root() / key)


def _prepared_in(folder: Path) -> Prepared | None:
    try:
        return Prepared(**json.loads((folder / _PREPARED).read_text(encoding="utf-8")))
    except (OSError, RuntimeError, ValueError, TypeError):
        return None


def usual_folder(key: str) -> CacheFolder:
    """The folder of one database, only for this user. Raises `RecordUnavailable` where it cannot be made."""
    folder = cache_root() / key
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
        (folder / _PREPARED).touch()
    except (OSError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or "there is no home folder"
        raise RecordUnavailable(*say("cli.nothing_kept", folder=folder, reason=reason)) from None
    return CacheFolder(folder)


def remove_unused() -> None:
    """Remove the folders of databases that nobody has asked for three months."""
    long_ago = time.time() - _UNUSED_SECONDS
    with contextlib.suppress(OSError):
        for folder in cache_root().iterdir():
            mark = folder / _PREPARED  # touched whenever the folder is used
            if _FOLDER.fullmatch(folder.name) and mark.exists() and mark.stat().st_mtime < long_ago:
                shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def temporary_folder(note: str, copy_of: Path | None, *, in_use: bool = False) -> Iterator[CacheFolder]:
    """A folder that goes when the command ends, with what is known from another one, which may be in use. Raises
    `AskwellError` where there is no place for it."""
    try:
        path = Path(tempfile.mkdtemp(prefix="askwell-"))
    except OSError as error:
        raise AskwellError(*say("cli.no_temporary_files", strerror=error.strerror)) from None
    try:
        if copy_of is not None:
            _copy(copy_of, path)
        yield CacheFolder(path, note, copy_of if in_use else None)
    finally:
        shutil.rmtree(path, ignore_errors=True)


def _copy(usual: Path, path: Path) -> None:
    """The other process may be writing: SQLite copies its file whole. Without a copy everything is prepared anew."""
    from askwell.knowledge.record import FILE_NAME

    try:
        with (
            contextlib.closing(
                sqlite3.connect(f"{(usual / FILE_NAME).as_uri()}?mode=ro", uri=True, timeout=1)
            ) as there,
            contextlib.closing(sqlite3.connect(path / FILE_NAME)) as here,
        ):
            there.backup(here)
        shutil.copyfile(usual / _PREPARED, path / _PREPARED)
        # What the other process is asking would be taken up here.
        (path / _ASKING).touch()
    except (OSError, sqlite3.Error):
        for name in (FILE_NAME, _PREPARED):
            (path / name).unlink(missing_ok=True)
