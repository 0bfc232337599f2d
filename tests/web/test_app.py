"""The application as a whole: life, health, and its own description."""

from __future__ import annotations

import re
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

from askwell.errors import RecordUnavailable
from askwell.web.app import create_app
from tests.support.examples import examples
from tests.web.fakes import FakeServices


class TestLife:
    def test_the_container_starts_and_stops_with_it(self, services: FakeServices) -> None:
        with TestClient(create_app(services)):
            assert services.life == ["started"]
        assert services.life == ["started", "stopped"]

    def test_a_start_that_fails_is_kept_for_whoever_runs_the_server(self) -> None:
        class Broken(FakeServices):
            async def start(self) -> None:
                raise RecordUnavailable("The record cannot be opened.", "Check that home can be written.")

        app = create_app(Broken())
        with pytest.raises(RecordUnavailable), TestClient(app):
            pass
        assert app.state.start_error.hint == "Check that home can be written."


class TestHealth:
    @pytest.mark.parametrize("path", ["/health", "/health/live", "/v1/health", "/v1/health/live"])
    @pytest.mark.parametrize("method", ["GET", "HEAD"])
    def test_it_lives(self, http: TestClient, services: FakeServices, path: str, method: str) -> None:
        services.checks = {"record": {"ok": False, "message": "locked"}}
        assert http.request(method, path).status_code == 200

    def test_it_is_ready(self, http: TestClient, services: FakeServices) -> None:
        answer = http.get("/health/ready")
        assert answer.status_code == 200
        assert answer.json() == {"status": "ready", "checks": services.checks}

    def test_what_is_down_is_named(self, http: TestClient, services: FakeServices) -> None:
        services.checks["engine default"] = {"ok": False, "message": "The database file is locked."}
        answer = http.get("/v1/health/ready")
        assert answer.status_code == 503
        said = answer.json()
        assert said["status"] == "not ready"
        assert said["checks"]["record"]["ok"] is True
        assert said["checks"]["engine default"]["message"] == "The database file is locked."
        assert {"code", "message", "hint", "request_id"} <= set(said)
        assert "engine default" in said["message"]


class TestOpenApi:
    def test_only_v1_is_described(self, http: TestClient) -> None:
        paths = http.get("/openapi.json").json()["paths"]
        assert paths
        assert all(path.startswith("/v1/") for path in paths)

    def test_every_described_route_is_also_at_the_root(self, http: TestClient) -> None:
        for path, methods in http.get("/openapi.json").json()["paths"].items():
            for method in methods:
                address = path.removeprefix("/v1").replace("{", "").replace("}", "")
                answer = http.request(method, address)
                assert answer.status_code != 405, f"{method} {address}"
                assert "There is nothing at this address." not in answer.text, f"{method} {address}"

    def test_errors_are_described_with_the_shared_body(self, http: TestClient) -> None:
        document = http.get("/openapi.json").json()
        responses = document["paths"]["/v1/asks"]["post"]["responses"]
        assert {"202", "413", "422", "429", "503"} <= set(responses)
        assert responses["422"]["content"]["application/json"]["schema"]["$ref"].endswith("/InvalidBody")
        result = document["paths"]["/v1/asks/{query_id}/result"]["get"]["responses"]["200"]
        assert result["content"]["application/json"]["schema"]["$ref"].endswith("/AskResult")

    def test_the_page_is_there_and_takes_nothing_from_elsewhere(self, http: TestClient) -> None:
        answer = http.get("/docs")
        assert answer.status_code == 200
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert re.findall(r"<(?:script|link|img|iframe|object)\b|\bsrc=", answer.text) == []
        document = http.get("/openapi.json").json()
        named = [*document["paths"], *document["components"]["schemas"]]
        assert [one for one in named if one not in answer.text] == []


@pytest.mark.parametrize(
    "path",
    ["/health", "/nothing", "/openapi.json", "/v1/asks", "/v1/asks/none/result", "/v1/charts/ask-1/image.svg"],
)
def test_what_is_no_page_is_taken_for_none(http: TestClient, path: str) -> None:
    answer = http.get(path)
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["content-security-policy"].startswith("default-src 'none'")
    assert answer.status_code == (404 if "no" in path else 200), answer.text


# -- What a scraper gets, whoever it is.


@pytest.mark.parametrize("path", ["/metrics", "/v1/metrics"])
def test_a_scrape_is_prometheus_text(http: TestClient, services: FakeServices, path: str) -> None:
    services.metrics.ask_ended("finished", "rules", 0.02)
    answer = http.get(path)
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/plain; version=")
    assert 'askwell_asks_total{source="rules",status="finished"} 1.0' in answer.text


def test_open_metrics_is_spoken_to_those_who_ask_for_it(http: TestClient) -> None:
    answer = http.get("/metrics", headers={"Accept": "application/openmetrics-text; version=1.0.0"})
    assert answer.headers["content-type"].startswith("application/openmetrics-text")
    assert answer.text.endswith("# EOF\n")


def test_two_services_in_one_process_count_for_themselves(http: TestClient, services: FakeServices) -> None:
    FakeServices().metrics.preparation_ended("finished")
    assert "askwell_preparations_total{" not in http.get("/metrics").text


# -- Whatever is sent, the answer is a documented one, and never a defect.


@settings(max_examples=examples(100), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=st.binary(max_size=40))
def test_any_bytes(http: TestClient, content: bytes) -> None:
    answer = http.post("/v1/asks", content=content, headers={"Content-Type": "application/json"})
    assert answer.status_code == 422


@settings(max_examples=examples(100), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(path=st.text(st.characters(codec="utf-8"), max_size=20))
def test_any_address(http: TestClient, path: str) -> None:
    answer = http.get(f"/v1/asks/{quote(path)}/result")
    assert answer.status_code in {307, 404, 405}
