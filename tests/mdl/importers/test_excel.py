"""Workbooks in which people describe their tables."""

from __future__ import annotations

import random
import re
import time
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from openpyxl import Workbook, load_workbook

from askwell.errors import ConfigurationError
from askwell.mdl.importers.excel import read_excel
from askwell.mdl.importers.imported import ImportedModel, complete_types
from askwell.mdl.importers.workbook_template import write_template
from askwell.mdl.validation import read_manifest
from askwell.providers.engine.base import PhysicalColumn, PhysicalSchema, PhysicalTable
from tests.support.examples import examples

Rows = Sequence[Sequence[Any]]


def book(folder: Path, sheets: Mapping[str, Rows], merges: Mapping[str, Sequence[str]] | None = None) -> Path:
    """A workbook with these cells."""
    written = Workbook()
    written.remove(written.active)
    for name, rows in sheets.items():
        sheet = written.create_sheet(name)
        for number, row in enumerate(rows, start=1):
            for column, value in enumerate(row, start=1):
                if value is not None:
                    sheet.cell(number, column, value)
        for merged in (merges or {}).get(name, ()):
            sheet.merge_cells(merged)
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


COLUMNS = [
    ["Table", "Field", "Data type", "Comment", "PK", "References", "Nullable", "Key", "Alias", "Synonyms", "Enum"],
    ["customers", "id", "INTEGER", "the number", "yes", None, "no", None, None, None, None],
    ["customers", "town", "text", None, None, None, None, None, "City", "place; locality", None],
    ["orders", "id", "INTEGER", None, "x", None, "no", None, None, None, None],
    ["orders", "customer", "INTEGER", None, None, "customers.id", None, None, None, None, None],
    ["orders", "total", "DECIMAL(10,2)", None, None, None, None, "yes", None, None, None],
    ["orders", "status", "VARCHAR", None, None, None, None, None, None, None, "open, P=paid"],
]


class TestWhatIsRead:
    def test_one_sheet_with_a_table_column(self, tmp_path: Path) -> None:
        mdl = valid(read_excel(book(tmp_path, {"Fields": COLUMNS})))
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
            "Customers": [["Name of the table", None], [], ["Column", "Type", "PK"], ["id", "INTEGER", "Y"]],
            "Orders": [["Column", "Type", "PK", "FK"], ["id", "INTEGER", "Y"], ["buyer", "INTEGER", None, "Customers"]],
        }
        mdl = valid(read_excel(book(tmp_path, sheets)))
        assert [model["name"] for model in mdl["models"]] == ["Customers", "Orders"]
        assert mdl["relationships"][0]["condition"] == '"Orders"."buyer" = "Customers"."id"'

    def test_a_title_over_the_header_names_the_table(self, tmp_path: Path) -> None:
        rows = [
            ["Table:", "sales_orders"],
            ["Description: One row for each order."],
            [],
            ["Column", "Type"],
            ["id", "INTEGER"],
        ]
        (model,) = valid(read_excel(book(tmp_path, {"Sheet1": rows})))["models"]
        assert (model["name"], model["properties"]["description"]) == ("sales_orders", "One row for each order.")

    @pytest.mark.parametrize(
        "title", ["Table orders: One for each sale", "Tabelle orders – One for each sale", "Orders: One for each sale"]
    )
    def test_a_title_with_a_description_is_kept(self, tmp_path: Path, title: str) -> None:
        rows = [[title], ["Source: the old system"], [], ["Column", "Type"], ["id", "INTEGER"]]
        (model,) = valid(read_excel(book(tmp_path, {"orders": rows}, {"orders": ["A1:B1"]})))["models"]
        assert (model["name"], model["properties"]["description"]) == ("orders", "One for each sale")

    def test_a_sheet_of_tables_describes_them(self, tmp_path: Path) -> None:
        tables = [
            ["Table", "Description", "Actual table", "Schema", "Synonyms"],
            ["orders", "What people bought.", "T_ORD", "crm", "purchases"],
        ]
        (model, _) = reversed(valid(read_excel(book(tmp_path, {"Tables": tables, "Fields": COLUMNS})))["models"])
        assert model["tableReference"] == {"table": "T_ORD", "schema": "crm"}
        assert model["properties"] == {"description": "What people bought.", "synonyms": ["purchases"]}

    def test_physical_names(self, tmp_path: Path) -> None:
        rows = [["Table", "Column", "Type", "Physical name"], ["orders", "order date", "DATE", 'ORD"DT']]
        (model,) = valid(read_excel(book(tmp_path, {"x": rows})))["models"]
        assert model["columns"] == [{"name": "order date", "type": "DATE", "expression": '"ORD""DT"'}]

    @pytest.mark.parametrize(
        "reference",
        ["customers.id", "customers(id)", "customers", "CUSTOMERS.ID", "crm.customers.id", "-> customers.id"],
    )
    def test_every_way_to_write_a_reference(self, tmp_path: Path, reference: str) -> None:
        rows = [list(row) for row in COLUMNS]
        rows[4][5] = reference
        (link,) = valid(read_excel(book(tmp_path, {"x": rows})))["relationships"]
        assert link["condition"] == '"orders"."customer" = "customers"."id"'

    def test_a_composite_key_is_one_relationship(self, tmp_path: Path) -> None:
        rows = [
            ["Table", "Column", "Type", "PK", "FK table", "FK column"],
            ["lines", "order_id", "INTEGER", "1"],
            ["lines", "number", "INTEGER", "2"],
            ["returns", "order_id", "INTEGER", None, "lines", "order_id"],
            ["returns", "line", "INTEGER", None, "lines", "number"],
        ]
        mdl = valid(read_excel(book(tmp_path, {"x": rows})))
        assert mdl["models"][0]["primaryKey"] == ["order_id", "number"]
        assert [link["condition"] for link in mdl["relationships"]] == [
            '"returns"."order_id" = "lines"."order_id" AND "returns"."line" = "lines"."number"'
        ]

    def test_a_mark_alone_is_followed_where_its_name_has_one_meaning(self, tmp_path: Path) -> None:
        rows = [
            ["Table", "Column", "Type", "Key"],
            ["customers", "id", "INTEGER", "PK"],
            ["orders", "id", "INTEGER", "PK"],
            ["orders", "customer_id", "INTEGER", "FK"],
            ["orders", "thing", "INTEGER", "FK"],
        ]
        result = read_excel(book(tmp_path, {"x": rows}))
        (link,) = valid(result)["relationships"]
        assert link["properties"] == {"inferred": True, "reason": "customer_id names customers"}
        assert [one.where for one in result.warnings] == ["x!D5"]

    def test_types_come_from_the_database_where_they_are_left_open(self, tmp_path: Path) -> None:
        rows = [["Table", "Column", "Physical name"], ["orders", "when", "ORD_AT"], ["orders", "what", None]]
        result = read_excel(book(tmp_path, {"x": rows}))
        columns = (PhysicalColumn("ord_at", "TIMESTAMP"),)
        warnings = complete_types(result.mdl, PhysicalSchema((PhysicalTable("ORDERS", None, columns),)))
        assert [column["type"] for column in result.mdl["models"][0]["columns"]] == ["TIMESTAMP", "VARCHAR"]
        assert "no type is known for what" in str(warnings[0])

    @pytest.mark.parametrize("header", ["Decimal", "Decimals", "Dezimal", "No. of decimals"])
    def test_digits_in_columns_of_their_own(self, tmp_path: Path, header: str) -> None:
        rows = [["Field", "Data Type", "Length", header], ["PRICE", "CURR", 11, 2], ["LOAD", "QUAN", 9, 3]]
        (model,) = valid(read_excel(book(tmp_path, {"t": rows})))["models"]
        assert [one["type"] for one in model["columns"]] == ["DECIMAL(11,2)", "DECIMAL(9,3)"]

    def test_words_for_types(self, tmp_path: Path) -> None:
        said = ["Ganzzahl", "Währung(12,2)", "Zeitstempel", "Yes/No", "NUMBER(10)", "thingamajig"]
        rows = [["Table", "Column", "Type"], *(["t", f"c{number}", kind] for number, kind in enumerate(said))]
        result = read_excel(book(tmp_path, {"x": rows}))
        types = [column.get("type") for column in result.mdl["models"][0]["columns"]]
        assert types == ["BIGINT", "DECIMAL(12,2)", "TIMESTAMP", "BOOLEAN", "NUMBER(10)", None]
        assert [one.where for one in result.warnings] == ["x!C7"]

    def test_merged_headers_and_cells_and_two_header_rows(self, tmp_path: Path) -> None:
        rows = [
            ["Table", "Definition", None, "Foreign", None, "Remark"],
            [None, "Name", "Type", "Table", "Column", None],
            ["books", "isbn", "CHAR(13)", None, None, "on the back"],
            [None, "author", "INTEGER", "authors", "id"],
            ["authors", "id", "INTEGER"],
        ]
        merges = ["A1:A2", "B1:C1", "D1:E1", "F1:F2", "A3:A4"]
        mdl = valid(read_excel(book(tmp_path, {"x": rows}, {"x": merges})))
        assert [len(model["columns"]) for model in mdl["models"]] == [2, 1]
        assert mdl["models"][0]["columns"][0]["properties"] == {"description": "on the back"}
        assert mdl["relationships"][0]["condition"] == '"books"."author" = "authors"."id"'

    def test_unknown_headers_and_sheets_without_one_are_told(self, tmp_path: Path) -> None:
        rows = [["Table", "Column", "Owner team"], ["t", "c", "sales"]]
        result = read_excel(book(tmp_path, {"x": rows, "Remarks": [["We use blue for new."]]}))
        told = [str(one) for one in result.warnings]
        assert any('"Owner team" (x!C1)' in line for line in told)
        assert any(line.startswith("Remarks: no header row") for line in told)

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
        mdl = valid(read_excel(tmp_path / "t.xlsx"))
        assert [model["name"] for model in mdl["models"]] == ["customers", "orders"]
        assert mdl["models"][0]["tableReference"] == {"table": "CUST"}
        assert mdl["relationships"][0]["models"] == ["orders", "customers"]
        assert len(mdl["enumDefinitions"][0]["values"]) == 3


class TestFormulas:
    def test_their_stored_values_are_read(self, tmp_path: Path) -> None:
        path = book(tmp_path, {"x": [["Table", "Column"], ["t", '="pre_"&"fix"']]})
        replaced = with_part(path, "xl/worksheets/sheet1.xml", r"<v\s*/>|<v></v>", "<v>pre_fix</v>")
        replaced = with_part(replaced, "xl/worksheets/sheet1.xml", r'<c r="B2"', '<c t="str" r="B2"')
        (model,) = valid(read_excel(replaced))["models"]
        assert model["columns"][0]["name"] == "pre_fix"

    def test_without_a_stored_value_the_cell_is_told(self, tmp_path: Path) -> None:
        result = read_excel(book(tmp_path, {"x": [["Table", "Column"], ["t", "=A2"], ["t", "#REF!"]]}))
        assert problems(result) == {
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
        told = problems(read_excel(book(tmp_path, {"Data": rows})))
        expected = {f"Data!{letter}{2 + 2 * number}" for number in range(10) for letter in "DEFG"}
        expected |= {f"Data!B{3 + 2 * number}" for number in range(10)}
        assert set(told) == expected
        assert len(told) == 50
        assert told["Data!B3"] == '"DUP0" is described twice in this table, here and at Data!B2'

    def test_more_than_a_hundred_are_cut_with_a_word(self, tmp_path: Path) -> None:
        rows = [["Table", "Column", "PK"], *(["t", f"c{number}", "hm"] for number in range(150))]
        result = read_excel(book(tmp_path, {"x": rows}))
        assert len(result.problems) == 101
        assert "more than 100 problems" in str(result.problems[-1])

    def test_slips_get_the_nearest_names(self, tmp_path: Path) -> None:
        rows = [list(row) for row in COLUMNS]
        rows[4][5] = "custmers.id"
        rows.append(["orders", "other", "INTEGER", None, None, "customers.idd"])
        told = {one.where: one.todo for one in read_excel(book(tmp_path, {"x": rows})).problems}
        assert told == {"x!F5": "Nearest: customers.", "x!F8": "Nearest: id."}

    def test_a_row_without_a_name_and_a_name_that_no_query_can_carry(self, tmp_path: Path) -> None:
        rows = [["Table", "Column", "Type"], ["t", None, "INTEGER"], ["t", "it's", "DATE"], [None, None, None, "note"]]
        told = problems(read_excel(book(tmp_path, {"x": rows})))
        assert set(told) == {"x!B2", "x!B3"}

    def test_impossible_types_are_told_and_not_taken(self, tmp_path: Path) -> None:
        said = ["decimal(9,12)", "date date", "amount(5,7)", "numeric(2000,2)", "INT INT"]
        rows = [
            ["Column", "Type"],
            *([f"c{number}", one] for number, one in enumerate(said)),
            ["ok", "numeric(60, 10)"],
        ]
        result = read_excel(book(tmp_path, {"t": rows}))
        assert [one.where for one in result.warnings if "no type that is known" in one.what] == [
            f"t!B{number}" for number in range(2, 7)
        ]
        assert [one["type"] for one in valid(result)["models"][0]["columns"]] == ["VARCHAR"] * 5 + ["numeric(60, 10)"]

    def test_all_problems_of_a_sheet_are_told_at_once_and_with_their_cells(self, tmp_path: Path) -> None:
        rows = [["Column", "Type", "Reference", "Values"]]
        rows += [["a" * 201, "INT"], ["b", "INT", "trips."], ["c", "VARCHAR", None, "x, y, x"], ["b", "DATE"]]
        result = read_excel(book(tmp_path, {"trips": rows}))
        assert set(problems(result)) == {"trips!A2", "trips!C3", "trips!A5"}
        assert "longer than 200 characters" in problems(result)["trips!A2"]
        assert "described twice in this table, here and at trips!A3" in problems(result)["trips!A5"]
        assert [(one.where, "is there twice" in one.what) for one in result.warnings] == [("trips!D4", True)]

    def test_key_columns_that_are_numbered_with_a_gap_are_told(self, tmp_path: Path) -> None:
        rows = [["Table", "Column", "Type", "PK"], ["t", "a", "INT", 1], ["t", "b", "INT", 2], ["u", "a", "INT", "yes"]]
        result = read_excel(book(tmp_path, {"x": [*rows, ["u", "b", "INT", 2]]}))
        told = [(one.where, one.what.partition(";")[0]) for one in result.warnings]
        assert told == [("x!D5", "under primary key, there is a 2 and no 1 in this table")]

    @pytest.mark.deep
    def test_too_many_columns(self, tmp_path: Path) -> None:
        rows = [["Table", "Column"], *(["t", f"c{number}"] for number in range(10_002))]
        told = problems(read_excel(book(tmp_path, {"x": rows})))
        assert told == {"x!B10002": "the workbook has more than 10,000 columns, and the rest is not read"}

    def test_a_workbook_that_describes_nothing(self, tmp_path: Path) -> None:
        told = problems(read_excel(book(tmp_path, {"x": [["Hello", "World"], [1, 2]]})))
        assert told == {"book.xlsx": "none of its sheets describes a table"}


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

    def test_an_archive_that_unpacks_to_too_much(self, tmp_path: Path) -> None:
        path = book(tmp_path, {"x": COLUMNS})
        with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
            with archive.open("xl/more.xml", "w", force_zip64=True) as part:
                for _ in range(201):
                    part.write(b" " * 1_000_000)
        assert path.stat().st_size < 1_000_000
        with pytest.raises(ConfigurationError, match="unpacks to more than 200 MB"):
            read_excel(path)

    def test_an_archive_that_states_a_smaller_size_than_it_has(self, tmp_path: Path) -> None:
        path = book(tmp_path, {"x": [["Table", "Column"], *(["t", f"c{number}"] for number in range(500))]})
        content = bytearray(path.read_bytes())
        with zipfile.ZipFile(path) as archive:
            size = archive.getinfo("xl/worksheets/sheet1.xml").file_size
        content = content.replace(size.to_bytes(4, "little"), (size // 2).to_bytes(4, "little"))
        path.write_bytes(content)
        with pytest.raises(ConfigurationError, match="no workbook that can be read"):
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
@example(980)  # the title of a table, and nothing below it
def test_whatever_stands_in_the_cells_comes_back_as_a_model_or_as_problems(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    rng = random.Random(seed)
    words = ["Table", "Column", "Type", "PK", "FK", "Values", "Name", "orders", "orders.id", "id", "yes", "INTEGER"]
    words += ["=A1", "#REF!", "", " ", "a.b.c", "(", "=", "a=b, a=c", "é\n", "1", "it's", "x" * 300, "ORDERS", "()."]
    rows = [[rng.choice([*words, None, 3.5, True]) for _ in range(rng.randrange(1, 7))] for _ in range(12)]
    if rng.random() < 0.8:
        rows.insert(rng.randrange(4), ["Table", "Column", "Type", "PK", "FK", "Values"])
    result = read_excel(book(tmp_path_factory.mktemp("book"), {"x": rows, "y": rows[3:]}, {"x": ["A1:B2"]}))
    if not result.problems:
        complete_types(result.mdl, None)
        found = read_manifest(result.mdl).problems
        # What the cells cannot tell by themselves is the validation's: names that databases reserve, lengths.
        assert all("longer than 200 characters" in str(one) or "own catalogue" in str(one) for one in found), found


class TestOddWorkbooks:
    def test_tables_below_one_another(self, tmp_path: Path) -> None:
        header = ["Column", "Type", "PK"]
        rows = [
            ["Table: customers"],
            header,
            ["id", "int", "x"],
            ["Table", "text"],
            [],
            ["orders"],
            header,
            ["id", "int"],
        ]
        mdl = valid(read_excel(book(tmp_path, {"Schema": rows})))
        assert [(one["name"], len(one["columns"])) for one in mdl["models"]] == [("customers", 2), ("orders", 1)]

    def test_tables_with_no_empty_row_between_them(self, tmp_path: Path) -> None:
        header, first, second = ["Column", "Type"], ["id", "int"], ["born", "date"]
        rows = [["Table: t"], header, first, second, ["Table: u"], header, second, ["Table", "v"], header, first]
        mdl = valid(read_excel(book(tmp_path, {"Schema": rows})))
        assert [(one["name"], [column["name"] for column in one["columns"]]) for one in mdl["models"]] == [
            ("t", ["id", "born"]),
            ("u", ["born"]),
            ("v", ["id"]),
        ]

    def test_the_title_of_a_table_with_nothing_below_it(self, tmp_path: Path) -> None:
        rows = [["Table: t"], ["Column", "Type"], ["id", "int"], ["Table: notes"], ["Table: u"], ["id", "int"]]
        result = read_excel(book(tmp_path, {"Schema": rows}))
        assert [one["name"] for one in valid(result)["models"]] == ["t", "u"]
        (warning,) = [str(one) for one in result.warnings if "title" in str(one)]
        assert '"notes"' in warning

    def test_marks_of_keys_and_of_what_may_be_empty(self, tmp_path: Path) -> None:
        rows = [
            ["Entity Name", "Attribute Name", "Type", "Null Option", "PK/FK"],
            ["accounts", "number", "INTEGER", "NOT NULL", "PK1"],
            ["accounts", "owner", "INTEGER", "NULL", "PK2, FK (people.id)"],
            ["people", "id", "INTEGER", "M", "PRI"],
            ["people", "tax", "INTEGER", "O", "UK"],
            ["people", "other", "INTEGER", None, "hmm"],
        ]
        result = read_excel(book(tmp_path, {"x": rows}))
        accounts, people = valid(result)["models"]
        assert (accounts["primaryKey"], people["primaryKey"], people["uniqueKeys"]) == (
            ["number", "owner"],
            "id",
            ["tax"],
        )
        assert [column.get("notNull", False) for column in accounts["columns"]] == [True, False]
        assert result.mdl["relationships"][0]["condition"] == '"accounts"."owner" = "people"."id"'
        assert [(one.where, one.what) for one in result.warnings] == [
            ("x!E6", '"hmm" is no mark of a key that is known, and is left out; a key may lack this column')
        ]

    def test_names_and_values_as_they_are_pasted_from_pages(self, tmp_path: Path) -> None:
        rows = [["Table", "Field name", "Possible values"], ["`parcels`", '"state"', "- new\n• sent\n* lost"]]
        mdl = valid(read_excel(book(tmp_path, {"x": rows})))
        assert (mdl["models"][0]["name"], mdl["models"][0]["columns"][0]["name"]) == ("parcels", "state")
        assert [one["name"] for one in mdl["enumDefinitions"][0]["values"]] == ["new", "sent", "lost"]

    def test_other_languages(self, tmp_path: Path) -> None:
        french = [["Nom du champ", "Type de données", "Clé primaire", "Obligatoire"], ["id", "entier", "oui", "oui"]]
        german = [["Feldname", "Datentyp", "Primärschlüssel", "Pflichtfeld"], ["id", "Ganzzahl", "ja", "nein"]]
        first, second = valid(read_excel(book(tmp_path, {"Clients": french, "Kunden": german})))["models"]
        assert first["columns"] == [{"name": "id", "type": "BIGINT", "notNull": True}]
        assert second["columns"] == [{"name": "id", "type": "BIGINT"}]

    @pytest.mark.parametrize("text", ["(" * 30_000, "fk:" * 10_000, " " * 30_000 + "x", "a." * 15_000, "=" * 30_000])
    def test_long_cells_take_no_time(self, tmp_path: Path, text: str) -> None:
        rows = [["Table", "Column", "Type", "PK", "FK", "Values", "Key"], ["t", "c", *([text] * 5)]]
        started = time.monotonic()
        read_excel(book(tmp_path, {"x": [[text], *rows, ["t", text]]}))
        assert time.monotonic() - started < 5
