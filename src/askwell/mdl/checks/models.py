"""Checks of models: where their rows are, keys, columns, calculated fields and rules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from sqlglot import exp

from askwell.mdl.aggregates import TooComplex, aggregate_around, common_hops, is_own_aggregate, taken_apart
from askwell.mdl.expressions import Unreadable, is_inside, read_expression, read_query, read_rule, references
from askwell.mdl.lookup import Dangling, Lookup, Reach
from askwell.mdl.manifest import (
    RULE_OPERATORS,
    ColumnRule,
    Manifest,
    Model,
    ModelColumn,
    RowRule,
    SessionProperty,
    TableReference,
)
from askwell.mdl.names import is_file_place, is_system_place, listed, nearest, nearest_hint
from askwell.mdl.problems import Findings, item, place, shown
from askwell.mdl.types import common_types, is_sql_type


def check_calculation(scope: Scope, where: str, model: Model, column: ModelColumn) -> None:
    """Check one calculated field."""
    if not (column.expression or "").strip():
        scope.findings.refuse(where, "it is calculated, but has no expression", 'Give "expression".')
        return
    tree = read_expression(column.expression or "", scope.dialect)
    if isinstance(tree, Unreadable):
        scope.findings.refuse(where, f"its expression cannot be used: {tree.reason}", "Write one SQL expression.")
        return
    top = exp.Paren(this=tree)
    reached = [(node, check_reference(scope, where, model, names, column.name)) for node, names in references(top)]
    found = [(node, reach) for node, reach in reached if reach is not None]
    if len(found) < len(reached):
        return
    if any(reach.to_many for _, reach in found) and not model.primary_key:
        what = f"it aggregates related rows, and {model.name} has no primary key"
        scope.findings.refuse(where, what, 'Give the model a "primaryKey".')
    _check_aggregates(scope, where, model, top, found)


def check_reference(
    scope: Scope, where: str, model: Model, names: tuple[str, ...], own: str = "", text: str = "expression"
) -> Reach | None:
    """Where a dotted reference leads; a problem is reported where it leads nowhere.

    `own` is the name of the column whose expression this is, and `text` says what the reference stands in.
    """
    reach = scope.lookup.reach(model, names)
    if not isinstance(reach, Dangling):
        return reach
    if reach.elsewhere or scope.is_broken(reach.model, reach.name):
        return None
    written = shown(".".join(names))
    which = f'but "{shown(reach.name)}"' if len(names) > 1 else "which"
    what = f'its {text} reads "{written}", {which} is {reach.reason}'
    valid = [name for name in reach.valid if name.rpartition(".")[2] != own or reach.model != model.name]
    scope.findings.refuse(where, what, nearest_hint(reach.name, valid) or "Correct the name.")
    return None


def _check_aggregates(
    scope: Scope, where: str, model: Model, top: exp.Expr, found: list[tuple[exp.Expr, Reach]]
) -> None:
    aggregates: dict[int, exp.Expr] = {}
    for node, reach in found:
        aggregate = aggregate_around(node, top)
        if reach.to_many and aggregate is None:
            what = f"{shown(node.sql())} may have several values for one row of {model.name}"
            scope.findings.refuse(where, what, "Put an aggregate around it, such as sum(…).")
            return
        if reach.to_many and aggregate is not None:
            aggregates[id(aggregate)] = aggregate
    for aggregate in aggregates.values():
        members = [reach for node, reach in found if is_inside(node, aggregate)]
        try:
            if common_hops(members)[-1].to_many:
                taken_apart(aggregate)
        except TooComplex as error:
            scope.findings.refuse(where, f"{shown(aggregate.sql())} cannot be worked out: {error}", "Split it up.")
    for node, _ in found:
        if not any(is_inside(node, aggregate) for aggregate in aggregates.values()) and is_own_aggregate(node, top):
            what = f"it aggregates rows of {model.name} itself"
            scope.findings.refuse(where, what, "Make it a measure of a metric, or follow a relationship.")
            return


def check_circles(scope: Scope) -> None:
    """Refuse calculated fields that are built on themselves, over any number of models; each circle once."""
    done: set[tuple[str, str]] = set()
    for position, model in enumerate(scope.manifest.models):
        for number, column in enumerate(model.columns):
            if column.is_calculated and (model.name, column.name) not in done:
                circle = _circle(scope, model, column, done)
                if circle:
                    where = place(
                        scope.at("models", model, position, model.name),
                        scope.at("columns", column, number, column.name),
                    )
                    what = f"calculated fields are built on one another in a circle ({' → '.join(circle)})"
                    if len(circle) == 2:
                        what = "its expression reads the calculated field itself"
                    scope.findings.refuse(
                        where, what, "Take one of them out of it." if len(circle) > 2 else "Read other columns in it."
                    )


def _circle(scope: Scope, model: Model, column: ModelColumn, done: set[tuple[str, str]]) -> list[str] | None:
    """A circle that the field leads to, walked depth first without recursion; all that was walked is `done`."""
    path: list[tuple[str, str]] = [(model.name, column.name)]
    waiting = [_built_on(scope, model, column)]
    while waiting:
        step = next(waiting[-1], None)
        if step is None:
            waiting.pop()
            done.add(path.pop())
            continue
        key = (step.model.name, step.column.name)
        if key in path:
            done.update(path)
            circle = [*path[path.index(key) :], key]
            return [f"{owner}.{name}" for owner, name in circle]
        if key not in done:
            path.append(key)
            waiting.append(_built_on(scope, step.model, step.column))
    return None


def _built_on(scope: Scope, model: Model, column: ModelColumn) -> Iterator[Reach]:
    tree = read_expression(column.expression or "", scope.dialect)
    if not isinstance(tree, Unreadable):
        for _, names in references(tree):
            reach = scope.lookup.reach(model, names)
            if isinstance(reach, Reach) and reach.column.is_calculated:
                yield reach


@dataclass(frozen=True, slots=True)
class Scope:
    """The manifest as far as it could be read, and where to put what is wrong with it.

    `broken` are parts that were left out because of their shape, which is reported already; `positions` where entries
    stood in their lists.
    """

    manifest: Manifest
    lookup: Lookup
    findings: Findings
    dialect: str
    broken: frozenset[tuple[str, ...]]
    positions: Mapping[int, int]

    def at(self, kind: str, entry: object, position: int, name: object) -> str:
        """The place of an entry in its list."""
        return item(kind, self.positions.get(id(entry), position), name)

    def is_broken(self, *names: str) -> bool:
        """Whether a part of that name is there, but in a bad shape, so that nothing can be said about it."""
        return tuple(name.lower() for name in names) in self.broken

    def dangling(self, where: str, name: str, what: str, valid: Iterable[str]) -> None:
        """Refuse a name that refers to nothing."""
        hint = nearest_hint(name, valid)
        self.findings.refuse(where, f'"{shown(name)}" is not {what}', hint or "Add it, or correct the name.")

    def check_type(self, where: str, type_name: str) -> None:
        """Warn of a type that no database has and the manifest does not define."""
        name = type_name.strip()
        if not name or name.lower() in self.lookup.enums or self.is_broken(name):
            return
        if self.findings.enough_warnings or is_sql_type(name, self.dialect):
            return
        model = self.lookup.model(name)
        if model is not None:
            what = f'its type is the model {model.name}, but it names no "relationship"'
            self.findings.warn(where, what, "Name the relationship that leads there, or give it a SQL type.")
            return
        near = nearest(name, [*(enum.name for enum in self.manifest.enum_definitions), *common_types()])
        hint = (
            f"Nearest: {', '.join(near)}." if near else "Use one such as INTEGER, DOUBLE, VARCHAR, DATE or TIMESTAMP."
        )
        self.findings.warn(where, f'its type "{shown(name)}" is neither a SQL type nor an enum of the model', hint)


_PARAMETERS = (exp.Parameter, exp.SessionParameter, exp.Placeholder)
_EPOCHS = ("seconds", "millis", "micros")


def check_models(scope: Scope) -> None:
    """Check every model."""
    for position, model in enumerate(scope.manifest.models):
        where = scope.at("models", model, position, model.name)
        _check_source(scope, where, model)
        _check_keys(scope, where, model)
        if not model.columns and not any(path[:1] == (model.name.lower(),) for path in scope.broken):
            scope.findings.refuse(where, "it has no columns", "List at least one column.")
        for number, column in enumerate(model.columns):
            _check_column(scope, place(where, scope.at("columns", column, number, column.name)), model, column)
        for number, rule in enumerate(model.row_level_access_controls):
            spot = place(where, scope.at("rowLevelAccessControls", rule, number, rule.name))
            _check_row_rule(scope, spot, model, rule)


def _check_source(scope: Scope, where: str, model: Model) -> None:
    sources = {
        "tableReference": model.table_reference is not None,
        "refSql": model.ref_sql is not None,
        "baseObject": model.base_object is not None,
    }
    given = [name for name, there in sources.items() if there]
    if len(given) != 1:
        what = f"it has {listed(given)}" if given else "it does not say where its rows are"
        scope.findings.refuse(where, what, "Give exactly one of tableReference, refSql and baseObject.")
    if model.table_reference is not None:
        _check_place(scope, place(where, "tableReference"), model.table_reference)
    if sources["refSql"]:
        query = read_query(model.ref_sql or "", scope.dialect)
        if isinstance(query, Unreadable):
            scope.findings.refuse(place(where, "refSql"), f"it cannot be used: {query.reason}", "Write one SELECT.")
    if sources["baseObject"]:
        _check_base(scope, place(where, "baseObject"), model)


def _check_place(scope: Scope, where: str, reference: TableReference) -> None:
    written = shown(".".join(part for part in (reference.catalog, reference.schema_name, reference.table) if part))
    if not reference.table.strip():
        scope.findings.refuse(where, '"table" is empty', "Name the table in the database.")
    elif is_system_place(reference.table, [reference.catalog or "", reference.schema_name or ""]):
        what = f'"{written}" belongs to the database system'
        scope.findings.refuse(where, what, "Name a table of your own data.")
    elif is_file_place(reference.table) and scope.dialect != "sqlite":
        # SQLite has tables by such names and never takes them for files.
        scope.findings.refuse(where, f'"{written}" is the name of a file', "Name a table or view of the database.")


def _check_base(scope: Scope, where: str, model: Model) -> None:
    name = model.base_object or ""
    if scope.lookup.is_derived(name) or scope.is_broken(name):
        return
    base = scope.lookup.model(name)
    if base is None:
        names = [known for known in scope.lookup.selectable if known != model.name]
        scope.dangling(where, name, "a model, view or metric", names)
        return
    seen = {model.name: None}
    while base is not None and base.base_object and base.name not in seen:
        seen[base.name] = None
        base = scope.lookup.model(base.base_object)
    if base is not None and base.name in seen:
        names = list(seen)
        circle = " → ".join([*names[names.index(base.name) :], base.name])
        scope.findings.refuse(where, f"it is built on itself ({circle})", "Break the circle.")


def _check_keys(scope: Scope, where: str, model: Model) -> None:
    keys = [("primaryKey", model.primary_key)]
    keys += [(f"uniqueKeys[{number}]", key) for number, key in enumerate(model.unique_keys)]
    columns = [column.name for column in model.columns if column.relationship is None]
    for label, key in keys:
        for name in key:
            column = scope.lookup.column(model, name)
            if scope.is_broken(model.name, name):
                continue
            if column is None:
                scope.dangling(place(where, label), name, f"a column of {model.name}", columns)
            elif column.relationship is not None:
                scope.findings.refuse(place(where, label), f'"{name}" is a relationship column', "Name plain columns.")


def _check_column(scope: Scope, where: str, model: Model, column: ModelColumn) -> None:
    if not column.type.strip():
        scope.findings.refuse(where, '"type" is empty', "Give its SQL type.")
    elif column.relationship is None:
        scope.check_type(where, column.type)
    if column.relationship is not None:
        _check_handle(scope, where, model, column)
    elif column.is_calculated:
        check_calculation(scope, where, model, column)
    elif column.expression is not None:
        _check_plain_expression(scope, where, model, column.expression)
    rule = column.column_level_access_control
    if rule is not None:
        _check_column_rule(scope, place(where, "columnLevelAccessControl"), rule)
    epoch = column.properties.get("epoch")
    if epoch is not None and str(epoch).strip() not in ("", *_EPOCHS):
        scope.findings.warn(
            where, f'"epoch" is "{shown(str(epoch))}", which is not known', f"Use {listed(_EPOCHS, 'or')}."
        )


def _check_handle(scope: Scope, where: str, model: Model, column: ModelColumn) -> None:
    name = column.relationship or ""
    entry = scope.lookup.relationship(name)
    if entry is None:
        if not scope.is_broken(name):
            scope.dangling(where, name, "a relationship", [known.name for known in scope.manifest.relationships])
        return
    ends = [end.lower() for end in entry.models]
    if len(ends) != 2 or any(scope.lookup.model(end) is None for end in ends):
        return  # said of the relationship
    if model.name.lower() not in ends:
        what = (
            f"the relationship {entry.name} is between {listed(entry.models)}, not {model.name.strip() or 'this one'}"
        )
        scope.findings.refuse(where, what, "Name a relationship of this model.")
        return
    other = entry.models[1] if ends[0] == model.name.lower() else entry.models[0]
    if column.type.strip() and column.type.lower() != other.lower():
        what = f'its type is "{shown(column.type)}", but {entry.name} leads to {other}'
        scope.findings.refuse(where, what, f'Set "type" to "{other}".')


def _check_plain_expression(scope: Scope, where: str, model: Model, text: str) -> None:
    tree = read_expression(text, scope.dialect)
    if isinstance(tree, Unreadable):
        todo = "Correct it, or put double quotes around a name with spaces."
        scope.findings.refuse(where, f"its expression cannot be used: {tree.reason}", todo)
        return
    for _, names in references(tree):
        handle = scope.lookup.column(model, names[0])
        if len(names) > 1 and handle is not None and handle.relationship is not None:
            what = f'its expression follows the relationship column "{handle.name}"'
            scope.findings.refuse(where, what, 'Set "isCalculated" to true.')
            return


def _check_row_rule(scope: Scope, where: str, model: Model, rule: RowRule) -> None:
    tree = read_rule(rule.condition, scope.dialect)
    if isinstance(tree, Unreadable):
        scope.findings.refuse(where, f"its condition cannot be used: {tree.reason}", "Write one SQL condition.")
        return
    _check_defaults(scope, where, rule.required_properties)
    declared = {needed.name.lower().lstrip("@") for needed in rule.required_properties}
    for parameter in tree.find_all(*_PARAMETERS):
        if parameter.name.lower() not in declared:
            what = f'its condition uses @{shown(parameter.name)}, which "requiredProperties" does not list'
            scope.findings.refuse(where, what, "List it there.")
    for _, names in references(tree):
        check_reference(scope, where, model, names, text="condition")


def _check_defaults(scope: Scope, where: str, properties: Iterable[SessionProperty]) -> None:
    for needed in properties:
        tree = read_expression(needed.default_expr, "") if needed.default_expr is not None else exp.Null()
        value = tree.this if isinstance(tree, exp.Neg) else tree
        if not isinstance(value, exp.Literal | exp.Boolean | exp.Null):
            what = f'"defaultExpr" of {shown(needed.name)} is not a plain value ({shown(needed.default_expr or "")})'
            scope.findings.refuse(where, what, "Write a literal, such as 'EMEA' or 42.")


def _check_column_rule(scope: Scope, where: str, rule: ColumnRule) -> None:
    _check_defaults(scope, where, rule.required_properties)
    if rule.operator.strip().upper() not in RULE_OPERATORS:
        what = f'"{shown(rule.operator)}" is not an operator of rules'
        scope.findings.refuse(where, what, "Use =, !=, >, >=, < or <=.")
    if len(rule.required_properties) != 1:
        scope.findings.refuse(where, "it has to compare one session property", 'Give one in "requiredProperties".')
