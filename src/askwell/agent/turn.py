"""One turn of an agent: its model is asked, its calls are made, and what may be told is told."""

from __future__ import annotations

import contextlib
import json
import logging
import uuid
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from askwell.agent import events, parts
from askwell.agent.checked_text import CheckedText, Known, citations_of
from askwell.agent.request import Pending
from askwell.agent.run_log import RunLog
from askwell.agent.scene import fitted
from askwell.asks.rows_in_words import NO_ROWS, rows_in_words
from askwell.config import AgentSettings
from askwell.errors import RecordUnavailable
from askwell.knowledge.threads import Message, Part, Role
from askwell.messages import say
from askwell.pipelines.conversation.build import Call, Said
from askwell.pipelines.generation.question import PromptPassage
from askwell.providers.llm.base import UNREADABLE_ARGUMENTS
from askwell.tools.base import Caller, Output, Tool, ToolFailure
from askwell.tools.jobs import AskData, DataAnswer
from askwell.tools.lookups import FoundPassages, rows_of

logger = logging.getLogger(__name__)

# The same call is answered twice; whoever makes it once more does not get on.
_MOST_SAME_CALLS = 2
_LEFT_OUT = "(Left out here: what names a figure that stands in no result.)"
_CUT = "The answer was cut: the model came to the limit of a reply."

Tools = Mapping[str, Tool[Any]]


@dataclass(frozen=True, slots=True)
class Stage:
    """What a turn works with. `client_tools` are names of tools that the client runs itself; `known` grows with what
    tools give; `passages` may be named by marks, and grow too."""

    run_id: str
    log: RunLog
    caller: Caller
    tools: Tools
    client_tools: frozenset[str]
    bounds: AgentSettings
    known: Known
    passages: list[PromptPassage]
    stream: Callable[[str], None]
    now: Callable[[], datetime]


@dataclass(slots=True)
class Turn:
    """The owner of a loop (`pipelines.conversation.loop.Owner`), and what came of it. `calls` counts those of the whole
    run; `said` is what the run has said and done by now, as its model has to read it. Once it `has_last_word` it hears
    words alone, and no calls."""

    stage: Stage
    said: list[Said]
    calls: int = 0
    pending: list[Pending] = field(default_factory=list)
    for_client: list[str] = field(default_factory=list)
    answer: str = ""
    citations: list[dict[str, Any]] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    sql: str | None = None
    rows: Mapping[str, Any] | None = None
    words: str = ""
    failure: ToolFailure | None = None
    gets_nowhere: bool = False
    has_last_word: bool = False
    _same: Counter[tuple[str, str]] = field(default_factory=Counter)
    _text: CheckedText | None = None
    _message_id: str = ""
    _is_open: bool = False
    _corrected: bool = False

    # -- what the model writes --------------------------------------------------------------------------------------

    async def stop(self) -> bool:
        if self.has_last_word:
            return False
        # Nobody is asked for more than the person has been told.
        await self.stage.log.flush()
        return bool(self.pending or self.for_client or self.gets_nowhere)

    def hear(self, piece: str) -> None:
        self._writing().add(piece)

    def _writing(self) -> CheckedText:
        if self._text is None:
            self._message_id = uuid.uuid4().hex
            self._text = CheckedText(self.stage.known, self.stage.passages, self._tell)
        return self._text

    def _tell(self, text: str) -> None:
        if not self._is_open:
            self._is_open = True
            self.stage.log.tell(events.text_started(self._message_id))
        self.stage.log.tell(events.text(self._message_id, text))
        self.stage.stream(text)

    def _finished_text(self) -> tuple[str, str, list[dict[str, Any]]]:
        """The id, the words and the citations of what was being written, which ends here."""
        text, message_id = self._text, self._message_id or uuid.uuid4().hex
        if text is None:
            return message_id, "", []
        text.finish()
        if self._is_open:
            self.stage.log.tell(events.text_ended(message_id))
        self._text, self._is_open, self._message_id = None, False, ""
        return message_id, text.shown, citations_of(text.citations)

    async def answered(self, text: str, *, is_cut: bool) -> str | None:
        writing = self._writing()
        writing.finish()
        if writing.missing and not self._corrected:
            self._corrected = True
            correction = _correction(writing.shown, writing.missing)
            self.said += [Said("assistant", text), Said("user", correction)]
            writing.go_on()
            return correction
        if writing.missing:
            writing.close(_LEFT_OUT)
            self._warn(_LEFT_OUT)
        if is_cut:
            self._warn(_CUT)
        self.tell_answer()
        return None

    def _warn(self, message: str) -> None:
        self.warnings.append(message)
        self.stage.log.tell(events.custom("warning", {"message": message}))

    def tell_answer(self, text: str | None = None) -> None:
        """End the answer that was written; or tell one of ours."""
        if text is not None:
            self._writing().close(text)
        message_id, shown, citations = self._finished_text()
        if not shown:
            return
        self._keep("assistant", [parts.text_part(shown), *parts.citation_parts(citations)], message_id)
        if citations:
            self.stage.log.tell(events.custom("citations", citations))
        self.said.append(Said("assistant", shown))
        self.answer = f"{self.answer}\n\n{shown}" if self.answer else shown
        self.citations += citations

    def _keep(self, role: Role, message_parts: Sequence[Part], message_id: str | None = None) -> None:
        message = Message.new(role, message_parts, self.stage.run_id, self.stage.now(), message_id)
        self.stage.log.keep(message)

    # -- calls ------------------------------------------------------------------------------------------------------

    async def called(self, text: str, calls: Sequence[Call]) -> None:
        if self.has_last_word:
            return
        message_id, shown, _ = self._finished_text()
        if not calls:
            return
        for call in calls:
            self.stage.log.tell(*events.tool_called(call.id, call.tool, parts.arguments_text(call), message_id))
        told_parts = [parts.text_part(shown)] if shown else []
        self._keep("assistant", [*told_parts, *map(parts.call_part, calls)], message_id)
        self.said.append(Said("assistant", shown, tuple(calls)))
        self.for_client += [call.id for call in calls if call.tool in self.stage.client_tools]

    async def call(self, call: Call) -> str:
        if call.tool in self.stage.client_tools or self.has_last_word:
            return ""
        try:
            self._require(call)
            output = await self._called(call)
        except ToolFailure as failure:
            return self._failed(call, failure)
        return self._gave(call, output)

    def _require(self, call: Call) -> None:
        """Raises `ToolFailure` for calls beyond what a run may make."""
        self.calls += 1
        if self.calls > self.stage.bounds.max_tool_calls:
            self.gets_nowhere = True
            raise ToolFailure("TOO_MANY_CALLS", *say("tools.too_many_calls", most=self.stage.bounds.max_tool_calls))
        same = call.tool, json.dumps(dict(call.arguments), sort_keys=True, default=str)
        self._same[same] += 1
        if self._same[same] > _MOST_SAME_CALLS:
            self.gets_nowhere = True
            raise ToolFailure("SAME_CALL", *say("tools.same_call"))
        if UNREADABLE_ARGUMENTS in call.arguments:
            raise ToolFailure("BAD_ARGUMENTS", *say("tools.unreadable_arguments"))

    async def _called(self, call: Call) -> Output:
        def progress(status: str) -> None:
            body = {"toolCallId": call.id, "tool": call.tool, "status": status}
            self.stage.log.tell(events.custom("progress", body))

        try:
            return await self.stage.tools[call.tool].call(self.stage.caller, call.arguments, progress)
        except (ToolFailure, RecordUnavailable):
            raise
        except Exception as error:  # told to the model as one that broke; the log has its kind
            kind = type(error).__name__
            logger.error("a tool broke", extra={"tool": call.tool, "error": kind}, exc_info=error)
            raise ToolFailure("OTHERS", f"{call.tool} broke.", "Try another way, or say so.") from None

    def _gave(self, call: Call, output: Output) -> str:
        result = output.result
        if isinstance(result, DataAnswer) and result.clarification is not None:
            asked = result.to_json()["clarification"]
            self.pending.append(
                Pending(
                    interrupt_id=asked.get("id") or uuid.uuid4().hex,
                    call_id=call.id,
                    arguments=dict(call.arguments),
                    ask_id=result.ask_id,
                    asked=asked,
                )
            )
            return ""
        if isinstance(result, DataAnswer):
            self.sql = result.sql or self.sql
            self.rows = output.rows
            self.words = result.text or ""
        told = self._numbered(result) if isinstance(result, FoundPassages) else result.to_json()
        parts.add_found(self.stage.known, call.tool, told, call.arguments)
        if output.chart is not None:
            self.stage.known.add_result({"data": output.chart.get("data", {})}, call.arguments)
        content = fitted(told, self.stage.bounds.result_tokens)
        shown = parts.shown_parts(call, output)
        self._tell_result(call, content, shown)
        return content

    def _numbered(self, found: FoundPassages) -> dict[str, Any]:
        """Passages with the numbers by which marks name them."""
        numbers: dict[tuple[str, str], int] = {}
        for one in self.stage.passages:
            numbers[one.document_id, one.text] = one.number
        content = found.to_json()
        for passage in content["passages"]:
            key = passage["document_id"], passage["text"]
            if key not in numbers:
                numbers[key] = len(self.stage.passages) + 1
                told_of = {name: passage[name] for name in ("document_id", "title", "locator", "text", "score")}
                self.stage.passages.append(PromptPassage(numbers[key], quote=passage["text"][:200], **told_of))
            passage["mark"] = f"[{numbers[key]}]"
        return content

    def _failed(self, call: Call, failure: ToolFailure) -> str:
        self.failure = failure
        content = parts.error_text(failure)
        self._tell_result(call, content, [])
        return content

    async def unanswered(self, call: Call, content: str) -> None:
        is_pending = any(one.call_id == call.id for one in self.pending)
        if call.tool in self.stage.client_tools or is_pending or self.has_last_word:
            return
        with contextlib.suppress(ToolFailure):
            self._require(call)  # only counted: Haystack has told the model already
        self._tell_result(call, content, [])

    def _tell_result(self, call: Call, content: str, shown: Sequence[Part]) -> None:
        message_id = uuid.uuid4().hex
        self._keep("tool", [parts.result_part(call, content), *shown], message_id)
        self.said.append(Said("tool", content, answers=call))
        self.stage.log.tell(events.tool_answered(call.id, message_id, content), *events.shown(call.id, shown))

    # -- without the model ------------------------------------------------------------------------------------------

    async def ask(self, question: str) -> None:
        """Put a question to the data as the model would, and tell it like its own call."""
        call = Call(uuid.uuid4().hex, AskData.name, {"question": question})
        await self.called("", [call])
        await self.call(call)

    async def go_on(self, pending: Pending) -> None:
        """Go on with a question that was asked back about, with what was said; more may be asked back."""
        call = Call(pending.call_id, AskData.name, pending.arguments)
        if pending.answer is None:
            self._failed(call, ToolFailure("CANCELLED", "The person didn't choose a meaning.", "Ask in other words."))
            return
        arguments = {**pending.arguments, "ask_id": pending.ask_id, "answers": [pending.answer]}
        self.stage.known.add(pending.answer)
        try:
            output = await self._called(Call(pending.call_id, AskData.name, arguments))
        except ToolFailure as failure:
            self._failed(call, failure)
            return
        self._gave(call, output)

    def in_words(self) -> str:
        """What the data gave, without a model."""
        if self.rows is not None:
            return rows_in_words(rows_of(self.rows))
        if self.words:
            return self.words
        failure = self.failure
        return f"{failure.message} {failure.hint}".strip() if failure is not None else NO_ROWS


def _correction(shown: str, missing: Sequence[str]) -> str:
    figures = ", ".join(missing[:5])
    if not shown:
        return say("agents.invented_figures", figures=figures).message
    return say("agents.invented_figures_further_on", figures=figures, shown=shown).message
