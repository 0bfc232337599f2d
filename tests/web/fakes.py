"""Services that fit the web's doors and do what a test tells them."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import IO, Any

from askwell.access.caller import Caller
from askwell.agent.definition import AgentDefinition, OfferedAgent
from askwell.agent.events import run_succeeded
from askwell.agent.request import RunRequest
from askwell.agent.service import Begun, NewMessage
from askwell.archives.service import Imported
from askwell.asks.corrections import Correction
from askwell.asks.feedback import Feedback
from askwell.asks.meant import Meant
from askwell.asks.request import AskRequest
from askwell.errors import Conflict, InvalidRequest, NotFound
from askwell.job_kinds import KINDS
from askwell.jobs.events import JobEvent
from askwell.jobs.kind import SimpleKind
from askwell.jobs.request import Body
from askwell.knowledge.jobs import JobFilter
from askwell.knowledge.keywords import Keyword
from askwell.knowledge.lessons import Lesson
from askwell.knowledge.rows import row_of
from askwell.knowledge.saved import Instruction, SqlPair
from askwell.knowledge.threads import Message, RunEvent, Thread
from askwell.observability.metrics import Metrics
from askwell.observability.tracing import Tracing
from askwell.principal import Person
from askwell.row_files.files import RowFileFormat
from askwell.services.current_models import ListedProject
from askwell.services.description_changes import DescriptionChange
from askwell.services.lessons.bodies import LessonChange, NewLesson
from askwell.services.statements import PersonsStatement

# Whose everything is, where somebody has signed in.
PERSON = "key:1"


class FakeAsks:
    """Remembers what was asked; every ask is finished at once. `fails_with` is raised by the next call."""

    def __init__(self) -> None:
        self.requests: dict[str, AskRequest] = {}
        self.keys: dict[str, tuple[str, AskRequest]] = {}
        self.stopped: list[str] = []
        self.words: list[str] = ["Count ", "the\norders ", "by day — ok"]
        self.fails_with: Exception | None = None
        self.stream_closed = asyncio.Event()
        self.pause_before_last_word = 0.0

    async def start(self, request: AskRequest, idempotency_key: str | None = None, **_: Any) -> str:
        self._fail()
        if idempotency_key is not None and idempotency_key in self.keys:
            ask_id, body = self.keys[idempotency_key]
            if body != request:
                raise InvalidRequest("This Idempotency-Key was used for another request.", "Use a new key.")
            return ask_id
        ask_id = f"ask-{len(self.requests) + 1}"
        self.requests[ask_id] = request
        if idempotency_key is not None:
            self.keys[idempotency_key] = (ask_id, request)
        return ask_id

    async def result_json(self, ask_id: str, wait: float = 0) -> bytes:
        self._known(ask_id)
        sql = "SELECT count(*) FROM orders"
        told = {"query_id": ask_id, "status": "finished", "response": [{"sql": sql, "type": "llm"}], "trace_id": ask_id}
        return json.dumps(told).encode()

    async def request_and_result(self, ask_id: str) -> tuple[AskRequest, dict[str, Any]]:
        return self.requests[ask_id], json.loads(await self.result_json(ask_id))

    @property
    def projects(self) -> list[str]:
        """Of each ask."""
        return [request.project_id for request in self.requests.values()]

    async def notes(self, ask_id: str) -> dict[str, Any]:
        return {}

    async def latest(self, project_id: str, *, limit: int, offset: int, **_: Any) -> tuple[list[Any], int]:
        self._fail()
        asked = [
            {
                "id": ask_id,
                "request": {"query": request.query, "histories": [asdict(turn) for turn in request.histories]},
                "result": json.loads(await self.result_json(ask_id)),
                "created_at": datetime(2026, 3, 4, tzinfo=UTC),
                "notes": {},
            }
            for ask_id, request in self.requests.items()
            if request.project_id == project_id
        ]
        return asked[offset : offset + limit], len(asked)

    async def whose(self, ask_id: str) -> tuple[str, str]:
        self._known(ask_id)
        return "default", PERSON

    async def require_project(self, ask_id: str, project_id: str) -> None:
        self._known(ask_id)
        if self.requests[ask_id].project_id != project_id:
            raise NotFound("There is no such ask.", "Start it again.")

    async def stop(self, ask_id: str) -> None:
        self._known(ask_id)
        self.stopped.append(ask_id)

    async def stream(self, ask_id: str) -> AsyncIterator[str]:
        self._known(ask_id)
        return self._words()

    async def events(self, ask_id: str, after: int | None = None) -> AsyncIterator[JobEvent]:
        self._known(ask_id)
        return self._end()

    async def ended_with(self, ask_id: str, event_id: int) -> bool:
        self._known(ask_id)
        return event_id >= 1

    async def _end(self) -> AsyncIterator[JobEvent]:
        yield JobEvent(1, "done", {"status": "finished"})

    async def _words(self) -> AsyncIterator[str]:
        try:
            for number, word in enumerate(self.words, 1):
                if number == len(self.words):
                    await asyncio.sleep(self.pause_before_last_word)
                yield word
        finally:
            self.stream_closed.set()

    def _known(self, ask_id: str) -> None:
        self._fail()
        if ask_id not in self.requests:
            raise NotFound("There is no such ask.", "Start it again.")

    def _fail(self) -> None:
        if self.fails_with is not None:
            error, self.fails_with = self.fails_with, None
            raise error


class FakeJobs(FakeAsks):
    """Jobs of one kind, finished at once. `ask-1` is there from the beginning."""

    def __init__(self, kind: type[SimpleKind[Any]]) -> None:
        super().__init__()
        self.kind = kind
        self.requests: dict[str, Any] = {"ask-1": Body()}

    async def result_json(self, ask_id: str, wait: float = 0) -> bytes:
        self._known(ask_id)
        return json.dumps({self.kind.id_name: ask_id, "status": self.kind.done, "trace_id": ask_id}).encode()


class FakePictures:
    async def draw(self, jobs: FakeJobs, job_id: str, image: str, **_: Any) -> bytes:
        await jobs.result_json(job_id)
        return b"<svg/>"


class FakeHistory:
    """Lists what was asked."""

    def __init__(self, asks: FakeAsks) -> None:
        self._asks = asks

    async def latest(self, _: Caller, project_id: str, __: JobFilter, **page: Any) -> tuple[list[Any], int]:
        return await self._asks.latest(project_id, **page)

    async def usage(self, _: Caller, project_id: str, days: int) -> Mapping[str, Any]:
        counts = dict.fromkeys(("asks", "answered", "failed", "stopped", "unfinished", "llm_calls", "prompt_tokens"), 0)
        day = {"date": "2026-03-04", **counts, "completion_tokens": 0, "cost_usd": 0.0}
        return {"days": [day] * min(days, 2), "causes": [], "sources": []}


class FakeFeedback:
    def __init__(self, asks: FakeAsks) -> None:
        self.asks = asks
        self.given: list[tuple[str, Feedback]] = []

    async def give(self, ask_id: str, feedback: Feedback, **_: Any) -> dict[str, Any]:
        await self.asks.result_json(ask_id)
        self.given.append((ask_id, feedback))
        return {"lesson_ids": []}


class FakeCorrections:
    """Remembers what was answered."""

    def __init__(self, asks: FakeAsks) -> None:
        self.asks = asks
        self.given: list[tuple[str, Correction]] = []

    async def in_advance(self, request: AskRequest, meant: Meant, _: Person) -> AskRequest:
        return request

    async def give(self, ask_id: str, correction: Correction) -> None:
        await self.asks.result_json(ask_id)
        self.given.append((ask_id, correction))


class FakePreparations(FakeAsks):
    async def result_json(self, ask_id: str, wait: float = 0) -> bytes:
        return b'{"status": "finished", "trace_id": "t"}'


class FakePreparation:
    def __init__(self) -> None:
        self.started: list[tuple[str, Any, str]] = []
        self.deleted: list[str] = []
        self.jobs = FakePreparations()
        self.fails_with: Exception | None = None

    async def start(
        self,
        project_id: str,
        mdl: str | Mapping[str, Any],
        label: str | None = None,
        idempotency_key: str | None = None,
        **_: Any,
    ) -> str:
        if self.fails_with is not None:
            raise self.fails_with
        label = label or "made-from-content"
        self.started.append((project_id, mdl, label))
        return label

    async def project_of(self, label: str, counts: Callable[[str], bool]) -> str:
        return "default"

    async def job_id(self, project_id: str, label: str) -> str:
        if not any((project_id, label) == (project, known) for project, _, known in self.started):
            raise NotFound("No such preparation.", "Start it first.")
        return "ask-1"

    async def status(self, project_id: str, label: str) -> Mapping[str, Any]:
        return dict(json.loads(await self.jobs.result_json(await self.job_id(project_id, label))))

    async def delete(self, project_id: str) -> None:
        self.deleted.append(project_id)


class FakeDescription:
    digest = "d1"

    def __init__(self, project_id: str) -> None:
        self.project_id = project_id

    def to_json(self) -> bytes:
        name = {"name": "id", "type": "INTEGER", "role": "plain", "synonyms": []}
        link = {"name": "tree", "left": "orders", "right": "orders", "pairs": [["id", "id"]]}
        link |= {"cardinality": "ONE_TO_ONE", "is_inferred": True}
        table = {"name": "orders", "kind": "model", "synonyms": ["sales"], "primary_key": ["id"], "columns": [name]}
        facts = {"project_id": self.project_id, "mdl_hash": "m1", "dialect": "sqlite", "warnings": []}
        return json.dumps({**facts, "tables": [table], "relationships": [link]}).encode()


class FakeSemanticModels:
    """Every project has a model, whose description never changes; remembers what is to be changed."""

    def __init__(self, preparation: FakePreparation) -> None:
        self._preparation = preparation
        self.changed: list[tuple[str, str, list[dict[str, Any]]]] = []

    _SALES = ListedProject(id="sales", database="warehouse", has_model=True, mdl_hash="m1")

    async def projects(self, is_theirs: Callable[[str], bool]) -> list[ListedProject]:
        return [ListedProject(id="default", has_model=False), self._SALES]

    async def describe(self, project_id: str, **_: Any) -> FakeDescription:
        return FakeDescription(project_id)

    async def change(self, project_id: str, mdl_hash: str, changes: Sequence[DescriptionChange], **_: Any) -> str:
        self.changed.append((project_id, mdl_hash, [change.model_dump(exclude_unset=True) for change in changes]))
        return await self._preparation.start(project_id, {}, "changed")


class FakeKnowledge:
    def __init__(self) -> None:
        self.calls: list[tuple[str, str, list[Any]]] = []
        self.jobs = {kind: FakeAsks() for kind in ("sql_pair", "instruction")}

    async def save_sql_pairs(self, project_id: str, pairs: Sequence[SqlPair], *_: Any, **__: Any) -> str:
        return self._event("save_sql_pairs", project_id, [one.wire() for one in pairs])

    async def save_instructions(self, project_id: str, instructions: Sequence[Instruction], **_: Any) -> str:
        return self._event("save_instructions", project_id, [one.wire() for one in instructions])

    async def delete(self, kind: str, project_id: str, ids: Sequence[str], *_: Any, **__: Any) -> str:
        return self._event(f"delete_{kind}s", project_id, ids)

    async def page(
        self, kind: str, project_id: str, offset: int, limit: int
    ) -> tuple[Sequence[Mapping[str, Any]], int]:
        saved = self._saved(f"save_{kind}s", project_id)
        return saved[offset : offset + limit], len(saved)

    async def delete_all(self, project_id: str) -> None:
        self.calls.append(("delete_all", project_id, []))

    async def save_keywords(self, project_id: str, keywords: Sequence[Keyword]) -> Sequence[str]:
        self.calls.append(("save_keywords", project_id, [row_of(one, tables=[*one.tables]) for one in keywords]))
        return ["a warning"]

    async def delete_keywords(self, project_id: str, ids: Sequence[str]) -> None:
        self.calls.append(("delete_keywords", project_id, list(ids)))

    async def keywords(self, project_id: str) -> Sequence[Mapping[str, Any]]:
        return self._saved("save_keywords", project_id)

    async def event(self, event_id: str, kind: str, project_id: str | None = None) -> Mapping[str, Any]:
        of_kind = {f"event-{n}": of for n, (what, of, _) in enumerate(self.calls, 1) if what.endswith(f"{kind}s")}
        if event_id not in of_kind or project_id not in (None, of_kind[event_id]):
            raise NotFound("No such event.", "Start it first.")
        return {"event_id": event_id, "status": "finished"}

    def _saved(self, how: str, project_id: str) -> list[Mapping[str, Any]]:
        calls = (items for what, of, items in self.calls if (what, of) == (how, project_id))
        return list({one["id"]: one for items in calls for one in items}.values())

    def _event(self, what: str, project_id: str, items: Sequence[Any]) -> str:
        self.calls.append((what, project_id, list(items)))
        return f"event-{len(self.calls)}"


class FakeLessons:
    """Keeps what it is told, by project."""

    def __init__(self) -> None:
        self.kept: dict[str, dict[str, dict[str, Any]]] = {}

    async def page(self, project_id: str, *, limit: int = 100, offset: int = 0, **_: Any) -> tuple[list[Any], int]:
        lessons = list(self.kept.get(project_id, {}).values())
        return lessons[offset : offset + limit], len(lessons)

    async def add(self, project_id: str, forms: Sequence[NewLesson]) -> list[dict[str, Any]]:
        new = [
            Lesson(
                f"lesson-{number}", form.kind, "", form.body.model_dump(exclude_none=True), "manual", "active"
            ).wire()
            for number, form in enumerate(forms, 1)
        ]
        self.kept.setdefault(project_id, {}).update({one["id"]: one for one in new})
        return new

    async def change(self, project_id: str, lesson_id: str, change: LessonChange) -> dict[str, Any]:
        lesson = self._one(project_id, lesson_id)
        return lesson | change.model_dump(exclude_none=True)

    async def delete(self, project_id: str, ids: Sequence[str]) -> None:
        for one in ids:
            self.kept.get(project_id, {}).pop(one, None)

    async def revert(self, project_id: str, lesson_id: str) -> None:
        del self.kept[project_id][self._one(project_id, lesson_id)["id"]]

    async def export(self, project_id: str) -> str:
        return "[]\n"

    async def load(self, project_id: str, text: str) -> tuple[list[dict[str, Any]], list[str]]:
        return [], []

    async def model_patch(self, project_id: str) -> list[dict[str, Any]]:
        return [{"op": "add", "path": "/models/0/properties", "value": {"synonyms": ["zorbs"]}}]

    def _one(self, project_id: str, lesson_id: str) -> dict[str, Any]:
        if lesson_id not in self.kept.get(project_id, {}):
            raise NotFound("No such lesson.", "List them.")
        return self.kept[project_id][lesson_id]


class FakeDocuments:
    """Documents that are there at once."""

    def __init__(self) -> None:
        self.jobs = FakeAsks()

    async def add(self, project_id: str, content: bytes, *, name: str, **more: Any) -> tuple[str, str]:
        return more.get("document_id") or "document-1", "ask-1"

    async def delete(self, project_id: str, document_id: str, idempotency_key: str | None = None, **_: Any) -> str:
        await self.get(project_id, document_id)
        return "ask-1"

    async def page(self, project_id: str, offset: int, limit: int) -> tuple[list[Mapping[str, Any]], int]:
        return [await self.get(project_id, "ask-1")], 1

    async def get(self, project_id: str, document_id: str) -> Mapping[str, Any]:
        if document_id != "ask-1":
            raise NotFound("This document doesn't exist.", "List them.")
        sizes = {"bytes": 8, "chunks": 1, "tags": ["rules"]}
        named = {"id": document_id, "title": "Rules", "source": "rules.md", "format": "md"}
        return {**named, **sizes, "status": "indexed", "created_at": "2026-03-04T00:00:00+00:00"}

    async def chunks(
        self, project_id: str, document_id: str, offset: int, limit: int
    ) -> tuple[list[Mapping[str, Any]], int]:
        await self.get(project_id, document_id)
        return [{"id": "ask-1#0", "locator": "", "text": "Be kind."}], 1

    async def search(self, project_id: str, query: str, **more: Any) -> list[Mapping[str, Any]]:
        passage = {"id": "ask-1#0", "document_id": "ask-1", "title": "Rules", "locator": "", "text": "Be kind."}
        return [{**passage, "score": 0.5}]

    async def event(self, event_id: str, project_id: str | None = None, wait: float = 0) -> Mapping[str, Any]:
        if event_id != "ask-1":
            raise NotFound("There is no such event.", "Send the document again.")
        return {"event_id": event_id, "document_id": "ask-1", "status": "finished", "chunks": 1, "error": None}


class FakeRuns(FakeAsks):
    """Runs, finished at once. `ask-1` is there from the beginning."""

    def __init__(self) -> None:
        super().__init__()
        self.requests: dict[str, Any] = {"ask-1": RunRequest(thread_id="ask-1")}

    async def request(self, run_id: str) -> RunRequest:
        self._known(run_id)
        request: RunRequest = self.requests[run_id]
        return request

    async def result_json(self, run_id: str, wait: float = 0) -> bytes:
        self._known(run_id)
        told = {"run_id": run_id, "thread_id": "ask-1", "status": "finished", "message": "Two.", "trace_id": run_id}
        return json.dumps(told).encode()


class FakeConversations:
    """One thread, `ask-1`, with one run and one agent of the same name."""

    def __init__(self) -> None:
        self.runs = FakeRuns()
        self.agents = FakeAgents()

    def require_model(self) -> None:
        return None

    async def send(self, message: NewMessage) -> Begun:
        return Begun("ask-1", "ask-1")

    async def named(self, *_: Any) -> Begun | None:
        return None

    async def answer(self, project_id: str | None, run_id: str, answers: Mapping[str, Any], **_: Any) -> Begun:
        return await self._begun(run_id)

    async def resume(self, *_: Any, **__: Any) -> Begun:
        return Begun("ask-1", "ask-1")

    async def run_id(self, project_id: str | None, named: str, _: Person) -> str:
        return named

    async def ended_with(self, run_id: str, place: int) -> bool:
        await self._begun(run_id)
        return place >= 1

    async def going_on(self, project_id: str, thread_id: str) -> str | None:
        return None

    async def waiting_in(self, project_id: str, thread_id: str) -> str | None:
        return None

    async def events(self, run_id: str, after: int = 0, segment: int | None = None) -> AsyncIterator[RunEvent]:
        await self._begun(run_id)
        return self._end()

    async def _end(self) -> AsyncIterator[RunEvent]:
        yield RunEvent(1, 0, run_succeeded("ask-1", "ask-1", (), ()))

    async def stop(self, project_id: str | None, run_id: str) -> None:
        await self._begun(run_id)

    async def _begun(self, run_id: str) -> Begun:
        await self.runs.result_json(run_id)
        return Begun("ask-1", run_id)

    async def create(self, project_id: str, **more: Any) -> Thread:
        return await self.thread(project_id, "ask-1")

    async def owner(self, project_id: str, thread_id: str) -> str | None:
        return PERSON if thread_id == "ask-1" else None

    async def thread(self, project_id: str, thread_id: str) -> Thread:
        if thread_id != "ask-1":
            raise NotFound("There is no such thread.", "List them.")
        moment = datetime(2026, 3, 4, tzinfo=UTC)
        return Thread(thread_id, "default", "Orders", {"region": "north"}, moment, moment)

    async def page(self, *_: Any) -> tuple[list[Thread], int]:
        return [await self.thread("default", "ask-1")], 1

    async def change(self, project_id: str, thread_id: str, **more: Any) -> Thread:
        return await self.thread(project_id, thread_id)

    async def messages(self, project_id: str, thread_id: str) -> list[Message]:
        await self.thread(project_id, thread_id)
        return [Message("user", [{"type": "text", "text": "Hello"}], "ask-1", datetime(2026, 3, 4, tzinfo=UTC), "m")]

    async def delete(self, project_id: str, thread_id: str) -> None:
        await self.thread(project_id, thread_id)


class FakeAgents:
    """The agents `default` and `ask-1`."""

    async def all(self, project_id: str) -> Mapping[str, AgentDefinition]:
        return {"default": AgentDefinition(), "ask-1": AgentDefinition()}

    async def offered(self, project_id: str | None) -> Mapping[str, OfferedAgent]:
        return {one: OfferedAgent("default", one, "Askwell") for one in await self.all("default")}

    async def is_project(self, project_id: str) -> bool:
        return False

    async def get(self, project_id: str, agent_id: str) -> AgentDefinition:
        if agent_id not in await self.all(project_id):
            raise NotFound("There is no such agent.", "List them.")
        return AgentDefinition()

    async def put(self, project_id: str, agent_id: str, definition: AgentDefinition) -> None:
        return None

    async def delete(self, project_id: str, agent_id: str) -> None:
        await self.get(project_id, agent_id)


class FakeArchives:
    """One project, whose archive is a few bytes."""

    async def hides_rows(self, project_id: str) -> bool:
        return False

    async def write(self, project_id: str, file: IO[bytes], options: Collection[str] = ()) -> Mapping[str, int]:
        file.write(f"{project_id} {sorted(options)}".encode())
        return {"models": 1}

    async def read(self, project_id: str, file: IO[bytes], *, replace: bool = False, **_: Any) -> Imported:
        file.seek(0)
        if file.read().startswith(b"damaged"):
            raise InvalidRequest("The file is no archive of a project.", "Send one.")
        if not replace:
            raise Conflict(f"Project {project_id} is not empty.", "Say that it is to be replaced.")
        return Imported("shop", {"models": 1}, ["The model is old."])


class FakeStatements:
    """Every statement has one row."""

    async def run(self, said: PersonsStatement, limit: int) -> Mapping[str, Any]:
        data = {"columns": [{"name": "n", "type": "BIGINT"}], "rows": [[1]], "row_count": 1, "truncated": False}
        return {"sql": said.sql, "planned_sql": said.sql, **data, "warnings": [], "repairs": [], "ms": 0.1}

    async def check(
        self, said: PersonsStatement, question: str, dialect: str | None = None, *, execute: bool = False
    ) -> Mapping[str, Any]:
        return {"verdict": "sound", "sureness": None, "findings": [], "rewritten": None}

    async def export(self, said: PersonsStatement, form: RowFileFormat) -> IO[bytes]:
        return io.BytesIO(b'[{"n": 1}]')


class FakeUploads:
    """Takes any file."""

    are_taken = True
    most_bytes = 1024 * 1024

    def projects_of(self, owner: str) -> frozenset[str]:
        return frozenset()

    def require_room(self) -> None:
        return None

    async def add(self, file: IO[bytes], name: str, wanted: str | None, _: Person) -> tuple[str, str]:
        if not file.read(1):
            raise InvalidRequest("The file is empty.", "Send another.")
        return f"{wanted or 'data'}-1", "m1"

    async def delete(self, project_id: str) -> None:
        if project_id != "data-1":
            raise NotFound("There is no such project.", "Name one.")


class FakeServices:
    """A service container of fakes."""

    def __init__(self) -> None:
        self.asks = FakeAsks()
        self.jobs: Mapping[str, Any] = {kind.name: FakeJobs(kind) for kind in KINDS}
        self.chart_images = FakePictures()
        self.history = FakeHistory(self.asks)
        self.feedback = FakeFeedback(self.asks)
        self.corrections = FakeCorrections(self.asks)
        self.lessons = FakeLessons()
        self.documents = FakeDocuments()
        self.archives = FakeArchives()
        self.statements = FakeStatements()
        self.uploads = FakeUploads()
        self.conversations = FakeConversations()
        self.preparation = FakePreparation()
        self.semantic_models = FakeSemanticModels(self.preparation)
        self.knowledge = FakeKnowledge()
        self.metrics = Metrics()
        self.tracing = Tracing()
        self.ending = asyncio.Event()
        self.checks: dict[str, dict[str, Any]] = {"record": {"ok": True, "message": "open"}}
        self.life: list[str] = []

    async def start(self) -> None:
        self.life.append("started")

    async def stop(self) -> None:
        self.life.append("stopped")

    async def readiness(self) -> Mapping[str, Mapping[str, Any]]:
        return self.checks
