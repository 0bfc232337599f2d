"""What PostgreSQL's errors mean: about the statement, or about the server."""

from __future__ import annotations

import psycopg

from askwell.providers.engine.worker.outcomes import Rejected, Trouble, Unusable, about_rows, in_its_words

# SQLSTATE codes and classes: https://www.postgresql.org/docs/current/errcodes-appendix.html
_OUT_OF_TIME = {
    "57014": "The statement ran out of time.",
    "55P03": "The statement waited too long for a table that somebody else has locked.",
}
_OUT_OF_RESOURCES = ("53", "54", "XX")
_ENDED = {"57P01": "dropped", "57P02": "dropped", "57P03": "starting", "57P05": "dropped", "25P03": "dropped"}
# Errors about the text of the statement quote its names, and never values of rows; but functions that parse texts of
# their own, such as to_tsquery, have the same code as a statement that cannot be parsed.
_ABOUT_THE_TEXT = "42"
_SYNTAX_ERROR = "42601"
# By code, or else by class.
_TROUBLES = {
    "0A": Trouble.UNSUPPORTED,
    "22003": Trouble.RANGE,
    "22008": Trouble.RANGE,
    "22012": Trouble.ZERO,
    "22": Trouble.VALUE,
    "42P01": Trouble.NO_SUCH_NAME,
    "42703": Trouble.NO_SUCH_NAME,
    "42501": Trouble.RIGHTS,
    _SYNTAX_ERROR: Trouble.SYNTAX,
    "42": Trouble.NAMES,
    **dict.fromkeys(_OUT_OF_RESOURCES, Trouble.RESOURCES),
}

# A refused connection has no code, only the words of the driver and the server. Matched in this order.
_CONNECTING: tuple[tuple[str, str], ...] = (
    ("failed to resolve host", "unknown_host"),
    ("could not translate host name", "unknown_host"),
    ("connection refused", "refused"),
    ("no such file or directory", "refused"),
    ("timeout expired", "unreachable"),
    ("timed out", "unreachable"),
    ("no route to host", "unreachable"),
    ("network is unreachable", "unreachable"),
    ("too many", "too_many_connections"),
    ("remaining connection slots", "too_many_connections"),
    ("no pg_hba.conf entry", "not_allowed"),
    ("permission denied for database", "not_allowed"),
    ("is not permitted to log in", "not_allowed"),
    ("password", "login"),
    ("authentication failed", "login"),
    ("role", "login"),
    ("database", "unknown_database"),
    ("starting up", "starting"),
    ("shutting down", "starting"),
    ("recovery mode", "starting"),
    ("ssl", "tls"),
    ("certificate", "tls"),
    ("server closed the connection", "dropped"),
)


def outcome_of(error: psycopg.Error, sql: str) -> Rejected | Unusable:
    """What an error that a statement met means. Only the primary message is kept: detail and context quote rows."""
    code = error.sqlstate or ""
    if code in _OUT_OF_TIME:
        return Rejected("timeout", _OUT_OF_TIME[code])
    if code in _ENDED:
        return Unusable(_ENDED[code])
    message = error.diag.message_primary or ""
    if code.startswith(_OUT_OF_RESOURCES):
        return about_rows("resources", message, sql, Trouble.RESOURCES)
    if not code:
        # From the driver, not from the server.
        if "memory" in str(error):
            return Rejected("resources", "The result needs more memory than it may use.")
        if isinstance(error, psycopg.OperationalError | psycopg.InterfaceError):
            return Unusable("dropped")
        return Rejected("error", "The database's driver refused the statement.")
    if code.startswith("08"):
        return Unusable("dropped")
    trouble = _TROUBLES.get(code) or _TROUBLES.get(code[:2], Trouble.OTHER)
    if code.startswith(_ABOUT_THE_TEXT) and code != _SYNTAX_ERROR:
        return in_its_words("error", message, trouble)
    return about_rows("error", message, sql, trouble)


def connecting_trouble(error: Exception) -> Unusable:
    """Why there is no connection. The driver's words name host and user, so they are only for the service's log."""
    words = " ".join(str(error).split())
    if isinstance(error, psycopg.Error) and error.sqlstate == "22023":
        return Unusable("timezone")
    lowered = words.lower()
    # The host and the port stand in front of what happened.
    said = lowered.rpartition(" failed: ")[2]
    if isinstance(error, psycopg.ProgrammingError):
        return Unusable("other", words)
    return Unusable(next((reason for sign, reason in _CONNECTING if sign in said), "other"), words)
