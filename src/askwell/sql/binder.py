"""Binding: every name of a statement belongs to the project's semantic model, and to nothing else.

Found without a database. A statement that does not bind is answered with what is wrong and the nearest valid names in
scope, because whoever corrects it recovers far more often when it sees them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlglot import exp

from askwell.mdl.semantic_model import SemanticModel
from askwell.sql.bound import BoundSql
from askwell.sql.guard.rendering import UNWRITABLE
from askwell.sql.name_sentences import NameSentences
from askwell.sql.names import fold
from askwell.sql.outcome import RejectedSql, RejectionKind, in_one
from askwell.sql.scopes import CatalogueTable, Resolution, resolve

__all__ = ["QUALIFIERS", "BoundSql", "ModelCatalogue", "bind", "readable"]

# Prefixes that models of the world put before a table out of habit; the model's own names have none.
QUALIFIERS: dict[str, frozenset[str]] = {
    "duckdb": frozenset({"main", "memory.main"}),
    "sqlite": frozenset({"main"}),
    "postgres": frozenset({"public"}),
    "snowflake": frozenset({"public"}),
    "tsql": frozenset({"dbo"}),
}
_SIMPLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def bind(tree: exp.Expr, model: SemanticModel, dialect: str) -> BoundSql | RejectedSql:
    """Bind a parsed statement to `model`. The given tree is not changed.

    In the bound tree references are spelled like what they refer to, schema prefixes are gone, and a double-quoted
    text of SQLite's is a string. A CTE may still have a model's name: `resolve` tells which of the two is meant where.
    """
    bound = tree.copy()
    resolution = resolve(bound, ModelCatalogue(model, dialect), dialect)
    names = NameSentences(model)
    found = (*map(names.explain, resolution.problems), *_compared_with_themselves(resolution))
    if found:
        sql = readable(tree, dialect)
        return RejectedSql(RejectionKind.BIND, sql, sql, in_one(found), tables=names.tables)
    _spell(resolution, dialect)
    tables, columns = _reads(resolution)
    return BoundSql(bound, dialect, tables, columns)


def readable(tree: exp.Expr, dialect: str) -> str:
    """The statement for people: on one line when it is short, without comments, quoted only where needed. Empty for one
    that can be parsed and not written."""
    try:
        line = tree.sql(dialect=dialect, comments=False)
    except UNWRITABLE:
        return ""
    return line if len(line) <= 100 else tree.sql(dialect=dialect, comments=False, pretty=True)


class ModelCatalogue:
    """The model's tables, as the resolver wants to see them; only those that are asked for are looked at."""

    def __init__(self, model: SemanticModel, dialect: str) -> None:
        self._model = model
        self._qualifiers = QUALIFIERS.get(dialect, frozenset())
        self._seen: dict[str, CatalogueTable | None] = {}

    def table(self, name: str) -> CatalogueTable | None:
        key = fold(name)
        if key not in self._seen:
            table = self._model.table(name)
            columns = {fold(c.name): c.name for c in table.columns} if table is not None else {}
            self._seen[key] = CatalogueTable(table.name, columns) if table is not None else None
        return self._seen[key]

    def is_qualifier(self, prefix: str) -> bool:
        return prefix in self._qualifiers


def _compared_with_themselves(resolution: Resolution) -> Iterator[str]:
    """`id IN (SELECT id FROM orders)` where orders has no id: engines compare the column of the query around it with
    itself, which nobody means who does not say whose column it is."""
    sources = {id(use.node): use.source for use in resolution.columns}
    for use in resolution.columns:
        select = use.node.parent
        if not isinstance(select, exp.Select) or use.node.args.get("table") is not None or len(select.expressions) != 1:
            continue
        if use.source.node is None or use.source.node.find_ancestor(exp.Select) is select:
            continue
        compared = _other_side(select)
        if compared is None or fold(compared.name) != fold(use.name) or sources.get(id(compared)) is not use.source:
            continue
        from_ = select.args.get("from_")
        inner = from_.this.alias_or_name if from_ is not None else "the inner query"
        outer = f"{use.source.name}.{use.name}"
        yield (
            f'{inner} has no column "{use.part.name}", so that {outer} of the query around it would be compared with '
            f"itself; write {outer} if that is meant"
        )


def _other_side(select: exp.Expr) -> exp.Column | None:
    """The column that the result of a subquery is compared with."""
    child, parent = select, select.parent
    while isinstance(parent, exp.Subquery | exp.SetOperation | exp.Paren):
        child, parent = parent, parent.parent
    if isinstance(parent, exp.In) or (isinstance(parent, exp.Predicate) and parent.expression is child):
        other = parent.this
    elif isinstance(parent, exp.Predicate):
        other = parent.args.get("expression")
    else:
        return None
    return other if isinstance(other, exp.Column) else None


def _reads(resolution: Resolution) -> tuple[tuple[str, ...], dict[str, frozenset[str]]]:
    columns: dict[str, set[str]] = {table.name: set() for _, table in resolution.tables}
    for use in resolution.columns:
        if use.source.table is not None and not use.source.renamed:
            columns[use.source.table.name].add(use.name)
    for source in resolution.stars:
        if source.table is not None and source.table.columns is not None:
            columns[source.table.name].update(source.table.columns.values())
    return tuple(columns), {name: frozenset(used) for name, used in columns.items()}


# Spelling


def _spell(resolution: Resolution, dialect: str) -> None:
    for node, identifier in resolution.cte_references:
        node.set("this", identifier.copy())
    for node, table in resolution.tables:
        node.set("db", None)
        node.set("catalog", None)
        _respell(node.this, table.name, dialect)
    for use in resolution.columns:
        if use.source.table is not None and not use.source.renamed:
            _respell(use.part, use.name, dialect)
    for node, source, length in resolution.qualifiers:
        keys = [key for key in ("catalog", "db", "table") if node.args.get(key) is not None]
        for key in keys[: length - 1]:
            node.set(key, None)
        if source.table is not None and not source.alias:
            _respell(node.args[keys[length - 1]], source.table.name, dialect)
    for node in resolution.text_literals:
        node.replace(exp.Literal.string(node.name))


def _respell(identifier: exp.Expr, name: str, dialect: str) -> None:
    if identifier.name != name:
        identifier.set("this", name)
    if not identifier.args.get("quoted") and _needs_quotes(name, dialect):
        identifier.set("quoted", True)


def _needs_quotes(name: str, dialect: str) -> bool:
    if not _SIMPLE.fullmatch(name):
        return True
    if dialect == "postgres":
        return name != name.lower()
    return dialect == "snowflake" and name != name.upper()
