"""All rows of an answer, in a file or through a pipe: whole, or not at all."""

from __future__ import annotations

import asyncio
import csv
import io
import json
import os
import resource
import shutil
import signal
import sqlite3
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwell.cli.row_output import RowFormat, format_of
from askwell.messages import say
from askwell.row_files.text import row_writer
from askwell.whole_files import whole_file
from tests.cli.running import CTRL_C, askwell, at_a_terminal, environment, refused, typed
from tests.support.commands import PIPE, Command
from tests.support.service import running_service, write_config

ROWS = 12_000
_TWO_FORMATS = {"file": "x.json", "form": "csv", "ending": "json"}
QUESTION = "list the names of all readings"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a database of more rows than `settings.row_limit`, and with what is known about it."""
    folder = tmp_path_factory.mktemp("many")
    with sqlite3.connect(folder / "many.sqlite") as many:
        many.execute("CREATE TABLE readings (id INTEGER PRIMARY KEY, name TEXT, level REAL)")
        rows = ((n, f"reading {n}", n * 0.1) for n in range(ROWS))
        many.executemany("INSERT INTO readings VALUES (?, ?, ?)", rows)
    askwell("ask", QUESTION, "many.sqlite", folder=folder)
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    return tmp_path


def ask(folder: Path, *arguments: str) -> tuple[int, str, str]:
    said = askwell("ask", QUESTION, "many.sqlite", *arguments, folder=folder)
    return said.returncode, said.stdout, said.stderr


def test_a_workbook_has_every_row_and_is_not_overwritten_unasked(folder: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    for arguments in (("-o", "all.xlsx"), ("-o", "all.xlsx", "--force")):
        status, printed, said = ask(folder, *arguments)
        assert (status, printed) == (0, ""), said
    sheet = openpyxl.load_workbook(folder / "all.xlsx").active
    header, *rows = sheet.iter_rows(values_only=True)
    assert (header, len(rows), rows[0]) == (("name",), ROWS, ("reading 0",))
    before = (folder / "all.xlsx").read_bytes()
    status, _, said = ask(folder, "-o", "all.xlsx")
    assert (status, say("cli.file_not_overwritten", file="all.xlsx").message in said) == (2, True)
    assert (folder / "all.xlsx").read_bytes() == before
    status, _, said = ask(folder, "--format", "xlsx")
    assert (status, say("cli.workbook_without_file").message in said) == (2, True)


def test_a_file_has_every_row_also_beyond_the_row_limit(folder: Path) -> None:
    status, printed, said = ask(folder, "-o", "all.csv")
    assert (status, printed) == (0, ""), said
    with (folder / "all.csv").open(newline="") as file:
        header, *rows = csv.reader(file)
    assert header == ["name"]
    assert {row[0] for row in rows} == {f"reading {n}" for n in range(ROWS)}
    assert len(rows) == ROWS
    assert f"{ROWS} rows are in all.csv." in said
    assert "row_limit" not in said
    assert "there are more" not in said


@pytest.mark.deep
@pytest.mark.parametrize("form", ["json", "ndjson"])
def test_every_row_goes_through_a_pipe_too(folder: Path, form: str) -> None:
    status, printed, said = ask(folder, "--format", form, "-o", "-")
    assert status == 0, said
    rows = json.loads(printed) if form == "json" else [json.loads(line) for line in printed.splitlines()]
    assert len(rows) == ROWS


def test_values_in_files_are_exact(folder: Path) -> None:
    said = askwell(
        "ask", "what is the total level of readings?", "many.sqlite", "--format", "json", folder=folder)  # fmt: skip
    assert said.returncode == 0, said.stderr
    (row,) = json.loads(said.stdout)
    with sqlite3.connect(folder / "many.sqlite") as many:
        assert list(row.values()) == list(many.execute("SELECT sum(level) FROM readings").fetchone())


@pytest.mark.parametrize("form", ["csv", "tsv"])
def test_a_file_holds_nothing_that_a_spreadsheet_runs_and_a_pipe_every_text(folder: Path, form: str) -> None:
    texts = ["=cmd()", "a;=1", "@x", "-2+3", "-5", "+3.2e4", "2024-01-01", "- item"]
    with sqlite3.connect(folder / "many.sqlite") as many:
        many.execute("DELETE FROM readings")
        many.executemany("INSERT INTO readings (name) VALUES (?)", [(text,) for text in texts])
    assert ask(folder, "--format", form)[1].splitlines()[1:] == texts
    assert ask(folder, "-o", f"all.{form}")[0] == 0
    assert (folder / f"all.{form}").read_text().splitlines()[1:] == ["'=cmd()", "a;'=1", "'@x", "'-2+3", *texts[4:]]


def test_a_file_that_exists_is_overwritten_by_force_or_consent_alone(folder: Path) -> None:
    (folder / "all.tsv").write_text("before")
    (folder / "all.tsv").chmod(0o640)
    (folder / "chart.json").write_text("before")
    for option, name in (("-o", "all.tsv"), ("--chart", "chart.json")):
        status, _, said = ask(folder, option, name)
        assert (status, say("cli.file_not_overwritten", file=name).message in said) == (2, True), said
        assert (folder / name).read_text() == "before"
    assert "name the same file" in ask(folder, "-o", "new.json", "--chart", "new.json")[2]
    for answer, wanted in (("n", 2), (CTRL_C, 130), ("y", 0)):
        said, status = at_a_terminal(folder, ["ask", QUESTION, "many.sqlite", "-o", "all.tsv"], [answer])
        assert "all.tsv exists. Overwrite it? [y/N]:" in said
        assert (status, (folder / "all.tsv").read_text() != "before") == (wanted, answer == "y"), said
    (folder / "all.tsv").write_text("before")
    assert ask(folder, "-o", "all.tsv", "--force")[0] == 0
    assert (folder / "all.tsv").read_text().count("\n") == ROWS + 1
    assert (folder / "all.tsv").stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ("-o", "x.json", "--format", "csv"),
            say("cli.output_form_and_name", file="x.json", form="csv", ending="json").message,
        ),
        (("-o", "x.ods"), say("cli.output_kind", file="x.ods", by_ending="").message),
        (("-o", "x.csv", "--format", "table"), say("cli.table_into_file").message),
        (("-o", "-"), say("cli.output_without_format").message),
        (("-o", "nowhere/x.csv"), say("cli.output_not_writable", file="nowhere/x.csv").message),
        (("-o", "x.csv", "--dry"), say("cli.rows_with_json_or_dry").message),
    ],
)
def test_what_contradicts_itself_is_status_2(tmp_path: Path, arguments: tuple[str, ...], words: str) -> None:
    refused(askwell("ask", "x", "y.sqlite", *arguments, folder=tmp_path), 2, words)
    assert [path.name for path in tmp_path.iterdir()] == ["tmp"]


def _write_much(file: Path) -> None:
    with whole_file(file) as out:
        out.write("x" * 100_000)


def test_a_write_that_fails_leaves_what_was_there(folder: Path) -> None:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    file = folder / "there.csv"
    file.write_text("before")
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, before[1]))
    try:
        with pytest.raises(OSError, match="large"):
            _write_much(file)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, ignored)
    assert file.read_text() == "before"
    assert [path.name for path in folder.iterdir() if path.name.endswith(".part")] == []


def test_a_device_is_written_and_stays_one(folder: Path) -> None:
    assert ask(folder, "-o", "/dev/null", "--format", "csv")[0] == 0
    assert not Path("/dev/null").is_file()


@pytest.mark.deep
@pytest.mark.parametrize("to", [("-o", "none.csv"), ("--format", "csv")])
def test_an_answer_in_words_has_no_rows_to_write(folder: Path, to: tuple[str, ...]) -> None:
    said = askwell("ask", "what can I ask?", "many.sqlite", *to, folder=folder)
    assert (said.returncode, said.stdout) == (1, "")
    assert "readings (name, level)" in said.stderr
    assert say("cli.output_without_rows").message in said.stderr
    assert not (folder / "none.csv").exists()


@pytest.mark.deep
def test_a_reader_that_leaves_stops_the_rows(folder: Path) -> None:
    arguments = ("ask", QUESTION, "many.sqlite", "--format", "csv")
    with Command(*arguments, cwd=folder, environ=environment(folder), stdout=PIPE, stderr=PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "name\n"
        process.stdout.close()
        assert process.stderr is not None
        assert "Traceback" not in process.stderr.read()
        assert process.wait(60) == 0


def test_the_shell_exports_every_row(folder: Path) -> None:
    said = typed(folder, QUESTION, ".export all.ndjson", arguments=("shell", "many.sqlite"))
    assert said.returncode == 0, said.stderr
    assert (folder / "all.ndjson").read_text().count("\n") == ROWS


@pytest.mark.deep
async def test_a_service_gives_what_it_fetched_and_that_is_said(folder: Path) -> None:
    model = askwell("model", "init", "--database", "many.sqlite", folder=folder).stdout
    sources = {"default": {"engine": "sqlite", "path": str(folder / "many.sqlite"), "shared": True}}
    async with running_service(write_config(folder, data_sources=sources)) as service:
        await service.prepare(json.loads(model))
        arguments = ("ask", QUESTION, "--url", service.url, "-o", "some.csv")
        said = await asyncio.to_thread(askwell, *arguments, folder=folder)
    assert said.returncode == 0, said.stderr
    assert (folder / "some.csv").read_text().count("\n") == 1_001
    assert "1000 rows are in some.csv. There are more rows than settings.row_limit" in said.stderr


@pytest.mark.deep
def test_ctrl_c_while_rows_are_written_leaves_no_file(folder: Path) -> None:
    os.mkfifo(folder / "slow")
    arguments = ("ask", QUESTION, "many.sqlite", "-o", "slow", "--format", "csv")
    with Command(*arguments, cwd=folder, environ=environment(folder), stdout=PIPE, stderr=PIPE) as process:
        with (folder / "slow").open() as reading:  # waits until rows come
            assert reading.readline() == "name\n"
            process.send_signal(signal.SIGINT)
            began = time.monotonic()
            while process.poll() is None and time.monotonic() - began < 60:
                reading.read(1_000_000)
        assert process.wait(60) == 130
    assert [path.name for path in folder.iterdir() if path.name.endswith(".part")] == []


# -- formats -----------------------------------------------------------------------------------------------------------

CELLS = (
    st.none()
    | st.integers(-(10**6), 10**6)
    | st.text(st.characters(codec="utf-8", exclude_characters="\x00\r"), max_size=12)
)
TABLES = st.integers(1, 4).flatmap(lambda width: st.lists(st.lists(CELLS, min_size=width, max_size=width), max_size=5))


def written(form: RowFormat, names: list[str], rows: list[list[Any]]) -> str:
    out = io.StringIO()
    writer = row_writer(form, names, out)
    for row in rows:
        writer.write([row])
    writer.end()
    assert writer.count == len(rows)
    return out.getvalue()


def names_of(rows: list[list[Any]]) -> list[str]:
    return [f"c{place}" for place in range(len(rows[0]) if rows else 2)]


@given(TABLES)
def test_separated_values_come_back(rows: list[list[Any]]) -> None:
    names = names_of(rows)
    for form, delimiter in ((RowFormat.CSV, ","), (RowFormat.TSV, "\t")):
        back = list(csv.reader(io.StringIO(written(form, names, rows), newline=""), delimiter=delimiter))
        assert back == [names, *([str(c) if c is not None else "" for c in row] for row in rows)] or any(
            row == [None] or row == [""] for row in rows
        )


@given(TABLES)
def test_json_comes_back(rows: list[list[Any]]) -> None:
    names = names_of(rows)
    wanted = [dict(zip(names, row, strict=True)) for row in rows]
    assert json.loads(written(RowFormat.JSON, names, rows)) == wanted
    lines = written(RowFormat.NDJSON, names, rows).split("\n")
    assert [json.loads(line) for line in lines if line] == wanted


@given(TABLES)
def test_a_markdown_table_has_as_many_cells_in_each_line(rows: list[list[Any]]) -> None:
    names = names_of(rows)
    lines = written(RowFormat.MARKDOWN, names, rows).removesuffix("\n").split("\n")
    assert len(lines) == len(rows) + 2
    for line in lines:
        plain = line.replace("\\\\", "").replace("\\|", "")
        assert plain.count("|") == len(names) + 1


def test_columns_of_one_name_are_told_apart() -> None:
    assert json.loads(written(RowFormat.JSON, ["a", "a", "a_2"], [[1, 2, 3]])) == [{"a": 1, "a_2": 2, "a_2_2": 3}]


def test_the_ending_says_the_format() -> None:
    assert format_of(Path("x.CSV")) is RowFormat.CSV
    assert format_of(Path("x.jsonl")) is RowFormat.NDJSON
    assert format_of(Path("x.txt"), RowFormat.CSV) is RowFormat.CSV
    assert format_of(Path("x.md"), RowFormat.MARKDOWN) is RowFormat.MARKDOWN
