"""A qualifier that names nothing in scope: an alias that was lost or never given, a table that was never joined."""

from __future__ import annotations

from sqlglot import exp

from askwell.sql.candidates import tables_of
from askwell.sql.names import fold
from askwell.sql.repair.generic import rivals
from askwell.sql.repair.missing_join import repair_missing_join
from askwell.sql.repair.spelling import closest, is_placeholder, is_short_for, same_words
from askwell.sql.repair.work import (
    Work,
    columns_of,
    has_all,
    own_sources,
    quoted_name,
    requalify,
    select_of,
    table_has,
    used_under,
)
from askwell.sql.scopes import NameProblem, Source


def repair_qualifier(problem: NameProblem, work: Work) -> str | None:
    """Change the tree so that what stands behind this qualifier is of one source; None where it is not certain."""
    node = problem.node
    select = select_of(node)
    if not isinstance(node, exp.Column) or select is None:
        return None
    if node.args.get("db") is not None:
        return _without_schema(node, problem)
    columns = used_under(problem.name, select)
    needed = {fold(column.name) for column in columns if not isinstance(column.this, exp.Star)}
    fitting = [s for s in problem.in_scope if s.name and has_all(s, needed)]
    source = _meant(problem, fitting, needed, work)
    if source is not None:
        for column in columns:
            requalify(column, source.name)
        return f"{quoted_name(problem.name)} read as {quoted_name(source.name)}"
    return repair_missing_join(problem, needed, work) or _only_owner(problem, columns, needed, work)


def _without_schema(node: exp.Column, problem: NameProblem) -> str | None:
    name = node.args["table"].name
    source = next((s for s in problem.in_scope if s.name and fold(s.name) == fold(name)), None)
    if source is None:
        return None
    requalify(node, source.name)
    return f"{quoted_name(problem.name)} read as {quoted_name(source.name)}"


def _meant(problem: NameProblem, fitting: list[Source], needed: set[str], work: Work) -> Source | None:
    """The source with these columns that the qualifier is the table of, a misspelling of, or short for."""
    name = problem.name
    own = own_sources(problem)
    for sources in ([s for s in fitting if s in own], [s for s in fitting if s not in own]):
        tables = [s for s in sources if s.table is not None and s.alias and fold(s.table.name) == fold(name)]
        if len(tables) == 1:
            return tables[0]
        if tables:
            return None
        spelled = closest(name, [s.name for s in sources if len(s.name) > 3], work.around.known)
        if spelled is not None:
            return next(s for s in sources if s.name == spelled)
        styled = [s for s in sources if s.table is not None and s.alias and same_words(s.table.name, name)]
        if len(styled) == 1:
            return styled[0]
    if work.around.model.table(name) is not None:
        return None
    plain = [s for s in fitting if s in own and not s.alias]
    short = [s for s in plain if is_short_for(name, s.name)]
    if len(short) == 1:
        return short[0]
    if (aliased := _aliased_otherwise(problem, fitting, needed, work)) is not None:
        return aliased
    is_only = len(own) == 1 and plain and is_placeholder(name) and not _may_mean_another(problem, needed, work)
    return plain[0] if is_only else None


def _aliased_otherwise(problem: NameProblem, fitting: list[Source], needed: set[str], work: Work) -> Source | None:
    """The one source, under an alias of its own, of the one table with these columns that the qualifier is short for:
    `fa` where functional_areas was called `f`."""
    if is_placeholder(problem.name):
        return None
    meant = {
        table.name for table in work.around.model if is_short_for(problem.name, table.name) and table_has(table, needed)
    }
    sources = [s for s in own_sources(problem) if s.table is not None and s.table.name in meant]
    return sources[0] if len(meant) == len(sources) == 1 and sources[0] in fitting else None


def _may_mean_another(problem: NameProblem, needed: set[str], work: Work) -> bool:
    """Whether a placeholder before generic columns may well stand for a table that was left out: it is short for one
    that has them all, is not the first of its kind, or the question names one."""
    others = rivals(needed, tables_of(own_sources(problem)), problem, work)
    digits = "".join(filter(str.isdigit, problem.name))
    return any(
        table.name in work.asked.tables or is_short_for(problem.name, table.name) or int(digits or 1) > 1
        for table in others
    )


def _only_owner(problem: NameProblem, columns: list[exp.Column], needed: set[str], work: Work) -> str | None:
    """No table is missing, so the one source that has all the columns is meant."""
    if not needed or work.around.model.table(problem.name) is not None:
        return None
    own = own_sources(problem)
    if is_placeholder(problem.name) and any(is_placeholder(source.alias) for source in own):
        return None  # one more of t1, t2 … is a table that was left out
    owners = [s for s in own if has_all(s, needed)]
    if len(owners) != 1 or any(s.columns is None for s in own) or not columns_of(owners[0]):
        return None
    elsewhere = [t for t in work.around.model if table_has(t, needed)]
    if (len(own) > 1 and len(elsewhere) > 1) or rivals(needed, tables_of(own), problem, work):
        return None
    for column in columns:
        work.move(column, owners[0].name)
    return f"{quoted_name(problem.name)} read as {quoted_name(owners[0].name)}"
