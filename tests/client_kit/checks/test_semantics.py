"""Deployment and deletion of a semantic model (API.md, Semantics; CONTRACTS 1.1, 1.5)."""

from __future__ import annotations

import copy
import itertools
import time

import pytest

from tests.client_kit import expect, kinds
from tests.client_kit.bodies import COUNT_QUESTION, COUNT_SQL, Shop, ask_body, good
from tests.client_kit.client import LOOKS, LegacyClient
from tests.client_kit.manifest import Json, broken, hash_of, manifest, text_of, with_calculated_and_view
from tests.client_kit.service import Service
from tests.support.tables import case_table

PAIR = kinds.BY_NAME["sql_pair"]


def prepared(model: Json) -> Json:
    return {"mdl": text_of(model), "mdl_hash": hash_of(model)}


def test_the_id_of_a_deployment_is_the_hash(client: LegacyClient, shop: Shop) -> None:
    answer = client.post(kinds.PREPARATION, prepared(shop.model))
    assert answer.status_code == 202, answer.text
    assert answer.json() == {"id": shop.hash}
    assert answer.headers["location"].endswith(f"/semantics-preparations/{shop.hash}/status")
    client.wait(kinds.PREPARATION, shop.hash)


def test_the_client_sees_its_deployment_finished_before_it_gives_up(client: LegacyClient, shop: Shop) -> None:
    model = copy.deepcopy(shop.model)
    model["models"][0]["properties"]["description"] = f"People who buy, at {time.time_ns()}."
    began = time.monotonic()
    client.deploy(model)
    assert time.monotonic() - began <= LOOKS[-1] + 1
    client.deploy(shop.model)


def test_each_field_of_a_status_has_its_type(client: LegacyClient, shop: Shop) -> None:
    body = client.get(kinds.PREPARATION, shop.hash).json()
    assert body["status"] == "finished"
    assert not body.get("error")
    if body.get("progress"):
        assert set(body["progress"]) == {"done", "total", "stage"}
    assert body.get("warnings") is None or isinstance(body["warnings"], list)


@pytest.mark.parametrize("name", ["mdl_hash", "id"])
def test_the_label_has_two_names_and_the_model_two_forms(client: LegacyClient, shop: Shop, name: str) -> None:
    for mdl in (text_of(shop.model), shop.model):
        ended = client.run(kinds.PREPARATION, {"mdl": mdl, name: shop.hash})
        expect.finished(ended)


# Ways in which a model builder leaves things empty: keys of models, of their references and of columns, and the value.
EMPTY: list[tuple[tuple[str, ...], object]] = case_table(__file__, "empty")


@pytest.mark.parametrize(("places", "value"), EMPTY, ids=str)
def test_what_is_empty_is_absent(client: LegacyClient, shop: Shop, places: tuple[str, ...], value: object) -> None:
    model = manifest(relationships=False, data_source=shop.model["dataSource"])
    for one, place in itertools.product(model["models"], places):
        first, _, second = place.partition(".")
        if first == "columns":
            for column in one["columns"]:
                # A physical name that differs is no empty expression.
                if second != "expression" or not column["expression"]:
                    column[second] = value
        else:
            (one[first] if second else one)[second or first] = value
    label = client.deploy(model)
    expect.finished(client.run(kinds.ASK, ask_body(COUNT_QUESTION, shop) | {"id": label}))
    client.deploy(shop.model)


def test_a_reference_by_sql_with_an_empty_table(client: LegacyClient, shop: Shop) -> None:
    model = manifest(relationships=False, data_source=shop.model["dataSource"])
    orders = next(one for one in model["models"] if one["name"] == "orders")
    orders["refSql"] = "SELECT * FROM orders"
    for empty in (None, {"catalog": None, "schema": None, "table": ""}, {"catalog": "", "schema": "", "table": None}):
        orders["tableReference"] = empty
        label = client.deploy(model)
        expect.finished(client.run(kinds.ASK, ask_body(COUNT_QUESTION, shop) | {"id": label}))
    client.deploy(shop.model)


def test_a_calculated_field_and_a_view(client: LegacyClient, shop: Shop) -> None:
    label = client.deploy(with_calculated_and_view(shop.model))
    expect.finished(
        client.run(kinds.ANSWER, {"query": "How many each?", "sql": "SELECT full_name, order_count FROM customers"})
    )
    expect.finished(client.run(kinds.ANSWER, {"query": "Which are paid?", "sql": "SELECT order_id FROM paid_orders"}))
    expect.finished(client.run(kinds.ASK, ask_body(COUNT_QUESTION, shop) | {"id": label}))
    client.deploy(shop.model)


def _refused(client: LegacyClient, body: Json) -> str:
    """The words of a refusal: 422 at once, or a preparation that fails."""
    answer = client.post(kinds.PREPARATION, body)
    assert answer.status_code in (202, 422), answer.text
    if answer.status_code == 422:
        expect.no_leak(answer.text)
        return answer.text
    ended = client.wait(kinds.PREPARATION, answer.json()["id"])
    assert ended.status == "failed", ended.body
    expect.job_error(ended)
    return str(ended.body)


def test_a_broken_model_is_refused_with_every_problem_and_the_old_one_stays(client: LegacyClient, shop: Shop) -> None:
    told = _refused(client, prepared(broken(shop.model)))
    assert "warehouses" in told, "the relationship to nowhere is not told"
    assert "empty_shelf" in told, "the model without columns is not told"
    expect.finished(client.ask(COUNT_QUESTION, shop))


def test_readers_see_the_old_model_while_the_new_one_is_read(client: LegacyClient, shop: Shop) -> None:
    model = copy.deepcopy(shop.model)
    model["models"][0]["properties"]["description"] = f"People, at {time.time_ns()}."
    started = client.start(kinds.PREPARATION, prepared(model))
    body = ask_body(COUNT_QUESTION, shop)
    del body["id"]
    expect.finished(client.run(kinds.ASK, body))
    client.wait(kinds.PREPARATION, started)
    client.deploy(shop.model)


@pytest.mark.usefixtures("no_compatibility")
def test_a_status_in_another_project_is_404(client: LegacyClient, shop: Shop) -> None:
    expect.error_body(client.get(kinds.PREPARATION, shop.hash, {"project_id": "kit_stranger"}), 404)


@pytest.mark.usefixtures("no_compatibility")
def test_deleting_one_project_touches_nothing_else(client: LegacyClient, shop: Shop) -> None:
    project = {"project_id": "kit_to_delete"}
    started = client.post(kinds.PREPARATION, prepared(shop.model) | project)
    assert started.status_code == 202, started.text
    end = time.monotonic() + client.patience
    while client.get(kinds.PREPARATION, shop.hash, project).json()["status"] == "indexing":
        assert time.monotonic() < end
        time.sleep(0.05)
    answer = client.delete("/v1/semantics", params=project)
    assert answer.status_code == 200, f"{answer.status_code}: the client takes only 200 for done: {answer.text}"
    asked = client.post(kinds.ASK, {"query": COUNT_QUESTION} | project).json()["query_id"]
    while (read := client.get(kinds.ASK, asked, project).json())["status"] not in kinds.ASK.terminal:
        assert time.monotonic() < end
        time.sleep(0.05)
    assert read["status"] == "failed"
    expect.finished(client.ask(COUNT_QUESTION, shop))


def test_deleting_a_project_that_is_not_there_does_no_harm(client: LegacyClient, shop: Shop, service: Service) -> None:
    if service.wren_ui:
        pytest.skip("every project is the default one")
    answer = client.delete("/v1/semantics", params={"project_id": "kit_never_was"})
    assert answer.status_code in (200, 404), answer.text
    expect.finished(client.ask(COUNT_QUESTION, shop))


def test_a_reset_takes_the_model_and_the_knowledge(
    client: LegacyClient, shop: Shop, deployed: set[tuple[str, str]], wren_ui: None
) -> None:
    question = "What is the figure that a reset forgets?"
    expect.finished(
        client.run(PAIR, good(PAIR, shop) | {"sql_pairs": [{"id": "55", "question": question, "sql": COUNT_SQL}]})
    )
    deployed.clear()
    answer = client.delete_semantics()
    assert answer.status_code == 200, f"{answer.status_code}: the client takes only 200 for done: {answer.text}"
    assert question not in client.http.get("/v1/sql-pairs").text
    ended = client.ask(COUNT_QUESTION, shop)
    expect.failed(ended)
    label = client.deploy(shop.model)
    assert label == hash_of(shop.model)
    expect.finished(client.run(kinds.ASK, ask_body(COUNT_QUESTION, shop) | {"id": label}))
