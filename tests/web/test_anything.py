"""Whatever is sent, the answer is a documented one, and never a defect."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

from tests.support.examples import examples

NAMES = (
    "query id mdl_hash project_id histories sql question configurations timezone name language execute "
    "session_properties sql_pairs instructions keywords pattern tables mdl status thread_id"
)
FIELDS = st.sampled_from(NAMES.split())
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12) | st.just("stopped"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(FIELDS | st.text(max_size=5), inner, max_size=4),
    max_leaves=10,
)
ROUTES = [
    ("POST", "/v1/asks"),
    ("PATCH", "/v1/asks/ask-1"),
    ("POST", "/v1/semantics-preparations"),
    ("POST", "/v1/sql-pairs"),
    ("DELETE", "/v1/sql-pairs"),
    ("POST", "/v1/instructions"),
    ("DELETE", "/v1/instructions"),
    ("POST", "/v1/keywords"),
    ("DELETE", "/v1/keywords"),
]
DOCUMENTED = {200, 202, 404, 422}


@pytest.mark.parametrize(("method", "path"), ROUTES)
@settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(body=VALUES | st.dictionaries(FIELDS, VALUES, max_size=6))
def test_any_json(http: TestClient, method: str, path: str, body: Any) -> None:
    content = json.dumps(body).encode()
    answer = http.request(method, path, content=content, headers={"Content-Type": "application/json"})
    assert answer.status_code in DOCUMENTED
    if answer.status_code == 422:
        assert {"code", "message", "hint", "request_id", "detail"} == set(answer.json())


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
