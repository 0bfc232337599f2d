"""The wall clock of a service, which a test sets on or back."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta


class Clock:
    """The time, and how far it is ahead of the machine's."""

    def __init__(self) -> None:
        self.ahead = timedelta()

    def __call__(self) -> datetime:
        return datetime.now(UTC) + self.ahead
