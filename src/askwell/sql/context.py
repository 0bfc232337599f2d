"""What is fixed once for an ask and handed to rules, prompts, planner and engine session alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True, slots=True)
class QueryContext:
    """The moment and the person a statement is read for.

    `now` is time-zone aware; `timezone` is an IANA name ("Europe/Berlin"); `session_properties` are what row rules may
    refer to, by name, as SQL literals.
    """

    now: datetime
    timezone: str = "UTC"
    session_properties: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.now.tzinfo is None:
            raise ValueError("QueryContext.now has to carry a time zone")
