"""A table that is used but not joined, where the model's relationships leave one way to join it."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from askwell.mdl.join_graph import JoinEdge
from askwell.mdl.semantic_model import Table
from askwell.sql.names import fold
from askwell.sql.nearest import tables_of
from askwell.sql.repair.spelling import closest, is_placeholder, is_short_for
from askwell.sql.repair.work import (
    Equalities,
    Work,
    is_outer,
    own_sources,
    quoted_name,
    requalify,
    select_of,
    table_has,
    used_under,
)
from askwell.sql.scopes import NameProblem, Source


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
