"""Fan-out: a join that repeats the rows which an aggregate adds up or counts."""

from __future__ import annotations

from askwell.sql.fanout.bare_columns import bare_columns
from askwell.sql.fanout.findings import FanOut, find_fan_outs

__all__ = ["FanOut", "bare_columns", "find_fan_outs"]
