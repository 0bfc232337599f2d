"""`x.name` on PostgreSQL: a call of the function `name` (or a cast to the type) where x has no such column.

Sources of rows, ways to name something of theirs, and places for that: all of them together.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from tests.support.tables import case_table

OWN_FUNCTIONS = (
    "CREATE FUNCTION peek_any(anyelement) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT max(amount) FROM payroll';"
    "CREATE FUNCTION peek_rows(record) RETURNS text LANGUAGE plpgsql IMMUTABLE AS "
    "'BEGIN RETURN (SELECT max(amount) FROM payroll); END';"
)
# What the answers of these would hold: names of the catalogue.
CATALOGUE_NAMES = ("payroll", "t_people", "pg_class", "pg_catalog", "postgres", "secrets")
NAMES = ("peek_any", "peek_rows", "regclass", "regrole", "regnamespace", "text", "upper", '"peek_any"')

# `{a}` is the alias. None has a column of a name above, except where that is what misleads: `{n}`.
SOURCES = case_table(__file__, "sources")
REFERENCES = case_table(__file__, "references")
PLACES = case_table(__file__, "places")
# Statements whose names PostgreSQL takes for something else than they seem to say.
MISLEADING = case_table(__file__, "misleading")


def dotted_attacks() -> Iterator[str]:
    """Some thousands of statements, none of which may give back what a function or a cast of that name would."""
    for statement, name in product(MISLEADING, NAMES):
        yield _filled(statement, name, "")
    for number, (source, reference, name) in enumerate(product(SOURCES, REFERENCES, NAMES)):
        yield _filled(PLACES[0], name, reference, source)
        yield _filled(PLACES[number % len(PLACES)], name, reference, source)
    for place, source in product(PLACES, SOURCES):
        yield _filled(place, NAMES[0], REFERENCES[0], source)


def _filled(statement: str, name: str, reference: str, source: str = "") -> str:
    upper = f'"{name.strip(chr(34)).upper()}"'
    return statement.format(
        n=name, u=upper, l="l" * 63, r=reference.format(a="q", A="Q", n=name), s=source.format(a="q", n=name, u=upper)
    )
