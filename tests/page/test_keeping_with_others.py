"""Keeping a project in order on the page while others do the same, and without losing anything."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.page.conftest import Looked, Service, service_of
from tests.page.test_keeping_order import FAILING, answered, confirm, line, listed, section, sign_in
from tests.page.test_signing_in import ADMIN_KEY
from tests.support.service import write_config

pytestmark = pytest.mark.deep


@pytest.fixture(scope="module")
def signed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service that asks who calls."""
    config = write_config(tmp_path_factory.mktemp("signed"), sign_in={"keys": True})
    with service_of(config, prepared=False, environ={"ASKWELL_SIGN_IN__ADMIN_KEY": ADMIN_KEY}) as running:
        running.sign_in(ADMIN_KEY)
        yield running


def taught(service: Service, said: str, table: str = "customers") -> str:
    """The id of a lesson that somebody teaches."""
    lesson = {"kind": "table_mapping", "body": {"said": said, "table": table}}
    status, told = service.call("POST", "/v1/lessons", json={"lessons": [lesson]})
    assert status == 200, told
    return str(told["lessons"][0]["id"])


def edited(looked: Looked, said: str, into: str) -> None:
    """Open a lesson, and write something else into it."""
    line(looked, f"“{said}”").get_by_role("button", name="Edit").click()
    looked.page.get_by_label("What people say").fill(into)


def test_who_edits_a_lesson_that_somebody_changed_is_told(service: Service, look: Callable[..., Looked]) -> None:
    lesson = taught(service, "shoppers")
    looked = section(look, service, "lessons")
    page = looked.page
    edited(looked, "shoppers", "mine")
    body = {"body": {"said": "theirs", "table": "customers"}}
    assert service.call("PATCH", f"/v1/lessons/{lesson}", json=body)[0] == 200
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("Somebody has changed this since you opened it.").wait_for()
    assert "“theirs” is the table customers" in page.locator(".keep-form").inner_text()
    page.get_by_role("button", name="Show theirs").click()
    line(looked, "“theirs”").wait_for()

    edited(looked, "theirs", "mine")
    page.get_by_role("link", name="Health").click()
    page.get_by_role("link", name="Lessons").click()
    assert page.get_by_label("What people say").input_value() == "mine"
    page.get_by_role("button", name="Save", exact=True).click()
    line(looked, "“mine”").wait_for()


def test_who_edits_a_lesson_that_somebody_deleted_decides(service: Service, look: Callable[..., Looked]) -> None:
    looked = section(look, service, "lessons")
    page = looked.page
    for said, action in (("regulars", "Leave it deleted"), ("walkers", "Save anyway")):
        lesson = taught(service, said)
        page.reload()
        edited(looked, said, f"{said} of mine")
        assert service.call("DELETE", "/v1/lessons", json={"lesson_ids": [lesson]})[0] == 200
        page.get_by_role("button", name="Save", exact=True).click()
        page.get_by_text("Somebody has deleted this since you opened it.").wait_for()
        page.get_by_role("button", name=action).click()
        page.locator(".keep-form").wait_for(state="detached")
    line(looked, "“walkers of mine”").wait_for()
    assert not [one for one in listed(service, "lessons") if "regulars" in one["body"]["said"]]

    lesson = taught(service, "browsers")
    page.reload()
    line(looked, "“browsers”").wait_for()
    assert service.call("DELETE", "/v1/lessons", json={"lesson_ids": [lesson]})[0] == 200
    line(looked, "“browsers”").get_by_role("button", name="Revert").click()
    confirm(looked, "Revert")
    page.get_by_text("This lesson is not there any more: somebody has deleted it.").wait_for()


def test_a_lesson_that_somebody_undid_may_count_again(service: Service, look: Callable[..., Looked]) -> None:
    asked = answered(service, "list all orders")
    service.call("POST", f"/v1/asks/{asked}/feedback", json={"positive": True})
    lesson = next(one["id"] for one in listed(service, "lessons") if one["status"] == "candidate")
    assert service.call("PATCH", f"/v1/lessons/{lesson}", json={"status": "active"})[0] == 200
    looked = section(look, service, "lessons")
    page = looked.page
    line(looked, "list all orders").get_by_role("button", name="Edit").click()
    page.get_by_label("Remark").fill("As sales says.")
    assert service.call("POST", f"/v1/lessons/{lesson}/revert")[0] in (200, 204)
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("Somebody has reverted or refused this lesson").wait_for()
    assert page.get_by_role("button", name="Leave it so").is_visible()
    page.get_by_role("button", name="Save anyway").click()
    line(looked, "As sales says.").wait_for()
    found = next(one for one in listed(service, "lessons") if one["id"] == lesson)
    assert (found["status"], found["note"]) == ("active", "As sales says.")


def test_a_verified_question_is_tried_with_values(service: Service, look: Callable[..., Looked]) -> None:
    page = section(look, service, "verified").page
    page.get_by_role("button", name="Add a question").click()
    page.get_by_label("SQL over the model").fill("SELECT name FROM customers WHERE country = :country AND id < :most")
    page.get_by_role("group", name="most").get_by_label("Type").select_option("BIGINT")
    page.get_by_role("group", name="most").get_by_label("If not said").fill("999")
    attempt = page.get_by_role("button", name="Try it")
    attempt.click()
    page.get_by_text("Say a value for :country, then try it again.").wait_for()
    values = page.get_by_role("group", name="Values to try it with")
    assert values.get_by_role("textbox").count() == 1
    value = values.get_by_label(":country")
    assert value.evaluate("field => document.activeElement === field")
    value.fill("Germany")
    value.press("Enter")
    page.locator(".keep-form .grid").wait_for()
    assert page.locator(".keep-form [role=gridcell]").count() > 0
    value.fill("Germany' OR 1=1 --")
    attempt.click()
    page.get_by_text("It finds no rows.").wait_for()
    page.get_by_role("group", name="country").first.get_by_label("If not said").fill("Germany")
    attempt.click()
    page.locator(".keep-form .grid").wait_for()
    assert values.count() == 0
    page.get_by_role("button", name="Cancel").click()


def test_a_key_that_is_over_is_renewed_with_a_new_end(signed: Service, look: Callable[..., Looked]) -> None:
    soon = datetime.now(UTC) + timedelta(hours=1)
    made = {"name": "Soon Over", "role": "ask", "expires_at": soon.isoformat()}
    status, told = signed.call("POST", "/v1/keys", json=made)
    assert status == 201
    looked = look(signed, "#/default/keep/keys")
    page = looked.page
    sign_in(looked, ADMIN_KEY)
    line(looked, "Soon Over").wait_for()
    assert re.search(r"until \S+, \d+:\d\d", line(looked, "Soon Over").inner_text())
    listed_keys = signed.call("GET", "/v1/keys")[1]["keys"]
    for one in listed_keys:
        if one["id"] == told["id"]:
            now = datetime.now(UTC)
            one |= {
                "expires_at": (now - timedelta(days=1)).isoformat(),
                "used_at": (now - timedelta(minutes=12)).isoformat(),
            }
    page.route(re.compile("/v1/keys$"), lambda route: route.fulfill(json={"keys": listed_keys}))
    page.reload()
    line(looked, "Soon Over").get_by_text("used within the last hour").wait_for()
    line(looked, "Soon Over").get_by_role("button", name="Renew").click()
    dialog = page.get_by_role("dialog")
    assert dialog.get_by_label("The one before works for").count() == 0
    dialog.get_by_role("button", name="Renew").click()
    dialog.get_by_text("Say until when the key is to work.").wait_for()
    day = (datetime.now(UTC) + timedelta(days=30)).date().isoformat()
    dialog.get_by_label("Works until").fill(day)
    page.unroute(re.compile("/v1/keys$"))
    with page.expect_request("**/rotate") as sent:
        dialog.get_by_role("button", name="Renew").click()
    page.locator(".secret").wait_for()
    ends = datetime.fromisoformat(sent.value.post_data_json["expires_at"])
    # To the end of that day, wherever the browser is.
    assert timedelta(hours=-14) <= ends - datetime.fromisoformat(f"{day}T00:00:00+00:00") <= timedelta(hours=36)
    page.get_by_role("button", name="I have it").click()


def test_a_new_key_that_nobody_took_is_asked_about(signed: Service, look: Callable[..., Looked]) -> None:
    looked = look(signed, "#/default/keep/keys")
    page = looked.page
    sign_in(looked, ADMIN_KEY)
    page.get_by_role("button", name="Make a key").click()
    page.get_by_label("For whom").fill("Cy Cole")
    assert "admin – may do everything" in page.get_by_label("Role").inner_text()
    page.get_by_role("button", name="Make it").click()
    key = page.locator(".secret").inner_text()
    page.get_by_role("link", name="Health").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_text("You have not said that you have the key of Cy Cole.").wait_for()
    dialog.get_by_role("button", name="Cancel").click()
    assert page.url.endswith("/keep/keys")
    assert page.locator(".secret").inner_text() == key
    page.get_by_role("link", name="History").click()
    dialog.get_by_role("button", name="Leave it there").click()
    page.get_by_role("heading", name="History").wait_for()
    # It is kept nowhere but in the page.
    kept = page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}])")
    assert key not in kept
    asked: list[str] = []
    page.on("dialog", lambda one: (asked.append(one.type), one.dismiss()))
    page.evaluate("() => setTimeout(() => location.reload())")
    page.wait_for_timeout(500)
    assert asked == ["beforeunload"]
    page.go_back()
    page.locator(".secret").wait_for()
    assert page.locator(".secret").inner_text() == key
    page.get_by_role("button", name="I have it").click()
    page.get_by_role("link", name="Health").click()
    page.locator(".health").wait_for()
    page.reload()
    assert asked == ["beforeunload"]


def test_a_key_is_made_for_own_projects_only(signed: Service, look: Callable[..., Looked]) -> None:
    some = {"name": "Some Admin", "role": "admin", "projects": ["default"]}
    own = signed.call("POST", "/v1/keys", json=some)[1]["key"]
    for key, said in ((own, "You can make keys for your own projects only."), (ADMIN_KEY, "once there is one")):
        looked = look(signed, "#/default/keep/keys")
        page = looked.page
        sign_in(looked, key)
        page.get_by_role("button", name="Make a key").click()
        page.get_by_label("For whom").fill("Dee Dale")
        page.get_by_label("Some", exact=True).check()
        page.get_by_label("Which projects").fill("later")
        page.get_by_label("For whom").focus()
        page.get_by_text(said).wait_for()
        page.get_by_role("button", name="Make it").click()
        page.locator(".keep-form .note.is-bad, .secret").wait_for()
        assert page.locator(".secret").count() == int(key == ADMIN_KEY)


def test_what_is_typed_into_a_correction_is_kept_until_it_is_given_up(
    service: Service, look: Callable[..., Looked]
) -> None:
    answered(service, FAILING)
    looked = section(look, service, "failures")
    page = looked.page
    correct = page.get_by_role("button", name=f"Correct: {FAILING}")
    sql = page.get_by_label("The right SQL")
    correct.click()
    sql.fill("SELECT half")
    page.keyboard.press("Escape")
    page.reload()
    correct.click()
    assert sql.input_value() == "SELECT half"
    page.get_by_role("dialog").get_by_role("button", name="Close").click()
    correct.click()
    assert sql.input_value() == "SELECT half"
    page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    correct.click()
    assert sql.input_value() != "SELECT half"
    page.keyboard.press("Escape")

    page.goto(f"{service.url}/#/default/ask")
    looked.ask("How many customers are there?")
    looked.card.get_by_role("button", name="Wrong").click()
    remark = page.get_by_label("What was wrong?")
    remark.fill("Not those that left.")
    page.keyboard.press("Escape")
    page.reload()
    looked.card.get_by_role("button", name="Wrong").click()
    assert remark.input_value() == "Not those that left."
    page.get_by_role("dialog").get_by_role("button", name="Send").click()
    remark.wait_for(state="detached")
    looked.card.get_by_role("button", name="Wrong").click()
    assert remark.input_value() == ""


def test_what_fails_meanwhile_comes_to_be_shown(service: Service, look: Callable[..., Looked]) -> None:
    answered(service, FAILING)
    looked = look(service)
    page = looked.page
    page.clock.install()
    page.goto(f"{service.url}/#/default/keep/failures")
    link = page.get_by_role("link", name=FAILING).first
    link.focus()
    answered(service, "how many quuxes are there?")
    page.evaluate("() => document.dispatchEvent(new Event('visibilitychange'))")
    page.wait_for_timeout(300)
    assert page.get_by_role("link", name="how many quuxes are there?").count() == 0
    page.clock.fast_forward(31_000)
    page.get_by_role("link", name="how many quuxes are there?").first.wait_for()
    assert link.evaluate("one => document.activeElement === one")

    correct = page.get_by_role("button", name=f"Correct: {FAILING}").first
    correct.click()
    page.get_by_label("The right SQL").fill("SELECT half")
    answered(service, "how many wombles are there?")
    page.clock.fast_forward(31_000)
    page.wait_for_timeout(500)
    assert page.get_by_label("The right SQL").input_value() == "SELECT half"
    page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    assert correct.evaluate("one => document.activeElement === one")
    page.clock.fast_forward(31_000)
    page.get_by_role("link", name="how many wombles are there?").first.wait_for()


@pytest.mark.parametrize("place", ["keep/uploads", "model"])
def test_who_deletes_the_project_that_they_are_in_comes_to_another(
    tmp_path: Path, look: Callable[..., Looked], place: str
) -> None:
    sources = {"default": {"engine": "sqlite", "path": str(tmp_path / "shop.sqlite")}}
    with service_of(write_config(tmp_path, uploads={"enabled": True}, data_sources=sources)) as service:
        page = look(service, "#/default/keep/uploads").page
        visits: Any = {"name": "visits.csv", "mimeType": "text/csv", "buffer": b"city,visits\nBerlin,3\n"}
        page.locator('input[type="file"]').set_input_files([visits])
        page.wait_for_url("**/#/visits-*/model")
        page.locator(".tables-item").first.wait_for()
        project = page.url.split("#/")[1].partition("/")[0]
        page.goto(f"{service.url}/#/{project}/{place}")
        page.get_by_role("button", name=re.compile("^Delete")).first.click()
        page.get_by_role("dialog").get_by_role("button", name="Delete", exact=True).click()
        page.wait_for_url(f"**/#/default/{place}")
        assert page.get_by_label("Project").locator("option").all_text_contents() == ["default"]
        page.goto(f"{service.url}/#/{project}/history")
        page.wait_for_url("**/#/default/history")
        page.get_by_text(f"There is no project {project} that you may use.").wait_for()
