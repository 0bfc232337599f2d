"""What a model may do with tools: several at once, within bounds, and what becomes of calls that go wrong."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.agent.talking import ASK, Answer, Call, ChatScript, Talk, names, results, talking, told, words
from tests.support.tables import case_table

pytestmark = pytest.mark.asyncio(loop_scope="module")

# Every pair of flights, orders and airports: more rows than anybody is shown.
MANY = "SELECT a.flight_no, b.flight_no AS other, o.id, s.name FROM flights a CROSS JOIN flights b CROSS JOIN flights c"
MANY += " CROSS JOIN flights d CROSS JOIN sales_orders o CROSS JOIN suppliers s"
SLOW = "Which keen customer is first by id, roughly, case {}?"


def sql(statement: str, **more: Any) -> Call:
    return Call("run_sql", {"sql": statement}, **more)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def bounded(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Talk]:
    bounds = {"result_tokens": 700, "max_steps": 3, "max_tool_calls": 5, "tools_at_once": 2, "history_messages": 2}
    async with talking(tmp_path_factory.mktemp("bounded"), {}, agent=bounds) as talk:
        yield talk


async def test_several_tools_in_one_turn(talk: Talk) -> None:
    calls = [
        sql("SELECT COUNT(*) AS n FROM customers", id="a"),
        Call("find_tables", {"query": "customers"}, id="b"),
        Call("describe_table", {"table": "flights"}, id="c"),
        Call("find_values", {"text": "Ann"}, id="d"),
        ASK.calls[0],
    ]
    talk.script(conversation=[Answer(text="Let me look.", calls=calls), "There are 3."])
    run = await talk.say("How many customers?")
    assert run["message"] == "There are 3."
    events = await talk.events(run["run_id"])
    assert words(events) == "Let me look.There are 3."
    assert names(events).count("TOOL_CALL_START") == 5
    second = talk.asked()[1]
    assert list(second.tool_results) == ["a", "b", "c", "d", "call_4"]
    assert json.loads(second.tool_results["a"])["table"]["rows"] == [[3]]
    assert "flight_no" in second.tool_results["c"]
    messages = await talk.messages(run["thread_id"])
    assert [one["role"] for one in messages] == ["user", "assistant", *["tool"] * 5, "assistant"]


async def test_calls_of_one_turn_run_side_by_side_and_no_more_than_are_allowed(bounded: Talk) -> None:
    calls = [Call("ask_data", {"question": SLOW.format(n)}, id=f"c{n}") for n in "wxyz"]
    writing = Answer(json={"sql": "SELECT name FROM customers ORDER BY id LIMIT 1"}, hang=True)
    bounded.script(conversation=[Answer(calls=calls), "Ann."], sql_generation=[writing])
    begun = await bounded.begin("Who spends most?")
    await bounded.server.arrived("sql_generation", 2)
    assert bounded.server.calls("sql_generation") == 2
    bounded.server.release()
    run = await bounded.settled(begun["run_id"])
    assert run["message"] == "Ann."
    assert bounded.server.most_at_once["sql_generation"] == 2
    assert [one["status"] for one in results(await bounded.events(run["run_id"]))] == ["finished"] * 4


async def test_the_same_call_twice_in_one_turn_is_made_twice(talk: Talk) -> None:
    call = sql("SELECT COUNT(*) AS n FROM airports")
    talk.script(conversation=[Answer(calls=[call, call]), "3 airports."])
    run = await talk.say("How many airports?")
    assert run["message"] == "3 airports."
    assert [one["table"]["rows"] for one in results(await talk.events(run["run_id"]))] == [[[3]], [[3]]]


async def test_rows_are_cut_to_what_the_model_has_room_for_and_it_is_told_so(bounded: Talk) -> None:
    bounded.script(conversation=[Answer(calls=[Call("run_sql", {"sql": MANY, "limit": 150})]), "Many."])
    run = await bounded.say("All pairs of flights")
    given = json.loads(bounded.asked()[1].tool_results["call_0"])
    shown = len(given["table"]["rows"])
    assert 0 < shown < 100
    assert given["table"]["truncated"] is True
    assert given["table"]["note"].startswith(f"Only the first {shown} of 150 rows are shown to you")
    assert len(bounded.asked()[1].tool_results["call_0"]) <= 700 * 4
    [data] = told(await bounded.events(run["run_id"]), "data")
    assert (len(data["rows"]), data["row_count"], data["truncated"]) == (150, 150, True)


async def test_of_earlier_messages_the_last_are_shown(bounded: Talk) -> None:
    bounded.script(conversation=["Hello.", "Hello again.", "And again."])
    first = await bounded.say("Good morning, my name is Ann!")
    await bounded.say("Good evening, my name is Bob!", thread_id=first["thread_id"])
    await bounded.say("Good night, my name is Cia!", thread_id=first["thread_id"])
    earlier = bounded.asked()[-1].messages[1:-1]
    assert [one["content"] for one in earlier] == ["Good evening, my name is Bob!", "Hello again."]


async def test_a_long_result_without_rows_is_cut_too(bounded: Talk) -> None:
    bounded.script(conversation=[Answer(calls=[sql(f"SELECT '{'long ' * 600}' AS words")]), "Long words."])
    await bounded.say("Say something long")
    given = json.loads(bounded.asked()[1].tool_results["call_0"])
    assert set(given) == {"cut", "note"}


async def test_sensitive_values_are_for_people_and_not_for_the_model(talk: Talk) -> None:
    model = json.loads(json.dumps(talk.model))
    [customers] = [one for one in model["models"] if one["name"] == "customers"]
    [name] = [one for one in customers["columns"] if one["name"] == "name"]
    name["properties"] = {"sensitive": True}
    assert (await talk.service.prepare(model, project_id="private"))["status"] == "finished"
    calls = [
        sql("SELECT name, country FROM customers ORDER BY id"),
        Call("ask_data", {"question": "names of the customers"}),
        Call("find_values", {"text": "Ann"}),
        Call("describe_table", {"table": "customers"}),
    ]
    talk.script(conversation=[Answer(calls=calls), "You see them in the table."])
    run = await talk.say("Who are the customers?", project_id="private")
    assert run["status"] == "finished", run
    for request in talk.server.requests:
        for person in ("Ann", "Bob", "Cid"):
            said = [one for one in request.messages if one["role"] != "assistant"]
            assert person not in json.dumps(said), request.stage
    given = talk.asked()[1].tool_results
    assert json.loads(given["call_0"])["table"]["rows"] == []
    assert "secrets or personal data" in json.loads(given["call_0"])["table"]["withheld"]
    assert not {"findings", "warnings"} & json.loads(given["call_1"]).keys()
    shown = told(await talk.events(run["run_id"]), "data")
    assert [[row[0] for row in one["rows"]] for one in shown] == [["Ann", "Bob", "Cid"]] * 2


async def test_a_chart_is_drawn_for_people(talk: Talk) -> None:
    drawn = case_table(__file__, "drawn")
    statement = "SELECT country, COUNT(*) AS n FROM customers GROUP BY country"
    chart = Call("make_chart", {"query": "customers per country", "sql": statement, "chart_type": "bar"})
    talk.script(conversation=[Answer(calls=[chart]), "Here it is."], chart_generation=[Answer(json=drawn)])
    run = await talk.say("Draw the customers per country")
    events = await talk.events(run["run_id"])
    [shown] = told(events, "chart")
    values = shown["chart_schema"]["data"]["values"]
    assert sorted((one["country"], one["n"]) for one in values) == [("Germany", 1), ("Italy", 2)]
    given = json.loads(talk.asked()[1].tool_results["call_0"])
    assert given["chart_type"] == "bar"
    assert "data" not in given["chart_schema"]
    [message] = [one for one in await talk.messages(run["thread_id"]) if one["role"] == "tool"]
    assert [part["type"] for part in message["parts"]] == ["tool_result", "chart"]


async def test_a_chart_of_an_answer(talk: Talk) -> None:
    first = Answer(calls=[Call("ask_data", {"question": "number of customers per country"})])
    talk.script(conversation=[first, "Italy has 2."])
    run = await talk.say("Customers per country?")
    [answer] = results(await talk.events(run["run_id"]))
    chart = Call("make_chart", {"query": "as a chart", "data_ref": answer["ask_id"]})
    talk.script(conversation=[Answer(calls=[chart]), "Here."])
    run = await talk.say("As a chart", thread_id=run["thread_id"])
    assert "error" not in results(await talk.events(run["run_id"]))[0]


# -- models that do what they should not -------------------------------------------------------------------------------


async def test_a_tool_that_there_is_not(talk: Talk) -> None:
    talk.script(conversation=[Answer(calls=[Call("send_mail", {"to": "all"}), ASK.calls[0]]), "There are 3."])
    run = await talk.say("How many customers?")
    assert run["message"] == "There are 3."
    events = await talk.events(run["run_id"])
    assert names(events).count("TOOL_CALL_RESULT") == 2
    assert "send_mail" in talk.asked()[1].tool_results["call_0"]
    parts = [part for one in await talk.messages(run["thread_id"]) for part in one["parts"]]
    assert [part["type"] for part in parts].count("tool_result") == 2


async def test_a_tool_that_the_agent_may_not_call(talk: Talk) -> None:
    assert (await talk.call("PUT", "/v1/agents/reader", json={"tools": ["search_passages"]}))[0] == 200
    talk.script(conversation=[Answer(calls=[sql("SELECT name FROM customers")]), "I cannot say."])
    run = await talk.say("Who are the customers?", agent_id="reader")
    first, second = talk.asked()
    assert first.tools == ["search_passages"]
    assert "run_sql" in second.tool_results["call_0"]
    assert "Ann" not in second.tool_results["call_0"]
    assert told(await talk.events(run["run_id"]), "data") == []


async def test_the_same_call_for_ever_ends_after_its_third(talk: Talk) -> None:
    talk.script(conversation=[Answer(calls=[sql("SELECT COUNT(*) AS n FROM customers")])])
    run = await talk.say("How many customers?")
    assert run["status"] == "finished", run
    assert run["message"]
    events = await talk.events(run["run_id"])
    found = results(events)
    assert ["error" in one for one in found] == [False, False, True]
    assert found[2]["error"]["code"] == "SAME_CALL"


async def test_a_model_that_is_stopped_answers_from_what_it_knows(talk: Talk) -> None:
    again = Answer(calls=[sql("SELECT COUNT(*) AS n FROM customers")])
    talk.script(conversation=[again, again, again, "There are 3 customers."])
    run = await talk.say("How many customers?")
    assert run["message"] == "There are 3 customers."
    last = talk.asked()[-1]
    assert last.tools == []
    assert "without calling tools" in last.messages[-1]["content"]


@pytest.mark.parametrize("number", [4, 9], ids=["steps", "calls"])
async def test_bounds_of_a_run(bounded: Talk, number: int) -> None:
    """Three steps with a call each; and more calls in one step than a run may make."""
    each = [sql(f"SELECT COUNT(*) + {n} AS n FROM customers", id=f"c{n}") for n in range(number)]
    turns = [Answer(calls=[one]) for one in each[:3]] if number == 4 else [Answer(calls=each)]
    bounded.script(conversation=[*turns, "At least 3."])
    run = await bounded.say("How many customers?")
    assert run["status"] == "finished", run
    assert run["message"] == "At least 3."
    found = results(await bounded.events(run["run_id"]))
    assert sum("error" not in one for one in found) == (3 if number == 4 else 5)
    codes = [one["error"]["code"] for one in found if "error" in one]
    assert set(codes) == (set() if number == 4 else {"TOO_MANY_CALLS"})


async def test_ten_calls_at_once(talk: Talk) -> None:
    calls = [sql(f"SELECT {n} AS n, COUNT(*) AS c FROM customers") for n in range(10)]
    talk.script(conversation=[Answer(calls=calls), "There are 3."])
    run = await talk.say("How many customers?")
    assert run["message"] == "There are 3."
    assert [one["table"]["rows"][0][0] for one in map(json.loads, talk.asked()[1].tool_results.values())] == [
        *range(10)
    ]


# How arguments arrive broken; a model that is told so makes the call again.
BROKEN: dict[str, Any] = {
    "cut": '{"sql": "SELECT COUNT(*) AS n FROM cust',
    "prose": "the customers please",
    "list": '["SELECT 1"]',
    "number": "7",
    "empty": "",
    "null": "null",
    "unknown name": {"statement": "SELECT 1"},
    "wrong type": {"sql": ["SELECT 1"]},
    "more": {"sql": "SELECT COUNT(*) AS n FROM customers", "project_id": "other"},
    "names of python": {"self": 1, "cls": 2, "tool": 3, "kwargs": {}, "state": {}, "arguments": {}},
    "odd names": {"": 1, "a b": 2, "sql\n": 3},
    "huge": {"sql": "SELECT " + "1+" * 60_000 + "1"},
}


@pytest.mark.parametrize("arguments", BROKEN.values(), ids=BROKEN.keys())
async def test_arguments_that_cannot_be_read_are_told_and_mended(talk: Talk, arguments: Any) -> None:
    talk.script(
        conversation=[
            Answer(calls=[Call("run_sql", arguments)], whole_calls=True),
            Answer(calls=[sql("SELECT COUNT(*) AS n FROM customers", id="again")]),
            "There are 3.",
        ]
    )
    run = await talk.say("How many customers?")
    assert run["status"] == "finished", run
    assert run["message"] == "There are 3."
    first, second = results(await talk.events(run["run_id"]))
    assert first["error"]["code"] == "BAD_ARGUMENTS"
    assert second["table"]["rows"] == [[3]]


async def test_a_model_that_says_nothing_is_not_asked_for_ever(talk: Talk) -> None:
    talk.script(conversation=[ASK, Answer(text="")])
    run = await talk.say("How many customers?")
    assert "3" in run["message"], run  # what the data gave
    assert len(talk.asked()) <= 3


async def test_an_answer_that_is_cut_off_says_so(talk: Talk) -> None:
    talk.script(conversation=[Answer(text="The customers are Ann, Bob and", finish_reason="length")])
    run = await talk.say("Who are the customers?")
    assert run["message"] == "The customers are Ann, Bob and"
    [warning] = told(await talk.events(run["run_id"]), "warning")
    assert "cut" in warning["message"]


async def test_a_call_that_is_cut_off_is_not_made(talk: Talk) -> None:
    cut = Answer(calls=[Call("run_sql", '{"sql": "SELECT name FROM')], finish_reason="length")
    talk.script(conversation=[cut, "I could not look."])
    run = await talk.say("Who are the customers?")
    assert run["status"] == "finished", run
    assert told(await talk.events(run["run_id"]), "data") == []


async def test_one_fault_of_the_model_server_is_got_over(talk: Talk) -> None:
    talk.script(conversation=[Answer(status=500), ASK, Answer(status=503), "There are 3."])
    run = await talk.say("How many customers?")
    assert run["message"] == "There are 3.", run


@pytest.mark.parametrize(
    "how", [{"status": 500}, {"drop": "before"}, {"status": 401}, {"drop": "middle", "text": "a b c d"}]
)
async def test_a_model_that_is_down_fails_the_run_with_a_hint(talk: Talk, how: dict[str, Any]) -> None:
    talk.script(conversation=[Answer(**how)])
    run = await talk.say("How many customers?")
    assert run["status"] == "failed", run
    assert run["error"]["code"] == "MODEL_UNAVAILABLE"
    assert run["error"]["hint"]
    last = (await talk.events(run["run_id"]))[-1]
    assert (last["type"], last["code"]) == ("RUN_ERROR", "MODEL_UNAVAILABLE")
    talk.script(conversation=["Hello."])
    again = await talk.say("Hello?", thread_id=run["thread_id"])
    assert again["message"] == "Hello."


async def test_a_server_that_goes_away_after_a_tool(talk: Talk) -> None:
    talk.script(conversation=[ASK, Answer(status=500)])
    run = await talk.say("How many customers?")
    assert run["error"]["code"] == "MODEL_UNAVAILABLE"
    roles = [one["role"] for one in await talk.messages(run["thread_id"])]
    assert roles == ["user", "assistant", "tool"]  # what was found is kept


async def test_a_model_that_refuses(talk: Talk) -> None:
    talk.script(conversation=[Answer(refusal="I will not say that.")])
    run = await talk.say("How many customers?")
    assert run["status"] == "failed", run
    assert run["error"]["hint"]


async def test_a_model_that_takes_no_tools_fails_the_run_with_a_hint(talk: Talk) -> None:
    talk.script(ChatScript(tools=False))
    run = await talk.say("How many customers?")
    assert run["status"] == "failed", run
    assert run["error"]["code"] == "MODEL_UNAVAILABLE"
    assert "tool" in (run["error"]["message"] + run["error"]["hint"]).lower()


async def test_a_run_that_takes_too_long_fails_with_a_hint(tmp_path: Path) -> None:
    script = {"conversation": [ASK, Answer(text="Hello.", hang=True)]}
    async with talking(tmp_path, script, agent={"deadline": 2}) as talk:
        run = await talk.say("How many customers?")
        assert run["status"] == "failed", run
        assert run["error"]["hint"]
        [_, request] = talk.asked()
        assert await talk.server.ended(request) == "abandoned"
        assert [one["role"] for one in await talk.messages(run["thread_id"])] == ["user", "assistant", "tool"]


# -- figures -----------------------------------------------------------------------------------------------------------


async def test_an_unknown_figure_is_corrected_once(talk: Talk) -> None:
    talk.script(conversation=[ASK, "We have 3 customers. They paid 77123 in all.", "What they paid is not known."])
    run = await talk.say("How many customers?")
    assert run["message"] == "We have 3 customers. What they paid is not known."
    assert "77123" in talk.asked()[-1].messages[-1]["content"]
    events = await talk.events(run["run_id"])
    assert "77123" not in words(events)
    assert words(events) == run["message"]


async def test_a_figure_that_stays_unknown_is_left_out_with_a_warning(talk: Talk) -> None:
    talk.script(conversation=[ASK, "We have 3 customers. They paid 77123 in all.", "They paid 88123 in all. And more."])
    run = await talk.say("How many customers?")
    assert run["message"].startswith("We have 3 customers.")
    assert "They paid" not in run["message"]
    assert run["message"] == (
        "We have 3 customers. And more.\n\n(Left out here: what names a figure that stands in no result.)"
    )
    assert run["warnings"] == ["(Left out here: what names a figure that stands in no result.)"]
    assert len(talk.asked()) == 3


async def test_a_figure_may_be_got_by_another_call(talk: Talk) -> None:
    more = Answer(calls=[sql("SELECT SUM(net_amount) AS total FROM sales_orders", id="more")])
    talk.script(conversation=[ASK, "They paid 350.", more, "They paid 350."])
    run = await talk.say("What did they pay?")
    assert run["message"] == "They paid 350."


async def test_figures_of_earlier_turns_and_of_the_person_may_be_told(talk: Talk) -> None:
    talk.script(conversation=[ASK, "There are 3.", "Your 41 and our 3 are not the same."])
    first = await talk.say("How many customers?")
    run = await talk.say("I counted 41 of them, why?", thread_id=first["thread_id"])
    assert run["message"] == "Your 41 and our 3 are not the same."


async def test_digits_of_ids_are_no_figures(talk: Talk) -> None:
    talk.script(conversation=[ASK, "Three."])
    first = await talk.say("How many customers?")
    [found] = results(await talk.events(first["run_id"]))
    digits = max(re.findall(r"[1-9]\d*", found["ask_id"]), key=len)
    talk.script(conversation=[f"It is {digits} of them."])
    run = await talk.say("How many are they?", thread_id=first["thread_id"])
    assert digits not in run["message"]


@pytest.mark.parametrize("told_as", ["3,000.5", "3.5 %", "[987]", "1e6", "12/25/2031"])
async def test_figures_in_every_form_are_looked_at(talk: Talk, told_as: str) -> None:
    talk.script(conversation=[ASK, f"It is {told_as}."])
    run = await talk.say("How many customers?")
    assert f"It is {told_as}" not in run["message"]
