"""What the scripted chat server says: answers by stage, as data that a test or a JSON file can write."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from tests.support.tables import case_table

# How a prompt says which stage it is: the first line of its system text, or the first such line after the data.
_TASK_LINE = re.compile(r"^Task: (\w+)$", re.MULTILINE)


@dataclass(frozen=True)
class Call:
    """A tool call of an answer. `arguments` that are a text are sent as they are (broken JSON, or empty); anything else
    as JSON. `id` None is `call_0`, `call_1`, … by its place in the answer."""

    name: str
    arguments: Any = field(default_factory=dict)
    id: str | None = None

    @property
    def text(self) -> str:
        return self.arguments if isinstance(self.arguments, str) else json.dumps(self.arguments, ensure_ascii=False)


@dataclass(frozen=True)
class Answer:
    """One answer. `json`, `text` or `error`, at most one of them, and `calls` are what is said; the rest is how.

    `when`: only for requests whose user text contains this. `delay`: seconds before anything is sent.
    `status`/`error`: an HTTP error, with `error` as the body's error object, which may also come with 200. `headers`:
    for Retry-After and the like.
    `hang`: nothing is sent until `ChatServer.release()`, then the rest of the answer. `drop`: the connection breaks
    before the answer, or in the middle of it. `chunk_delay`: seconds between the pieces of a streamed answer.
    `fenced`: JSON inside a Markdown fence with words around it. `finish_reason`: "length" for a cut reply.
    `raw`: the body, byte for byte, with `headers`; before a `drop` in the middle, as far as it comes. `reasoning`:
    thoughts, in a field of their own. `refusal`: what a model says in place of an answer. `cached`: how many tokens of
    the prompt come from the server's cache.

    `calls`: tools that are called after the text, if any; `finish_reason` is then "tool_calls" in place of "stop". A
    stream brings them as OpenAI does: number, id and name first, then the arguments in fragments of four characters.
    How other servers write them: `whole_calls`: each in one fragment; `object_arguments`: each whole, with arguments as
    an object in place of a text; `omitted`: fields of a call that are left out, "index", "id" or both;
    `calls_by_index_0`: all calls have the number 0, as Gemini's do.
    """

    text: str | None = None
    json: Any = None
    when: str | None = None
    delay: float = 0.0
    chunk_delay: float = 0.0
    status: int = 200
    error: Mapping[str, Any] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    hang: bool = False
    drop: Literal["before", "middle"] | None = None
    fenced: bool = False
    finish_reason: str = "stop"
    raw: str | None = None
    reasoning: str | None = None
    refusal: str | None = None
    calls: Sequence[Call] = ()
    whole_calls: bool = False
    object_arguments: bool = False
    omitted: Sequence[Literal["index", "id"]] = ()
    calls_by_index_0: bool = False
    cached: int = 0

    @property
    def ending(self) -> str:
        return "tool_calls" if self.calls and self.finish_reason == "stop" else self.finish_reason

    @property
    def content(self) -> str:
        if self.json is None:
            return self.text or ""
        written = json.dumps(self.json, ensure_ascii=False)
        return f"Here it is:\n```json\n{written}\n```\nHope this helps." if self.fenced else written


@dataclass
class ChatScript:
    """What the server says and what it can do.

    `stages` maps a stage to its answers: each is used once, in order, and the last that fits is repeated.
    "*" stands for every stage that is not listed. `accepts`: the best response format it takes, others are refused
    with `refusal_status`. `usage`: whether token counts are ever sent. `api_key` and `models`: what it insists on.
    `stream_options`: whether it knows that field. `streams`: whether it streams when it is asked to. `tools`: whether
    it takes a request with tools.
    """

    stages: dict[str, list[Answer]] = field(default_factory=dict)
    accepts: Literal["json_schema", "json_object", "text"] = "json_schema"
    refusal_status: int = 400
    usage: bool = True
    stream_options: bool = True
    streams: bool = True
    tools: bool = True
    api_key: str | None = None
    models: Sequence[str] | None = None

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> ChatScript:
        """The script as JSON: the same field names; an answer that is a plain string is its text."""
        stages = {stage: [_answer(item) for item in items] for stage, items in data.get("stages", {}).items()}
        return ChatScript(**{**data, "stages": stages})

    def next_answer(self, stage: str, user: str) -> Answer:
        answers = (
            self.stages.get(stage)
            or (stage not in (PROBE, READ_AHEAD) and self.stages.get("*"))
            or [DEFAULTS.get(stage, Answer(text="Yes."))]
        )
        fitting = [answer for answer in answers if answer.when is None or answer.when in user]
        if not fitting:
            return DEFAULTS.get(stage, Answer(text="Yes."))
        if len(fitting) > 1:
            answers.remove(fitting[0])
        return fitting[0]


def _answer(item: Any) -> Answer:
    if isinstance(item, str):
        return Answer(text=item)
    return Answer(**{**item, "calls": [Call(**call) for call in item.get("calls", ())]})


def stage_of(body: Mapping[str, Any]) -> str:
    """The stage a request belongs to: its JSON schema's name, else the `Task:` line of its texts."""
    if body.get("max_tokens", body.get("max_completion_tokens")) == 1:
        return READ_AHEAD
    response_format = body.get("response_format") or {}
    if response_format.get("type") == "json_schema":
        return str(response_format["json_schema"]["name"])
    found = _TASK_LINE.search("\n".join(str(m.get("content")) for m in body["messages"]))
    return found.group(1) if found else "unknown"


# The stage of a provider's own tiny requests. "*" is not about it.
PROBE = "capability_probe"
# Of what prompts begin with one token is wanted, so that the server has read it.
READ_AHEAD = "read_ahead"

# What is said at a stage that a script leaves out.
DEFAULTS = {stage: Answer(**said) for stage, said in case_table(__file__, "defaults").items()}
