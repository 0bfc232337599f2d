"""Joins and conditions that do not go together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from sqlglot import exp

from askwell.checking.finding import Finding, Severity
from askwell.checking.statement import Filter, Written
from askwell.checking.values import ValueIndex
from askwell.mdl.semantic_model import ColumnRef
from askwell.question.stems import stems

_NUMBERS = ("INT", "REAL", "NUM", "DOUBLE", "FLOAT", "DEC")


def joins(written: Written, index: ValueIndex) -> Iterator[Finding]:
    """Tables that are joined over columns by which they are not linked."""
    linked = {
        frozenset((ColumnRef(link.left, left), ColumnRef(link.right, right)))
        for link in written.model.relationships
        for left, right in link.pairs
    }
    equated = dict(_equated(written))
    held = {_tables(pair) for pair in equated if pair in linked}
    for pair, node in equated.items():
        one, other = sorted(pair)
        if pair in linked or _tables(pair) in held or one.column.lower() == other.column.lower():
            continue
        others = [link for link in linked if _tables(link) == _tables(pair)]
        text = written.text(node)
        if others:
            right = " = ".join(map(str, sorted(others[0])))
            yield Finding("join_unlinked", Severity.WRONG, "", text, f"{text} does not link the tables; {right} does.")
        elif _cannot_be_equal(one, other, written, index):
            message = f"{text} compares columns that hold different things."
            yield Finding("join_unlinked", Severity.WRONG, "", text, message)


def _equated(written: Written) -> Iterator[tuple[frozenset[ColumnRef], exp.Expr]]:
    for node in written.tree.find_all(exp.EQ):
        one, other = written.ref(node.this), written.ref(node.expression)
        if one is not None and other is not None and one.table != other.table:
            yield frozenset((one, other)), node


def _tables(pair: frozenset[ColumnRef]) -> frozenset[str]:
    return frozenset(ref.table for ref in pair)


def _cannot_be_equal(one: ColumnRef, other: ColumnRef, written: Written, index: ValueIndex) -> bool:
    mine, theirs = index.texts.get(one), index.texts.get(other)
    if mine and theirs:
        return not mine & theirs
    first, second = written.column(one), written.column(other)
    if first is None or second is None or set(stems(one.column)) & set(stems(other.column)):
        return False
    return _is_number(first.type) is not _is_number(second.type)


def _is_number(sql_type: str) -> bool:
    return any(kind in sql_type.upper() for kind in _NUMBERS)


def contradictions(written: Written) -> Iterator[Finding]:
    """Conditions that no row can fulfil together."""
    found: defaultdict[tuple[int, str, str], list[Filter]] = defaultdict(list)
    for part in written.filters:
        where, column = part.node.find_ancestor(exp.Where), part.node.find(exp.Column)
        if isinstance(part.node, exp.EQ | exp.NEQ) and part.values and where is not None and column is not None:
            if part.node.find_ancestor(exp.Or, exp.Not) is None:
                found[id(where), column.table.lower(), column.name.lower()].append(part)
    for some in found.values():
        wanted = {part.values[0].name.lower() for part in some if isinstance(part.node, exp.EQ)}
        unwanted = {part.values[0].name.lower() for part in some if isinstance(part.node, exp.NEQ)}
        if len(wanted) > 1 or wanted & unwanted:
            text = " AND ".join(written.text(part.node) for part in some)
            yield Finding("contradiction", Severity.WRONG, "", text, f"No row can fulfil {text}.")
