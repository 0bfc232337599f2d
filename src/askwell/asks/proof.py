"""Proving a statement on the real engine, and running it when rows were asked for."""

from __future__ import annotations

from dataclasses import dataclass, replace

from askwell.asks.ledger import Ledger
from askwell.asks.request import AskRequest
from askwell.config import Settings
from askwell.errors import EngineUnavailable
from askwell.providers.engine.base import QueryRows
from askwell.services.projects import ProjectModel
from askwell.sql.checker import Executed
from askwell.sql.context import QueryContext
from askwell.sql.outcome import CheckMode, RejectedSql, RejectionKind, ValidSql

_ONE_OF_SEVERAL = "This is not the only one: others share the first place with it."
_LAST_OF_SEVERAL = "Others, which are not shown, share the last place."


@dataclass(frozen=True, slots=True)
class Proved:
    """A statement that holds, with its rows when they were asked for."""

    valid: ValidSql
    rows: QueryRows | None = None
    warnings: tuple[str, ...] = ()

    @property
    def inflated(self) -> tuple[str, ...]:
        """What is said of sums that a join inflates."""
        return tuple(found.sentence for found in self.valid.fan_outs if found.inflates)


class Prover:
    """Checks statements of one ask in the mode its request chose; with `execute`, running it is the proof. The ledger
    hears of those that do not pass."""

    def __init__(
        self, project: ProjectModel, request: AskRequest, context: QueryContext, settings: Settings, ledger: Ledger
    ) -> None:
        self._project = project
        self._request = request
        self._context = context
        self._settings = settings
        self._ledger = ledger
        self._empty_preview_seen = False

    async def prove(self, sql: str) -> Proved | RejectedSql:
        """Check `sql`; with `execute`, run it within `row_limit` and `engine_timeout`."""
        outcome = await self._prove(sql)
        if isinstance(outcome, RejectedSql):
            self._ledger.rejected(outcome)
        return outcome

    async def ranked(self, proved: Proved, ranking: str) -> tuple[Proved, tuple[str, ...]]:
        """What is said of the first few rows of a ranking: a warning where a row that is not shown has the place of the
        last one that is, and a note on what they were ranked by, where that is not shown. `ranking` is SQL that gives
        what each of the rows is ranked by, and the next one; where the database does not answer it, nothing is said."""
        if proved.rows is None or not proved.rows.rows:
            return proved, ()
        shown = len(proved.rows.rows)
        try:
            executed = await self._project.checker.execute(
                ranking, context=self._context, row_limit=shown + 1, timeout=float(self._settings.engine_timeout)
            )
        except EngineUnavailable:  # the answer itself is there
            return proved, ()
        if not isinstance(executed, Executed) or len(executed.rows.rows) < shown:
            return proved, ()
        notes = _ranked_by(executed.rows, shown, {column.name for column in proved.rows.columns})
        places = executed.rows.rows
        if len(places) > shown and places[shown - 1] == places[shown]:
            proved = replace(proved, warnings=(*proved.warnings, _ONE_OF_SEVERAL if shown == 1 else _LAST_OF_SEVERAL))
        return proved, notes

    async def _prove(self, sql: str) -> Proved | RejectedSql:
        checker = self._project.checker
        timeout = float(self._settings.engine_timeout)
        if self._request.execute:
            executed = await checker.execute(
                sql, context=self._context, row_limit=self._settings.row_limit, timeout=timeout
            )
            match executed:
                case Executed(valid, rows):
                    return self._proved(valid, rows)
                case RejectedSql():
                    return executed
        outcome = await checker.check(
            sql,
            mode=self._mode(),
            context=self._context,
            timeout=timeout,
            allow_dry_plan_fallback=self._request.allow_dry_plan_fallback,
        )
        match outcome:
            case ValidSql():
                return self._proved(outcome, None)
            case RejectedSql(kind=RejectionKind.PREVIEW_EMPTY_DATA):
                # An error once; a second empty result is the answer, and is said to be empty.
                self._empty_preview_seen = True
        return outcome

    def _mode(self) -> CheckMode:
        if self._request.use_dry_plan:
            return CheckMode.DRY_PLAN
        if self._request.allow_data_preview and not self._empty_preview_seen:
            return CheckMode.PREVIEW
        return CheckMode.DRY_RUN

    def _proved(self, valid: ValidSql, rows: QueryRows | None) -> Proved:
        empty = self._empty_preview_seen or (rows is not None and not rows.rows)
        warnings: tuple[str, ...] = ("The query is valid and returns no rows.",) if empty else ()
        if rows is not None and len(rows.rows) == 1 and all(value is None for value in rows.rows[0]):
            warnings = (
                "Nothing but NULL was found: no rows fit the conditions, or those that do have no value there.",
            )
        if rows is not None and rows.truncated:
            warnings += (f"Only the first {len(rows.rows)} rows are shown; there are more.",)
        return Proved(valid, rows, warnings)


def _ranked_by(places: QueryRows, shown: int, columns: set[str]) -> tuple[str, ...]:
    name = places.columns[0].name
    if name in columns:
        return ()
    first, last = (_figure(places.rows[place][0]) for place in (0, shown - 1))
    figures = first if shown == 1 else f"from {first} to {last}"
    return (f"Ranked by {name.replace('_', ' ')}: {figures}.",)


def _figure(value: object) -> str:
    return str(round(value, 2)) if isinstance(value, float) else str(value)
