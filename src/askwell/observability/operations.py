"""What spans are about, in the words of OpenTelemetry's semantic conventions.

The names of models, agents and tools are those of the conventions for generative AI (repository
semantic-conventions-genai, of autumn 2026), the others those of the conventions for databases and HTTP. They are plain
text here, since the Python package with their constants has given those for generative AI up.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import urlsplit

from askwell.resources import words_file

# What is called, as spans of it are named.
Kind = Literal["chat", "embeddings", "execute_tool", "invoke_agent", "database"]
Attribute = str | bool | int | float | tuple[str, ...]

MODEL = "gen_ai.request.model"
OPERATION = "gen_ai.operation.name"
PROVIDER = "gen_ai.provider.name"
RESPONSE_MODEL = "gen_ai.response.model"
FINISH_REASONS = "gen_ai.response.finish_reasons"

_OPENAI = "https://api.openai.com"


def _named(kind: str) -> Mapping[str, str]:
    """The conventions' names of one kind, by ours."""
    named: Mapping[str, str] = words_file(__package__, "conventions.yaml")[kind]
    return named


@dataclass(frozen=True, slots=True)
class Operation:
    """A call of something. `name` is the span's; `is_remote` where another process does the work."""

    kind: Kind
    name: str
    attributes: Mapping[str, Attribute] = field(default_factory=dict)
    is_remote: bool = True


@dataclass(frozen=True, slots=True)
class CalledModel:
    """A configured model, as spans and metrics name it."""

    model: str
    vendor: str
    address: str = ""
    port: int = 0
    fields: Mapping[str, object] = field(default_factory=dict)

    @classmethod
    def at(cls, model: str, provider: str, api_base: str | None, fields: Mapping[str, object]) -> CalledModel:
        """The model of a provider of the configuration; `api_base` is where its server is, None for OpenAI's; `fields`
        go out with every request."""
        if provider == "local":
            return cls(model, "askwell", fields=fields)
        server = urlsplit(api_base or _OPENAI)
        host = server.hostname or ""
        by_host = next(
            (name for end, name in _named("vendors").items() if host == end or host.endswith(f".{end}")), "openai"
        )
        port = server.port or (443 if server.scheme == "https" else 80)
        return cls(model, _named("providers").get(provider, by_host), host, port, fields)

    def chat(self, fields: Mapping[str, object], *, as_json: bool, streams: bool) -> Operation:
        """A call for a reply. `fields` are those of this request alone."""
        sent = {**self.fields, **fields}
        attributes: dict[str, Attribute] = {
            name: value
            for key, name in _named("request_fields").items()
            if isinstance(value := sent.get(key), int | float) and not isinstance(value, bool)
        }
        attributes |= {"gen_ai.output.type": "json" if as_json else "text", "gen_ai.request.stream": streams}
        return self._operation("chat", attributes)

    def embeddings(self, dimension: int) -> Operation:
        """A call for vectors of this dimension."""
        return self._operation("embeddings", {"gen_ai.embeddings.dimension.count": dimension})

    def _operation(self, kind: Kind, more: Mapping[str, Attribute]) -> Operation:
        attributes: dict[str, Attribute] = {OPERATION: kind, PROVIDER: self.vendor, MODEL: self.model, **more}
        if self.address:
            attributes |= {"server.address": self.address, "server.port": self.port}
        return Operation(kind, f"{kind} {self.model}", attributes, is_remote=bool(self.address))


def tool_call(name: str) -> Operation:
    """A language model, or whoever it works for, calls a tool of ours."""
    attributes = {OPERATION: "execute_tool", "gen_ai.tool.name": name, "gen_ai.tool.type": "datastore"}
    return Operation("execute_tool", f"execute_tool {name}", attributes, is_remote=False)


def agent_call(agent_id: str, thread_id: str) -> Operation:
    """An agent is given a message of a conversation."""
    attributes = {OPERATION: "invoke_agent", "gen_ai.agent.id": agent_id, "gen_ai.conversation.id": thread_id}
    return Operation("invoke_agent", f"invoke_agent {agent_id}", attributes, is_remote=False)


def statement(operation: str, dialect: str) -> Operation:
    """A database is given a statement to prove (`dry_run`) or to run (`execute`)."""
    attributes = {"db.system.name": _named("databases").get(dialect, dialect), "db.operation.name": operation}
    return Operation("database", operation, attributes)
