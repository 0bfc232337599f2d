"""The SQL that a model stands for: its physical rows, with calculated fields worked out.

A body is written for just the columns that are used. Related rows are bodies themselves, so a calculated field may
build on another model's calculated fields to any depth.

wren-core writes a level for each step it takes. Databases see through them, but SQLite's parser has room for few: so
subqueries that only hand columns on, or only join, become part of the query around them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from sqlglot import exp

from askwell.mdl.expressions import Unreadable, is_variable, read_query, reference
from askwell.mdl.manifest import Model
from askwell.mdl.names import is_file_place
from askwell.sql.guard.tables import effective_name
from askwell.sql.names import fold
from askwell.sql.planner.assembly import Body
from askwell.sql.planner.calculation import Compiler, Node, grouped
from askwell.sql.planner.surroundings import Names, Physical, PhysicalTableRef, Unplannable, masked
from askwell.sql.planner.wren import Atom, Rows, Step, WrenFailure, joined

if TYPE_CHECKING:
    from askwell.sql.planner.library import Bodies


def flatten(query: exp.Query) -> None:
    """Merge what can be merged into the query around it, from the inside out; `query` is changed in place.

    Only a subquery that stands first in FROM and is nothing but columns of tables that are joined is merged, so rows
    and their number stay the same.
    """
    for select in reversed(list(query.find_all(exp.Select))):
        while _merge(select):
            pass


def _merge(outer: exp.Select) -> bool:
    source = outer.args.get("from_")
    if source is None:
        return False
    subquery = source.this
    if not isinstance(subquery, exp.Subquery) or not isinstance(subquery.this, exp.Select):
        return False
    inner = subquery.this
    values = _column_values(inner)
    joins = outer.args.get("joins") or []
    if values is None or (joins and not _may_be_joined(inner, values, joins)):
        return False
    own = _own_columns(outer, subquery.alias)
    if any(column.name not in values for column in own):
        return False
    for projection in list(outer.expressions):
        if isinstance(projection, exp.Column):
            # The column may be called something else inside.
            projection.replace(exp.alias_(projection.copy(), projection.name, quoted=True))
    for column in _own_columns(outer, subquery.alias):
        column.replace(values[column.name].copy())
    source.set("this", inner.args["from_"].this)
    outer.set("joins", [*(inner.args.get("joins") or []), *joins])
    return True


def _column_values(inner: exp.Select) -> dict[str, exp.Column] | None:
    """The columns behind the subquery's output, if it is nothing but columns of joined tables."""
    if not {key for key, value in inner.args.items() if value} <= {"expressions", "from_", "joins"}:
        return None
    values = {projection.alias_or_name: projection.unalias() for projection in inner.expressions}
    if inner.args.get("from_") is None or len(values) < len(inner.expressions):
        return None
    columns = {name: value for name, value in values.items() if isinstance(value, exp.Column)}
    return columns if len(columns) == len(values) else None


def _may_be_joined(inner: exp.Select, values: dict[str, exp.Column], joins: list[exp.Join]) -> bool:
    """Whether its tables can stand beside those it is joined with: every column says whose it is, no name is twice."""
    inside = {inner.args["from_"].this.alias, *(join.this.alias for join in inner.args.get("joins") or [])}
    beside = {join.this.alias for join in joins}
    left = all(join.side == "LEFT" for join in [*(inner.args.get("joins") or []), *joins])
    return left and all(value.table for value in values.values()) and "" not in inside and not inside & beside


def _own_columns(outer: exp.Select, alias: str) -> list[exp.Column]:
    """The columns in the query's own clauses, without those of its subqueries, that belong to the source `alias`."""
    found = []
    for key, value in outer.args.items():
        if key == "from_":
            continue
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, exp.Expr):
                found += [
                    column
                    for column in part.walk(prune=lambda node: isinstance(node, exp.Subquery))
                    if isinstance(column, exp.Column) and column.table in ("", alias)
                ]
    return found


# A calculated field that needs more models around one another than this is a circle, or as good as one.
_MAX_LEVELS = 12


def write_body(around: Bodies, model: Model, columns: tuple[str, ...], physical: Physical) -> Body:
    """A SELECT of the model's columns under their own names, noting in `physical` what it reads.

    Raises `Unplannable`.
    """
    writer = _Writer(around, physical)
    select = writer.rows(model, {name: reference((name,)) for name in columns}, level=0)
    barrier = around.barrier
    return Body(barrier.closed(select), barrier.materialized) if physical.rules else Body(select)


class _Writer:
    """Writes one body, and the bodies inside it."""

    def __init__(self, around: Bodies, physical: Physical) -> None:
        self.around, self.physical = around, physical
        self.names = Names()

    def rows(self, model: Model, outputs: Mapping[str, exp.Expr], level: int, *, all_rows: bool = False) -> exp.Select:
        """The model's rows with `outputs`: expressions over its columns and relationship columns, by their names.

        Row rules are applied, but not with `all_rows`, for rows to which they are applied further out.
        """
        if level > _MAX_LEVELS:
            raise Unplannable(f"calculated fields of {model.name} lead through more than {_MAX_LEVELS} models")
        compiler = Compiler(self.around, self.names, model, self.physical)
        compiled = {name: compiler.compiled(expression) for name, expression in outputs.items()}
        projections = compiled or {"present": exp.Literal.number(1)}
        select = exp.select(*(exp.alias_(tree, name, quoted=True) for name, tree in projections.items()), copy=False)
        if all_rows:
            return self._from(select, compiler, model, level)
        conditions = [compiler.compiled(condition) for condition in self.around.row_conditions(model, self.physical)]
        if not conditions:
            return self._from(select, compiler, model, level)
        self.physical.rules = True
        if not self.around.barrier.masks:
            return self._from(select.where(*conditions, copy=False), compiler, model, level)
        select = masked(select, exp.and_(*conditions, copy=False), self.names)
        self._from(select.args["from_"].this.this, compiler, model, level)
        return select

    def _from(self, select: exp.Select, compiler: Compiler, model: Model, level: int) -> exp.Select:
        """The SELECT over columns with unique names, with where these come from."""
        if not compiler.root.children:
            for column in _columns(select):
                column.replace(grouped(compiler.own_value(column.name)))
            _without_outer_parentheses(select)
            source = self._source(model, select, level)
            _say_whose(select, source.alias_or_name)
            return select.from_(source, copy=False)
        _without_outer_parentheses(select)
        select.from_(exp.Subquery(this=self._joined(compiler, level), alias=_alias("base")), copy=False)
        flatten(select)
        return select

    def _joined(self, compiler: Compiler, level: int) -> exp.Query:
        root = compiler.root
        if any(atom.aggregate for atom in compiler.atoms):
            root.key = root.output(_key(compiler.model, self.around.dialect))
        rows: dict[int, Rows] = {}
        steps: dict[int, Step] = {}
        self._collect(root, rows, steps, level)
        try:
            return joined(
                rows[id(root)],
                [
                    Atom(atom.name, tuple(steps[id(node)] for node in atom.path), atom.column, atom.aggregate)
                    for atom in compiler.atoms
                ],
            )
        except WrenFailure as failure:
            raise Unplannable(f"calculated fields of {compiler.model.name} cannot be planned: {failure}") from failure

    def _collect(self, node: Node, rows: dict[int, Rows], steps: dict[int, Step], level: int) -> None:
        for child in node.children.values():
            for here, there in child.hop.pairs if child.hop else ():
                child.pairs.append((node.output(reference((here,))), child.output(reference((there,)))))
            self._collect(child, rows, steps, level)
        outputs = {name: expression for expression, name in node.outputs.values()}
        query = self.rows(node.model, outputs, level + 1, all_rows=node.hop is None)
        own = rows[id(node)] = Rows(query, tuple(name for _, name in node.outputs.values()), node.key)
        for child in node.children.values():
            many = child.hop is not None and child.hop.to_many
            steps[id(child)] = step = Step(rows[id(child)], tuple(child.pairs), many)
            own.steps.append(step)

    def _source(self, model: Model, select: exp.Select, level: int) -> exp.Expr:
        """Where the model's rows are; `select` is what is read of them."""
        # Of `payload.user` it cannot be said which part is the column, so all of them count.
        read = {part.name for column in _columns(select) for part in column.parts}
        if (model.ref_sql or "").strip():
            return self._statement_source(model)
        if model.base_object:
            return self._base_source(model.base_object, read, level)
        if model.table_reference is None or not model.table_reference.table:
            raise Unplannable(f"{model.name} does not say where its rows are")
        place = model.table_reference
        parts = [part for part in (place.catalog, place.schema_name) if part]
        self.physical.read(PhysicalTableRef(place.table, ".".join(parts)), read)
        self.physical.models.setdefault(place.table, []).append(model)
        return exp.table_(
            place.table,
            db=exp.to_identifier(place.schema_name or None, quoted=True),
            catalog=exp.to_identifier(place.catalog or None, quoted=True),
            quoted=True,
        )

    def _statement_source(self, model: Model) -> exp.Expr:
        query = read_query(model.ref_sql or "", self.around.dialect)
        if isinstance(query, Unreadable):
            raise Unplannable(f"the refSql of {model.name} cannot be used: {query.reason}")
        ctes = {cte.alias.lower() for cte in query.find_all(exp.CTE)}
        for table in query.find_all(exp.Table):
            if table.name and (table.db or table.name.lower() not in ctes):
                if is_file_place(table.name):
                    raise Unplannable(f'the refSql of {model.name} reads "{table.name}", which is the name of a file')
                qualifier = ".".join(part for part in (table.catalog, table.db) if part)
                # Without quotes the database folds the name, and the plan names what it then reads.
                name = effective_name(table.this, self.around.dialect)
                self.physical.read(PhysicalTableRef(name, qualifier), None)
        return exp.Subquery(this=query, alias=_alias("base"))

    def _base_source(self, name: str, read: set[str], level: int) -> exp.Expr:
        base = self.around.lookup.model(name)
        if base is None:
            statement = self.around.statement(name, self.physical)
            if statement is None:
                raise Unplannable(f'the model has no "{name}"')
            return exp.Subquery(this=statement, alias=_alias("base"))
        found = [column.name for column in base.columns if not column.relationship and _fold_in(column.name, read)]
        rows = self.rows(base, {name: reference((name,)) for name in found}, level + 1)
        return exp.Subquery(this=rows, alias=_alias("base"))


def _columns(tree: exp.Expr) -> list[exp.Column]:
    return [column for column in tree.find_all(exp.Column) if not is_variable(column)]


def _fold_in(name: str, names: set[str]) -> bool:
    return fold(name) in {fold(other) for other in names}


def _alias(name: str) -> exp.TableAlias:
    return exp.TableAlias(this=exp.to_identifier(name, quoted=True))


def _key(model: Model, dialect: str) -> exp.Expr:
    """One value that identifies the model's rows."""
    if not model.primary_key:
        raise Unplannable(f"{model.name} needs a primary key: it has calculated fields over several related rows")
    if len(model.primary_key) == 1:
        return reference(model.primary_key)
    texts: list[exp.Expr] = [exp.cast(reference((name,)), exp.DType.TEXT) for name in model.primary_key]
    if dialect == "mysql":
        # Texts made of columns are compared in the connection's collation, to which "a", "A" and "a " are the same.
        texts = [exp.Hex(this=text) for text in texts]
    # With the length before each part, ("a", "bc") and ("ab", "c") stay apart.
    parts = [
        part for text in texts for part in (exp.cast(exp.Length(this=text), "TEXT"), exp.Literal.string(":"), text)
    ]
    return exp.Concat(expressions=[part.copy() for part in parts], safe=False, coalesce=False)


def _say_whose(select: exp.Select, source: str) -> None:
    """Put the source's name before its columns: SQLite takes a quoted name that it does not know for a text, and would
    give the name of a missing column in every row. With whose it is, it is an error."""
    for column in _columns(select):
        if not column.table:
            column.set("table", exp.to_identifier(source, quoted=True))


def _without_outer_parentheses(select: exp.Select) -> None:
    for projection in select.expressions:
        while isinstance(projection.this, exp.Paren):
            projection.set("this", projection.this.this)
