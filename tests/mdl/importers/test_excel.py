"""Data dictionaries in workbooks."""

from __future__ import annotations

import random
import re
import time
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl import Workbook, load_workbook

from askwell.errors import ConfigurationError
from askwell.mdl.importers.excel import read_excel
from askwell.mdl.importers.imported import ImportedModel, complete_types
from askwell.mdl.importers.workbook import write_template
from askwell.mdl.validation import read_manifest
from askwell.providers.engine.base import PhysicalColumn, PhysicalSchema, PhysicalTable
from tests.support.examples import examples
from tests.support.tables import case_table

Rows = Sequence[Sequence[Any]]


def book(folder: Path, sheets: Mapping[str, Rows]) -> Path:
    """A workbook with these cells."""
    written = Workbook()
    written.remove(written.active)
    for name, rows in sheets.items():
        sheet = written.create_sheet(name)
        for number, row in enumerate(rows, start=1):
            for column, value in enumerate(row, start=1):
                if value is not None:
                    sheet.cell(number, column, value)
    path = folder / "book.xlsx"
    written.save(path)
    return path


def valid(result: ImportedModel) -> dict[str, Any]:
    """The model, which has to be one that a service takes."""
    assert [str(one) for one in result.problems] == []
    complete_types(result.mdl, None)
    assert [str(one) for one in read_manifest(result.mdl).problems] == []
    return result.mdl


def problems(result: ImportedModel) -> dict[str, str]:
    return {one.where: one.what for one in result.problems}


COLUMNS = case_table(__file__, "columns")
# Headers, types and yes and no in the languages that are known.
LANGUAGES = case_table(__file__, "languages")


def read(folder: Path, *rows: Sequence[Any], sheet: str = "x") -> ImportedModel:
    """What is read from a workbook of one sheet."""
    return read_excel(book(folder, {sheet: rows}))


def warnings(result: ImportedModel) -> dict[str, str]:
    return {one.where: str(one) for one in result.warnings}


def columns(mdl: Mapping[str, Any], model: str) -> dict[str, str]:
    (found,) = [one for one in mdl["models"] if one["name"] == model]
    return {column["name"]: column["type"] for column in found["columns"]}


def links(mdl: Mapping[str, Any]) -> list[str]:
    return [one["condition"].replace('"', "") for one in mdl["relationships"]]


class TestWhatIsRead:
    def test_one_sheet_with_a_table_column(self, tmp_path: Path) -> None:
        mdl = valid(read(tmp_path, ["Our tables, spring 2026"], [], *COLUMNS))
        customers, orders = mdl["models"]
        assert (customers["name"], customers["primaryKey"], orders["primaryKey"]) == ("customers", "id", "id")
        assert customers["columns"] == [
            {"name": "id", "type": "INTEGER", "notNull": True, "properties": {"description": "the number"}},
            {
                "name": "town",
                "type": "text",
                "properties": {"displayName": "City", "synonyms": ["place", "locality"]},
            },
        ]
        assert orders["columns"][2]["properties"] == {"essential": True}
        assert orders["columns"][3]["type"] == "orders.status"
        assert mdl["enumDefinitions"] == [
            {"name": "orders.status", "values": [{"name": "open"}, {"name": "paid", "value": "P"}]}
        ]
        assert mdl["relationships"] == [
            {
                "name": "orders_customer",
                "models": ["orders", "customers"],
                "joinType": "MANY_TO_ONE",
                "condition": '"orders"."customer" = "customers"."id"',
            }
        ]

    def test_a_sheet_for_each_table(self, tmp_path: Path) -> None:
        sheets = {
            "Customers": [["Column", "Type", "PK"], ["id", "INTEGER", "Y"]],
            "Orders": [["Column", "Type", "PK", "FK"], ["id", "INTEGER", "Y"], ["buyer", "INTEGER", None, "Customers"]],
            "Notes": [["These are our tables."]],
        }
        result = read_excel(book(tmp_path, sheets))
        assert [model["name"] for model in valid(result)["models"]] == ["Customers", "Orders"]
        assert links(result.mdl) == ["Orders.buyer = Customers.id"]
        assert list(warnings(result)) == ["Notes"]

    @pytest.mark.parametrize("language", LANGUAGES)
    def test_headers_types_and_marks_of_each_language(self, tmp_path: Path, language: str) -> None:
        header, (integer, text, moment, money, truth), (yes, no) = LANGUAGES[language]
        rows = [
            ["visits", "visit_id", integer, "PK", None, no, "Our number"],
            [None, "guest_id", integer, "FK", "guests.guest_id", yes, None],
            [None, "paid", money, None, None, yes, None],
            [None, "came", moment, None, None, no, None],
            ["guests", "guest_id", integer, "PK", None, no, None],
            [None, "note", text if text != "Zin" else "Korte tekst", None, None, yes, None],
            [None, "member", truth, None, None, yes, None],
        ]
        result = read(tmp_path, header, *rows)
        mdl = valid(result)
        assert result.warnings == ()
        assert [model["primaryKey"] for model in mdl["models"]] == ["visit_id", "guest_id"]
        assert list(columns(mdl, "visits").values()) == ["BIGINT", "BIGINT", "DECIMAL", "TIMESTAMP"]
        assert columns(mdl, "guests") == {"guest_id": "BIGINT", "note": "VARCHAR", "member": "BOOLEAN"}
        assert links(mdl) == ["visits.guest_id = guests.guest_id"]
        first = mdl["models"][0]["columns"][0]
        assert (first["notNull"], first["properties"]) == (True, {"description": "Our number"})

    def test_a_sheet_of_tables_describes_them(self, tmp_path: Path) -> None:
        tables = [
            ["Table", "Description", "Actual table", "Schema", "Synonyms"],
            ["orders", "What people bought.", "T_ORD", "crm", "purchases"],
            ["order", "A slip."],
        ]
        result = read_excel(book(tmp_path, {"Tables": tables, "Fields": COLUMNS}))
        model = result.mdl["models"][1] if result.mdl else {}
        assert model["tableReference"] == {"table": "T_ORD", "schema": "crm"}
        assert model["properties"] == {"description": "What people bought.", "synonyms": ["purchases"]}
        assert problems(result) == {"Tables!A3": 'no columns are described of "order"'}

    def test_physical_names_units_and_hidden_columns(self, tmp_path: Path) -> None:
        header = ["Table", "Column", "Type", "Physical name", "Unit", "Hidden"]
        (model,) = valid(read(tmp_path, header, ["`orders`", '"order date"', "DATE", 'ORD"DT', "days", "ja"]))["models"]
        assert model["name"] == "orders"
        assert model["columns"] == [
            {
                "name": "order date",
                "type": "DATE",
                "expression": '"ORD""DT"',
                "isHidden": True,
                "properties": {"unit": "days"},
            }
        ]

    @pytest.mark.parametrize(
        "reference",
        ["customers.id", "customers(id)", "customers", "CUSTOMERS.ID", "crm.customers.id", "-> customers.id"],
    )
    def test_every_way_to_write_a_reference(self, tmp_path: Path, reference: str) -> None:
        rows = [list(row) for row in COLUMNS]
        rows[4][5] = reference
        assert links(valid(read(tmp_path, *rows))) == ["orders.customer = customers.id"]

    def test_a_composite_key_is_one_relationship(self, tmp_path: Path) -> None:
        rows = [
            ["Table", "Column", "Type", "PK", "FK table", "FK column"],
            ["lines", "order_id", "INTEGER", "1"],
            ["lines", "number", "INTEGER", "2"],
            ["returns", "order_id", "INTEGER", None, "lines", "order_id"],
            ["returns", "line", "INTEGER", None, "lines", "number"],
        ]
        mdl = valid(read(tmp_path, *rows))
        assert mdl["models"][0]["primaryKey"] == ["order_id", "number"]
        assert links(mdl) == ["returns.order_id = lines.order_id AND returns.line = lines.number"]

    def test_a_key_that_refers_to_a_key_is_one_to_one(self, tmp_path: Path) -> None:
        header = ["Table", "Column", "PK", "FK"]
        mdl = valid(read(tmp_path, header, ["a", "id", "x"], ["b", "a_id", "x", "a.id"]))
        assert mdl["relationships"][0]["joinType"] == "ONE_TO_ONE"

    def test_marks_of_keys_and_of_what_may_be_empty(self, tmp_path: Path) -> None:
        result = read(
            tmp_path,
            ["Entity Name", "Attribute Name", "Type", "Null Option", "PK/FK"],
            ["accounts", "number", "INTEGER", "NOT NULL", "PK1"],
            ["accounts", "owner", "INTEGER", "NULL", "PK2, FK"],
            ["people", "id", "INTEGER", "M", "PRI"],
            ["people", "tax", "INTEGER", "O", "UK"],
            ["people", "other", "INTEGER", None, "hmm"],
        )
        accounts, people = valid(result)["models"]
        assert (accounts["primaryKey"], people["primaryKey"], people["uniqueKeys"]) == (
            ["number", "owner"],
            "id",
            ["tax"],
        )
        assert [column.get("notNull", False) for column in accounts["columns"]] == [True, False]
        assert "marked as a foreign key, but not of what" in warnings(result)["x!E3"]
        assert '"hmm" is not a known mark' in warnings(result)["x!E6"]

    @pytest.mark.parametrize(
        ("said", "kind"),
        [
            ("Ganzzahl", "BIGINT"),
            ("Währung(12,2)", "DECIMAL(12,2)"),
            ("Zahl(8)", "DECIMAL(8)"),
            ("Texto (máx. 50)", "VARCHAR"),
            ("Date/Time", "TIMESTAMP"),
            ("NUMBER(10)", "NUMBER(10)"),
            ("VARCHAR2(30 CHAR)", "VARCHAR2(30 CHAR)"),
            ("numeric(60, 10)", "numeric(60, 10)"),
            *((said, None) for said in ("thingamajig", "decimal(9,12)", "date date", "amount(5,7)", "numeric(2000,2)")),
        ],
    )
    def test_types(self, tmp_path: Path, said: str, kind: str | None) -> None:
        result = read(tmp_path, ["Table", "Column", "Type"], ["t", "a", said], ["t", "b", said])
        assert [column.get("type") for column in result.mdl["models"][0]["columns"]] == [kind, kind]
        told = [f'x!C2: "{said}" is not a known type (2 cells'] if kind is None else []
        assert [str(one)[: len(told[0])] for one in result.warnings] == told
        valid(result)

    def test_types_come_from_the_database_where_they_are_left_open(self, tmp_path: Path) -> None:
        result = read(
            tmp_path, ["Table", "Column", "Physical name"], ["orders", "when", "ORD_AT"], ["orders", "what", None]
        )
        found = complete_types(
            result.mdl, PhysicalSchema((PhysicalTable("ORDERS", None, (PhysicalColumn("ord_at", "TIMESTAMP"),)),))
        )
        assert columns(result.mdl, "orders") == {"when": "TIMESTAMP", "what": "VARCHAR"}
        assert "no type is known for what" in str(found[0])

    def test_values_are_lists(self, tmp_path: Path) -> None:
        header = ["Table", "Column", "Type", "Values"]
        rows = [
            ["t", "a", "Boolean", "Oui/Non"],
            ["t", "b", "INTEGER", "0-100"],
            ["t", "c", None, "- new\n• sent\n* x"],
        ]
        result = read(tmp_path, header, *rows)
        (enum,) = valid(result)["enumDefinitions"]
        assert (enum["name"], [one["name"] for one in enum["values"]]) == ("t.c", ["new", "sent", "x"])
        assert '"0-100" is not a list of values' in warnings(result)["x!D3"]

    def test_hidden_sheets_are_told_and_not_read(self, tmp_path: Path) -> None:
        path = book(tmp_path, {"x": COLUMNS, "old": [["Table", "Column"], ["t", "c"]]})
        written = load_workbook(path)
        written["old"].sheet_state = "hidden"
        written.save(path)
        result = read_excel(path)
        assert [model["name"] for model in valid(result)["models"]] == ["customers", "orders"]
        assert "hidden sheets are not read: old" in str(result.warnings[0])

    def test_the_template_is_read_as_it_is(self, tmp_path: Path) -> None:
        write_template(tmp_path / "t.xlsx")
        result = read_excel(tmp_path / "t.xlsx")
        mdl = valid(result)
        assert [model["name"] for model in mdl["models"]] == ["customers", "orders"]
        assert mdl["models"][0]["tableReference"] == {"table": "CUST"}
        assert mdl["relationships"][0]["models"] == ["orders", "customers"]
        assert len(mdl["enumDefinitions"][0]["values"]) == 3
        assert list(warnings(result)) == ["Notes"]


class TestFormulas:
    def test_their_stored_values_are_read(self, tmp_path: Path) -> None:
        path = book(tmp_path, {"x": [["Table", "Column"], ["t", '="pre_"&"fix"']]})
        replaced = with_part(path, "xl/worksheets/sheet1.xml", r"<v\s*/>|<v></v>", "<v>pre_fix</v>")
        replaced = with_part(replaced, "xl/worksheets/sheet1.xml", r'<c r="B2"', '<c t="str" r="B2"')
        assert columns(valid(read_excel(replaced)), "t") == {"pre_fix": "VARCHAR"}

    def test_without_a_stored_value_the_cell_is_told(self, tmp_path: Path) -> None:
        assert problems(read(tmp_path, ["Table", "Column"], ["t", "=A2"], ["t", "#REF!"])) == {
            "x!B2": "it has a formula whose value is not stored in the file",
            "x!B3": "it holds the error #REF!",
        }


class TestProblems:
    def test_forty_errors_are_all_told_with_their_cells(self, tmp_path: Path) -> None:
        rows: list[list[Any]] = [["Table", "Column", "Type", "PK", "FK", "Nullable", "Values"]]
        for number in range(10):
            rows += [
                ["t", f"dup{number}", "INTEGER", "perhaps", "nowhere.id", "sometimes", "a, A"],
                ["t", f"DUP{number}"],
            ]
        told = problems(read(tmp_path, *rows, sheet="Data"))
        expected = {f"Data!{letter}{2 + 2 * number}" for number in range(10) for letter in "DEFG"}
        expected |= {f"Data!B{3 + 2 * number}" for number in range(10)}
        assert set(told) == expected
        assert len(told) == 50
        assert told["Data!B3"] == '"DUP0" is described twice in this table, here and at Data!B2'

    def test_more_than_a_hundred_are_cut_with_a_word(self, tmp_path: Path) -> None:
        result = read(tmp_path, ["Table", "Column", "PK"], *(["t", f"c{number}", "hm"] for number in range(150)))
        assert len(result.problems) == 101
        assert "more than 100 problems" in str(result.problems[-1])

    def test_slips_get_the_nearest_names(self, tmp_path: Path) -> None:
        rows = [list(row) for row in COLUMNS]
        rows[4][5] = "custmers.id"
        rows.append(["orders", "other", "INTEGER", None, None, "customers.idd"])
        rows += [["orders", "third", None, None, None, "customers."], ["orders", "self", None, None, None, "orders"]]
        told = {one.where: one.todo for one in read(tmp_path, *rows).problems}
        write = 'Write "table.column".'
        assert told == {"x!F5": "Nearest: customers.", "x!F8": "Nearest: id.", "x!F9": write, "x!F10": write}

    def test_rows_and_names_that_cannot_be_used(self, tmp_path: Path) -> None:
        rows = [["Table", "Column", "Type", "PK"], [None, "a", "DATE"], ["t", None, "INTEGER"], ["t", "it's", "DATE"]]
        rows += [["t", "a" * 201], [None, None, None, None, "note"], [None, "fk", "DATE", "FK"]]
        assert set(problems(read(tmp_path, *rows))) == {"x!A2", "x!B3", "x!B4", "x!B5", "x!D7"}

    @pytest.mark.parametrize(
        ("rows", "where"),
        [
            ([["Hello", "World"], [1, 2]], "book.xlsx"),
            ([["Zbiór", "Column", "Type"], ["soils", "id", "INTEGER"], ["trees", "id", "INTEGER"]], "x!B3"),
            ([["Column", "Type"], ["Table: a"], ["id", "INTEGER"], ["Table: b"], ["id", "INTEGER"]], "x!A5"),
        ],
    )
    def test_other_layouts_are_refused_with_the_template(self, tmp_path: Path, rows: Rows, where: str) -> None:
        (problem,) = read(tmp_path, *rows).problems
        assert (problem.where, "askwell model template" in problem.todo) == (where, True)

    def test_what_is_left_out_is_told(self, tmp_path: Path) -> None:
        relations = [["From table", "To table"], ["a", "b"]]
        rows = [["Table: a"], ["Column", "Type", "Zorb"], ["id", "INTEGER", "x"]]
        told = warnings(read_excel(book(tmp_path, {"Links": relations, "Sheet1": rows})))
        assert "left out" in told["Links"]
        assert "askwell model template" in told["Links"]
        assert '"Zorb" (Sheet1!C2)' in told["Sheet1"]
        (tmp_path / "titled").mkdir()
        told = warnings(read(tmp_path / "titled", ["Table: a"], ["Column", "Type"], ["id", "INTEGER"]))
        assert "the table is called like the sheet" in told["x"]

    @pytest.mark.deep
    def test_too_many_columns(self, tmp_path: Path) -> None:
        told = problems(read(tmp_path, ["Table", "Column"], *(["t", f"c{number}"] for number in range(10_002))))
        assert told == {"x!B10002": "the workbook has more than 10,000 columns, and the rest is not read"}

    @pytest.mark.parametrize("text", ["(" * 30_000, "fk:" * 10_000, " " * 30_000 + "x", "a." * 15_000, "=" * 30_000])
    def test_long_cells_take_no_time(self, tmp_path: Path, text: str) -> None:
        header = ["Table", "Column", "Type", "PK", "FK", "Values", "Key"]
        started = time.monotonic()
        read(tmp_path, [text], header, ["t", "c", *([text] * 5)], ["t", text])
        assert time.monotonic() - started < 5


def with_part(path: Path, part: str, pattern: str, replacement: str) -> Path:
    """A copy of the workbook in which a part's text is changed."""
    copy = path.with_name(f"changed-{path.name}")
    with zipfile.ZipFile(path) as source, zipfile.ZipFile(copy, "w", zipfile.ZIP_DEFLATED) as target:
        for name in source.namelist():
            content = source.read(name)
            if name == part:
                content = re.sub(pattern, replacement, content.decode()).encode()
            target.writestr(name, content)
    return copy


class TestWhatIsNoWorkbook:
    @pytest.mark.parametrize(
        ("content", "words"),
        [
            (b"", "is not a workbook"),
            (b"name,type\nid,int\n", "is not a workbook"),
            (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, "an Excel file of before 2007, or one with a password"),
            (b"%PDF-1.7 ...", "is a PDF"),
            (b"PK\x03\x04 and then nothing", "is not a workbook"),
        ],
    )
    def test_other_files(self, tmp_path: Path, content: bytes, words: str) -> None:
        (tmp_path / "x.xlsx").write_bytes(content)
        with pytest.raises(ConfigurationError) as raised:
            read_excel(tmp_path / "x.xlsx")
        assert words in raised.value.message
        assert raised.value.hint

    def test_a_missing_file_and_a_folder(self, tmp_path: Path) -> None:
        for path in (tmp_path / "none.xlsx", tmp_path):
            with pytest.raises(ConfigurationError):
                read_excel(path)

    def test_another_archive(self, tmp_path: Path) -> None:
        with zipfile.ZipFile(tmp_path / "x.xlsx", "w") as archive:
            archive.writestr("hello.txt", "hello")
        with pytest.raises(ConfigurationError, match="no workbook"):
            read_excel(tmp_path / "x.xlsx")

    @pytest.mark.parametrize(
        ("size", "words"), [(0.5, "isn't a readable workbook"), (201_000_000, "unpacks to more than 200 MB")]
    )
    def test_an_archive_that_states_another_size_than_it_has(self, tmp_path: Path, size: float, words: str) -> None:
        path = book(tmp_path, {"x": [["Table", "Column"], *(["t", f"c{number}"] for number in range(500))]})
        with zipfile.ZipFile(path) as archive:
            real = archive.getinfo("xl/worksheets/sheet1.xml").file_size
        stated = int(size if size > 1 else real * size)
        path.write_bytes(path.read_bytes().replace(real.to_bytes(4, "little"), stated.to_bytes(4, "little")))
        with pytest.raises(ConfigurationError, match=words):
            read_excel(path)

    def test_entities_that_grow_are_not_followed(self, tmp_path: Path) -> None:
        levels = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 12))
        bomb = f'<!DOCTYPE x [<!ENTITY e0 "lol">{levels}]><worksheet><sheetData>&e11;</sheetData></worksheet>'
        path = with_part(book(tmp_path, {"x": COLUMNS}), "xl/worksheets/sheet1.xml", r"(?s).*", "\x00")
        path = with_part(path, "xl/worksheets/sheet1.xml", r"\x00+", bomb)
        with pytest.raises(ConfigurationError):
            read_excel(path)


@settings(max_examples=examples(60))
@given(seed=st.integers(0, 10**9))
def test_whatever_stands_in_the_cells_comes_back_as_a_model_or_as_problems(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    rng = random.Random(seed)
    words = ["Table", "Column", "Type", "PK", "FK", "Values", "Name", "orders", "orders.id", "id", "yes", "INTEGER"]
    words += ["=A1", "#REF!", "", " ", "a.b.c", "(", "=", "a=b, a=c", "é\n", "1", "it's", "x" * 300, "ORDERS", "()."]
    rows = [[rng.choice([*words, None, 3.5, True]) for _ in range(rng.randrange(1, 7))] for _ in range(12)]
    if rng.random() < 0.8:
        rows.insert(rng.randrange(4), ["Table", "Column", "Type", "PK", "FK", "Values"])
    result = read_excel(book(tmp_path_factory.mktemp("book"), {"x": rows, "y": rows[3:]}))
    if not result.problems:
        complete_types(result.mdl, None)
        found = read_manifest(result.mdl).problems
        # What the cells cannot tell by themselves is the validation's: names that databases reserve, lengths.
        assert all("longer than 200 characters" in str(one) or "own catalogue" in str(one) for one in found), found
