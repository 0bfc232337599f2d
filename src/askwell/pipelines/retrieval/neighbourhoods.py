"""Tables that belong together: those that join, and those of one schema of the database."""

from __future__ import annotations

import numpy as np

from askwell.mdl.semantic_model import SemanticModel
from askwell.providers.document_store.base import Scores


class Neighbourhoods:
    """Works on scores with a column for each table of the model, in its order; any number of rows. Tables of which no
    schema is known are together too: where that is all of them, schemas tell nothing."""

    def __init__(self, model: SemanticModel) -> None:
        places = {name: place for place, name in enumerate(model.tables)}
        near: list[set[int]] = [{place} for place in places.values()]
        links = [(link.left, link.right) for link in model.relationships]
        links += [(table.name, table.base) for table in model if table.base is not None]
        for one, other in links:
            if one in places and other in places:
                near[places[one]].add(places[other])
                near[places[other]].add(places[one])
        self._near = np.array([place for group in near for place in sorted(group)], np.intp)
        self._near_starts = np.cumsum([0, *map(len, near)][:-1], dtype=np.intp)
        schemas: dict[str, int] = {}
        of_table = [schemas.setdefault(table.schema or "", len(schemas)) for table in model]
        self._schema_of = np.array(of_table, np.intp)
        self._by_schema = np.argsort(self._schema_of, kind="stable")
        self._schema_starts = np.searchsorted(self._schema_of[self._by_schema], np.arange(len(schemas)))

    def best_joined(self, scores: Scores) -> Scores:
        """For each table the best of its own score and those of the tables that it joins to."""
        if not scores.shape[-1]:
            return scores
        best: Scores = np.maximum.reduceat(scores[..., self._near], self._near_starts, axis=-1)
        return best

    def best_of_schema(self, scores: Scores) -> Scores:
        """For each table the best score in its schema."""
        if not scores.shape[-1]:
            return scores
        best: Scores = np.maximum.reduceat(scores[..., self._by_schema], self._schema_starts, axis=-1)
        return best[..., self._schema_of]
