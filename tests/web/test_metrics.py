"""What a scraper gets, whoever it is."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from tests.web.fakes import FakeServices


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
