"""Conversations as clients use them: messages sent, answers given, runs followed and stopped, threads kept."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from askwell.agent import parts
from askwell.agent.definition import DEFAULT_AGENT, Agents, checked_variables
from askwell.agent.kind import AWAITS, RUNNING, RunKind
from askwell.agent.request import ClientContext, ClientTool, RunRequest, ToolAnswer
from askwell.asks.request import AskRequest
from askwell.asks.states import AskState
from askwell.errors import Conflict, InvalidRequest, NotFound, Unavailable
from askwell.jobs.kind import JobState
from askwell.jobs.request import DEFAULT_PROJECT, Configurations
from askwell.jobs.service import JobService
from askwell.knowledge.threads import Message, RunEvent, Thread, ThreadShelf
from askwell.messages import say
from askwell.principal import NOBODY, Person

_ENDS = ("finished", "failed", "stopped")
_TITLE_CHARACTERS = 80
_LONGEST_ANSWER = 1_000
T = TypeVar("T", str, str | None)


class NoModel(Unavailable):
    """There is no language model, and an agent is one."""

    code = "NO_MODEL"

    def __init__(self) -> None:
        super().__init__(*say("agents.no_language_model"))


@dataclass(frozen=True)
class NewMessage:
    """A message to a thread; a thread that is unknown, or None, is a new one. `client_id` is the id by which the client
    will know the run, and by which the same message that is sent twice is one. `variables` are set before the run.
    `earlier` are words, as a client tells them, that a new thread begins with. `person` is who sends it."""

    project_id: str
    text: str = ""
    thread_id: str | None = None
    agent_id: str | None = None
    client_id: str | None = None
    idempotency_key: str | None = None
    variables: Mapping[str, str] = field(default_factory=dict)
    configurations: Configurations = field(default_factory=Configurations)
    session_properties: Mapping[str, str] = field(default_factory=dict)
    tools: Sequence[ClientTool] = ()
    context: Sequence[ClientContext] = ()
    tool_answers: Sequence[ToolAnswer] = ()
    earlier: Sequence[tuple[Literal["user", "assistant"], str]] = ()
    person: Person = NOBODY


@dataclass(frozen=True, slots=True)
class Begun:
    """A run of a thread, and the segment of it that was begun."""

    thread_id: str
    run_id: str
    segment: int = 0


@dataclass(frozen=True)
class Conversations:
    """The threads of all projects, and their runs. Everything that is for a project raises `InvalidRequest` where the
    configuration does not name it."""

    shelf: ThreadShelf
    runs: JobService[RunRequest, JobState]
    kind: RunKind
    agents: Agents
    asks: JobService[AskRequest, AskState]
    has_model: bool

    # -- runs -------------------------------------------------------------------------------------------------------

    def require_model(self) -> None:
        """Raises `NoModel`."""
        if not self.has_model:
            raise NoModel

    async def send(self, message: NewMessage) -> Begun:
        """Begin a run. Raises `NoModel`, `NotFound` for an unknown agent, `Conflict` where another run of the thread
        goes on, `InvalidRequest`, `Busy` and `ShuttingDown`."""
        self.require_model()
        now = self.runs.now()
        thread_id = message.thread_id or _new_thread_id(message)
        known = await self.shelf.find(message.project_id, thread_id)
        agent_id = message.agent_id or (known.agent_id if known is not None else DEFAULT_AGENT)
        if message.agent_id is None and agent_id not in await self.agents.all(message.project_id):
            agent_id = DEFAULT_AGENT  # the thread's own was deleted
        await self.agents.get(message.project_id, agent_id)
        variables = checked_variables(message.variables)
        if known is not None:
            checked_variables({**known.variables, **variables})
        names = [one.name for one in message.tools]
        if len(set(names)) < len(names):
            raise InvalidRequest(*say("chat.tools_same_name"))
        if message.tools:
            await asyncio.to_thread(_require_schemas, message.tools)
        answers = await self._answers(message, thread_id)
        request = RunRequest(
            project_id=message.project_id,
            message=message.text,
            thread_id=thread_id,
            agent_id=agent_id,
            client_ids=[message.client_id],
            client_tools=list(message.tools),
            client_context=list(message.context),
            tool_answers=answers,
            session_properties=dict(message.session_properties),
            configurations=message.configurations,
        )
        thread = known or Thread(thread_id, agent_id, _title(message.text), variables, now, now)
        said = [{"type": "text", "text": message.text}] if message.text else []
        said += [{"type": "tool_result", "id": one.tool_call_id, "content": one.content} for one in answers]
        also = self.shelf.beginning(
            message.project_id,
            thread,
            said,
            now,
            variables=variables,
            client_id=_own_name(message.person, message.client_id),
            earlier=message.earlier,
            owner=message.person.id,
        )
        key = message.idempotency_key or (f"client:{message.client_id}" if message.client_id else None)
        run_id = await self.runs.start(request, key, person=message.person, also=also)
        return Begun(thread_id, run_id)

    async def _answers(self, message: NewMessage, thread_id: str) -> list[ToolAnswer]:
        """What the client's own tools gave, for calls that wait for it: clients send what ours gave too."""
        if not message.tool_answers:
            return []
        theirs = {one.name for one in message.tools}.difference(self.agents.tools)
        calls = parts.open_calls(await self.shelf.messages(message.project_id, thread_id))
        waiting = {call.id for call in calls if call.tool in theirs}
        answers = [one for one in message.tool_answers if one.tool_call_id in waiting]
        if not answers and not message.text:
            raise InvalidRequest(*say("chat.no_call_waits"))
        return answers

    async def named(self, project_id: str, client_id: str, thread_id: str, person: Person = NOBODY) -> Begun | None:
        """The segment that a client of this person called so; None where there is none. Raises `InvalidRequest` where
        it is one of another thread."""
        found = await self.shelf.named(project_id, _own_name(person, client_id))
        if found is None:
            return None
        request = await self.runs.request(found[0])
        if request.thread_id != thread_id:
            raise InvalidRequest(*say("chat.run_in_other_thread"))
        return Begun(request.thread_id, *found)

    async def answer(
        self,
        project_id: str | None,
        run_id: str,
        answers: Mapping[str, Any],
        client_id: str | None = None,
        *,
        person: Person = NOBODY,
    ) -> Begun:
        """Answer what a run asked back, by the ids of the interrupts; None is a refusal to answer. It goes on once all
        are answered. Raises `NotFound`, and `Conflict` where it waits for none of these."""
        if project_id is not None:
            await self.runs.require_project(run_id, project_id)
        state = await self.runs.waiting.state(run_id)
        request = await self.runs.request(run_id)
        if state is None or state.status != AWAITS:
            raise Conflict(*say("chat.run_waits_for_nothing"))
        waiting = {one.interrupt_id for one in request.pending if not one.answered}
        if unknown := answers.keys() - waiting:
            raise Conflict(*say("chat.interrupt_gone", unknown=min(unknown)[:64]))
        pending = [
            one.model_copy(update={"answered": True, "answer": _said(one.asked, answers[one.interrupt_id])})
            if one.interrupt_id in answers
            else one
            for one in request.pending
        ]
        for one in pending:
            if one.interrupt_id in answers and one.answer is None:
                await self.asks.stop(one.ask_id)
        changed = request.model_copy(update={"pending": pending})
        if any(not one.answered for one in pending):
            await self._wait_on(run_id, state, changed)
            return Begun(request.thread_id, run_id, len(request.client_ids) - 1)
        changed = changed.model_copy(update={"client_ids": [*request.client_ids, client_id]})
        segment = len(changed.client_ids) - 1
        following = self.kind.live(RUNNING, thread_id=request.thread_id)
        await self.runs.waiting.go_on(run_id, state, changed, following)
        if client_id is not None:
            await self.shelf.name_segment(request.project_id, _own_name(person, client_id), run_id, segment)
        return Begun(request.thread_id, run_id, segment)

    async def resume(
        self,
        project_id: str,
        thread_id: str,
        answers: Mapping[str, Any],
        client_id: str,
        *,
        person: Person = NOBODY,
    ) -> Begun:
        """Answer all that the thread's run asked back, in a segment that the client calls so. Raises as `answer`, and
        `InvalidRequest` where answers are missing."""
        run_id = await self.waiting_in(project_id, thread_id)
        if run_id is None:
            raise Conflict(*say("chat.thread_waits_for_nothing"))
        request = await self.runs.request(run_id)
        missing = {one.interrupt_id for one in request.pending if not one.answered} - answers.keys()
        if missing:
            raise InvalidRequest(*say("chat.other_interrupt_open", missing=", ".join(sorted(missing))))
        return await self.answer(project_id, run_id, answers, client_id, person=person)

    async def going_on(self, project_id: str, thread_id: str) -> str | None:
        """The run of a thread that has not ended, where there is one."""
        return await self.shelf.going_on(project_id, thread_id)

    async def waiting_in(self, project_id: str, thread_id: str) -> str | None:
        """The run of a thread that waits for an answer, where there is one."""
        run_id = await self.shelf.going_on(project_id, thread_id)
        return run_id if run_id is not None and await self.runs.waiting.state(run_id) is not None else None

    async def _wait_on(self, run_id: str, state: JobState, changed: RunRequest) -> None:
        """Some answers are still to come."""
        left = {one.interrupt_id for one in changed.pending if not one.answered}
        interrupts = [one for one in state.fields["interrupts"] if one["id"] in left]
        await self.runs.waiting.keep(run_id, state, changed)
        await self.runs.waiting.wait_on(
            run_id, state, self.kind.live(AWAITS, **{**state.fields, "interrupts": interrupts})
        )

    async def run_id(self, project_id: str | None, named: str, person: Person = NOBODY) -> str:
        """The id of a run that is named by it, or by the id that a client of AG-UI, and of this person, gave to one of
        its segments; the name itself where neither is known."""
        found = await self.shelf.named(project_id or DEFAULT_PROJECT, _own_name(person, named))
        return found[0] if found is not None else named

    async def events(self, run_id: str, after: int = 0, segment: int | None = None) -> AsyncIterator[RunEvent]:
        """The events of a run behind a place, or of one segment, until its end. Raises `NotFound` before anything is
        read."""
        if (feed := self.kind.logs.feed) is not None:
            await self.runs.request(run_id)
            return feed.follow(run_id, after, segment, self._has_ended)
        request, result = await self.runs.request_and_result(run_id)
        if result["status"] not in _ENDS:
            log = await self.kind.logs.open(request.project_id, request.thread_id, run_id)
            if (await self._result(run_id))["status"] not in _ENDS:
                return log.read(after, segment)
            self.kind.logs.forget(run_id)  # it ended meanwhile
        return _recorded(await self.shelf.events(run_id), after, segment)

    async def ended_with(self, run_id: str, place: int) -> bool:
        """Whether a run has ended with the event at this place. Raises `NotFound`."""
        if (await self._result(run_id))["status"] not in _ENDS:
            return False
        events = await self.shelf.events(run_id)
        return not events or events[-1].place <= place

    async def _has_ended(self, run_id: str) -> bool:
        return (await self._result(run_id))["status"] in _ENDS

    async def _result(self, run_id: str) -> Mapping[str, Any]:
        return (await self.runs.request_and_result(run_id))[1]

    async def stop(self, project_id: str | None, run_id: str) -> None:
        """Stop a run; one that has ended stays as it is. What it asked the data, and waits for, is stopped too."""
        if project_id is not None:
            await self.runs.require_project(run_id, project_id)
        request = await self.runs.request(run_id)
        await self.runs.stop(run_id)
        for one in request.pending:
            await self._stop_ask(one.ask_id)

    async def _stop_ask(self, ask_id: str) -> None:
        try:
            await self.asks.stop(ask_id)
        except NotFound:
            return  # it is over, and forgotten

    # -- threads ----------------------------------------------------------------------------------------------------

    async def create(
        self,
        project_id: str,
        *,
        agent_id: str | None,
        title: str,
        variables: Mapping[str, str],
        person: Person = NOBODY,
    ) -> Thread:
        """A new thread of this person."""
        agent_id = agent_id or DEFAULT_AGENT
        await self.agents.get(project_id, agent_id)
        now = self.runs.now()
        thread = Thread(uuid.uuid4().hex, agent_id, title, checked_variables(variables), now, now)
        return await self.shelf.create(project_id, thread, person.id)

    async def thread(self, project_id: str, thread_id: str) -> Thread:
        """A thread, with the defaults of its agent's variables. Raises `NotFound`."""
        found = await self.shelf.find(project_id, thread_id)
        if found is None:
            raise unknown_thread(thread_id)
        return found

    async def page(
        self, project_id: str, offset: int, limit: int, owner: str | None = None
    ) -> tuple[Sequence[Thread], int]:
        """`limit` threads, of one person where `owner` is their id, after the first `offset`, the last used first, and
        how many there are."""
        await self.agents.all(project_id)
        return await self.shelf.page(project_id, offset, limit, owner)

    async def owner(self, project_id: str, thread_id: str) -> str | None:
        """The id of the person whose thread it is, "" for nobody's; None where there is none."""
        return await self.shelf.owner(project_id, thread_id)

    async def change(
        self, project_id: str, thread_id: str, *, title: str | None, variables: Mapping[str, str] | None
    ) -> Thread:
        """Change the title, or set variables; others stay. Raises `NotFound` and `InvalidRequest`."""
        thread = await self.thread(project_id, thread_id)
        values: dict[str, Any] = {}
        if title is not None:
            values["title"] = title
        if variables is not None:
            values["variables"] = checked_variables({**thread.variables, **variables})
        if values:
            await self.shelf.change(project_id, thread_id, **values)
        return await self.thread(project_id, thread_id)

    async def messages(self, project_id: str, thread_id: str) -> Sequence[Message]:
        """All messages of a thread, in order. Raises `NotFound`."""
        await self.thread(project_id, thread_id)
        return await self.shelf.messages(project_id, thread_id)

    async def delete(self, project_id: str, thread_id: str) -> None:
        """Delete a thread with everything that belongs to it; a run of it is stopped. Raises `NotFound`."""
        await self.thread(project_id, thread_id)
        if (run_id := await self.shelf.going_on(project_id, thread_id)) is not None:
            await self.stop(project_id, run_id)
        gone = await self.shelf.delete(project_id, thread_id)
        for job_id in gone:
            self.kind.logs.forget(job_id)
        await self.runs.forget(gone)


def unknown_thread(thread_id: str) -> NotFound:
    """What is said of a thread that there is not, or that is not for the caller."""
    return NotFound(*say("chat.unknown_thread", thread_id=thread_id[:64]))


async def _recorded(found: Sequence[RunEvent], after: int, segment: int | None) -> AsyncIterator[RunEvent]:
    for one in found:
        if one.place > after and segment in (None, one.segment):
            yield one


def _new_thread_id(message: NewMessage) -> str:
    """The same for a message that is sent again with its key: it is the same request then."""
    if message.idempotency_key is None:
        return uuid.uuid4().hex
    key = _own_name(message.person, message.idempotency_key)
    return uuid.uuid5(uuid.NAMESPACE_OID, f"{message.project_id}\n{key}").hex


def _own_name(person: Person, name: T) -> T:
    """A name that a client chose, as the record keeps it: two people may choose the same one."""
    return name if name is None or not person.has_signed_in else f"{person.id} {name}"


def _require_schemas(tools: Sequence[ClientTool]) -> None:
    """Raises `InvalidRequest` for parameters that are no JSON Schema of an object."""
    from jsonschema import Draft202012Validator, SchemaError

    for tool in tools:
        try:
            Draft202012Validator.check_schema(tool.parameters)
        except SchemaError as error:
            raise InvalidRequest(
                *say("chat.tool_parameters_no_schema", name=tool.name, message=error.message[:200])
            ) from None
        if tool.parameters.get("type", "object") != "object":
            raise InvalidRequest(*say("chat.tool_parameters_no_object", name=tool.name))


def _title(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _TITLE_CHARACTERS else f"{line[: _TITLE_CHARACTERS - 1].rstrip()}…"


def _said(asked: Mapping[str, Any], payload: Any) -> Any:
    """An answer as the tool takes it: words, the id of an option, or values by name, of which none leaves it to the
    service; None for a refusal. Raises
    `InvalidRequest` for anything else."""
    if isinstance(payload, str) and len(payload) > _LONGEST_ANSWER:
        raise InvalidRequest(*say("chat.answer_too_long", longest_answer=_LONGEST_ANSWER))
    if payload is None or isinstance(payload, str):
        return payload
    if isinstance(payload, bool | int | float):
        return str(payload)
    if isinstance(payload, Mapping):
        if asked.get("fields") or not payload:
            values = payload.get("values", payload)
            if isinstance(values, Mapping):
                return dict(values)
        for name in ("option_id", "id", "text", "answer", "value", "label"):
            if isinstance(payload.get(name), str):
                return payload[name]
    raise InvalidRequest(*say("chat.answer_form"))
