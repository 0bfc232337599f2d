"""Statements that are wrong for their question, made from right ones by one change of meaning."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from askwell.mdl.semantic_model import SampledValues, SemanticModel

_TURNED: dict[type[exp.Expr], type[exp.Expr]] = {exp.GT: exp.LT, exp.LT: exp.GT, exp.GTE: exp.LTE, exp.LTE: exp.GTE}
_COMPARISONS = tuple(_TURNED)
_AGGREGATES = (exp.Sum, exp.Avg, exp.Min, exp.Max)
_NUMBERS = ("INT", "REAL", "NUM", "DOUBLE", "FLOAT", "DEC")


@dataclass(frozen=True, slots=True)
class _Statement:
    """A parsed statement to be changed in place, and what to draw from."""

    tree: exp.Expr
    model: SemanticModel
    values: SampledValues
    draw: random.Random


# Changes a statement, and says whether it had room for that.
Change = Callable[[_Statement], bool]


def changed(
    sql: str, dialect: str, model: SemanticModel, values: SampledValues, seed: int
) -> Iterator[tuple[str, str]]:
    """(kind, statement) for each kind of change that the statement has room for, always the same for one seed."""
    for kind, change in CHANGES.items():
        try:
            tree = sqlglot.parse_one(sql, dialect=dialect)
        except SqlglotError:
            return
        if change(_Statement(tree, model, values, random.Random(f"{seed}{kind}{sql}"))):
            yield kind, tree.sql(dialect=dialect)


def _one_node(
    statement: _Statement,
    *,
    kinds: tuple[type[exp.Expr], ...],
    edit: Callable[[exp.Expr, random.Random], object],
    is_fit: Callable[[exp.Expr], bool] = lambda _: True,
) -> bool:
    """Edit one of the nodes of some kinds, drawn by chance."""
    found = [node for node in statement.tree.find_all(*kinds) if is_fit(node)]
    if found:
        edit(statement.draw.choice(found), statement.draw)
    return bool(found)


def _drop_condition(where: exp.Expr, draw: random.Random) -> None:
    parts = list(where.this.flatten()) if isinstance(where.this, exp.And) else [where.this]
    if len(parts) == 1:
        where.pop()
    else:
        where.set("this", exp.and_(*draw.sample(parts, len(parts) - 1), copy=True))


def _negate(node: exp.Expr, _: random.Random) -> None:
    if isinstance(node, exp.EQ):
        node.replace(exp.NEQ(this=node.this, expression=node.expression))
    elif isinstance(node.parent, exp.Not):
        node.parent.replace(node)
    else:
        node.replace(exp.Not(this=node.copy()))


def _change_aggregate(node: exp.Expr, draw: random.Random) -> None:
    node.replace(draw.choice([kind for kind in _AGGREGATES if not isinstance(node, kind)])(this=node.this))


def _turn_order(node: exp.Expr, _: random.Random) -> None:
    node.set("desc", not node.args.get("desc"))


def _turn_comparison(node: exp.Expr, _: random.Random) -> None:
    node.replace(_TURNED[type(node)](this=node.this, expression=node.expression))


def _condition_added(statement: _Statement) -> bool:
    select = statement.tree.find(exp.Select)
    tables = [table for table in statement.tree.find_all(exp.Table) if table.find_ancestor(exp.Select) is select]
    choices = [
        (table, ref, value)
        for table in tables
        for ref, texts in statement.values.items()
        if ref.table.lower() == table.name.lower() and 1 < len(texts) < 50
        for value in texts[:3]
    ]
    if select is None or not choices:
        return False
    table, ref, value = statement.draw.choice(choices)
    column = exp.column(ref.column, table=table.alias_or_name, quoted=True)
    select.where(exp.EQ(this=column, expression=exp.Literal.string(value)), copy=False)
    return True


def _other_column(statement: _Statement) -> bool:
    tree, model = statement.tree, statement.model
    names = {table.alias_or_name.lower(): table.name for table in tree.find_all(exp.Table)}
    uses = [
        c for c in tree.find_all(exp.Column) if c.find_ancestor(exp.Join) is None and isinstance(c.this, exp.Identifier)
    ]
    statement.draw.shuffle(uses)
    for use in uses:
        name = names.get(use.table.lower()) if use.table else next(iter(names.values()), None)
        table = model.table(name) if name else None
        mine = table.column(use.name) if table is not None else None
        if table is None or mine is None:
            continue
        others = [c.name for c in table.columns if c.name != mine.name and _is_number(c.type) == _is_number(mine.type)]
        if others:
            use.set("this", exp.to_identifier(statement.draw.choice(others), quoted=True))
            return True
    return False


def _is_number(kind: str) -> bool:
    return any(name in kind.upper() for name in _NUMBERS)


def _limit_changed(statement: _Statement) -> bool:
    limit = statement.tree.find(exp.Limit)
    if limit is None:
        return False
    if statement.draw.random() < 0.5:
        limit.pop()
    else:
        more = statement.draw.choice([1, 2, 4])
        limit.set("expression", exp.Literal.number(int(limit.expression.name or 1) + more))
    return True


def _other_value(statement: _Statement) -> bool:
    found = [node for node in statement.tree.find_all(exp.EQ, *_COMPARISONS) if _is_filter(node)]
    statement.draw.shuffle(found)
    for node in found:
        literal = node.expression
        if not literal.is_string:
            literal.set("this", str(float(literal.name) + statement.draw.choice([1, 10])).removesuffix(".0"))
            return True
        others = [
            text
            for ref, texts in statement.values.items()
            if ref.column.lower() == node.this.name.lower()
            for text in texts[:30]
            if text.lower() != literal.name.lower()
        ]
        if others:
            literal.set("this", statement.draw.choice(others))
            return True
    return False


def _counted_or_listed(statement: _Statement) -> bool:
    tree = statement.tree
    if not isinstance(tree, exp.Select) or tree.args.get("group") is not None:
        return False
    only = tree.expressions[0].unalias() if len(tree.expressions) == 1 else None
    if isinstance(only, exp.Count):
        inner = only.this.expressions[0] if isinstance(only.this, exp.Distinct) else only.this
        tree.set("expressions", [inner.copy()])
        return True
    if isinstance(only, exp.Column) and tree.args.get("limit") is None:
        tree.set("expressions", [exp.Count(this=exp.Star())])
        return True
    return False


def _is_filter(node: exp.Expr) -> bool:
    is_compared = isinstance(node, exp.In) or isinstance(node.expression, exp.Literal)
    return is_compared and isinstance(node.this, exp.Column)


CHANGES: dict[str, Change] = {
    "condition_dropped": partial(_one_node, kinds=(exp.Where,), edit=_drop_condition),
    "condition_added": _condition_added,
    "negated": partial(_one_node, kinds=(exp.EQ, exp.In, exp.Like), edit=_negate, is_fit=_is_filter),
    "other_column": _other_column,
    "other_aggregate": partial(_one_node, kinds=_AGGREGATES, edit=_change_aggregate),
    "order_turned": partial(_one_node, kinds=(exp.Ordered,), edit=_turn_order),
    "limit_changed": _limit_changed,
    "other_value": _other_value,
    "comparison_turned": partial(_one_node, kinds=_COMPARISONS, edit=_turn_comparison),
    "counted_or_listed": _counted_or_listed,
}
