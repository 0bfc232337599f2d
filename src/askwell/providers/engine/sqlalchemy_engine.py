"""Database servers, by URL: PostgreSQL, MySQL and MariaDB, and by the same code Trino, Snowflake, BigQuery."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from askwell.errors import ConfigurationError, EngineUnavailable
from askwell.messages import say
from askwell.providers.engine.base import DEFAULT_LIMITS, CallableFunctions, EngineLimits, RoleRights
from askwell.providers.engine.child_engine import ChildEngine

logger = logging.getLogger(__name__)

# How long a query process may take to tell the server to stop.
_GRACE_SECONDS = 0.5

# Reason (as the child reports it) → what happened, what to do next. Clients read these: which host and which user is
# for the service's own log.
UNUSABLE: dict[str, tuple[str, str]] = {
    "refused": (
        "Nothing accepts connections at its address",
        "Check that the server runs, and the host and port in the url of this data source.",
    ),
    "unknown_host": ("Its host name is not known", "Check the host in the url of this data source."),
    "unreachable": (
        "Its server does not answer",
        "Check the host and port in the url of this data source, the network and firewalls.",
    ),
    "login": (
        "The server refuses the user or the password",
        "Check both in the url of this data source; special characters have to be percent-encoded.",
    ),
    "login_method": (
        "The driver cannot log in the way the server asks for",
        "Use TLS (ssl_ca in the url), or install the missing package: pip install cryptography",
    ),
    "not_allowed": (
        "The server does not let this user in from here",
        "Give the user the right to connect to this database from the service's machine.",
    ),
    "unknown_database": (
        "The server has no database of that name",
        "Check the database's name in the url of this data source.",
    ),
    "too_many_connections": (
        "The server has no connection left",
        "Try again later, lower pool_size, or raise the server's limit.",
    ),
    "tls": (
        "An encrypted connection cannot be made",
        "Check the TLS settings in the url of this data source (sslmode, sslrootcert, ssl_ca) and the certificate.",
    ),
    "starting": ("The server is starting up or shutting down", "Try again in a moment."),
    "dropped": ("The server ended the connection", "Try again; if it happens again, the server's log says why."),
    "timezone": (
        "The server does not know the session's time zone",
        "Load the server's time zone tables (mysql_tzinfo_to_sql), or use UTC.",
    ),
    "driver": ("Its driver cannot be loaded", "Install the driver of this data source again."),
    "out_of_memory": ("There is not enough memory to connect", "Raise the memory limit of this data source."),
    "other": (
        "The server cannot be used; the service's log says more",
        "Check the url of this data source and the server's log.",
    ),
}


class SQLAlchemyEngine(ChildEngine):
    """A database on a server, in read-only transactions that are always rolled back.

    `url` is a SQLAlchemy URL; its password appears in no message and no log. Raises `ConfigurationError` for a URL
    that cannot be used and for a missing driver. Nothing is connected before the first question.
    """

    def __init__(
        self, url: str, limits: EngineLimits = DEFAULT_LIMITS, callable_functions: CallableFunctions | None = None
    ) -> None:
        address = server_address(url)
        self._host = address.url.host
        super().__init__(
            address.settings(),
            address.modules(),
            limits,
            dialect=address.vendor.dialect,
            data_source=address.vendor.data_source,
            name=address.name,
            grace_seconds=_GRACE_SECONDS,
            callable_functions=callable_functions,
        )

    async def rights(self) -> RoleRights:
        """What the role may do that questions do not need; empty where the database cannot tell."""
        return RoleRights(*map(tuple, await self._catalogue("rights")))

    async def functions(self) -> frozenset[str]:
        """As in every engine. The first time, a role that may do more than read is warned of in the log."""
        first = self._functions is None
        functions = await super().functions()
        if first and (rights := (await self.rights()).beyond_reading):
            logger.warning(
                "the database role of a data source %s; statements run in read-only transactions, and a role that may "
                "only read is safer still",
                ", ".join(rights),
                extra={"database": self._name},
            )
        return functions

    def _unavailable(self, reason: str, detail: str) -> EngineUnavailable:
        logger.warning(
            "a database cannot be used",
            extra={"database": self._name, "host": self._host, "reason": reason, "detail": detail},
        )
        message, hint = UNUSABLE[reason]
        return EngineUnavailable(f"The database {self._name} cannot be used. {message}.", hint)


# -- addresses --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Vendor:
    """A kind of database server. `driver` is the only one we use, `module` what it is imported as, `install` how to
    get it; `session` names the worker's session; `dialect` is sqlglot's name, `data_source` the manifest's."""

    title: str
    dialect: str
    data_source: str
    session: str
    driver: str
    module: str
    install: str


_POSTGRES = Vendor(
    "PostgreSQL", "postgres", "POSTGRES", "postgres", "postgresql+psycopg", "psycopg", "'askwell[postgres]'"
)
_MYSQL = Vendor("MySQL", "mysql", "MYSQL", "mysql", "mysql+pymysql", "pymysql", "'askwell[mysql]'")

# By the first part of a URL's scheme.
VENDORS: dict[str, Vendor] = {
    "postgresql": _POSTGRES,
    "postgres": _POSTGRES,
    "mysql": _MYSQL,
    "mariadb": _MYSQL,
    "trino": Vendor("Trino", "trino", "TRINO", "sqlalchemy", "trino", "trino", "'askwell[trino]'"),
    "snowflake": Vendor(
        "Snowflake", "snowflake", "SNOWFLAKE", "sqlalchemy", "snowflake", "snowflake.sqlalchemy", "'askwell[snowflake]'"
    ),
    "bigquery": Vendor(
        "BigQuery", "bigquery", "BIGQUERY", "sqlalchemy", "bigquery", "sqlalchemy_bigquery", "'askwell[bigquery]'"
    ),
    "mssql": Vendor("SQL Server", "tsql", "MSSQL", "sqlalchemy", "mssql+pymssql", "pymssql", "'askwell[mssql]'"),
}


@dataclass(frozen=True)
class ServerAddress:
    """A server that can be connected to. Holds the password: never shown, never logged."""

    vendor: Vendor
    url: URL

    @property
    def name(self) -> str:
        """What people call the database: its own name, without host and user."""
        return self.url.database or self.vendor.title

    def settings(self) -> dict[str, Any]:
        """What the worker's session needs to connect, JSON-ready."""
        if self.vendor.session == "sqlalchemy":
            return {
                "engine": "sqlalchemy",
                "vendor": self.vendor.dialect,
                "url": self.url.render_as_string(hide_password=False),
            }
        # SQLAlchemy knows how each driver wants to be called; a child then needs the driver alone, and starts sooner.
        dialect = self.url.get_dialect()()
        _, arguments = dialect.create_connect_args(self.url)
        return {"engine": self.vendor.session, "connect": dict(arguments)}

    def modules(self) -> tuple[str, ...]:
        """What a query process has to be able to import."""
        return ("sqlalchemy", self.vendor.module) if self.vendor.session == "sqlalchemy" else (self.vendor.module,)


def server_address(written: str) -> ServerAddress:
    """The server that a URL means. Raises `ConfigurationError`, whose words never repeat the URL."""
    try:
        url = make_url(written)
        backend, _, driver = url.drivername.partition("+")
    except (ArgumentError, ValueError):
        raise ConfigurationError(*say("engine.no_url")) from None
    vendor = VENDORS.get(backend)
    if vendor is None:
        raise ConfigurationError(*say("engine.unsupported_url"))
    own_driver = vendor.driver.partition("+")[2]
    if driver and driver != own_driver:
        raise ConfigurationError(*say("engine.driver_in_url", title=vendor.title, backend=backend))
    if vendor is _MYSQL and not url.database:
        raise ConfigurationError(*say("engine.mysql_without_database", backend=backend))
    if not _is_installed(vendor.module):
        raise ConfigurationError(*say("engine.driver_missing", title=vendor.title, install=vendor.install))
    return ServerAddress(vendor, url.set(drivername=vendor.driver))


def _is_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:
        return False
