"""What a result tells beside its SQL: codes, types, and what the language model cost."""

from __future__ import annotations

import asyncio
import copy
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.access.house import ALPHA, Caller, house, prepared
from tests.fakes.openai_server import Answer, ChatScript, ChatServer
from tests.support import tiny_shop
from tests.support.clock import Clock
from tests.support.service import Client, prepared_service, running_service, write_config
from tests.support.shared import shared_scripted_service

# A question that rules cannot place, so that it reaches the model.
QUESTION = "Who among our customers is the keenest spender, roughly?"
RIGHT = "SELECT name FROM customers ORDER BY total_spent DESC LIMIT 1"
FOREVER = "SELECT count(*) FROM orders a" + "".join(f" CROSS JOIN orders b{n}" for n in range(20))


def sql(*statements: str) -> list[Answer]:
    return [Answer(json={"sql": statement}) for statement in statements]


async def test_a_statement_of_the_model_that_takes_too_long_has_code_3002(tmp_path: Path) -> None:
    async with ChatServer({"sql_generation": sql(FOREVER), "sql_correction": sql(FOREVER)}) as server:
        limits = {"engine_timeout": 0.5, "max_sql_correction_retries": 1}
        async with prepared_service(tmp_path, api_base=server.api_base, settings=limits) as service:
            result = await service.answer(QUESTION, execute=True)
    assert (result["status"], result["nl2sql_code"], result["type"]) == ("failed", "3002", "TEXT_TO_SQL")


@pytest.mark.deep
async def test_a_language_model_that_is_late_has_code_3002(tmp_path: Path) -> None:
    async with ChatServer({"sql_generation": [Answer(hang=True)]}) as server:
        llm = {"provider": "openai", "model": "test", "api_base": server.api_base, "timeout": 1}
        async with prepared_service(tmp_path, llm={"default": llm}) as service:
            result = await service.answer(QUESTION)
    assert (result["status"], result["nl2sql_code"], result["type"]) == ("failed", "3002", "TEXT_TO_SQL")
    assert "did not answer within" in result["error"]["message"]


async def test_no_relevant_table_and_no_model_have_code_3003(tmp_path: Path) -> None:
    async with running_service(write_config(tmp_path)) as service:
        unprepared = await service.answer("How many customers are there?")
        await service.prepare()
        elsewhere = await service.answer("Which volcanoes erupted in ancient Sicily?")
    assert (unprepared["error"]["code"], unprepared["nl2sql_code"]) == ("OTHERS", "3003")
    assert (elsewhere["error"]["code"], elsewhere["nl2sql_code"]) == ("NO_RELEVANT_DATA", "3003")
    assert "type" not in unprepared
    assert "type" not in elsewhere


async def test_a_question_of_two_meanings_has_code_3005_where_no_language_model_is_there(tmp_path: Path) -> None:
    model = copy.deepcopy(tiny_shop.manifest())
    orders = next(one for one in model["models"] if one["name"] == "orders")
    orders["columns"].append({"name": "paid_amount", "type": "DOUBLE", "expression": "amount"})
    orders["columns"].append({"name": "billed_amount", "type": "DOUBLE", "expression": "amount"})
    orders["columns"] = [column for column in orders["columns"] if column["name"] != "amount"]
    model["models"][0]["columns"] = [c for c in model["models"][0]["columns"] if not c.get("isCalculated")]
    model["views"] = []
    async with prepared_service(tmp_path, mdl=model) as service:
        result = await service.answer("What is the total amount of orders?")
    assert (result["status"], result["error"]["code"], result["nl2sql_code"]) == ("failed", "NO_RELEVANT_SQL", "3005")
    assert "could mean" in result["error"]["message"]


async def test_the_type_is_told_from_the_plan_on() -> None:
    script = {
        "sql_generation": [
            Answer(json={"plan": "1. **Rank** customers.", "sql": "SELECT shoe_size FROM customers"}, chunk_delay=0.02)
        ],
        "sql_correction": [Answer(json={"sql": RIGHT}, delay=0.1)],
    }
    async with shared_scripted_service(script) as (service, _server):
        ask = await service.ask(QUESTION)
        types: dict[str, set[str | None]] = {}
        while "finished" not in types:
            result = await service.result(ask)
            types.setdefault(result["status"], set()).add(result.get("type"))
            await asyncio.sleep(0.005)
    assert {types[status].pop() for status in ("planning", "correcting", "finished")} == {"TEXT_TO_SQL"}
    assert types.get("understanding", {None}) == types.get("searching", {None}) == {None}


# -- What was asked, over days: lists by feedback, figures, and what stays readable after the rows have gone.


ASKED = "How many orders are there?"
NOTHING = "What is the weather like?"


async def usage(http: Client, **query: Any) -> dict[str, Any]:
    status, told = await http.call("GET", "/v1/usage", params=query)
    assert status == 200, told
    return dict(told)


async def test_asks_are_counted_by_day_cause_and_source(tmp_path: Path) -> None:
    clock = Clock()
    prices = {"prompt": 1000.0, "completion": 1000.0}
    async with ChatServer(
        ChatScript({"sql_generation": [Answer(text='{"sql": "SELECT count(*) FROM orders"}')]})
    ) as server:
        model = {"provider": "openai", "model": "m", "api_base": server.api_base, "prices": prices}
        config = write_config(
            tmp_path,
            llm={"default": model},
            settings={"rules_mode": "strict", "allow_intent_classification": False, "scope_gate": False},
        )
        async with running_service(config, now=clock) as http:
            await http.prepare()
            first = await http.answer("Tell me the quantity of whatever has been ordered, would you")
    # …and without a model the day after.
    config = write_config(tmp_path)
    clock.ahead = timedelta(days=1)
    async with running_service(config, now=clock) as http:
        results = [await http.answer(text) for text in (*[ASKED] * 2, *[NOTHING] * 4)]
        told = await usage(http, days=3)
        other = await usage(http, project_id="other", days=1)
        refused = await http.call("GET", "/v1/usage", params={"days": 367})
    before, yesterday, today = told["days"]
    assert first["usage"]["llm_calls"] > 0
    assert {name: yesterday[name] for name in ("prompt_tokens", "llm_calls")} == {
        name: first["usage"][name] for name in ("prompt_tokens", "llm_calls")
    }
    assert abs(yesterday["cost_usd"] - first["usage"]["cost_usd"]) < 0.001
    assert yesterday["cost_usd"] > 0
    assert (before["asks"], yesterday["asks"], today["asks"]) == (0, 1, 6)
    assert (today["answered"], today["failed"], today["stopped"]) == (2, 4, 0)
    assert today["date"] == clock().date().isoformat()
    causes = {one["code"]: one for one in told["causes"]}
    weather = causes[results[-1]["error"]["code"]]
    assert weather["count"] == 4
    assert weather["examples"] == [{"query_id": one["query_id"], "query": NOTHING} for one in results[:2:-1]]
    assert {"source": "rules", "count": 2} in told["sources"]
    assert (other["days"][0]["asks"], other["causes"], other["sources"]) == (0, [], [])
    assert refused[0] == 422


async def test_an_ended_ask_stays_readable_without_its_rows(tmp_path: Path) -> None:
    clock = Clock()
    config = write_config(tmp_path, settings={"ask_ttl": 60, "history_days": 2})
    async with running_service(config, now=clock) as http:
        await http.prepare()
        asked = await http.ask(ASKED, execute=True)
        assert (await http.end(asked))["data"]["rows"] == [[4]]
    clock.ahead = timedelta(days=1)
    async with running_service(config, now=clock) as http:
        for _ in range(200):
            if "data" not in (past := await http.result(asked)):
                break
        assert "data" not in past
        assert (past["status"], past["response"][0]["type"]) == ("finished", "llm")
        assert (await http.call("GET", "/v1/asks"))[1]["total"] == 1
        assert sum(one["asks"] for one in (await usage(http))["days"]) == 1
    clock.ahead = timedelta(days=3)
    async with running_service(config, now=clock) as http:
        assert (await http.call("GET", f"/v1/asks/{asked}/result"))[0] == 404
        assert (await http.call("GET", "/v1/asks"))[1]["total"] == 0
        assert sum(one["asks"] for one in (await usage(http))["days"]) == 0


async def test_asks_are_listed_by_what_was_said_of_them(tmp_path: Path) -> None:
    async with prepared_service(tmp_path) as http:
        good, bad, _ = [(await http.answer(text))["query_id"] for text in (ASKED, "list the customers", ASKED)]
        for ask_id, said in ((good, {"positive": True}), (bad, {"positive": False, "comment": "not these"})):
            status, told = await http.call("POST", f"/v1/asks/{ask_id}/feedback", json=said)
            assert status == 200, told

        async def listed(**query: Any) -> list[tuple[str, Any]]:
            status, told = await http.call("GET", "/v1/asks", params=query)
            assert status == 200, told
            assert told["total"] == len(told["asks"])
            assert all("data" not in one for one in told["asks"])
            return [(one["query_id"], one.get("feedback")) for one in told["asks"]]

        assert await listed(feedback="positive") == [(good, {"positive": True})]
        assert await listed(feedback="negative") == [(bad, {"positive": False, "comment": "not these"})]
        assert await listed(feedback="negative", q="customers", status="finished") == [
            (bad, {"positive": False, "comment": "not these"})
        ]
        assert await listed(feedback="negative", q="orders") == []
        assert await listed(feedback="negative", status="failed") == []
        assert len(await listed()) == 3
        assert (await http.call("GET", "/v1/asks?feedback=neutral"))[0] == 422


async def test_examples_are_the_callers_own_and_an_administrators_everybodys(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        await prepared(home, ALPHA)
        ann, ben = await home.somebody("Ann", "curate"), await home.somebody("Ben", "curate")
        head, bob = await home.somebody("Head", "admin"), await home.somebody("Bob", "ask")
        failed = await ann.ask("What is the weather of zqprivate like?")
        await ann.end(f"/v1/asks/{failed}/result")
        right = await ann.ask(ASKED)
        await ann.end(f"/v1/asks/{right}/result")
        said = {"positive": False, "comment": "not those"}
        assert (await ann.call("POST", f"/v1/asks/{right}/feedback", json=said))[0] == 200

        async def told(somebody: Caller, path: str) -> Any:
            status, answer = await somebody.call("GET", f"/v1/{path}project_id={ALPHA}")
            assert status == 200, answer
            return answer

        assert (await told(ben, "asks?"))["total"] == 0
        for somebody, sees in ((ann, 1), (ben, 0), (head, 1)):
            found = await told(somebody, "usage?")
            assert found["days"][-1]["asks"] == 2
            assert [(one["count"], len(one["examples"])) for one in found["causes"]] == [(1, sees)]
            assert (await told(somebody, "asks?feedback=negative&"))["total"] == 1
        (shown,) = (await told(head, "asks?feedback=negative&"))["asks"]
        assert (shown["feedback"], shown["is_own"]) == (said, False)
        (why,) = (await told(head, "asks?status=failed&"))["asks"]
        assert (why["error"], why["nl2sql_code"]) == ({"code": "NO_RELEVANT_SQL"}, "3005")
        (own,) = (await told(ann, "asks?status=failed&"))["asks"]
        assert own["error"]["message"]
        assert "is_own" not in own
        assert "zqprivate" not in "".join(ben.seen)
        assert (await bob.call("GET", f"/v1/usage?project_id={ALPHA}"))[0] == 403
        assert (await ben.call("GET", "/v1/usage?project_id=beta"))[0] == 404
