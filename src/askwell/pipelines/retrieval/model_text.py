"""A model's text for prompts, in pieces that are worked out when they are first needed and then kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from askwell.mdl.data_sources import sql_dialect
from askwell.mdl.ddl import TableText, model_ddl
from askwell.mdl.ddl_facts import WHOLE, Limits
from askwell.mdl.join_graph import JoinEdge
from askwell.mdl.semantic_model import Relationship, SemanticModel
from askwell.pipelines.retrieval.joins import JoinFinder

# Texts of tables that are kept; a question is about some ten, and questions are mostly about the same.
_KEPT_TEXTS = 1_000

ColumnNames = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Link:
    """A way to join two tables, and the columns that it needs of each. `relationship` is its foreign key, None where
    names only suggest it. `size` is how many characters it takes in a prompt at most, the foreign key included."""

    edge: JoinEdge
    relationship: Relationship | None
    needs: Mapping[str, ColumnNames]
    size: int


class ModelText:
    """`table` gives the text of a table, by its name and its limits."""

    def __init__(self, model: SemanticModel, joins: JoinFinder) -> None:
        dialect = sql_dialect(model.data_source)

        @lru_cache(_KEPT_TEXTS)
        def table(name: str, limits: Limits = WHOLE) -> TableText:
            return TableText(model.tables[name], dialect, limits)

        self.table = table
        self._joins = joins
        self._relationships = {relationship.name: relationship for relationship in model.relationships}
        self.all_columns: Mapping[str, ColumnNames] = {
            table.name: tuple(column.name for column in table.columns) for table in model
        }
        self.whole = model_ddl(model)
        all_joins = (edge.in_words for edge in joins.edges_among(list(model.tables)))
        self.whole_tokens = estimated_tokens("\n".join([self.whole, *all_joins]))

    def links(self, tables: Sequence[str]) -> tuple[Link, ...]:
        """The ways to join some tables directly, those of the first tables first."""
        return tuple(map(self._link, self._joins.edges_among(tables)))

    def _link(self, edge: JoinEdge) -> Link:
        relationship = self._relationships.get(edge.role)
        size = len(edge.in_words) + 1
        if relationship is not None:
            size += max(self.table(name).foreign_key(relationship).size for name in (edge.left, edge.right))
        needs: dict[str, ColumnNames] = {edge.left: tuple(here for here, _ in edge.pairs)}
        needs[edge.right] = (*needs.get(edge.right, ()), *(there for _, there in edge.pairs))
        return Link(edge, relationship, needs, size)


def estimated_tokens(text: str) -> int:
    """About how many tokens a text is: four characters each, since no tokenizer is bundled."""
    return (len(text) + 3) // 4
