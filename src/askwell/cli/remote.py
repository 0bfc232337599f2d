"""One question to a running service, over HTTP, followed by its events."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from http.client import HTTPException
from typing import Any

from askwell.cli.event_stream import EventReader, ReceivedEvent
from askwell.errors import AskwellError, ConfigurationError

# A service shows a sign of life every 15 s.
_SILENCE_SECONDS = 60
_RECONNECTIONS = 5
_ENDS = ("done", "error")


def ask_service(
    url: str, project: str, question: str, *, execute: bool, on_event: Callable[[str, Mapping[str, Any]], None]
) -> dict[str, Any]:
    """The result object. Whoever is interrupted stops the ask. Raises `AskwellError` when the service does not answer
    as it should, `ConfigurationError` for a URL of another kind."""
    if not url.lower().startswith(("http://", "https://")):
        raise ConfigurationError(f"{url} is no URL of a service.", "It begins with http:// or https://.")
    url = url.rstrip("/")
    body = {"query": question, "project_id": project, "execute": execute, "request_from": "api"}
    ask_id = _call(f"{url}/v1/asks", body)["query_id"]
    try:
        for event in _events(f"{url}/v1/asks/{ask_id}/events"):
            on_event(event.kind, event.data)
            if event.kind in _ENDS:
                return dict(event.data)
    except KeyboardInterrupt:
        _call(f"{url}/v1/asks/{ask_id}", {"status": "stopped"}, method="PATCH")
        raise
    raise AskwellError("The service ended the ask without a result.", "Its log may say why; ask again.")


def _events(address: str) -> Iterator[ReceivedEvent]:
    """The events until the end; a connection that breaks off is made again, from the last event that was seen."""
    seen = ""
    for attempt in range(_RECONNECTIONS + 1):
        try:
            with _opened(address, headers={"Last-Event-ID": seen} if seen else {}) as stream:
                reader = EventReader()
                for event in filter(None, map(reader.take, stream)):
                    seen = event.id or seen
                    if event.kind != "heartbeat":
                        yield event
                    if event.kind in _ENDS:
                        return
        except (OSError, HTTPException, ValueError) as error:
            if attempt == _RECONNECTIONS:
                raise _no_service(address, error) from None


def _call(address: str, body: Mapping[str, Any], method: str = "POST") -> dict[str, Any]:
    try:
        with _opened(address, json.dumps(body).encode(), {"Content-Type": "application/json"}, method) as response:
            answer: dict[str, Any] = json.loads(response.read())
            return answer
    except (OSError, HTTPException, ValueError) as error:
        raise _no_service(address, error) from None


def _opened(
    address: str, data: bytes | None = None, headers: Mapping[str, str] | None = None, method: str = "GET"
) -> Any:
    """The response. Raises `AskwellError` for what the service refuses, `OSError` where there is none."""
    try:
        request = urllib.request.Request(address, data, dict(headers or {}), method=method)
        return urllib.request.urlopen(request, timeout=_SILENCE_SECONDS)
    except urllib.error.HTTPError as error:
        raise _refusal(error) from None


def _no_service(address: str, error: Exception) -> AskwellError:
    return AskwellError(
        f"No service answers at {address.partition('/v1/')[0]} ({type(error).__name__}).",
        "Start one with `askwell serve`, name another with --url, or ask a database directly with --database.",
    )


def _refusal(error: urllib.error.HTTPError) -> AskwellError:
    try:
        said = json.loads(error.read())
        return AskwellError(said["message"], said["hint"])
    except (OSError, ValueError, KeyError, TypeError):
        return AskwellError(f"The server answered {error.code}, and not as Askwell would.", "Check --url.")
