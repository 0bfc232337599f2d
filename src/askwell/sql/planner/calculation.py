"""Calculated fields, taken apart into what plain SQL can say and what comes over relationships.

A value of the row itself stays SQL. `customer.country` is an *atom*, and so is `avg(reviews.score)` as a whole: those
are worked out with the related rows (`wren.py`). What stands around atoms in an expression is plain SQL again.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sqlglot import exp

from askwell.mdl.aggregates import TooComplex, aggregate_around, common_hops, is_own_aggregate, taken_apart
from askwell.mdl.expressions import Unreadable, is_inside, read_expression, reference, references
from askwell.mdl.lookup import Dangling, Hop, Reach
from askwell.mdl.manifest import Model, ModelColumn
from askwell.sql.planner.clock import note_kind
from askwell.sql.planner.surroundings import Names, Physical, Unplannable

if TYPE_CHECKING:
    from askwell.sql.planner.library import Bodies


@dataclass(slots=True)
class Node:
    """Rows of `model` on the way that `hop` leads to; `outputs` are what others need of them, by their SQL."""

    names: Names
    model: Model
    hop: Hop | None = None
    outputs: dict[str, tuple[exp.Expr, str]] = field(default_factory=dict)
    children: dict[str, Node] = field(default_factory=dict)
    pairs: list[tuple[str, str]] = field(default_factory=list)
    key: str | None = None

    def child(self, hop: Hop) -> Node:
        """The rows that `hop` leads to from here."""
        return self.children.setdefault(hop.handle, Node(self.names, hop.target, hop))

    def output(self, expression: exp.Expr) -> str:
        """The name under which these rows yield the expression."""
        text = expression.sql()
        if text not in self.outputs:
            wanted = expression.name if isinstance(expression, exp.Column) else "value"
            self.outputs[text] = (expression, self.names.unique(wanted))
        return self.outputs[text][1]


@dataclass(frozen=True, slots=True)
class PlannedAtom:
    """A value of the related rows at the end of `path`: their output `column`, in `aggregate` where it is one."""

    name: str
    path: tuple[Node, ...]
    column: str
    aggregate: exp.Expr | None


class Compiler:
    """Turns expressions over a model into expressions over columns with unique names, and collects what these need."""

    def __init__(self, around: Bodies, names: Names, model: Model, physical: Physical) -> None:
        self.model = model
        self.root = Node(names, model)
        self.atoms: list[PlannedAtom] = []
        self._around, self._names, self._physical_reads = around, names, physical
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
            inside = [entry for entry in aggregates.values() if is_inside(node, entry[0])]
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
        column = self._around.lookup.column(self.model, expression.name)
        if column is None:
            raise Unplannable(f"{self.model.name} has no column {expression.name}")
        return self._physical(column)

    def _physical(self, column: ModelColumn) -> exp.Expr:
        if column.expression is None:
            plain = _column(column.name)
            note_kind(plain, column.type)
            return plain
        tree = read_expression(column.expression, self._around.dialect)
        if isinstance(tree, Unreadable):
            raise Unplannable(f"the expression of {self.model.name}.{column.name} cannot be used: {tree.reason}")
        return tree

    def _reach(self, names: tuple[str, ...]) -> Reach:
        reach = self._around.lookup.reach(self.model, names)
        if isinstance(reach, Dangling):
            raise Unplannable(f'"{reach.name}" {reach.reason} of {reach.model}')
        self._around.check_readable(reach.model, reach.column, self._physical_reads)
        return reach

    def _value(self, reach: Reach) -> exp.Expr:
        """A single value: of the row itself, or of the one row that a relationship leads to."""
        if reach.hops:
            child = self.root.child(reach.hops[0])
            rest = tuple(hop.handle for hop in reach.hops[1:])
            return self._atom((child,), reference((*rest, reach.column.name)), None, reach.fields)
        column = reach.column
        if column.is_calculated:
            return grouped(self._expanded(column))
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
        path: list[Node] = []
        for hop in hops:
            path.append((path[-1] if path else self.root).child(hop))
        return self._atom(tuple(path), value, template)

    def _atom(
        self, path: tuple[Node, ...], value: exp.Expr, aggregate: exp.Expr | None, fields: tuple[str, ...] = ()
    ) -> exp.Expr:
        column = path[-1].output(value)
        if aggregate is not None:
            aggregate = aggregate.transform(lambda node: _column(column) if isinstance(node, exp.Placeholder) else node)
        for known in self.atoms:
            if known.path == path and known.column == column and known.aggregate == aggregate:
                return _nested(_column(known.name), fields)
        atom = PlannedAtom(self._names.unique(path[0].hop.handle if path[0].hop else "value"), path, column, aggregate)
        self.atoms.append(atom)
        return _nested(_column(atom.name), fields)


def _column(name: str) -> exp.Expr:
    return exp.column(exp.to_identifier(name, quoted=True))


def grouped(tree: exp.Expr) -> exp.Expr:
    """The expression, in parentheses unless it cannot be torn apart by what stands around it.

    Functions may be: databases have operators for some, as `a || b` for `concat(a, b)`.
    """
    simple = isinstance(
        tree, exp.Column | exp.Literal | exp.Boolean | exp.Null | exp.Paren | exp.AggFunc | exp.Anonymous
    )
    return tree if simple else exp.Paren(this=tree)


def _nested(column: exp.Expr, fields: tuple[str, ...]) -> exp.Expr:
    for name in fields:
        column = exp.Dot(this=column, expression=exp.to_identifier(name, quoted=True))
    return column


def _copied(tree: exp.Expr, nodes: list[exp.Expr]) -> tuple[exp.Expr, list[exp.Expr]]:
    """A copy of the tree, and the nodes in it that stand where `nodes` do."""
    positions = {id(node): position for position, node in enumerate(tree.walk())}
    copy = tree.copy()
    walked = list(copy.walk())
    return copy, [walked[positions[id(node)]] for node in nodes]
