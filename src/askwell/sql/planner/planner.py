"""The planner: a bound statement over the model becomes one over the database's own tables."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from cachetools import LRUCache
from sqlglot import exp
from sqlglot.errors import SqlglotError

from askwell.mdl.expressions import Unreadable, read_query
from askwell.mdl.lookup import Lookup
from askwell.mdl.manifest import Manifest, Model, ModelColumn
from askwell.mdl.semantic_model import SemanticModel, TableKind
from askwell.mdl.statements import Statements
from askwell.mdl.view import is_visible, read_statements
from askwell.sql.bound import BoundSql
from askwell.sql.context import QueryContext
from askwell.sql.names import fold
from askwell.sql.outcome import RejectedSql, RejectionKind
from askwell.sql.planner.access import Access
from askwell.sql.planner.assembly import assemble
from askwell.sql.planner.bodies import write_body
from askwell.sql.planner.catalogue import ModelCatalogue
from askwell.sql.planner.clock import pin_clock
from askwell.sql.planner.surroundings import Physical, Unplannable

# Bodies kept for (table, columns, session properties). One is some kilobytes of syntax tree.
_CACHED_BODIES = 512


@dataclass(frozen=True, slots=True)
class PlannedSql:
    """What would be run, before the guard looks at it again.

    `physical` maps the names of the database's tables to the columns read of each, None where they are not known
    (`refSql`); `qualifiers` are the schemas, or catalog.schema, that stand before them. Both as the model spells them.
    """

    tree: exp.Expr
    sql: str
    physical: Mapping[str, frozenset[str] | None]
    qualifiers: frozenset[str] = field(default_factory=frozenset)


class Planner:
    """Plans statements over one semantic model. Made once per model; `plan` may be called from several threads.

    `model` is the authorised view that statements were bound to, `manifest` what it was made from, `dialect` sqlglot's
    name for the SQL of the data source.
    """

    def __init__(self, model: SemanticModel, manifest: Manifest, dialect: str) -> None:
        lookup = Lookup(manifest)
        self._dialect = dialect
        self._catalogue = ModelCatalogue(model, manifest)
        self._library = _Library(
            model=model,
            manifest=manifest,
            lookup=lookup,
            dialect=dialect,
            catalogue=ModelCatalogue(model, manifest, hidden_of=lookup),
            has_rules=any(
                model.row_level_access_controls or any(column.column_level_access_control for column in model.columns)
                for model in manifest.models
            ),
        )

    def plan(self, bound: BoundSql, context: QueryContext) -> PlannedSql | RejectedSql:
        """The statement over physical tables, with the ask's own clock; or why it cannot be planned."""
        written = bound.tree.sql(dialect=bound.dialect, comments=False)
        try:
            tree = bound.tree.copy()
            if not isinstance(tree, exp.Query):
                raise Unplannable("only a SELECT can be planned")
            physical = Physical()
            bodies = _Bodies(self._library, context.session_properties, physical)
            planned = assemble(tree, self._catalogue, bound.columns, bodies, physical, self._dialect)
            pin_clock(planned, context, self._dialect)
            sql = planned.sql(dialect=self._dialect, comments=False)
        except Unplannable as error:
            return _rejected(written, str(error))
        except RecursionError:
            return _rejected(written, "it is nested too deeply")
        except SqlglotError as error:
            return _rejected(written, str(error).splitlines()[0][:200])
        columns: dict[str, frozenset[str] | None] = {}
        for place, read in physical.tables.items():
            known = columns.get(place.name, frozenset())
            columns[place.name] = None if read is None or known is None else known | read
        qualifiers = frozenset(place.qualifier for place in physical.tables if place.qualifier)
        return PlannedSql(planned, sql, columns, qualifiers)


def _rejected(written: str, reason: str) -> RejectedSql:
    return RejectedSql(RejectionKind.DRY_PLAN, written, written, f"This cannot be planned: {reason}.")


@dataclass(frozen=True, slots=True)
class _Library:
    """What stays the same from one statement to the next, and the bodies written so far."""

    model: SemanticModel
    manifest: Manifest
    lookup: Lookup
    dialect: str
    catalogue: ModelCatalogue
    has_rules: bool
    _statements: list[Statements] = field(default_factory=list)
    _written: LRUCache[object, tuple[exp.Query, Physical]] = field(default_factory=lambda: LRUCache(_CACHED_BODIES))
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def statements(self) -> Statements:
        """The manifest's views, metrics and cubes; read when the first of them is used."""
        with self._lock:
            if not self._statements:
                self._statements.append(read_statements(self.manifest))
            return self._statements[0]

    def once(self, key: object, write: Callable[[Physical], exp.Query], physical: Physical) -> exp.Query:
        """What `write` gives, from now on kept under `key`: a copy of it, noting in `physical` what it reads."""
        with self._lock:
            kept = self._written.get(key)
        if kept is None:
            reads = Physical()
            kept = write(reads), reads
            with self._lock:
                self._written[key] = kept
        physical.add(kept[1])
        return kept[0].copy()


class _Bodies:
    """Writes the bodies that one statement needs, for one asker."""

    def __init__(self, library: _Library, session_properties: Mapping[str, str], physical: Physical) -> None:
        self._library = library
        self._session = session_properties
        # Without rules, what is written for one asker is good for all.
        self._asker = tuple(sorted(session_properties.items())) if library.has_rules else ()
        self._access = Access(session_properties)
        self._physical = physical

    @property
    def lookup(self) -> Lookup:
        return self._library.lookup

    @property
    def dialect(self) -> str:
        return self._library.dialect

    def __call__(self, name: str, columns: frozenset[str], *, whole: bool) -> exp.Query:
        """The SELECT of a model, view, metric or cube by canonical name. Raises `Unplannable`."""
        model = self.lookup.model(name)
        if model is None:
            return self._statement(name, self._physical)
        wanted = {fold(column) for column in columns}
        names = tuple(
            column.name
            for column in model.columns
            if column.relationship is None and (fold(column.name) in wanted or (whole and self._in_star(model, column)))
        )
        key = (model.name, names, self._asker)
        return self._library.once(key, lambda physical: write_body(self, model, names, physical), self._physical)

    def _in_star(self, model: Model, column: ModelColumn) -> bool:
        return is_visible(column) and self._access.may_read(model, column)

    def statement(self, name: str, physical: Physical) -> exp.Query | None:
        """The planned statement of a view, metric or cube in any letter case; None where there is none."""
        table = self._library.model.table(name)
        return None if table is None or table.kind is TableKind.MODEL else self._statement(table.name, physical)

    def _statement(self, name: str, physical: Physical) -> exp.Query:
        return self._library.once((name, self._asker), lambda reads: self._planned_statement(name, reads), physical)

    def _planned_statement(self, name: str, physical: Physical) -> exp.Query:
        reading = self._library.statements.reading(name)
        table = self._library.statements.table(name)
        if reading.mistakes:
            raise Unplannable(f"{name}: {reading.mistakes[0][0]}")
        tree = read_query(table.statement or "", self.dialect)
        if isinstance(tree, Unreadable):
            raise Unplannable(f"{name}: {tree.reason}")
        bodies = _Bodies(self._library, self._session, physical)
        return assemble(tree, self._library.catalogue, reading.reads or {}, bodies, physical, self.dialect)

    def row_conditions(self, model: Model) -> list[exp.Expr]:
        """See `Access`."""
        return self._access.row_conditions(model)

    def check_readable(self, model: Model, column: ModelColumn) -> None:
        """See `Access`."""
        self._access.check_readable(model, column)
