"""Row and column rules: what whoever asks may read. A rule that cannot be applied refuses; it is never skipped."""

from __future__ import annotations

import re
from collections.abc import Mapping

from sqlglot import exp

from askwell.mdl.expressions import Unreadable, read_expression, read_rule
from askwell.mdl.manifest import ColumnRule, Model, ModelColumn, RowRule, SessionProperty
from askwell.sql.names import fold
from askwell.sql.planner.surroundings import Unplannable


class Access:
    """The rules, for one asker's session properties (name → SQL literal), in sqlglot's `dialect`."""

    def __init__(self, properties: Mapping[str, str], dialect: str) -> None:
        self._dialect = dialect
        self._properties = {fold(name): value for name, value in properties.items()}

    def row_conditions(self, model: Model) -> list[exp.Expr]:
        """The conditions of the model's row rules, with the session's values in them. Raises `Unplannable`."""
        return [self._condition(model, rule) for rule in model.row_level_access_controls]

    def may_read(self, model: Model, column: ModelColumn) -> bool:
        """Whether the column is part of `*`: a rule that cannot be applied leaves it out."""
        try:
            self.check_readable(model, column)
        except Unplannable:
            return False
        return True

    def check_readable(self, model: Model, column: ModelColumn) -> None:
        """Raises `Unplannable` where the column's rule does not let it be read."""
        rule = column.column_level_access_control
        if rule is not None and not self.passes(rule, f"{model.name}.{column.name}"):
            raise Unplannable(f'{model.name}.{column.name} may not be read here (rule "{rule.name}")')

    def passes(self, rule: ColumnRule, what: str) -> bool:
        """Whether the session property compares to the rule's threshold as it says."""
        if len(rule.required_properties) != 1:
            raise Unplannable(f'the rule "{rule.name}" of {what} has to name one session property')
        literal = self._literal(rule.required_properties[0], rule.name, what)
        return _compares(_plain(literal), rule.operator, rule.threshold, f'rule "{rule.name}" of {what}')

    def _condition(self, model: Model, rule: RowRule) -> exp.Expr:
        tree = read_rule(rule.condition, self._dialect)
        if isinstance(tree, Unreadable):
            raise Unplannable(f'the row rule "{rule.name}" of {model.name} cannot be used: {tree.reason}')
        declared = {fold(declared.name): declared for declared in rule.required_properties}
        for needed in rule.required_properties:
            self._literal(needed, rule.name, model.name)
        holder = exp.Paren(this=tree)
        for parameter in list(holder.find_all(exp.Parameter, exp.SessionParameter, exp.Placeholder)):
            name = parameter.name
            wanted = declared.get(fold(name)) or SessionProperty(name=name)
            parameter.replace(self._literal(wanted, rule.name, model.name))
        return holder

    def _literal(self, wanted: SessionProperty, rule: str, what: str) -> exp.Expr:
        value = self._properties.get(fold(wanted.name))
        if value is None and not wanted.required:
            value = wanted.default_expr
        if value is None:
            raise Unplannable(
                f'{what} may only be read with the session property "{wanted.name}" (rule "{rule}"), which is not given'
            )
        tree = read_expression(value, "")
        inner = tree.this if isinstance(tree, exp.Neg) else tree
        if not isinstance(inner, exp.Literal | exp.Boolean | exp.Null):
            raise Unplannable(f"the session property \"{wanted.name}\" has to be a SQL literal, such as 'EMEA' or 42")
        return tree  # type: ignore[return-value]


_NUMBER = re.compile(r"[+-]?\d+(\.\d*)?([eE][+-]?\d+)?|[+-]?\.\d+")


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
    if _NUMBER.fullmatch(written):
        right = float(written)
        left = float(left) if isinstance(left, str) and _NUMBER.fullmatch(left) else left
    if left is None or isinstance(left, str) != isinstance(right, str):
        return False
    match operator.strip().upper():
        case "=" | "==" | "EQUALS":
            return left == right
        case "!=" | "<>" | "NOT_EQUALS":
            return left != right
        case ">" | "GREATER_THAN":
            return left > right  # type: ignore[operator]
        case ">=" | "GREATER_THAN_OR_EQUALS":
            return left >= right  # type: ignore[operator]
        case "<" | "LESS_THAN":
            return left < right  # type: ignore[operator]
        case "<=" | "LESS_THAN_OR_EQUALS":
            return left <= right  # type: ignore[operator]
        case other:
            raise Unplannable(f"the {what} has an operator that is not known ({other})")
