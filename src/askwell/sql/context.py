"""What is fixed once for an ask and handed to rules, prompts, planner and engine session alike, a database role too."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from zoneinfo import ZoneInfo

from askwell.principal import NOBODY, Person

_NONE: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class QueryContext:
    """The moment and the person a statement is read for.

    `now` is time-zone aware; `timezone` is an IANA name ("Europe/Berlin"); `session_properties` are what row rules may
    refer to, by name, as SQL literals. `database_role` is the role of the database that the statement is run under;
    None for the service's own login. `is_asked` tells what someone asks for from what the service does by itself.
    """

    now: datetime
    timezone: str = "UTC"
    session_properties: Mapping[str, str] = field(default_factory=dict)
    database_role: str | None = None
    is_asked: bool = False

    def __post_init__(self) -> None:
        if self.now.tzinfo is None:
            raise ValueError("QueryContext.now has to carry a time zone")

    @classmethod
    def of(cls, person: Person, now: datetime, timezone: str = "UTC", asked: Mapping[str, str] = _NONE) -> QueryContext:
        """For a statement that is run for a person. `asked` are the session properties that came with a request; they
        count only where nobody signed in."""
        return cls(
            now=now.astimezone(ZoneInfo(timezone)),
            timezone=timezone,
            session_properties=person.session_properties if person != NOBODY else asked,
            database_role=person.database_role,
            is_asked=True,
        )


_NOT_SAID = (
    "This project's data source doesn't say whether to use people's database roles.",
    "Set `roles` of the data source: true to run statements under each person's role, or false to run them with "
    "the service's own login.",
)
_NONE_KNOWN = (
    "Askwell reads this project's database under each person's role, and doesn't know yours.",
    "Sign in, and map an attribute to it: sign_in.database_role.",
)


def role_problem(roles: bool | None, context: QueryContext) -> tuple[str, str] | None:
    """Why a statement may not run, and what to do about it; None where it may. `roles` is what the data source says:
    whether statements that are asked for run under roles at all, None for nothing. Statements of the service's own run
    with its own login."""
    if not context.is_asked or roles is False:
        return None
    if roles is None:
        return None if context.database_role is None else _NOT_SAID
    return _NONE_KNOWN if context.database_role is None else None
