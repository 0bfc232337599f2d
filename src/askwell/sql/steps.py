"""The steps of a statement, each as a statement that runs alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import exp

from askwell.mdl.expressions import sources_of
from askwell.spelling import free_name
from askwell.sql.binder import readable
from askwell.sql.names import fold


@dataclass(frozen=True, slots=True)
class Step:
    """One step: `sql` gives its rows and holds all steps before it; `cte_name` is empty for the last one, which gives
    the rows of the whole statement."""

    sql: str
    cte_name: str


def steps_of(tree: exp.Expr, dialect: str) -> tuple[Step, ...]:
    """Each CTE, then each derived table of the outer FROM, then the statement itself. `tree` is not changed.

    CTEs that read their own rows, and derived tables that read columns of tables beside them, are no steps: whatever
    comes after them holds them. A step that does not pass a check can be left out, since later ones hold it too.
    """
    whole = tree.copy()
    if isinstance(whole, exp.Select):
        _lift(whole, dialect)
    with_ = whole.args.get("with_")
    if with_ is None:
        return (Step(readable(whole, dialect), ""),)
    ctes, recursive = list(with_.expressions), bool(with_.args.get("recursive"))
    steps = [
        Step(readable(_alone(ctes[: number + 1], recursive=recursive), dialect), cte.alias)
        for number, cte in enumerate(ctes)
        if not _reads_itself(cte, recursive=recursive)
    ]
    return (*steps, Step(readable(whole, dialect), ""))


def _alone(ctes: list[exp.Expr], *, recursive: bool) -> exp.Expr:
    """All rows of the last CTE."""
    name = ctes[-1].args["alias"].this
    select = exp.Select(expressions=[exp.Star()]).from_(exp.Table(this=name.copy()))
    select.set("with_", exp.With(expressions=[cte.copy() for cte in ctes], recursive=recursive))
    return select


def _reads_itself(cte: exp.Expr, *, recursive: bool) -> bool:
    """Whether a CTE reads its own rows. Some databases want no RECURSIVE for that; where it is not written, a SELECT
    from its own name means the table of that name."""
    name = fold(cte.alias)
    reads = any(fold(table.name) == name and not table.args.get("db") for table in cte.this.find_all(exp.Table))
    return reads and (recursive or isinstance(cte.this, exp.SetOperation))


def _lift(select: exp.Select, dialect: str) -> None:
    """Make CTEs of the derived tables of the outer FROM, in place."""
    derived = [source for source in _derived_tables(select) if not _is_correlated(source, select)]
    taken = {fold(name) for name in _names(select)}
    lifted = []
    for source in derived:
        alias: exp.Expr | None = source.args.get("alias")
        name = free_name(source.alias or "inner_query", taken, fold)
        columns = alias.args.get("columns") if alias is not None else None
        quoted = bool(alias is not None and alias.this is not None and alias.this.args.get("quoted"))
        identifier = exp.to_identifier(name, quoted=quoted or None)
        definition = exp.TableAlias(this=identifier, columns=[column.copy() for column in columns or ()])
        lifted.append(exp.CTE(this=source.this.copy(), alias=definition))
        reads = exp.Table(this=identifier.copy(), joins=source.args.get("joins"))
        if alias is not None and name != source.alias:
            reads.set("alias", exp.TableAlias(this=alias.this.copy()))
        source.replace(reads)
    if lifted:
        with_ = select.args.get("with_") or exp.With(expressions=[])
        with_.set("expressions", [*with_.expressions, *lifted])
        select.set("with_", with_)


def _derived_tables(select: exp.Select) -> Iterator[exp.Subquery]:
    for source in sources_of(select):
        plain = not any(value for name, value in source.args.items() if name not in ("this", "alias", "joins"))
        if isinstance(source, exp.Subquery) and isinstance(source.this, exp.Query) and plain:
            yield source


def _is_correlated(source: exp.Subquery, select: exp.Select) -> bool:
    """Whether a derived table names a source beside it, as DuckDB allows without LATERAL."""
    beside = {fold(one.alias_or_name) for one in sources_of(select) if one is not source and one.alias_or_name}
    own = {fold(one.alias_or_name) for one in source.this.find_all(exp.Table, exp.Subquery)}
    return any(fold(column.table) in beside - own for column in source.this.find_all(exp.Column) if column.table)


def _names(select: exp.Select) -> Iterator[str]:
    """Names that a new CTE would take the meaning from."""
    with_ = select.args.get("with_")
    if with_ is not None:
        yield from (cte.alias for cte in with_.expressions)
    yield from (table.name for table in select.find_all(exp.Table))
