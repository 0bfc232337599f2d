"""Models of databases that nobody has described: what is guessed has to be so in the data."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

from askwell.errors import InvalidRequest
from askwell.mdl.manifest import Manifest
from askwell.mdl.validation import read_manifest
from askwell.mdl.view import authorised_view
from askwell.providers.engine.factory import create_engine
from askwell.services.model_drafting import draft_model, schema_fingerprint
from askwell.sql.planner import unsafe_parts
from tests.support.tables import case_rows, case_table


async def drafted(path: Path, script: str, warned: tuple[str, ...] = ()) -> Manifest:
    """The model of a SQLite file with that content; whatever is guessed, it is a valid one, with warnings only where
    they are expected."""
    with sqlite3.connect(path) as connection:
        connection.executescript(script)
    engine = create_engine("sqlite", path)
    try:
        manifest = await draft_model(await engine.introspect(), engine)
    finally:
        await engine.close()
    reading = read_manifest(manifest.wire(), data_source="SQLITE")
    assert (reading.problems, tuple(warning.where for warning in reading.warnings)) == ((), warned)
    assert unsafe_parts(manifest, "sqlite") == ()
    return manifest


def keys(manifest: Manifest) -> dict[str, tuple[str, ...]]:
    return {model.name: model.primary_key for model in manifest.models if model.properties.get("inferredKey")}


def links(manifest: Manifest) -> dict[str, str]:
    """Guessed links by their condition, with the reason."""
    return {
        entry.condition.replace('"', ""): str(entry.properties["reason"])
        for entry in manifest.relationships
        if entry.properties.get("inferred") is True
    }


AUTHORS = "CREATE TABLE author ({key} INTEGER, full_name TEXT); INSERT INTO author VALUES (1, 'A'), (2, 'B');"


@pytest.mark.parametrize("key", ["id", "author_id", "authorid", "aid", "author_no"])
async def test_a_column_that_tells_rows_apart_and_is_named_like_a_key_is_one(tmp_path: Path, key: str) -> None:
    manifest = await drafted(tmp_path / "a.db", AUTHORS.format(key=key))
    assert keys(manifest) == {"author": (key,)}


@pytest.mark.parametrize("script", case_table(__file__, "what_does_not_tell_rows_apart_or_is_another_tables_is_no_key"))
async def test_what_does_not_tell_rows_apart_or_is_another_tables_is_no_key(tmp_path: Path, script: str) -> None:
    assert keys(await drafted(tmp_path / "a.db", script)) == {}


@pytest.mark.parametrize(
    ("key", "column"),
    [("id", "author_id"), ("authorid", "authorid"), ("aid", "aid"), ("id", "authorid"), ("id", "author")],
)
async def test_a_link_is_where_names_and_values_agree(tmp_path: Path, key: str, column: str) -> None:
    books = (
        f"CREATE TABLE book (title TEXT, {column} INTEGER); INSERT INTO book VALUES ('X', 1), ('Y', 2), ('Z', NULL);"
    )
    manifest = await drafted(tmp_path / "a.db", AUTHORS.format(key=key) + books)
    ((condition, reason),) = links(manifest).items()
    assert condition == f"book.{column} = author.{key}"
    assert reason.endswith("; all 2 values looked at are there")


@pytest.mark.parametrize(("key", "column"), [("id", "author_id"), ("authorid", "authorid")])
async def test_no_link_where_the_values_are_no_keys(tmp_path: Path, key: str, column: str) -> None:
    books = f"CREATE TABLE book (title TEXT, {column} INTEGER); INSERT INTO book VALUES ('X', 1), ('Y', 77), ('Z', 78);"
    assert links(await drafted(tmp_path / "a.db", AUTHORS.format(key=key) + books)) == {}


async def test_a_few_orphans_do_not_break_a_telling_link(tmp_path: Path) -> None:
    authors = "".join(f"INSERT INTO author VALUES ({n}, 'A');" for n in range(3, 40))
    books = (
        "CREATE TABLE book (author_id INTEGER); INSERT INTO book SELECT id FROM author; INSERT INTO book VALUES (99);"
    )
    manifest = await drafted(tmp_path / "a.db", AUTHORS.format(key="id") + authors + books)
    assert links(manifest)["book.author_id = author.id"].endswith("; 39 of 40 values are there")


async def test_declared_links_are_taken_as_they_are(tmp_path: Path) -> None:
    script = """
        CREATE TABLE author (id INTEGER PRIMARY KEY);
        CREATE TABLE book (id INTEGER PRIMARY KEY, author_id INTEGER REFERENCES author(id));
        INSERT INTO book VALUES (1, 77);
    """
    manifest = await drafted(tmp_path / "a.db", script)
    assert [entry.condition for entry in manifest.relationships] == ['"book"."author_id" = "author"."id"']
    assert links(manifest) == {}


async def test_words_that_name_no_table_link_nothing(tmp_path: Path) -> None:
    script = """
        CREATE TABLE country (name TEXT PRIMARY KEY, code TEXT); INSERT INTO country VALUES ('Peru', 'PE');
        CREATE TABLE person (name TEXT PRIMARY KEY, code TEXT, paid INTEGER);
        INSERT INTO person VALUES ('Peru', 'PE', 1);
    """
    assert links(await drafted(tmp_path / "a.db", script)) == {}


PARTS = "CREATE TABLE part ({key} TEXT PRIMARY KEY, price REAL); INSERT INTO part VALUES ('P1', 1.0), ('P2', 2.0);"
USES = "CREATE TABLE repair_part (repair TEXT, {key} TEXT, PRIMARY KEY (repair, {key})); INSERT INTO repair_part VALUES ('R', 'P1'), ('S', 'P2');"  # noqa: E501


async def test_a_key_with_a_telling_name_links_what_is_called_like_it(tmp_path: Path) -> None:
    manifest = await drafted(tmp_path / "a.db", PARTS.format(key="sku") + USES.format(key="sku"))
    assert set(links(manifest)) == {"repair_part.sku = part.sku"}


@pytest.mark.parametrize("key", ["code", "title", "year", "brand"])
async def test_a_key_with_a_common_name_or_another_tables_links_nothing(tmp_path: Path, key: str) -> None:
    brands = "CREATE TABLE brands (founded INTEGER); INSERT INTO brands VALUES (1990);"
    manifest = await drafted(tmp_path / "a.db", PARTS.format(key=key) + USES.format(key=key) + brands)
    assert links(manifest) == {}


def filled(table: str, rows: Iterable[Sequence[object]]) -> str:
    """A statement for each row."""
    listed = (", ".join(f"'{value}'" if isinstance(value, str) else str(value) for value in row) for row in rows)
    return "".join(f"INSERT INTO {table} VALUES ({row});" for row in listed)


SHOP = (
    "CREATE TABLE customers (cuId INTEGER, cuName TEXT, cuCity TEXT);"
    "CREATE TABLE shippers (shNr INTEGER, shName TEXT, shTel TEXT);"
    "CREATE TABLE products (prCode TEXT, prName TEXT, prPrice REAL);"
    "CREATE TABLE orders (ordId INTEGER, ordCustId INTEGER, ordDate TEXT, ordShipNr INTEGER);"
    "CREATE TABLE lines (liId INTEGER, liOrdIdentifier INTEGER, liPrCode TEXT, liQty INTEGER);"
    + filled("customers", ((n, f"N{n}", "X") for n in range(1, 31)))
    + filled("shippers", ((n, f"S{n}", "Y") for n in range(1, 5)))
    + filled("products", ((f"P{n}", f"T{n}", n % 7) for n in range(40)))
    + filled("orders", ((n, n % 30 + 1, "2024-01-01", n % 4 + 1) for n in range(1, 61)))
    + filled("lines", ((n, n % 60 + 1, f"P{n % 40}", n % 3 + 1) for n in range(1, 121)))
)


async def test_prefixes_and_abbreviations_are_read(tmp_path: Path) -> None:
    manifest = await drafted(tmp_path / "a.db", SHOP)
    assert set(links(manifest)) == {
        "orders.ordCustId = customers.cuId",
        "orders.ordShipNr = shippers.shNr",
        "lines.liOrdIdentifier = orders.ordId",
        "lines.liPrCode = products.prCode",
    }
    assert keys(manifest)["customers"] == ("cuId",)


YARD = (
    "CREATE TABLE tblDepot (DEP_CD TEXT, DepNm TEXT);"
    "CREATE TABLE tblDrv (DrvID INTEGER, DrvNm TEXT, base_dep INTEGER);"
    "CREATE TABLE CUSTMAST (CUSTNO TEXT PRIMARY KEY, CustNm TEXT);"
    "CREATE TABLE HIRE_HDR (HireNo INTEGER PRIMARY KEY, hire_cust TEXT, out_dep TEXT);"
    "CREATE TABLE hire_lns (ln_id INTEGER PRIMARY KEY, HireNo INTEGER, chg_days INTEGER);"
    "CREATE TABLE CMPLNT (CmpNo INTEGER PRIMARY KEY, cmp_hire INTEGER, HndlDrv INTEGER);"
    + filled("tblDepot", ((f"{n:02}", f"D{n}") for n in range(1, 31)))
    + filled("tblDrv", ((n, f"N{n}", n % 28 + 1) for n in range(1, 47)))
    + filled("CUSTMAST", ((f"{n * 7:05}", f"C{n}") for n in range(1, 61)))
    + filled("HIRE_HDR", ((20_000 + n, f"{n % 61 * 7 + 7:05}", f"{n % 30 + 1:02}") for n in range(1, 201)))
    + filled("hire_lns", ((n, 20_001 + n % 200, n % 9) for n in range(1, 401)))
    + filled("CMPLNT", ((n, 20_001 + n * 3, n % 46 + 1) for n in range(1, 61)))
)


async def test_short_names_are_written_out_by_the_others_and_one_in_twenty_may_be_an_orphan(tmp_path: Path) -> None:
    manifest = await drafted(tmp_path / "a.db", YARD, warned=('relationships[5] "tblDrv_base_dep" . condition',))
    assert set(links(manifest)) == {
        "tblDrv.base_dep = tblDepot.DEP_CD",
        "HIRE_HDR.out_dep = tblDepot.DEP_CD",
        "HIRE_HDR.hire_cust = CUSTMAST.CUSTNO",
        "hire_lns.HireNo = HIRE_HDR.HireNo",
        "CMPLNT.cmp_hire = HIRE_HDR.HireNo",
        "CMPLNT.HndlDrv = tblDrv.DrvID",
    }
    called = {model.name: model.properties.get("displayName") for model in manifest.models}
    assert called == {
        "tblDepot": "Depot",
        "tblDrv": "Driver",
        "CUSTMAST": "Customer",
        "HIRE_HDR": "Hire",
        "hire_lns": "Hire lines",
        "CMPLNT": "Complaint",
    }


@pytest.mark.parametrize(
    ("key", "column"),
    case_rows(__file__, "a_role_or_a_number_beside_the_name_is_no_obstacle", "key", "column"),
)
async def test_a_role_or_a_number_beside_the_name_is_no_obstacle(tmp_path: Path, key: str, column: str) -> None:
    books = f"CREATE TABLE book (title TEXT, {column} INTEGER); INSERT INTO book VALUES ('X', 1), ('Y', 2), ('Z', 2);"
    manifest = await drafted(tmp_path / "a.db", AUTHORS.format(key=key) + books)
    assert set(links(manifest)) == {f"book.{column} = author.{key}"}


@pytest.mark.parametrize("column", ["pages", "rank", "sold", "authors", "shelf_id"])
async def test_small_numbers_among_the_keys_are_no_link_without_a_name(tmp_path: Path, column: str) -> None:
    authors = "CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT);" + filled(
        "author", ((n, f"A{n}") for n in range(1, 41))
    )
    books = f"CREATE TABLE book (title TEXT, {column} INTEGER);" + filled("book", ((f"T{n}", n) for n in range(1, 31)))
    assert links(await drafted(tmp_path / "a.db", authors + books)) == {}


@pytest.mark.parametrize(("value", "found"), [("1", {"book.author_id = author.id"}), ("x", set())])
async def test_numbers_and_texts_are_linked_where_the_values_agree(tmp_path: Path, value: str, found: set[str]) -> None:
    books = f"CREATE TABLE book (title TEXT, author_id TEXT); INSERT INTO book VALUES ('X', '{value}'), ('Y', '2');"
    warned = ('relationships[0] "book_author_id" . condition',) if found else ()
    manifest = await drafted(tmp_path / "a.db", AUTHORS.format(key="id") + books, warned=warned)
    assert set(links(manifest)) == found


async def test_a_row_that_names_another_row_of_its_table(tmp_path: Path) -> None:
    staff = "CREATE TABLE staff (id INTEGER PRIMARY KEY, reports_to INTEGER);" + filled(
        "staff", ((n, max(1, n // 2)) for n in range(1, 20))
    )
    assert set(links(await drafted(tmp_path / "a.db", staff))) == {"staff.reports_to = staff.id"}


async def test_of_two_keys_of_one_name_the_one_with_all_values_is_referred_to(tmp_path: Path) -> None:
    script = (
        "CREATE TABLE savings (custid INTEGER PRIMARY KEY, balance REAL);"
        "CREATE TABLE accounts (custid INTEGER PRIMARY KEY, name TEXT);"
        + filled("accounts", ((n, f"A{n}") for n in range(1, 9)))
        + filled("savings", ((n, n * 2) for n in range(2, 6)))
    )
    manifest = await drafted(tmp_path / "a.db", script)
    assert set(links(manifest)) == {"savings.custid = accounts.custid"}
    (link,) = manifest.relationships
    assert link.join_type == "ONE_TO_ONE"


async def test_keys_of_one_name_are_not_linked_beside_a_declared_key(tmp_path: Path) -> None:
    script = (
        "CREATE TABLE farms (nummer INTEGER PRIMARY KEY, place TEXT);"
        "CREATE TABLE herds (nummer INTEGER PRIMARY KEY, farm INTEGER REFERENCES farms (nummer));"
        "CREATE TABLE silos (nummer INTEGER PRIMARY KEY, tons REAL);"
        + filled("farms", ((n, f"F{n}") for n in range(1, 9)))
        + filled("herds", ((n, n) for n in range(1, 6)))
        + filled("silos", ((n, n * 2) for n in range(1, 6)))
    )
    assert set(links(await drafted(tmp_path / "a.db", script))) == set()


async def test_the_key_of_a_kind_of_row_leads_to_the_table_that_has_it(tmp_path: Path) -> None:
    script = (
        "CREATE TABLE crew (id INTEGER PRIMARY KEY, name TEXT, job TEXT);"
        "CREATE TABLE voyages (id INTEGER PRIMARY KEY, skipper_id INTEGER, region_id INTEGER, signed_by INTEGER);"
        + filled("crew", ((n, f"C{n}", "Skipper" if n < 4 else "Cook") for n in range(1, 9)))
        + filled("voyages", ((n, n % 3 + 1, n % 2 + 1, n % 8 + 1) for n in range(1, 10)))
    )
    manifest = await drafted(tmp_path / "a.db", script)
    assert set(links(manifest)) == {"voyages.skipper_id = crew.id"}
    (link,) = manifest.relationships
    assert "names a job of crew" in str(link.properties["reason"])


async def test_a_key_by_its_name_may_have_orphans(tmp_path: Path) -> None:
    script = (
        "CREATE TABLE pupils (id INTEGER PRIMARY KEY, name TEXT);"
        "CREATE TABLE grades (id INTEGER PRIMARY KEY, pupilId INTEGER);"
        + filled("pupils", ((n, f"P{n}") for n in range(1, 5)))
        + filled("grades", ((n, n) for n in range(2, 7)))
    )
    assert set(links(await drafted(tmp_path / "a.db", script))) == {"grades.pupilId = pupils.id"}


async def test_views_refer_to_nothing_themselves(tmp_path: Path) -> None:
    books = "CREATE TABLE book (title TEXT, author_id INTEGER); INSERT INTO book VALUES ('X', 1);"
    view = "CREATE VIEW new_books AS SELECT title, author_id FROM book;"
    manifest = await drafted(tmp_path / "a.db", AUTHORS.format(key="id") + books + view)
    assert set(links(manifest)) == {"book.author_id = author.id"}


async def test_odd_names_are_no_obstacle(tmp_path: Path) -> None:
    script = """
        CREATE TABLE "odd ""table" ("odd table id" INTEGER, "select" TEXT); INSERT INTO "odd ""table" VALUES (1, 'x');
        CREATE TABLE "order" ("odd table id" INTEGER); INSERT INTO "order" VALUES (1);
    """
    assert (await drafted(tmp_path / "a.db", script)).models


async def test_nothing_to_ask_about(tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest, match="no tables"):
        await drafted(tmp_path / "a.db", "CREATE TABLE t (a); DROP TABLE t")


async def test_the_fingerprint_follows_the_schema_and_not_the_rows(tmp_path: Path) -> None:
    seen = []
    for statement in (AUTHORS.format(key="id"), "INSERT INTO author VALUES (9, 'N')", "ALTER TABLE author ADD x TEXT"):
        await drafted(tmp_path / "a.db", statement)
        engine = create_engine("sqlite", tmp_path / "a.db")
        seen.append(schema_fingerprint(await engine.introspect(), engine.data_source))
        await engine.close()
    assert seen[0] == seen[1] != seen[2]


@pytest.mark.parametrize("case", case_table(__file__, "comments_that_tell_codes"))
async def test_codes_in_a_comment_are_an_enum_with_names(tmp_path: Path, case: dict[str, Any]) -> None:
    kind = "INTEGER" if all(value.isdigit() for value in case["held"]) else "TEXT"
    rows = ", ".join(f"('{value}')" for value in case["held"])
    script = f"CREATE TABLE job (st {kind} -- {case['comment']}\n); INSERT INTO job VALUES {rows}"
    manifest = await drafted(tmp_path / "a.db", script)
    column = authorised_view(manifest, "").tables["job"].columns[0]
    assert {value: column.value_names.get(value, value) for value in column.values} == case["told"]
    assert column.description == case["comment"]


@pytest.mark.parametrize("case", case_table(__file__, "tables_that_list_codes"))
async def test_codes_that_a_table_lists_are_an_enum_with_names(tmp_path: Path, case: dict[str, Any]) -> None:
    listed = "('SPEC', 'C', 'Cat'), ('SPEC', 'D', 'Dog'), ('SPEC', 'B', 'Bird'), ('COLOUR', 'R', 'Red')"
    rows = ", ".join(f"({number}, '{value}')" for number, value in enumerate(case["held"]))
    script = f"CREATE TABLE codes ({case['list']}); INSERT INTO codes VALUES {listed};"
    script += f"CREATE TABLE pets (id INTEGER PRIMARY KEY, {case['column']} TEXT); INSERT INTO pets VALUES {rows}"
    manifest = await drafted(tmp_path / "a.db", script)
    column = authorised_view(manifest, "").tables["pets"].columns[1]
    assert {value: column.value_names.get(value, value) for value in column.values} == case["told"]


@pytest.mark.parametrize("case", case_table(__file__, "comments_in_the_text_of_a_table"))
async def test_comments_are_descriptions(tmp_path: Path, case: dict[str, Any]) -> None:
    (model,) = (await drafted(tmp_path / "a.db", f"CREATE TABLE job ({case['text']})")).models
    told = {column.name: column.properties.get("description") for column in model.columns}
    told[""] = model.properties.get("description")
    assert {name: text for name, text in told.items() if text} == case["told"]
