"""`askwell demo` as a process: right answers end with 0, anything else does not, and no service is left behind."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import sys
import time
import urllib.request
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import psutil
import pytest

from askwell.cli.demo import wrong_answer
from askwell.sample.demo import DemoQuestion, demo_questions
from askwell.sample.shop import generate_shop, shop_version
from tests.support.commands import PIPE, STDOUT, Command

INSTALLED_MODELS = Path(__file__).parents[2] / ".askwell" / "models"


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The embedder that `make install` has exported, or a place where the first demo exports it for all."""
    return INSTALLED_MODELS if INSTALLED_MODELS.is_dir() else tmp_path_factory.mktemp("models")


@pytest.fixture
def home(tmp_path: Path, models: Path) -> Path:
    home = tmp_path / "home"
    home.mkdir()
    (home / "models").symlink_to(models)
    return home


def start(home: Path, *options: str) -> Command:
    # An empty environment but for what would change the answers, if it were let in.
    environ = {"OPENAI_API_KEY": "sk-not-to-be-used", "ASKWELL_SETTINGS__ROW_LIMIT": "1", "PYTHONUNBUFFERED": "1"}
    return Command("demo", "--home", str(home), *options, cwd=home, environ=environ, stdout=PIPE, stderr=STDOUT)


def run(home: Path, *options: str) -> tuple[int, str]:
    with start(home, *options) as process:
        said, _ = process.communicate(timeout=120)
        return process.wait(), said


def shop_file(home: Path) -> Path:
    return home / "demo" / f"shop-{shop_version()}-{datetime.now(UTC).date().isoformat()}.duckdb"


def services_on(home: Path) -> list[psutil.Process]:
    """The services that run on a home. A new child still has its parent's command line, until it runs its own
    programme: it is none of them."""
    found = {
        process.pid: process
        for process in psutil.process_iter(["cmdline", "ppid"])
        if any(str(home) in part for part in process.info["cmdline"] or ()) and "serve" in process.info["cmdline"]
    }
    return [process for process in found.values() if process.info["ppid"] not in found]


@pytest.mark.deep
def test_every_answer_is_right_and_nothing_is_left_behind(home: Path) -> None:
    status, said = run(home)

    assert status == 0, said
    questions = [question.text_on(datetime.now(UTC).date()) for question in demo_questions()]
    assert [question for question in questions if question not in said] == []
    assert f"All {len(questions)} questions were answered as expected." in said
    for fact in ("SELECT COUNT(*) AS", "queued", "finished", "NO_RELEVANT_DATA", "(rules, ", "(history, ", "(view, "):
        assert fact in said
    assert services_on(home) == []
    assert sorted(path.name for path in (home / "demo").iterdir()) == [shop_file(home).name]


@pytest.mark.deep
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_it_stays_with_the_address_of_its_page_until_it_is_ended(home: Path, how: signal.Signals) -> None:
    with start(home, "--stay") as process:
        assert process.stdout is not None
        address = next(found for line in process.stdout if (found := re.search(r"in your browser: (\S+)/ ", line)))
        with urllib.request.urlopen(f"{address[1]}/v1/health/ready", timeout=10) as answer:
            assert answer.status == 200
        process.send_signal(how)
        process.communicate(timeout=60)

    assert process.returncode == 0
    assert services_on(home) == []


@pytest.mark.deep
@pytest.mark.parametrize(("options", "stays"), [((), True), (("--no-stay",), False)])
def test_a_person_at_a_terminal_gets_the_page(home: Path, options: tuple[str, ...], stays: bool) -> None:
    ours, terminal = pty.openpty()
    command = [sys.executable, "-m", "askwell.cli.main", "demo", "--home", str(home), *options]
    with subprocess.Popen(command, stdin=terminal, stdout=terminal, stderr=terminal) as process:
        os.close(terminal)
        shown, end = "", time.monotonic() + 120
        while time.monotonic() < end and "Ctrl-C ends" not in shown:
            try:
                shown += os.read(ours, 65536).decode(errors="replace")
            except OSError:  # the other end is closed
                break
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 0
    os.close(ours)
    assert ("Ctrl-C ends" in shown) == stays
    assert services_on(home) == []


@pytest.mark.deep
def test_it_ends_with_a_question_to_copy_that_works_from_there(home: Path) -> None:
    project, environ = home.parent, {"PATH": os.environ["PATH"], "HOME": str(home), "COLUMNS": "200"}
    (project / ".venv").symlink_to(Path(sys.prefix))
    (project / ".askwell").symlink_to(home)

    def sh(command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["bash", "-c", command], cwd=project, env=environ, capture_output=True, text=True, timeout=120, check=True
        )

    *_, question, shell = sh(".venv/bin/askwell demo").stdout.rstrip().splitlines()
    assert question.split()[:2] == [".venv/bin/askwell", "ask"]
    assert f" .askwell/demo/{shop_file(home).name}" in question
    assert "number_of_cat_review" in sh(question).stdout
    assert "number_of_crm_customer" in sh(f"echo how many customers are there | {shell}").stdout


@pytest.mark.deep
def test_an_answer_that_is_not_the_reference_ends_with_1(home: Path) -> None:
    shop_file(home).parent.mkdir()
    generate_shop(shop_file(home), datetime.now(UTC).date())
    with duckdb.connect(str(shop_file(home))) as shop:
        # A shipment by nobody: the references count it as one more carrier, and the answers do not.
        shop.execute("ALTER TABLE log_shipment ALTER carrier DROP NOT NULL")
        shop.execute("UPDATE log_shipment SET carrier = NULL WHERE id = 1")

    status, said = run(home)

    assert status == 1
    assert "2 of " in said
    assert "not as expected: the rows are not the 1 right ones" in said
    assert services_on(home) == []


@pytest.mark.deep
def test_a_shop_that_cannot_be_read_is_told_in_words(home: Path) -> None:
    shop_file(home).parent.mkdir()
    shop_file(home).write_text("not a database")

    status, said = run(home)

    assert status == 1
    assert "is not a DuckDB database" in " ".join(said.split())
    assert "Delete the file and try again" in said
    assert "Traceback" not in said
    assert services_on(home) == []


def test_a_home_that_cannot_be_written_is_told_in_words(tmp_path: Path) -> None:
    (tmp_path / "demo").write_text("a file where the folder should be")

    status, said = run(tmp_path)

    assert status == 1
    assert "--home" in said
    assert "Traceback" not in said


@pytest.mark.deep
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_demo_stops_its_service(home: Path, how: signal.Signals) -> None:
    with start(home) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if "Service ready" in line:
                break
        assert len(services_on(home)) == 1
        process.send_signal(how)
        process.communicate(timeout=60)

    assert process.returncode == 130
    assert services_on(home) == []
    assert sorted(path.name for path in (home / "demo").iterdir()) == [shop_file(home).name]


@pytest.mark.deep
def test_a_service_that_is_kept_answers_until_it_is_stopped(home: Path) -> None:
    status, said = run(home, "--keep")

    (service,) = services_on(home)
    try:
        assert status == 0, said
        url = re.search(r"still runs at (\S+)", said)
        assert url is not None
        assert f"kill {service.pid}" in said
        with urllib.request.urlopen(f"{url[1]}/health/ready", timeout=10) as answer:
            assert answer.status == 200
    finally:
        os.kill(service.pid, signal.SIGTERM)
    deadline = time.monotonic() + 30
    while services_on(home) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert services_on(home) == []


def finished(*rows: list[Any], source: str = "rules", type_name: str = "BIGINT") -> dict[str, Any]:
    columns = [{"name": f"c{index}", "type": type_name} for index, _ in enumerate(rows[0])] if rows else []
    return {"status": "finished", "sql_source": source, "data": {"columns": columns, "rows": list(rows)}}


REFUSAL = {"status": "failed", "error": {"code": "NO_RELEVANT_SQL", "message": "No."}}
EITHER_ORDER = DemoQuestion(form="", text="", reference="SELECT")
IN_ORDER = DemoQuestion(form="", text="", reference="SELECT", ordered=True)
MUST_NOT = DemoQuestion(form="", text="", refused="NO_RELEVANT_SQL", why="nobody may know")
OTHERWISE = DemoQuestion(form="", text="", refused="NO_RELEVANT_DATA")


@pytest.mark.parametrize(
    ("expected", "result", "reference", "complaint"),
    [
        (EITHER_ORDER, finished([1], [2]), [(2,), (1,)], ""),
        (IN_ORDER, finished([1], [2]), [(2,), (1,)], "not the 2 right ones"),
        (EITHER_ORDER, finished([1], [1]), [(1,)], "not the 1 right ones"),
        (EITHER_ORDER, finished([1]), [(2,)], "not the 1 right ones"),
        (EITHER_ORDER, finished(["12.50"], type_name="DECIMAL(10,2)"), [(12.5,)], ""),
        (EITHER_ORDER, finished([12.5], type_name="DOUBLE"), [(Decimal("12.50"),)], ""),
        (EITHER_ORDER, finished(["12.50"], type_name="VARCHAR"), [(12.5,)], "not the 1 right ones"),
        (EITHER_ORDER, finished(["2026-10-01"], type_name="DATE"), [(date(2026, 10, 1),)], ""),
        (EITHER_ORDER, finished([1], source="llm"), [(1,)], "source: 'llm' instead of 'rules'"),
        (EITHER_ORDER, REFUSAL, [(1,)], "status: 'failed' instead of 'finished'"),
        (EITHER_ORDER, {"status": "finished", "sql_source": "rules"}, [(1,)], "not the 1 right ones"),
        (MUST_NOT, REFUSAL, [], ""),
        (MUST_NOT, finished([1]), [], "status: 'finished' instead of 'failed'"),
        (OTHERWISE, REFUSAL, [], "code: 'NO_RELEVANT_SQL' instead of 'NO_RELEVANT_DATA'"),
    ],
)
def test_what_counts_as_wrong(
    expected: DemoQuestion, result: dict[str, Any], reference: list[tuple[Any, ...]], complaint: str
) -> None:
    wrong = "; ".join(wrong_answer(expected, result, reference))

    assert complaint in wrong
    assert bool(wrong) == bool(complaint)
