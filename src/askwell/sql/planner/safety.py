"""Whether the SQL inside a manifest is harmless, and names no table but those that models may; and the declared inner
structure of columns.

It is asked when a model is sent, and again whenever a stored one is loaded, since the version or the configuration may
have changed meanwhile. Nothing of it would be run unguarded later, but its author should hear of it at once and in its
place, not the first question that needs it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sqlglot import exp

from askwell.mdl.expressions import Unreadable, read_expression, read_query, read_rule, references
from askwell.mdl.manifest import Manifest, MetricField, Model, ModelColumn, TableReference
from askwell.mdl.names import is_file_place, is_system_place
from askwell.mdl.problems import Problem, first_of, item, place, shown
from askwell.mdl.semantic_model import SemanticModel, Table
from askwell.sql.binder import QUALIFIERS
from askwell.sql.guard import NAME_RULES, Allowed, Guard, GuardRefusal
from askwell.sql.names import ByFoldedName, fold
from askwell.sql.scopes import Shape, shape_of_column
from askwell.sql.table_list import TableList

Shapes = Mapping[str, Mapping[str, Shape]]
"""By folded table and column."""


def model_shapes(model: SemanticModel, dialect: str) -> Shapes:
    """Of the semantic model's columns, from `type` and the property `nested_columns`."""

    def of(table: Table) -> Mapping[str, Shape]:
        return {
            fold(column.name): shape_of_column(column.type, column.properties.get("nested_columns"), dialect)
            for column in table.columns
        }

    return ByFoldedName({fold(table.name): table for table in model}, of)


def physical_shapes(models: Mapping[str, list[Model]], dialect: str) -> Shapes:
    """Of physical columns: what the columns of models that stand for them declare."""

    def of(found: list[Model]) -> Mapping[str, Shape]:
        return {
            fold(name): shape_of_column(column.type, column.properties.get("nested_columns"), dialect)
            for model in found
            for column in model.columns
            if (name := physical_name(column, dialect))
        }

    return ByFoldedName({fold(table): found for table, found in models.items()}, of)


def physical_name(column: ModelColumn, dialect: str) -> str:
    """The column of the database that a plain column stands for; empty where it is anything else."""
    if column.relationship is not None or column.is_calculated:
        return ""
    if column.expression is None:
        return column.name
    tree = read_expression(column.expression, dialect)
    return "" if isinstance(tree, Unreadable) or tree.key != "column" else str(tree.name)


_DATA_ONLY = "Use only tables and columns of your own data, and plain SQL functions."
_NO_TABLES = Allowed({})
# The table that stands for a model's rows while its expressions are checked.
_ROWS = "rows"


def unsafe_parts(manifest: Manifest, dialect: str, listed: TableList | None = None) -> tuple[Problem, ...]:
    """A problem for each statement, expression and condition of a manifest that reaches for files, the system's tables
    or settings, or that is not allowed in a query at all, and for each table that is not `listed` (None: all are).

    The manifest has to be one that `read_manifest` accepted, with its tables where the database has them; `dialect` is
    sqlglot's name for the SQL of its database, one that the guard knows. The first hundred, and a line that says that
    there are more. Whether functions by unknown names exist is the database's to say.
    """
    check = _Check(Guard(dialect), manifest, dialect, listed)
    return first_of(check.problems())


class _Check:
    def __init__(self, guard: Guard, manifest: Manifest, dialect: str, listed: TableList | None) -> None:
        self._guard, self._manifest, self._dialect, self._listed = guard, manifest, dialect, listed
        named = (manifest.models, manifest.views, manifest.metrics, manifest.cubes)
        own = {fold(manifest.schema_name), f"{fold(manifest.catalog)}.{fold(manifest.schema_name)}"}
        self._model = Allowed(
            {fold(entry.name): None for entries in named for entry in entries},
            QUALIFIERS.get(dialect, frozenset()) | own,
        )

    def problems(self) -> Iterator[Problem]:
        """Of every part, in the manifest's order."""
        manifest = self._manifest
        for position, model in enumerate(manifest.models):
            where = item("models", position, model.name)
            if model.ref_sql:
                yield from self._database_statement(place(where, "refSql"), model.ref_sql)
            if model.table_reference is not None:
                yield from self._place(place(where, "tableReference"), model.table_reference)
            own = self._columns_of(model)
            for number, column in enumerate(model.columns):
                if column.relationship is None:
                    spot = place(where, item("columns", number, column.name))
                    yield from self._expression(spot, column.expression, own)
            for number, rule in enumerate(model.row_level_access_controls):
                spot = place(where, item("rowLevelAccessControls", number, rule.name))
                yield from self._checked(spot, read_rule(rule.condition, self._dialect), "condition")
        for kind, position, entry in manifest.grouped():
            for key, fields in entry.fields().items():
                yield from self._fields(item(kind, position, entry.name), key, fields)
        for position, view in enumerate(manifest.views):
            yield from self._model_statement(place(item("views", position, view.name), "statement"), view.statement)

    def _fields(self, where: str, kind: str, fields: tuple[MetricField, ...]) -> Iterator[Problem]:
        for number, field in enumerate(fields):
            spot = place(where, item(kind, number, field.name))
            yield from self._expression(spot, field.expression)

    def _columns_of(self, model: Model) -> Allowed:
        """A model's columns under the names that its expressions may use: its own, and those of the database."""
        shapes = {
            fold(name): shape_of_column(column.type, column.properties.get("nested_columns"), self._dialect)
            for column in model.columns
            for name in (column.name, physical_name(column, self._dialect))
            if name and column.relationship is None
        }
        return Allowed({_ROWS: frozenset(shapes)}, shapes={_ROWS: shapes})

    def _expression(self, where: str, text: str | None, over: Allowed = _NO_TABLES) -> Iterator[Problem]:
        if text:
            yield from self._checked(where, read_expression(text, self._dialect), "expression", over)

    def _checked(
        self, where: str, tree: exp.Expr | Unreadable, what: str, over: Allowed = _NO_TABLES
    ) -> Iterator[Problem]:
        """An expression over the columns of the one table of `over`, or over columns that are not known."""
        if isinstance(tree, Unreadable) or _is_name(tree):
            return
        holder = exp.Select(expressions=[tree])
        if over.tables:
            holder.from_(exp.table_(_ROWS, quoted=True), copy=False)
        # What references and session properties stand for is checked where they lead; here they are only values.
        for node, names in references(holder):
            node.replace(exp.column(exp.to_identifier(names[-1], quoted=True)))
        for parameter in list(holder.find_all(exp.Parameter, exp.SessionParameter, exp.Placeholder)):
            parameter.replace(exp.Null())
        yield from self._guarded(where, holder, over, f"its {what}")

    def _place(self, where: str, reference: TableReference) -> Iterator[Problem]:
        parts = [part for part in (reference.catalog, reference.schema_name, reference.table) if part]
        if self._listed is not None and not self._listed.has(parts):
            yield _unlisted(where, ".".join(parts))

    def _model_statement(self, where: str, text: str) -> Iterator[Problem]:
        tree = read_query(text, self._dialect)
        if not isinstance(tree, Unreadable):
            yield from self._guarded(where, tree, self._model, "it")

    def _database_statement(self, where: str, text: str) -> Iterator[Problem]:
        """A statement over the database's own tables: any of them, but only its owner's."""
        tree = read_query(text, self._dialect)
        if isinstance(tree, Unreadable):
            return
        tables: dict[str, frozenset[str] | None] = {}
        qualifiers: set[str] = set()
        for table in tree.find_all(exp.Table):
            before = [part for part in (table.catalog, table.db) if part]
            written = shown(".".join([*before, table.name]))
            if is_system_place(table.name, before):
                yield Problem(where, f'it reads "{written}", which belongs to the database system', _DATA_ONLY)
                return
            if is_file_place(table.name):
                yield Problem(where, f'it reads "{written}", which is the name of a file', _DATA_ONLY)
                return
            if table.name:
                tables[fold(table.name)] = None
                qualifiers.add(fold(".".join(before)))
        yield from self._guarded(where, tree, Allowed(tables, frozenset(qualifiers)), "it")
        for written in dict.fromkeys(self._listed.strange(tree) if self._listed is not None else ()):
            yield _unlisted(where, written)

    def _guarded(self, where: str, tree: exp.Query, allowed: Allowed, what: str) -> Iterator[Problem]:
        refusal = self._guard.check_tree(tree, allowed)
        if isinstance(refusal, GuardRefusal) and refusal.rule not in NAME_RULES:
            reason = refusal.message[:1].lower() + refusal.message[1:].rstrip(".")
            at = f" ({shown(refusal.where)})" if refusal.where else ""
            yield Problem(where, f"{what} cannot be used: {reason}{at}", _DATA_ONLY)


def _is_name(tree: exp.Expr) -> bool:
    """Whether it is one column's name and nothing else, as renamed columns are by the thousand."""
    return isinstance(tree, exp.Column) and len(tree.parts) == 1 and isinstance(tree.this, exp.Identifier)


def _unlisted(where: str, written: str) -> Problem:
    what = f'it reads "{shown(written)}", which is not among the tables that models of this database may read'
    return Problem(where, what, "Take it out of the model, or list it in `tables` of the data source.")
