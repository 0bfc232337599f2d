"""Requests generated from the OpenAPI document against the whole service: it answers all of them, as it says there."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import httpx2
import pytest
from anyio.from_thread import start_blocking_portal
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable

from askwell.web.responses import ErrorBody
from tests.support.examples import examples
from tests.support.job_calls import BODIES, BY_PATH
from tests.support.service import running_service, write_config

# The operations are dealt to so many tests, which then run side by side.
PARTS = 6
# For each operation and each of two ways of generating. With some 55 operations, 5,000 requests in all.
EACH = 45


@dataclass
class Running:
    url: str
    document: dict[str, Any]
    ids: dict[str, str]
    """An id that is there, by the path it is under."""

    def id_for(self, path: str) -> str:
        return self.ids.get(path.split("/")[2], "m1")


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    config = write_config(tmp_path_factory.mktemp("generated"), settings={"queue_size": 10_000})
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(running_service(config)) as service:
        portal.call(service.prepare)
        with httpx2.Client(base_url=service.url) as http:
            ids = {}
            for path in BODIES:
                ids[path] = http.post(f"/v1/{path}", json=BODIES[path]).json()[BY_PATH[path].id_name]
            ids["asks"] = http.post("/v1/asks", json={"query": "How many customers are there?"}).json()["query_id"]
            pairs = {"sql_pairs": [{"id": "a", "sql": "SELECT 1 AS one", "question": "One?"}]}
            ids["sql-pairs"] = http.post("/v1/sql-pairs", json=pairs).json()["event_id"]
            orders = {"instructions": [{"id": "a", "instruction": "Be brief."}]}
            ids["instructions"] = http.post("/v1/instructions", json=orders).json()["event_id"]
            document = http.get("/openapi.json").json()
        yield Running(service.url, document, ids)


@pytest.mark.deep
@pytest.mark.parametrize("part", range(PARTS))
def test_whatever_is_sent_is_answered_as_described(running: Running, part: int) -> None:
    # Slow to import, and for this test alone.
    import requests
    import schemathesis
    from schemathesis import GenerationMode, checks, openapi
    from schemathesis.specs.openapi import checks as described

    # What is said to be a zip archive is sent as the bytes that were generated.
    @schemathesis.serializer("application/zip")
    def _as_it_is(_: Any, value: Any) -> bytes:
        data = getattr(value, "data", value)
        return data if isinstance(data, bytes) else str(data).encode()

    held = [
        checks.not_a_server_error,
        described.status_code_conformance,
        described.content_type_conformance,
        described.response_headers_conformance,
    ]
    sent = 0
    operations = [found.ok() for found in openapi.from_dict(running.document).get_all_operations()]
    with requests.Session() as session:
        for operation in operations[part::PARTS]:
            for mode in GenerationMode:

                @settings(
                    max_examples=examples(EACH),
                    deadline=None,
                    database=None,
                    phases=[Phase.generate],
                    suppress_health_check=list(HealthCheck),
                )
                @given(case=operation.as_strategy(generation_mode=mode), there=st.booleans())
                def answered(case: Any, there: bool) -> None:
                    nonlocal sent
                    sent += 1
                    if there and case.path_parameters:
                        case.path_parameters = dict.fromkeys(case.path_parameters, running.id_for(case.path))
                    response = case.call(base_url=running.url, session=session, timeout=60)
                    is_stream = response.headers.get("content-type", [""])[0].startswith("text/event-stream")
                    # It takes the schema of a stream, which is of the whole text, for that of each event.
                    more = [] if is_stream else [described.response_schema_conformance]
                    # Conversations need a language model, which this service has none of.
                    has_no_model = response.status_code == 503 and response.json()["code"] == "NO_MODEL"
                    kept = held[1:] if has_no_model else held
                    case.validate_response(response, checks=[*kept, *more])
                    if is_stream:
                        data = [line[5:] for line in response.text.splitlines() if line.startswith("data:")]
                        assert all(isinstance(json.loads(one), dict) for one in data)
                    if response.status_code >= 400:
                        ErrorBody.model_validate(response.json())

                with suppress(Unsatisfiable):  # nothing wrong can be sent where nothing is taken
                    answered()
    sys.stderr.write(f"\n{sent} requests to {len(operations[part::PARTS])} operations\n")
