"""Keeping a project in order on the page, and the history: what failed, what the project knows, usage, health, keys."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.page.conftest import Looked, Service, service_of
from tests.page.hostile import HOSTILE
from tests.page.test_signing_in import ADMIN_KEY
from tests.support.service import write_config

pytestmark = pytest.mark.deep

SECTIONS = ("failures", "verified", "instructions", "lessons", "documents", "usage", "health")
FAILING = "how many zorbs are there?"


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A project that knows something, and in which questions were asked."""
    with service_of(write_config(tmp_path_factory.mktemp("kept"))) as running:
        answered(running, FAILING)
        answered(running, "What is the weather like in Paris tomorrow?")
        wrong = answered(running, "How many customers are there?")
        feedback = {"positive": False, "comment": "Not those that left."}
        assert running.call("POST", f"/v1/asks/{wrong}/feedback", json=feedback)[0] == 200
        right = answered(running, "list all orders")
        assert running.call("POST", f"/v1/asks/{right}/feedback", json={"positive": True})[0] == 200
        body = {"said": "punters", "table": "customers"}
        lessons = [{"kind": "table_mapping", "body": body, "note": "As sales says."}]
        assert running.call("POST", "/v1/lessons", json={"lessons": lessons})[0] == 200
        rules = [{"id": "i1", "instruction": "Weeks begin on Monday.", "questions": ["orders per week"]}]
        assert running.call("POST", "/v1/instructions", json={"instructions": rules})[0] == 202
        policy = {"title": "Returns", "text": "# Returns\n\nGoods may be returned within 30 days.", "tags": ["policy"]}
        assert running.call("POST", "/v1/documents", json=policy)[0] == 202
        yield running


def answered(service: Service, question: str, **body: Any) -> str:
    """Ask, and the id of the question once that has ended."""
    _, started = service.call("POST", "/v1/asks", json={"query": question, **body})
    for _ in range(60):
        _, result = service.call("GET", f"/v1/asks/{started['query_id']}/result?wait=5")
        if result["status"] in ("finished", "failed", "stopped"):
            return str(started["query_id"])
    raise AssertionError(result)


def section(look: Callable[..., Looked], service: Service, name: str, **how: Any) -> Looked:
    """A section that has loaded."""
    looked = look(service, f"#/default/keep/{name}", **how)
    looked.page.locator(".keep-head").wait_for()
    looked.page.wait_for_load_state("networkidle")
    return looked


def line(looked: Looked, text: str) -> Any:
    return looked.page.locator(".list > li", has_text=text).first


def confirm(looked: Looked, action: str) -> None:
    looked.page.get_by_role("dialog").get_by_role("button", name=action, exact=True).click()


def test_what_failed_stands_by_its_cause_and_is_corrected(service: Service, look: Callable[..., Looked]) -> None:
    answered(service, FAILING)
    looked = section(look, service, "failures")
    group = looked.page.locator(".cause", has_text="Not clear what is meant")
    assert "Teach a lesson" in group.inner_text()
    group.get_by_role("button", name=f"Correct: {FAILING}").click()
    dialog = looked.page.get_by_role("dialog")
    assert FAILING in dialog.inner_text()
    dialog.get_by_label("The right SQL").fill("SELECT nothing FROM nowhere")
    dialog.get_by_role("button", name="Send").click()
    dialog.get_by_role("alert").wait_for()
    dialog.get_by_label("The right SQL").fill("SELECT COUNT(*) AS zorbs FROM customers")
    dialog.get_by_role("button", name="Send").click()
    line(looked, FAILING).get_by_text("Has a verified answer").wait_for()
    looked.page.get_by_role("button", name=f"Ask again: {FAILING}").first.click()
    looked.card.locator(".answer").wait_for()
    assert "Checked" in looked.card.locator(".answer-trust").inner_text()


def test_a_verified_question_is_added_with_parameters_changed_and_deleted(
    service: Service, look: Callable[..., Looked]
) -> None:
    looked = section(look, service, "verified")
    page = looked.page
    page.get_by_role("button", name="Add a question").click()
    question = page.get_by_label("Question", exact=True)
    question.fill("How many people come from {country}?")
    sql = page.get_by_label("SQL over the model")
    sql.fill("SELECT COUNT(*) AS n FROM customers WHERE land = :country")
    row = page.get_by_role("group", name="country")
    row.get_by_label("If not said").fill("France")
    row.get_by_label("Required").uncheck()
    page.get_by_role("button", name="Save").click()
    page.get_by_role("alert").wait_for()
    assert "land" in page.get_by_role("alert").inner_text()
    assert question.input_value() == "How many people come from {country}?"
    sql.fill("SELECT COUNT(*) AS n FROM customers WHERE country = :country")
    assert row.get_by_label("If not said").input_value() == "France"
    page.get_by_role("button", name="Save").click()
    added = line(looked, "How many people come from {country}?")
    added.wait_for()
    assert ":country" in added.inner_text()
    assert "else France" in added.inner_text()
    assert page.evaluate("document.activeElement.textContent") == "Add a question"

    added.get_by_role("button", name="Edit").click()
    page.get_by_label("SQL over the model").fill("SELECT COUNT(*) AS n FROM customers")
    page.get_by_role("button", name="Save").click()
    page.locator(".keep-form").wait_for(state="detached")
    assert ":country" not in line(looked, "How many people come from").inner_text()
    line(looked, "How many people come from").locator("summary").click()
    assert "FROM customers" in line(looked, "How many people come from").locator(".sql-text").inner_text()

    line(looked, "How many people come from").get_by_role("button", name="Delete").click()
    confirm(looked, "Cancel")
    line(looked, "How many people come from").get_by_role("button", name="Delete").click()
    confirm(looked, "Delete")
    line(looked, "How many people come from").wait_for(state="detached")


def test_lessons_are_approved_taught_changed_and_undone(service: Service, look: Callable[..., Looked]) -> None:
    right = answered(service, "list all customers")
    service.call("POST", f"/v1/asks/{right}/feedback", json={"positive": True})
    looked = section(look, service, "lessons")
    page = looked.page
    waiting = page.locator(".is-waiting > li")
    assert "list all customers" in waiting.inner_text()
    assert page.get_by_role("heading", name="1 to review").is_visible()
    assert "is-main" in (waiting.get_by_role("button", name="Approve").get_attribute("class") or "")
    waiting.get_by_role("button", name="Approve").click()
    page.locator(".is-waiting").wait_for(state="detached")
    assert "list all customers" in page.locator(".list").inner_text()

    page.get_by_role("button", name="Teach a lesson").click()
    page.get_by_label("What people say").fill("punters")
    page.get_by_label("Table", exact=True).fill("custmers")
    page.get_by_role("button", name="Teach", exact=True).click()
    page.get_by_role("alert").wait_for()
    assert "customers" in page.get_by_role("alert").inner_text()
    page.get_by_label("Table", exact=True).fill("customers")
    page.get_by_role("button", name="Teach", exact=True).click()
    taught = line(looked, "“punters” is the table customers")
    taught.wait_for()
    taught.get_by_role("button", name="Edit").click()
    page.get_by_label("Remark").fill("As sales says.")
    page.get_by_role("button", name="Save").click()
    line(looked, "As sales says.").wait_for()

    page.get_by_role("button", name="Lessons as files").click()
    with page.expect_download() as download:
        page.get_by_role("menuitem", name="Download as YAML").click()
    assert "punters" in Path(download.value.path()).read_text(encoding="utf-8")

    line(looked, "“punters” is the table customers").get_by_role("button", name="Revert").click()
    confirm(looked, "Revert")
    line(looked, "“punters” is the table customers").wait_for(state="detached")


def test_documents_are_sent_looked_into_searched_and_deleted(
    service: Service, look: Callable[..., Looked], tmp_path: Path
) -> None:
    file = tmp_path / "handbook.md"
    file.write_text("# Holidays\n\nEverybody has thirty days of holiday in a year.\n\n" + "Words of a handbook. " * 400)
    broken = tmp_path / "broken.pdf"
    broken.write_bytes(b"%PDF-1.4 nothing")
    looked = section(look, service, "documents")
    page = looked.page
    page.locator(".drop input").set_input_files([file, broken])
    line(looked, "passages").wait_for()
    page.locator(".note.is-bad").first.wait_for()
    held = line(looked, "handbook")
    held.locator("summary").click()
    passages = held.locator(".passages > li")
    passages.first.wait_for()
    assert "thirty days of holiday" in passages.first.inner_text()
    assert "more characters" in passages.last.inner_text() or passages.count() > 1

    page.get_by_role("button", name="Write a document").click()
    page.get_by_label("Title").fill("Returns")
    page.get_by_label("Text", exact=True).fill("# Returns\n\nGoods may be returned within 30 days.")
    page.get_by_role("button", name="Save").click()
    line(looked, "Returns").wait_for()

    page.get_by_role("tab", name="Try a question").click()
    page.get_by_role("searchbox", name="A question that a document may answer").fill("how long may goods be returned?")
    page.keyboard.press("Enter")
    page.locator(".passages", has_text="within 30 days").wait_for()

    page.get_by_role("tab", name="All documents").click()
    line(looked, "Returns").get_by_role("button", name="Delete").click()
    confirm(looked, "Delete")
    line(looked, "Returns").wait_for(state="detached")


@pytest.fixture(scope="module")
def signed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service that asks who calls."""
    config = write_config(tmp_path_factory.mktemp("signed"), sign_in={"keys": True})
    with service_of(config, prepared=False, environ={"ASKWELL_SIGN_IN__ADMIN_KEY": ADMIN_KEY}) as running:
        yield running


def sign_in(looked: Looked, key: str) -> None:
    looked.page.get_by_label("Key").fill(key)
    looked.page.keyboard.press("Enter")
    looked.page.locator(".side").wait_for()


def test_a_key_is_made_shown_once_renewed_and_revoked(signed: Service, look: Callable[..., Looked]) -> None:
    looked = look(signed, "#/default/keep/keys")
    page = looked.page
    sign_in(looked, ADMIN_KEY)
    page.get_by_role("button", name="Make a key").click()
    page.get_by_label("For whom").fill("Ann Archer")
    page.get_by_label("Role").select_option("curate")
    page.get_by_label("Some", exact=True).check()
    page.get_by_label("Attributes").fill("region = EMEA\n__proto__ = x")
    page.get_by_role("button", name="Make it").click()
    key = page.locator(".secret").inner_text()
    assert re.fullmatch(r"ak_[0-9a-f]{16}_\S+", key)
    page.get_by_role("button", name="Copy").click()
    assert page.evaluate("navigator.clipboard.readText()") == key
    page.get_by_role("button", name="I have it").click()
    assert key not in page.content()
    assert "__proto__" in line(looked, "Ann Archer").inner_text()

    other = look(signed, "#/default/keep")
    sign_in(other, key)
    other.page.get_by_role("link", name="Lessons").wait_for()
    assert other.page.get_by_role("link", name="Keys").count() == 0

    line(looked, "Ann Archer").get_by_role("button", name="Renew").click()
    page.get_by_role("dialog").get_by_role("button", name="Renew").click()
    page.locator(".secret").wait_for()
    assert page.locator(".secret").inner_text() != key
    line(looked, "Ann Archer").get_by_role("button", name="Revoke").click()
    confirm(looked, "Revoke")
    line(looked, "Revoked").wait_for()
    assert line(looked, "Ann Archer").get_by_role("button").count() == 0


def test_history_stands_by_day_and_what_is_searched_for_stands_in_the_address(
    kept: Service, look: Callable[..., Looked]
) -> None:
    looked = look(kept, "#/default/history")
    page = looked.page
    page.locator(".day").wait_for()
    assert page.locator(".day-name").all_inner_texts() == ["Today"]
    assert "By rules" in line(looked, "How many customers are there?").inner_text()
    assert re.search("Clear|Guess", line(looked, "How many customers are there?").inner_text())
    assert "Marked wrong" in line(looked, "How many customers are there?").inner_text()
    page.get_by_role("searchbox", name="Search in questions").fill("zorbs")
    page.locator(".list > li").nth(1).wait_for(state="detached")
    page.get_by_label("How they ended").select_option("failed")
    page.wait_for_url(lambda url: "zorbs" in url and "failed" in url)
    page.reload()
    line(looked, FAILING).wait_for()
    assert page.locator(".list > li").count() == 1
    page.get_by_role("link", name=FAILING).click()
    looked.card.wait_for()
    page.go_back()
    line(looked, FAILING).wait_for()
    assert page.get_by_role("searchbox", name="Search in questions").input_value() == "zorbs"
    page.get_by_role("link", name="History").click()
    page.locator(".list > li").nth(2).wait_for()
    assert page.get_by_role("searchbox", name="Search in questions").input_value() == ""


def test_what_is_stored_is_text(look: Callable[..., Looked], tmp_path_factory: pytest.TempPathFactory) -> None:
    with service_of(write_config(tmp_path_factory.mktemp("stored"))) as running:
        values = [value for value in HOSTILE if value.strip()]
        for value in values[::9]:
            answered(running, value[:2000])
        pairs = [{"id": f"h{n}", "question": value, "sql": "SELECT id FROM orders"} for n, value in enumerate(values)]
        running.call("POST", "/v1/sql-pairs", json={"sql_pairs": [one for one in pairs if len(one["question"]) < 9999]})
        rules = [
            {"id": f"h{n}", "instruction": value[:9999], "questions": [value[:999]]} for n, value in enumerate(values)
        ]
        running.call("POST", "/v1/instructions", json={"instructions": rules})
        lessons = [
            {"kind": "query_pattern", "body": {"question_like": value, "advice": value}, "note": value}
            for value in (one[:400] for one in values)
        ]
        running.call("POST", "/v1/lessons", json={"lessons": lessons})
        for value in values[::5]:
            document = {"title": value[:100] or "x", "text": f"# x\n\n{value}", "tags": ["<b>"]}
            running.call("POST", "/v1/documents", json=document)
        for name in SECTIONS:
            looked = section(look, running, name)
            for opened in looked.page.locator("details > summary").all()[:5]:
                opened.click()
            looked.page.wait_for_timeout(300)
            assert looked.page.evaluate("window.hacked === undefined && ({}).polluted === undefined"), name
            assert looked.page.evaluate("document.documentElement.scrollWidth") <= 1280, name
