"""A made-up guide to breweries, whose tables share the names of most of their columns."""

from __future__ import annotations

from functools import cache

from askwell.sql.checker import SqlChecker
from tests.sql.repair.clinic import checker_over, manifest_of
from tests.support.tables import case_table

_TABLES: dict[str, dict[str, str]] = case_table(__file__, "tables")
_LINKS = case_table(__file__, "links")


@cache
def brewery_checker(dialect: str = "sqlite") -> SqlChecker:
    """The way of SQL over the guide."""
    return checker_over(manifest_of(_TABLES, _LINKS, dialect), dialect)
