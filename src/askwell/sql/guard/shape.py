"""The walk over a whole tree: every node, argument, literal and text that names something is known to be harmless."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from askwell.mdl.expressions import WITHOUT_LAMBDAS
from askwell.sql.guard.calls import is_namespaced
from askwell.sql.guard.growth import MAX_LENGTH
from askwell.sql.guard.limits import Limits, is_known_character_set
from askwell.sql.guard.nodes import ALLOWED, ARGUMENTS, FREE_TEXT, NAMING, ROOTS, STRUCTURE, data_types
from askwell.sql.guard.outcome import Refused, Rule
from askwell.sql.names import fold

_WORDS = re.compile(r"[A-Za-z0-9_ ]{0,64}")
_NUMBER = re.compile(r"(?:[0-9][0-9_]*(?:\.[0-9_]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?")
_BITS = re.compile(r"[0-9A-Fa-f]*|0[xX][0-9A-Fa-f]+")
# Other kinds of literals are texts, which may say anything.
_LITERALS = (exp.Literal, exp.HexString, exp.BitString)
_SAMPLE_METHODS = frozenset({"", "BERNOULLI", "SYSTEM", "RESERVOIR", "BLOCK", "ROW"})
_PADDED = frozenset({"CHAR", "NCHAR", "BPCHAR", "BINARY", "BIT"})
# Snowflake's and BigQuery's longest texts are stated as widths like these.
_MAX_TYPE_PARAMETER = 200_000_000
_IN_BRACKETS = ROOTS | {exp.Table}
_INSTEAD: dict[type[exp.Expr], str] = {exp.Summarize: " Select count(*), min, max and avg of the columns instead."}
_MATCHING = (exp.Like, exp.ILike, exp.Glob, exp.SimilarTo, exp.RegexpLike)
_CHAINS = (exp.And, exp.Or, exp.Union, exp.Except, exp.Intersect)


def check_root(tree: exp.Expr) -> None:
    """A statement is a query; raises `Refused`."""
    root = tree
    while isinstance(root, exp.Subquery | exp.Paren):
        root = root.this
    if type(tree) not in ROOTS or type(root) not in ROOTS:
        kind = type(root).__name__.upper()
        article = "an" if kind[0] in "AEIOU" else "a"
        raise Refused(
            Rule.ROOT, tree, f"Only a SELECT may run; this is {article} {kind}.{_INSTEAD.get(type(root), '')}"
        )


def nodes_within(tree: exp.Expr, limits: Limits) -> Iterator[exp.Expr]:
    """Every node once, parents first, without recursion; raises `Refused` when the tree is too large or too deep."""
    count = 0
    stack: list[tuple[exp.Expr, int]] = [(tree, 1)]
    while stack:
        node, depth = stack.pop()
        count += 1
        if count > limits.nodes:
            raise Refused(Rule.TOO_LARGE, tree, f"The statement has more than {limits.nodes} parts.")
        if depth > limits.depth:
            raise Refused(
                Rule.TOO_DEEP, type(node).__name__, f"The statement is nested deeper than {limits.depth} levels."
            )
        yield node
        for child in node.iter_expressions(reverse=True):
            level = depth if type(child) is type(node) and isinstance(node, _CHAINS) else depth + 1
            stack.append((child, level))


def check_node(node: exp.Expr, dialect: str) -> None:
    """A node that is no function: its type, its arguments and its text; raises `Refused`."""
    kind = type(node)
    if kind not in STRUCTURE:
        raise Refused(Rule.NODE, node, f"{kind.__name__} is not allowed in a query.")
    if kind is exp.Identifier:
        _check_identifier(node)
    elif kind in _LITERALS:
        _check_literal(node)
    elif kind is exp.DataType:
        _check_type(node, dialect)
    elif kind is exp.Dot:
        _check_dot(node, dialect)
    elif kind is exp.TableSample and node.text("method").upper() not in _SAMPLE_METHODS:
        raise Refused(Rule.ARGUMENT, node, "This method of sampling is not known.")
    elif kind is exp.Lambda and dialect in WITHOUT_LAMBDAS:
        raise Refused(Rule.NODE, node, "The database has no lambdas.")
    elif kind is exp.Comprehension and dialect != "duckdb":
        raise Refused(Rule.NODE, node, "The database has no list comprehensions.")
    else:
        _check_operand(node)


def _check_literal(node: exp.Expr) -> None:
    """A number is written plainly; a text may say anything."""
    if type(node) is exp.Literal:
        if not node.is_string and not _NUMBER.fullmatch(node.name):
            raise Refused(Rule.LITERAL, node, "This is not a plain number.")
    elif not _BITS.fullmatch(node.name):
        raise Refused(Rule.LITERAL, node, "This is not a plain hexadecimal or binary number.")


def _check_dot(node: exp.Expr, dialect: str) -> None:
    if not isinstance(node.expression, exp.Identifier | exp.Star | exp.Func):
        raise Refused(Rule.NODE, node, "Only a name can stand behind a dot.")
    if isinstance(node.expression, exp.Func) and not is_namespaced(node, dialect):
        raise Refused(Rule.FUNCTION_DENIED, node, "Functions are called by their plain name: upper(x), not x.upper().")


def _check_operand(node: exp.Expr) -> None:
    """What is named, put in brackets or assigned to is something for which that can be done."""
    kind = type(node)
    if kind is exp.Aliases and not isinstance(node.this, exp.Func):
        raise Refused(Rule.ARGUMENT, node, "Several names in brackets can only be given to what a function returns.")
    if kind is exp.CTE and type(node.this) not in ROOTS:
        raise Refused(Rule.NODE, node, "A CTE has to be a query.")
    if kind is exp.Subquery and type(node.this) not in _IN_BRACKETS:
        raise Refused(Rule.NODE, node, "Only a query or a join can stand in these brackets.")
    if kind is exp.PropertyEQ and isinstance(node.this, exp.Parameter):
        raise Refused(Rule.NODE, node, "Variables cannot be assigned.")


def _check_type(node: exp.Expr, dialect: str) -> None:
    """A type that is known, with a width that is bounded: some engines fill values up to it."""
    if node.this not in data_types(dialect):
        raise Refused(Rule.TYPE, node, "This type is not allowed.")
    if node.this is exp.DType.CHARACTER_SET and not is_known_character_set(node.text("kind")):
        raise Refused(Rule.TYPE, node, "A character set has to be one that comes with the database.")
    widest = MAX_LENGTH if node.this.name in _PADDED else _MAX_TYPE_PARAMETER
    for parameter in node.expressions:
        width = parameter.this if isinstance(parameter, exp.DataTypeParam) else None
        if not isinstance(width, exp.Literal):
            continue
        if width.is_string or not width.name.isdigit() or int(width.name) > widest:
            raise Refused(Rule.TYPE, node, f"The width of a {node.this.name} can be at most {widest}.")


def check_arguments(node: exp.Expr) -> None:
    """The filled arguments of any node, functions included; raises `Refused`."""
    kind = type(node)
    if (kind is exp.Columns and type(node.this) is not exp.Star) or (kind in _MATCHING and node.this.is_star):
        raise Refused(Rule.ARGUMENT, node, "Columns cannot be chosen by a pattern or a list; name them.")
    named = ARGUMENTS.get(kind)
    free = kind in FREE_TEXT
    for key, value in node.args.items():
        if value is None or value is False or value == []:
            continue
        if named is not None and key not in named:
            raise Refused(Rule.ARGUMENT, node, f"{kind.__name__.upper()} with {key.strip('_')} is not allowed.")
        if isinstance(value, str):
            if not free and not _WORDS.fullmatch(value):
                raise Refused(Rule.ARGUMENT, value, f"{kind.__name__.upper()} has an odd {key}.")
        elif isinstance(value, list) and any(isinstance(item, str) and not _WORDS.fullmatch(item) for item in value):
            raise Refused(Rule.ARGUMENT, node, f"{kind.__name__.upper()} has an odd {key}.")


def _names_unpivoted(node: exp.Expr, parent: exp.Expr) -> bool:
    """UNPIVOT (value FOR name IN …): the names of the two new columns."""
    pivot = parent.parent if isinstance(parent, exp.In) and node.arg_key == "this" else parent
    if pivot is parent and node.arg_key != "expressions":
        return False
    return isinstance(pivot, exp.Pivot) and bool(pivot.args.get("unpivot"))


def _check_identifier(node: exp.Expr) -> None:
    """A bare name stands where a name is given, or is the parameter of a lambda or comprehension around it.

    Anything else would be a column that the checks of columns do not see.
    """
    if "\x00" in node.name:
        raise Refused(Rule.CHARACTERS, node, "A name contains a control character.")
    parent = node.parent
    if parent is None or (type(parent), node.arg_key) in NAMING:
        return
    if _names_unpivoted(node, parent):
        return
    name = node.name
    scope: exp.Expr | None = parent
    while scope is not None:
        if isinstance(scope, exp.Lambda) and any(p.name == name for p in scope.expressions):
            return
        if isinstance(scope, exp.Comprehension) and scope.args["expression"].name == name:
            return
        scope = scope.parent
    raise Refused(Rule.ARGUMENT, node.parent or node, f"{name} stands where no name can.")


_JSON_TYPES = frozenset({"from_json", "from_json_strict", "json_transform", "json_transform_strict"})
# Without quotes, within which a name could be anything.
_TYPE = re.compile(r"[A-Za-z0-9_ ,()\[\]]{1,1000}")

_CONFIGURATIONS = frozenset(ALLOWED["configurations"].split())


def check_named_in_text(call: exp.Expr, dialect: str) -> None:
    """Refuse a call that names, in a text, a type or a configuration that a user made; raises `Refused`."""
    if dialect == "duckdb" and isinstance(call, exp.FromJson):
        _check_types(call, [call.this, call.expression])
    elif isinstance(call, exp.Anonymous):
        name = fold(call.name)
        if dialect == "duckdb" and name in _JSON_TYPES:
            _check_types(call, call.expressions)
        elif dialect == "postgres" and len(call.expressions) >= ALLOWED["with_configuration"].get(name, 100):
            _check_configuration(call)
        elif dialect == "postgres" and name == "unaccent" and len(call.expressions) > 1:
            raise Refused(Rule.ARGUMENT, call, "UNACCENT can only be given a text.")


def _check_types(call: exp.Expr, arguments: list[Any]) -> None:
    described = arguments[1] if len(arguments) == 2 else None
    if type(described) is not exp.Literal or not described.is_string:
        raise Refused(Rule.ARGUMENT, call, "The types have to be written out as a text, as the second argument.")
    try:
        # Pairs, because a name may be there twice.
        stack: list[Any] = [json.loads(described.name, object_pairs_hook=lambda pairs: [value for _, value in pairs])]
    except (ValueError, RecursionError):
        raise Refused(Rule.ARGUMENT, call, "The second argument has to be types in JSON.") from None
    while stack:
        value = stack.pop()
        if isinstance(value, list):
            stack.extend(value)
        elif isinstance(value, str):
            _check_named_type(call, value)
        else:
            raise Refused(Rule.ARGUMENT, call, "The second argument has to be types in JSON.")


def _check_named_type(call: exp.Expr, text: str) -> None:
    if not _TYPE.fullmatch(text):
        raise Refused(Rule.TYPE, call, "This type is not allowed.")
    try:
        # The way the guard reads any other type, so that both take the same ones.
        cast = sqlglot.parse_one(f"CAST(NULL AS {text})", read="duckdb")
    except SqlglotError:
        raise Refused(Rule.TYPE, call, "This type is not allowed.") from None
    if type(cast) is not exp.Cast:
        raise Refused(Rule.TYPE, call, "This type is not allowed.")
    for node in cast.to.walk():
        check_node(node, "duckdb")
        check_arguments(node)


def _check_configuration(call: exp.Expr) -> None:
    first = call.expressions[0]
    if type(first) is exp.Literal and fold(first.name).removeprefix("pg_catalog.") in _CONFIGURATIONS:
        return
    # Three arguments: a document that is not written out, a query, options.
    if fold(call.name) == "ts_headline" and len(call.expressions) == 3 and first.find(exp.Column) is not None:
        return
    raise Refused(
        Rule.ARGUMENT, call, "The text search configuration has to be one of PostgreSQL's own, written out as a text."
    )
