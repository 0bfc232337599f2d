"""The adapter to wren-core: it writes the joins and groupings that relationships stand for.

wren-core is given as little as possible, so that its own limits do not become ours: a tiny manifest of only the rows
and columns at hand, under names that are unique in all of it (with the models' own names it takes `orders.id` for
`customers.id` when it counts), every column as text (it would cast others), placeholder tables, and `max(…)` wherever
some aggregate belongs (it knows 284 functions, a database has its own). What it writes is then given the real rows and
the real aggregates, in the database's dialect.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

_CATALOG = _SCHEMA = "m"


class WrenFailure(Exception):
    """wren-core could not write the joins. The message is its own, shortened."""


@dataclass(slots=True)
class Rows:
    """Rows that take part: `query` yields `columns`. `steps` lead on to related rows."""

    query: exp.Query
    columns: tuple[str, ...]
    key: str | None = None
    steps: list[Step] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Step:
    """A relationship from rows to others: `pairs` are (column here, column there)."""

    target: Rows
    pairs: tuple[tuple[str, str], ...]
    to_many: bool


@dataclass(frozen=True, slots=True)
class Atom:
    """A value that relationships bring: `column` at the end of `steps`, inside `aggregate` where any is to-many.

    In the aggregate a column of that name stands for the value.
    """

    name: str
    steps: tuple[Step, ...]
    column: str
    aggregate: exp.Expr | None = None


def joined(root: Rows, atoms: Sequence[Atom]) -> exp.Query:
    """The root's rows, each once, with its columns and the atoms under their names."""
    extract = _Extract(root, atoms)
    text = _transform(
        extract.manifest(), f"SELECT {', '.join([*root.columns, *(atom.name for atom in atoms)])} FROM n0"
    )
    try:
        tree = parse_one(text)
    except SqlglotError as error:
        raise WrenFailure("what wren-core wrote cannot be read") from error
    if not isinstance(tree, exp.Query):
        raise WrenFailure("wren-core wrote no query")
    for identifier in tree.find_all(exp.Identifier):
        identifier.set("quoted", True)
    _left_joins(tree)
    _real_aggregates(tree, atoms)
    _real_rows(tree, extract.rows)
    return tree


class _Extract:
    """The tiny manifest. Rows are `n0`, `n1`, …, their placeholder tables `t0`, `t1`, …, steps `h1`, `h2`, …"""

    def __init__(self, root: Rows, atoms: Sequence[Atom]) -> None:
        self.rows: list[Rows] = []
        self._collect(root)
        self._number = {id(rows): position for position, rows in enumerate(self.rows)}
        self._root, self._atoms = root, atoms

    def _collect(self, rows: Rows) -> None:
        self.rows.append(rows)
        for step in rows.steps:
            self._collect(step.target)

    def manifest(self) -> dict[str, Any]:
        return {
            "catalog": _CATALOG,
            "schema": _SCHEMA,
            "models": [self._model(number, rows) for number, rows in enumerate(self.rows)],
            "relationships": [
                self._relationship(number, step) for number, rows in enumerate(self.rows) for step in rows.steps
            ],
        }

    def _model(self, number: int, rows: Rows) -> dict[str, Any]:
        columns: list[dict[str, Any]] = [{"name": column, "type": "VARCHAR"} for column in rows.columns]
        columns += [
            {"name": handle, "type": f"n{self._number[id(step.target)]}", "relationship": handle}
            for step in rows.steps
            if (handle := self._handle(step))
        ]
        if rows is self._root:
            columns += [self._calculated(atom) for atom in self._atoms]
        model = {"name": f"n{number}", "tableReference": {"table": f"t{number}"}, "columns": columns}
        return model | ({"primaryKey": rows.key} if rows.key else {})

    def _handle(self, step: Step) -> str:
        return f"h{self._number[id(step.target)]}"

    def _calculated(self, atom: Atom) -> dict[str, Any]:
        path = ".".join([*(self._handle(step) for step in atom.steps), atom.column])
        expression = f"max({path})" if atom.aggregate else path
        return {"name": atom.name, "type": "VARCHAR", "isCalculated": True, "expression": expression}

    def _relationship(self, number: int, step: Step) -> dict[str, Any]:
        target = self._number[id(step.target)]
        return {
            "name": self._handle(step),
            "models": [f"n{number}", f"n{target}"],
            "joinType": "ONE_TO_MANY" if step.to_many else "MANY_TO_ONE",
            "condition": " AND ".join(f"n{number}.{here} = n{target}.{there}" for here, there in step.pairs),
        }


def _transform(manifest: dict[str, Any], sql: str) -> str:
    import wren_core

    encoded = base64.b64encode(json.dumps(manifest).encode()).decode()
    try:
        return str(wren_core.SessionContext(encoded, None, None, "duckdb").transform_sql(sql))
    except Exception as error:  # the binding raises bare Exception and RuntimeError
        raise WrenFailure(" ".join(str(error).split())[:200]) from error


def _left_joins(tree: exp.Query) -> None:
    """`a RIGHT JOIN b` as `b LEFT JOIN a`, which every database has and every optimiser likes."""
    for select in list(tree.find_all(exp.Select)):
        joins = select.args.get("joins") or []
        source = select.args.get("from_")
        if len(joins) == 1 and joins[0].side == "RIGHT" and source is not None:
            first, second = source.this, joins[0].this
            source.set("this", second)
            joins[0].set("this", first)
            joins[0].set("side", "LEFT")
            joins[0].set("kind", None)


def _real_aggregates(tree: exp.Query, atoms: Sequence[Atom]) -> None:
    aggregates = {atom.name: atom for atom in atoms if atom.aggregate is not None}
    for alias in list(tree.find_all(exp.Alias)):
        atom = aggregates.get(alias.alias)
        if atom is None or atom.aggregate is None or not isinstance(alias.this, exp.Max):
            continue
        value = alias.this.this
        real = atom.aggregate.copy()
        for column in list(real.find_all(exp.Column)):
            if column.name == atom.column:
                column.replace(value.copy())
        alias.set("this", real)


def _real_rows(tree: exp.Query, rows: Sequence[Rows]) -> None:
    placeholders = {f"t{number}": part.query for number, part in enumerate(rows)}
    for table in list(tree.find_all(exp.Table)):
        query = placeholders.get(table.name)
        if query is not None:
            table.replace(exp.Subquery(this=query.copy(), alias=table.args["alias"].copy()))
