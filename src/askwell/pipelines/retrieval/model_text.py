"""A model's text for prompts, in pieces that are worked out when they are first needed and then kept."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from cachetools import LRUCache

from askwell.mdl.data_sources import sql_dialect
from askwell.mdl.ddl import TableText, model_ddl
from askwell.mdl.ddl_facts import WHOLE, Limits
from askwell.mdl.semantic_model import Relationship, SemanticModel

# Texts of tables that are kept; a question is about some ten, and questions are mostly about the same.
_KEPT_TEXTS = 1_000

ColumnNames = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Link:
    """A way to join two tables: the sentence that prompts have about it, and the columns that it needs of each table.
    `size` is how many characters it takes in a prompt at most, its foreign key included."""

    relationship: Relationship
    sentence: str
    needs: Mapping[str, ColumnNames]
    size: int


class ModelText:
    """Used by one thread at a time, as all that belongs to a question is by the event loop."""

    def __init__(self, model: SemanticModel) -> None:
        self._model = model
        self._dialect = sql_dialect(model.data_source)
        self._tables: LRUCache[tuple[str, Limits], TableText] = LRUCache(_KEPT_TEXTS)
        self._relationships: dict[str, list[Relationship]] = {}
        for relationship in model.relationships:
            self._relationships.setdefault(relationship.left, []).append(relationship)
        self.all_columns: Mapping[str, ColumnNames] = {
            table.name: tuple(column.name for column in table.columns) for table in model
        }
        self.whole = model_ddl(model)
        self.whole_tokens = estimated_tokens("\n".join([self.whole, *map(_sentence, model.relationships)]))

    def table(self, name: str, limits: Limits = WHOLE) -> TableText:
        """The text of a table."""
        if (known := self._tables.get((name, limits))) is None:
            known = self._tables[name, limits] = TableText(self._model.tables[name], self._dialect, limits)
        return known

    def links(self, tables: Collection[str]) -> tuple[Link, ...]:
        """The relationships among some tables, those of the first tables first."""
        names = set(tables)
        return tuple(
            self._link(one) for name in tables for one in self._relationships.get(name, ()) if one.right in names
        )

    def _link(self, relationship: Relationship) -> Link:
        sentence = _sentence(relationship)
        ends = {relationship.left, relationship.right}
        foreign_key = max(self.table(name).foreign_key(relationship).size for name in ends)
        needs: dict[str, ColumnNames] = {relationship.left: tuple(here for here, _ in relationship.pairs)}
        there = tuple(there for _, there in relationship.pairs)
        needs[relationship.right] = (*needs.get(relationship.right, ()), *there)
        return Link(relationship, sentence, needs, foreign_key + len(sentence) + 1)


def estimated_tokens(text: str) -> int:
    """About how many tokens a text is: four characters each, since no tokenizer is bundled."""
    return (len(text) + 3) // 4


def _sentence(relationship: Relationship) -> str:
    """With its name: where two tables are joined in several ways, that says which role is which."""
    left, right = relationship.left, relationship.right
    pairs = (f"{left}.{one} = {right}.{other}" for one, other in relationship.pairs)
    guess = ", inferred" if relationship.inferred else ""
    return f"{' AND '.join(pairs)} ({relationship.cardinality}, {relationship.name}{guess})"
