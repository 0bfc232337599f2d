"""Large models and many threads."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import sqlglot

from askwell.mdl.view import authorised_view
from askwell.sql.binder import bind
from askwell.sql.bound import BoundSql
from askwell.sql.planner import PlannedSql, Planner
from tests.mdl.shop import calculated, handle, link, plain, read
from tests.sql.planner.conftest import CONTEXT, Desk


def _chain(length: int) -> dict[str, Any]:
    """Models t0 … tn, each with a calculated field that looks at the one before it."""
    models = [
        {
            "name": f"t{number}",
            "tableReference": {"table": f"t{number}"},
            "primaryKey": "id",
            "columns": [
                plain("id"),
                plain("parent_id"),
                plain("label", "VARCHAR"),
                handle("parent", f"t{max(0, number - 1)}", f"r{number}"),
                calculated("parent_label", "parent.label", "VARCHAR"),
            ],
        }
        for number in range(length)
    ]
    links = [
        link(f"r{n}", f"t{n}", "MANY_TO_ONE", f"t{max(0, n - 1)}", f"t{n}.parent_id = t{max(0, n - 1)}.id")
        for n in range(length)
    ]
    return {"catalog": "c", "schema": "s", "dataSource": "DUCKDB", "models": models, "relationships": links}


def _planned(length: int, sql: str) -> PlannedSql:
    manifest = read(_chain(length))
    model = authorised_view(manifest, "h")
    bound = bind(sqlglot.parse_one(sql, dialect="duckdb"), model, "duckdb")
    assert isinstance(bound, BoundSql)
    planned = Planner(model, manifest, "duckdb").plan(bound, CONTEXT)
    assert isinstance(planned, PlannedSql)
    return planned


def test_a_plan_depends_on_what_is_read_and_not_on_the_size_of_the_model() -> None:
    sql = "SELECT a.parent_label FROM t5 AS a JOIN t4 AS b ON a.parent_id = b.id"
    small, large = _planned(10, sql), _planned(500, sql)
    assert small.sql == large.sql
    assert set(small.physical) == {"t5", "t4"}


def test_several_threads_plan_at_once(duck: Desk) -> None:
    statements = [
        f"SELECT {column}, {number} FROM customers"
        for number in range(8)
        for column in ("revenue", "pieces", "mean_order", "order_count", "loud_secret")
    ]
    alone = [duck.planned(sql).sql for sql in statements]
    fresh = Desk("duckdb", duck.mdl, duck.database)
    bound = [fresh.bound(sql) for sql in statements]
    planner = fresh._ready()[1]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda one: planner.plan(one, CONTEXT), bound))
    assert [planned.sql for planned in together if isinstance(planned, PlannedSql)] == alone


def test_more_bodies_than_are_kept(duck: Desk) -> None:
    """Each set of columns is a body of its own; those that were dropped are written again."""
    duck.mdl["models"][4]["columns"] += [plain(f"extra_{number}") for number in range(7)]
    names = ["id", "boss_id", "name", *(f"extra_{number}" for number in range(7))]
    chosen = [[name for bit, name in enumerate(names) if number >> bit & 1] for number in range(1, 700)]
    first = duck.planned(f"SELECT {', '.join(chosen[0])} FROM staff").sql
    for columns in chosen:
        duck.planned(f"SELECT {', '.join(columns)} FROM staff")
    assert duck.planned(f"SELECT {', '.join(chosen[0])} FROM staff").sql == first
