"""`askwell ask --chart`: in the terminal, or in a file."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from askwell.charts.choice import choose_chart
from askwell.charts.rendering import can_render
from askwell.cli.charts import text_chart
from askwell.messages import say
from askwell.providers.engine.base import ResultColumn
from tests.charts.results import MONTHS, Rows, columns
from tests.cli.running import askwell
from tests.support.tiny_shop import make_database

QUESTION = "How many customers are there per country?"
Ask = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("chart")
    make_database(folder / "shop.db")
    return folder


@pytest.fixture
def ask(folder: Path) -> Ask:
    return lambda *arguments, **environ: askwell("ask", "--database", "shop.db", *arguments, folder=folder, **environ)


def test_it_stands_in_the_terminal_and_takes_no_question_for_a_file(ask: Ask) -> None:
    for arguments in (("--chart", QUESTION), (QUESTION, "--chart"), ("--chart", "--quiet", QUESTION)):
        said = ask(*arguments)
        assert said.returncode == 0, said.stderr
        assert "by country" in said.stdout
        assert "█" in said.stdout


def test_where_letters_are_ascii_bars_are_too(ask: Ask) -> None:
    said = ask("--chart", QUESTION, PYTHONIOENCODING="ascii")
    assert "###" in said.stdout
    assert "█" not in said.stdout


def test_a_single_value_has_none_and_it_is_said(ask: Ask) -> None:
    said = ask("--chart", "How many customers are there?")
    assert said.returncode == 0
    assert "No chart: " in said.stdout


def test_json_is_written_to_a_file_without_the_extra(ask: Ask, folder: Path) -> None:
    said = ask(QUESTION, "--chart", "chart.json")
    assert said.returncode == 0, said.stderr
    chart = json.loads((folder / "chart.json").read_text())
    assert chart["mark"]["type"] == "bar"
    assert chart["data"]["values"]


@pytest.mark.deep
def test_the_result_object_has_the_chart(ask: Ask) -> None:
    said = ask(QUESTION, "--chart", "--json")
    result = json.loads(said.stdout.splitlines()[-1])
    assert result["chart"]["chart_type"] == "bar"


@pytest.mark.deep
@pytest.mark.skipif(not can_render(), reason="needs askwell[charts]")
@pytest.mark.parametrize(("name", "start"), [("a.svg", b"<svg"), ("b.png", b"\x89PNG"), ("c.html", b"<!doctype html>")])
def test_pictures_are_written_to_a_file(ask: Ask, folder: Path, name: str, start: bytes) -> None:
    said = ask(f"--chart={name}", QUESTION)
    assert said.returncode == 0, said.stderr
    assert (folder / name).read_bytes().startswith(start)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--chart", "chart.gif"), ".svg, .png, .html, .json"),
        (("--chart", "nowhere/chart.json"), "folder that exists"),
        (("--chart", "--dry"), say("cli.chart_with_dry").message),
    ],
)
def test_what_cannot_be_done_is_said_before_anything_is_asked(ask: Ask, arguments: tuple[str, ...], words: str) -> None:
    said = ask(*arguments, QUESTION)
    assert (said.returncode, said.stdout) == (2, "")
    assert words in said.stderr


def test_no_chart_means_no_file_and_status_1(ask: Ask, folder: Path) -> None:
    said = ask("How many customers are there?", "--chart", "none.json")
    assert said.returncode == 1
    assert "No chart was written" in said.stderr
    assert not (folder / "none.json").exists()


class TestTextChart:
    def draw(self, names: list[ResultColumn], rows: Rows, **options: bool) -> list[str]:
        return text_chart(choose_chart("q", names, rows), names, rows, width=60, **options)

    def test_bars_begin_at_one_place_and_keep_to_the_width(self) -> None:
        lines = self.draw(columns("city", "n"), [("Oslo", 5), ("A rather long name of a city", 10), ("x", 0)])
        assert all(len(line) <= 60 for line in lines)
        assert lines[2].endswith("10")
        assert len({line.index("█") for line in lines[2:4]}) == 1

    def test_time_runs_to_the_right(self) -> None:
        lines = self.draw(columns("month", "n"), [(month, at) for at, month in enumerate(MONTHS)])
        assert lines[-1].strip().startswith("0 └2025-01")
        assert lines[-1].endswith("2025-12")
        assert lines[2].lstrip().startswith("11 │")

    def test_series_have_a_line_each(self) -> None:
        lines = self.draw(columns("month", "city", "n"), [(m, c, 1) for m in MONTHS for c in ("Oslo", "Rome")])
        assert [line.split()[0] for line in lines[2:4]] == ["Oslo", "Rome"]

    def test_amounts_side_by_side(self) -> None:
        lines = self.draw(columns("city", "paid", "open"), [("Oslo", 5, 9), ("Rome", 4, 2)], plain=True)
        assert lines[2] == "Oslo"
        assert lines[3].split()[0] == "paid"

    def test_values_below_zero_and_control_characters(self) -> None:
        lines = self.draw(columns("city", "n"), [("a\x1b[31m", -5), ("b", 3)])
        assert not any("\x1b" in line for line in lines)
        assert any("░" in line and "-5" in line for line in lines)
