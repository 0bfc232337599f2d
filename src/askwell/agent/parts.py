"""Parts of messages as threads keep them, and the text of an agent that is checked while it is written."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import asdict
from typing import Annotated, Any, ClassVar

from pydantic import Field

from askwell.agent.definition import VARIABLE_CHARACTERS, ToolAnswer
from askwell.asks.citations import MARK, Citation, MarkedText
from askwell.asks.rows_in_words import KnownNumbers
from askwell.knowledge.threads import NO_RUN, Message, Part
from askwell.messages import say
from askwell.pipelines.conversation.build import Call, Said
from askwell.pipelines.generation.question import PromptPassage
from askwell.prompts.loader import harmless
from askwell.sql.nearest import nearest_text
from askwell.tools.base import Arguments, Caller, Output, Progress, Result, Tool, ToolFailure

# By chance any figure stands in an id.
_IDS = frozenset({"id", "ask_id", "document_id", "mark"})
# What repeats the call: the statement, what was mended in it, why it was refused, what is asked back about it.
_ECHOES = frozenset({"sql", "planned_sql", "repairs", "error", "clarification"})
# Of a statement and of arguments, what may be told: years and dates, which a model works out from "last month".
_DATE = re.compile(r"\b(?:19|20)\d\d(?:-\d\d(?:-\d\d)?)?\b")
# A figure of a call that comes back in its result is none of the result's from here on: below it are counts, shares and
# limits that are found by chance.
_TELLING = 1_000
_YEARS = range(1900, 2100)


class Known:
    """The figures that may be told. Counts of what was found are figures too."""

    def __init__(self) -> None:
        self._numbers = KnownNumbers()

    def add(self, value: Any) -> None:
        """A text or a number that somebody said, or JSON with the figures in it and the lengths of its lists."""
        self._add(value, KnownNumbers())

    def add_result(self, told: Mapping[str, Any], arguments: Mapping[str, Any]) -> None:
        """What a tool gave for a call with these arguments."""
        echoes = [told[name] for name in _ECHOES if name in told]
        written = json.dumps([dict(arguments), echoes], ensure_ascii=False, default=str)
        of_call = KnownNumbers()
        of_call.add(written)
        self._numbers.add(*_DATE.findall(written))
        self._add({name: one for name, one in told.items() if name not in _ECHOES}, of_call)

    def _add(self, value: Any, of_call: KnownNumbers) -> None:
        if isinstance(value, Mapping):
            for name, one in value.items():
                if name not in _IDS:
                    self._add(name, of_call)
                    self._add(one, of_call)
        elif isinstance(value, Sequence) and not isinstance(value, str):
            self._numbers.add(len(value))
            for one in value:
                self._add(one, of_call)
        else:
            self._numbers.add(value, but_not=lambda number: number in of_call and _tells(number))

    def missing(self, text: str) -> tuple[str, ...]:
        """The figures of a text that are not known, as written there."""
        return self._numbers.missing(text)


def _tells(number: Any) -> bool:
    return abs(number) >= _TELLING and number not in _YEARS


# A part that is checked at once ends with a line or a sentence. What stands before "." at the begin of a line is the
# number of a list.
_END = re.compile(r"\n|(?<!\s)[.!?:;…](?=\s)")
_LIST_NUMBER = re.compile(r"(?:^|\n)\s*\d{1,3}\Z")
# Without an end the rest is checked all the same: nobody reads a sentence of that length before it is whole.
_LONGEST_PART = 600
# Elements of HTML that fetch something or run.
_FETCHING = re.compile(
    r"<(?=\s*/?\s*(?:img|image|picture|source|iframe|frame|script|svg|video|audio|object|embed|link|style|meta|base|form|input)\b)",
    re.IGNORECASE,
)


class CheckedText:
    """One answer while it is written. `tell` gets what may be read, a sentence at a time: from the first one with an
    unknown figure on nothing more is told. `missing` says which figures, and `go_on` begins a continuation: of that,
    sentences with unknown figures are left out, and what was told before is not told again."""

    def __init__(self, known: Known, passages: Sequence[PromptPassage], tell: Callable[[str], None]) -> None:
        self._known = known
        self._passages = passages
        self._tell = tell
        self._held = ""
        self._begins = True
        self.told = ""
        self.missing: tuple[str, ...] = ()
        self._leaves_out = False
        self._parts: list[str] = []
        self._repeated: list[str] = []
        self._marked = MarkedText(passages)
        self._citations: list[Citation] = []

    @property
    def citations(self) -> tuple[Citation, ...]:
        """Those of what was told, in its order."""
        return (*self._citations, *self._marked.citations)

    def add(self, piece: str) -> None:
        """More was written."""
        if self._is_over:
            return
        self._held += piece
        while (end := self._end_of_part()) is not None and not self._is_over:
            part, self._held = self._held[:end], self._held[end:]
            self._pass_on(part)

    def finish(self) -> None:
        """No more comes."""
        if not self._is_over:
            part, self._held = self._held, ""
            self._pass_on(part)
        if not self._is_over:
            self._give(self._marked.rest())
        self._held = ""

    def go_on(self) -> None:
        """What is written from now on continues what was told."""
        self.missing = ()
        self._held = ""
        self._begins = True
        self._leaves_out = True
        self._repeated = [part.strip() for part in self._parts]
        self._citations += self._marked.citations
        if self.told and not self.told[-1].isspace():
            self._give(" ")
        self._marked = MarkedText(self._passages, len(self.told))

    def close(self, remark: str) -> None:
        """End with words of our own."""
        self._give(f"\n\n{remark}" if self.told else remark)

    @property
    def _is_over(self) -> bool:
        return bool(self.missing) and not self._leaves_out

    def _end_of_part(self) -> int | None:
        for found in _END.finditer(self._held):
            if _LIST_NUMBER.search(self._held, 0, found.start()) is None:
                return found.end()
        return len(self._held) if len(self._held) > _LONGEST_PART else None

    def _pass_on(self, part: str) -> None:
        # An answer begins with its first word, and so does what goes on behind one that was begun.
        part = part.lstrip() if self._begins else part
        if not part:
            return
        if self._repeated and part.strip():
            # A model that begins anew, though it was told to go on.
            if part.strip() == self._repeated[0]:
                self._repeated.pop(0)
                return
            self._repeated = []
        # Where there are no passages a number in brackets is one like others.
        missing = self._known.missing(MARK.sub(" ", part) if self._passages else part)
        self.missing += missing
        if missing:
            self._give(self._marked.rest())
            return
        self._begins = False
        self._parts += [part] if part.strip() else []
        self._give(self._marked.add(_fetching_nothing(part)))

    def _give(self, text: str) -> None:
        if text:
            self.told += text
            self._tell(text)


def _fetching_nothing(part: str) -> str:
    """Without images and the like: a page that shows them would fetch an address that a model, or a document that it
    read, made up."""
    return _FETCHING.sub("&lt;", part.replace("![", "!\\["))


def citations_of(found: Sequence[Citation]) -> list[dict[str, Any]]:
    """Citations as clients get them."""
    return [asdict(one) for one in found]


class RememberArguments(Arguments):
    name: Annotated[str, Field(min_length=1, max_length=64)] = Field(description="The name of a variable.")
    value: Annotated[str, Field(max_length=VARIABLE_CHARACTERS)] = Field(description="What it is from now on.")


class Remembered(Result):
    name: str
    value: str


class Remember(Tool[RememberArguments]):
    """Bound to one run; `writable` are the variables that the agent may change, `keep` changes one."""

    name: ClassVar[str] = "remember"
    arguments: ClassVar[type[Arguments]] = RememberArguments
    result: ClassVar[type[Result]] = Remembered

    def __init__(self, writable: tuple[str, ...], keep: Callable[[str, str], Awaitable[None]]) -> None:
        self._writable = writable
        self._keep = keep

    async def run(self, caller: Caller, arguments: RememberArguments, progress: Progress) -> Output:
        if arguments.name not in self._writable:
            near = nearest_text(arguments.name, self._writable)
            known = ", ".join(self._writable)
            message = say("tools.no_such_variable", name=arguments.name[:64], near=near, known=known)
            raise ToolFailure("NOT_ALLOWED", *message)
        await self._keep(arguments.name, arguments.value)
        return Output(Remembered(name=arguments.name, value=arguments.value))


_LONGEST_ARGUMENTS = 20_000


def text_part(text: str) -> Part:
    return {"type": "text", "text": text}


def call_part(call: Call) -> Part:
    return {"type": "tool_call", "id": call.id, "tool": call.tool, "arguments": dict(call.arguments)}


def arguments_text(call: Call) -> str:
    """Arguments as JSON text."""
    return json.dumps(dict(call.arguments), ensure_ascii=False)[:_LONGEST_ARGUMENTS]


def error_text(failure: ToolFailure) -> str:
    """What a model reads of a call that failed."""
    return json.dumps({"error": failure.told()}, ensure_ascii=False)


def result_part(call: Call, content: str, *, before: bool = False) -> Part:
    """What a call gave the model to read; `before` it was asked, where the agent is set up so."""
    part = {"type": "tool_result", "id": call.id, "tool": call.tool, "content": content}
    return part | ({"before": True} if before else {})


def shown_parts(call: Call, output: Output) -> list[Part]:
    """What people see of a result: its SQL, its rows, its chart."""
    told = output.result.told()
    parts: list[Part] = []
    if isinstance(told.get("sql"), str):
        facts = ("sql", "planned_sql", "assumptions", "warnings", "verdict", "sureness", "sql_source", "ask_id")
        parts.append({"type": "sql", "call_id": call.id, **{name: told[name] for name in facts if name in told}})
    if output.rows is not None:
        parts.append({"type": "data", "call_id": call.id, **output.rows})
    if output.chart is not None:
        drawn = {"chart_type": told.get("chart_type", ""), "chart_schema": dict(output.chart)}
        parts.append({"type": "chart", "call_id": call.id, **drawn})
    return parts


def citation_parts(citations: Sequence[Mapping[str, Any]]) -> list[Part]:
    return [{"type": "citation", **one} for one in citations]


def spoken(messages: Sequence[Message], most: int, characters: int) -> list[Said]:
    """The last words of people and of the agent, as earlier turns of a conversation with a model, each cut."""
    said = [
        Said(message.role, harmless(text[:characters]))
        for message in messages
        if message.role != "tool" and (text := message.text.strip())
    ]
    return said[-most:] if most else []


def turns_of(messages: Sequence[Message], waiting: Collection[str] = ()) -> list[Said]:
    """What a run has said and done by now, as its model has to read it again. Calls that nothing answered, as where it
    was cut off, are left out, but for those that are `waiting` for an answer, by their ids."""
    answered = {
        part["id"]: part
        for message in messages
        for part in message.parts
        if part["type"] == "tool_result" and not part.get("before")
    }
    said: list[Said] = []
    for message in messages:
        if message.role != "assistant":
            continue
        made = [part for part in message.parts if part["type"] == "tool_call"]
        calls = tuple(
            Call(part["id"], part["tool"], part["arguments"])
            for part in made
            if part["id"] in answered or part["id"] in waiting
        )
        if calls or (message.text and not made):
            said.append(Said("assistant", message.text, calls))
        said += [Said("tool", answered[call.id]["content"], answers=call) for call in calls if call.id in answered]
    return said


def calls_of(messages: Sequence[Message]) -> list[Call]:
    """All calls of tools that were made."""
    return [
        Call(part["id"], part["tool"], part["arguments"])
        for message in messages
        for part in message.parts
        if part["type"] == "tool_call"
    ]


def open_calls(messages: Sequence[Message]) -> list[Call]:
    """Those that no tool of ours has answered."""
    answered = {part["id"] for one in messages if one.role == "tool" for part in one.parts if "tool" in part}
    return [call for call in calls_of(messages) if call.id not in answered]


def answered_by_client(messages: Sequence[Message], answers: Sequence[ToolAnswer]) -> list[Said]:
    """The calls of the client's own tools that it has answered now, and what each gave."""
    given = {one.tool_call_id: one.content for one in answers}
    said: list[Said] = []
    for message in messages:
        calls = tuple(
            Call(part["id"], part["tool"], part["arguments"])
            for part in message.parts
            if part["type"] == "tool_call" and part["id"] in given
        )
        if calls:
            said += [Said("assistant", "", calls), *(Said("tool", given[call.id], answers=call) for call in calls)]
    return said


def add_known(known: Known, messages: Sequence[Message]) -> None:
    """Make known what people said, or say that an agent said before, and what tools gave."""
    arguments = {call.id: call.arguments for call in calls_of(messages)}
    for message in messages:
        for part in message.parts:
            if part["type"] == "text" and (message.role == "user" or message.run_id == NO_RUN):
                known.add(part["text"])
            elif part["type"] == "tool_result":
                add_found(known, part.get("tool", ""), content_of(part["content"]), arguments.get(part["id"], {}))


def add_found(known: Known, tool: str, told: Any, arguments: Mapping[str, Any]) -> None:
    """Make known what a tool gave: nothing of what it was told to remember."""
    if isinstance(told, Mapping):
        if tool != Remember.name:
            known.add_result(told, arguments)
    else:
        known.add(told)


def content_of(content: str) -> Any:
    """What a tool gave, as JSON where it is that."""
    try:
        return json.loads(content)
    except ValueError:
        return content
