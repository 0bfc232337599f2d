"""What becomes of a SQL statement on its way: outcomes are values, not exceptions."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from askwell.sql.fanout import FanOut


class RejectionKind(StrEnum):
    """Which step turned a statement away."""

    EXTRACT = "EXTRACT"
    PARSE = "PARSE"
    GUARD = "GUARD"
    BIND = "BIND"
    DRY_PLAN = "DRY_PLAN"
    DRY_RUN = "DRY_RUN"
    PREVIEW_FAILED = "PREVIEW_FAILED"
    PREVIEW_EMPTY_DATA = "PREVIEW_EMPTY_DATA"
    TIME_OUT = "TIME_OUT"
    # Never the checker's: an ask has a valid statement written anew where a join inflates its sums.
    FAN_OUT = "FAN_OUT"


@dataclass(frozen=True, slots=True)
class ValidSql:
    """A statement that passed. `sql` is over the model (readable, can be saved); `planned_sql` is what would be run.

    `tables` are the model names it reads; `repairs` and `warnings` are sentences for people. Sentences of `fan_outs`
    (aggregates over rows that a join repeats) are among the warnings; `joins` say by which columns tables were joined.
    `renamed`: the database has other names than `sql`, so that only `planned_sql` runs there.
    """

    sql: str
    planned_sql: str
    dialect: str
    tables: tuple[str, ...] = ()
    repairs: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    fan_outs: tuple[FanOut, ...] = ()
    joins: tuple[str, ...] = ()
    renamed: bool = False


@dataclass(frozen=True, slots=True)
class RejectedSql:
    """A statement that did not pass: which step said no, in whose words, and which valid names come nearest.

    `sql` is the statement as far as it got, `original_sql` the text that came in. `error` is for a person and for the
    model that corrects; `suggestions` are sentences such as `orders has no column "totl"; nearest: total`. `rule` is
    the guard's, where it was the guard that refused.
    """

    kind: RejectionKind
    sql: str
    original_sql: str
    error: str
    suggestions: tuple[str, ...] = ()
    rule: str | None = None


SqlOutcome = ValidSql | RejectedSql


class CheckMode(StrEnum):
    """How far a statement is proved before it counts as valid."""

    DRY_PLAN = "dry_plan"
    DRY_RUN = "dry_run"
    PREVIEW = "preview"
