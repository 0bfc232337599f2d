"""Binding: every name of a statement belongs to the project's semantic model, and to nothing else.

Found without a database. A statement that does not bind is answered with what is wrong and the nearest valid names in
scope, because whoever corrects it recovers far more often when it sees them.
"""

from __future__ import annotations

import re

from sqlglot import exp

from askwell.mdl.semantic_model import SemanticModel
from askwell.sql.bound import BoundSql
from askwell.sql.names import fold
from askwell.sql.nearest import nearest, nearest_text
from askwell.sql.outcome import RejectedSql, RejectionKind
from askwell.sql.scopes import CatalogueTable, NameProblem, ProblemKind, Resolution, Scope, Source, resolve

__all__ = ["QUALIFIERS", "BoundSql", "bind", "readable"]

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
    resolution = resolve(bound, _ModelCatalogue(model, dialect), dialect)
    if resolution.problems:
        sentences = tuple(dict.fromkeys(_sentence(problem, model) for problem in resolution.problems))
        sql = readable(tree, dialect)
        return RejectedSql(RejectionKind.BIND, sql, sql, ". ".join(sentences) + ".", sentences)
    _spell(resolution, dialect)
    tables, columns = _reads(resolution)
    return BoundSql(bound, dialect, tables, columns)


def readable(tree: exp.Expr, dialect: str) -> str:
    """The statement for people: on one line when it is short, without comments, quoted only where needed."""
    line = tree.sql(dialect=dialect, comments=False)
    return line if len(line) <= 100 else tree.sql(dialect=dialect, comments=False, pretty=True)


class _ModelCatalogue:
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
        if source.table is not None and not _alias(source):
            _respell(node.args[keys[length - 1]], source.table.name, dialect)
    for node in resolution.text_literals:
        node.replace(exp.Literal.string(node.name))


def _alias(source: Source) -> str:
    alias = source.node.args.get("alias") if source.node is not None else None
    return alias.name if isinstance(alias, exp.Expr) else ""


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


# Sentences


def _sentence(problem: NameProblem, model: SemanticModel) -> str:
    match problem.kind:
        case ProblemKind.TABLE:
            return f'there is no table "{problem.name}"' + nearest_text(problem.name, model.tables)
        case ProblemKind.QUALIFIER:
            return _unknown_qualifier(problem, model)
        case ProblemKind.AMBIGUOUS:
            choices = ", ".join(f"{source.name}.{problem.name}" for source in problem.candidates)
            return f'"{problem.name}" is ambiguous; write one of: {choices}'
        case ProblemKind.COLUMN:
            return _unknown_column(problem, model)


def _unknown_qualifier(problem: NameProblem, model: SemanticModel) -> str:
    names = [source.name for source in _sources(problem.scope) if source.name]
    column = fold(problem.qualifier or "")
    owners = [s.name for s in _sources(problem.scope) if s.name and column in (s.columns or {})]
    sentence = f'"{problem.name}" is no table or alias of this query'
    if owners:
        return f"{sentence}; {problem.qualifier} is a column of {', '.join(owners)}"
    table = model.table(problem.name)
    if table is not None:
        return f"{sentence}; the table {table.name} has to be in FROM or JOIN, as has every table that is used"
    return sentence + (nearest_text(problem.name, names) or f"; it has: {', '.join(names[:8])}" if names else "")


def _unknown_column(problem: NameProblem, model: SemanticModel) -> str:
    if problem.qualifier is not None:
        source = problem.candidates[0] if problem.candidates else None
        columns = list((source.columns or {}).values()) if source is not None else []
        owner = source.table.name if source is not None and source.table is not None else problem.qualifier
        sentence = f'{owner} has no column "{problem.name}"' + (nearest_text(problem.name, columns) or _all_of(columns))
        elsewhere = [
            s.name
            for s in _sources(problem.scope)
            if s is not source and fold(problem.name) in (s.columns or {}) and s.name
        ]
        return sentence + (f"; it is a column of {', '.join(elsewhere)}" if elsewhere else "")
    sources = _sources(problem.scope)
    if not any(source.name for source in sources) and not any(source.columns for source in sources):
        return f'there is no column "{problem.name}": the query reads no table'
    owned = {f"{s.name}.{c}" if s.name else c: c for s in sources for c in (s.columns or {}).values()}
    near = nearest(problem.name, owned.values())
    choices = [label for name in near for label, column in owned.items() if column == name][:3]
    names = ", ".join(dict.fromkeys(s.table.name if s.table is not None else s.name for s in sources if s.name))
    sentence = f'{names or "the result"} has no column "{problem.name}"' + (
        f"; nearest: {', '.join(choices)}" if choices else ""
    )
    others = _owners_in_model(problem.name, model, sources)
    return sentence + (f"; {', '.join(others)} has one, and is not in FROM or JOIN" if others else "")


def _all_of(names: list[str]) -> str:
    """Where nothing is near, what there is."""
    return f"; there is: {', '.join(names[:12])}{' …' if len(names) > 12 else ''}" if names else ""


def _owners_in_model(name: str, model: SemanticModel, sources: list[Source]) -> list[str]:
    used = {source.table.name for source in sources if source.table is not None}
    owners = []
    for table in model:
        if table.name not in used and table.column(name) is not None:
            owners.append(table.name)
            if len(owners) == 3:
                break
    return owners


def _sources(scope: Scope | None) -> list[Source]:
    found: list[Source] = []
    while scope is not None:
        found += scope.sources.values()
        scope = scope.outer
    return found
