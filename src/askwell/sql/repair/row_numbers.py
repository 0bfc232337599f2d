"""`WHERE ROWNUM <= 5`, which says LIMIT 5."""

from __future__ import annotations

from sqlglot import exp

from askwell.mdl.semantic_model import SemanticModel
from askwell.sql.names import fold
from askwell.sql.repair.equalities import conjuncts


def repair_row_number(tree: exp.Expr, model: SemanticModel, dialect: str) -> tuple[str, ...]:
    """Turn conditions on Oracle's ROWNUM into LIMIT, in place; nothing where the model has such a column."""
    if dialect == "oracle" or any(table.column("rownum") for table in model):
        return ()
    return tuple(sentence for select in tree.find_all(exp.Select) if (sentence := _repaired(select)))


def _repaired(select: exp.Select) -> str | None:
    where = select.args.get("where")
    if where is None or select.args.get("limit") is not None:
        return None
    parts = conjuncts(where.this)
    counted = [(part, rows) for part in parts if (rows := _rows(part)) is not None]
    if len(counted) != 1:
        return None
    part, rows = counted[0]
    rest = [other for other in parts if other is not part]
    select.set("where", exp.Where(this=exp.and_(*rest)) if rest else None)
    select.set("limit", exp.Limit(expression=exp.Literal.number(rows)))
    return f"`ROWNUM` read as `LIMIT {rows}`"


def _rows(part: exp.Expr) -> int | None:
    """How many rows `ROWNUM <= n`, `ROWNUM < n` or `ROWNUM = 1` lets through."""
    if not isinstance(part, exp.LTE | exp.LT | exp.EQ) or not isinstance(part.this, exp.Column):
        return None
    number = part.expression
    if part.this.table or fold(part.this.name) != "rownum" or not isinstance(number, exp.Literal) or number.is_string:
        return None
    if not number.name.isdigit() or len(number.name) > 9:
        return None
    rows = int(number.name) - (1 if isinstance(part, exp.LT) else 0)
    return None if isinstance(part, exp.EQ) and rows != 1 else rows
