"""Fan-out: a join that repeats the rows which an aggregate adds up or counts. A `Statement` is what is looked at."""

from __future__ import annotations

from askwell.sql.fanout.findings import FanOut, bare_columns, find_fan_outs, undetermined_columns
from askwell.sql.fanout.statement import Statement

__all__ = ["FanOut", "Statement", "bare_columns", "find_fan_outs", "undetermined_columns"]
