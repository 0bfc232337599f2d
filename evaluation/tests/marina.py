"""A small database with questions, and `askwell eval` on it as the command line has it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

import yaml
from click.testing import Result
from typer.testing import CliRunner

from askwell.cli.main import app

BOATS = """
CREATE TABLE harbour (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE boat (id INTEGER PRIMARY KEY, name TEXT, length REAL, berth INTEGER);
INSERT INTO harbour VALUES (1, 'North'), (2, 'South');
INSERT INTO boat VALUES (1, 'Siren', 9.5, 1), (2, 'Tern', 6.0, 1), (3, 'Gull', 7.25, 2);
"""
# The same with a key that the file declares.
LINKED_BOATS = BOATS.replace("berth INTEGER", "harbour_id INTEGER REFERENCES harbour (id)")
PER_HARBOUR = "SELECT h.name, count(*) FROM boat b JOIN harbour h ON b.harbour_id = h.id GROUP BY h.id"

COUNT = "SELECT count(*) FROM boat"
OLDEST = "Which boat is the eldest by id?"
QUESTIONS: tuple[dict[str, Any], ...] = (
    {"question": "How many boats are there?", "sql": COUNT, "gold_exec": "ok"},
    {"question": "What is the average length of boats?", "sql": "SELECT max(length) FROM boat", "gold_exec": "ok"},
    {"question": "How many boats does each harbour have?", "gold_exec": "ok",
     "sql": "SELECT h.name, count(*) FROM boat b JOIN harbour h ON b.berth = h.id GROUP BY h.id"},
    # Rules do not know the word; a second gold takes the answer without the key.
    {"question": OLDEST, "sql": "SELECT id, name FROM boat ORDER BY id LIMIT 1", "gold_exec": "ok",
     "sql_alternatives": ["SELECT name FROM boat ORDER BY id LIMIT 1"]},
    {"question": "How many boats sank?", "sql": "SELECT count(*) FROM boat WHERE id < 0", "gold_exec": "empty"},
)  # fmt: skip
# Column 6 of boat refers to column 1 of harbour.
SPIDER = {
    "db_id": "marina",
    "table_names_original": ["harbour", "boat"],
    "table_names": ["harbour", "boat"],
    "column_names_original": [
        [-1, "*"], [0, "id"], [0, "name"], [1, "id"], [1, "name"], [1, "length"], [1, "berth"],
    ],
    "column_names": [[-1, "*"], [0, "id"], [0, "name"], [1, "id"], [1, "name"], [1, "length"], [1, "berth"]],
    "primary_keys": [1, 3],
    "foreign_keys": [[6, 1]],
}  # fmt: skip


def make_database(path: Path, script: str = BOATS) -> Path:
    """A database as a file; without a script, the link between its tables stands in tables.json alone."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(script)
    return path


def write_rows(path: Path, rows: Iterable[Any]) -> Path:
    """A JSON object a line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return path


def make_set(folder: Path, script: str, rows: Iterable[dict[str, Any]], *db_ids: str) -> Path:
    """A folder with `databases/*.sqlite` made by a script, and questions.jsonl with the rows for each database."""
    db_ids = db_ids or ("marina",)
    for db_id in db_ids:
        make_database(folder / "databases" / f"{db_id}.sqlite", script)
    lines = [
        {"id": f"q{n}" if len(db_ids) == 1 else f"{db_id}-{n}", "db_id": db_id} | row
        for n, row in enumerate(rows)
        for db_id in db_ids
    ]
    write_rows(folder / "questions.jsonl", lines)
    return folder


def make_folder(folder: Path) -> Path:
    """With `databases/marina.sqlite`, tables.json and questions.jsonl."""
    (folder / "tables.json").write_text(json.dumps([SPIDER]), encoding="utf-8")
    return make_set(folder, BOATS, QUESTIONS)


def places(folder: Path) -> tuple[Path, Path]:
    """Questions and databases of such a folder."""
    return folder / "questions.jsonl", folder / "databases"


def run_eval(*words: str) -> Result:
    """`askwell eval …`."""
    return CliRunner().invoke(app, ["eval", *words])


def write_config(folder: Path, config: dict[str, Any]) -> Path:
    """This configuration, with words-only search, as a file."""
    path = folder / "config.yaml"
    path.write_text(
        yaml.safe_dump({"home": str(folder / "home"), "embedder": {"default": {"provider": "none"}}} | config)
    )
    return path


def evaluated(folder: Path, config: dict[str, Any], *options: str) -> Result:
    """`askwell eval asks` with this configuration and the folder's questions."""
    questions, databases = map(str, places(folder))
    given = ["--questions", questions, "--databases", databases, "--config", str(write_config(folder, config))]
    return run_eval("asks", *given, *options)


def figures(result: Result) -> dict[str, Any]:
    """The JSON object that a command printed."""
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = json.loads(result.stdout.splitlines()[-1])
    return found


def outcomes(path: Path) -> dict[str, dict[str, Any]]:
    """The results in a file by id, as its last lines have them."""
    return {row["id"]: row for row in map(json.loads, path.read_text().splitlines()) if "id" in row}
