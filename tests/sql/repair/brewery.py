"""A made-up guide to breweries, whose tables share the names of most of their columns."""

from __future__ import annotations

from functools import cache

from askwell.sql.checker import SqlChecker
from tests.sql.repair.clinic import checker_over, manifest_of

_TABLES: dict[str, dict[str, str]] = {
    "beers": {"id": "INTEGER", "name": "VARCHAR", "brewery_id": "INTEGER", "style_id": "INTEGER", "strength": "DOUBLE"},
    "breweries": {"id": "INTEGER", "brewery_name": "VARCHAR", "town": "VARCHAR", "owner_id": "INTEGER"},
    "owners": {"id": "INTEGER", "name": "VARCHAR", "capital": "DOUBLE"},
    "styles": {"id": "INTEGER", "style_name": "VARCHAR", "origin": "VARCHAR"},
    "tasters": {"id": "INTEGER", "first_name": "VARCHAR", "last_name": "VARCHAR", "town": "VARCHAR"},
    "tastings": {
        "id": "INTEGER",
        "beer_id": "INTEGER",
        "taster_id": "INTEGER",
        "score": "INTEGER",
        "tasted_on": "DATE",
    },
    "BeerBatches": {"id": "INTEGER", "beer_id": "INTEGER", "litres": "DOUBLE", "name": "VARCHAR"},
}
_LINKS = {
    "beer_brewery": ("beers.brewery_id = breweries.id", "MANY_TO_ONE"),
    "beer_style": ("beers.style_id = styles.id", "MANY_TO_ONE"),
    "brewery_owner": ("breweries.owner_id = owners.id", "MANY_TO_ONE"),
    "tasting_beer": ("tastings.beer_id = beers.id", "MANY_TO_ONE"),
    "tasting_taster": ("tastings.taster_id = tasters.id", "MANY_TO_ONE"),
    "batch_beer": ("BeerBatches.beer_id = beers.id", "MANY_TO_ONE"),
}


@cache
def brewery_checker(dialect: str = "sqlite") -> SqlChecker:
    """The way of SQL over the guide."""
    return checker_over(manifest_of(_TABLES, _LINKS, dialect), dialect)
