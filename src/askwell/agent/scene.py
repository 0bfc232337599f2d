"""What all steps of a run see."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from askwell.agent import events
from askwell.agent.definition import AgentDefinition
from askwell.agent.request import RunRequest
from askwell.agent.run_log import RunLog
from askwell.config import AgentSettings
from askwell.jobs.kind import Job, JobState
from askwell.knowledge.threads import Message, Thread, ThreadShelf
from askwell.pipelines.generation.prompt_values import time_in_words
from askwell.pipelines.passages import PassageSearch
from askwell.providers.llm.base import Usage
from askwell.services.projects import ProjectModels
from askwell.tools.base import Caller
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
