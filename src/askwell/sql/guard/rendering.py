"""The one text that may be run: the tree, written anew."""

from __future__ import annotations

import sqlglot
from sqlglot import exp
from sqlglot.dialects.dialect import NormalizationStrategy
from sqlglot.errors import ErrorLevel, SqlglotError
from sqlglot.tokenizer_core import TokenType

from askwell.sql.guard.outcome import Refused, Rule


def render(tree: exp.Expr, dialect: sqlglot.Dialect) -> str:
    """SQL text of `tree` without comments and with every identifier quoted; raises `Refused` when there is none.

    Quoting keeps a name from being read as anything else. An engine that folds names unless they are quoted would then
    miss `Orders`, so names are folded here as it would have done.
    """
    strategy = dialect.normalization_strategy
    if strategy in (NormalizationStrategy.LOWERCASE, NormalizationStrategy.UPPERCASE):
        tree = tree.copy()
        for identifier in tree.find_all(exp.Identifier):
            if not identifier.args.get("quoted"):
                dialect.normalize_identifier(identifier)
    try:
        sql = dialect.generate(tree, copy=True, comments=False, identify=True, unsupported_level=ErrorLevel.IGNORE)
        tokens = dialect.tokenize(sql)
    except (SqlglotError, ValueError, TypeError, AttributeError, KeyError, IndexError) as error:
        raise Refused(Rule.UNPARSABLE, tree, "The statement cannot be written in the database's dialect.") from error
    if any(token.token_type == TokenType.SEMICOLON for token in tokens):
        raise Refused(Rule.STATEMENTS, tree, "One statement is allowed.")
    return sql
