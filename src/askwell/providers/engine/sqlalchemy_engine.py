"""Database servers, by URL: PostgreSQL, MySQL and MariaDB, and by the same code Trino, Snowflake, BigQuery."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any

from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from askwell.errors import ConfigurationError, EngineUnavailable
from askwell.messages import say
from askwell.providers.engine.base import DEFAULT_LIMITS, CallableFunctions, EngineLimits, RoleRights
from askwell.providers.engine.child_engine import ChildEngine
from askwell.resources import words_file

logger = logging.getLogger(__name__)

# How long a query process may take to tell the server to stop.
_GRACE_SECONDS = 0.5


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
        message, hint = words_file(__package__, "unusable.yaml")["server"][reason]
        return EngineUnavailable(f"The database {self._name} cannot be used. {message}.", hint)


# -- addresses --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Vendor:
    """A kind of database server, as `vendors.yaml` describes it."""

    title: str
    extra: str
    dialect: str
    driver: str
    module: str
    session: str = "sqlalchemy"
    habits: Mapping[str, Any] = field(default_factory=dict)

    @property
    def data_source(self) -> str:
        """The manifest's name."""
        return self.extra.upper()


# By the first part of a URL's scheme.
VENDORS = {scheme: Vendor(**vendor) for scheme, vendor in words_file(__package__, "vendors.yaml").items()}


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
                "habits": dict(self.vendor.habits),
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
    if vendor.session == "mysql" and not url.database:
        raise ConfigurationError(*say("engine.mysql_without_database", backend=backend))
    if not _is_installed(vendor.module):
        raise ConfigurationError(*say("engine.driver_missing", title=vendor.title, extra=vendor.extra))
    return ServerAddress(vendor, url.set(drivername=vendor.driver))


def _is_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:
        return False
