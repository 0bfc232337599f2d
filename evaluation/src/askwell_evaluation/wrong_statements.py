"""Statements that are wrong for their question, made from right ones by one change of meaning."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from askwell.mdl.semantic_model import SampledValues, SemanticModel

Change = Callable[[exp.Expr, SemanticModel, SampledValues, random.Random], bool]

_COMPARISONS = (exp.GT, exp.LT, exp.GTE, exp.LTE)
_TURNED = {exp.GT: exp.LT, exp.LT: exp.GT, exp.GTE: exp.LTE, exp.LTE: exp.GTE}
_AGGREGATES = (exp.Sum, exp.Avg, exp.Min, exp.Max)


def changed(
    sql: str, dialect: str, model: SemanticModel, values: SampledValues, seed: int
) -> Iterator[tuple[str, str]]:
    """(kind, statement) for each kind of change that the statement has room for, always the same for one seed."""
    for kind, change in CHANGES.items():
        try:
            tree = sqlglot.parse_one(sql, dialect=dialect)
        except SqlglotError:
            return
        if change(tree, model, values, random.Random(f"{seed}{kind}{sql}")):
            yield kind, tree.sql(dialect=dialect)


def _condition_dropped(tree: exp.Expr, _: SemanticModel, __: SampledValues, draw: random.Random) -> bool:
    wheres = list(tree.find_all(exp.Where))
    if not wheres:
        return False
    where = draw.choice(wheres)
    parts = list(where.this.flatten()) if isinstance(where.this, exp.And) else [where.this]
    if len(parts) == 1:
        where.pop()
    else:
        where.set("this", exp.and_(*draw.sample(parts, len(parts) - 1), copy=True))
    return True


def _condition_added(tree: exp.Expr, model: SemanticModel, values: SampledValues, draw: random.Random) -> bool:
    select = tree.find(exp.Select)
    tables = [table for table in tree.find_all(exp.Table) if table.find_ancestor(exp.Select) is select]
    choices = [
        (table, ref, value)
        for table in tables
        for ref, texts in values.items()
        if ref.table.lower() == table.name.lower() and 1 < len(texts) < 50
        for value in texts[:3]
    ]
    if select is None or not choices:
        return False
    table, ref, value = draw.choice(choices)
    column = exp.column(ref.column, table=table.alias_or_name, quoted=True)
    select.where(exp.EQ(this=column, expression=exp.Literal.string(value)), copy=False)
    return True


def _negated(tree: exp.Expr, _: SemanticModel, __: SampledValues, draw: random.Random) -> bool:
    found = [node for node in tree.find_all(exp.EQ, exp.In, exp.Like) if _is_filter(node)]
    if not found:
        return False
    node = draw.choice(found)
    if isinstance(node, exp.EQ):
        node.replace(exp.NEQ(this=node.this, expression=node.expression))
    elif isinstance(node.parent, exp.Not):
        node.parent.replace(node)
    else:
        node.replace(exp.Not(this=node.copy()))
    return True


def _other_column(tree: exp.Expr, model: SemanticModel, _: SampledValues, draw: random.Random) -> bool:
    names = {table.alias_or_name.lower(): table.name for table in tree.find_all(exp.Table)}
    uses = [
        c for c in tree.find_all(exp.Column) if c.find_ancestor(exp.Join) is None and isinstance(c.this, exp.Identifier)
    ]
    draw.shuffle(uses)
    for use in uses:
        name = names.get(use.table.lower()) if use.table else next(iter(names.values()), None)
        table = model.table(name) if name else None
        mine = table.column(use.name) if table is not None else None
        if table is None or mine is None:
            continue
        others = [c.name for c in table.columns if c.name != mine.name and _alike(c.type, mine.type)]
        if others:
            use.set("this", exp.to_identifier(draw.choice(others), quoted=True))
            return True
    return False


def _alike(one: str, other: str) -> bool:
    numbers = ("INT", "REAL", "NUM", "DOUBLE", "FLOAT", "DEC")
    return any(n in one.upper() for n in numbers) == any(n in other.upper() for n in numbers)


def _other_aggregate(tree: exp.Expr, _: SemanticModel, __: SampledValues, draw: random.Random) -> bool:
    found = list(tree.find_all(*_AGGREGATES))
    if not found:
        return False
    node = draw.choice(found)
    node.replace(draw.choice([kind for kind in _AGGREGATES if not isinstance(node, kind)])(this=node.this))
    return True


def _order_turned(tree: exp.Expr, _: SemanticModel, __: SampledValues, draw: random.Random) -> bool:
    found = list(tree.find_all(exp.Ordered))
    if not found:
        return False
    node = draw.choice(found)
    node.set("desc", not node.args.get("desc"))
    return True


def _limit_changed(tree: exp.Expr, _: SemanticModel, __: SampledValues, draw: random.Random) -> bool:
    limit = tree.find(exp.Limit)
    if limit is None:
        return False
    if draw.random() < 0.5:
        limit.pop()
    else:
        limit.set("expression", exp.Literal.number(int(limit.expression.name or 1) + draw.choice([1, 2, 4])))
    return True


def _other_value(tree: exp.Expr, _: SemanticModel, values: SampledValues, draw: random.Random) -> bool:
    found = [node for node in tree.find_all(exp.EQ, *_COMPARISONS) if _is_filter(node)]
    draw.shuffle(found)
    for node in found:
        literal = node.expression
        if not literal.is_string:
            literal.set("this", str(float(literal.name) + draw.choice([1, 10])).removesuffix(".0"))
            return True
        others = [
            text
            for ref, texts in values.items()
            if ref.column.lower() == node.this.name.lower()
            for text in texts[:30]
            if text.lower() != literal.name.lower()
        ]
        if others:
            literal.set("this", draw.choice(others))
            return True
    return False


def _comparison_turned(tree: exp.Expr, _: SemanticModel, __: SampledValues, draw: random.Random) -> bool:
    found = list(tree.find_all(*_COMPARISONS))
    if not found:
        return False
    node = draw.choice(found)
    node.replace(_TURNED[type(node)](this=node.this, expression=node.expression))
    return True


def _counted_or_listed(tree: exp.Expr, _: SemanticModel, __: SampledValues, draw: random.Random) -> bool:
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
    plain = isinstance(node.this, exp.Column)
    if isinstance(node, exp.In):
        return plain
    return plain and isinstance(node.expression, exp.Literal)


CHANGES: dict[str, Change] = {
    "condition_dropped": _condition_dropped,
    "condition_added": _condition_added,
    "negated": _negated,
    "other_column": _other_column,
    "other_aggregate": _other_aggregate,
    "order_turned": _order_turned,
    "limit_changed": _limit_changed,
    "other_value": _other_value,
    "comparison_turned": _comparison_turned,
    "counted_or_listed": _counted_or_listed,
}
