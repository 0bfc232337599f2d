"""Names that are hard on some database or other: each finds its own table and column, on every kind of database."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from askwell.mdl.validation import read_manifest
from askwell.mdl.view import authorised_view
from askwell.sql.checker import SqlChecker
from askwell.sql.outcome import ValidSql
from askwell.sql.planner import Planner
from tests.mdl.shop import calculated, handle, link, plain
from tests.sql.planner.conftest import Desk
from tests.sql.planner.databases import DIALECTS, a_database
from tests.sql.repair.clinic import PaperEngine, checked
from tests.support.tables import case_table

LONG = "a_name_that_is_as_long_as_databases_allow_" + "x" * 21


@pytest.fixture(params=DIALECTS)
def place(request: pytest.FixtureRequest) -> Iterator[Desk]:
    """An empty model on an empty database."""
    with a_database(request.param) as database:
        empty: dict[str, Any] = {"catalog": "c", "schema": "s", "models": [], "relationships": [], "views": []}
        yield Desk(request.param, empty, database)


def table(desk: Desk, name: str, columns: list[str], *rows: tuple[int, ...], schema: str | None = None) -> None:
    """A table of numbers in the database."""
    written = f"{schema}.{desk.name(name)}" if schema else desk.name(name)
    desk.database.execute(f"CREATE TABLE {written} ({', '.join(f'{desk.name(column)} int' for column in columns)})")
    for row in rows:
        desk.database.execute(f"INSERT INTO {written} VALUES ({', '.join(map(str, row))})")


def model(desk: Desk, name: str, columns: list[dict[str, Any]], reference: Any = None, **more: Any) -> None:
    """A model over a table, by default of its own name."""
    place = reference if isinstance(reference, dict) else {"table": reference or name}
    desk.mdl["models"].append({"name": name, "tableReference": place, "columns": columns, **more})


NAMES = [
    "Mixed Case", "select", "group", "user", "end", "count", "sum", "date", "now", "current_date", "rank", "a.b",
    "a-b", "100 %", "%s", "{x}", "$1", "@x", "#1", "x:y", "a/b", "Ünïcödé", "日本", "naïve", "ß", "x y z", LONG,
]  # fmt: skip


@pytest.mark.deep
@pytest.mark.parametrize("name", NAMES)
def test_one_name_for_everything(place: Desk, name: str) -> None:
    """Table, column, model, alias, CTE and handle."""
    if name == "a/b" and place.dialect != "sqlite":
        pytest.skip("reads as the name of a file, which models cannot be over")
    table(place, name, [name, "id", "up"], (7, 1, 2), (8, 2, 1))
    columns = [plain(name), plain("id"), plain("up"), handle("other", name, "r"), handle("others", name, "s")]
    columns += [calculated("theirs", f'other."{name}"'), calculated("sum of theirs", f'sum(others."{name}")')]
    model(place, name, columns, primaryKey="id")
    place.mdl["relationships"] = [
        link("r", name, "MANY_TO_ONE", name, f'"{name}".up = "{name}".id'),
        link("s", name, "ONE_TO_MANY", name, f'"{name}".id = "{name}".up'),
    ]
    place.mdl["metrics"] = [
        {
            "name": "m",
            "baseObject": name,
            "dimension": [{"name": name, "type": "INTEGER"}],
            "measure": [{"name": "total", "type": "INTEGER", "expression": f'sum("{name}")'}],
        }
    ]
    place.mdl["views"] = [{"name": "v", "statement": place.quoted(f'SELECT "{name}" FROM "{name}" WHERE id = 1')}]
    assert place.rows(f'SELECT id, theirs, "sum of theirs" FROM "{name}" ORDER BY 1') == [(1, 8, 8), (2, 7, 7)]
    assert place.rows(f'SELECT "{name}"."{name}" FROM "{name}" ORDER BY "{name}"') == [(7,), (8,)]
    assert place.rows(f'SELECT "{name}"."{name}" FROM "{name}" AS "{name}" WHERE "{name}" > 7') == [(8,)]
    assert place.rows(f'WITH "{name}" AS (SELECT "{name}" FROM "{name}") SELECT * FROM "{name}" ORDER BY 1') == [
        (7,),
        (8,),
    ]
    assert place.rows("SELECT * FROM v") == [(7,)]
    assert place.rows("SELECT * FROM m ORDER BY 1") == [(7, 7), (8, 8)]
    assert place.names(f'SELECT * FROM "{name}"')[0] == name


def test_quotes_in_physical_names(place: Desk) -> None:
    for quote in ('"', "'", "`", "]", "\\"):
        table(place, f"t{quote}t", [f"c{quote}c"], (ord(quote),))
    escaped = {'"': '""', "\\": "\\"}
    for number, quote in enumerate(('"', "'", "`", "]")):
        expression = f'"c{escaped.get(quote, quote)}c"'
        model(place, f"m{number}", [plain("c", expression=expression)], f"t{quote}t")
        assert Desk(place.dialect, place.mdl, place.database).rows(f"SELECT c FROM m{number}") == [(ord(quote),)]


def test_letter_case_of_tables_and_aliases(place: Desk) -> None:
    table(place, "Orders", ["Id", "Amount"], (1, 5), (2, 6))
    model(place, "Sales", [plain("Id"), plain("Amount")], "Orders")
    expected = [(5,), (6,)]
    for sql in case_table(__file__, "letter_case_of_tables_and_aliases"):
        assert place.rows(sql) == expected, sql


def test_two_models_on_one_table(place: Desk) -> None:
    table(place, "t", ["id", "a", "b"], (1, 5, 6))
    model(place, "first", [plain("id"), plain("x", expression="a"), plain("again", expression="a")], "t")
    model(place, "second", [plain("id"), plain("x", expression="b")], "t")
    assert place.rows("SELECT f.x, f.again, s.x FROM first f JOIN second s ON f.id = s.id") == [(5, 5, 6)]


def test_models_whose_names_are_those_of_each_others_tables(place: Desk) -> None:
    table(place, "one", ["x"], (1,))
    table(place, "two", ["x"], (2,))
    model(place, "one", [plain("x")], "two")
    model(place, "two", [plain("x")], "one")
    assert place.rows("SELECT one.x, two.x FROM one, two") == [(2, 1)]
    assert place.rows("WITH one AS (SELECT x FROM two) SELECT one.x, two.x FROM one, two") == [(1, 1)]


def test_a_model_of_another_schema(place: Desk) -> None:
    if place.dialect == "sqlite":
        pytest.skip("SQLite has one schema")
    other = place.database.new_schema()
    table(place, "t", ["x"], (1,))
    table(place, "t", ["x"], (2,), schema=other)
    model(place, "here", [plain("x")], "t")
    model(place, "there", [plain("x")], {"schema": other, "table": "t"})
    assert place.rows("SELECT here.x, there.x FROM here, there") == [(1, 2)]


def test_long_names_stay_apart(place: Desk) -> None:
    """Names of CTEs and columns that we make are cut short, and stay different."""
    stem = "x" * 58
    for number in range(3):
        table(place, f"{stem}{number}", [f"{stem}{number}", "id"], (number, 1))
        columns = [plain(f"{stem}{number}"), plain("id")]
        model(place, f"{stem}{number}", columns, primaryKey="id")
    place.mdl["models"][0]["columns"] += [
        handle("one", f"{stem}1", "r1"),
        handle("two", f"{stem}2", "r2"),
        calculated("a", f"one.{stem}1"),
        calculated("b", f"two.{stem}2"),
    ]
    place.mdl["relationships"] = [
        link(f"r{number}", f"{stem}0", "MANY_TO_ONE", f"{stem}{number}", f"{stem}0.id = {stem}{number}.id")
        for number in (1, 2)
    ]
    assert place.rows(f"SELECT a, b FROM {stem}0") == [(1, 2)]
    assert place.rows(f"SELECT {stem}0.{stem}0, {stem}1.{stem}1 FROM {stem}0, {stem}1") == [(0, 1)]


@pytest.mark.parametrize("long", ["m" * 150, "ü" * 50], ids=["letters", "bytes"])
def test_a_model_name_longer_than_the_database_allows(place: Desk, long: str) -> None:
    """Models may have 200 characters; a database, that cuts names or refuses them, by their bytes, never sees them."""
    table(place, "t", ["x"], (1,))
    table(place, "u", ["x"], (2,))
    model(place, f"{long}1", [plain("x")], "t")
    model(place, f"{long}2", [plain("x")], "u")
    assert place.rows(f"SELECT {long}1.x, {long}2.x FROM {long}1, {long}2") == [(1, 2)]
    assert long not in place.planned(f"SELECT {long}1.x, {long}2.x FROM {long}1, {long}2").tree.sql()
    assert place.rows(f"SELECT a.x, b.x FROM {long}1 a, {long}2 b") == [(1, 2)]


# -- Names in the SQL of a model are read as its database reads them.


def way(ref_sql: str) -> SqlChecker:
    columns = [{"name": "id", "type": "INTEGER"}]
    written = {"catalog": "c", "schema": "s", "models": [{"name": "sales", "refSql": ref_sql, "columns": columns}]}
    manifest = read_manifest({**written, "dataSource": "POSTGRES"}, data_source="POSTGRES").manifest
    assert manifest is not None
    model = authorised_view(manifest, "sales")
    return SqlChecker(model, Planner(model, manifest, "postgres"), PaperEngine("postgres"))


@pytest.mark.parametrize(
    ("ref_sql", "read"),
    [
        ("SELECT id FROM ORDERS", '"orders"'),
        ('SELECT id FROM "ORDERS"', '"ORDERS"'),
        ("SELECT id FROM Public.Orders", '"public"."orders"'),
    ],
)
async def test_a_name_without_quotes_is_folded(ref_sql: str, read: str) -> None:
    outcome = await checked("SELECT id FROM sales", "postgres", way(ref_sql))

    assert isinstance(outcome, ValidSql), outcome
    assert read in outcome.planned_sql
