"""What somebody teaches on the command line: "zorbs" = customers, "revenue" = sum(sales.price)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from askwell.errors import InvalidRequest

USAGE = 'Write it as "zorbs" = customers, "turnover" = orders.net_amount, or "revenue" = sum(orders.net_amount).'
_LINE = re.compile(r"""\s*["'“]?(?P<said>[^=]*?)["'”]?\s*=\s*(?P<meant>.*)""", re.DOTALL)
_QUOTED = re.compile(r"""(["'])(?P<text>[^"']*)\1""")


def lesson_in(line: str) -> dict[str, Any]:
    """The lesson in one line, as clients send it. Raises `InvalidRequest`."""
    found = _LINE.fullmatch(line)
    if found is None:
        raise InvalidRequest("It is not said which words mean what.", USAGE)
    return _lesson(found["said"], _unquoted(found["meant"]))


def lesson_of(words: Sequence[str]) -> dict[str, Any]:
    """The lesson that words, `=` and what they mean say, each as a shell has unquoted it. Raises `InvalidRequest`."""
    if "=" in words:
        place = list(words).index("=")
        return _lesson(" ".join(words[:place]), " ".join(words[place + 1 :]))
    if len(words) == 2:
        return _lesson(*words)
    return lesson_in(" ".join(words))


def _lesson(said: str, meant: str) -> dict[str, Any]:
    said, meant = said.strip(), meant.strip()
    if not said or not meant:
        raise InvalidRequest("It is not said which words mean what.", USAGE)
    if "(" in meant:
        return {"kind": "metric", "body": {"said": said, "formula": meant}}
    kind, name = ("column_mapping", "column") if "." in meant else ("table_mapping", "table")
    return {"kind": kind, "body": {"said": said, name: meant}}


def _unquoted(text: str) -> str:
    found = _QUOTED.fullmatch(text.strip())
    return found["text"] if found is not None else text
