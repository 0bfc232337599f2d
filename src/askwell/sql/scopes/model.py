"""The columns of the semantic model that a statement reads, by where they stand in it."""

from __future__ import annotations

from askwell.mdl.semantic_model import ColumnRef
from askwell.sql.names import fold
from askwell.sql.scopes.resolution import Resolution


def model_columns(resolution: Resolution) -> dict[int, ColumnRef]:
    """For the identity of each column's node the column of the model that it is, also through a subquery."""
    refs = {}
    for use in resolution.columns:
        if use.source.table is not None and not use.source.renamed:
            refs[id(use.node)] = ColumnRef(use.source.table.name, use.name)
        elif use.source.origins:
            origin = use.source.origins.get(fold(use.name))
            while isinstance(origin, tuple) and origin[0].table is None:
                origin = origin[0].origins.get(origin[1])
            if isinstance(origin, tuple) and origin[0].table is not None:
                spelled = (origin[0].table.columns or {}).get(origin[1])
                if spelled is not None:
                    refs[id(use.node)] = ColumnRef(origin[0].table.name, spelled)
    return refs
