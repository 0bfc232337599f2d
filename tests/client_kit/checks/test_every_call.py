"""The legacy web client's own calls, as that client sends them: a row a call, in its order."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import httpx2 as httpx
import pytest

from tests.client_kit import bodies, expect, kinds
from tests.client_kit.bodies import Shop
from tests.client_kit.client import LegacyClient, feedback_body
from tests.client_kit.kinds import Kind
from tests.client_kit.service import Service

Call = Callable[[LegacyClient, Shop], object]


def starts(kind: Kind, **more: Any) -> Call:
    return lambda client, shop: client.start(kind, bodies.good(kind, shop) | more)


def ends(kind: Kind, **more: Any) -> Call:
    return lambda client, shop: expect.finished(client.run(kind, bodies.good(kind, shop) | more))


def stops(kind: Kind) -> Call:
    return lambda client, shop: client.stop(kind, client.start(kind, bodies.good(kind, shop)))


def streams(question: str) -> Call:
    def call(client: LegacyClient, shop: Shop) -> None:
        job_id = client.start(kinds.ASK, bodies.good(kinds.ASK, shop) | {"query": question})
        text = expect.text_stream(client.ask_stream(job_id))
        plan = client.wait(kinds.ASK, job_id).body.get("sql_generation_reasoning")
        assert plan is None or text.split() == plan.split(), "the stream and the plan of the result differ"

    return call


def streams_an_answer(client: LegacyClient, shop: Shop) -> None:
    job_id = client.start(kinds.ANSWER, bodies.good(kinds.ANSWER, shop))
    client.wait(kinds.ANSWER, job_id)
    expect.text_stream(client.answer_stream(job_id))


def adjusts_a_plan(plan: str, *tables: str) -> Call:
    def call(client: LegacyClient, shop: Shop) -> None:
        body = feedback_body("How many orders of each status?", tables, plan, bodies.COUNT_SQL, client.project)
        assert expect.finished(client.run(kinds.FEEDBACK, body))

    return call


def deletes(path: str, ids: str) -> Call:
    def call(client: LegacyClient, shop: Shop) -> None:
        answer: httpx.Response = client.delete(path, {ids: ["1"], "project_id": client.project})
        assert answer.status_code in (200, 202, 204), answer.text

    return call


def deletes_the_model(client: LegacyClient, shop: Shop) -> None:
    assert client.delete_semantics().status_code in (200, 204)
    assert client.deploy(shop.model) == shop.hash


CALLS: dict[str, Call] = {
    "deploy": lambda client, shop: client.deploy(shop.model),
    "deploy again": starts(kinds.PREPARATION),
    "ask": starts(kinds.ASK),
    "ask result": ends(kinds.ASK),
    "ask with nulls": ends(kinds.ASK, thread_id=None, custom_instruction=None, histories=[]),
    "ask stop": stops(kinds.ASK),
    "ask stream of rules": streams(bodies.COUNT_QUESTION),
    "ask stream of a plan": streams("What did each customer spend on kitchen things?"),
    "ask stream of words": streams("What can you do?"),
    "feedback": starts(kinds.FEEDBACK),
    "feedback result": ends(kinds.FEEDBACK),
    "feedback without a plan": adjusts_a_plan("", "orders"),
    "feedback without tables": adjusts_a_plan("", *()),
    "feedback stop": stops(kinds.FEEDBACK),
    "details": ends(kinds.DETAILS),
    "answer": ends(kinds.ANSWER),
    "answer without rows": ends(kinds.ANSWER, sql_data=None, custom_instruction=None),
    "answer stream": streams_an_answer,
    "questions": ends(kinds.SQL_QUESTION),
    "correction": ends(kinds.SQL_CORRECTION),
    "chart": ends(kinds.CHART, custom_instruction=None),
    "chart stop": stops(kinds.CHART),
    "chart adjustment": ends(kinds.CHART_ADJUSTMENT),
    "chart adjustment stop": stops(kinds.CHART_ADJUSTMENT),
    "question recommendations": ends(kinds.QUESTION_REC),
    "relationship recommendations": ends(kinds.RELATIONSHIP_REC),
    "descriptions": ends(kinds.DESCRIPTION),
    "pairs": ends(kinds.SQL_PAIR),
    "pairs deleted": deletes("/v1/sql-pairs", "sql_pair_ids"),
    "instructions": ends(kinds.INSTRUCTION),
    "instructions deleted": deletes("/v1/instructions", "instruction_ids"),
    "model deleted": deletes_the_model,
}


def test_every_call_passes(client: LegacyClient, shop: Shop, service: Service, with_model: None, wren_ui: None) -> None:
    failed = {}
    for name, call in CALLS.items():
        began = time.monotonic()
        try:
            call(client, shop)
        except AssertionError as error:
            failed[name] = str(error)[:200]
        assert time.monotonic() - began < 60, name
    if failed:
        pytest.fail(f"{len(CALLS) - len(failed)} of {len(CALLS)} calls pass; not these: {failed}")
