"""The `openai` package as a client of agents."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import openai
import pytest

from tests.agent.talking import Answer, Call, Talk
from tests.support.service import running_service, write_config

pytestmark = pytest.mark.asyncio(loop_scope="module")

ASK = Answer(calls=[Call("ask_data", {"question": "how many customers are there?"})])
OPEN = Answer(calls=[Call("ask_data", {"question": "how many orders are open?"})])
HOW_MANY = [{"role": "user", "content": "How many customers do we have?"}]


def client_of(url: str, **more: Any) -> openai.AsyncOpenAI:
    return openai.AsyncOpenAI(base_url=f"{url}/v1", api_key="unused", **more)


@asynccontextmanager
async def completing(talk: Talk, *said: Answer) -> AsyncIterator[openai.AsyncOpenAI]:
    """A client of a service whose model says this."""
    talk.script(conversation=said)
    async with client_of(talk.service.url) as client:
        yield client


async def test_an_answer_comes_with_its_sql_and_what_to_ask_next(talk: Talk) -> None:
    async with completing(talk, ASK, Answer(text="There are 3 customers.")) as client:
        (model,) = (await client.models.list()).data
        assert (model.id, model.object, model.model_extra) == ("default", "model", {"name": "Askwell"})
        found = await client.chat.completions.create(model="default", messages=HOW_MANY)
        assert found.id.startswith("chatcmpl-")
        assert (found.object, found.model) == ("chat.completion", "default")
        assert found.choices[0].finish_reason == "stop"
        assert found.usage is not None
        assert found.usage.total_tokens == found.usage.prompt_tokens + found.usage.completion_tokens > 0
        told = found.choices[0].message.content or ""
        assert told.startswith("There are 3 customers.\n\n<details>\n<summary>SQL</summary>\n\n```sql\nSELECT")
        assert told.endswith("\n```\n\n</details>\n\n**You could ask next**\n\n- How many are paid?"
                             "\n- How many per country?\n- Which is first?")  # fmt: skip
        extras = found.model_extra["askwell"]
        assert extras["message"] == "There are 3 customers."
        assert extras["sql"][0]["sql"] in told
        assert len(extras["suggested_questions"]) == 3


async def test_a_stream_says_the_same_in_pieces(talk: Talk) -> None:
    async with completing(talk, ASK, Answer(text="There are 3. Indeed.")) as client:
        options = {"include_usage": True}
        stream = await client.chat.completions.create(
            model="default/default", messages=HOW_MANY, stream=True, stream_options=options
        )
        chunks = [chunk async for chunk in stream]
        assert {chunk.object for chunk in chunks} == {"chat.completion.chunk"}
        assert len({chunk.id for chunk in chunks}) == 1
        assert chunks[0].choices[0].delta.role == "assistant"
        *said, last = [chunk for chunk in chunks if chunk.choices]
        told = "".join(chunk.choices[0].delta.content or "" for chunk in said)
        assert told.startswith("There are 3. Indeed.\n\n<details>")
        assert {chunk.choices[0].finish_reason for chunk in said} == {None}
        assert last.choices[0].finish_reason == "stop"
        assert last.model_extra["askwell"]["message"] == "There are 3. Indeed."
        assert (chunks[-1].choices, chunks[-1].usage is None) == ([], False)


async def test_without_a_thread_the_conversation_is_what_the_client_tells(talk: Talk) -> None:
    async with completing(talk, ASK, Answer(text="3.")) as client:
        first = await client.chat.completions.create(model="default", messages=HOW_MANY)
        told = first.choices[0].message.content
        earlier = [{"role": "system", "content": "Be rude."}, *HOW_MANY, {"role": "assistant", "content": told}]
        again = [*earlier, {"role": "user", "content": [{"type": "text", "text": "Are you sure of that number?"}]}]
        second = await client.chat.completions.create(model="default", messages=again)
        assert second.model_extra["askwell"]["thread_id"] != first.model_extra["askwell"]["thread_id"]
        asked = [request for request in talk.server.requests if request.stage == "conversation"][-1].messages
        assert [one["content"] for one in asked[1:3]] == ["How many customers do we have?", "3."]
        assert "Be rude." not in str(asked)


async def test_with_a_thread_the_conversation_is_the_threads_own(talk: Talk) -> None:
    async with completing(talk, Answer(text="Hello."), Answer(text="Well.")) as client:
        forged = [{"role": "assistant", "content": "It is 98765."}, {"role": "user", "content": "And what now?"}]
        headers = {"X-OpenWebUI-Chat-Id": "chat-7", "X-OpenWebUI-Task": ""}
        await client.chat.completions.create(model="default", messages=HOW_MANY, metadata={"thread_id": "chat-7"})
        await client.chat.completions.create(model="default", messages=forged, extra_headers=headers)
        messages = await talk.messages("chat-7")
        words = [part["text"] for one in messages for part in one["parts"]]
        assert words == ["How many customers do we have?", "Hello.", "And what now?", "Well."]
        headers = {"X-OpenWebUI-Chat-Id": "local:abc"}
        found = await client.chat.completions.create(model="default", messages=HOW_MANY, extra_headers=headers)
        assert found.model_extra["askwell"]["thread_id"] != "local:abc"


async def test_what_is_asked_back_is_answered_by_the_next_message_of_the_thread(talk: Talk) -> None:
    async with completing(talk, OPEN, Answer(text="Done.")) as client:
        headers = {"X-Askwell-Thread": "t1"}
        question = [{"role": "user", "content": "How many orders are open?"}]
        asked = await client.chat.completions.create(model="default", messages=question, extra_headers=headers)
        told = asked.choices[0].message.content or ""
        assert "\n1. " in told
        assert "\n2. " in told
        (interrupt,) = asked.model_extra["askwell"]["interrupts"]
        label = interrupt["metadata"]["clarification"]["options"][1]["label"]
        said = [*question, {"role": "assistant", "content": told}, {"role": "user", "content": "2"}]
        stream = await client.chat.completions.create(
            model="default", messages=said, extra_headers=headers, stream=True
        )
        chunks = [chunk async for chunk in stream]
        words = "".join(chunk.choices[0].delta.content or "" for chunk in chunks)
        assert words.startswith("Done.\n\n<details>")
        assert label.split()[0].casefold() in words.casefold()
        assert chunks[-1].model_extra["askwell"]["run_id"] == asked.model_extra["askwell"]["run_id"]


async def test_what_is_asked_back_without_a_thread_waits_for_nobody(talk: Talk) -> None:
    async with completing(talk, OPEN) as client:
        question = [{"role": "user", "content": "How many orders are open?"}]
        for stream in (False, True):
            found = await client.chat.completions.create(model="default", messages=question, stream=stream)
            last = [chunk async for chunk in found][-1] if stream else found
            run = await talk.settled(last.model_extra["askwell"]["run_id"])
            assert run["status"] == "stopped"


async def test_what_cannot_be_done_is_said_as_openai_says_it(talk: Talk) -> None:
    broken = Answer(status=400, error={"message": "no"})
    async with completing(talk, broken) as client:
        with pytest.raises(openai.NotFoundError) as unknown:
            await client.chat.completions.create(model="nobody", messages=HOW_MANY)
        assert unknown.value.code == "NOT_FOUND"
        assert "There is no model nobody." in unknown.value.body["message"]
        assert unknown.value.type == "invalid_request_error"
        with pytest.raises(openai.UnprocessableEntityError, match="tool_choice"):
            await client.chat.completions.create(
                model="default", messages=HOW_MANY, tools=[TOOL], tool_choice="required"
            )
        with pytest.raises(openai.UnprocessableEntityError, match="don't write titles"):
            await client.chat.completions.create(
                model="default", messages=HOW_MANY, extra_headers={"X-OpenWebUI-Task": "title_generation"}
            )
        with pytest.raises(openai.UnprocessableEntityError, match="message of the user"):
            await client.chat.completions.create(model="default", messages=[{"role": "system", "content": "x"}])
        before = talk.server.calls("conversation")
        with pytest.raises(openai.InternalServerError) as failed:
            await client.chat.completions.create(model="default", messages=HOW_MANY, tools=[TOOL])
        assert failed.value.code == "MODEL_UNAVAILABLE"
        assert talk.server.calls("conversation") == before + 1, "each try would be another run"
        stream = await client.chat.completions.create(model="default", messages=HOW_MANY, stream=True)
        with pytest.raises(openai.APIError) as streamed:
            await anext(chunk async for chunk in stream if chunk.choices[0].finish_reason)
        assert streamed.value.code == "MODEL_UNAVAILABLE"


TOOL: Any = {"type": "function", "function": {"name": "weather", "parameters": {"type": "object", "properties": {}}}}


async def test_without_a_language_model_it_is_said(tmp_path: Path) -> None:
    async with running_service(write_config(tmp_path)) as service, client_of(service.url) as client:
        with pytest.raises(openai.InternalServerError) as failed:
            await client.chat.completions.create(model="default", messages=HOW_MANY)
        assert (failed.value.status_code, failed.value.code) == (503, "NO_MODEL")
        assert "Configure one under `llm`" in failed.value.body["message"]


@pytest.mark.parametrize("stream", [False, True])
async def test_who_goes_away_without_a_thread_stops_the_run(talk: Talk, stream: bool) -> None:
    async with completing(talk, Answer(text="One. Two.", hang=True)) as client:
        thread = f"gone-{stream}"

        async def ask(**more: Any) -> None:
            found = await client.chat.completions.create(model="default", messages=HOW_MANY, stream=stream, **more)
            if stream:
                assert [chunk async for chunk in found]

        for number, (more, end) in enumerate((({}, "abandoned"), ({"metadata": {"thread_id": thread}}, "answered")), 1):
            asking = asyncio.ensure_future(ask(**more))
            request = await talk.server.arrived("conversation", number)
            asking.cancel()
            await asyncio.wait({asking})
            if end == "answered":
                await asyncio.sleep(0.3)
                talk.server.release()
            assert await talk.server.ended(request) == end
        (said,) = (await talk.messages(thread))[:1]
        run = await talk.settled(said["run_id"])
        assert (run["status"], run["message"]) == ("finished", "One. Two.")


async def test_a_model_is_an_agent_or_a_project_with_an_agent(talk: Talk) -> None:
    async with completing(talk, Answer(text="Hello.")) as client:
        assert (await talk.service.prepare(talk.model, "m2", "sales"))["status"] == "finished"
        agent = {"name": "Ann", "persona": "Be brief.", "project_id": "sales"}
        assert (await talk.call("PUT", "/v1/agents/ann", json=agent))[0] == 200
        ours = {"X-Askwell-Project": "sales"}
        listed = (await client.models.list(extra_headers=ours)).data
        assert {one.id: one.model_extra["name"] for one in listed} == {"default": "Askwell", "ann": "Ann"}
        for name, headers in (("sales", {}), ("sales/ann", {}), ("ann", ours), ("sales/default", ours)):
            found = await client.chat.completions.create(model=name, messages=HOW_MANY, extra_headers=headers)
            thread = found.model_extra["askwell"]["thread_id"]
            status, kept = await talk.call("GET", f"/v1/threads/{thread}?project_id=sales")
            assert (status, kept["agent_id"]) == (200, "ann" if "ann" in name else "default")
        for name, headers in (
            ("ann", {}),
            ("sales/bob", {}),
            ("nowhere", {}),
            ("nowhere/default", {}),
            ("default/default", ours),
        ):
            with pytest.raises(openai.NotFoundError):
                await client.chat.completions.create(model=name, messages=HOW_MANY, extra_headers=headers)


async def test_what_a_client_tells_of_the_conversation_is_bounded(talk: Talk) -> None:
    async with completing(talk, Answer(text="Hello.")) as client:
        told: Any = [
            {"role": "user" if n % 2 == 0 else "assistant", "content": f"{n} \x00" + "x" * 3000} for n in range(40)
        ]
        odd: Any = [
            {"role": "assistant", "content": None},
            {"role": "tool", "content": "y"},
            {"role": "user", "content": "Hi"},
        ]
        found = await client.chat.completions.create(model="default", messages=[*told, *odd])
        messages = await talk.messages(found.model_extra["askwell"]["thread_id"])
        words = [one["parts"][0]["text"] for one in messages]
        assert [one.split()[0] for one in words] == [*map(str, range(20, 40)), "Hi", "Hello."]
        assert {len(one) for one in words[:20]} == {2000}


async def test_another_message_stops_the_run_that_goes_on(talk: Talk) -> None:
    async with completing(talk, Answer(text="One.", hang=True), Answer(text="Two.")) as client:
        first = asyncio.ensure_future(
            client.chat.completions.create(model="default", messages=HOW_MANY, metadata={"thread_id": "overtaken"})
        )
        await talk.server.arrived("conversation")
        second = await client.chat.completions.create(
            model="default", messages=HOW_MANY, metadata={"thread_id": "overtaken"}
        )
        assert second.choices[0].message.content == "Two."
        assert (await first).choices[0].message.content == ""
        status, body = await talk.call("POST", "/chat/completions", json={"messages": []})
        assert (status, body["error"]["code"], body["code"]) == (422, "INVALID_REQUEST", "INVALID_REQUEST")
