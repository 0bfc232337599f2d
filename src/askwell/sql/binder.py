"""Binding: every name of a statement belongs to the project's semantic model, and to nothing else.

Found without a database. A statement that does not bind is answered with what is wrong and the nearest valid names in
scope, in sentences, because the corrector, a person or a model, recovers far more often when it sees them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

import sqlglot
from sqlglot import exp

from askwell.mdl.semantic_model import ColumnRef, SemanticModel
from askwell.sql.bound import QUALIFIERS, BoundSql, ModelCatalogue
from askwell.sql.guard.rendering import UNWRITABLE
from askwell.sql.names import fold
from askwell.sql.nearest import (
    columns_asked_of,
    columns_elsewhere,
    columns_like,
    nearest,
    nearest_text,
    only_join,
    tables_of,
    tables_with,
)
from askwell.sql.outcome import RejectedSql, RejectionKind, ValidSql, in_one
from askwell.sql.scopes import NameProblem, ProblemKind, Resolution, Source, resolve

__all__ = ["QUALIFIERS", "BoundSql", "ModelCatalogue", "bind", "readable"]

_LISTED = 12
_MOST_CANDIDATES = 8
_MOST_FITTING_TABLES = 5
_LISTED_TABLES = 40


class NameSentences:
    """Explains the wrong names of one statement. `tables` collects the tables of the model that the sentences name and
    that the statement does not read, likeliest first: the corrector needs their columns."""

    def __init__(self, model: SemanticModel) -> None:
        self._model = model
        self._tables: dict[str, None] = {}
        self._described: set[int] = set()

    @property
    def tables(self) -> tuple[str, ...]:
        """See the class."""
        return tuple(self._tables)

    def explain(self, problem: NameProblem) -> str:
        """One sentence without a full stop, such as `orders has no column "totl"; nearest: orders.total`."""
        match problem.kind:
            case ProblemKind.TABLE:
                return self._unknown_table(problem)
            case ProblemKind.QUALIFIER:
                return self._unknown_qualifier(problem)
            case ProblemKind.AMBIGUOUS:
                choices = ", ".join(f"{_label(source)}.{problem.name}" for source in problem.candidates)
                return f'"{problem.name}" is ambiguous; write one of: {choices}'
            case ProblemKind.COLUMN if problem.qualifier is not None:
                return self._not_in_source(problem, problem.qualifier)
            case ProblemKind.COLUMN:
                return self._in_no_source(problem)

    def _unknown_table(self, problem: NameProblem) -> str:
        sentence = f'there is no table "{problem.name}"'
        near = nearest(problem.name, self._model.tables)
        asked = columns_asked_of(problem.node)
        fitting = [table for table in tables_with(asked, self._model) if table not in near][:_MOST_FITTING_TABLES]
        self._tables.update(dict.fromkeys((*near, *fitting)))
        if near:
            sentence += f"; nearest: {_listed(near)}"
        if fitting:
            sentence += f"; with the columns that are read from it: {_listed(fitting)}"
        return sentence if near or fitting else sentence + _there_is(list(self._model.tables), _LISTED_TABLES)

    def _unknown_qualifier(self, problem: NameProblem) -> str:
        sentence = f'"{problem.name}" is no table or alias of this query'
        column = problem.qualifier or ""
        table = self._model.table(problem.name)
        owners = [_label(source) for source in problem.in_scope if source.name and source.has(fold(column))]
        if owners:
            sentence += f"; {column} is a column of {_listed(owners)}"
        elif table is not None:
            sentence += f"; the table {table.name} has to be in FROM or JOIN, as has every table that is used"
        else:
            names = [_label(source) for source in problem.in_scope if source.name]
            sentence += nearest_text(problem.name, names) or _there_is(names)
        if table is not None and table.column(column) is not None:
            self._tables[table.name] = None
            return sentence
        return sentence + self._elsewhere(column, problem.in_scope)

    def _not_in_source(self, problem: NameProblem, qualifier: str) -> str:
        """The column was looked for in one source."""
        source = problem.candidates[0] if problem.candidates else None
        columns = list((source.columns or {}).values()) if source is not None else []
        owner = source.table.name if source is not None and source.table is not None else qualifier
        sentence = f'{owner} has no column "{problem.name}"'
        near = nearest_text(problem.name, columns)
        sentence += near or self._columns_once([source] if source is not None else [], columns)
        key = fold(problem.name)
        beside = [_label(other) for other in problem.in_scope if other is not source and other.name and other.has(key)]
        if beside:
            sentence += f"; it is a column of {_listed(beside)}"
        return sentence + self._elsewhere(problem.name, problem.in_scope, problem.candidates, like=not beside)

    def _in_no_source(self, problem: NameProblem) -> str:
        """The column was looked for in all sources."""
        sources = problem.in_scope
        if not any(source.name or source.columns for source in sources):
            return f'there is no column "{problem.name}": the query reads no table'
        columns: dict[str, list[str]] = {}
        for source in sources:
            for column in (source.columns or {}).values():
                columns.setdefault(column, []).append(f"{_label(source)}.{column}" if source.name else column)
        names = _listed(
            source.table.name if source.table is not None else source.name for source in sources if source.name
        )
        near = [place for name in nearest(problem.name, columns) for place in columns[name]][:3]
        sentence = f'{names or "the result"} has no column "{problem.name}"'
        everything = [place for places in columns.values() for place in places]
        sentence += f"; nearest: {', '.join(near)}" if near else self._columns_once(sources, everything)
        return sentence + self._elsewhere(problem.name, sources, like=True)

    def _elsewhere(
        self, name: str, sources: Sequence[Source], named: Sequence[Source] = (), *, like: bool = False
    ) -> str:
        """The columns of this name in tables that are not read or, where none has one and with `like`, similar ones."""
        used = tables_of(sources)
        found = columns_elsewhere(name, self._model, used, tables_of(named))
        if found:
            return f"; not in FROM or JOIN: {self._noted(found, sources)}"
        near = columns_like(name, self._model, used) if like else ()
        return f"; one join away: {self._noted(near, sources)}" if near else ""

    def _noted(self, places: Sequence[ColumnRef], sources: Sequence[Source]) -> str:
        shown = places[:_MOST_CANDIDATES]
        self._tables.update(dict.fromkeys(place.table for place in shown))
        if len(places) == 1:
            condition = only_join(self._model, places[0].table, sources)
            return f"{places[0]}, to be joined where {condition}" if condition else str(places[0])
        rest = len(places) - len(shown)
        return ", ".join(map(str, shown)) + (f" and {rest} more" if rest else "")

    def _columns_once(self, sources: Iterable[Source], columns: list[str]) -> str:
        """Where nothing is near, what there is: the columns of the same sources are listed in one sentence only."""
        new = {id(source) for source in sources} - self._described
        self._described |= new
        return _there_is(columns) if new else ""


def _label(source: Source) -> str:
    """What the source is called in the statement, spelled as the model spells it."""
    return source.table.name if source.table is not None and not source.alias else source.name


def _listed(names: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(names))


def _there_is(names: list[str], most: int = _LISTED) -> str:
    return f"; there is: {_listed(names[:most])}{' …' if len(names) > most else ''}" if names else ""


_SIMPLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def bound_again(valid: ValidSql, model: SemanticModel) -> BoundSql | None:
    """A statement that passed, bound to the model; None where it is none over the model any more."""
    bound = bind(sqlglot.parse_one(valid.sql, dialect=valid.dialect), model, valid.dialect)
    return bound if isinstance(bound, BoundSql) else None


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
    return BoundSql(bound, dialect, tables, columns, resolution)


def readable(tree: exp.Expr, dialect: str) -> str:
    """The statement for people: on one line when it is short, without comments, quoted only where needed. Empty for one
    that can be parsed and not written."""
    try:
        line = tree.sql(dialect=dialect, comments=False)
    except UNWRITABLE:
        return ""
    return line if len(line) <= 100 else tree.sql(dialect=dialect, comments=False, pretty=True)


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
            f"itself; write {outer} if you mean that"
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
