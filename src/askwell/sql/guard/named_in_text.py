"""Texts that name something in the database: DuckDB's types in JSON, PostgreSQL's text search configurations."""

from __future__ import annotations

import json
import re
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from askwell.sql.guard.outcome import Refused, Rule
from askwell.sql.guard.shape import check_arguments, check_node
from askwell.sql.names import fold

_JSON_TYPES = frozenset({"from_json", "from_json_strict", "json_transform", "json_transform_strict"})
# Without quotes, within which a name could be anything.
_TYPE = re.compile(r"[A-Za-z0-9_ ,()\[\]]{1,1000}")

# With how many arguments the first one is a configuration; `ts_headline` also takes options in the last place.
# https://www.postgresql.org/docs/current/functions-textsearch.html
_WITH_CONFIGURATION = {
    "to_tsvector": 2,
    "json_to_tsvector": 3,
    "jsonb_to_tsvector": 3,
    "to_tsquery": 2,
    "plainto_tsquery": 2,
    "phraseto_tsquery": 2,
    "websearch_to_tsquery": 2,
    "ts_headline": 3,
}
# `SELECT cfgname FROM pg_ts_config` of PostgreSQL 18.
_CONFIGURATIONS = frozenset(
    """
    simple arabic armenian basque catalan danish dutch english estonian finnish french german greek hindi hungarian
    indonesian irish italian lithuanian nepali norwegian portuguese romanian russian serbian spanish swedish tamil
    turkish yiddish
    """.split()  # noqa: SIM905 - a list of names reads better as words
)


def check_named_in_text(call: exp.Expr, dialect: str) -> None:
    """Refuse a call that names, in a text, a type or a configuration that somebody made; raises `Refused`."""
    if dialect == "duckdb" and isinstance(call, exp.FromJson):
        _check_types(call, [call.this, call.expression])
    elif isinstance(call, exp.Anonymous):
        name = fold(call.name)
        if dialect == "duckdb" and name in _JSON_TYPES:
            _check_types(call, call.expressions)
        elif dialect == "postgres" and len(call.expressions) >= _WITH_CONFIGURATION.get(name, 100):
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
            _check_type(call, value)
        else:
            raise Refused(Rule.ARGUMENT, call, "The second argument has to be types in JSON.")


def _check_type(call: exp.Expr, text: str) -> None:
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
