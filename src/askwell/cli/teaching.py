"""What somebody teaches on the command line: "zorbs" = "customers"."""

from __future__ import annotations

import shlex
from typing import Any

from askwell.errors import InvalidRequest

_USAGE = 'Write it as "zorbs" = customers, or "turnover" = orders.net_amount.'


def lesson_in(line: str) -> dict[str, Any]:
    """The lesson in one line. Raises `InvalidRequest`."""
    try:
        return lesson_of(shlex.split(line))
    except ValueError:
        raise InvalidRequest("A quotation mark is not closed.", _USAGE) from None


def lesson_of(words: list[str]) -> dict[str, Any]:
    """The lesson that words, `=` and a table or column say, as clients send it. Raises `InvalidRequest`."""
    said, meant = " ".join(words), ""
    if "=" in words:
        place = words.index("=")
        said, meant = " ".join(words[:place]), " ".join(words[place + 1 :])
    elif len(words) == 2:
        said, meant = words
    if not said.strip() or not meant.strip():
        raise InvalidRequest("It is not said which words mean what.", _USAGE)
    if "(" in meant:
        raise InvalidRequest(
            f"“{meant[:80]}” is computed, which is for the model to say.",
            "Add it as a metric or calculated field to the model file: `askwell model init` writes one.",
        )
    kind, name = ("column_mapping", "column") if "." in meant else ("table_mapping", "table")
    return {"kind": kind, "body": {"said": said, name: meant}}
