"""What tables and columns are called when a statement is put in words, and the order of its rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect

from askwell.mdl import expressions
from askwell.mdl.names import plural, singular
from askwell.mdl.names import readable as in_words
from askwell.mdl.semantic_model import Column, SemanticModel, Table
from askwell.resources import words_file
from askwell.sql.binder import readable
from askwell.sql.bound import ModelCatalogue, Names
from askwell.sql.names import fold
from askwell.sql.scopes import resolve

WORDS = words_file("askwell.sql.wording", "words.yaml")


def words_by_type(kind: str) -> Mapping[type[exp.Expr], Any]:
    """The words of one kind by the type of the node."""
    return {getattr(exp, name): words for name, words in WORDS[kind].items()}


@dataclass(frozen=True, slots=True)
class Label:
    """What a source of rows is called: one row of it, and all of them."""

    one: str
    many: str

    def numbered(self, number: int) -> Label:
        """The same for the second, third … use of a table in one query."""
        return Label(f"{self.one} {number}", f"{self.many} {number}")


class SpokenNames(Names):
    """Sources and columns of a bound statement by the nodes of its tree, which nobody may change meanwhile. `known` is
    whether every name was found."""

    def __init__(self, tree: exp.Expr, model: SemanticModel, dialect: str) -> None:
        resolution = resolve(tree, ModelCatalogue(model, dialect), dialect)
        super().__init__(resolution, model)
        self._columns: dict[int, set[str]] = {}
        self._numbers = self._numbered(tree)

    def label(self, source: exp.Expr) -> Label | None:
        """What a source is called; None for one without a name, such as a table function."""
        label = self._plain_label(source)
        number = self._numbers.get(id(source))
        return label.numbered(number) if label is not None and number else label

    def source_of(self, column: exp.Expr) -> exp.Expr | None:
        """The source that a column is read from; None for aliases of the SELECT list."""
        uses = self.uses(column)
        return uses[-1].source.node if uses else None

    def column_of(self, column: exp.Expr) -> Column | None:
        """The model's column, where one is read directly."""
        uses = self.uses(column)
        table = self._tables.get(id(uses[-1].source.node)) if uses else None
        return table.column(uses[-1].name) if table is not None else None

    def column(self, column: exp.Expr) -> str:
        """What a column is called, without its table."""
        known, uses = self.column_of(column), self.uses(column)
        return spoken(known) if known is not None else result_name(uses[-1].name if uses else column.name)

    def needs_its_table(self, column: exp.Expr) -> bool:
        """Whether the column's name alone could mean another column of its query too."""
        source = self.source_of(column)
        if source is None:
            return False
        own = sources_of(query_around(column))
        if id(source) in self._numbers or all(source is not other for other in own):
            return True
        name = self.column(column)
        return any(name in self._column_names(other) for other in own if other is not source)

    def _column_names(self, source: exp.Expr) -> set[str]:
        if id(source) not in self._columns:
            self._columns[id(source)] = self._names_in(source)
        return self._columns[id(source)]

    def _names_in(self, source: exp.Expr) -> set[str]:
        table = self._tables.get(id(source))
        if table is not None:
            return {spoken(column) for column in table.columns}
        # Of a query's result only what is read by name is known here.
        read = (use for uses in self._uses.values() for use in uses if use.source.node is source)
        return {result_name(use.name) for use in read}

    def _plain_label(self, source: exp.Expr) -> Label | None:
        table = self._tables.get(id(source))
        if table is not None:
            return table_label(table)
        cte = self._ctes.get(id(source))
        name = cte.name if cte is not None else source.alias if isinstance(source, exp.Subquery) else ""
        return Label(f"“{name}”", f"“{name}”") if name else None

    def _numbered(self, tree: exp.Expr) -> dict[int, int]:
        """Numbers for sources that would be called the same where both can be meant."""
        unclear: dict[str, dict[int, None]] = {}
        for select in tree.find_all(exp.Select):
            seen = [*self._read_from_around(select), *sources_of(select)]
            names = [label.many if (label := self._plain_label(source)) else "" for source in seen]
            many = Counter(names)
            for source, name in zip(seen, names, strict=True):
                if name and many[name] > 1:
                    unclear.setdefault(name, {})[id(source)] = None
        return {key: number for found in unclear.values() for number, key in enumerate(found, 1)}

    def _read_from_around(self, select: exp.Select) -> list[exp.Expr]:
        """The sources of queries around this one that it reads columns of."""
        inside = {id(source) for query in select.find_all(exp.Select) for source in sources_of(query)}
        around: Mapping[int, exp.Expr] = {
            id(source): source
            for column in select.find_all(exp.Column)
            if (source := self.source_of(column)) is not None and id(source) not in inside
        }
        return list(around.values())


def sources_of(select: exp.Expr | None) -> list[exp.Expr]:
    """What one SELECT reads, in the order in which it names it."""
    laterals = select.args.get("laterals") or () if isinstance(select, exp.Select) else ()
    return [*expressions.sources_of(select), *laterals]


def query_around(node: exp.Expr) -> exp.Expr | None:
    """The SELECT that a node stands in; of a set operation, the one that names its columns."""
    around = node.find_ancestor(exp.Select, exp.SetOperation)
    while isinstance(around, exp.SetOperation | exp.Subquery):
        around = around.this
    return around


def projection_called(select: exp.Expr | None, name: str) -> exp.Expr | None:
    """The expression that a SELECT list shows under this name."""
    given = select.expressions if isinstance(select, exp.Select) else []
    named = (one for one in given if fold(one.alias_or_name) == fold(name))
    return next((one.unalias() for one in named), None)


def table_label(table: Table) -> Label:
    """What a table of the model is called."""
    name = spoken(table)
    last = name.rsplit(" ", 1)[-1].lower()
    if last in WORDS["no_s"]:
        return Label(name[: -len(last)] + WORDS["no_s"][last], name)
    return Label(name[: -len(last)] + singular(name[-len(last) :]), plural(name))


def spoken(named: Table | Column) -> str:
    """A display name as it is written; a technical name as words."""
    return named.display_name or in_words(named.name).lower()


def result_name(name: str) -> str:
    """A name that the statement itself gives to a column of a result."""
    return name.replace("_", " ").lower()


# Longer code tells a reader nothing.
_LONGEST_CODE = 300


@dataclass(slots=True)
class Speaker:
    """`value`, `condition` and `query` put an expression, a condition and a query's rows in words. What has no words is
    quoted as SQL, and `quoted` counts that."""

    model: SemanticModel
    dialect: str
    names: SpokenNames
    value_words: Callable[[Speaker, exp.Expr], str]
    condition_words: Callable[[Speaker, exp.Expr], str]
    query_words: Callable[[Speaker, exp.Expr], str]
    quoted: int = field(default=0, init=False)
    # Derived tables that were described already, by the identity of their nodes.
    described: set[int] = field(default_factory=set, init=False)

    def value(self, node: exp.Expr) -> str:
        """A noun phrase without an article: `average age`."""
        return self.value_words(self, node)

    def condition(self, node: exp.Expr) -> str:
        """A clause: `age is more than 22`."""
        return self.condition_words(self, node)

    def query(self, node: exp.Expr) -> str:
        """A noun phrase for the rows of a query inside another: `average age of students`."""
        return self.query_words(self, node)

    def code(self, node: exp.Expr) -> str:
        """The node as SQL."""
        self.quoted += 1
        text = " ".join(readable(node, self.dialect).split())
        text = text if len(text) <= _LONGEST_CODE else text[: _LONGEST_CODE - 1] + "…"
        return f"`{text}`"


_WITHOUT_ARTICLE = ("“", "(", "`", "-", "all ", "no value", "true", "false", "the ", "today", "whether ")

_READ = words_by_type("read")


def is_read_whole(node: exp.Expr) -> bool:
    """Whether the words of the node's kind account for all that is set in it. Anything else has to be quoted."""
    return says_only(node, *_READ.get(type(node), "this expression").split())


def operand(speaker: Speaker, node: exp.Expr) -> str:
    """An expression inside another, in parentheses where it would otherwise run into it."""
    words = speaker.value(node)
    loose = isinstance(node, exp.Binary | exp.Case | exp.If | exp.Window | exp.Filter | exp.Coalesce | exp.Nullif)
    return f"({words})" if loose and not isinstance(node, exp.Dot | exp.Paren) else words


def says_only(node: exp.Expr, *known: str) -> bool:
    """Whether nothing is set besides these arguments, so that nothing is passed over."""
    return all(name in known or value in (None, False, []) for name, value in node.args.items())


def the(words: str) -> str:
    """A noun phrase with its article, where it can have one."""
    return words if words.startswith(_WITHOUT_ARTICLE) or words[:1].isdigit() else f"the {words}"


def said_values(speaker: Speaker, nodes: Iterable[exp.Expr]) -> list[str]:
    return [speaker.value(node) for node in nodes]


_ORDERED = ("this", "desc", "nulls_first")


def order_words(speaker: Speaker, order: exp.Expr) -> str:
    """What rows are sorted by: `age in descending order, then name`. Where rows without a value go is said where it is
    not where the database would put them by itself."""
    if not says_only(order, "expressions") or not all(says_only(one, *_ORDERED) for one in order.expressions):
        return speaker.code(order)
    return ", then ".join(_ordered(speaker, one) for one in order.expressions)


def _ordered(speaker: Speaker, node: exp.Expr) -> str:
    # A number in the order of a window function is a value, not a column of the result.
    in_window = node.parent is not None and isinstance(node.parent.parent, exp.Window)
    key = node.this if in_window else ordinal(node.this, query_around(node))
    words = speaker.value(key) + (" in descending order" if node.args.get("desc") else "")
    if not puts_nulls_elsewhere(speaker, node):
        return words
    return f"{words} with missing values {'first' if node.args.get('nulls_first') else 'last'}"


def puts_nulls_elsewhere(speaker: Speaker, ordered: exp.Expr) -> bool:
    """Whether NULLS FIRST or LAST says something else than what goes without saying in this dialect."""
    ordering = Dialect.get_or_raise(speaker.dialect or None).NULL_ORDERING
    descending = bool(ordered.args.get("desc"))
    usual = ordering == ("nulls_are_large" if descending else "nulls_are_small")
    return ordered.args.get("nulls_first") is not None and bool(ordered.args["nulls_first"]) != usual


def ordinal(key: exp.Expr, select: exp.Expr | None) -> exp.Expr:
    """The projection that `ORDER BY 2` or `GROUP BY 2` means; any other expression is itself."""
    if isinstance(key, exp.Literal) and not key.is_string and isinstance(select, exp.Select):
        place = int(key.name) - 1 if key.name.isdigit() else -1
        if 0 <= place < len(select.expressions):
            meant: exp.Expr = select.expressions[place].unalias()
            return meant
    return key
