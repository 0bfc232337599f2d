"""What a SELECT shows: what was asked for, what names a row, and what is grouped by."""

from __future__ import annotations

from dataclasses import dataclass, replace

from askwell.mdl.semantic_model import ColumnRef
from askwell.question.lexicon import english
from askwell.semantic_parsing.compiling.comparability import Meaningless, refuse_figure
from askwell.semantic_parsing.compiling.predicates import PredicateWriter
from askwell.semantic_parsing.forms import Bucket, Measure, Metric, Query, Ref, Rows
from askwell.semantic_parsing.grounding import Part
from askwell.semantic_parsing.model.catalog import DATE, Catalog
from askwell.semantic_parsing.model.word_forms import word_forms

_GROUP_PLACES = ("group_first", "group_last", "group_hidden")


@dataclass(frozen=True, slots=True)
class Span:
    """The day, month, … of a date column."""

    unit: str
    column: ColumnRef


Key = ColumnRef | Span
Shown = Key | Measure


class OutputChooser:
    """Chooses what the readings of one grounding show. Tables that are needed and features go to `predicates`."""

    def __init__(self, catalog: Catalog, predicates: PredicateWriter, variant: str, *, bare: bool) -> None:
        self._catalog, self._predicates, self._variant, self._bare = catalog, predicates, variant, bare
        self.features, self._needed = predicates.features, predicates.needed

    def column(self, part: Part) -> ColumnRef:
        """The column that a part means; its table is needed."""
        return self._predicates.column_of(part)

    def figure(self, measure: Measure) -> Measure:
        """A figure; the table of what it is about is needed."""
        if isinstance(measure.of, Rows | Metric):
            self._needed.append(measure.of.table)
        elif measure.of is not None:
            self.column(measure.of)
        return measure

    def grouping(self, part: Ref | Rows | Bucket) -> Key:
        """What is grouped by for rows, a column or a period. Raises `Meaningless` for a period of what has none."""
        if isinstance(part, Rows):
            return self.key(part.table)
        if isinstance(part, Ref):
            return self.column(part)
        column = self.column(part.of)
        if self._catalog.is_year(column):
            if part.unit != "year":
                raise Meaningless("no such period in a year")
            return column
        if self._catalog.kind(column) != DATE:
            raise Meaningless("no date")
        if part.unit == "hour" and self._catalog.column(column).of_days:
            return Span(part.unit, self._clock_of(column.table))
        refuse_figure(self._catalog.column(column), self._predicates.vocabulary.dialect, bucket=part.unit)
        return Span(part.unit, column)

    def _clock_of(self, table: str) -> ColumnRef:
        """The time of day that stands beside a day: the only one, else the one that is named, or when a row began.
        Raises `Meaningless` where none is."""
        clocks = [column for column in self._catalog.table(table).columns if column.clock]
        for told in (self._predicates.said, english().first_dates):
            clocks = [one for one in clocks if told & set(one.words)] or clocks
        if len(clocks) != 1:
            raise Meaningless("no_hours")
        return clocks[0].ref

    def label(self, table: str) -> list[ColumnRef]:
        """What shows a row to a person, or its key. Raises `Meaningless` where there is neither."""
        label = list(self._catalog.labels(table))
        if not label:
            key = self._catalog.key(table)
            if key is None:
                raise Meaningless("no label")
            label = [key]
            self.features.append("sql:key_as_label")
        elif not self._bare and self._catalog.column(label[0]).words[-1] in word_forms().describing:
            key = self._catalog.key(table)
            label = [key, *label] if key is not None else label  # two rows may be described alike
        self._needed.append(table)
        return label

    def key(self, table: str) -> ColumnRef:
        """What tells the rows of a table apart."""
        self._needed.append(table)
        return self._catalog.key(table) or self.label(table)[0]

    def outputs(self, query: Query, head: str | None) -> list[Shown]:
        """What the query shows. Raises `Meaningless` where that is nothing."""
        outputs: list[Shown] = []
        for part in query.select:
            match part:
                case Ref():
                    column = self.column(part)
                    outputs += [column] if column not in outputs else []
                case Rows(table):
                    outputs += [c for c in self.label(table) if c not in outputs]
                    own = table in (query.head, *query.mentions)
                    self.features.append("sql:entity_shown" if own else "sql:other_shown")
                case Measure():
                    outputs.append(self.figure(part))
        if self._variant == "with_label" and query.head is not None:
            outputs = [*(c for c in self.label(query.head) if c not in outputs), *outputs]
            self.features.append("sql:with_label")
        counted = query.rank is not None and query.rank.grouped and query.rank.by is not None
        if not outputs and not query.everything and not counted:
            outputs = self._implied(query, head)
        return outputs

    def _implied(self, query: Query, head: str | None) -> list[Shown]:
        """Where nothing is asked to be shown: names, or for groups how many rows each has."""
        if head is None:
            raise Meaningless("nothing to show")
        listed = query.rank is not None and isinstance(query.rank.by, Ref)
        if query.group and not listed:
            if query.rank is None and self._variant != "group_counted":
                self.features.append("sql:group_listed")
                if not query.order and query.group_place != "versus":
                    shown: list[Shown] = [c for g in query.group for c in self.group_shown(g)]
                    return [*shown, *self.label(head)]
            self.features.append("sql:group_counted")
            self._needed.append(head)
            return [Measure("count", Rows(head))]
        outputs: list[Shown] = [c for g in query.group for c in self.group_shown(g)]
        self.features.append("sql:label_shown")
        return [*outputs, *self.label(head)]

    def group_shown(self, group: Ref | Rows | Bucket) -> list[Key]:
        """What shows a group."""
        if isinstance(group, Rows):
            return [*self.label(group.table)]
        key = self.grouping(group)
        named = isinstance(key, Span) and key.unit == "weekday"
        return [key, replace(key, unit="weekday_name")] if named and isinstance(key, Span) else [key]

    def with_groups(self, query: Query, outputs: list[Shown]) -> tuple[list[Shown], list[Key]]:
        """ "the number of orders per city" shows the city."""
        shown = [column for group in query.group for column in self.group_shown(group)]
        place = self._variant if self._variant in _GROUP_PLACES else "group_first"
        self.features += ["sql:group_shown", f"sql:{place}", f"sql:{place}:{query.group_place}"]
        if place == "group_hidden":
            return outputs, []
        return ([*shown, *outputs] if place == "group_first" else [*outputs, *shown]), shown
