"""A run's events for OpenAI's clients: the message that they send, its events, and these as Markdown."""

from __future__ import annotations

import re
import uuid
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from askwell.access.caller import Caller
from askwell.agent.events import TERMINAL
from askwell.agent.request import LONGEST_MESSAGE
from askwell.agent.service import Begun, Conversations, NewMessage
from askwell.asks.rows_in_words import in_markdown
from askwell.errors import Conflict
from askwell.field_types import storable

# How what follows the words of an answer begins: see `end_of_answer`.
_SQL, _SOURCES, _SUGGESTIONS = "\n\n<details>\n<summary>SQL", "\n\n**Sources**\n", "\n\n**You could ask next**\n"
_USAGE = {"inputTokens": "prompt_tokens", "outputTokens": "completion_tokens"}
_WORDS = {"type": "string", "maxLength": LONGEST_MESSAGE, "pattern": r"^[^\u0000]*[^\s\u0000][^\u0000]*$"}
_PARTS = {
    "type": "array",
    "contains": {"type": "object", "properties": {"text": _WORDS}, "required": ["text"]},
}
# What a JSON Schema of messages says: one of the user, with words, is among them.
HOLDS_WORDS_OF_USER = {
    "contains": {
        "type": "object",
        "properties": {"role": {"const": "user"}, "content": {"anyOf": [_WORDS, _PARTS]}},
        "required": ["role", "content"],
    }
}


def text_of(content: Any) -> str:
    """The words of a message's content, which is text, or parts of which some are."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(str(one["text"]) for one in parts if isinstance(one, dict) and isinstance(one.get("text"), str))


def last_words(messages: Iterable[tuple[str, Any]]) -> tuple[int, str]:
    """Where in a conversation of (role, content) the last message of the user with words stands, and these. Raises
    `ValueError` where there is none, and where it cannot be taken."""
    said = [(place, text_of(content).strip()) for place, (role, content) in enumerate(messages) if role == "user"]
    found = [(place, text) for place, text in said if text]
    if not found:
        raise ValueError("must hold a message of the user, with words")
    place, text = found[-1]
    if len(text) > LONGEST_MESSAGE:
        raise ValueError(f"the last message of the user must have at most {LONGEST_MESSAGE} characters")
    return place, storable(text)


@dataclass(frozen=True, slots=True)
class Turn:
    """What a message began. With `asked`, the run waits for another answer before it goes on."""

    begun: Begun
    asked: Mapping[str, Any] | None = None


async def thread_id_of(caller: Caller, conversations: Conversations, project_id: str, thread_id: str) -> str:
    """The id by which the record knows the caller's thread. An id that a client chose is the person's own: two people
    who choose the same one have a thread each, and neither learns of the other's."""
    if caller.is_anybody:
        return thread_id
    owner = await conversations.owner(project_id, thread_id)
    if owner is not None and caller.owns(owner):
        return thread_id
    return uuid.uuid5(uuid.NAMESPACE_OID, f"{caller.principal.id}\n{project_id}\n{thread_id}").hex


async def own_message(caller: Caller, conversations: Conversations, message: NewMessage) -> NewMessage:
    """The message as the caller's, counted, to a thread of theirs. Raises `NotFound` where the project is not theirs,
    and `Busy`."""
    caller.require_project(message.project_id)
    person = await caller.counted()
    thread_id = message.thread_id and await thread_id_of(caller, conversations, message.project_id, message.thread_id)
    return replace(message, thread_id=thread_id, person=person)


async def take(caller: Caller, conversations: Conversations, message: NewMessage) -> Turn:
    """Send a message, or go on with the thread's run that waits for an answer: what was asked first is answered first.
    Another run of the thread is stopped: all that the stop button of such a client does is to listen no more. Raises as
    `Conversations.send` and `answer` do."""
    conversations.require_model()
    message = await own_message(caller, conversations, message)
    if message.thread_id is not None:
        waiting = await conversations.waiting_in(message.project_id, message.thread_id)
        if waiting is not None:
            asked = (await conversations.runs.result(waiting)).get("interrupts") or []
            if asked:
                answers = {asked[0]["id"]: message.text}
                begun = await conversations.answer(message.project_id, waiting, answers, person=message.person)
                return Turn(begun, asked[1] if len(asked) > 1 else None)
    try:
        return Turn(await conversations.send(message))
    except Conflict:
        going_on = await conversations.going_on(message.project_id, message.thread_id or "")
        if going_on is None:
            raise
        await conversations.stop(message.project_id, going_on)
        return Turn(await conversations.send(message))


async def events_of(conversations: Conversations, turn: Turn) -> AsyncIterator[Mapping[str, Any]]:
    """The events of a turn to its end. The SQL of what the run did before it asked back is told again: the answer may
    stand on it."""
    begun = turn.begun
    if turn.asked is not None:
        outcome = {"type": "interrupt", "interrupts": [turn.asked]}
        yield {"type": "RUN_FINISHED", "threadId": begun.thread_id, "runId": begun.run_id, "outcome": outcome}
        return
    async for one in await conversations.events(begun.run_id):
        is_new = one.segment == begun.segment
        if is_new or (one.segment < begun.segment and one.event.get("name") == "askwell.sql"):
            yield one.event
        if is_new and one.event["type"] in TERMINAL:
            return


@dataclass
class AnswerText:
    """The answer so far. `message` are the words alone; `interrupts` what was asked back, as AG-UI has it; `error`
    is `{code, message}`."""

    message: str = ""
    sql: list[Mapping[str, Any]] = field(default_factory=list)
    citations: list[Mapping[str, Any]] = field(default_factory=list)
    suggested_questions: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    interrupts: list[Mapping[str, Any]] = field(default_factory=list)
    usage: Mapping[str, Any] = field(default_factory=dict)
    error: Mapping[str, Any] | None = None
    _gap: str = ""

    def add(self, event: Mapping[str, Any]) -> str:
        """Take in an event; the words that it adds to the answer."""
        match event["type"]:
            case "TEXT_MESSAGE_START":
                self._gap = "\n\n" if self.message else ""
            case "TEXT_MESSAGE_CONTENT":
                words = self._gap + event["delta"]
                self._gap = ""
                self.message += words
                return str(words)
            case "CUSTOM":
                self._custom(event["name"], event["value"])
            case "RUN_FINISHED":
                self.interrupts = list(event["outcome"].get("interrupts") or ())
                self.usage = next(iter(event.get("usage") or ()), {})
            case "RUN_ERROR":
                self.error = {"code": event["code"], "message": event["message"]}
        return ""

    def _custom(self, name: str, value: Any) -> None:
        match name:
            case "askwell.sql":
                if all(one["sql"] != value["sql"] for one in self.sql):
                    self.sql.append(value)
            case "askwell.citations":
                self.citations += value
            case "askwell.suggestions":
                self.suggested_questions += value
            case "askwell.warning":
                self.warnings.append(value["message"])

    def openai_usage(self) -> dict[str, Any]:
        """The tokens that were used, as OpenAI counts them."""
        counts = {theirs: int(self.usage.get(ours) or 0) for ours, theirs in _USAGE.items()}
        cached = int(self.usage.get("cachedInputTokens") or 0)
        return {**counts, "total_tokens": sum(counts.values()), "prompt_tokens_details": {"cached_tokens": cached}}

    def for_programs(self) -> dict[str, Any]:
        """Everything but the usage, without what there is none of."""
        names = ("message", "sql", "citations", "suggested_questions", "warnings", "interrupts")
        return {name: value for name in names if (value := getattr(self, name))}


def end_of_answer(answer: AnswerText) -> str:
    """What follows the words, in Markdown: what is asked back, the SQL of the figures, sources, and what could be asked
    next."""
    return "".join(_ends(answer))


def _ends(answer: AnswerText) -> Iterator[str]:
    gap = "\n\n" if answer.message else ""
    if answer.interrupts:
        yield gap + question_in_words(answer.interrupts[0])
    for number, one in enumerate(answer.sql, 1):
        count = f" {number}" if len(answer.sql) > 1 else ""
        yield f"{_SQL}{count}</summary>\n\n{_fenced(one['sql'])}\n\n</details>"
    if answer.citations:
        cited = {one["n"]: one for one in answer.citations}
        # Titles and quotations are whatever a document says, an image or a link too.
        quoted = {number: in_markdown(f"{_place(one)}: “{_line(one['quote'])}”") for number, one in cited.items()}
        lines = [f"- [{number}] {text}" for number, text in sorted(quoted.items())]
        yield _SOURCES + "".join(f"\n{line}" for line in lines)
    if answer.suggested_questions:
        yield _SUGGESTIONS + "".join(f"\n- {_line(one)}" for one in answer.suggested_questions)


def question_in_words(interrupt: Mapping[str, Any]) -> str:
    """What is asked back, with its options numbered and its values listed: a number is an answer too."""
    asked = interrupt["metadata"]["clarification"]
    lines = [str(asked["question"]).strip(), ""]
    for number, option in enumerate(asked.get("options") or (), 1):
        detail = f" ({_line(option['detail'])})" if option.get("detail") else ""
        lines.append(f"{number}. {_line(option['label'])}{detail}")
    for one in asked.get("fields") or ():
        about = f": {_line(one['description'])}" if one.get("description") else ""
        default = f" (else {_line(str(one['default']))})" if one.get("default") is not None else ""
        lines.append(f"- {_line(one['name'])}{about}{default}")
    return "\n".join(lines).rstrip()


def words_of_answer(text: str) -> str:
    """The words of an answer that was told with an end: a model that reads the rest imitates it."""
    ends = [place for mark in (_SQL, _SOURCES, _SUGGESTIONS) if (place := text.find(mark)) >= 0]
    return text[: min(ends, default=len(text))]


def _fenced(sql: str) -> str:
    longest: Sequence[str] = re.findall(r"`{3,}", sql)
    fence = "`" * max([3, *(len(run) + 1 for run in longest)])
    return f"{fence}sql\n{sql}\n{fence}"


def _place(citation: Mapping[str, Any]) -> str:
    return ", ".join(_line(one) for one in (citation["title"], citation["locator"]) if one)


def _line(text: str) -> str:
    return " ".join(text.split())
