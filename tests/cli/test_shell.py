"""`askwell shell` as people use it: by a pipe, and at a terminal, where it asks back."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from askwell.messages import say
from tests.cli import running
from tests.cli.running import CTRL_C, CTRL_D, askwell, at_a_terminal, environment
from tests.cli.test_commands import service as scripted  # noqa: F401 - a fixture
from tests.support.service import running_service, write_config
from tests.support.small_shops import make_small_shop

OPEN, SUPPLIERS = "how many orders are open?", "how many suppliers are there?"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shell")
    make_small_shop("trader", folder)
    return folder


def typed(folder: Path, *lines: str, arguments: Sequence[str] = ("trader.sqlite",)) -> subprocess.CompletedProcess[str]:
    return running.typed(folder, *lines, arguments=("shell", *arguments))


def test_follow_ups_add_to_what_was_asked_and_are_said_as_one_question(folder: Path) -> None:
    said = typed(folder, "how many sales orders are there?", "and per country?", "only Italy", "top 1")
    assert said.returncode == 0, said.stderr
    assert "= What is the number of Sales orders for each country" in said.stdout
    assert "where country is “Italy”" in said.stdout
    assert said.stdout.rstrip().count("Italy") >= 3


def test_rows_that_were_counted_are_listed_and_sorted(folder: Path) -> None:
    """What is added by "them" keeps to the conditions of the count."""
    said = typed(folder, "how many customers are in Italy?", "list them", "sorted by name, descending")
    assert said.returncode == 0, said.stderr
    assert said.stdout.count("customers.country = 'Italy'") == 3
    assert "ORDER BY customers.name DESC" in " ".join(said.stdout.split())


def test_each_refusal_has_a_question_that_works(folder: Path) -> None:
    said = typed(folder, "purple suppliers", "purple airports", "and per country?")
    assert said.stderr.count("Askwell doesn't know “purple”") == 2
    assert "nothing was asked before it" in said.stderr
    assert said.stderr.count(", or say what “purple” means.") == 2
    assert said.returncode == 1


def test_what_is_asked_of_the_last_answer(folder: Path) -> None:
    (folder / "out.json").unlink(missing_ok=True)
    said = typed(
        folder, "why?", "number of sales orders per country", "show the sql", "why?", "as a chart", ".export out.json",
        ".export out.json", ".export out.xyz", ".export", ".new", "only Italy",
    )  # fmt: skip
    assert say("cli.nothing_answered").message in said.stderr
    assert said.stdout.count("GROUP BY\n  customers.country") == 2
    assert "Groups them by country." in said.stdout
    assert "█" in said.stdout
    rows = json.loads((folder / "out.json").read_text())
    assert rows == [
        {"country": "Germany", "number_of_sales_orders": 1},
        {"country": "Italy", "number_of_sales_orders": 2},
    ]
    for problem in (
        say("cli.file_exists", named="out.json").message,
        say("cli.output_kind", file="out.xyz", by_ending="").message,
        "no file is named",
    ):
        assert problem in said.stderr
    assert said.returncode == 2


def test_commands_that_there_are_not_and_tables_that_there_are(folder: Path) -> None:
    said = typed(
        folder,
        ".tabels",
        ".describe flight",
        ".describe flights",
        "tables",
        ".help",
        "how many \\",
        "airports?",
        "quit",
        "x",
    )
    assert "There is no command .tabels. Did you mean .tables?" in said.stderr
    assert "from_airport_id" in said.stdout
    assert "from_airport_id" in said.stdout
    assert "purchase_orders" in said.stdout
    assert ".export FILE" in said.stdout
    assert "number_of_airports" in said.stdout


def test_an_answer_is_saved_and_taken_back(folder: Path) -> None:
    question = SUPPLIERS
    said = typed(folder, question, ".save", question, ".forget", question)
    assert said.stdout.count("Answered by rules") == 2
    assert said.stdout.count("Answered by a saved question") == 1


@pytest.mark.deep
async def test_a_parameter_of_a_saved_question_is_asked_for_at_a_terminal(tmp_path: Path) -> None:
    path, model = make_small_shop("trader", tmp_path)
    sources = {"default": {"engine": "sqlite", "path": str(path), "shared": True}}
    question, sql = "customers of one place", "SELECT COUNT(*) AS n FROM customers WHERE country = :country"
    pair = {"id": "place", "question": question, "sql": sql, "parameters": [{"name": "country"}]}
    async with running_service(write_config(tmp_path, data_sources=sources)) as service:
        await service.prepare(model)
        await service.call("POST", "/v1/sql-pairs", json={"sql_pairs": [pair]})
        arguments = ["ask", question, "--url", service.url]
        shown, status = await asyncio.to_thread(at_a_terminal, tmp_path, arguments, ["Germany"])
    assert "Values, or nothing to stop:" in shown
    assert "Answered by a saved question (verified)" in shown
    assert status == 0


def test_who_cannot_be_asked_back_is_told_what_is_open(folder: Path) -> None:
    said = typed(folder, OPEN)
    assert "“orders” could mean Purchase orders or Sales orders" in said.stderr


def test_a_choice_at_a_terminal_runs_at_once(folder: Path) -> None:
    shown, status = at_a_terminal(folder, ["shell", "trader.sqlite"], [OPEN, "2", "and per customer?", ".quit"])
    assert "1. Purchase orders" in shown
    assert "number_of_sales_orders" in shown
    assert "Ann" in shown
    assert status == 0


@pytest.mark.deep
def test_what_was_meant_by_a_slip_is_a_choice_too(folder: Path) -> None:
    said = typed(folder, ".describ flights", "1", ".describe flihgts", "1", "1")
    assert "  1. .describe flights" in said.stderr
    assert said.stdout.count("from_airport_id") == 2
    shown, status = at_a_terminal(folder, ["shell", "trader.sqlite"], [".descripe flights", "1", ".quit"])
    assert ("from_airport_id" in shown, status) == (True, 0)


def test_questions_that_a_service_suggests_are_asked_by_number(folder: Path, scripted: str) -> None:  # noqa: F811
    said = typed(folder, "broken", "1", arguments=("--url", scripted))
    assert "  1. How many orders are there?" in said.stderr
    assert (said.stdout.count("SELECT count(*) AS n FROM orders"), said.returncode) == (1, 1)
    shown, status = at_a_terminal(folder, ["ask", "broken", "--url", scripted], ["1"])
    assert ("Nothing here is about that." in shown, "42" in shown, status) == (True, True, 0)


def test_commands_in_plain_words(folder: Path) -> None:
    said = typed(folder, "number of sales orders per country", "Why is that?", "show me the SQL", "as a  line chart")
    assert said.returncode == 0, said.stderr
    assert said.stdout.count("GROUP BY\n  customers.country") == 2
    assert "Tables: customers, sales_orders." in said.stdout
    assert said.stdout.count("sales_orders.customer_id = customers.id, as declared.") == 2
    assert re.search("by rules, without a language model, (clear|a guess),", said.stdout.partition("Tables:")[2])
    assert "line chart" in said.stdout.partition("Tables:")[2]


@pytest.mark.parametrize(
    ("lines", "status"),
    [
        ((SUPPLIERS, "why?"), 0),
        ((OPEN, SUPPLIERS), 1),
        (("What is love?", ".nonsense", SUPPLIERS), 2),
    ],
)
def test_lines_of_a_pipe_come_to_a_status(folder: Path, lines: tuple[str, ...], status: int) -> None:
    assert typed(folder, *lines).returncode == status


def test_a_service_that_is_away_is_status_3(folder: Path) -> None:
    said = typed(folder, "how many?", arguments=("--url", "http://127.0.0.1:9"))
    assert (said.returncode, "No service answers" in said.stderr) == (3, True)


@pytest.mark.deep
def test_input_that_ends_in_the_middle_and_bytes_of_no_letter(folder: Path) -> None:
    given = b"how many \xff\xfe suppliers?\nhow many \\\nairports are\\"
    said = askwell("shell", "trader.sqlite", folder=folder, given=given, PYTHONIOENCODING="ascii", LC_ALL="C")
    assert said.returncode == 0, said.stderr
    assert "number_of_suppliers" in said.stdout
    assert "number_of_airports" in said.stdout
    assert said.stdout.isascii()


@pytest.mark.deep
def test_a_reader_that_leaves_and_a_full_disk_end_the_shell(folder: Path) -> None:
    shell = f"{sys.executable} -m askwell.cli.main shell trader.sqlite"
    lines = "printf '.help\\n.help\\nhow many suppliers are there?\\n.help\\n'"
    for command, status in (
        (f"{lines} | {shell} | head -1; exit ${{PIPESTATUS[1]}}", 0),
        (f"{lines} | {shell} > /dev/full", 3),
    ):
        said = subprocess.run(
            ["bash", "-c", command], cwd=folder, env=environment(folder), capture_output=True, text=True, timeout=60
        )
        assert (said.returncode, "Traceback" in said.stderr) == (status, False), said.stderr


@pytest.mark.deep
def test_ctrl_c_stops_what_is_asked_and_empties_the_line(folder: Path) -> None:
    answers = [OPEN, CTRL_C, f"nonsense{CTRL_C}", SUPPLIERS, CTRL_D]
    shown, status = at_a_terminal(folder, ["shell", "trader.sqlite"], answers)
    assert "The ask was stopped." in shown
    assert ("number_of_suppliers" in shown, "Askwell doesn't know" in shown, status) == (True, False, 0)


@pytest.mark.deep
def test_what_is_typed_when_asked_back_may_be_something_else(folder: Path) -> None:
    answers = [
        OPEN, ".tables", OPEN, SUPPLIERS,
        OPEN, "why?", "list all orders", "1", CTRL_D,
    ]  # fmt: skip
    shown, status = at_a_terminal(folder, ["shell", "trader.sqlite"], answers)
    assert ("number_of_suppliers" in shown, "is none of these" in shown, status) == (True, False, 0)
    assert "  purchase_orders" in shown
    assert shown.count("Number or name (with ! to remember it), or nothing to stop:") == 4
    assert "number_of_purchase_orders" not in shown


@pytest.mark.deep
def test_a_discarded_line_leaves_nothing_behind(folder: Path) -> None:
    answers = [
        f"abcdef{CTRL_C}",
        "\x1b[Dhow many suppliers are there?",
        f"abc déf — 日本{CTRL_C}",
        "how many airports are there?",
    ]
    shown, _ = at_a_terminal(folder, ["shell", "trader.sqlite"], [*answers, CTRL_D])
    assert "number_of_suppliers" in shown
    assert "number_of_airports" in shown


@pytest.mark.deep
@pytest.mark.parametrize(("key", "status"), [(CTRL_C, 130), (CTRL_D, 1)])
def test_who_is_asked_back_may_stop(folder: Path, key: str, status: int) -> None:
    shown, ended = at_a_terminal(folder, ["ask", OPEN, "trader.sqlite"], [key])
    assert ("Stopped." in shown or "was stopped" in shown, ended) == (True, status)


@pytest.mark.deep
def test_a_terminal_of_20_columns(folder: Path) -> None:
    answers = [OPEN, "2", "and per country?", "as a bar chart", "why?", ".help", ".quit"]
    shown, status = at_a_terminal(folder, ["shell", "trader.sqlite"], answers, columns=20)
    assert status == 0, shown
    assert "Traceback" not in shown
    lines = [line.rstrip() for line in shown.replace("\r", "").splitlines()]
    assert any(line.split() == ["Italy", "2"] for line in lines)
    assert "  2. Sales orders" in lines


@pytest.mark.deep
def test_an_unsure_reading_is_confirmed_at_a_terminal(folder: Path) -> None:
    """It is answered when it is chosen, and not when it is denied."""
    question = ["ask", "customers, orders", "trader.sqlite"]
    shown, status = at_a_terminal(folder, question, ["1"])
    assert ("Is this what you mean?" in shown, "3 rows" in shown, status) == (True, True, 0)
    shown, status = at_a_terminal(folder, question, ["no", ""])
    assert ("3 rows" in shown, status) == (False, 1)


def test_the_database_may_be_named_first(folder: Path) -> None:
    """Of two arguments the one that is a file is the database."""
    said = askwell("ask", "trader.sqlite", "how many customers are there?", folder=folder)
    assert (said.returncode, "number_of_customers" in said.stdout) == (0, True), said.stderr


@pytest.mark.deep
def test_one_question_at_a_terminal_is_asked_back_too(folder: Path) -> None:
    question = ["ask", OPEN, "trader.sqlite"]
    shown, status = at_a_terminal(folder, question, ["the first"])
    assert ("number_of_purchase_orders" in shown, status) == (True, 0)
    shown, status = at_a_terminal(folder, question, [""])
    assert ("The ask was stopped." in shown, status) == (True, 1)


async def test_a_service_is_talked_to(tmp_path: Path) -> None:
    path, model = make_small_shop("trader", tmp_path)
    sources = {"default": {"engine": "sqlite", "path": str(path), "shared": True}}
    question = "how many customers are in Germany?"
    lines = (
        "how many sales orders are there?",
        "and per country?",
        ".save",
        ".tables",
        question,
        ".save",
        question,
        ".forget",
    )
    async with running_service(write_config(tmp_path, data_sources=sources)) as service:
        await service.prepare(model)
        said = await asyncio.to_thread(typed, tmp_path, *lines, arguments=("--url", service.url))
    assert "Italy" in said.stdout, said.stderr
    assert "From now on this answers" in said.stderr
    assert say("cli.tables_of_a_service").message in said.stderr
    assert said.stdout.count("Answered by a saved question (verified)") == 1
    assert "is not kept any more." in said.stderr
    assert said.returncode == 2


@pytest.mark.deep
@pytest.mark.parametrize("arguments", [(), ("nowhere.sqlite",), ("trader.sqlite", "--url", "http://127.0.0.1:1")])
def test_what_cannot_be_used_ends_with_2(folder: Path, arguments: tuple[str, ...]) -> None:
    assert typed(folder, "x", arguments=arguments).returncode == 2


def test_what_was_taught_is_listed_and_taken_back(tmp_path: Path) -> None:
    make_small_shop("trader", tmp_path)
    said = typed(
        tmp_path,
        '.teach "fare sum" = sum(flights.price)',
        ".teach peeps = customer",
        "fare sum",
        "how many peeps are there?",
        ".lessons",
        ".unteach fare summ",
        ".unteach fare sum",
        ".unteach “peeps”",
        ".unteach nobody",
        ".lessons",
        "how many peeps are there?",
    )
    assert "SUM(flights.price) AS fare_sum" in said.stdout
    assert "COUNT(*) AS number_of_customers" in said.stdout
    assert "“fare sum” means sum(flights.price) (taught, active)" in said.stdout
    assert "Did you mean fare sum?" in said.stderr
    assert "“nobody” was not taught." in said.stderr
    assert "Nothing learned yet." in said.stderr
    assert said.stdout.count("COUNT(*) AS number_of_customers") == 1
