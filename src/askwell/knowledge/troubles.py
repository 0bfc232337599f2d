"""What databases say when the record cannot be used, what it means, and what to do."""

from __future__ import annotations

from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from askwell.errors import RecordUnavailable
from askwell.messages import say


class PassingTrouble(RecordUnavailable):
    """Nothing can be done with the record now, whatever is asked of it; it may be well again by itself."""


def trouble(name: str, error: SQLAlchemyError, setting: str) -> RecordUnavailable:
    """The sentences for an error of the database; `name` is how the record is called in them, `setting` what
    says where it is."""
    words = str(error.orig).lower() if isinstance(error, DBAPIError) else ""
    for signs, kind, what, hint in _TROUBLES:
        if any(sign in words for sign in signs):
            return kind(f"{name} {what}.", hint.format(setting=setting))
    if isinstance(error, DBAPIError) and error.connection_invalidated:
        return PassingTrouble(f"{name} {_AWAY}.", _COMES_BACK)
    reason = type(getattr(error, "orig", None) or error).__name__
    return RecordUnavailable(*say("record.unusable", name=name, reason=reason, setting=setting))


_AWAY = "is away: its server ended the connection"
_SPACE = (
    "Free some space on the disk that it is on (`askwell doctor` names the folder); nothing accepted before is lost."
)
_RESTORE = "Restore a backup, or move the file away to start with an empty one."
_RIGHTS = "Give this user write permission to it."
_REACH = "Start the server, or correct host and port in {setting}."
_SIGN_IN = "Correct user and password in {setting}, or what the server allows them."
_COMES_BACK = "Nothing accepted before is lost, and the service goes on by itself once the server is back."

# Signs, of which one is in what the database says, in lower case. The first row that fits is taken.
_TROUBLES: tuple[tuple[tuple[str, ...], type[RecordUnavailable], str, str], ...] = (
    (("disk is full", "no space left"), RecordUnavailable, "cannot be written: the disk is full", _SPACE),
    (
        ("disk i/o error",),
        RecordUnavailable,
        "cannot be written: the disk refuses",
        "Check its space, quota and health.",
    ),
    (
        ("disk quota",),
        RecordUnavailable,
        "cannot be written: the disk quota is used up",
        "Free space, or raise the quota.",
    ),
    (
        ("readonly database",),
        RecordUnavailable,
        "is read-only",
        "Give this user write permission to the file and to its folder.",
    ),
    (
        ("read-only transaction",),
        PassingTrouble,
        "is read-only: its server is a standby, or was told so",
        "Point {setting} at the primary server.",
    ),
    (
        ("password authentication failed", "no password supplied", "pg_hba.conf", 'role "'),
        RecordUnavailable,
        "cannot be opened: its server refuses the sign-in",
        _SIGN_IN,
    ),
    (
        ("permission denied for schema", "no schema has been selected", "permission denied for database"),
        RecordUnavailable,
        "may not be written: this user may not make tables there",
        "Give the user a database of its own: CREATE DATABASE askwell OWNER askwell.",
    ),
    (("permission denied",), RecordUnavailable, "may not be written", _RIGHTS),
    (
        ("is locked",),
        PassingTrouble,
        "is locked by another process",
        "Stop the other process that holds it, then try again.",
    ),
    (
        ("unable to open",),
        RecordUnavailable,
        "cannot be opened",
        "Check that its folder exists and that this user may write there.",
    ),
    (("not a database",), RecordUnavailable, "is not an Askwell record", _RESTORE),
    (("malformed",), RecordUnavailable, "is damaged", _RESTORE),
    (
        ('database "',),
        RecordUnavailable,
        "is not there: the server has no database of that name",
        "Make it (CREATE DATABASE askwell OWNER askwell), or correct its name in {setting}.",
    ),
    (
        ("connection refused", "no such file or directory"),
        PassingTrouble,
        "cannot be reached: nothing listens there",
        _REACH,
    ),
    (
        ("resolve host", "translate host name", "name or service not known"),
        PassingTrouble,
        "cannot be reached: its host is not known",
        _REACH,
    ),
    (
        ("statement timeout", "lock timeout"),
        PassingTrouble,
        "is busy: its server did not finish a statement in time",
        "Look what holds locks on it or slows the server down; the service goes on by itself.",
    ),
    (
        ("deadlock detected", "could not serialize"),
        PassingTrouble,
        "is busy: its server gave another transaction the way",
        "The service tries again by itself; look what else writes to its tables.",
    ),
    (("timeout expired", "timed out"), PassingTrouble, "cannot be reached: its server does not answer", _REACH),
    (
        ("starting up", "shutting down", "recovery mode"),
        PassingTrouble,
        "is not there yet: its server starts or stops",
        _COMES_BACK,
    ),
    (
        ("too many clients", "connection slots"),
        PassingTrouble,
        "cannot be reached: its server has no connection free",
        _COMES_BACK,
    ),
    (
        (
            "server closed the connection",
            "terminating connection",
            "connection is lost",
            "connection not open",
            "could not receive",
        ),
        PassingTrouble,
        _AWAY,
        _COMES_BACK,
    ),
)
