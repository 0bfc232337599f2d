"""What can become of a request inside a query process, other than a result.

`Rejected` is about the statement, `Unusable` is about the database itself. Both carry only what may be shown to people.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any

MAX_MESSAGE_CHARS = 2000

# Run-time errors quote the value that broke them ("Could not convert string 'Jane' to INT32"): a cell of a row, unless
# the statement itself contains it.
_QUOTED = re.compile(r"'((?:[^']|'')*)'|\"([^\"]*)\"")
_NUMBER = re.compile(r"(?<![\w.])-?\d[\d.]*(?:[eE][+-]?\d+)?(?!\w)")


class Trouble(StrEnum):
    """What kind of thing a database has against a statement, in a sentence that holds nothing of it or of its rows."""

    SYNTAX = "The database calls something in the statement, or in a text that it reads as an expression, bad syntax."
    NAMES = "The statement uses a table, column or function in a way that the database does not allow."
    NO_SUCH_NAME = "The database has no table or column by a name that the statement uses."
    RIGHTS = "The database's role may not read something that the statement names."
    VALUE = "A value does not have the form that a conversion or function of the statement asks for."
    RANGE = "A number, date or text is too large or too small for its type."
    ZERO = "The statement divides by zero."
    UNSUPPORTED = "The database does not support something that the statement does."
    RESOURCES = "The statement needs more of the database than it may use."
    TIME = "The statement ran out of time."
    OTHER = "The database turned the statement away."


# What the database or its role lacks, in the terms of `QueryFailure`.
_LACKS = {Trouble.NO_SUCH_NAME: "name", Trouble.RIGHTS: "right"}
# Why a message says so little.
_WITHHELD = " Its own words are not shown, because a row rule, or a role, decides what the statement reads."


class Rejected(Exception):
    """The database turned the statement away. `kind` and `lacks` are as in `QueryFailure`.

    `message` is in our own words, which hold no value; `bare` is the same. In the database's words: `in_its_words`.
    """

    def __init__(self, kind: str, message: str, bare: str | None = None, lacks: str = "") -> None:
        super().__init__(message)
        self.lacks = lacks
        self.kind = kind
        self.message = message[:MAX_MESSAGE_CHARS]
        self.bare = self.message if bare is None else bare


class Unusable(Exception):
    """The database cannot be used. `reason` is one of the keys that the engine has words for."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.detail = detail


def in_its_words(kind: str, message: str, trouble: Trouble) -> Rejected:
    """A rejection in the database's words about nothing but the text of the statement.

    Where rows are hidden only `trouble` is told: who knows for certain what a server puts into its messages.
    """
    return Rejected(kind, message, withheld(trouble), _LACKS.get(trouble, ""))


def about_rows(kind: str, message: str, sql: str, trouble: Trouble) -> Rejected:
    """As `in_its_words`, for one that came about while the statement ran, so that the words may quote rows."""
    return in_its_words(kind, without_values(message, sql), trouble)


def withheld(trouble: Trouble) -> str:
    """What is said in place of the database's words where rows are hidden."""
    return trouble + _WITHHELD


def without_values(message: str, sql: str) -> str:
    """`message` with every quoted text and number that is not part of `sql` replaced by an ellipsis."""

    def redact_quoted(match: re.Match[str]) -> str:
        inner = match.group(1) if match.group(1) is not None else match.group(2)
        return match.group(0) if sql and inner in sql else match.group(0)[0] + "…" + match.group(0)[0]

    def redact_number(match: re.Match[str]) -> str:
        return match.group(0) if match.group(0) in sql else "…"

    return _NUMBER.sub(redact_number, _QUOTED.sub(redact_quoted, message))


def _beside(name: str) -> str:
    # Without importlib.resources, which takes longer to import than all that is ours here.
    return Path(__file__).with_name(name).read_text("utf-8")


def statements(name: str) -> Mapping[str, str]:
    """The statements of a file of SQL by the names that stand before them (`-- name: columns`); comments are no part of
    them."""
    found = {}
    for part in _beside(name).split("-- name: ")[1:]:
        title, *lines = part.splitlines()
        found[title] = "\n".join(line for line in lines if line and not line.startswith("--"))
    return found


@cache
def ways_of(database: str) -> Mapping[str, Any]:
    """What `databases.toml` says of a database."""
    table: Mapping[str, Any] = tomllib.loads(_beside("databases.toml"))[database]
    return table


@cache
def error_codes(server: str, what: str) -> Mapping[str, str]:
    """What a server's codes mean of one kind, by the code."""
    return {code: meaning for meaning, codes in ways_of(server)[what].items() for code in codes.split()}


def meaning_of(server: str, what: str, code: str) -> str:
    """What the code of an error, or its class, means to a server (`databases.toml`); empty where that is not
    known."""
    codes = error_codes(server, what)
    return codes.get(code) or codes.get(code[:2], "")


def server_outcome(server: str, code: str, message: str, sql: str) -> Rejected | Unusable:
    """What an error of that code means that a statement met; `message` is the server's own about it."""
    if said := meaning_of(server, "timeout", code):
        return Rejected("timeout", said)
    if reason := meaning_of(server, "unusable", code):
        return Unusable(reason)
    if not code:
        return Rejected("error", "The database's driver refused the statement.")
    trouble = Trouble[meaning_of(server, "trouble", code) or "OTHER"]
    kind = "resources" if trouble is Trouble.RESOURCES else "error"
    if meaning_of(server, "about", code) == "text":
        return in_its_words(kind, message, trouble)
    return about_rows(kind, message, sql, trouble)
