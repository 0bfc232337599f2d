"""`askwell open`: a database, asked in the browser."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import hashlib
import json
import os
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from askwell.cli.local.cache import CacheFolder, temporary_folder, usual_folder
from askwell.cli.messages import UNUSABLE, give_up
from askwell.cli.options import DatabaseOptions, PreparationOptions, with_option_groups
from askwell.cli.waiting import run, until_signalled
from askwell.csv_files import CSV_SUFFIXES
from askwell.errors import AskwellError, ConfigurationError, RecordUnavailable
from askwell.messages import say

if TYPE_CHECKING:
    from askwell.cli.local.session import LocalSession
    from askwell.cli.progress import Progress
    from askwell.config import ServerConfig
    from askwell.container import Container

_LOADED = "loaded.json"
_PROBLEMS_SHOWN = 10


@with_option_groups
def open(
    local: PreparationOptions,
    database: Annotated[
        str | None,
        typer.Argument(
            help="A SQLite or DuckDB file, a CSV file or a folder of them, the URL of a server, or env:NAME for what "
            "that variable holds; $ASKWELL_DATABASE without it."
        ),
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port to listen on; 0 takes a free one.")] = 0,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Only print the address.")] = False,
) -> None:
    """Make a database ready to be asked, and serve it to this machine alone, until Ctrl-C or SIGTERM: its page opens in
    the browser.

    What is learned is kept with what `askwell shell` keeps of the database. Status 0 at the end, 2 for what cannot be
    used, 3 for what failed.
    """
    database = database or os.environ.get("ASKWELL_DATABASE")
    if database is None:
        give_up(AskwellError(*say("cli.nothing_to_open")), UNUSABLE)
    run(_opened(database, local, port, browser=not no_browser and sys.stdout.isatty()))


async def _opened(database: str, options: PreparationOptions, port: int, *, browser: bool) -> None:
    from askwell.cli.progress import Progress
    from askwell.config import ServerConfig

    server = ServerConfig(port=port)
    # First: that the port is taken is not to be found out after a minute of looking at the database.
    with contextlib.closing(_listening(server)) as listener:
        async with contextlib.AsyncExitStack() as opened:
            with Progress() as progress:
                preparing = _session(opened, database, options, progress)
                session = await until_signalled(preparing, signal.SIGHUP)
            await _serve(session, server, listener, browser=browser)


def _listening(server: ServerConfig) -> socket.socket:
    from askwell.services.health.databases import listen

    try:
        return listen(server)
    except AskwellError as error:
        raise ConfigurationError(*say("cli.port_not_free", message=error.message)) from None


async def _session(
    opened: contextlib.AsyncExitStack, database: str, options: PreparationOptions, progress: Progress
) -> LocalSession:
    from askwell.cli.local.database import opened_session

    # Questions come with the time zone of the browser.
    chosen = DatabaseOptions(**asdict(options), timezone="UTC")
    if (source := _csv_source(database)) is not None:
        folder = opened.enter_context(_place_of_tables(source))
        tables = await _csv_tables(source, folder, progress, refresh=options.refresh)
        database, chosen = str(tables.database), replace(chosen, model=options.model or tables.model)
    return await opened.enter_async_context(opened_session(database, chosen, progress))


async def _serve(session: LocalSession, config: ServerConfig, listener: socket.socket, *, browser: bool) -> None:
    from askwell.cli.serve import server_of, url_of
    from askwell.web.app import create_app

    url = f"{url_of(listener)}/"

    def ready() -> None:
        typer.echo(f"Askwell is ready at {url}")
        typer.echo(f"Ask {session.name} there; Ctrl-C ends it.", err=True)
        if browser:
            import webbrowser

            # Some wait for the browser to end, and nothing here waits for them.
            threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()

    started: Any = _Started(session.whole)
    app: Any = create_app(started, config)
    server = server_of(app, session.whole, config, ready)
    server.has_process = True
    await server.serve(sockets=[listener])
    gc.unfreeze()  # DuckDB, which reads CSV files, complains on standard error of what is still there at the end
    if not server.told_to_stop:
        raise getattr(app.state, "start_error", AskwellError(*say("cli.page_not_served")))


class _Started:
    """A container that was started before it is served."""

    def __init__(self, container: Container) -> None:
        self._container = container

    def __getattr__(self, name: str) -> Any:
        return getattr(self._container, name)

    async def start(self) -> None:
        """Nothing is left to do."""


@dataclass(frozen=True, slots=True)
class CsvTables:
    """The DuckDB file that has the rows, and the file of its model."""

    database: Path
    model: Path


def _csv_source(written: str) -> Path | None:
    """The CSV file, or the folder of them, that a person means who writes this; None where it is something else."""
    try:
        path = Path(written).expanduser()
        return path if path.is_dir() or (path.suffix.lower() in CSV_SUFFIXES and path.is_file()) else None
    except (OSError, RuntimeError, ValueError):
        return None


@contextlib.contextmanager
def _place_of_tables(source: Path) -> Iterator[CacheFolder]:
    """Where the tables of a file or folder are kept: for always in the user's cache, or while the command runs."""
    key = hashlib.sha256(f"csv:{source.resolve()}".encode(errors="replace")).hexdigest()[:24]
    try:
        folder = usual_folder(key)
    except RecordUnavailable as error:
        with temporary_folder(error.message, None) as folder:
            yield folder
        return
    yield folder


async def _csv_tables(source: Path, folder: CacheFolder, watcher: Progress, *, refresh: bool) -> CsvTables:
    """The tables of a CSV file, or of a folder of them, and the model that they suggest; loaded anew where the files
    are others than before, or with `refresh`. Raises `ConfigurationError` for files that cannot be loaded."""
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
