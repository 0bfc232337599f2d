"""The bodies of one model's tables: written when first used, kept, and written anew for other askers."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from cachetools import LRUCache
from sqlglot import exp

from askwell.mdl.expressions import Unreadable, read_query
from askwell.mdl.lookup import Lookup
from askwell.mdl.manifest import Manifest, Model, ModelColumn
from askwell.mdl.semantic_model import SemanticModel, TableKind
from askwell.mdl.statements import Statements
from askwell.mdl.view import is_visible, read_statements
from askwell.sql.binder import bind
from askwell.sql.bound import ModelCatalogue
from askwell.sql.names import fold
from askwell.sql.outcome import RejectedSql
from askwell.sql.planner.access import Access
from askwell.sql.planner.assembly import Body, assemble, authors_view
from askwell.sql.planner.bodies import write_body
from askwell.sql.planner.surroundings import Barrier, NotReadable, Physical, Unplannable

# Bodies kept for (table, columns, session properties). One is some kilobytes of syntax tree.
_KEPT_BODIES = 512


@dataclass(frozen=True, slots=True)
class _Statements:
    """The statements in a manifest, and what they may read."""

    readings: Statements
    view: SemanticModel
    catalogue: ModelCatalogue


class Library:
    """What stays the same from one statement to the next, and the bodies written so far. Used by several threads."""

    def __init__(self, model: SemanticModel, manifest: Manifest, dialect: str, barrier: Barrier) -> None:
        self.model, self.manifest, self.dialect, self.barrier = model, manifest, dialect, barrier
        self.lookup = Lookup(manifest)
        self.has_column_rules = any(
            column.column_level_access_control for model in manifest.models for column in model.columns
        )
        self.has_rules = self.has_column_rules or any(model.row_level_access_controls for model in manifest.models)
        self._statements: _Statements | None = None
        self._written: LRUCache[object, tuple[Body, Physical]] = LRUCache(_KEPT_BODIES)
        self._lock = threading.Lock()

    @property
    def statements(self) -> _Statements:
        """The manifest's views, metrics and cubes; read when the first of them is used."""
        with self._lock:
            if self._statements is None:
                view = authors_view(self.model, self.manifest)
                self._statements = _Statements(read_statements(self.manifest), view, ModelCatalogue(view))
            return self._statements

    def once(self, key: object, write: Callable[[Physical], Body], physical: Physical) -> Body:
        """What `write` gives, from now on kept under `key`: a copy of it, noting in `physical` what it reads."""
        with self._lock:
            kept = self._written.get(key)
        if kept is None:
            reads = Physical()
            kept = write(reads), reads
            with self._lock:
                self._written[key] = kept
        physical.add(kept[1])
        return replace(kept[0], query=kept[0].query.copy())


class Bodies:
    """Writes the bodies that one statement needs, for one asker.

    Only a statement of the manifest's author (`authors`) may read hidden columns.
    """

    def __init__(
        self, library: Library, session_properties: Mapping[str, str], physical: Physical, *, authors: bool = False
    ) -> None:
        self._library = library
        self._authors = authors
        self._session = session_properties
        # Without rules, what is written for one asker is good for all.
        self._asker = tuple(sorted(session_properties.items())) if library.has_rules else ()
        self._access = Access(session_properties, library.lookup, library.dialect)
        self._physical = physical

    @property
    def lookup(self) -> Lookup:
        return self._library.lookup

    @property
    def dialect(self) -> str:
        return self._library.dialect

    @property
    def barrier(self) -> Barrier:
        return self._library.barrier

    def __call__(self, name: str, columns: frozenset[str], *, whole: bool) -> Body:
        """The SELECT of a model, view, metric or cube by canonical name, of `columns`; with `whole` of all the columns
        that `*` means, where `columns` are those named as well. Raises `Unplannable`."""
        model = self.lookup.model(name)
        if model is None:
            return self._statement(name, self._physical)
        wanted = {fold(column) for column in columns}
        chosen = [
            column
            for column in model.columns
            if column.relationship is None and (fold(column.name) in wanted or (whole and self._in_star(model, column)))
        ]
        if not self._authors and not all(map(is_visible, chosen)):
            # Binding lets nobody name such a column; should a statement come this far all the same, this is the end.
            raise Unplannable(f"it reads a column that {model.name} does not have")
        names = tuple(column.name for column in chosen)
        return self._body(model, names, self._physical)

    def _body(self, model: Model, names: tuple[str, ...], physical: Physical) -> Body:
        key = (model.name, names, self._asker)
        return self._library.once(key, lambda reads: write_body(self, model, names, reads), physical)

    def _in_star(self, model: Model, column: ModelColumn) -> bool:
        """Whether `*` has it: not what a column rule keeps from being read, nor what is worked out from that."""
        if not is_visible(column):
            return False
        if not self._library.has_column_rules:
            return True
        try:
            self._body(model, (column.name,), Physical())
        except NotReadable:
            return False
        return True

    def statement(self, name: str, physical: Physical) -> exp.Query | None:
        """The planned statement of a view, metric or cube in any letter case, noting in `physical` what it reads; None
        where there is none."""
        table = self._library.model.table(name)
        return None if table is None or table.kind is TableKind.MODEL else self._statement(table.name, physical).query

    def _statement(self, name: str, physical: Physical) -> Body:
        return self._library.once((name, self._asker), lambda reads: self._planned_statement(name, reads), physical)

    def _planned_statement(self, name: str, physical: Physical) -> Body:
        physical.written.add(name)
        statements = self._library.statements
        mistakes = statements.readings.reading(name).mistakes
        if mistakes:
            raise Unplannable(f"{name}: {mistakes[0][0]}")
        tree = read_query(statements.readings.table(name).statement or "", self.dialect)
        if isinstance(tree, Unreadable):
            raise Unplannable(f"{name}: {tree.reason}")
        _drop_model_schema(tree, self._library.manifest)
        # Bound like any other statement, so that its names are spelled as the model spells them.
        bound = bind(tree, statements.view, self.dialect)
        if isinstance(bound, RejectedSql):
            raise Unplannable(f"{name}: {bound.error.rstrip('.')}")
        bodies = Bodies(self._library, self._session, physical, authors=True)
        query = assemble(as_query(bound.tree), statements.catalogue, bound.columns, bodies, physical, self.dialect)
        return Body(query)

    def row_conditions(self, model: Model, physical: Physical) -> list[exp.Expr]:
        """What must hold of the model's rows for the caller, noting in `physical` whether that depends on them.
        Raises `Unplannable` where it cannot be known."""
        conditions = self._access.row_conditions(model)
        physical.by_asker |= any(map(self._access.depends_on_asker, model.row_level_access_controls))
        return conditions

    def check_readable(self, model: Model, column: ModelColumn, physical: Physical) -> None:
        """Raises `NotReadable` where the caller may not read the column; else notes in `physical` whether that
        depends on them."""
        self._access.check_readable(model, column)
        physical.by_asker |= column.column_level_access_control is not None


def _drop_model_schema(tree: exp.Query, manifest: Manifest) -> None:
    """Statements in a manifest may put the virtual model's own schema, or catalog and schema, before a table."""
    for node in tree.find_all(exp.Table, exp.Column):
        catalog = node.text("catalog")
        if fold(node.text("db")) == fold(manifest.schema_name) and fold(catalog) in ("", fold(manifest.catalog)):
            node.set("db", None)
            node.set("catalog", None)


def as_query(tree: exp.Expr) -> exp.Query:
    """The tree, which has to be a SELECT or a set operation."""
    if not isinstance(tree, exp.Query):
        raise Unplannable("only a SELECT can be planned")
    return tree
