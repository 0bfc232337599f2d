"""The one text that may be run: the tree, written anew."""

from __future__ import annotations

import sqlglot
from sqlglot import exp
from sqlglot.dialects.dialect import NormalizationStrategy
from sqlglot.errors import ErrorLevel, SqlglotError
from sqlglot.tokenizer_core import Token, TokenType

from askwell.sql.guard.outcome import Refused, Rule

# What sqlglot raises for calls with odd arguments: some can be parsed and not written.
UNWRITABLE = (SqlglotError, ValueError, TypeError, AttributeError, KeyError, IndexError)


def render(tree: exp.Expr, dialect: sqlglot.Dialect) -> tuple[str, list[Token]]:
    """SQL text of `tree` without comments and with every identifier quoted, and its tokens; raises `Refused` when there
    is none.

    Quoting keeps a name from being read as anything else. An engine that folds names unless they are quoted would then
    miss `Orders`, so names are folded here as it would have done.
    """
    tree = _corrected(tree, dialect)
    strategy = dialect.normalization_strategy
    if strategy in (NormalizationStrategy.LOWERCASE, NormalizationStrategy.UPPERCASE):
        tree = tree.copy()
        for identifier in tree.find_all(exp.Identifier):
            if not identifier.args.get("quoted"):
                dialect.normalize_identifier(identifier)
    try:
        sql = dialect.generate(tree, copy=True, comments=False, identify=True, unsupported_level=ErrorLevel.IGNORE)
        tokens = dialect.tokenize(sql)
    except UNWRITABLE as error:
        raise Refused(Rule.UNPARSABLE, tree, "The statement cannot be written in the database's dialect.") from error
    if any(token.token_type == TokenType.SEMICOLON for token in tokens):
        raise Refused(Rule.STATEMENTS, tree, "One statement is allowed.")
    return sql, tokens


_MARIADB = (exp.RegexpLike, exp.JSONExtractScalar)
_RENAMED: dict[str, dict[type[exp.Expr], str]] = {
    "Postgres": {exp.Hex: "TO_HEX", exp.LowerHex: "TO_HEX"},
    "SQLite": {exp.Median: "MEDIAN"},
    "MySQL": {exp.Median: "MEDIAN"},
    "TSQL": {exp.ApproxDistinct: "APPROX_COUNT_DISTINCT", exp.Getbit: "GET_BIT"},
}
_WITHOUT_LOG10 = "Snowflake"


def _corrected(tree: exp.Expr, dialect: sqlglot.Dialect) -> exp.Expr:
    """The tree, with what the generator would write wrongly for this dialect put in other words."""
    name = type(dialect).__name__
    kinds = (exp.Log, *_RENAMED.get(name, ()), *(_MARIADB if name == "MySQL" else ()))
    if tree.find(*kinds) is None:
        return tree
    # From the inside out: what an expression becomes may hold others.
    tree = tree.copy()
    for node in reversed(list(tree.find_all(*kinds))):
        better = _in_other_words(node, dialect)
        if better is not None:
            node.replace(better)
    return tree


def _in_other_words(node: exp.Expr, dialect: sqlglot.Dialect) -> exp.Expr | None:
    name = _RENAMED.get(type(dialect).__name__, {}).get(type(node))
    if name is not None:
        return exp.Anonymous(this=name, expressions=list(node.iter_expressions()))
    if isinstance(node, exp.Log):
        # What was LOG10(1000) would be LOG(10, 1000), which is a little less than 3.
        if type(dialect).__name__ == _WITHOUT_LOG10 or node.this.name != "10" or node.expression is None:
            return None
        return exp.Anonymous(this="LOG10", expressions=[node.expression])
    if isinstance(node, exp.JSONExtractScalar):
        # MariaDB has no arrows into JSON.
        inside = exp.JSONExtract(this=node.this, expression=node.expression, expressions=node.expressions)
        return exp.Anonymous(this="JSON_UNQUOTE", expressions=[inside])
    if node.args.get("flag") is not None:
        return None
    # Nor has it REGEXP_LIKE, whose place MySQL too lets the operator take.
    sides = [_closed(side) for side in (node.this, node.expression)]
    operation = exp.Var(this=" REGEXP ".join(dialect.generate(s, identify=True, comments=False) for s in sides))
    return operation if isinstance(node.parent, exp.Connector | exp.Where | exp.Paren) else exp.Paren(this=operation)


def _closed(side: exp.Expr) -> exp.Expr:
    """An operand that needs no brackets, or has them."""
    return side if isinstance(side, exp.Column | exp.Literal | exp.Anonymous | exp.Paren) else exp.Paren(this=side)
