"""What SQLite has no function of its own for, and what MySQL and MariaDB read as something else than the databases do
from which it is known: `||` and ISNULL.

Neither of these shows in the tree any more: `||` has become OR there, and the second argument of ISNULL is gone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sqlglot import exp, parse_one
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import Token, TokenType

from askwell.sql.repair.clauses import closing

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
    try:
        tokens = Dialect.get_or_raise("mysql").tokenize(sql)
    except (SqlglotError, ValueError, IndexError):
        return ()
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
