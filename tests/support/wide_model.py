"""Models of as many tables as wanted, with a database and questions for them: a company with several departments."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.support.tables import case_table

_SUBJECTS = case_table(__file__, "subjects").split()
_DEPARTMENTS = ("", "hr", "fleet", "claims", "retail")
_STATES = ("open", "closed", "on hold", "cancelled")
_CITIES = ("Berlin", "Lyon", "Turin", "Porto", "Graz")
# Columns that each table has besides its keys, with what somebody has written of them.
_OWN = case_table(__file__, "columns")


def table_names(count: int) -> list[str]:
    """The names of the tables, in the order of the model."""
    every = (f"{part}_{subject}" if part else subject for part in _DEPARTMENTS for subject in _SUBJECTS)
    return list(every)[:count]


def questions(count: int, asked: int = 6) -> list[str]:
    """Questions about different tables, which rules do not read."""
    names = table_names(count)
    about = [names[number * count // asked].replace("_", " ") for number in range(asked)]
    ways = (
        "How come so many {} entries in Berlin stayed open, roughly speaking?",
        "Which {} would you say did worst by amount lately, roughly?",
        "Is the {} side of things picking up or slowing down over the months, roughly?",
    )
    return [ways[number % len(ways)].format(name) for number, name in enumerate(about)]


def _keys(number: int) -> tuple[int, ...]:
    """The tables that one refers to: two before it."""
    return tuple(sorted({number // 2, number // 3} - {number}))


def manifest(count: int) -> dict[str, Any]:
    """The semantic model."""
    names = table_names(count)
    models, links = [], []
    for number, name in enumerate(names):
        columns: list[dict[str, Any]] = [{"name": f"{name}Id", "type": "INTEGER"}]
        for other in _keys(number):
            columns.append({"name": f"{names[other]}Id", "type": "INTEGER"})
            condition = f'"{name}"."{names[other]}Id" = "{names[other]}"."{names[other]}Id"'
            link = {"name": f"{name}_{names[other]}", "models": [name, names[other]], "joinType": "MANY_TO_ONE"}
            links.append({**link, "condition": condition})
        columns += [
            {"name": own, "type": type_, **({"properties": {"description": said}} if said else {})}
            for own, type_, said in _OWN
        ]
        models.append(
            {
                "name": name,
                "tableReference": {"schema": "main", "table": name},
                "columns": columns,
                "primaryKey": f"{name}Id",
            }
        )
    return {"catalog": "c", "schema": "main", "dataSource": "SQLITE", "models": models, "relationships": links}


def make_database(path: Path, count: int) -> None:
    """The tables, each with a few rows."""
    names = table_names(count)
    with closing(sqlite3.connect(path)) as connection, connection:
        for number, name in enumerate(names):
            keys = [f"{names[other]}Id" for other in _keys(number)]
            columns = [f'"{name}Id" INTEGER PRIMARY KEY', *(f'"{key}" INTEGER' for key in keys)]
            columns += [f'"{own}" {type_}' for own, type_, _ in _OWN]
            connection.execute(f'CREATE TABLE "{name}" ({", ".join(columns)})')
            for row in range(5):
                state, city = _STATES[(row + number) % 4], _CITIES[(row + number) % 5]
                own = [f"{name} {row}", state, city, *(None for _ in _OWN[3:])]
                marks = ", ".join("?" * (1 + len(keys) + len(own)))
                connection.execute(f'INSERT INTO "{name}" VALUES ({marks})', (row, *(row for _ in keys), *own))
