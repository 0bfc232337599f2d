"""Asks (API.md, Asks; CONTRACTS 1.2 to 1.6, 2): what a row of `contract.yaml` cannot say."""

from __future__ import annotations

import time

import pytest

from tests.client_kit import expect, kinds
from tests.client_kit.bodies import COUNT_QUESTION, COUNT_SQL, Shop, ask_body
from tests.client_kit.client import LegacyClient
from tests.client_kit.manifest import columns_of, with_calculated_and_view
from tests.client_kit.service import Service


def test_each_field_of_a_result_has_its_type(client: LegacyClient, shop: Shop) -> None:
    body = client.ask(COUNT_QUESTION, shop).body
    for name in ("rephrased_question", "intent_reasoning", "sql_generation_reasoning", "invalid_sql"):
        assert body.get(name) is None or isinstance(body[name], str), name
    assert set(body["retrieved_tables"]) <= set(columns_of(shop.model))
    assert body.get("is_followup") in (None, False)
    assert body.get("sql_source") in (None, "history", "view", "rules", "llm")
    for name in ("repairs", "assumptions", "warnings", "lessons_used", "timings"):
        assert name not in body or isinstance(body[name], list), name
    usage = {"llm_calls", "prompt_tokens", "completion_tokens", "cached_tokens", "cost_usd"}
    assert set(body.get("usage") or ()) <= usage
    assert all(set(one) == {"stage", "ms"} for one in body.get("timings") or [])


def test_the_type_is_told_before_the_end_and_general_only_with_it(client: LegacyClient, shop: Shop) -> None:
    for question in (COUNT_QUESTION, "What can you do?"):
        ended = client.wait(kinds.ASK, client.start(kinds.ASK, ask_body(question, shop)), pause=0.002)
        for answer in ended.answers:
            if answer["status"] not in kinds.ASK.terminal:
                assert answer.get("type") in (None, "TEXT_TO_SQL"), f"{answer['status']} with type {answer.get('type')}"
            if answer["status"] in ("planning", "generating", "correcting"):
                assert answer.get("type") == "TEXT_TO_SQL", f"{answer['status']} without its type: the client is blind"


def test_neither_queued_nor_awaiting_correction_reaches_the_client(client: LegacyClient, shop: Shop) -> None:
    started = [client.start(kinds.ASK, ask_body(f"Show the status {number}", shop)) for number in range(12)]
    for job_id in started:
        # `wait` fails on a status that the client's enum does not know.
        expect.in_order(kinds.ASK, client.wait(kinds.ASK, job_id).seen)


def test_an_older_hash_stays_askable(client: LegacyClient, shop: Shop, wren_ui: None) -> None:
    newer = client.deploy(with_calculated_and_view(shop.model))
    try:
        for label in (shop.hash, newer, shop.hash):
            expect.finished(client.run(kinds.ASK, ask_body(COUNT_QUESTION, shop) | {"id": label}))
    finally:
        client.deploy(shop.model)


def test_a_long_poll_answers_when_the_state_changes(client: LegacyClient, shop: Shop) -> None:
    job_id = client.start(kinds.ASK, ask_body(COUNT_QUESTION, shop))
    began = time.monotonic()
    while client.get(kinds.ASK, job_id, {"wait": "20"}).json()["status"] not in kinds.ASK.terminal:
        assert time.monotonic() - began < client.patience
    began = time.monotonic()
    client.get(kinds.ASK, job_id, {"wait": "20"})
    assert time.monotonic() - began < 2, "a wait for an ended job waited"


def test_rows_and_three_suggestions_come_where_they_are_asked_for(client: LegacyClient, shop: Shop) -> None:
    ended = client.run(kinds.ASK, ask_body(COUNT_QUESTION, shop) | {"execute": True, "suggest": True})
    expect.finished(ended)
    data = ended.body["data"]
    assert set(data) == {"columns", "rows", "row_count", "truncated"}
    assert all(set(one) == {"name", "type"} for one in data["columns"])
    assert (data["rows"], data["row_count"], data["truncated"]) == ([[16]], 1, False)
    asked = {one.casefold() for one in ended.body["suggested_questions"]}
    assert len(asked | {COUNT_QUESTION.casefold()}) == 4, "three suggestions, none of which repeats"


def test_a_stream_is_the_plan_and_is_whole_after_the_end(client: LegacyClient, shop: Shop) -> None:
    job_id = client.start(kinds.ASK, ask_body(COUNT_QUESTION, shop))
    text = expect.text_stream(client.ask_stream(job_id))
    ended = client.wait(kinds.ASK, job_id)
    assert text.split() == ended.body["sql_generation_reasoning"].split(), "stream and plan of the result differ"
    job_id = client.start(kinds.ASK, ask_body("What can you do?", shop))
    first = expect.text_stream(client.ask_stream(job_id), empty=True)
    client.wait(kinds.ASK, job_id)
    assert expect.text_stream(client.ask_stream(job_id), empty=True) == first


@pytest.mark.usefixtures("no_compatibility")
def test_a_project_without_a_model_fails_with_3003(client: LegacyClient, shop: Shop) -> None:
    body = {name: value for name, value in ask_body(COUNT_QUESTION, shop).items() if name != "id"}
    project = {"project_id": "kit_empty_project"}
    job_id = client.start(kinds.ASK, body | project)
    end = time.monotonic() + client.patience
    while (read := client.get(kinds.ASK, job_id, project).json())["status"] not in kinds.ASK.terminal:
        assert time.monotonic() < end
        time.sleep(0.05)
    assert (read["status"], read["nl2sql_code"]) == ("failed", "3003")
    assert read["error"]["code"] in kinds.ASK.codes


# Feedback on an answer.


def test_feedback_is_taken_repeated_and_withdrawn(client: LegacyClient, shop: Shop) -> None:
    ended = client.ask(COUNT_QUESTION, shop)
    place = f"/v1/asks/{ended.id}/feedback"
    for body in ({"positive": True}, {"positive": True}, {"positive": False, "sql": COUNT_SQL, "comment": "as I say"}):
        told = client.http.post(place, json=body)
        assert told.status_code == 200, told.text
        assert told.json()["accepted_question_id"]
        assert isinstance(told.json()["lesson_ids"], list)
    expect.finished(client.ask(COUNT_QUESTION, shop))
    assert client.http.post(place, json={"positive": False}).status_code == 200


def test_feedback_wants_a_finished_ask_of_the_project(
    client: LegacyClient, foreigner: LegacyClient, shop: Shop, service: Service, unknown_id: str
) -> None:
    failed = client.run(kinds.ASK, ask_body(COUNT_QUESTION, shop) | {"id": unknown_id})
    answer = client.http.post(f"/v1/asks/{failed.id}/feedback", json={"positive": True})
    assert answer.status_code in (409, 422), answer.text
    if not service.wren_ui:
        ended = client.ask(COUNT_QUESTION, shop)
        for asker, job_id in ((client, unknown_id), (foreigner, ended.id)):
            expect.error_body(asker.http.post(f"/v1/asks/{job_id}/feedback", json={"positive": True}), 404)


# The list of past asks.


def test_past_asks_are_listed_newest_first(client: LegacyClient, shop: Shop) -> None:
    made = [client.ask(question, shop).id for question in (COUNT_QUESTION, "How many customers are there?")]
    body = client.http.get("/v1/asks", params={"limit": "50"}).json()
    assert set(body) == {"asks", "total"}, sorted(body)
    assert body["total"] >= len(body["asks"]) >= 2
    more = {"status", "response", "error", "trace_id", "query_id", "query", "created_at", "follows", "feedback"}
    for one in body["asks"]:
        assert set(one) <= (more | kinds.ASK.fields) - {"data"}, sorted(one)
        assert one["query"]
        assert one["status"] in kinds.ASK.statuses | {"awaiting_correction", "queued"}
    ids = [one.get("query_id") or one["trace_id"] for one in body["asks"]]
    assert ids.index(made[1]) < ids.index(made[0]), "not newest first"
    times = [one["created_at"] for one in body["asks"]]
    assert times == sorted(times, reverse=True)


def test_past_asks_are_paged_and_filtered(client: LegacyClient, shop: Shop, unknown_id: str) -> None:
    mark = unknown_id[:8]
    for number in range(3):
        client.ask(f"How many orders are there? kit {mark} {number}", shop)
    pages = [client.http.get("/v1/asks", params={"q": mark, "limit": "1", "offset": str(at)}).json() for at in range(4)]
    assert [len(page["asks"]) for page in pages] == [1, 1, 1, 0]
    assert all(page["total"] == 3 for page in pages)
    assert len({page["asks"][0]["trace_id"] for page in pages[:3]}) == 3
    for status in ("finished", "failed"):
        listed = client.http.get("/v1/asks", params={"status": status}).json()
        assert all(one["status"] == status for one in listed["asks"])


@pytest.mark.usefixtures("no_compatibility")
def test_past_asks_of_another_project_are_not_listed(client: LegacyClient, foreigner: LegacyClient, shop: Shop) -> None:
    ended = client.ask(COUNT_QUESTION, shop)
    listed = foreigner.http.get("/v1/asks").json()
    assert ended.id not in [one.get("query_id") or one["trace_id"] for one in listed["asks"]]
