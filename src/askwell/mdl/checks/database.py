"""Whether the tables and columns that a model names are there in the database."""

from __future__ import annotations

from askwell.mdl.data_sources import sql_dialect
from askwell.mdl.expressions import Unreadable, read_expression, references
from askwell.mdl.manifest import Manifest, Model, ModelColumn, TableReference
from askwell.mdl.names import nearest_hint
from askwell.mdl.problems import Findings, Problem, item, place, shown
from askwell.providers.engine.base import PhysicalSchema, PhysicalTable


def warnings_against(manifest: Manifest, physical: PhysicalSchema) -> tuple[Problem, ...]:
    """A warning for each table and column of the manifest that the database does not have, with the nearest name.

    Names are compared in any letter case. Models over `refSql` or another model are the database's to judge.
    """
    findings = Findings()
    dialect = sql_dialect(manifest.data_source)
    for position, model in enumerate(manifest.models):
        if model.table_reference is None:
            continue
        where = item("models", position, model.name)
        table = _table(model.table_reference, physical)
        if table is None:
            names = [known.name for known in physical.tables]
            what = f'the database has no table "{shown(_written(model.table_reference))}"'
            hint = nearest_hint(model.table_reference.table, names)
            findings.warn(place(where, "tableReference"), what, hint or "Correct the name.")
            continue
        _check_columns(findings, where, model, table, dialect)
    return tuple(findings.warnings)


def _table(reference: TableReference, physical: PhysicalSchema) -> PhysicalTable | None:
    named = [table for table in physical.tables if table.name.lower() == reference.table.lower()]
    schema = (reference.schema_name or "").lower()
    in_schema = [table for table in named if not schema or not table.schema or table.schema.lower() == schema]
    return next(iter(in_schema), None)


def _written(reference: TableReference) -> str:
    return ".".join(part for part in (reference.catalog, reference.schema_name, reference.table) if part)


def _check_columns(findings: Findings, where: str, model: Model, table: PhysicalTable, dialect: str) -> None:
    names = [column.name for column in table.columns]
    known = {name.lower() for name in names}
    for position, column in enumerate(model.columns):
        if column.is_calculated or column.relationship is not None:
            continue
        for name in _physical_names(column, dialect):
            if name.lower() not in known:
                spot = place(where, item("columns", position, column.name))
                what = f'the table {table.name} has no column "{shown(name)}"'
                findings.warn(spot, what, nearest_hint(name, names) or "Correct the name.")


def _physical_names(column: ModelColumn, dialect: str) -> list[str]:
    if column.expression is None:
        return [column.name]
    tree = read_expression(column.expression, dialect)
    if isinstance(tree, Unreadable):
        return []
    # Of `t.a` or `payload.user` it cannot be said which part is the column.
    return [names[0] for _, names in references(tree) if len(names) == 1]
