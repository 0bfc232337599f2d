"""Runs of conversations as a kind of job: they go on where clients come and go, wait for answers, and end for sure."""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any, ClassVar

from askwell.agent import events
from askwell.agent.definition import Agents
from askwell.agent.events import Event
from askwell.agent.request import RunRequest
from askwell.agent.run import ConversationRun
from askwell.agent.run_log import RunFeed, RunLog, ending
from askwell.agent.scene import ConversationTools, Scene
from askwell.errors import AskwellError, InvalidRequest, NotFound, RecordUnavailable
from askwell.jobs.kind import Attempt, Job, JobFailed, JobState, SimpleKind, Waits, Work
from askwell.jobs.request import Body
from askwell.knowledge.jobs import Change
from askwell.knowledge.threads import RUN, ThreadShelf
from askwell.messages import say
from askwell.observability.metrics import Metrics

AWAITS = "awaiting_input"
RUNNING = "running"
# What an attempt has found, and which segment it is: two requests that differ in these alone are the same.
_FOUND = frozenset({"prelude", "pending", "steps", "calls", "client_ids", "answers_alone"})


class RunLogs:
    """The logs of runs that go on, or wait, in this process. Where other processes have runs too, `feed` tells them of
    each event that is in the record, and those who read a run read it there: wherever it goes on next."""

    def __init__(self, shelf: ThreadShelf, feed: RunFeed | None = None) -> None:
        self._shelf = shelf
        self._logs: dict[str, RunLog] = {}
        self.feed = feed

    def get(self, run_id: str) -> RunLog | None:
        return self._logs.get(run_id)

    async def open(self, project_id: str, thread_id: str, run_id: str) -> RunLog:
        """The log of a run that has not ended."""
        if run_id not in self._logs:
            known = await self._shelf.events(run_id)
            # Someone else may have come first meanwhile.
            log = RunLog(self._shelf, project_id, thread_id, run_id, known)
            if self.feed is not None:
                log.on_change = partial(self.feed.grew, run_id)
            self._logs.setdefault(run_id, log)
        return self._logs[run_id]

    def forget(self, run_id: str) -> None:
        """The run is over, or gone: the reader comes to the end."""
        if (log := self._logs.pop(run_id, None)) is not None:
            log.close()


class RunKind(SimpleKind[RunRequest]):
    """Runs. A crash ends one that was going on; one that waited for an answer waits on."""

    name: ClassVar[str] = RUN
    path: ClassVar[str] = "runs"
    id_name: ClassVar[str] = "run_id"
    noun: ClassVar[str] = "run"
    request: ClassVar[type[Body]] = RunRequest
    statuses: ClassVar[tuple[str, ...]] = ("queued", RUNNING, AWAITS)
    codes: ClassVar[frozenset[str]] = frozenset(
        {"NO_MODEL", "MODEL_UNAVAILABLE", "INTERRUPTED", "NOT_FOUND", "EXPIRED", "OTHERS"}
    )

    def __init__(
        self,
        tools: ConversationTools,
        logs: RunLogs,
        agents: Agents,
        metrics: Metrics,
        stop_ask: Callable[[str], Awaitable[None]],
    ) -> None:
        self._tools = tools
        self._agents = agents
        self._metrics = metrics
        self._stop_ask = stop_ask
        self.logs = logs
        self.deadline: float | None = float(tools.settings.deadline)

    def require(self, request: RunRequest) -> None:
        self._tools.projects.require_database(request.project_id)
        if request.session_properties and not self._agents.allows_session_properties:
            raise InvalidRequest(*say("agents.session_properties_off"))

    def label(self, request: RunRequest) -> str:
        return request.thread_id

    def body(self, kept: Mapping[str, Any]) -> Mapping[str, Any]:
        return {name: value for name, value in kept.items() if name not in _FOUND}

    def about(self, request: RunRequest) -> str:
        return request.message

    def queued(self, request: RunRequest) -> JobState:
        return self.live("queued", thread_id=request.thread_id)

    def stopped(self, state: JobState) -> JobState:
        return JobState("stopped", {"thread_id": state.fields.get("thread_id")}, is_end=True)

    def may_follow(self, current: JobState, following: JobState) -> bool:
        # It runs again after an answer.
        return not current.is_end

    def begin(self, job: Job[RunRequest, JobState]) -> Work[JobState]:
        return _Attempt(self, job)

    async def run(self, job: Job[RunRequest, JobState]) -> JobState:
        request = job.request
        thread = await self._tools.threads.find(job.project_id, request.thread_id)
        if thread is None:
            raise JobFailed("NOT_FOUND", "The thread was deleted.", "Begin another one.")
        log = await self.logs.open(job.project_id, request.thread_id, job.id)
        if log.has_begun:
            # What it asked the data would be answered for nobody.
            for ask_id in await self._tools.threads.open_asks(job.project_id, request.thread_id):
                with contextlib.suppress(NotFound):
                    await self._stop_ask(ask_id)
            raise JobFailed("INTERRUPTED", *say("agents.run_interrupted"))
        job.advance(self.live(RUNNING, thread_id=request.thread_id))
        agent = await self._agents.get(job.project_id, request.agent_id)
        history = await self._tools.threads.messages(job.project_id, request.thread_id)
        try:
            return await ConversationRun(Scene(self._tools, job, log, thread, agent, history)).run()
        except BaseException:
            # What was said by then is kept.
            with contextlib.suppress(RecordUnavailable):
                await log.flush()
            raise

    # -- waiting ----------------------------------------------------------------------------------------------------

    def waits(self, state: JobState) -> Waits[JobState] | None:
        if state.status != AWAITS:
            return None
        open_ones = state.fields["interrupts"]
        until = min((datetime.fromisoformat(one["expiresAt"]) for one in open_ones if "expiresAt" in one), default=None)
        error = {"code": "EXPIRED", **say("agents.nobody_answered")._asdict()}
        expired = JobState("failed", {"thread_id": state.fields["thread_id"], "error": error}, is_end=True)
        return Waits({"fields": dict(state.fields)}, until or self._tools.now(), expired)

    def waiting(self, kept: Mapping[str, Any]) -> JobState | None:
        fields = kept.get("fields")
        return self.live(AWAITS, **fields) if isinstance(fields, dict) and fields.get("interrupts") else None

    # -- ends -------------------------------------------------------------------------------------------------------

    def ending(self, project_id: str, job_id: str, state: JobState) -> AbstractContextManager[Change | None]:
        return self._ending(job_id, state)

    @contextlib.contextmanager
    def _ending(self, job_id: str, state: JobState) -> Iterator[Change]:
        log = self.logs.get(job_id)
        with ending(job_id, log, lambda kept: _end(job_id, state, kept), self._now(), for_good=state.is_end) as change:
            yield change
        if self.logs.feed is not None:
            self.logs.feed.grew(job_id)
        if state.is_end or self.logs.feed is not None:
            self.logs.forget(job_id)  # where it waits, another process may go on with it

    def _now(self) -> datetime:
        return self._tools.now()

    def ended(self, state: JobState, seconds: float) -> None:
        self._metrics.job_ended(self.name, state.status, seconds)

    def answer(self, state: JobState, text: str) -> str:
        return str(state.fields.get("message") or text)


class _Attempt(Attempt[RunRequest]):
    """An attempt whose end says of which thread it is, whatever goes wrong."""

    def failed(self, error: AskwellError) -> JobState:
        state = super().failed(error)
        return replace(state, fields={"thread_id": self._job.request.thread_id, **state.fields})


def _end(job_id: str, state: JobState, kept: Mapping[str, Any]) -> Event:
    """What clients are told of this state. `kept` is the run's request."""
    thread_id, client_ids = kept["thread_id"], kept.get("client_ids") or [None]
    run_id = client_ids[-1] or job_id
    match state.status:
        case "finished":
            usage = state.fields.get("usage") or {}
            tokens = {
                "inputTokens": usage.get("prompt_tokens", 0),
                "outputTokens": usage.get("completion_tokens", 0),
                "cachedInputTokens": usage.get("cached_tokens", 0),
            }
            counts = [tokens] if usage.get("llm_calls") else []
            return events.run_succeeded(thread_id, run_id, state.fields.get("pending_tool_call_ids") or (), counts)
        case "awaiting_input":
            return events.run_interrupted(thread_id, run_id, state.fields["interrupts"])
        case "stopped":
            return events.run_cancelled(thread_id, run_id)
        case _:
            return events.run_failed(state.fields["error"])
