"""What the errors of MySQL and MariaDB mean: about the statement, or about the server."""

from __future__ import annotations

import re
import socket

import pymysql

from askwell.providers.engine.worker.outcomes import Rejected, Trouble, Unusable, about_rows, in_its_words

# Numbers: https://mariadb.com/kb/en/mariadb-error-code-reference/ and MySQL's server error reference.
_OUT_OF_TIME = {
    1969: "The statement ran out of time.",
    3024: "The statement ran out of time.",
    1317: "The statement was stopped.",
    1205: "The statement waited too long for a table that somebody else has locked.",
}
_OUT_OF_RESOURCES = frozenset({3, 1021, 1037, 1038, 1041, 1114, 1119, 1153, 1301, 1436, 3636, 4031})
_ENDED = frozenset({1053, 1077, 1079, 1152, 1158, 1159, 1160, 1161, 1927, 2006, 2013, 2014, 2055})
# These quote names of the statement, never values of rows.
_ABOUT_THE_TEXT = frozenset(
    {1051, 1052, 1054, 1055, 1056, 1060, 1064, 1066, 1109, 1110, 1111, 1116, 1140, 1142, 1143, 1146, 1222, 1241, 1242}
    | {1248, 1305, 1370, 1463, 1582, 1583, 1630, 4078}
)
_TROUBLES = {
    **dict.fromkeys(_ABOUT_THE_TEXT, Trouble.NAMES),
    1054: Trouble.NO_SUCH_NAME,
    1146: Trouble.NO_SUCH_NAME,
    1064: Trouble.SYNTAX,
    1142: Trouble.RIGHTS,
    1143: Trouble.RIGHTS,
    1370: Trouble.RIGHTS,
    1235: Trouble.UNSUPPORTED,
    1264: Trouble.RANGE,
    1690: Trouble.RANGE,
    1365: Trouble.ZERO,
    1292: Trouble.VALUE,
    1366: Trouble.VALUE,
    1411: Trouble.VALUE,
}
_TO_USER = re.compile(r" (?:to|for|by) user '[^']*'@'[^']*'")

UNKNOWN_TIMEZONE = 1298

_CONNECTING = {
    1040: "too_many_connections",
    1041: "too_many_connections",
    1044: "not_allowed",
    1045: "login",
    1049: "unknown_database",
    1053: "starting",
    1129: "not_allowed",
    1130: "not_allowed",
    1203: "too_many_connections",
    1226: "too_many_connections",
    1251: "login_method",
    UNKNOWN_TIMEZONE: "timezone",
    1698: "login",
    2013: "dropped",
    2026: "tls",
    2059: "login_method",
    3118: "not_allowed",
    3159: "tls",
    4151: "login",
}

# A result that MariaDB or MySQL cut short without calling it an error.
CUT_SHORT = {
    1260: "A group_concat came out longer than it may be.",
    1301: "A text came out longer than it may be.",
    1931: "The recursion did not end within its limit.",
}


def outcome_of(error: pymysql.Error, sql: str) -> Rejected | Unusable:
    """What an error that a statement met means."""
    number = error.args[0] if error.args and isinstance(error.args[0], int) else 0
    message = str(error.args[1]) if len(error.args) > 1 else ""
    if number in _OUT_OF_TIME:
        return Rejected("timeout", _OUT_OF_TIME[number])
    if number in _ENDED or isinstance(error, pymysql.InterfaceError):
        return Unusable("dropped")
    if number in _OUT_OF_RESOURCES:
        return about_rows("resources", message, sql, Trouble.RESOURCES)
    if not number:
        return Rejected("error", "The database's driver refused the statement.")
    message = _TO_USER.sub("", message)
    trouble = _TROUBLES.get(number, Trouble.OTHER)
    if number in _ABOUT_THE_TEXT:
        return in_its_words("error", message, trouble)
    return about_rows("error", message, sql, trouble)


def connecting_trouble(error: Exception) -> Unusable:
    """Why there is no connection. The driver's words name host and user, so they are only for the service's log."""
    words = " ".join(str(part) for part in error.args)
    number = error.args[0] if error.args and isinstance(error.args[0], int) else 0
    if isinstance(error, RuntimeError):
        return Unusable("login_method", words)
    if isinstance(error, OSError):
        return Unusable("tls", words)  # a certificate that cannot be read
    if number == 2013 and "timed out" in words:
        return Unusable("unreachable", words)
    if number != 2003:
        return Unusable(_CONNECTING.get(number, "other"), words)
    cause = getattr(error, "original_exception", None)
    if isinstance(cause, socket.gaierror):
        return Unusable("unknown_host", words)
    return Unusable("refused" if isinstance(cause, ConnectionRefusedError) else "unreachable", words)
