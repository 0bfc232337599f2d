"""Keeping a project in order on the page, and the history: what failed, what the project knows, usage, health, keys."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.page.conftest import Looked, Service, service_of
from tests.page.hostile import HOSTILE
from tests.page.test_accessibility import axe, found_by_axe
from tests.page.test_signing_in import ADMIN_KEY
from tests.support.service import write_config

pytestmark = pytest.mark.deep

SECTIONS = ("failures", "verified", "instructions", "lessons", "documents", "usage", "health")
FAILING = "how many zorbs are there?"
USAGE = {
    "days": [
        {
            "date": f"2026-11-{day:02}",
            "asks": day,
            "answered": day - 1,
            "failed": 1,
            "stopped": 0,
            "unfinished": 0,
            "llm_calls": 2 * day,
            "prompt_tokens": 1000 * day,
            "completion_tokens": 10 * day,
            "cost_usd": 0.001 * day,
        }
        for day in range(1, 31)
    ],
    "causes": [{"code": "NO_RELEVANT_SQL", "count": 29, "examples": []}, {"code": "NEW", "count": 1, "examples": []}],
    "sources": [{"source": "rules", "count": 400}, {"source": "<img src=x onerror=window.hacked=1>", "count": 35}],
}


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
    assert "Checked" in looked.card.locator(".answer-head").inner_text()


def test_an_answer_that_was_said_to_be_wrong_is_corrected(kept: Service, look: Callable[..., Looked]) -> None:
    looked = section(look, kept, "failures")
    group = looked.page.locator(".cause", has_text="The answer was wrong")
    assert "Not those that left." in group.inner_text()
    group.get_by_role("button", name="Correct: How many customers are there?").click()
    field = looked.page.get_by_label("The right SQL")
    assert "customers" in field.input_value()
    field.fill("SELECT COUNT(*) AS n FROM customers WHERE country = 'Germany'")
    looked.page.get_by_role("button", name="Send").click()
    group.get_by_text("Has a verified answer").wait_for()


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


def test_what_a_verified_question_would_be_repaired_to_is_said_first(
    service: Service, look: Callable[..., Looked]
) -> None:
    page = section(look, service, "verified").page
    page.get_by_role("button", name="Add a question").click()
    page.get_by_label("Question", exact=True).fill("number of sales")
    sql = page.get_by_label("SQL over the model")
    sql.fill("SELECT COUNT(*) AS n FROM ordrs")
    page.get_by_role("button", name="Try it").click()
    page.locator(".keep-form").get_by_text("ordrs").last.wait_for()
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_role("button", name="Save the SQL below").click()
    page.locator(".keep-form").wait_for(state="detached")
    saved = [one for one in listed(service, "sql-pairs") if one["question"] == "number of sales"]
    assert [one["sql"].split()[-1] for one in saved] == ["orders"]

    page.get_by_role("button", name="Add a question").click()
    page.get_by_label("Question", exact=True).fill("Number of sales?")
    sql.fill("SELECT COUNT(*) AS n FROM orders")
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_role("button", name="Edit that one").click()
    assert page.get_by_label("Question", exact=True).input_value() == "number of sales"


def test_who_edits_what_somebody_changed_is_told(service: Service, look: Callable[..., Looked]) -> None:
    pair = {"id": "two", "question": "how many people?", "sql": "SELECT COUNT(*) AS n FROM customers"}
    rule = {"id": "rule", "instruction": "Amounts are in dollars.", "is_default": True}
    kept_now(service, "sql-pairs", {"sql_pairs": [pair]})
    page = section(look, service, "verified").page
    page.locator(".list > li", has_text="how many people?").get_by_role("button", name="Edit").click()
    kept_now(service, "sql-pairs", {"sql_pairs": [{**pair, "sql": "SELECT COUNT(id) AS theirs FROM customers"}]})
    page.get_by_label("SQL over the model").fill("SELECT COUNT(*) AS mine FROM customers")
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("Somebody has changed this since you opened it.").wait_for()
    assert "theirs" in page.locator(".keep-form").inner_text()
    page.get_by_role("button", name="Show theirs").click()
    page.locator(".list > li", has_text="theirs").wait_for()

    kept_now(service, "instructions", {"instructions": [rule]})
    page.get_by_role("link", name="Instructions").click()
    page.locator(".list > li", has_text="in dollars").get_by_role("button", name="Edit").click()
    assert service.call("DELETE", "/v1/instructions", json={"instruction_ids": ["rule"]})[0] == 202
    page.get_by_label("The rule").fill("Amounts are in pounds.")
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("Somebody has deleted this since you opened it.").wait_for()
    assert all(one["id"] != "rule" for one in listed(service, "instructions"))
    page.get_by_role("button", name="Save anyway").click()
    page.locator(".list > li", has_text="in pounds").wait_for()


def listed(service: Service, path: str) -> list[dict[str, Any]]:
    _, told = service.call("GET", f"/v1/{path}?limit=1000")
    return list(told[path.replace("-", "_")])


def kept_now(service: Service, path: str, body: dict[str, Any]) -> None:
    """Save, and wait until that is done."""
    _, started = service.call("POST", f"/v1/{path}", json=body)
    for _ in range(200):
        _, event = service.call("GET", f"/v1/{path}/{started['event_id']}")
        if event["status"] in ("finished", "failed"):
            break
    assert event["status"] == "finished", event


def test_a_verified_question_is_asked(kept: Service, look: Callable[..., Looked]) -> None:
    looked = section(look, kept, "verified")
    line(looked, "list all orders").get_by_role("button", name="Ask: list all orders").click()
    looked.card.locator(".answer").wait_for()
    assert "Checked" in looked.card.locator(".answer-head").inner_text()


def test_many_verified_questions_are_searched_and_shown_in_parts(service: Service, look: Callable[..., Looked]) -> None:
    pairs = [{"id": f"m{n}", "question": f"question number {n}", "sql": "SELECT id FROM orders"} for n in range(120)]
    _, started = service.call("POST", "/v1/sql-pairs", json={"sql_pairs": pairs})
    for _ in range(200):
        _, event = service.call("GET", f"/v1/sql-pairs/{started['event_id']}")
        if event["status"] == "finished":
            break
    looked = section(look, service, "verified")
    assert looked.page.locator(".list > li").count() == 50
    looked.page.get_by_role("button", name="More", exact=True).click()
    assert looked.page.locator(".list > li").count() == 100
    looked.page.get_by_role("searchbox").fill("NUMBER 117")
    assert looked.page.locator(".list > li").count() == 1
    looked.page.get_by_role("searchbox").fill("nothing has this")
    assert "Nothing has these words." in looked.page.locator(".empty").inner_text()


def test_an_instruction_is_added_changed_and_deleted(service: Service, look: Callable[..., Looked]) -> None:
    looked = section(look, service, "instructions")
    page = looked.page
    assert "No language model is configured" in page.locator(".keep-body").inner_text()
    page.get_by_role("button", name="Add an instruction").click()
    page.get_by_label("The rule").fill("Amounts are in euros.")
    page.get_by_label("For questions like some").check()
    page.get_by_label("Questions like", exact=True).fill("revenue per month\n\n  what did we sell?  ")
    page.get_by_label("What it is for").select_option(label="Answers in words")
    page.get_by_role("button", name="Save").click()
    line(looked, "Amounts are in euros.").wait_for()
    assert line(looked, "Amounts are in euros.").locator(".chip").all_inner_texts() == [
        "revenue per month",
        "what did we sell?",
    ]
    line(looked, "Amounts are in euros.").get_by_role("button", name="Edit").click()
    page.get_by_label("For every question").check()
    page.get_by_role("button", name="Save").click()
    page.locator(".keep-form").wait_for(state="detached")
    assert "For every question" in line(looked, "Amounts are in euros.").inner_text()
    assert page.evaluate("document.activeElement.textContent") == "Edit"
    page.locator(".keep-edit:focus").wait_for()
    line(looked, "Amounts are in euros.").get_by_role("button", name="Delete").click()
    confirm(looked, "Delete")
    line(looked, "Amounts are in euros.").wait_for(state="detached")


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


def test_lessons_are_read_from_a_file(service: Service, look: Callable[..., Looked], tmp_path: Path) -> None:
    file = tmp_path / "lessons.yaml"
    file.write_text("- {kind: table_mapping, body: {said: folks, table: customers}}\n- {kind: nothing}\n")
    looked = section(look, service, "lessons")
    looked.page.locator(".keep-head input[type=file]").set_input_files(file)
    line(looked, "“folks” is the table customers").wait_for()
    assert looked.page.locator(".note.is-warn").count() == 1


def test_a_file_of_the_same_name_takes_the_place_of_its_document(service: Service, look: Callable[..., Looked]) -> None:
    page = section(look, service, "documents").page

    def send(text: str, name: str = "prices_of_2026.md") -> None:
        file = {"name": name, "mimeType": "text/markdown", "buffer": text.encode()}
        page.locator("input[type=file]").set_input_files([file])

    def ids() -> list[str]:
        return [one["id"] for one in listed(service, "documents") if one["source"] == "prices_of_2026.md"]

    send("# Prices\n\nLamps are cheap.")
    entry = page.locator(".list > li", has_text="prices of 2026")
    entry.wait_for()
    # As `askwell docs add` calls it, which replaces it too.
    assert ids() == ["prices_of_2026.md"]
    send("# Prices\n\nLamps are dear.")
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Replace", exact=True).click()
    dialog.wait_for(state="detached")
    page.locator(".keep-working").wait_for(state="detached")
    assert ids() == ["prices_of_2026.md"]
    _, told = service.call("GET", "/v1/documents/prices_of_2026.md/chunks")
    assert "dear" in told["chunks"][0]["text"]
    send("# Prices\n\nLamps are dearer.")
    dialog.get_by_role("button", name="Keep both").click()
    page.locator(".list > li", has_text="prices of 2026").nth(1).wait_for()
    assert len(ids()) == 2


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


def test_usage_is_told_in_figures_bars_and_a_table(kept: Service, look: Callable[..., Looked]) -> None:
    looked = look(kept)
    page = looked.page
    page.route("**/v1/usage*", lambda route: route.fulfill(json=USAGE))
    page.goto(f"{kept.url}/#/default/keep/usage")
    page.locator(".bars").wait_for()
    assert "465" in page.locator(".numbers").inner_text()
    assert page.locator(".bars .bar").count() == 30
    page.locator(".bars .bar").nth(29).hover()
    assert "30 asked, 29 answered, 1 failed, 0 stopped, 0 not ended" in page.locator(".bars-said").inner_text()
    page.get_by_text("As a table").click()
    assert page.locator(".plain-table tbody tr").count() == 30
    assert "No SQL was found for it" in page.locator(".halves").inner_text()
    assert page.evaluate("window.hacked") is None


def test_usage_adds_up_and_begins_with_the_first_question(kept: Service, look: Callable[..., Looked]) -> None:
    days = [{**one, "asks": 0, "answered": 0, "failed": 0, "unfinished": 0} for one in USAGE["days"]]  # type: ignore[attr-defined]
    days[20] |= {"asks": 21, "answered": 13, "failed": 5, "stopped": 1, "unfinished": 2}
    looked = look(kept)
    page = looked.page
    page.route("**/v1/usage*", lambda route: route.fulfill(json={**USAGE, "days": days}))
    page.goto(f"{kept.url}/#/default/keep/usage")
    page.locator(".bars").wait_for()
    told = dict(zip(page.locator(".numbers dt").all_inner_texts(), page.locator(".numbers dd").all(), strict=True))
    counts = {name: told[name].inner_text().split("\n")[0] for name in ("Answered", "Failed", "Stopped", "Not ended")}
    assert counts == {"Answered": "13", "Failed": "5", "Stopped": "1", "Not ended": "2"}
    bad = page.evaluate("getComputedStyle(document.querySelector('.numbers .is-bad')).color")
    assert bad != page.evaluate("getComputedStyle(document.querySelector('.numbers dd')).color")
    assert told["Failed"].get_attribute("class") == "is-bad"
    assert page.locator(".bars .bar").count() == 10
    page.locator(".bars .bar").first.hover()
    assert "Nov 21: 21 asked, 13 answered, 5 failed, 1 stopped, 2 not ended" in page.locator(".bars-said").inner_text()
    heights = [float(one.get_attribute("height") or 0) for one in page.locator(".bar").first.locator("rect").all()[1:]]
    assert sum(heights) == pytest.approx(120)


def test_the_same_question_that_fails_again_stands_once(kept: Service, look: Callable[..., Looked]) -> None:
    error = {"code": "NO_RELEVANT_SQL", "message": "No."}
    failed = {"status": "failed", "error": error, "created_at": "2026-11-26T12:00:00Z"}
    asks = [
        {**failed, "query_id": f"q{at}", "query": query}
        for at, query in enumerate(["How many zorbs?", "else", "how many  zorbs?"])
    ]
    looked = look(kept)
    page = looked.page
    page.route("**/v1/asks?*status=failed*", lambda route: route.fulfill(json={"asks": asks, "total": 3}))
    page.goto(f"{kept.url}/#/default/keep/failures")
    group = page.locator(".cause", has_text="No SQL was found for it")
    group.wait_for()
    assert group.locator(".list > li").count() == 2
    assert "×2" in line(looked, "How many zorbs?").inner_text()
    assert "Asked 2 times" in (line(looked, "How many zorbs?").text_content() or "")
    assert group.locator("h3 .badge").inner_text() == "3"


def test_every_remark_of_a_question_is_shown(kept: Service, look: Callable[..., Looked]) -> None:
    wrong = {"status": "finished", "type": "TEXT_TO_SQL", "sql_source": "rules", "is_own": False}
    remarks = ["Too many.", None, "Not those that left.", "Too many."]
    asks = [
        {
            **wrong,
            "query_id": f"q{at}",
            "query": "How many zorbs?",
            "created_at": "2026-11-26T12:00:00Z",
            "feedback": {"positive": False} | ({"comment": remark} if remark else {}),
        }
        for at, remark in enumerate(remarks)
    ]
    looked = look(kept)
    page = looked.page
    page.route("**/v1/asks?*feedback=negative*", lambda route: route.fulfill(json={"asks": asks, "total": 4}))
    page.goto(f"{kept.url}/#/default/keep/failures")
    group = page.locator(".cause", has_text="The answer was wrong")
    group.wait_for()
    (shown,) = group.locator(".list > li").all()
    assert [shown.inner_text().count(remark) for remark in ("Too many.", "Not those that left.")] == [1, 1]
    assert "×4" in shown.inner_text()


def test_health_says_that_there_is_no_model_and_whose_databases_are_not_named(
    kept: Service, look: Callable[..., Looked]
) -> None:
    absent = {"ok": True, "message": "no model yet", "set_up": False}
    works = {"ok": True, "message": "works"}
    checks = {"semantic_models": absent, "data_source": works, "data_source.north": {"ok": False, "message": "Gone."}}
    looked = look(kept)
    page = looked.page
    page.route("**/v1/health/ready", lambda route: route.fulfill(json={"status": "ready", "checks": checks}))
    page.goto(f"{kept.url}/#/default/keep/health")
    assert "None yet" in line(looked, "Semantic models").inner_text()
    assert "No project has a model yet." in line(looked, "Semantic models").inner_text()
    assert "Down" in line(looked, "Data source: north").inner_text()
    assert "Works" in line(looked, "Databases of other projects").inner_text()


def test_what_nobody_set_up_is_neither_good_nor_bad(kept: Service, look: Callable[..., Looked]) -> None:
    looked = section(look, kept, "health")
    model = line(looked, "Language model")
    assert "Not set up" in model.inner_text()
    assert "questions that rules cannot read" in model.inner_text()
    assert model.locator(".is-good, .is-bad").count() == 0
    assert "Works" in line(looked, "Record").inner_text()
    assert "can be read and written" in line(looked, "Record").inner_text()


def test_only_what_broke_is_an_alarm_in_the_history(kept: Service, look: Callable[..., Looked]) -> None:
    looked = look(kept, "#/default/history")
    line(looked, FAILING).wait_for()
    assert line(looked, FAILING).locator(".is-bad").count() == 0
    assert line(looked, FAILING).get_by_text("Not answered").count() == 1
    assert line(looked, "How many customers are there?").locator(".is-bad").count() == 0
    broken = {"query_id": "q1", "status": "failed", "query": "x", "created_at": "2026-11-26T12:00:00Z"}
    asks = [{**broken, "error": {"code": "OTHERS", "message": "The database is away."}}]
    looked.page.route("**/v1/asks?*", lambda route: route.fulfill(json={"asks": asks, "total": 1}))
    looked.page.reload()
    line(looked, "The database is away.").locator(".badge.is-bad").wait_for()


def test_files_outweigh_writing_a_document(kept: Service, look: Callable[..., Looked]) -> None:
    page = section(look, kept, "documents").page
    assert "is-main" not in (page.get_by_role("button", name="Write a document").get_attribute("class") or "")
    assert page.get_by_role("tab").all_inner_texts() == ["All documents", "Try a question"]
    page.get_by_text("Show contents").first.click()
    page.locator(".passages").first.wait_for()


def test_follow_ups_say_what_they_follow_on_and_open_with_it(
    tmp_path_factory: pytest.TempPathFactory, look: Callable[..., Looked]
) -> None:
    with service_of(write_config(tmp_path_factory.mktemp("threads"))) as running:
        first = "How many orders are there per customer?"
        begun = answered(running, first)
        _, result = running.call("GET", f"/v1/asks/{begun}/result")
        before = [{"question": first, "sql": result["response"][0]["sql"]}]
        answered(running, "top 2", histories=before)
        looked = look(running, "#/default/history")
        page = looked.page
        line(looked, "top 2").wait_for()
        assert f"after: {first}" in line(looked, "top 2").inner_text()
        assert page.locator(".past-follows").count() == 1
        page.get_by_role("link", name="top 2").click()
        page.locator("article h2").nth(1).wait_for()
        assert page.locator("article h2").all_inner_texts() == [first, "top 2"]


def test_what_was_typed_into_a_form_is_there_when_somebody_comes_back(
    kept: Service, look: Callable[..., Looked]
) -> None:
    looked = section(look, kept, "instructions")
    page = looked.page
    page.get_by_role("button", name="Add an instruction").click()
    page.get_by_label("The rule").fill("Amounts are in euros.")
    page.get_by_label("For questions like some").check()
    page.get_by_role("textbox", name="Questions like").fill("revenue")
    page.get_by_label("What it is for").select_option(label="Charts")

    page.get_by_role("link", name="Verified questions").click()
    page.get_by_role("button", name="Add a question").click()
    page.get_by_label("Question", exact=True).fill("From {country}?")
    page.get_by_label("SQL over the model").fill("SELECT id FROM customers WHERE country = :country")
    page.get_by_role("group", name="country").get_by_label("If not said").fill("France")

    page.get_by_role("link", name="Documents").click()
    page.get_by_role("button", name="Write a document").click()
    page.get_by_label("Title").fill("Half a text")

    page.get_by_role("link", name="Instructions").click()
    assert page.get_by_label("The rule").input_value() == "Amounts are in euros."
    assert page.get_by_label("For questions like some").is_checked()
    assert page.get_by_role("textbox", name="Questions like").input_value() == "revenue"
    assert page.get_by_label("What it is for").input_value() == "chart"
    page.get_by_role("button", name="Cancel").click()

    page.reload()
    page.get_by_role("button", name="Add an instruction").wait_for()
    assert page.locator(".keep-form").count() == 0
    page.get_by_role("link", name="Verified questions").click()
    assert page.get_by_role("group", name="country").get_by_label("If not said").input_value() == "France"
    page.get_by_role("button", name="Cancel").click()

    page.get_by_role("link", name="Documents").click()
    assert page.get_by_label("Title").input_value() == "Half a text"
    page.get_by_label("Text", exact=True).fill("All of it.")
    page.get_by_role("button", name="Save").click()
    line(looked, "Half a text").wait_for()
    assert page.locator(".keep-form").count() == 0
    page.get_by_role("link", name="Health").click()
    page.get_by_role("link", name="Documents").click()
    line(looked, "Half a text").wait_for()
    assert page.locator(".keep-form").count() == 0


def test_a_change_that_was_begun_goes_on_where_it_was_left(kept: Service, look: Callable[..., Looked]) -> None:
    looked = section(look, kept, "instructions")
    page = looked.page
    line(looked, "Weeks begin on Monday.").get_by_role("button", name="Edit").click()
    page.get_by_label("The rule").fill("Weeks begin on Sunday.")
    page.get_by_role("link", name="Health").click()
    page.locator(".health").wait_for()
    page.get_by_role("link", name="Instructions").click()
    assert page.get_by_label("The rule").input_value() == "Weeks begin on Sunday."
    page.get_by_role("button", name="Cancel").click()
    line(looked, "Weeks begin on Monday.").wait_for()


def test_views_have_one_edge_and_one_width(kept: Service, look: Callable[..., Looked]) -> None:
    looked = look(kept, width=1680)
    page = looked.page
    edges = set()
    for place, part in (("ask", ".question-box"), ("history", ".history-tools"), ("keep", ".tabs-line")):
        page.goto(f"{kept.url}/#/default/{place}")
        page.locator(part).first.wait_for()
        box = page.locator(part).first.bounding_box()
        assert box is not None
        edges.add((round(box["x"]), round(box["width"])))
    assert len(edges) == 1
    starts = "parts => parts.map(one => Math.round(one.getBoundingClientRect().x))"
    icons = page.locator(".place .icon, .side-end .icon").evaluate_all(starts)
    assert len(set(icons)) == 1, icons


def test_usage_says_where_a_service_does_not_count(kept: Service, look: Callable[..., Looked]) -> None:
    looked = look(kept)
    looked.page.route("**/v1/usage*", lambda route: route.fulfill(status=404, json={"message": "Not found"}))
    looked.page.goto(f"{kept.url}/#/default/keep/usage")
    looked.page.get_by_text("This service does not count what was asked.").wait_for()


def test_health_names_what_is_down_first(kept: Service, look: Callable[..., Looked]) -> None:
    looked = section(look, kept, "health")
    assert "Everything works." in looked.page.locator(".note.is-good").inner_text()
    checks = {"record": {"ok": True, "message": "well"}, "data_source.shop": {"ok": False, "message": "no such file"}}
    down = {"code": "UNAVAILABLE", "message": "Not ready: data_source.shop.", "hint": "", "checks": checks}
    looked.page.route("**/v1/health/ready", lambda route: route.fulfill(status=503, json=down))
    looked.page.get_by_role("button", name="Check again").click()
    looked.page.locator(".note.is-bad").wait_for()
    assert "Data source: shop" in looked.page.locator(".list > li").first.inner_text()
    assert "no such file" in looked.page.locator(".list > li").first.inner_text()


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
    assert "Said to be wrong" in line(looked, "How many customers are there?").inner_text()
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


def test_history_is_cut_down_to_what_was_said_of_answers(kept: Service, look: Callable[..., Looked]) -> None:
    looked = look(kept, "#/default/history/status%3Dwrong")
    line(looked, "How many customers are there?").wait_for()
    assert looked.page.locator(".list > li").count() == 1
    looked.page.get_by_label("How they ended").select_option(label="Said to be right")
    line(looked, "list all orders").wait_for()
    assert looked.page.locator(".list > li").count() == 1


def test_sections_have_addresses_and_keep_the_focus(kept: Service, look: Callable[..., Looked]) -> None:
    looked = section(look, kept, "failures")
    page = looked.page
    page.get_by_role("link", name="Lessons").focus()
    page.keyboard.press("Enter")
    line(looked, "punters").wait_for()
    assert page.url.endswith("#/default/keep/lessons")
    assert page.evaluate("document.activeElement.textContent") == "Lessons"
    assert "Lessons" in page.title()
    page.go_back()
    page.locator(".cause").first.wait_for()
    page.goto(f"{kept.url}/#/default/keep/nothing")
    page.locator(".cause").first.wait_for()


def test_a_form_is_filled_in_and_given_up_by_keyboard_alone(kept: Service, look: Callable[..., Looked]) -> None:
    looked = section(look, kept, "instructions")
    page = looked.page
    page.get_by_role("button", name="Add an instruction").focus()
    page.keyboard.press("Enter")
    page.locator("textarea:focus").wait_for()
    page.keyboard.type("Say it in euros.")
    page.get_by_role("button", name="Cancel").focus()
    page.keyboard.press("Enter")
    assert page.locator(".keep-form").count() == 0
    assert page.evaluate("document.activeElement.textContent") == "Add an instruction"


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


@axe
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("name", SECTIONS)
def test_axe_finds_nothing_in_a_section(kept: Service, look: Callable[..., Looked], name: str, dark: bool) -> None:
    looked = look(kept, dark=dark)
    looked.page.route("**/v1/usage*", lambda route: route.fulfill(json=USAGE))
    looked.page.goto(f"{kept.url}/#/default/keep/{name}")
    looked.page.locator(".keep-head").wait_for()
    looked.page.wait_for_load_state("networkidle")
    assert found_by_axe(looked) == []
    for opened in looked.page.locator("summary").all():
        opened.click()
    for button in looked.page.locator(".keep-head .is-main, .keep-entry button:has-text('Edit')").all()[:2]:
        button.click()
    assert found_by_axe(looked) == []


@axe
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_axe_finds_nothing_among_keys(signed: Service, look: Callable[..., Looked], dark: bool) -> None:
    looked = look(signed, "#/default/keep/keys", dark=dark)
    sign_in(looked, ADMIN_KEY)
    looked.page.get_by_role("button", name="Make a key").click()
    assert found_by_axe(looked) == []
    looked.page.get_by_label("For whom").fill("Bo Baker")
    looked.page.get_by_role("button", name="Make it").click()
    looked.page.locator(".secret").wait_for()
    assert found_by_axe(looked) == []


@pytest.mark.parametrize("name", SECTIONS)
def test_no_section_is_wider_than_a_narrow_screen(kept: Service, look: Callable[..., Looked], name: str) -> None:
    looked = section(look, kept, name, width=320, height=640)
    link = looked.page.locator(".keep-tabs [aria-current=page]")
    box = link.bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 320
    for button in looked.page.locator(".keep-head .is-main, .keep-entry button:has-text('Edit')").all()[:2]:
        button.click()
    assert looked.page.evaluate("document.documentElement.scrollWidth") <= 320
