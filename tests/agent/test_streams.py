"""Runs that are stopped, followed, left and come back to, and threads that go while they are talked in."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import uuid
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import yaml
from aiohttp import web

from askwell.knowledge.record import FILE_NAME
from tests.agent.reference import verified
from tests.agent.talking import ASK, Answer, Call, Talk, frames, names, results, talking, told, trader_config, words
from tests.documents.test_documents import add
from tests.support.embedding_server import Embedding
from tests.support.service import running_service

pytestmark = pytest.mark.asyncio(loop_scope="module")

OPEN = Answer(calls=[Call("ask_data", {"question": "how many orders are open?"})])
HARD = "Who among our customers is the keenest spender, roughly?"
HARD_CALL = Answer(text="Let me look.", calls=[Call("ask_data", {"question": HARD})])
WRITTEN = Answer(json={"sql": "SELECT name FROM customers ORDER BY id LIMIT 1"}, hang=True)
SLOW = Answer(text="One two. Three four. Five six. Seven eight. Nine ten.", chunk_delay=0.05)
CHAT, SUGGESTION = "conversation", "conversation_suggestion"


def hanging(**more: Any) -> Answer:
    return Answer(hang=True, **more)


# By where a run is stopped: what the model says, the stage that is waited for, and the step that is open then.
STEPS: dict[str, tuple[dict[str, list[Any]], str, str | None]] = {
    "reformulating": (
        {"question_reformulation": [hanging(json={"question": "x"})]},
        "question_reformulation",
        "reformulate",
    ),
    "pre_tools": ({"sql_generation": [WRITTEN]}, "sql_generation", "pre_tools"),
    "model": ({CHAT: [hanging(text="Hello.")]}, CHAT, "think"),
    "tool": (
        {
            CHAT: [Answer(text="Let me look.", calls=[Call("ask_data", {"question": HARD})])],
            "sql_generation": [WRITTEN],
        },
        "sql_generation",
        "think",
    ),
    "model after a tool": ({CHAT: [ASK, hanging(text="Hello.")]}, CHAT, "think"),
    "suggesting": (
        {CHAT: [ASK, "There are 3."], "conversation_suggestion": [hanging(json={})]},
        "conversation_suggestion",
        "suggest",
    ),
}


async def begun_at(talk: Talk, step: str) -> str:
    """A run that has come to that step and no further; its id."""
    stages, stage, _ = STEPS[step]
    body: dict[str, Any] = {}
    if step == "reformulating":
        talk.script(conversation=["Hello."])
        body["thread_id"] = (await talk.say("How many customers?"))["thread_id"]
    if step == "pre_tools":
        pre_tools = [{"tool": "ask_data", "arguments": {"question": HARD}}]
        assert (await talk.call("PUT", "/v1/agents/slow", json={"pre_tools": pre_tools}))[0] == 200
        body["agent_id"] = "slow"
    talk.script(stages)
    begun = await talk.begin("and per country?" if step == "reformulating" else "How many customers?", **body)
    await talk.server.arrived(stage, 2 if step == "model after a tool" else 1)
    open_step = STEPS[step][2]
    await talk.so_far(begun["run_id"], lambda one: one.get("stepName") == open_step)
    return str(begun["run_id"])


async def stopped_in_order(talk: Talk, run_id: str, step: str | None) -> list[dict[str, Any]]:
    """Stops a run: its model is asked no more, its events end in order, and its thread takes another message."""
    pending = [one for one in talk.server.requests if one.outcome is None]
    await talk.stop(run_id)
    for request in pending:
        assert await talk.server.ended(request) == "abandoned"
    calls = talk.server.calls()
    run = await talk.settled(run_id)
    assert run["status"] == "stopped", run
    talk.server.release()
    events = await talk.events(run_id)
    assert events[-1]["outcome"] == {"type": "cancelled"}
    if step is not None:
        assert events[-2] == {"type": "STEP_FINISHED", "stepName": step}
    assert not [task for task in asyncio.all_tasks() if task.get_name() == f"job-{run_id}"]
    assert talk.server.calls() == calls
    await talk.stop(run_id)
    assert await talk.events(run_id) == events
    talk.script(conversation=["Hello again."])
    again = await talk.say("What is there?", thread_id=run["thread_id"])
    assert again["message"] == "Hello again.", again
    return events


@pytest.mark.parametrize("step", STEPS)
async def test_a_stop_at_every_step(talk: Talk, step: str) -> None:
    run_id = await begun_at(talk, step)
    events = await stopped_in_order(talk, run_id, STEPS[step][2])
    if step == "suggesting":
        assert words(events) == "There are 3."
        _, run = await talk.call("GET", f"/v1/runs/{run_id}")
        own = [one for one in await talk.messages(run["thread_id"]) if one["run_id"] == run_id]
        last = [one for one in own if one["role"] == "assistant"][-1]
        assert last["parts"] == [{"type": "text", "text": "There are 3."}]
    if step in ("tool", "pre_tools"):
        assert (await ended_asks(talk))[-1 if step == "tool" else -2] == "stopped"  # the other agent asks once more


async def ended_asks(talk: Talk) -> list[str]:
    """How the questions of the default project ended, the first one first."""
    _, page = await talk.call("GET", "/v1/asks")
    return [one["status"] for one in reversed(page["asks"])]


async def test_a_stop_while_text_is_written(talk: Talk) -> None:
    talk.script(conversation=[SLOW])
    begun = await talk.begin("Hello?")
    await talk.so_far(begun["run_id"], lambda one: one["type"] == "TEXT_MESSAGE_CONTENT")
    events = await stopped_in_order(talk, begun["run_id"], "think")
    parts = [one["parts"] for one in await talk.messages(begun["thread_id"]) if one["run_id"] == begun["run_id"]][-1]
    assert parts == [{"type": "text", "text": words(events), "is_cut": True}]
    assert 0 < len(words(events)) < len(SLOW.text or "")


async def test_a_stop_while_something_is_asked_back(talk: Talk) -> None:
    talk.script(conversation=[OPEN, "Done."])
    run = await talk.say("How many orders are open?")
    answer = {"interrupt_id": run["interrupts"][0]["id"], "payload": "1"}
    events = await stopped_in_order(talk, run["run_id"], None)
    assert names(events)[-2:] == ["RUN_STARTED", "RUN_FINISHED"]
    assert (await talk.call("POST", f"/v1/runs/{run['run_id']}/input", json=answer))[0] == 409
    assert (await ended_asks(talk))[-1] == "stopped"


async def test_a_stop_while_it_is_queued(tmp_path: Path) -> None:
    async with talking(tmp_path, {"conversation": [hanging(text="Hello.")]}, agent={"concurrency": 1}) as talk:
        first = await talk.begin("Hello?")
        await talk.server.arrived(CHAT)
        second = await talk.begin("Are you there?")
        assert (await talk.call("GET", f"/v1/runs/{second['run_id']}"))[1]["status"] == "queued"
        await talk.stop(second["run_id"])
        events = await talk.events(second["run_id"])
        assert names(events) == ["RUN_STARTED", "RUN_FINISHED"]
        talk.server.release()
        assert (await talk.settled(first["run_id"]))["message"] == "Hello."
        assert talk.server.calls() == 1
        assert [one["role"] for one in await talk.messages(second["thread_id"])] == ["user"]


class Holding(Embedding):
    """A server whose embeddings may be held back for ever."""

    holds = False

    def __init__(self, script: Mapping[str, list[Answer]]) -> None:
        super().__init__(script)
        self.held = asyncio.Event()

    async def embeddings(self, http: web.Request) -> web.StreamResponse:
        if self.holds:
            self.held.set()
            await asyncio.Event().wait()
        return await super().embeddings(http)


async def test_a_stop_while_documents_are_searched(tmp_path: Path) -> None:
    async with Holding({}) as server:
        config, model = trader_config(tmp_path, server)
        embedder = {"provider": "openai", "model": "e", "dimensions": 384, "api_base": server.api_base}
        config.write_text(yaml.safe_dump(yaml.safe_load(config.read_text()) | {"embedder": {"default": embedder}}))
        async with running_service(config) as service:
            assert (await service.prepare(model))["status"] == "finished"
            await add(service, "Vans", "# Vans\n\nThe van leaves on Tuesdays.")
            talk = Talk(service, server, tmp_path, model)
            talk.script(conversation=["Hello."])
            server.holds = True
            begun = await talk.begin("When does the van leave?")
            await server.held.wait()
            await talk.so_far(begun["run_id"], lambda one: one.get("stepName") == "passages")
            await talk.stop(begun["run_id"])
            server.holds = False
            events = await talk.events(begun["run_id"])
            assert names(events)[-3:] == ["STEP_STARTED", "STEP_FINISHED", "RUN_FINISHED"]
            assert talk.asked() == []
            assert (await talk.say("When does the van leave?"))["message"] == "Hello."


# -- following ---------------------------------------------------------------------------------------------------------


async def test_a_reader_who_comes_back_at_any_place_gets_the_rest(talk: Talk) -> None:
    talk.script(conversation=[OPEN, "3 orders are open. That is all."])
    run = await talk.say("How many orders are open?")
    await talk.give(run, "2")
    events = await talk.events(run["run_id"])
    assert names(events).count("RUN_STARTED") == 2
    for place in range(len(events) + 1):
        assert await talk.events(run["run_id"], place) == events[place:], place
    assert await talk.events(run["run_id"], len(events) + 10) == []


async def test_ids_of_events_are_their_places(talk: Talk) -> None:
    talk.script(conversation=[ASK, "There are 3 customers."])
    run = await talk.say("How many customers?")
    async with talk.service.session.get(f"{talk.service.url}/v1/runs/{run['run_id']}/events") as answer:
        lines = (await answer.text()).splitlines()
    ids = [int(line.removeprefix("id: ")) for line in lines if line.startswith("id: ")]
    assert ids == [*range(1, len(ids) + 1)]
    assert len(ids) == len(await talk.events(run["run_id"]))


@pytest.mark.parametrize("place", ["-1", "x", "1e3", "٣", "9" * 30])
async def test_a_place_that_is_none_is_the_beginning(talk: Talk, place: str) -> None:
    talk.script(conversation=["Hello."])
    run = await talk.say("Hello?")
    url = f"{talk.service.url}/v1/runs/{run['run_id']}/events"
    async with talk.service.session.get(url, headers={"Last-Event-ID": place.encode().decode("latin-1")}) as answer:
        assert frames(await answer.text()) == await talk.events(run["run_id"])


async def test_a_client_that_goes_away_and_comes_back_while_it_goes_on(talk: Talk) -> None:
    talk.script(conversation=[ASK, SLOW])
    begun = await talk.begin("How many customers?")
    first = await talk.so_far(begun["run_id"], lambda one: one["type"] == "TEXT_MESSAGE_CONTENT")
    second = await talk.events(begun["run_id"], len(first))
    whole = await talk.events(begun["run_id"])
    assert first + second == whole
    verified(whole)
    assert words(whole) == SLOW.text
    assert (await talk.settled(begun["run_id"]))["message"] == SLOW.text


async def test_a_run_goes_on_where_its_agui_client_goes_away(talk: Talk) -> None:
    talk.script(conversation=[hanging(text="Hello.")])
    thread, run_id = uuid.uuid4().hex, uuid.uuid4().hex
    body = {"threadId": thread, "runId": run_id, "messages": [{"id": "m", "role": "user", "content": "Hello?"}]}
    async with talk.service.session.post(f"{talk.service.url}/v1/agent", json=body) as answer:
        await answer.content.readline()
    await talk.server.arrived(CHAT)
    talk.server.release()
    events = await talk.agui("Hello?", thread, run_id)
    assert words(events) == "Hello."
    assert talk.server.calls() == 1
    assert len(await talk.messages(thread)) == 2


async def test_many_readers_at_once_get_the_same(talk: Talk) -> None:
    talk.script(conversation=[ASK, SLOW])
    begun = await talk.begin("How many customers?")
    found = await asyncio.gather(*(talk.events(begun["run_id"]) for _ in range(10)))
    assert all(one == found[0] for one in found)


async def test_the_same_message_with_the_same_key_is_one(talk: Talk) -> None:
    talk.script(conversation=["Hello."])
    headers, thread = {"Idempotency-Key": uuid.uuid4().hex}, uuid.uuid4().hex
    body = {"message": "Hello?", "thread_id": thread}
    first = await talk.call("POST", "/v1/chats", json=body, headers=headers)
    await talk.settled(first[1]["run_id"])
    assert await talk.call("POST", "/v1/chats", json=body, headers=headers) == first
    assert len(await talk.messages(thread)) == 2
    other = await talk.call("POST", "/v1/chats", json=body | {"message": "Bye"}, headers=headers)
    assert other[0] == 422


async def test_the_id_of_a_run_belongs_to_its_thread(talk: Talk) -> None:
    talk.script(conversation=["Hello."])
    thread, run_id = uuid.uuid4().hex, uuid.uuid4().hex
    await talk.agui("Hello?", thread, run_id)
    body = {"threadId": "another", "runId": run_id, "messages": [{"id": "m", "role": "user", "content": "Hello?"}]}
    assert (await talk.call("POST", "/v1/agent", json=body))[0] == 422


# -- one run at a time -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("waits", [False, True], ids=["running", "waiting"])
async def test_a_thread_has_one_run_at_a_time(talk: Talk, waits: bool) -> None:
    talk.script(conversation=[OPEN, "Done."] if waits else [hanging(text="Hello.")])
    begun = await talk.begin("How many orders are open?")
    if waits:
        await talk.settled(begun["run_id"])
    body = {"message": "And now?", "thread_id": begun["thread_id"], "variables": {"colour": "red"}}
    status, error = await talk.call("POST", "/v1/chats", json=body)
    assert (status, error["code"]) == (409, "CONFLICT")
    agui = {
        "threadId": begun["thread_id"],
        "runId": uuid.uuid4().hex,
        "messages": [{"id": "m", "role": "user", "content": "And now?"}],
        "state": {"variables": {"colour": "red"}},
    }
    assert (await talk.call("POST", "/v1/agent", json=agui))[0] == 409
    assert len([one for one in await talk.messages(begun["thread_id"]) if one["role"] == "user"]) == 1
    assert (await talk.call("GET", f"/v1/threads/{begun['thread_id']}"))[1]["variables"] == {}
    await talk.stop(begun["run_id"])


async def test_of_many_messages_at_once_one_is_taken(talk: Talk) -> None:
    talk.script(conversation=[hanging(text="Hello.")])
    thread = uuid.uuid4().hex
    body = {"message": "Hello?", "thread_id": thread}
    found = await asyncio.gather(*(talk.call("POST", "/v1/chats", json=body) for _ in range(8)))
    assert sorted(status for status, _ in found) == [202, *[409] * 7]
    talk.server.release()
    [run_id] = [answer["run_id"] for status, answer in found if status == 202]
    assert (await talk.settled(run_id))["message"] == "Hello."
    assert len(await talk.messages(thread)) == 2


# -- deleting ----------------------------------------------------------------------------------------------------------


def left(folder: Path, thread: str, runs: list[str]) -> dict[str, int]:
    """By table, how many rows name a thread or one of its runs in any way."""
    found = {}
    with closing(sqlite3.connect(folder / "home" / FILE_NAME)) as connection:
        for table in ("threads", "messages", "run_events", "client_runs", "jobs"):
            rows = [json.dumps(row) for row in connection.execute(f"SELECT * FROM {table}").fetchall()]
            found[table] = sum(any(one in row for one in (thread, *runs)) for row in rows)
    return found


NOTHING = {"threads": 0, "messages": 0, "run_events": 0, "client_runs": 0, "jobs": 0}
MARKED = {"question": "how many customers are there?"}


@pytest.mark.parametrize("step", ["nothing", "waiting", *(step for step in STEPS if step != "reformulating")])
async def test_deleting_a_thread_leaves_nothing(talk: Talk, step: str) -> None:
    if step in ("nothing", "waiting"):
        talk.script(conversation=[ASK if step == "nothing" else OPEN, "There are 3."])
        run_id = (await talk.say("How many customers?"))["run_id"]
    else:
        run_id = await begun_at(talk, step)
    _, run = await talk.call("GET", f"/v1/runs/{run_id}")
    thread = run["thread_id"]
    assert left(talk.folder, thread, [run_id])["messages"] > 0
    status, _ = await talk.call("DELETE", f"/v1/threads/{thread}")
    assert status == 200
    talk.server.release()
    assert left(talk.folder, thread, [run_id]) == NOTHING
    for path in (f"threads/{thread}", f"threads/{thread}/messages", f"runs/{run_id}", f"runs/{run_id}/events"):
        assert (await talk.call("GET", f"/v1/{path}"))[0] == 404, path
    assert (await talk.call("DELETE", f"/v1/threads/{thread}"))[0] == 404
    talk.script(conversation=["Hello."])
    again = await talk.say("Hello?", thread_id=thread)
    assert again["message"] == "Hello."
    assert len(await talk.messages(thread)) == 2
    await talk.call("DELETE", f"/v1/threads/{thread}")


async def test_deleting_takes_what_tools_have_left_in_the_record(talk: Talk) -> None:
    """Charts are jobs too; and a model may give a question another name of a thread."""
    mark = f"customers of {uuid.uuid4().hex}"
    calls = [
        Call("make_chart", {"query": mark, "sql": "SELECT country, COUNT(*) AS n FROM customers GROUP BY country"}),
        Call("ask_data", {"question": "how many customers are there?", "thread_id": mark}),
    ]
    talk.script(conversation=[Answer(calls=calls), "There are 3."])
    thread = uuid.uuid4().hex
    events = await talk.agui("How many customers?", thread, uuid.uuid4().hex)
    assert names(events).count("TOOL_CALL_RESULT") == 2
    assert (await talk.call("DELETE", f"/v1/threads/{thread}"))[0] == 200
    assert left(talk.folder, thread, [mark]) == NOTHING


async def test_readers_of_a_thread_that_is_deleted_come_to_an_end(talk: Talk) -> None:
    talk.script(conversation=[hanging(text="Hello.")])
    begun = await talk.begin("Hello?")
    await talk.server.arrived(CHAT)
    is_there = asyncio.Event()
    reading = asyncio.create_task(talk.so_far(begun["run_id"], lambda one: is_there.set()))
    async with asyncio.timeout(10):
        await is_there.wait()
    assert (await talk.call("DELETE", f"/v1/threads/{begun['thread_id']}"))[0] == 200
    async with asyncio.timeout(10):
        events = await reading
    assert events[0]["type"] == "RUN_STARTED"


# -- suggestions -------------------------------------------------------------------------------------------------------

THREE = ["How many per country?", "Which are the newest?", "Who buys most?"]
# What the model writes, and what is suggested.
WRITES: list[tuple[Any, list[str] | None]] = [
    ({"questions": THREE}, THREE),
    ({"questions": [*THREE, "And a fourth?"]}, THREE),
    (THREE, THREE),
    ({"questions": [{"question": one} for one in THREE]}, THREE),
    ({"questions": ["How many customers?", *THREE]}, THREE),
    ({"questions": ["how MANY customers", *THREE[:2]]}, None),
    ({"questions": [THREE[0], *THREE]}, THREE),
    ({"questions": [THREE[0], THREE[0], THREE[1]]}, None),
    ({"questions": THREE[:2]}, None),
    ({"questions": ["", " ", None, 7, *THREE]}, THREE),
    ({"nothing": 1}, None),
    ("Why not ask how many there are?", None),
]


@pytest.mark.parametrize(("written", "suggested"), WRITES)
async def test_three_suggestions_or_none(talk: Talk, written: Any, suggested: list[str] | None) -> None:
    text = written if isinstance(written, str) else json.dumps(written)
    talk.script(conversation=[ASK, "There are 3 customers."], conversation_suggestion=[text])
    run = await talk.say("How many customers?")
    assert run.get("suggested_questions") == suggested
    assert told(await talk.events(run["run_id"]), "suggestions") == ([suggested] if suggested else [])


async def test_what_was_asked_before_is_not_suggested(talk: Talk) -> None:
    talk.script(
        conversation=[ASK, "There are 3 customers."],
        conversation_suggestion=[json.dumps({"questions": THREE})],
    )
    first = await talk.say(THREE[1])
    assert "suggested_questions" not in first
    assert THREE[1] in talk.asked("conversation_suggestion")[0].user
    second = await talk.say("How many customers?", thread_id=first["thread_id"])
    assert "suggested_questions" not in second


async def test_a_model_that_cannot_suggest_costs_no_answer(talk: Talk) -> None:
    talk.script(conversation=[ASK, "There are 3 customers."], conversation_suggestion=[Answer(status=400)])
    run = await talk.say("How many customers?")
    assert (run["status"], run["message"]) == ("finished", "There are 3 customers.")
    assert "suggested_questions" not in run


@pytest.mark.parametrize("how", ["without data", "switched off"])
async def test_nothing_is_suggested(talk: Talk, how: str) -> None:
    assert (await talk.call("PUT", "/v1/agents/silent", json={"suggest": False}))[0] == 200
    said = ["Hello."] if how == "without data" else [ASK, "Three."]
    talk.script(conversation=said)
    run = await talk.say("Hello?", agent_id="silent" if how == "switched off" else "default")
    assert "suggested_questions" not in run
    assert talk.asked("conversation_suggestion") == []


# -- What happens before an agent's model is asked: follow-ups are written out, documents searched, tools called.


ALONE = "How many customers are there per country?"
RETURNS = "# Returns\n\nCustomers may send goods back within thirty days.\n\n# Vans\n\nThe van leaves on Tuesdays."
BACK = "How many days may customers send goods back?"


async def project(talk: Talk, name: str, *documents: tuple[str, str, list[str]]) -> str:
    """A project of its own with these documents (title, text, tags)."""
    assert (await talk.service.prepare(talk.model, project_id=name))["status"] == "finished"
    for title, text, tags in documents:
        event = await add(talk.service, title, text, tags=tags, project_id=name)
        assert event["status"] == "finished", event
    return name


@pytest.mark.parametrize("follow_up", ["and per country?", "only those in Italy", "what about 2025?", "by country"])
async def test_a_message_that_leans_on_earlier_ones_is_written_out(talk: Talk, follow_up: str) -> None:
    talk.script(
        conversation=[ASK, "There are 3 customers.", "Two in Italy, one in Germany."],
        question_reformulation=[Answer(json={"question": ALONE})],
    )
    first = await talk.say("How many customers do we have?")
    run = await talk.say(follow_up, thread_id=first["thread_id"])
    assert run["status"] == "finished", run
    [asked] = talk.asked("question_reformulation")
    assert "How many customers do we have?" in asked.user
    assert follow_up in asked.user
    last = talk.asked()[-1].messages
    assert [one["role"] for one in last] == ["system", "user", "assistant", "user"]
    assert ALONE in last[-1]["content"]
    events = await talk.events(run["run_id"])
    assert next(one["stepName"] for one in events if one["type"] == "STEP_STARTED") == "reformulate"
    assert told(events, "question") == [{"question": ALONE}]
    messages = await talk.messages(run["thread_id"])
    assert [one["parts"][0]["text"] for one in messages if one["role"] == "user"][-1] == follow_up


async def test_a_whole_message_stays_as_it_is(talk: Talk) -> None:
    talk.script(conversation=["Hello.", "Many."])
    first = await talk.say("and you?")  # nothing was said before
    await talk.say("How many suppliers does Kiel have?", thread_id=first["thread_id"])
    assert talk.asked("question_reformulation") == []
    assert "How many suppliers does Kiel have?" in talk.asked()[-1].messages[-1]["content"]


async def test_passages_reach_the_first_call_and_marks_are_cited(talk: Talk) -> None:
    name = await project(talk, "passages", ("Shop rules", RETURNS, []))
    talk.script(conversation=["Within thirty days [1] [7]. See [12, 1]."])
    run = await talk.say(BACK, project_id=name)
    [asked] = talk.asked()
    block = asked.user.partition("\n<passages>\n")[2].partition("</passages>")[0]
    assert '<passage number="1">\nDocument: Shop rules\nPlace: Returns\nCustomers may send goods back' in block
    assert run["message"].startswith("Within thirty days [1]. See [1]")
    assert "[7]" not in run["message"]
    events = await talk.events(run["run_id"])
    [citations] = told(events, "citations")
    assert citations == run["citations"]
    for one in run["citations"]:
        assert run["message"][one["start"] : one["end"]] == f"[{one['n']}]"
        assert (one["title"], one["locator"]) == ("Shop rules", "Returns")
        assert one["quote"] == "Customers may send goods back within thirty days."
    parts = (await talk.messages(run["thread_id"], name))[-1]["parts"]
    assert [part["type"] for part in parts] == ["text", "citation", "citation"]


async def test_marks_of_what_was_written_anew_stand_where_they_are_cited(talk: Talk) -> None:
    name = await project(talk, "corrected", ("Shop rules", RETURNS, []))
    talk.script(conversation=["Within thirty days [1]. They sent 77123 back.", "How many did is not known [1]."])
    run = await talk.say(BACK, project_id=name)
    assert run["message"] == "Within thirty days [1]. How many did is not known [1]."
    assert [run["message"][one["start"] : one["end"]] for one in run["citations"]] == ["[1]", "[1]"]
    assert len({one["start"] for one in run["citations"]}) == 2


async def test_what_a_search_finds_can_be_cited(talk: Talk) -> None:
    name = await project(talk, "searched", ("Shop rules", RETURNS, ["rules"]))
    await talk.call("PUT", "/v1/agents/bare", json={"knowledge": {"top_k": 0}, "project_id": name})
    search = Answer(calls=[Call("search_passages", {"query": BACK})])
    talk.script(conversation=[search, "Within thirty days [1], and not [9]."])
    run = await talk.say(BACK, project_id=name, agent_id="bare")
    first, second = talk.asked()
    assert "<passages>" not in first.user
    found = json.loads(second.tool_results["call_0"])["passages"]
    assert found[0]["mark"] == "[1]"
    assert run["message"].startswith("Within thirty days [1], and not")
    assert "[9]" not in run["message"]
    assert [(one["n"], one["title"]) for one in run["citations"]] == [(1, "Shop rules")]


async def test_a_passage_that_is_found_again_keeps_its_mark(talk: Talk) -> None:
    name = await project(talk, "again", ("Shop rules", RETURNS, []))
    search = Answer(
        calls=[
            Call(
                "search_passages",
                {"query": "days when customers may send goods back, and Tuesdays, when the van leaves"},
            )
        ]
    )
    talk.script(conversation=[search, "Thirty days [1], Tuesdays [2]."])
    run = await talk.say(BACK, project_id=name)
    by_text = {one["text"].split()[0]: one["mark"] for one in results(await talk.events(run["run_id"]))[0]["passages"]}
    shown = talk.asked()[0].user
    assert by_text["Customers"] == "[1]"
    assert ('<passage number="2">' in shown) == ("The van leaves" in shown)
    assert by_text["The"] == "[2]"
    assert [one["locator"] for one in run["citations"]] == ["Returns", "Vans"]


async def test_an_agent_searches_the_documents_of_its_tags(talk: Talk) -> None:
    other = ("Old rules", RETURNS.replace("thirty", "ninety"), ["old"])
    name = await project(talk, "tagged", ("Shop rules", RETURNS, ["rules"]), other)
    agent = {"knowledge": {"tags": ["rules"]}, "project_id": name}
    assert (await talk.call("PUT", "/v1/agents/rules", json=agent))[0] == 200
    talk.script(conversation=["Within thirty days [1]."])
    run = await talk.say(BACK, project_id=name, agent_id="rules")
    assert "thirty" in talk.asked()[0].user
    assert "ninety" not in talk.asked()[0].user
    assert run["citations"][0]["title"] == "Shop rules"


async def test_tools_that_are_set_up_are_called_before_the_model(talk: Talk) -> None:
    pre_tools = [
        {"tool": "find_values", "arguments": {"text": "{{question}}"}},
        {"tool": "run_sql", "arguments": {"sql": "SELECT COUNT(*) AS n FROM customers"}},
        {"tool": "run_sql", "arguments": {"sql": "DROP TABLE customers"}},
        {"tool": "find_tables", "arguments": {"query": "{{question}} {{question}}", "limit": "many"}},
    ]
    assert (await talk.call("PUT", "/v1/agents/prepared", json={"pre_tools": pre_tools, "tools": []}))[0] == 200
    talk.script(conversation=["There are 3, of which Ann is in Germany."])
    run = await talk.say("Is Ann in Germany?", agent_id="prepared")
    assert run["status"] == "finished", run
    assert run["message"] == "There are 3, of which Ann is in Germany."
    [asked] = talk.asked()
    assert asked.tools == []
    block = asked.user.partition("<looked_up>")[2].partition("</looked_up>")[0]
    assert '"value":"Ann"' in block
    assert '"rows":[[3]]' in block
    assert "SQL_REFUSED" in block
    assert "BAD_ARGUMENTS" in block
    events = await talk.events(run["run_id"])
    assert names(events).index("TOOL_CALL_START") > names(events).index("STEP_STARTED")
    arguments = [json.loads(one["delta"]) for one in events if one["type"] == "TOOL_CALL_ARGS"]
    assert arguments[0] == {"text": "Is Ann in Germany?"}
    assert arguments[3]["query"] == "Is Ann in Germany? Is Ann in Germany?"
    assert ["error" in one for one in results(events)] == [False, False, True, True]


async def test_nobody_is_asked_back_before_the_model(talk: Talk) -> None:
    pre_tools = [{"tool": "ask_data", "arguments": {"question": "{{question}}"}}]
    await talk.call("PUT", "/v1/agents/asking", json={"pre_tools": pre_tools})
    talk.script(conversation=["Which orders do you mean?"])
    run = await talk.say("how many orders are open?", agent_id="asking")
    assert run["message"] == "Which orders do you mean?"
    _, page = await talk.call("GET", "/v1/asks?limit=1")
    assert page["asks"][0]["status"] in ("finished", "failed")  # and does not wait for anybody


async def test_what_tools_find_beforehand_is_of_the_whole_question(talk: Talk) -> None:
    pre_tools = [{"tool": "find_values", "arguments": {"text": "{{question}}"}}]
    await talk.call("PUT", "/v1/agents/whole", json={"pre_tools": pre_tools})
    talk.script(conversation=["Hello.", "One."], question_reformulation=[Answer(json={"question": "Is Bob in Italy?"})])
    first = await talk.say("Is Ann in Germany?", agent_id="whole")
    run = await talk.say("and Bob?", thread_id=first["thread_id"])
    arguments = [one["delta"] for one in await talk.events(run["run_id"]) if one["type"] == "TOOL_CALL_ARGS"]
    assert arguments == ['{"text": "Is Bob in Italy?"}']
