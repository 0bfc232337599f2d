"""What is looked up before a turn, and cut to what the model can read."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from askwell.agent import events, parts
from askwell.agent.definition import filled
from askwell.agent.request import LookedUp, Prelude
from askwell.agent.scene import Scene
from askwell.asks.project_knowledge import fitted as fitted_passages
from askwell.config.settings import IntentRoute
from askwell.errors import Unavailable
from askwell.knowledge.threads import Message, Part
from askwell.pipelines.conversation.loop import Call
from askwell.pipelines.generation.question import HistoryTurn, PromptPassage, QuestionContext
from askwell.pipelines.retrieval.model_text import estimated_tokens
from askwell.question.follow_ups import leans, may_lean, refers_back
from askwell.tools.base import ToolFailure

# JSON of figures takes more tokens than prose of the same length.
_CHARACTERS_A_TOKEN = 3
_SHORTEST = 200


def fitted(told: Mapping[str, Any], tokens: int) -> str:
    """A result as JSON text of about so many tokens at most: the statement as the database ran it goes first, then rows
    from the end, then what is long."""
    text = _written(told)
    if _size(text) > tokens and "planned_sql" in told:
        told = {name: one for name, one in told.items() if name != "planned_sql"}
        text = _written(told)
    table = told.get("table")
    if _size(text) <= tokens or not isinstance(table, Mapping) or not table.get("rows"):
        return text if _size(text) <= tokens else _cut(text, tokens)
    rows = list(table["rows"])
    shown = len(rows)
    while shown and _size(text) > tokens:
        shown //= 2
        note = f"Only the first {shown} of {table['row_count']} rows are shown to you; the person sees more."
        text = _written({**told, "table": {**table, "rows": rows[:shown], "truncated": True, "note": note}})
    return text if _size(text) <= tokens else _cut(text, tokens)


def _cut(text: str, tokens: int) -> str:
    longest = max(tokens * _CHARACTERS_A_TOKEN, _SHORTEST)
    return json.dumps({"cut": text[:longest], "note": "The result is longer; ask for less."}, ensure_ascii=False)


def _written(told: Mapping[str, Any]) -> str:
    return json.dumps(told, ensure_ascii=False, separators=(",", ":"))


def _size(text: str) -> int:
    return max(estimated_tokens(text), len(text) // _CHARACTERS_A_TOKEN)


# Of the room that a tool's result has later.
_SHARE_BEFORE = 0.5


async def route_of(scene: Scene) -> IntentRoute | None:
    """The way that is configured for such a message; None where none is, or the model names none of them."""
    settings = scene.settings
    if not settings.intents or not scene.request.message:
        return None
    from askwell.pipelines.conversation.build import Way

    with step(scene, "route"):
        chosen = await scene.conversation.routing.run(
            scene.request.message,
            ways=[Way(one.id, one.description) for one in settings.intents],
            earlier=scene.asked,
            language=scene.language,
            reasons=settings.intent_mode == "standard",
        )
        scene.usage += chosen.usage
        scene.log.tell(events.custom("route", {"id": chosen.id, "reason": chosen.reason}))
    return next((one for one in settings.intents if one.id == chosen.id), None)


async def looked_up(scene: Scene, *, question_alone: bool) -> Prelude:
    """The message as it stands alone; and, unless that is enough, passages, and what the agent's tools give first."""
    prelude = Prelude(question=await _reformulated(scene))
    if scene.request.message and not question_alone:
        prelude.passages = await _passages(scene, prelude.question)
        prelude.looked_up = await _pre_tools(scene, prelude.question)
    await scene.keep(prelude=prelude)
    return prelude


@contextmanager
def step(scene: Scene, name: str) -> Iterator[None]:
    """A step that the person sees begin and end."""
    scene.log.tell(events.step_started(name))
    yield
    scene.log.tell(events.step_finished(name))


async def _reformulated(scene: Scene) -> str:
    message = scene.request.message
    turns = _turns(scene.earlier)
    if not turns or not any(rule(message) for rule in (leans, may_lean, refers_back)):
        return message
    question = QuestionContext(
        question=message,
        now=scene.now,
        timezone=scene.timezone,
        language=scene.language,
        histories=tuple(turns[-scene.settings.history_messages :]),
    )
    with step(scene, "reformulate"):
        written = await scene.generation.reformulation.run(question)
    scene.usage += written.usage
    scene.log.tell(events.custom("question", {"question": written.text}))
    return written.text


def _turns(messages: Sequence[Message]) -> list[HistoryTurn]:
    """What the person said before, each with the last SQL that was run for it."""
    turns: list[HistoryTurn] = []
    for message in messages:
        if message.role == "user" and message.text:
            turns.append(HistoryTurn(message.text, ""))
        for part in message.parts:
            if part["type"] == "sql" and turns:
                turns[-1] = HistoryTurn(turns[-1].question, part["sql"])
    return turns


async def _passages(scene: Scene, question: str) -> list[PromptPassage]:
    knowledge = scene.agent.knowledge
    if not knowledge.top_k:
        return []
    with step(scene, "passages"):
        try:
            found = await scene.tools.passages.run(
                scene.job.project_id, question, top_k=knowledge.top_k, tags=knowledge.tags
            )
        except Unavailable as error:
            scene.warn(f"The documents of this project were not searched. {error.message}")
            found = []
    return list(fitted_passages(found, question))


async def _pre_tools(scene: Scene, question: str) -> list[LookedUp]:
    """One that fails says so: the model may still find another way."""
    if not scene.agent.pre_tools:
        return []
    found: list[LookedUp] = []
    with step(scene, "pre_tools"):
        for number, one in enumerate(scene.agent.pre_tools, 1):
            call = Call(f"{scene.job.id[:12]}-before-{number}", one.tool, filled(one.arguments, question))
            scene.log.tell(*events.tool_called(call.id, call.tool, parts.arguments_text(call), ""))
            content, shown = await _called(scene, call)
            kept = [parts.result_part(call, content, before=True), *shown]
            message = Message.new("tool", kept, scene.job.id, scene.tools.now())
            scene.log.keep(message)
            scene.log.tell(events.tool_answered(call.id, message.id, content), *events.shown(call.id, shown))
            found.append(LookedUp(tool=call.tool, content=content))
    return found


async def _called(scene: Scene, call: Call) -> tuple[str, list[Part]]:
    try:
        # A tool that the agent may not call by itself may still be set up to be called first. Nobody is asked back yet.
        caller = replace(scene.caller, interactive=False)
        output = await scene.tools.toolbox.call(call.tool, caller, call.arguments, lambda _: None)
    except ToolFailure as failure:
        return parts.error_text(failure), []
    bound = int(scene.settings.result_tokens * _SHARE_BEFORE)
    return fitted(output.result.told(), bound), parts.shown_parts(call, output)
