"""Every command takes the same databases, as its first argument."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from askwell.messages import say
from tests.cli.running import askwell, refused
from tests.support.tiny_shop import make_database

QUESTION = "How many orders are there?"
CASES = yaml.safe_load((Path(__file__).parent / "databases.yaml").read_text("utf-8"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("databases")
    make_database(folder / "shop.db")
    shutil.copyfile(folder / "shop.db", folder / "noending")
    (folder / "csvs").mkdir()
    for name in ("notes.md", "noending.md"):
        (folder / name).write_text("# Returns\n\nThe warranty ends after two years.\n")
    (folder / "lessons.yaml").write_text("- kind: table_mapping\n  body: {said: gluons, table: customers}\n")
    row = {"id": 1, "question": QUESTION, "sql": "SELECT COUNT(*) FROM orders"}
    (folder / "questions.jsonl").write_text(json.dumps(row))
    return folder


def _arguments(row: Sequence[str]) -> list[str]:
    return [QUESTION if word == "QUESTION" else word for word in row]


def _name(case: Any) -> str:
    return " ".join(case["arguments"] if isinstance(case, dict) else case)


@pytest.mark.parametrize("case", CASES["answered"], ids=_name)
def test_the_database_comes_first_and_the_other_ways_are_understood(folder: Path, case: Sequence[str]) -> None:
    ended = askwell(*_arguments(case), folder=folder, SHOP="shop.db")
    assert (ended.returncode, "4" in ended.stdout.split()) == (0, True), ended


def test_commands_with_other_arguments_take_it_too(folder: Path) -> None:
    for case in CASES["done"]:
        environ = {"ASKWELL_DATABASE": case["database"]} if "database" in case else {}
        ended = askwell(*_arguments(case["arguments"]), folder=folder, SHOP="shop.db", **environ)
        assert (ended.returncode, case["words"] in ended.stdout) == (0, True), (case, ended)


@pytest.mark.parametrize("case", CASES["refused"], ids=_name)
def test_what_is_no_database_or_one_too_many_is_said(folder: Path, case: dict[str, Any]) -> None:
    words = say(case["words"]).message if case["words"].startswith("cli.") else case["words"]
    refused(askwell(*_arguments(case["arguments"]), folder=folder), 2, words)
