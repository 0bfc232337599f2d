"""Which table each name of a statement belongs to.

One walk over the query's scopes, as SQL engines do it: CTEs, derived tables, correlated and lateral subqueries, USING,
set operations, pivots, aliases in ORDER BY and GROUP BY. It needs no database and looks up only the tables that the
statement names, so its cost does not grow with the model. Where engines differ it is lenient: what it reports as a
problem no engine would accept, given exactly these tables.

The guard uses it to refuse columns that are not there, the binder to explain them and to put canonical names in, the
planner to tell which tables are the model's.
"""

from __future__ import annotations

from askwell.sql.scopes.columns import FIELD_PATHS
from askwell.sql.scopes.resolution import (
    Catalogue,
    CatalogueTable,
    ColumnUse,
    Items,
    NameProblem,
    Opaque,
    ProblemKind,
    Resolution,
    Scope,
    Shape,
    Source,
    Struct,
    shape_of_column,
    shape_of_type,
)
from askwell.sql.scopes.walk import resolve

__all__ = [
    "FIELD_PATHS",
    "Catalogue",
    "CatalogueTable",
    "ColumnUse",
    "Items",
    "NameProblem",
    "Opaque",
    "ProblemKind",
    "Resolution",
    "Scope",
    "Shape",
    "Source",
    "Struct",
    "resolve",
    "shape_of_column",
    "shape_of_type",
]
