"""A table that is not there: a schema made up, or the name misspelt."""

from __future__ import annotations

from sqlglot import exp

from askwell.sql.names import fold
from askwell.sql.repair.spelling import closest
from askwell.sql.repair.work import Work, quoted_name, rename, requalify, select_of, table_has
from askwell.sql.scopes import NameProblem

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
    name = closest(wrong, names, work.around.known) or _closest_with_columns(node, names, work)
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


def _closest_with_columns(node: exp.Table, names: list[str], work: Work) -> str | None:
    """Of several names as near as each other, the one table that has every column used behind this one."""
    used = {fold(column.name) for column in _columns_behind(node) if not isinstance(column.this, exp.Star)}
    if not used:
        return None
    tables = [table for name in names if (table := work.around.model.table(name)) is not None]
    fitting = [table.name for table in tables if table_has(table, used)]
    return closest(node.name, fitting, work.around.known)
