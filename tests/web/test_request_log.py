"""What the logs say of requests and asks, and what they never say."""

from __future__ import annotations

import io
import json
import logging
import re
from typing import Any

import pytest
from starlette.testclient import TestClient

from askwell.observability.logging import Level, configure_logging, job_scope, request_scope
from tests.web.fakes import FakeServices


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
    assert line["at"].startswith("test_request_log.py:")
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
