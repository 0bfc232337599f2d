"""Session properties fitted to what a rule compares them with.

Databases convert what does not fit, each in its own way: to MariaDB every text without a digit in front is equal to the
number 0. So a property has the kind of value that it is compared with, or the statement is refused.
"""

from __future__ import annotations

import re
from datetime import datetime, time

from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.annotate_types import annotate_types

from askwell.mdl.expressions import references
from askwell.mdl.lookup import Dangling, Lookup
from askwell.mdl.manifest import Model
from askwell.mdl.types import TypeFamily, type_family
from askwell.sql.planner.surroundings import Unplannable

NUMBER = re.compile(r"[+-]?\d+(\.\d*)?([eE][+-]?\d+)?|[+-]?\.\d+", re.ASCII)

_A_TEXT = "a text in quotes, such as 'EMEA'"
_EXPECTED = {
    TypeFamily.NUMBER: "a number, such as 42",
    TypeFamily.TIME: "a date or time in quotes, such as '2026-01-31'",
    TypeFamily.BOOLEAN: "true or false",
}
# What takes the same kind of value on all sides.
_ALIKE = (
    *(exp.EQ, exp.NEQ, exp.NullSafeEQ, exp.NullSafeNEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.In, exp.Between),
    *(exp.Array, exp.Tuple, exp.Coalesce, exp.Nullif, exp.Greatest, exp.Least, exp.Case, exp.If, exp.Is),
)
_ARITHMETIC = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.IntDiv, exp.Mod)
_TRUTHS = (exp.And, exp.Or, exp.Xor, exp.Not)


def expected(parameter: exp.Expr, model: Model, lookup: Lookup, dialect: str) -> TypeFamily:
    """The kind of value that belongs where `parameter` stands in a condition over `model`; UNKNOWN where that cannot be
    told."""
    here, parent = parameter, parameter.parent
    while isinstance(parent, exp.Paren | exp.Neg):
        here, parent = parent, parent.parent
    if parent is None or isinstance(parent, _TRUTHS):
        return TypeFamily.BOOLEAN
    if isinstance(parent, exp.Cast):
        return type_family(parent.to.sql())
    if isinstance(parent, _ARITHMETIC):
        return TypeFamily.NUMBER
    if isinstance(parent, exp.Like | exp.ILike | exp.DPipe | exp.Concat):
        return TypeFamily.TEXT
    if not isinstance(parent, _ALIKE):
        return TypeFamily.UNKNOWN
    beside = [other for other in parent.iter_expressions() if other is not here]
    families = {_family(other, model, lookup, dialect) for other in beside} - {TypeFamily.UNKNOWN}
    return families.pop() if len(families) == 1 else TypeFamily.UNKNOWN


def _family(tree: exp.Expr, model: Model, lookup: Lookup, dialect: str) -> TypeFamily:
    """The kind of value of an expression over the model, as far as declared types say."""
    holder = exp.Paren(this=tree.copy())
    for node, names in references(holder):
        reach = lookup.reach(model, names)
        declared = "" if isinstance(reach, Dangling) or reach.fields else reach.column.type
        family = TypeFamily.TEXT if declared.lower() in lookup.enums else type_family(declared)
        kind = _KINDS.get(family)
        node.replace(exp.cast(exp.Null(), kind) if kind else exp.Anonymous(this="unknown"))
    try:
        kind_of = annotate_types(holder.this, dialect=dialect).type
    except SqlglotError:
        return TypeFamily.UNKNOWN
    if kind_of is None or kind_of.this in (exp.DType.UNKNOWN, exp.DType.NULL):
        return TypeFamily.UNKNOWN
    family = type_family(kind_of.this.value)
    return family if family in _KINDS else TypeFamily.UNKNOWN


_KINDS = {
    TypeFamily.NUMBER: exp.DType.DOUBLE,
    TypeFamily.TEXT: exp.DType.TEXT,
    TypeFamily.TIME: exp.DType.TIMESTAMP,
    TypeFamily.BOOLEAN: exp.DType.BOOLEAN,
}


def fitted(literal: exp.Expr, family: TypeFamily, what: str) -> exp.Expr:
    """The literal of that kind; NULL fits everywhere. Where the kind is not known, only text is taken: to a number a
    database may convert what the rule compares it with. Raises `Unplannable`, beginning with `what`, where it is
    of another kind."""
    if isinstance(literal, exp.Null):
        return literal
    is_text = isinstance(literal, exp.Literal) and literal.is_string
    written = literal.this if is_text else literal.sql()
    match family:
        case TypeFamily.NUMBER if NUMBER.fullmatch(written):
            return _number(written)
        case TypeFamily.BOOLEAN if isinstance(literal, exp.Boolean):
            return literal
        case TypeFamily.BOOLEAN if written in ("0", "1"):
            return exp.Boolean(this=written == "1")
        case TypeFamily.TIME if is_text and _is_time(written):
            return literal
        case TypeFamily.TEXT if not isinstance(literal, exp.Boolean):
            return literal if is_text else exp.Literal.string(written)
        case TypeFamily.NUMBER | TypeFamily.BOOLEAN | TypeFamily.TIME | TypeFamily.TEXT:
            pass
        case _ if is_text:
            return literal
    raise Unplannable(f"{what} has to be {_EXPECTED.get(family, _A_TEXT)}")


def _number(written: str) -> exp.Expr:
    digits = exp.Literal(this=written.lstrip("+-"), is_string=False)
    return exp.Neg(this=digits) if written.startswith("-") else digits


def _is_time(written: str) -> bool:
    for kind in (datetime, time):
        try:
            kind.fromisoformat(written)
        except ValueError:
            continue
        return True
    return False
