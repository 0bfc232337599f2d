"""Polls that go past the framework's routes tell what the routes would."""

from __future__ import annotations

import asyncio

import pytest
from starlette.responses import PlainTextResponse
from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send

from askwell.access.caller import CALLER, Caller
from askwell.asks.request import AskRequest
from askwell.errors import RecordUnavailable
from askwell.job_kinds import KINDS
from askwell.web.polling import Poll, QuickPolls
from tests.web.fakes import FakeServices

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
