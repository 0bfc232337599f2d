"""Changes of a statement that leave its meaning as it is: another column for a key, one more column, a join less."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from sqlglot import Dialect, exp

from askwell.checking.finding import Rewrite
from askwell.checking.statement import Written
from askwell.mdl.expressions import conjuncts
from askwell.mdl.semantic_model import ColumnRef, Table
from askwell.sql.names import fold
from askwell.sql.scopes import Source

_PLAIN_SIDES, _PLAIN_KINDS = ("", "LEFT"), ("", "INNER", "OUTER")


class Draft:
    """A copy of a statement, to be changed."""

    def __init__(self, written: Written) -> None:
        self._written = written
        self.tree = written.tree.copy()
        self._twins = {id(node): twin for node, twin in zip(written.tree.walk(), self.tree.walk(), strict=True)}

    @property
    def root(self) -> exp.Select:
        """The outermost SELECT."""
        assert isinstance(self.tree, exp.Select)
        return self.tree

    def qualify(self, nodes: Iterable[exp.Expr]) -> None:
        """Make the columns in these parts that belong to the outermost SELECT say whose they are, so that a table more
        or less changes none."""
        for node in (column for part in nodes for column in part.find_all(exp.Column)):
            source = self._written.sources.get(id(node))
            if not node.table and source is not None and is_of_root(source, self._written):
                self.at(node).set("table", name_of(source))

    def at(self, node: exp.Expr) -> exp.Expr:
        """The part of the copy that a part of the statement became."""
        return self._twins[id(node)]

    def identifier(self, name: str) -> exp.Identifier:
        """A name that the dialect reads as a name."""
        keywords = Dialect.get_or_raise(self._written.bound.dialect).tokenizer_class.KEYWORDS
        return exp.to_identifier(name, quoted=True if name.upper() in keywords else None)

    def column(self, name: str, of: exp.Identifier) -> exp.Column:
        """A column of a source."""
        return exp.Column(this=self.identifier(name), table=of.copy())


def name_of(source: Source) -> exp.Identifier:
    """The name that a source goes by in its SELECT."""
    assert source.node is not None
    alias = source.node.args.get("alias")
    name = alias.this if isinstance(alias, exp.TableAlias) and alias.this is not None else source.node.this
    assert isinstance(name, exp.Identifier)
    return name.copy()


def is_of_root(source: Source, written: Written) -> bool:
    """Whether a source with a name stands in the FROM of the outermost SELECT."""
    node = source.node
    if node is None or written.root is None or node.find_ancestor(exp.Select) is not written.root:
        return False
    return bool(source.alias) or (isinstance(node, exp.Table) and isinstance(node.this, exp.Identifier))


def is_plain(written: Written) -> bool:
    """Whether the whole is one SELECT whose joins say in ON what they join by, and keep all rows before them or none
    but those that match."""
    root = written.root
    if root is None or root is not written.tree or any(root.args.get(key) for key in ("laterals", "pivots", "kind")):
        return False
    says = all(join.args.get("on") is not None and not join.args.get("method") for join in written.joins)
    return says and all(join.side in _PLAIN_SIDES and join.kind in _PLAIN_KINDS for join in written.joins)


def is_grouped_plainly(root: exp.Select) -> bool:
    """Whether it is grouped and ordered by expressions, and not by places in its list or by sets of groups."""
    group, order = root.args.get("group"), root.args.get("order")
    parts = [*(group.expressions if group else ()), *(one.this for one in (order.expressions if order else ()))]
    if group is not None and any(value for key, value in group.args.items() if key != "expressions"):
        return False
    return not any(isinstance(part, exp.Literal | exp.Rollup | exp.Cube | exp.GroupingSets) for part in parts)


# Columns more, and others


def with_columns(written: Written, nodes: Sequence[exp.Expr], said: str, *, first: bool) -> Rewrite | None:
    """Shows these expressions of the statement as well."""
    root = written.root
    if root is not written.tree or root is None or root.args.get("distinct") is not None:
        return None
    draft = Draft(written)
    added = [draft.at(node).copy() for node in nodes]
    shown = draft.root.expressions
    draft.root.set("expressions", [*added, *shown] if first else [*shown, *added])
    return Rewrite(draft.tree, said) if not first or is_grouped_plainly(root) else None


def with_labels(written: Written, item: exp.Expr, table: Table, key: str, labels: Sequence[str]) -> Rewrite | None:
    """Shows `labels` of the row of `table` that the key shown by `item` is of, instead of the key; every row of the
    result stays one row."""
    root, node = written.root, item.unalias()
    if root is None or not is_plain(written) or not is_grouped_plainly(root) or _uses_alias(item, written):
        return None
    source, draft = written.sources[id(node)], Draft(written)
    hidden = any(fold(cte.alias) == fold(table.name) for cte in written.tree.find_all(exp.CTE))
    if hidden or not is_of_root(source, written):
        return None
    name = _place(written, node, source, table, key)
    if name is None:
        draft.qualify([written.tree])
        name = _free_name(draft, table)
        on = exp.EQ(this=draft.at(node).copy(), expression=draft.column(key, name))
        joined = exp.Table(this=draft.identifier(table.name))
        if name.name != table.name:
            joined.set("alias", exp.TableAlias(this=name))
        draft.root.append("joins", exp.Join(this=joined, side="LEFT", on=on))
    shown = [draft.column(label, name) for label in labels]
    if not _keep_apart(written, draft, shown):
        return None
    place, listed = root.expressions.index(item), draft.root.expressions
    draft.root.set("expressions", [*listed[:place], *shown, *listed[place + 1 :]])
    return Rewrite(draft.tree, f"Shows {' and '.join(labels)} of {table.name} instead of {node.name}.")


def _place(written: Written, node: exp.Expr, source: Source, table: Table, key: str) -> exp.Identifier | None:
    """The name under which the row that a key is of is there already."""
    if source.table is not None and source.table.name == table.name and fold(node.name) == fold(key):
        return name_of(source)
    for join in written.joins:
        for part in conjuncts(join.args["on"]):
            sides = (part.this, part.expression) if isinstance(part, exp.EQ) else ()
            for one, other in zip(sides, reversed(sides), strict=True):
                mine = written.sources.get(id(one)) is source and fold(one.name) == fold(node.name)
                there = written.sources.get(id(other))
                if mine and there is not None and written.refs.get(id(other)) == ColumnRef(table.name, key):
                    return name_of(there) if there.table is not None else None
    return None


def _free_name(draft: Draft, table: Table) -> exp.Identifier:
    """The table's name, or one after it where that is taken."""
    taken = {node.name.lower() for node in draft.tree.find_all(exp.Identifier)}
    number, name = 2, table.name
    while name.lower() in taken:
        number, name = number + 1, f"{table.name}_{number}"
    return draft.identifier(name)


def _keep_apart(written: Written, draft: Draft, shown: Sequence[exp.Column]) -> bool:
    """Make rows that the key told apart stay apart; False where that cannot be done."""
    root, group = draft.root, draft.root.args.get("group")
    if (distinct := root.args.get("distinct")) is None:
        for column in shown if group is not None else ():
            root.group_by(column.copy(), copy=False)
        return group is not None or not _aggregates(root)
    listed, ordered = [item.unalias() for item in root.expressions], root.args.get("order")
    sorted_by = {one.this.sql() for one in (ordered.expressions if ordered is not None else ())}
    if group is not None or distinct.args.get("on") or _aggregates(root) or sorted_by - {one.sql() for one in listed}:
        return False
    if any(isinstance(item, exp.Literal) or item.find(exp.Query) for item in listed):
        return False
    root.set("distinct", None)
    root.group_by(*(item.copy() for item in listed), *(column.copy() for column in shown), copy=False)
    return True


def _aggregates(root: exp.Select) -> bool:
    return any(item.find(exp.AggFunc, exp.Window) for item in root.expressions)


def _uses_alias(item: exp.Expr, written: Written) -> bool:
    """Whether another part of the statement names a column by its alias."""
    nodes = (node for node in written.tree.find_all(exp.Column) if id(node) not in written.sources)
    return isinstance(item, exp.Alias) and any(fold(node.name) == fold(item.alias) for node in nodes)


def counted(written: Written, what: exp.Expr, said: str) -> Rewrite:
    """One count instead of a list."""
    draft = Draft(written)
    draft.root.set("expressions", [what])
    for key in ("order", "distinct"):
        draft.root.set(key, None)
    return Rewrite(draft.tree, said)


# Joins less


@dataclass(frozen=True, slots=True)
class LooseTable:
    """A table of the outermost SELECT that nothing reads but one equation (`mine` = `other`) of `join`, and conditions
    of its own in WHERE."""

    source: Source
    table: Table
    join: exp.Join
    mine: exp.Column
    other: exp.Column
    conditions: tuple[exp.Expr, ...]

    @property
    def is_by_key(self) -> bool:
        """Whether at most one row of it has a given value of `mine`."""
        keys = (self.table.primary_key, *self.table.unique_keys)
        return (self.mine.name.lower(),) in [tuple(name.lower() for name in names) for names in keys]


def loose_tables(written: Written) -> Iterator[LooseTable]:
    """Each such table."""
    if not is_plain(written):
        return
    if any(item.find(exp.Star) for item in written.items if not isinstance(item.unalias(), exp.AggFunc)):
        return
    for source in {id(one): one for one in written.sources.values() if is_of_root(one, written)}.values():
        table = written.model.table(source.table.name) if source.table is not None else None
        if table is not None and (found := _loose(written, source, table)) is not None:
            yield found


def _loose(written: Written, source: Source, table: Table) -> LooseTable | None:
    conditions = tuple(part for part in conjuncts(written.clause("where")) if _reads_only(part, source, written))
    inside = {id(node) for part in conditions for node in part.find_all(exp.Column)}
    uses = (node for node in written.tree.find_all(exp.Column) if written.sources.get(id(node)) is source)
    rest = [node for node in uses if id(node) not in inside]
    equation = rest[0].parent if len(rest) == 1 else None
    join = equation.parent if equation is not None else None
    if not isinstance(equation, exp.EQ) or not isinstance(join, exp.Join):
        return None
    other = equation.expression if equation.this is rest[0] else equation.this
    if not isinstance(other, exp.Column) or id(other) not in written.sources:
        return None
    # What FROM begins with can go where the first join, which keeps nothing else, has what it is compared with.
    begins = source.node is written.clause("from_").this and join is written.joins[0] and not join.side
    there = written.sources[id(other)].node is join.this
    is_loose = join.this is source.node or (begins and there)
    return LooseTable(source, table, join, rest[0], other, conditions) if is_loose else None


def _reads_only(part: exp.Expr, source: Source, written: Written) -> bool:
    columns = list(part.find_all(exp.Column))
    return bool(columns) and not part.find(exp.Query) and all(written.sources.get(id(c)) is source for c in columns)


def is_certainly_one(written: Written, loose: LooseTable) -> bool:
    """Whether the join finds exactly one row for each, or keeps those without: it neither filters nor repeats."""
    mine, other = written.refs.get(id(loose.mine)), written.refs.get(id(loose.other))
    if loose.conditions or not loose.is_by_key or mine is None or other is None:
        return False
    if loose.join.side == "LEFT":
        return True
    there = written.column(other)
    links = (link for link in written.model.relationships if not link.inferred)
    declared = any(link.equations == frozenset({frozenset({mine, other})}) for link in links)
    is_kept = there is not None and there.not_null and written.sources[id(loose.other)].table is not None
    # An outer join may leave the other side empty, so that this one leaves rows out.
    is_outer = any(join.this is written.sources[id(loose.other)].node and join.side for join in written.joins)
    return declared and is_kept and not is_outer


def without_table(written: Written, loose: LooseTable, said: str) -> Rewrite:
    """The statement without a table."""
    draft = Draft(written)
    _take_out(draft, loose)
    return Rewrite(draft.tree, said)


def with_exists(written: Written, loose: LooseTable, said: str) -> Rewrite | None:
    """The statement with EXISTS instead of a join that repeats rows: the same rows, each once."""
    draft, inner = Draft(written), exp.select(exp.Literal.number(1))
    draft.qualify([loose.join, *loose.conditions])
    assert loose.source.node is not None
    if loose.join.side == "LEFT":
        return without_table(written, loose, said) if not loose.conditions else None
    parts = [draft.at(loose.join.args["on"]).copy(), *(draft.at(part).copy() for part in loose.conditions)]
    inner = inner.from_(draft.at(loose.source.node).copy()).where(*parts, copy=False)
    where = draft.root.args.get("where")
    kept = [part for part in conjuncts(where) if not any(part is draft.at(one) for one in loose.conditions)]
    _take_out(draft, loose)
    draft.root.set("where", exp.Where(this=exp.and_(*kept, exp.Exists(this=inner), copy=False)))
    return Rewrite(draft.tree, said)


def _take_out(draft: Draft, loose: LooseTable) -> None:
    join = draft.at(loose.join)
    if loose.join.this is not loose.source.node:
        draft.root.set("from_", exp.From(this=join.this.copy()))
    join.pop()
