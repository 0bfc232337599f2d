"""Tables that could be meant just as well, and joins and conditions that do not go together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from sqlglot import exp

from askwell.checking.finding import Finding, finding
from askwell.checking.question import AskedWords
from askwell.checking.statement import Filter, Written
from askwell.checking.values import ValueIndex
from askwell.mdl.expressions import conjuncts
from askwell.mdl.names import words
from askwell.mdl.semantic_model import ColumnRef, TableKind
from askwell.mdl.types import TypeFamily, type_family
from askwell.question.words import stems

# With fewer columns than this, having the same ones says nothing (id and name are everywhere).
_FEWEST_COLUMNS = 3


def joins(written: Written, index: ValueIndex) -> Iterator[Finding]:
    """Tables that are joined over columns by which they are not linked."""
    linked = {
        frozenset((ColumnRef(link.left, left), ColumnRef(link.right, right)))
        for link in written.model.relationships
        for left, right in link.pairs
    }
    nodes = [(node, written.ref(node.this), written.ref(node.expression)) for node in written.tree.find_all(exp.EQ)]
    pairs = [
        (frozenset((one, other)), node) for node, one, other in nodes if one and other and one.table != other.table
    ]
    held = {_tables(pair) for pair, _ in pairs if pair in linked}
    for pair, node in dict(pairs).items():
        one, other = sorted(pair)
        if _tables(pair) in held or one.column.lower() == other.column.lower():
            continue
        if others := [link for link in linked if _tables(link) == _tables(pair)]:
            right = " = ".join(map(str, sorted(others[0])))
            yield finding("join_unlinked", sql=written.text(node), why=f"does not link the tables; {right} does")
        elif _cannot_be_equal(one, other, written, index):
            yield finding("join_unlinked", sql=written.text(node), why="compares columns that hold different things")


def _tables(pair: frozenset[ColumnRef]) -> frozenset[str]:
    return frozenset(ref.table for ref in pair)


def _cannot_be_equal(one: ColumnRef, other: ColumnRef, written: Written, index: ValueIndex) -> bool:
    mine, theirs = index.texts.get(one), index.texts.get(other)
    if mine and theirs:
        return not mine & theirs
    columns = [column for ref in (one, other) if (column := written.column(ref)) is not None]
    if len(columns) < 2 or set(stems(one.column)) & set(stems(other.column)):
        return False
    return len({type_family(column.type) is TypeFamily.NUMBER for column in columns}) > 1


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
            yield finding("contradiction", sql=" AND ".join(written.text(part.node) for part in some))


def always_so(written: Written) -> Iterator[Finding]:
    """Conditions that are the same for every row or group."""
    for select in written.tree.find_all(exp.Select):
        yield from _empty_counts(select, written)
    for exists in written.tree.find_all(exp.Exists):
        is_condition = isinstance(exists.find_ancestor(exp.Where, exp.Select), exp.Where)
        own = {table.alias_or_name.lower() for table in exists.find_all(exp.Table, exp.Subquery)}
        columns = list(exists.find_all(exp.Column))
        if is_condition and all(column.table.lower() in own for column in columns):
            yield finding("exists_alone", sql=written.text(exists))


def _empty_counts(select: exp.Select, written: Written) -> Iterator[Finding]:
    """Counts of what a condition says is missing, and groups that are to have no row."""
    having, where = select.args.get("having"), select.args.get("where")
    node = having.this if having is not None and select.args.get("group") else None
    if isinstance(node, exp.EQ) and node.this.find(exp.Star) and node.expression.name == "0":
        yield finding("contradiction", sql=written.text(node))
    tests = [one for one in conjuncts(where) if isinstance(one, exp.Is)]
    empty = {written.ref(one.this) for one in tests if isinstance(one.expression, exp.Null)}
    for item in select.expressions:
        for count in item.find_all(exp.Count):
            if (ref := written.ref(count.this)) is not None and ref in empty:
                yield finding("contradiction", sql=written.text(count))


def twins(asked: AskedWords, written: Written) -> Iterator[Finding]:
    """A finding for each table that has a twin: another model with exactly the same columns (a copy, a test or an
    archive) that the statement does not read, and that the question does not tell apart from it."""
    said = words(asked.text)
    for table in written.tables:
        if table.kind is not TableKind.MODEL or len(table.columns) < _FEWEST_COLUMNS:
            continue
        alike = [one for one in written.model.models_by_columns[table.column_names] if one not in written.tables]
        others = [
            other.name
            for other in alike
            if not set(said) & (set(words(table.name)) - set(words(other.name)))
            # Databases declare no key for a view, and none is inferred for one.
            and not (table.primary_key and not other.primary_key and _names(said, words(table.name)))
        ]
        if others:
            yield finding("twin_table", sql=table.name, others=", ".join(others))


def _names(said: tuple[str, ...], name: tuple[str, ...]) -> bool:
    """Whether the whole name of a table stands in the question."""
    return bool(name) and any(said[start : start + len(name)] == name for start in range(len(said)))
