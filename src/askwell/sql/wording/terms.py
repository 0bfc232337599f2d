"""What all ways of putting an expression in words have in common."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sqlglot import exp

from askwell.sql.wording.speaker import Speaker

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
