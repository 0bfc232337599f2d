"""`askwell ask --database`: a database nobody has described, one command, and an answer or the reason for none."""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import signal
import sqlite3
import stat
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import psutil
import pytest

from askwell.knowledge.home_lock import HomeLock
from tests.fakes.openai_server import Answer, ChatScript
from tests.support.commands import PIPE, Command, run_askwell
from tests.support.servers import ServerDatabase, new_mariadb, new_postgresql
from tests.support.tiny_shop import make_database

BANDS = """
    CREATE TABLE bands (band_id INTEGER, band_name VARCHAR(40), country VARCHAR(40));
    CREATE TABLE concerts (concert_id INTEGER, band_id INTEGER, city VARCHAR(40), visitors INTEGER);
    INSERT INTO bands VALUES (1, 'Red Kites', 'Norway'), (2, 'Low Tide', 'Chile'), (3, 'Ada', 'Chile');
    INSERT INTO concerts VALUES (1, 1, 'Oslo', 900), (2, 1, 'Rome', 300), (3, 2, 'Rome', 500), (4, 3, 'Rome', 250);
"""


@pytest.fixture
def askwell(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """`askwell …` with a cache and a folder for temporary files of the test's own."""
    (tmp_path / "tmp").mkdir()

    def run(*arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
        return run_askwell(*arguments, cwd=tmp_path, environ=environment(tmp_path) | environ)

    return run


def environment(folder: Path) -> dict[str, str]:
    cache = {"XDG_CACHE_HOME": str(folder / "cache"), "TMPDIR": str(folder / "tmp")}
    return {"PATH": os.environ["PATH"], "COLUMNS": "200", "NO_COLOR": "1", **cache}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return make_database(tmp_path / "shop.db")


@pytest.fixture
def bands(tmp_path: Path) -> Path:
    # The name says SQLite, the file is DuckDB's.
    path = tmp_path / "bands.sqlite"
    with duckdb.connect(str(path)) as connection:
        connection.execute(BANDS)
    return path


def the_home(tmp_path: Path) -> Path:
    (home,) = (tmp_path / "cache" / "askwell").iterdir()
    return home


Askwell = Callable[..., subprocess.CompletedProcess[str]]


class TestAnswers:
    def test_a_sqlite_file_answers_and_is_looked_at_once(self, askwell: Askwell, shop: Path, tmp_path: Path) -> None:
        question = ("ask", "--database", str(shop), "How many customers are there in Germany?")
        first = askwell(*question, "--verbose")
        assert first.returncode == 0, first.stderr
        assert "country = 'Germany'" in first.stdout
        assert "1 row" in first.stdout
        assert "Answered by rules, without a language model" in first.stdout
        assert first.stderr.split() == ["queued", "understanding", "searching", "finished"]
        home = the_home(tmp_path)
        assert stat.S_IMODE(home.stat().st_mode) == 0o700
        prepared = (home / "prepared.json").read_text()

        again = askwell("ask", "--database", str(shop), "How many orders are there?", "--quiet")
        assert again.returncode == 0
        assert again.stderr == ""
        assert (home / "prepared.json").read_text() == prepared

    @pytest.mark.deep
    def test_values_are_looked_at_again_when_the_file_changes(self, askwell: Askwell, shop: Path) -> None:
        assert askwell("ask", "--database", str(shop), "How many customers are there in Peru?").returncode == 1
        with sqlite3.connect(shop) as connection:
            connection.execute("INSERT INTO customers VALUES (9, 'Inca', 'Peru', '2024-01-01', NULL)")
        said = askwell("ask", "--database", str(shop), "How many customers are there in Peru?", "--json")
        assert said.returncode == 0, said.stdout
        assert json.loads(said.stdout.splitlines()[-1])["data"]["rows"] == [[1]]

    def test_json_is_the_result_object_on_the_last_line(self, askwell: Askwell, shop: Path) -> None:
        said = askwell("ask", "--database", str(shop), "How many orders are there?", "--json")
        result = json.loads(said.stdout.splitlines()[-1])
        assert result["status"] == "finished"
        assert result["sql"] == result["response"][0]["sql"]
        assert result["data"]["rows"] == [[4]]
        assert result["data"]["truncated"] is False
        assert (result["sql_source"], result["type"]) == ("rules", "TEXT_TO_SQL")

    def test_links_that_nobody_declared_are_found_and_said(self, askwell: Askwell, bands: Path) -> None:
        said = askwell("ask", "--database", str(bands), "How many concerts were there per band name?")
        assert said.returncode == 0, said.stderr
        assert [line.split() for line in said.stdout.splitlines() if line.strip().startswith("Red Kites")] == [
            ["Red", "Kites", "2"]
        ]
        assert "does not say that concerts.band_id = bands.band_id; this was inferred" in said.stdout

    @pytest.mark.deep
    def test_where_the_database_has_other_names_that_is_said_and_its_sql_can_be_seen(
        self, askwell: Askwell, shop: Path, tmp_path: Path
    ) -> None:
        question = ("ask", "--database", str(shop), "How many orders are there?")
        assert "--planned" not in askwell(*question).stdout

        assert askwell("model", "init", "--database", str(shop), "-o", "m.json").returncode == 0
        mdl = json.loads((tmp_path / "m.json").read_text())
        with sqlite3.connect(shop) as connection:
            connection.execute("ALTER TABLE orders RENAME TO t_order")
        next(m for m in mdl["models"] if m["name"] == "orders")["tableReference"]["table"] = "t_order"
        (tmp_path / "m.json").write_text(json.dumps(mdl))
        said = askwell(*question, "--model", "m.json").stdout
        assert "FROM orders" in said
        assert "the database has other names, and got what --planned shows" in said
        planned = askwell(*question, "--model", "m.json", "--planned").stdout
        assert "t_order" in planned
        assert "other names" not in planned

    @pytest.mark.deep
    @pytest.mark.parametrize("how", ["--quiet", "--json"])
    @pytest.mark.parametrize(("question", "status"), [("How many orders are there?", 0), ("What is love?", 1)])
    def test_a_reader_that_leaves_changes_nothing_about_the_status(
        self, shop: Path, tmp_path: Path, how: str, question: str, status: int
    ) -> None:
        reading, writing = os.pipe()
        os.close(reading)
        (tmp_path / "tmp").mkdir()
        arguments = ("ask", "--database", str(shop), question, how)
        with Command(*arguments, cwd=tmp_path, environ=environment(tmp_path), stdout=writing, stderr=PIPE) as process:
            os.close(writing)
            _, errors = process.communicate(timeout=60)
        assert process.returncode == status, errors
        assert "roken" not in errors
        assert "unexpected" not in errors

    def test_dry_runs_nothing(self, askwell: Askwell, shop: Path) -> None:
        said = askwell("ask", "--database", str(shop), "How many orders are there?", "--dry", "--json")
        result = json.loads(said.stdout.splitlines()[-1])
        assert "COUNT(*)" in result["sql"]
        assert "data" not in result

    def test_a_model_of_ones_own_takes_the_place_of_the_one_that_is_made(
        self, askwell: Askwell, shop: Path, tmp_path: Path
    ) -> None:
        assert askwell("model", "init", "--database", str(shop), "-o", "m.json").returncode == 0
        text = (tmp_path / "m.json").read_text()
        (tmp_path / "m.json").write_text(text.replace('"customers"', '"patrons"').replace('customers\\"', 'patrons\\"'))
        mdl = json.loads((tmp_path / "m.json").read_text())
        next(m for m in mdl["models"] if m["name"] == "patrons")["tableReference"]["table"] = "customers"
        (tmp_path / "m.json").write_text(json.dumps(mdl))
        said = askwell("ask", "--database", str(shop), "--model", "m.json", "How many patrons are there?", "--json")
        assert json.loads(said.stdout.splitlines()[-1])["data"]["rows"] == [[3]], said.stdout

    @pytest.mark.deep
    def test_the_table_shows_what_is_there_and_nothing_else(self, askwell: Askwell, tmp_path: Path) -> None:
        with sqlite3.connect(tmp_path / "odd.db") as connection:
            connection.execute("CREATE TABLE parts (id INTEGER PRIMARY KEY, label TEXT, weight REAL)")
            connection.executemany(
                "INSERT INTO parts VALUES (?, ?, ?)",
                [(1, "a\x1b[31mred", 0.1 + 0.2), (2, None, 1000.0), (3, "x" * 200, None), (4, "y", 2)],
            )
        said = askwell(
            *("ask", "--database", "odd.db", "List all parts", "--rows", "3"), ASKWELL_SETTINGS__ROW_LIMIT="3"
        )
        assert said.returncode == 0, said.stderr
        assert "\x1b" not in said.stdout
        assert "\\x1b[31mred" in said.stdout
        assert said.stdout.count("NULL") == 2
        assert "xxx…" in said.stdout
        assert " 0.3 " in said.stdout
        weights = [line.rstrip() for line in said.stdout.splitlines() if line.rstrip().endswith(("0.3", "1000"))]
        assert len(weights) == 2
        assert len(weights[0]) == len(weights[1])  # numbers end in one column
        assert "3 rows, more were cut off (settings.row_limit)" in said.stdout

    def test_fewer_rows_are_shown_than_there_are(self, askwell: Askwell, shop: Path) -> None:
        said = askwell("ask", "--database", str(shop), "List all orders", "--rows", "2")
        assert "4 rows; the first 2 are shown (--rows shows more)" in said.stdout

    def test_without_an_answer_it_says_why_and_what_to_do(self, askwell: Askwell, shop: Path) -> None:
        said = askwell("ask", "--database", str(shop), "How many orders frobnicate?")
        assert said.returncode == 1
        assert "frobnicate" in said.stderr
        assert "say what “frobnicate” means" in said.stderr


class TestOtherEncodings:
    """A terminal or a pipe that has not every letter: what it has is shown, and JSON loses nothing."""

    @pytest.fixture(autouse=True)
    def muller(self, shop: Path) -> None:
        with sqlite3.connect(shop) as connection:
            connection.execute("INSERT INTO customers VALUES (9, 'Müller 木', 'Österreich', '2024-01-01', NULL)")

    @pytest.mark.parametrize(("encoding", "name"), [("latin-1", "Müller ?"), ("ascii", "M?ller ?")])
    def test_a_table(self, askwell: Askwell, shop: Path, encoding: str, name: str) -> None:
        question = "Show name and country of all customers"
        said = askwell("ask", "--database", str(shop), question, PYTHONIOENCODING=encoding)
        assert (said.returncode, name in said.stdout) == (0, True), said.stderr

    def test_json(self, askwell: Askwell, shop: Path) -> None:
        question = "How many customers are there in Österreich?"
        said = askwell("ask", "--database", str(shop), question, "--json", PYTHONIOENCODING="ascii")
        assert "'Österreich'" in json.loads(said.stdout.splitlines()[-1])["sql"]
        written = askwell("model", "init", "--database", str(shop), PYTHONIOENCODING="ascii")
        assert json.loads(written.stdout)["models"]

    def test_the_doctor(self, askwell: Askwell) -> None:
        said = askwell("doctor", PYTHONIOENCODING="latin-1")
        assert "? Name a database under `data_sources`." in said.stdout
        assert "Traceback" not in said.stderr

    def test_a_question_in_letters_that_the_locale_does_not_know(self, askwell: Askwell, shop: Path) -> None:
        typed = "How many customers are there in Österreich?".encode().decode("ascii", "surrogateescape")
        assert "'Österreich'" in askwell("ask", "--database", str(shop), typed).stdout


class TestServers:
    @pytest.mark.parametrize("new", [new_postgresql, new_mariadb])
    def test_a_server_answers_by_its_url(
        self, askwell: Askwell, new: Callable[[], ServerDatabase], tmp_path: Path
    ) -> None:
        server = new()
        try:
            for statement in filter(str.strip, BANDS.split(";")):
                server.ask(statement)
            question = "How many concerts were there per band name?"
            said = askwell("ask", "--database", "env:BANDS_URL", question, "--json", BANDS_URL=server.url)
            assert said.returncode == 0, said.stderr
            result = json.loads(said.stdout.splitlines()[-1])
            assert sorted(result["data"]["rows"]) == [["Ada", 1], ["Low Tide", 1], ["Red Kites", 2]]
            assert any("concerts.band_id = bands.band_id" in line for line in result["assumptions"])
            scheme, _, place = server.url.partition("://")
            host = place.rpartition("@")[2]
            refused = askwell("ask", "--database", f"{scheme}://nobody:hunter2@{host}", question)
            assert refused.returncode == 3
            assert "refuses the user or the password" in refused.stderr
            kept = b"".join(path.read_bytes() for path in (tmp_path / "cache").rglob("*") if path.is_file())
            assert b"hunter2" not in kept + refused.stderr.encode() + refused.stdout.encode()
        finally:
            server.drop()


class TestTimeZones:
    @pytest.mark.parametrize("kind", ["duckdb", "postgresql", "mariadb"])
    @pytest.mark.deep
    def test_days_begin_where_the_asker_is(self, askwell: Askwell, tmp_path: Path, kind: str) -> None:
        """At eight in the evening of New Year in UTC it is five in the morning of the next day in Tokyo."""
        moment, at = ("TIMESTAMPTZ", "'2024-01-01 20:00:00+00'")
        if kind == "mariadb":
            moment, at = "TIMESTAMP NULL", "FROM_UNIXTIME(1704139200)"
        statements = (
            f"CREATE TABLE visits (visit_id INTEGER PRIMARY KEY, seen_at {moment})",
            f"INSERT INTO visits VALUES (1, {at})",
        )
        with contextlib.ExitStack() as closing:
            if kind == "duckdb":
                database = str(tmp_path / "visits.duckdb")
                with duckdb.connect(database) as connection:
                    connection.execute(";".join(statements))
            else:
                server = new_postgresql() if kind == "postgresql" else new_mariadb()
                closing.callback(server.drop)
                for statement in statements:
                    server.ask(statement)
                database = server.url

            def counted(*options: str, **environ: str) -> int:
                question = "How many visits were there on 2024-01-02?"
                said = askwell("ask", "--database", database, question, "--json", *options, **environ)
                assert said.returncode == 0, said.stderr
                count: int = json.loads(said.stdout.splitlines()[-1])["data"]["rows"][0][0]
                return count

            assert counted("--timezone", "Asia/Tokyo") == 1
            assert counted("--timezone", "UTC", TZ="Asia/Tokyo") == 0
            assert counted(TZ="Asia/Tokyo") == 1


class TestMistakes:
    """Each is told in words, with what to do, without a traceback; 2 where what was given is wrong."""

    @pytest.mark.deep
    @pytest.mark.parametrize(
        ("database", "words"),
        [
            ("nowhere.db", "there is no file nowhere.db"),
            (".", ". is a directory"),
            ("notes.txt", "notes.txt is not a database; it looks like text"),
            ("empty.db", "empty.db is an empty file"),
            ("random.db", "random.db is not a database; what it is instead is not known"),
            ("latin.db", "latin.db is not a database; it looks like text"),
            ("packed.db", "packed.db is not a database; it looks like a gzip archive"),
            ("sealed.db", "It is encrypted or damaged."),
            ("cut.db", "It is damaged."),
            ("duckdb:///shop.db", "is a database of sqlite, not of duckdb"),
            ("oracle://u:hunter2@host/d", "databases at oracle:// cannot be asked"),
            ("postgresql://u:hunter2@host:port/d", "not a database URL"),
            ("postgres:/u:hunter2@host/d", "neither a file that is there nor a URL"),
            ("book.xlsx", "it looks like a zip archive or spreadsheet"),
            ("env:NOT_SET", "the environment variable NOT_SET is not set"),
            ("", "names nothing"),
        ],
    )
    def test_what_was_given_is_no_database(
        self, askwell: Askwell, shop: Path, tmp_path: Path, database: str, words: str
    ) -> None:
        (tmp_path / "notes.txt").write_text("hello")
        (tmp_path / "empty.db").touch()
        (tmp_path / "random.db").write_bytes(bytes(range(256)))
        (tmp_path / "latin.db").write_bytes("größe;né\n1;2\n".encode("latin-1"))
        (tmp_path / "packed.db").write_bytes(gzip.compress(b"x"))
        (tmp_path / "sealed.db").write_bytes(b"SQLite format 3\0" + bytes(range(256)) * 40)
        (tmp_path / "cut.db").write_bytes(shop.read_bytes()[:-5000])
        (tmp_path / "book.xlsx").write_bytes(b"PK\x03\x04")
        said = askwell("ask", "--database", database, "How many?", "--json")
        assert said.returncode == (3 if "damaged" in words else 2)
        assert words in said.stderr
        assert "Traceback" not in said.stderr
        assert "hunter2" not in said.stderr + said.stdout
        assert words in json.loads(said.stdout.splitlines()[-1])["error"]["message"]

    def test_a_table_in_a_file_is_one_command_away(
        self, askwell: Askwell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "2024 sales.csv").write_text("city,amount\nOslo,3\nRome,4\n")
        said = askwell("ask", "--database", "2024 sales.csv", "How many?")
        assert said.returncode == 2
        program = said.stderr.partition('python -c "')[2].partition('"\n')[0]
        monkeypatch.chdir(tmp_path)
        exec(program, {})
        with duckdb.connect("t_2024_sales.duckdb", read_only=True) as made:
            assert made.execute("SELECT SUM(amount) FROM t_2024_sales").fetchone() == (7,)
        assert "--database t_2024_sales.duckdb" in said.stderr

    def test_a_file_that_may_not_be_read(self, askwell: Askwell, shop: Path) -> None:
        if os.geteuid() == 0:
            pytest.skip("root may read every file")
        shop.chmod(0)
        said = askwell("ask", "--database", str(shop), "How many?")
        assert said.returncode == 2
        assert "cannot be read (Permission denied)" in said.stderr

    @pytest.mark.deep
    @pytest.mark.parametrize(
        ("make", "words", "status"),
        [
            ("no_tables", "has no tables", 2),
            ("damaged", "damaged", 3),
            ("locked", "Another process has it open for writing", 3),
            ("no_server", "Nothing accepts connections at its address", 3),
        ],
    )
    def test_a_database_that_cannot_be_asked_now(
        self, askwell: Askwell, shop: Path, tmp_path: Path, make: str, words: str, status: int
    ) -> None:
        if make == "locked":
            with duckdb.connect(str(tmp_path / "busy.duckdb")) as held:
                held.execute("CREATE TABLE t (a INTEGER)")
                said = askwell("ask", "--database", "busy.duckdb", "How many t?")
        elif make == "no_server":
            pytest.importorskip("psycopg", reason="psycopg is not installed, so PostgreSQL is not tested")
            said = askwell("ask", "--database", "postgresql://u:hunter2@127.0.0.1:9/d", "How many?")
        else:
            with sqlite3.connect(tmp_path / "bad.db") as connection:
                connection.executescript("CREATE TABLE t (a); DROP TABLE t")
            if make == "damaged":
                (tmp_path / "bad.db").write_bytes(shop.read_bytes()[:3000])
            said = askwell("ask", "--database", "bad.db", "How many?")
        assert said.returncode == status
        assert words in said.stderr
        assert "Traceback" not in said.stderr
        assert "hunter2" not in said.stderr
        assert "data source" not in said.stderr  # which are a service's
        assert "service's log" not in said.stderr
        # Nothing is kept about what was never asked.
        assert make == "no_tables" or not (tmp_path / "cache").exists()

    @pytest.mark.deep
    @pytest.mark.parametrize(
        ("arguments", "words"),
        [
            (("--database", "shop.db", " "), "There is no question"),
            (("--database", "shop.db", "--url", "http://x", "q"), "--url does not go with --database"),
            (("--max-attempts", "2", "q"), "--max-attempts needs --database"),
            (("--timezone", "UTC", "q"), "--timezone needs --database"),
            (("--database", "shop.db", "--timezone", "Mars", "q"), "there is no time zone Mars"),
            (("--database", "shop.db", "--model", "none.json", "q"), "There is no file none.json"),
            (("--database", "shop.db", "--config", "none.yaml", "q"), "none.yaml does not exist"),
        ],
    )
    def test_options_that_make_no_sense(
        self, askwell: Askwell, shop: Path, arguments: tuple[str, ...], words: str
    ) -> None:
        said = askwell("ask", *arguments)
        assert said.returncode == 2
        assert words in said.stderr

    def test_a_model_with_problems_lists_them(self, askwell: Askwell, shop: Path, tmp_path: Path) -> None:
        (tmp_path / "m.json").write_text('{"models": [{"name": "x"}]}')
        said = askwell("ask", "--database", "shop.db", "--model", "m.json", "How many x?")
        assert said.returncode == 2
        assert '"columns" is missing' in said.stderr
        assert '"catalog" is missing' in said.stderr


class TestWordsWithoutAModel:
    def test_a_question_about_the_data_is_printed_in_words_with_status_0(self, askwell: Askwell, shop: Path) -> None:
        said = askwell("ask", "--database", "shop.db", "what columns do orders have?")
        assert said.returncode == 0, said.stderr
        assert said.stdout.startswith("orders is a table.")
        assert "status (" in said.stdout

    def test_the_result_object_has_the_words_too(self, askwell: Askwell, shop: Path) -> None:
        said = askwell("ask", "--database", "shop.db", "--json", "help")
        assert said.returncode == 0, said.stderr
        result = json.loads(said.stdout.splitlines()[-1])
        assert (result["status"], result["general_type"]) == ("finished", "USER_GUIDE")
        assert "customers (" in result["words"]


class TestCache:
    @pytest.mark.deep
    def test_two_at_once_both_answer(self, askwell: Askwell, shop: Path, tmp_path: Path) -> None:
        assert askwell("ask", "--database", "shop.db", "How many orders are there?").returncode == 0
        lock = HomeLock.take(the_home(tmp_path))
        try:
            said = askwell("ask", "--database", "shop.db", "How many orders are there?")
        finally:
            lock.release()
        assert said.returncode == 0, said.stderr
        assert "works on a copy of what is known" in said.stderr
        assert list((tmp_path / "tmp").iterdir()) == []

    def test_a_cache_that_cannot_be_written(self, askwell: Askwell, shop: Path, tmp_path: Path) -> None:
        (tmp_path / "cache").write_text("a file where the folder should be")
        said = askwell("ask", "--database", "shop.db", "How many orders are there?")
        assert said.returncode == 0, said.stderr
        assert "cannot be written" in said.stderr
        assert "Nothing will be kept when this ends" in said.stderr
        assert list((tmp_path / "tmp").iterdir()) == []

    @pytest.mark.deep
    def test_old_asks_and_folders_of_databases_that_nobody_asks_are_removed(
        self, askwell: Askwell, shop: Path, tmp_path: Path
    ) -> None:
        assert askwell("ask", "--database", "shop.db", "How many orders are there?").returncode == 0
        home = the_home(tmp_path)
        unused, models = home.with_name("a" * 24), home.with_name("models")
        for folder in (unused, models):
            folder.mkdir()
            (folder / "prepared.json").touch()
            os.utime(folder / "prepared.json", (0, 0))
        os.utime(home / "tidied", (0, 0))
        with sqlite3.connect(home / "record.sqlite") as connection:
            connection.execute("UPDATE jobs SET finished_at = 0")
        assert askwell("ask", "--database", "shop.db", "How many customers are there?").returncode == 0
        with sqlite3.connect(home / "record.sqlite") as connection:
            assert connection.execute("SELECT COUNT(*) FROM jobs WHERE kind = 'ask'").fetchone() == (1,)
        assert sorted(home.parent.iterdir()) == sorted([home, models])

    def test_a_damaged_cache_is_not_used(self, askwell: Askwell, shop: Path, tmp_path: Path) -> None:
        assert askwell("ask", "--database", "shop.db", "How many orders are there?").returncode == 0
        (the_home(tmp_path) / "record.sqlite").write_text("not a record at all, but long enough to look at" * 99)
        said = askwell("ask", "--database", "shop.db", "How many orders are there?")
        assert said.returncode == 0, said.stderr
        assert f"What is kept in {the_home(tmp_path)} is not used; delete it." in said.stderr
        assert list((tmp_path / "tmp").iterdir()) == []


@pytest.fixture
def model_server(tmp_path: Path) -> Iterator[Callable[[dict[str, list[Answer]]], str]]:
    """Starts a scripted language model server; gives its address."""
    started: list[subprocess.Popen[str]] = []

    def start(stages: dict[str, list[Answer]]) -> str:
        script = {name: [answer.__dict__ for answer in answers] for name, answers in stages.items()}
        (tmp_path / "script.json").write_text(json.dumps({"stages": script}))
        assert ChatScript.from_dict({"stages": script}).stages
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.fakes.openai_server", "--script", str(tmp_path / "script.json")],
            cwd=Path(__file__).parents[2],
            stdout=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        assert process.stdout is not None
        return str(json.loads(process.stdout.readline())["api_base"])

    yield start
    for process in started:
        process.terminate()
        process.communicate(timeout=30)


def stages_asked(api_base: str) -> list[str]:
    with urllib.request.urlopen(api_base.removesuffix("/v1") + "/requests", timeout=10) as answer:
        return [request["stage"] for request in json.loads(answer.read())]


def with_model(folder: Path, api_base: str) -> None:
    settings: dict[str, Any] = {
        "llm": {"default": {"provider": "openai", "model": "m", "api_base": api_base}},
        "embedder": {"default": {"provider": "none"}},
        "settings": {"scope_gate": False},
    }
    (folder / "config.yaml").write_text(json.dumps(settings))


def test_what_a_service_keeps_is_left_alone(askwell: Askwell, shop: Path, tmp_path: Path) -> None:
    # Nothing listens at either address: whoever tried to use them would fail.
    settings = {
        "knowledge": {"url": "postgresql+psycopg://nobody@127.0.0.1:1/askwell"},
        "document_store": {"provider": "qdrant", "location": "http://127.0.0.1:1"},
    }
    (tmp_path / "config.yaml").write_text(json.dumps(settings))
    said = askwell("ask", "--database", "shop.db", "How many orders are there?", "--json")
    assert said.returncode == 0, said.stderr
    assert (the_home(tmp_path) / "record.sqlite").exists()


class TestLanguageModel:
    QUESTION = "Whom should we thank for the most orders?"

    @pytest.mark.parametrize("attempts", [0, 2])
    @pytest.mark.deep
    def test_corrections_end_at_max_attempts(
        self, askwell: Askwell, shop: Path, tmp_path: Path, model_server: Any, attempts: int
    ) -> None:
        wrong = Answer(json={"sql": "SELECT nothing_like_it FROM orders"})
        api_base = model_server({"sql_generation": [wrong], "sql_correction": [wrong]})
        with_model(tmp_path, api_base)
        said = askwell("ask", "--database", "shop.db", self.QUESTION, "--max-attempts", str(attempts), "--json")
        assert said.returncode == 1, said.stderr
        asked = stages_asked(api_base)
        assert (asked.count("sql_generation"), asked.count("sql_correction")) == (1, attempts)
        assert json.loads(said.stdout.splitlines()[-1])["invalid_sql"].startswith("SELECT nothing_like_it")

    def test_a_statement_that_fails_is_corrected(
        self, askwell: Askwell, shop: Path, tmp_path: Path, model_server: Any
    ) -> None:
        joined = "FROM customers c JOIN orders o ON o.customer_id = c.id"
        right = f"SELECT c.name {joined} GROUP BY c.name ORDER BY COUNT(*) DESC LIMIT 1"
        api_base = model_server(
            {
                "sql_generation": [Answer(json={"sql": "SELECT nothing_like_it FROM orders"})],
                "sql_correction": [Answer(json={"sql": right})],
            }
        )
        with_model(tmp_path, api_base)
        said = askwell("ask", "--database", "shop.db", self.QUESTION, "--verbose")
        assert said.returncode == 0, said.stderr
        assert "Ada Lovelace" in said.stdout
        assert "Written by the language model m, " in said.stdout
        assert "orders and customers were joined where orders.customer_id = customers.id" in said.stdout
        assert "model calls" in said.stdout
        assert "correcting" in said.stderr.split()

    @pytest.mark.deep
    @pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
    def test_an_ask_that_was_interrupted_is_not_asked_again(
        self, askwell: Askwell, shop: Path, tmp_path: Path, model_server: Any, how: signal.Signals
    ) -> None:
        api_base = model_server({"sql_generation": [Answer(json={"sql": "SELECT 1"}, hang=True)]})
        with_model(tmp_path, api_base)
        arguments = ("ask", "--database", "shop.db", self.QUESTION)
        with Command(*arguments, cwd=tmp_path, environ=environment(tmp_path), stderr=PIPE) as process:
            deadline = time.monotonic() + 60
            while "sql_generation" not in stages_asked(api_base) and time.monotonic() < deadline:
                time.sleep(0.05)
            children = psutil.Process(process.pid).children(recursive=True)
            process.send_signal(how)
            _, said_at_last = process.communicate(timeout=30)
        assert said_at_last.endswith("Stopped.\n") == (how is not signal.SIGKILL)
        assert process.returncode == (130 if how is not signal.SIGKILL else -signal.SIGKILL)
        assert psutil.wait_procs(children, timeout=10)[1] == []
        assert list((tmp_path / "tmp").iterdir()) == []

        said = askwell("ask", "--database", "shop.db", "How many orders are there?")
        assert said.returncode == 0, said.stderr
        assert stages_asked(api_base).count("sql_generation") == 1
