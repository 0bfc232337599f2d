"""Asks (API.md, Asks; CONTRACTS 1.2 to 1.6, 2)."""

from __future__ import annotations

import time

import pytest

from tests.client_kit import expect, kinds
from tests.client_kit.bodies import (
    COUNT_QUESTION,
    COUNT_SQL,
    REFUSED_SQL,
    WRONG_COLUMN_SQL,
    Shop,
)
from tests.client_kit.client import Ended, LegacyClient, ask_body
from tests.client_kit.manifest import columns_of, text_of, with_calculated_and_view
from tests.client_kit.service import Service


def _sql(ended: Ended) -> str:
    response = expect.finished(ended)
    assert isinstance(response, list), ended.body
    assert response, ended.body
    return str(response[0]["sql"])


def test_a_count_is_answered_with_model_sql(client: LegacyClient, shop: Shop) -> None:
    ended = client.ask(COUNT_QUESTION, shop.hash)
    response = expect.finished(ended)
    assert ended.body["type"] == "TEXT_TO_SQL"
    assert isinstance(response, list)
    assert response
    for one in response:
        assert set(one) <= {"sql", "type", "viewId", "sqlpairId"}, sorted(one)
        assert one["type"] in ("llm", "view", "sql_pair")
        assert one["sql"].strip()
        if one["type"] == "view":
            assert one.get("viewId")
        if one["type"] == "sql_pair":
            assert str(one.get("sqlpairId")).isdigit()
    assert expect.table_names(response[0]["sql"], set(columns_of(shop.model))) == {"orders"}


def test_each_field_of_a_result_has_its_type(client: LegacyClient, shop: Shop) -> None:
    body = client.ask(COUNT_QUESTION, shop.hash).body
    for name in ("rephrased_question", "intent_reasoning", "sql_generation_reasoning", "invalid_sql"):
        assert body.get(name) is None or isinstance(body[name], str), name
    tables = body.get("retrieved_tables")
    assert isinstance(tables, list)
    assert all(isinstance(one, str) for one in tables)
    assert set(tables) <= set(columns_of(shop.model))
    assert body.get("is_followup") in (None, False)
    assert body.get("general_type") is None
    assert body.get("nl2sql_code") in (None, "0")
    assert body.get("sql_source") in (None, "history", "view", "rules", "llm")
    for name in ("repairs", "assumptions", "warnings", "lessons_used", "timings"):
        assert name not in body or isinstance(body[name], list), name
    usage = body.get("usage")
    assert usage is None or set(usage) <= {
        "llm_calls",
        "prompt_tokens",
        "completion_tokens",
        "cached_tokens",
        "cost_usd",
    }
    for one in body.get("timings") or []:
        assert set(one) == {"stage", "ms"}, one
    assert "data" not in body or body["data"] is None, "rows that nobody asked for"
    assert "clarification" not in body or body["clarification"] is None


def test_a_finished_ask_has_code_0(client: LegacyClient, shop: Shop) -> None:
    assert client.ask(COUNT_QUESTION, shop.hash).body.get("nl2sql_code") == "0"


def test_the_type_is_told_before_the_end_and_general_only_with_it(client: LegacyClient, shop: Shop) -> None:
    for question in (COUNT_QUESTION, "What can you do?"):
        ended = client.wait(kinds.ASK, client.start(kinds.ASK, ask_body(question, shop.hash)), pause=0.002)
        for answer in ended.answers:
            if answer["status"] not in kinds.ASK.terminal:
                assert answer.get("type") in (None, "TEXT_TO_SQL"), f"{answer['status']} with type {answer.get('type')}"
            if answer["status"] in ("planning", "generating", "correcting"):
                assert answer.get("type") == "TEXT_TO_SQL", f"{answer['status']} without its type: the client is blind"


def test_neither_queued_nor_awaiting_correction_reaches_the_client(client: LegacyClient, shop: Shop) -> None:
    started = [client.start(kinds.ASK, ask_body(f"Show the status {number}", shop.hash)) for number in range(12)]
    for job_id in started:
        # `wait` fails on a status that the client's enum does not know.
        expect.in_order(kinds.ASK, client.wait(kinds.ASK, job_id).seen)


def test_interactive_false_never_parks(client: LegacyClient, shop: Shop) -> None:
    body = ask_body("How many are there by name?", shop.hash) | {"interactive": False}
    ended = client.run(kinds.ASK, body)
    assert ended.status in ("finished", "failed")


def test_histories_are_taken(client: LegacyClient, shop: Shop) -> None:
    ended = client.ask("And how many customers are there?", shop.hash, [(COUNT_QUESTION, COUNT_SQL)])
    expect.common(ended)
    assert ended.status in ("finished", "failed")


def test_the_hash_may_be_named_either_way_or_not_at_all(client: LegacyClient, shop: Shop) -> None:
    body = ask_body(COUNT_QUESTION, shop.hash)
    expect.finished(client.run(kinds.ASK, body))
    del body["id"]
    expect.finished(client.run(kinds.ASK, body | {"mdl_hash": shop.hash}))
    expect.finished(client.run(kinds.ASK, body | {"mdl_hash": None}))
    expect.finished(client.run(kinds.ASK, body))


def test_an_unknown_hash_fails_with_a_hint(client: LegacyClient, shop: Shop, unknown_id: str) -> None:
    error = expect.failed(client.ask(COUNT_QUESTION, unknown_id))
    assert error.get("hint"), error


@pytest.mark.usefixtures("shop")
def test_an_older_hash_stays_askable(client: LegacyClient, shop: Shop, wren_ui: None) -> None:
    newer = client.deploy(with_calculated_and_view(shop.model))
    try:
        for label in (shop.hash, newer, shop.hash):
            expect.finished(client.ask(COUNT_QUESTION, label))
    finally:
        client.deploy(shop.model)


def test_a_long_poll_answers_when_the_state_changes(client: LegacyClient, shop: Shop) -> None:
    job_id = client.start(kinds.ASK, ask_body(COUNT_QUESTION, shop.hash))
    began = time.monotonic()
    while True:
        body = client.get(kinds.ASK, job_id, {"wait": "20"}).json()
        if body["status"] in kinds.ASK.terminal:
            break
        assert time.monotonic() - began < client.patience
    began = time.monotonic()
    client.get(kinds.ASK, job_id, {"wait": "20"})
    assert time.monotonic() - began < 2, "a wait for an ended job waited"


@pytest.mark.parametrize("wait", ["-1", "31", "soon"])
def test_a_wrong_wait_is_422(client: LegacyClient, shop: Shop, wait: str) -> None:
    ended = client.ask(COUNT_QUESTION, shop.hash)
    answer = client.get(kinds.ASK, ended.id, {"wait": wait})
    if wait == "31":
        # "at most 30": refused or cut, both keep to the words.
        assert answer.status_code in (200, 422)
    else:
        expect.bad_body(answer)


def test_execute_gives_rows(client: LegacyClient, shop: Shop) -> None:
    ended = client.run(kinds.ASK, ask_body(COUNT_QUESTION, shop.hash) | {"execute": True})
    expect.finished(ended)
    data = ended.body["data"]
    assert set(data) == {"columns", "rows", "row_count", "truncated"}
    assert all(set(one) == {"name", "type"} for one in data["columns"])
    assert data["row_count"] == len(data["rows"]) == 1
    assert data["rows"][0][0] == 16
    assert data["truncated"] is False


def test_suggestions_are_exactly_three(client: LegacyClient, shop: Shop) -> None:
    ended = client.run(kinds.ASK, ask_body(COUNT_QUESTION, shop.hash) | {"suggest": True})
    expect.finished(ended)
    asked = ended.body.get("suggested_questions")
    assert isinstance(asked, list)
    assert len(asked) == 3
    assert len({one.casefold() for one in asked} | {COUNT_QUESTION.casefold()}) == 4, "a suggestion repeats"


# Streams.


def test_the_stream_of_an_sql_ask_is_the_plan(client: LegacyClient, shop: Shop) -> None:
    job_id = client.start(kinds.ASK, ask_body(COUNT_QUESTION, shop.hash))
    text = expect.text_stream(client.ask_stream(job_id))
    ended = client.wait(kinds.ASK, job_id)
    assert ended.body["type"] == "TEXT_TO_SQL"
    assert text.split() == ended.body["sql_generation_reasoning"].split(), "stream and plan of the result differ"


def test_a_stream_opened_after_the_end_is_whole(client: LegacyClient, shop: Shop) -> None:
    job_id = client.start(kinds.ASK, ask_body("What can you do?", shop.hash))
    first = expect.text_stream(client.ask_stream(job_id), empty=True)
    client.wait(kinds.ASK, job_id)
    again = expect.text_stream(client.ask_stream(job_id), empty=True)
    assert again == first


def test_the_stream_of_an_unknown_ask_is_404(client: LegacyClient, unknown_id: str) -> None:
    expect.error_body(client.http.get(f"/v1/asks/{unknown_id}/streaming-result"), 404)


@pytest.mark.parametrize(
    ("question", "general_type"),
    [
        ("What can you do?", "USER_GUIDE"),
        ("Which tables are there?", "DATA_ASSISTANCE"),
        ("What is a category?", "DATA_ASSISTANCE"),
    ],
)
def test_questions_about_the_service_or_the_data_need_no_model(
    client: LegacyClient, shop: Shop, no_model: None, question: str, general_type: str
) -> None:
    job_id = client.start(kinds.ASK, ask_body(question, shop.hash))
    text = expect.text_stream(client.ask_stream(job_id))
    ended = client.wait(kinds.ASK, job_id)
    expect.finished(ended)
    assert ended.body["type"] == "GENERAL"
    assert ended.body["general_type"] == general_type
    assert not ended.body.get("response")
    if question.startswith("Which tables"):
        for name in columns_of(shop.model):
            assert name in text, f"{name} is not among the tables"


def test_a_general_question_has_a_general_type_and_words(client: LegacyClient, shop: Shop, with_model: None) -> None:
    job_id = client.start(kinds.ASK, ask_body("What can you do?", shop.hash))
    stream = client.ask_stream(job_id)
    ended = client.wait(kinds.ASK, job_id)
    if ended.body.get("type") == "GENERAL" and ended.status == "finished":
        assert ended.body["general_type"] in ("MISLEADING_QUERY", "DATA_ASSISTANCE", "USER_GUIDE")
        expect.text_stream(stream)


# Failure.


def test_a_question_without_sense_fails_with_a_code_or_is_general(client: LegacyClient, shop: Shop) -> None:
    ended = client.ask("qwx zzrt plomk?", shop.hash)
    if ended.status == "failed":
        error = expect.job_error(ended)
        assert error["code"] in kinds.ASKED
    else:
        expect.finished(ended)
    assert ended.body.get("nl2sql_code") in (None, "0", "3002", "3003", "3005")


@pytest.mark.usefixtures("no_compatibility")
def test_a_project_without_a_model_fails_with_3003(client: LegacyClient, shop: Shop) -> None:
    body = ask_body(COUNT_QUESTION, "")
    del body["id"]
    job_id = client.start(kinds.ASK, body | {"project_id": "kit_empty_project"})
    end = time.monotonic() + client.patience
    while True:
        read = client.get(kinds.ASK, job_id, {"project_id": "kit_empty_project"})
        assert read.status_code == 200, read.text
        if read.json()["status"] in kinds.ASK.terminal:
            break
        assert time.monotonic() < end
        time.sleep(0.05)
    assert read.json()["status"] == "failed"
    assert read.json()["error"]["code"] in kinds.ASKED
    assert read.json()["nl2sql_code"] == "3003"


def test_a_model_server_that_hangs_does_not_hold_an_ask_for_ever(
    client: LegacyClient, shop: Shop, service: Service, with_model: None
) -> None:
    if service.model_server is None:
        pytest.skip("no control of the model server")
    service.model_server.fail_next(1, "hang")
    ended = client.ask("Which customers never bought a lamp?", shop.hash)
    expect.common(ended)
    if ended.status == "failed":
        expect.job_error(ended)


# Feedback on an answer.


def test_positive_feedback_makes_an_accepted_question(client: LegacyClient, shop: Shop) -> None:
    ended = client.ask(COUNT_QUESTION, shop.hash)
    expect.finished(ended)
    for _ in range(2):
        answer = client.http.post(f"/v1/asks/{ended.id}/feedback", json={"positive": True})
        assert answer.status_code == 200, answer.text
        told = answer.json()
        assert set(told) <= {"accepted_question_id", "lesson_ids"}, sorted(told)
        assert isinstance(told["lesson_ids"], list)
        assert told.get("accepted_question_id"), "a positive feedback becomes an accepted question"
    again = client.ask(COUNT_QUESTION, shop.hash)
    expect.finished(again)
    withdrawn = client.http.post(f"/v1/asks/{ended.id}/feedback", json={"positive": False})
    assert withdrawn.status_code == 200, withdrawn.text


def test_a_corrected_sql_is_checked(client: LegacyClient, shop: Shop) -> None:
    ended = client.ask(COUNT_QUESTION, shop.hash)
    expect.finished(ended)
    place = f"/v1/asks/{ended.id}/feedback"
    taken = client.http.post(place, json={"positive": False, "sql": COUNT_SQL, "comment": "as I say it"})
    assert taken.status_code == 200, taken.text
    assert taken.json().get("accepted_question_id")
    for sql in (REFUSED_SQL, WRONG_COLUMN_SQL, "not sql at all"):
        refused = client.http.post(place, json={"positive": False, "sql": sql})
        assert refused.status_code == 422, f"{sql}: {refused.status_code} {refused.text}"
        expect.no_leak(refused.text)
    client.http.post(place, json={"positive": False})


@pytest.mark.parametrize(
    "body", [{}, {"positive": "perhaps"}, {"positive": True, "sql": 5}, [], {"positive": None}], ids=str
)
def test_a_feedback_with_a_bad_body_is_422(client: LegacyClient, shop: Shop, body: object) -> None:
    ended = client.ask(COUNT_QUESTION, shop.hash)
    expect.bad_body(client.http.post(f"/v1/asks/{ended.id}/feedback", json=body))


def test_feedback_on_an_unknown_ask_is_404(client: LegacyClient, unknown_id: str, service: Service) -> None:
    answer = client.http.post(f"/v1/asks/{unknown_id}/feedback", json={"positive": True})
    if service.wren_ui and answer.status_code == 200:
        assert answer.json().get("status") == "failed"
        return
    expect.error_body(answer, 404)


def test_feedback_wants_a_finished_sql_ask(client: LegacyClient, shop: Shop, unknown_id: str) -> None:
    ended = client.ask(COUNT_QUESTION, unknown_id)
    assert ended.status == "failed"
    answer = client.http.post(f"/v1/asks/{ended.id}/feedback", json={"positive": True})
    assert answer.status_code in (409, 422), f"{answer.status_code}: {answer.text}"
    expect.no_leak(answer.text)


@pytest.mark.usefixtures("no_compatibility")
def test_feedback_on_a_foreign_ask_is_404(client: LegacyClient, foreigner: LegacyClient, shop: Shop) -> None:
    ended = client.ask(COUNT_QUESTION, shop.hash)
    answer = foreigner.http.post(f"/v1/asks/{ended.id}/feedback", json={"positive": True})
    expect.error_body(answer, 404)


# The list of past asks.


def test_past_asks_are_listed_newest_first(client: LegacyClient, shop: Shop) -> None:
    made = [client.ask(question, shop.hash).id for question in (COUNT_QUESTION, "How many customers are there?")]
    answer = client.http.get("/v1/asks", params={"limit": "50"})
    assert answer.status_code == 200, answer.text
    body = answer.json()
    assert set(body) == {"asks", "total"}, sorted(body)
    assert isinstance(body["total"], int)
    assert body["total"] >= len(body["asks"]) >= 2
    known = {
        "status",
        "response",
        "error",
        "trace_id",
        "query_id",
        "query",
        "created_at",
        "follows",
        "feedback",
    } | kinds.ASK.fields
    for one in body["asks"]:
        assert set(one) <= known, sorted(set(one) - known)
        assert "data" not in one, "the list has no rows"
        assert one["query"]
        assert one["created_at"]
        assert one["status"] in kinds.ASK.statuses | {"awaiting_correction", "queued"}
    ids = [one.get("query_id") or one["trace_id"] for one in body["asks"]]
    assert ids.index(made[1]) < ids.index(made[0]), "not newest first"
    times = [one["created_at"] for one in body["asks"]]
    assert times == sorted(times, reverse=True)


def test_past_asks_are_paged_and_filtered(client: LegacyClient, shop: Shop, unknown_id: str) -> None:
    mark = unknown_id[:8]
    for number in range(3):
        client.ask(f"How many orders are there? kit {mark} {number}", shop.hash)
    found = client.http.get("/v1/asks", params={"q": mark}).json()
    assert found["total"] == 3, found
    pages = [client.http.get("/v1/asks", params={"q": mark, "limit": "1", "offset": str(at)}).json() for at in range(4)]
    assert [len(page["asks"]) for page in pages] == [1, 1, 1, 0]
    assert all(page["total"] == 3 for page in pages)
    assert len({page["asks"][0]["trace_id"] for page in pages[:3]}) == 3
    for status in ("finished", "failed"):
        listed = client.http.get("/v1/asks", params={"status": status}).json()
        assert all(one["status"] == status for one in listed["asks"])


@pytest.mark.parametrize("params", [{"limit": "-1"}, {"limit": "many"}, {"offset": "-1"}, {"status": "moon"}], ids=str)
def test_a_wrong_page_is_422(client: LegacyClient, params: dict[str, str]) -> None:
    expect.bad_body(client.http.get("/v1/asks", params=params))


@pytest.mark.usefixtures("no_compatibility")
def test_past_asks_of_another_project_are_not_listed(client: LegacyClient, foreigner: LegacyClient, shop: Shop) -> None:
    ended = client.ask(COUNT_QUESTION, shop.hash)
    listed = foreigner.http.get("/v1/asks").json()
    assert ended.id not in [one.get("query_id") or one["trace_id"] for one in listed["asks"]]


@pytest.mark.usefixtures("shop")
def test_a_model_with_a_calculated_field_and_a_view_is_deployed(client: LegacyClient, shop: Shop) -> None:
    model = with_calculated_and_view(shop.model)
    assert text_of(model) != text_of(shop.model)
    try:
        label = client.deploy(model)
        expect.finished(client.ask(COUNT_QUESTION, label))
    finally:
        client.deploy(shop.model)
