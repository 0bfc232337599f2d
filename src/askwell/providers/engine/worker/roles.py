"""Roles of a database that statements are run under, and what is said where that cannot be."""

from __future__ import annotations

from askwell.providers.engine.worker.outcomes import Rejected

NO_ROLES = "This database has no roles that a statement could be run under, and whoever asks has one."
# To the statements that take on a role these are no names: they bring back the rights of the login.
_NO_NAMES = frozenset({"none", "default", "all", "public"})
_MOST_CHARACTERS = 128


def quoted_role(role: str, quote: str) -> str:
    """The name of a role as an identifier between quotes of this kind. Raises `Rejected` for what names no role."""
    name = role.strip()
    if name != role or not name or len(name) > _MOST_CHARACTERS or "\0" in name or name.casefold() in _NO_NAMES:
        raise Rejected("error", "The database role of whoever asks has a name that no role can have.")
    return f"{quote}{name.replace(quote, quote * 2)}{quote}"


def not_taken() -> Rejected:
    """The database does not let the login take on the role."""
    return Rejected(
        "error",
        "The database does not let the service take on the role of whoever asks: grant that role to its login.",
    )
