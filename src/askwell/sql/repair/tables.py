"""Tables that are not there, and tables that are used but not joined."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sqlglot import exp

from askwell.mdl.join_graph import JoinEdge
from askwell.mdl.semantic_model import Table
from askwell.sql.names import fold
from askwell.sql.nearest import tables_of
from askwell.sql.repair.spelling import closest, is_placeholder, is_short_for, words
from askwell.sql.repair.work import (
    Equalities,
    Work,
    columns_of,
    is_generic,
    is_outer,
    own_sources,
    quoted_name,
    rename,
    requalify,
    select_of,
    table_has,
    used_under,
)
from askwell.sql.scopes import NameProblem, ProblemKind, Source


@dataclass(frozen=True, slots=True)
class Way:
    """Joining the table of `edge.right` to `partner`, which is of the table `edge.left`."""

    partner: Source
    edge: JoinEdge


def repair_missing_join(problem: NameProblem, needed: set[str], work: Work) -> str | None:
    """Join the table that the qualifier stands for; None unless exactly one table and one way are possible."""
    select = select_of(problem.node)
    if select is None or not needed or not can_be_joined(select):
        return None
    own = own_sources(problem)
    named = _named_table(problem.name, work)
    fitting = [
        Way(source, edge)
        for source in own
        if source.table is not None and not source.renamed
        for edge in work.around.graph.edges_of(source.table.name)
        if _fits(edge, problem.name, named, needed, work)
    ]
    ways = _new_ways([way for way in fitting if not _is_joined(select, problem.name, way)], own, select, work)
    if named is None:
        ways = _as_asked(ways, problem, needed, work)
    where = select.args.get("where")
    # Whose condition stands there already, so that only the table was left out of FROM.
    said = [way for way in fitting if where is not None and _is_joined(where, problem.name, way)]
    way = one_way(ways or said, select, work)
    if way is None:
        return None
    alias = problem.name if named is None else named.name
    if named is not None and fold(named.name) != fold(problem.name):
        for column in used_under(problem.name, select):
            requalify(column, named.name)
    add_join(select, way, alias)
    table = work.around.model.tables[way.edge.right].name
    as_ = "" if fold(alias) == fold(table) else f" as {quoted_name(alias)}"
    return f"{quoted_name(table)} joined{as_} where {condition_of(way, alias)}"


def _as_asked(ways: list[Way], problem: NameProblem, needed: set[str], work: Work) -> list[Way]:
    """Of the ways that an alias may mean, those to a table that the question names and that it is short for; none where
    the question names another table with these columns."""
    tables = {way.edge.right for way in ways}
    asked = {name for name in work.asked.tables - tables_of(problem.in_scope) if name in work.around.model.tables}
    asked = {name for name in asked if table_has(work.around.model.tables[name], needed)}
    if not asked <= tables:
        return []
    if len(tables) < 2 or not asked:
        return ways
    return [way for way in ways if way.edge.right in asked and is_short_for(problem.name, way.edge.right)]


def _named_table(name: str, work: Work) -> Table | None:
    """The table that the qualifier itself names."""
    spelled = closest(name, work.around.model.tables, work.around.known)
    return work.around.model.table(spelled) if spelled is not None else None


def _fits(edge: JoinEdge, qualifier: str, named: Table | None, needed: set[str], work: Work) -> bool:
    """Whether the edge leads to the table that the qualifier names, or may be an alias of, with all the columns."""
    table = work.around.model.tables.get(edge.right)
    if table is None or not table_has(table, needed):
        return False
    return table is named if named is not None else is_placeholder(qualifier) or is_short_for(qualifier, table.name)


def _is_joined(select: exp.Expr, qualifier: str, way: Way) -> bool:
    """Whether the statement equates just these columns: that condition is left from the join, and is no second one."""
    for equality in select.find_all(exp.EQ):
        sides = [s for s in (equality.this, equality.expression) if isinstance(s, exp.Column) and s.table]
        written = {(fold(side.table), fold(side.name)) for side in sides}
        partner, here = fold(way.partner.name), fold(qualifier)
        if any({(partner, fold(a)), (here, fold(b))} == written for a, b in way.edge.pairs):
            return True
    return False


def _new_ways(ways: list[Way], own: list[Source], select: exp.Select, work: Work) -> list[Way]:
    """Those that do not join a table once more just as it is joined already."""
    equal = Equalities(select, work)
    return [
        way
        for way in ways
        if not any(
            other.table is not None
            and other.table.name == way.edge.right
            and other is not way.partner
            and all(equal.all_equal([(way.partner, here), (other, there)]) for here, there in way.edge.pairs)
            for other in own
        )
    ]


def one_way(ways: list[Way], select: exp.Select, work: Work) -> Way | None:
    """The only way, or any of several that come to the same because the columns they start from are equal."""
    declared = [way for way in ways if not way.edge.inferred] or ways
    if len(declared) <= 1:
        return declared[0] if declared else None
    arrivals = {(way.edge.right, tuple(there for _, there in way.edge.pairs)) for way in declared}
    if len(arrivals) > 1:
        return None
    equal = Equalities(select, work)
    for position in range(len(declared[0].edge.pairs)):
        if not equal.all_equal([(way.partner, way.edge.pairs[position][0]) for way in declared]):
            return None
    return declared[0]


def can_be_joined(select: exp.Select) -> bool:
    """Whether a join can be added to FROM. Behind a comma, engines disagree on what a join condition sees; behind an
    outer join, one more would drop the rows that it keeps."""
    joins = select.args.get("joins") or ()
    return select.args.get("from_") is not None and all(
        (join.args.get("on") is not None or join.args.get("using") or join.args.get("kind")) and not is_outer(join)
        for join in joins
    )


def add_join(select: exp.Select, way: Way, alias: str) -> None:
    """Join the way's table under this name, before what speaks of it."""
    table = exp.Table(this=exp.to_identifier(way.edge.right))
    if fold(alias) != fold(way.edge.right):
        table.set("alias", exp.TableAlias(this=exp.to_identifier(alias)))
    equal = (exp.column(here, way.partner.name).eq(exp.column(there, alias)) for here, there in way.edge.pairs)
    joins = list(select.args.get("joins") or ())
    joins.insert(_place(joins, way.partner, alias), exp.Join(this=table, on=exp.and_(*equal)))
    select.set("joins", joins)


def _place(joins: list[exp.Expr], partner: Source, alias: str) -> int:
    """Before the first join whose condition speaks of the new table, but behind its partner."""
    start = next((i + 1 for i, join in enumerate(joins) if join.this is partner.node), 0)
    for position in range(start, len(joins)):
        condition = joins[position].args.get("on")
        if condition is not None and any(fold(c.text("table")) == fold(alias) for c in condition.find_all(exp.Column)):
            return position
    return len(joins)


def condition_of(way: Way, alias: str) -> str:
    """The condition of such a join, for sentences."""
    return quoted_name(" AND ".join(f"{way.partner.name}.{here} = {alias}.{there}" for here, there in way.edge.pairs))


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
    if way.edge.cardinality.to_one:
        if way.edge.cardinality.reversed().to_one:
            return True
        repeated = [call for call in aggregates if not isinstance(call, exp.Max | exp.Min)]
        return not any(id(column) in nodes for call in repeated for column in call.find_all(exp.Column))
    if not way.edge.cardinality.reversed().to_one:
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
