"""Row and column rules: what the caller may read. A rule that cannot be applied refuses; it is never skipped.

Databases convert what does not fit, each in its own way: to MariaDB every text without a digit in front is equal to the
number 0. So a property has the kind of value that it is compared with, or the statement is refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import datetime, time

from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.annotate_types import annotate_types

from askwell.mdl.expressions import Unreadable, read_expression, read_rule, references
from askwell.mdl.lookup import Dangling, Lookup
from askwell.mdl.manifest import RULE_OPERATORS, ColumnRule, Model, ModelColumn, RowRule, SessionProperty
from askwell.mdl.types import TypeFamily, type_family
from askwell.sql.names import fold
from askwell.sql.planner.surroundings import NotReadable, Unplannable

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


class Access:
    """The rules of the models of `lookup`, for one asker's session properties (name → SQL literal), in sqlglot's
    `dialect`."""

    def __init__(self, properties: Mapping[str, str], lookup: Lookup, dialect: str) -> None:
        self._lookup = lookup
        self._dialect = dialect
        self._properties = {fold(name): value for name, value in properties.items()}

    def row_conditions(self, model: Model) -> list[exp.Expr]:
        """The conditions of the model's row rules, with the session's values in them. Raises `Unplannable`."""
        return [self._condition(model, rule) for rule in model.row_level_access_controls]

    def check_readable(self, model: Model, column: ModelColumn) -> None:
        """Raises `NotReadable` where the column's rule does not let it be read, or cannot be applied."""
        rule = column.column_level_access_control
        if rule is None:
            return
        try:
            passes = self.passes(rule, f"{model.name}.{column.name}")
        except Unplannable as error:
            raise NotReadable(str(error)) from error
        if not passes:
            raise NotReadable(f'{model.name}.{column.name} may not be read here (rule "{rule.name}")')

    def passes(self, rule: ColumnRule, what: str) -> bool:
        """Whether the session property compares to the rule's threshold as it says."""
        if len(rule.required_properties) != 1:
            raise Unplannable(f'the rule "{rule.name}" of {what} has to name one session property')
        literal = self._literal(rule.required_properties[0], rule.name, what)
        return _compares(_plain(literal), rule.operator, rule.threshold, f'rule "{rule.name}" of {what}')

    def depends_on_asker(self, rule: RowRule) -> bool:
        """Whether session properties have a say in the rule, which can be read."""
        tree = read_rule(rule.condition, self._dialect)
        return bool(rule.required_properties) or isinstance(tree, Unreadable) or any(_parameters(tree))

    def _condition(self, model: Model, rule: RowRule) -> exp.Expr:
        tree = read_rule(rule.condition, self._dialect)
        if isinstance(tree, Unreadable):
            raise Unplannable(f'the row rule "{rule.name}" of {model.name} cannot be used: {tree.reason}')
        declared = {fold(declared.name): declared for declared in rule.required_properties}
        for needed in rule.required_properties:
            self._literal(needed, rule.name, model.name)
        holder = exp.Paren(this=tree)
        values: list[tuple[exp.Expr, exp.Expr]] = []
        for parameter in _parameters(holder):
            name = parameter.name
            wanted = declared.get(fold(name)) or SessionProperty(name=name)
            literal = self._literal(wanted, rule.name, model.name)
            family = expected(parameter, model, self._lookup, self._dialect)
            what = f'the session property "{wanted.name}" (rule "{rule.name}" of {model.name})'
            values.append((parameter, fitted(literal, family, what)))
        for parameter, value in values:
            parameter.replace(value)
        return holder

    def _literal(self, wanted: SessionProperty, rule: str, what: str) -> exp.Expr:
        value = self._properties.get(fold(wanted.name))
        if value is None and not wanted.required:
            value = wanted.default_expr
        if value is None:
            raise Unplannable(
                f'{what} may only be read with the session property "{wanted.name}" (rule "{rule}"), '
                "which is not given",
                _how_to_send(wanted.name),
            )
        tree = read_expression(value, "")
        inner = tree.this if isinstance(tree, exp.Neg) else tree
        if not isinstance(inner, exp.Literal | exp.Boolean | exp.Null):
            raise Unplannable(
                f"the session property \"{wanted.name}\" has to be a SQL literal, such as 'EMEA' or 42",
                _how_to_send(wanted.name),
            )
        return tree  # type: ignore[return-value]


def _parameters(tree: exp.Expr) -> Iterator[exp.Expr]:
    return tree.find_all(exp.Parameter, exp.SessionParameter, exp.Placeholder)


def _how_to_send(name: str) -> str:
    example = json.dumps({name: "'EMEA'"}, ensure_ascii=False)
    return (
        "If you sign in, ask an administrator to add it to sign_in.properties. Without sign-in, send it with the "
        f"question, text in its own quotes: session_properties: {example}."
    )


def _plain(literal: exp.Expr) -> str | float | None:
    if isinstance(literal, exp.Null):
        return None
    if isinstance(literal, exp.Boolean):
        return "true" if literal.this else "false"
    if isinstance(literal, exp.Literal) and literal.is_string:
        return str(literal.this)
    return float(literal.sql())


def _compares(value: str | float | None, operator: str, threshold: object, what: str) -> bool:
    """Numbers compare as numbers, texts as texts. A value of the other kind than the threshold passes nothing, and
    neither does NULL."""
    left: str | float | None = value
    written = str(threshold).strip().strip("'")
    right: str | float = written
    if NUMBER.fullmatch(written):
        right = float(written)
        left = float(left) if isinstance(left, str) and NUMBER.fullmatch(left) else left
    if left is None or isinstance(left, str) != isinstance(right, str):
        return False
    compare = RULE_OPERATORS.get(operator.strip().upper())
    if compare is None:
        raise Unplannable(f"the {what} has an operator that is not known ({operator.strip().upper()})")
    return compare(left, right)
