"""Types: arithmetic, means and comparisons that mean nothing for the columns that they are made of."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from askwell.checking.finding import Finding, Severity
from askwell.checking.statement import Written

_W, _D = Severity.WRONG, Severity.DOUBT
_TEXT = ("CHAR", "TEXT", "STRING", "CLOB")
_TIME = ("DATE", "TIME")


def types(written: Written) -> Iterator[Finding]:
    """What the types of the columns do not allow."""
    yield from _aggregates(written)
    for node in written.tree.find_all(exp.Sub):
        sides = [written.refs.get(id(side)) for side in (node.this, node.expression) if isinstance(side, exp.Column)]
        if len(sides) == 2 and all(
            ref is not None and _is(written, ref, _TEXT + (_TIME if written.bound.dialect == "sqlite" else ()))
            for ref in sides
        ):
            text = written.text(node)
            yield Finding("text_arithmetic", _W, "", text, f"{text} subtracts texts, which gives no duration.")


def _is(written: Written, ref: object, kinds: tuple[str, ...]) -> bool:
    column = written.column(ref)  # type: ignore[arg-type]
    return column is not None and any(kind in column.type.upper() for kind in kinds)


def _aggregates(written: Written) -> Iterator[Finding]:
    keys = written.keys
    for node in written.tree.find_all(exp.Avg, exp.Sum):
        inner = node.this
        ref = written.refs.get(id(inner)) if isinstance(inner, exp.Column) else None
        text = written.text(node)
        if ref is not None and ((ref.table, ref.column) in keys):
            yield Finding("aggregate_of_key", _W, "", text, f"{text} adds up keys, which are no amounts.")
        elif isinstance(node, exp.Avg) and isinstance(inner, exp.Cast) and inner.is_type("int", "bigint", "smallint"):
            yield Finding(
                "cast_before_mean", _W, "", text, f"{text} cuts each value to a whole number before the mean."
            )
