"""Expressions mean in a plan what they mean to the database itself, in statements and in calculated fields.

Read by sqlglot and written again, between them the planner's own changes: each has to give what the text gives when it
is run as it stands. That catches what is silently wrong (DECIMAL as REAL, STDDEV as another STDDEV, days for months).
"""

from __future__ import annotations

import pytest

from askwell.sql.outcome import RejectedSql
from tests.mdl.shop import calculated, plain
from tests.sql.planner.conftest import Desk
from tests.sql.planner.databases import DIALECTS, Database, a_database

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
OWN = {
    "duckdb": """
i//2
i::varchar
f::int
mod(i, 3)
date_trunc('month', ts)
date_diff('month', dt, date '2024-12-31')
date_sub('month', dt, date '2024-12-31')
date_part('year', dt)
extract(isodow from dt)
dayname(dt)
strftime(ts, '%d %B %H:%M:%S')
strptime('2024-02-03', '%Y-%m-%d')
dt + 1
dt + interval 1 month
ts - timestamp '2024-01-01'
age(ts, timestamp '2020-01-01')
[1,2,3][1]
{'a': 1}.a
js->>'a'
js->>'$.b.c'
t ilike 'h%'
regexp_matches(t, 'W')
regexp_replace(t, 'l', 'L', 'g')
split_part(t, ' ', 2)
t[1:3]
t || n
try_cast('x' as int)
i ** 2
log(100)
interval '1 year 2 months'
i is distinct from n
list_transform([1,2], lambda x: x + 1)
cast(b as int)
""",
    "sqlite": """
typeof(cast(i as numeric))
typeof(cast('3' as numeric))
cast('3.7abc' as numeric)
cast(i as numeric) / 2
cast(3.7 as integer)
cast(i as varchar(2))
typeof(cast(i as text))
'5'/2
7.5 % 2
strftime('%Y-%m', ts)
cast(strftime('%Y', dt) as integer)
date(dt, '+1 month', '-1 day')
datetime(ts, '+2 hours')
julianday('2024-12-31') - julianday(dt)
datetime(0, 'unixepoch')
substr(t, -3)
ifnull(n, i)
iif(i > 3, 'a', 'b')
printf('%.2f', f)
t glob 'H*'
t || n
round(-2.5)
max(i, j)
json_extract(js, '$.b.c')
js->>'$.b.c'
i is not n
i == 7
i = '7'
true
i << 2
t collate nocase = 'HELLO WORLD'
strftime('%m', dt) in ('01', '02')
""",
    "postgres": """
i::text
d::numeric(10,1)
f::int
dt + 1
dt - date '2024-01-01'
ts - timestamp '2024-01-01'
age(ts, timestamp '2020-01-01')
date_trunc('month', dt)
extract(epoch from ts)
extract(dow from dt)
extract(isodow from dt)
to_char(ts, 'YYYY-MM')
to_char(ts, 'Mon DD')
to_date('2024-03-01','YYYY-MM-DD')
js->>'a'
js->'b'->>'c'
js#>>'{b,c}'
(js->>'a')::int
t ilike 'h%'
t ~ 'World$'
t ~* 'world$'
split_part(t, ' ', 2)
regexp_replace(t, 'l+', 'L')
interval '1 year 2 months'
dt + interval '1 week'
ts at time zone 'UTC'
i is distinct from 7
trunc(f::numeric, 1)
div(i, 2)
overlay(t placing 'XX' from 2 for 3)
substring(t from 'W.*')
array[1,2]
i = any(array[1,7])
(array[1,2,3])[2]
E'a\\nb'
t || n
cast(b as int)
1.5::int
log(2, 8)
""",
    "mysql": """
i div 2
datediff('2024-03-01', dt)
timestampdiff(month, dt, '2024-12-31')
date_format(ts, '%M %d %i %s')
date_add(dt, interval 1 day)
date_add(dt, interval '1' month)
date_sub(dt, interval 1 year)
date_add(ts, interval '1:30' minute_second)
str_to_date('01.02.2024', '%d.%m.%Y')
week(dt, 3)
weekday(dt)
dayofweek(dt)
to_days(dt)
last_day(dt)
extract(year_month from dt)
if(i > 3, 'a', 'b')
ifnull(n, i)
t regexp 'W'
t rlike '^h'
t not regexp 'x'
'' regexp '^$'
n regexp 'x'
substring_index(t, ' ', 1)
instr(t, 'W')
locate('o', t, 6)
truncate(f, 1)
log(2, 8)
log(8)
cast(i as signed)
cast(f as signed)
convert(i, char)
json_unquote(json_extract(js, '$.b.c'))
i <=> n
i && j
i xor 0
'a' = 'A'
t = 'hello world'
t collate utf8mb4_bin = 'hello world'
std(i) over ()
stddev(i) over ()
dt + interval 1 day
period_diff(202403, 202401)
'a\\\\b'
'100\\%'
5 mod 3
'5' + 1
""",
}
# Where the database's own reading helps nobody: what they give instead.
BETTER = {
    "sqlite": {
        # A number, 2024, to SQLite, which has no dates.
        "cast(ts as date)": "2024-03-05",
        "cast(dt as timestamp)": "2024-01-31 00:00:00",
    },
    "mysql": {
        # MariaDB has no such operator, MySQL has.
        "js->>'$.b.c'": "x",
    },
}


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


GENERIC = [
    # The same in every manifest, whatever its database.
    ("t || '-' || i", "Hello World-7"),
    ("t || ' ' || \"i\" || '|'", "Hello World 7|"),
    ("'a' || cast(i + 1 as char(1)) = 'a8'", True),
    ("case when \"t\" = 'Hello World' then 1 else 0 end", 1),
    ("coalesce(n, 0) + i", 7),
    ("i = 7 or 1 = 0", True),
]


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
