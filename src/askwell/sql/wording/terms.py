"""One statement that is being put in words, and what all ways of doing that share: terms, and the order of rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect

from askwell.mdl.semantic_model import SemanticModel
from askwell.sql.binder import readable
from askwell.sql.wording.names import SpokenNames, query_around

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
    told: set[int] = field(default_factory=set, init=False)

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

# The arguments that the words of a kind of node account for, where they are others than `this` and `expression`, and
# the flags among them that only say how a dialect writes it.
_READ: Mapping[type[exp.Expr], tuple[str, ...]] = {
    exp.Alias: ("this", "alias"),
    exp.Between: ("this", "low", "high"),
    exp.Case: ("this", "ifs", "default"),
    exp.Cast: ("this", "to"),
    exp.Coalesce: ("this", "expressions", "is_nvl", "is_null"),
    exp.Column: ("this", "table", "db", "catalog"),
    exp.Concat: ("expressions", "safe", "coalesce"),
    exp.CurrentTimestamp: ("sysdate",),
    exp.CurrentDate: (),
    exp.DateTrunc: ("this", "unit", "input_type_preserved"),
    exp.Div: ("this", "expression", "typed", "safe"),
    exp.DPipe: ("this", "expression", "safe"),
    exp.If: ("this", "true", "false"),
    exp.ILike: ("this", "expression", "negate"),
    exp.In: ("this", "expressions", "query"),
    exp.Interval: ("this", "unit", "fraction_in_string"),
    exp.Is: ("this", "expression", "negate"),
    exp.Like: ("this", "expression", "negate"),
    exp.Literal: ("this", "is_string"),
    exp.Round: ("this", "decimals", "casts_non_integer_decimals"),
    exp.Star: (),
    exp.Subquery: ("this", "alias"),
    exp.TimestampTrunc: ("this", "unit", "input_type_preserved"),
    exp.TimeToStr: ("this", "format"),
}


def is_read_whole(node: exp.Expr) -> bool:
    """Whether the words of the node's kind account for all that is set in it. Anything else has to be quoted."""
    return says_only(node, *_READ.get(type(node), ("this", "expression")))


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
