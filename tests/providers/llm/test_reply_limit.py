"""How long a reply may be: sent with the call, by the name that the server knows, and never in the way of an answer."""

from __future__ import annotations

import pytest

from askwell.pipelines.generation.nodes import ModelCall
from askwell.prompts.loader import PromptText
from askwell.providers.llm.chat_generator import ChatGenerator
from tests.fakes.model_at import scripted
from tests.fakes.openai_server import Answer, ChatServer
from tests.fakes.recording_model import reply_of

PROMPT = PromptText("Task: sql_answer\nBe brief.", "How many?", reply_tokens=400)
YES = Answer(text="Four.")


def _refuses(name: str) -> Answer:
    message = f"Unsupported parameter: '{name}' is not supported with this model."
    return Answer(status=400, error={"message": message, "param": name, "code": "unsupported_parameter"})


def _limits(server: ChatServer) -> list[dict[str, int]]:
    return [
        {name: request.body[name] for name in ("max_tokens", "max_completion_tokens") if name in request.body}
        for request in server.requests
    ]


async def test_the_limit_goes_out_with_the_call() -> None:
    async with scripted("sql_answer", YES) as (model, server):
        assert (await ModelCall(ChatGenerator(model)).ask(PROMPT)).text == "Four."
        await reply_of(model, system=PROMPT.system, user=PROMPT.user)
    assert _limits(server) == [{"max_tokens": 400}, {}]


@pytest.mark.parametrize(
    ("refusals", "sent"),
    [
        (["max_tokens"], [{"max_tokens": 400}, {"max_completion_tokens": 400}, {"max_completion_tokens": 400}]),
        (["max_tokens", "max_completion_tokens"], [{"max_tokens": 400}, {"max_completion_tokens": 400}, {}, {}]),
    ],
)
async def test_it_goes_by_the_name_that_the_server_takes_which_is_remembered(
    refusals: list[str], sent: list[dict[str, int]]
) -> None:
    async with scripted("sql_answer", *map(_refuses, refusals), YES) as (model, server):
        for _ in range(2):
            assert (await ModelCall(ChatGenerator(model)).ask(PROMPT)).text == "Four."
    assert _limits(server) == sent


@pytest.mark.parametrize("thought", ["<think>Let me see", ""], ids=["aloud", "unseen"])
async def test_a_model_that_thinks_first_is_given_all_the_room_from_then_on(thought: str) -> None:
    async with scripted("sql_answer", Answer(text=thought, finish_reason="length"), YES) as (model, server):
        first = await ModelCall(ChatGenerator(model)).ask(PROMPT)
        await ModelCall(ChatGenerator(model)).ask(PROMPT)
    assert (first.text, first.usage.llm_calls) == ("Four.", 2)
    assert _limits(server) == [{"max_tokens": 400}, {}, {}]


async def test_a_reply_that_is_cut_is_said_to_be() -> None:
    async with scripted("sql_answer", Answer(text="Four and", finish_reason="length")) as (model, server):
        reply = await ModelCall(ChatGenerator(model)).ask(PROMPT)
    assert (reply.text, reply.truncated, server.calls()) == ("Four and", True, 1)


async def test_a_configured_limit_stands() -> None:
    async with scripted("sql_answer", YES, kwargs={"max_completion_tokens": 50}) as (model, server):
        await ModelCall(ChatGenerator(model)).ask(PROMPT)
    assert _limits(server) == [{"max_completion_tokens": 50}]


async def test_none_is_sent_where_prompt_and_limit_may_not_fit_together() -> None:
    long = PromptText(PROMPT.system, "x" * 1_700, reply_tokens=400)
    async with scripted("sql_answer", YES, context_window=1_000) as (model, server):
        await ModelCall(ChatGenerator(model)).ask(PROMPT)
        await ModelCall(ChatGenerator(model)).ask(long)
    assert _limits(server) == [{"max_tokens": 400}, {}]
