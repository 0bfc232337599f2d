"""Expressions mean in a plan what they mean to the database itself, in statements and in calculated fields.

Read by sqlglot and written again, between them the planner's own changes: each has to give what the text gives when it
is run as it stands. That catches what is silently wrong (DECIMAL as REAL, STDDEV as another STDDEV, days for months).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from askwell.sql.outcome import RejectedSql
from tests.mdl.shop import calculated, plain
from tests.sql.planner.conftest import CONTEXT, Desk
from tests.sql.planner.databases import DIALECTS, Database, a_database
from tests.support.tables import case_rows, case_table

TYPES = {
    "i": "int", "j": "int", "f": "double precision", "d": "decimal(10,2)", "t": "varchar(20)", "n": "int",
    "dt": "date", "ts": "timestamp", "js": "json", "b": "boolean",
}  # fmt: skip
ROW = """
insert into p values (7, 2, 3.75, 2.50, 'Hello World', null, '2024-01-31', '2024-03-05 22:15:30',
  '{"a": 1, "b": {"c": "x"}, "l": [1, 2]}', true)
"""
COMMON = """
i/3
-i/2
-i%3
d/3
f/2
i*1.0/j
cast(i as decimal(10,2))/3
cast(f as decimal(10,1))
cast('3.7' as decimal(10,2))
round(d,1)
round(d)
i > 2 and t = 'x'
not i > 2
coalesce(n, i)
nullif(i, 7)
case when i > 3 then 'a' else 'b' end
case i when 7 then 'a' end
t like 'h%'
t not like '%x%'
length(t)
substr(t, 2, 3)
trim('  a ')
replace(t, 'l', 'L')
sum(i) over ()
avg(i) over ()
i*100.0/3
round(avg(d) over (), 2)
power(2, 3)
floor(f)
ceil(f)
sign(-i)
ln(10)
concat(t, '-', i)
concat_ws('-', t, n, i)
'a''b'
i <> j
i & 3
(i + j) * 2
i - (j - 1)
i / (j * 2)
-(-i)
0.1 + 0.2
row_number() over (order by i)
"""
OWN = case_table(__file__, "own")
# Where the database's own reading helps nobody: what they give instead.
BETTER = case_table(__file__, "better")


def _desk(database: Database, expression: str | None = None) -> Desk:
    columns = [plain(name, kind) for name, kind in TYPES.items()]
    if expression is not None:
        columns.append(calculated("worked_out", expression))
    model = {"name": "P", "tableReference": {"table": "p"}, "columns": columns}
    return Desk(database.dialect, {"catalog": "c", "schema": "s", "models": [model]}, database)


def _table(database: Database) -> None:
    columns = ", ".join(f"{name} {kind}" for name, kind in TYPES.items())
    database.execute(f"create table p ({columns})")
    database.execute(ROW)


def _fitting(dialect: str) -> list[str]:
    # SQLite has no concat() before 3.44.
    return [
        expression
        for expression in (COMMON + OWN[dialect]).split("\n")
        if expression and not (dialect == "sqlite" and expression.startswith("concat"))
    ]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_as_the_database_reads_it_in_a_statement(dialect: str) -> None:
    with a_database(dialect) as database:
        _table(database)
        desk = _desk(database)
        for expression in _fitting(dialect):
            sql = f"SELECT {expression} AS x FROM p"
            # Double quotes are not names here: the statement is the database's own.
            assert database.rows(desk.guarded(desk.planned(sql))) == database.rows(sql), expression


@pytest.mark.parametrize("dialect", DIALECTS)
def test_as_the_database_reads_it_in_a_calculated_field(dialect: str) -> None:
    with a_database(dialect) as database:
        _table(database)
        for expression in _fitting(dialect):
            expected = database.rows(f"SELECT {expression} AS x FROM p")
            assert _desk(database, expression).rows("SELECT worked_out FROM p") == expected, expression


@pytest.mark.parametrize(
    ("dialect", "expression", "value"),
    [(dialect, *case) for dialect, cases in BETTER.items() for case in cases.items()],
)
def test_better_than_the_database(dialect: str, expression: str, value: object) -> None:
    with a_database(dialect) as database:
        _table(database)
        assert _desk(database, expression).rows("SELECT worked_out FROM p") == [(value,)]
        assert _desk(database).rows(f"SELECT {expression} AS x FROM p") == [(value,)]


GENERIC = case_rows(__file__, "generic", "expression", "value")


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(("expression", "value"), GENERIC, ids=[case[0] for case in GENERIC])
def test_what_is_the_same_in_every_manifest(dialect: str, expression: str, value: object) -> None:
    with a_database(dialect) as database:
        _table(database)
        desk = _desk(database, expression)
        desk.mdl["metrics"] = [
            {
                "name": "m",
                "baseObject": "P",
                "dimension": [{"name": "same", "type": "VARCHAR", "expression": expression}],
                "measure": [{"name": "size", "type": "INTEGER", "expression": 'sum("i")'}],
            }
        ]
        assert desk.rows("SELECT worked_out FROM p") == [(value,)]
        assert desk.rows("SELECT same, size FROM m") == [(value, 7)]


def test_a_filter_where_the_database_has_none() -> None:
    with a_database("mysql") as database:
        database.execute("create table p (i int, g int)")
        database.execute("insert into p values (1, 1), (2, 1), (3, 2), (4, 2)")
        measures = [
            {"name": "big", "type": "INTEGER", "expression": "count(*) filter (where i > 1)"},
            {"name": "total", "type": "INTEGER", "expression": "sum(i) filter (where i <> 3)"},
        ]
        mdl = {
            "catalog": "c",
            "schema": "s",
            "models": [{"name": "p", "tableReference": {"table": "p"}, "columns": [plain("i"), plain("g")]}],
            "metrics": [
                {"name": "m", "baseObject": "p", "dimension": [{"name": "g", "type": "INTEGER"}], "measure": measures}
            ],
        }
        desk = Desk("mysql", mdl, database)
        assert desk.rows("SELECT * FROM m ORDER BY 1") == [(1, 1, 3), (2, 2, 4)]
        assert desk.rows("SELECT count(DISTINCT g) FILTER (WHERE i > 2) FROM p") == [(1,)]


def test_a_full_join_where_the_database_has_none() -> None:
    """MariaDB would take FULL for an alias of the first table."""
    with a_database("mysql", "create table p (i int)") as database:
        model = {"name": "p", "tableReference": {"table": "p"}, "columns": [plain("i")]}
        mdl = {"catalog": "c", "schema": "s", "models": [model]}
        outcome = Desk("mysql", mdl, database).plan("SELECT count(*) FROM p a FULL JOIN p b ON a.i = b.i")
        assert isinstance(outcome, RejectedSql)
        assert "the database has no FULL JOIN" in outcome.error


# -- A session property has the kind of value that it is compared with, on every database, or the statement is
# refused.


def _ruled(desk: Desk, condition: str, value: str) -> Desk:
    rule = {"name": "r", "condition": condition, "requiredProperties": [{"name": "p"}]}
    desk.mdl["models"][0]["rowLevelAccessControls"] = [rule]
    desk.context = replace(CONTEXT, session_properties={"p": value})
    # With a planner of its own, since that reads a model once.
    return Desk(desk.dialect, desk.mdl, desk.database, desk.context)


NAMES = "SELECT name FROM customers ORDER BY 1"
TEXTS = case_table(__file__, "texts")
NUMBERS = ("id = @p", "id >= @p", "id + @p > 0", "length(name) = @p", "id IN (7, @p)")


def test_no_number_opens_a_rule_of_texts(desk: Desk) -> None:
    for condition in TEXTS:
        for value in ("0", "NULL"):
            assert _ruled(desk, condition, value).rows(NAMES) == [], condition


@pytest.mark.parametrize("condition", NUMBERS)
def test_no_text_opens_a_rule_of_numbers(duck: Desk, condition: str) -> None:
    for value in ("'FR'", "''", "'0x'", "true", "'NaN'", "'\u0663'"):
        outcome = _ruled(duck, condition, value).plan(NAMES)
        assert isinstance(outcome, RejectedSql)
        assert 'the session property "p" (rule "r" of Customers) has to be a number, such as 42' in outcome.error


def test_what_fits_is_taken(desk: Desk) -> None:
    for condition, value, rows in case_table(__file__, "what_fits_is_taken"):
        assert len(_ruled(desk, condition, value).rows(NAMES)) == rows, condition


@pytest.mark.parametrize(
    ("condition", "value", "said"),
    case_rows(__file__, "what_does_not_fit_is_refused_with_what_would", "condition", "value", "said"),
)
def test_what_does_not_fit_is_refused_with_what_would(duck: Desk, condition: str, value: str, said: str) -> None:
    outcome = _ruled(duck, condition, value).plan(NAMES)
    assert isinstance(outcome, RejectedSql)
    assert said in outcome.error


def test_a_default_has_to_fit_as_well(duck: Desk) -> None:
    needed: dict[str, Any] = {"name": "p", "required": False, "defaultExpr": "0"}
    rule = {"name": "r", "condition": "country = @p", "requiredProperties": [needed]}
    duck.mdl["models"][0]["rowLevelAccessControls"] = [rule]
    assert duck.rows(NAMES) == []
