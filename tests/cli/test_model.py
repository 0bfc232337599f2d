"""`askwell model`: a model of a database as a file, checked and shown."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.cli.test_commands import run
from tests.support.tiny_shop import make_database


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    make_database(tmp_path / "shop.db")
    with sqlite3.connect(tmp_path / "shop.db") as connection:
        connection.executescript(
            "CREATE TABLE visits (visit_id INTEGER, customer_id INTEGER); INSERT INTO visits VALUES (1, 2), (2, 2);"
        )
    return tmp_path


class TestInit:
    def test_it_writes_what_is_declared_and_what_is_inferred(self, folder: Path) -> None:
        said = run("model", "init", "--database", "shop.db", "-o", "m.json", folder=folder)
        assert said.returncode == 0, said.stderr
        assert said.stdout == ""
        assert "3 models and 2 relationships, 1 of these and 1 key inferred in m.json." in said.stderr
        model = json.loads((folder / "m.json").read_text())
        assert {link["condition"]: link.get("properties", {}).get("inferred") for link in model["relationships"]} == {
            '"orders"."customer_id" = "customers"."id"': None,
            '"visits"."customer_id" = "customers"."id"': True,
        }
        visits = next(one for one in model["models"] if one["name"] == "visits")
        assert (visits["primaryKey"], visits["properties"]["inferredKey"]) == ("visit_id", True)
        assert next(c for c in visits["columns"] if c["name"] == "visit_id")["properties"]["displayName"] == "Visit id"

    def test_without_a_file_it_prints_the_model_alone(self, folder: Path) -> None:
        said = run("model", "init", "--database", "shop.db", folder=folder)
        assert json.loads(said.stdout)["dataSource"] == "SQLITE"

    def test_views_that_cannot_be_read_are_left_out_and_told(self, folder: Path) -> None:
        with closing(sqlite3.connect(folder / "shop.db")) as connection:
            connection.executescript(
                "CREATE TABLE gone (a); CREATE VIEW lost AS SELECT a FROM gone; "
                "CREATE VIEW names AS SELECT name FROM customers; DROP TABLE gone;"
            )
        said = run("model", "init", "--database", "shop.db", "-o", "m.json", folder=folder)
        assert said.returncode == 0, said.stderr
        assert "warning: the view lost (no such table: main.gone) cannot be read, and is left out." in said.stderr
        names = {model["name"] for model in json.loads((folder / "m.json").read_text())["models"]}
        assert ("names" in names, "lost" in names) == (True, False)
        asked = run("ask", "How many customers are there?", "--database", "shop.db", folder=folder)
        assert asked.returncode == 0, asked.stderr

    def test_it_writes_over_nothing_unless_told_to(self, folder: Path) -> None:
        (folder / "m.json").write_text("mine")
        said = run("model", "init", "--database", "shop.db", "-o", "m.json", folder=folder)
        assert said.returncode == 2
        assert "m.json exists and was not overwritten" in said.stderr
        assert (folder / "m.json").read_text() == "mine"
        assert run("model", "init", "--database", "shop.db", "-o", "m.json", "--force", folder=folder).returncode == 0
        assert json.loads((folder / "m.json").read_text())["models"]

    @pytest.mark.parametrize(("database", "status"), [("none.db", 2), ("empty.db", 1)])
    def test_a_database_without_anything_to_ask(self, folder: Path, database: str, status: int) -> None:
        with sqlite3.connect(folder / "empty.db") as connection:
            connection.executescript("CREATE TABLE t (a); DROP TABLE t")
        said = run("model", "init", "--database", database, folder=folder)
        assert said.returncode == status
        assert "Traceback" not in said.stderr


class TestCheck:
    def test_a_model_that_was_written_is_fine(self, folder: Path) -> None:
        run("model", "init", "--database", "shop.db", "-o", "m.json", folder=folder)
        for more in ((), ("--database", "shop.db")):
            said = run("model", "check", "m.json", *more, folder=folder)
            assert said.returncode == 0, said.stdout
            assert "m.json can be used: 0 problems, 0 warnings." in said.stdout

    def test_every_problem_is_listed(self, folder: Path) -> None:
        (folder / "bad.json").write_text('{"catalog": "c", "models": [{"name": "x"}]}')
        said = run("model", "check", "bad.json", folder=folder)
        assert said.returncode == 1
        assert '"columns" is missing' in said.stdout
        assert '"schema" is missing' in said.stdout
        assert "bad.json cannot be used: 2 problems" in said.stdout

    def test_what_the_database_lacks_is_a_problem(self, folder: Path) -> None:
        run("model", "init", "--database", "shop.db", "-o", "m.json", folder=folder)
        with sqlite3.connect(folder / "shop.db") as connection:
            connection.execute("ALTER TABLE orders RENAME COLUMN status TO state")
        said = run("model", "check", "m.json", "--database", "shop.db", folder=folder)
        assert said.returncode == 1
        assert "status" in said.stdout

    @pytest.mark.parametrize(("content", "status"), [(None, 2), (b"\xff\xfe", 2), (b"{", 1), (b"[]", 1), (b"", 1)])
    def test_what_is_no_model(self, folder: Path, content: bytes | None, status: int) -> None:
        if content is not None:
            (folder / "x.json").write_bytes(content)
        for command in ("check", "show"):
            said = run("model", command, "x.json", folder=folder)
            assert said.returncode == status
            assert "Traceback" not in said.stderr
            assert said.stdout + said.stderr


class TestShow:
    def test_tables_relationships_and_the_text(self, folder: Path) -> None:
        run("model", "init", "--database", "shop.db", "-o", "m.json", folder=folder)
        said = run("model", "show", "m.json", folder=folder)
        assert said.returncode == 0, said.stderr
        lines = [line.split() for line in said.stdout.splitlines()]
        assert ["visits", "model", "2", "visit_id", "(inferred)"] in lines
        assert "CREATE TABLE orders (" in said.stdout
        (declared,) = [line for line in said.stdout.splitlines() if "orders_customer_id" in line]
        assert declared.rstrip().endswith("declared")
        assert "inferred: customer_id names customers; all 1 values looked at are there" in said.stdout

    def test_only_the_tables_that_are_named(self, folder: Path) -> None:
        run("model", "init", "--database", "shop.db", "-o", "m.json", folder=folder)
        said = run("model", "show", "m.json", "Orders", folder=folder)
        assert said.stdout.count("CREATE TABLE") == 1
        assert "orders_customer_id" in said.stdout
        unknown = run("model", "show", "m.json", "order", folder=folder)
        assert unknown.returncode == 2
        assert "The model has no table order." in unknown.stderr
        assert "orders" in unknown.stderr

    def test_the_text_of_many_tables_is_left_out(self, folder: Path) -> None:
        with sqlite3.connect(folder / "many.db") as connection:
            for number in range(31):
                connection.execute(f"CREATE TABLE t{number} (id INTEGER PRIMARY KEY)")
        run("model", "init", "--database", "many.db", "-o", "m.json", folder=folder)
        said = run("model", "show", "m.json", folder=folder)
        assert "CREATE TABLE" not in said.stdout
        assert "The text of 31 tables is left out" in said.stdout
