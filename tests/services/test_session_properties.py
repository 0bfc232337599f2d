"""Who is asking, from the request to the rows: rules of the model, over HTTP."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.support import tiny_shop
from tests.support.service import running_service, write_config

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


async def test_a_property_decides_which_rows_are_read(tmp_path: Path) -> None:
    async with running_service(write_config(tmp_path, settings={"allow_session_properties": True})) as service:
        await service.prepare(manifest())
        german = await service.answer(QUESTION, execute=True, session_properties={"country": "'Germany'"})
        french = await service.answer(QUESTION, execute=True, session_properties={"Country": "'France'"})
        through = await service.answer(
            "How many orders for each customer country?", execute=True, session_properties={"country": "'France'"}
        )
    assert german["data"]["rows"] == [[2]]
    assert french["data"]["rows"] == [[1]]
    assert "Germany" not in str(through)


async def test_a_property_that_is_missing_or_no_literal_is_named(tmp_path: Path) -> None:
    async with running_service(write_config(tmp_path, settings={"allow_session_properties": True})) as service:
        await service.prepare(manifest())
        missing = await service.answer(QUESTION, execute=True)
        other = await service.answer(QUESTION, execute=True, session_properties={"region": "'Germany'"})
        attack = await service.answer(QUESTION, execute=True, session_properties={"country": "'x' OR 1 = 1"})
        subquery = await service.answer(QUESTION, execute=True, session_properties={"country": "(SELECT 'Germany')"})
    for failed in (missing, other, attack, subquery):
        assert failed["status"] == "failed"
        assert "data" not in failed
        assert '"country"' in failed["error"]["message"]


async def test_a_property_that_is_not_required_has_a_default(tmp_path: Path) -> None:
    async with running_service(write_config(tmp_path)) as service:
        await service.prepare(manifest(required=False, defaultExpr="'France'"))
        assert (await service.answer(QUESTION, execute=True))["data"]["rows"] == [[1]]


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
