"""What an ask says to language models, and what they reply: recorded ask by ask, and kept for another run.

Kept replies are found by the exact request: what was asked before costs nothing again. Prompts tell the time, so no two
runs would ask the same: with a cache the clock of all asks stands still, at the moment when its folder was made.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import os
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from askwell.config import Config
from askwell.errors import InvalidRequest, ModelUnavailable
from askwell.providers.llm.base import LanguageModel, ModelCall, ModelReply, NoTextReply, PromptTooLong, Usage
from askwell.providers.llm.call_options import call_options
from askwell.providers.middleware import WrappedModel

if TYPE_CHECKING:
    from haystack.dataclasses import ChatMessage

_CLOCK = "clock.txt"
_USAGE_FIELDS = frozenset(field.name for field in fields(Usage))


@dataclass(frozen=True, slots=True)
class LoggedCall:
    """One call of a pipeline. `begin` and `end` are in seconds of one clock; `is_kept`: the reply is from the cache;
    `failure` is why there is no reply, else empty; an outage is one that has nothing to do with the prompt.
    `usage` has the fields of `Usage`."""

    pipeline: str
    system: str
    user: str
    begin: float
    end: float
    reply: str = ""
    usage: Mapping[str, float] = field(default_factory=dict)
    is_kept: bool = False
    failure: str = ""
    is_outage: bool = False

    def as_json(self) -> dict[str, Any]:
        """One object, JSON-ready."""
        return {
            "pipeline": self.pipeline,
            "system": self.system,
            "user": self.user,
            "reply": self.reply,
            "failure": self.failure,
            "ms": round((self.end - self.begin) * 1000, 1),
            "from_cache": self.is_kept,
            "usage": dict(self.usage),
        }


@dataclass(slots=True)
class CallLog:
    """The calls of one ask, in the order in which they ended."""

    calls: list[LoggedCall] = field(default_factory=list)
    _asked: Counter[tuple[str, str, str]] = field(default_factory=Counter)

    def number(self, pipeline: str, system: str, user: str) -> int:
        """How often this ask has asked the same before: each time it may get another reply."""
        self._asked[pipeline, system, user] += 1
        return self._asked[pipeline, system, user] - 1

    def met_outage(self, message: str) -> bool:
        """Whether it is an outage of a language model that an ask which ended with this message ended with."""
        return any(call.is_outage and call.failure == message for call in self.calls)

    @property
    def spent(self) -> float:
        """US dollars for replies that are not from the cache."""
        return sum(call.usage.get("cost_usd", 0.0) for call in self.calls if not call.is_kept)


_LOG: ContextVar[CallLog | None] = ContextVar("askwell_evaluation_calls", default=None)


@contextlib.contextmanager
def recorded() -> Iterator[CallLog]:
    """The calls of the ask that is started inside, in this task and the tasks that it starts."""
    log = CallLog()
    token = _LOG.set(log)
    try:
        yield log
    finally:
        _LOG.reset(token)


def waits(calls: Sequence[LoggedCall]) -> int:
    """How many of the calls followed one another: those that ran beside each other are one wait. The largest set of
    intervals that do not overlap (interval scheduling, by the earliest end)."""
    count, free_at = 0, float("-inf")
    for call in sorted(calls, key=lambda call: call.end):
        if call.begin >= free_at:
            count, free_at = count + 1, call.end
    return count


class ReplyCache:
    """A folder with a JSON file for each request. Several runs may use it at once. Raises `InvalidRequest` where the
    folder cannot be made or written to. `moment` is the time of all asks."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                pass
            self.moment = _moment(folder / _CLOCK)
        except OSError as error:
            raise InvalidRequest(
                f"Replies cannot be kept in {folder}: {error.strerror}.", "Name another folder for --reply-cache."
            ) from error

    def find(self, request: Mapping[str, Any]) -> ModelReply | None:
        """The reply of the model to exactly this request; None where it was not asked, or its file cannot be read."""
        try:
            kept = json.loads(self._path(request).read_text(encoding="utf-8"))
            counted = {key: value for key, value in kept["usage"].items() if key in _USAGE_FIELDS}
            return ModelReply(str(kept["text"]), Usage(**counted), bool(kept["truncated"]))
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None

    def keep(self, request: Mapping[str, Any], reply: ModelReply) -> None:
        """Write it down. Where that cannot be done, as on a full disk, it is asked for again another time."""
        path = self._path(request)
        kept = {
            # Settings of the model may be confidential: they count in the file's name alone.
            "request": {**request, "model": request["model"]["model"]},
            "text": reply.text,
            "truncated": reply.truncated,
            "usage": asdict(reply.usage),
        }
        # Under another name first: an interrupted run leaves no half of a reply.
        half = path.with_suffix(f".{os.getpid()}")
        with contextlib.suppress(OSError):
            half.write_text(json.dumps(kept, ensure_ascii=False), encoding="utf-8")
            half.replace(path)

    def _path(self, request: Mapping[str, Any]) -> Path:
        written = json.dumps(request, sort_keys=True, ensure_ascii=False)
        return self._folder / f"{hashlib.sha256(written.encode()).hexdigest()}.json"


def _moment(path: Path) -> datetime:
    with contextlib.suppress(ValueError, FileNotFoundError):
        return datetime.fromisoformat(path.read_text(encoding="utf-8").strip()).astimezone(UTC)
    now = datetime.now(UTC).replace(microsecond=0)
    path.write_text(now.isoformat() + "\n", encoding="utf-8")
    return now


class RecordedModel(WrappedModel):
    """A `LanguageModel` as one pipeline calls it, whose calls are in the log of their ask; a reply that `cache` has is
    not asked for again. `identity` is whatever of its configuration decides over replies."""

    def __init__(
        self, model: LanguageModel, pipeline: str, identity: Mapping[str, Any], cache: ReplyCache | None
    ) -> None:
        super().__init__(model)
        self._pipeline = pipeline
        self._identity = identity
        self._cache = cache

    async def reply(self, call: ModelCall) -> ModelReply:
        """See `LanguageModel.reply`. A kept reply comes in one piece, with the usage that it had. The turn of a
        conversation is logged with the system messages as `system` and the others, as JSON, as `user`; it is never
        taken from the cache."""
        log = _LOG.get() or CallLog()
        if call.messages is not None:
            return await self._logged(call, *_conversation(call.messages), log)
        request = {
            "model": self._identity,
            "system": call.system,
            "user": call.user,
            "schema": None if call.schema is None else {"name": call.schema.name, "schema": call.schema.schema},
            "options": asdict(replace(call_options(), on_thought=None)),
            "number": log.number(self._pipeline, call.system, call.user),
        }
        begin = time.perf_counter()
        if (kept := await self._kept(request)) is not None:
            if call.on_delta is not None:
                call.on_delta(kept.text)
            told = (kept.text, asdict(kept.usage))
            log.calls.append(
                LoggedCall(self._pipeline, call.system, call.user, begin, time.perf_counter(), *told, is_kept=True)
            )
            return kept
        reply = await self._logged(call, call.system, call.user, log)
        if self._cache is not None:
            await asyncio.to_thread(self._cache.keep, request, reply)
        return reply

    async def _kept(self, request: Mapping[str, Any]) -> ModelReply | None:
        return await asyncio.to_thread(self._cache.find, request) if self._cache is not None else None

    async def _logged(self, call: ModelCall, system: str, user: str, log: CallLog) -> ModelReply:
        """The answer, or why there is none, with its call in the log."""
        begin = time.perf_counter()
        logged = partial(LoggedCall, self._pipeline, system, user, begin)
        try:
            answer = await self._model.reply(call)
        except ModelUnavailable as error:
            usage = error.usage if isinstance(error, NoTextReply) else Usage()
            is_outage = not isinstance(error, NoTextReply | PromptTooLong)
            failed = logged(time.perf_counter(), "", asdict(usage), failure=error.message, is_outage=is_outage)
            log.calls.append(failed)
            raise
        log.calls.append(logged(time.perf_counter(), _told(answer), asdict(answer.usage)))
        return answer


def _conversation(messages: Sequence[ChatMessage]) -> tuple[str, str]:
    sent = [message.to_openai_dict_format() for message in messages]
    system = "\n".join(str(message["content"]) for message in sent if message["role"] == "system")
    return system, _as_json([message for message in sent if message["role"] != "system"])


def _told(reply: ModelReply) -> str:
    """The text; of a reply that calls tools, the message in OpenAI's form."""
    if not reply.calls:
        return reply.text
    from haystack.dataclasses import ChatMessage, ToolCall

    calls = [ToolCall(one.name, one.arguments, one.id) for one in reply.calls]
    return _as_json(ChatMessage.from_assistant(reply.text or None, tool_calls=calls).to_openai_dict_format())


def _as_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def recorder(config: Config, cache: ReplyCache | None) -> Callable[[LanguageModel, str], LanguageModel]:
    """The `watch_model` of a container whose calls of models are recorded: takes a model and the pipeline that calls
    it."""

    def watch(model: LanguageModel, pipeline: str) -> LanguageModel:
        chosen = config.llm[config.llm_for(pipeline)]
        deciding = {"provider", "model", "api_base", "api_version", "kwargs"}
        return RecordedModel(model, pipeline, chosen.model_dump(mode="json", include=deciding), cache)

    return watch
