"""Charts on the page: any kind from any other, what is refused, loading, names, widths, files, and words for them."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

import askwell
from tests.page.conftest import Looked, Service, service_of, show
from tests.support.service import write_config

pytest.importorskip("vl_convert", reason="the extra `charts` is not installed")
pytestmark = pytest.mark.deep

GENRES = ("Rock and Roll", "Latin American", "Heavy Metal", "Alternative & Punk", "Classical Music", "Science Fiction")
MANY, FEW, NEGATIVE = (
    "How many tracks are there per genre?",
    "How many tracks are there per medium?",
    "total margin per medium",
)


def column(name: str, kind: str) -> dict[str, str]:
    return {"name": name, "type": kind}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """Tracks of 24 genres with long names, on four media; the margin of one medium is below zero."""
    folder = tmp_path_factory.mktemp("charts")
    path = folder / "music.sqlite"
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("CREATE TABLE genres (id INTEGER PRIMARY KEY, name TEXT)")
        connection.execute(
            "CREATE TABLE tracks (id INTEGER PRIMARY KEY, genre_id INTEGER REFERENCES genres(id), "
            "medium TEXT, margin REAL)"
        )
        names = [(at, f"{GENRES[at % 6]} {at // 6 + 1}") for at in range(24)]
        connection.executemany("INSERT INTO genres VALUES (?, ?)", names)
        media = ("tape", "disc", "file", "vinyl")
        tracks = [(media[n % 4], at, -2.5 if n % 4 == 1 else 1.5) for at in range(24) for n in range(at + 1)]
        connection.executemany("INSERT INTO tracks (medium, genre_id, margin) VALUES (?, ?, ?)", tracks)
    connection.close()
    model = {
        "catalog": "music",
        "schema": "main",
        "dataSource": "SQLITE",
        "models": [
            {
                "name": "genres",
                "tableReference": {"table": "genres"},
                "primaryKey": "id",
                "columns": [column("id", "INTEGER"), column("name", "VARCHAR")],
            },
            {
                "name": "tracks",
                "tableReference": {"table": "tracks"},
                "primaryKey": "id",
                "columns": [
                    column("id", "INTEGER"),
                    column("genre_id", "INTEGER"),
                    column("medium", "VARCHAR"),
                    column("margin", "DOUBLE"),
                ],
            },
        ],
        "relationships": [
            {
                "name": "tracks_genres",
                "models": ["tracks", "genres"],
                "joinType": "MANY_TO_ONE",
                "condition": "tracks.genre_id = genres.id",
            }
        ],
    }
    sources = {"default": {"engine": "sqlite", "path": str(path), "shared": True}}
    with service_of(write_config(folder, data_sources=sources), model) as running:
        yield running


def drawn(looked: Looked, question: str) -> Any:
    """The chart of an answer, once it stands there."""
    looked.ask(question)
    show(looked.card, "Chart")
    return settled(looked)


def settled(looked: Looked) -> Any:
    """The chart when nothing is on its way any more."""
    view = looked.card.locator(".chart-view:not([aria-busy])")
    view.wait_for(timeout=90_000)
    return view


def kind_of(looked: Looked, kind: str) -> str:
    """Choose a kind; the name of the chart that comes."""
    looked.card.get_by_label("Kind").select_option(label=kind)
    looked.card.get_by_role("img", name=re.compile(f"^{kind}:")).wait_for()
    return str(settled(looked).get_by_role("img").get_attribute("aria-label"))


def fields(view: Any) -> list[str]:
    """What is chosen in each field."""
    return list(view.locator("select").evaluate_all("all => all.map(one => one.value)"))


def test_any_kind_is_drawn_from_any_other_whichever_way_bars_lie(service: Service, look: Callable[..., Looked]) -> None:
    looked = look(service)
    view = drawn(looked, MANY)
    assert fields(view)[:3] == ["bar", "name", "number_of_tracks"]
    for kind in ("Pie", "Line", "Area", "Pie", "Bars"):
        name = kind_of(looked, kind)
        assert "Number of tracks by genre. 24 values, 1 to 24." in name
        assert fields(view)[1:3] == ["name", "number_of_tracks"]
        assert view.get_by_role("alert").inner_text() == ""
    assert view.get_by_label("Kind").locator("option:not([hidden])").count() == 4


def test_words_for_another_view_show_the_answer_before_and_ask_nobody(
    service: Service, look: Callable[..., Looked]
) -> None:
    looked = look(service)
    looked.ask(MANY)
    box = looked.page.get_by_role("textbox", name="Your question")

    def say(words: str) -> None:
        box.fill(words)
        looked.page.keyboard.press("Enter")

    before = asks(looked)
    say("as a chart")
    looked.page.locator(".toast", has_text="shown as a chart").wait_for()
    assert looked.card.get_by_role("tab", name="Chart").get_attribute("aria-selected") == "true"
    settled(looked).get_by_role("img", name=re.compile("^Bars:")).wait_for()
    for words, kind in (("as a line chart", "Line"), ("As a pie chart.", "Pie"), ("as bars", "Bars")):
        say(words)
        looked.card.get_by_role("img", name=re.compile(f"^{kind}:")).wait_for()
    say("as a table")
    looked.page.locator(".toast", has_text="rows of the answer above").wait_for()
    assert looked.card.get_by_role("tab", name="Table").get_attribute("aria-selected") == "true"
    assert asks(looked) == before
    assert looked.page.locator("article").count() == 1
    assert box.input_value() == ""


PAGE = Path(askwell.__file__).parent / "web" / "page"


def test_pictures_of_the_service_have_the_colours_of_the_page() -> None:
    theme = json.loads((PAGE.parents[1] / "charts" / "theme.json").read_text(encoding="utf-8"))
    drawing = (PAGE / "parts" / "chart" / "drawing.js").read_text(encoding="utf-8")
    tokens = (PAGE / "styles" / "tokens.css").read_text(encoding="utf-8")
    first, others = re.search(r"--mark: light-dark\((#\w+)", tokens), re.search(r"light: (\[.*?\])", drawing)
    assert first is not None
    assert others is not None
    assert [first[1], *json.loads(others[1])] == theme["range"]["category"]
    assert theme["mark"]["color"] == theme["range"]["category"][0]


def test_the_page_knows_every_word_for_a_chart_that_the_shell_knows() -> None:
    words = yaml.safe_load((PAGE.parents[1] / "cli" / "shell_words.yaml").read_text(encoding="utf-8"))
    known = set(re.findall(r'"([^"]+)"', (PAGE / "texts" / "en.js").read_text(encoding="utf-8").split("};")[0]))
    phrases = [phrase for name, said in words.items() if name.startswith(".chart") for phrase in said]
    assert [phrase for phrase in phrases if phrase not in known] == []


def asks(looked: Looked) -> int:
    return sum(url.endswith("/v1/asks") for url in looked.requested)
