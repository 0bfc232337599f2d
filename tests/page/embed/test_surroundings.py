"""What a site around the element may do to it: frames, styles, hotkeys, policies, little room, another direction."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.page.conftest import Service, until
from tests.page.embed.conftest import Site, Visit, element, strict, told
from tests.page.test_signing_in import key_of

pytestmark = pytest.mark.deep

# What a site's reset may say of everything, the element too.
OF_EVERYTHING = (
    "*{letter-spacing:5px;text-transform:uppercase;font:italic 700 30px serif;color:red;line-height:4;text-align:right;"
    "word-spacing:20px;text-indent:40px;white-space:pre;cursor:help;list-style:square;text-shadow:1px 1px lime}"
)
BOX = "textarea.question"


def test_it_works_in_a_frame_that_forbids_forms(site: Site, asked: Service, visit: Callable[..., Visit]) -> None:
    site.page("framed", element(asked, key_of(asked, "ask")["key"]))
    frame = '<iframe sandbox="allow-scripts allow-same-origin" src="/framed" width="900" height="800"></iframe>'
    visited = visit(site.page("frame", frame))
    framed = visited.page.frame_locator("iframe")
    box = framed.get_by_role("textbox", name="Your question")
    box.fill("How many customers are there?")
    box.press("Enter")
    framed.locator("article").nth(0).locator(".figure-value").wait_for()
    box.fill("How many orders are there?")
    framed.get_by_role("button", name="Ask", exact=True).click()
    framed.locator("article").nth(1).locator(".figure-value").wait_for()
    for send in (lambda words: words.press("Enter"), lambda _: framed.get_by_role("button", name="Answer").click()):
        box.fill("how many consumers are there?")
        box.press("Enter")
        words = framed.get_by_label("Or say it in your own words")
        words.fill("customers")
        send(words)
        framed.locator("article").last.locator(".figure-value").wait_for()
    # What the browser says of every such frame.
    assert all("can escape its sandboxing" in one for one in visited.problems)
    visited.problems.clear()


def test_words_are_wanted_where_there_are_none(site: Site, asked: Service, visit: Callable[..., Visit]) -> None:
    visited = visit(site.page("no-words", element(asked, key_of(asked, "ask")["key"])))
    card = visited.ask("how many consumers are there?")
    card.get_by_label("Or say it in your own words").press("Enter")
    card.get_by_role("button", name="Answer").click()
    assert card.locator(".clarify input").first.evaluate("one => one.matches(':invalid') && !one.disabled")


@pytest.mark.parametrize("how", ["isComposing: true", "keyCode: 229"])
def test_enter_that_ends_a_composition_asks_nothing(
    site: Site, asked: Service, visit: Callable[..., Visit], how: str
) -> None:
    visited = visit(site.page("composing", element(asked, key_of(asked, "ask")["key"])))
    box = visited.element.locator(BOX)
    box.fill("こきゃく")
    press = "(one, more) => one.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', bubbles: true, ...more}))"
    box.evaluate(press.replace("...more", how))
    assert (box.input_value(), visited.element.locator("article").count()) == ("こきゃく", 0)


def test_styles_of_everything_do_not_reach_into_it(site: Site, asked: Service, visit: Callable[..., Visit]) -> None:
    names = "letterSpacing textTransform fontStyle fontFamily color lineHeight textAlign wordSpacing textIndent cursor"
    styles = "(one, names) => names.split(' ').map(name => [name, getComputedStyle(one)[name]])"
    found = []
    for more in ("", f"<style>{OF_EVERYTHING}</style>"):
        visited = visit(site.page("everything", element(asked, key_of(asked, "ask")["key"]), head=more))
        card = visited.ask("How many orders are there per status?")
        card.get_by_role("button", name="Copy").first.click()
        visited.page.keyboard.press("Escape")
        card.locator('[role="gridcell"]').first.dblclick()
        looked = ["h2", ".reading", ".badge", '[role="rowheader"]', "dialog h2"]
        found.append([visited.element.locator(one).first.evaluate(styles, names) for one in looked])
    assert found[0] == found[1]


def test_a_site_may_hide_it(site: Site, asked: Service, visit: Callable[..., Visit]) -> None:
    hidden = "<style>askwell-ask{visibility:hidden}</style>"
    visited = visit(site.page("hidden", element(asked, key_of(asked, "ask")["key"]), head=hidden))
    visited.element.locator(BOX).wait_for(state="attached")
    assert not visited.element.locator(BOX).is_visible()


def test_it_has_a_ground_of_its_own(site: Site, asked: Service, visit: Callable[..., Visit]) -> None:
    ground = "one => getComputedStyle(one).backgroundColor"
    visited = visit(site.page("dark", element(asked, key_of(asked, "ask")["key"], 'theme="dark"')))
    card = visited.ask("How many customers are there?")
    root = visited.element.locator(".embed-root")
    assert root.evaluate(ground) == "rgb(18, 21, 20)"
    assert card.locator("h2").evaluate("one => getComputedStyle(one).color") == "rgb(232, 238, 235)"
    visited.element.evaluate("one => one.style.setProperty('--ground', 'rgb(1, 2, 3)')")
    assert root.evaluate(ground) == "rgb(1, 2, 3)"


def test_what_is_typed_is_no_hotkey_of_the_site(site: Site, asked: Service, visit: Callable[..., Visit]) -> None:
    visited = visit(site.page("hotkeys", element(asked, key_of(asked, "ask")["key"])))
    visited.page.evaluate(
        "() => { document.keys = []; for (const name of ['keydown', 'keypress', 'keyup'])"
        " document.addEventListener(name, event => document.keys.push(event.key)) }"
    )
    box = visited.element.locator(BOX)
    box.focus()
    visited.page.keyboard.type("Go /?k")
    visited.page.keyboard.press("Control+k")
    visited.page.keyboard.press("ArrowLeft")
    assert (box.input_value(), visited.page.evaluate("document.keys")) == ("Go /?k", [])
    visited.page.keyboard.press("Escape")
    visited.page.keyboard.press("Tab")
    assert {"Escape", "Tab"} == set(visited.page.evaluate("document.keys"))


def test_a_policy_that_lets_it_load_nothing_is_said_plainly(
    site: Site, asked: Service, visit: Callable[..., Visit]
) -> None:
    policy = f"default-src 'none'; style-src 'self'; script-src {asked.url}"
    visited = visit(site.page("unloaded", element(asked, key_of(asked, "ask")["key"]), policy))
    said = visited.element.get_by_role("alert")
    assert "could not be loaded" in said.inner_text()
    height = visited.element.evaluate("one => one.getBoundingClientRect().height")
    assert 0 < height < 150
    [(name, detail)] = told(visited)
    assert (name, detail["code"], detail["status"]) == ("askwell-error", "NETWORK", 0)
    assert detail["message"]
    said.get_by_role("button", name="Try again").click()
    until(visited.page, "document.told.length === 2")
    assert all("connect-src" in one or "Content Security Policy" in one for one in visited.problems)
    visited.problems.clear()


def test_pictures_have_a_size_without_styles(site: Site, asked: Service, visit: Callable[..., Visit]) -> None:
    visited = visit(site.page("icons", element(asked, key_of(asked, "ask")["key"])))
    icon = visited.element.locator("svg").first
    assert (icon.get_attribute("width"), icon.get_attribute("height")) == ("18", "18")


def test_what_is_written_from_right_to_left(site: Site, asked: Service, visit: Callable[..., Visit]) -> None:
    visited = visit(site.page("rtl", element(asked, key_of(asked, "ask")["key"]), attributes="dir=rtl"))
    card = visited.ask("How many orders are there per status?")
    edges = """one => {
      const range = document.createRange();
      range.selectNodeContents(one);
      const [text, box] = [range.getBoundingClientRect(), one.getBoundingClientRect()];
      return text.left + text.right > box.left + box.right ? 'right' : 'left';
    }"""
    assert card.locator("h2").evaluate(edges) == "right"
    side = "one => [getComputedStyle(one).direction, getComputedStyle(one).justifyContent]"
    columns = [card.locator(f'[aria-colindex="{at}"]').all() for at in (1, 2)]
    sides = [{tuple(one.evaluate(side)) for one in column} for column in columns]
    assert sides == [{("rtl", "normal")}, {("rtl", "flex-end")}]
    assert (
        card.locator('[role="rowheader"]')
        .first.locator(".grid-text")
        .evaluate("one => one.getBoundingClientRect().right + 12 > one.parentElement.getBoundingClientRect().right")
    )
    # "12 ms" begins with its number, and 3 rows are no "rows 3".
    for one in card.locator(".badge bdi, .tab bdi").all():
        assert one.evaluate("one => getComputedStyle(one).unicodeBidi") == "isolate"
    assert card.locator(".badge bdi").count() == card.locator(".badge").count() > 0


def test_a_menu_is_seen_whole_below_a_small_answer(site: Site, asked: Service, visit: Callable[..., Visit]) -> None:
    box = '<div style="overflow:hidden;contain:paint">{}</div>'
    visited = visit(site.page("menu", box.format(element(asked, key_of(asked, "ask")["key"]))))
    card = visited.ask("top 1 customer by number of orders")
    card.get_by_role("button", name="Download").click()
    items = card.get_by_role("menuitem")
    assert items.count() == 4
    at = """one => {
      const { left, top, width, height } = one.getBoundingClientRect();
      return one.getRootNode().elementFromPoint(left + width / 2, top + height - 3) === one;
    }"""
    assert [one.evaluate(at) for one in items.all()] == [True] * 4
    visited.page.keyboard.press("ArrowDown")
    visited.page.keyboard.press("Escape")
    assert items.count() == 0
    assert card.get_by_role("button", name="Download").evaluate("one => one.getRootNode().activeElement === one")


@pytest.mark.parametrize("width", [280, 320])
def test_every_tab_is_in_reach_where_there_is_little_room(
    site: Site, asked: Service, visit: Callable[..., Visit], width: int
) -> None:
    room = f'<div style="width:{width}px">{element(asked, key_of(asked, "ask")["key"])}</div>'
    visited = visit(site.page("narrow", room))
    card = visited.ask("How many orders are there per status?")
    bar = card.get_by_role("tablist").bounding_box()
    assert bar
    assert card.get_by_role("tab").count() == 4
    for tab in card.get_by_role("tab").all():
        box = tab.bounding_box()
        assert box
        assert bar["x"] <= box["x"] + 1
        assert box["x"] + box["width"] <= bar["x"] + bar["width"] + 1
    assert visited.element.evaluate("one => one.scrollWidth") <= width


def test_charts_are_drawn_where_a_site_lets_nothing_become_markup(
    site: Site, asked: Service, visit: Callable[..., Visit]
) -> None:
    pytest.importorskip("vl_convert", reason="the extra `charts` is not installed")
    policy = strict(asked, "; require-trusted-types-for 'script'; trusted-types 'none'")
    visited = visit(site.page("trusted", element(asked, key_of(asked, "ask")["key"]), policy))
    card = visited.ask("How many orders are there per status?")
    card.get_by_role("tab", name="Chart").click()
    card.locator(".chart-place canvas").wait_for(timeout=60_000)
