"""The model as a page: searched, read, drawn, described better, and what there is before there is one."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.page.conftest import Looked, Service, service_of, until
from tests.page.hostile import HOSTILE
from tests.page.test_accessibility import axe, found_by_axe
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


def shown_model(looked: Looked, model: dict[str, Any], place: str = MODEL) -> None:
    """Let the page show another model than the service has."""
    body = json.dumps({"project_id": "default", "mdl_hash": "m1", "dialect": "sqlite", "warnings": [], **model})
    looked.page.route("**/v1/semantics?*", lambda route: route.fulfill(body=body, content_type="application/json"))
    looked.page.goto(f"{looked.url}/{place}")


def made_table(name: str, columns: int = 3, **more: Any) -> dict[str, Any]:
    made = [{"name": f"c{at}", "type": "INTEGER", "role": "plain", "synonyms": []} for at in range(columns)]
    return {"name": name, "kind": "model", "synonyms": [], "primary_key": ["c0"], "columns": made, **more}


def made_join(left: str, right: str, **more: Any) -> dict[str, Any]:
    rest = {"pairs": [["c1", "c0"]], "cardinality": "MANY_TO_ONE", "is_inferred": False}
    return {"name": f"{left}_{right}", "left": left, "right": right, **rest, **more}


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


def test_columns_lead_to_the_tables_that_they_are_keys_of(service: Service, look: Callable[..., Looked]) -> None:
    looked = look(service, f"{MODEL}/orders")
    page = looked.page
    page.locator(".columns").get_by_role("link", name="customers").click()
    page.get_by_role("heading", name="customers").wait_for()
    page.go_back()
    page.get_by_role("heading", name="orders").wait_for()
    page.goto(f"{service.url}/{MODEL}/nowhere")
    page.get_by_text("There is no table nowhere here.").wait_for()


def test_joins_are_drawn_and_listed(service: Service, look: Callable[..., Looked]) -> None:
    looked = look(service, MODEL)
    page = looked.page
    page.locator(".graph-box").first.wait_for()
    assert page.locator(".graph-box").count() == 2
    assert "1 without joins is not drawn." in page.locator(".model-detail").inner_text()
    assert page.locator(".graph-line").count() == 1
    assert not page.get_by_role("list", name="Joins").is_visible()
    page.get_by_text("As a list (1)").click()
    assert "orders.customer_id = customers.id" in page.get_by_role("list", name="Joins").inner_text()
    root = page.locator(".graph-picture > g")
    before = root.get_attribute("transform")
    page.locator(".graph-view").focus()
    for key in ("+", "ArrowLeft"):
        page.keyboard.press(key)
        assert root.get_attribute("transform") != before
    page.mouse.wheel(0, -200)
    page.get_by_role("button", name="Show all").click()
    assert root.get_attribute("transform") == before
    page.locator(".graph-box", has_text="customers").click()
    page.get_by_role("heading", name="customers").wait_for()
    page.get_by_role("tab", name="Joins").click()
    page.locator(".graph-box.is-chosen").wait_for()
    page.get_by_text("As a list (1)").click()
    assert "one to many" in page.get_by_role("list", name="Joins").inner_text()


def test_dragging_moves_the_picture_and_chooses_nothing(service: Service, look: Callable[..., Looked]) -> None:
    looked = look(service, MODEL)
    page = looked.page
    box = page.locator(".graph-box", has_text="customers")
    box.wait_for()
    root = page.locator(".graph-picture > g")
    before = root.get_attribute("transform")
    box.hover()
    page.mouse.down()
    page.mouse.move(600, 400, steps=4)
    page.mouse.up()
    assert root.get_attribute("transform") != before
    assert page.url.endswith("/model")


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


def test_what_was_typed_outlives_a_reload_and_is_discarded_when_told(
    service: Service, look: Callable[..., Looked]
) -> None:
    looked = look(service, f"{MODEL}/orders")
    page = looked.page
    page.get_by_role("button", name="Describe it").click()
    page.get_by_label("amount: Description").fill("Not saved yet.")
    page.reload()
    assert page.get_by_label("amount: Description").input_value() == "Not saved yet."
    page.get_by_role("button", name="Discard").click()
    page.get_by_role("button", name="Describe it").click()
    assert page.get_by_label("amount: Description").input_value() == ""


def test_what_somebody_else_changed_is_told_and_what_was_typed_stays(own: Service, look: Callable[..., Looked]) -> None:
    looked = look(own, f"{MODEL}/orders")
    page = looked.page
    page.get_by_role("button", name="Describe it").click()
    page.get_by_label("Description", exact=True).fill("Mine.")
    _, model = own.call("GET", "/v1/semantics")
    theirs = {"mdl_hash": model["mdl_hash"], "changes": [{"table": "orders", "description": "Theirs."}]}
    status, _ = own.call("PATCH", "/v1/semantics", json=theirs)
    assert status == 202
    while table_of(own, "orders")["description"] != "Theirs.":
        page.wait_for_timeout(50)
    page.get_by_role("button", name="Save").click()
    page.get_by_role("button", name="Load it").click()
    page.get_by_text("Meanwhile somebody wrote: Theirs.").wait_for()
    assert page.get_by_label("Description", exact=True).input_value() == "Mine."
    page.get_by_role("button", name="Save").click()
    page.locator(".toast", has_text="The model is prepared.").wait_for()
    assert table_of(own, "orders")["description"] == "Mine."


def test_a_preparation_that_fails_gives_back_what_was_typed(service: Service, look: Callable[..., Looked]) -> None:
    looked = look(service, f"{MODEL}/orders")
    page = looked.page
    failed = {"status": "failed", "error": {"code": "X", "message": "The database is away.", "hint": "Start it."}}
    stream = f"id: 1\nevent: error\ndata: {json.dumps(failed)}\n\n"
    page.route(
        "**/v1/semantics-preparations/*/events?*",
        lambda one: one.fulfill(body=stream, content_type="text/event-stream"),
    )
    page.route(
        "**/v1/semantics?*",
        lambda one: one.fulfill(status=202, json={"id": "m2"}) if one.request.method == "PATCH" else one.continue_(),
    )
    page.get_by_role("button", name="Describe it").click()
    page.get_by_label("status: Description").fill("Typed.")
    page.get_by_role("button", name="Save").click()
    page.get_by_text("The database is away. Start it.").wait_for()
    assert page.get_by_label("status: Description").input_value() == "Typed."


def test_a_question_about_a_table_is_drafted(service: Service, look: Callable[..., Looked]) -> None:
    looked = look(service, f"{MODEL}/orders")
    looked.page.get_by_role("button", name="Ask about it").click()
    box = looked.page.get_by_role("textbox", name="Your question")
    box.wait_for()
    assert box.input_value() == "How many orders are there?"


def test_verified_questions_of_a_table_are_listed(own: Service, look: Callable[..., Looked]) -> None:
    pairs = [
        {"id": "a", "question": "What was paid?", "sql": "SELECT SUM(amount) FROM orders"},
        {"id": "b", "question": "Who buys?", "sql": "SELECT name FROM customers"},
    ]
    status, begun = own.call("POST", "/v1/sql-pairs", json={"sql_pairs": pairs})
    assert status == 202
    looked = look(own, f"{MODEL}/orders")
    while own.call("GET", f"/v1/sql-pairs/{begun['event_id']}")[1]["status"] != "finished":
        looked.page.wait_for_timeout(50)
    looked.page.get_by_role("tab", name="Verified questions").click()
    looked.page.get_by_text("What was paid?").wait_for()
    assert looked.page.get_by_text("Who buys?").count() == 0


def test_who_may_only_ask_looks_and_changes_nothing(service: Service, look: Callable[..., Looked]) -> None:
    looked = look(service)
    page = looked.page
    me = {"name": "ann", "role": "ask", "projects": None, "csrf_token": None}
    page.route("**/v1/me", lambda route: route.fulfill(json=me))
    page.goto(f"{service.url}/{MODEL}/orders")
    page.reload()
    page.get_by_role("heading", name="orders").wait_for()
    assert page.get_by_role("button", name="Describe it").count() == 0
    assert page.get_by_role("tab", name="Verified questions").count() == 0


def test_a_model_is_shown_as_soon_as_there_is_one(tmp_path: Path, look: Callable[..., Looked]) -> None:
    with service_of(write_config(tmp_path), prepared=False) as bare:
        looked = look(bare, MODEL)
        looked.page.get_by_role("heading", name="No model yet").wait_for()
        assert looked.page.get_by_role("link", name="documentation").is_visible()
        bare.portal.call(bare.client.prepare)
        looked.page.locator(".tables-item").first.wait_for()


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


def test_a_table_is_shown_from_its_beginning_wherever_the_page_was(
    service: Service, look: Callable[..., Looked]
) -> None:
    tables = [made_table(f"table_{at}", 40) for at in range(30)]
    joins = [made_join(f"table_{at}", f"table_{at // 3}") for at in range(1, 30)]
    looked = look(service, height=600)
    page = looked.page
    shown_model(looked, {"tables": tables, "relationships": joins})
    page.get_by_text("As a list (29)").click()
    last = page.get_by_role("list", name="Joins").get_by_role("link").last
    for link in (last, page.locator(".tables-item a").nth(3)):
        page.evaluate("scrollTo(0, 900)")
        assert page.evaluate("scrollY") > 300
        link.click()
        page.locator("#table-title:focus").wait_for()
        top = page.locator("#table-title").bounding_box()
        assert top is not None
        assert 0 <= top["y"] < 100


def test_conditions_of_joins_have_a_line_of_their_own(service: Service, look: Callable[..., Looked]) -> None:
    names = ["a_table_with_a_rather_long_name", "another_table_with_a_rather_long_name"]
    joins = [made_join(*names, pairs=[["the_identifier_of_the_other", "the_identifier"]])]
    looked = look(service)
    page = looked.page
    shown_model(looked, {"tables": [made_table(name) for name in names], "relationships": joins})
    page.get_by_text("As a list (1)").click()
    condition = page.locator(".joins-pairs").bounding_box()
    name = page.locator(".joins-list a").first.bounding_box()
    assert condition is not None
    assert name is not None
    assert condition["width"] > 600
    assert condition["height"] < 50
    assert condition["y"] > name["y"]


def scale_of(looked: Looked) -> float:
    """How large the picture of joins is drawn."""
    transform = looked.page.locator(".graph-picture > g").get_attribute("transform") or ""
    return float(transform.partition("scale(")[2].rstrip(")"))


def test_the_picture_of_joins_can_be_read_and_moved(service: Service, look: Callable[..., Looked]) -> None:
    tables = [made_table(f"a_table_with_a_long_name_{at}") for at in range(8)]
    tables += [made_table(f"alone_{at}") for at in range(17)]
    joins = [made_join(tables[at]["name"], tables[at + 1]["name"]) for at in range(7)]
    joins.append(made_join(tables[7]["name"], tables[7]["name"]))
    looked = look(service)
    page = looked.page
    shown_model(looked, {"tables": tables, "relationships": joins})
    page.locator(".graph-box").first.wait_for()
    assert page.locator(".graph-box").count() == 8
    assert "17 without joins are not drawn." in page.locator(".model-detail").inner_text()
    assert "There is more" in page.locator(".graph-caption").inner_text()
    assert scale_of(looked) >= 0.9
    before = page.locator(".graph-picture > g").get_attribute("transform")
    page.locator(".graph-view").focus()
    page.keyboard.press("ArrowRight")
    assert page.locator(".graph-picture > g").get_attribute("transform") != before
    page.get_by_role("button", name="Show all").click()
    assert scale_of(looked) < 0.9
    # The join of the last table with itself is within the picture.
    view = page.locator(".graph-view").bounding_box()
    loop = page.locator(".graph-line").last.locator(".graph-way").bounding_box()
    assert view is not None
    assert loop is not None
    assert loop["x"] + loop["width"] <= view["x"] + view["width"]


def test_tables_stand_by_kind_and_views_of_the_database_are_views(
    service: Service, look: Callable[..., Looked]
) -> None:
    tables = [made_table("b"), made_table("a", is_view=True)]
    tables += [made_table("c", kind="view"), made_table("d", kind="metric")]
    looked = look(service)
    page = looked.page
    shown_model(looked, {"tables": tables, "relationships": []})
    page.locator(".tables-item").first.wait_for()
    assert page.locator(".tables-items > li").all_inner_texts() == [
        "Tables 1",
        "b\n3 columns",
        "Views 2",
        "a\n3 columns",
        "c\n3 columns",
        "Metrics 1",
        "d\n3 columns",
    ]
    assert "1 table, 2 views, 1 metric" in page.locator(".model-detail .badge").first.inner_text()
    search = page.get_by_role("searchbox", name="Search the data")
    assert search.get_attribute("placeholder") == "Search the data"
    search.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="a", exact=True).wait_for()
    assert page.locator(".table-view .badge").first.inner_text() == "View"


def test_the_first_rows_of_a_table_are_read_when_they_are_looked_at(
    service: Service, look: Callable[..., Looked]
) -> None:
    looked = look(service, f"{MODEL}/customers")
    page = looked.page
    page.get_by_role("heading", name="customers").wait_for()
    sent = lambda: [url for url in looked.requested if url.endswith("/v1/sql-runs")]  # noqa: E731
    assert sent() == []
    page.get_by_role("tab", name="First rows").click()
    page.locator('[role="gridcell"]', has_text="Germany").first.wait_for()
    assert len(sent()) == 1
    assert "secret" not in page.locator('[role="grid"]').inner_text()
    many = {"columns": [{"name": "id", "type": "INTEGER"}], "rows": [[at] for at in range(20)], "truncated": True}
    page.route("**/v1/sql-runs", lambda route: route.fulfill(json=many))
    page.locator(".tables-item a", has_text="orders").first.click()
    page.get_by_role("tab", name="First rows").click()
    page.get_by_text("The first 20 rows").wait_for()
    said: list[Any] = []
    counted = {**many, "rows": [[12345]]}

    def count(route: Any) -> None:
        said.append(route.request.post_data_json)
        route.fulfill(json=counted)

    page.route("**/v1/sql-runs", count)
    page.get_by_role("button", name="Count all rows").click()
    page.get_by_text("The first 20 of 12,345 rows").wait_for()
    assert said[0]["sql"] == 'SELECT COUNT(*) AS n FROM "orders"'


def test_rows_of_a_table_with_an_odd_name(service: Service, look: Callable[..., Looked]) -> None:
    looked = look(service)
    page = looked.page
    odd = 'a "b" `c`; DROP TABLE orders'
    said: list[str] = []

    def run(route: Any) -> None:
        said.append(route.request.post_data_json["sql"])
        route.fulfill(status=422, json={"code": "X", "message": "There is no such table."})

    page.route("**/v1/sql-runs", run)
    for dialect in ("sqlite", "mysql"):
        shown_model(looked, {"tables": [made_table(odd)], "relationships": [], "dialect": dialect})
        page.reload()
        page.locator(".tables-item a").click()
        page.get_by_role("tab", name="First rows").click()
        page.get_by_text("There is no such table.").wait_for()
        page.unroute("**/v1/semantics?*")
    assert said == [
        'SELECT * FROM "a ""b"" `c`; DROP TABLE orders" LIMIT 20',
        'SELECT * FROM `a "b" ``c``; DROP TABLE orders` LIMIT 20',
    ]


def test_what_is_not_described_is_asked_for_from_those_who_may(service: Service, look: Callable[..., Looked]) -> None:
    columns = [{"name": "OrderID", "type": "INTEGER", "role": "plain", "synonyms": [], "display_name": "Order id"}]
    table = made_table("OrderDetails", display_name="Order details") | {"columns": columns}
    looked = look(service)
    page = looked.page
    shown_model(looked, {"tables": [table], "relationships": []}, f"{MODEL}/OrderDetails")
    page.get_by_role("heading", name="Order details").wait_for()
    assert "OrderDetails" not in page.locator(".table-view").inner_text()
    assert "Order id" not in page.locator(".table-view").inner_text()
    page.get_by_role("button", name="Add a description").click()
    until(page, "document.activeElement.getAttribute('aria-label') === 'Description'")
    me = {"name": "ann", "role": "ask", "projects": None, "csrf_token": None}
    page.route("**/v1/me", lambda route: route.fulfill(json=me))
    page.reload()
    page.get_by_role("heading", name="Order details").wait_for()
    assert "No description" not in page.locator(".table-view").inner_text()


@pytest.mark.parametrize(
    ("table", "question"),
    [
        ({"name": "order_items"}, "How many order items are there?"),
        ({"name": "x", "display_name": "Order Details"}, "How many order details are there?"),
        ({"name": "x", "display_name": "SKUs sold"}, "How many SKUs sold are there?"),
        ({"name": "Invoices of 1997", "kind": "view"}, "List all Invoices of 1997"),
        ({"name": "average_order_value", "kind": "metric"}, "What is the average order value?"),
    ],
)
def test_a_question_about_a_table_is_about_that(
    service: Service, look: Callable[..., Looked], table: dict[str, Any], question: str
) -> None:
    looked = look(service)
    shown_model(looked, {"tables": [made_table(**table)], "relationships": []})
    looked.page.locator(".tables-item a").click()
    looked.page.get_by_role("button", name="Ask about it").click()
    looked.page.get_by_role("textbox", name="Your question").wait_for()
    assert looked.page.get_by_role("textbox", name="Your question").input_value() == question


def test_the_database_is_named_beside_the_page_and_in_its_title(service: Service, look: Callable[..., Looked]) -> None:
    looked = look(service)
    page = looked.page
    name = page.locator(".side .brand-of")
    name.filter(has_text="shop").wait_for()
    assert page.title() == "Ask – shop – Askwell"
    assert page.locator(".side .brand").get_attribute("title") == "shop"
    looked.ask("How many customers are there?")
    until(page, "document.title === 'How many customers are there? – shop – Askwell'")
    page.get_by_role("link", name="Data", exact=True).click()
    until(page, "document.title === 'Data – shop – Askwell'")
    page.locator(".tables-item a", has_text="orders").first.click()
    until(page, "document.title === 'orders – shop – Askwell'")
    page.goto(f"{service.url}/#/sales/history")
    until(page, "document.title === 'History – sales – Askwell'")
    assert name.inner_text() == "sales"


def test_uploads_are_kept_in_order(tmp_path: Path, look: Callable[..., Looked]) -> None:
    with service_of(write_config(tmp_path, uploads={"enabled": True, "max_mb": 1})) as service:
        page = look(service, "#/default/keep/uploads").page
        assert "A file may have 1 MB." in page.locator(".drop").inner_text()
        large: Any = {"name": "large.csv", "mimeType": "text/csv", "buffer": b"a,b\n" * 300_000}
        page.locator('input[type="file"]').set_input_files([large])
        assert "larger than the 1 MB" in page.get_by_role("alert").inner_text()
        visits: Any = {"name": "visits.csv", "mimeType": "text/csv", "buffer": b"city,visits\nBerlin,3\n"}
        page.locator('input[type="file"]').set_input_files([visits])
        page.wait_for_url("**/#/visits-*/model")
        # Those of the project before stand there until the new one is prepared.
        page.locator(".tables-item", has_text="visits").wait_for()
        page.goto(f"{service.url}/#/default/keep/uploads")
        sent = page.locator(".list > li", has_text="visits-")
        sent.get_by_role("button", name="Delete").click()
        page.get_by_role("dialog").get_by_role("button", name="Delete", exact=True).click()
        page.get_by_text("There are none.").wait_for()
        _, listed = service.call("GET", "/v1/projects")
        assert [one["id"] for one in listed["projects"]] == ["default"]


def test_five_thousand_tables_stay_quick(service: Service, look: Callable[..., Looked]) -> None:
    tables = [made_table(f"table_{at}", 12, description=f"Number {at}.") for at in range(5000)]
    joins = [made_join(f"table_{at}", f"table_{at // 3}", is_inferred=at % 2 == 0) for at in range(1, 5000)]
    looked = look(service)
    page = looked.page
    shown_model(looked, {"tables": tables, "relationships": joins})
    page.locator(".graph-box").first.wait_for()
    assert page.locator(".graph-box").count() == 60
    assert page.locator(".tables-item").count() < 60
    took = page.evaluate(
        """async () => {
          const [field, status] = document.querySelectorAll(".tables-head input, .tables-head p");
          const begin = performance.now();
          field.value = "table_49";
          field.dispatchEvent(new Event("input"));
          while (!status.textContent.startsWith("111")) await new Promise((resolve) => setTimeout(resolve, 5));
          return performance.now() - begin;
        }"""
    )
    assert took < 1000
    page.get_by_role("searchbox", name="Search the data").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="table_4999").wait_for()
    page.get_by_role("tab", name="Joins").click()
    page.locator(".graph-box.is-chosen").wait_for()
    page.get_by_label("How far from this table").select_option("3")
    until(page, "document.querySelectorAll('.graph-box').length > 3")


def test_five_hundred_columns_and_long_texts(service: Service, look: Callable[..., Looked]) -> None:
    table = made_table("wide", 500, description="x" * 1_000_000)
    table["columns"][0]["values"] = ["v" * 200 for _ in range(20)]
    looked = look(service)
    page = looked.page
    shown_model(looked, {"tables": [table], "relationships": [made_join("wide", "wide")]}, f"{MODEL}/wide")
    page.locator(".column").first.wait_for()
    assert page.locator(".column").count() == 100
    assert len(page.locator(".table-said").inner_text()) < 400
    page.get_by_role("searchbox", name="Filter columns").fill("c499")
    until(page, "document.querySelectorAll('.column').length === 1")
    page.get_by_role("button", name="Show all of it").click()
    assert len(page.locator(".table-said").inner_text()) == 1_000_000


def test_names_and_texts_of_a_model_are_text(service: Service, look: Callable[..., Looked]) -> None:
    tables = []
    for at, value in enumerate(HOSTILE):
        table = made_table(value, display_name=value[:100], description=value, synonyms=[value])
        table["columns"][1] |= {
            "name": value,
            "expression": value,
            "unit": value,
            "values": [value],
            "synonyms": [value],
        }
        table["columns"][2] |= {"description": value, "type": value, "display_name": value}
        tables.append(table | {"kind": ("model", "view", "metric", "cube")[at % 4]})
    first = HOSTILE[0]
    joins = [made_join(first, value, pairs=[[first, value]], is_inferred=True) for value in HOSTILE]
    joins += [made_join("__proto__", "constructor"), made_join("constructor", "__proto__")]
    looked = look(service)
    page = looked.page
    shown_model(looked, {"tables": tables, "relationships": joins, "warnings": list(HOSTILE)})
    page.locator(".graph-box").first.wait_for()
    page.locator(".model-warnings summary").click()
    page.get_by_role("searchbox", name="Search the data").fill("hacked <")
    for value in (first, "__proto__", HOSTILE[8], "Ω" + "\u0301" * 200):
        page.evaluate("name => location.assign(`#/default/model/${encodeURIComponent(name)}`)", value)
        page.locator(".table-view").wait_for()
        page.get_by_role("tab", name="Joins").click()
        page.locator(".graph-box").first.wait_for()
        page.get_by_role("button", name="Describe it").click()
        page.get_by_label("Description", exact=True).fill(f"Not {first}")
        page.get_by_role("button", name="Discard").click()
    assert page.evaluate("window.hacked === undefined && ({}).polluted === undefined")


@axe
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_axe_finds_nothing_on_a_table(service: Service, look: Callable[..., Looked], dark: bool) -> None:
    looked = look(service, f"{MODEL}/orders", dark=dark)
    page = looked.page
    page.get_by_role("searchbox", name="Search the data").fill("ord")
    for tab in page.get_by_role("tab").all():
        tab.click()
        assert found_by_axe(looked) == []
    page.get_by_role("button", name="Describe it").click()
    assert found_by_axe(looked) == []


@pytest.mark.parametrize("direction", ["ltr", "rtl"])
def test_no_part_is_wider_than_a_narrow_screen(service: Service, look: Callable[..., Looked], direction: str) -> None:
    looked = look(service, f"{MODEL}/orders", width=320, height=640)
    page = looked.page
    page.evaluate("direction => { document.documentElement.dir = direction; }", direction)
    page.get_by_role("tab", name="Joins").click()
    assert page.locator(".graph-box").count() == 0
    assert page.get_by_role("list", name="Joins").is_visible()
    page.get_by_role("button", name="Show picture").click()
    page.locator(".graph-box").first.wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    page.get_by_role("tab", name="First rows").click()
    page.locator('[role="gridcell"]').first.wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    page.get_by_role("button", name="Describe it").click()
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    page.get_by_role("link", name="All tables").click()
    page.locator(".tables-item a").first.click()
    until(page, "document.activeElement.id === 'table-title'")
