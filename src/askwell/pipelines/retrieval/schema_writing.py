"""From tables, columns and joins that were chosen to the text of a schema."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from askwell.mdl.ddl import TableText
from askwell.mdl.semantic_model import ColumnRole, SemanticModel, TableKind
from askwell.pipelines.retrieval.context import SchemaContext
from askwell.pipelines.retrieval.joins import Joins
from askwell.pipelines.retrieval.model_text import Link, estimated_tokens


@dataclass(slots=True)
class Shown:
    """A table that is shown, and its shown columns, each with whether its comments are; `bare` is without its own."""

    text: TableText
    columns: dict[str, bool] = field(default_factory=dict)
    bare: bool = False
    left_out: Sequence[str] = ()
    named: int = 0

    def in_order(self) -> tuple[str, ...]:
        """The shown columns in the order of the table."""
        return tuple(column for column in self.text.columns if column in self.columns)


def written_schema(
    model: SemanticModel, shown: Mapping[str, Shown], links: Iterable[Link], left_out: tuple[str, ...] = ()
) -> SchemaContext:
    """The schema with these tables, best first, and the ways to join them; `left_out` are sentences."""
    links = tuple(links)
    columns = {name: one.in_order() for name, one in shown.items()}
    texts = []
    for one in shown.values():
        keys = [key for link in links if (key := link.relationship) and one.text.starts(key, one.columns)]
        texts.append(
            one.text.written(
                one.columns,
                [one.text.foreign_key(key) for key in keys],
                bare=one.bare,
                without_comments={column for column, commented in one.columns.items() if not commented},
                left_out=one.left_out,
                named=one.named,
            )
        )
    return schema_of(model, columns, "\n\n".join(texts), list(shown), links, left_out)


def schema_of(
    model: SemanticModel,
    columns: Mapping[str, tuple[str, ...]],
    text: str,
    best_first: Sequence[str],
    links: Iterable[Link],
    left_out: tuple[str, ...] = (),
    is_whole: bool = False,
) -> SchemaContext:
    """The schema with a text that was made of these columns."""
    wanted = {name: set(names) for name, names in columns.items()}
    shown = [column for name, names in wanted.items() for column in model.tables[name].columns if column.name in names]
    kinds = {model.tables[name].kind for name in columns}
    joins = Joins(tuple(link.edge for link in links))
    return SchemaContext(
        text=text,
        tables=tuple(best_first),
        columns=columns,
        joins=joins,
        left_out=left_out,
        has_calculated_fields=any(column.role is ColumnRole.CALCULATED for column in shown),
        has_metrics=TableKind.METRIC in kinds or TableKind.CUBE in kinds,
        has_json=any("json_type" in column.properties for column in shown),
        is_whole=is_whole,
        tokens=estimated_tokens("\n".join([text, *(edge.in_words for edge in joins.edges), *left_out])),
    )
