"""Whether the tables and columns that a model names are there in the database."""

from __future__ import annotations

import re

from sqlglot import exp

from askwell.mdl.data_sources import sql_dialect
from askwell.mdl.expressions import Unreadable, read_expression, references
from askwell.mdl.manifest import Manifest, Model, ModelColumn, TableReference
from askwell.mdl.names import listed, nearest_hint
from askwell.mdl.problems import Findings, Problem, item, place, shown
from askwell.providers.engine.base import PhysicalSchema, PhysicalTable

# Columns that every table has, though no catalogue lists them.
_ROW_IDS = {"sqlite": frozenset({"rowid", "oid", "_rowid_"}), "duckdb": frozenset({"rowid"})}
# Names are quoted in a plan, and these databases tell quoted names apart by their letters.
_EXACT = frozenset({"postgres"})
# Where a table without a schema is looked for; a database that is not here looks where its settings say.
_DEFAULT_SCHEMAS = {"sqlite": "main", "duckdb": "main"}


def warnings_against(manifest: Manifest, physical: PhysicalSchema) -> tuple[Problem, ...]:
    """A warning for each table and column of the manifest that the database does not have, with the nearest name.

    Names are compared in any letter case where the database does so; views are tables like others. Models over `refSql`
    or another model are the database's to judge, and so are all where its tables are not listed.
    """
    if not physical.is_listed:
        return ()
    findings = Findings()
    dialect = sql_dialect(manifest.data_source)
    for position, model in enumerate(manifest.models):
        if model.table_reference is None:
            continue
        where = item("models", position, model.name)
        table = _table(findings, place(where, "tableReference"), model.table_reference, physical, dialect)
        if table is not None and table.columns:
            _check_columns(findings, where, model, table, dialect)
    return tuple(findings.warnings)


def tables_without_model(manifest: Manifest, physical: PhysicalSchema) -> tuple[str, ...]:
    """The tables and views of the database that no model of the manifest is of, nor reads in its `refSql`; by name,
    with the schema where that is not the usual one."""
    dialect = sql_dialect(manifest.data_source)
    default = _DEFAULT_SCHEMAS.get(dialect)
    by_name: dict[str, tuple[PhysicalTable, ...]] = {}
    for table in physical.tables:
        by_name[table.name.lower()] = (*by_name.get(table.name.lower(), ()), table)
    read: set[int] = set()
    for model in manifest.models:
        if model.table_reference is not None:
            named = PhysicalSchema(by_name.get(model.table_reference.table.lower(), ()))
            read.add(id(_table(Findings(), "", model.table_reference, named, dialect)))
    written = " ".join(model.ref_sql or "" for model in manifest.models)
    # A name that stands there may be something else; then one table too few is told.
    words = {word.lower() for word in re.findall(r"\w+", written)}
    return tuple(
        table.name if table.schema in (None, default) else f"{table.schema}.{table.name}"
        for table in physical.tables
        if id(table) not in read and table.name.lower() not in words
    )


def _table(
    findings: Findings, where: str, reference: TableReference, physical: PhysicalSchema, dialect: str
) -> PhysicalTable | None:
    """The table that a query over the reference would read; where there is none, that is a warning."""
    default = _DEFAULT_SCHEMAS.get(dialect)
    wanted = (reference.schema_name or default or "").lower()
    named = [table for table in physical.tables if table.name.lower() == reference.table.lower()]
    if dialect in _EXACT:
        named = [table for table in named if table.name == reference.table]
    there = [table for table in named if not wanted or (table.schema or default or wanted).lower() == wanted]
    if there:
        # Of two names that differ in letter case, the one as written.
        return next((table for table in there if table.name == reference.table), there[0])
    elsewhere = sorted({table.schema or default or "" for table in named})
    if elsewhere:
        what = f'the table "{shown(reference.table)}" is not in the schema {shown(wanted)}, but in {listed(elsewhere)}'
        findings.warn(where, what, f'Set "schema" to {listed([shown(name) for name in elsewhere], "or")}.')
        return None
    hint = nearest_hint(reference.table, [known.name for known in physical.tables])
    what = f'the database has no table "{shown(_written(reference))}"'
    findings.warn(where, what, hint or "Correct the name.")
    return None


def _written(reference: TableReference) -> str:
    return ".".join(part for part in (reference.catalog, reference.schema_name, reference.table) if part)


def _check_columns(findings: Findings, where: str, model: Model, table: PhysicalTable, dialect: str) -> None:
    names = [column.name for column in table.columns]
    exact = dialect in _EXACT
    known = {name if exact else name.lower() for name in names}
    if not table.is_view:
        known |= _ROW_IDS.get(dialect, frozenset())
    for position, column in enumerate(model.columns):
        if column.is_calculated or column.relationship is not None:
            continue
        for name in _physical_names(column, dialect):
            if (name if exact else name.lower()) not in known:
                spot = place(where, item("columns", position, column.name))
                what = f'the table {table.name} has no column "{shown(name)}"'
                findings.warn(spot, what, nearest_hint(name, names) or "Correct the name.")


def _physical_names(column: ModelColumn, dialect: str) -> list[str]:
    """The columns of the table that the model's column reads, as the database will see them."""
    if column.expression is None:
        return [column.name]
    tree = read_expression(column.expression, dialect)
    if isinstance(tree, Unreadable):
        return []
    # Of `t.a` or `payload.user` it cannot be said which part is the column.
    plain = [node for node, names in references(tree) if len(names) == 1]
    return [node.name if _is_quoted(node) or dialect not in _EXACT else node.name.lower() for node in plain]


def _is_quoted(column: exp.Expr) -> bool:
    return bool(column.this.args.get("quoted"))
