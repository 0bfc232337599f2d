"""Calls of tools: carried out for as long as someone waits, with progress, and with what is asked back in between.

The tools as clients list them, results as they read them, and what a question is asked back with as a form."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from collections.abc import AsyncIterator, Coroutine, Mapping
from typing import Any

import anyio
from mcp.server import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    ClientCapabilities,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    InputRequiredResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
    ToolAnnotations,
)
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

from askwell.asks.result import ClarificationBody
from askwell.errors import AskwellError
from askwell.knowledge.saved import AskedParameter
from askwell.mcp_server.services import GONE, Connections, McpServices
from askwell.messages import say
from askwell.observability.tracing import REQUEST_SPAN, within
from askwell.tools.base import Caller, Progress, Result, ToolFailure
from askwell.tools.base import Tool as ProjectTool
from askwell.tools.jobs import Answer, DataAnswer

# Each call of these leaves an entry in the record; the others change nothing at all.
_RECORDED = frozenset({"ask_data", "make_chart"})


def offered(tool: ProjectTool[Any]) -> Tool:
    """A tool with the JSON Schemas of its arguments and of its result."""
    return Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=_plain(tool.arguments.model_json_schema()),
        # As what is read, not what is written: fields that are not known are absent.
        output_schema=_plain(tool.result.model_json_schema(mode="validation")),
        annotations=ToolAnnotations(
            title=tool.title,
            read_only_hint=True,
            destructive_hint=False,
            idempotent_hint=tool.name not in _RECORDED,
            open_world_hint=False,
        ),
    )


def finished(result: Result) -> CallToolResult:
    """A result, for programs and, as the same JSON, for language models."""
    content = result.to_json()
    return CallToolResult(content=[TextContent(text=_as_text(content))], structured_content=content)


def failed(failure: ToolFailure) -> CallToolResult:
    """Why there is no result. It is told as text alone: some clients hold whatever is structured to the schema of the
    result."""
    return CallToolResult(content=[TextContent(text=_as_text({"error": failure.to_json()}))], is_error=True)


def _as_text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _plain(schema: Any) -> Any:
    """Without the titles that Pydantic makes of names, and without null: what is not known is absent. A language model
    reads every word, and some clients know few of JSON Schema's."""
    if isinstance(schema, list):
        return [_plain(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    found = {key: _plain(value) for key, value in schema.items() if key != "title" or not isinstance(value, str)}
    match found.get("anyOf"):
        case [{**one}, {"type": "null"}]:
            rest = {key: value for key, value in found.items() if key != "anyOf" and (key, value) != ("default", None)}
            return one | rest
    return found


logger = logging.getLogger(__name__)

_ASK = "ask_data"
_FORM = "clarification"
# How often one call may be asked back before the client is given what is asked.
MOST_ROUNDS = 5
# What someone gets to fill in a form; the question itself waits for longer.
_FORM_SECONDS = 600.0
# Between two signs of life, which keep clients from giving up.
_SILENCE_SECONDS = 15.0
# What a call gets to stop what it began once nobody waits any more.
_STOP_SECONDS = 5.0

Context = ServerRequestContext[Any, Any]


class ToolCalls:
    """`tools/list` and `tools/call`."""

    def __init__(self, services: McpServices, connections: Connections) -> None:
        self._services = services
        self._connections = connections
        self._offered = [offered(tool) for tool in services.tools]

    async def list(self, _: Context, __: PaginatedRequestParams | None) -> ListToolsResult:
        """The same for everybody."""
        return ListToolsResult(tools=self._offered)

    def schema_of(self, name: str) -> dict[str, Any] | None:
        """The JSON Schema of a tool's arguments."""
        return next((tool.input_schema for tool in self._offered if tool.name == name), None)

    async def call(self, context: Context, params: CallToolRequestParams) -> CallToolResult | InputRequiredResult:
        """The result of a call, or why there is none. Whatever ends the waiting stops the work."""
        try:
            # Its task is not the request's.
            scope = context.request.scope if context.request is not None else {}
            with within(scope.get(REQUEST_SPAN)):
                return await _while_awaited(context, self._answer(context, params))
        except ToolFailure as failure:
            return failed(failure)
        except AskwellError as error:
            return failed(ToolFailure.of(error))
        except MCPError:
            raise
        except Exception as error:
            details = {"tool": params.name[:64], "error": type(error).__name__}
            logger.error("a tool failed", extra=details, exc_info=True)
            return failed(ToolFailure("OTHERS", *say("mcp.unexpected")))

    async def _answer(self, context: Context, params: CallToolRequestParams) -> CallToolResult | InputRequiredResult:
        caller = self._connections.caller_of(context)
        async with _progress_to(context) as progress:
            given = params.arguments or {}
            if params.name != _ASK:
                return finished((await self._services.tools.call(params.name, caller, given, progress)).result)
            question = _Question(self._services, caller, given, progress)
            if context.protocol_version in MODERN_PROTOCOL_VERSIONS:
                return await _in_rounds(context, params, question)
            return finished(await _asking_back(context, question))


class _Question:
    """One question of a call, from the first round to the last."""

    def __init__(self, services: McpServices, caller: Caller, given: dict[str, Any], progress: Progress) -> None:
        self._services, self._caller, self._given, self._progress = services, caller, given, progress

    async def ask(self, **more: Any) -> DataAnswer:
        """The answer, or what is asked back. `more` are arguments in place of the given ones."""
        output = await self._services.tools.call(_ASK, self._caller, {**self._given, **more}, self._progress)
        assert isinstance(output.result, DataAnswer)
        return output.result

    async def answer(self, asked: DataAnswer, said: ElicitResult) -> tuple[DataAnswer, str]:
        """How it goes on, and what was wrong with the answer. What was not answered goes on waiting."""
        assert asked.clarification is not None
        answer = answer_of(asked.clarification, said)
        if answer is None:
            return asked, ""
        try:
            return await self.ask(ask_id=asked.ask_id, answers=[answer]), ""
        except ToolFailure as failure:
            if failure.code != "INVALID_REQUEST":
                raise
            return asked, f"{failure.message} {failure.hint}".strip()

    async def stop(self, asked: DataAnswer) -> None:
        """Nobody is there to answer."""
        await self._services.asks.stop(asked.ask_id)


async def _in_rounds(
    context: Context, params: CallToolRequestParams, question: _Question
) -> CallToolResult | InputRequiredResult:
    """For clients that send the call again with what the user answered (from 2026-07-28 on)."""
    problem, count = "", 0
    said = (params.input_responses or {}).get(_FORM)
    if params.request_state is None:
        found = await question.ask()
    else:
        # As it was kept: the library has seen to it that nobody changed it.
        ask_id, count = json.loads(params.request_state)
        found = await question.ask(ask_id=ask_id, answers=[])
        if found.clarification is not None and isinstance(said, ElicitResult):
            asked = found
            found, problem = await question.answer(asked, said)
            if found is asked and not problem:
                return finished(found)  # declined
    if found.clarification is None or count >= MOST_ROUNDS or not shows_forms(context.session.client_capabilities):
        return finished(found)
    form = form_of(found.clarification, context.protocol_version, problem)
    state = json.dumps([found.ask_id, count + 1])
    return InputRequiredResult(input_requests={_FORM: ElicitRequest(params=form)}, request_state=state)


async def _asking_back(context: Context, question: _Question) -> Result:
    """For clients that can be asked while a call goes on (until 2025-11-25), where they show forms."""
    found, problem = await question.ask(), ""
    for _ in range(MOST_ROUNDS):
        if found.clarification is None or not shows_forms(context.session.client_capabilities):
            break
        try:
            said = await _elicited(context, form_of(found.clarification, context.protocol_version, problem))
        except asyncio.CancelledError:
            await question.stop(found)
            raise
        if said is None:
            break
        asked = found
        found, problem = await question.answer(asked, said)
        if found is asked and not problem:
            break  # declined
    return found


async def _elicited(context: Context, form: Any) -> ElicitResult | None:
    """What the user said to a form; None where the client could not show it, or nobody answered in time."""
    if not context.session.can_send_request:
        return None
    try:
        return await context.session.send_request(
            ElicitRequest(params=form),
            ElicitResult,
            request_read_timeout_seconds=_FORM_SECONDS,
            metadata=ServerMessageMetadata(related_request_id=context.request_id),
        )
    except MCPError as error:
        logger.info("a client did not answer a form", extra={"code": error.code})
        return None


@contextlib.asynccontextmanager
async def _progress_to(context: Context) -> AsyncIterator[Progress]:
    """Sends how far a call is, where the client wants to know, and again from time to time while nothing happens."""
    if context.meta is None or context.meta.get("progress_token") is None:
        yield lambda _: None
        return
    states: asyncio.Queue[str | None] = asyncio.Queue()

    async def send() -> None:
        state: str | None = None
        count = 0
        while True:
            with contextlib.suppress(TimeoutError):
                state = await asyncio.wait_for(states.get(), _SILENCE_SECONDS)
                if state is None:
                    return
            count += 1
            try:
                await context.session.report_progress(count, message=state)
            except (anyio.BrokenResourceError, anyio.ClosedResourceError):
                return  # the client is gone, which whoever waits for the call is told by itself

    sending = asyncio.create_task(send(), name="mcp-progress")
    try:
        yield states.put_nowait
        states.put_nowait(None)
        await sending
    finally:
        sending.cancel()


async def _while_awaited(
    context: Context, work: Coroutine[Any, Any, CallToolResult | InputRequiredResult]
) -> CallToolResult | InputRequiredResult:
    """The end of `work`, which is cancelled where the client cancels the call or goes away.

    It has a task of its own: what the library cancels gets no chance to await anything any more, and stopping an ask
    does."""
    task = asyncio.create_task(work, name="mcp-call")
    gone: asyncio.Event | None = context.request.scope.get(GONE) if context.request is not None else None
    leaving = asyncio.create_task(gone.wait(), name="mcp-gone") if gone is not None else None
    try:
        await asyncio.wait({task, leaving} - {None}, return_when=asyncio.FIRST_COMPLETED)  # type: ignore[type-var]
        if not task.done():
            raise ToolFailure("STOPPED", "The client is gone.")
        return task.result()
    finally:
        if leaving is not None:
            leaving.cancel()
        if not task.done():
            task.cancel()
            with anyio.move_on_after(_STOP_SECONDS, shield=True):
                await asyncio.wait({task})


_CHOICE, _WORDS = "choice", "answer"
# The last version whose forms name the titles of an enum in a list of their own.
_LISTED_TITLES = "2025-06-18"
_MOST_CHARACTERS = 1_000


def shows_forms(capabilities: ClientCapabilities | None) -> bool:
    """Whether a client can ask its user by a form. One that names no way at all means this one."""
    elicitation = capabilities.elicitation if capabilities is not None else None
    return elicitation is not None and (elicitation.form is not None or elicitation.url is None)


def form_of(asked: ClarificationBody, protocol_version: str, problem: str = "") -> ElicitRequestFormParams:
    """The form for what is asked back; `problem` is what was wrong with the last answer."""
    if fields := asked.get("fields"):
        properties = {field.name: _property(field) for field in fields}
        required = [field.name for field in fields if field.has_to_be_said]
    elif asked["options"]:
        properties = {_CHOICE: _choice(asked, protocol_version)}
        required = [_CHOICE]
    else:
        properties = {_WORDS: {"type": "string", "maxLength": _MOST_CHARACTERS, "title": "Answer"}}
        required = [_WORDS]
    schema: dict[str, Any] = {"type": "object", "properties": properties, "required": required}
    return ElicitRequestFormParams(message=f"{problem}\n\n{asked['question']}".strip(), requested_schema=schema)


def answer_of(asked: ClarificationBody, said: ElicitResult) -> Answer | None:
    """What the user answered; None where the form was declined, dismissed or says nothing. Fields that are all left
    empty are an answer: no values."""
    content: Mapping[str, Any] = said.content or {}
    if said.action != "accept":
        return None
    if fields := asked.get("fields"):
        names = {field.name for field in fields}
        return {name: value for name, value in content.items() if name in names and value not in (None, "")}
    answer = content.get(_CHOICE if asked["options"] else _WORDS)
    return answer[:_MOST_CHARACTERS] if isinstance(answer, str) and answer.strip() else None


def _choice(asked: ClarificationBody, protocol_version: str) -> dict[str, Any]:
    titles = {one["id"]: " — ".join(filter(None, (one["label"], one.get("detail")))) for one in asked["options"]}
    choice: dict[str, Any] = {"type": "string", "title": "Meaning"}
    if protocol_version in HANDSHAKE_PROTOCOL_VERSIONS and protocol_version <= _LISTED_TITLES:
        return {**choice, "enum": list(titles), "enumNames": list(titles.values())}
    return {**choice, "oneOf": [{"const": name, "title": title} for name, title in titles.items()]}


def _property(field: AskedParameter) -> dict[str, Any]:
    found: dict[str, Any] = {"type": field.json_type, "title": field.name}
    if field.type.lower() == "date":
        found["format"] = "date"
    if field.description:
        found["description"] = field.description
    if isinstance(field.default, str | int | float):
        found["default"] = field.default
    return found
