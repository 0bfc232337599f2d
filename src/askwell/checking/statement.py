"""A bound statement as a check sees it: what each name refers to, what it shows, filters by, counts and sorts by."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sqlglot import exp

from askwell.checking.question import cues
from askwell.mdl.semantic_model import Cardinality, Column, ColumnRef, SemanticModel, Table, names_of
from askwell.question.words import stems
from askwell.sql.bound import BoundSql
from askwell.sql.scopes import Source
from askwell.sql.scopes.resolution import model_columns

COMPARISONS = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Like, exp.ILike, exp.Is)
_TO_ONE = (Cardinality.MANY_TO_ONE, Cardinality.ONE_TO_ONE)


@dataclass(frozen=True, slots=True)
class Filter:
    """A condition that compares a column with constants: `values` are these as text, empty for NULL."""

    node: exp.Expr
    ref: ColumnRef
    values: tuple[exp.Literal, ...]


@dataclass(frozen=True)
class Written:
    """What a check asks of a statement. `refs` gives for the identity of a column's node the model's column, `sources`
    what stands after FROM and has it."""

    bound: BoundSql
    model: SemanticModel
    refs: dict[int, ColumnRef]
    sources: dict[int, Source]

    @property
    def tree(self) -> exp.Expr:
        return self.bound.tree

    @cached_property
    def root(self) -> exp.Select | None:
        """The outermost SELECT; of a set operation the first."""
        node: exp.Expr | None = self.tree
        while isinstance(node, exp.SetOperation | exp.Subquery):
            node = node.this
        return node if isinstance(node, exp.Select) else None

    @cached_property
    def columns(self) -> frozenset[ColumnRef]:
        """All columns of the model that are read by name."""
        return frozenset(self.refs.values())

    @cached_property
    def tables(self) -> tuple[Table, ...]:
        """The model's tables that are read."""
        return tuple(table for name in self.bound.tables if (table := self.model.table(name)) is not None)

    @cached_property
    def keys(self) -> frozenset[ColumnRef]:
        """Columns that are a key of their table, or refer to one."""
        found = {ColumnRef(table.name, key) for table in self.tables for key in table.primary_key}
        for link in self.model.relationships:
            for left, right in link.pairs:
                found |= {ColumnRef(link.left, left), ColumnRef(link.right, right)}
        return frozenset(found)

    @cached_property
    def sure_keys(self) -> frozenset[ColumnRef]:
        """The keys that the model declares."""
        links = [link for link in self.model.relationships if not link.inferred]
        pairs = [(link, left, right) for link in links for left, right in link.pairs]
        ends = {ref for link, one, other in pairs for ref in (ColumnRef(link.left, one), ColumnRef(link.right, other))}
        return frozenset(ends | {ColumnRef(table.name, key) for table in self.tables for key in table.primary_key})

    @cached_property
    def literals(self) -> tuple[exp.Literal, ...]:
        return tuple(self.tree.find_all(exp.Literal))

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """What it has in quotes."""
        return tuple(literal.name for literal in self.literals if literal.is_string)

    @cached_property
    def items(self) -> tuple[exp.Expr, ...]:
        """What the outermost SELECT shows."""
        return tuple(self.root.expressions) if self.root is not None else ()

    @cached_property
    def shown(self) -> tuple[ColumnRef | None, ...]:
        """For each item the column that it is, if it is one."""
        return tuple(self.ref(item.unalias()) for item in self.items)

    def clause(self, name: str) -> Any:
        """A clause of the outermost SELECT, by sqlglot's name for it; None where it has none."""
        return self.root.args.get(name) if self.root is not None else None

    @property
    def joins(self) -> list[exp.Join]:
        """The joins of the outermost SELECT."""
        return self.clause("joins") or []

    @cached_property
    def read(self) -> tuple[Column, ...]:
        """The model's columns that are read."""
        return tuple(column for ref in self.columns if (column := self.column(ref)) is not None)

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of all names that the statement uses."""
        return self.column_stems.union(*map(named, self.tables))

    @cached_property
    def column_stems(self) -> frozenset[str]:
        """The stems of the names of the columns that are read."""
        return frozenset().union(*map(named, self.read))

    @cached_property
    def read_measures(self) -> bool:
        """Whether a column of amounts is read."""
        return not cues().stems["measures"].isdisjoint(self.column_stems)

    @cached_property
    def described(self) -> frozenset[str]:
        """The stems of what describes the tables and columns that are read."""
        texts = [*(table.description for table in self.tables), *(column.description for column in self.read)]
        return frozenset(stem for text in texts for stem in stems(text or ""))

    def column(self, ref: ColumnRef | None) -> Column | None:
        table = self.model.table(ref.table) if ref is not None else None
        return table.column(ref.column) if table is not None and ref is not None else None

    def has(self, *kinds: type[exp.Expr]) -> bool:
        """Whether one of these nodes stands anywhere in it."""
        return self.tree.find(*kinds) is not None

    def ref(self, node: exp.Expr | None) -> ColumnRef | None:
        """The column that an expression is, with the casts and functions of one argument around it taken off."""
        while isinstance(node, exp.Paren | exp.Cast | exp.Lower | exp.Upper | exp.Trim | exp.Collate):
            node = node.this
        return self.refs.get(id(node)) if isinstance(node, exp.Column) else None

    def refs_in(self, node: exp.Expr) -> list[ColumnRef]:
        """The model's columns in an expression."""
        return [ref for one in node.find_all(exp.Column) if (ref := self.refs.get(id(one))) is not None]

    @cached_property
    def filters(self) -> tuple[Filter, ...]:
        """The conditions that compare a column with constants."""
        return tuple(self._filters())

    def _filters(self) -> Iterator[Filter]:
        for node in self.tree.find_all(*COMPARISONS, exp.In, exp.Between):
            for side, others in _sides(node):
                ref, values = self.ref(side), [_constant(other) for other in others]
                if ref is not None and values and all(value is not None for value in values):
                    yield Filter(node, ref, tuple(one for value in values if value for one in value))
                    break

    def looked_up(self, table: str) -> set[str]:
        """The tables of which each row of a table has one row at most, its own among them."""
        links = self.model.relationships
        ends = [(link.left, link.right, link.cardinality) for link in links]
        ends += [(link.right, link.left, link.cardinality.reversed()) for link in links]
        found, waiting = {table}, [table]
        for name in waiting:
            new = {other for one, other, many in ends if one == name and many in _TO_ONE} - found
            found |= new
            waiting += new
        return found

    def replaced(self, node: exp.Expr, new: exp.Expr) -> exp.Expr:
        """The statement with another node in the place of one; nothing is changed in place."""
        tree = self.tree.copy()
        next(copy for one, copy in zip(self.tree.walk(), tree.walk(), strict=True) if one is node).replace(new)
        return tree

    def text(self, node: exp.Expr) -> str:
        """A part of the statement, as it is written."""
        return node.sql(dialect=self.bound.dialect, comments=False)


def _sides(node: exp.Expr) -> Iterator[tuple[exp.Expr | None, list[exp.Expr | None]]]:
    """What is compared, with what it is compared with; both ways round where that is the same."""
    if isinstance(node, exp.In):
        yield node.this, list(node.expressions)
    elif isinstance(node, exp.Between):
        yield node.this, [node.args["low"], node.args["high"]]
    else:
        yield node.this, [node.args.get("expression")]
        yield node.args.get("expression"), [node.this]


def _constant(node: exp.Expr | None) -> tuple[exp.Literal, ...] | None:
    while isinstance(node, exp.Paren | exp.Neg | exp.Cast | exp.Lower | exp.Upper):
        node = node.this
    if isinstance(node, exp.Null | exp.Boolean):
        return ()
    return (node,) if isinstance(node, exp.Literal) else None


def named(thing: Table | Column | None) -> frozenset[str]:
    """The stems of what a table or a column may be called."""
    return frozenset(stem for name in names_of(thing) for stem in stems(name)) if thing is not None else frozenset()


def read_statement(bound: BoundSql, model: SemanticModel) -> Written:
    """What a check asks of a bound statement."""
    sources = {id(use.node): use.source for use in bound.resolution.columns}
    return Written(bound, model, model_columns(bound.resolution), sources)
