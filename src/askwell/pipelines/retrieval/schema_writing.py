"""From tables, columns and joins that were chosen to the text of a schema."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from askwell.mdl.ddl import TableText
from askwell.mdl.semantic_model import ColumnRole, TableKind
from askwell.pipelines.retrieval.context import SchemaContext
from askwell.pipelines.retrieval.joins import Joins
from askwell.pipelines.retrieval.model_text import Link, estimated_tokens
from askwell.pipelines.retrieval.prepared import PreparedModel

# Above the tables that have one line each.
LINES_HEADING = "-- More tables, each as name(columns):"


@dataclass(slots=True)
class Shown:
    """A table that is shown, and its shown columns, each with whether its comments are; `bare` is without its own."""

    text: TableText
    columns: dict[str, bool] = field(default_factory=dict)
    bare: bool = False
    left_out: Sequence[str] = ()
    named: int = 0

    @classmethod
    def whole(cls, text: TableText) -> Shown:
        """The table with everything."""
        return cls(text, dict.fromkeys(text.columns, True))

    def in_order(self) -> tuple[str, ...]:
        """The shown columns in the order of the table."""
        return tuple(column for column in self.text.columns if column in self.columns)

    def written(self) -> str:
        """Its text."""
        if not self.bare and len(self.columns) == len(self.text.columns) and all(self.columns.values()):
            return self.text.whole
        return self.text.written(
            self.columns,
            bare=self.bare,
            without_comments={column for column, commented in self.columns.items() if not commented},
            left_out=self.left_out,
            named=self.named,
        )


def written_schema(
    prepared: PreparedModel,
    shown: Mapping[str, Shown],
    links: Iterable[Link],
    left_out: tuple[str, ...] = (),
    listed: Sequence[str] = (),
) -> SchemaContext:
    """The schema with these tables, best first, then those that are `listed` on one line each, and the ways to join
    them; `left_out` are sentences."""
    columns = {name: one.in_order() for name, one in shown.items()}
    texts = [one.written() for one in shown.values()]
    if listed:
        texts.append("\n".join([LINES_HEADING, *(prepared.text.line(name).text for name in listed)]))
    return schema_of(prepared, columns, "\n\n".join(texts), list(shown), links, left_out, listed)


def schema_of(
    prepared: PreparedModel,
    columns: Mapping[str, tuple[str, ...]],
    text: str,
    best_first: Sequence[str],
    links: Iterable[Link],
    left_out: tuple[str, ...] = (),
    listed: Sequence[str] = (),
    is_whole: bool = False,
) -> SchemaContext:
    """The schema with a text that was made of these columns and lines."""
    model, texts = prepared.model, prepared.text
    wanted = {name: set(names) for name, names in columns.items()}
    shown = [column for name, names in wanted.items() for column in model.tables[name].columns if column.name in names]
    kinds = {model.tables[name].kind for name in columns}
    joins = Joins(tuple(link.edge for link in links))
    # A whole model reads the same whatever the question is, so that servers find it in their caches.
    in_lines = columns if is_whole else (*best_first, *listed)
    return SchemaContext(
        text=text,
        tables=tuple(best_first),
        columns=columns,
        joins=joins,
        left_out=left_out,
        has_calculated_fields=any(column.role is ColumnRole.CALCULATED for column in shown),
        has_metrics=TableKind.METRIC in kinds or TableKind.CUBE in kinds,
        has_json=any(column.json_type for column in shown),
        is_whole=is_whole,
        tokens=estimated_tokens("\n".join([text, *joins.lines(texts.dialect), *left_out])),
        listed={name: texts.line(name).columns for name in listed},
        lines=tuple(texts.line(name).text for name in in_lines),
        dialect=texts.dialect,
    )
