"""Each row of `contract.yaml`: a request, and what it is answered with."""

from __future__ import annotations

import uuid
from typing import Any

import httpx2 as httpx
import pytest

from tests.client_kit import expect, kinds
from tests.client_kit.bodies import CONTRACT, Shop, filled, good
from tests.client_kit.client import Ended, LegacyClient
from tests.client_kit.manifest import Json
from tests.client_kit.service import Service


@pytest.mark.parametrize("row", CONTRACT["jobs"], ids=lambda row: row["name"])
def test_a_job_is_answered_as_the_contract_says(client: LegacyClient, shop: Shop, service: Service, row: Json) -> None:
    if "in" in row and not {service.mode, "wren_ui" if service.wren_ui else "none"} & set(row["in"]):
        pytest.skip(f"only in {row['in']}")
    if "model" in row and service.model_server is not None:
        service.model_server.fail_next(*row["model"])
    kind = kinds.BY_NAME[row["job"]]
    body = CONTRACT["bodies"][kind.name] | row.get("with", {})
    sent = filled({name: value for name, value in body.items() if name not in row.get("without", ())}, shop)
    answer = client.post(kind, sent)
    if answer.status_code == 422 and row.get("refused"):
        expect.no_leak(answer.text)
        return
    assert answer.status_code == 202, answer.text
    ended = client.wait(kind, answer.json()[kind.id_name])
    ends = row.get("ends", "good")
    if ends == "either":
        ends = "failed" if ended.status == "failed" else "good"
    if ends == "failed":
        error = expect.failed(ended, *row.get("codes", ()))
        assert not row.get("hint") or error["hint"], error
        assert all(word in error["message"] for word in row.get("says", ())), error
    else:
        expect.finished(ended)
        expect.result_names(ended)
    _result(ended, shop, filled(row, shop), row)
    if "chart" in row:
        schema = expect.chart(ended.body["response"], set(row["chart"]), with_data="data" in row)
        assert "data" not in row or len(schema["data"]["values"]) == row["data"]
        for channel, field in row.get("channels", {}).items():
            assert schema["encoding"][channel]["field"] == field
    if "stream" in row:
        stream = client.answer_stream if kind is kinds.ANSWER else client.ask_stream
        text = expect.text_stream(stream(ended.id))
        assert text.strip(), "the stream ends without a word"
        assert all(word.casefold() in text.casefold() for word in row["stream"]), text
    if "after" in row:
        after = client.get(kind, ended.id).json()
        assert (after["status"], after["error"]["code"]) == (row["after"]["status"], row["after"]["error"])


def _result(ended: Ended, shop: Shop, wanted: Json, row: Json) -> None:
    """Fields of the result and of its response, as far as the row has them."""
    for name, value in wanted.get("result", {}).items():
        assert ended.body.get(name) == value, (name, ended.body)
    response: Any = ended.body.get("response")
    if isinstance(wanted.get("response"), dict):
        assert {name: response[name] for name in wanted["response"]} == wanted["response"]
    elif "response" in wanted:
        assert response == wanted["response"]
    for word in row.get("names", ()):
        assert word in str(ended.body.get("warnings")), ended.body
    if "names_tables" in row:
        assert {one["type"] for one in response} <= {"llm", "view", "sql_pair"}
        found = expect.table_names(response[0]["sql"], {model["name"] for model in shop.model["models"]})
        assert sorted(found) == row["names_tables"]
    if "steps" in row:
        assert response["description"].strip()
        assert all(set(step) == {"sql", "summary", "cte_name"} and step["summary"] for step in response["steps"])
        assert [step["cte_name"] for step in response["steps"]] == row["steps"]
    if "questions" in row:
        assert len(ended.body["questions"]) == row["questions"]
        assert any(one.strip() for one in ended.body["questions"])


@pytest.mark.parametrize(("method", "path", "body", "status"), [row[1:] for row in CONTRACT["calls"]], ids=str)
def test_a_call_is_answered_as_the_contract_says(
    client: LegacyClient, shop: Shop, method: str, path: str, body: object, status: int
) -> None:
    _is_answered(client.http.request(method, _placed(client, shop, path), json=body), status)


@pytest.mark.parametrize(("method", "path", "body"), [row[1:] for row in CONTRACT["foreign"]], ids=str)
@pytest.mark.usefixtures("no_compatibility")
def test_a_call_about_a_job_of_another_project_finds_none(
    client: LegacyClient, foreigner: LegacyClient, shop: Shop, method: str, path: str, body: object
) -> None:
    _is_answered(foreigner.http.request(method, _placed(client, shop, path), json=body), 404)


def _placed(client: LegacyClient, shop: Shop, path: str) -> str:
    """The path with the ids of jobs that have ended."""
    for kind in (kinds.ASK, kinds.ANSWER, kinds.CHART):
        if f"${kind.name}/" in path:
            path = path.replace(f"${kind.name}", client.run(kind, good(kind, shop)).id)
    return path.replace("$unknown", str(uuid.uuid4()))


def _is_answered(answer: httpx.Response, status: int) -> None:
    if answer.status_code == 501:
        pytest.skip("the service runs without the extra `charts`")
    expect.error_body(answer, status)
