"""What becomes of a SQL statement on its way: outcomes are values, not exceptions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from askwell.sql.names import fold

_NO_STATEMENT = "That is not one SELECT statement."
# What to do where a statement takes too long.
SHORTEN = "Ask for fewer rows or a shorter period. An administrator can raise settings.engine_timeout."


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
    # Never the checker's: a valid statement that does not answer its question is no answer of an ask.
    QUESTION = "QUESTION"
    # … and where it does not keep to what was said of the question when it was asked back.
    CONSTRAINT = "CONSTRAINT"


@dataclass(frozen=True, slots=True)
class ValidSql:
    """A statement that passed. `sql` is over the model (readable, can be saved); `planned_sql` is what would be run.

    `tables` are the model names it reads; `repairs` and `warnings` are sentences for people. `joins` say by which
    columns tables were joined.
    `renamed`: the database has other names than `sql`, so that only `planned_sql` runs there. `hides_plan`: a view that
    it reads has a statement that is not shown, and so is its plan.
    """

    sql: str
    planned_sql: str
    dialect: str
    tables: tuple[str, ...] = ()
    repairs: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    joins: tuple[str, ...] = ()
    renamed: bool = False
    hides_plan: bool = False

    @property
    def shown_plan(self) -> str | None:
        """`planned_sql` where it may be shown."""
        return None if self.hides_plan else self.planned_sql


@dataclass(frozen=True, slots=True)
class RejectedSql:
    """A statement that did not pass: which step said no, in whose words, and which valid names may be meant.

    `sql` is the statement as far as it got, `original_sql` the text that came in. `error` is for a person and for the
    model that corrects, and names the candidates for wrong names itself. `suggestions` are sentences that add to it
    (nearest names where the words are the database's, nearest values), and never repeat it. `rule` is the guard's,
    where it was the guard that refused. `hint` says what to do where neither the question nor the statement is at
    fault. `tables` are tables of the model that the statement does not read and that hold what it may have meant,
    likeliest first.
    """

    kind: RejectionKind
    sql: str
    original_sql: str
    error: str
    suggestions: tuple[str, ...] = ()
    rule: str | None = None
    hint: str = ""
    tables: tuple[str, ...] = ()

    @property
    def error_for_writer(self) -> str:
        """The error for the author of the statement. Without a statement, `error` speaks of a model's reply."""
        return _NO_STATEMENT if self.kind is RejectionKind.EXTRACT else self.error

    def tables_beyond(self, shown: Iterable[str]) -> tuple[str, ...]:
        """Those of `tables` that are not among the tables `shown`, in any letter case: their columns are what is needed
        to correct the statement."""
        known = {fold(name) for name in shown}
        return tuple(table for table in self.tables if fold(table) not in known)


SqlOutcome = ValidSql | RejectedSql


def in_one(sentences: Iterable[str]) -> str:
    """Sentences without full stops as one text, each once."""
    return ". ".join(dict.fromkeys(sentences)) + "."


class CheckMode(StrEnum):
    """How far a statement is proved before it counts as valid."""

    DRY_PLAN = "dry_plan"
    DRY_RUN = "dry_run"
    PREVIEW = "preview"
