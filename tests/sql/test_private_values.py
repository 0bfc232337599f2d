"""Which statements tell of values that not everybody may read, in the world of tests/rights: `deals`, `clients`,
`staff.badge` and `staff.salary` depend on who asks, and everybody reads the same `branches.city` and `staff.name`."""

from __future__ import annotations

import pytest

from askwell.mdl.view import authorised_view
from askwell.sql.planner import Planner
from askwell.sql.private_values import PrivateValues
from tests.mdl.shop import read
from tests.rights.world import manifest


def _in(sql: str, dialect: str = "sqlite") -> bool:
    model_manifest = read(manifest("SQLITE"))
    model = authorised_view(model_manifest, "h")
    planner = Planner(model, model_manifest, dialect)
    return PrivateValues(model, planner.same_for_all, dialect, are_any=planner.has_rules).in_sql(sql)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT COUNT(*) AS n FROM deals",
        "SELECT city FROM branches WHERE city = 'Oslo'",
        "SELECT b.city FROM branches AS b, deals AS d WHERE b.city = 'Oslo'",
        "SELECT SUM(CASE WHEN b.city = 'Oslo' THEN 1 ELSE 0 END) AS n FROM branches AS b, staff AS s",
        "SELECT CASE WHEN b.city = 'Oslo' THEN 'N' ELSE 'S' END AS a FROM branches AS b, staff AS s",
        # Percentages, rates, digits, numbers of rows and places.
        "SELECT ROUND(100.0 * SUM(amount) / COUNT(*), 2) AS s FROM deals WHERE amount > 0 GROUP BY 2 LIMIT 250",
        "SELECT COUNT(*) * 100.0 / SUM(COUNT(*)) OVER () AS s, region FROM deals GROUP BY 2",
        "SELECT amount * 1.2 AS gross, amount / 86400 AS days, amount % 7 AS rest FROM deals",
        "WITH x AS (SELECT amount / 100 AS euros FROM deals) SELECT SUM(euros) AS s FROM x",
        "SELECT AVG(amount) OVER (ORDER BY id ROWS BETWEEN 6 PRECEDING AND CURRENT ROW) AS a FROM deals",
        "SELECT CAST(amount AS DECIMAL(18, 2)) AS a, SUBSTR(note, 1, 10) AS n FROM deals",
        # Formats, separators and lengths of time.
        "SELECT STRFTIME('%Y-%m', closed_on) AS m, COUNT(*) AS n FROM deals GROUP BY 1",
        "SELECT name || ' - ' || mail AS who, GROUP_CONCAT(name, ', ') AS l FROM clients",
        "SELECT DATE('now') AS today, COUNT(*) AS n FROM deals",
        "SELECT closed_on + INTERVAL '30 days' AS due FROM deals",
        "SELECT closed_on + INTERVAL '1' MONTH AS due FROM deals",
        "SELECT closed_on - INTERVAL 7 DAY AS due FROM deals",
        # Names of results.
        "SELECT q.town FROM (SELECT b.city AS town FROM branches AS b) AS q, deals AS d WHERE q.town = 'Oslo'",
        "WITH x AS (SELECT city FROM branches) SELECT COUNT(*) AS n FROM deals, x WHERE x.city = 'Oslo'",
    ],
)
def test_a_statement_without_a_private_value_is_for_everybody(sql: str) -> None:
    dialect = "postgres" if "INTERVAL" in sql else "sqlite"
    assert not _in(sql, dialect)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT id FROM deals WHERE note = 'x'",
        # No format, no separator and no word for a time.
        "SELECT id FROM clients WHERE name = '株式会社'",
        "SELECT id FROM clients WHERE name = 'Ωμέγα'",
        "SELECT name || 'Ωμέγα' AS n FROM clients",
        "SELECT id FROM deals WHERE note LIKE '%B%r%a%v%o'",
        "SELECT id FROM deals WHERE note = 'month'",
        "SELECT CASE note WHEN 'day' THEN 1 ELSE 0 END AS n FROM deals",
        # One alias for two tables.
        "SELECT id FROM deals AS t WHERE t.note = 'x' AND EXISTS (SELECT 1 FROM branches AS t WHERE t.city = 'Oslo')",
        "SELECT d.id FROM (SELECT t.id, t.name FROM clients AS t WHERE t.name = 'x') AS d, staff AS t",
        "SELECT t.city FROM branches AS t WHERE t.id IN (SELECT t.id FROM deals AS t WHERE t.note = 'x')",
        # A private column under the name of a public one.
        "SELECT q.city FROM branches AS b, (SELECT note AS city FROM deals) AS q WHERE q.city = 'x'",
        "WITH branches AS (SELECT note AS city FROM deals) SELECT city FROM branches WHERE branches.city = 'x'",
        "WITH x(city) AS (SELECT note FROM deals) SELECT x.city FROM x, branches AS b WHERE x.city = 'x'",
        "SELECT q.city FROM (SELECT city FROM branches UNION ALL SELECT note FROM deals) AS q WHERE q.city = 'x'",
        "SELECT t.name FROM staff AS t(id, badge, name) WHERE t.name = 'x'",
        "SELECT q.b FROM (SELECT p.a AS b FROM (SELECT note AS a FROM deals) AS p) AS q WHERE q.b = 'x'",
        "SELECT MAX(note) AS m, region FROM deals GROUP BY region HAVING m = 'x'",
        # Numbers outside of conditions.
        "SELECT id FROM deals WHERE client_id IN (SELECT 9953907)",
        "SELECT id FROM deals WHERE client_id IN (SELECT id + 9953906 FROM branches)",
        "SELECT d.id FROM deals AS d JOIN (VALUES (9953907)) AS v(x) ON v.x = d.client_id",
        "WITH k AS (SELECT 9953907 AS x) SELECT d.id FROM deals AS d JOIN k ON k.x = d.client_id",
        "SELECT id FROM deals WHERE client_id = (SELECT CASE WHEN city = 'Oslo' THEN 9953907 END FROM branches)",
        "SELECT d.id FROM deals AS d, branches AS b WHERE d.client_id = CASE WHEN b.city = 'Oslo' THEN 9953907 END",
        "SELECT DECODE(client_id, 9953907, 1, 0) AS d FROM deals",
        "SELECT CASE client_id WHEN 9953907 THEN 1 ELSE 0 END AS d FROM deals",
        "SELECT NULLIF(client_id, 9953907) AS d FROM deals",
        "SELECT id FROM deals ORDER BY ABS(amount - 7731901)",
        "SELECT id FROM deals ORDER BY ABS(amount - 42)",
        "SELECT id FROM deals ORDER BY ABS(amount - 42 * 1)",
        "SELECT ROW_NUMBER() OVER (ORDER BY ABS(amount - 7731901)) AS r FROM deals",
        "SELECT amount - 7731901 AS d FROM deals",
        "SELECT 100.0 * SUM(amount) / 7731903 AS share FROM deals",
        "SELECT amount FROM deals UNION ALL SELECT 7731901",
        "SELECT 7731901 AS top, COUNT(*) AS n FROM deals",
        "SELECT id FROM deals LIMIT (SELECT 9953907)",
        # Texts at other places.
        "SELECT closed_on + INTERVAL 'Bravokanari' AS d FROM deals",
        "SELECT closed_on + INTERVAL '9953907' DAY AS d FROM deals",
        "SELECT COUNT(*) AS n FROM deals -- Bravokanari is the one",
        "SELECT /* Bravokanari */ COUNT(*) AS n FROM deals",
        "/* Bravokanari */ SELECT COUNT(*) AS n FROM deals",
        "SELECT COUNT(*) AS n FROM deals; -- Bravokanari",
        "SELECT city FROM branches -- as Bravokanari asked",
        "SELECT COUNT(*) AS n FROM deals; SELECT 'Bravokanari'",
        'SELECT id FROM deals WHERE note = "Bravokanari"',
        "SELECT id FROM nobody_knows WHERE note = 'x'",
        "DELETE FROM deals WHERE note = 'x'",
        "SELECT n FROM",
    ],
)
def test_a_statement_with_a_value_that_may_be_private_is_not(sql: str) -> None:
    assert _in(sql)


@pytest.mark.parametrize(
    ("dialect", "written"),
    [
        ("postgres", "e'Bravokanari'"),
        ("postgres", "U&'Bravokanari'"),
        ("postgres", "$$Bravokanari$$"),
        ("postgres", "b'101'"),
        ("postgres", "x'41'"),
        ("mysql", "b'101'"),
        ("mysql", "0x41"),
        ("mysql", "n'Bravokanari'"),
        ("mysql", "_utf8'Bravokanari'"),
        ("mysql", '"Bravokanari"'),
        ("bigquery", "b'Bravokanari'"),
        ("bigquery", "r'Bravokanari'"),
        ("duckdb", "$$Bravokanari$$"),
        ("snowflake", "$$Bravokanari$$"),
    ],
)
def test_a_literal_is_a_value_however_it_is_written(dialect: str, written: str) -> None:
    assert _in(f"SELECT id FROM deals WHERE note = {written}", dialect)
    assert _in(f"SELECT {written} AS x, COUNT(*) AS n FROM deals", dialect)


def test_names_that_a_pivot_makes_columns_of_are_values() -> None:
    assert _in("PIVOT deals ON note IN ('Bravokanari') USING SUM(amount)", "duckdb")
    assert _in("SELECT * FROM deals PIVOT (SUM(amount) FOR note IN (Bravokanari))", "duckdb")
