"""Requests of a client, answered by the services of this process: FastAPI would cost as much time as a whole ask."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING

from askwell.asks.corrections import Correction
from askwell.asks.feedback import Feedback
from askwell.asks.request import AskRequest
from askwell.cli.client import PROJECT, Answer, InProcess, Item, ReceivedEvent, Stream
from askwell.semantic_parsing.translation import Turn
from askwell.services.lessons.bodies import LessonChange
from askwell.services.lessons.checking import read_form

if TYPE_CHECKING:
    from askwell.cli.local.session import LocalSession


def to_session(session: LocalSession) -> InProcess:
    """The transport to a database that is ready to be asked."""
    return InProcess(session, _ANSWERS, _STREAMS)


async def _start_ask(session: LocalSession, given: Item) -> Item:
    request = AskRequest(
        query=given["query"],
        project_id=PROJECT,
        mdl_hash=session.label,
        request_from=given["request_from"],
        execute=given["execute"],
        timezone=session.timezone,
        histories=tuple(Turn(turn["question"], turn["sql"]) for turn in given.get("histories", ())),
        interactive=given.get("interactive", False),
    )
    return {"query_id": await session.container.asks.start(request)}


async def _ask_events(session: LocalSession, given: Item, _: str) -> AsyncGenerator[ReceivedEvent, None]:
    async for event in await session.container.asks.events(given["ask_id"]):
        data = session.result(event.data) if event.kind in ("done", "error") else event.data
        yield ReceivedEvent(str(event.id), event.kind, data)


async def _correct(session: LocalSession, given: Item) -> None:
    answer = Correction(
        "text",
        given["text"],
        clarification_id=given["clarification_id"],
        remember=given.get("remember", False),
    )
    await session.container.corrections.give(given["ask_id"], answer)


async def _check(session: LocalSession, given: Item) -> Item:
    from askwell.services.statements import PersonsStatement

    statement = PersonsStatement(PROJECT, given["sql"], session.timezone)
    found = await session.whole.statements.check(statement, given["question"], given["dialect"], execute=True)
    return found.model_dump(mode="json")


async def _lessons(session: LocalSession, given: Item) -> Item:
    lessons, total = await session.container.lessons.page(PROJECT, limit=given["limit"], offset=given["offset"])
    return {"lessons": lessons, "total": total}


async def _teach(session: LocalSession, given: Item) -> Item:
    forms = [read_form(lesson) for lesson in given["lessons"]]
    return {"lessons": await session.change_lessons(lambda book: book.add(PROJECT, forms))}


async def _load_lessons(session: LocalSession, given: Item) -> Item:
    kept, problems = await session.change_lessons(lambda book: book.load(PROJECT, given["yaml"]))
    return {"lessons": kept, "problems": problems}


async def _decide(session: LocalSession, given: Item) -> Item:
    change = LessonChange.model_validate({"status": given["status"]})
    return await session.change_lessons(lambda book: book.change(PROJECT, given["lesson_id"], change))


async def _add_document(session: LocalSession, given: Item) -> Item:
    session.require_kept("kept")
    tags = [tag for tag in given["tags"].split(",") if tag]
    place = {"name": given["name"], "document_id": given["id"], "title": given["title"] or None}
    _, event_id = await session.whole.documents.add(PROJECT, given["content"], tags=tags, **place)
    return {"event_id": event_id}


async def _documents(session: LocalSession, given: Item) -> Item:
    documents, total = await session.whole.documents.page(PROJECT, given["offset"], given["limit"])
    return {"documents": documents, "total": total}


async def _search(session: LocalSession, given: Item) -> Item:
    documents = session.whole.documents
    return {"passages": await documents.search(PROJECT, given["query"], top_k=given["top_k"], tags=given["tags"])}


async def _remove_document(session: LocalSession, given: Item) -> Item:
    session.require_kept("kept")
    return {"event_id": await session.whole.documents.delete(PROJECT, given["document_id"])}


async def _send(session: LocalSession, given: Item) -> Item:
    from askwell.agent.service import NewMessage
    from askwell.jobs.request import Configurations, TimeZone

    message = NewMessage(
        PROJECT,
        given["message"],
        thread_id=given["thread_id"],
        agent_id=given["agent_id"],
        configurations=Configurations(timezone=TimeZone(name=session.timezone)),
    )
    begun = await session.whole.conversations.send(message)
    return {"thread_id": begun.thread_id, "run_id": begun.run_id}


async def _run_events(session: LocalSession, given: Item, after: str) -> AsyncGenerator[ReceivedEvent, None]:
    async for event in await session.whole.conversations.events(given["run_id"], int(after)):
        yield ReceivedEvent(str(event.place), "message", event.event)


async def _run(session: LocalSession, given: Item) -> Item:
    found: Item = json.loads(await session.whole.conversations.runs.result_json(given["run_id"]))
    return found


async def _messages(session: LocalSession, given: Item) -> Item:
    messages = await session.whole.conversations.messages(PROJECT, given["thread_id"])
    return {"messages": [asdict(one) for one in messages]}


_ANSWERS: Mapping[str, Answer] = {
    "POST /asks": _start_ask,
    "PATCH /asks/{ask_id}": lambda session, given: session.container.asks.stop(given["ask_id"]),
    "POST /asks/{ask_id}/corrections": _correct,
    "POST /asks/{ask_id}/feedback": lambda session, given: session.container.feedback.give(
        given["ask_id"], Feedback(given["positive"])
    ),
    "POST /sql-checks": _check,
    "DELETE /sql-pairs": lambda session, given: session.container.knowledge.delete(
        "sql_pair", PROJECT, given["sql_pair_ids"]
    ),
    "GET /lessons": _lessons,
    "POST /lessons": _teach,
    "DELETE /lessons": lambda session, given: session.change_lessons(
        lambda book: book.delete(PROJECT, given["lesson_ids"])
    ),
    "POST /lessons/import": _load_lessons,
    "GET /lessons/export": lambda session, _: session.container.lessons.export(PROJECT),
    "PATCH /lessons/{lesson_id}": _decide,
    "POST /lessons/{lesson_id}/revert": lambda session, given: session.change_lessons(
        lambda book: book.revert(PROJECT, given["lesson_id"])
    ),
    "POST /documents": _add_document,
    "GET /documents": _documents,
    "POST /documents/search": _search,
    "DELETE /documents/{document_id}": _remove_document,
    "GET /documents/events/{event_id}": lambda session, given: session.whole.documents.event(
        given["event_id"], PROJECT, given["wait"]
    ),
    "POST /chats": _send,
    "POST /runs/{run_id}/input": lambda session, given: session.whole.conversations.answer(
        PROJECT, given["run_id"], {given["interrupt_id"]: given["payload"]}
    ),
    "PATCH /runs/{run_id}": lambda session, given: session.whole.conversations.stop(PROJECT, given["run_id"]),
    "GET /runs/{run_id}": _run,
    "GET /threads/{thread_id}/messages": _messages,
}
_STREAMS: Mapping[str, Stream] = {
    "GET /asks/{ask_id}/events": _ask_events,
    "GET /runs/{run_id}/events": _run_events,
}
