"""From the SQLAlchemy URL of a data source to the server it means, and how a query process connects to it."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from askwell.errors import ConfigurationError


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
_SUPPORTED = "postgresql://, mysql://, mariadb://, trino://, snowflake://, bigquery:// or mssql://"


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
        raise ConfigurationError(
            "The url of a data source is not a database URL.",
            "Write postgresql://user:password@host:5432/database, special characters in its parts percent-encoded.",
        ) from None
    vendor = VENDORS.get(backend)
    if vendor is None:
        raise ConfigurationError(
            "The url of a data source names a kind of database that is not supported.", f"Use {_SUPPORTED}."
        )
    own_driver = vendor.driver.partition("+")[2]
    if driver and driver != own_driver:
        raise ConfigurationError(
            f"{vendor.title} is not reached with that driver here.", f"Write {backend}://… without a driver's name."
        )
    if vendor is _MYSQL and not url.database:
        raise ConfigurationError(
            "The url of a MySQL data source names no database.", f"Write {backend}://user:password@host:3306/database."
        )
    if not _is_installed(vendor.module):
        raise ConfigurationError(
            f"The driver for {vendor.title} is not installed.", f"Install it: pip install {vendor.install}"
        )
    return ServerAddress(vendor, url.set(drivername=vendor.driver))


def _is_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:
        return False
