"""How the tables of an ask are joined: when a model is asked, what is asked back, and what an answer says of it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.asks.test_clarification import correct, settled
from tests.fakes.openai_server import Answer, ChatServer
from tests.support import tiny_shop
from tests.support.shared import shared_scripted_service, shared_service

QUESTION = "Who among our customers placed the keenest orders, roughly?"
SQL = "SELECT c.name FROM customers AS c JOIN orders AS o ON o.customer_id = c.id ORDER BY o.amount DESC LIMIT 1"
CHOSEN = {"condition": "orders.customer_id = customers.id", "confidence": 0.9, "reason": "Whoever placed it."}
ON = {"allow_join_inference": True}


def two_roles() -> dict[str, Any]:
    mdl = tiny_shop.manifest()
    recipients = {"name": "orders_recipients", "condition": "orders.id = customers.id"}
    mdl["relationships"].append(mdl["relationships"][0] | recipients)
    return mdl


def no_way() -> dict[str, Any]:
    """Two tables, not a relationship, and names that tell nothing."""
    mdl = tiny_shop.manifest()
    mdl["relationships"] = []
    for model in mdl["models"]:
        columns = [c for c in model["columns"] if "relationship" not in c and not c.get("isCalculated")]
        model["columns"] = [
            {"name": "buyer", "type": "INTEGER", "expression": "customer_id"} if c["name"] == "customer_id" else c
            for c in columns
        ]
    return mdl


async def asked(server: ChatServer, mdl: dict[str, Any], settings: dict[str, Any] | None = None) -> dict[str, Any]:
    async with shared_service(mdl=mdl, api_base=server.api_base, **(settings or {})) as service:
        return await service.answer(QUESTION)


def script(*replies: Answer, sql: str = SQL) -> dict[str, list[Answer]]:
    return {"join_inference": list(replies), "sql_generation": [Answer(json={"sql": sql})]}


def joins_told(server: ChatServer) -> list[str]:
    user = next(request.user for request in server.requests if request.stage == "sql_generation")
    return [line for line in user.partition("<joins>\n")[2].partition("</joins>")[0].splitlines() if "=" in line]


async def test_a_join_that_nobody_declared_is_found() -> None:
    found = {"condition": "orders.buyer = customers.id", "confidence": 0.8, "reason": "Buyers are customers."}
    sql = SQL.replace("customer_id", "buyer")
    async with ChatServer(script(Answer(json={"joins": [found]}), sql=sql)) as server:
        result = await asked(server, no_way(), ON)
    assert result["status"] == "finished", result
    request = next(request for request in server.requests if request.stage == "join_inference")
    assert "no candidate" in request.user
    told = "orders.buyer = customers.id -- inferred from the question, confidence 0.80"
    assert joins_told(server) == [told]


# -- asking back -----------------------------------------------------------------------------------------------------

RECIPIENT = {"condition": "orders.id = customers.id", "confidence": 0.5, "reason": "Or whoever gets it."}
LESS_LIKELY = RECIPIENT | {"condition": "orders.id  =  customers.id", "confidence": 0.2}
UNSURE = [CHOSEN | {"confidence": 0.6}, RECIPIENT]
OVER_RECIPIENTS = SQL.replace("o.customer_id", "o.id")
THREE_PHASE = {"table_selection": "three_phase"}


def phases(*joins: Any) -> dict[str, list[Answer]]:
    """What a model says that chooses two tables, and how they may be joined."""
    lists: dict[str, Any] = {key: [] for key in ("filters", "aggregations", "ordering", "parameters")}
    judged = [
        Answer(json={"is_relevant": True, "confidence": 0.9}, when=f"CREATE TABLE {name} (")
        for name in ("customers", "orders")
    ]
    return {
        "table_relevance": [*judged, *judged, Answer(json={"is_relevant": False, "confidence": 0.9})],
        "table_refinement": [Answer(json={"final_tables": ["customers", "orders"]})],
        "query_requirements": [Answer(json=lists | {"joins_needed": True, "joins": list(joins), "reasoning": ""})],
    }


def unsure(*joins: Any) -> dict[str, list[Answer]]:
    return {"join_inference": [Answer(json={"joins": list(joins)})]}


CONDITIONS = [CHOSEN["condition"], RECIPIENT["condition"]]
# Settings, what the model says of the joins, and whether that is asked back.
DOUBTS: list[tuple[dict[str, Any], dict[str, list[Answer]], bool]] = [
    (ON, unsure(*UNSURE), True),
    (ON, unsure(CHOSEN | {"confidence": 0.4}), True),  # what that leaves to the other one is near
    (ON | {"confidence_threshold": 0.55}, unsure(*UNSURE), False),
    (ON, unsure(CHOSEN | {"confidence": 0.7}, RECIPIENT | {"confidence": 0.3}), False),
    (ON, unsure(), False),
    (THREE_PHASE, phases(*UNSURE), True),
    (THREE_PHASE, phases(*CONDITIONS), True),
    (THREE_PHASE, phases(CHOSEN | {"confidence": 0.6}, LESS_LIKELY), False),
    (THREE_PHASE, phases(), True),
    (THREE_PHASE, phases(CHOSEN["condition"]), False),
    (THREE_PHASE, phases(CHOSEN), False),
    (THREE_PHASE | ON, phases() | unsure(*UNSURE), True),
]


@pytest.mark.parametrize(("settings", "said", "is_asked"), DOUBTS)
async def test_a_model_that_is_unsure_of_a_join_has_it_asked_back(
    settings: dict[str, Any], said: dict[str, list[Answer]], *, is_asked: bool
) -> None:
    wrong = Answer(json={"sql": SQL, "intent": "TEXT_TO_SQL", "plan": ""})
    right = Answer(json={"sql": OVER_RECIPIENTS})
    sql = {"sql_generation": [wrong], "sql_correction": [right]}
    async with ChatServer(said | sql) as server:
        async with shared_service(mdl=two_roles(), api_base=server.api_base, **settings) as service:
            alone = await service.answer(QUESTION)
            warned = "can be joined in several ways" in " ".join(alone.get("warnings", ()))
            assert (alone["status"], warned) == ("finished", is_asked)
            begun = server.calls()
            ask = await service.ask(QUESTION, interactive=True)
            result = await settled(service, ask)
            assert (result["status"] == "awaiting_correction") is is_asked, result.get("error")
            if not is_asked:
                return
            asked, before = result["clarification"], server.calls()
            assert asked["kind"] == "join"
            assert sorted(option["condition"] for option in asked["options"][:-1]) == sorted(CONDITIONS)
            assert await correct(service, ask, {"text": "join Orders.id with Customers.id"}) == 202
            answered = await service.end(ask)
    assert "o.id" in answered["response"][0]["sql"]
    after = {request.stage for request in server.requests[before:]}
    assert after <= {"sql_generation", "sql_diagnosis", "sql_correction"}
    assert "sql_correction" in after
    assert answered["usage"]["llm_calls"] == server.calls() - begun


# -- What an answer of a service says about how its tables were joined.


DECLARED = "orders and customers were joined where orders.customer_id = customers.id, as declared."
INFERRED = "The database does not say that orders.customer_id = customers.id; this was inferred (by its name)."


def told_of_joins(result: dict[str, Any]) -> list[str]:
    assert result["status"] == "finished", result
    return [line for line in result.get("assumptions", ()) if "join" in line or "inferred" in line]


def inferring() -> dict[str, Any]:
    mdl = tiny_shop.manifest()
    mdl["relationships"][0]["properties"] = {"inferred": True, "reason": "by its name"}
    return mdl


async def test_rules_say_by_which_columns_and_whether_that_is_declared() -> None:
    question = "How many orders are there per customer name?"
    async with shared_service() as service:
        assert told_of_joins(await service.answer(question)) == [DECLARED]
        assert told_of_joins(await service.answer("How many orders are there?")) == []

        assert (await service.prepare(inferring(), "m2"))["status"] == "finished"
        assert told_of_joins(await service.answer(question)) == [INFERRED]


async def test_a_statement_of_a_language_model_is_told_of_alike() -> None:
    joins = (
        "FROM orders AS o JOIN customers AS c ON c.id = o.customer_id",
        "FROM orders JOIN customers AS c ON customer_id = c.id",
        "FROM orders, customers WHERE customers.id = orders.customer_id",
        "FROM orders JOIN customers AS c ON customer_id = c.id WHERE NOT EXISTS"
        " (SELECT 1 FROM orders AS c WHERE c.id = orders.customer_id)",
    )
    written = [Answer(json={"sql": f"SELECT COUNT(*) AS n {join}"}) for join in joins]
    question = "How many orders do our keenest customers have, roughly?"
    async with shared_scripted_service({"sql_generation": [*written, *written]}) as (service, _server):
        assert [told_of_joins(await service.answer(question)) for _ in joins] == [[DECLARED]] * 4
        assert (await service.prepare(inferring(), "m2"))["status"] == "finished"
        assert [told_of_joins(await service.answer(question)) for _ in joins] == [[INFERRED]] * 4
