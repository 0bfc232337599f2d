"""Agents for OpenAI's clients, such as Open WebUI, LibreChat and the `openai` package, in OpenAI's shapes
(https://platform.openai.com/docs/api-reference/chat)."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from fastapi import APIRouter, Header, Request
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, Field, model_validator

from askwell.access.caller import Caller
from askwell.agent.definition import DEFAULT_AGENT, Agents, OfferedAgent
from askwell.agent.request import LONGEST_MESSAGE
from askwell.agent.service import Conversations, NewMessage
from askwell.errors import AskwellError, InvalidRequest, NotFound, Unavailable
from askwell.field_types import Flag, Identifier, PathId
from askwell.jobs.events import json_bytes
from askwell.jobs.request import DEFAULT_PROJECT, Configurations, Lenient, ProjectId
from askwell.messages import say
from askwell.sql.nearest import nearest_text
from askwell.web.chat_events import (
    HOLDS_WORDS_OF_USER,
    AnswerText,
    Turn,
    end_of_answer,
    events_of,
    last_words,
    take,
    text_of,
    words_of_answer,
)
from askwell.web.deps import AnyCaller
from askwell.web.responses import BUSY, CHANGES, CONFLICTS, ERRORS, NOT_FOUND, STREAM, while_connected
from askwell.web.routing import router as new_router
from askwell.web.sse import plain_stream

if TYPE_CHECKING:
    from askwell.container import Container

# Clients send the whole conversation each time.
MAX_BODY = 16 * 1024 * 1024
_LONGEST_ID = 128
# Whose agents are listed for a client that names no project.
_MOST_PROJECTS = 100
# How Open WebUI's own texts for titles, tags and the like begin, which it sends in the name of a chat.
_TASK = "### Task:"

OfProject = Annotated[ProjectId | None, Header(alias="X-Askwell-Project")]
HeaderText = Annotated[str, Header(max_length=_LONGEST_ID)]


# Of what a client sends along, this much is taken for the conversation so far.
MOST_EARLIER = 20
EARLIER_CHARACTERS = 2_000


class ChatMessage(Lenient):
    role: Annotated[str, Field(max_length=32)]
    content: str | list[Any] | None = None


class StreamOptions(Lenient):
    include_usage: Flag = False


class ChatMetadata(Lenient):
    thread_id: PathId | None = None


class ResponseFormat(Lenient):
    """Only text: what an agent says is not of a form that the client chooses."""

    type: Literal["text"] = "text"


class ChatCompletionBody(Lenient):
    """A conversation whose last message of the user is answered. Fields that are not listed are ignored, `tools` among
    them: they are an offer, and an agent calls its own. What is demanded and cannot be given is refused."""

    model: Identifier = "default"
    messages: Annotated[list[ChatMessage], Field(max_length=10_000, json_schema_extra=HOLDS_WORDS_OF_USER)]
    stream: Flag = False
    stream_options: StreamOptions = StreamOptions()
    metadata: ChatMetadata = ChatMetadata()
    tool_choice: Literal["auto", "none"] = "auto"
    response_format: ResponseFormat = ResponseFormat()
    configurations: Configurations = Configurations()

    @model_validator(mode="after")
    def _is_a_message(self) -> Self:
        last_words((one.role, one.content) for one in self.messages)
        return self

    def said(self) -> str:
        """The message that is to be answered."""
        return last_words((one.role, one.content) for one in self.messages)[1]

    def earlier(self) -> list[tuple[Literal["user", "assistant"], str]]:
        """What the user and the assistant are said to have said before it."""
        place, _ = last_words((one.role, one.content) for one in self.messages)
        found: list[tuple[Literal["user", "assistant"], str]] = []
        for one in self.messages[:place]:
            text = text_of(one.content)
            if one.role == "user":
                found.append(("user", text))
            elif one.role == "assistant":
                found.append(("assistant", text))
        return found


class ChatCompletion(BaseModel):
    """OpenAI's completion; `askwell` is for programs: the thread and run, the words alone, and what they stand on."""

    class Choice(BaseModel):
        class Message(BaseModel):
            role: Literal["assistant"]
            content: str
            refusal: str | None

        index: int
        message: Message
        finish_reason: Literal["stop"]
        logprobs: None

    class CompletionUsage(BaseModel):
        prompt_tokens: int
        completion_tokens: int
        total_tokens: int
        prompt_tokens_details: dict[str, int]

    id: str
    object: Literal["chat.completion"]
    created: int
    model: str
    choices: list[Choice]
    usage: CompletionUsage
    askwell: dict[str, Any]


class ModelsList(BaseModel):
    """Agents as OpenAI lists models; `name` is what people call them."""

    class Model(BaseModel):
        id: str
        object: Literal["model"]
        created: int
        owned_by: str
        name: str

    object: Literal["list"]
    data: list[Model]


@dataclass(frozen=True)
class _PendingAnswer:
    """A message on its way. One of no thread is for the connected client alone."""

    conversations: Conversations
    project_id: str
    model: str
    turn: Turn
    is_stateless: bool
    created: int

    async def events(self) -> AsyncIterator[Mapping[str, Any]]:
        """The events of the answer. Nothing is left running, or waiting, for a client that cannot come back."""
        has_ended = False
        try:
            async for event in events_of(self.conversations, self.turn):
                has_ended = event["type"] == "RUN_ERROR" or (
                    event["type"] == "RUN_FINISHED" and event["outcome"]["type"] != "interrupt"
                )
                yield event
        finally:
            if self.is_stateless and not has_ended:
                await self.conversations.stop(self.project_id, self.turn.begun.run_id)

    def head(self, kind: str) -> dict[str, Any]:
        run_id = self.turn.begun.run_id
        return {"id": f"chatcmpl-{run_id}", "object": kind, "created": self.created, "model": self.model}

    def extras(self, answer_text: AnswerText) -> dict[str, Any]:
        begun = self.turn.begun
        return {"thread_id": begun.thread_id, "run_id": begun.run_id, **answer_text.for_programs()}


def routes(services: Container) -> APIRouter:
    """The routes /chat/completions and /models."""
    router = new_router(tag="conversations", role="ask", most_bytes=MAX_BODY)

    @router.post(
        "/chat/completions",
        response_model=ChatCompletion,
        responses=STREAM | CHANGES | NOT_FOUND | CONFLICTS | BUSY,
    )
    async def complete_chat(
        request: Request,
        caller: AnyCaller,
        body: ChatCompletionBody,
        project_id: OfProject = None,
        thread: Annotated[HeaderText, Header(alias="X-Askwell-Thread")] = "",
        chat: Annotated[HeaderText, Header(alias="X-OpenWebUI-Chat-Id")] = "",
        task: Annotated[HeaderText, Header(alias="X-OpenWebUI-Task")] = "",
    ) -> Response:
        """Answer the last message of the user, as OpenAI's chat completions do. `model` is an agent (`default`),
        `project/agent`, or a project. With a thread the conversation is the thread's own; without one it is what the
        client sends along."""
        text = body.said()
        if _filled(task) or (chat and text.startswith(_TASK)):
            raise InvalidRequest(*say("chat.no_titles"))
        thread_id = body.metadata.thread_id or _filled(thread) or _chat_id(chat)
        of_project, agent_id = await _find_agent(caller, services.conversations.agents, body.model, project_id)
        message = NewMessage(
            of_project,
            text[:LONGEST_MESSAGE],
            thread_id=thread_id,
            agent_id=agent_id,
            configurations=body.configurations,
            earlier=_earlier(body) if thread_id is None else (),
        )
        turn = await take(caller, services.conversations, message)
        pending = _PendingAnswer(
            services.conversations, of_project, body.model, turn, thread_id is None, int(time.time())
        )
        if body.stream:
            chunks = _chunks(pending, includes_usage=body.stream_options.include_usage)
            return plain_stream(chunks, services.ending)
        answering = _completion(pending)
        # A client without a thread that goes away takes its run along.
        return await (while_connected(request, answering, services.ending) if pending.is_stateless else answering)

    @router.get("/models", response_model=ModelsList, responses=ERRORS)
    async def list_models(caller: AnyCaller, project_id: OfProject = None) -> dict[str, Any]:
        """The agents of a project, as OpenAI lists models."""
        found = await _agents_by_model(caller, services.conversations.agents, project_id)
        about = {"object": "model", "created": 0, "owned_by": "askwell"}
        return {"object": "list", "data": [{"id": one, **about, "name": found[one].name} for one in found]}

    return router


def _filled(header: str) -> str | None:
    """What a header says; None for an empty one, and for a client's placeholder that was not filled in."""
    return None if not header.strip() or header.startswith("{{") else header.strip()


def _chat_id(header: str) -> str | None:
    """The thread of a chat in Open WebUI. Its temporary chats have one id together, as long as a page is open."""
    return None if header.startswith("local") else _filled(header)


def _earlier(body: ChatCompletionBody) -> list[tuple[Any, str]]:
    """The conversation as the client tells it, which is data: the last texts, each cut."""
    said = []
    for role, text in body.earlier():
        words = words_of_answer(text) if role == "assistant" else text
        # Neither can be stored: NUL, and halves of surrogate pairs.
        kept = words.replace("\x00", "").encode(errors="replace").decode().strip()[:EARLIER_CHARACTERS]
        if kept:
            said.append((role, kept))
    return said[-MOST_EARLIER:]


async def _agents_by_model(caller: Caller, agents: Agents, project_id: str | None) -> Mapping[str, OfferedAgent]:
    """Agents by the names of their models. Without a project those of all that the caller has, where these are named
    one by one."""
    own = caller.principal.projects
    if project_id is not None or own is None:
        caller.require_project(project_id or DEFAULT_PROJECT)
        return await agents.offered(project_id)
    found: dict[str, OfferedAgent] = {}
    for one in sorted(own)[:_MOST_PROJECTS]:
        if await agents.is_project(one):
            offered = await agents.offered(one)
            found |= {name if one == DEFAULT_PROJECT else f"{one}/{name}": offered[name] for name in offered}
    return found


async def _find_agent(caller: Caller, agents: Agents, model: str, project_id: str | None) -> tuple[str, str]:
    """The project and the agent that a model's name stands for. Raises `NotFound`."""
    offered = await _agents_by_model(caller, agents, project_id)
    if model in offered:
        return offered[model].project_id, offered[model].agent_id
    names = list(offered)
    project, _, agent_id = model.partition("/")
    if project_id in (None, project) and caller.principal.may_use(project) and await agents.is_project(project):
        if not agent_id:
            return project, DEFAULT_AGENT
        known = await agents.all(project)
        if agent_id in known:
            return project, agent_id
        names = [f"{project}/{one}" for one in known]
    raise NotFound(*say("chat.unknown_model", model=model[:64], near=nearest_text(model, names)))


async def _chunks(pending: _PendingAnswer, *, includes_usage: bool) -> AsyncIterator[str]:
    answer_text = AnswerText()
    head = pending.head("chat.completion.chunk") | ({"usage": None} if includes_usage else {})

    def chunk(delta: Mapping[str, Any], finish_reason: str | None = None, **more: Any) -> str:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
        return _json({**head, "choices": [choice], **more})

    yield chunk({"role": "assistant", "content": ""})
    async for event in pending.events():
        if words := answer_text.add(event):
            yield chunk({"content": words})
    if answer_text.error is not None:
        yield _json({"error": {**answer_text.error, "type": "server_error", "param": None}})
    else:
        if end := end_of_answer(answer_text):
            yield chunk({"content": end})
        yield chunk({}, "stop", askwell=pending.extras(answer_text))
        if includes_usage:
            yield _json({**head, "choices": [], "usage": answer_text.openai_usage()})
    yield "[DONE]"


async def _completion(pending: _PendingAnswer) -> Response:
    """The whole answer."""
    answer_text = AnswerText()
    async for event in pending.events():
        answer_text.add(event)
    if answer_text.error is not None:
        raise _failure(answer_text.error)
    message = {"role": "assistant", "content": answer_text.message + end_of_answer(answer_text), "refusal": None}
    choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}
    head = pending.head("chat.completion")
    extras = {"usage": answer_text.openai_usage(), "askwell": pending.extras(answer_text)}
    return JSONResponse({**head, "choices": [choice], **extras})


def _failure(error: Mapping[str, Any]) -> AskwellError:
    kind = Unavailable if str(error["code"]).endswith("_UNAVAILABLE") else AskwellError
    failure = kind(str(error["message"]))
    failure.code = str(error["code"])
    return failure


def _json(value: Mapping[str, Any]) -> str:
    return json_bytes(value).decode()
