"""What a failed call to an OpenAI-compatible server means, and how to say it to a person.

A refusal is quoted in the server's own words, without keys and without what was sent to it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache

from askwell.errors import ModelTimedOut, ModelUnavailable
from askwell.providers.failures import in_words
from askwell.providers.llm.base import MORE_ROOM, NoTextReply, PromptTooLong, Usage
from askwell.providers.model_server import BrokenOff, CallFailed, ConnectTimedOut, Late, NotConnected, ServerRefused
from askwell.providers.redirects import sends_on
from askwell.providers.secrets import HIDDEN, without_secrets
from askwell.resources import words_file

_TRANSIENT = frozenset({408, 409, 429, 500, 502, 503, 504, 529})
_GATEWAY = frozenset({502, 503, 504})
# What servers answer to a field or a value that they do not know. 500 is what some local servers make of it.
_NOT_UNDERSTOOD = frozenset({400, 404, 415, 422, 500, 501})
_TOOL_FIELDS = ("tools", "tool_choice")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.]{0,40}")


class RequestFailed(ModelUnavailable):
    """The server refused the request or failed at it, perhaps because it does not know the model."""


@dataclass(frozen=True, slots=True)
class Server:
    """Who was called, as far as clients may know. Where it is, is for operators. A server without
    `key_variable` is sent no key."""

    model: str
    key_variable: str | None
    unknown_hint: str = "Check its name and address in the llm section of config.yaml; most addresses end in /v1."
    # Whether someone else runs it on the internet, as far as one can tell: local servers seldom speak HTTPS.
    hosted: bool = False
    # So that no message has them.
    secrets: tuple[str, ...] = field(default=(), repr=False)
    # What the configuration calls where it is, and what is sent to it.
    address: str = "`api_base`"
    settings: str = "`kwargs`"


def tries_in_all(error: Exception) -> int:
    """How often a call that ended like this is made in all. Servers that are busy or restart get three more, those that
    break off, or answer with what nobody can read, get two: with one, 30% of calls failing in all ways alike spoil two
    or three asks in 100. Those that are not there get one, timeouts, refusals and local models that end none."""
    match error:
        case ConnectTimedOut() | Late() | TimeoutError() | ModelUnavailable():
            return 1
        case ServerRefused():
            return 4 if error.status in _TRANSIENT and error.code != "insufficient_quota" else 1
    return 2 if isinstance(error, NotConnected) else 3


def was_reached(error: Exception) -> bool | None:
    """Whether a failed request found its server; None where that is open, as with one that is late or breaks off. That
    there are too many requests, or that it fails at this one, is an answer; what stands before a server that is away
    answers 502 to 504."""
    match error:
        case NotConnected():
            return False
        case BrokenOff():
            return None if error.answered else False
        case ServerRefused():
            return not is_gateway_failure(error)
    return None


def is_gateway_failure(error: ServerRefused) -> bool:
    """Whether a gateway may have answered in the place of a server that is away."""
    return error.status in _GATEWAY and not error.in_reply


@cache
def _pattern(refused: str) -> re.Pattern[str]:
    return re.compile(words_file(__package__, "refusals.yaml")[refused], re.IGNORECASE)


def refuses_json_format(error: Exception) -> bool:
    """Whether the server does not know the way in which JSON was asked for."""
    return _refuses(error, "response_format", _pattern("response_format"))


def refuses_field(error: Exception, field: str) -> bool:
    """Whether the server does not take this field of a request, or its value."""
    return _refuses(error, field, re.compile(rf"\b{field}\b"))


def refuses_tools(error: Exception) -> bool:
    """Whether the model or its server cannot call tools. A complaint about one of them (`tools[0].function`) is none,
    nor is one about a message with a tool's result."""
    if isinstance(error, ServerRefused) and isinstance(error.param, str) and error.param:
        return error.status in _NOT_UNDERSTOOD and error.param in _TOOL_FIELDS
    return _refuses(error, "tools", _pattern("tools"))


def refuses_roles(error: Exception) -> bool:
    """Whether the model takes no system message, or wants its user and itself to take turns."""
    return _refuses(error, "messages", _pattern("messages"))


def _refuses(error: Exception, field: str, words: re.Pattern[str]) -> bool:
    if not isinstance(error, ServerRefused) or error.status not in _NOT_UNDERSTOOD or _is_too_long(error):
        return False
    if isinstance(error.param, str) and error.param:
        return error.param.startswith(field)
    return words.search(error.words) is not None


def model_unavailable(
    error: Exception, server: Server, limit: float, settings: Iterable[str], said: str
) -> ModelUnavailable:
    """The failure for people. `limit` is the time limit in seconds, `settings` the names in `llm.*.kwargs`, `said` what
    the server may be quoted with."""
    match error:
        case ModelUnavailable():
            return error
        case NotConnected():
            return server_unreachable(server)
        case Late() | TimeoutError():
            return failure("timed_out", server, ModelTimedOut, limit=limit)
        case ServerRefused():
            return _status_failure(error, server, settings, said)
        case CallFailed():
            return failure("broken_off", server)
    return failure("no_completion", server)


def failure(
    what: str, server: Server, kind: type[ModelUnavailable] = ModelUnavailable, said: str = "", **more: object
) -> ModelUnavailable:
    """A failure in the words of `failures.yaml`, with those that the server may be quoted with."""
    quote = f": “{said}”" if said else "."
    known = {"model": server.model, "variable": server.key_variable, "said": quote}
    known |= {"address": server.address, "settings": server.settings}
    return kind(*in_words(__package__, what, **known | more))


def unanswered(what: str, server: Server, usage: Usage, kind: type[NoTextReply] = NoTextReply) -> NoTextReply:
    """The model gave no text, which cost `usage`."""
    error = failure(what, server, hint=MORE_ROOM)
    return kind(error.message, error.hint, usage)


def server_unreachable(server: Server) -> ModelUnavailable:
    """Nothing takes connections at the server's address."""
    return failure("unreachable_hosted" if server.hosted else "unreachable", server)


def server_away(server: Server) -> ModelUnavailable:
    """It could not be reached a moment ago, and is not asked before it can."""
    return failure("away", server, hint=server_unreachable(server).hint)


def _status_failure(error: ServerRefused, server: Server, settings: Iterable[str], said: str) -> ModelUnavailable:
    status = error.status
    if _is_too_long(error):
        return failure("too_long", server, PromptTooLong, said)
    if error.code == "content_filter":
        return failure("filtered", server, said=said)
    if did := sends_on(status, error.headers.get("Location")):
        return failure("sent_on", server, did=did)
    match status:
        case 401 | 403 if error.code != "model_not_found":
            return failure("key_refused" if server.key_variable else "wants_key", server, said=said, status=status)
        case 403:
            what = "forbidden" if server.key_variable else "forbidden_without_key"
            return failure(what, server, RequestFailed, said, status=status)
        case 404:
            return failure("not_found", server, RequestFailed, said, status=status, hint=server.unknown_hint)
        case 429 if error.code != "insufficient_quota":
            return failure("busy", server, said=said)
        case 402 | 429:
            return failure("no_credit", server, said=said, status=status)
        case _ if status >= 500:
            return failure("failed", server, RequestFailed, said, status=status)
    return _request_refused(error, server, settings, said)


def _request_refused(error: ServerRefused, server: Server, settings: Iterable[str], said: str) -> ModelUnavailable:
    """Where the status alone does not tell: one of `settings` that the server names, or else what it names."""
    status = error.status
    blamed = next((name for name in settings if name == error.param or _mentions(error.words, name)), None)
    if blamed is not None:
        return failure("setting_refused", server, ModelUnavailable, said, status=status, blamed=blamed)
    details = "".join(f", {name}" for name in (error.param, error.code) if _is_name(name, server.secrets))
    what = "roles_refused" if refuses_roles(error) else "request_refused"
    return failure(what, server, RequestFailed, said, status=status, details=details)


def _is_too_long(error: ServerRefused) -> bool:
    if error.code == "context_length_exceeded" or error.status == 413:
        return True
    if _pattern("limit").search(error.words):
        return False
    return error.status in (400, 422, 500) and _pattern("too_long").search(error.words) is not None


def _is_name(value: object, secrets: Collection[str]) -> bool:
    """Whether it can be shown; some servers put the status, or what was sent, into `code`."""
    return isinstance(value, str) and bool(_NAME.fullmatch(value)) and without_secrets(value, secrets) == value


def _mentions(message: str, setting: str) -> bool:
    return re.search(rf"(?<![\w]){re.escape(setting)}(?![\w])", message) is not None


# Where servers put a sentence for people.
_SENTENCES = ("message", "msg", "detail", "error", "errors", "error_description", "fault", "faultstring", "title")
# What the provider behind OpenRouter said, as JSON in a text.
_RAW = re.compile(r'"message"\s*:\s*"((?:[^"\\]|\\.)+)"')
_TITLE = re.compile(r"<title[^>]*>([^<]{1,120})</title>", re.I)
_LONGEST = 240
# What is looked at of a long text.
_MOST = 4_000
# As many characters that a prompt has too are the prompt's.
_SHARED = 24


def quoted(error: ServerRefused, sent: Collection[str], secrets: Collection[str]) -> str:
    """The server's own sentence for people, on one line, without `secrets`, what looks like one, or texts that were
    `sent` to it; "" where it has none."""
    words = " ".join(_sentence(error.body)[:_MOST].split())
    if words.startswith("<"):  # a page, of a proxy for example
        title = _TITLE.search(words)
        words = title[1].strip() if title else ""
    words = without_secrets(words, secrets)
    for line in (line.strip() for text in sent for line in text.splitlines()):
        words = words.replace(line, HIDDEN) if len(line) > 3 else words
    for start in range(len(words) - _SHARED):
        if any(words[start : start + _SHARED] in text for text in sent):
            words = words[:start] + HIDDEN
            break
    return words if len(words) <= _LONGEST else f"{words[:_LONGEST]}{HIDDEN}"


def _sentence(said: object) -> str:
    match said:
        case str():
            return said
        case list():
            return "; ".join(filter(None, map(_sentence, said[:3])))
        case Mapping():
            found = next((found for name in _SENTENCES if (found := _sentence(said.get(name)))), "")
            details = said.get("metadata")
            raw = _RAW.search(str(details.get("raw"))) if isinstance(details, Mapping) else None
            return f"{found}: {raw[1]}" if raw else found
    return ""
