"""Whatever is sent, the answer is a documented one, and never a defect."""

from __future__ import annotations

from urllib.parse import quote

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

from tests.support.examples import examples


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
