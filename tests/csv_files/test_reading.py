"""A folder of CSV files as a DuckDB file and its model."""

from __future__ import annotations

import json
import os
import time
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest

from askwell.csv_files.loaded import LoadedFolder
from askwell.csv_files.reading import load_csv_folder
from askwell.errors import ConfigurationError
from tests.cli.test_commands import run
from tests.support.tables import case_rows, case_table


def load(folder: Path, files: dict[str, str | bytes], encoding: str | None = None) -> LoadedFolder:
    (folder / "csv").mkdir()
    for name, content in files.items():
        (folder / "csv" / name).write_bytes(content.encode() if isinstance(content, str) else content)
    return load_csv_folder(folder / "csv", folder / "out.duckdb", encoding)


def rows(folder: Path, sql: str) -> list[Any]:
    with duckdb.connect(str(folder / "out.duckdb"), read_only=True) as connection:
        return connection.execute(sql).fetchall()


def types(folder: Path, table: str) -> dict[str, str]:
    return {name: kind for name, kind, *_ in rows(folder, f'DESCRIBE "{table}"')}


def column(folder: Path, values: list[str], delimiter: str = ",") -> str:
    assert (
        load(folder, {"t.csv": f"a{delimiter}b\n" + "".join(f"{value}{delimiter}x\n" for value in values)}).problems
        == []
    )
    return types(folder, "t")["a"]


class TestTypes:
    @pytest.mark.deep
    @pytest.mark.parametrize(("values", "kind"), case_rows(__file__, "by_all_values", "values", "kind"))
    def test_by_all_values(self, tmp_path: Path, values: list[str], kind: str) -> None:
        assert column(tmp_path, values) == kind

    @pytest.mark.parametrize("values", case_table(__file__, "numbers_that_differ_in_the_file_differ_in_the_table"))
    def test_numbers_that_differ_in_the_file_differ_in_the_table(self, tmp_path: Path, values: list[str]) -> None:
        column(tmp_path, values, ";")
        assert rows(tmp_path, "SELECT count(DISTINCT a), count(DISTINCT a::VARCHAR) FROM t") == [(len(values),) * 2]

    def test_numbers_that_no_type_holds_are_told(self, tmp_path: Path) -> None:
        said = load(tmp_path, {"t.csv": "a,b\n1e400,x\n2,y\n"}).warnings
        assert "a stays text, since some of its numbers have too many digits" in str(said[0])

    def test_a_key_of_large_numbers(self, tmp_path: Path) -> None:
        loaded = load(tmp_path, {"t.csv": "v,id\n1,92233720368547758070\n1,92233720368547758071\n"})
        assert (types(tmp_path, "t")["id"], loaded.keys) == ("HUGEINT", {"t": ("id",)})

    def test_a_late_value_counts(self, tmp_path: Path) -> None:
        assert column(tmp_path, [str(number) for number in range(30_000)] + ["many"]) == "VARCHAR"

    def test_numbers_with_commas(self, tmp_path: Path) -> None:
        assert column(tmp_path, ["1.234,50", "7,5", "3"], ";") == "VARCHAR"  # `3` may be either
        (tmp_path / "more").mkdir()
        assert column(tmp_path / "more", ["1.234,50", "7,5"], ";") == "DECIMAL(18,2)"
        assert rows(tmp_path / "more", "SELECT a FROM t") == [(Decimal("1234.50"),), (Decimal("7.50"),)]

    def test_dates_that_may_be_read_in_two_ways_stay_text_and_are_told(self, tmp_path: Path) -> None:
        findings = load(tmp_path, {"t.csv": "on,n\n01/02/2026,1\n03/04/2026,2\n"})
        assert types(tmp_path, "t")["on"] == "VARCHAR"
        assert "may have the day or the month first" in str(findings.warnings[0])


class TestFiles:
    def test_delimiters_quotes_and_line_breaks(self, tmp_path: Path) -> None:
        files: dict[str, str | bytes] = {
            "semicolon.csv": 'id;text\r\n1;"a;b"\r\n2;"he said ""no""\nand left"\r\n',
            "tab.tsv": "id\ttext\n1\ta,b\n",
            "pipe.csv": "id|text\n1|a,b\n",
            "one.csv": "n\n1\n2\n",
        }
        assert load(tmp_path, files).problems == []
        assert rows(tmp_path, "SELECT text FROM semicolon") == [("a;b",), ('he said "no"\nand left',)]
        assert rows(tmp_path, "SELECT text FROM tab") == rows(tmp_path, "SELECT text FROM pipe") == [("a,b",)]
        assert rows(tmp_path, "SELECT sum(n) FROM one") == [(3,)]

    def test_headers_without_a_name_and_twice_are_told(self, tmp_path: Path) -> None:
        findings = load(tmp_path, {"my-data 1.csv": "id,,ID\n1,2,3\n"})
        assert list(types(tmp_path, "my_data_1")) == ["id", "column_2", "ID_2"]
        assert "are called column_2, ID_2" in str(findings.warnings[0])

    @pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp1252"])
    def test_encodings(self, tmp_path: Path, encoding: str) -> None:
        findings = load(tmp_path, {"t.csv": "straße,n\nMüller,1\n".encode(encoding)})
        assert rows(tmp_path, 'SELECT "straße", n FROM t') == [("Müller", 1)]
        assert [one.what for one in findings.warnings] == (
            ["it is not UTF-8, and was read as Windows-1252"] if encoding == "cp1252" else []
        )

    def test_an_encoding_that_is_given(self, tmp_path: Path) -> None:
        assert load(tmp_path, {"t.csv": "město,n\nPlzeň,1\n".encode("cp1250")}, "cp1250").warnings == []
        assert rows(tmp_path, 'SELECT "město" FROM t') == [("Plzeň",)]

    def test_names_that_duckdb_would_take_for_patterns_or_sql(self, tmp_path: Path) -> None:
        files: dict[str, str | bytes] = {"a*.csv": "x'y,z\n1,2\n", "ab.csv": "x\n3\n", "it's.csv": 'q"q\n4\n'}
        assert load(tmp_path, files).problems == []
        assert sorted(rows(tmp_path, "SHOW TABLES")) == [("a",), ("ab",), ("it_s",)]
        assert rows(tmp_path, "SELECT * FROM a") == [(1, 2)]

    def test_lines_of_another_width_are_all_told_and_nothing_is_written(self, tmp_path: Path) -> None:
        files: dict[str, str | bytes] = {"a.csv": "x,y\n1,2\n3\n4,5,secret\n", "b.csv": "x\n1\n", "c.csv": "x,y\n1\n"}
        told = [str(one) for one in load(tmp_path, files).problems]
        assert [line.partition(". ")[0] for line in told] == [
            "a.csv line 3: it has 1 values, and the first line 2",
            "a.csv line 4: it has 3 values, and the first line 2",
            "c.csv line 2: it has 1 values, and the first line 2",
        ]
        assert "secret" not in " ".join(told)
        assert list(tmp_path.iterdir()) == [tmp_path / "csv"]

    @pytest.mark.parametrize("content", [b"\x00\x01\x02", b"\x89PNG\r\n\x1a\n\x00\x00\x81\x8d", b"a,b\n\x81\x8d,1\n"])
    def test_what_is_no_text_is_told(self, tmp_path: Path, content: bytes) -> None:
        assert "not text" in str(load(tmp_path, {"t.csv": content}).problems[0])

    def test_a_quote_that_does_not_end(self, tmp_path: Path) -> None:
        assert load(tmp_path, {"t.csv": 'a,b\n1,"x\n2,y\n'}).problems

    def test_links_that_lead_out_of_the_folder_are_not_followed(self, tmp_path: Path) -> None:
        (tmp_path / "outside.csv").write_text("secret\n1\n")
        (tmp_path / "csv").mkdir()
        (tmp_path / "csv" / "real.csv").write_text("a\n1\n")
        (tmp_path / "csv" / "inside.csv").symlink_to("real.csv")
        (tmp_path / "csv" / "out.csv").symlink_to(tmp_path / "outside.csv")
        (tmp_path / "csv" / "loop.csv").symlink_to("loop.csv")
        os.mkfifo(tmp_path / "csv" / "pipe.csv")
        findings = load_csv_folder(tmp_path / "csv", tmp_path / "out.duckdb")
        assert sorted(rows(tmp_path, "SHOW TABLES")) == [("inside",), ("real",)]
        assert any(one.where == "out.csv" for one in findings.warnings)

    @pytest.mark.parametrize("files", [{}, {"notes.txt": "x"}, {".hidden.csv": "a\n1\n"}])
    def test_a_folder_without_any(self, tmp_path: Path, files: dict[str, str | bytes]) -> None:
        with pytest.raises(ConfigurationError, match="has no CSV files"):
            load(tmp_path, files)


class TestWidth:
    @pytest.mark.deep
    def test_two_thousand_columns_take_a_few_seconds(self, tmp_path: Path) -> None:
        values = {f"c{number}": ("7", "word", "1.5", "n/a")[number % 4] for number in range(2_000)}
        begun = time.process_time()
        load(tmp_path, {"t.csv": f"{','.join(values)}\n{','.join(values.values())}\n"})
        # It took 200 and more.
        assert time.process_time() - begun < 40
        found = types(tmp_path, "t")
        assert [found[f"c{number}"] for number in range(1_996, 2_000)] == [
            "BIGINT",
            "VARCHAR",
            "DECIMAL(18,1)",
            "VARCHAR",
        ]

    def test_more_columns_than_a_table_may_have_are_refused_at_once(self, tmp_path: Path) -> None:
        findings = load(tmp_path, {"t.csv": ",".join(f"c{number}" for number in range(10_001)) + "\n"})
        assert "it has 10,001 columns, and a table may have 10,000" in str(findings.problems[0])


class TestWhatCompaniesExport:
    def test_the_line_that_names_the_separator_is_no_row(self, tmp_path: Path) -> None:
        assert load(tmp_path, {"t.csv": "sep=;\r\nid;day\r\n1;31.01.2026\r\n"}).warnings == []
        assert types(tmp_path, "t") == {"id": "BIGINT", "day": "DATE"}

    def test_a_file_without_names_keeps_its_first_row(self, tmp_path: Path) -> None:
        findings = load(tmp_path, {"t.csv": "A1;1,5;01.02.2026\nA2;2,5;02.02.2026\nA3;3,5;13.02.2026\n"})
        assert types(tmp_path, "t") == {"column_1": "VARCHAR", "column_2": "DECIMAL(18,1)", "column_3": "DATE"}
        assert rows(tmp_path, "SELECT count(*) FROM t") == [(3,)]
        assert "looks like the rows below it" in str(findings.warnings[0])

    @pytest.mark.parametrize("header", ["name,2023,2024", "1,2,3", "name,n,m", "a,,c"])
    def test_names_that_are_years_or_numbers_are_names(self, tmp_path: Path, header: str) -> None:
        load(tmp_path, {"t.csv": f"{header}\nx,5,6\ny,7,8\nz,9,10\n"})
        assert rows(tmp_path, "SELECT count(*) FROM t") == [(3,)]

    @pytest.mark.parametrize("lines", case_table(__file__, "whatever_the_rows_hold_the_first_one_is_kept"))
    def test_whatever_the_rows_hold_the_first_one_is_kept(self, tmp_path: Path, lines: list[str]) -> None:
        findings = load(tmp_path, {"t.csv": "\n".join(lines) + "\n"})
        assert rows(tmp_path, "SELECT count(*) FROM t") == [(len(lines),)]
        assert next(iter(types(tmp_path, "t"))) == "column_1"
        assert "looks like the rows below it" in str(findings.warnings[0])

    @pytest.mark.parametrize("lines", case_table(__file__, "names_are_taken_for_names"))
    def test_names_are_taken_for_names(self, tmp_path: Path, lines: list[str]) -> None:
        findings = load(tmp_path, {"t.csv": "\n".join(lines) + "\n"})
        assert list(types(tmp_path, "t")) == lines[0].split(",")
        assert not [one for one in findings.warnings if "first line" in str(one)]

    def test_a_first_line_that_may_be_either_is_told(self, tmp_path: Path) -> None:
        findings = load(tmp_path, {"t.csv": "Eva,Oslo\nMax,Rome\nIda,Bern\n"})
        assert list(types(tmp_path, "t")) == ["Eva", "Oslo"]
        assert "though it looks like the lines below" in str(findings.warnings[0])

    @pytest.mark.parametrize("word", ["NULL", "n/a", "\\N", "-"])
    def test_words_for_missing_values(self, tmp_path: Path, word: str) -> None:
        findings = load(tmp_path, {"t.csv": f"a,b\n1,x\n{word},{word}\n3,y\n"})
        assert types(tmp_path, "t") == {"a": "BIGINT", "b": "VARCHAR"}
        assert rows(tmp_path, "SELECT a, b FROM t") == [(1, "x"), (None, word), (3, "y")]
        assert f'in a, these words are taken as missing values: "{word.lower()}" (1)' in str(findings.warnings[0])

    @pytest.mark.parametrize(("values", "kind"), case_rows(__file__, "dates_and_amounts", "values", "kind"))
    def test_dates_and_amounts(self, tmp_path: Path, values: list[str], kind: str) -> None:
        assert column(tmp_path, values, ";") == kind

    def test_amounts_in_dollars_have_their_value(self, tmp_path: Path) -> None:
        load(tmp_path, {"t.csv": 'a,b\n"1,201.50",x\n30.25,y\n'})
        assert rows(tmp_path, "SELECT sum(a) FROM t") == [(Decimal("1231.75"),)]

    def test_a_type_that_nearly_all_values_have_is_told_without_the_others(self, tmp_path: Path) -> None:
        values = "".join(f"{number},x\n" for number in range(30))
        findings = load(tmp_path, {"t.csv": f"a,b\n{values}secret,x\n"})
        assert types(tmp_path, "t")["a"] == "VARCHAR"
        said = str(findings.warnings[0])
        assert "a stays text, though 30 of 31 values read as BIGINT; the first that does not is in row 31" in said
        assert "secret" not in said

    def test_a_line_is_told_once(self, tmp_path: Path) -> None:
        told = [str(one) for one in load(tmp_path, {"t.csv": "a,b\n1,2,3,4,5\n"}).problems]
        assert [line.partition(". ")[0] for line in told] == ["t.csv line 2: it has 5 values, and the first line 2"]


class TestAmounts:
    @pytest.mark.parametrize(
        ("values", "kind", "total", "unit"),
        [
            (["$12.50", "-$7", "($1,000.00)"], "DECIMAL(18,2)", "-994.50", "$"),
            (["12,50 €", "1.200,00 €", "7 €"], "DECIMAL(18,2)", "1219.50", "€"),
            (["EUR 5", "EUR 6", "n/a"], "BIGINT", "11", "EUR"),
            (["4%", "12.5 %", ""], "DECIMAL(18,1)", "16.5", "%"),
        ],
    )
    def test_amounts_with_one_sign_are_numbers_and_it_is_told(
        self, tmp_path: Path, values: list[str], kind: str, total: str, unit: str
    ) -> None:
        loaded = load(tmp_path, {"t.csv": "pay;b\n" + "".join(f"{value};x\n" for value in values)})
        assert types(tmp_path, "t")["pay"] == kind
        assert rows(tmp_path, "SELECT sum(pay) FROM t") == [(Decimal(total),)]
        assert loaded.units == {("t", "pay"): unit}
        assert "are stored as numbers" in str(loaded.warnings[0])

    @pytest.mark.parametrize("values", [["$5", "€6"], ["5 kg", "7 kg"], ["1.201 €", "3.400 €"], ["$5", "7"]])
    def test_what_may_be_read_in_two_ways_or_has_a_unit_stays_text_and_is_told(
        self, tmp_path: Path, values: list[str]
    ) -> None:
        loaded = load(tmp_path, {"t.csv": "pay;b\n" + "".join(f"{value};x\n" for value in values)})
        assert (types(tmp_path, "t")["pay"], loaded.units) == ("VARCHAR", {})
        assert "pay stays text, though its values look like numbers with a sign or unit" in str(loaded.warnings[0])

    @pytest.mark.parametrize("values", [["A$5", "B$6"], ["SKU-1", "SKU-2"], ["5$5", "6$6"], ["0123", "0456"]])
    def test_codes_are_no_amounts(self, tmp_path: Path, values: list[str]) -> None:
        loaded = load(tmp_path, {"t.csv": "code;b\n" + "".join(f"{value};x\n" for value in values)})
        assert (types(tmp_path, "t")["code"], loaded.units) == ("VARCHAR", {})


class TestKeys:
    @pytest.mark.parametrize(
        ("header", "lines", "key"),
        [
            ("port_name,code", ["Oslo,OS", "Bergen,BE"], ("code",)),
            ("port_name,note", ["Oslo,a b", "Bergen,c d"], None),
            ("unlo,port_name", ["NOOSL,Oslo harbour", "NOBGO,Bergen"], ("unlo",)),
            ("Vorgang_Nr,wer", ["7,Eva", "9,Max"], ("Vorgang_Nr",)),
            ("bill no,line no,what", ["7,1,a", "7,2,b", "9,1,c"], ("bill no", "line no")),
            ("bill no,line no,what", ["7,1,a", "7,3,b", "9,1,c"], None),
            ("town,people", ["Oslo,5", "Bergen,6"], None),
            ("code,what", ["a b,x", "c d,y"], None),
            ("id,what", ["1,x", "1,y"], None),
            ("id,what", [*(f"{n},x" for n in range(10_000)), "1,y"], None),
            ("code,what", [f"{'A' * 41},x", f"{'B' * 41},y"], None),
            ("code,what", ["A,x", ",y"], None),
            ("line_no,t_id", ["1,5", "2,6"], ("t_id",)),
            ("size,town", ["5,Oslo", "6,Bergen"], None),
            ("town,unlo", ["Oslo,NOOSL", "Bergen,NOBGO"], None),
            ("bill no,line no,what", ["7,0,a", "7,2,b", "9,1,c", "9,2,d"], None),
            ("bill no,line no,what", ["a b,1,x", "c d,1,y"], None),
            ("bill no,line no,what", [",1,a", ",2,b", "9,1,c"], None),
            ("bill no,line no,what", ["B1,L1,a", "B1,L2,b", "B2,L1,c"], None),
        ],
    )
    def test_a_key_is_unique_short_and_called_so_or_a_code_in_front(
        self, tmp_path: Path, header: str, lines: list[str], key: tuple[str, ...] | None
    ) -> None:
        loaded = load(tmp_path, {"t.csv": "\n".join([header, *lines]) + "\n"})
        assert loaded.keys.get("t") == key

    @pytest.mark.parametrize(
        ("tables", "keys"),
        case_rows(__file__, "what_other_tables_refer_to_is_the_key", "tables", "keys"),
    )
    def test_what_other_tables_refer_to_is_the_key(
        self, tmp_path: Path, tables: dict[str, str], keys: dict[str, str]
    ) -> None:
        loaded = load(tmp_path, {f"{name}.csv": "\n".join([*text.split(), ""]) for name, text in tables.items()})
        assert loaded.keys == {name: (key,) for name, key in keys.items()}


class TestCommand:
    def test_the_model_says_which_keys_are_inferred_and_the_units(self, tmp_path: Path) -> None:
        (tmp_path / "shop").mkdir()
        (tmp_path / "shop" / "parts.csv").write_text("art,part_name,price\nB-1,Bolt M4,$1.50\nN-2,Nut M4,$0.25\n")
        (tmp_path / "shop" / "sales.csv").write_text("bill_no,line_no,art\n1,1,B-1\n1,2,N-2\n2,1,B-1\n")
        (tmp_path / "shop" / "towns.csv").write_text("town_name,hills\nOslo,7\nBergen,7\n")
        said = run("model", "import", "shop", "-o", "m.json", folder=tmp_path)
        assert said.returncode == 0, said.stderr
        model = json.loads((tmp_path / "m.json").read_text())
        keys = {one["name"]: one.get("primaryKey") for one in model["models"]}
        assert keys == {"parts": "art", "sales": ["bill_no", "line_no"], "towns": None}
        parts, sales, towns = model["models"]
        assert [one.get("properties", {}).get("inferredKey") for one in (parts, sales, towns)] == [True, True, None]
        assert parts["columns"][2]["properties"]["unit"] == "$"
        assert [one["condition"] for one in model["relationships"]] == ['"sales"."art" = "parts"."art"']

    def test_import_makes_a_database_and_a_model_with_keys_and_links(self, tmp_path: Path) -> None:
        shop = tmp_path / "shop"
        shop.mkdir()
        (shop / "customers.csv").write_text("customer_id,name\n1,Ida\n2,Max\n")
        (shop / "orders.csv").write_text("order_id,customer_id,total\n10,1,3.50\n11,1,4\n12,2,1\n")
        said = run("model", "import", "shop", "-o", "m.json", folder=tmp_path)
        assert said.returncode == 0, said.stderr
        assert "The rows are in shop.duckdb." in said.stderr
        model = json.loads((tmp_path / "m.json").read_text())
        assert {one["name"]: one["primaryKey"] for one in model["models"]} == {
            "customers": "customer_id",
            "orders": "order_id",
        }
        assert [one["condition"] for one in model["relationships"]] == [
            '"orders"."customer_id" = "customers"."customer_id"'
        ]
        again = run("model", "import", "shop", "-o", "n.json", folder=tmp_path)
        assert (again.returncode, "shop.duckdb exists and was not overwritten" in again.stderr) == (2, True)

    def test_problems_end_with_status_1_and_no_file(self, tmp_path: Path) -> None:
        (tmp_path / "bad").mkdir()
        (tmp_path / "bad" / "t.csv").write_text("a,b\n1\n")
        said = run("model", "import", "bad", "-o", "m.json", folder=tmp_path)
        assert said.returncode == 1
        assert "problem: t.csv line 2: it has 1 values, and the first line 2." in said.stderr
        assert sorted(path.name for path in tmp_path.iterdir()) == ["bad"]

    def test_an_unknown_encoding_and_an_empty_folder(self, tmp_path: Path) -> None:
        (tmp_path / "empty").mkdir()
        for arguments in (
            ["empty"],
            ["nowhere"],
            ["empty", "--encoding", "klingon"],
            ["empty", "--database", "x://u:pw@h"],
        ):
            said = run("model", "import", *arguments, folder=tmp_path)
            assert said.returncode == 2
            assert "Traceback" not in said.stderr
            assert "pw@h" not in said.stderr
