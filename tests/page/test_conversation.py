"""The conversation with the agent on the page: words, calls with their rows, what is asked back, two tabs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from anyio.from_thread import start_blocking_portal

from tests.agent.talking import ASK, Answer, Call, Talk, talking
from tests.page.conftest import Looked, Service
from tests.page.hostile import HOSTILE
from tests.page.test_accessibility import axe, found_by_axe

pytestmark = pytest.mark.deep

CHAT = "#/default/chat"
THREE = Answer(text="There are **3** customers.")
OPEN = Answer(calls=[Call("ask_data", {"question": "how many orders are open?"})])


@dataclass
class Model:
    """A service whose language model says what a test scripts."""

    talk: Talk
    service: Service

    def says(self, *said: Answer | str) -> None:
        self.service.portal.call(lambda: self.talk.script(conversation=list(said)))

    def go_on(self) -> None:
        self.service.portal.call(self.talk.server.release)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Model]:
    folder = tmp_path_factory.mktemp("chat")
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(talking(folder, {})) as talk:
        yield Model(talk, Service(talk.service, portal))


def say(looked: Looked, message: str) -> Any:
    """Send a message; its turn, which may go on."""
    before = looked.page.locator("article").count()
    looked.page.get_by_role("textbox", name="Your message").fill(message)
    looked.page.keyboard.press("Enter")
    return looked.page.locator("article").nth(before)


def ended(turn: Any) -> Any:
    turn.and_(turn.page.locator('[aria-busy="false"]')).wait_for()
    return turn


def test_an_answer_has_its_calls_and_their_rows(model: Model, look: Callable[..., Looked]) -> None:
    model.says(ASK, THREE)
    looked = look(model.service, CHAT)
    turn = ended(say(looked, "How many customers are there?"))
    assert turn.locator(".turn-words strong").inner_text() == "3"
    step = turn.locator(".step")
    assert "Asked the data" in step.inner_text()
    step.locator("summary").click()
    assert step.locator(".figure-value").inner_text() == "3"
    step.get_by_role("tab", name="SQL").click()
    assert "SELECT" in step.locator(".sql-text").inner_text()
    assert turn.locator(".chip", has_text="How many are paid?").count() == 1
    looked.page.reload()
    looked.card.locator(".chip", has_text="How many are paid?").wait_for()


def test_a_thread_is_there_again_by_its_address(model: Model, look: Callable[..., Looked]) -> None:
    model.says(ASK, THREE, "That was *all*.")
    looked = look(model.service, CHAT)
    ended(say(looked, "How many customers are there?"))
    ended(say(looked, "Is that so?"))
    again = look(model.service, looked.page.url.removeprefix(f"{model.service.url}/"))
    again.page.locator("article").nth(1).wait_for()
    assert again.page.locator("article h2").all_inner_texts() == ["How many customers are there?", "Is that so?"]
    assert again.page.locator(".turn-words em").inner_text() == "all"
    again.page.locator(".step summary").first.click()
    assert again.page.locator(".figure-value").inner_text() == "3"
    again.page.get_by_role("link", name="New conversation").click()
    again.page.get_by_role("heading", name="Talk about your data").wait_for()
    again.page.go_back()
    again.page.locator("article").nth(1).wait_for()


@pytest.mark.parametrize("how", ["choice", "box"])
def test_what_is_asked_back_is_answered(model: Model, look: Callable[..., Looked], how: str) -> None:
    model.says(OPEN, "Done.")
    looked = look(model.service, CHAT)
    turn = say(looked, "How many orders are open?")
    turn.locator(".option").first.wait_for()
    if how == "choice":
        turn.locator(".option", has_text="sales_orders").click()
    else:
        looked.page.get_by_role("textbox", name="Your message").fill("sales orders")
        looked.page.keyboard.press("Enter")
    turn.get_by_text("Done.").wait_for()
    assert turn.locator(".option").count() == 0
    turn.locator(".step summary").click()
    assert turn.locator(".figure-value").inner_text() == "3"


def test_what_is_asked_back_may_be_answered_in_another_tab(model: Model, look: Callable[..., Looked]) -> None:
    model.says(OPEN, "Done.")
    looked = look(model.service, CHAT)
    say(looked, "How many orders are open?").locator(".option").first.wait_for()
    other = look(model.service, looked.page.url.removeprefix(f"{model.service.url}/"))
    other.card.locator(".option", has_text="sales_orders").click()
    for one in (looked, other):
        one.card.get_by_text("Done.").wait_for()
        assert one.page.locator(".option").count() == 0


def test_a_run_is_stopped_and_what_was_said_stays(model: Model, look: Callable[..., Looked]) -> None:
    model.says(Answer(text="One is here. " * 60, chunk_delay=0.2))
    looked = look(model.service, CHAT)
    turn = say(looked, "Hello?")
    turn.locator(".turn-words").wait_for()
    looked.page.get_by_role("button", name="Stop").click()
    turn.get_by_text("Stopped.").wait_for()
    assert "One is here." in turn.locator(".turn-words").inner_text()
    looked.page.reload()
    looked.card.get_by_text("Stopped.").wait_for()
    assert "One is here." in looked.card.locator(".turn-words").inner_text()


def test_a_message_of_a_second_tab_waits_for_the_first(model: Model, look: Callable[..., Looked]) -> None:
    model.says("Hello.", Answer(text="It is done.", hang=True), "And this too.")
    looked = look(model.service, CHAT)
    ended(say(looked, "Hello?"))
    other = look(model.service, looked.page.url.removeprefix(f"{model.service.url}/"))
    other.page.locator("article").wait_for()
    say(looked, "The first one")
    looked.page.locator(".turn-now").last.wait_for()
    say(other, "The second one")
    other.page.get_by_text("is being answered").wait_for()
    assert other.page.get_by_role("textbox", name="Your message").input_value() == "The second one"
    assert other.page.locator("article h2").last.inner_text() == "The first one"
    model.go_on()
    for one in (looked, other):
        one.card.get_by_text("It is done.").wait_for()
        ended(one.card)
    other.page.get_by_role("textbox", name="Your message").press("Enter")
    other.page.get_by_role("article").get_by_text("And this too.").wait_for()


def test_a_run_goes_on_while_nobody_looks(model: Model, look: Callable[..., Looked]) -> None:
    model.says(ASK, Answer(text="There are three.", hang=True))
    looked = look(model.service, CHAT)
    say(looked, "How many customers are there?").get_by_text("1 row").wait_for()
    looked.page.route("**/v1/runs/*/events*", lambda route: route.abort())
    looked.page.reload()
    looked.page.locator(".away").wait_for()
    looked.page.unroute("**/v1/runs/*/events*")
    looked.card.get_by_text("1 row").wait_for()
    looked.page.locator(".away").wait_for(state="hidden")
    model.go_on()
    looked.card.get_by_text("There are three.").wait_for()
    assert looked.page.locator(".step").count() == 1


def test_a_failure_says_why_and_the_message_may_be_sent_again(model: Model, look: Callable[..., Looked]) -> None:
    model.says(Answer(status=400, error={"message": "no"}), "Now it is well.")
    looked = look(model.service, CHAT)
    turn = ended(say(looked, "Hello?"))
    turn.locator(".note.is-bad").wait_for()
    turn.get_by_role("button", name="Ask again").click()
    looked.page.get_by_role("article").get_by_text("Now it is well.").wait_for()


def test_threads_are_renamed_and_deleted(model: Model, look: Callable[..., Looked]) -> None:
    model.says("Hello.")
    looked = look(model.service, CHAT)
    ended(say(looked, "What a day"))
    page = looked.page
    page.get_by_role("button", name="What to do with “What a day”").click()
    page.get_by_role("menuitem", name="Rename").click()
    page.get_by_role("dialog").get_by_label("Title").fill("<b>Another</b> name")
    page.get_by_role("button", name="Save").click()
    page.get_by_role("link", name="<b>Another</b> name").wait_for()
    page.get_by_role("button", name="What to do with “<b>Another</b> name”").click()
    page.get_by_role("menuitem", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    page.get_by_role("heading", name="Talk about your data").wait_for()
    page.get_by_role("link", name="<b>Another</b> name").wait_for(state="detached")


@axe
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_axe_finds_nothing_in_a_conversation(model: Model, look: Callable[..., Looked], dark: bool) -> None:
    looked = look(model.service, CHAT, dark=dark)
    looked.page.locator(".suggestions").wait_for(state="attached")
    assert found_by_axe(looked) == []
    model.says(ASK, THREE, OPEN, "Done.")
    ended(say(looked, "How many customers are there?")).locator(".step summary").click()
    say(looked, "How many orders are open?").locator(".option").first.wait_for()
    assert found_by_axe(looked) == []


def test_a_conversation_fits_a_narrow_screen(model: Model, look: Callable[..., Looked]) -> None:
    rows = "| name | of it |\n|---|--:|\n" + "| a long name that goes on and on | 1,000,000 |\n" * 3
    model.says(ASK, Answer(text=f"{rows}\n\n`{'x' * 300}`\n\n```\n{'y' * 300}\n```\n\n3"))
    looked = look(model.service, CHAT, width=320, height=640)
    ended(say(looked, "How many customers are there?")).locator(".step summary").click()
    looked.page.get_by_role("button", name="Conversations").click()
    assert looked.page.evaluate("document.documentElement.scrollWidth") <= 320


# -- Markdown -------------------------------------------------------------------------------------------------------

# What is written, and the elements that come of it.
WRITTEN = {
    "One\nline.\n\nAnother.": "<p>One\nline.</p><p>Another.</p>",
    "## A *heading* ##": "<p>A <em>heading</em></p>",
    "**bold _both_** and ***all***": "<p><strong>bold <em>both</em></strong> and <strong><em>all</em></strong></p>",
    "2 * 3 * 4, snake_case_name, ** no": "<p>2 * 3 * 4, snake_case_name, ** no</p>",
    "*open **marks": "<p>*open **marks</p>",
    "`a*b*` ``c`d`` `open": "<p><code>a*b*</code> <code>c`d</code> `open</p>",
    r"\*no\* \[x\]": "<p>*no* [x]</p>",
    "- one\n- two\n  - *deep*\n\n  more\n- three": (
        "<ul><li>one</li><li>two<ul><li><em>deep</em></li></ul><p>more</p></li><li>three</li></ul>"
    ),
    "3. three\n4. four": '<ol start="3"><li>three</li><li>four</li></ol>',
    "> said\n> so": "<blockquote><p>said\nso</p></blockquote>",
    "```sql\nSELECT '<b>' -- *x*\n```": "<pre><code>SELECT '&lt;b&gt;' -- *x*</code></pre>",
    "| a | b |\n|---|--:|\n| 1 | x\\|y |\n| 2 |": (
        "<div><table><thead><tr><th>a</th><th>b</th></tr></thead>"
        "<tbody><tr><td>1</td><td>x|y</td></tr><tr><td>2</td><td></td></tr></tbody></table></div>"
    ),
    "a | b": "<p>a | b</p>",
    "[text](https://a.example/b_(c)?d=1) [1]": '<p><a href="https://a.example/b_(c)?d=1">text</a> [1]</p>',
    "See https://a.example/x_y_z.": '<p>See <a href="https://a.example/x_y_z">https://a.example/x_y_z</a>.</p>',
    "[[a](https://b.example) c](https://d.example)": (
        '<p>[<a href="https://b.example">a</a> c](<a href="https://d.example">https://d.example</a>)</p>'
    ),
    "[x](javascript:alert(1)) [y](data:text/html,1) [z](//e)": (
        "<p>[x](javascript:alert(1)) [y](data:text/html,1) [z](//e)</p>"
    ),
    "![seen](https://a.example/p.png)": '<p>!<a href="https://a.example/p.png">seen</a></p>',
    "<img src=x onerror=alert(1)>": "<p>&lt;img src=x onerror=alert(1)&gt;</p>",
}
SHOW = """async texts => {
  const base = document.querySelector('script[type="module"]').src.replace(/main\\.js$/, "");
  const { markdown } = await import(base + "lib/markdown.js");
  return texts.map(text => {
    const place = document.createElement("div");
    place.append(...markdown(text));
    for (const one of place.querySelectorAll("*"))
      for (const name of one.getAttributeNames()) if (!["href", "start"].includes(name)) one.removeAttribute(name);
    return place.innerHTML;
  });
}"""
TIME = """async texts => {
  const base = document.querySelector('script[type="module"]').src.replace(/main\\.js$/, "");
  const { markdown } = await import(base + "lib/markdown.js");
  const once = text => { const began = performance.now(); markdown(text); return performance.now() - began; };
  // What else the machine does makes a run longer, and never shorter.
  return texts.map(text => Math.min(once(text), once(text), once(text)));
}"""
# What takes readers of Markdown long that look for the end of each mark anew.
LONG = [
    "*a ",
    "**a*",
    "[",
    "[a](",
    "`" * 3 + "a`",
    "_a_*b",
    "> ",
    "- ",
    "| a ",
    "](https://a",
    "\\",
    "~~a",
    " " * 50 + "-",
    "1. a\n",
]


def test_markdown_becomes_elements(model: Model, look: Callable[..., Looked]) -> None:
    looked = look(model.service)
    shown = looked.page.evaluate(SHOW, list(WRITTEN))
    assert dict(zip(WRITTEN, shown, strict=True)) == WRITTEN


def test_hostile_markdown_stays_text(model: Model, look: Callable[..., Looked]) -> None:
    looked = look(model.service)
    texts = [*HOSTILE, *(f"[x]({one})" for one in HOSTILE), *(f"| {one} |\n|---|\n| {one} |" for one in HOSTILE)]
    looked.page.evaluate(SHOW, texts)
    looked.page.wait_for_timeout(200)
    assert looked.page.evaluate("window.hacked === undefined")


def test_the_time_of_markdown_grows_with_its_length(model: Model, look: Callable[..., Looked]) -> None:
    looked = look(model.service)
    pieces = [f"{piece}{end}" for piece in LONG for end in ("", "\n")]
    looked.page.evaluate(TIME, [piece * 1000 for piece in pieces])
    short = looked.page.evaluate(TIME, [piece * 4_000 for piece in pieces])
    long = looked.page.evaluate(TIME, [piece * 32_000 for piece in pieces])
    # Eight times the length would be 64 times the time where each mark looks for its end.
    slow = {piece: (a, b) for piece, a, b in zip(pieces, short, long, strict=True) if b > 32 * max(a, 20)}
    assert not slow
