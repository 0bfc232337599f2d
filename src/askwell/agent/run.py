"""One run of a conversation, from the message to its end, or to what has to be asked back.

What a person is asked in the middle of a run, as AG-UI has it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import cache, partial
from typing import Any

from askwell.agent import events, parts
from askwell.agent.checked_text import Known
from askwell.agent.remember import Remember
from askwell.agent.request import Pending, Prelude
from askwell.agent.scene import Scene, looked_up, route_of, step
from askwell.agent.turn import Stage, Turn
from askwell.errors import AskwellError
from askwell.jobs.kind import JobState
from askwell.knowledge.saved import AskedParameter
from askwell.observability.operations import agent_call
from askwell.observability.tracing import calling
from askwell.pipelines.conversation.build import Said
from askwell.pipelines.dag import imported
from askwell.privacy.current import current_vault
from askwell.prompts.loader import PromptText, harmless
from askwell.providers.llm.base import NoTextReply, ToolSpec
from askwell.services.recommendations.questions import suggest_by_model
from askwell.tools.base import Arguments, Tool


def interrupt_of(pending: Pending) -> dict[str, Any]:
    """An interrupt with the form of its answer."""
    asked = pending.asked
    found: dict[str, Any] = {
        "id": pending.interrupt_id,
        "reason": "clarification",
        "message": asked["question"],
        "toolCallId": pending.call_id,
        "responseSchema": _form(asked),
        "metadata": {"clarification": dict(asked)},
    }
    return found | ({"expiresAt": asked["expires_at"]} if asked.get("expires_at") else {})


def _form(asked: Mapping[str, Any]) -> dict[str, Any]:
    """A JSON Schema: values by name, or one of the options, or other words."""
    if fields := [AskedParameter.model_validate(one) for one in asked.get("fields") or ()]:
        properties = {one.name: {"type": one.json_type, "description": one.description or one.name} for one in fields}
        required = [one.name for one in fields if one.has_to_be_said]
        return {"type": "object", "properties": properties, "required": required}
    words = {"type": "string", "title": "other words"}
    choices = [{"const": one["id"], "title": one["label"]} for one in asked["options"]]
    return {"anyOf": [*choices, words]} if choices else words


logger = logging.getLogger(__name__)

# Of an earlier message, what a model is shown.
_HISTORY_CHARACTERS = 2_000
# Tables that a model may suggest questions about: those of the model that come first.
_SUGGESTED_TABLES = 12
_FINISH_NOW = "Answer my message now from the results you have, without calling tools. Say what you could not find out."
_NOTHING_FOUND = "I could not find an answer to that. Try to ask it in other words, or one part at a time."


class ConversationRun:
    """An attempt at one run."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._variables = scene.agent.values(scene.thread.variables)
        self._offered = self._tools_of_agent()
        theirs = [one for one in scene.request.client_tools if one.name not in self._offered]
        self._client_tools = {one.name: one for one in theirs}

    async def run(self) -> JobState:
        """The end; or the state in which it waits for the person. Raises as `Work.run` does."""
        scene = self._scene
        scene.log.tell(events.run_started(scene.thread.id, scene.request.client_id(scene.job.id)))
        scene.log.tell(events.state(self._variables))
        route = await route_of(scene) if scene.request.prelude is None else None
        if route is not None and route.route in ("answer", "refuse"):
            turn = self._turn(Prelude(question=scene.request.message))
            turn.tell_answer(route.message.strip())
            return await self._finished(turn, scene.request.message)
        alone = scene.request.answers_alone or (route is not None and route.route == "sql")
        prelude = scene.request.prelude or await looked_up(scene, question_alone=alone)
        # A long conversation knows many figures.
        turn = await asyncio.to_thread(self._turn, prelude)
        for pending in scene.request.pending:
            await turn.go_on(pending)
        if not turn.pending:
            await (self._by_data_alone(turn, prelude) if alone else self._think(turn, prelude))
        if turn.pending:
            return await self._asked_back(turn, alone=alone)
        return await self._finished(turn, prelude.question)

    # -- what the model has -----------------------------------------------------------------------------------------

    def _tools_of_agent(self) -> Mapping[str, Tool[Any]]:
        agent = self._scene.agent
        tools = {
            tool.name: tool for tool in self._scene.tools.toolbox if agent.tools is None or tool.name in agent.tools
        }
        if agent.writable:
            remember = Remember(agent.writable, self._set_variable)
            tools[remember.name] = remember
        return tools

    async def _set_variable(self, name: str, value: str) -> None:
        threads = self._scene.tools.threads
        kept = await threads.set_variables(self._scene.job.project_id, self._scene.thread.id, {name: value})
        self._variables = self._scene.agent.values(kept)
        self._scene.log.tell(events.state(self._variables))

    def _specs(self) -> list[ToolSpec]:
        own = [ToolSpec(one.name, one.description, _schema(one.arguments)) for one in self._offered.values()]
        theirs = [
            ToolSpec(one.name, harmless(one.description), one.parameters or {"type": "object", "properties": {}})
            for one in self._client_tools.values()
        ]
        if (vault := current_vault()) is not None:
            vault.know(name for one in own for name in (one.name, *one.parameters.get("properties", ())))
            theirs = [ToolSpec(one.name, vault.words(one.description), vault.schema(one.parameters)) for one in theirs]
        return own + theirs

    def _turn(self, prelude: Prelude) -> Turn:
        scene = self._scene
        stage = Stage(
            run_id=scene.job.id,
            log=scene.log,
            caller=scene.caller,
            tools=self._offered,
            client_tools=frozenset(self._client_tools),
            bounds=scene.settings,
            known=self._known(prelude),
            passages=list(prelude.passages),
            stream=scene.job.stream.append,
            now=scene.tools.now,
        )
        waiting = {one.call_id for one in scene.request.pending}
        return Turn(stage, parts.turns_of(scene.own, waiting), calls=scene.request.calls)

    def _known(self, prelude: Prelude) -> Known:
        """The figures that an answer may have before any tool is called."""
        request, known = self._scene.request, Known()
        parts.add_known(known, self._scene.history)
        known.add(request.message)
        known.add(prelude.question)
        known.add([*map(asdict, prelude.passages), *(one.model_dump() for one in request.client_context)])
        for one in prelude.looked_up:
            known.add(parts.content_of(one.content))
        # What the model wrote itself is no more true for that.
        known.add({name: one for name, one in self._variables.items() if name not in self._scene.agent.writable})
        known.add(self._scene.now_in_words)
        known.add(self._scene.agent.persona)
        return known

    def _prompt(self, turn: Turn, prelude: Prelude) -> PromptText:
        agent = self._scene.agent
        about = {one.name: one.description for one in agent.variables}
        variables = [
            {"name": name, "description": about.get(name, ""), "value": value}
            for name, value in self._variables.items()
        ]
        return self._scene.conversation.prompt.write(
            {
                "name": agent.name,
                "persona": agent.persona,
                "language": self._scene.language,
                "now": self._scene.now_in_words,
                "variables": variables,
                "seen": self._scene.request.client_context,
                "passages": turn.stage.passages,
                "looked_up": prelude.looked_up,
                "question": prelude.question,
            }
        )

    # -- the answer -------------------------------------------------------------------------------------------------

    async def _think(self, turn: Turn, prelude: Prelude) -> None:
        scene, settings = self._scene, self._scene.settings
        prompt = self._prompt(turn, prelude)
        history = parts.spoken(scene.earlier, settings.history_messages, _HISTORY_CHARACTERS)
        before = [*history, *parts.answered_by_client(scene.earlier, scene.request.tool_answers)]
        if scene.request.message:
            before.append(Said("user", prompt.user))
        model = scene.conversation.model(scene.agent.model)
        # Half a second, of which a service that nobody talks to should have nothing.
        loop = await asyncio.to_thread(imported, "askwell.pipelines.conversation.haystack_loop")
        with step(scene, "think"), calling(agent_call(scene.request.agent_id, scene.thread.id)):
            converse = partial(loop.run_loop, model, turn, prompt.system)
            end = await converse(
                [*before, *turn.said],
                self._specs(),
                max_steps=max(settings.max_steps - scene.request.steps, 1),
                tools_at_once=settings.tools_at_once,
                taken={call.id for call in parts.calls_of(scene.history)},
            )
            scene.usage += end.usage
            scene.request = scene.request.model_copy(update={"steps": scene.request.steps + end.steps})
            if turn.answer or turn.pending or turn.for_client:
                return
            turn.has_last_word = True
            try:
                finish = [*before, *turn.said, Said("user", _FINISH_NOW)]
                scene.usage += (await converse(finish, (), max_steps=2, tools_at_once=1)).usage
            except NoTextReply as error:
                # It calls a tool all the same, or says nothing.
                scene.usage += error.usage
            if not turn.answer:
                turn.tell_answer(turn.in_words() if turn.rows is not None else _NOTHING_FOUND)

    async def _by_data_alone(self, turn: Turn, prelude: Prelude) -> None:
        """The question is put to the data, and its rows are told as they are."""
        if not self._scene.request.pending:
            await turn.ask(prelude.question)
        if not turn.pending:
            turn.tell_answer(turn.in_words())

    # -- ends -------------------------------------------------------------------------------------------------------

    async def _asked_back(self, turn: Turn, *, alone: bool) -> JobState:
        await self._scene.log.flush()
        # They come as the data answers; people read them in the order in which they were asked.
        asked = [call.id for said in turn.said for call in said.calls]
        turn.pending.sort(key=lambda one: asked.index(one.call_id))
        await self._scene.keep(pending=turn.pending, answers_alone=alone, calls=turn.calls)
        interrupts = [interrupt_of(one) for one in turn.pending]
        return JobState("awaiting_input", {"thread_id": self._scene.thread.id, "interrupts": interrupts})

    async def _finished(self, turn: Turn, question: str) -> JobState:
        suggestions = await self._suggestions(turn, question)
        await self._scene.log.flush()
        usage = asdict(self._scene.usage)
        fields = {
            "thread_id": self._scene.thread.id,
            "message": turn.answer or None,
            "citations": turn.citations or None,
            "warnings": turn.warnings or None,
            "suggested_questions": list(suggestions) or None,
            "pending_tool_call_ids": turn.for_client or None,
            "usage": usage,
        }
        return JobState("finished", fields, is_end=True)

    async def _suggestions(self, turn: Turn, question: str) -> Sequence[str]:
        """Three questions that the data can answer, or none."""
        scene = self._scene
        if not scene.agent.suggest or turn.sql is None or not turn.answer or turn.for_client:
            return ()
        project = await scene.tools.projects.get_for(scene.job.person, scene.job.project_id)
        if project is None:
            return ()
        tables = [project.prepared.text.line(one.name).text for one in project.model][:_SUGGESTED_TABLES]

        async def write() -> Sequence[str]:
            written = await scene.conversation.suggestion.run(
                question,
                answer=turn.answer,
                tables=tables,
                asked=scene.asked,
                language=scene.language,
                persona=scene.agent.suggest_persona,
            )
            scene.usage += written.usage
            return written.value

        with step(scene, "suggest"):
            try:
                found = await suggest_by_model([*scene.asked, scene.request.message, question], write)
            except AskwellError as error:
                logger.warning("no suggestions were written", extra={"error": error.code})
                found = ()
            if found:
                scene.log.tell(events.custom("suggestions", list(found)))
        return found


@cache
def _schema(arguments: type[Arguments]) -> dict[str, Any]:
    return arguments.model_json_schema()
