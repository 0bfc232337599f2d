"""The SQL that a model stands for: its physical rows, with calculated fields worked out.

A body is written for just the columns that are used. Columns of the model's own rows, and expressions over them, are
plain SQL. Values that come over relationships are worked out by wren-core (`wren.py`) as *atoms*: `customer.country`
is one, and so is `avg(reviews.score)` as a whole; what stands around atoms in an expression is plain SQL again. Related
rows are bodies themselves, so a calculated field may build on another model's calculated fields to any depth.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from sqlglot import exp

from askwell.mdl.aggregates import TooComplex, aggregate_around, common_hops, is_own_aggregate, taken_apart
from askwell.mdl.expressions import Unreadable, read_expression, read_query, reference, references
from askwell.mdl.lookup import Dangling, Hop, Lookup, Reach
from askwell.mdl.manifest import Model, ModelColumn
from askwell.mdl.names import words
from askwell.sql.names import fold
from askwell.sql.planner.wren import Atom, Rows, Step, WrenFailure, joined

# A calculated field that needs more models around one another than this is a circle, or as good as one.
_MAX_LEVELS = 12


class Unplannable(Exception):
    """The statement cannot be planned; the message says what stands in the way. Becomes a rejection, never escapes."""


@dataclass(frozen=True, slots=True)
class PhysicalTableRef:
    """A table of the database, as the plan names it."""

    name: str
    qualifier: str = ""


@dataclass(slots=True)
class Physical:
    """The physical tables a plan reads, with the columns it reads of each; None where they are not known."""

    tables: dict[PhysicalTableRef, set[str] | None] = field(default_factory=dict)

    def read(self, table: PhysicalTableRef, columns: set[str] | None) -> None:
        """Note that the plan reads these columns of the table, besides those already noted."""
        known = self.tables.get(table, set())
        self.tables[table] = None if columns is None or known is None else known | columns

    def add(self, other: Physical) -> None:
        """Note all that another plan reads."""
        for table, columns in other.tables.items():
            self.read(table, columns)


class Surroundings(Protocol):
    """What a body needs to know besides the model itself."""

    @property
    def lookup(self) -> Lookup: ...

    @property
    def dialect(self) -> str: ...

    def statement(self, name: str, physical: Physical) -> exp.Query | None:
        """The planned statement of the view, metric or cube of that name, noting in `physical` what it reads."""
        ...

    def row_conditions(self, model: Model) -> list[exp.Expr]:
        """What must hold of the model's rows for whoever asks. Raises `Unplannable` where that cannot be known."""
        ...

    def check_readable(self, model: Model, column: ModelColumn) -> None:
        """Raises `Unplannable` where whoever asks may not read the column."""
        ...


def write_body(around: Surroundings, model: Model, columns: tuple[str, ...], physical: Physical) -> exp.Select:
    """A SELECT of the model's columns under their own names, noting in `physical` what it reads.

    Raises `Unplannable`.
    """
    writer = _Writer(around, physical)
    return writer.rows(model, {name: reference((name,)) for name in columns}, level=0)


class _Writer:
    """Writes one body. Names inside it carry a number, so that no two of them are the same."""

    def __init__(self, around: Surroundings, physical: Physical) -> None:
        self.around, self.physical = around, physical
        self.lookup, self.dialect = around.lookup, around.dialect
        self._numbers = 0

    def unique(self, wanted: str) -> str:
        self._numbers += 1
        return f"{'_'.join(words(wanted))[:40] if wanted.isascii() else 'c'}_{self._numbers}"

    def rows(self, model: Model, outputs: Mapping[str, exp.Expr], level: int, *, all_rows: bool = False) -> exp.Select:
        """The model's rows with `outputs`: expressions over its columns and relationship columns, by their names.

        Row rules are applied, but not with `all_rows`, for rows to which they are applied further out.
        """
        if level > _MAX_LEVELS:
            raise Unplannable(f"calculated fields of {model.name} lead through more than {_MAX_LEVELS} models")
        compiler = _Compiler(self, model)
        compiled = {name: compiler.compiled(expression) for name, expression in outputs.items()}
        projections = compiled or {"present": exp.Literal.number(1)}
        select = exp.select(*(exp.alias_(tree, name, quoted=True) for name, tree in projections.items()), copy=False)
        if not all_rows:
            conditions = [compiler.compiled(condition) for condition in self.around.row_conditions(model)]
            select.where(*conditions, copy=False)
        if not compiler.root.children:
            for column in list(select.find_all(exp.Column)):
                column.replace(_grouped(compiler.own_value(column.name)))
            return select.from_(self._source(model, select, level), copy=False)
        joined_rows = self._joined(compiler, level)
        return select.from_(exp.Subquery(this=joined_rows, alias=_alias("base")), copy=False)

    def _joined(self, compiler: _Compiler, level: int) -> exp.Query:
        root = compiler.root
        if any(atom.aggregate for atom in compiler.atoms):
            root.key = root.output(_key(compiler.model))
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

    def _collect(self, node: _Node, rows: dict[int, Rows], steps: dict[int, Step], level: int) -> None:
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
        read = {column.name for column in select.find_all(exp.Column)}
        if model.ref_sql:
            return self._statement_source(model)
        if model.base_object:
            return self._base_source(model.base_object, read, level)
        place = model.table_reference
        if place is None or not place.table:
            raise Unplannable(f"{model.name} does not say where its rows are")
        parts = [part for part in (place.catalog, place.schema_name) if part]
        self.physical.read(PhysicalTableRef(place.table, ".".join(parts)), read)
        return exp.table_(
            place.table,
            db=exp.to_identifier(place.schema_name or None, quoted=True),
            catalog=exp.to_identifier(place.catalog or None, quoted=True),
            quoted=True,
        )

    def _statement_source(self, model: Model) -> exp.Expr:
        query = read_query(model.ref_sql or "", self.dialect)
        if isinstance(query, Unreadable):
            raise Unplannable(f"the refSql of {model.name} cannot be used: {query.reason}")
        ctes = {cte.alias.lower() for cte in query.find_all(exp.CTE)}
        for table in query.find_all(exp.Table):
            if table.name and (table.db or table.name.lower() not in ctes):
                qualifier = ".".join(part for part in (table.catalog, table.db) if part)
                self.physical.read(PhysicalTableRef(table.name, qualifier), None)
        return exp.Subquery(this=query, alias=_alias("base"))

    def _base_source(self, name: str, read: set[str], level: int) -> exp.Expr:
        base = self.lookup.model(name)
        if base is None:
            statement = self.around.statement(name, self.physical)
            if statement is None:
                raise Unplannable(f'the model has no "{name}"')
            return exp.Subquery(this=statement, alias=_alias("base"))
        found = [column.name for column in base.columns if not column.relationship and _fold_in(column.name, read)]
        rows = self.rows(base, {name: reference((name,)) for name in found}, level + 1)
        return exp.Subquery(this=rows, alias=_alias("base"))


def _fold_in(name: str, names: set[str]) -> bool:
    return fold(name) in {fold(other) for other in names}


@dataclass(slots=True)
class _Node:
    """Rows of `model` on the way that `hop` leads to; `outputs` are what others need of them, by their SQL."""

    writer: _Writer
    model: Model
    hop: Hop | None = None
    outputs: dict[str, tuple[exp.Expr, str]] = field(default_factory=dict)
    children: dict[str, _Node] = field(default_factory=dict)
    pairs: list[tuple[str, str]] = field(default_factory=list)
    key: str | None = None

    def child(self, hop: Hop) -> _Node:
        return self.children.setdefault(hop.handle, _Node(self.writer, hop.target, hop))

    def output(self, expression: exp.Expr) -> str:
        """The name under which these rows yield the expression."""
        text = expression.sql()
        if text not in self.outputs:
            wanted = expression.name if isinstance(expression, exp.Column) else "value"
            self.outputs[text] = (expression, self.writer.unique(wanted))
        return self.outputs[text][1]


@dataclass(frozen=True, slots=True)
class _PlannedAtom:
    name: str
    path: tuple[_Node, ...]
    column: str
    aggregate: exp.Expr | None


class _Compiler:
    """Turns expressions over a model into expressions over columns with unique names, and collects what these need."""

    def __init__(self, writer: _Writer, model: Model) -> None:
        self.writer, self.model = writer, model
        self.root = _Node(writer, model)
        self.atoms: list[_PlannedAtom] = []
        self._expanding: list[str] = []

    def compiled(self, expression: exp.Expr) -> exp.Expr:
        """The expression with every reference, and every aggregate over related rows, replaced by a column."""
        holder = exp.Paren(this=expression.copy())
        reached = [(node, self._reach(names)) for node, names in references(holder)]
        aggregates: dict[int, tuple[exp.Expr, list[tuple[exp.Expr, Reach]]]] = {}
        for node, reach in reached:
            if reach.to_many:
                aggregate = aggregate_around(node, holder)
                if aggregate is None:
                    raise Unplannable(
                        f"{node.sql()} has many values for one of {self.model.name}: it needs an aggregate"
                    )
                aggregates[id(aggregate)] = (aggregate, [])
        for node, reach in reached:
            inside = [entry for entry in aggregates.values() if _is_within(node, entry[0])]
            if inside:
                inside[0][1].append((node, reach))
            else:
                if is_own_aggregate(node, holder):
                    raise Unplannable(
                        f"{expression.sql()} aggregates the rows of {self.model.name}; a metric can do that"
                    )
                node.replace(self._value(reach))
        for aggregate, members in aggregates.values():
            aggregate.replace(self._aggregated(aggregate, members))
        result: exp.Expr = holder.this
        return result

    def own_value(self, name: str) -> exp.Expr:
        """The physical expression behind a column that `compiled` put in place."""
        expression = next(expression for expression, output in self.root.outputs.values() if output == name)
        column = self.writer.lookup.column(self.model, expression.name)
        if column is None:
            raise Unplannable(f"{self.model.name} has no column {expression.name}")
        return self._physical(column)

    def _physical(self, column: ModelColumn) -> exp.Expr:
        if column.expression is None:
            return _column(column.name)
        tree = read_expression(column.expression, self.writer.dialect)
        if isinstance(tree, Unreadable):
            raise Unplannable(f"the expression of {self.model.name}.{column.name} cannot be used: {tree.reason}")
        return tree

    def _reach(self, names: tuple[str, ...]) -> Reach:
        reach = self.writer.lookup.reach(self.model, names)
        if isinstance(reach, Dangling):
            raise Unplannable(f'"{reach.name}" {reach.reason} of {reach.model}')
        self.writer.around.check_readable(reach.model, reach.column)
        return reach

    def _value(self, reach: Reach) -> exp.Expr:
        """A single value: of the row itself, or of the one row that a relationship leads to."""
        if reach.hops:
            child = self.root.child(reach.hops[0])
            rest = tuple(hop.handle for hop in reach.hops[1:])
            return self._atom((child,), reference((*rest, reach.column.name)), None, reach.fields)
        column = reach.column
        if column.is_calculated:
            return _grouped(self._expanded(column))
        return _nested(_column(self.root.output(reference((column.name,)))), reach.fields)

    def _expanded(self, column: ModelColumn) -> exp.Expr:
        """A calculated column of the same model, worked out in place."""
        if column.name in self._expanding:
            circle = " → ".join([*self._expanding, column.name])
            raise Unplannable(f"calculated fields of {self.model.name} are built on one another: {circle}")
        self._expanding.append(column.name)
        expanded = self.compiled(self._physical(column))
        self._expanding.pop()
        return expanded

    def _aggregated(self, aggregate: exp.Expr, members: list[tuple[exp.Expr, Reach]]) -> exp.Expr:
        """An aggregate over related rows: over a value of each row at the end of the hops that all members share."""
        copy, nodes = _copied(aggregate, [node for node, _ in members])
        try:
            hops = common_hops([reach for _, reach in members])
            for node, (_, reach) in zip(nodes, members, strict=True):
                rest = tuple(hop.handle for hop in reach.hops[len(hops) :])
                node.replace(reference((*rest, reach.column.name, *reach.fields)))
            value, template = taken_apart(copy) if hops[-1].to_many else (copy, None)
        except TooComplex as error:
            raise Unplannable(f"{aggregate.sql()} cannot be planned: {error}") from error
        path: list[_Node] = []
        for hop in hops:
            path.append((path[-1] if path else self.root).child(hop))
        return self._atom(tuple(path), value, template)

    def _atom(
        self, path: tuple[_Node, ...], value: exp.Expr, aggregate: exp.Expr | None, fields: tuple[str, ...] = ()
    ) -> exp.Expr:
        column = path[-1].output(value)
        if aggregate is not None:
            aggregate = aggregate.transform(lambda node: _column(column) if isinstance(node, exp.Placeholder) else node)
        for known in self.atoms:
            if known.path == path and known.column == column and known.aggregate == aggregate:
                return _nested(_column(known.name), fields)
        atom = _PlannedAtom(self.writer.unique(path[0].hop.handle if path[0].hop else "value"), path, column, aggregate)
        self.atoms.append(atom)
        return _nested(_column(atom.name), fields)


def _column(name: str) -> exp.Expr:
    return exp.column(exp.to_identifier(name, quoted=True))


def _alias(name: str) -> exp.TableAlias:
    return exp.TableAlias(this=exp.to_identifier(name, quoted=True))


def _grouped(tree: exp.Expr) -> exp.Expr:
    simple = isinstance(tree, exp.Column | exp.Literal | exp.Func | exp.Paren | exp.Cast)
    return tree if simple else exp.Paren(this=tree)


def _nested(column: exp.Expr, fields: tuple[str, ...]) -> exp.Expr:
    for name in fields:
        column = exp.Dot(this=column, expression=exp.to_identifier(name, quoted=True))
    return column


def _key(model: Model) -> exp.Expr:
    """One value that tells the model's rows apart."""
    if not model.primary_key:
        raise Unplannable(f"{model.name} needs a primary key: it has calculated fields over several related rows")
    if len(model.primary_key) == 1:
        return reference(model.primary_key)
    texts = [exp.cast(reference((name,)), exp.DataType.Type.TEXT) for name in model.primary_key]
    # With the length before each part, ("a", "bc") and ("ab", "c") stay apart.
    parts = [
        part for text in texts for part in (exp.cast(exp.Length(this=text), "TEXT"), exp.Literal.string(":"), text)
    ]
    return exp.Concat(expressions=[part.copy() for part in parts], safe=False, coalesce=False)


def _is_within(node: exp.Expr, ancestor: exp.Expr) -> bool:
    here: exp.Expr | None = node
    while here is not None and here is not ancestor:
        here = here.parent
    return here is ancestor


def _copied(tree: exp.Expr, nodes: list[exp.Expr]) -> tuple[exp.Expr, list[exp.Expr]]:
    """A copy of the tree, and the nodes in it that stand where `nodes` do."""
    positions = {id(node): position for position, node in enumerate(tree.walk())}
    copy = tree.copy()
    walked = list(copy.walk())
    return copy, [walked[positions[id(node)]] for node in nodes]
