"""What people taught about a database stays with it: apart from the cache, and also where the file moves."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import pytest

from askwell.user_folders import user_folder
from tests.cli.running import askwell
from tests.support.tiny_shop import make_database

QUESTION = "how many zorbs are there?"
DATA = Path(".local/share/askwell/databases")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a shop that was taught what zorbs are, and asked."""
    make_database(tmp_path / "shop.db")
    assert askwell("teach", "shop.db", "zorbs", "=", "customers", folder=tmp_path).returncode == 0
    return tmp_path


def knows(folder: Path, database: str) -> bool:
    return askwell("ask", database, QUESTION, "--quiet", folder=folder).returncode == 0


def lessons(folder: Path, database: str) -> int:
    return askwell("lessons", "list", database, folder=folder).stdout.count("zorbs")


def test_the_cache_may_be_deleted_at_any_time(folder: Path) -> None:
    (folder / "cache/askwell/models").mkdir(parents=True, exist_ok=True)
    shutil.rmtree(folder / "cache")
    assert knows(folder, "shop.db")


def test_a_file_that_moved_takes_its_lessons_along(folder: Path) -> None:
    (folder / "deeper").mkdir()
    (folder / "shop.db").rename(folder / "deeper/sales.sqlite")
    assert knows(folder, "deeper/sales.sqlite")
    assert len(list((folder / DATA).iterdir())) == 1


def test_a_copy_begins_with_them_and_then_has_its_own(folder: Path) -> None:
    shutil.copyfile(folder / "shop.db", folder / "copy.db")
    with sqlite3.connect(folder / "copy.db") as connection:
        connection.execute("DELETE FROM customers")
    assert knows(folder, "copy.db")
    (record,) = (
        one
        for one in (folder / DATA).glob("*/record.sqlite")
        if "copy.db" in (one.parent / "database.json").read_text()
    )
    with sqlite3.connect(record) as connection:
        assert connection.execute("SELECT COUNT(*) FROM jobs WHERE kind = 'ask'").fetchone() == (1,)
    assert askwell("teach", "copy.db", "gluons", "=", "orders", folder=folder).returncode == 0
    assert "gluons" not in askwell("lessons", "list", "shop.db", folder=folder).stdout
    assert lessons(folder, "shop.db") == 1


def test_another_database_in_its_place_is_a_new_one_until_the_first_comes_back(folder: Path) -> None:
    (folder / "shop.db").rename(folder / "kept.db")
    with sqlite3.connect(folder / "shop.db") as connection:
        connection.execute("CREATE TABLE zoos (id INTEGER PRIMARY KEY, city TEXT)")
        connection.execute("INSERT INTO zoos VALUES (1, 'Rome')")
    connection.close()
    assert lessons(folder, "shop.db") == 0
    (folder / "kept.db").replace(folder / "shop.db")
    assert knows(folder, "shop.db")


def test_a_changed_schema_is_the_same_database(folder: Path) -> None:
    with sqlite3.connect(folder / "shop.db") as connection:
        connection.execute("ALTER TABLE customers ADD COLUMN nickname TEXT")
    connection.close()
    assert knows(folder, "shop.db")


def test_what_an_earlier_version_kept_in_the_cache_is_taken_over(folder: Path) -> None:
    (home,) = (folder / DATA).iterdir()
    (home / "database.json").unlink()
    (folder / "cache/askwell").mkdir(parents=True, exist_ok=True)
    home.rename(folder / "cache/askwell" / home.name)
    assert knows(folder, "shop.db")
    assert home.exists()
    assert not (folder / "cache/askwell" / home.name).exists()


@pytest.mark.parametrize(
    ("platform", "environ", "data"),
    [
        ("linux", {"HOME": "/home/ada"}, "/home/ada/.local/share/askwell"),
        ("linux", {"HOME": "/home/ada", "XDG_DATA_HOME": "/data"}, "/data/askwell"),
        ("linux", {"HOME": "/home/ada", "XDG_DATA_HOME": "data"}, "/home/ada/.local/share/askwell"),
        ("darwin", {"HOME": "/Users/ada"}, "/Users/ada/Library/Application Support/askwell"),
        ("win32", {"HOME": "/c/ada", "LOCALAPPDATA": "/c/ada/AppData/Local"}, "/c/ada/AppData/Local/askwell"),
    ],
)
def test_each_system_has_its_own_folder(
    platform: str, environ: dict[str, str], data: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.platform", platform)
    assert str(user_folder("data", environ)) == data
