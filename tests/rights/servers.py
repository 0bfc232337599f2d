"""Databases on servers that two people read under roles of their own, by a login that may read little itself."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from sqlalchemy.engine import make_url

from tests.support.servers import ServerDatabase, new_mariadb, new_postgresql


@dataclass(frozen=True)
class RoleServer:
    """`url` is that of the login; `north` and `south` are the roles. A table `deals` has rows of both: on PostgreSQL a
    policy shows each role its own; on MariaDB, which has none, each role may read a table of its own besides, `deals`
    to nobody but the login."""

    kind: str
    url: str
    north: str
    south: str
    database: ServerDatabase

    def own(self, role: str) -> str:
        """The table that holds the rows of this role, for statements under it."""
        return "deals" if self.kind == "postgres" else ("deals_north" if role == self.north else "deals_south")


def secret_of(role: str) -> str:
    """What only this role may read."""
    return f"canary-{role[-12:]}"


@contextmanager
def role_server(kind: str) -> Iterator[RoleServer]:
    """On `postgres` or `mariadb`; the test is skipped, saying so, where there is no such server."""
    database = new_postgresql() if kind == "postgres" else new_mariadb()
    north, south, login = (f"{part}_{uuid.uuid4().hex[:12]}" for part in ("north", "south", "login"))
    script, undo = (_postgres if kind == "postgres" else _mariadb)(database.name, north, south, login)
    try:
        for statement in script:
            database.ask(statement)
        url = make_url(database.url).set(username=login, password=None)
        yield RoleServer(kind, url.render_as_string(hide_password=False), north, south, database)
    finally:
        for statement in undo:
            database.ask(statement)
        database.drop()


def _rows(north: str, south: str) -> str:
    return ", ".join(
        f"({number}, '{role}', '{secret_of(role)}', {amount})"
        for number, (role, amount) in enumerate([(north, 10), (south, 1000), (north, 20)], 1)
    )


_COLUMNS = "(id INTEGER PRIMARY KEY, region VARCHAR(40), customer VARCHAR(40), amount INTEGER)"


def _postgres(_name: str, north: str, south: str, login: str) -> tuple[list[str], list[str]]:
    script = [
        f"CREATE ROLE {north}; CREATE ROLE {south}; CREATE ROLE {login} LOGIN NOINHERIT IN ROLE {north}, {south}",
        f"CREATE TABLE deals {_COLUMNS}",
        f"INSERT INTO deals VALUES {_rows(north, south)}",
        "CREATE TABLE salaries (id INTEGER PRIMARY KEY, amount INTEGER); INSERT INTO salaries VALUES (1, 4711)",
        "ALTER TABLE deals ENABLE ROW LEVEL SECURITY",
        "CREATE POLICY own ON deals USING (region = current_user)",
        f"GRANT SELECT ON deals TO {north}, {south}, {login}",
        f"GRANT SELECT ON salaries TO {south}",
    ]
    return script, [f"DROP OWNED BY {north}, {south}, {login}; DROP ROLE {north}; DROP ROLE {south}; DROP ROLE {login}"]


def _mariadb(name: str, north: str, south: str, login: str) -> tuple[list[str], list[str]]:
    script = [
        *(f"CREATE ROLE {role}" for role in (north, south)),
        f"CREATE USER {login}@'%'",
        f"GRANT {north} TO {login}@'%'",
        f"GRANT {south} TO {login}@'%'",
        f"CREATE TABLE deals {_COLUMNS}",
        f"INSERT INTO deals VALUES {_rows(north, south)}",
        f"CREATE TABLE deals_north AS SELECT * FROM deals WHERE region = '{north}'",
        f"CREATE TABLE deals_south AS SELECT * FROM deals WHERE region = '{south}'",
        "CREATE TABLE salaries (id INTEGER PRIMARY KEY, amount INTEGER)",
        "INSERT INTO salaries VALUES (1, 4711)",
        "CREATE TABLE common (id INTEGER)",
        f"GRANT SELECT ON {name}.common TO {login}@'%'",
        f"GRANT SELECT ON {name}.deals_north TO {north}",
        f"GRANT SELECT ON {name}.deals_south TO {south}",
        f"GRANT SELECT ON {name}.salaries TO {south}",
    ]
    return script, [f"DROP USER {login}@'%'", f"DROP ROLE {north}", f"DROP ROLE {south}"]
