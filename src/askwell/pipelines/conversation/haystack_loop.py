"""The loop on Haystack's `Agent`. Importing it imports Haystack: half a second."""

from __future__ import annotations

import json
import logging
import uuid
from collections import defaultdict, deque
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from haystack.components.agents import Agent
from haystack.components.agents.state import State
from haystack.dataclasses import ChatMessage, ChatRole, StreamingChunk, ToolCall
from haystack.hooks import FunctionHook
from haystack.tools.tool import Tool

from askwell.pipelines.conversation.build import Call, Ending, LoopEnd, Owner, Said
from askwell.prompts.loader import harmless
from askwell.providers.llm.base import LanguageModel, ToolSpec
from askwell.providers.llm.chat_generator import ChatGenerator

# It writes the arguments of calls that fail, which may hold what people said, into the log. The model is told, and so
# is the reader of the run.
logging.getLogger("haystack.components.agents.tool_calling").setLevel(logging.CRITICAL)


async def run_loop(
    model: LanguageModel,
    owner: Owner,
    system: str,
    said: Sequence[Said],
    tools: Sequence[ToolSpec],
    *,
    max_steps: int,
    tools_at_once: int,
    taken: Collection[str] = (),
) -> LoopEnd:
    """Ask the model until it answers without a call, its owner stops it, or it has taken `max_steps`. A call whose id
    is `taken` gets another one. Raises `ModelUnavailable`, and what the owner raises."""
    bridge = _Bridge(owner, taken)
    generator = ChatGenerator(model)
    agent = Agent(
        chat_generator=generator,
        tools=[
            _Tool(
                name=spec.name,
                description=spec.description,
                parameters=dict(spec.parameters),
                function=None,
                async_function=bridge.function(spec.name),
            )
            for spec in tools
        ],
        max_agent_steps=max_steps,
        tool_concurrency_limit=tools_at_once,
        raise_on_tool_invocation_failure=False,
        hooks={
            "before_llm": [FunctionHook(async_function=bridge.before_model)],
            "before_tool": [FunctionHook(async_function=bridge.before_tools)],
            "after_tool": [FunctionHook(async_function=bridge.after_tools)],
            "on_exit": [FunctionHook(async_function=bridge.at_exit)],
        },
    )
    messages = [ChatMessage.from_system(system), *map(_message, said)]

    async def hear(chunk: StreamingChunk) -> None:
        if chunk.content and chunk.tool_call_result is None:
            owner.hear(chunk.content)

    result = await agent.run_async(messages=messages, streaming_callback=hear)
    if bridge.broken is not None:
        raise bridge.broken
    reason = result.get("exit_reason")
    ending: Ending = "max_steps" if reason == "max_agent_steps" else reason if reason in _KNOWN_ENDINGS else "text"
    return LoopEnd(ending, generator.usage, result.get("step_count", 0))


_KNOWN_ENDINGS: tuple[Ending, ...] = ("text", "length", "stopped")


class _Tool(Tool):
    """A tool whose arguments may have any name that a model thinks of, `self` too."""

    def __post_init__(self) -> None:
        """Checks nothing: ours come from pydantic and a client's were checked with its request, and to check ten
        schemas takes half the time of a run."""

    async def invoke_async(self, /, **kwargs: Any) -> Any:
        assert self.async_function is not None
        return await self.async_function(**kwargs)


class _Bridge:
    """Between Haystack's hooks and functions, which do not know which call they are for, and the owner."""

    def __init__(self, owner: Owner, taken: Collection[str]) -> None:
        self._owner = owner
        # Calls of the same tool with the same arguments may stand in for each other.
        self._open: defaultdict[tuple[str, str], deque[Call]] = defaultdict(deque)
        self._ids = set(taken)
        self.broken: BaseException | None = None

    async def before_model(self, state: State) -> None:
        last = state.data["messages"][-1]
        # A model that says nothing is not asked again and again.
        is_empty = last.is_from(ChatRole.ASSISTANT) and not last.tool_calls and not (last.text or "").strip()
        if self.broken is not None or is_empty or await self._owner.stop():
            state.set("stop_run", "stopped")

    async def before_tools(self, state: State) -> None:
        message = state.data["messages"][-1]
        calls = [Call(self._new_id(call.id), call.tool_name, call.arguments) for call in message.tool_calls]
        if [call.id for call in calls] != [call.id for call in message.tool_calls]:
            named = list(map(_haystack_call, calls))
            state.data["messages"][-1] = ChatMessage.from_assistant(message.text, meta=message.meta, tool_calls=named)
        for call in calls:
            self._open[_key(call.tool, call.arguments)].append(call)
        await self._owner.called(message.text or "", calls)

    def _new_id(self, given: str | None) -> str:
        """The model's id of a call, or another one: some servers begin to count anew with every turn."""
        found = given if given and given not in self._ids else uuid.uuid4().hex
        self._ids.add(found)
        return found

    async def after_tools(self, state: State) -> None:
        """Haystack answers calls of unknown tools by itself."""
        left = {call.id: call for calls in self._open.values() for call in calls}
        self._open.clear()
        for message in state.data["messages"]:
            result = message.tool_call_result
            if result is not None and (call := left.pop(result.origin.id or "", None)) is not None:
                await self._owner.unanswered(call, str(result.result))

    async def at_exit(self, state: State) -> None:
        last = state.data["messages"][-1]
        is_cut = last.meta.get("finish_reason") == "length"
        more = await self._owner.answered(last.text or "", is_cut=is_cut)
        if more is not None:
            state.set("messages", [ChatMessage.from_user(more)])
            state.set("continue_run", True)

    def function(self, tool: str) -> Any:
        async def invoke(**arguments: Any) -> str:
            call = self._open[_key(tool, arguments)].popleft()
            if self.broken is not None:
                return ""
            try:
                return harmless(await self._owner.call(call))
            except Exception as error:  # noqa: BLE001 - Haystack would tell the model; it is for the caller of the loop
                self.broken = error
                return ""

        return invoke


def _key(tool: str, arguments: Mapping[str, Any]) -> tuple[str, str]:
    return tool, json.dumps(arguments, sort_keys=True, default=str)


def _haystack_call(call: Call) -> ToolCall:
    return ToolCall(tool_name=call.tool, arguments=dict(call.arguments), id=call.id)


def _message(said: Said) -> ChatMessage:
    match said.role:
        case "user":
            # With frames of ours: what is new in it stands in a prompt.
            return ChatMessage.from_user(said.text)
        case "assistant":
            return ChatMessage.from_assistant(
                harmless(said.text) or None, tool_calls=list(map(_haystack_call, said.calls))
            )
        case _:
            assert said.answers is not None
            return ChatMessage.from_tool(harmless(said.text), origin=_haystack_call(said.answers))
