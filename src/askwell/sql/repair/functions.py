"""Functions that the engine does not have: found from its catalogue, and said in its words where that is certain.

MySQL and MariaDB run some words of other databases and mean something else by them, or the parser writes them in
MySQL's own and loses a unit, a format or digits without an error. `||` has become OR in the tree, and the second
argument of ISNULL is gone: so such words are found among the tokens, and refused with what to write.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sqlglot import exp, parse_one
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import ErrorLevel, SqlglotError
from sqlglot.tokenizer_core import Token, TokenType

from askwell.mdl.semantic_model import SemanticModel
from askwell.resources import words_file
from askwell.sql.names import fold
from askwell.sql.nearest import nearest_text
from askwell.sql.repair.spelling import PACKAGE, WORDS_FILE, repair_words
from askwell.sql.repair.wording import closing, tokens_of

# strftime's letters for what is taken out of a date: as numbers, as in the databases that have these functions.
_PARTS = {"YEAR": "%Y", "MONTH": "%m", "DAY": "%d", "HOUR": "%H", "MINUTE": "%M", "SECOND": "%S"}
_TRUNCATED = {"YEAR": "%Y-01-01", "MONTH": "%Y-%m-01", "DAY": "%Y-%m-%d"}
_OF_CLOCK = frozenset({"HOUR", "MINUTE", "SECOND"})
# The parser writes these in words of SQLite that say less: months as 30 days, hours of a date, a number without digits.
LOSES_MEANING = (exp.Extract, exp.DateDiff, exp.DateAdd, exp.Trunc)
# What a format may hold here, and letters of a format of another kind that were left as they are.
_LETTERS = re.compile(r"(?:[^%]|%[dfHjJmMsSwWY%])*")
_LEFT_OVER = re.compile(r"(?<!%)[A-Za-z]")
# Calls without arguments.
_NOW = dict.fromkeys(("NOW", "GETDATE", "SYSDATE"), exp.CurrentTimestamp) | dict.fromkeys(
    ("CURDATE", "TODAY"), exp.CurrentDate
)


def in_sqlite(node: exp.Func, name: str) -> exp.Expr | None:
    """The call in SQLite's words, or None where it has none that mean the same."""
    anonymous = isinstance(node, exp.Anonymous)
    arguments = list(node.expressions) if anonymous else list(_arguments(node))
    if name in _NOW and not arguments:
        return _NOW[name]()
    if name in ("DAYOFMONTH", "DAY_OF_MONTH"):
        name = "DAY"
    if name in _PARTS and len(arguments) == 1:
        return _part(name, arguments[0])
    if name in ("EXTRACT", "DATE_PART", "DATEPART") and len(arguments) == 2:
        part = arguments[0].name.upper()
        return _part(part, arguments[1]) if part in _PARTS else None
    if isinstance(node, exp.DateTrunc | exp.TimestampTrunc):
        unit = node.text("unit").upper()
        return _said(f"STRFTIME('{_TRUNCATED[unit]}', :a)", a=node.this) if unit in _TRUNCATED else None
    if isinstance(node, exp.DateSub | exp.DateAdd):
        return _moved(node, "DATE")
    # Counted by the days of the calendar, whatever the time of day.
    if (isinstance(node, exp.DateDiff) or name == "DATEDIFF") and node.text("unit").upper() in ("", "DAY"):
        days = "CAST((JULIANDAY(DATE(:a)) - JULIANDAY(DATE(:b))) AS INTEGER)"
        return _said(days, a=arguments[0], b=arguments[1]) if len(arguments) == 2 else None
    return _of_text(node)


def _of_text(node: exp.Func) -> exp.Expr | None:
    """LEFT, whose negative numbers mean different things elsewhere, and CONCAT, in which a part that is null is
    empty."""
    if isinstance(node, exp.Left) and not isinstance(node.expression, exp.Neg):
        return _said("SUBSTR(:a, 1, :n)", a=node.this, n=node.expression)
    if isinstance(node, exp.Concat) and not isinstance(node, exp.ConcatWs):
        parts = {f"p{number}": part for number, part in enumerate(node.expressions)}
        return _said(" || ".join(f"COALESCE(:{name}, '')" for name in parts).join("()"), **parts)
    return None


def keeps_format(written: exp.Expr, name: str, dialect: str) -> bool:
    """Whether the formats of dates in a translated call are whole: every part of them has its like here."""
    formats = [one.name for one in written.find_all(exp.Literal) if one.is_string and "%" in one.name]
    if dialect == "sqlite" and not all(map(_LETTERS.fullmatch, formats)):
        return False
    return name != "TO_CHAR" or (bool(formats) and not any(map(_LEFT_OVER.search, formats)))


def moved_in_sqlite(node: exp.Expr) -> exp.Expr | None:
    """`CURRENT_DATE - INTERVAL 1 MONTH` as SQLite says it; None where the start is not known to be a date or time."""
    if not isinstance(node, exp.Add | exp.Sub) or not isinstance(node.expression, exp.Interval):
        return None
    start = {exp.CurrentDate: "DATE", exp.CurrentTimestamp: "DATETIME"}.get(type(node.this))
    return None if start is None else _moved(node, start)


def _moved(node: exp.Expr, function: str) -> exp.Expr | None:
    """A date, or a time where the unit is one of the clock, earlier or later by a number that is written there."""
    number, unit = node.expression, node.text("unit") or "DAY"
    if isinstance(number, exp.Interval):
        number, unit = number.this, number.text("unit")
    unit = unit.upper()
    if not isinstance(number, exp.Literal) or not number.name.isdigit() or unit not in _PARTS:
        return None
    function = "DATETIME" if unit in _OF_CLOCK else function
    sign = "-" if isinstance(node, exp.Sub | exp.DateSub) else "+"
    return exp.Anonymous(
        this=function, expressions=[node.this.copy(), exp.Literal.string(f"{sign}{number.name} {unit}")]
    )


def _arguments(node: exp.Func) -> list[exp.Expr]:
    return [value for key in ("this", "expression") if isinstance(value := node.args.get(key), exp.Expr)]


def _part(part: str, value: exp.Expr) -> exp.Expr:
    return _said(f"CAST(STRFTIME('{_PARTS[part]}', :a) AS INTEGER)", a=value)


def _said(template: str, **parts: exp.Expr) -> exp.Expr:
    """SQL of SQLite with the parts in the places that have their names."""
    tree: exp.Expr = parse_one(template, dialect="sqlite")
    if isinstance(tree, exp.Substring):  # named as SQLite names it
        tree = exp.Anonymous(this="SUBSTR", expressions=[one for one in tree.args.values() if one is not None])
    return tree.transform(lambda node: parts[node.name].copy() if isinstance(node, exp.Placeholder) else node)


def misread_in_mysql(sql: str) -> tuple[str, ...]:
    """A sentence for each of the two that the text has, with what to write instead."""
    if "||" not in sql and "isnull" not in sql.lower():
        return ()
    tokens = tokens_of(sql, "mysql") or ()
    sentences = []
    if any(token.token_type is TokenType.DPIPE for token in tokens):
        sentences.append("In MySQL || means OR: write CONCAT(a, b) to join texts, and OR for one or the other")
    if next(_two_argument_isnull(tokens), None) is not None:
        sentences.append("In MySQL ISNULL has one argument: write IFNULL(a, b) for a value in place of NULL")
    return tuple(sentences)


def _two_argument_isnull(tokens: Sequence[Token]) -> Iterator[int]:
    for position in range(len(tokens) - 1):
        opens = tokens[position + 1].token_type is TokenType.L_PAREN
        if not opens or tokens[position].text.upper() != "ISNULL":
            continue
        depth = 0
        for token in tokens[position + 1 : closing(tokens, position + 1)]:
            depth += (token.token_type is TokenType.L_PAREN) - (token.token_type is TokenType.R_PAREN)
            if depth == 1 and token.token_type is TokenType.COMMA:
                yield position
                break


# Calls of other databases that mean the same in MySQL's words, whatever their arguments.
_SAME_MEANING = repair_words("same_in_mysql")

# Known under that name to some versions only, and never with the meaning that it is written with.
_OTHER_MEANING = frozenset({"trunc"})


def foreign_words(sql: str, dialect: str, functions: frozenset[str], model: SemanticModel) -> tuple[str, ...]:
    """A sentence for each, in order; empty for other dialects. `functions` are those that may be called, folded."""
    if dialect != "mysql":
        return ()
    tokens = tokens_of(sql, dialect) or ()
    columns: frozenset[str] | None = None
    sentences: dict[str, None] = {}
    for position, token in enumerate(tokens):
        if token.token_type is TokenType.DCOLON:
            sentences["MySQL has no ::; write CAST(x AS type), for numbers with their digits: DECIMAL(18, 4)"] = None
        elif token.token_type is TokenType.STRING and sql[token.start] == '"':
            columns = _columns_of(sql, model) if columns is None else columns
            if fold(token.text) in columns:
                quoted = f"`{token.text}`"
                sentences[f"\"{token.text}\" is a text in MySQL; for the column write {quoted}, for a text use '…'"] = (
                    None
                )
        elif _is_foreign_call(sql, tokens, position, dialect, functions):
            sentences[f"The database has no function {token.text.upper()}" + nearest_text(token.text, functions)] = None
    return tuple(sentences)


def _columns_of(sql: str, model: SemanticModel) -> frozenset[str]:
    """The columns of the tables whose names stand in the text."""
    text = fold(sql)
    return frozenset(fold(c.name) for table in model if fold(table.name) in text for c in table.columns)


def _is_foreign_call(sql: str, tokens: Sequence[Token], position: int, dialect: str, functions: frozenset[str]) -> bool:
    """Whether a function is called here that the database lacks and the parser would write in other words."""
    token = tokens[position]
    if token.token_type is not TokenType.VAR or position + 1 == len(tokens):
        return False
    name = fold(token.text)
    known = (name in functions or name in _SAME_MEANING) and name not in _OTHER_MEANING
    if known or tokens[position + 1].token_type is not TokenType.L_PAREN:
        return False
    call = parsed_call(sql, tokens, position, dialect)
    # A name the parser does not know stays as it is, and is said to be missing elsewhere.
    return call is not None and not isinstance(call, exp.Anonymous | exp.AnonymousAggFunc)


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
