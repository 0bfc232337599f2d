"""A model's text for prompts, in pieces that are worked out when they are first needed and then kept."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from askwell.mdl.data_sources import sql_dialect
from askwell.mdl.ddl import TableText, is_view, table_line
from askwell.mdl.ddl_facts import WHOLE, Limits, column_comment
from askwell.mdl.join_graph import JoinEdge
from askwell.mdl.semantic_model import SampledValues, SemanticModel
from askwell.pipelines.retrieval.joins import JoinFinder
from askwell.sql.names import fold

# Texts of tables that are kept; a question is about some ten, and questions are mostly about the same.
_KEPT_TEXTS = 1_000
# Sets of tables whose joins are kept.
_KEPT_SETS = 200

ColumnNames = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Link:
    """A way to join two tables, and the columns that it needs of each. `size` is how many characters it takes in a
    prompt at most."""

    edge: JoinEdge
    needs: Mapping[str, ColumnNames]
    size: int


@dataclass(frozen=True, slots=True)
class TableLine:
    """A table on one line of a prompt, and the columns that it names."""

    text: str
    columns: ColumnNames


class ModelText:
    """`table` gives the text of a table, by its name and its limits; `line` its text on one line. `sampled` are values
    that columns were seen to hold."""

    def __init__(self, model: SemanticModel, joins: JoinFinder, sampled: SampledValues) -> None:
        self.dialect = dialect = sql_dialect(model.data_source)
        by_table: dict[str, dict[str, tuple[str, ...]]] = {}
        for place, values in sampled.items():
            by_table.setdefault(place.table, {})[place.column] = values

        @lru_cache(_KEPT_TEXTS)
        def table(name: str, limits: Limits = WHOLE) -> TableText:
            return TableText(model.tables[name], dialect, limits, by_table.get(name, {}))

        @lru_cache(_KEPT_TEXTS)
        def line(name: str) -> TableLine:
            return TableLine(*table_line(model.tables[name], dialect))

        @lru_cache(_KEPT_TEXTS)
        def link(edge: JoinEdge) -> Link:
            return _link(edge, dialect)

        @lru_cache(_KEPT_SETS)
        def links(tables: tuple[str, ...]) -> tuple[Link, ...]:
            return tuple(map(link, joins.edges_among(tables)))

        self.table = table
        self.line = line
        self._link = link
        self._links = links
        self._joins = joins
        self.all_columns: Mapping[str, ColumnNames] = {
            table.name: tuple(column.name for column in table.columns) for table in model
        }
        told = _told_elsewhere(model, by_table)
        self.whole = "\n\n".join(
            text.written(text.columns, without_comments=told.get(text.table.name, ()))
            for text in map(table, model.tables)
        )
        all_joins = (edge.line(dialect, with_role=False) for edge in joins.edges_among(list(model.tables)))
        self.whole_tokens = estimated_tokens("\n".join([self.whole, *all_joins]))

    def links(self, tables: Sequence[str]) -> tuple[Link, ...]:
        """The ways to join some tables directly, those of the first tables first."""
        return self._links(tuple(tables))

    def links_of_lines(self, shown: Sequence[str], further: Sequence[str]) -> Mapping[str, Sequence[Link]]:
        """For each of the `further` tables the ways of the model to join it to those that are `shown`, to itself and to
        further ones before it."""
        place = {name: number for number, name in enumerate((*shown, *further))}
        found: dict[str, list[Link]] = {name: [] for name in further}
        for edge in self._joins.known_edges_among(list(place)):
            later = max(edge.left, edge.right, key=place.__getitem__)
            if later in found:
                found[later].append(self._link(edge))
        return found


def _told_elsewhere(
    model: SemanticModel, sampled: Mapping[str, Mapping[str, ColumnNames]]
) -> Mapping[str, Collection[str]]:
    """The columns of views whose comments only repeat the values of a column of the same name in a table."""
    seen: dict[str, set[str]] = {}
    for table in model:
        if not is_view(table):
            for column, values in sampled.get(table.name, {}).items():
                seen.setdefault(fold(column), set()).update(values)
    return {
        table.name: [
            column.name
            for column in table.columns
            if not column_comment(column, WHOLE)
            and seen.get(fold(column.name), set()).issuperset(sampled.get(table.name, {}).get(column.name, ()))
        ]
        for table in model
        if is_view(table)
    }


def _link(edge: JoinEdge, dialect: str) -> Link:
    needs: dict[str, ColumnNames] = {edge.left: tuple(here for here, _ in edge.pairs)}
    needs[edge.right] = (*needs.get(edge.right, ()), *(there for _, there in edge.pairs))
    return Link(edge, needs, len(edge.line(dialect, with_role=True)) + 1)


def estimated_tokens(text: str) -> int:
    """About how many tokens a text is: four characters each, since no tokenizer is bundled."""
    return (len(text) + 3) // 4
