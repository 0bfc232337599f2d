"""One run of a conversation, from the message to its end, or to what has to be asked back."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from askwell.agent import events, parts
from askwell.agent.checked_text import Known
from askwell.agent.definition import AgentDefinition, filled
from askwell.agent.fitting import fitted
from askwell.agent.remembering import Remember
from askwell.agent.request import KnownPassage, LookedUp, Prelude, RunRequest
from askwell.agent.run_log import RunLog
from askwell.agent.turn import Stage, Turn
from askwell.asks.passages_step import fitted as fitted_passages
from askwell.config import AgentSettings
from askwell.config.schema import IntentRoute
from askwell.errors import AskwellError, Unavailable
from askwell.jobs.kind import Job, JobState
from askwell.knowledge.threads import Message, Thread, ThreadShelf
from askwell.pipelines.conversation.loop import Call, Said, converse
from askwell.pipelines.generation.prompt_values import time_in_words
from askwell.pipelines.generation.question import HistoryTurn, PromptPassage, QuestionContext
from askwell.pipelines.passages import PassageSearch
from askwell.providers.llm.base import NoTextReply, ToolSpec, Usage
from askwell.question.follow_ups import leans, may_lean, refers_back
from askwell.services.projects import ProjectModels
from askwell.services.recommendations.suggestions import suggest_by_model
from askwell.tools.base import Caller, Tool, ToolFailure
from askwell.tools.toolbox import Toolbox

if TYPE_CHECKING:
    from askwell.pipelines.conversation.build import ConversationPipelines
    from askwell.pipelines.generation.build import GenerationPipelines

logger = logging.getLogger(__name__)

# Of an earlier message, what a model is shown.
_HISTORY_CHARACTERS = 2_000
# Before the model is asked, a tool's result gets this part of the room that it has later.
_SHARE_BEFORE = 0.5
_SUGGESTED_TABLES = 12
_FINISH_NOW = "Answer my message now from what you know by now, without calling tools; say what you could not find out."
_NOTHING_FOUND = "I could not find an answer to that. Try to ask it in other words, or one part at a time."


@dataclass(frozen=True)
class ConversationTools:
    """What runs work with. `generation` and `conversation` are None without a language model."""

    threads: ThreadShelf
    projects: ProjectModels
    toolbox: Toolbox
    passages: PassageSearch
    generation: GenerationPipelines | None
    conversation: ConversationPipelines | None
    settings: AgentSettings
    now: Callable[[], datetime]


class ConversationRun:
    """An attempt at one run. `history` are all messages of the thread, the run's own among them."""

    def __init__(
        self,
        tools: ConversationTools,
        job: Job[RunRequest, JobState],
        log: RunLog,
        thread: Thread,
        agent: AgentDefinition,
        history: Sequence[Message],
    ) -> None:
        assert tools.conversation is not None
        assert tools.generation is not None
        self._tools = tools
        self._conversation = tools.conversation
        self._generation = tools.generation
        self._job = job
        self._request = job.request
        self._log = log
        self._thread = thread
        self._agent = agent
        self._earlier = [one for one in history if one.run_id != job.id]
        self._own = [one for one in history if one.run_id == job.id]
        self._variables = agent.values(thread.variables)
        self._usage = Usage()
        self._known = Known()
        configurations = self._request.configurations
        self._language = configurations.language
        self._caller = Caller(
            project_id=job.project_id,
            now=job.now,
            language=configurations.language,
            timezone=configurations.timezone.name,
            session_properties=self._request.session_properties,
            thread_id=thread.id,
        )
        self._offered = self._tools_of_agent()

    async def run(self) -> JobState:
        """The end; or the state in which it waits for the person. Raises as `Work.run` does."""
        self._log.tell(events.run_started(self._thread.id, self._request.client_id(self._job.id)))
        self._log.tell(events.state(self._variables))
        route = await self._route() if self._request.prelude is None else None
        if route is not None and route.route in ("answer", "refuse"):
            turn = self._turn(Prelude(question=self._request.message))
            turn.tell_answer(route.message.strip())
            return await self._finished(turn, Prelude(question=self._request.message))
        prelude = self._request.prelude or await self._looked_up(route)
        self._remember_known(prelude)
        turn = self._turn(prelude)
        await self._take_up(turn)
        if self._request.answers_alone or (route is not None and route.route == "sql"):
            await self._by_data_alone(turn, prelude)
        elif not turn.pending:
            await self._think(turn, prelude)
        if turn.pending:
            return await self._asked_back(turn, prelude, alone=route is not None and route.route == "sql")
        return await self._finished(turn, prelude)

    # -- before the model is asked ----------------------------------------------------------------------------------

    async def _route(self) -> IntentRoute | None:
        """The way that is configured for such a message, where ways are."""
        settings = self._tools.settings
        if not settings.intents or not self._request.message:
            return None
        from askwell.pipelines.conversation.routing import Way

        self._log.tell(events.step_started("route"))
        chosen = await self._conversation.routing.run(
            self._request.message,
            ways=[Way(one.id, one.description) for one in settings.intents],
            earlier=[one.text for one in self._earlier if one.role == "user"],
            language=self._language,
            reasons=settings.intent_mode == "standard",
        )
        self._usage += chosen.usage
        self._log.tell(events.custom("route", {"id": chosen.id, "reason": chosen.reason}))
        self._log.tell(events.step_finished("route"))
        return next((one for one in settings.intents if one.id == chosen.id), None)

    async def _looked_up(self, route: IntentRoute | None) -> Prelude:
        question = await self._reformulated()
        if not self._request.message or (route is not None and route.route == "sql"):
            prelude = Prelude(question=question)
        else:
            passages = await self._passages(question)
            looked_up = await self._pre_tools(question)
            prelude = Prelude(question=question, passages=passages, looked_up=looked_up)
        await self._keep(prelude=prelude)
        return prelude

    async def _keep(self, **changed: Any) -> None:
        self._request = self._request.model_copy(update=changed)
        await self._job.keep(self._request)

    async def _reformulated(self) -> str:
        """The message as it stands alone."""
        message = self._request.message
        turns = _turns(self._earlier)
        if not turns or not any(rule(message) for rule in (leans, may_lean, refers_back)):
            return message
        self._log.tell(events.step_started("reformulate"))
        zone = self._caller.timezone
        question = QuestionContext(
            question=message,
            now=self._job.now.astimezone(ZoneInfo(zone)),
            timezone=zone,
            language=self._language,
            histories=tuple(turns[-self._tools.settings.history_messages :]),
        )
        written = await self._generation.reformulation.run(question)
        self._usage += written.usage
        self._log.tell(events.step_finished("reformulate"))
        return written.text

    async def _passages(self, question: str) -> list[KnownPassage]:
        knowledge = self._agent.knowledge
        if not knowledge.top_k:
            return []
        self._log.tell(events.step_started("passages"))
        try:
            found = await self._tools.passages.run(
                self._job.project_id, question, top_k=knowledge.top_k, tags=knowledge.tags
            )
        except Unavailable as error:
            self._warn(f"The documents of this project were not searched. {error.message}")
            found = []
        self._log.tell(events.step_finished("passages"))
        return [
            KnownPassage(**{name: getattr(one, name) for name in KnownPassage.model_fields})
            for one in fitted_passages(found, question)
        ]

    async def _pre_tools(self, question: str) -> list[LookedUp]:
        """What the agent's tools give before its model is asked; one that fails says so."""
        if not self._agent.pre_tools:
            return []
        self._log.tell(events.step_started("pre_tools"))
        bound = int(self._tools.settings.result_tokens * _SHARE_BEFORE)
        found: list[LookedUp] = []
        for number, one in enumerate(self._agent.pre_tools, 1):
            call = Call(f"{self._job.id[:12]}-before-{number}", one.tool, filled(one.arguments, question))
            self._log.tell(*events.tool_called(call.id, call.tool, parts.arguments_text(call), ""))
            # A tool that the agent may not call by itself may still be set up to be called first.
            caller = self._caller
            shown: list[Any] = []
            try:
                output = await self._tools.toolbox.call(call.tool, caller, call.arguments, lambda _: None)
                content = fitted(output.result.told(), bound)
                shown = parts.shown_parts(call, output)
            except ToolFailure as failure:
                content = parts.error_text(failure)
            self._log.keep(
                Message.new(
                    "tool", [parts.result_part(call, content, before=True), *shown], self._job.id, self._tools.now()
                )
            )
            self._log.tell(events.tool_answered(call.id, f"{call.id}-result", content))
            found.append(LookedUp(tool=call.tool, content=content))
        self._log.tell(events.step_finished("pre_tools"))
        return found

    def _warn(self, message: str) -> None:
        self._log.tell(events.custom("warning", {"message": message}))

    # -- the model --------------------------------------------------------------------------------------------------

    def _tools_of_agent(self) -> Mapping[str, Tool[Any]]:
        chosen = self._agent.tools
        tools = {tool.name: tool for tool in self._tools.toolbox if chosen is None or tool.name in chosen}
        if self._agent.writable:
            remember = Remember(self._agent.writable, self._set_variable)
            tools[remember.name] = remember
        return tools

    async def _set_variable(self, name: str, value: str) -> None:
        kept = await self._tools.threads.set_variables(self._job.project_id, self._thread.id, {name: value})
        self._variables = self._agent.values(kept)
        self._log.tell(events.state(self._variables))

    def _remember_known(self, prelude: Prelude) -> None:
        """The figures that an answer may have."""
        known = self._known
        for one in (*parts.known_of(self._earlier), *parts.known_of(self._own)):
            known.add(one)
        known.add(self._request.message)
        known.add(prelude.question)
        known.add([one.model_dump() for one in prelude.passages])
        for one in prelude.looked_up:
            known.add(parts.content_of(one.content))
        known.add(self._variables)
        known.add([one.model_dump() for one in self._request.client_context])
        known.add(self._now_in_words())
        known.add(self._agent.persona)

    def _now_in_words(self) -> str:
        zone = self._caller.timezone
        return time_in_words(self._job.now.astimezone(ZoneInfo(zone)), zone)

    def _turn(self, prelude: Prelude) -> Turn:
        stage = Stage(
            run_id=self._job.id,
            log=self._log,
            caller=self._caller,
            tools=self._offered,
            client_tools=frozenset(one.name for one in self._request.client_tools if one.name not in self._offered),
            bounds=self._tools.settings,
            known=self._known,
            passages=[PromptPassage(**one.model_dump()) for one in prelude.passages],
            stream=self._job.stream.append,
            now=self._tools.now,
        )
        waiting = {one.call_id for one in self._request.pending}
        return Turn(stage, parts.turns_of(self._own, waiting), calls=self._request.calls)

    async def _take_up(self, turn: Turn) -> None:
        """Go on with what was asked back, and with what the client's tools gave."""
        for pending in self._request.pending:
            await turn.go_on(pending)

    async def _think(self, turn: Turn, prelude: Prelude) -> None:
        self._log.tell(events.step_started("think"))
        settings = self._tools.settings
        prompt = self._conversation.prompt.write(
            {
                "name": self._agent.name,
                "persona": self._agent.persona,
                "language": self._language,
                "now": self._now_in_words(),
                "variables": self._told_variables(),
                "context": self._request.client_context,
                "passages": turn.stage.passages,
                "looked_up": prelude.looked_up,
                "question": prelude.question,
            }
        )
        history = parts.spoken(self._earlier, settings.history_messages, _HISTORY_CHARACTERS)
        before = [*history, *parts.answered_by_client(self._earlier, self._request.tool_answers)]
        if self._request.message:
            before.append(Said("user", prompt.user))
        model = self._conversation.model(self._agent.model)
        end = await converse(
            model,
            system=prompt.system,
            said=[*before, *turn.said],
            tools=self._specs(),
            owner=turn,
            max_steps=max(settings.max_steps - self._request.steps, 1),
            tools_at_once=settings.tools_at_once,
            taken={call.id for call in parts.calls_of([*self._earlier, *self._own])},
        )
        self._usage += end.usage
        self._request = self._request.model_copy(update={"steps": self._request.steps + end.steps, "calls": turn.calls})
        if not turn.answer and not turn.pending and not turn.for_client:
            try:
                last = await converse(
                    model,
                    system=prompt.system,
                    said=[*before, *turn.said, Said("user", _FINISH_NOW)],
                    tools=(),
                    owner=_Closing(turn),
                    max_steps=2,
                    tools_at_once=1,
                )
                self._usage += last.usage
            except NoTextReply as error:
                # It calls a tool all the same, or says nothing.
                self._usage += error.usage
            if not turn.answer:
                turn.tell_answer(turn.in_words() if turn.rows is not None else _NOTHING_FOUND)
        self._log.tell(events.step_finished("think"))

    def _told_variables(self) -> list[dict[str, str]]:
        about = {one.name: one.description for one in self._agent.variables}
        return [
            {"name": name, "description": about.get(name, ""), "value": value}
            for name, value in self._variables.items()
            if value or name in about
        ]

    def _specs(self) -> list[ToolSpec]:
        own = [ToolSpec(one.name, one.description, one.arguments.model_json_schema()) for one in self._offered.values()]
        theirs = [
            ToolSpec(one.name, one.description, one.parameters or {"type": "object", "properties": {}})
            for one in self._request.client_tools
            if one.name not in self._offered
        ]
        return [*own, *theirs]

    async def _by_data_alone(self, turn: Turn, prelude: Prelude) -> None:
        """The route `sql`: the question is put to the data, and its rows are told as they are."""
        if not self._request.pending:
            await turn.ask(prelude.question)
        if not turn.pending:
            turn.tell_answer(turn.in_words())

    # -- ends -------------------------------------------------------------------------------------------------------

    async def _asked_back(self, turn: Turn, prelude: Prelude, *, alone: bool) -> JobState:
        await self._log.flush()
        await self._keep(
            pending=turn.pending,
            prelude=prelude,
            answers_alone=self._request.answers_alone or alone,
            steps=self._request.steps,
            calls=turn.calls,
        )
        interrupts = [interrupt_of(one.interrupt_id, one.call_id, one.asked) for one in turn.pending]
        return JobState("awaiting_input", {"thread_id": self._thread.id, "interrupts": interrupts})

    async def _finished(self, turn: Turn, prelude: Prelude) -> JobState:
        suggestions = await self._suggestions(turn, prelude) if turn.answer and not turn.for_client else ()
        await self._log.flush()
        fields = {
            "thread_id": self._thread.id,
            "message": turn.answer or None,
            "citations": turn.citations or None,
            "suggested_questions": list(suggestions) or None,
            "pending_tool_call_ids": turn.for_client or None,
            "usage": _usage(self._usage),
        }
        return JobState("finished", fields, is_end=True)

    async def _suggestions(self, turn: Turn, prelude: Prelude) -> Sequence[str]:
        """Three questions that the data can answer, or none."""
        project = await self._tools.projects.get(self._job.project_id, None)
        if not self._agent.suggest or turn.sql is None or project is None:
            return ()
        self._log.tell(events.step_started("suggest"))
        asked = [one.text for one in self._earlier if one.role == "user"]
        lines = [project.prepared.text.line(one.name).text for one in project.model][:_SUGGESTED_TABLES]

        async def write() -> Sequence[str]:
            written = await self._conversation.suggestion.run(
                prelude.question,
                answer=turn.answer,
                tables=lines,
                asked=asked,
                language=self._language,
                persona=self._agent.suggest_persona,
            )
            self._usage += written.usage
            return written.questions

        found: Sequence[str] = ()
        try:
            found = await suggest_by_model([*asked, self._request.message, prelude.question], write)
        except AskwellError as error:
            logger.warning("no suggestions were written", extra={"error": error.code})
        if found:
            self._log.tell(events.custom("suggestions", list(found)))
        self._log.tell(events.step_finished("suggest"))
        return found


class _Closing:
    """The owner of a last word: the model has no tools any more."""

    def __init__(self, turn: Turn) -> None:
        self.turn = turn

    async def stop(self) -> bool:
        return False

    def hear(self, piece: str) -> None:
        self.turn.hear(piece)

    async def called(self, text: str, calls: Sequence[Call]) -> None:
        return None

    async def call(self, call: Call) -> str:
        return ""

    async def unanswered(self, call: Call, content: str) -> None:
        return None

    async def answered(self, text: str, *, is_cut: bool) -> str | None:
        return await self.turn.answered(text, is_cut=is_cut)


def _turns(messages: Sequence[Message]) -> list[HistoryTurn]:
    """Earlier messages of the person, each with the last SQL that was run for it."""
    turns: list[HistoryTurn] = []
    for message in messages:
        if message.role == "user" and message.text:
            turns.append(HistoryTurn(message.text, ""))
        for part in message.parts:
            if part["type"] == "sql" and turns:
                turns[-1] = HistoryTurn(turns[-1].question, part["sql"])
    return turns


def interrupt_of(interrupt_id: str, call_id: str, asked: Mapping[str, Any]) -> dict[str, Any]:
    """What the person is asked, as AG-UI has it, with the form of the answer."""
    found: dict[str, Any] = {
        "id": interrupt_id,
        "reason": "clarification",
        "message": asked["question"],
        "toolCallId": call_id,
        "responseSchema": _form(asked),
        "metadata": {"clarification": dict(asked)},
    }
    return found | ({"expiresAt": asked["expires_at"]} if asked.get("expires_at") else {})


_JSON_TYPES = {"BOOLEAN": "boolean", "INTEGER": "integer", "BIGINT": "integer", "DOUBLE": "number", "DECIMAL": "number"}


def _form(asked: Mapping[str, Any]) -> dict[str, Any]:
    if asked.get("fields"):
        fields = asked["fields"]
        properties = {
            one["name"]: {
                "type": _JSON_TYPES.get(str(one["type"]).upper(), "string"),
                "description": one.get("description") or one["name"],
            }
            for one in fields
        }
        return {
            "type": "object",
            "properties": properties,
            "required": [one["name"] for one in fields if one["required"]],
        }
    choices = [{"const": one["id"], "title": one["label"]} for one in asked["options"]]
    words = {"type": "string", "title": "other words"}
    return {"anyOf": [*choices, words]} if choices else words


def _usage(usage: Usage) -> dict[str, Any]:
    return {
        "llm_calls": usage.llm_calls,
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "cached_tokens": usage.cached_tokens,
        "cost_usd": usage.cost_usd,
    }


def moment(text: str) -> datetime:
    """A moment as the record keeps it; timezone-aware."""
    found = datetime.fromisoformat(text)
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)
