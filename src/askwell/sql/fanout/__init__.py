"""Fan-out: a join that repeats the rows which an aggregate adds up or counts."""

from __future__ import annotations

from askwell.sql.fanout.findings import FanOut, find_fan_outs

__all__ = ["FanOut", "find_fan_outs"]
