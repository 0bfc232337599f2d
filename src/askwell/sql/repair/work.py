"""What the repairs of names share: the statement, what is wrong with it, and the model it is about."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from sqlglot import exp

from askwell.mdl.join_graph import JoinGraph
from askwell.mdl.semantic_model import SemanticModel, Table
from askwell.sql.names import Renamed, fold
from askwell.sql.scopes import NameProblem, Resolution, Source


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What stays the same from one statement to the next. `known` are the words that the model's names are made of;
    `renamed` gives the table that is meant by a schema and name that the model does not have, where that was taught."""

    model: SemanticModel
    graph: JoinGraph
    dialect: str
    known: frozenset[str]
    functions: frozenset[str]
    renamed: Renamed


@dataclass(frozen=True, slots=True)
class Asked:
    """What is known of the question that a statement answers: the `tables` that it names, and its `words`, singular."""

    tables: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()


NOTHING_ASKED = Asked()


@dataclass(frozen=True, slots=True)
class Work:
    """A statement in the making: `tree` is changed in place, `resolution` is what resolving it as it is now gave.

    `moved` collects the columns that were given to another table than the one that was written.
    """

    around: Surroundings
    tree: exp.Expr
    resolution: Resolution
    asked: Asked = NOTHING_ASKED
    moved: list[exp.Expr] = field(default_factory=list)

    def move(self, column: exp.Expr, source_name: str) -> None:
        """Give a column to another source than the one that was written."""
        requalify(column, source_name)
        self.moved.append(column)

    def source_of(self, column: exp.Expr) -> Source | None:
        """The source that a column which is no problem belongs to."""
        return next((use.source for use in self.resolution.columns if use.node is column), None)


def select_of(node: exp.Expr) -> exp.Select | None:
    """The SELECT that a node stands in, not counting one that it is itself."""
    return node.find_ancestor(exp.Select)


def own_sources(problem: NameProblem) -> list[Source]:
    """The named sources of the very SELECT that the problem stands in."""
    select = select_of(problem.node)
    return [s for s in problem.in_scope if s.name and s.node is not None and select_of(s.node) is select]


def named_sources(select: exp.Select) -> list[str]:
    """The folded names that what stands in FROM and JOIN goes by."""
    from_ = select.args.get("from_")
    nodes = [from_.this] if from_ is not None else []
    nodes += [join.this for join in select.args.get("joins") or ()]
    return [fold(node.alias_or_name) for node in nodes if isinstance(node, exp.Expr) and node.alias_or_name]


def columns_of(source: Source) -> list[str]:
    """The columns of a source as spelled; empty where they are not known."""
    return list((source.columns or {}).values())


def table_has(table: Table, names: Collection[str]) -> bool:
    """Whether a table has columns of all these folded names."""
    return set(names) <= {fold(column.name) for column in table.columns}


def has_all(source: Source, names: Iterator[str] | set[str]) -> bool:
    """Whether a source is known to have columns of all these folded names."""
    return all(source.has(name) for name in names)


def used_under(qualifier: str, within: exp.Expr) -> list[exp.Column]:
    """The columns of `within` that are written behind this qualifier, which names no source there."""
    key = fold(qualifier)
    return [column for column in within.find_all(exp.Column) if fold(column.text("table")) == key]


def requalify(column: exp.Expr, name: str) -> None:
    """Put `name` before the column, in place of whatever stands there."""
    column.set("table", exp.to_identifier(name))
    column.set("db", None)
    column.set("catalog", None)


def rename(node: exp.Expr, name: str) -> None:
    """Give a column, a table or a bare identifier another name."""
    identifier = node if isinstance(node, exp.Identifier) else node.this
    if isinstance(identifier, exp.Identifier):
        identifier.set("this", name)
        identifier.set("quoted", exp.to_identifier(name).args.get("quoted"))


def quoted_name(name: str) -> str:
    """A name as it stands in sentences."""
    return f"`{name}`"
