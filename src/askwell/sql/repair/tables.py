"""A table that is not there, and columns of a table that the query does not join yet."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlglot import exp

from askwell.mdl.semantic_model import Cardinality, Table
from askwell.sql.names import fold
from askwell.sql.nearest import tables_of
from askwell.sql.repair.missing_join import Way, add_join, can_be_joined, condition_of, one_way
from askwell.sql.repair.spelling import closest, words
from askwell.sql.repair.work import (
    Work,
    columns_of,
    is_generic,
    own_sources,
    quoted_name,
    rename,
    requalify,
    select_of,
    table_has,
)
from askwell.sql.scopes import NameProblem, ProblemKind, Source

# What databases call the schema that tables are in by default.
_USUAL = frozenset({"public", "main", "dbo", "default"})
# Where a statement cannot reach another catalog, so that naming one says nothing.
_ONE_CATALOG = frozenset({"duckdb", "postgres", "mysql"})


def repair_table(problem: NameProblem, work: Work) -> str | None:
    """Change the tree so that the table is one of the model's or a CTE; None where it is not certain which."""
    node = problem.node
    if not isinstance(node, exp.Table) or not isinstance(node.this, exp.Identifier):
        return None
    model = work.around.model
    written = ".".join(part.name for part in node.parts)
    if (renamed := work.around.renamed(node.text("db"), node.name)) is not None:
        node.set("db", None)
        node.set("catalog", None)
        _rename(node, renamed)
        return f"{quoted_name(written)} read as {quoted_name(renamed)}, as the project was taught"
    if prefix := node.text("db") or node.text("catalog"):
        table = model.table(node.name)
        if table is None or not _says_nothing(node, work.around.dialect):
            return None
        node.set("db", None)
        node.set("catalog", None)
        return f"{quoted_name(prefix)} dropped before {quoted_name(table.name)}: tables here have no schema"
    wrong = node.name
    names = [*model.tables, *_ctes_around(node)]
    name = closest(wrong, names, work.around.known)
    if name is None:
        return None
    _rename(node, name)
    return f"{quoted_name(wrong)} read as {quoted_name(name)}"


def _rename(node: exp.Table, name: str) -> None:
    if not node.alias:
        for column in _columns_behind(node):
            requalify(column, name)
    rename(node, name)


def _says_nothing(node: exp.Table, dialect: str) -> bool:
    """Whether the prefix is written out of habit. A schema of any other name may hold another table of that name."""
    if dialect == "sqlite":
        return True  # there are no schemas, and nothing is attached
    schema = fold(node.text("db"))
    return schema in _USUAL and (not node.text("catalog") or dialect in _ONE_CATALOG)


def _ctes_around(node: exp.Expr) -> list[str]:
    names: list[str] = []
    parent = node.parent
    while parent is not None:
        with_ = parent.args.get("with_")
        if with_ is not None:
            names += [cte.alias for cte in with_.expressions if all(part is not node for part in cte.walk())]
        parent = parent.parent
    return names


def _columns_behind(node: exp.Table) -> list[exp.Column]:
    """The columns that are qualified by this table's own name or alias."""
    select = select_of(node)
    key = fold(node.alias_or_name)
    return [c for c in select.find_all(exp.Column) if fold(c.text("table")) == key] if select is not None else []


_TO_ONE = frozenset({Cardinality.MANY_TO_ONE, Cardinality.ONE_TO_ONE})
_TO_MANY = frozenset({Cardinality.ONE_TO_MANY, Cardinality.ONE_TO_ONE})


def repair_missing_table(problem: NameProblem, work: Work) -> str | None:
    """Join the table of this column and of all others that are wrong in the same way: without a qualifier, or behind
    the same one. None unless one table and one way are possible, the table is evident, and the join neither repeats
    what is counted nor changes what is selected."""
    select = select_of(problem.node)
    if select is None or not can_be_joined(select) or not _may_grow(select):
        return None
    named = problem.candidates[0] if problem.qualifier is not None else None
    missing = _missing_alike(select, named, work)
    own = own_sources(problem)
    if named is not None and named not in own:
        return None
    # Behind the name of a table that no join leads on from, it is the query's other tables that may.
    starts = [own] if named is None else [[named], own]
    way = next(filter(None, (_only_way(missing, start, problem, select, work) for start in starts)), None)
    if way is None:
        return None
    table = work.around.model.tables[way.edge.right]
    taken = {fold(source.name) for source in problem.in_scope}
    if fold(table.name) in taken or _is_alias_of_result(select, table) or not _rows_hold(missing, way, select, table):
        return None
    if not _qualify_others(problem.in_scope, select, table, work):
        return None
    add_join(select, way, table.name)
    for wrong in missing:
        work.move(wrong.node, table.name)
    return f"{quoted_name(table.name)} joined where {condition_of(way, table.name)}"


def _missing_alike(select: exp.Select, named: Source | None, work: Work) -> list[NameProblem]:
    return [
        problem
        for problem in work.resolution.problems
        if problem.kind is ProblemKind.COLUMN
        and isinstance(problem.node, exp.Column)
        and select_of(problem.node) is select
        and (problem.qualifier is None if named is None else problem.candidates[:1] == (named,))
    ]


def _only_way(
    missing: list[NameProblem], sources: list[Source], problem: NameProblem, select: exp.Select, work: Work
) -> Way | None:
    needed = {fold(wrong.name) for wrong in missing}
    inside = tables_of(problem.in_scope)
    ways = [
        Way(source, edge)
        for source in sources
        if source.table is not None and not source.renamed
        for edge in work.around.graph.edges_of(source.table.name)
        if edge.right not in inside
        and not any(fold(there) in needed for _, there in edge.pairs)  # the query has that value already
        and (table := work.around.model.tables.get(edge.right)) is not None
        and table_has(table, needed)
    ]
    way = one_way(ways, select, work) if len({way.edge.right for way in ways}) == 1 else None
    if way is None or not _is_evident(work.around.model.tables[way.edge.right], needed, inside, work):
        return None
    own_columns = [set(words(name)) for source in own_sources(problem) for name in columns_of(source)]
    if any(set(words(name)) <= own for name in needed for own in own_columns):
        return None  # `name` may be short for a column of the query's own tables
    return way


def _is_evident(table: Table, needed: Collection[str], inside: Collection[str], work: Work) -> bool:
    """Whether more than the names of the columns says that it is this table: one of them is called like the table; or
    the question names the table, and there are several of them, or a specific one, or no other table has it; or the
    question names the columns, and they are specific and this table's alone. No other table that the question names may
    have them all."""
    asked, tables = work.asked, work.around.model.tables
    others = asked.tables - {table.name} - set(inside)
    if any(table_has(tables[name], needed) for name in others if name in tables):
        return False
    own_words = set(words(table.name))
    if any(own_words <= set(words(column.name)) for column in table.columns if fold(column.name) in needed):
        return True
    specific = [name for name in needed if not is_generic(name)]
    is_only_owner = not any(
        table_has(other, {name}) for name in needed for other in work.around.model if other is not table
    )
    if table.name in asked.tables:
        return bool(specific) or len(needed) > 1 or is_only_owner
    return is_only_owner and all(name in specific and asked.words.issuperset(words(name)) for name in needed)


def _may_grow(select: exp.Select) -> bool:
    """Whether another table in FROM leaves alone what is selected and joined."""
    natural = any(join.text("method").upper() == "NATURAL" for join in select.args.get("joins") or ())
    return not natural and not any(isinstance(projection, exp.Star) for projection in select.expressions)


def _is_alias_of_result(select: exp.Select, table: Table) -> bool:
    """Whether a column of the result is called like one of the table's, so that the name would change its meaning."""
    aliases = {fold(part.alias) for part in select.expressions if isinstance(part, exp.Alias)}
    return any(fold(column.name) in aliases for column in table.columns)


def _rows_hold(missing: list[NameProblem], way: Way, select: exp.Select, table: Table) -> bool:
    """Whether no row is counted or summed twice: a table with one row for each of ours is shown, or its least or most
    is taken, one with several is shown or aggregated, and nothing else is."""
    aggregates = [call for call in select.find_all(exp.AggFunc) if select_of(call) is select]
    nodes = {id(wrong.node) for wrong in missing}
    inside = [column for call in aggregates for column in call.find_all(exp.Column)]
    if way.edge.cardinality in _TO_ONE:
        if way.edge.cardinality in _TO_MANY:
            return True
        repeated = [call for call in aggregates if not isinstance(call, exp.Max | exp.Min)]
        return not any(id(column) in nodes for call in repeated for column in call.find_all(exp.Column))
    if way.edge.cardinality not in _TO_MANY:
        return False
    shown = [column for part in select.expressions for column in part.find_all(exp.Column)]
    of_table = all(any(id(c) in nodes for c in call.find_all(exp.Column)) for call in aggregates)
    return of_table and all(id(c) in nodes for c in inside) and any(id(column) in nodes for column in shown)


def _qualify_others(in_scope: Sequence[Source], select: exp.Select, table: Table, work: Work) -> bool:
    """Say whose the columns without qualifier are that the new table has, too; False where that cannot be said."""
    names = {fold(column.name) for column in table.columns}
    merged = [name for join in select.args.get("joins") or () for name in join.args.get("using") or ()]
    shared = [
        use
        for use in work.resolution.columns
        if isinstance(use.node, exp.Column)
        and not use.node.table
        and fold(use.name) in names
        and any(use.source is source for source in in_scope)
    ]
    if any(fold(name.name) in names for name in merged) or any(not use.source.name for use in shared):
        return False
    for use in shared:
        requalify(use.node, use.source.name)
    return True
