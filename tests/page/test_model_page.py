"""The model as a page: searched, read, drawn, described better, and what there is before there is one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.page.conftest import Looked, Service, service_of
from tests.support.service import write_config

pytestmark = pytest.mark.deep

MODEL = "#/default/model"


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Service]:
    """A service of the test's own, whose model it changes."""
    with service_of(write_config(tmp_path)) as running:
        yield running


def table_of(service: Service, name: str) -> dict[str, Any]:
    _, model = service.call("GET", "/v1/semantics")
    return next(table for table in model["tables"] if table["name"] == name)


def test_tables_are_found_by_what_stands_in_them(service: Service, look: Callable[..., Looked]) -> None:
    looked = look(service, MODEL)
    page = looked.page
    search = page.get_by_role("searchbox", name="Search the data")
    search.fill("germany")
    page.get_by_text("1 table has this").wait_for()
    item = page.locator(".tables-item")
    assert "country" in item.inner_text()
    assert item.locator("mark").inner_text() == "Germany"
    search.press("ArrowDown")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="customers").wait_for()
    assert page.url.endswith("/model/customers")
    assert page.get_by_role("list", name="Some values").first.is_visible()
    assert "secret" not in page.locator(".columns").inner_text()
    search.fill("no such thing")
    page.get_by_text("0 tables have this").wait_for()
    search.fill("")
    page.locator(".tables-head").get_by_text("2 tables, 1 view", exact=True).wait_for()
    assert page.locator(".tables-kind").all_inner_texts() == ["Tables 2", "Views 1"]


def test_descriptions_are_changed_and_the_model_prepared(own: Service, look: Callable[..., Looked]) -> None:
    looked = look(own, f"{MODEL}/orders")
    page = looked.page
    page.get_by_role("button", name="Describe it").click()
    assert page.get_by_label("Display name", exact=True).evaluate("field => field === document.activeElement")
    page.get_by_label("Description", exact=True).fill("All that was bought.")
    page.get_by_label("status: Description").fill("How far it is.")
    page.get_by_label("status: Also called").fill("state\n\nstep\nstate")
    page.get_by_text("2 changes").wait_for()
    page.get_by_role("button", name="Save").click()
    page.locator(".toast", has_text="The model is prepared.").wait_for()
    table = table_of(own, "orders")
    assert table["description"] == "All that was bought."
    status = next(column for column in table["columns"] if column["name"] == "status")
    assert (status["description"], status["synonyms"]) == ("How far it is.", ["state", "step"])
    page.get_by_text("state, step").wait_for()
    assert page.evaluate("Object.keys(sessionStorage).filter(key => key.startsWith('askwell.describing'))") == []


def test_a_file_becomes_a_project(tmp_path: Path, look: Callable[..., Looked]) -> None:
    with service_of(write_config(tmp_path, uploads={"enabled": True})) as service:
        looked = look(service, MODEL)
        page = looked.page
        page.get_by_text("Another file as a project").click()
        chooser = page.locator('input[type="file"]')
        broken: Any = {"name": "visits.sqlite", "mimeType": "application/octet-stream", "buffer": b"no database"}
        chooser.set_input_files([broken])
        page.get_by_role("alert").wait_for()
        rows = b"city,visits\nBerlin,3\nParis,4\n"
        visits: Any = {"name": "visits.csv", "mimeType": "text/csv", "buffer": rows}
        chooser.set_input_files([visits])
        page.wait_for_url("**/#/visits-*/model")
        # Those of the project before stand there until the new one is prepared.
        page.locator(".tables-item", has_text="visits").wait_for()
        page.get_by_role("link", name="Ask", exact=True).click()
        looked.ask("total visits")
        assert looked.card.locator(".figure-value").inner_text() == "7"
        page.get_by_role("link", name="Data", exact=True).click()
        page.get_by_role("button", name="Delete this project").click()
        page.get_by_role("dialog").get_by_role("button", name="Delete").click()
        page.wait_for_url("**/#/default/model")
        _, listed = service.call("GET", "/v1/projects")
        assert [one["id"] for one in listed["projects"]] == ["default"]
