"""Against the truth: random joins over random databases, compared with what each aggregate is over unrepeated rows."""

from __future__ import annotations

import random
import sqlite3
from collections import Counter

import pytest

from tests.sql.fanout.random_queries import RandomQuery, database, model, query
from tests.sql.fanout.shop import fan_outs

_DATABASES = 60
_QUERIES = 150
# A query that finds rows in fewer databases than this share shows nothing by never differing.
_ENOUGH = 0.25


def _results(connection: sqlite3.Connection, sql: str) -> dict[tuple[object, ...], float | None]:
    """The aggregate by group."""
    rows = connection.execute(sql).fetchall()
    return {tuple(row[:-1]): None if row[-1] is None else round(row[-1], 6) for row in rows}


def _differs(asked: RandomQuery, databases: list[sqlite3.Connection]) -> bool | None:
    """Whether a join changes the aggregate in some database; None where too few of them can tell."""
    filled = 0
    for connection in databases:
        plain, once = _results(connection, asked.sql), _results(connection, asked.once)
        filled += any(plain.values())
        # Where every group has one of the rows that are counted, it is the joined rows that are meant.
        joined_rows_meant = asked.kind == "COUNT" and not any(count and count > 1 for count in once.values())
        if plain != once and not joined_rows_meant:
            return True
    return False if filled >= _ENOUGH * len(databases) else None


@pytest.mark.deep
@pytest.mark.parametrize("seed", [11, 12, 13, 14])
def test_what_differs_is_found_and_what_is_found_differs(seed: int) -> None:
    chance = random.Random(seed)
    databases = [database(chance) for _ in range(_DATABASES)]
    tables, tally = model(), Counter[tuple[str, bool]]()
    for _ in range(_QUERIES):
        asked = query(chance)
        found, differs = bool(fan_outs(asked.sql, tables, "sqlite")), _differs(asked, databases)
        assert found or not differs, f"missed: {asked.sql}"
        if found and differs is not None:
            tally[asked.kind, differs] += 1
    assert tally["SUM", True] >= 20
    # Left over are sums that only differ on rare data.
    assert tally["SUM", False] <= 0.1 * tally["SUM", True]
    for connection in databases:
        connection.close()
