"""What every engine promises, as far as a server that plans for itself can keep it.

Not asked of it: types by the database's own names (it tells Arrow's), two columns of one name (the planner gives every
column a name of its own), recursive CTEs (its planner has none), and what only child processes or declared views show.
`test_wren_ibis.py` tests what is its own.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from askwell.providers.engine.base import Engine, EngineLimits
from askwell.providers.engine.factory import create_ibis_engine
from askwell.services.database import PlanningEngine
from tests.fakes.ibis_server import FakeIbisServer
from tests.providers.engine.conftest import SMALL, Bench, write_database
from tests.providers.engine.test_contract import (  # noqa: F401 - run here with the fixtures of this file
    test_a_closed_engine_says_so_and_closes_again,
    test_functions_are_the_engines_own_in_lower_case,
    test_more_rows_than_the_limit_are_cut_and_said_so,
    test_no_rows_still_have_columns,
    test_nothing_but_one_select_runs,
    test_one_row_over_the_byte_limit_is_a_failure_not_an_empty_answer,
    test_values_of_rows_do_not_leak_through_errors,
)

_COLUMNS = {
    "customers": ("id INTEGER", "name VARCHAR", "country VARCHAR"),
    "regions": ("country VARCHAR", "code VARCHAR", "label VARCHAR"),
    "orders": ("id INTEGER", "customer_id INTEGER", "country VARCHAR", "code VARCHAR", "total DOUBLE"),
    "big_orders": ("id INTEGER", "total DOUBLE"),
}
MANIFEST = {
    "catalog": "shop",
    "schema": "main",
    "models": [
        {
            "name": table,
            "tableReference": {"schema": "main", "table": table},
            "columns": [dict(zip(("name", "type"), column.split(), strict=True)) for column in columns],
        }
        for table, columns in _COLUMNS.items()
    ],
}


@pytest.fixture
async def make(tmp_path: Path) -> AsyncIterator[Callable[..., Bench]]:
    """`make(limits)` gives the engine of an ibis-server over the sample database, a DuckDB file."""
    path = write_database("duckdb", tmp_path / "shop.db")
    made: list[Engine] = []
    async with FakeIbisServer(path) as server:

        def build(limits: EngineLimits = SMALL) -> Bench:
            engine = create_ibis_engine(server.api_base, "POSTGRES", {"password": "secret"}, limits)
            made.append(engine)
            assert isinstance(engine, PlanningEngine)
            return Bench("duckdb", engine.with_manifest(MANIFEST), file=path)

        yield build
        for engine in made:
            await engine.close()


@pytest.fixture
def bench(make: Callable[..., Bench]) -> Bench:
    return make()
