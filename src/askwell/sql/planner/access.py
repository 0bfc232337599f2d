"""Row and column rules: what whoever asks may read. A rule that cannot be applied refuses; it is never skipped."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from sqlglot import exp

from askwell.mdl.expressions import Unreadable, read_expression, read_rule
from askwell.mdl.lookup import Lookup
from askwell.mdl.manifest import ColumnRule, Model, ModelColumn, RowRule, SessionProperty
from askwell.sql.names import fold
from askwell.sql.planner.properties import NUMBER, expected, fitted
from askwell.sql.planner.surroundings import NotReadable, Unplannable


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
        "For whoever signed in it comes from sign_in.properties of the configuration: ask an administrator. Where "
        f"nobody signs in, send it with the question, a text in quotes of its own: session_properties: {example}."
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
