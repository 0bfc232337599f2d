"""What every engine promises, as far as a Wren UI keeps it: see `test_wren_ibis_contract.py`; it lists nothing."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from askwell.providers.engine.base import Engine, EngineLimits
from askwell.providers.engine.factory import create_wren_ui_engine
from tests.fakes.wren_ui_server import FakeWrenUi
from tests.providers.engine.conftest import SMALL, Bench, write_database
from tests.providers.engine.test_contract import (  # noqa: F401 - run here with the fixtures of this file
    test_a_closed_engine_says_so_and_closes_again,
    test_more_rows_than_the_limit_are_cut_and_said_so,
    test_no_rows_still_have_columns,
    test_nothing_but_one_select_runs,
    test_one_row_over_the_byte_limit_is_a_failure_not_an_empty_answer,
    test_values_of_rows_do_not_leak_through_errors,
)
from tests.providers.engine.test_wren_ibis_contract import MANIFEST


@pytest.fixture
async def make(tmp_path: Path) -> AsyncIterator[Callable[..., Bench]]:
    """`make(limits)` gives the engine of a Wren UI over the sample database, a DuckDB file."""
    path = write_database("duckdb", tmp_path / "shop.db")
    made: list[Engine] = []
    async with FakeWrenUi(path, MANIFEST) as server:

        def build(limits: EngineLimits = SMALL) -> Bench:
            made.append(create_wren_ui_engine(server.api_base, "", None, limits))
            return Bench("duckdb", made[-1], file=path)

        yield build
        for engine in made:
            await engine.close()


@pytest.fixture
def bench(make: Callable[..., Bench]) -> Bench:
    return make()
