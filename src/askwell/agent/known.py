"""The figures that an agent may tell: those that were found, and those that people said. What its model wrote into a
call, and got back, was not found."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from askwell.asks.rows_in_words import KnownNumbers

# By chance any figure stands in an id.
_IDS = frozenset({"id", "ask_id", "document_id", "mark"})
# What repeats the call: the statement, what was mended in it, why it was refused, what is asked back about it.
_ECHOES = frozenset({"sql", "planned_sql", "repairs", "error", "clarification"})
# Of a statement and of arguments, what may be told: years and dates, which a model works out from "last month".
_DATE = re.compile(r"\b(?:19|20)\d\d(?:-\d\d(?:-\d\d)?)?\b")
# A figure of a call that comes back in its result is none of the result's from here on: below it are counts, shares and
# limits that are found by chance.
_TELLING = 1_000
_YEARS = range(1900, 2100)


class Known:
    """The figures that may be told. Counts of what was found are figures too."""

    def __init__(self) -> None:
        self._numbers = KnownNumbers()

    def add(self, value: Any) -> None:
        """A text or a number that somebody said, or JSON with the figures in it and the lengths of its lists."""
        self._add(value, KnownNumbers())

    def add_result(self, told: Mapping[str, Any], arguments: Mapping[str, Any]) -> None:
        """What a tool gave for a call with these arguments."""
        echoes = [told[name] for name in _ECHOES if name in told]
        written = json.dumps([dict(arguments), echoes], ensure_ascii=False, default=str)
        of_call = KnownNumbers()
        of_call.add(written)
        self._numbers.add(*_DATE.findall(written))
        self._add({name: one for name, one in told.items() if name not in _ECHOES}, of_call)

    def _add(self, value: Any, of_call: KnownNumbers) -> None:
        if isinstance(value, Mapping):
            for name, one in value.items():
                if name not in _IDS:
                    self._add(name, of_call)
                    self._add(one, of_call)
        elif isinstance(value, Sequence) and not isinstance(value, str):
            self._numbers.add(len(value))
            for one in value:
                self._add(one, of_call)
        else:
            self._numbers.add(value, but_not=lambda number: number in of_call and _tells(number))

    def missing(self, text: str) -> tuple[str, ...]:
        """The figures of a text that are not known, as written there."""
        return self._numbers.missing(text)


def _tells(number: Any) -> bool:
    return abs(number) >= _TELLING and number not in _YEARS
