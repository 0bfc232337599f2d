"""Every error answers with one body, and no body holds more than it should."""

from __future__ import annotations

import io
import json
import logging
import re
from typing import Any

import pytest
from starlette.testclient import TestClient

from askwell.errors import (
    AskwellError,
    Busy,
    ConfigurationError,
    EngineUnavailable,
    InvalidModel,
    InvalidRequest,
    ModelUnavailable,
    NotFound,
    RecordUnavailable,
)
from askwell.observability.logging import Level, configure_logging, job_scope, request_scope
from tests.web.fakes import FakeServices

QUESTION = {"query": "How many orders?"}
KEYS = {"code", "message", "hint", "request_id"}


class TestTheTree:
    @pytest.mark.parametrize(
        ("error", "status"),
        [
            (InvalidRequest("wrong", "do right"), 422),
            (NotFound("gone", "look elsewhere"), 404),
            (EngineUnavailable("down", "wait"), 503),
            (ModelUnavailable("down", "wait"), 503),
            (RecordUnavailable("down", "wait"), 503),
            (ConfigurationError("broken", "mend it"), 500),
            (AskwellError("broken", "mend it"), 500),
        ],
        ids=lambda value: type(value).__name__ if isinstance(value, Exception) else str(value),
    )
    def test_an_error_has_its_status_and_the_shared_body(
        self, http: TestClient, services: FakeServices, error: AskwellError, status: int
    ) -> None:
        services.asks.fails_with = error
        answer = http.post("/v1/asks", json=QUESTION)
        assert answer.status_code == status
        said = answer.json()
        assert set(said) == KEYS
        assert (said["code"], said["message"], said["hint"]) == (error.code, error.message, error.hint)
        assert said["request_id"] == answer.headers["X-Request-ID"]

    def test_a_full_queue_says_when_to_come_back(self, http: TestClient, services: FakeServices) -> None:
        services.asks.fails_with = Busy("full", "later", retry_after=7)
        answer = http.post("/v1/asks", json=QUESTION)
        assert answer.status_code == 429
        assert answer.headers["Retry-After"] == "7"
        assert set(answer.json()) == KEYS

    def test_a_model_with_problems_lists_them(self, http: TestClient, services: FakeServices) -> None:
        services.preparation.fails_with = InvalidModel("2 problems", "mend them", ("orders: no columns", "x: unknown"))
        answer = http.post("/v1/semantics-preparations", json={"mdl": "{}", "mdl_hash": "m"})
        assert answer.status_code == 422
        assert answer.json()["problems"] == ["orders: no columns", "x: unknown"]


class TestRouting:
    @pytest.mark.parametrize("path", ["/page", "/v1", "/v1/", "/v1/nothing", "/asks/x/y/z", "/v2/asks", "/%00"])
    def test_an_unknown_address(self, http: TestClient, path: str) -> None:
        answer = http.get(path)
        assert answer.status_code == 404
        assert set(answer.json()) == KEYS
        assert answer.json()["code"] == "NOT_FOUND"

    @pytest.mark.parametrize(
        ("method", "path"),
        [
            ("PUT", "/v1/asks"),
            ("PUT", "/asks"),
            ("DELETE", "/v1/asks/x"),
            ("POST", "/health"),
            ("POST", "/v1/semantics"),
        ],
    )
    def test_a_method_that_a_route_does_not_take(self, http: TestClient, method: str, path: str) -> None:
        answer = http.request(method, path)
        assert answer.status_code == 405
        assert answer.headers["Allow"]
        assert set(answer.json()) == KEYS


class TestSize:
    def test_five_megabytes_of_question_are_refused_in_words(self, http: TestClient, services: FakeServices) -> None:
        answer = http.post("/v1/asks", json={"query": "x" * 5_000_000})
        assert answer.status_code == 413
        assert set(answer.json()) == KEYS
        assert answer.json()["code"] == "TOO_LARGE"
        assert services.asks.requests == {}

    def test_a_body_without_an_announced_size_is_counted(self, http: TestClient, services: FakeServices) -> None:
        pieces = (b"x" * 500_000 for _ in range(10))
        answer = http.post("/v1/asks", content=pieces, headers={"Content-Type": "application/json"})
        assert answer.status_code == 413
        assert set(answer.json()) == KEYS

    @pytest.mark.parametrize(
        ("part", "count", "words"),
        [
            (b"{}", 500_001, "500,000 objects"),
            (b"[]", 500_001, "500,000 lists"),
            (b"1", 1_000_002, "1,000,000 entries"),
        ],
    )
    def test_a_body_of_too_many_parts_is_refused_before_it_is_read(
        self, http: TestClient, services: FakeServices, part: bytes, count: int, words: str
    ) -> None:
        body = b'{"mdl": {"models": [' + b",".join([part] * count) + b"]}"  # the last bracket is missing: not JSON
        answer = http.post("/v1/semantics-preparations", content=body, headers={"Content-Type": "application/json"})
        assert answer.status_code == 413
        assert set(answer.json()) == KEYS
        assert f"more than {words}" in answer.json()["message"]
        assert services.preparation.started == []

    def test_a_large_body_that_is_no_json_is_refused_as_a_small_one_is(self, http: TestClient) -> None:
        for body in (b'{"mdl": "' + b"x" * 500_000, b'{"mdl": ' + b"[" * 400_000, b'{"mdl": "\xff' + b"x" * 500_000):
            answer = http.post("/v1/semantics-preparations", content=body, headers={"Content-Type": "application/json"})
            assert answer.status_code == 422
            assert answer.json()["detail"]

    def test_a_model_of_some_megabytes_is_taken(self, http: TestClient, services: FakeServices) -> None:
        mdl = '{"models": "' + "x" * 8_000_000 + '"}'
        answer = http.post("/v1/semantics-preparations", json={"mdl": mdl, "mdl_hash": "big"})
        assert answer.status_code == 202
        assert services.preparation.started[0][1] == mdl

    @pytest.mark.parametrize("announced", ["-5", "many", "1e3"])
    def test_a_nonsense_size_does_no_harm(self, http: TestClient, announced: str) -> None:
        answer = http.post(
            "/v1/asks",
            content=b'{"query": "x"}',
            headers={"Content-Type": "application/json", "Content-Length": announced},
        )
        assert answer.status_code in (202, 422)


class TestDefect:
    def test_a_defect_tells_the_client_nothing_but_where_to_look(
        self, http: TestClient, services: FakeServices, caplog: pytest.LogCaptureFixture
    ) -> None:
        services.asks.fails_with = RuntimeError("sk-secret in SELECT salary FROM staff")
        with caplog.at_level(logging.INFO):
            answer = http.post("/v1/asks", json=QUESTION)
        assert answer.status_code == 500
        said = answer.json()
        assert set(said) == KEYS
        assert said["request_id"] == answer.headers["X-Request-ID"]
        for hidden in ("sk-secret", "salary", "Traceback", "RuntimeError", "fakes.py"):
            assert hidden not in answer.text
        assert any("unexpected error" in record.getMessage() for record in caplog.records)

    def test_the_service_goes_on_after_a_defect(self, http: TestClient, services: FakeServices) -> None:
        services.asks.fails_with = RuntimeError("once")
        assert http.post("/v1/asks", json=QUESTION).status_code == 500
        assert http.post("/v1/asks", json=QUESTION).status_code == 202


class TestRequestId:
    def test_a_sane_one_is_kept(self, http: TestClient) -> None:
        answer = http.get("/health", headers={"X-Request-ID": "trace-1.a_B"})
        assert answer.headers["X-Request-ID"] == "trace-1.a_B"

    @pytest.mark.parametrize("sent", ["", "x" * 65, "a b", "a;b", 'x"y'])
    def test_an_odd_one_is_replaced(self, http: TestClient, sent: str) -> None:
        given = http.get("/health", headers={"X-Request-ID": sent}).headers["X-Request-ID"]
        assert given
        assert given != sent

    def test_each_request_has_its_own(self, http: TestClient) -> None:
        assert http.get("/health").headers["X-Request-ID"] != http.get("/health").headers["X-Request-ID"]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("[]", "The body: has to be a JSON object"),
        ("{", "The body is not valid JSON."),
        ("{}", "query: Field required"),
    ],
)
def test_a_body_of_another_shape_is_told_in_words_of_json(http: TestClient, body: str, message: str) -> None:
    answer = http.post("/v1/asks", content=body, headers={"Content-Type": "application/json"})
    assert (answer.status_code, answer.json()["message"]) == (422, message)


# -- What the logs say of requests and asks, and what they never say.


class Logs:
    """Logs of this process, caught as they would be written."""

    def __init__(self) -> None:
        self.stream = io.StringIO()

    def configure(self, level: Level = "info", *, as_json: bool = True) -> None:
        configure_logging(level, self.stream, as_json)

    @property
    def text(self) -> str:
        return self.stream.getvalue()

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.text.splitlines()]


@pytest.fixture
def logs() -> Logs:
    return Logs()


def test_a_line_carries_the_ask_the_request_and_the_facts(logs: Logs) -> None:
    logs.configure()
    with request_scope("r-1"), job_scope("a-1"):
        logging.getLogger("askwell.asks").info("ask ended", extra={"status": "finished", "ms": 12})
    logging.getLogger("askwell.asks").info("idle")
    first, second = logs.lines
    assert (first["message"], first["job_id"], first["request_id"]) == ("ask ended", "a-1", "r-1")
    assert (first["status"], first["ms"], first["level"]) == ("finished", 12, "info")
    assert "job_id" not in second


def test_a_line_of_a_job_has_the_jobs_trace_and_one_of_a_request_its_own(logs: Logs) -> None:
    logs.configure()
    log = logging.getLogger("askwell.asks").info
    with request_scope("r-1"):
        log("accepted")
        log("accepted as well")
        with job_scope("a-1"):
            log("begun")
    with request_scope("r-2", "0af7651916cd43dd8448eb211c80319c"):
        log("for a caller")
    log("idle")
    own, again, of_job, of_caller, idle = [line.get("trace_id") for line in logs.lines]
    assert re.fullmatch("[0-9a-f]{32}", own)
    assert (again, of_job, of_caller, idle) == (own, "a-1", "0af7651916cd43dd8448eb211c80319c", None)
    logs.configure(as_json=False)
    with job_scope("a-1"):
        log("for people")
    assert "trace_id" not in logs.text.splitlines()[-1]


def test_a_request_is_logged_within_its_callers_trace(http: TestClient, logs: Logs) -> None:
    logs.configure()
    sent = {"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}
    http.post("/v1/asks", json={"query": "how many?"}, headers=sent)
    http.post("/v1/asks", json={"query": "how many?"})
    of_caller, own = [line["trace_id"] for line in logs.lines if line["message"] == "request"]
    assert of_caller == "0af7651916cd43dd8448eb211c80319c" != own
    assert len(own) == 32


def test_an_exception_is_its_class_and_place_and_no_more(logs: Logs) -> None:
    logs.configure()
    try:
        raise RuntimeError("sk-secret row of staff")
    except RuntimeError:
        logging.getLogger("askwell.asks").exception("it broke")
    [line] = logs.lines
    assert line["exception"] == "RuntimeError"
    assert line["at"].startswith("test_errors.py:")
    assert "sk-secret" not in logs.text
    assert "Traceback" not in logs.text


def test_at_debug_the_traceback_is_there(logs: Logs) -> None:
    logs.configure("debug")
    try:
        raise RuntimeError("details")
    except RuntimeError:
        logging.getLogger("askwell.asks").exception("it broke")
    assert "Traceback" in logs.lines[0]["traceback"]


def test_what_a_library_says_is_withheld(logs: Logs) -> None:
    logs.configure()
    logging.getLogger("somelibrary.http").warning("request failed: %s", "the whole prompt")
    chatty = logging.getLogger("somelibrary.chatty")
    chatty.setLevel(logging.DEBUG)
    chatty.debug("every prompt")
    assert len(logs.lines) == 1
    assert "the whole prompt" not in logs.text
    assert "somelibrary.http" in logs.lines[0]["message"]


def test_readable_lines_stay_one_line(logs: Logs) -> None:
    logs.configure(as_json=False)
    with request_scope("r-1"):
        logging.getLogger("askwell.web").warning("odd", extra={"route": "a\nERROR forged\x1b[31m"})
    [line] = logs.text.splitlines()
    assert "warning odd" in line
    assert "request_id=r-1" in line
    assert "\x1b" not in line


def test_requests_are_logged_by_route_and_never_by_content(
    http: TestClient, services: FakeServices, logs: Logs
) -> None:
    logs.configure()
    http.post("/v1/asks?token=sk-secret", json={"query": "what does Anna earn?"})
    http.get("/v1/asks/ask-1/result")
    http.get("/v1/what-does-anna-earn")
    services.asks.fails_with = RuntimeError("Anna earns 10")
    http.get("/v1/asks/ask-1/result")
    assert "nna" not in logs.text
    assert "sk-secret" not in logs.text
    requests = [line for line in logs.lines if line["message"] == "request"]
    assert [(line["method"], line["route"], line["status"]) for line in requests] == [
        ("POST", "/asks", 202),
        ("GET", "unknown", 404),
        ("GET", "/asks/{query_id}/result", 500),
    ]
    assert all(line["request_id"] for line in logs.lines)
