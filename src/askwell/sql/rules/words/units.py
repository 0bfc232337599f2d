"""Units of time in questions and in the names of columns."""

from __future__ import annotations

# Unit -> milliseconds.
MILLISECONDS: dict[str, int] = {
    "millisecond": 1,
    "milliseconds": 1,
    "ms": 1,
    "msec": 1,
    "millis": 1,
    "second": 1_000,
    "seconds": 1_000,
    "sec": 1_000,
    "secs": 1_000,
    "minute": 60_000,
    "minutes": 60_000,
    "min": 60_000,
    "mins": 60_000,
    "hour": 3_600_000,
    "hours": 3_600_000,
    "hrs": 3_600_000,
}

# What people call a time that a column is named after the unit of.
DURATIONS = ("duration", "length", "playing time", "running time", "run time", "time")
