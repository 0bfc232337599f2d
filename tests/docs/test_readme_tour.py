"""The README and the tour of a service, followed to the letter."""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.test_serve import serving

REPOSITORY = Path(__file__).parents[2]
README = (REPOSITORY / "README.md").read_text()
TOUR = README + (REPOSITORY / "docs" / "service.md").read_text()


def block(language: str, containing: str) -> str:
    """The first code block in `language` of the README and the tour of a service that contains some text."""
    blocks = re.findall(rf"```{language}\n(.*?)```", TOUR, re.DOTALL)
    return next(text for text in blocks if containing in text)


def make_library(path: Path) -> None:
    connection = sqlite3.connect(path)
    with connection:
        connection.executescript(
            """
            CREATE TABLE members (id INTEGER PRIMARY KEY, name TEXT, city TEXT);
            CREATE TABLE loans (id INTEGER PRIMARY KEY, member_id INTEGER, lent_on DATE, fee REAL);
            INSERT INTO members VALUES (1, 'Ada', 'Berlin'), (2, 'Grace', 'Bonn');
            INSERT INTO loans VALUES (1, 1, '2024-01-02', 1.5), (2, 1, '2024-02-03', 2), (3, 2, '2024-02-04', 1);
            """
        )
    connection.close()


@pytest.mark.parametrize("most", [1, pytest.param(11, marks=pytest.mark.deep)], ids=["first", "all"])
def test_one_command_asks_a_database_of_ones_own(tmp_path: Path, most: int) -> None:
    make_library(tmp_path / "library.db")
    direct = block("sh", "make install").splitlines()[1]
    by_model = block("sh", "askwell model init").splitlines()
    by_variable = block("sh", "env:LIBRARY_URL").splitlines()[0]
    environ = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "LIBRARY_URL": "library.db"}
    said = ""
    more = block("sh", "askwell teach").splitlines()
    for command in (direct, by_variable, *more, *by_model)[:most]:
        here = command.replace(".venv/bin/askwell", f"{sys.executable} -m askwell")
        done = subprocess.run(
            ["bash", "-c", here], cwd=tmp_path, env=environ, capture_output=True, text=True, timeout=60
        )
        assert done.returncode == 0, done.stderr
        said += done.stdout
    assert said.count("'Berlin'") == min(most, 3)
    if most > 1:
        assert "Nothing speaks against it." in said
        assert "“income” means sum(loans.fee)" in said


@pytest.mark.skipif(shutil.which("curl") is None, reason="the README's commands use curl, which is not installed")
def test_the_tour_leads_to_an_answer(tmp_path: Path) -> None:
    make_library(tmp_path / "library.db")
    (tmp_path / "model.json").write_text(block("json", '"loans_members"'))
    configuration = block("yaml", "# file: library.yaml") + "embedder: {default: {provider: none}}\n"

    with serving(tmp_path, configuration=configuration) as (_, url, _):

        def run(command: str) -> str:
            here = command.replace("localhost:5555", url.removeprefix("http://"))
            return subprocess.run(
                ["bash", "-c", here], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=True
            ).stdout

        send = block("sh", "model push").strip().replace(".venv/bin/askwell", f"{sys.executable} -m askwell")
        assert "The model is in use for project default" in run(f"{send} --url {url}")

        asked = re.search(r'askwell ask (".*?")', block("sh", 'askwell ask "'))
        assert asked is not None
        said = run(f"{sys.executable} -m askwell ask {asked[1]} --url {url}")
        assert "'Berlin'" in said
        assert "1 row" in said

        start, poll = block("sh", "v1/asks").split("\ncurl", 1)
        query_id = json.loads(run(start))["query_id"]
        for _ in range(200):
            result = json.loads(run("curl" + poll.replace("$QUERY_ID", query_id)))
            if result["status"] in ("finished", "failed"):
                break
            time.sleep(0.05)
        assert result["status"] == "finished", result
        assert result["data"]["rows"] == [[1]]


def test_every_link_leads_somewhere() -> None:
    pages = [*REPOSITORY.glob("*.md"), REPOSITORY / "evaluation" / "README.md", *(REPOSITORY / "docs").rglob("*.md")]
    broken = [
        f"{page.name}: {link}"
        for page in pages
        for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text())
        if "://" not in link and not _leads_somewhere(page, link)
    ]
    assert broken == []


def _leads_somewhere(page: Path, link: str) -> bool:
    """Whether a link's file is there, and has the heading that it names."""
    name, _, heading = link.partition("#")
    target = page.parent / name if name else page
    if not target.exists() or not heading:
        return target.exists()
    headings = re.findall(r"(?m)^#+ (.+)$", target.read_text())
    return heading in [re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-") for text in headings]


def test_the_make_targets_that_are_named_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (REPOSITORY / "Makefile").read_text(), re.MULTILINE))
    pages = README + (REPOSITORY / "CONTRIBUTING.md").read_text()
    assert set(re.findall(r"^make ([a-z-]+)", pages, re.MULTILINE)) <= targets
