"""What retrieval works out once for a model, so that a question need not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

from cachetools import LRUCache

from askwell.mdl.data_sources import sql_dialect
from askwell.mdl.ddl import model_ddl, table_ddl
from askwell.mdl.join_graph import JoinGraph
from askwell.mdl.semantic_model import Column, Relationship, SampledValues, SemanticModel
from askwell.pipelines.indexing.texts import column_text, table_text
from askwell.pipelines.retrieval.sample_sql import tables_reader
from askwell.pipelines.retrieval.value_index import ValueIndex
from askwell.providers.document_store.words import terms

# Texts of tables that are kept; questions about the same tables mostly show the same columns.
_KEPT_TEXTS = 2_000
# Of the tables found, only the first few are surely meant; connecting all of them would bring in half the model.
_CONNECTED = 5
_LONGEST_PATH = 4

ColumnNames = tuple[str, ...]


class PreparedModel:
    """A model with its value index, its vocabulary, its join graph and the text of its tables. Building it takes some
    tens of milliseconds for 200 tables: do it on a thread. Only the event loop uses it afterwards."""

    def __init__(self, model: SemanticModel, values: SampledValues) -> None:
        self.model = model
        self.value_index = ValueIndex(model, values)
        self.vocabulary = _vocabulary(model)
        self.all_columns: Mapping[str, ColumnNames] = {
            table.name: tuple(column.name for column in table.columns) for table in model
        }
        self.whole_text = model_ddl(model)
        self.whole_tokens = estimated_tokens(self.whole_text)
        self._join_graph = JoinGraph(model)
        self._dialect = sql_dialect(model.data_source)
        self.tables_of_sql = tables_reader(model, self._dialect)
        self._texts: LRUCache[tuple[str, ColumnNames, tuple[str, ...]], tuple[str, int]] = LRUCache(_KEPT_TEXTS)
        self._paths: LRUCache[tuple[str, str], ColumnNames] = LRUCache(_KEPT_TEXTS)

    def table_text(self, table: str, columns: ColumnNames, links: Sequence[Relationship] = ()) -> tuple[str, int]:
        """A table as it stands in a prompt, with these columns and foreign keys only, and its estimated tokens."""
        key = (table, columns, tuple(link.name for link in links))
        if (known := self._texts.get(key)) is None:
            text = table_ddl(self.model.tables[table], links, columns=columns, dialect=self._dialect)
            known = self._texts[key] = (text, estimated_tokens(text))
        return known

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


def estimated_tokens(text: str) -> int:
    """About how many tokens a text is: four characters each, since no tokenizer is bundled."""
    return (len(text) + 3) // 4


def column_tokens(column: Column) -> int:
    """About what showing one column costs."""
    said = (column.name, column.type, column.display_name, column.description, column.expression, *column.values)
    return estimated_tokens("".join(filter(None, said))) + 8


def links_between(model: SemanticModel, tables: Iterable[str]) -> list[Relationship]:
    """The relationships among some tables."""
    names = set(tables)
    return [link for link in model.relationships if link.left in names and link.right in names]


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
