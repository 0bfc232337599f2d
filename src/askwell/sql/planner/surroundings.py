"""What writing the SQL of a plan notes of it, and the barriers around what row rules hide: nothing of a statement is
evaluated on a row that a rule hides.

A database evaluates the conditions of a query in any order and pushes them into subqueries. A condition that fails
for one value, such as `1 / (salary - 12345) > 0`, then tells whether a hidden row has that value. What keeps conditions
out of a subquery depends on the database (tried on PostgreSQL 15, SQLite 3.40, DuckDB 2.0 and MariaDB 10.11):

- PostgreSQL and SQLite document that a CTE marked MATERIALIZED is computed on its own.
- MariaDB and MySQL neither merge a derived table that has a LIMIT nor push conditions into it.
- DuckDB pushes conditions into materialized CTEs and drops a LIMIT that is larger than the table. It keeps a LIMIT that
  a subquery gives, and no condition passes it. But it knows the least, the greatest and how many different values there
  are of a table with its hidden rows, which through any subquery decides in which order rows come, and so what `mode`
  or `LIMIT 1` gives. Nothing is known of what comes out of an aggregate: so the rows go into lists and out of them
  again, in their order, since they come from the LIMIT one after the other.
- For the others nothing is known, so hidden rows are masked: every value is NULL unless the rule holds. A condition may
  still run on them, but all that it can tell is that there are hidden rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count

from sqlglot import exp

from askwell.mdl.manifest import Model
from askwell.mdl.names import is_system_place, words

_MATERIALIZED = frozenset({"postgres", "sqlite"})
_LISTED = frozenset({"duckdb"})
# Larger than any table. The largest BIGINT, and the largest LIMIT that DuckDB takes.
_LIMITS: dict[str, exp.Expr] = {
    "mysql": exp.Literal.number(2**63 - 1),
    "duckdb": exp.Subquery(this=exp.Select(expressions=[exp.Literal.number(2**62)])),
}


@dataclass(frozen=True, slots=True)
class Barrier:
    """How conditions are kept out of rows that rules were applied to.

    `materialized`: by that mark on their CTE. `limit`: by a LIMIT within it, with `lists` and by lists around that.
    `masks`: not at all, so hidden rows are masked.
    """

    materialized: bool
    limit: exp.Expr | None
    masks: bool
    lists: bool = False

    @classmethod
    def of(cls, dialect: str, *, mask_hidden_rows: bool = False) -> Barrier:
        """The one that this dialect's databases keep; with `mask_hidden_rows` the one that needs nothing of them."""
        if mask_hidden_rows:
            return cls(False, None, True)
        materialized, limit = dialect in _MATERIALIZED, _LIMITS.get(dialect)
        return cls(materialized, limit, not materialized and limit is None, dialect in _LISTED)

    def closed(self, rows: exp.Select) -> exp.Select:
        """`rows`, the whole of a CTE, changed so that conditions stay out of them."""
        if self.limit is None:
            return rows
        if self.lists and rows.find(exp.Join):
            # Which side of a join is gone through depends on how many rows there are, hidden ones too.
            rows.order_by(*(exp.Literal.number(n + 1) for n in range(len(rows.expressions))), copy=False)
        limited = rows.limit(self.limit.copy(), copy=False)
        return _through_lists(limited) if self.lists else limited


def _through_lists(rows: exp.Select) -> exp.Select:
    """The same rows in the same order: DuckDB takes lists that stand beside one another apart in step."""
    source = exp.to_identifier("rows", quoted=True)
    columns = [exp.to_identifier(projection.alias, quoted=True) for projection in rows.expressions]
    listed = [exp.Anonymous(this="list", expressions=[exp.column(name, table=source.copy())]) for name in columns]
    values = [exp.Anonymous(this="unnest", expressions=[one]) for one in listed]
    outer = exp.select(*(exp.alias_(value, name.copy()) for value, name in zip(values, columns, strict=True)))
    return outer.from_(exp.Subquery(this=rows, alias=exp.TableAlias(this=source)))


class Names:
    """Names that carry a number, so that no two in one body are the same. They are plain enough to need no quotes."""

    def __init__(self) -> None:
        self._numbers: Iterator[int] = count(1)

    def unique(self, wanted: str) -> str:
        """A new name that reminds of `wanted`."""
        slug = "_".join(words(wanted))[:40] if wanted.isascii() else ""
        return f"{slug if slug[:1].isalpha() else 'c' + slug}_{next(self._numbers)}"


def masked(rows: exp.Select, rule: exp.Expr, names: Names) -> exp.Select:
    """The rows for which `rule`, a condition on the rows of `rows`, holds; of all others every value is NULL."""
    allowed, source = names.unique("allowed"), names.unique("rows")
    columns = [projection.alias for projection in rows.expressions]
    one, zero = exp.Literal.number(1), exp.Literal.number(0)
    # SQL Server has no column of truth values.
    mark = exp.Case(ifs=[exp.If(this=rule, true=one)], default=zero)
    rows.select(exp.alias_(mark, allowed, quoted=True), copy=False)

    def column(name: str) -> exp.Expr:
        return exp.column(exp.to_identifier(name, quoted=True), table=exp.to_identifier(source, quoted=True))

    holds = exp.EQ(this=column(allowed), expression=one.copy())
    values = [exp.Case(ifs=[exp.If(this=holds.copy(), true=column(name))]) for name in columns]
    outer = exp.select(*(exp.alias_(value, name, quoted=True) for value, name in zip(values, columns, strict=True)))
    alias = exp.TableAlias(this=exp.to_identifier(source, quoted=True))
    return outer.from_(exp.Subquery(this=rows, alias=alias)).where(holds)


class Unplannable(Exception):
    """The statement cannot be planned; the message says what stands in the way. Becomes a rejection, never escapes.

    `hint` says what to do about it where the statement is not at fault.
    """

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class NotReadable(Unplannable):
    """A column rule does not let the caller read a column."""


@dataclass(frozen=True, slots=True)
class PhysicalTableRef:
    """A table of the database, as the plan names it."""

    name: str
    qualifier: str = ""


@dataclass(slots=True)
class Physical:
    """The physical tables a plan reads, with the columns it reads of each; None where they are not known.

    The guard allows a plan these tables, so the database system's own are never among them. `models` are the models
    that read a physical table, by its name, and `ctes` the tables of the semantic model that the plan's CTEs stand for;
    `written` are the views, metrics and cubes whose statements are in it.
    `rules` says whether row rules were applied, `by_asker` whether session properties had a say in any rule.
    """

    tables: dict[PhysicalTableRef, set[str] | None] = field(default_factory=dict)
    models: dict[str, list[Model]] = field(default_factory=dict)
    ctes: dict[str, str] = field(default_factory=dict)
    written: set[str] = field(default_factory=set)
    rules: bool = False
    by_asker: bool = False

    def read(self, table: PhysicalTableRef, columns: set[str] | None) -> None:
        """Note that the plan reads these columns of the table, besides those already noted. Raises `Unplannable`."""
        if is_system_place(table.name, [table.qualifier]):
            written = f"{table.qualifier}.{table.name}" if table.qualifier else table.name
            raise Unplannable(f"{written} belongs to the database system")
        known = self.tables.get(table, set())
        self.tables[table] = None if columns is None or known is None else known | columns

    def add(self, other: Physical) -> None:
        """Note all that another plan reads."""
        for table, columns in other.tables.items():
            self.read(table, columns)
        for name, models in other.models.items():
            self.models.setdefault(name, []).extend(models)
        self.ctes.update(other.ctes)
        self.written |= other.written
        self.rules = self.rules or other.rules
        self.by_asker = self.by_asker or other.by_asker
