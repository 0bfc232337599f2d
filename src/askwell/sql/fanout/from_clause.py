"""Reading FROM, the joins and the filters of one SELECT, and which source each column belongs to."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from askwell.mdl.expressions import conjuncts
from askwell.sql.bound import Names
from askwell.sql.fanout.rows import Col, Equality, Joined, Source

_HALF = frozenset({"SEMI", "ANTI"})
_COMPARISONS = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Like, exp.ILike, exp.In, exp.Between)
_WRAPPERS = (exp.Paren, exp.Cast, exp.TryCast)


def unwrapped(node: exp.Expr) -> exp.Expr:
    """Without parentheses and casts: a key that is cast still distinguishes rows."""
    while isinstance(node, _WRAPPERS):
        node = node.this
    return node


class FromClause:
    """Reads one SELECT into `joined`. `source_of` says what a source's node is, and `names` whose a column is."""

    def __init__(self, select: exp.Select, names: Names, source_of: Callable[[exp.Expr], Source]) -> None:
        self.joined = Joined()
        self._names = names
        self._source_of = source_of
        self._positions: dict[int, int] = {}
        self._joining: dict[int, set[str]] = {}
        from_ = select.args.get("from_")
        before = self._add(from_.this) if from_ is not None else []
        for join in select.args.get("joins") or ():
            before += self._join(join, before)
        for lateral in select.args.get("laterals") or ():
            before += self._add(lateral)
        self.joined.opaque |= bool(select.args.get("pivots"))
        self._filter(select.args.get("where"))

    def columns(self, expression: exp.Expr) -> set[Col]:
        """The columns of this SELECT's own sources that an expression reads, also in queries inside it."""
        found = (self.column(column) for column in expression.find_all(exp.Column))
        return {column for column in found if column is not None}

    def column(self, node: exp.Expr) -> Col | None:
        """The column that a node reads, if it belongs to one of this SELECT's sources."""
        return next(iter(self.candidates(node)), None)

    def candidates(self, node: exp.Expr) -> list[Col]:
        """The column, or all that USING makes one of."""
        owners = self._names.owners(node)
        return [(self._positions[owner], name) for owner, name in owners if owner in self._positions]

    # Sources

    def _add(self, node: exp.Expr) -> list[int]:
        """Add what stands at one place in FROM; the positions of its sources."""
        this = node.this
        if isinstance(node, exp.Paren | exp.Alias) or (
            isinstance(node, exp.Subquery)
            and not node.args.get("alias")
            and (isinstance(this, exp.Table) or (isinstance(this, exp.Subquery) and node.args.get("joins")))
        ):
            added = self._add(this)  # a join in parentheses
        else:
            added = [len(self.joined.sources)]
            source = self._source_of(node)
            self._positions[id(node)] = added[0]
            self.joined.sources.append(source)
            if (needs := self._needs(node)) != source.needs:
                self.joined.sources[-1] = Source(source.name, source.label, source.rows, needs, source.key)
        for join in node.args.get("joins") or ():
            added += self._join(join, added)
        for lateral in node.args.get("laterals") or ():
            added += self._add(lateral)
        return added

    def _needs(self, node: exp.Expr) -> frozenset[int]:
        """The sources to the left that a lateral one reads."""
        parts = [node.this] if isinstance(node.this, exp.Expr) else node.expressions
        return frozenset(position for part in parts for position, _ in self.columns(part))

    # Joins

    def _join(self, join: exp.Expr, before: list[int]) -> list[int]:
        before = list(before)
        added = self._add(join.this)
        kind, side = join.text("kind").upper(), join.text("side").upper()
        if {kind, side} & _HALF:
            self.joined.absent.update(added)
            return added
        left = frozenset(before if side in ("RIGHT", "FULL") else ())
        right = frozenset(added if side in ("LEFT", "FULL") else ())
        for condition in conjuncts(join.args.get("on")):
            self._condition(condition, left, right)
            if not left and not right:
                self._requires(condition)
        self.joined.optional |= left | right
        for using in join.args.get("using") or ():
            identifier = using.this if isinstance(using, exp.Column) else using
            self._shared(self.candidates(identifier), before, added, left, right, f"USING ({identifier.name})")
        self.joined.opaque |= join.text("method").upper() == "NATURAL"
        if kind == "CROSS" and side == "":
            self.joined.pairs += [frozenset((here, there)) for here in before for there in added]
        return added

    def _shared(
        self,
        owners: list[Col],
        before: list[int],
        added: list[int],
        left: frozenset[int],
        right: frozenset[int],
        condition: str,
    ) -> None:
        """One column of both sides, as USING makes it."""
        here = [column for column in owners if column[0] in before]
        there = [column for column in owners if column[0] in added]
        for one in here:
            for other in there:
                self._equal(one, frozenset((other,)), left, right, condition)
                self._equal(other, frozenset((one,)), left, right, condition)
                if not left and not right:
                    self.joined.optional -= {one[0], other[0]}

    def _filter(self, where: exp.Expr | None) -> None:
        for condition in conjuncts(where):
            self._condition(condition, frozenset(), frozenset())
            self._requires(condition)
            if isinstance(condition, exp.Is) and isinstance(condition.expression, exp.Null):
                self._unmatched(condition.this)

    # Conditions

    def _condition(self, node: exp.Expr, left: frozenset[int], right: frozenset[int]) -> None:
        if isinstance(node, exp.EQ | exp.NullSafeEQ):
            ones, others = node.this, node.expression
            if isinstance(ones, exp.Tuple) and isinstance(others, exp.Tuple):
                for one, other in zip(ones.expressions, others.expressions, strict=False):
                    self._equation(one, other, node, left, right)
            else:
                self._equation(ones, others, node, left, right)
            return
        if isinstance(node, exp.In) and len(node.expressions) == 1 and not node.args.get("query"):
            self._equation(node.this, node.expressions[0], node, left, right)
        if isinstance(node, _COMPARISONS):
            for side in (node.this, node.args.get("expression")):
                for position, name in self.candidates(unwrapped(side)) if side is not None else ():
                    self._joining.setdefault(position, set()).add(name)
        touched = frozenset(position for position, _ in self.columns(node))
        if len(touched) > 1 and not node.find(exp.Query):
            self.joined.pairs.append(touched)

    def _equation(
        self, one: exp.Expr, other: exp.Expr, node: exp.Expr, left: frozenset[int], right: frozenset[int]
    ) -> None:
        for target, value in ((one, other), (other, one)):
            given = frozenset(self.columns(value))
            for column in self.candidates(unwrapped(target)):
                self._equal(column, given, left, right, node)

    def _equal(
        self,
        column: Col,
        given: frozenset[Col],
        left: frozenset[int],
        right: frozenset[int],
        condition: exp.Expr | str,
    ) -> None:
        """Note an equality of a join whose optional sides are `left` and `right`. It says something of a row that is
        kept anyhow only where the other side is there."""
        if column in given:
            return
        guard = frozenset[int]()
        for optional in (left, right):
            if optional and column[0] not in optional:
                guard |= optional & {position for position, _ in given} or optional
        binds = not (left and right) and (bool(guard) or not (left or right))
        self.joined.equalities.append(Equality(column, given, guard, binds, condition))
        self._joining.setdefault(column[0], set()).add(column[1])

    def _requires(self, node: exp.Expr) -> None:
        """A comparison that has to hold leaves out rows in which the compared column is missing."""
        if isinstance(node, _COMPARISONS):
            sides = (node.this, node.args.get("expression"))
            present = {column[0] for side in sides if side is not None for column in self.candidates(unwrapped(side))}
            self.joined.optional -= present

    def _unmatched(self, node: exp.Expr) -> None:
        """`joined.key IS NULL` keeps the rows without a match, in which an optional source repeats nothing."""
        for position, name in self.candidates(unwrapped(node)):
            source = self.joined.sources[position]
            if position in self.joined.optional and (
                name in self._joining.get(position, ()) or source.rows.identified_by(frozenset((name,)))
            ):
                self.joined.absent.add(position)
