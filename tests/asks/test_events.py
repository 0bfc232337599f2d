"""What is sent while an ask runs: events and text, for clients that come, go and come back."""

from __future__ import annotations

import asyncio
import json
import re
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from askwell.asks.states import AskError, Failed
from askwell.jobs.events import EventLog, JobEvent, first_id_at
from askwell.web.sse import event_stream
from tests.asks.test_language_model import QUESTION, RIGHT
from tests.fakes.openai_server import Answer, ChatServer
from tests.support.kinds import ask_kind
from tests.support.service import Client, running_service, service_process, write_config
from tests.support.shared import shared_scripted_service, shared_service

PLAN = "1. **Rank** the customers by what they spent. 2. Take the first."


def script(**other: list[Answer]) -> dict[str, list[Answer]]:
    return {"sql_generation": [Answer(json={"plan": PLAN, "sql": RIGHT})]} | other


async def read_events(
    service: Client, path: str, last_seen: str | None = None, until: str | None = None
) -> list[tuple[int, str, dict[str, Any]]]:
    """The events of a stream, until it ends or has one with the status `until`; none where the answer is that none
    follow."""
    headers = {"Last-Event-ID": last_seen} if last_seen is not None else {}
    events: list[tuple[int, str, dict[str, Any]]] = []
    async with asyncio.timeout(20), service.session.get(f"{service.url}/v1{path}", headers=headers) as answer:
        if answer.status == 204:
            return []
        assert answer.status == 200
        assert answer.headers["Content-Type"].startswith("text/event-stream")
        frame: dict[str, str] = {}
        async for raw in answer.content:
            line = raw.decode().rstrip("\n")
            if line:
                name, _, value = line.partition(": ")
                frame[name] = value
                continue
            events.append((int(frame["id"]), frame["event"], json.loads(frame["data"])))
            frame = {}
            if until is not None and events[-1][2].get("status") == until:
                break
    return events


async def test_every_state_every_piece_of_text_and_the_end_come_in_order() -> None:
    async with shared_scripted_service(script()) as (service, _server):
        ask = await service.ask(QUESTION, execute=True)
        events = await read_events(service, f"/asks/{ask}/events")
        result = await service.result(ask)
    ids = [number for number, _, _ in events]
    assert ids == sorted(set(ids))
    states = [data["status"] for _, kind, data in events if kind == "state"]
    assert states == ["queued", "understanding", "searching", "planning", "generating"]
    assert "".join(data["message"] for _, kind, data in events if kind == "delta") == PLAN
    assert events[-1][1:] == ("done", result)
    assert result["data"]["rows"] == [["Ada Lovelace"]]


@pytest.mark.parametrize(("settings", "state"), [({}, "planning"), ({"prompt_style": "lean"}, "generating")], ids=str)
async def test_what_is_known_to_be_for_sql_is_told_before_the_model_writes(settings: Any, state: str) -> None:
    stuck = Answer(json={"plan": PLAN, "sql": RIGHT}, hang=True)
    settings = {"allow_intent_classification": False, **settings}
    async with shared_scripted_service(script(sql_generation=[stuck]), **settings) as (service, server):
        ask = await service.ask(QUESTION)
        await server.arrived("sql_generation")
        told = await service.result(ask)
        server.release()
        result = await service.end(ask)
    assert (told["status"], told["type"]) == (state, "TEXT_TO_SQL")
    assert result["status"] == "finished"


async def test_whoever_comes_back_goes_on_without_gaps_or_repeats() -> None:
    async with shared_scripted_service(script()) as (service, _server):
        ask = await service.ask(QUESTION)
        events = await read_events(service, f"/asks/{ask}/events")
        last = {"Last-Event-ID": str(events[-1][0])}
        assert (await service.call("GET", f"/asks/{ask}/events", headers=last))[0] == 204
        for position, (number, _, _) in enumerate(events):
            assert await read_events(service, f"/asks/{ask}/events", str(number)) == events[position + 1 :]
        assert await read_events(service, f"/asks/{ask}/events", "not-ours") == events


async def test_whoever_listens_while_the_model_writes_hears_of_the_rest() -> None:
    wrong, stuck = Answer(json={"plan": PLAN, "sql": "SELECT nothing"}), Answer(json={"sql": RIGHT}, hang=True)
    async with shared_scripted_service(script(sql_generation=[wrong], sql_correction=[stuck])) as (service, server):
        ask = await service.ask(QUESTION)
        await server.arrived("sql_correction")
        seen = await read_events(service, f"/asks/{ask}/events", until="generating")
        listening = asyncio.create_task(read_events(service, f"/asks/{ask}/events", str(seen[-1][0])))
        await asyncio.sleep(0.1)
        assert not listening.done()
        server.release()
        rest = await listening
    assert [kind for _, kind, _ in rest] == ["state", "done"]


async def test_an_ask_that_fails_ends_with_an_error() -> None:
    async with shared_service() as service:
        service.project = "without-a-model"
        ask = await service.ask("Who are you?")
        events = await read_events(service, f"/asks/{ask}/events")
    assert events[-1][1] == "error"
    assert events[-1][2]["error"]["code"] == "OTHERS"


@pytest.mark.deep
async def test_after_a_restart_the_rest_of_an_ended_ask_comes_from_the_record(tmp_path: Path) -> None:
    async with ChatServer(script()) as server:
        config = write_config(tmp_path, api_base=server.api_base)
        async with service_process(config) as (process, service):
            await service.prepare()
            ask = await service.ask(QUESTION)
            before = await read_events(service, f"/asks/{ask}/events")
            await process.kill()
            await process.start()
            for position, (number, _, _) in enumerate(before):
                rest = await read_events(service, f"/asks/{ask}/events", str(number))
                assert _text(rest) == _text(before[position + 1 :])
                assert rest[-1:] == before[position + 1 :][-1:]
            assert _text(await read_events(service, f"/asks/{ask}/events")) == PLAN


def _text(events: list[tuple[int, str, dict[str, Any]]]) -> str:
    return "".join(data["message"] for _, kind, data in events if kind == "delta")


@pytest.mark.deep
async def test_ids_go_on_growing_when_an_ask_runs_again(tmp_path: Path) -> None:
    stuck = Answer(json={"sql": RIGHT}, hang=True)
    async with ChatServer(script(sql_generation=[stuck])) as server:
        config = write_config(tmp_path, api_base=server.api_base)
        async with service_process(config) as (process, service):
            await service.prepare()
            ask = await service.ask(QUESTION)
            await server.arrived("sql_generation")
            before = await read_events(service, f"/asks/{ask}/events", until="searching")
            await process.kill()
            server.release()
            await process.start()
            after = await read_events(service, f"/asks/{ask}/events", str(before[-1][0]))
    assert after[0][0] > before[-1][0]
    assert after[0][2]["status"] == "queued"
    assert after[-1][1] == "done"


async def test_a_preparation_can_be_followed_to_its_end(tmp_path: Path) -> None:
    async with running_service(write_config(tmp_path)) as service:
        await service.prepare(mdl_hash="m1")
        events = await read_events(service, "/semantics-preparations/m1/events")
        assert (events[-1][1], events[-1][2]["status"]) == ("done", "finished")
        assert {(kind, data["status"]) for _, kind, data in events[:-1]} == {("state", "indexing")}
        for position, (number, _, _) in enumerate(events):
            again = await read_events(service, "/semantics-preparations/m1/events", str(number))
            assert again == events[position + 1 :]


async def test_events_of_what_is_not_there_are_not_found() -> None:
    async with shared_service() as service:
        for path in ("/asks/nope/events", "/semantics-preparations/nope/events"):
            status, body = await service.call("GET", path)
            assert (status, body["code"]) == (404, "NOT_FOUND"), path


async def test_silence_is_filled_with_heartbeats_that_have_no_id() -> None:
    async def events() -> Any:
        yield JobEvent(7, "state", {"status": "planning"})
        await asyncio.sleep(0.08)
        yield JobEvent(8, "done", {"status": "finished"})

    stream = event_stream(events(), asyncio.Event(), heartbeat_seconds=0.01)
    body = [bytes(piece) async for piece in stream.body_iterator]  # type: ignore[arg-type]
    assert body[0] == b'id: 7\nevent: state\ndata: {"status":"planning"}\n\n'
    assert body[-1].startswith(b"id: 8\nevent: done\n")
    assert set(body[1:-1]) == {b"event: heartbeat\ndata: {}\n\n"}


async def test_a_large_end_is_written_once_for_all_readers_and_sent_in_pieces() -> None:
    log = EventLog(ask_kind(), "a", first_id_at(datetime.now(UTC)))
    log.add(Failed(AskError("OTHERS", "€" * 100_000, "…")))
    first, second = [[event async for event in log.read()] for _ in range(2)]
    assert first[0].json is second[0].json

    pieces = [piece async for piece in event_stream(log.read(), asyncio.Event()).body_iterator]
    assert max(map(len, pieces)) <= 65_536
    text = b"".join(map(bytes, pieces))  # type: ignore[arg-type]
    assert json.loads(text.partition(b"data: ")[2])["error"]["message"] == "€" * 100_000


# -- The text of an ask over real HTTP: sent while it is written, in frames that older clients find.


QUESTION_of_text_stream = "What customers and orders could I look at?"
WORDS = 'You can ask about "customers", their countries\nand the orders that they placed, and more besides.'
# What the client of the service that Askwell replaces looks for.
FRAME = re.compile(r'data: {"message":"([\s\S]*?)"}')


def intent(kind: str) -> Answer:
    return Answer(json={"rephrased_question": QUESTION_of_text_stream, "reasoning": "because", "intent": kind})


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
    script = {"sql_generation": [Answer(json={"intent": kind})], stage: [Answer(text=WORDS, chunk_delay=0.1)]}
    async with shared_scripted_service(script) as (service, _server):
        ask = await service.ask(QUESTION_of_text_stream)
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
        ask = await service.ask(QUESTION_of_text_stream)
        await service.end(ask)
        late = await frames(service, ask)
    assert len(late) == 1
    assert late[0][1].startswith('data: {"message":"You can ask')


async def test_the_type_of_words_is_told_with_the_end_only() -> None:
    script = {"sql_generation": [intent("GENERAL")], "data_assistance": [Answer(text=WORDS, chunk_delay=0.05)]}
    async with shared_scripted_service(script) as (service, _server):
        ask = await service.ask(QUESTION_of_text_stream)
        seen = []
        while not seen or seen[-1]["status"] != "finished":
            seen.append(await service.result(ask))
            await asyncio.sleep(0.01)
    assert all("type" not in one for one in seen[:-1])
    assert seen[-1]["type"] == "GENERAL"
