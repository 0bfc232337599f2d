"""Who is asking, from the request to the rows: rules of the model, over HTTP."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.support import tiny_shop
from tests.support.service import Client, running_service, write_config

QUESTION = "How many customers are there?"


def manifest(**of_property: Any) -> dict[str, Any]:
    mdl = tiny_shop.manifest()
    mdl["models"][0]["rowLevelAccessControls"] = [
        {
            "name": "own_country",
            "condition": "country = @country",
            "requiredProperties": [{"name": "country", "required": True} | of_property],
        }
    ]
    return mdl


async def test_a_property_decides_which_rows_are_read_and_is_named_where_it_is_missing(tmp_path: Path) -> None:
    async with running_service(write_config(tmp_path, settings={"allow_session_properties": True})) as service:
        await service.prepare(manifest())
        german = await service.answer(QUESTION, execute=True, session_properties={"country": "'Germany'"})
        french = await service.answer(QUESTION, execute=True, session_properties={"Country": "'France'"})
        through = await service.answer(
            "How many orders for each customer country?", execute=True, session_properties={"country": "'France'"}
        )
        missing = await service.answer(QUESTION, execute=True)
        other = await service.answer(QUESTION, execute=True, session_properties={"region": "'Germany'"})
        attack = await service.answer(QUESTION, execute=True, session_properties={"country": "'x' OR 1 = 1"})
        subquery = await service.answer(QUESTION, execute=True, session_properties={"country": "(SELECT 'Germany')"})
    assert german["data"]["rows"] == [[2]]
    assert french["data"]["rows"] == [[1]]
    assert "Germany" not in str(through)
    for failed in (missing, other, attack, subquery):
        assert failed["status"] == "failed"
        assert "data" not in failed
        assert '"country"' in failed["error"]["message"]


async def test_where_the_configuration_does_not_allow_them_they_are_refused(tmp_path: Path) -> None:
    async with running_service(write_config(tmp_path)) as service:
        await service.prepare(manifest())
        body = {"query": QUESTION, "execute": True, "session_properties": {"country": "'Germany'"}}
        status, answer = await service.call("POST", "/v1/asks", json=body)
        empty = await service.answer(QUESTION, execute=True, session_properties={})
    assert status == 422
    assert "session_properties are not allowed" in answer["message"]
    assert "settings.allow_session_properties" in answer["hint"]
    assert "Germany" not in str(answer)
    assert empty["status"] == "failed"


async def test_saved_questions_answer_whoever_asks_with_what_they_may_read(tmp_path: Path) -> None:
    mdl = manifest(required=False, defaultExpr="'France'")
    mdl["views"] = [
        {
            "name": "client_tally",
            "statement": "SELECT COUNT(*) AS n FROM customers",
            "properties": {"question": "Client tally?"},
        }
    ]
    pair = {"id": "1", "question": "Patron tally?", "sql": "SELECT COUNT(*) AS n FROM customers"}
    async with running_service(write_config(tmp_path, settings={"allow_session_properties": True})) as service:
        await service.prepare(mdl)
        status, _ = await service.call("POST", "/v1/sql-pairs", json={"sql_pairs": [pair]})
        assert status == 202
        for question, source in (("patron tally", "history"), ("client tally", "view")):
            nobody = await service.answer(question, execute=True)
            unknown = await service.answer(question, execute=True, session_properties={"unused": "'x'"})
            german = await service.answer(question, execute=True, session_properties={"country": "'Germany'"})
            attack = await service.answer(question, execute=True, session_properties={"country": "'x' OR 1 = 1"})
            assert {answer["sql_source"] for answer in (nobody, unknown, german)} == {source}
            assert nobody["data"]["rows"] == unknown["data"]["rows"] == [[1]]
            assert german["data"]["rows"] == [[2]]
            assert attack["status"] == "failed"
            assert "data" not in attack


async def _told_of_names(service: Client, country: str) -> list[str]:
    """What an asker is told of a name that only German rows have, and of one that nobody has."""
    told = []
    for name in ("Alan", "Nora"):
        asked = f"How many customers named {name} Turing?"
        answer = await service.answer(asked, execute=True, session_properties={"country": country})
        said = {key: answer.get(key) for key in ("status", "sql", "data", "error")}
        told.append(str(said).replace(name, "…"))
    return told


async def test_values_that_one_asker_reads_are_not_told_to_another(tmp_path: Path) -> None:
    path = write_config(tmp_path, settings={"allow_session_properties": True})
    async with running_service(path) as service:
        status = await service.prepare(manifest(required=False, defaultExpr="'Germany'"))
        there, nowhere = await _told_of_names(service, "'France'")
    assert there == nowhere
    (warning,) = status["warnings"]
    assert "customers.name, customers.country" in warning
    assert "orders" not in warning
    # As an older version kept them.
    with closing(sqlite3.connect(tmp_path / "home" / "record.sqlite")) as record, record:
        kept = [["customers", "name", ["Alan Turing"]], ["orders", "status", ["open", "paid"]]]
        record.execute("UPDATE manifests SET sampled_values = ?", (json.dumps(kept),))
    async with running_service(path) as service:
        there, nowhere = await _told_of_names(service, "'France'")
        others = await service.answer("How many open orders are there?", execute=True)
    assert there == nowhere
    assert others["data"]["rows"] == [[1]]


async def test_of_a_rule_without_properties_values_are_kept(tmp_path: Path) -> None:
    mdl = manifest()
    mdl["models"][0]["rowLevelAccessControls"][0] = {"name": "german", "condition": "country = 'Germany'"}
    async with running_service(write_config(tmp_path)) as service:
        await service.prepare(mdl)
        german = await service.answer("How many customers named Alan Turing?", execute=True)
    assert german["data"]["rows"] == [[1]]
