"""A language model for the shop: the scripted server with a sensible answer at every stage. It fails when told to."""

from __future__ import annotations

import asyncio
import json
import random
import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tests.client_kit.service import Failure
from tests.fakes.chat_script import PROBE, Answer
from tests.fakes.openai_server import ChatServer
from tests.fakes.openai_wire import ChatRequest
from tests.support.tables import case_table

FAILURES: tuple[Failure, ...] = ("429", "500", "cut_json", "hang")

# Questions by words that they have, the first that fits, and what answers them.
_SQL: tuple[tuple[str, str], ...] = case_table(__file__, "sql")
_QUESTIONS = case_table(__file__, "questions")
_RELATIONSHIPS = case_table(__file__, "relationships")


def _part(text: str, name: str) -> str:
    found = re.search(rf"<{name}>\n(.*?)\n</{name}>", text, re.DOTALL)
    return found.group(1) if found else ""


def _lines(text: str, name: str) -> list[str]:
    return [line.strip() for line in _part(text, name).splitlines() if line.strip()]


def _sql_for(request: ChatRequest) -> Any:
    if "shipped_to_moon" in _part(request.user, "failed_sql"):
        return {"sql": "SELECT order_id FROM orders"}
    question = _part(request.user, "question").casefold()
    plan = "1. **Read the tables** that the question names.\n2. **Count or add up** what it asks for."
    return {"plan": plan, "sql": next(sql for words, sql in _SQL if words in question)}


def _intent(request: ChatRequest) -> Any:
    question = _part(request.user, "question").casefold()
    intents = {"what can you do": "USER_GUIDE", "plomk": "MISLEADING_QUERY", "what is a": "GENERAL"}
    intents["which tables"] = "GENERAL"
    intent = next((intent for words, intent in intents.items() if words in question), "TEXT_TO_SQL")
    return {"rephrased_question": question, "reasoning": f"It is {intent}.", "intent": intent}


def _summaries(request: ChatRequest) -> Any:
    steps = _lines(request.user, "steps")
    return {"description": "It reads the shop.", "summaries": [f"It does {step}." for step in steps]}


def _chart(request: ChatRequest) -> Any:
    kinds = dict(re.findall(r"^(\S+) \((\w+)", _part(request.user, "columns"), re.MULTILINE))
    if set(kinds) != {"city", "customer_count"}:
        return {"reasoning": "The rows say it best.", "chart_type": "", "chart_schema": None}

    def channel(field: str, kind: str) -> dict[str, str | None]:
        return dict.fromkeys(("title", "aggregate", "timeUnit", "stack"), None) | {"field": field, "type": kind}

    encoding = {"x": channel("city", "nominal"), "y": channel("customer_count", "quantitative")}
    schema = {
        "title": "Customers by city",
        "mark": {"type": "bar"},
        "transform": None,
        "encoding": encoding | dict.fromkeys(("xOffset", "color", "theta")),
    }
    return {"reasoning": "A bar for each city.", "chart_type": "bar", "chart_schema": schema}


def _questions(request: ChatRequest) -> Any:
    categories, previous = _lines(request.user, "categories"), set(_lines(request.user, "previous"))
    new = [question for question in _QUESTIONS if question not in previous]
    return {
        "questions": [{"question": one, "category": categories[at % len(categories)]} for at, one in enumerate(new)]
    }


def _description(request: ChatRequest) -> Any:
    columns = [{"name": name, "description": f"The {name} of a row."} for name in _lines(request.user, "columns")]
    return {"description": "What the shop keeps.", "columns": columns}


_BY_STAGE: dict[str, Callable[[ChatRequest], Any]] = {
    "intent_classification": _intent,
    "question_reformulation": lambda request: {"question": "How many customers are there?"},
    "sql_generation": _sql_for,
    "sql_correction": _sql_for,
    "sql_regeneration": _sql_for,
    "sql_summaries": _summaries,
    "sql_question": lambda request: {"question": "What does the shop say of this?"},
    "chart_generation": _chart,
    "question_recommendation": _questions,
    "question_suggestion": lambda request: {"questions": list(_QUESTIONS[:3])},
    "relationship_recommendation": lambda request: {
        "relationships": [
            dict(zip(("from_table", "from_column", "to_table", "to_column", "reason"), one, strict=True))
            for one in _RELATIONSHIPS
        ]
    },
    "semantics_description": _description,
}
_TEXTS = case_table(__file__, "texts")


@dataclass
class Failing:
    """The next `left` calls fail in this way."""

    left: int = 0
    how: Failure = "500"


class ShopModelServer(ChatServer):
    """`failing` fail next; of the others `share` fail, in ways that `seed` chooses."""

    def __init__(self, *, share: float = 0.0, seed: int = 12, failures: Sequence[Failure] = FAILURES) -> None:
        super().__init__()
        self.failing = Failing()
        self.share = share
        self._chance = random.Random(seed)
        self._failures = failures

    def said(self, request: ChatRequest, answer: Answer) -> Answer:
        if request.stage == PROBE:
            return answer
        if request.stage in _BY_STAGE:
            answer = Answer(json=_BY_STAGE[request.stage](request))
        elif request.stage in _TEXTS:
            answer = Answer(text=_TEXTS[request.stage])
        how = self._failure()
        return answer if how is None else _failed(request, answer, how)

    def _failure(self) -> Failure | None:
        if self.failing.left > 0:
            self.failing.left -= 1
            return self.failing.how
        if self.share and self._chance.random() < self.share:
            return self._chance.choice(self._failures)
        return None


def _failed(request: ChatRequest, answer: Answer, how: Failure) -> Answer:
    if how == "hang":
        return replace(answer, hang=True)
    if how != "cut_json":
        return Answer(status=int(how), error={"message": "It fails as it was told.", "type": "scripted"})
    if request.streamed:
        return replace(answer, drop="middle")
    # The server says that it is done, and half of the object is missing.
    text = answer.content if answer.json is None else json.dumps(answer.json)
    return Answer(text=text[: len(text) // 2])


class ModelThread:
    """The server in a thread of its own, for tests without an event loop; a `service.ModelServer`."""

    def __init__(self, server: ShopModelServer | None = None) -> None:
        self.server = server or ShopModelServer()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="shop-model", daemon=True)
        self._thread.start()
        self._run(self.server.__aenter__())

    def fail_next(self, n: int, how: Failure) -> None:
        """See `service.ModelServer`."""

        def tell() -> None:
            self.server.failing = Failing(n, how)

        self._loop.call_soon_threadsafe(tell)

    def close(self) -> None:
        """Stop it."""
        self._run(self.server.__aexit__(None, None, None))
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()

    def _run(self, work: Any) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result(10)
