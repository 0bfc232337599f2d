"""Random joins over random small databases, with what the aggregate would be if no join repeated a row.

Every table of the databases has a column `rid` that the model does not know: two joined rows that agree in it hold the
same row of that table. Values are few, so that rows match often.
"""

from __future__ import annotations

import random
import sqlite3
from dataclasses import dataclass, replace

from askwell.mdl.semantic_model import Column, SemanticModel, Table, TableKind

# Table: its columns and its keys.
SCHEMA: dict[str, tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]] = {
    "a": (("id", "x", "y"), (("id",),)),
    "b": (("id", "a_id", "x"), (("id",),)),
    "c": (("a_id", "n", "y"), (("a_id", "n"),)),
    "d": (("k", "v", "x"), (("k",), ("v",))),
}
_VALUES = (1, 2, 3)
_DOMAINS = ((1,), (1, 2), (2, 3), _VALUES, _VALUES)


def model() -> SemanticModel:
    tables = {
        name: Table(
            name,
            TableKind.MODEL,
            tuple(Column(column, "INTEGER") for column in columns),
            primary_key=keys[0],
            unique_keys=keys[1:],
        )
        for name, (columns, keys) in SCHEMA.items()
    }
    return SemanticModel("random", "SQLITE", tables)


def database(chance: random.Random) -> sqlite3.Connection:
    """A database that keeps to the keys; other columns may be NULL."""
    connection = sqlite3.connect(":memory:")
    rid = 0
    for name, (columns, keys) in SCHEMA.items():
        connection.execute(f"CREATE TABLE {name} ({', '.join(columns)}, rid)")
        places = ", ".join("?" * (len(columns) + 1))
        unique = {column for key in keys for column in key}
        domains = {column: _VALUES if column in unique else chance.choice(_DOMAINS) for column in columns}
        seen: set[tuple[object, ...]] = set()
        for _ in range(chance.randint(2, 9)):
            row = {
                column: None if column not in unique and chance.random() < 0.05 else chance.choice(domain)
                for column, domain in domains.items()
            }
            marks = {(key, *(row[column] for column in key)) for key in keys}
            if not marks & seen:
                seen |= marks
                rid += 1
                connection.execute(f"INSERT INTO {name} VALUES ({places})", [*row.values(), rid])
    return connection


@dataclass(frozen=True)
class Relation:
    """Something to select from: as it is written, and with columns more that say which rows its values come from.

    `identity` are those columns; `origins` narrows them for the values that come from one of several tables.
    """

    sql: str
    identified: str
    identity: tuple[str, ...]
    columns: tuple[str, ...]
    origins: tuple[tuple[str, str], ...] = ()

    def identity_of(self, column: str) -> tuple[str, ...]:
        return tuple(of for name, of in self.origins if name == column) or self.identity


@dataclass(frozen=True)
class RandomQuery:
    """A query with one aggregate, and the same over rows of which each is taken once. `kind` is the function."""

    sql: str
    once: str
    kind: str


def relation(chance: random.Random) -> Relation:
    name = chance.choice(list(SCHEMA))
    columns = SCHEMA[name][0]
    one, two = chance.sample(columns, 2)
    match chance.choice(["table"] * 6 + ["grouped", "distinct", "first", "constant", "joined", "single", "rest"]):
        case "grouped":
            sql = f"(SELECT {one}, SUM({two}) AS s FROM {name} GROUP BY {one})"
            return Relation(sql, sql, (one,), (one, "s"))
        case "distinct":
            sql = f"(SELECT DISTINCT {one}, {two} FROM {name})"
            return Relation(sql, sql, (one, two), (one, two))
        case "first":
            number = f"ROW_NUMBER() OVER (PARTITION BY {one} ORDER BY {two}, rid) AS number"
            inner = f"(SELECT *, {number} FROM {name})"
            chosen = f"SELECT {one}, {two} FROM {inner} WHERE number = 1"
            visible = f"(SELECT *, {number.replace(', rid', '')} FROM {name})"
            return Relation(
                f"(SELECT {one}, {two} FROM {visible} WHERE number = 1)",
                f"({chosen.replace('SELECT', 'SELECT rid,', 1)})",
                ("rid",),
                (one, two),
            )
        case "constant":
            sql = f"(SELECT {{}}{', '.join(columns)} FROM {name} WHERE {one} = {chance.choice(_VALUES)})"
            return Relation(sql.format(""), sql.format("rid, "), ("rid",), columns)
        case "joined":
            other = chance.choice(list(SCHEMA))
            here, there = chance.choice(columns), chance.choice(SCHEMA[other][0])
            shown = chance.choice(SCHEMA[other][0])
            join = f"{name} AS i JOIN {other} AS j ON i.{here} = j.{there}"
            sql = f"(SELECT {{}}i.{one} AS one, i.{two} AS two, j.{shown} AS three FROM {join})"
            return Relation(
                sql.format(""),
                sql.format("i.rid AS r1, j.rid AS r2, "),
                ("r1", "r2"),
                ("one", "two", "three"),
                (("one", "r1"), ("two", "r1"), ("three", "r2")),
            )
        case "single":
            sql = f"(SELECT MAX({one}) AS {one} FROM {name})"
            return Relation(sql, sql, (one,), (one,))
        case "rest":
            sql = f"(SELECT {one}, {two} FROM {name} EXCEPT SELECT x, x FROM a)"
            return Relation(sql, sql, (one, two), (one, two))
    return Relation(name, name, ("rid",), columns)


def query(chance: random.Random) -> RandomQuery:
    relations = [relation(chance) for _ in range(chance.choice([1, 2, 2, 2, 3, 3, 4]))]
    filters: list[str] = []
    joins = [""]

    def column(among: int) -> str:
        position = chance.randrange(among)
        return f"t{position}.{chance.choice(relations[position].columns)}"

    for position in range(1, len(relations)):
        own = [
            f"t{position}.{name}"
            for name in chance.sample(relations[position].columns, len(relations[position].columns))
        ]
        conditions = [f"{own[0]} = {column(position)}"]
        if len(own) > 1 and chance.random() < 0.5:
            conditions.append(f"{own[1]} = {chance.choice([column(position), str(chance.choice(_VALUES))])}")
        if chance.random() < 0.08:
            conditions = [f"{own[0]} {chance.choice(['<', '<>'])} {column(position)}"]
        if chance.random() < 0.1:
            conditions.append(f"{column(position)} = {chance.choice(_VALUES)}")
        side = chance.choice(["JOIN"] * 5 + ["LEFT JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", ","])
        if side == ",":
            filters += conditions
            joins.append(", ")
        else:
            if chance.random() < 0.2:
                filters.append(conditions.pop())
            joins.append(f" {side} ")
        on = "" if side == "," else f" ON {' AND '.join(conditions) or '1 = 1'}"
        one = relations[position]
        named = f" AS t{position}{on}"
        relations[position] = replace(one, sql=one.sql + named, identified=one.identified + named)
        if side == "LEFT JOIN" and chance.random() < 0.15:
            filters.append(f"{own[0]} IS NULL")
    if chance.random() < 0.25:
        filters.append(f"{column(len(relations))} = {chance.choice(_VALUES)}")
    grouping = [column(len(relations)) for _ in range(chance.choice([0, 1, 1, 2]))]
    return _written(chance, relations, joins, filters, grouping)


def _written(
    chance: random.Random, relations: list[Relation], joins: list[str], filters: list[str], grouping: list[str]
) -> RandomQuery:
    kind = chance.choice(["SUM", "SUM", "SUM", "AVG", "COUNT"])
    chosen = sorted(chance.sample(range(len(relations)), 2 if len(relations) > 1 and chance.random() < 0.15 else 1))
    picked = [(position, chance.choice(relations[position].columns)) for position in chosen]
    first = relations[0]
    where = f" WHERE {' AND '.join(filters)}" if filters else ""

    def from_clause(texts: list[str]) -> str:
        return (
            f" FROM {texts[0]} AS t0"
            + "".join(join + text for join, text in zip(joins[1:], texts[1:], strict=True))
            + where
        )

    group = f" GROUP BY {', '.join(grouping)}" if grouping else ""
    groups = "".join(f"{name} AS g{number}, " for number, name in enumerate(grouping))
    plain = from_clause([first.sql, *(one.sql for one in relations[1:])])
    identified = from_clause([first.identified, *(one.identified for one in relations[1:])])
    value = " * ".join(f"t{position}.{name}" for position, name in picked)
    identity = ", ".join(
        f"t{position}.{name} AS i{position}{name}"
        for position, column in picked
        for name in relations[position].identity_of(column)
    )
    outer = "".join(f"g{number}, " for number in range(len(grouping)))
    regroup = f" GROUP BY {outer.rstrip(', ')}" if grouping else ""
    return RandomQuery(
        f"SELECT {groups}{kind}({value}) AS result{plain}{group}",
        f"SELECT {outer}{kind}(value) FROM (SELECT DISTINCT {groups}{identity}, {value} AS value{identified}){regroup}",
        kind,
    )
