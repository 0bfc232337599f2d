"""`askwell eval plan`, `repair`, `check`, `values` and `links` on folders made here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from askwell.errors import InvalidRequest
from askwell_evaluation import fit_sureness
from askwell_evaluation.links import run_links
from askwell_evaluation.plan import run_plan
from askwell_evaluation.repair import run_repair
from askwell_evaluation.values import run_values
from evaluation.tests.marina import (
    COUNT,
    LINKED_BOATS,
    PER_HARBOUR,
    figures,
    make_database,
    make_set,
    places,
    run_eval,
    write_rows,
)


class TestPlan:
    LENGTHS = "SELECT name, length FROM boat ORDER BY length DESC"
    GOLDS = (
        ("lengths", LENGTHS, "ok", True),
        ("lengths again", LENGTHS, "ok", True),
        ("harbours", PER_HARBOUR.replace("h.name", "h.Name"), "ok", False),
        ("odd values", "SELECT raw, big, half FROM oddity", "ok", False),
        ("text in double quotes", 'SELECT id FROM boat WHERE name = "Siren"', "ok", False),
        ("not scored", "SELECT name FROM boat WHERE id < 0", "empty", False),
        ("no longer there", "SELECT name FROM ship", "ok", False),
        ("may not be run", "SELECT id, name FROM boat; SELECT 1", "ok", False),
        ("never the same", "SELECT random() FROM boat", "ok", False),
        ("reads the catalogue", "SELECT name FROM sqlite_master", "ok", False),
    )
    ODDITY = """CREATE TABLE oddity (raw BLOB, big INTEGER, half REAL);
    INSERT INTO oddity VALUES (x'00ff', 9007199254740993, 0.1), (NULL, -1, 9e999);"""

    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        make_database(tmp_path / "databases" / "marina.sqlite", LINKED_BOATS + self.ODDITY)
        make_database(tmp_path / "databases" / "pier.sqlite", LINKED_BOATS + self.ODDITY)
        rows = [
            {"id": f"{db_id}: {name}", "db_id": db_id, "question": name, "sql": sql}
            | {"gold_exec": state, "ordered": ordered}
            for name, sql, state, ordered in self.GOLDS
            for db_id in ("marina", "pier")
        ]
        write_rows(tmp_path / "questions.jsonl", rows)
        return tmp_path

    def test_every_distinct_scorable_statement_is_compared(self, folder: Path) -> None:
        report = run_plan(*places(folder))
        found = report.figures
        assert (found["golds"], found["same"]) == (12, 8)
        for key, names in (
            ("different", ["never the same"]),
            ("refused", ["reads the catalogue"]),
            ("unrunnable", ["may not be run", "no longer there"]),
        ):
            assert sorted(found[key]) == [f"{db_id}: {name}" for db_id in ("marina", "pier") for name in names]
        assert found["p50_ms"] > 0
        assert json.loads(json.dumps(found)) == found
        assert "same result      8" in report.table
        assert "DIFFERENT  marina: never the same: 3 rows directly, 3 through the model" in report.table
        assert "REFUSED    pier: reads the catalogue: " in report.table

    def test_a_missing_database_is_told(self, folder: Path) -> None:
        (folder / "databases" / "pier.sqlite").unlink()
        with pytest.raises(InvalidRequest, match=r"pier\.sqlite"):
            run_plan(*places(folder))


class TestRepair:
    CASES = (
        ("table_typo", "SELECT name FROM baot ORDER BY length", "SELECT name FROM boat ORDER BY length"),
        ("missing_join", PER_HARBOUR.replace("JOIN harbour h ON b.harbour_id = h.id ", ""), PER_HARBOUR),
        ("markdown_prose", f"Here:\n```sql\n{COUNT};\n```", COUNT),
        ("not_to_be_repaired", "SELECT width FROM boat", "SELECT length FROM boat"),
        ("wrong_from_the_start", "SELECT TOP 1 name FROM boat", "SELECT name FROM boat LIMIT 2"),
        ("not_found", "SELECT name FROM boat LIMIT 1", "SELECT name FROM boat ORDER BY length LIMIT 1"),
        ("value_case", "SELECT length FROM boat WHERE name = 'siren'", "SELECT length FROM boat WHERE name = 'Siren'"),
    )

    @pytest.fixture
    def cases(self, tmp_path: Path) -> tuple[Path, Path]:
        rows = [{"kind": kind, "question": "", "bad_sql": bad, "gold_sql": gold} for kind, bad, gold in self.CASES]
        return places(make_set(tmp_path, LINKED_BOATS, rows))

    def test_figures_of_a_run(self, cases: tuple[Path, Path]) -> None:
        said = run_eval("repair", "--cases", str(cases[0]), "--databases", str(cases[1]), "--json")
        assert "1 of 1 databases" in said.stderr
        found = figures(said)
        keys = "cases detected repaired wrong refused no_harm hidden_column by_kind p50_ms"
        assert list(found) == keys.split()
        assert (found["cases"], found["detected"]) == (6, 5)
        assert (found["repaired"], found["wrong"], found["refused"]) == (3, 2, 1)
        assert found["no_harm"] == {"golds": 7, "unchanged": 7}
        assert found["hidden_column"] == {"cases": 6, "wrong": 0}, "the gold that uses no column by name hides none"
        assert found["p50_ms"] > 0
        # A value in other letters is suggested, and counts in no total.
        kind = {"cases": 1, "detected": 1, "repaired": 0, "wrong": 1, "refused": 0, "suggested": 1}
        assert found["by_kind"]["value_case"] == kind

    def test_a_sample_is_the_same_for_the_same_seed(self, cases: tuple[Path, Path]) -> None:
        first, second = (run_repair(*cases, limit=2, seed=3).figures["by_kind"] for _ in range(2))
        assert sum(kind["cases"] for kind in first.values()) == 2
        assert first == second


class TestCheck:
    ROWS = (
        {"question": "How many boats are there?", "sql": COUNT, "gold_exec": "ok"},
        {"question": "What is the longest length of boats?", "sql": "SELECT max(length) FROM boat", "gold_exec": "ok"},
        {"question": "How many boats are named Tern?", "sql": "SELECT count(*) FROM boat WHERE name = 'Gull'",
         "right": False, "kind": "other_value"},
        {"question": "How many ships are there?", "sql": "SELECT count(*) FROM ship", "right": True},
        {"question": "How many boats sank?", "sql": COUNT, "gold_exec": "empty"},
    )  # fmt: skip

    def check(self, folder: Path, *options: str) -> dict[str, Any]:
        questions, databases = map(str, places(make_set(folder, LINKED_BOATS, self.ROWS, "marina", "pier")))
        kept = str(folder / "kept.jsonl")
        return figures(
            run_eval("check", "--questions", questions, "--databases", databases, "--json", "--keep", kept, *options)
        )

    def test_golds_are_right_and_changed_ones_are_wrong(self, tmp_path: Path) -> None:
        found = self.check(tmp_path)
        assert (found["right"], found["false_alarms"], found["unread"]) == (4, 0, 2)
        assert found["wrong"] == sum(kind["statements"] for kind in found["by_kind"].values()) > 1
        assert found["by_kind"]["other_value"]["found"] >= 2
        assert found["by_source"].keys() == {"given"}
        kept = [json.loads(line) for line in (tmp_path / "kept.jsonl").read_text().splitlines()]
        assert len(kept) == found["right"] + found["wrong"]

    def test_what_rules_answer_takes_the_place_of_golds(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        found = self.check(tmp_path, "--rules")
        assert found["by_source"].keys() == {"rules"}
        assert found["right"] >= 4
        fit_sureness.main([str(tmp_path / "kept.jsonl")] * 10)
        assert "rules {" in capsys.readouterr().out


class TestValues:
    SCRIPT = """
    CREATE TABLE harbour (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE boat (id INTEGER PRIMARY KEY, name TEXT, flag TEXT, class TEXT, length REAL,
                       harbour_id INTEGER REFERENCES harbour (id));
    INSERT INTO harbour VALUES (1, 'North Point'), (2, 'South Point');
    INSERT INTO boat VALUES (1, 'Siren', 'Netherlands', 'A1', 9.5, 1), (2, 'Tern', 'France', 'B2', 6.0, 1);
    """
    QUESTIONS = (
        ("Which boats lie in the harbour North Point?", "SELECT b.name FROM boat b JOIN harbour h "
         "ON b.harbour_id = h.id WHERE h.name = 'North Point'", "ok"),
        ("Dutch boats, and the length of the Siren", "SELECT length FROM boat WHERE flag = \"Netherlands\" OR name IN "
         "('Siren')", "ok"),
        ("Boats whose name contains 'Ter'", "SELECT length FROM boat WHERE name LIKE '%Ter%'", "ok"),
        ("Boats called Kraken", "SELECT length FROM boat WHERE name = 'Kraken'", "empty"),
        ("Which boats are fast?", "SELECT name FROM boat WHERE class = 'A1'", "ok"),
        ("How many boats are there?", COUNT, "ok"),
        ("What is this?", "SELECT FROM WHERE", "error"),
    )  # fmt: skip

    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        rows: list[dict[str, Any]] = [
            {"question": q, "sql": sql, "gold_exec": state} for q, sql, state in self.QUESTIONS
        ]
        rows.append({"db_id": "elsewhere", "question": "?", "sql": "SELECT 1", "gold_exec": "no_database"})
        return make_set(tmp_path, self.SCRIPT, rows)

    def test_figures_of_a_run(self, folder: Path) -> None:
        report = run_values(*places(folder))
        found = report.figures
        assert (found["questions"], found["texts"], found["texts_in_database"]) == (5, 6, 5)
        assert found["found"] == 4
        assert (found["found_share"], found["found_share_of_all"]) == (0.8, 0.6667)
        assert found["found_by_kind"] == {"exact": 2, "demonym": 1, "partial": 1}
        assert found["missed_because"] == {"the question has none of its words": 1}
        assert found["candidates_without_texts"] == 0.0
        assert found["sampled_values"] == 8
        assert "80.0% of those held" in report.table
        assert "1  the question has none of its words" in report.table

    def test_a_file_that_is_no_database_is_told(self, folder: Path) -> None:
        (folder / "databases" / "marina.sqlite").write_text("nothing of the kind, however long it may be " * 50)
        with pytest.raises(InvalidRequest, match=r"marina\.sqlite cannot be read"):
            run_values(*places(folder))


class TestLinks:
    SCRIPT = """
    CREATE TABLE harbour (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE boat (id INTEGER PRIMARY KEY, harbour_id INTEGER REFERENCES harbour (id),
                       builder INTEGER REFERENCES harbour (id));
    INSERT INTO harbour VALUES (1, 'North Point'), (2, 'South Point');
    INSERT INTO boat VALUES (1, 1, 1), (2, 2, 2);
    """
    QUESTIONS = (
        "SELECT b.id FROM boat b JOIN harbour h ON b.harbour_id = h.id WHERE h.name = 'North Point'",
        "SELECT boat.id FROM boat JOIN harbour ON boat.id = harbour.id",
        COUNT,
        "SELECT FROM WHERE",
        "SELECT h.name FROM (SELECT harbour_id AS x FROM boat) AS b, harbour AS h WHERE b.x = h.id",
    )

    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        make_database(tmp_path / "databases" / "empty.sqlite", "CREATE TABLE t (a);")
        return make_set(tmp_path, self.SCRIPT, [{"question": "?", "sql": sql} for sql in self.QUESTIONS])

    def test_what_is_found_again_is_counted_against_foreign_keys_and_gold_joins(self, folder: Path) -> None:
        report = run_links(*places(folder), only=["marina"])
        found = report.figures["all"]
        assert found["names"] == {
            "precision": "1/1 100.0%",
            "precision_same_key": "1/1 100.0%",
            "recall": "1/2 50.0%",
        }
        assert found["values"]["recall"] == "1/2 50.0%"
        assert found["questions_allowed"] == "2/3 66.7%"
        assert [line.split()[0] for line in report.lines[2:]] == ["marina", "all"]

    def test_without_primary_keys_values_have_to_tell_them(self, folder: Path) -> None:
        found = run_links(*places(folder), only=["marina"], without_keys=True).figures["all"]
        assert (found["names"]["recall"], found["values"]["recall"]) == ("0/2 0.0%", "1/2 50.0%")

    def test_a_folder_without_links_is_an_error(self, folder: Path) -> None:
        with pytest.raises(InvalidRequest, match="links"):
            run_links(*places(folder), only=["nothing"])
