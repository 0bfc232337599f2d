"""Whether the functions that a statement calls may be called, in its tree and again in its rendering."""

from __future__ import annotations

import re
from collections.abc import Iterator

import sqlglot
from rapidfuzz import fuzz, process
from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from askwell.sql.guard.catalogues import NAMESPACES
from askwell.sql.guard.functions import TYPED, Functions, denied_reason
from askwell.sql.guard.nodes import ALLOWED
from askwell.sql.guard.outcome import Refused, Rule
from askwell.sql.names import fold

_NAMING_AN_AGGREGATE = frozenset({"list_aggregate", "list_aggr", "array_aggregate", "array_aggr", "aggregate"})
_NAME = re.compile(r"[a-z_][a-z0-9_]{0,63}")
_WORDS = frozenset(ALLOWED["words"].split())


def check_call(node: exp.Expr, functions: Functions, table_functions: frozenset[str], dialect: str) -> Refused | None:
    """Refuse a function that is denied or not understood; raises `Refused`.

    A name that nobody has anything against but that the engine does not have is returned instead of raised, so that
    graver faults come first.
    """
    if not isinstance(node, exp.Anonymous | exp.AnonymousAggFunc):
        if dialect == "sqlite" and isinstance(node, exp.RegexpLike):
            # SQLite has the operator, and leaves the function behind it to the program that opened the file.
            return _judged("regexp", node, functions)
        if type(node) in TYPED:
            return None
        raise Refused(Rule.FUNCTION_DENIED, node, f"The function {node.key.upper()} is not allowed.")
    name = fold(node.name)
    if isinstance(node.parent, exp.Dot) and name in _namespaced(node.parent.this, dialect):
        return None
    if name in _NAMING_AN_AGGREGATE and len(node.expressions) > 1:
        _check_named(node, functions)
    return None if name in table_functions else _judged(name, node, functions)


def _check_named(call: exp.Expr, functions: Functions) -> None:
    """DuckDB's functions that are told by a text which aggregate to use: it has to be one that may be called."""
    named = call.expressions[1]
    if not isinstance(named, exp.Literal) or fold(named.name) not in functions.callable:
        raise Refused(
            Rule.FUNCTION_DENIED, call, "The second argument has to be the name of an aggregate, written out."
        )


def check_rendered_calls(
    tokens: list[Token], functions: Functions, table_functions: frozenset[str], dialect: sqlglot.Dialect
) -> None:
    """Refuse a rendering that calls what may not be called; raises `Refused`.

    The parser knows hundreds of functions by type, whatever the dialect. Written out, each has to be one that this
    engine has: otherwise it could be a function that someone gave that name.
    """
    types = dialect.parser_class.TYPE_TOKENS
    allowed = functions.callable
    for name, before, kind in _called(tokens):
        if name in allowed or name in _WORDS or kind in types or name in table_functions:
            continue
        if before is not None and name in NAMESPACES.get(_name_of(dialect), {}).get(before, ()):
            continue
        refused = _judged(name, f"{name.upper()}(…)", functions)
        if refused is not None:
            raise refused


def _called(tokens: list[Token]) -> Iterator[tuple[str, str | None, TokenType]]:
    """Each unquoted word before an opening bracket, in lower case, with the word before it where a dot is between."""
    for position, token in enumerate(tokens):
        if token.token_type is not TokenType.L_PAREN or not position:
            continue
        word = tokens[position - 1]
        if word.token_type in (TokenType.IDENTIFIER, TokenType.STRING) or not word.text[:1].isidentifier():
            continue
        qualified = position > 2 and tokens[position - 2].token_type is TokenType.DOT
        before = fold(tokens[position - 3].text) if qualified else None
        yield fold(word.text).rsplit(" ", 1)[-1], before, word.token_type


def _name_of(dialect: sqlglot.Dialect) -> str:
    return type(dialect).__name__.lower()


def is_namespaced(node: exp.Expr, dialect: str) -> bool:
    """Whether `node` (`place.function(…)`) is a function that belongs to a place of the dialect's own."""
    call = node.args.get("expression")
    return isinstance(call, exp.Anonymous) and fold(call.name) in _namespaced(node.this, dialect)


def _namespaced(place: exp.Expr, dialect: str) -> frozenset[str]:
    if isinstance(place, exp.Column | exp.Identifier | exp.Var):
        return NAMESPACES.get(dialect, {}).get(fold(place.name), frozenset())
    return frozenset()


def _judged(name: str, where: exp.Expr | str, functions: Functions) -> Refused | None:
    """None for a function that may be called; raises `Refused` unless it is merely unknown."""
    reason = denied_reason(name)
    if reason:
        raise Refused(Rule.FUNCTION_DENIED, where, f"The function {name} is not allowed: {reason}.")
    if not _NAME.fullmatch(name):
        raise Refused(Rule.FUNCTION_DENIED, where, "A function has to be given by a plain name.")
    if name in functions.callable:
        return None
    if name in functions.unreviewed:
        why = "it is not on the list of functions that are known to do nothing but compute"
        raise Refused(Rule.FUNCTION_DENIED, where, f"The function {name} is not allowed: {why}.")
    near = [same for same in ALLOWED["meant"].get(name, "").split() if same in functions.callable]
    found = process.extract(name, functions.callable, scorer=fuzz.ratio, limit=3, score_cutoff=70)
    nearest = tuple(dict.fromkeys([*near, *(match for match, _, _ in found)]))[:3]
    hint = f"; nearest: {', '.join(nearest)}" if nearest else ""
    return Refused(Rule.FUNCTION_UNKNOWN, where, f"The database has no function {name}{hint}.", name, nearest)
