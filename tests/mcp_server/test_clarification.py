"""What a question may mean is asked back: by a form where the client shows one, and else in the result."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from mcp import MCPError
from mcp_types import CallToolResult, ElicitRequestFormParams, ElicitResult, InputRequiredResult

from tests.mcp_server.clients import NEW, OLD, VERSIONS, over_http
from tests.mcp_server.shops import AMBIGUOUS
from tests.support.service import Client

# They share a service.
pytestmark = pytest.mark.asyncio(loop_scope="module")


class User:
    """Fills in forms as it is told; `forms` are those that it was shown."""

    def __init__(self, answer: Callable[[dict[str, Any]], ElicitResult]) -> None:
        self._answer = answer
        self.forms: list[ElicitRequestFormParams] = []

    async def __call__(self, _: Any, form: Any) -> ElicitResult:
        assert isinstance(form, ElicitRequestFormParams)
        self.forms.append(form)
        return self._answer(form.requested_schema["properties"])


def first(properties: dict[str, Any]) -> ElicitResult:
    choice = properties["choice"]
    return ElicitResult(action="accept", content={"choice": (choice.get("enum") or [choice["oneOf"][0]["const"]])[0]})


@pytest.mark.parametrize("version", VERSIONS)
async def test_a_form_is_shown_and_the_question_goes_on_with_what_was_chosen(trader: Client, version: str) -> None:
    user = User(first)
    async with over_http(trader.url, version, elicitation_callback=user) as client:
        result = await client.call_tool("ask_data", {"question": AMBIGUOUS})
    assert result.structured_content["status"] == "finished"
    assert "purchase_orders" in result.structured_content["sql"]
    (form,) = user.forms
    choice = form.requested_schema["properties"]["choice"]
    titles = choice["enumNames"] if version == OLD else [one["title"] for one in choice["oneOf"]]
    assert titles == ["purchase_orders", "sales_orders", "None of these"]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("action", ["decline", "cancel"])
async def test_who_declines_the_form_gets_what_is_asked(trader: Client, version: str, action: Any) -> None:
    user = User(lambda _: ElicitResult(action=action))
    async with over_http(trader.url, version, elicitation_callback=user) as client:
        told = (await client.call_tool("ask_data", {"question": AMBIGUOUS})).structured_content
        assert told["status"] == "needs_clarification"
        assert len(user.forms) == 1
        # The question still waits, and a model can go on with it in its own way.
        again = {"question": AMBIGUOUS, "ask_id": told["ask_id"], "answers": ["sales_orders"]}
        assert (await client.call_tool("ask_data", again)).structured_content["status"] == "finished"


@pytest.mark.parametrize("version", VERSIONS)
async def test_a_client_without_forms_gets_what_is_asked(trader: Client, version: str) -> None:
    async with over_http(trader.url, version) as client:
        told = (await client.call_tool("ask_data", {"question": AMBIGUOUS})).structured_content
        assert told["status"] == "needs_clarification"
        option = told["clarification"]["options"][1]
        again = {"question": AMBIGUOUS, "ask_id": told["ask_id"], "answers": [option["id"]]}
        answered = (await client.call_tool("ask_data", again)).structured_content
    assert answered["status"] == "finished"
    assert "sales_orders" in answered["sql"]


@pytest.mark.parametrize("version", VERSIONS)
async def test_an_answer_that_does_not_fit_is_asked_again_within_bounds(trader: Client, version: str) -> None:
    user = User(lambda _: ElicitResult(action="accept", content={"choice": "no such thing"}))
    async with over_http(trader.url, version, elicitation_callback=user) as client:
        result = await client.call_tool("ask_data", {"question": AMBIGUOUS})
    assert isinstance(result, CallToolResult)
    assert 1 < len(user.forms) <= 5


async def test_what_the_client_keeps_between_rounds_is_sealed_and_bound(trader: Client) -> None:
    user = User(first)
    async with over_http(trader.url, NEW, elicitation_callback=user) as client:
        ask = {"question": AMBIGUOUS}
        asked = await client.session.call_tool("ask_data", ask, allow_input_required=True)
        assert isinstance(asked, InputRequiredResult)
        state = asked.request_state or ""
        said = {"clarification": first(asked.input_requests["clarification"].params.requested_schema["properties"])}  # type: ignore[index, union-attr]
        for arguments, kept in [(ask, state[:-2] + "xx"), ({"question": "another"}, state)]:
            with pytest.raises(MCPError, match="requestState"):
                await client.session.call_tool("ask_data", arguments, input_responses=said, request_state=kept)
        async with over_http(trader.url, NEW, {"X-Askwell-Project": "other"}, elicitation_callback=user) as other:
            with pytest.raises(MCPError, match="requestState"):
                await other.session.call_tool("ask_data", ask, input_responses=said, request_state=state)
        answered = await client.session.call_tool("ask_data", ask, input_responses=said, request_state=state)
        assert answered.structured_content["status"] == "finished"
        # Sent twice, it is answered twice alike.
        once_more = await client.session.call_tool("ask_data", ask, input_responses=said, request_state=state)
        assert once_more.structured_content == answered.structured_content


@pytest.mark.parametrize("version", [v for v in VERSIONS if v != NEW])
async def test_cancelling_while_the_form_is_open_stops_the_question(trader: Client, version: str) -> None:
    shown = asyncio.Event()

    async def never(_: Any, __: Any) -> ElicitResult:
        shown.set()
        await asyncio.Event().wait()
        raise AssertionError

    async with over_http(trader.url, version, elicitation_callback=never) as client:
        call = asyncio.create_task(client.call_tool("ask_data", {"question": AMBIGUOUS}))
        await asyncio.wait_for(shown.wait(), 10)
        call.cancel()
        await asyncio.wait({call})
        await stopped(trader)


async def stopped(service: Any, within: float = 5.0) -> None:
    """Until the last question is over, which has to be because it was stopped."""
    async with asyncio.timeout(within):
        while True:
            _, page = await service.call("GET", "/v1/asks?limit=1")
            (last,) = page["asks"]
            if last["status"] == "stopped":
                return
            await asyncio.sleep(0.02)
