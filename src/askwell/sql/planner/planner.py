"""The planner: a bound statement over the model becomes one over the database's own tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from sqlglot import exp
from sqlglot.errors import SqlglotError

from askwell.mdl.aggregates import TooComplex, taken_apart
from askwell.mdl.manifest import Manifest
from askwell.mdl.semantic_model import SemanticModel
from askwell.sql.bound import BoundSql, ModelCatalogue
from askwell.sql.context import QueryContext
from askwell.sql.names import fold
from askwell.sql.outcome import RejectedSql, RejectionKind
from askwell.sql.planner.assembly import assemble
from askwell.sql.planner.clock import pin_clock
from askwell.sql.planner.library import Bodies, Library, as_query
from askwell.sql.planner.safety import model_shapes, physical_shapes
from askwell.sql.planner.surroundings import Barrier, Physical, Unplannable
from askwell.sql.scopes import Shape


def fit(tree: exp.Query, dialect: str) -> None:
    """Change `tree` in place to what the database means by it. Raises `Unplannable` where it has nothing like it."""
    fitted = _FITTED.get(dialect)
    for node in list(tree.walk()) if fitted else ():
        for kind, change in (fitted or {}).items():
            if isinstance(node, kind):
                change(node)


# SQLite


def _keep_whole_numbers(cast: exp.Expr) -> None:
    """sqlglot writes DECIMAL as REAL. In SQLite a whole number stays one, and divides like one: any name of a type that
    it does not know makes a number of a text and leaves numbers as they are."""
    if cast.args["to"].this is exp.DType.DECIMAL:
        cast.set("to", exp.DataType(this=exp.DType.BIGDECIMAL))


# MySQL and MariaDB, which are the same dialect


def _filtered(filtered: exp.Expr) -> None:
    """Neither has FILTER; aggregates skip nulls, so a condition around the value does the same."""
    try:
        value, template = taken_apart(filtered)
    except TooComplex as error:
        raise Unplannable(f"the database has no FILTER, and without it {error}") from error
    holder = exp.Paren(this=template)
    for place in list(holder.find_all(exp.Placeholder)):
        place.replace(value.copy())
    filtered.replace(holder.this)


def _no_full_join(join: exp.Expr) -> None:
    """Read as the alias "full" of an inner join, and what sqlglot writes instead is wrong under an aggregate."""
    if join.text("side").upper() == "FULL":
        raise Unplannable(
            "the database has no FULL JOIN; a LEFT JOIN and, after UNION ALL, the rows that only the other side has, "
            "give the same"
        )


_Changes = Mapping[type[exp.Expr], Callable[[exp.Expr], None]]

_FITTED: Mapping[str, _Changes] = {
    "sqlite": {exp.Cast: _keep_whole_numbers},
    "mysql": {exp.Filter: _filtered, exp.Join: _no_full_join},
}

# Where PostgreSQL, and SQLite and DuckDB, look for a table without a schema.
_UNNAMED_SCHEMAS = frozenset({"public", "main"})


@dataclass(frozen=True, slots=True)
class PlannedSql:
    """What would be run, before the guard looks at it again.

    `physical` maps the names of the database's tables to the columns read of each, None where they are not known
    (`refSql`); `qualifiers` are the schemas, or catalog.schema, that stand before them. Both as the model spells them.
    `shapes` and `cte_shapes` give the declared inner structure of columns, for the guard: see `Allowed`. `rules` says
    that row rules were applied. `written` are the views, metrics and cubes whose statements are part of it.
    """

    tree: exp.Expr
    dialect: str
    physical: Mapping[str, frozenset[str] | None]
    qualifiers: frozenset[str] = field(default_factory=frozenset)
    shapes: Mapping[str, Mapping[str, Shape]] = field(default_factory=dict)
    cte_shapes: Mapping[str, Mapping[str, Shape]] = field(default_factory=dict)
    rules: bool = False
    written: frozenset[str] = frozenset()

    @property
    def sql(self) -> str:
        """The tree written out, as it is before the guard has seen it."""
        return self.tree.sql(dialect=self.dialect, comments=False)

    def renames(self, bound: BoundSql) -> bool:
        """Whether the database calls something that the statement reads otherwise than the model does, or has it in a
        schema that has to be named: the statement itself does not run there."""
        if not {fold(name) for name in self.qualifiers} <= _UNNAMED_SCHEMAS:
            return True
        physical = {fold(name): columns for name, columns in self.physical.items()}
        if physical.keys() != {fold(name) for name in bound.tables}:
            return True
        return any(
            (there := physical[fold(name)]) is None or not {*map(fold, columns)} <= {*map(fold, there)}
            for name, columns in bound.columns.items()
        )


class Planner:
    """Plans statements over one semantic model. Made once per model; `plan` may be called from several threads.

    `model` is the authorised view that statements were bound to, `manifest` what it was made from, `dialect` sqlglot's
    name for the SQL of the data source. `mask_hidden_rows` as in `barrier.Barrier`.
    """

    def __init__(
        self, model: SemanticModel, manifest: Manifest, dialect: str, *, mask_hidden_rows: bool = False
    ) -> None:
        self._dialect = dialect
        self._catalogue = ModelCatalogue(model)
        self._shapes = model_shapes(model, dialect)
        self._library = Library(model, manifest, dialect, Barrier.of(dialect, mask_hidden_rows=mask_hidden_rows))

    def plan(self, bound: BoundSql, context: QueryContext) -> PlannedSql | RejectedSql:
        """The statement over physical tables, with the ask's own clock; or why it cannot be planned."""
        try:
            tree = as_query(bound.tree.copy())
            physical = Physical()
            bodies = Bodies(self._library, context.session_properties, physical)
            planned = assemble(tree, self._catalogue, bound.columns, bodies, physical, self._dialect)
            pin_clock(planned, context, self._dialect)
            fit(planned, self._dialect)
        except Unplannable as error:
            return _rejected(bound, str(error), error.hint)
        except RecursionError:
            return _rejected(bound, "it is nested too deeply")
        except SqlglotError as error:
            return _rejected(bound, str(error).splitlines()[0][:200])
        columns: dict[str, frozenset[str] | None] = {}
        for place, read in physical.tables.items():
            known = columns.get(place.name, frozenset())
            columns[place.name] = None if read is None or known is None else known | read
        qualifiers = frozenset(place.qualifier for place in physical.tables if place.qualifier)
        shapes = physical_shapes(physical.models, self._dialect)
        ctes = {fold(cte): self._shapes[fold(table)] for cte, table in physical.ctes.items()} if _dots(planned) else {}
        written = frozenset(physical.written)
        return PlannedSql(planned, self._dialect, columns, qualifiers, shapes, ctes, physical.rules, written)

    @property
    def dialect(self) -> str:
        """sqlglot's name for the SQL that it plans."""
        return self._dialect

    @property
    def has_rules(self) -> bool:
        """Whether any model has a row or column rule."""
        return self._library.has_rules

    def same_for_all(self, table: str, columns: Sequence[str]) -> frozenset[str]:
        """Those of a table's columns, all by canonical name, of which everybody reads the same values: no rule on the
        way to them has a session property."""
        if not self._library.has_rules or not self._depends_on_asker(table, columns):
            return frozenset(columns)
        if self._depends_on_asker(table, ()):
            return frozenset()
        return frozenset(column for column in columns if not self._depends_on_asker(table, (column,)))

    def _depends_on_asker(self, table: str, columns: Sequence[str]) -> bool:
        physical = Physical()
        try:
            Bodies(self._library, {}, physical)(table, frozenset(columns), whole=False)
        except (Unplannable, RecursionError, SqlglotError):
            return True
        return physical.by_asker


def _dots(tree: exp.Expr) -> bool:
    return tree.find(exp.Dot) is not None


def _rejected(bound: BoundSql, reason: str, hint: str = "") -> RejectedSql:
    written = bound.tree.sql(dialect=bound.dialect, comments=False)
    return RejectedSql(RejectionKind.DRY_PLAN, written, written, f"This cannot be planned: {reason}.", hint=hint)
