"""The database that a command names, a file, a URL, or an environment variable that holds one of them; and from the
options of a command to a database that is ready to be asked."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import hashlib
import importlib
import os
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote
from zoneinfo import ZoneInfo

from pydantic import SecretStr

from askwell.cli.local.csv_tables import csv_source, csv_tables, loaded_tables
from askwell.cli.local.folders import prepared_for, served_at
from askwell.cli.options import DatabaseOptions, options_given
from askwell.config import DataSourceConfig, load_config
from askwell.errors import ConfigurationError, EngineUnavailable
from askwell.messages import say
from askwell.observability.logging import configure_logging
from askwell.providers.engine.base import Engine, PhysicalSchema
from askwell.providers.engine.factory import create_engine, create_server_engine
from askwell.providers.engine.worker.database_file import file_state, kind_of_file
from askwell.providers.engine.worker.outcomes import Unusable
from askwell.resources import words_file

if TYPE_CHECKING:
    from sqlalchemy.engine import URL

    from askwell.cli.client import Client
    from askwell.cli.local.session import LocalSession
    from askwell.cli.progress import Progress

_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*)://", re.IGNORECASE)
_FILE_SCHEMES = ("sqlite", "duckdb")
_LOOKS_LIKE = {
    b"%PDF": "a PDF",
    b"PK\x03\x04": "a zip archive or spreadsheet",
    b"PAR1": "a Parquet file",
    b"\x1f\x8b": "a gzip archive",
}
_ENCODINGS_OF_TEXT = (b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf")
# What begins like a URL and is none; a drive of Windows has one letter.
_HALF_URL = re.compile(r"[a-z][a-z0-9+.-]+:", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class GivenDatabase:
    """`source` is its configuration; `name` is for people; `address` tells it from others and holds no password; `file`
    is set where it is a file."""

    source: DataSourceConfig
    name: str
    address: str
    file: Path | None = None

    @property
    def key(self) -> str:
        """A short name for what is kept about this database."""
        return hashlib.sha256(self.address.encode(errors="replace")).hexdigest()[:24]

    def version(self) -> str | None:
        """Changes when the file does; None for a server, which does not say."""
        if self.file is None:
            return None
        journal = self.file.with_name(self.file.name + "-wal")
        states = [path.stat() for path in (self.file, journal) if path.exists()]
        return " ".join(f"{state.st_ino}:{state.st_size}:{state.st_mtime_ns}" for state in states)

    @asynccontextmanager
    async def engine(self) -> AsyncIterator[Engine]:
        """The database's engine, for looking at it outside of a service. That it cannot be used is raised in words for
        the command line."""
        if self.source.path is not None:
            engine: Engine = create_engine(self.source.engine, self.source.path)
        else:
            engine = create_server_engine(self.source.url.get_secret_value() if self.source.url else "")
        try:
            yield engine
        except EngineUnavailable as error:
            raise explained(error) from None
        finally:
            await engine.close()

    async def schema(self) -> PhysicalSchema:
        """What the database declares now."""
        async with self.engine() as engine:
            return await engine.introspect()


def given_database(written: str) -> GivenDatabase:
    """The database that a person means. Raises `ConfigurationError`, whose words never repeat a URL."""
    if written.startswith("env:"):
        variable = written.removeprefix("env:")
        if not os.environ.get(variable):
            raise ConfigurationError(*say("cli.database_variable_unset", variable=variable or "(without a name)"))
        written = os.environ[variable]
    if not written.strip():
        raise ConfigurationError(*say("cli.database_empty_name"))
    scheme = _SCHEME.match(written)
    if scheme is None:
        return _file(Path(written).expanduser())
    backend = scheme[1].lower().partition("+")[0]
    if backend in _FILE_SCHEMES:
        # sqlite:///relative and sqlite:////absolute, as SQLAlchemy has them
        return _file(Path(unquote(written[scheme.end() :].partition("?")[0].removeprefix("/"))), kind=backend)
    return _server(written, backend)


def _file(path: Path, kind: str | None = None) -> GivenDatabase:
    try:
        file_state(str(path))
        found = kind_of_file(str(path))
    except Unusable as unusable:
        if unusable.reason == "missing" and kind is None and _HALF_URL.match(str(path)):
            # It may be a URL with a slip in it, and hold a password: it is not repeated.
            raise ConfigurationError(*say("cli.database_no_url")) from None
        raise _unusable(path, unusable) from None
    except ValueError:
        raise ConfigurationError(*say("cli.database_no_path")) from None
    if found == "empty":
        raise ConfigurationError(*say("cli.database_empty_file", path=path))
    if found not in _FILE_SCHEMES:
        raise ConfigurationError(*say("cli.database_other_file", path=path, resemblance=_resemblance(path)))
    if kind is not None and kind != found:
        raise ConfigurationError(*say("cli.database_other_kind", path=path, found=found, kind=kind))
    real = path.resolve()
    source = DataSourceConfig.model_validate({"engine": found, "path": real})
    return GivenDatabase(source, path.name, f"{found}:{real}", real)


def _unusable(path: Path, unusable: Unusable) -> ConfigurationError:
    match unusable.reason:
        case "missing":
            return ConfigurationError(*say("cli.database_missing", path=path))
        case "not_a_file":
            return ConfigurationError(*say("cli.database_no_file", path=path, detail=unusable.detail))
        case _:
            return ConfigurationError(*say("cli.database_unreadable", path=path, detail=unusable.detail))


def _resemblance(path: Path) -> str:
    try:
        with path.open("rb") as file:
            start = file.read(64)
    except OSError:
        start = b""
    for magic, what in _LOOKS_LIKE.items():
        if start.startswith(magic):
            return f"it looks like {what}"
    is_text = start.startswith(_ENCODINGS_OF_TEXT) or not re.search(rb"[\x00-\x08\x0e-\x1f]", start)
    return "it looks like text" if start and is_text else "what it is instead is not known"


def _server(written: str, backend: str) -> GivenDatabase:
    from askwell.providers.engine.sqlalchemy_engine import VENDORS, server_address

    if backend not in VENDORS:
        raise ConfigurationError(*say("cli.database_unsupported", backend=backend))
    try:
        address = server_address(written)
    except ConfigurationError as error:
        said = error.message.replace("The url of a data source", "The URL").replace(
            "The url of a MySQL data source", "The URL"
        )
        raise ConfigurationError(said, error.hint) from None
    source = DataSourceConfig(engine="sqlalchemy", url=SecretStr(written))
    return GivenDatabase(source, address.name, _without_secrets(address.url))


def _without_secrets(url: URL) -> str:
    """The URL without its password, and without parameters: those may hold secrets too."""
    place = url.set(password=None, query={})
    return place.render_as_string()


def at_the_command_line(text: str) -> str:
    """`text` of an engine, without what only a service has."""
    for said, instead in words_file("askwell.cli", "words.yaml")["for_operators"].items():
        text = text.replace(said, instead)
    return text


def explained(error: EngineUnavailable) -> EngineUnavailable:
    """The error in these words."""
    return EngineUnavailable(at_the_command_line(error.message), at_the_command_line(error.hint))


_LOCAL_TIME = "/etc/localtime"


def served_client(database: str, options: DatabaseOptions) -> Client | None:
    """A client of the process that serves the database now; None where none does, and where the options want it asked
    in another way. Raises `ConfigurationError`."""
    source = csv_source(database)
    file = loaded_tables(source) if source is not None else database
    if file is None or options_given(replace(options, timezone=None)):
        return None
    given = given_database(str(file))
    url = served_at(given.key)
    if url is None:
        return None
    from askwell.cli.client import Client
    from askwell.cli.service import HttpTransport

    return Client(HttpTransport(url), given.name, timezone=time_zone(options.timezone))


@contextlib.asynccontextmanager
async def opened_session(
    database: str,
    options: DatabaseOptions,
    watcher: Progress,
    *,
    max_attempts: int | None = None,
    asks_only: bool = False,
) -> AsyncIterator[LocalSession]:
    """The database, ready. `max_attempts` is how often SQL that fails is corrected, in place of the configured number;
    with `asks_only` the session can do nothing else, and is there sooner.

    What was given is looked at before anything heavy is imported. Raises `ConfigurationError` and `InvalidModel` for
    what cannot be used, and `AskwellError` where no question can be asked at all."""
    configure_logging("error", as_json=False)
    if (source := csv_source(database)) is not None:
        async with csv_tables(source, watcher, refresh=options.refresh) as tables:
            chosen = replace(options, model=options.model or tables.model)
            file = str(tables.database)
            async with opened_session(file, chosen, watcher, max_attempts=max_attempts, asks_only=asks_only) as ready:
                yield ready
        gc.unfreeze()  # DuckDB, which read the files, complains on standard error of what is still there at the end
        return
    given = given_database(database)
    zone = time_zone(options.timezone)
    settings = load_config(options.config, os.environ)
    if max_attempts is not None:
        changed = settings.settings.model_copy(update={"max_sql_correction_retries": max_attempts})
        settings = settings.model_copy(update={"settings": changed})
    text = read_model_file(options.model) if options.model is not None else None
    digest = hashlib.sha256(text.encode()).hexdigest() if text is not None else ""
    known = prepared_for(given.key)
    is_known = known is not None and known.is_of(given.version(), digest) and not options.refresh
    watcher.step("reading the schema")
    # The libraries are imported while the database is looked at; where it cannot be used nothing else is done.
    imported = asyncio.to_thread(_import_without_pauses, "askwell.cli.local.session")
    schema, session = await asyncio.gather(_nothing() if is_known else given.schema(), imported)
    local = session.LocalOptions(model=text, digest=digest, refresh=options.refresh, timezone=zone, asks_only=asks_only)
    async with session.local_session(given, schema, settings, local, watcher) as ready:
        yield ready


async def _nothing() -> None:
    pass


def _import_without_pauses(module: str) -> Any:
    """The module. What importing makes stays for good: looking through it for garbage takes an eighth of the time."""
    gc.disable()
    try:
        return importlib.import_module(module)
    finally:
        gc.freeze()
        gc.enable()


def read_model_file(path: Path) -> str:
    """The text of a file with MDL JSON. Raises `ConfigurationError` where there is none that can be read."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise ConfigurationError(*say("cli.file_missing_write_one", path=path)) from None
    except (OSError, UnicodeDecodeError) as error:
        reason = "it is not UTF-8 text" if isinstance(error, UnicodeDecodeError) else error.strerror
        raise ConfigurationError(*say("cli.mdl_file_unreadable", path=path, reason=reason)) from None


def time_zone(written: str | None) -> str:
    """The IANA name of the zone that `--timezone` names, or else of this machine's own; UTC where it does not say.
    Raises `ConfigurationError` for a name that is none."""
    if written is not None:
        if not _is_zone(written):
            raise ConfigurationError(*say("cli.time_zone", written=written[:64]))
        return written
    # As the C library looks for it; the file is a link into its own folder of zones.
    names = (os.environ.get("TZ", "").removeprefix(":"), os.path.realpath(_LOCAL_TIME).rpartition("/zoneinfo/")[2])
    found = next(filter(_is_zone, names), "UTC")
    return "UTC" if found == "Etc/UTC" else found


def _is_zone(name: str) -> bool:
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return False
    return bool(name)
