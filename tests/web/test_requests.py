"""Requests as rows: what is sent to the application over fakes, what it answers, and what its services were told.

Each scenario of `requests/` has steps: `send` ("POST /v1/…"), with `body` or `content` and `with` (headers); the answer
has this `code`, of its body what `result` names, and of its headers what `told` names; `follow` looks where Location
says. `services` is what a service kept. `rows` and `mounts` make a test of each row, for `$name` and `$mount`."""

from __future__ import annotations

import json
from functools import reduce
from pathlib import Path
from typing import Any

import pytest
import yaml
from starlette.testclient import TestClient

from tests.support.scenarios import differences, filled
from tests.web.fakes import FakeServices


def requests() -> list[Any]:
    found = []
    for path in sorted((Path(__file__).parent / "requests").glob("*.yaml")):
        for name, scenario in yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader).items():
            for number, row in enumerate(scenario.get("rows", [{}])):
                given = dict(enumerate(row)) if isinstance(row, list) else row
                for mount in ("/v1", "") if scenario.get("mounts") else ("/v1",):
                    named = {"mount": mount} | {str(key): value for key, value in given.items()}
                    found.append(pytest.param(filled(scenario, named), mount, id=f"{path.stem}-{name}-{number}{mount}"))
    return found


@pytest.mark.parametrize(("scenario", "mount"), requests())
def test_what_is_answered(http: TestClient, services: FakeServices, scenario: dict[str, Any], mount: str) -> None:
    for step in scenario["steps"]:
        method, address = step["send"].split(" ", 1)
        sent: dict[str, Any] = {"headers": step.get("with", {})}
        if "content" in step:
            sent |= {"content": step["content"].encode()}
            sent["headers"] = {"Content-Type": "application/json", **sent["headers"]}
        elif "body" in step:
            sent["json"] = step["body"]
        answer = http.request(method, address, **sent)
        assert answer.status_code == step.get("code", 200), (step, answer.text)
        body = answer.json() if "json" in answer.headers.get("Content-Type", "") else answer.text
        wrong = [*differences(body, step.get("result", {})), *differences(answer.headers, step.get("told", {}))]
        assert not wrong, (step, wrong, answer.text)
        if "follow" in step:
            place = answer.headers["Location"]
            assert place.startswith(f"{mount}/"), place
            assert not list(differences(http.get(place).json(), step["follow"])), (step, place)
    for place, wanted in scenario.get("services", {}).items():
        kept = reduce(getattr, place.split("."), services)
        assert json.loads(json.dumps(kept)) == wanted, (place, kept)
