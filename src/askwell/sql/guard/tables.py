"""Where a statement may read from: the project's tables, its own CTEs as engines scope them, some table functions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sqlglot import exp

from askwell.mdl.names import is_system_place
from askwell.sql.guard.functions import EXPANDERS, SERIES
from askwell.sql.guard.outcome import Allowed, Refused, Rule
from askwell.sql.names import fold
from askwell.sql.table_functions import TABLE_FUNCTIONS

# Engines of these dialects find a name whatever its letter case, quoted or not.
CASELESS = frozenset({"duckdb", "sqlite", "trino"})
# Inside its own body a CTE's name is always the CTE in these dialects, with or without the word RECURSIVE.
_SELF_REFERRING = frozenset({"sqlite", "tsql"})
_SYSTEM_PREFIXES = ("sqlite_", "pg_", "duckdb_", "pragma_", "information_schema", "sys.", "mysql.", "__internal")
# Made-up prefixes are mistakes; these are not made up.
_SYSTEM_SCHEMAS = frozenset(
    {"information_schema", "pg_catalog", "pg_temp", "pg_toast", "sys", "mysql", "performance_schema", "temp", "system"}
    | {"master", "msdb", "tempdb", "model", "account_usage", "organization_usage", "snowflake", "runtime", "metadata"}
)
_SYSTEM_CATALOGUES = frozenset({"system", "temp"})
_ODD = frozenset("/\\.:*$@?[]{}()'\"`;%&|<>!=~^#")


def effective_name(identifier: exp.Expr, dialect: str) -> str:
    """The name as the engine compares it: folded, or with its letter case where that distinguishes names."""
    name = identifier.name
    if dialect in CASELESS:
        return fold(name)
    if identifier.args.get("quoted"):
        return name
    if dialect == "postgres":
        return fold(name)
    if dialect == "snowflake":
        return "".join(c.upper() if c.isascii() else c for c in name)
    return name


def named_tables(tree: exp.Expr, dialect: str) -> Iterator[exp.Table]:
    """The places of a statement where a table is named: neither a CTE in scope nor a function that gives rows."""
    for table in tree.find_all(exp.Table):
        if isinstance(table.this, exp.Func) or _is_cte(table, dialect):
            continue
        yield table


def _is_cte(table: exp.Table, dialect: str) -> bool:
    this, qualified = table.this, table.args.get("db") or table.args.get("catalog")
    return (
        not qualified
        and isinstance(this, exp.Identifier)
        and effective_name(this, dialect) in _ctes_in_scope(table, dialect)
    )


def check_tables(nodes: Iterable[exp.Expr], dialect: str, allowed: Allowed) -> Refused | None:
    """Refuse every source that is neither a CTE in scope nor an allowed table or table function; raises `Refused`.

    A plain name that is merely unknown is not raised but returned (the first one), so that graver faults come first.
    """
    unknown: Refused | None = None
    for node in nodes:
        if isinstance(node, exp.Table):
            unknown = _check_table(node, dialect, allowed) or unknown
        elif isinstance(node, exp.From | exp.Join | exp.Lateral | exp.TableFromRows):
            _check_source(node.this, dialect)
    return unknown


def _check_source(source: exp.Expr | None, dialect: str) -> None:
    """What stands after FROM or JOIN: a function there has to be one that gives rows and nothing else."""
    while isinstance(source, exp.Alias | exp.Lateral | exp.Paren):
        source = source.this
    if isinstance(source, exp.Func):
        if type(source) in EXPANDERS or type(source) in SERIES:
            return
        if isinstance(source, exp.Anonymous) and fold(source.name) in TABLE_FUNCTIONS[dialect]:
            return
        if is_series_in_table(source, dialect):
            return
        raise Refused(Rule.TABLE_FUNCTION, source, "This function is not allowed where a table stands.")
    if not isinstance(source, exp.Table | exp.Query | exp.Values | exp.TableFromRows | exp.Pivot):
        raise Refused(Rule.TABLE_FUNCTION, source or "FROM", "Only tables, subqueries and VALUES can be selected from.")


def is_series_in_table(node: exp.Expr, dialect: str) -> bool:
    """Whether `node` is Trino's TABLE(sequence(…))."""
    return (
        dialect == "trino"
        and isinstance(node, exp.Anonymous)
        and fold(node.name) == "table"
        and [type(argument) in SERIES for argument in node.expressions] == [True]
    )


def _check_table(table: exp.Table, dialect: str, allowed: Allowed) -> Refused | None:
    this = table.this
    if isinstance(this, exp.Func):
        if table.args.get("db") or table.args.get("catalog"):
            raise Refused(Rule.TABLE_FUNCTION, table, "Functions of a schema cannot be called.")
        _check_source(this, dialect)
        return None
    prefix = [part for key in ("catalog", "db") if (part := table.args.get(key)) is not None]
    if not all(isinstance(part, exp.Identifier) for part in (*prefix, this)):
        raise Refused(Rule.SCHEMA, table, "A table has to be given by its name.")
    if _is_cte(table, dialect):
        return None
    return _check_named(table, ".".join(fold(part.name) for part in prefix), dialect, allowed)


def _check_named(table: exp.Table, qualifier: str, dialect: str, allowed: Allowed) -> Refused | None:
    """A table that is given by its name and is no CTE, with the folded names that stand before it. Where these and the
    name are those of a table of this project nothing comes out; what is merely unknown is returned, not raised."""
    this = table.this
    name = fold(this.name)
    if qualifier and qualifier not in allowed.qualifiers:
        refused = Refused(Rule.SCHEMA, table, f"The schema {qualifier} is not part of this project.")
        is_ours = name in allowed.tables or allowed.renamed(qualifier, this.name) is not None
        if not is_ours or _SYSTEM_SCHEMAS.intersection(qualifier.split(".")):
            raise refused
        return refused  # a table of ours with a schema made up: a mistake
    if is_system_place(this.name, [qualifier]) or qualifier.split(".")[0] in _SYSTEM_CATALOGUES:
        # Whatever is allowed: a plan may be told to read such a place by the model it is made from.
        raise Refused(Rule.SYSTEM_NAME, table, f"{this.name} belongs to the database system.")
    if name in allowed.tables:
        spelling = allowed.spelling.get(name)
        if spelling is None or dialect in CASELESS or effective_name(this, dialect) == spelling:
            return None
        return Refused(Rule.TABLE, table, f"There is no table {this.name}; {spelling} is written differently.")
    if name.startswith(_SYSTEM_PREFIXES):
        raise Refused(Rule.SYSTEM_NAME, table, f"{this.name} belongs to the database system.")
    if _ODD.intersection(this.name):
        raise Refused(Rule.SCHEMA, table, f'"{this.name}" is not the name of a table of this project.')
    return Refused(Rule.TABLE, table, f"There is no table {this.name} in this project.")


def _ctes_in_scope(table: exp.Expr, dialect: str) -> set[str]:
    """CTE names that the engine would find from here: earlier siblings, itself where recursive, and enclosing ones."""
    names: set[str] = set()
    path: list[exp.Expr] = [table]
    parent = table.parent
    while parent is not None:
        child = path[-1]
        if isinstance(parent, exp.With):
            # Coming out of one CTE: later siblings are not in scope, and the query that owns this WITH adds nothing.
            for cte in parent.expressions:
                if cte is child:
                    if _sees_itself(parent, path, dialect):
                        names.add(_cte_name(cte, dialect))
                    break
                names.add(_cte_name(cte, dialect))
            path.append(parent)
            parent = parent.parent
            if parent is None:
                break
        else:
            with_ = parent.args.get("with_")
            if with_ is not None:
                names.update(_cte_name(cte, dialect) for cte in with_.expressions)
        path.append(parent)
        parent = parent.parent
    return names


def _sees_itself(with_: exp.Expr, path: list[exp.Expr], dialect: str) -> bool:
    """Whether a CTE's own name means the CTE at this place in its body; `path` leads from the place up to the CTE.

    DuckDB reads the real table of that name in a body that is no UNION, and in all but the last part of one.
    """
    if dialect in _SELF_REFERRING:
        return True
    body = path[-1].this
    return bool(with_.args.get("recursive")) and isinstance(body, exp.Union) and any(p is body.expression for p in path)


def _cte_name(cte: exp.Expr, dialect: str) -> str:
    alias = cte.args.get("alias")
    identifier = alias.this if alias is not None else None
    return effective_name(identifier, dialect) if isinstance(identifier, exp.Identifier) else ""
