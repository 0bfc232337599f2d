"""Threads for clients that know messages only: what somebody says answers what was asked back, where something was."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any

from askwell.agent.events import TERMINAL
from askwell.agent.service import Begun, NewMessage
from askwell.errors import Conflict
from askwell.web.services import Conversations


@dataclass(frozen=True, slots=True)
class Turn:
    """What a message began. With `asked`, the run waits for another answer before it goes on."""

    begun: Begun
    asked: Mapping[str, Any] | None = None


async def take(conversations: Conversations, message: NewMessage) -> Turn:
    """Send a message, or go on with the thread's run that waits for an answer: what was asked first is answered first.
    Another run of the thread is stopped: all that the stop button of such a client does is to listen no more. Raises as
    `Conversations.send` and `answer` do."""
    conversations.require_model()
    if message.thread_id is not None:
        waiting = await conversations.waiting_in(message.project_id, message.thread_id)
        if waiting is not None:
            asked = json.loads(await conversations.runs.result_json(waiting)).get("interrupts") or []
            if asked:
                begun = await conversations.answer(message.project_id, waiting, {asked[0]["id"]: message.text})
                return Turn(begun, asked[1] if len(asked) > 1 else None)
    try:
        return Turn(await conversations.send(message))
    except Conflict:
        going_on = await conversations.going_on(message.project_id, message.thread_id or "")
        if going_on is None:
            raise
        await conversations.stop(message.project_id, going_on)
        return Turn(await conversations.send(message))


async def events_of(conversations: Conversations, turn: Turn) -> AsyncIterator[Mapping[str, Any]]:
    """The events of a turn to its end. The SQL of what the run did before it asked back is told again: the answer may
    stand on it."""
    begun = turn.begun
    if turn.asked is not None:
        outcome = {"type": "interrupt", "interrupts": [turn.asked]}
        yield {"type": "RUN_FINISHED", "threadId": begun.thread_id, "runId": begun.run_id, "outcome": outcome}
        return
    async for one in await conversations.events(begun.run_id):
        is_new = one.segment == begun.segment
        if is_new or (one.segment < begun.segment and one.event.get("name") == "askwell.sql"):
            yield one.event
        if is_new and one.event["type"] in TERMINAL:
            return
