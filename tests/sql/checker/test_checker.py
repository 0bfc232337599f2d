"""The whole way of a statement, on real DuckDB and SQLite files."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from askwell.errors import EngineUnavailable
from askwell.mdl.semantic_model import ColumnRef
from askwell.providers.engine.base import ANY_TERMS, Engine, QueryFailure, QueryRows, QueryTerms
from askwell.providers.engine.factory import create_engine
from askwell.sql.bound import BoundSql
from askwell.sql.checker import Executed, SqlChecker, Streamed
from askwell.sql.context import QueryContext
from askwell.sql.outcome import CheckMode, RejectedSql, RejectionKind, ValidSql
from askwell.sql.planner import PlannedSql, Planner
from tests.sql.checker.shop import CONTEXT, checker_on, model_for
from tests.support.tables import case_rows

TIMEOUT = 20.0
# One engine, with its child processes, serves all tests of a kind.
pytestmark = pytest.mark.asyncio(loop_scope="module")


async def run(checker: SqlChecker, text: str, row_limit: int = 100) -> Executed | RejectedSql:
    return await checker.execute(text, context=CONTEXT, row_limit=row_limit, timeout=TIMEOUT)


async def rows_of(checker: SqlChecker, text: str) -> list[tuple[object, ...]]:
    outcome = await run(checker, text)
    assert isinstance(outcome, Executed), outcome
    return list(outcome.rows.rows)


@pytest.mark.parametrize(
    ("sql", "rows"),
    case_rows(__file__, "statements_over_the_model_run", "sql", "rows"),
)
async def test_statements_over_the_model_run(checker: SqlChecker, sql: str, rows: list[tuple[object, ...]]) -> None:
    assert await rows_of(checker, sql) == rows


async def test_what_is_streamed_goes_the_same_way(checker: SqlChecker) -> None:
    taken: list[object] = []

    async def take(rows: Sequence[Sequence[object]]) -> None:
        taken.extend(map(tuple, rows))

    streamed = await checker.stream("SELECT NAME FROM People ORDER BY ID", take, context=CONTEXT, timeout=TIMEOUT)
    assert isinstance(streamed, Streamed), streamed
    assert [column.name for column in streamed.end.columns] == ["name"]
    assert taken == [("Ada",), ("Bo",), ("Cy",)]
    for refused in ("SELECT margin FROM shipments", "DELETE FROM people", "SELECT name FROM sqlite_master"):
        outcome = await checker.stream(refused, take, context=CONTEXT, timeout=TIMEOUT)
        assert isinstance(outcome, RejectedSql)
    assert len(taken) == 3


async def test_star_gives_the_models_columns_and_no_hidden_one(checker: SqlChecker) -> None:
    outcome = await run(checker, "SELECT * FROM shipments WHERE id = 1")
    assert isinstance(outcome, Executed), outcome
    names = [column.name for column in outcome.rows.columns]
    assert "margin" not in names
    assert names[:3] == ["id", "sender_id", "carrier"]
    assert "HIDDEN" not in str(outcome.rows.rows)


async def test_sql_is_over_the_model_and_planned_sql_over_the_database(checker: SqlChecker) -> None:
    outcome = await checker.check(
        "select  Name from PEOPLE -- all of them", mode=CheckMode.DRY_RUN, context=CONTEXT, timeout=TIMEOUT
    )
    assert isinstance(outcome, ValidSql), outcome
    assert outcome.sql == "SELECT name FROM people"
    assert outcome.tables == ("people",)
    assert "t_people" in outcome.planned_sql
    assert "full_name" in outcome.planned_sql


@pytest.mark.parametrize("mode", list(CheckMode))
async def test_every_mode_accepts_a_good_statement(checker: SqlChecker, mode: CheckMode) -> None:
    outcome = await checker.check("SELECT name FROM people", mode=mode, context=CONTEXT, timeout=TIMEOUT)
    assert isinstance(outcome, ValidSql), outcome


@pytest.mark.parametrize(
    "reply",
    [
        json.dumps({"sql": "SELECT count(*) FROM people;"}),
        "Here it is:\n```sql\nSELECT count(*)\nFROM people;\n```\nIt counts everyone.",
    ],
)
async def test_a_models_whole_reply_is_taken(checker: SqlChecker, reply: str) -> None:
    assert await rows_of(checker, reply) == [(3,)]


@pytest.mark.parametrize(
    ("text", "rejection", "said"),
    [
        ("I am sorry, I cannot help with that.", RejectionKind.EXTRACT, "no SQL statement"),
        ("SELECT name FROM people WHERE (town = 'Ulm' OR", RejectionKind.PARSE, "line 1"),
        ("DROP TABLE people", RejectionKind.GUARD, "rule root"),
        ("SELECT 1; SELECT 2", RejectionKind.GUARD, "rule statements"),
        ("SELECT * FROM sqlite_master", RejectionKind.GUARD, "rule system_name"),
        ("SELECT * FROM elsewhere.payroll", RejectionKind.GUARD, "rule schema"),
        ("SELECT * FROM temp.people", RejectionKind.GUARD, "rule schema"),
        ("SELECT * FROM 'people.csv'", RejectionKind.GUARD, "rule schema"),
        ("SELECT load_extension('x')", RejectionKind.GUARD, "rule function_denied"),
        ("SELECT * FROM payroll", RejectionKind.BIND, 'no table "payroll"'),
        ("SELECT * FROM t_people", RejectionKind.BIND, 'no table "t_people"; nearest: people'),
        ("SELECT margin FROM shipments", RejectionKind.BIND, 'no column "margin"'),
        ("SELECT full_name FROM people", RejectionKind.BIND, "nearest: people.name"),
        ("SELECT lenth_of(name) FROM people", RejectionKind.BIND, "no function lenth_of"),
        ("SELECT town FROM people WHERE count(*) > 1", RejectionKind.BIND, "HAVING"),
    ],
)
async def test_what_is_turned_away(checker: SqlChecker, text: str, rejection: RejectionKind, said: str) -> None:
    for outcome in (
        await checker.check(text, mode=CheckMode.DRY_RUN, context=CONTEXT, timeout=TIMEOUT),
        await run(checker, text),
    ):
        assert isinstance(outcome, RejectedSql), outcome
        assert outcome.kind is rejection
        assert said in outcome.error
        assert outcome.original_sql == text


async def test_what_only_the_database_knows_is_a_dry_run_rejection_in_its_words(checker: SqlChecker) -> None:
    outcome = await checker.check(
        "SELECT sum(count(*)) FROM people", mode=CheckMode.DRY_RUN, context=CONTEXT, timeout=TIMEOUT
    )
    assert isinstance(outcome, RejectedSql), outcome
    assert outcome.kind is RejectionKind.DRY_RUN
    assert "aggregate" in outcome.error.lower() or "count" in outcome.error.lower()
    assert "t_people" not in outcome.sql


async def test_preview_of_nothing_is_said(checker: SqlChecker) -> None:
    sql = "SELECT name FROM people WHERE town = 'Atlantis'"
    outcome = await checker.check(sql, mode=CheckMode.PREVIEW, context=CONTEXT, timeout=TIMEOUT)
    assert isinstance(outcome, RejectedSql)
    assert outcome.kind is RejectionKind.PREVIEW_EMPTY_DATA
    assert await rows_of(checker, sql) == []


async def test_of_a_filter_that_finds_nothing_the_nearest_known_values_are_told(engine: Engine) -> None:
    model, manifest = model_for(engine)
    known = {ColumnRef("people", "town"): ("Bonn", "Ulm")}
    checker = SqlChecker(model, Planner(model, manifest, engine.dialect), engine, values=known)
    near = "people.town holds no 'Born' that is known of; nearest: 'Bonn'"
    preview = await checker.check(
        "SELECT name FROM people WHERE town = 'Born'", mode=CheckMode.PREVIEW, context=CONTEXT, timeout=TIMEOUT
    )
    assert isinstance(preview, RejectedSql)
    assert preview.suggestions == (near,)
    for sql, said in {
        "SELECT name FROM people WHERE town IN ('Born', 'Berne')": (near,),
        "SELECT count(*), sum(spent) FROM people WHERE town LIKE '%Born%'": (near,),
        "SELECT count(*) FROM people WHERE town = 'Xanten'": (),
        "SELECT name FROM people WHERE town LIKE '%on%' AND name = 'Born'": (),
        "SELECT count(*) FROM people WHERE town <> 'Born'": (),
    }.items():
        executed = await run(checker, sql)
        assert isinstance(executed, Executed), executed
        assert executed.valid.warnings == said, sql


async def test_preview_that_fails_is_said(checker: SqlChecker, kind: str) -> None:
    sql = (
        "SELECT CAST(name AS INTEGER) FROM people" if kind == "duckdb" else "SELECT json_extract(name, '$') FROM people"
    )
    outcome = await checker.check(sql, mode=CheckMode.PREVIEW, context=CONTEXT, timeout=TIMEOUT)
    assert isinstance(outcome, RejectedSql), outcome
    assert outcome.kind is RejectionKind.PREVIEW_FAILED


@pytest.mark.deep
async def test_a_statement_that_runs_on_and_on_ends_in_time(checker: SqlChecker) -> None:
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
    outcome = await checker.execute(endless, context=CONTEXT, row_limit=10, timeout=1.0)
    assert isinstance(outcome, RejectedSql), outcome
    assert outcome.kind is RejectionKind.TIME_OUT
    assert await rows_of(checker, "SELECT count(*) FROM people") == [(3,)]


async def test_rows_are_capped_and_it_is_said(checker: SqlChecker) -> None:
    outcome = await run(checker, "SELECT name FROM people", row_limit=2)
    assert isinstance(outcome, Executed)
    assert len(outcome.rows.rows) == 2
    assert outcome.rows.truncated


async def test_many_at_a_time_do_not_mix(checker: SqlChecker) -> None:
    answers = await asyncio.gather(
        *(rows_of(checker, f"SELECT name FROM people WHERE id = {1 + i % 3}") for i in range(12))
    )
    assert answers == [[(["Ada", "Bo", "Cy"][i % 3],)] for i in range(12)]


async def test_long_statements_are_checked_off_the_loop_with_the_same_result(checker: SqlChecker) -> None:
    ids = ", ".join(str(i) for i in range(1, 1500))
    assert await rows_of(checker, f"SELECT count(*) FROM people WHERE id IN ({ids})") == [(3,)]


async def test_a_database_that_is_not_there_is_breakage_not_a_rejection(kind: str, tmp_path: Path) -> None:
    engine = create_engine(kind, tmp_path / "nowhere.db")
    with pytest.raises(EngineUnavailable):
        await run(checker_on(engine), "SELECT name FROM people")
    await engine.close()


# When planning breaks


class BrokenPlanner:
    """Plans nothing."""

    has_rules = False

    def plan(self, bound: BoundSql, context: QueryContext) -> PlannedSql | RejectedSql:
        return RejectedSql(RejectionKind.DRY_PLAN, "", "", "no plan today")


class RecordingEngine:
    """An engine that knows the names it is told, and remembers what it was asked to run."""

    dialect = "duckdb"
    data_source = "DUCKDB"

    def __init__(self, failure: QueryFailure | None) -> None:
        self.failure = failure
        self.seen: list[str] = []

    async def functions(self) -> frozenset[str]:
        return frozenset({"length"})

    async def dry_run(self, sql: str, *, timeout: float, terms: QueryTerms = ANY_TERMS) -> QueryFailure | None:
        self.seen.append(sql)
        return self.failure

    async def execute(
        self, sql: str, *, row_limit: int, timeout: float, terms: QueryTerms = ANY_TERMS
    ) -> QueryRows | QueryFailure:
        self.seen.append(sql)
        return QueryRows((), ())

    async def introspect(self) -> object:
        raise NotImplementedError

    async def close(self) -> None:
        return


def broken(engine: RecordingEngine, tmp_path: Path) -> SqlChecker:
    model, _ = model_for(create_engine("duckdb", tmp_path / "x"))
    return SqlChecker(model, BrokenPlanner(), engine)  # type: ignore[arg-type]


async def test_dry_plan_falls_back_to_a_dry_run_of_the_bound_statement(tmp_path: Path) -> None:
    engine = RecordingEngine(failure=None)
    outcome = await broken(engine, tmp_path).check(
        "SELECT Name FROM People", mode=CheckMode.DRY_PLAN, context=CONTEXT, timeout=1, allow_dry_plan_fallback=True
    )
    assert isinstance(outcome, ValidSql)
    assert engine.seen == ['SELECT "name" FROM "people"']
    assert "no plan today" in outcome.warnings[0]


@pytest.mark.parametrize(
    ("failure", "allow", "asked"), [(None, False, 0), (QueryFailure("error", "no such table"), True, 1)]
)
async def test_otherwise_the_planning_error_stands(
    tmp_path: Path, failure: QueryFailure | None, allow: bool, asked: int
) -> None:
    engine = RecordingEngine(failure)
    outcome = await broken(engine, tmp_path).check(
        "SELECT name FROM people", mode=CheckMode.DRY_PLAN, context=CONTEXT, timeout=1, allow_dry_plan_fallback=allow
    )
    assert isinstance(outcome, RejectedSql)
    assert outcome.kind is RejectionKind.DRY_PLAN
    assert outcome.error == "no plan today"
    assert len(engine.seen) == asked


@pytest.mark.parametrize("mode", [CheckMode.DRY_RUN, CheckMode.PREVIEW])
async def test_what_cannot_be_planned_is_never_run(tmp_path: Path, mode: CheckMode) -> None:
    engine = RecordingEngine(failure=None)
    checker = broken(engine, tmp_path)
    outcome = await checker.check("SELECT name FROM people", mode=mode, context=CONTEXT, timeout=1)
    executed = await checker.execute("SELECT name FROM people", context=CONTEXT, row_limit=1, timeout=1)
    assert isinstance(outcome, RejectedSql)
    assert isinstance(executed, RejectedSql)
    assert engine.seen == []


class TreacherousPlanner:
    """Plans a statement over a table that no model reads."""

    def plan(self, bound: BoundSql, context: QueryContext) -> PlannedSql | RejectedSql:
        import sqlglot

        tree = sqlglot.parse_one("SELECT amount FROM payroll", dialect="duckdb")
        return PlannedSql(tree, "", {"t_people": frozenset({"full_name"})})


async def test_the_planned_statement_is_guarded_again(tmp_path: Path) -> None:
    engine = RecordingEngine(failure=None)
    model, _ = model_for(create_engine("duckdb", tmp_path / "x"))
    checker = SqlChecker(model, TreacherousPlanner(), engine)  # type: ignore[arg-type]
    outcome = await checker.execute("SELECT name FROM people", context=CONTEXT, row_limit=1, timeout=1)
    assert isinstance(outcome, RejectedSql)
    assert engine.seen == []


async def test_engine_says_its_name_for_sql(engine: Engine, kind: str) -> None:
    assert engine.dialect == kind


async def test_no_statement_reads_a_table_that_is_not_listed_whatever_the_model_says(engine: Engine) -> None:
    checker = checker_on(engine, ["main.shipments"])
    assert await rows_of(checker, "SELECT count(*) FROM shipments WHERE carrier = 'bike'")
    for sql in ("SELECT name FROM people", "SELECT sender_name FROM shipments"):
        refused = await run(checker, sql)
        assert isinstance(refused, RejectedSql)
        assert "t_people" in refused.error
