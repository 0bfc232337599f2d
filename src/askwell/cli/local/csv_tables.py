"""The tables of CSV files, loaded into a DuckDB file that is kept in the cache."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from askwell.cli.local.folders import DatabaseFolder, csv_folder, temporary_folder
from askwell.csv_files import CSV_SUFFIXES
from askwell.errors import ConfigurationError, RecordUnavailable
from askwell.messages import say
from askwell.user_folders import user_folder

if TYPE_CHECKING:
    from askwell.cli.progress import Progress

_LOADED = "loaded.json"
_PROBLEMS_SHOWN = 10


@dataclass(frozen=True, slots=True)
class CsvTables:
    """The DuckDB file that has the rows, and the file of its model."""

    database: Path
    model: Path


def csv_source(written: str) -> Path | None:
    """The CSV file, or the folder of them, that a person means who writes this; None where it is something else."""
    if not written.strip():
        return None
    try:
        path = Path(written).expanduser()
        return path if path.is_dir() or (path.suffix.lower() in CSV_SUFFIXES and path.is_file()) else None
    except (OSError, RuntimeError, ValueError):
        return None


def loaded_tables(source: Path) -> Path | None:
    """The DuckDB file of a CSV file or of a folder of them, where it is loaded as the files are now."""
    with contextlib.suppress(OSError, RuntimeError):
        folder = user_folder("cache") / _key(source)
        file = _tables_in(folder, source).database
        return file if file.exists() and _read(folder / _LOADED) == _state(source) else None
    return None


def _key(source: Path) -> str:
    return hashlib.sha256(f"csv:{source.resolve()}".encode(errors="replace")).hexdigest()[:24]


@contextlib.asynccontextmanager
async def csv_tables(source: Path, watcher: Progress, *, refresh: bool) -> AsyncIterator[CsvTables]:
    """The tables of a CSV file, or of a folder of them, and the model that they suggest: kept in the user's cache, or
    while the command runs where there is none. Raises `ConfigurationError` for files that cannot be loaded."""
    try:
        folder = csv_folder(await asyncio.to_thread(_key, source))
    except RecordUnavailable as error:
        with temporary_folder(error.message, None) as folder:
            yield await _loaded(source, folder, watcher, refresh=refresh)
        return
    yield await _loaded(source, folder, watcher, refresh=refresh)


async def _loaded(source: Path, folder: DatabaseFolder, watcher: Progress, *, refresh: bool) -> CsvTables:
    """The tables, loaded anew where the files are others than before, or with `refresh`."""
    from askwell.cli.local.database import given_database
    from askwell.csv_files.reading import load_csv_folder
    from askwell.services.csv_drafting import draft_csv_model

    tables, mark = _tables_in(folder.path, source), folder.path / _LOADED
    state = await asyncio.to_thread(_state, source)
    if not refresh and _read(mark) == state and tables.database.exists() and tables.model.exists():
        return tables
    watcher.step("loading CSV files")
    mark.unlink(missing_ok=True)
    loaded = await asyncio.to_thread(load_csv_folder, source, tables.database)
    for warning in loaded.warnings:
        watcher.note(str(warning))
    if loaded.problems:
        shown = [str(one) for one in loaded.problems[:_PROBLEMS_SHOWN]]
        more = len(loaded.problems) - len(shown)
        lines = "\n".join([*shown, *([f"and {more} more"] if more else [])])
        raise ConfigurationError(*say("cli.csv_not_loaded", source=source, lines=lines))
    async with given_database(str(tables.database)).engine() as engine:
        manifest = await draft_csv_model(engine, loaded)
    tables.model.write_text(json.dumps(manifest.wire(), ensure_ascii=False), encoding="utf-8")
    mark.write_text(state, encoding="utf-8")
    return tables


def _tables_in(folder: Path, source: Path) -> CsvTables:
    # The database's name is what people are shown.
    place = source.resolve()
    name = place.name if place.is_dir() else place.stem
    return CsvTables(folder / f"{name or 'tables'}.duckdb", folder / "model.json")


def _state(source: Path) -> str:
    """Changes when a file does, comes or goes."""
    files = sorted(source.iterdir()) if source.is_dir() else [source]
    states = []
    for file in files:
        if file.suffix.lower() in CSV_SUFFIXES or file == source:
            with contextlib.suppress(OSError):
                stat = file.stat()
                states.append([file.name, stat.st_ino, stat.st_size, stat.st_mtime_ns])
    return json.dumps(states)


def _read(mark: Path) -> str:
    try:
        return mark.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return ""
