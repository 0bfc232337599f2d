"""The rows of a SELECT: what tells them apart, and which values its joins repeat."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from sqlglot import exp

from askwell.sql.fanout.aggregates import has_aggregate, value_columns
from askwell.sql.fanout.from_clause import FromClause, conjuncts
from askwell.sql.fanout.rows import Col, Reach, Repetition, Way
from askwell.sql.names import fold

# What a SELECT list may hold that makes several rows of one.
_MULTIPLIERS = (exp.Unnest, exp.Explode, exp.GenerateSeries)


class SelectRows:
    """Implements `Rows` for one SELECT."""

    def __init__(self, select: exp.Select, from_clause: FromClause, dialect: str) -> None:
        self.select = select
        self.from_clause = from_clause
        self.joined = from_clause.joined
        self.depth = 1 + max((source.rows.depth for source in self.joined.sources), default=0)
        self._dialect = dialect
        self._outputs = self._read_outputs()
        self.names: Sequence[str] | None = list(self._outputs) if self._outputs is not None else None
        self.grouping = self._read_grouping()
        self._told_apart: dict[frozenset[str], bool] = {}

    # What tells the rows apart

    def told_apart_by(self, columns: frozenset[str]) -> bool:
        if columns not in self._told_apart:
            self._told_apart[columns] = self._are_told_apart(columns)
        return self._told_apart[columns]

    def _are_told_apart(self, columns: frozenset[str]) -> bool:
        if self._outputs is None or self.joined.opaque or self._one_row():
            return True
        known = self._shown(columns)
        reach = self.joined.reach((), self._own_columns(known))
        if self._identity_settled(reach, known):
            return True
        return self._numbered_apart(reach, known)

    def _one_row(self) -> bool:
        limit = self.select.args.get("limit")
        count = (limit.args.get("count") or limit.expression) if limit is not None else None
        if isinstance(count, exp.Literal) and count.name == "1":
            return True
        if self.grouping is not None:
            return False
        parts = (*self.select.expressions, self.select.args.get("having"))
        return any(has_aggregate(part) for part in parts if part is not None)

    def _identity_settled(self, reach: Reach, known: Sequence[exp.Expr | Col]) -> bool:
        """Whether one row is left where `reach` holds and the outputs `known` have one value each."""
        identity = self._identity()
        if identity is None:
            return not self.joined.missing(reach) and not any(
                projection.find(*_MULTIPLIERS) for projection in self.select.expressions
            )
        texts = {node.sql() for node in known if isinstance(node, exp.Expr)}
        return all(self._settled(part, reach, texts) for part in identity)

    def _identity(self) -> list[exp.Expr | Col] | None:
        """What differs between any two rows, where that is not the rows of the sources."""
        distinct = self.select.args.get("distinct")
        if distinct is not None:
            on = distinct.args.get("on")
            if on is not None:
                return list(on.expressions) if isinstance(on, exp.Tuple) else [on]
            if self.grouping is None:
                return list((self._outputs or {}).values())
        return list(self.grouping) if self.grouping is not None else None

    def _settled(self, part: exp.Expr | Col, reach: Reach, texts: set[str]) -> bool:
        if isinstance(part, tuple):
            return reach.settles(part)
        if part.sql() in texts:
            return True
        columns = self.from_clause.columns(part)
        if not columns or has_aggregate(part) or part.find(exp.Window):
            return isinstance(part, exp.Literal)
        return all(reach.settles(column) for column in columns)

    def _numbered_apart(self, reach: Reach, known: Sequence[exp.Expr | Col]) -> bool:
        """ROW_NUMBER() has every number once in a partition."""
        numbers = [node for node in known if isinstance(node, exp.Expr)]
        numbers += [
            condition.this
            for condition in conjuncts(self.select.args.get("qualify"))
            if isinstance(condition, exp.EQ) and isinstance(condition.expression, exp.Literal)
        ]
        return any(
            isinstance(number, exp.Window)
            and isinstance(number.this, exp.RowNumber)
            and all(self._settled(part, reach, set()) for part in number.args.get("partition_by") or ())
            for number in map(self._meant, numbers)
        )

    # What is repeated

    def repeats(self, columns: frozenset[str], fixed: frozenset[str], *, sums: bool) -> Repetition | None:
        if self._outputs is None or self.joined.opaque or (self._identity() is not None and not sums):
            return None
        shown = self._shown(columns)
        if any(isinstance(node, exp.Expr) and has_aggregate(node) for node in shown):
            return None
        own = {column for node in shown for column in self._sources_of(node)}
        known = self._shown(fixed)
        return self.repetition(own, self._own_columns(known), known=known, sums=sums, of_result=True)

    def repetition(
        self,
        values: Iterable[Col],
        fixed: Iterable[Col],
        *,
        sums: bool,
        known: Sequence[exp.Expr | Col] = (),
        of_result: bool = False,
    ) -> Repetition | None:
        """How the join repeats the rows that `values` come from, among rows in which `fixed` are the same.

        With `of_result` it is asked of what the SELECT gives, after its DISTINCT and GROUP BY; `known` are then the
        expressions of it that are the same.
        """
        values, fixed = set(values), set(fixed)
        owners = {position for position, _ in values}
        if not owners or self.joined.opaque:
            return None
        reach = self.joined.reach(owners, fixed)
        if missing := self.joined.missing(reach):
            if of_result and self._identity() is not None and self._identity_settled(reach, known):
                return None
            ways = self._ways(owners, missing, fixed)
            first = self.joined.sources[min(owners)]
            key = f"{first.name}.{first.key}" if len(owners) == 1 and first.key else None
            return Repetition(" and ".join(self.joined.sources[owner].label for owner in sorted(owners)), ways, key)
        for owner in sorted(owners):
            source = self.joined.sources[owner]
            if source.rows.depth == 0:
                continue
            given = self.joined.reach(owners - {owner}, fixed)
            if owner in given.sources:
                continue
            columns = frozenset(name for position, name in values if position == owner)
            found = source.rows.repeats(columns, given.names_of(owner), sums=sums)
            if found is not None:
                ways = tuple(replace(way, inside=way.inside or source.name) for way in found.ways)
                return Repetition(found.table, ways)
        return None

    def _ways(self, owners: set[int], missing: Sequence[int], fixed: set[Col]) -> tuple[Way, ...]:
        """How sources that are `missing` repeat the rows of `owners`: each time the first that is joined to what is
        reached, until nothing is missing."""
        found: list[Way] = []
        known = set(owners)
        while missing:
            reached = self.joined.reach(known, fixed).sources
            tied = ((by, self.joined.conditions_between(by, reached, self._dialect)) for by in missing)
            by, conditions = next((one for one in tied if one[1]), (missing[0], ()))
            found.append(Way(self.joined.sources[by].label, conditions))
            known.add(by)
            missing = self.joined.missing(self.joined.reach(known, fixed))
        return tuple(found)

    # Outputs and groups

    def _read_outputs(self) -> dict[str, exp.Expr | Col] | None:
        """Every output with its folded name, or None where they are not known."""
        outputs: dict[str, exp.Expr | Col] = {}
        for number, projection in enumerate(self.select.expressions):
            inner = projection.this if isinstance(projection, exp.Column) else projection
            if isinstance(inner, exp.Star):
                stars = self._star(projection, inner)
                if stars is None:
                    return None
                for name, column in stars:
                    outputs.setdefault(name, column)
            else:
                name = fold(projection.alias_or_name) or f"\0{number}"
                outputs.setdefault(name, projection.unalias())
        return outputs

    def _star(self, projection: exp.Expr, star: exp.Expr) -> list[tuple[str, Col]] | None:
        if star.args.get("except_") or star.args.get("rename") or star.args.get("replace"):
            return None
        wanted = fold(projection.text("table")) if isinstance(projection, exp.Column) else None
        found: list[tuple[str, Col]] = []
        for position, source in enumerate(self.joined.sources):
            if wanted in (None, fold(source.name)):
                if source.rows.names is None:
                    return None
                found += [(name, (position, name)) for name in source.rows.names]
        return found

    def _read_grouping(self) -> list[exp.Expr] | None:
        """What the rows are grouped by; None without GROUP BY."""
        group = self.select.args.get("group")
        if group is None:
            return None
        if group.args.get("all"):
            projections = [projection.unalias() for projection in self.select.expressions]
            return [node for node in projections if not has_aggregate(node)]
        if self.totals:
            return list(group.find_all(exp.Column))
        return [self._meant(node) for node in group.expressions]

    @property
    def totals(self) -> bool:
        """Whether some rows stand for several groups: ROLLUP, CUBE, GROUPING SETS."""
        group = self.select.args.get("group")
        return group is not None and (
            any(group.args.get(key) for key in ("rollup", "cube", "grouping_sets", "totals"))
            or any(isinstance(node, exp.Rollup | exp.Cube | exp.GroupingSets) for node in group.expressions)
        )

    def _meant(self, node: exp.Expr) -> exp.Expr:
        """The projection that a number or an alias in GROUP BY and QUALIFY stands for."""
        if isinstance(node, exp.Literal) and node.name.isdigit() and not node.is_string:
            number = int(node.name)
            chosen = self.select.expressions[number - 1 : number]
            return chosen[0].unalias() if chosen else node
        if isinstance(node, exp.Column) and not node.table and self.from_clause.column(node) is None:
            for projection in self.select.expressions:
                if isinstance(projection, exp.Alias) and fold(projection.alias) == fold(node.name):
                    return projection.unalias()
        return node

    def fixed_by(self, parts: Iterable[exp.Expr]) -> set[Col]:
        """The columns that are the same in all rows with the same values of `parts`."""
        plain = (part for part in parts if isinstance(part, exp.Column))
        return {column for part in plain for column in self.from_clause.candidates(part)}

    def _shown(self, columns: frozenset[str]) -> list[exp.Expr | Col]:
        assert self._outputs is not None
        return [self._outputs[name] for name in columns if name in self._outputs]

    def _sources_of(self, shown: exp.Expr | Col) -> set[Col]:
        """The columns that the values of an output come from."""
        if isinstance(shown, tuple):
            return {shown}
        terms = value_columns(shown)
        return {found for term in terms for node in term if (found := self.from_clause.column(node)) is not None}

    def _own_columns(self, shown: Iterable[exp.Expr | Col]) -> set[Col]:
        found: set[Col] = set()
        for node in shown:
            if isinstance(node, tuple):
                found.add(node)
            else:
                found |= self.fixed_by([node])
        return found
