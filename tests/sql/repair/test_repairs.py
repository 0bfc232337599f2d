"""What is put right, into what, and what is said about it: through the whole way up to the plan, without a database."""

from __future__ import annotations

import pytest

from askwell.sql.outcome import ValidSql
from tests.sql.repair.clinic import checked

EVERYWHERE = ("sqlite", "duckdb", "postgres", "mysql")

NAMES = [
    ("SELECT frist_name FROM owners", "SELECT first_name FROM owners", "`frist_name` read as `first_name`"),
    ("SELECT firstName FROM owners", "SELECT first_name FROM owners", "`firstName` read as `first_name`"),
    ("SELECT city FROM Owner", "SELECT city FROM owners", "`Owner` read as `owners`"),
    ("SELECT zipcodes FROM owners", "SELECT zip_code FROM owners", "`zipcodes` read as `zip_code`"),
    ("SELECT pet.name FROM pets", "SELECT pets.name FROM pets", "`pet` read as `pets`"),
    ("SELECT p.nme FROM pets AS p", "SELECT p.name FROM pets AS p", "`nme` read as `name`"),
    ("SELECT name FROM clinic.public.pets", "SELECT name FROM pets", "tables here have no schema"),
    (
        "WITH heavy AS (SELECT name AS label FROM pets) SELECT lable FROM haevy",
        "WITH heavy AS (SELECT name AS label FROM pets) SELECT label FROM heavy",
        "`haevy` read as `heavy`",
    ),
]
ALIASES = [
    ("SELECT owners.city FROM owners AS o", "SELECT o.city FROM owners AS o", "`owners` read as `o`"),
    ("SELECT o.city FROM owners", "SELECT owners.city FROM owners", "`o` read as `owners`"),
    # vets lead to vets (their mentors), and nobody speaks of another one here.
    (
        "SELECT v.fee FROM visits AS v JOIN vets AS d ON v.vet_id = ve.id WHERE d.full_name = 'Ada'",
        "SELECT v.fee FROM visits AS v JOIN vets AS d ON v.vet_id = d.id WHERE d.full_name = 'Ada'",
        "`ve` read as `d`",
    ),
    (
        "SELECT o.weight FROM pets AS p JOIN owners AS o ON p.owner_id = o.id",
        "SELECT p.weight FROM pets AS p JOIN owners AS o ON p.owner_id = o.id",
        "`o.weight` read as `p.weight`",
    ),
    (
        "SELECT p.name FROM pets AS p JOIN owners AS o ON p.owner_id = id",
        "SELECT p.name FROM pets AS p JOIN owners AS o ON p.owner_id = o.id",
        "`id` read as `o.id`",
    ),
    (
        "SELECT pet_id FROM visits AS a JOIN visits AS b ON a.pet_id = b.pet_id",
        "SELECT a.pet_id FROM visits AS a JOIN visits AS b ON a.pet_id = b.pet_id",
        "`pet_id` read as `a.pet_id`",
    ),
    (
        "SELECT T1.name, T2.city FROM pets AS T1 WHERE T2.city = 'Ulm'",
        "SELECT T1.name, T2.city FROM pets AS T1 JOIN owners AS T2 ON T1.owner_id = T2.id WHERE T2.city = 'Ulm'",
        "`owners` joined as `T2` where `T1.owner_id = T2.id`",
    ),
    (
        "SELECT pets.name, owners.city FROM pets",
        "SELECT pets.name, owners.city FROM pets JOIN owners ON pets.owner_id = owners.id",
        "`owners` joined where `pets.owner_id = owners.id`",
    ),
]
WORDS = [
    ("SELECT name FROM pets GROUP BY name WHERE id > 3", "SELECT name FROM pets WHERE id > 3 GROUP BY name", "`WHERE`"),
    ("SELECT name FROM pets LIMIT 3 ORDER BY name", "SELECT name FROM pets ORDER BY name LIMIT 3", "`ORDER BY`"),
    (
        "SELECT p.name FROM pets AS p WHERE p.id > 2 JOIN owners AS o ON o.id = p.owner_id",
        "SELECT p.name FROM pets AS p JOIN owners AS o ON o.id = p.owner_id WHERE p.id > 2",
        "`JOIN` moved before `WHERE`",
    ),
    ("SELECT TOP 5 name FROM pets", "SELECT name FROM pets LIMIT 5", "`TOP 5` read as `LIMIT 5`"),
    ("SELECT DISTINCT TOP (5) name FROM pets", "SELECT DISTINCT name FROM pets LIMIT 5", "`TOP 5` read as `LIMIT 5`"),
    ("SELECT name FROM pets WHERE ROWNUM <= 4", "SELECT name FROM pets LIMIT 4", "`ROWNUM` read as `LIMIT 4`"),
    ("SELECT name,, weight FROM pets", "SELECT name, weight FROM pets", "`,` was there twice"),
    ("SELECT name FROM FROM pets", "SELECT name FROM pets", "`FROM` was there twice"),
    ("SELECT name FROM pets WHERE AND id > 1", "SELECT name FROM pets WHERE id > 1", "`AND` dropped behind `WHERE`"),
    ("SELECT name FROM pets WHERE id > = 3", "SELECT name FROM pets WHERE id >= 3", "`> =` read as `>=`"),
    ("SELECT name FROM pets ORDER name", "SELECT name FROM pets ORDER BY name", "`ORDER` read as `ORDER BY`"),
    ("SELECT name FORM pets", "SELECT name FROM pets", "`FORM` read as `FROM`"),
    ("SELCT name FROM pets", "SELECT name FROM pets", "`SELCT` read as `SELECT`"),
    ("SELECT count(name FROM pets", "SELECT COUNT(name) FROM pets", "a missing `)` was added"),
    ("SELECT count(name)) FROM pets", "SELECT COUNT(name) FROM pets", "a `)` too many was dropped"),
    (
        "SELECT CASE WHEN id > 3 THEN 1 ELSE 0 FROM pets",
        "SELECT CASE WHEN id > 3 THEN 1 ELSE 0 END FROM pets",
        "a missing `END` was added",
    ),
    ("SELECT name FROM pets WHERE name = 'Rex", "SELECT name FROM pets WHERE name = 'Rex'", "a missing quote"),
    ("SELECT name FROM pets WHERE name = ‘Rex’", "SELECT name FROM pets WHERE name = 'Rex'", "typographic quotes"),
    (
        "SELECT city FROM owners GROUP BY city WHERE count(*) > 1",
        "SELECT city FROM owners GROUP BY city HAVING COUNT(*) > 1",
        "moved from `WHERE` to `HAVING`",
    ),
    (
        "SELECT city FROM owners WHERE id > 1 AND count(*) > 1 GROUP BY city",
        "SELECT city FROM owners WHERE id > 1 GROUP BY city HAVING COUNT(*) > 1",
        "moved from `WHERE` to `HAVING`",
    ),
    (
        "SELECT name FROM pets WHERE weight = max(weight)",
        "SELECT name FROM pets WHERE weight = (SELECT MAX(weight) FROM pets)",
        "`MAX(weight)` read as that of the whole table",
    ),
]
DIALECTS = [
    ("sqlite", "SELECT mean(weight) FROM pets", "SELECT AVG(weight) FROM pets", "`MEAN` read as `AVG`"),
    ("sqlite", "SELECT countt(*) FROM pets", "SELECT COUNT(*) FROM pets", "`COUNTT` read as `COUNT`"),
    ("sqlite", "SELECT len(name) FROM pets", "SELECT LENGTH(name) FROM pets", "`LEN` read as `LENGTH`"),
    (
        "sqlite",
        "SELECT year(visited_on) FROM visits",
        "SELECT CAST(STRFTIME('%Y', visited_on) AS INTEGER) FROM visits",
        "`YEAR` read as",
    ),
    ("sqlite", "SELECT left(name, 2) FROM pets", "SELECT SUBSTRING(name, 1, 2) FROM pets", "`LEFT` read as `SUBSTR`"),
    (
        "sqlite",
        "SELECT date_format(visited_on, '%Y-%m') FROM visits",
        "SELECT STRFTIME('%Y-%m', visited_on) FROM visits",
        "`DATE_FORMAT` read as `STRFTIME`",
    ),
    (
        "sqlite",
        "SELECT to_char(visited_on, 'YYYY-MM') FROM visits",
        "SELECT STRFTIME('%Y-%m', visited_on) FROM visits",
        "`TO_CHAR` read as `STRFTIME`",
    ),
    ("sqlite", "SELECT name FROM pets FETCH FIRST 3 ROWS ONLY", "SELECT name FROM pets LIMIT 3", "`LIMIT 3`"),
    (
        "sqlite",
        "SELECT name FROM pets WHERE birth_date > curdate() - INTERVAL '1 month'",
        "SELECT name FROM pets WHERE birth_date > DATE(CURRENT_DATE, '-1 MONTH')",
        "`CURDATE` read as `CURRENT_DATE`",
    ),
    ("duckdb", "SELECT `name` FROM `pets`", 'SELECT "name" FROM "pets"', "backticks"),
    ("duckdb", "SELECT isnull(weight, 0) FROM pets", "SELECT COALESCE(weight, 0) FROM pets", "`ISNULL`"),
    (
        "postgres",
        'SELECT id FROM pets WHERE name = "Rex"',
        "SELECT id FROM pets WHERE name = 'Rex'",
        "read as the text 'Rex'",
    ),
    ("postgres", "SELECT city, count(*) FROM owners", "SELECT city, COUNT(*) FROM owners GROUP BY city", "`city`"),
    (
        "duckdb",
        "SELECT o.city, count(*) FROM owners AS o JOIN pets AS p ON p.owner_id = o.id GROUP BY p.owner_id",
        "SELECT o.city, COUNT(*) FROM owners AS o JOIN pets AS p ON p.owner_id = o.id GROUP BY p.owner_id, o.city",
        "grouped by `o.city`",
    ),
    ("postgres", "SELECT notetext FROM visit_notes", 'SELECT "NoteText" FROM "VisitNotes"', "`VisitNotes`"),
    ("mysql", "SELECT mean(weight) FROM pets", "SELECT AVG(weight) FROM pets", "`MEAN` read as `AVG`"),
    ("mysql", "SELECT TOP 2 name FROM pets", "SELECT name FROM pets LIMIT 2", "`TOP 2` read as `LIMIT 2`"),
]


async def put_right(sql: str, dialect: str) -> tuple[str, str]:
    outcome = await checked(sql, dialect)
    assert isinstance(outcome, ValidSql), outcome
    return " ".join(outcome.sql.split()).replace("( ", "(").replace(" )", ")"), "; ".join(outcome.repairs)


@pytest.mark.parametrize("dialect", EVERYWHERE)
@pytest.mark.parametrize(("wrong", "right", "said"), NAMES + ALIASES + WORDS)
async def test_what_is_certain_is_put_right_in_every_dialect(wrong: str, right: str, said: str, dialect: str) -> None:
    sql, repairs = await put_right(wrong, dialect)
    assert sql == right
    assert said in repairs


@pytest.mark.parametrize(("dialect", "wrong", "right", "said"), DIALECTS)
async def test_words_of_other_databases(dialect: str, wrong: str, right: str, said: str) -> None:
    sql, repairs = await put_right(wrong, dialect)
    assert sql == right
    assert said in repairs


async def test_several_slips_at_once_are_all_said() -> None:
    outcome = await checked(
        "Sure! ```sql\nSELECT TOP 3 p.nmae FROM clinic.pets p GROUP BY p.name WHERE cuont(*) > 1;\n```"
    )
    assert isinstance(outcome, ValidSql), outcome
    assert outcome.sql == "SELECT p.name FROM pets AS p GROUP BY p.name HAVING COUNT(*) > 1 LIMIT 3"
    assert len(outcome.repairs) == 6, outcome.repairs


async def test_a_condition_left_in_where_says_how_the_table_is_joined() -> None:
    sql, _ = await put_right("SELECT p.name FROM pets p WHERE p.species_id = s.id AND s.diet = 'x'", "sqlite")
    assert "JOIN species AS s ON p.species_id = s.id" in sql


async def test_a_known_value_in_other_letters_is_suggested_and_not_put_in() -> None:
    outcome = await checked("SELECT species_name FROM species WHERE diet = 'carnivore'")
    assert isinstance(outcome, ValidSql), outcome
    assert "'carnivore'" in outcome.sql
    assert outcome.repairs == ()
    assert any("'Carnivore'" in warning for warning in outcome.warnings)
