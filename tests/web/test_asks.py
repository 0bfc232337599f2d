"""The ask routes: what is taken, what is turned away, and what comes back."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from starlette.responses import PlainTextResponse
from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send

from askwell.access.caller import CALLER, Caller
from askwell.asks.request import AskRequest
from askwell.errors import RecordUnavailable
from askwell.job_kinds import KINDS
from askwell.semantic_parsing.translation import Turn
from askwell.web.polling import Poll, QuickPolls
from tests.support.tables import case_table
from tests.web.fakes import FakeServices

QUESTION = {"query": "How many orders?"}


class TestStart:
    def test_a_bare_question_has_the_documented_defaults(self, http: TestClient, services: FakeServices) -> None:
        http.post("/v1/asks", json={"query": "  How many orders?\n"})
        assert services.asks.requests["ask-1"] == AskRequest(query="How many orders?")

    def test_every_field_reaches_the_service(self, http: TestClient, services: FakeServices) -> None:
        body = case_table(__file__, "body")
        assert http.post("/v1/asks", json=body).status_code == 202
        assert services.asks.requests["ask-1"] == AskRequest(
            query="and last year?",
            project_id="sales",
            mdl_hash="abc",
            histories=(Turn("how many this year?", "SELECT 1"),),
            thread_id="t-1",
            request_from="api",
            language="Deutsch",
            timezone="Europe/Berlin",
            ignore_sql_generation_reasoning=True,
            enable_column_pruning=True,
            use_dry_plan=True,
            allow_dry_plan_fallback=False,
            custom_instruction="net of tax",
            execute=True,
            suggest=True,
            allow_data_preview=True,
            session_properties={"region": "'EU'"},
        )

    def test_older_names_nulls_and_unknown_fields_are_taken(self, http: TestClient, services: FakeServices) -> None:
        body = QUESTION | {
            "id": "old-hash",
            "configuration": {"language": "French", "timezone": {"name": "UTC", "utc_offset": ""}, "fiscal_year": None},
            "project_id": None,
            "histories": None,
            "custom_instruction": None,
            "thread_id": None,
            "user_id": "u",
        }
        assert http.post("/asks", json=body).status_code == 202
        request = services.asks.requests["ask-1"]
        assert (request.mdl_hash, request.language, request.project_id) == ("old-hash", "French", "default")

    @pytest.mark.parametrize("key", ["x" * 256])
    def test_an_odd_idempotency_key_is_refused(self, http: TestClient, key: str) -> None:
        assert http.post("/v1/asks", json=QUESTION, headers={"Idempotency-Key": key}).status_code == 422


# What is too long; see requests/asks.yaml for what is wrong otherwise.
REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"query": "x" * 10_001}, "query"),
    (QUESTION | {"project_id": "x" * 129}, "project_id"),
    (QUESTION | {"histories": [{"question": "q", "sql": "x" * 100_001}]}, "sql"),
    (QUESTION | {"histories": [{"question": "q", "sql": "s"}] * 101}, "histories"),
    (QUESTION | {"thread_id": "x" * 129}, "thread_id"),
]


class TestRefusal:
    @pytest.mark.parametrize(("body", "field"), REFUSED, ids=[f"{n}-{field}" for n, (_, field) in enumerate(REFUSED)])
    def test_a_wrong_field_is_named(
        self, http: TestClient, services: FakeServices, body: dict[str, Any], field: str
    ) -> None:
        answer = http.post("/v1/asks", json=body)
        assert answer.status_code == 422
        said = answer.json()
        assert set(said) == {"code", "message", "hint", "request_id", "detail"}
        assert said["code"] == "INVALID_REQUEST"
        assert said["detail"][0]["loc"][-1] == field
        assert set(said["detail"][0]) == {"type", "loc", "msg"}
        assert services.asks.requests == {}

    @pytest.mark.parametrize(
        "content",
        [
            b"\xff\xfe{",
            b"[" * 50_000,
            b'{"query": ' + b"1" * 5_000 + b"}",
        ],
        ids=lambda content: repr(content[:20]),
    )
    def test_bytes_that_are_no_body_at_all(self, http: TestClient, content: bytes) -> None:
        answer = http.post("/v1/asks", content=content, headers={"Content-Type": "application/json"})
        assert answer.status_code == 422
        said = answer.json()
        assert said["code"] == "INVALID_REQUEST"
        assert said["message"]
        assert said["hint"]
        assert said["detail"]


class TestPollStopAndStream:
    @pytest.mark.parametrize(
        ("method", "path", "body"),
        [
            ("GET", "result", None),
            ("GET", "streaming-result", None),
            ("GET", "events", None),
            ("PATCH", "", {"status": "stopped"}),
        ],
    )
    def test_an_id_of_another_project_than_the_one_said_is_unknown(
        self, http: TestClient, services: FakeServices, method: str, path: str, body: Any
    ) -> None:
        http.post("/v1/asks", json=QUESTION | {"project_id": "sales"})
        where = f"/v1/asks/ask-1/{path}".rstrip("/")
        own = [http.request(method, f"{where}{query}", json=body) for query in ("", "?project_id=sales")]
        assert [answer.status_code for answer in own] == [200, 200]
        services.asks.stopped.clear()
        foreign = http.request(method, f"{where}?project_id=other", json=body)
        assert (foreign.status_code, foreign.json()["code"]) == (404, "NOT_FOUND")
        if body:
            for said in ("other", "default"):
                assert http.request(method, where, json={**body, "project_id": said}).status_code == 404
            assert http.request(method, where, json={**body, "project_id": "sales"}).status_code == 200
            assert services.asks.stopped == ["ask-1"]

    def test_the_words_come_as_events(self, http: TestClient, services: FakeServices) -> None:
        http.post("/v1/asks", json=QUESTION)
        answer = http.get("/v1/asks/ask-1/streaming-result")
        assert answer.headers["Content-Type"].startswith("text/event-stream")
        assert answer.headers["Cache-Control"] == "no-cache"
        events = answer.text.split("\n\n")
        assert events.pop() == ""
        assert all(event.startswith("data: ") and "\n" not in event for event in events)
        assert "".join(json.loads(event[6:])["message"] for event in events) == "".join(services.asks.words)


# -- Polls that go past the framework's routes tell what the routes would.


POLLS = ["/asks/ask-1/result", *(f"/{kind.path}/ask-1{kind.result_path}" for kind in KINDS)]


@pytest.mark.parametrize("mount", ["", "/v1"])
@pytest.mark.parametrize("path", POLLS)
@pytest.mark.parametrize("job_id", ["ask-1", "unknown", "a%2Fb", "%20", "é"])
def test_a_plain_poll_tells_what_one_with_parameters_does(
    http: TestClient, services: FakeServices, mount: str, path: str, job_id: str
) -> None:
    http.post("/v1/asks", json={"query": "How many orders?"})
    url, headers = f"{mount}{path.replace('ask-1', job_id)}", {"X-Request-ID": "r"}
    quick, routed = http.get(url, headers=headers), http.get(f"{url}?wait=0", headers=headers)
    assert quick.status_code == routed.status_code == (200 if job_id == "ask-1" else 404)
    assert (quick.content, quick.headers) == (routed.content, routed.headers)


@pytest.mark.parametrize("path", ["/v1/asks/ask-1/result/", "/v1/v1/asks/ask-1/result", "/v1//asks/ask-1/result"])
def test_other_paths_are_no_polls(http: TestClient, path: str) -> None:
    http.post("/v1/asks", json={"query": "How many orders?"})
    assert http.get(path).status_code in (307, 404)


@pytest.mark.parametrize("method", ["HEAD", "POST", "DELETE"])
def test_other_methods_are_refused_as_ever(http: TestClient, method: str) -> None:
    http.post("/v1/asks", json={"query": "How many orders?"})
    assert http.request(method, "/v1/asks/ask-1/result").status_code == 405


def test_a_plain_poll_never_comes_to_the_routes() -> None:
    services = FakeServices()
    polls = {("asks", "/result"): Poll("/asks/{query_id}/result", lambda: services.asks)}
    quick_polls = QuickPolls(PlainTextResponse("routes"), polls, "/v1")

    async def of_anybody(scope: Scope, receive: Receive, send: Send) -> None:
        await quick_polls(scope | {CALLER: Caller()}, receive, send)

    http = TestClient(of_anybody)
    assert http.get("/v1/asks/ask-1/result").text == "routes"  # nobody has asked yet
    asyncio.run(services.asks.start(AskRequest(query="How many orders?")))
    assert http.get("/v1/asks/ask-1/result").json()["status"] == "finished"
    assert http.get("/v1/asks/ask-1/result?wait=0").text == "routes"


def test_a_record_that_is_away_is_told_at_once(http: TestClient, services: FakeServices) -> None:
    http.post("/v1/asks", json={"query": "How many orders?"})
    services.asks.fails_with = RecordUnavailable("The record is away.", "Look at its server.")
    answer = http.get("/v1/asks/ask-1/result", headers={"X-Request-ID": "r"})
    assert answer.status_code == 503
    assert (answer.json()["message"], answer.json()["request_id"]) == ("The record is away.", "r")


def test_a_defect_tells_nobody_of_its_rows(http: TestClient, services: FakeServices) -> None:
    http.post("/v1/asks", json={"query": "How many orders?"})
    services.asks.fails_with = ValueError("secret row")
    answer = http.get("/v1/asks/ask-1/result")
    assert answer.status_code == 500
    assert "secret" not in answer.text


def test_who_may_not_call_may_not_poll(http: TestClient) -> None:
    http.post("/v1/asks", json={"query": "How many orders?"})
    assert http.get("/v1/asks/ask-1/result", headers={"Host": "evil.example"}).status_code == 403
    assert http.get("/v1/asks/ask-1/result", headers={"Origin": "https://evil.example"}).status_code == 403
