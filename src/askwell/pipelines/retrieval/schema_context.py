"""Which tables and columns go into prompts, within a budget of tokens."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from askwell.mdl.semantic_model import Column, ColumnRef, ColumnRole, Relationship, SemanticModel, Table, TableKind
from askwell.pipelines.retrieval.context import SchemaContext
from askwell.pipelines.retrieval.prepared import ColumnNames, PreparedModel, column_tokens, links_between

# Columns that a table is shown with even when there is no room for them.
_LEAST_COLUMNS = 3


@dataclass(frozen=True, slots=True)
class ColumnWishes:
    """What speaks for a column: `named` by a value or a saved pair, and its `similarity` to the question."""

    named: frozenset[ColumnRef]
    similarity: Mapping[ColumnRef, float]


def whole_model(prepared: PreparedModel, best_first: Sequence[str]) -> SchemaContext:
    """Everything: a model that fits needs no choosing."""
    return _context(prepared, prepared.all_columns, prepared.whole_text, prepared.whole_tokens, best_first, ())


def part_of_model(
    prepared: PreparedModel, tables: Sequence[str], wishes: ColumnWishes, token_budget: int
) -> SchemaContext:
    """These tables, best first, each with as many columns as the budget allows: essential ones, primary keys, columns
    that the shown tables join by, columns named by pairs or values, then by similarity to the question."""
    model = prepared.model
    shown, left_out = _fitting_tables(prepared, tables, token_budget)
    chosen = {name: set(_needed(model.tables[name], shown, model, wishes.named)) for name in shown}
    spent = sum(_cost(prepared, name, chosen[name]) for name in shown)
    for ref in _by_similarity(model, shown, wishes):
        column = model.tables[ref.table].column(ref.column)
        if column is None or column.name in chosen[ref.table]:
            continue
        spent += column_tokens(column)
        if spent > token_budget and len(chosen[ref.table]) >= _LEAST_COLUMNS:
            break
        chosen[ref.table].add(column.name)
    columns = {name: _in_order(model.tables[name], chosen[name]) for name in shown}
    for name in shown:
        if missing := len(model.tables[name].columns) - len(columns[name]):
            left_out.append(f"{name} has {missing} more columns that are not shown.")
    links = links_between(model, shown)
    texts = [
        prepared.table_text(name, columns[name], [one for one in links if name in (one.left, one.right)])
        for name in shown
    ]
    text = "\n\n".join(one for one, _ in texts)
    return _context(prepared, columns, text, sum(tokens for _, tokens in texts), shown, tuple(left_out))


def _fitting_tables(prepared: PreparedModel, tables: Sequence[str], budget: int) -> tuple[list[str], list[str]]:
    """The tables whose smallest form fits, and a sentence for the others. The best one is always shown."""
    shown: list[str] = []
    spent = 0
    for name in tables:
        columns = prepared.model.tables[name].columns[:_LEAST_COLUMNS]
        spent += prepared.table_text(name, tuple(column.name for column in columns))[1]
        if shown and spent > budget:
            rest = tables[len(shown) :]
            return shown, [f"There was no room for: {', '.join(rest)}."]
        shown.append(name)
    return shown, []


def _needed(table: Table, shown: Sequence[str], model: SemanticModel, named: frozenset[ColumnRef]) -> Iterator[str]:
    yield from (column.name for column in table.columns if column.essential)
    yield from table.primary_key
    for relationship in links_between(model, shown):
        for left, right in relationship.pairs:
            if relationship.left == table.name:
                yield left
            if relationship.right == table.name:
                yield right
    yield from (column.name for column in table.columns if ColumnRef(table.name, column.name) in named)


def _by_similarity(model: SemanticModel, shown: Sequence[str], wishes: ColumnWishes) -> list[ColumnRef]:
    refs = [ColumnRef(name, column.name) for name in shown for column in model.tables[name].columns]
    return sorted(refs, key=lambda ref: -wishes.similarity.get(ref, 0.0))


def _cost(prepared: PreparedModel, table: str, columns: set[str]) -> int:
    return prepared.table_text(table, _in_order(prepared.model.tables[table], columns))[1]


def _in_order(table: Table, names: set[str]) -> ColumnNames:
    return tuple(column.name for column in table.columns if column.name in names)


def _context(
    prepared: PreparedModel,
    columns: Mapping[str, ColumnNames],
    text: str,
    tokens: int,
    best_first: Sequence[str],
    left_out: tuple[str, ...],
) -> SchemaContext:
    model = prepared.model
    shown = [column for name, names in columns.items() for column in _columns(model.tables[name], names)]
    kinds = {model.tables[name].kind for name in columns}
    return SchemaContext(
        text=text,
        tables=tuple(name for name in best_first if name in columns),
        columns=columns,
        joins=tuple(_condition(one) for one in links_between(model, columns)),
        left_out=left_out,
        has_calculated_fields=any(column.role is ColumnRole.CALCULATED for column in shown),
        has_metrics=TableKind.METRIC in kinds or TableKind.CUBE in kinds,
        has_json=any("json_type" in column.properties for column in shown),
        tokens=tokens,
    )


def _columns(table: Table, names: ColumnNames) -> list[Column]:
    wanted = set(names)
    return [column for column in table.columns if column.name in wanted]


def _condition(relationship: Relationship) -> str:
    """With its name: where two tables are joined in several ways, that says which role is which."""
    pairs = (f"{relationship.left}.{one} = {relationship.right}.{other}" for one, other in relationship.pairs)
    guess = ", inferred" if relationship.inferred else ""
    return f"{' AND '.join(pairs)} ({relationship.cardinality}, {relationship.name}{guess})"
