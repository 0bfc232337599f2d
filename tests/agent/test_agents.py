"""Agents as people define them, variables, personas, projects that see nothing of each other, and no model at all."""

from __future__ import annotations

import json
import uuid
from pathlib import Path
from typing import Any

import pytest

from askwell.agent.definition import MOST_VARIABLES
from askwell.knowledge.threads import MOST_AGENTS
from tests.agent.talking import ASK, Answer, Call, Talk, names, results, talking, words
from tests.agent.test_streams import project
from tests.support.service import prepared_service
from tests.support.tables import case_table

pytestmark = pytest.mark.asyncio(loop_scope="module")

VARIABLES = [
    {"name": "tone", "description": "How to speak", "default": "friendly", "writable_by_model": True},
    {"name": "region", "description": "Whose figures", "default": "north"},
]


def remember(name: str, value: str) -> Answer:
    return Answer(calls=[Call("remember", {"name": name, "value": value})])


async def put(talk: Talk, agent_id: str, status: int = 200, **definition: Any) -> dict[str, Any]:
    found, body = await talk.call("PUT", f"/v1/agents/{agent_id}", json=definition)
    assert found == status, body
    answer: dict[str, Any] = body
    return answer


# -- definitions -------------------------------------------------------------------------------------------------------


async def test_agents_are_kept_listed_changed_and_deleted(talk: Talk) -> None:
    whole = case_table(__file__, "whole")
    put_ = await put(talk, "erika", **whole)
    assert put_ == {"id": "erika", **whole, "variables": [{"writable_by_model": False, **one} for one in VARIABLES]}
    assert (await talk.call("GET", "/v1/agents/erika")) == (200, put_)
    _, listed = await talk.call("GET", "/v1/agents")
    assert {"default", "erika"} <= {one["id"] for one in listed["agents"]}
    assert (await put(talk, "erika", name="Erik"))["persona"] == ""
    assert (await talk.call("DELETE", "/v1/agents/erika")) == (200, {"deleted": "erika"})
    for method in ("GET", "DELETE"):
        status, error = await talk.call(method, "/v1/agents/erika")
        assert (status, error["code"]) == (404, "NOT_FOUND")
    body = {"message": "Hello?", "agent_id": "erika"}
    status, error = await talk.call("POST", "/v1/chats", json=body)
    assert (status, error["code"]) == (404, "NOT_FOUND")


async def test_the_default_agent_may_be_defined_and_comes_back(talk: Talk) -> None:
    try:
        await put(talk, "default", name="Someone else")
        talk.script(conversation=["Hello."])
        await talk.say("Hello?")
        assert "You are Someone else." in talk.asked()[0].system
    finally:
        assert (await talk.call("DELETE", "/v1/agents/default"))[0] == 200
    assert (await talk.call("GET", "/v1/agents/default"))[1]["name"] == "Askwell"
    assert (await talk.call("DELETE", "/v1/agents/default"))[0] == 200


# What cannot be defined, and a word of the problem.
PROBLEMS: list[tuple[dict[str, Any], str]] = [
    ({"tools": ["ask_date"]}, "nearest: ask_data"),
    ({"tools": ["remember_all", "ask_data", "shell"]}, "shell"),
    ({"pre_tools": [{"tool": "shell"}]}, "shell"),
    ({"model": "gpt-9"}, "gpt-9"),
    ({"variables": [{"name": "tone"}, {"name": "tone"}]}, "Two variables are called tone"),
    ({"variables": [{"name": "a b"}]}, ""),
    ({"variables": [{"name": "1a"}]}, ""),
    ({"variables": [{"name": "tone", "default": "x" * 1_001}]}, ""),
    ({"variables": [{"name": f"v{n}"} for n in range(MOST_VARIABLES + 1)]}, ""),
    ({"persona": "x" * 4_001}, ""),
    ({"knowledge": {"top_k": 11}}, ""),
    ({"pre_tools": [{"tool": "find_tables", "arguments": {"query": "x"}}] * 6}, ""),
    ({"name": ""}, ""),
]


@pytest.mark.parametrize(("definition", "problem"), PROBLEMS)
async def test_an_agent_that_cannot_be(talk: Talk, definition: dict[str, Any], problem: str) -> None:
    error = await put(talk, "broken", 422, **definition)
    assert problem in json.dumps(error)
    assert (await talk.call("GET", "/v1/agents/broken"))[0] == 404


async def test_a_project_has_a_hundred_agents(talk: Talk) -> None:
    for number in range(MOST_AGENTS):
        await put(talk, f"a{number}", project_id="crowded")
    error = await put(talk, "one-more", 422, project_id="crowded")
    assert str(MOST_AGENTS) in error["message"]
    await put(talk, "a7", project_id="crowded", name="Anew")  # one that is there may still be changed
    assert (await talk.call("DELETE", "/v1/agents/a8?project_id=crowded"))[0] == 200
    await put(talk, "one-more", project_id="crowded")
    _, listed = await talk.call("GET", "/v1/agents?project_id=crowded")
    assert len(listed["agents"]) == MOST_AGENTS + 1


async def test_an_agent_speaks_by_its_model(tmp_path: Path) -> None:
    async with talking(tmp_path, {"conversation": ["Hello."]}) as talk:
        await put(talk, "plain", model="default")
        await talk.say("Hello?", agent_id="plain")
        assert talk.asked()[0].body["model"] == "gpt-test"


# -- persona and variables ---------------------------------------------------------------------------------------------


async def test_a_persona_is_shown_fenced(talk: Talk) -> None:
    persona = "Speak of {{question}} and {{ now }} in rhymes.\nAlways."
    await put(talk, "poet", persona=persona, name="Poet")
    talk.script(conversation=["Hello."])
    await talk.say("Hello?", agent_id="poet")
    [asked] = talk.asked()
    assert f"<persona>\n{persona}\n</persona>" in asked.system
    assert "You are Poet." in asked.system


async def test_a_persona_for_suggestions(talk: Talk) -> None:
    await put(talk, "bold", suggest_persona="Suggest boldly.")
    talk.script(conversation=[ASK, "There are 3 customers."])
    await talk.say("How many customers?", agent_id="bold")
    assert "<persona>\n- The people" not in talk.asked("conversation_suggestion")[0].system
    assert "<persona>\nSuggest boldly.\n</persona>" in talk.asked("conversation_suggestion")[0].system


async def test_variables_have_defaults_and_may_be_set(talk: Talk) -> None:
    await put(talk, "variable", variables=VARIABLES)
    talk.script(conversation=["Hello."])
    run = await talk.say("Hello?", agent_id="variable", variables={"region": "south", "own": "x"})
    shown = "<variables>\ntone (How to speak): friendly\nregion (Whose figures): south\nown: x\n</variables>"
    assert shown in talk.asked()[0].user
    snapshots = [one["snapshot"] for one in await talk.events(run["run_id"]) if one["type"] == "STATE_SNAPSHOT"]
    assert snapshots == [{"variables": {"tone": "friendly", "region": "south", "own": "x"}}]
    where = f"/v1/threads/{run['thread_id']}"
    status, thread = await talk.call("PATCH", where, json={"variables": {"tone": "curt"}, "title": "Mine"})
    assert (status, thread["title"]) == (200, "Mine")
    assert thread["variables"] == {"region": "south", "own": "x", "tone": "curt"}
    await talk.say("Hello?", thread_id=run["thread_id"])
    assert "tone (How to speak): curt" in talk.asked()[1].user


async def test_a_client_s_state_sets_variables(talk: Talk) -> None:
    thread = uuid.uuid4().hex
    talk.script(conversation=["Hello."])
    first = await talk.agui("Hello?", thread, state={"variables": {"colour": "red", "number": 7}, "other": 1})
    assert [one["snapshot"] for one in first if one["type"] == "STATE_SNAPSHOT"] == [{"variables": {"colour": "red"}}]
    second = await talk.agui("Hello?", thread, state={"variables": {"colour": "blue"}})
    assert second[1]["snapshot"] == {"variables": {"colour": "blue"}}


@pytest.mark.parametrize(
    "variables",
    [{"a b": "x"}, {"tone": "x" * 1_001}, {f"v{n}": "" for n in range(MOST_VARIABLES + 1)}, {"tone": 7}, {"": "x"}],
)
async def test_variables_that_cannot_be(talk: Talk, variables: dict[str, Any]) -> None:
    talk.script(conversation=["Hello."])
    run = await talk.say("Hello?")
    body = {"variables": variables}
    assert (await talk.call("PATCH", f"/v1/threads/{run['thread_id']}", json=body))[0] == 422
    assert (await talk.call("POST", "/v1/chats", json={"message": "Hello?", **body}))[0] == 422
    assert (await talk.call("POST", "/v1/threads", json=body))[0] == 422


async def test_a_thread_has_no_more_than_fifty_variables(talk: Talk) -> None:
    talk.script(conversation=["Hello."])
    run = await talk.say("Hello?", variables={f"v{n}": "" for n in range(MOST_VARIABLES)})
    body = {"variables": {"more": "x"}}
    assert (await talk.call("PATCH", f"/v1/threads/{run['thread_id']}", json=body))[0] == 422
    status, _ = await talk.call("POST", "/v1/chats", json={"message": "And?", "thread_id": run["thread_id"], **body})
    assert status == 422
    again = await talk.say("Hello?", thread_id=run["thread_id"])
    assert again["message"] == "Hello."


async def test_the_model_remembers_what_it_may(talk: Talk) -> None:
    await put(talk, "remembering", variables=VARIABLES)
    talk.script(conversation=[remember("tone", "formal"), "Very well.", "Good day."])
    run = await talk.say("Be formal please", agent_id="remembering")
    assert "remember" in talk.asked()[0].tools
    events = await talk.events(run["run_id"])
    snapshots = [one["snapshot"]["variables"]["tone"] for one in events if one["type"] == "STATE_SNAPSHOT"]
    assert snapshots == ["friendly", "formal"]
    assert results(events) == [{"name": "tone", "value": "formal"}]
    _, thread = await talk.call("GET", f"/v1/threads/{run['thread_id']}")
    assert thread["variables"] == {"tone": "formal"}
    await talk.say("Hello?", thread_id=run["thread_id"])
    assert "tone (How to speak): formal" in talk.asked()[-1].user


@pytest.mark.parametrize(
    ("name", "value", "code"),
    [("region", "south", "NOT_ALLOWED"), ("new", "x", "NOT_ALLOWED"), ("tone", "x" * 1_001, "BAD_ARGUMENTS")],
)
async def test_the_model_does_not_remember_what_it_may_not(talk: Talk, name: str, value: str, code: str) -> None:
    await put(talk, "remembering", variables=VARIABLES)
    talk.script(conversation=[remember(name, value), "I cannot."])
    run = await talk.say("Remember that", agent_id="remembering")
    [found] = results(await talk.events(run["run_id"]))
    assert found["error"]["code"] == code
    _, thread = await talk.call("GET", f"/v1/threads/{run['thread_id']}")
    assert thread["variables"] == {}


async def test_without_variables_there_is_nothing_to_remember(talk: Talk) -> None:
    await put(talk, "forgetful", variables=[VARIABLES[1]])
    talk.script(conversation=[remember("region", "south"), "I cannot."])
    run = await talk.say("Remember that", agent_id="forgetful")
    assert "remember" not in talk.asked()[0].tools
    assert "remember" in talk.asked()[1].tool_results["call_0"]
    assert names(await talk.events(run["run_id"])).count("STATE_SNAPSHOT") == 1


async def test_two_things_are_remembered_at_once(talk: Talk) -> None:
    both = [VARIABLES[0], VARIABLES[1] | {"writable_by_model": True}]
    await put(talk, "both", variables=both)
    calls = [*remember("tone", "formal").calls, *remember("region", "south").calls]
    talk.script(conversation=[Answer(calls=calls), "Very well."])
    run = await talk.say("Be formal, and south", agent_id="both")
    _, thread = await talk.call("GET", f"/v1/threads/{run['thread_id']}")
    assert thread["variables"] == {"tone": "formal", "region": "south"}


# -- threads -----------------------------------------------------------------------------------------------------------


async def test_threads_are_made_listed_and_talked_in(talk: Talk) -> None:
    await put(talk, "threaded", name="Thread", project_id="threads")
    body = {"title": "First", "agent_id": "threaded", "variables": {"tone": "curt"}, "project_id": "threads"}
    status, thread = await talk.call("POST", "/v1/threads", json=body)
    assert (status, thread["title"], thread["agent_id"]) == (201, "First", "threaded")
    talk.script(conversation=["Hello."])
    second = await talk.say("A   question\nof many words " + "x" * 100, project_id="threads")
    assert (await talk.call("POST", "/v1/threads", json=body | {"agent_id": "nobody"}))[0] == 404
    _, page = await talk.call("GET", "/v1/threads?project_id=threads")
    assert (page["total"], [one["id"] for one in page["threads"]]) == (2, [second["thread_id"], thread["id"]])
    assert len(page["threads"][0]["title"]) <= 80
    assert page["threads"][0]["title"].startswith("A question of many words x")
    await talk.say("Hello?", thread_id=thread["id"], project_id="threads")
    assert "You are Thread." in talk.asked()[-1].system
    _, page = await talk.call("GET", "/v1/threads?project_id=threads&limit=1")
    assert [one["id"] for one in page["threads"]] == [thread["id"]]


@pytest.mark.parametrize("message", ["", "  ", "x" * 10_001])
async def test_messages_that_cannot_be(talk: Talk, message: str) -> None:
    assert (await talk.call("POST", "/v1/chats", json={"message": message}))[0] == 422
    messages = [{"id": "m", "role": "user", "content": message}]
    body = {"threadId": uuid.uuid4().hex, "runId": uuid.uuid4().hex, "messages": messages}
    assert (await talk.call("POST", "/v1/agent", json=body))[0] == 422
    assert (await talk.call("GET", f"/v1/threads/{body['threadId']}"))[0] == 404


# -- projects ----------------------------------------------------------------------------------------------------------


async def test_projects_see_nothing_of_each_other(talk: Talk) -> None:
    canary = "The vault opens at midnight."
    ours = await project(talk, "ours", ("Vault", f"# Vault\n\n{canary}", []))
    theirs = await project(talk, "theirs")
    await put(talk, "keeper", name="Keeper", project_id=ours)
    search = Answer(calls=[Call("search_passages", {"query": "When does the vault open at midnight?"})])
    talk.script(conversation=["At midnight [1].", search, "I do not know."])
    run = await talk.say("When does the vault open?", project_id=ours, agent_id="keeper")
    assert run["citations"]
    for method, path, body in (
        ("GET", f"threads/{run['thread_id']}", None),
        ("GET", f"threads/{run['thread_id']}/messages", None),
        ("GET", f"runs/{run['run_id']}", None),
        ("GET", f"runs/{run['run_id']}/events", None),
        ("GET", "agents/keeper", None),
        ("DELETE", "agents/keeper", None),
        ("DELETE", f"threads/{run['thread_id']}", None),
        ("PATCH", f"threads/{run['thread_id']}", {"title": "Mine", "project_id": theirs}),
        ("PATCH", f"runs/{run['run_id']}", {"status": "stopped", "project_id": theirs}),
        ("POST", f"runs/{run['run_id']}/input", {"interrupt_id": "x", "payload": "1", "project_id": theirs}),
        ("POST", "chats", {"message": "Hello?", "agent_id": "keeper", "project_id": theirs}),
    ):
        status, error = await talk.call(method, f"/v1/{path}?project_id={theirs}", json=body)
        assert (status, error["code"]) == (404, "NOT_FOUND"), (method, path, error)
    talk.server.requests.clear()
    # The same ids are another thread and another run.
    other = await talk.say("When does the vault open at midnight?", thread_id=run["thread_id"], project_id=theirs)
    assert "opens at midnight." not in json.dumps([one.messages for one in talk.asked()])
    assert [one["role"] for one in talk.asked()[0].messages] == ["system", "user"]
    assert other["run_id"] != run["run_id"]
    assert len(await talk.messages(run["thread_id"], ours)) == 2
    assert (await talk.call("DELETE", f"/v1/threads/{run['thread_id']}?project_id={theirs}"))[0] == 200
    assert len(await talk.messages(run["thread_id"], ours)) == 2
    assert (await talk.call("GET", f"/v1/runs/{run['run_id']}/events"))[0] == 200


async def test_the_same_run_id_in_two_projects_is_two_runs(talk: Talk) -> None:
    for name in ("ours", "theirs"):
        await project(talk, name)
    talk.script(conversation=["Hello.", "Good day."])
    thread, run_id = uuid.uuid4().hex, uuid.uuid4().hex
    said = [
        words(await talk.agui("Hello?", thread, run_id, forwardedProps={"project_id": name}))
        for name in ("ours", "theirs")
    ]
    assert said == ["Hello.", "Good day."]


async def test_a_project_without_a_model_of_its_data_says_so(talk: Talk) -> None:
    talk.script(conversation=[ASK, Answer(text="There is no model yet.")])
    run = await talk.say("How many customers?", project_id="empty")
    [found] = results(await talk.events(run["run_id"]))
    assert found["error"]["hint"]
    assert run["message"] == "There is no model yet."


async def test_a_database_that_is_gone(tmp_path: Path) -> None:
    count = Answer(calls=[Call("run_sql", {"sql": "SELECT COUNT(*) AS n FROM customers"}), ASK.calls[0]])
    async with talking(tmp_path, {"conversation": [count, "The database cannot be reached."]}) as talk:
        (tmp_path / "trader.sqlite").unlink()
        (tmp_path / "trader.sqlite").mkdir()
        run = await talk.say("How many customers?")
        assert run["message"] == "The database cannot be reached."
        for found in results(await talk.events(run["run_id"])):
            assert found["error"]["message"], found
            assert str(tmp_path) not in json.dumps(found)


# -- no language model -------------------------------------------------------------------------------------------------


async def test_without_a_language_model_every_door_says_so(tmp_path: Path) -> None:
    async with prepared_service(tmp_path) as service:
        messages = [{"id": "m", "role": "user", "content": "Hello?"}]
        agui = {"threadId": "t", "runId": "r", "messages": messages}
        for path, body in (
            ("chats", {"message": "Hello?"}),
            ("agent", agui),
            ("agent", agui | {"messages": [], "resume": [{"interruptId": "x", "status": "cancelled"}]}),
        ):
            status, error = await service.call("POST", f"/v1/{path}", json=body)
            assert (status, error["code"]) == (503, "NO_MODEL"), path
            assert error["hint"]
        assert (await service.call("GET", "/v1/threads"))[1] == {"threads": [], "total": 0}
        assert (await service.call("PUT", "/v1/agents/a", json={"name": "A"}))[0] == 200
        assert (await service.answer("How many customers are there?", execute=True))["data"]["rows"] == [[3]]
