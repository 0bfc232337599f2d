"""The story of `askwell demo --conversation`: ten turns with an agent whose language model is a scripted stand-in."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from askwell.cli.demo.client import Client
from askwell.cli.demo.display import Display
from askwell.cli.demo.run import prepare, shop_in, today
from askwell.cli.demo.service import service_on
from askwell.cli.demo.turn import ToldTurn
from askwell.cli.demo.turn_checking import wrong_with
from askwell.cli.demo.turn_display import TurnDisplay
from askwell.sample.conversation import SampleConversation, ScriptedTurn, sample_conversation
from askwell.sample.scripted_model import NAME, ScriptedModel

_AGENT = "ada"
# Rules write the SQL, as they do without a model: the stand-in knows none.
_SETTINGS = {"rules_mode": "balanced", "allow_intent_classification": False}


async def run_conversation(home: Path) -> bool:
    """Hold the conversation in `home`; whether every turn was as expected. Raises `AskwellError` when the demo itself
    cannot run."""
    display, script = Display(), sample_conversation()
    began = time.perf_counter()
    shop = await shop_in(home, display)
    async with ScriptedModel(script) as model:
        settings = {
            "llm": {"default": {"provider": "openai", "model": NAME, "api_base": model.api_base}},
            "settings": _SETTINGS,
        }
        async with service_on(shop, home, keep=False, settings=settings) as service, Client(service.url) as client:
            await client.wait_until_ready()
            display.step(f"Service ready at {service.url} after {time.perf_counter() - began:.1f} s")
            await prepare(client, display)
            await _introduce(client, script, display)
            turns = TurnDisplay(display.console, script.agent["name"])
            talk = _Talk(client, model, shop, turns, thread_id=uuid.uuid4().hex)
            wrong = await talk.hold(script)
    display.step(f"Done after {time.perf_counter() - began:.1f} s")
    return not wrong


async def _introduce(client: Client, script: SampleConversation, display: Display) -> None:
    for document in script.documents:
        await client.add_document(document.model_dump())
    await client.define_agent(_AGENT, script.agent)
    titles = ", ".join(f"“{document.title}”" for document in script.documents)
    display.step(f"Added the documents {titles}, and the agent {script.agent['name']}")


@dataclass(frozen=True, slots=True)
class _Talk:
    client: Client
    model: ScriptedModel
    shop: Path
    display: TurnDisplay
    thread_id: str

    async def hold(self, script: SampleConversation) -> int:
        """All turns, one after the other; how many were not as expected."""
        self.display.preface(len(script.turns))
        wrong = 0
        for number, turn in enumerate(script.turns, 1):
            self.display.message(number, turn.form, turn.message)
            wrong += not await self._is_right(turn)
        self.display.summary(len(script.turns), wrong)
        return wrong

    async def _is_right(self, turn: ScriptedTurn) -> bool:
        told, began = ToldTurn(), time.perf_counter()
        await self._segment(told, messages=[{"id": uuid.uuid4().hex, "role": "user", "content": turn.message}])
        while told.interrupts and told.ends[-1] == "interrupt" and turn.choice:
            asked = told.interrupts
            for one in asked:
                self.display.asked_back(one, turn.choice)
            await self._segment(told, messages=[], resume=[_answer(one, turn.choice) for one in asked])
        told.milliseconds = (time.perf_counter() - began) * 1000
        held_back = [one for one in self.model.held_back if one.message == turn.message]
        self.display.answer(told, held_back)
        wrong = await asyncio.to_thread(wrong_with, turn, told, held_back, self.shop, today())
        self.display.verdict(wrong, told, len(turn.expected.statements))
        return not wrong

    async def _segment(self, told: ToldTurn, **said: Any) -> None:
        """Until the agent has answered, or asks back."""
        told.interrupts = []
        body: Mapping[str, Any] = {
            "threadId": self.thread_id,
            "runId": uuid.uuid4().hex,
            "forwardedProps": {"agent_id": _AGENT},
            **said,
        }
        with self.display.live() as on_step:
            async for event in self.client.converse(body):
                if event["type"] == "STEP_STARTED":
                    on_step(event["stepName"])
                told.take(event)
                self.display.event(event, told)


def _answer(interrupt: Mapping[str, Any], choice: str) -> dict[str, Any]:
    options = interrupt["responseSchema"].get("anyOf", ())
    chosen = next((one["const"] for one in options if one.get("title") == choice and "const" in one), choice)
    return {"interruptId": interrupt["id"], "status": "resolved", "payload": chosen}
