"""Functions that the engine does not have: found from its catalogue, and said in its words where that is certain."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import ErrorLevel, SqlglotError
from sqlglot.tokenizer_core import Token, TokenType

from askwell.resources import words_file
from askwell.sql.names import fold
from askwell.sql.nearest import nearest_text
from askwell.sql.repair.clauses import closing
from askwell.sql.repair.dialect_words import LOSES_MEANING, in_sqlite, keeps_format, moved_in_sqlite
from askwell.sql.repair.spelling import PACKAGE, WORDS_FILE, repair_words

# Engines whose catalogue names all they can call, and what looks like a call but is their grammar.
GRAMMAR: dict[str, frozenset[str]] = {
    "sqlite": frozenset({"cast", "exists", "case", "not", "in", "values", "filter", "select"}),
    "duckdb": repair_words("grammar_of_duckdb"),
}
# Servers for which the parser writes TO_CHAR without its format, and what is said of it.
_LOSES = {"mysql": "The format of TO_CHAR cannot be kept here: write DATE_FORMAT(date, '%Y-%m')"}
# The same function under other names; the first that the engine has is taken.
_SAME = tuple(frozenset(names.split()) for names in words_file(PACKAGE, WORDS_FILE)["same_functions"])
_FILLERS = frozenset({"all", "total", "of", "value", "values", "val", "num", "number", "func", "fn", "agg", "get"})
_STANDARD = ("avg", "sum", "count", "max", "min", "length", "upper", "lower", "round", "abs", "coalesce", "substr")
# Dialects in which a function's meaning is looked up, where they agree on it.
_DIALECTS = ("postgres", "mysql", "tsql", "snowflake", "bigquery", "oracle", "duckdb", "sqlite")
# Depending on the database, and on what they are given, these read a text or count seconds: none is meant for sure.
_OF_MANY_MEANINGS = frozenset({"TO_TIMESTAMP"})
_CALL = re.compile(r"([A-Za-z_]\w*)\s*\(")
_MOST_CALLS = 40


def missing_functions(tree: exp.Expr, dialect: str, functions: frozenset[str]) -> list[exp.Func]:
    """The calls of a tree that the engine has no function for. Engines without a full catalogue: only unknown names."""
    full = dialect in GRAMMAR and bool(functions)
    found: list[exp.Func] = []
    for node in tree.find_all(exp.Func):
        if isinstance(node, exp.Anonymous | exp.AnonymousAggFunc):
            if fold(node.name) not in functions and not isinstance(node.parent, exp.Table | exp.Lateral | exp.From):
                found.append(node)
        elif dialect in _LOSES and isinstance(node, exp.ToChar) and _written(node, dialect) is None:
            found.append(node)
        elif dialect == "sqlite" and isinstance(node, LOSES_MEANING):
            if not isinstance(node, exp.Trunc) or node.args.get("decimals") is not None:
                found.append(node)
        elif not full or isinstance(node, exp.Connector) or not functions.isdisjoint(map(fold, node.sql_names())):
            continue
        else:
            written = _written(node, dialect)
            called = _CALL.match(written or "")
            if written is None or (called and not {fold(called[1])} & (functions | GRAMMAR[dialect])):
                found.append(node)
    return found


def function_sentence(node: exp.Func, dialect: str, functions: frozenset[str]) -> str:
    """What is wrong with such a call, and the functions that come nearest to it."""
    name = call_name(node, dialect).lower()
    if isinstance(node, exp.ToChar) and dialect in _LOSES:
        return _LOSES[dialect]
    if dialect == "sqlite" and isinstance(node, LOSES_MEANING):
        return (
            f"SQLite has no {node.sql_name()} with these arguments: use strftime, julianday, date(x, '+1 day') or round"
        )
    return f"The database has no function {name}" + nearest_text(name, functions)


def translated_calls(sql: str, tokens: Sequence[Token], dialect: str, functions: frozenset[str]) -> list[str]:
    """A sentence for each call that the engine does not have and that the parser wrote in its words by itself."""
    sentences: dict[str, None] = {}
    if dialect not in GRAMMAR or not functions:
        return []
    for position in range(len(tokens) - 1):
        word = tokens[position]
        if word.token_type is not TokenType.VAR or tokens[position + 1].token_type is not TokenType.L_PAREN:
            continue
        if {fold(word.text)} & (functions | GRAMMAR[dialect]) or (position and tokens[position - 1].text in (".", ")")):
            continue
        call = parsed_call(sql, tokens, position, dialect)
        if isinstance(call, exp.Func) and not isinstance(call, exp.Anonymous | exp.AnonymousAggFunc):
            shown = _shown(call, dialect) if _written(call, dialect) is not None else word.text.upper()
            if shown != word.text.upper():
                sentences[f"`{word.text.upper()}` read as `{shown}`"] = None
    return list(sentences)


def repair_functions(tree: exp.Expr, dialect: str, functions: frozenset[str]) -> tuple[str, ...] | None:
    """Say every missing function in the engine's words, in place; None where one cannot be."""
    sentences: dict[str, None] = {}
    missing = missing_functions(tree, dialect, functions)
    if len(missing) > _MOST_CALLS:
        return None
    for node in reversed(missing):  # inner ones first, as the outer ones are written anew around them
        name = call_name(node, dialect)
        meant = _meant(node, name, dialect, functions)
        if meant is None:
            return None
        node.replace(meant)
        sentences[f"`{name}` read as `{_shown(meant, dialect)}`"] = None
    for interval in list(tree.find_all(exp.Interval)) if dialect == "sqlite" else ():
        sum_ = interval.parent
        moved = moved_in_sqlite(sum_) if sum_ is not None else None
        if sum_ is None or moved is None:
            return None
        sentences[f"`{sum_.sql(dialect=dialect, comments=False)}` read as `{moved.sql(dialect=dialect)}`"] = None
        sum_.replace(moved)
    return tuple(reversed(sentences))


def call_name(node: exp.Func, dialect: str) -> str:
    """What the call is written as, in capitals."""
    if isinstance(node, exp.Anonymous | exp.AnonymousAggFunc):
        return node.name.upper()
    called = _CALL.match(_written(node, dialect) or "")
    return called[1].upper() if called else (node.sql_names()[:1] or [node.key])[0].upper()


def _written(node: exp.Expr, dialect: str) -> str | None:
    """The call as it would be run; None where the dialect cannot say all of it."""
    try:
        return node.sql(dialect=dialect, comments=False, unsupported_level=ErrorLevel.RAISE)
    except (SqlglotError, ValueError, AttributeError, TypeError, KeyError):
        return None


def _meant(node: exp.Func, name: str, dialect: str, functions: frozenset[str]) -> exp.Expr | None:
    arguments = [a.copy() for a in node.expressions] if isinstance(node, exp.Anonymous | exp.AnonymousAggFunc) else []
    if dialect == "sqlite":
        found = in_sqlite(node, name)
        if found is not None:
            return found
    if isinstance(node, exp.ToChar) and node.args.get("format") is not None:
        # Read without a dialect, its format was not understood.
        plain = exp.Anonymous(this="TO_CHAR", expressions=[node.this.copy(), node.args["format"].copy()])
        return _as_elsewhere(plain, "TO_CHAR", dialect, functions)
    if not isinstance(node, exp.Anonymous | exp.AnonymousAggFunc):
        return None
    if name == "ISNULL" and len(arguments) == 2:
        return exp.Coalesce(this=arguments[0], expressions=arguments[1:])
    if name in ("COUNT_DISTINCT", "COUNTDISTINCT", "COUNTD", "DISTINCT_COUNT") and arguments:
        return exp.Count(this=exp.Distinct(expressions=arguments))
    spoken = _without_fillers(name)
    same = next((names for names in _SAME if spoken in names), frozenset())
    for other in sorted(same):
        if other in functions or other in _STANDARD:
            return _called(other, arguments, dialect)
    return _as_elsewhere(node, name, dialect, functions)


def _without_fillers(name: str) -> str:
    """The one word of a name such as TOTAL_SUM or COUNT_ALL that says what is computed."""
    parts = [part for part in fold(name).split("_") if part and part not in _FILLERS]
    return parts[0] if len(parts) == 1 else fold(name)


def _called(name: str, arguments: list[exp.Expr], dialect: str) -> exp.Expr | None:
    """The call of that function; None where the dialect cannot say it with these arguments."""
    try:
        call: exp.Expr = exp.func(name.upper(), *arguments, dialect=dialect)
    except (SqlglotError, ValueError, AttributeError, TypeError, KeyError, IndexError):
        return None
    return call if _written(call, dialect) is not None else None


def _as_elsewhere(node: exp.Func, name: str, dialect: str, functions: frozenset[str]) -> exp.Expr | None:
    """What the dialects that know the function make of it in this one, if they agree and the engine can run it."""
    written = _written(node, dialect)
    if written is None or name in _OF_MANY_MEANINGS:
        return None
    found: dict[str, exp.Expr] = {}
    for other in _DIALECTS:
        if other == dialect or name not in Dialect.get_or_raise(other).parser_class.FUNCTIONS:
            continue
        tree = _parsed(written, other)
        text = _written(tree, dialect) if tree is not None and not isinstance(tree, exp.Anonymous) else None
        if text is None:
            continue
        reading = _parsed(text, dialect)
        if (
            reading is None
            or not keeps_format(reading, name, dialect)
            or missing_functions(reading, dialect, functions)
        ):
            return None
        found.setdefault(text, reading)
    return next(iter(found.values())) if len(found) == 1 else None


def parsed_call(sql: str, tokens: Sequence[Token], position: int, dialect: str) -> exp.Expr | None:
    """The call whose name stands at this position, as the parser reads it; None where it cannot."""
    return _parsed(sql[tokens[position].start : tokens[closing(tokens, position + 1)].end + 1], dialect)


def _parsed(text: str, dialect: str) -> exp.Expr | None:
    try:
        parsed = Dialect.get_or_raise(dialect).parse(f"SELECT {text}")
    except (SqlglotError, ValueError, AttributeError, TypeError, KeyError, IndexError):
        return None
    expressions = parsed[0].expressions if len(parsed) == 1 and isinstance(parsed[0], exp.Select) else []
    return expressions[0].unalias() if len(expressions) == 1 else None


def _shown(node: exp.Expr, dialect: str) -> str:
    """The new call's name, or, where it is no call, the expression itself."""
    text = node.sql(dialect=dialect, comments=False)
    called = _CALL.match(text)
    return called[1].upper() if called and fold(called[1]) not in GRAMMAR.get(dialect, ()) else text
