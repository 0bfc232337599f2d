"""What happens before an agent's model is asked: follow-ups are written out, documents searched, tools called."""

from __future__ import annotations

import json

import pytest

from tests.agent.talking import ASK, Answer, Call, Talk, names, results, told
from tests.documents.test_documents import add

pytestmark = pytest.mark.asyncio(loop_scope="module")

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
