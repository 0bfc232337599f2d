"""Whether a statement may run under the role of the database that whoever asks has, or without one."""

from __future__ import annotations

from askwell.sql.context import QueryContext

_NOT_SAID = (
    "This project's database is not set up for the roles that people have.",
    "Set `roles` of its data source: true, to run their statements under them, or false, to run them with the "
    "service's own login all the same.",
)
_NONE_KNOWN = (
    "This project's database is read under the role of whoever asks, and yours is not known.",
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
