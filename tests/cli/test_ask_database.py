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
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import psutil
import pytest
from anyio.from_thread import start_blocking_portal

from askwell.cli.local.database import explained
from askwell.errors import EngineUnavailable
from askwell.knowledge.engines import HomeLock
from askwell.messages import say
from askwell.resources import words_file
from tests.cli.running import askwell, environment, last_json, refused
from tests.fakes.openai_server import Answer, ChatServer
from tests.support.commands import PIPE, Command
from tests.support.servers import ServerDatabase, new_mariadb, new_postgresql
from tests.support.tiny_shop import make_database

ORDERS = "How many orders are there?"
BANDS = """
    CREATE TABLE bands (band_id INTEGER, band_name VARCHAR(40), country VARCHAR(40));
    CREATE TABLE concerts (concert_id INTEGER, band_id INTEGER, city VARCHAR(40), visitors INTEGER);
    INSERT INTO bands VALUES (1, 'Red Kites', 'Norway'), (2, 'Low Tide', 'Chile'), (3, 'Ada', 'Chile');
    INSERT INTO concerts VALUES (1, 1, 'Oslo', 900), (2, 1, 'Rome', 300), (3, 2, 'Rome', 500), (4, 3, 'Rome', 250);
"""
Ended = subprocess.CompletedProcess[str]
Ask = Callable[..., Ended]


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the shop, and with what a first ask has learnt about it."""
    folder = tmp_path_factory.mktemp("known")
    make_database(folder / "shop.db")
    assert askwell("ask", "--database", "shop.db", ORDERS, folder=folder).returncode == 0
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the shop, about which nothing is known yet."""
    make_database(tmp_path / "shop.db")
    return tmp_path


@pytest.fixture
def ask(folder: Path) -> Ask:
    """Asks the shop of `folder`."""
    return lambda *arguments, **environ: askwell("ask", "--database", "shop.db", *arguments, folder=folder, **environ)


def home_of(folder: Path) -> Path:
    """Where what is known of the only database is kept."""
    (home,) = (folder / ".local/share/askwell/databases").iterdir()
    return home


def insert(folder: Path, *values: Any) -> None:
    with sqlite3.connect(folder / "shop.db") as connection:
        connection.execute(f"INSERT INTO customers VALUES ({', '.join('?' * len(values))})", values)


class TestAnswers:
    def test_a_sqlite_file_answers_and_is_looked_at_once(self, ask: Ask, folder: Path) -> None:
        first = ask("How many customers are there in Germany?", "--verbose")
        assert first.returncode == 0, first.stderr
        for fact in ("country = 'Germany'", "1 row", "Answered by rules, without a language model"):
            assert fact in first.stdout
        assert first.stderr.split() == ["queued", "understanding", "searching", "finished"]
        home = home_of(folder)
        assert stat.S_IMODE(home.stat().st_mode) == 0o700
        prepared = (home / "prepared.json").read_text()
        again = ask(ORDERS, "--quiet")
        assert (again.returncode, again.stderr, (home / "prepared.json").read_text()) == (0, "", prepared)

    def test_values_and_columns_are_looked_at_again_when_the_file_changes(self, ask: Ask, folder: Path) -> None:
        assert ask("How many customers are there in Peru?").returncode == 1
        insert(folder, 9, "Inca", "Peru", "2024-01-01", None)
        with sqlite3.connect(folder / "shop.db") as connection:
            connection.execute("ALTER TABLE customers ADD COLUMN nickname TEXT")
        assert last_json(ask("How many customers are there in Peru?", "--json"))["data"]["rows"] == [[1]]
        assert "nickname" in ask("List the nickname of all customers").stdout

    @pytest.mark.parametrize(
        ("arguments", "facts"),
        [
            ((), {"data": True, "sql_source": "rules", "type": "TEXT_TO_SQL", "status": "finished"}),
            (("--dry",), {"data": False, "sql_source": "rules", "status": "finished"}),
        ],
    )
    def test_json_is_the_result_object_on_the_last_line(
        self, known: Path, arguments: tuple[str, ...], facts: dict[str, Any]
    ) -> None:
        result = last_json(askwell("ask", "--database", "shop.db", ORDERS, "--json", *arguments, folder=known))
        assert (result["sql"], "COUNT(*)" in result["sql"]) == (result["response"][0]["sql"], True)
        assert {**result, "data": "data" in result}.items() >= facts.items()
        if "data" in result:
            assert (result["data"]["rows"], result["data"]["truncated"]) == ([[4]], False)

    def test_links_that_nobody_declared_are_found_and_said(self, tmp_path: Path) -> None:
        # The name says SQLite, the file is DuckDB's.
        with duckdb.connect(str(tmp_path / "bands.sqlite")) as connection:
            connection.execute(BANDS)
        question = "How many concerts were there per band name?"
        ended = askwell("ask", "--database", "bands.sqlite", question, folder=tmp_path)
        assert ended.returncode == 0, ended.stderr
        assert ["Red", "Kites", "2"] in [line.split() for line in ended.stdout.splitlines()]
        assert "does not say that concerts.band_id = bands.band_id; this was inferred" in ended.stdout

    def test_a_model_of_ones_own_takes_the_place_of_the_one_that_is_made(self, ask: Ask, folder: Path) -> None:
        """Where the database has other names than the model, that is said, and its SQL can be seen."""
        assert "--planned" not in ask(ORDERS).stdout
        assert askwell("model", "init", "--database", "shop.db", "-o", "m.json", folder=folder).returncode == 0
        mdl = json.loads((folder / "m.json").read_text())
        with sqlite3.connect(folder / "shop.db") as connection:
            connection.execute("ALTER TABLE orders RENAME TO t_order")
        next(model for model in mdl["models"] if model["name"] == "orders")["tableReference"]["table"] = "t_order"
        (folder / "m.json").write_text(json.dumps(mdl))
        ended = ask(ORDERS, "--model", "m.json")
        assert "FROM orders" in ended.stdout
        assert "the database has other names, and got what --planned shows" in ended.stdout
        planned = ask(ORDERS, "--model", "m.json", "--planned").stdout
        assert ("t_order" in planned, "other names" in planned) == (True, False)

    @pytest.mark.deep
    @pytest.mark.parametrize("how", ["--quiet", "--json"])
    @pytest.mark.parametrize(("question", "status"), [(ORDERS, 0), ("What is love?", 1)])
    def test_a_reader_that_leaves_changes_nothing_about_the_status(
        self, known: Path, how: str, question: str, status: int
    ) -> None:
        reading, writing = os.pipe()
        os.close(reading)
        arguments = ("ask", "--database", "shop.db", question, how)
        with Command(*arguments, cwd=known, environ=environment(known), stdout=writing, stderr=PIPE) as process:
            os.close(writing)
            _, errors = process.communicate(timeout=60)
        assert process.returncode == status, errors
        assert "roken" not in errors
        assert "unexpected" not in errors

    @pytest.mark.deep
    def test_the_table_shows_what_is_there_and_nothing_else(self, tmp_path: Path) -> None:
        with sqlite3.connect(tmp_path / "odd.db") as connection:
            connection.execute("CREATE TABLE parts (id INTEGER PRIMARY KEY, label TEXT, weight REAL)")
            rows = [(1, "a\x1b[31mred", 0.1 + 0.2), (2, None, 1000.0), (3, "x" * 200, None), (4, "y", 2)]
            connection.executemany("INSERT INTO parts VALUES (?, ?, ?)", rows)
        arguments = ("ask", "--database", "odd.db", "List id, label and weight of all parts", "--rows", "3")
        ended = askwell(*arguments, folder=tmp_path, ASKWELL_SETTINGS__ROW_LIMIT="3")
        assert ended.returncode == 0, ended.stderr
        assert "\x1b" not in ended.stdout
        for fact in ("\\x1b[31mred", "xxx…", " 0.3 ", "3 rows, more were cut off (settings.row_limit)"):
            assert fact in ended.stdout
        assert ended.stdout.count("NULL") == 2
        weights = [line.rstrip() for line in ended.stdout.splitlines() if line.rstrip().endswith(("0.3", "1000"))]
        assert len({len(line) for line in weights}) == 1  # numbers end in one column

    @pytest.mark.parametrize(
        ("arguments", "status", "printed", "told"),
        [
            (("List all orders", "--rows", "2"), 0, "4 rows; the first 2 are shown (--rows shows more)", ""),
            (("How many orders frobnicate?",), 1, "", "say what “frobnicate” means"),
            (("what columns do orders have?",), 0, "orders is a table.", ""),
        ],
    )
    def test_what_is_printed(
        self, known: Path, arguments: tuple[str, ...], status: int, printed: str, told: str
    ) -> None:
        ended = askwell("ask", "--database", "shop.db", *arguments, folder=known)
        assert (ended.returncode, printed in ended.stdout, told in ended.stderr) == (status, True, True), ended

    def test_the_result_object_of_an_answer_in_words_has_them_too(self, known: Path) -> None:
        result = last_json(askwell("ask", "--database", "shop.db", "--json", "help", folder=known))
        assert (result["status"], result["general_type"]) == ("finished", "USER_GUIDE")
        assert "customers (" in result["words"]


@pytest.mark.parametrize(("encoding", "name"), [("latin-1", "Müller ?"), ("ascii", "M?ller ?")])
def test_a_terminal_that_has_not_every_letter_shows_what_it_has_and_json_loses_nothing(
    ask: Ask, folder: Path, encoding: str, name: str
) -> None:
    insert(folder, 9, "Müller 木", "Österreich", "2024-01-01", None)
    table = ask("Show name and country of all customers", PYTHONIOENCODING=encoding)
    assert (table.returncode, name in table.stdout) == (0, True), table.stderr
    question = "How many customers are there in Österreich?"
    assert "'Österreich'" in last_json(ask(question, "--json", PYTHONIOENCODING=encoding))["sql"]
    # Letters that the locale does not know come as bytes.
    assert "'Österreich'" in ask(question.encode().decode("ascii", "surrogateescape")).stdout
    written = askwell("model", "init", "--database", "shop.db", folder=folder, PYTHONIOENCODING=encoding)
    assert json.loads(written.stdout)["models"]
    doctor = askwell("doctor", folder=folder, PYTHONIOENCODING="latin-1")
    assert "? Name a database under `data_sources`." in doctor.stdout


@pytest.mark.parametrize("new", [new_postgresql, new_mariadb])
def test_a_server_answers_by_its_url(new: Callable[[], ServerDatabase], tmp_path: Path) -> None:
    server = new()
    question = "How many concerts were there per band name?"
    try:
        for statement in filter(str.strip, BANDS.split(";")):
            server.ask(statement)
        asked = ("ask", question, "--json", "--database")
        ended = askwell(*asked, "env:BANDS_URL", folder=tmp_path, BANDS_URL=server.url)
        assert ended.returncode == 0, ended.stderr
        result = last_json(ended)
        assert sorted(result["data"]["rows"]) == [["Ada", 1], ["Low Tide", 1], ["Red Kites", 2]]
        assert any("concerts.band_id = bands.band_id" in line for line in result["assumptions"])
        scheme, _, place = server.url.partition("://")
        unknown = askwell(*asked, f"{scheme}://nobody:hunter2@{place.rpartition('@')[2]}", folder=tmp_path)
        refused(unknown, 3, "refuses the user or the password")
        kept = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
        assert b"hunter2" not in kept + unknown.stderr.encode() + unknown.stdout.encode()
    finally:
        server.drop()


@pytest.mark.parametrize("kind", ["duckdb", "postgresql", "mariadb"])
@pytest.mark.deep
def test_days_begin_where_the_asker_is(tmp_path: Path, kind: str) -> None:
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
        asked = ("ask", "--database", database, "How many visits were there on 2024-01-02?", "--json")
        for options, environ, count in (
            (("--timezone", "Asia/Tokyo"), {}, 1),
            (("--timezone", "UTC"), {"TZ": "Asia/Tokyo"}, 0),
            ((), {"TZ": "Asia/Tokyo"}, 1),
        ):
            result = last_json(askwell(*asked, *options, folder=tmp_path, **environ))
            assert result["data"]["rows"] == [[count]], (options, environ)


class TestMistakes:
    """Each is told in words, with what to do, without a traceback; 2 where what was given is wrong."""

    @pytest.mark.parametrize(
        ("database", "words"),
        [
            ("nowhere.db", "There is no file nowhere.db"),
            (".", ". has no CSV files"),
            ("notes.txt", "notes.txt is not a database; it looks like text"),
            ("empty.db", "empty.db is an empty file"),
            ("random.db", "random.db is not a database; what it is instead is not known"),
            ("latin.db", "latin.db is not a database; it looks like text"),
            ("packed.db", "packed.db is not a database; it looks like a gzip archive"),
            ("sealed.db", "It is encrypted or damaged."),
            ("cut.db", "It is damaged."),
            ("duckdb:///shop.db", "is a database of sqlite, not of duckdb"),
            ("oracle://u:hunter2@host/d", "Askwell doesn't support oracle:// databases"),
            ("postgresql://u:hunter2@host:port/d", "not a database URL"),
            ("postgres:/u:hunter2@host/d", say("cli.database_no_url").message),
            ("book.xlsx", "it looks like a zip archive or spreadsheet"),
            ("env:NOT_SET", "The environment variable NOT_SET is not set"),
            ("", "is empty"),
        ],
    )
    @pytest.mark.deep
    def test_what_was_given_is_no_database(self, folder: Path, database: str, words: str) -> None:
        for name, content in {
            "notes.txt": b"hello",
            "empty.db": b"",
            "random.db": bytes(range(256)),
            "latin.db": "größe;né\n1;2\n".encode("latin-1"),
            "packed.db": gzip.compress(b"x"),
            "sealed.db": b"SQLite format 3\0" + bytes(range(256)) * 40,
            "cut.db": (folder / "shop.db").read_bytes()[:-5000],
            "book.xlsx": b"PK\x03\x04",
        }.items():
            (folder / name).write_bytes(content)
        ended = askwell("ask", "--database", database, "How many?", "--json", folder=folder)
        refused(ended, 3 if "damaged" in words else 2, words)
        assert "hunter2" not in ended.stderr + ended.stdout
        assert words in last_json(ended)["error"]["message"]

    def test_a_csv_file_or_a_folder_of_them_is_a_database(self, tmp_path: Path) -> None:
        folder = tmp_path / "tables"
        folder.mkdir()
        (folder / "2024 sales.csv").write_text("city,amount\nOslo,3\nRome,4\n")
        for given in ("tables/2024 sales.csv", "tables"):
            ended = askwell("ask", "--database", given, "--format", "csv", "total amount", folder=tmp_path)
            assert ended.stdout.splitlines()[1:] == ["7"], ended.stderr
            assert "nanobind" not in ended.stderr
        (folder / "2024 sales.csv").unlink()
        refused(askwell("ask", "--database", "tables", "How many?", folder=tmp_path), 2, "has no CSV files")

    def test_a_file_that_may_not_be_read(self, ask: Ask, folder: Path) -> None:
        if os.geteuid() == 0:
            pytest.skip("root may read every file")
        (folder / "shop.db").chmod(0)
        refused(ask("How many?"), 2, "cannot be read (Permission denied)")

    @pytest.mark.deep
    @pytest.mark.parametrize(
        ("make", "words", "status"),
        [
            ("no_tables", ["has no tables"], 2),
            ("damaged", ["damaged"], 3),
            ("locked", ["Another process has it open for writing", "Close it there, then ask again."], 3),
            ("no_server", ["Nothing accepts connections at its address", "port in the URL that you gave"], 3),
        ],
    )
    def test_a_database_that_cannot_be_asked_now(self, folder: Path, make: str, words: list[str], status: int) -> None:
        database = "bad.db"
        with contextlib.ExitStack() as closing:
            if make == "locked":
                database = "busy.duckdb"
                held = closing.enter_context(duckdb.connect(str(folder / database)))
                held.execute("CREATE TABLE t (a INTEGER)")
            elif make == "no_server":
                pytest.importorskip("psycopg", reason="psycopg is not installed, so PostgreSQL is not tested")
                database = "postgresql://u:hunter2@127.0.0.1:9/d"
            elif make == "damaged":
                (folder / database).write_bytes((folder / "shop.db").read_bytes()[:3000])
            else:
                with sqlite3.connect(folder / database) as connection:
                    connection.executescript("CREATE TABLE t (a); DROP TABLE t")
            ended = askwell("ask", "--database", database, "How many?", folder=folder)
        for word in words:
            refused(ended, status, word)
        # Data sources and a log are a service's.
        assert not any(word in ended.stderr for word in ("hunter2", "data source", "service's log"))
        # Nothing is kept about what was never asked.
        assert make == "no_tables" or not (folder / ".local").exists()

    @pytest.mark.parametrize(
        ("arguments", "words"),
        [
            (("--database", "shop.db", " "), say("cli.no_question").message),
            (("--database", "shop.db", "--url", "http://x", "q"), say("cli.url_and_database").message),
            (("--max-attempts", "2", "q"), "--max-attempts needs a database"),
            (("--timezone", "UTC", "q"), "--timezone needs a database"),
            (("--database", "shop.db", "--timezone", "Mars", "q"), "there is no time zone Mars"),
            (("--database", "shop.db", "--model", "none.json", "q"), "There is no file none.json"),
            (("--database", "shop.db", "--config", "none.yaml", "q"), "none.yaml does not exist"),
            (("--database", "shop.db", "--model", "bad.json", "q"), '"columns" is missing'),
        ],
    )
    def test_options_that_make_no_sense(self, folder: Path, arguments: tuple[str, ...], words: str) -> None:
        (folder / "bad.json").write_text('{"models": [{"name": "x"}]}')
        refused(askwell("ask", *arguments, folder=folder), 2, words)


@pytest.mark.parametrize("place", ["file", "server"])
def test_what_engines_say_is_put_into_words_for_somebody_without_a_service(place: str) -> None:
    for reason, (message, hint) in words_file("askwell.providers.engine", "unusable.yaml")[place].items():
        error = explained(EngineUnavailable(message, hint))
        only_a_service_has = ("data source", "service", "configuration", "pool_size")
        assert not [word for word in only_a_service_has if word in f"{error.message}\n{error.hint}"], reason


class TestCache:
    def test_two_at_once_both_answer_and_a_damaged_one_is_not_used(self, ask: Ask, folder: Path) -> None:
        assert ask(ORDERS).returncode == 0
        home = home_of(folder)
        lock = HomeLock.take(home)
        try:
            beside = ask(ORDERS)
        finally:
            lock.release()
        assert (beside.returncode, "works on a copy of what is known" in beside.stderr) == (0, True), beside.stderr
        (home / "record.sqlite").write_text("not a record at all, but long enough to look at" * 99)
        damaged = ask(ORDERS)
        assert damaged.returncode == 0, damaged.stderr
        assert f"What is kept in {home} is not used; delete it." in damaged.stderr
        assert list((folder / "tmp").iterdir()) == []

    def test_a_cache_that_cannot_be_written(self, ask: Ask, folder: Path) -> None:
        (folder / ".local").write_text("a file where the folder should be")
        ended = ask(ORDERS)
        assert ended.returncode == 0, ended.stderr
        assert "can't write to" in ended.stderr
        assert "Askwell forgets everything when this ends" in ended.stderr
        assert list((folder / "tmp").iterdir()) == []

    @pytest.mark.deep
    def test_old_asks_and_folders_of_databases_that_nobody_asks_are_removed(self, ask: Ask, folder: Path) -> None:
        assert ask(ORDERS).returncode == 0
        home = home_of(folder)
        models = folder / "cache/askwell/models"
        for one in (home.with_name("a" * 24), models, models.with_name("b" * 24)):
            one.mkdir(exist_ok=True)
            (one / "prepared.json").touch()
            os.utime(one / "prepared.json", (0, 0))
        os.utime(home / "tidied", (0, 0))
        with sqlite3.connect(home / "record.sqlite") as connection:
            connection.execute("UPDATE jobs SET finished_at = 0")
        assert ask("How many customers are there?").returncode == 0
        with sqlite3.connect(home / "record.sqlite") as connection:
            assert connection.execute("SELECT COUNT(*) FROM jobs WHERE kind = 'ask'").fetchone() == (1,)
        assert [*home.parent.iterdir(), *models.parent.iterdir()] == [home, models]


@pytest.fixture
def model_server() -> Iterator[Callable[[dict[str, list[Answer]]], ChatServer]]:
    """Starts a scripted language model server, in a thread of its own."""
    with contextlib.ExitStack() as closing:
        portal = closing.enter_context(start_blocking_portal())
        yield lambda stages: closing.enter_context(portal.wrap_async_context_manager(ChatServer(stages)))


def with_model(folder: Path, api_base: str) -> None:
    settings: dict[str, Any] = {
        "llm": {"default": {"provider": "openai", "model": "m", "api_base": api_base}},
        "embedder": {"default": {"provider": "none"}},
        "settings": {"scope_gate": False},
    }
    (folder / "config.yaml").write_text(json.dumps(settings))


def test_what_a_service_keeps_is_left_alone(ask: Ask, folder: Path) -> None:
    # Nothing listens at either address: whoever tried to use them would fail.
    settings = {
        "knowledge": {"url": "postgresql+psycopg://nobody@127.0.0.1:1/askwell"},
        "document_store": {"provider": "qdrant", "location": "http://127.0.0.1:1"},
    }
    (folder / "config.yaml").write_text(json.dumps(settings))
    said = ask(ORDERS)
    assert said.returncode == 0, said.stderr
    assert (home_of(folder) / "record.sqlite").exists()


class TestLanguageModel:
    QUESTION = "Whom should we thank for the most orders?"

    @pytest.mark.parametrize("attempts", [0, 2])
    @pytest.mark.deep
    def test_corrections_end_at_max_attempts(self, ask: Ask, folder: Path, model_server: Any, attempts: int) -> None:
        wrong = Answer(json={"sql": "SELECT nothing_like_it FROM orders"})
        model = model_server({"sql_generation": [wrong], "sql_correction": [wrong]})
        with_model(folder, model.api_base)
        said = ask(self.QUESTION, "--max-attempts", str(attempts), "--json")
        assert said.returncode == 1, said.stderr
        assert (model.calls("sql_generation"), model.calls("sql_correction")) == (1, attempts)
        assert last_json(said)["invalid_sql"].startswith("SELECT nothing_like_it")

    def test_a_statement_that_fails_is_corrected(self, ask: Ask, folder: Path, model_server: Any) -> None:
        joined = "FROM customers c JOIN orders o ON o.customer_id = c.id"
        right = f"SELECT c.name {joined} GROUP BY c.name ORDER BY COUNT(*) DESC LIMIT 1"
        model = model_server(
            {
                "sql_generation": [Answer(json={"sql": "SELECT nothing_like_it FROM orders"})],
                "sql_correction": [Answer(json={"sql": right})],
            }
        )
        with_model(folder, model.api_base)
        said = ask(self.QUESTION, "--verbose")
        assert said.returncode == 0, said.stderr
        assert "Ada Lovelace" in said.stdout
        assert "Written by the language model m, " in said.stdout
        assert "orders and customers were joined where orders.customer_id = customers.id" in said.stdout
        assert "model calls" in said.stdout
        assert "correcting" in said.stderr.split()

    @pytest.mark.deep
    @pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
    def test_an_ask_that_was_interrupted_is_not_asked_again(
        self, ask: Ask, folder: Path, model_server: Any, how: signal.Signals
    ) -> None:
        model = model_server({"sql_generation": [Answer(json={"sql": "SELECT 1"}, hang=True)]})
        with_model(folder, model.api_base)
        arguments = ("ask", "--database", "shop.db", self.QUESTION)
        with Command(*arguments, cwd=folder, environ=environment(folder), stderr=PIPE) as process:
            deadline = time.monotonic() + 60
            while not model.calls("sql_generation") and time.monotonic() < deadline:
                time.sleep(0.05)
            children = psutil.Process(process.pid).children(recursive=True)
            process.send_signal(how)
            _, said_at_last = process.communicate(timeout=30)
        assert said_at_last.endswith("Stopped.\n") == (how is not signal.SIGKILL)
        assert process.returncode == (130 if how is not signal.SIGKILL else -signal.SIGKILL)
        assert psutil.wait_procs(children, timeout=10)[1] == []
        assert list((folder / "tmp").iterdir()) == []

        said = ask(ORDERS)
        assert said.returncode == 0, said.stderr
        assert model.calls("sql_generation") == 1
