"""The many ways in which companies lay out their descriptions of tables, in seven languages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from askwell.mdl.importers.excel import read_excel
from askwell.mdl.importers.imported import ImportedModel
from tests.mdl.importers.test_excel import Rows, book, problems, valid

LANGUAGES = {
    "en": (
        ["Table Name", "Attribute", "Logical data type", "Key", "FK to", "Null allowed", "Definition"],
        ["whole number", "short text", "Date/Time", "Amount", "Yes/No"],
        ("yes", "no"),
    ),
    "de": (
        ["Tabellenname", "Feldname", "Datentyp", "Schlüssel", "Verweis auf", "Null erlaubt", "Kurzbeschreibung"],
        ["ganze Zahl", "Zeichenkette", "Datum/Uhrzeit", "Währung", "Ja/Nein"],
        ("ja", "nein"),
    ),
    "fr": (
        ["Nom de la table", "Nom du champ", "Type de données", "Clé", "Référence", "Null autorisé", "Définition"],
        ["Entier long", "Chaîne", "Date/heure", "Monétaire", "Oui/Non"],
        ("oui", "non"),
    ),
    "es": (
        ["Nombre de la tabla", "Campo", "Tipo de dato", "Clave", "Referencia", "Nulo", "Descripción"],
        ["Entero largo", "Cadena", "Fecha y hora", "Moneda", "Sí/No"],
        ("sí", "no"),
    ),
    "it": (
        ["Nome tabella", "Nome campo", "Tipo di dato", "Chiave", "Riferimento", "Ammette null", "Descrizione"],
        ["Numero intero", "Stringa", "Data e ora", "Valuta", "Sì/No"],
        ("sì", "no"),
    ),
    "nl": (
        ["Tabelnaam", "Veldnaam", "Gegevenstype", "Sleutel", "Verwijst naar", "Leeg toegestaan", "Omschrijving"],
        ["Geheel getal", "Tekst", "Datum/tijd", "Bedrag", "Ja/Nee"],
        ("ja", "nee"),
    ),
    "pt": (
        ["Nome da tabela", "Coluna", "Tipo de dados", "Chave", "Referência", "Aceita nulo", "Descrição"],
        ["Número inteiro", "Texto", "Data e hora", "Moeda", "Sim/Não"],
        ("sim", "não"),
    ),
}


def keys(mdl: Mapping[str, Any]) -> dict[str, Any]:
    return {model["name"]: model.get("primaryKey") for model in mdl["models"]}


def columns(mdl: Mapping[str, Any], model: str) -> dict[str, str]:
    (found,) = [one for one in mdl["models"] if one["name"] == model]
    return {column["name"]: column["type"] for column in found["columns"]}


def links(mdl: Mapping[str, Any]) -> list[str]:
    return [one["condition"].replace('"', "") for one in mdl["relationships"]]


def told(result: ImportedModel) -> str:
    return "\n".join(map(str, (*result.problems, *result.warnings)))


class TestLanguages:
    @pytest.mark.parametrize("language", LANGUAGES)
    @pytest.mark.parametrize("layout", ["one sheet", "a sheet each", "sections"])
    def test_headers_types_and_marks(self, tmp_path: Path, language: str, layout: str) -> None:
        header, (integer, text, moment, money, truth), (yes, no) = LANGUAGES[language]
        described: dict[str, list[list[Any]]] = {
            "visits": [
                ["visit_id", integer, "PK", None, no, "Our number"],
                ["guest_id", integer, "FK", "guests.guest_id", yes, None],
                ["paid", money, None, None, yes, None],
                ["came", moment, None, None, no, None],
            ],
            "guests": [["guest_id", integer, "PK", None, no, None], ["note", text, None, None, yes, None]],
        }
        described["guests"].append(["member", truth, None, None, yes, None])
        sheets: dict[str, Rows]
        if layout == "one sheet":
            sheets = {"x": [header, *([table, *row] for table, rows in described.items() for row in rows)]}
        elif layout == "a sheet each":
            sheets = {table: [header[1:], *rows] for table, rows in described.items()}
        else:
            word = header[0].split()[-1] if language != "en" else "Table"
            word = {"de": "Tabelle", "nl": "Tabel"}.get(language, word)
            rows = [[[f"{word}: {table} – about {table}"], *rows, []] for table, rows in described.items()]
            sheets = {"x": [header[1:], *(row for part in rows for row in part)]}
        result = read_excel(book(tmp_path, sheets))
        mdl = valid(result)
        assert result.warnings == ()
        assert keys(mdl) == {"visits": "visit_id", "guests": "guest_id"}
        assert columns(mdl, "visits") == {
            "visit_id": "BIGINT",
            "guest_id": "BIGINT",
            "paid": "DECIMAL",
            "came": "TIMESTAMP",
        }
        assert columns(mdl, "guests") == {"guest_id": "BIGINT", "note": text if text == "Text" else "VARCHAR"} | {
            "member": "BOOLEAN"
        }
        assert links(mdl) == ["visits.guest_id = guests.guest_id"]
        first = mdl["models"][0]["columns"][0]
        assert (first["notNull"], first["properties"]) == (True, {"description": "Our number"})
        if layout == "sections":
            assert mdl["models"][0]["properties"] == {"description": "about visits"}


class TestSections:
    @pytest.mark.parametrize(
        ("title", "name", "description"),
        [
            (["Entity trees"], "trees", None),
            (["TABLE: trees (what grows)"], "trees", "what grows"),
            (["Table:", "trees", "what grows"], "trees", "what grows"),
            ([None, "Table: T_TREES - what grows"], "T_TREES", "what grows"),
        ],
    )
    def test_ways_to_write_one(self, tmp_path: Path, title: Sequence[Any], name: str, description: str | None) -> None:
        rows = [["Column", "Type"], ["Table: soils"], ["id", "INTEGER"], title, ["id", "INTEGER"]]
        mdl = valid(read_excel(book(tmp_path, {"x": rows})))
        assert [model["name"] for model in mdl["models"]] == ["soils", name]
        assert mdl["models"][1].get("properties", {}).get("description") == description

    def test_names_that_are_merged_or_alone(self, tmp_path: Path) -> None:
        rows = [["Column", "Type"], ["id", "INTEGER"], ["TREES"], ["id", "INTEGER"]]
        mdl = valid(read_excel(book(tmp_path, {"SOILS": rows}, {"SOILS": ["A3:B3"]})))
        assert [model["name"] for model in mdl["models"]] == ["SOILS", "TREES"]
        (tmp_path / "bare").mkdir()
        rows = [["Column", "Type"], ["soils"], ["id", "INTEGER"], [], ["trees"], ["id", "INTEGER"]]
        mdl = valid(read_excel(book(tmp_path / "bare", {"x": rows})))
        assert [model["name"] for model in mdl["models"]] == ["soils", "trees"]

    def test_titles_over_repeated_headers(self, tmp_path: Path) -> None:
        rows = [["Table: soils (of fields)"], ["Field", "Type"], ["id", "INTEGER"], []]
        rows += [["Table: trees"], ["Field", "Type"], ["id", "INTEGER"]]
        mdl = valid(read_excel(book(tmp_path, {"x": rows})))
        assert [model["name"] for model in mdl["models"]] == ["soils", "trees"]
        assert mdl["models"][0]["properties"] == {"description": "of fields"}

    def test_repeated_names_without_one_say_that_there_are_several_tables(self, tmp_path: Path) -> None:
        rows = [["Zbiór", "Column", "Type"], ["soils", "id", "INTEGER"], ["trees", "id", "INTEGER"]]
        ((where, what),) = problems(read_excel(book(tmp_path, {"x": rows}))).items()
        assert (where, "seems to describe several tables" in what, '"id" (x!B2 and x!B3)' in what) == ("x", True, True)
        assert 'If "Zbiór" (x!A1) names the table' in told(read_excel(book(tmp_path, {"x": rows})))

    @pytest.mark.parametrize(
        "end", [["Total attributes:", 2], ["Stand: 12.03.2024"], ["*) see the wiki"], [None, "Source: the old system"]]
    )
    def test_lines_at_the_end_are_told_and_not_taken(self, tmp_path: Path, end: Sequence[Any]) -> None:
        rows = [["Table", "Column", "Type"], ["t", "a", "INTEGER"], ["t", "b", "INTEGER"], [], end]
        result = read_excel(book(tmp_path, {"x": rows}))
        assert [model["name"] for model in valid(result)["models"]] == ["t"]
        assert list(columns(result.mdl, "t")) == ["a", "b"]
        assert "(row 5)" in told(result)

    def test_a_last_column_without_a_type_is_a_column(self, tmp_path: Path) -> None:
        rows = [["Column", "Type"], ["a", "INTEGER"], ["b"]]
        assert list(columns(valid(read_excel(book(tmp_path, {"x": rows}))), "x")) == ["a", "b"]


class TestKeys:
    @pytest.mark.parametrize("mark", ["PK FK", "PK/FK", "PK+FK", "PK, FK -> a.id", "PK FK → a.id", "FK;PK", "PK1 FK1"])
    def test_marks_of_both(self, tmp_path: Path, mark: str) -> None:
        rows = [["Table", "Column", "Type", "Key"], ["a", "id", "INTEGER", "PK"], ["b", "a_id", "INTEGER", mark]]
        rows.append(["b", "line", "INTEGER", "PK"])
        mdl = valid(read_excel(book(tmp_path, {"x": rows})))
        assert keys(mdl) == {"a": "id", "b": ["a_id", "line"]}
        assert links(mdl) == ["b.a_id = a.id"]

    def test_a_foreign_mark_under_primary_key_is_no_key(self, tmp_path: Path) -> None:
        rows = [["Table", "Column", "Type", "PK"], ["a", "id", "INTEGER", "PK"], ["b", "id", "INTEGER", "x"]]
        rows.append(["b", "a_id", "INTEGER", "FK"])
        mdl = valid(read_excel(book(tmp_path, {"x": rows})))
        assert (keys(mdl), links(mdl)) == ({"a": "id", "b": "id"}, ["b.a_id = a.id"])

    def test_a_mark_that_is_not_known_says_that_a_key_may_lack_it(self, tmp_path: Path) -> None:
        rows = [["Table", "Column", "Type", "Key"], ["a", "x", "INTEGER", "PK"], ["a", "y", "INTEGER", "PQ"]]
        assert "a key may lack this column" in told(read_excel(book(tmp_path, {"x": rows})))

    def test_sap(self, tmp_path: Path) -> None:
        rows = [
            ["Tabelle", "Feldname", "Key", "Datenelement", "Typ", "Länge", "Dez.", "Kurzbeschreibung", "Prüftabelle"],
            ["ZHEAD", "MANDT", "X", "MANDT", "CLNT", 3, 0, "Mandant", "T000"],
            ["ZHEAD", "DOCNR", "X", "ZDOC", "NUMC", 10, 0, "Beleg", None],
            ["ZHEAD", "NETTO", None, "ZNET", "CURR", 13, 2, "Netto", None],
            ["ZHEAD", "BUDAT", None, "BUDAT", "DATS", 8, 0, None, None],
            ["ZITEM", "MANDT", "X", "MANDT", "CLNT", 3, 0, None, "T000"],
            ["ZITEM", "HEADNR", "X", "ZDOC", "NUMC", 10, 0, None, "ZHEAD"],
            ["ZITEM", "POSNR", "X", "ZPOS", "NUMC", 6, 0, None, None],
        ]
        result = read_excel(book(tmp_path, {"SE11": rows}))
        mdl = valid(result)
        assert keys(mdl) == {"ZHEAD": ["MANDT", "DOCNR"], "ZITEM": ["MANDT", "HEADNR", "POSNR"]}
        assert list(columns(mdl, "ZHEAD").values()) == ["VARCHAR", "VARCHAR", "DECIMAL(13,2)", "DATE"]
        assert links(mdl) == ["ZITEM.MANDT = ZHEAD.MANDT AND ZITEM.HEADNR = ZHEAD.DOCNR"]
        assert "T000 (ZHEAD.MANDT)" in told(result)

    def test_oracle_with_its_constraints(self, tmp_path: Path) -> None:
        header = ["OWNER", "TABLE_NAME", "COLUMN_NAME", "DATA_TYPE", "DATA_LENGTH", "DATA_PRECISION", "DATA_SCALE"]
        rows = [
            [*header, "NULLABLE", "COMMENTS"],
            ["WH", "BINS", "AISLE", "NUMBER", 22, 4, 0, "N", None],
            ["WH", "BINS", "SHELF", "VARCHAR2", 5, None, None, "N", None],
            ["WH", "STOCK", "AISLE", "NUMBER", 22, 4, 0, "N", None],
            ["WH", "STOCK", "SHELF", "VARCHAR2", 5, None, None, "N", None],
            ["WH", "STOCK", "EAN", "NUMBER", 22, 13, 0, "N", "code"],
            ["WH", "STOCK", "WEIGHT", "NUMBER", 22, 8, 3, "Y", None],
        ]
        constraints = [
            ["TABLE_NAME", "CONSTRAINT_NAME", "CONSTRAINT_TYPE", "COLUMN_NAME", "R_TABLE_NAME", "R_COLUMN_NAME"],
            ["BINS", "B_PK", "P", "AISLE"],
            ["BINS", "B_PK", "P", "SHELF"],
            ["STOCK", "S_FK", "R", "AISLE", "BINS", "AISLE"],
            ["STOCK", "S_FK", "R", "SHELF", "BINS", "SHELF"],
            ["STOCK", "S_UK", "U", "AISLE"],
            ["STOCK", "S_UK", "U", "EAN"],
            ["STOCK", "S_CK", "C", "WEIGHT"],
        ]
        mdl = valid(read_excel(book(tmp_path, {"Constraints": constraints, "Export": rows})))
        assert keys(mdl) == {"BINS": ["AISLE", "SHELF"], "STOCK": None}
        assert links(mdl) == ["STOCK.AISLE = BINS.AISLE AND STOCK.SHELF = BINS.SHELF"]
        assert mdl["models"][1]["uniqueKeys"] == [["AISLE", "EAN"]]
        assert mdl["models"][1]["tableReference"] == {"table": "STOCK", "schema": "WH"}
        assert list(columns(mdl, "STOCK").values()) == ["BIGINT", "VARCHAR2", "BIGINT", "DECIMAL(8,3)"]

    @pytest.mark.parametrize(
        "rows",
        [
            [["Parent", "Child", "Cardinality"], ["rooms", "beds", "1:N"]],
            [["From table", "From column", "To table", "To column"], ["beds", "room_no", "rooms", "room_no"]],
            [["From", "To", "Cardinality"], ["rooms.room_no", "beds.room_no", "1:n"]],
            [["Table", "Column", "Referenced table", "Referenced column"], ["beds", "room_no", "rooms", "room_no"]],
            [["Quelltabelle", "Quellspalte", "Zieltabelle", "Zielspalte"], ["beds", "room_no", "rooms", "room_no"]],
            [
                ["PKTABLE_NAME", "PKCOLUMN_NAME", "FKTABLE_NAME", "FKCOLUMN_NAME"],
                ["rooms", "room_no", "beds", "room_no"],
            ],
        ],
    )
    def test_relationships_on_a_sheet_of_their_own(self, tmp_path: Path, rows: Rows) -> None:
        described = [["Table", "Column", "Type", "PK"], ["rooms", "room_no", "INTEGER", "x"]]
        described += [["beds", "bed", "INTEGER", "x"], ["beds", "room_no", "INTEGER", None]]
        mdl = valid(read_excel(book(tmp_path, {"Columns": described, "Relationships": rows})))
        assert links(mdl) == ["beds.room_no = rooms.room_no"]
        assert mdl["relationships"][0]["joinType"] == "MANY_TO_ONE"

    def test_half_of_a_constraint_is_refused(self, tmp_path: Path) -> None:
        described = [["Table", "Column", "Type"], ["a", "x", "INTEGER"], ["a", "y", "INTEGER"]]
        constraints = [["Table", "Constraint type", "Columns"], ["a", "PRIMARY KEY", "x, z"]]
        result = read_excel(book(tmp_path, {"Columns": described, "Constraints": constraints}))
        assert problems(result) == {"Constraints!C2": 'a has no column "z"'}


class TestTypesAndValues:
    def test_lists_of_codes(self, tmp_path: Path) -> None:
        described = [["Table", "Column", "Type", "Code list"], ["a", "x", "Code", "LST"], ["a", "y", "Text", None]]
        lists = [["Code list", "Code", "Meaning"], ["LST", "O", "Open"], [None, "P", "Paid"]]
        values = [["Table", "Column", "Value"], ["a", "y", "hot"], ["a", "y", "cold"]]
        mdl = valid(read_excel(book(tmp_path, {"Columns": described, "Lists": lists, "Values": values})))
        assert mdl["enumDefinitions"] == [
            {"name": "a.x", "values": [{"name": "Open", "value": "O"}, {"name": "Paid", "value": "P"}]},
            {"name": "a.y", "values": [{"name": "hot"}, {"name": "cold"}]},
        ]

    @pytest.mark.parametrize("said", ["enum(on, off)", "Lista: on, off", "Auswahl (on; off)", "ENUM('on','off')"])
    def test_values_in_the_type(self, tmp_path: Path, said: str) -> None:
        mdl = valid(read_excel(book(tmp_path, {"t": [["Column", "Type"], ["a", said], ["b", "INTEGER"]]})))
        assert [one["name"] for one in mdl["enumDefinitions"][0]["values"]] == ["on", "off"]

    @pytest.mark.parametrize(
        ("said", "kind"),
        [
            ("Cadena[]", "VARCHAR[]"),
            ("string?", "string"),
            ("INTEGER NOT NULL", "INTEGER"),
            ("Zahl(8)", "BIGINT"),
            ("Zahl(8,2)", "DECIMAL(8,2)"),
            ("Zahl", "DOUBLE"),
            ("Texto (máx. 50)", "VARCHAR"),
            ("Date/Time", "TIMESTAMP"),
        ],
    )
    def test_ways_to_write_a_type(self, tmp_path: Path, said: str, kind: str) -> None:
        mdl = valid(read_excel(book(tmp_path, {"t": [["Column", "Type"], ["a", said], ["b", "INTEGER"]]})))
        assert columns(mdl, "t")["a"] == kind

    def test_numbers_are_integers_in_keys_and_in_what_refers_to_them(self, tmp_path: Path) -> None:
        rows = [["Table", "Column", "Type", "PK", "FK"], ["a", "id", "Zahl", "x"], ["b", "a_id", "Zahl", None, "a.id"]]
        rows.append(["b", "weight", "Zahl"])
        mdl = valid(read_excel(book(tmp_path, {"x": rows})))
        assert (columns(mdl, "a"), columns(mdl, "b")) == ({"id": "BIGINT"}, {"a_id": "BIGINT", "weight": "DOUBLE"})

    def test_types_that_are_not_known_are_told_once_each(self, tmp_path: Path) -> None:
        rows = [["Column", "Type"], *([f"c{number}", "Zorb" if number % 2 else "Flim"] for number in range(8))]
        lines = [str(one) for one in read_excel(book(tmp_path, {"x": rows})).warnings]
        assert len(lines) == 2
        assert lines[0].startswith('x!B2: "Flim" is no type that is known (4 cells, the first here)')

    def test_yes_and_no_and_ranges_are_no_values(self, tmp_path: Path) -> None:
        rows = [["Column", "Type", "Values"], ["a", "Boolean", "Oui/Non"], ["b", "INTEGER", "0-100"]]
        rows.append(["c", "CHAR(1)", "m/w/d"])
        mdl = valid(read_excel(book(tmp_path, {"x": rows})))
        assert [one["name"] for one in mdl["enumDefinitions"]] == ["x.c"]


class TestMessages:
    def test_a_key_that_was_not_understood_is_told_first(self, tmp_path: Path) -> None:
        rows = [["Table", "Column", "Type", "Main key part", "Notes 2"], ["a", "id", "INTEGER", "first", "x"]]
        first, *_ = read_excel(book(tmp_path, {"x": rows})).warnings
        assert 'no primary key was found, though the header "Main key part" (x!D1) with "first"' in str(first)

    def test_relationships_that_were_not_understood_are_told_first(self, tmp_path: Path) -> None:
        rows = [["Table", "Column", "Type", "PK", "Wskazuje"], ["a", "id", "INTEGER", "x"]]
        rows.append(["b", "a_id", "INTEGER", None, "a.id"])
        first, *_ = read_excel(book(tmp_path, {"x": rows})).warnings
        assert '"Wskazuje" (x!E1) with "a.id" under it' in str(first)

    def test_headers_of_an_unknown_language_are_told_by_what_stands_under_them(self, tmp_path: Path) -> None:
        rows = [["Table", "Column", "Rodzaj", "Klucz"], ["a", "id", "INTEGER", "PK"], ["a", "b", "VARCHAR(10)"]]
        rows.append(["a", "c", "DATE"])
        result = read_excel(book(tmp_path, {"x": rows}))
        assert (keys(valid(result)), columns(result.mdl, "a")["c"]) == ({"a": "id"}, "DATE")
        assert '"Klucz" is not known, and was read as "key"' in told(result)

    def test_a_formula_without_a_value_in_a_description_is_a_warning(self, tmp_path: Path) -> None:
        rows = [["Table", "Column", "Type", "Description"], ["a", "id", "INTEGER", '="x"&"y"']]
        result = read_excel(book(tmp_path, {"x": rows}))
        valid(result)
        assert "x!D2: it has a formula" in told(result)

    def test_an_owner_who_is_a_person_is_no_schema(self, tmp_path: Path) -> None:
        rows = [["Table", "Column", "Type", "Owner"], ["a", "id", "INTEGER", "Ida Moe (Sales)"]]
        result = read_excel(book(tmp_path, {"x": rows}))
        assert valid(result)["models"][0]["tableReference"] == {"table": "a"}
        assert "is no name of a schema" in told(result)
