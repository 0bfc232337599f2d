"""Figures that no column holds: what is computed from columns of a row, and what the model's metrics say."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import exp

from askwell.mdl.data_sources import sql_dialect
from askwell.mdl.expressions import Unreadable, read_expression
from askwell.mdl.semantic_model import Column, ColumnRef, ColumnRole, SemanticModel, Table
from askwell.question.stems import Stems, stems


@dataclass(frozen=True, slots=True)
class Formula:
    """An expression over columns, each written as table.column by its names in the model."""

    expression: exp.Expr


@dataclass(frozen=True, slots=True)
class MetricFacts:
    """A measure of a metric or a cube: an aggregate over the rows of `table`, by the names that people call it."""

    measure: ColumnRef
    table: str
    names: tuple[Stems, ...]
    formula: Formula


def column_of(table: str, name: str) -> exp.Column:
    """A column as formulas write it."""
    return exp.column(exp.to_identifier(name, quoted=True), table=exp.to_identifier(table, quoted=True))


def metrics_of(model: SemanticModel) -> Iterator[MetricFacts]:
    """The measures of metrics and cubes that aggregate plain columns of a base that may be asked about. A metric with
    one measure lends it its names."""
    for table in model:
        base = model.table(table.base) if table.base else None
        measures = [column for column in table.columns if column.role is ColumnRole.MEASURE]
        for column in measures if base is not None else ():
            formula = _formula(column, base, sql_dialect(model.data_source)) if base is not None else None
            if formula is not None and base is not None:
                texts = [*_called(column), *(_called(table) if len(measures) == 1 else ())]
                names = tuple(dict.fromkeys(words for text in texts if (words := stems(text))))
                yield MetricFacts(ColumnRef(table.name, column.name), base.name, names, formula)


def _called(entry: Column | Table) -> list[str]:
    return [text for text in (entry.display_name, entry.name, *entry.synonyms) if text]


def _formula(column: Column, base: Table, dialect: str) -> Formula | None:
    tree = read_expression(column.expression or "", dialect)
    if isinstance(tree, Unreadable) or tree.find(exp.AggFunc) is None or tree.find(exp.Select, exp.Window) is not None:
        return None
    root = exp.Paren(this=tree.copy())
    for node in list(root.find_all(exp.Column)):
        known = base.column(node.name)
        if node.table or known is None or not node.find_ancestor(exp.AggFunc):
            return None
        node.replace(column_of(base.name, known.name))
    return Formula(root.this)
