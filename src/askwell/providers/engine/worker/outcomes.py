"""What can become of a request inside a query process, other than a result.

`Rejected` is about the statement, `Unusable` is about the database itself. Both carry only what may be shown to people.
"""

from __future__ import annotations

import re

MAX_MESSAGE_CHARS = 2000

# Run-time errors quote the value that broke them ("Could not convert string 'Jane' to INT32"): a cell of a row, unless
# the statement itself contains it.
_QUOTED = re.compile(r"'((?:[^']|'')*)'|\"([^\"]*)\"")
_NUMBER = re.compile(r"(?<![\w.])-?\d[\d.]*(?:[eE][+-]?\d+)?(?!\w)")


class Rejected(Exception):
    """The database turned the statement away. `kind` is `error`, `timeout` or `resources`."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message[:MAX_MESSAGE_CHARS]


class Unusable(Exception):
    """The database cannot be used. `reason` is one of the keys that the engine has words for."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.detail = detail


def without_values(message: str, sql: str) -> str:
    """`message` with every quoted text and number that is not part of `sql` replaced by an ellipsis."""

    def redact_quoted(match: re.Match[str]) -> str:
        inner = match.group(1) if match.group(1) is not None else match.group(2)
        return match.group(0) if inner in sql else match.group(0)[0] + "…" + match.group(0)[0]

    def redact_number(match: re.Match[str]) -> str:
        return match.group(0) if match.group(0) in sql else "…"

    return _NUMBER.sub(redact_number, _QUOTED.sub(redact_quoted, message))
