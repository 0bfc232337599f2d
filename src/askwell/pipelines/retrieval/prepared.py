"""What retrieval works out once for a model, so that a question need not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

from cachetools import LRUCache

from askwell.mdl.data_sources import sql_dialect
from askwell.mdl.join_graph import JoinGraph
from askwell.mdl.semantic_model import SampledValues, SemanticModel
from askwell.pipelines.indexing.texts import column_text, table_text
from askwell.pipelines.retrieval.model_text import ColumnNames, ModelText
from askwell.pipelines.retrieval.sample_sql import columns_reader
from askwell.pipelines.retrieval.value_index import ValueIndex
from askwell.providers.document_store.words import terms

_KEPT_PATHS = 2_000
# Of the tables found, only the first few are surely meant; connecting all of them would bring in half the model.
_CONNECTED = 5
_LONGEST_PATH = 4


class PreparedModel:
    """A model with its value index, its vocabulary, its join graph and the text of its tables. Building it takes some
    tens of milliseconds for 200 tables: do it on a thread. Only the event loop uses it afterwards."""

    def __init__(self, model: SemanticModel, values: SampledValues) -> None:
        self.model = model
        self.value_index = ValueIndex(model, values)
        self.vocabulary = _vocabulary(model)
        self.text = ModelText(model)
        self._join_graph = JoinGraph(model)
        self.columns_of_sql = columns_reader(model, sql_dialect(model.data_source))
        self._paths: LRUCache[tuple[str, str], ColumnNames] = LRUCache(_KEPT_PATHS)

    def connecting(self, tables: Sequence[str]) -> tuple[str, ...]:
        """Tables that are not among these and lie on a shortest path between two of the first few."""
        first = tables[:_CONNECTED]
        found = (name for one, other in combinations(first, 2) for name in self._between(one, other))
        return tuple(dict.fromkeys(name for name in found if name not in tables))

    def _between(self, one: str, other: str) -> ColumnNames:
        if (known := self._paths.get((one, other))) is None:
            known = self._paths[one, other] = self._shortest(one, other)
        return known

    def _shortest(self, one: str, other: str) -> ColumnNames:
        """The tables strictly between two tables, on the shortest path that declared relationships come first in."""
        came_from: dict[str, str | None] = {one: None}
        front = [one]
        for _ in range(_LONGEST_PATH):
            following: list[str] = []
            for name in front:
                for edge in sorted(self._join_graph.edges_of(name), key=lambda edge: edge.inferred):
                    if edge.right not in came_from:
                        came_from[edge.right] = name
                        following.append(edge.right)
            if other in came_from:
                return _walk_back(came_from, other)
            front = following
        return ()


def _walk_back(came_from: Mapping[str, str | None], end: str) -> ColumnNames:
    path: list[str] = []
    step = came_from[end]
    while step is not None:
        path.append(step)
        step = came_from[step]
    return tuple(reversed(path[:-1]))


def _vocabulary(model: SemanticModel) -> frozenset[str]:
    """Every term that the model's own words use."""
    found: set[str] = set()
    for table in model:
        found.update(terms(table_text(table, ())))
        for column in table.columns:
            found.update(terms(column_text(table, column)))
    return frozenset(found)
