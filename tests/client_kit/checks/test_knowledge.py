"""SQL pairs and instructions (API.md, Knowledge; CONTRACTS 1.5 a, 1.6): stored, listed, replaced, used, deleted."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import httpx2 as httpx
import pytest

from tests.client_kit import expect, kinds
from tests.client_kit.bodies import COUNT_SQL, Shop, filled
from tests.client_kit.client import Ended, LegacyClient
from tests.client_kit.kinds import Kind

PAIR, INSTRUCTION = kinds.BY_NAME["sql_pair"], kinds.BY_NAME["instruction"]
PATHS = (PAIR.route, INSTRUCTION.route)
_numbers = itertools.count(100)


@pytest.fixture
def number(client: LegacyClient) -> Iterator[int]:
    """A number of a pair and an instruction; both are deleted after the check."""
    made = next(_numbers)
    yield made
    for path in PATHS:
        client.forget(path, [made])


def put(client: LegacyClient, shop: Shop, path: str, *entries: tuple[int, str], **more: Any) -> Ended:
    """Store pairs or instructions of these numbers and words."""
    if path == PAIR.route:
        pairs = [{"id": str(number), "question": text, "sql": COUNT_SQL} | more for number, text in entries]
        return client.run(PAIR, filled({"sql_pairs": pairs, "project_id": "$project"}, shop))
    rules = [{"id": str(number), "instruction": text, "questions": ["How?"]} | more for number, text in entries]
    return client.run(INSTRUCTION, filled({"instructions": rules, "project_id": "$project"}, shop))


def _deleted(client: LegacyClient, kind: Kind, answer: httpx.Response) -> None:
    """A deletion answers 2xx; where it started an event, the event ends well."""
    assert answer.status_code in (200, 202), answer.text
    body = answer.json() if answer.content else None
    if isinstance(body, dict) and body.get("event_id"):
        ended = client.wait(kind, body["event_id"])
        expect.finished(ended)
        assert set(ended.seen) <= {"deleting", "finished"}, ended.seen


def _listed(client: LegacyClient, path: str) -> str:
    answer = client.http.get(path)
    assert answer.status_code == 200, answer.text
    return answer.text


@pytest.mark.parametrize("kind", [PAIR, INSTRUCTION], ids=lambda kind: kind.name)
def test_it_is_stored_replaced_and_deleted(client: LegacyClient, shop: Shop, number: int, kind: Kind) -> None:
    for word in ("first", "second"):
        ended = put(client, shop, kind.route, (number, f"The {word} wording of {number}?"))
        expect.finished(ended)
        assert set(ended.seen) <= {"indexing", "finished"}
    listed = _listed(client, kind.route)
    assert f"The second wording of {number}?" in listed
    assert f"The first wording of {number}?" not in listed
    _deleted(client, kind, client.forget(kind.route, [number]))
    assert f"wording of {number}?" not in _listed(client, kind.route)
    assert client.forget(kind.route, [987654321]).status_code in (200, 202, 404)
    numbers = [next(_numbers) for _ in range(20)]
    expect.finished(put(client, shop, kind.route, *((one, f"Number {one}?") for one in numbers)))
    _deleted(client, kind, client.forget(kind.route, numbers))


def test_a_pair_is_used(client: LegacyClient, shop: Shop, number: int) -> None:
    """By an ask that names no project, where the client names one on pairs."""
    question = f"What is the kit figure {number}?"
    expect.finished(put(client, shop, PAIR.route, (number, question)))
    asked = client.ask(question, shop)
    response = expect.finished(asked)
    assert response[0]["type"] in ("llm", "sql_pair")
    if response[0]["type"] == "sql_pair":
        assert str(response[0]["sqlpairId"]) == str(number)
    assert asked.body["sql_source"] == "history"


def test_a_pair_with_parameters_is_stored_and_listed(client: LegacyClient, shop: Shop, number: int) -> None:
    told = {"name": "status", "type": "text", "description": "Status of the order.", "required": True}
    sql = "SELECT order_id FROM orders WHERE status = :status"
    expect.finished(put(client, shop, PAIR.route, (number, "Orders of a status?"), sql=sql, parameters=[told]))
    assert "Status of the order." in _listed(client, PAIR.route)


@pytest.mark.usefixtures("no_compatibility")
def test_knowledge_of_another_project_is_not_seen(
    client: LegacyClient, foreigner: LegacyClient, shop: Shop, number: int
) -> None:
    mark = f"A secret of the default project {number}?"
    for path in PATHS:
        expect.finished(put(client, shop, path, (number, mark)))
        assert mark not in _listed(foreigner, path)
        foreigner.forget(path, [number])
        assert mark in _listed(client, path), f"a foreign project deleted from {path}"
