"""SQL pairs and instructions (API.md, Knowledge; CONTRACTS 1.5 a, 1.6)."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

import httpx2 as httpx
import pytest

from tests.client_kit import expect, kinds
from tests.client_kit.bodies import COUNT_SQL, REFUSED_SQL, WRONG_COLUMN_SQL, Shop
from tests.client_kit.client import LegacyClient, ask_body, instructions_body, sql_pairs_body
from tests.client_kit.kinds import Kind
from tests.client_kit.manifest import Json

_numbers = itertools.count(100)


@pytest.fixture
def number(client: LegacyClient) -> Iterator[int]:
    """A number of a pair and an instruction; both are deleted after the check."""
    made = next(_numbers)
    yield made
    client.delete_pairs([made])
    client.delete_instructions([made])


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


def test_a_pair_is_stored_used_and_deleted(client: LegacyClient, shop: Shop, number: int) -> None:
    question = f"What is the kit figure {number}?"
    ended = client.put_pairs([(number, question, COUNT_SQL)])
    expect.finished(ended)
    assert ended.body["event_id"] == ended.id
    assert set(ended.seen) <= {"indexing", "finished"}
    assert question in _listed(client, "/v1/sql-pairs")
    asked = client.ask(question, shop.hash)
    response = expect.finished(asked)
    assert response[0]["type"] in ("llm", "sql_pair")
    if response[0]["type"] == "sql_pair":
        assert str(response[0]["sqlpairId"]) == str(number)
        assert asked.body.get("sql_source") == "history"
    _deleted(client, kinds.SQL_PAIR, client.delete_pairs([number]))
    assert question not in _listed(client, "/v1/sql-pairs")


def test_a_pair_with_the_same_number_replaces(client: LegacyClient, shop: Shop, number: int) -> None:
    for word in ("first", "second"):
        expect.finished(client.put_pairs([(number, f"The {word} wording of {number}?", COUNT_SQL)]))
    listed = _listed(client, "/v1/sql-pairs")
    assert f"The second wording of {number}?" in listed
    assert f"The first wording of {number}?" not in listed


@pytest.mark.parametrize("sql", [REFUSED_SQL, WRONG_COLUMN_SQL, "not sql at all"])
def test_a_pair_with_wrong_sql_fails(client: LegacyClient, shop: Shop, number: int, sql: str) -> None:
    answer = client.post(kinds.SQL_PAIR, sql_pairs_body([(number, "A wrong pair?", sql)], client.project))
    assert answer.status_code in (202, 422), answer.text
    if answer.status_code == 202:
        expect.failed(client.wait(kinds.SQL_PAIR, answer.json()["event_id"]), "OTHERS")
    assert sql not in _listed(client, "/v1/sql-pairs")


def test_a_pair_with_parameters_is_stored_and_listed(client: LegacyClient, shop: Shop, number: int) -> None:
    body = sql_pairs_body(
        [(number, f"Orders of a status, kit {number}?", "SELECT order_id FROM orders WHERE status = :status")],
        client.project,
    )
    told: Json = {"name": "status", "type": "text", "description": "Status of the order.", "required": True}
    body["sql_pairs"][0]["parameters"] = [told]
    expect.finished(client.run(kinds.SQL_PAIR, body))
    listed = _listed(client, "/v1/sql-pairs")
    assert '"parameters"' in listed
    assert "Status of the order." in listed


def test_an_instruction_is_stored_and_deleted(client: LegacyClient, shop: Shop, number: int) -> None:
    text = f"Never speak of the number {number}."
    ended = client.put_instructions([(number, text, [f"What of {number}?"], False)])
    expect.finished(ended)
    assert set(ended.seen) <= {"indexing", "finished"}
    assert text in _listed(client, "/v1/instructions")
    _deleted(client, kinds.INSTRUCTION, client.delete_instructions([number]))
    assert text not in _listed(client, "/v1/instructions")


def test_a_default_instruction_is_taken(client: LegacyClient, shop: Shop, number: int) -> None:
    expect.finished(client.put_instructions([(number, "Write short titles.", [], True)]))


@pytest.mark.parametrize("scope", ["sql", "answer", "chart"])
def test_each_scope_is_taken(client: LegacyClient, shop: Shop, number: int, scope: str) -> None:
    body = instructions_body([(number, f"Be brief in {scope}.", ["How?"], False)], client.project)
    body["instructions"][0]["scope"] = scope
    expect.finished(client.run(kinds.INSTRUCTION, body))


@pytest.mark.parametrize(
    ("path", "name"),
    [("/v1/sql-pairs", "sql_pair_ids"), ("/v1/instructions", "instruction_ids")],
    ids=["pair", "instruction"],
)
@pytest.mark.parametrize("body", [{}, {"ids": ["1"]}, None, "text", 5, {"x": [{}]}], ids=repr)
def test_a_deletion_with_a_bad_body_is_422(client: LegacyClient, path: str, name: str, body: object) -> None:
    sent = {name: [{"a": 1}]} if body == {"x": [{}]} else body
    expect.bad_body(client.delete(path, sent))


@pytest.mark.parametrize("path", ["/v1/sql-pairs", "/v1/instructions"])
def test_a_deletion_of_unknown_numbers_does_no_harm(client: LegacyClient, shop: Shop, path: str) -> None:
    kind = kinds.SQL_PAIR if "pairs" in path else kinds.INSTRUCTION
    delete: Callable[[list[int]], httpx.Response] = (
        client.delete_pairs if kind is kinds.SQL_PAIR else client.delete_instructions
    )
    answer = delete([987654321])
    assert answer.status_code in (200, 202, 404), answer.text
    body = answer.json() if answer.content else {}
    if answer.status_code != 404 and isinstance(body, dict) and body.get("event_id"):
        assert client.wait(kind, body["event_id"]).status in kind.terminal


@pytest.mark.usefixtures("no_compatibility")
def test_knowledge_of_another_project_is_not_seen(
    client: LegacyClient, foreigner: LegacyClient, shop: Shop, number: int
) -> None:
    mark = f"A secret of the default project {number}?"
    expect.finished(client.put_pairs([(number, mark, COUNT_SQL)]))
    expect.finished(client.put_instructions([(number, mark, ["How?"], False)]))
    for path in ("/v1/sql-pairs", "/v1/instructions"):
        assert mark not in _listed(foreigner, path)
    foreigner.delete_pairs([number])
    foreigner.delete_instructions([number])
    for path in ("/v1/sql-pairs", "/v1/instructions"):
        assert mark in _listed(client, path), f"a foreign project deleted from {path}"


def test_project_1_and_no_project_meet(client: LegacyClient, shop: Shop, number: int, wren_ui: None) -> None:
    question = f"What is the shared figure {number}?"
    assert client.project == "1"
    expect.finished(client.put_pairs([(number, question, COUNT_SQL)]))
    # The ask names no project, and still finds the pair.
    asked = client.run(kinds.ASK, ask_body(question, shop.hash))
    expect.finished(asked)
    assert asked.body.get("sql_source") in (None, "history"), asked.body.get("sql_source")


def test_many_at_once(client: LegacyClient, shop: Shop) -> None:
    numbers = [next(_numbers) for _ in range(20)]
    expect.finished(client.put_pairs([(one, f"How many orders, kit {one}?", COUNT_SQL) for one in numbers]))
    expect.finished(client.put_instructions([(one, f"Rule {one}.", [f"kit {one}"], False) for one in numbers]))
    _deleted(client, kinds.SQL_PAIR, client.delete_pairs(numbers))
    _deleted(client, kinds.INSTRUCTION, client.delete_instructions(numbers))
