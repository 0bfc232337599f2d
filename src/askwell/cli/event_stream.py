"""Reading server-sent events: https://html.spec.whatwg.org/multipage/server-sent-events.html"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class ReceivedEvent:
    """An event; `id` is "" where it has none to go on from."""

    id: str
    kind: str
    data: Mapping[str, Any]


@dataclass(slots=True)
class EventReader:
    """Takes a stream line by line."""

    _fields: dict[str, str] = field(default_factory=dict)

    def take(self, raw: bytes) -> ReceivedEvent | None:
        """The event that this line completes. Raises `ValueError` for data that is no JSON."""
        line = raw.decode("utf-8", "replace").rstrip("\r\n")
        if line:
            name, _, value = line.partition(":")
            self._fields[name] = value.removeprefix(" ")
            return None
        fields, self._fields = self._fields, {}
        if "data" not in fields:
            return None
        return ReceivedEvent(fields.get("id", ""), fields.get("event", "message"), json.loads(fields["data"]))
