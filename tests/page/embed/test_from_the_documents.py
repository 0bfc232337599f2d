"""What somebody who had only the documents built sites with, and expected of the element there."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.page.conftest import Service
from tests.page.embed.conftest import Site, Visit, element, told
from tests.page.test_signing_in import key_of

pytestmark = pytest.mark.deep

NEVER = "one => { one.tokenProvider = () => new Promise(() => {}); one.ask('How many customers are there?') }"
ZORBS = "how many consumers are there?"


def opened(site: Site, asked: Service, visit: Callable[..., Visit], attributes: str = "", **more: Any) -> Visit:
    visited = visit(site.page("documents", element(asked, key_of(asked, "ask")["key"], attributes), **more))
    visited.element.get_by_role("textbox", name="Your question").wait_for()
    return visited


def test_a_question_that_is_offered_can_be_changed_until_somebody_types(
    site: Site, asked: Service, visit: Callable[..., Visit]
) -> None:
    visited = opened(site, asked, visit, 'question="one"')
    box = visited.element.get_by_role("textbox", name="Your question")

    def after(do: str) -> str:
        visited.element.evaluate(f"one => {{ {do} }}")
        return box.input_value()

    assert after("one.question = 'two'") == "two"
    assert after("one.removeAttribute('question')") == ""
    assert after("one.question = 'three'") == "three"
    assert after("one.question = ''") == ""
    box.fill("typed")
    assert after("one.question = 'four'") == "typed"
    assert after("one.clear()") == ""
    assert after("one.question = 'five'") == "five"


def test_a_provider_that_gives_nothing_is_given_up(site: Site, asked: Service, visit: Callable[..., Visit]) -> None:
    visited = opened(site, asked, visit)
    visited.page.clock.install()
    visited.element.evaluate(NEVER)
    visited.element.get_by_role("button", name="Stop").first.wait_for()
    visited.page.clock.fast_forward(21_000)
    visited.element.locator(".note", has_text="could not sign in").wait_for()
    [(_, detail)] = told(visited)
    assert (detail["status"], detail["code"]) == (401, "NO_TOKEN")
    visited.problems.clear()


@pytest.mark.parametrize("how", ["method", "button"])
def test_who_stops_waits_no_longer_for_a_token(
    site: Site, asked: Service, visit: Callable[..., Visit], how: str
) -> None:
    visited = opened(site, asked, visit)
    visited.element.evaluate(NEVER)
    button = visited.element.locator(".question-box").get_by_role("button", name="Stop")
    button.wait_for()
    if how == "method":
        visited.element.evaluate("one => one.stop()")
    else:
        button.click()
    visited.element.locator(".note", has_text="Stopped.").wait_for()
    question = {"query_id": None, "question": "How many customers are there?"}
    assert told(visited, "stopped", "error") == [["askwell-stopped", question]]


def test_another_provider_ends_the_wait_for_the_one_before(
    site: Site, asked: Service, visit: Callable[..., Visit]
) -> None:
    visited = opened(site, asked, visit)
    visited.element.evaluate(NEVER)
    visited.element.evaluate("(one, key) => (one.tokenProvider = async () => key)", key_of(asked, "ask")["key"])
    visited.element.locator(".figure-value").wait_for()


def test_the_accent_and_the_radius_reach_everything(site: Site, asked: Service, visit: Callable[..., Visit]) -> None:
    visited = opened(
        site, asked, visit, 'theme="light"', head="<style>askwell-ask{--accent:#c00000;--radius:0px}</style>"
    )
    card = visited.ask("How many orders are there per status?")
    ground = card.locator(".badge.is-accent").first.evaluate("one => getComputedStyle(one).backgroundColor")
    assert ground.startswith("oklab(0.9"), ground
    round_ones = "one => [...one.shadowRoot.querySelectorAll('*')].filter(part => { const corner ="
    round_ones += " getComputedStyle(part).borderStartStartRadius; return !['0px', '50%'].includes(corner) })"
    assert visited.element.evaluate(round_ones + ".map(part => part.className)") == []
    card.get_by_role("tab", name="Chart").click()
    canvas = card.locator(".chart-place canvas").first
    canvas.wait_for(timeout=60_000)
    reds = (
        "one => { const {data} = one.getContext('2d').getImageData(0, 0, one.width, one.height); let count = 0;"
        " for (let at = 0; at < data.length; at += 4) count += data[at] === 192 && data[at + 1] === 0; return count }"
    )
    assert canvas.evaluate(reds) > 1_000


def test_events_leave_shadow_roots_of_the_site(site: Site, asked: Service, visit: Callable[..., Visit]) -> None:
    within = "<div id=around></div>"
    visited = visit(site.page("within", within + element(asked, key_of(asked, "ask")["key"])))
    visited.page.evaluate(
        "() => document.querySelector('#around').attachShadow({mode: 'open'})"
        ".append(document.querySelector('askwell-ask'))"
    )
    visited.ask("How many customers are there?").locator(".figure-value").wait_for()
    assert [name for name, _ in told(visited, "asked", "answer")] == ["askwell-asked", "askwell-answer"]


def test_what_is_asked_back_can_be_stopped(site: Site, asked: Service, visit: Callable[..., Visit]) -> None:
    visited = opened(site, asked, visit)
    card = visited.ask(ZORBS)
    [(_, back)] = told(visited, "clarify")
    visited.element.evaluate("one => one.stop()")
    card.locator(".note", has_text="Stopped.").wait_for()
    assert told(visited, "stopped") == [
        ["askwell-stopped", {"query_id": back["query_id"], "question": back["question"]}]
    ]
    visited.ask(ZORBS)
    visited.element.evaluate("one => one.clear()")
    assert len(told(visited, "stopped")) == 2


def test_a_program_answers_what_is_asked_back(site: Site, asked: Service, visit: Callable[..., Visit]) -> None:
    visited = opened(site, asked, visit)
    answered = "(one, given) => one.answer(given)"
    assert visited.element.evaluate(answered, "customers") is False
    visited.ask(ZORBS)
    [(_, back)] = told(visited, "clarify")
    wrongs: list[Any] = [None, " ", {"option_id": "none such"}, {"values": {}}]
    for wrong in wrongs:
        assert visited.element.evaluate(answered, wrong) is False
    [option] = [one for one in back["clarification"]["options"] if "customers" in one["label"].lower()][:1]
    assert visited.element.evaluate(answered, {"option_id": option["id"]}) is True
    assert visited.element.evaluate(answered, "customers") is False
    visited.element.locator(".figure-value").wait_for()
    assert [detail["query_id"] for _, detail in told(visited)] == [back["query_id"]]


def test_that_the_service_is_away_stays_in_sight(site: Site, asked: Service, visit: Callable[..., Visit]) -> None:
    visited = opened(site, asked, visit)
    for _ in range(3):
        visited.ask("How many orders are there per status?")
    visited.page.route("**/v1/asks/*/events", lambda route: route.abort())
    visited.element.get_by_role("textbox", name="Your question").fill("How many customers are there?")
    visited.page.keyboard.press("Enter")
    away = visited.element.locator(".away")
    away.wait_for()
    for at in (0, 1, 0.5):
        visited.page.evaluate("at => window.scrollTo(0, at * document.body.scrollHeight)", at)
        inside = (
            "one => { const {top, bottom} = one.getBoundingClientRect(); return top >= 0 && bottom <= innerHeight }"
        )
        assert away.evaluate(inside), at
    visited.page.unroute("**/v1/asks/*/events")
    visited.element.locator(".figure-value").wait_for()


def test_an_answer_is_shown_as_a_chart_when_somebody_types_that(
    site: Site, asked: Service, visit: Callable[..., Visit]
) -> None:
    visited = opened(site, asked, visit)
    card = visited.ask("How many orders are there per status?")
    visited.element.get_by_role("textbox", name="Your question").fill("as a chart")
    visited.page.keyboard.press("Enter")
    card.locator(".chart-place canvas").wait_for(timeout=60_000)
    assert visited.element.locator("article").count() == 1


def test_visitors_are_not_told_what_only_others_can_do(site: Site, asked: Service, visit: Callable[..., Visit]) -> None:
    visited = opened(site, asked, visit)
    said = visited.ask("How many quarks are there per zorb and florp?").inner_text()
    assert "config" not in said
    assert "teach" not in said


def test_the_script_is_loaded_again_when_the_service_is_back(
    site: Site, asked: Service, visit: Callable[..., Visit]
) -> None:
    text = (Path(__file__).parents[3] / "docs" / "embedding.md").read_text(encoding="utf-8")
    [block] = [
        one for one in re.findall(r"^```html\n(.*?)^```$", text, re.DOTALL | re.MULTILINE) if "min-height" in one
    ]
    visited = visit(site.page("later", "<p>nothing yet</p>"))
    visited.page.clock.install()
    tries: list[str] = []

    def down_at_first(route: Any) -> None:
        tries.append(route.request.url)
        if len(tries) == 1:
            route.abort()
        else:
            route.continue_()

    visited.page.route("**/askwell-ask.js*", down_at_first)
    later = site.page("later", block.replace("https://askwell.example", asked.url).replace("15000", "500"))
    visited.page.goto(later)
    visited.page.get_by_text("Questions can be asked here in a moment.").wait_for()
    visited.page.clock.run_for(1_000)
    visited.element.get_by_role("textbox", name="Your question").wait_for()
    assert len(tries) == 2
    assert not visited.page.get_by_text("Questions can be asked here in a moment.").is_visible()
    visited.problems.clear()
