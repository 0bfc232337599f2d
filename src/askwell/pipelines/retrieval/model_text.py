"""A model's text for prompts, in pieces that are worked out when they are first needed and then kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

from askwell.mdl.data_sources import sql_dialect
from askwell.mdl.join_graph import JoinEdge
from askwell.mdl.prompt_facts import WHOLE, Limits, column_comment
from askwell.mdl.prompt_schema import LINE_COLUMNS, TableText, is_view, table_line
from askwell.mdl.semantic_model import ColumnRole, Relationship, SampledValues, SemanticModel, TableKind
from askwell.pipelines.retrieval.context import NO_OUTLINE, Outline
from askwell.pipelines.retrieval.joins import JoinFinder
from askwell.sql.names import fold

# Texts of tables that are kept; a question is about some ten, and questions are mostly about the same.
_KEPT_TEXTS = 1_000
# Sets of tables whose joins are kept.
_KEPT_SETS = 200
# Outlines that are kept: one for each room that models have.
_KEPT_OUTLINES = 10

ColumnNames = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Link:
    """A way to join two tables, and the columns that it needs of each. `size` is how many characters it takes in a
    prompt at most."""

    edge: JoinEdge
    needs: Mapping[str, ColumnNames]
    size: int

    @property
    def ends(self) -> Set[str]:
        """The tables that it joins."""
        return self.needs.keys()


@dataclass(frozen=True, slots=True)
class TableLine:
    """A table on one line of a prompt, and the columns that it names."""

    text: str
    columns: ColumnNames


# Above the tables that have one line each, and above all of them.
LINES_HEADING = "-- More tables, each as name(columns):"
_OUTLINE_HEADING = "-- All tables, each as name(columns):"
# Columns that a line of an outline names at most, as room allows; 0 is a list of names.
_OUTLINE_COLUMNS = (LINE_COLUMNS, 8, 3, 0)


class ModelText:
    """`table` gives the text of a table, by its name and its limits; `line` its text on one line. `sampled` are values
    that columns were seen to hold, `labels` the columns by which people know the rows of each table."""

    def __init__(
        self,
        model: SemanticModel,
        joins: JoinFinder,
        sampled: SampledValues,
        labels: Mapping[str, Sequence[str]] = MappingProxyType({}),
    ) -> None:
        self.dialect = dialect = sql_dialect(model.data_source)
        own_links: dict[str, list[Relationship]] = {name: [] for name in model.tables}
        for one in model.relationships:
            for name in {one.left, one.right}:
                own_links[name].append(one)
        by_table: dict[str, dict[str, tuple[str, ...]]] = {}
        for place, values in sampled.items():
            by_table.setdefault(place.table, {})[place.column] = values

        @lru_cache(_KEPT_TEXTS)
        def table(name: str, limits: Limits = WHOLE) -> TableText:
            links, known_by = own_links[name], labels.get(name, ())
            return TableText(model.tables[name], dialect, limits, by_table.get(name, {}), links=links, labels=known_by)

        @lru_cache(_KEPT_TEXTS)
        def line(name: str, most: int = LINE_COLUMNS) -> TableLine:
            return TableLine(*table_line(model.tables[name], dialect, most))

        @lru_cache(_KEPT_OUTLINES)
        def outline(tokens: int) -> Outline:
            for most in _OUTLINE_COLUMNS:
                lines = [line(name, most) for name in model.tables] if tokens > 0 else []
                text = "\n".join([_OUTLINE_HEADING, *(one.text for one in lines)])
                if lines and estimated_tokens(text) <= tokens:
                    is_all = most == LINE_COLUMNS
                    return Outline(text, {one: line(one).columns for one in model.tables} if is_all else {})
            return NO_OUTLINE

        @lru_cache(_KEPT_TEXTS)
        def link(edge: JoinEdge) -> Link:
            return _link(edge, dialect)

        @lru_cache(_KEPT_SETS)
        def links(tables: tuple[str, ...]) -> tuple[Link, ...]:
            return tuple(map(link, joins.edges_among(tables)))

        self.table = table
        self.line = line
        self.outline: Callable[[int], Outline] = outline
        # Tables that many others are joined with stand first: most questions need some of them.
        degrees = Counter(end for one in model.relationships for end in {one.left, one.right})
        in_order = sorted(model.tables, key=lambda name: -degrees[name])
        self.place: Mapping[str, int] = {name: number for number, name in enumerate(in_order)}
        self._link = link
        self._links = links
        self._joins = joins
        self.all_columns: Mapping[str, ColumnNames] = {
            table.name: tuple(column.name for column in table.columns) for table in model
        }
        elsewhere = _stated_elsewhere(model, by_table)
        self.whole = "\n\n".join(
            text.written(text.columns, without_comments=elsewhere.get(text.table.name, ()))
            for text in map(table, model.tables)
        )
        self.whole_tokens = estimated_tokens(self.whole)
        # What the rules say of such columns stands before the schema: it must not depend on the question.
        columns = [column for one in model for column in one.columns]
        self.has_epoch = any(column.epoch for column in columns)
        self.has_calculated_fields = any(column.role is ColumnRole.CALCULATED for column in columns)
        self.has_metrics = any(one.kind in (TableKind.METRIC, TableKind.CUBE) for one in model)
        self.has_json = any(column.json_type for column in columns)

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


def _stated_elsewhere(
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
