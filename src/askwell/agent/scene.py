"""What all steps of a run see, and what is looked up before a turn, cut to what the model can read."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from askwell.agent import events, parts
from askwell.agent.definition import AgentDefinition, filled
from askwell.agent.request import LookedUp, Prelude, RunRequest
from askwell.agent.run_log import RunLog
from askwell.asks.project_knowledge import fitted as fitted_passages
from askwell.config import AgentSettings
from askwell.config.settings import IntentRoute
from askwell.errors import Unavailable
from askwell.jobs.kind import Job, JobState
from askwell.knowledge.threads import Message, Part, Thread, ThreadShelf
from askwell.pipelines.conversation.build import Call
from askwell.pipelines.generation.question import PromptPassage, QuestionContext, time_in_words
from askwell.pipelines.passages.search import PassageSearch
from askwell.pipelines.retrieval.model_text import estimated_tokens
from askwell.providers.llm.base import Usage
from askwell.question.follow_ups import leans, may_lean, refers_back
from askwell.semantic_parsing.translation import Turn
from askwell.services.projects import ProjectModels
from askwell.tools.base import Caller, ToolFailure
from askwell.tools.toolbox import Toolbox

if TYPE_CHECKING:
    from askwell.pipelines.conversation.build import ConversationPipelines
    from askwell.pipelines.generation.build import GenerationPipelines


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


@dataclass
class Scene:
    """One attempt at a run. `history` are all messages of its thread. `request` is as it is by now, `usage` what models
    have cost so far."""

    tools: ConversationTools
    job: Job[RunRequest, JobState]
    log: RunLog
    thread: Thread
    agent: AgentDefinition
    history: Sequence[Message]
    request: RunRequest = field(init=False)
    usage: Usage = field(default_factory=Usage)

    def __post_init__(self) -> None:
        self.request = self.job.request

    @property
    def conversation(self) -> ConversationPipelines:
        assert self.tools.conversation is not None, "no run begins without a model"
        return self.tools.conversation

    @property
    def generation(self) -> GenerationPipelines:
        assert self.tools.generation is not None, "no run begins without a model"
        return self.tools.generation

    @property
    def settings(self) -> AgentSettings:
        return self.tools.settings

    @property
    def language(self) -> str:
        return self.request.configurations.language

    @property
    def timezone(self) -> str:
        return self.request.configurations.timezone.name

    @property
    def now(self) -> datetime:
        """When the attempt began, where the person is."""
        return self.job.now.astimezone(ZoneInfo(self.timezone))

    @property
    def now_in_words(self) -> str:
        return time_in_words(self.now, self.timezone)

    @property
    def earlier(self) -> list[Message]:
        """The messages of the thread's other runs."""
        return [one for one in self.history if one.run_id != self.job.id]

    @property
    def own(self) -> list[Message]:
        """The messages of this run."""
        return [one for one in self.history if one.run_id == self.job.id]

    @property
    def asked(self) -> list[str]:
        """What the person said before, oldest first."""
        return [one.text for one in self.earlier if one.role == "user" and one.text]

    @property
    def caller(self) -> Caller:
        """On whose behalf tools are called."""
        return Caller(
            project_id=self.job.project_id,
            now=self.job.now,
            language=self.language,
            timezone=self.timezone,
            session_properties=self.request.session_properties,
            thread_id=self.thread.id,
            tags=tuple(self.agent.knowledge.tags),
            person=self.job.person,
            question=self.request.prelude.question if self.request.prelude else self.request.message,
        )

    async def keep(self, **changed: Any) -> None:
        """Write down more of what was found, for an attempt after this one."""
        self.request = self.request.model_copy(update=changed)
        await self.job.keep(self.request)

    def warn(self, message: str) -> None:
        """Tell the person that something did not work."""
        self.log.tell(events.custom("warning", {"message": message}))


# JSON of figures takes more tokens than prose of the same length.
_CHARACTERS_A_TOKEN = 3
_SHORTEST = 200


def fitted(output: Mapping[str, Any], tokens: int) -> str:
    """A result as JSON text of about so many tokens at most: the statement as the database ran it goes first, then rows
    from the end, then what is long."""
    text = _written(output)
    if _size(text) > tokens and "planned_sql" in output:
        output = {name: one for name, one in output.items() if name != "planned_sql"}
        text = _written(output)
    table = output.get("table")
    if _size(text) <= tokens or not isinstance(table, Mapping) or not table.get("rows"):
        return text if _size(text) <= tokens else _cut(text, tokens)
    rows = list(table["rows"])
    shown = len(rows)
    while shown and _size(text) > tokens:
        shown //= 2
        note = f"Only the first {shown} of {table['row_count']} rows are shown to you; the person sees more."
        text = _written({**output, "table": {**table, "rows": rows[:shown], "truncated": True, "note": note}})
    return text if _size(text) <= tokens else _cut(text, tokens)


def _cut(text: str, tokens: int) -> str:
    longest = max(tokens * _CHARACTERS_A_TOKEN, _SHORTEST)
    return json.dumps({"cut": text[:longest], "note": "The result is longer; ask for less."}, ensure_ascii=False)


def _written(output: Mapping[str, Any]) -> str:
    return json.dumps(output, ensure_ascii=False, separators=(",", ":"))


def _size(text: str) -> int:
    return max(estimated_tokens(text), len(text) // _CHARACTERS_A_TOKEN)


# Of the room that a tool's result has later.
_SHARE_BEFORE = 0.5


async def route_of(scene: Scene) -> IntentRoute | None:
    """The way that is configured for such a message; None where none is, or the model names none of them."""
    settings = scene.settings
    if not settings.intents or not scene.request.message:
        return None
    with step(scene, "route"):
        chosen = await scene.conversation.routing.run(
            scene.request.message,
            ways=settings.intents,
            earlier=scene.asked,
            language=scene.language,
            reasons=settings.intent_mode == "standard",
        )
        scene.usage += chosen.usage
        way, reason = chosen.value
        scene.log.tell(events.custom("route", {"id": way, "reason": reason}))
    return next((one for one in settings.intents if one.id == way), None)


async def looked_up(scene: Scene, *, question_alone: bool) -> Prelude:
    """The message as it stands alone; and, unless that is enough, passages, and what the agent's tools give first."""
    prelude = Prelude(question=await _reformulated(scene))
    if scene.request.message and not question_alone:
        prelude.passages = await _passages(scene, prelude.question)
        prelude.looked_up = await _pre_tools(scene, prelude.question)
    await scene.keep(prelude=prelude)
    return prelude


@contextmanager
def step(scene: Scene, name: str) -> Iterator[None]:
    """A step that the person sees begin and end."""
    scene.log.tell(events.step_started(name))
    yield
    scene.log.tell(events.step_finished(name))


async def _reformulated(scene: Scene) -> str:
    message = scene.request.message
    turns = _turns(scene.earlier)
    if not turns or not any(rule(message) for rule in (leans, may_lean, refers_back)):
        return message
    question = QuestionContext(
        question=message,
        now=scene.now,
        timezone=scene.timezone,
        language=scene.language,
        histories=tuple(turns[-scene.settings.history_messages :]),
    )
    with step(scene, "reformulate"):
        written = await scene.generation.reformulation.run(question)
    scene.usage += written.usage
    scene.log.tell(events.custom("question", {"question": written.value}))
    return written.value


def _turns(messages: Sequence[Message]) -> list[Turn]:
    """What the person said before, each with the last SQL that was run for it."""
    turns: list[Turn] = []
    for message in messages:
        if message.role == "user" and message.text:
            turns.append(Turn(message.text, ""))
        for part in message.parts:
            if part["type"] == "sql" and turns:
                turns[-1] = Turn(turns[-1].question, part["sql"])
    return turns


async def _passages(scene: Scene, question: str) -> list[PromptPassage]:
    knowledge = scene.agent.knowledge
    if not knowledge.top_k:
        return []
    with step(scene, "passages"):
        try:
            found = await scene.tools.passages.run(
                scene.job.project_id, question, top_k=knowledge.top_k, tags=knowledge.tags
            )
        except Unavailable as error:
            scene.warn(f"The documents of this project were not searched. {error.message}")
            found = []
    return list(fitted_passages(found, question))


async def _pre_tools(scene: Scene, question: str) -> list[LookedUp]:
    """One that fails says so: the model may still find another way."""
    if not scene.agent.pre_tools:
        return []
    found: list[LookedUp] = []
    with step(scene, "pre_tools"):
        for number, one in enumerate(scene.agent.pre_tools, 1):
            call = Call(f"{scene.job.id[:12]}-before-{number}", one.tool, filled(one.arguments, question))
            scene.log.tell(*events.tool_called(call.id, call.tool, parts.arguments_text(call), ""))
            content, shown = await _called(scene, call)
            kept = [parts.result_part(call, content, before=True), *shown]
            message = Message.new("tool", kept, scene.job.id, scene.tools.now())
            scene.log.keep(message)
            scene.log.tell(events.tool_answered(call.id, message.id, content), *events.shown(call.id, shown))
            found.append(LookedUp(tool=call.tool, content=content))
    return found


async def _called(scene: Scene, call: Call) -> tuple[str, list[Part]]:
    try:
        # A tool that the agent may not call by itself may still be set up to be called first. Nobody is asked back yet.
        caller = replace(scene.caller, interactive=False)
        output = await scene.tools.toolbox.call(call.tool, caller, call.arguments, lambda _: None)
    except ToolFailure as failure:
        return parts.error_text(failure), []
    bound = int(scene.settings.result_tokens * _SHARE_BEFORE)
    return fitted(output.result.to_json(), bound), parts.shown_parts(call, output)
