"""Figures that no column holds: what is computed from columns of a row, and what the model's metrics say."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import exp

from askwell.mdl.data_sources import sql_dialect
from askwell.mdl.expressions import Unreadable, read_expression
from askwell.mdl.semantic_model import Column, ColumnRef, ColumnRole, SemanticModel, Table
from askwell.question.words import Stems, stems


@dataclass(frozen=True, slots=True)
class Formula:
    """An expression over columns, each written as table.column by its names in the model."""

    expression: exp.Expr

    @property
    def in_words(self) -> str:
        """As a person would write it."""
        plain = self.expression.copy()
        for identifier in plain.find_all(exp.Identifier):
            identifier.set("quoted", False)
        return plain.sql()


@dataclass(frozen=True, slots=True)
class MetricFacts:
    """A measure of a metric or a cube: an aggregate over the rows of `table`, by the names that people call it.
    `drafted`: nobody wrote it, the draft of the model guessed it."""

    measure: ColumnRef
    table: str
    names: tuple[Stems, ...]
    formula: Formula
    drafted: bool = False


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
                drafted = bool(table.properties.get("drafted"))
                yield MetricFacts(ColumnRef(table.name, column.name), base.name, names, formula, drafted)


def figure_over(text: str, table: str | None, model: SemanticModel) -> tuple[Table, Formula] | str:
    """A figure that somebody wrote as SQL in the dialect of the model's data source, over the rows of one table
    (`sum(sales.price)`); why it is none, as words that fit after "because". Without `table` it is that of the
    columns."""
    tree = read_expression(text, sql_dialect(model.data_source))
    if isinstance(tree, Unreadable):
        return tree.reason
    named = list(tree.find_all(exp.Column))
    found = [_table_of(node, table, model) for node in named] or [model.table(table) if table is not None else None]
    base = found[0]
    if base is None or None in found:
        missing = next((node.sql() for node, one in zip(named, found, strict=False) if one is None), table)
        return f"the model has no {missing}" if missing else "it does not say of which table"
    if any(one is not base for one in found):
        return "it has to be over the columns of one table"
    for node in named:
        node.set("table", None)
    formula = _formula_of(tree, base)
    return (base, formula) if formula is not None else "it has to add up, count or average columns, and nothing else"


def _table_of(node: exp.Column, table: str | None, model: SemanticModel) -> Table | None:
    """The table of a column; where none is written, the given one, or the only one that has such a column."""
    named = [model.table(node.table or table or "")] if node.table or table else list(model)
    having = [one for one in named if one is not None and one.column(node.name) is not None]
    return having[0] if len(having) == 1 else None


def _called(entry: Column | Table) -> list[str]:
    return [text for text in (entry.display_name, entry.name, *entry.synonyms) if text]


def _formula(column: Column, base: Table, dialect: str) -> Formula | None:
    tree = read_expression(column.expression or "", dialect)
    return None if isinstance(tree, Unreadable) else _formula_of(tree, base)


def _formula_of(tree: exp.Expr, base: Table) -> Formula | None:
    """The aggregate, over the plain columns of a table; None for what is none, or more."""
    if tree.find(exp.AggFunc) is None or tree.find(exp.Select, exp.Window) is not None:
        return None
    root = exp.Paren(this=tree.copy())
    for node in list(root.find_all(exp.Column)):
        known = base.column(node.name)
        if node.table or known is None or not node.find_ancestor(exp.AggFunc):
            return None
        node.replace(column_of(base.name, known.name))
    return Formula(root.this)
