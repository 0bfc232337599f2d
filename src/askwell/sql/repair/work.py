"""What the repairs of names share: the statement, what is wrong with it, and columns that are equal or common."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from sqlglot import exp

from askwell.mdl.expressions import conjuncts, sources_of
from askwell.mdl.join_graph import JoinGraph
from askwell.mdl.semantic_model import SemanticModel, Table
from askwell.sql.names import Renamed, fold
from askwell.sql.nearest import neighbours, tables_of
from askwell.sql.repair.spelling import repair_words, words
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
    return [fold(node.alias_or_name) for node in sources_of(select) if node.alias_or_name]


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


Place = tuple[int, str]  # the identity of a source, and a folded column name


class Equalities:
    """The classes of equal columns of one SELECT. Conditions of outer joins do not count: there a side may be null."""

    def __init__(self, select: exp.Select, work: Work) -> None:
        self._above: dict[Place, Place] = {}
        places = {id(use.node): (id(use.source), fold(use.name)) for use in work.resolution.columns}
        for equality in _always_equal(select):
            left, right = (places.get(id(side)) for side in (equality.this, equality.expression))
            if left is not None and right is not None:
                self._above[self._root(left)] = self._root(right)

    def all_equal(self, places: list[tuple[Source, str]]) -> bool:
        """Whether these columns of sources always hold the same value."""
        return len({self._root((id(source), fold(column))) for source, column in places}) <= 1

    def _root(self, place: Place) -> Place:
        while place in self._above and self._above[place] != place:
            place = self._above[place]
        return place


def is_outer(join: exp.Expr) -> bool:
    """Whether a join keeps rows without partner, or is none that multiplies."""
    return bool(join.args.get("side")) or join.text("kind").upper() in ("OUTER", "FULL", "SEMI", "ANTI")


def _always_equal(select: exp.Select) -> Iterator[exp.Expr]:
    where = select.args.get("where")
    conditions = [where.this] if where is not None else []
    conditions += [join.args.get("on") for join in select.args.get("joins") or () if not is_outer(join)]
    for condition in conditions:
        yield from (part for part in conjuncts(condition) if isinstance(part, exp.EQ))


# What columns of any table are called.
_GENERIC = repair_words("generic")


def is_generic(name: str) -> bool:
    """Whether every word of a column's name could stand in any table."""
    return set(words(name)) <= _GENERIC


def asked_of(question: str, model: SemanticModel) -> Asked:
    """The question's words, and the tables that it names: all words of their names are in it, in any order and
    number."""
    said = frozenset(words(question))
    return Asked(frozenset(table.name for table in model if (named := set(words(table.name))) and named <= said), said)


def rivals(columns: Collection[str], near: Collection[str], problem: NameProblem, work: Work) -> list[Table]:
    """The tables with all of these folded columns that may have been meant instead of one in the query: those one
    relationship away from the tables `near`, and those that the question names. None where one of the columns is what
    tables are joined by, and so much the same in all of them."""
    model = work.around.model
    keys = {fold(column) for link in model.relationships for pair in link.pairs for column in pair}
    if any(column in keys and not is_generic(column) for column in columns):
        return []
    outside = (neighbours(model, near) | work.asked.tables) - tables_of(problem.in_scope)
    return [
        model.tables[name] for name in sorted(outside & model.tables.keys()) if table_has(model.tables[name], columns)
    ]
