"""The text of an ask over real HTTP: sent while it is written, in frames that older clients find."""

from __future__ import annotations

import asyncio
import re
import time

import pytest

from tests.fakes.openai_server import Answer
from tests.support.service import Client
from tests.support.shared import shared_scripted_service

QUESTION = "What customers and orders could I look at?"
WORDS = 'You can ask about "customers", their countries\nand the orders that they placed, and more besides.'
# What the client of the service that Askwell replaces looks for.
FRAME = re.compile(r'data: {"message":"([\s\S]*?)"}')


def intent(kind: str) -> Answer:
    return Answer(json={"rephrased_question": QUESTION, "reasoning": "because", "intent": kind})


async def frames(service: Client, ask: str, path: str = "streaming-result") -> list[tuple[float, str]]:
    """Each frame with the moment at which it came."""
    found = []
    async with service.session.get(f"{service.url}/v1/asks/{ask}/{path}") as response:
        buffer = ""
        async for piece in response.content.iter_any():
            buffer += piece.decode()
            *whole, buffer = buffer.split("\n\n")
            found += [(time.monotonic(), frame) for frame in whole]
    return found


@pytest.mark.deep
@pytest.mark.parametrize(
    ("kind", "stage"),
    [("GENERAL", "data_assistance"), ("MISLEADING_QUERY", "misleading_assistance"), ("USER_GUIDE", "user_guide")],
)
async def test_an_answer_in_words_is_sent_while_it_is_written(kind: str, stage: str) -> None:
    script = {"intent_classification": [intent(kind)], stage: [Answer(text=WORDS, chunk_delay=0.1)]}
    async with shared_scripted_service(script) as (service, _server):
        ask = await service.ask(QUESTION)
        streamed, events = await asyncio.gather(frames(service, ask), frames(service, ask, "events"))
        result = await service.result(ask)
    assert result["general_type"]
    assert len(streamed) > 3
    assert streamed[-1][0] - streamed[0][0] > 0.2
    deltas = [moment for moment, frame in events if "event: delta" in frame]
    done = next(moment for moment, frame in events if "event: done" in frame)
    assert len(deltas) > 3
    assert done - deltas[0] > 0.2
    pieces = [found[1] for _, frame in streamed if (found := FRAME.search(frame))]
    assert "".join(pieces).replace('\\"', '"').replace("\\n", "\n") == WORDS


async def test_a_backlog_is_one_frame() -> None:
    async with shared_scripted_service({"sql_generation": [intent("GENERAL")], "data_assistance": [WORDS]}) as (
        service,
        _server,
    ):
        ask = await service.ask(QUESTION)
        await service.end(ask)
        late = await frames(service, ask)
    assert len(late) == 1
    assert late[0][1].startswith('data: {"message":"You can ask')


async def test_the_type_of_words_is_told_with_the_end_only() -> None:
    script = {"sql_generation": [intent("GENERAL")], "data_assistance": [Answer(text=WORDS, chunk_delay=0.05)]}
    async with shared_scripted_service(script) as (service, _server):
        ask = await service.ask(QUESTION)
        seen = []
        while not seen or seen[-1]["status"] != "finished":
            seen.append(await service.result(ask))
            await asyncio.sleep(0.01)
    assert all("type" not in one for one in seen[:-1])
    assert seen[-1]["type"] == "GENERAL"
