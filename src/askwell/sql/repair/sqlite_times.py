"""What SQLite has no function of its own for, said with the functions it has."""

from __future__ import annotations

from sqlglot import exp

# strftime's letters for what is taken out of a date: as numbers, as in the databases that have these functions.
_PARTS = {"YEAR": "%Y", "MONTH": "%m", "DAY": "%d", "HOUR": "%H", "MINUTE": "%M", "SECOND": "%S"}
_TRUNCATED = {"YEAR": "%Y-01-01", "MONTH": "%Y-%m-01", "DAY": "%Y-%m-%d"}
_UNITS = frozenset({"YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND"})
_NOW = {"NOW": "CURRENT_TIMESTAMP", "GETDATE": "CURRENT_TIMESTAMP", "SYSDATE": "CURRENT_TIMESTAMP"}
_TODAY = frozenset({"CURDATE", "TODAY"})


def in_sqlite(node: exp.Func, name: str) -> exp.Expr | None:
    """The call in SQLite's words, or None where it has none that mean the same."""
    anonymous = isinstance(node, exp.Anonymous)
    arguments = list(node.expressions) if anonymous else list(_arguments(node))
    if name in _NOW and not arguments:
        return exp.CurrentTimestamp()
    if name in _TODAY and not arguments:
        return exp.CurrentDate()
    if name in ("DAYOFMONTH", "DAY_OF_MONTH"):
        name = "DAY"
    if name in _PARTS and len(arguments) == 1:
        return _part(name, arguments[0])
    if name in ("EXTRACT", "DATE_PART", "DATEPART") and len(arguments) == 2:
        part = arguments[0].name.upper()
        return _part(part, arguments[1]) if part in _PARTS else None
    if isinstance(node, exp.DateTrunc | exp.TimestampTrunc):
        unit = node.text("unit").upper()
        return _strftime(_TRUNCATED[unit], node.this) if unit in _TRUNCATED else None
    if isinstance(node, exp.DateSub) and isinstance(node.expression, exp.Literal):
        return _moved("DATE", node.this, f"-{node.expression.name} {node.text('unit') or 'DAY'}")
    if isinstance(node, exp.Left):
        return _substr(node.this, exp.Literal.number(1), node.expression)
    if isinstance(node, exp.Right):
        return _substr(node.this, exp.Neg(this=node.expression.copy()))
    if isinstance(node, exp.Concat):
        return _joined(node)
    return None


def moved_in_sqlite(node: exp.Expr) -> exp.Expr | None:
    """`CURRENT_DATE - INTERVAL 1 MONTH` as SQLite says it; None where the start is not known to be a date or time."""
    interval = node.expression
    if not isinstance(node, exp.Add | exp.Sub) or not isinstance(interval, exp.Interval):
        return None
    start = {exp.CurrentDate: "DATE", exp.CurrentTimestamp: "DATETIME"}.get(type(node.this))
    number, unit = interval.this, interval.text("unit").upper()
    if start is None or not isinstance(number, exp.Literal) or not number.name.isdigit() or unit not in _UNITS:
        return None
    sign = "-" if isinstance(node, exp.Sub) else "+"
    return _moved(start, node.this, f"{sign}{number.name} {unit}")


def _moved(function: str, start: exp.Expr, by: str) -> exp.Expr:
    return exp.Anonymous(this=function, expressions=[start.copy(), exp.Literal.string(by)])


def _arguments(node: exp.Func) -> list[exp.Expr]:
    return [value for key in ("this", "expression") if isinstance(value := node.args.get(key), exp.Expr)]


def _part(part: str, value: exp.Expr) -> exp.Expr:
    return exp.Cast(this=_strftime(_PARTS[part], value), to=exp.DataType.build("INTEGER"))


def _strftime(letters: str, value: exp.Expr) -> exp.Expr:
    return exp.Anonymous(this="STRFTIME", expressions=[exp.Literal.string(letters), value.copy()])


def _substr(*arguments: exp.Expr) -> exp.Expr:
    return exp.Anonymous(this="SUBSTR", expressions=[argument.copy() for argument in arguments])


def _joined(node: exp.Concat) -> exp.Expr | None:
    """`concat(a, b)` is `a || b` where the engine lacks it: both are null where a part is, as in most databases."""
    parts = [part.copy() for part in node.expressions]
    if len(parts) < 2:
        return None
    joined: exp.Expr = parts[0]
    for part in parts[1:]:
        joined = exp.DPipe(this=joined, expression=part)
    return exp.Paren(this=joined)
