"""What belongs together in an entry of `data_sources`: each engine has keys of its own, and secrets are not written."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from pydantic import SecretStr

from askwell.config.problems import Path as KeyPath
from askwell.config.problems import did_you_mean, known_keys, words
from askwell.config.reading import Reading
from askwell.config.schema import Config, DataSourceConfig

if TYPE_CHECKING:
    from sqlalchemy.engine import URL

# Engine → the keys that it needs, and those that it may have besides.
_NEEDED = {
    "duckdb": ("path",),
    "sqlite": ("path",),
    "sqlalchemy": (),  # a URL, from one of two keys
    "wren_ibis": ("api_base", "data_source", "connection_info_env"),
    "wren_ui": ("api_base",),
}
_PLACES = ("schema_map", "tables")
# Told of where there are roles; that they do not count may be said anywhere.
_ROLES = ("roles", "values_for_all_roles")
_OPTIONAL = {
    "duckdb": (*_PLACES, "pool_size", "memory_mb"),
    "sqlite": (*_PLACES, "pool_size", "memory_mb"),
    "sqlalchemy": (*_PLACES, "url", "url_env", "pool_size", "memory_mb", *_ROLES),
    "wren_ibis": (*_PLACES, "pool_size"),
    # Where the rows of models are is written in the model that the server has.
    "wren_ui": ("data_source", "project_id", "pool_size"),
}
_EVERYWHERE = ("engine", "shared", "privacy")
# What databases have that take on a role for one statement (SET ROLE).
_WITH_ROLES = ("postgresql", "postgres", "mysql", "mariadb")
_PORTS = {
    "postgresql": 5432,
    "mysql": 3306,
    "mariadb": 3306,
    "trino": 8080,
    "mssql": 1433,
    "redshift": 5439,
    "oracle": 1521,
}
_WEB_PORTS = {"http": 80, "https": 443}
_FILE_ENGINES = ("sqlite", "duckdb")
# Parameters of database URLs that hold a secret rather than the place of one.
_SECRET_PARAMETER = re.compile(r"pass|pwd|secret|token|api_?key|private_key$|credentials_base64", re.IGNORECASE)


def check_databases(reading: Reading) -> None:
    """Keys that are missing or do not go with their engine, sharing that cannot be, and URLs that are wrong."""
    for name, source in reading.sections("data_sources"):
        here, engine = ("data_sources", name), source.get("engine")
        if name != "default" and source.get("shared") is True:
            reading.refuse((*here, "shared"), "shared")
        if source.get("roles") is True and engine in _NEEDED and engine != "sqlalchemy":
            reading.refuse((*here, "roles"), "no_roles")
        if source.get("values_for_all_roles") is True and source.get("roles") is not True:
            reading.refuse((*here, "values_for_all_roles"), "roles_only")
        if "tables" in source and not source["tables"]:
            reading.refuse((*here, "tables"), "no_tables")
        if "connection_info" in source:
            reading.refuse((*here, "connection_info"), "connection_info")
        if not isinstance(engine, str) or engine not in _NEEDED:
            continue  # reported already
        _check_keys(reading, here, engine, source)
        if engine == "sqlalchemy":
            _check_url(reading, here, source)
        elif engine == "wren_ibis":
            _take_connection_info(reading, (*here, "connection_info_env"), source.get("connection_info_env"))


def _check_keys(reading: Reading, here: KeyPath, engine: str, source: Mapping[str, Any]) -> None:
    own = (*_EVERYWHERE, *_NEEDED[engine], *_OPTIONAL[engine])
    for key in source:
        if key not in (*own, *_ROLES) and key in known_keys(Config, here):
            reading.refuse((*here, key), "of_another_engine", engine=engine, nearest=did_you_mean(key, own))
    for key in _NEEDED[engine]:
        if source.get(key) is None:
            reading.refuse((*here, key), "missing")
    if engine == "sqlalchemy" and source.get("url") is None and source.get("url_env") is None:
        reading.refuse((*here, "url"), "source_missing")


def _check_url(reading: Reading, here: KeyPath, source: Mapping[str, Any]) -> None:
    url = reading.take_url(here, _wrong_url)
    if source.get("roles") is True and url is not None and _backend(url) not in _WITH_ROLES:
        reading.refuse((*here, "roles"), "no_roles")


def _take_connection_info(reading: Reading, key: KeyPath, variable: object) -> None:
    text = reading.variable(key, variable)
    if text and not _is_json_object(text):
        reading.refuse(key, "connection_info_json", variable=variable)
    elif text:
        reading.found[(*key[:-1], "connection_info")] = SecretStr(text)


def kind_of(source: DataSourceConfig) -> str:
    """What kind of database it is, for everybody."""
    if source.url is not None:
        return _parsed(source).get_backend_name()
    if source.engine == "wren_ui":
        return f"{source.data_source or 'database'} by a Wren UI"
    return f"{source.data_source} by an ibis-server" if source.api_base else source.engine


def database_name(source: DataSourceConfig) -> str | None:
    """What people call the database: the stem of a file, the database of a server's URL; None where neither is known.
    Never with a path, a host, a user or a password."""
    if source.path is not None:
        return source.path.stem or None
    if source.url is None:
        return None
    url = _parsed(source)
    if url.get_backend_name() in _FILE_ENGINES:
        return Path(url.database or "").stem or None
    return unquote(url.database) if url.database else None


def whereabouts(source: DataSourceConfig) -> str:
    """Where the database is, for the operator: never with a user or a password."""
    if source.path is not None:
        return f"{source.engine} {source.path}"
    there = address(source)
    return f"{kind_of(source)} at {f'{there[0]}:{there[1]}' if there else 'its usual place'}"


def address(source: DataSourceConfig) -> tuple[str, int] | None:
    """Host and port of the server; None for files, and for services that are found in ways of their own."""
    if source.api_base is not None:
        server = urlsplit(source.api_base)
        return (server.hostname, server.port or _WEB_PORTS[server.scheme]) if server.hostname else None
    if source.url is None:
        return None
    url = _parsed(source)
    port = url.port or _PORTS.get(url.get_backend_name())
    return (url.host, port) if url.host and port else None


def _parsed(source: DataSourceConfig) -> URL:
    url = parsed_url(source.url.get_secret_value()) if source.url else None
    assert url is not None, "it was looked at when the configuration was read"
    return url


def parsed_url(text: str) -> URL | None:
    """The URL of a database; None for what is none."""
    # Takes a tenth of a second to import, for the few who need it.
    from sqlalchemy.engine import make_url
    from sqlalchemy.exc import ArgumentError

    try:
        return make_url(text)
    except (ArgumentError, ValueError):
        return None


def _backend(text: str) -> str:
    """What kind of database a URL leads to; "" for what is no URL."""
    url = parsed_url(text)
    return url.get_backend_name() if url is not None else ""


def _wrong_url(text: str, may_hold_password: bool) -> str | None:
    """What is wrong with a database URL; it is never repeated, because it may hold a password."""
    url = parsed_url(text)
    if url is None:
        return words("source_url")
    if (backend := url.get_backend_name()) in _FILE_ENGINES:
        return words("source_file", backend=backend)
    return words("source_password") if not may_hold_password and holds_secret(url) else None


def holds_secret(url: URL) -> bool:
    """Whether a database URL has a password, or a parameter that is one."""
    return url.password is not None or any(map(_SECRET_PARAMETER.search, url.query))


def _is_json_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False
