"""A running service over HTTP: a question, or a semantic model, followed by its events.

Reading server-sent events: https://html.spec.whatwg.org/multipage/server-sent-events.html
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import urllib.error
import urllib.request
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from http.client import HTTPException
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any
from urllib.parse import quote

from askwell.cli.api_key import API_KEY
from askwell.cli.asking_back import correction_in
from askwell.cli.threads import in_own_thread
from askwell.errors import AskwellError, ConfigurationError

if TYPE_CHECKING:
    from askwell.cli.local.session import Watcher


@dataclass(frozen=True, slots=True)
class ReceivedEvent:
    """An event; `id` is "" where it has none to go on from."""

    id: str
    kind: str
    data: Mapping[str, Any]


@dataclass(slots=True)
class EventReader:
    """Takes a stream line by line."""

    _fields: dict[str, str] = field(default_factory=dict)

    def take(self, raw: bytes) -> ReceivedEvent | None:
        """The event that this line completes. Raises `ValueError` for data that is no JSON."""
        line = raw.decode("utf-8", "replace").rstrip("\r\n")
        if line:
            name, _, value = line.partition(":")
            self._fields[name] = value.removeprefix(" ")
            return None
        fields, self._fields = self._fields, {}
        if "data" not in fields:
            return None
        return ReceivedEvent(fields.get("id", ""), fields.get("event", "message"), json.loads(fields["data"]))


# A service shows a sign of life every 15 s.
_SILENCE_SECONDS = 60
# All of a project is read before the first word of the answer.
_ARCHIVE_SECONDS = 900
_RECONNECTIONS = 5
_ENDS = ("done", "error")
_STOP = {"status": "stopped"}
# What of a model is sent at a time.
_PIECE = 1 << 18


class NoService(AskwellError):
    """Nothing answers there."""


async def ask_service(
    url: str,
    project: str,
    question: str,
    watcher: Watcher,
    *,
    execute: bool = True,
    histories: Sequence[Mapping[str, str]] = (),
) -> dict[str, Any]:
    """The result object. Cancelling the call stops the ask, and so does whoever is asked back and says nothing. Raises
    `AskwellError` when the service does not answer as it should, `ConfigurationError` for a URL of another kind."""
    url = service_url(url)
    body: dict[str, Any] = {"query": question, "project_id": project, "execute": execute, "request_from": "api"}
    body |= {"histories": list(histories)} if histories else {}
    body |= {"interactive": True} if watcher.is_there else {}
    started = await in_own_thread(partial(_call, f"{url}/v1/asks", body))
    place = f"{url}/v1/asks/{started['query_id']}"
    loop = asyncio.get_running_loop()

    def answer(asked: Mapping[str, Any]) -> str | None:
        return asyncio.run_coroutine_threadsafe(watcher.answer(asked), loop).result()

    def followed() -> dict[str, Any]:
        for event in _events(f"{place}/events"):
            watcher.event(event.kind, event.data)
            if watcher.is_there and event.data.get("status") == "awaiting_correction":
                asked = event.data["clarification"]
                if (said := answer(asked)) is None:
                    _call(place, _STOP, method="PATCH")
                else:
                    _call(f"{place}/corrections", {**correction_in(said), "clarification_id": asked["id"]})
            if event.kind in _ENDS:
                return dict(event.data)
        raise AskwellError("The service ended the ask without a result.", "Its log may say why; ask again.")

    try:
        return await in_own_thread(followed)
    except asyncio.CancelledError:
        await in_own_thread(partial(_call, place, _STOP, "PATCH"))
        raise


def give_feedback(url: str, ask_id: str, project: str, *, positive: bool) -> None:
    """Say of an answer whether it is right. Raises `AskwellError` when the service does not take it."""
    _call(f"{service_url(url)}/v1/asks/{ask_id}/feedback", {"positive": positive, "project_id": project})


def save_pair(url: str, project: str, pair: Mapping[str, Any]) -> None:
    """Save a question with its SQL. Raises `AskwellError` when the service does not take it."""
    url = service_url(url)
    event = _call(f"{url}/v1/sql-pairs", {"sql_pairs": [pair], "project_id": project})["event_id"]
    for said in _events(f"{url}/v1/sql-pairs/{event}/events?project_id={quote(project, safe='')}"):
        if said.data.get("status") == "failed":
            raise AskwellError(said.data["error"]["message"], "Ask in other words, and save that.")


def delete_pair(url: str, project: str, pair_id: str) -> None:
    """Take a saved question back. Raises `AskwellError` when the service does not do so."""
    body = {"sql_pair_ids": [pair_id], "project_id": project}
    _call(f"{service_url(url)}/v1/sql-pairs", body, method="DELETE")


def lessons_call(
    url: str, project: str, method: str, path: str = "", body: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """What the lesson routes of a service answer for a project. Raises `AskwellError` when it does not do so."""
    return _call(_of_project(f"{service_url(url)}/v1/lessons", project, path), body, method)


def documents_call(
    url: str, project: str, method: str, path: str = "", body: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """What the document routes of a service answer for a project. Raises as `lessons_call` does."""
    return _call(_of_project(f"{service_url(url)}/v1/documents", project, path), body, method)


def conversation_call(url: str, method: str, path: str, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """What the routes of chats, runs and threads of a service answer. Raises as `lessons_call` does."""
    return _call(f"{service_url(url)}/v1{path}", body, method)


def keys_call(url: str, method: str, path: str, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """What the routes of keys of a service answer. Raises as `lessons_call` does."""
    return _call(f"{service_url(url)}/v1/keys{path}", body, method)


def run_events(url: str, run_id: str, after: int) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The events of a run behind the place `after`, each with its own. Raises as `lessons_call` does."""
    for event in _events(f"{service_url(url)}/v1/runs/{quote(run_id, safe='')}/events", str(after)):
        yield int(event.id), event.data


def send_document(url: str, file: Path, fields: Mapping[str, str]) -> dict[str, Any]:
    """Send a file to a service, with what is said of it: `{document_id, event_id}`. Raises as `lessons_call` does."""
    boundary = uuid.uuid4().hex
    parts = [
        f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
        for name, value in fields.items()
        if value
    ]
    # As browsers write a name: https://html.spec.whatwg.org/multipage/form-control-infrastructure.html
    called = file.name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
    begin = f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{called}"\r\n\r\n'.encode()
    address = f"{service_url(url)}/v1/documents"
    try:
        body = b"".join((*parts, begin, file.read_bytes(), f"\r\n--{boundary}--\r\n".encode()))
        headers = {"Content-Type": f"multipart/form-data; boundary={boundary}"}
        with _opened(address, body, headers, "POST") as response:
            answer: dict[str, Any] = json.loads(response.read())
            return answer
    except (OSError, HTTPException, ValueError) as error:
        raise _no_service(address, error) from None


def fetch_archive(url: str, project: str, target: IO[bytes], query: str) -> None:
    """Write the archive of a service's project to a file. Raises as `lessons_call` does."""
    address = f"{service_url(url)}/v1/projects/{quote(project, safe='')}/archive"
    try:
        with _opened(f"{address}{query}", seconds=_ARCHIVE_SECONDS) as response:
            shutil.copyfileobj(response, target)
    except (OSError, HTTPException, ValueError) as error:
        raise _no_service(address, error) from None


def send_archive(url: str, project: str, source: IO[bytes], *, replace: bool) -> dict[str, Any]:
    """Have a service read an archive into a project: what came of it. Raises as `lessons_call` does."""
    address = f"{service_url(url)}/v1/projects/{quote(project, safe='')}/archive"
    size = source.seek(0, 2)
    source.seek(0)
    headers = {"Content-Type": "application/zip", "Content-Length": str(size)}
    try:
        said = f"{address}?replace=true" if replace else address
        with _opened(said, iter(partial(source.read, _PIECE), b""), headers, "PUT", seconds=_ARCHIVE_SECONDS) as answer:
            read: dict[str, Any] = json.loads(answer.read())
            return read
    except (OSError, HTTPException, ValueError) as error:
        raise _no_service(address, error) from None


def _of_project(address: str, project: str, path: str) -> str:
    place, _, query = path.partition("?")
    more = f"&{query}" if query else ""
    return f"{address}{quote(place, safe='/%')}?project_id={quote(project, safe='')}{more}"


def lessons_text(url: str, project: str) -> str:
    """The active lessons of a project as YAML. Raises as `lessons_call` does."""
    address = f"{service_url(url)}/v1/lessons/export?project_id={quote(project, safe='')}"
    try:
        with _opened(address) as response:
            text: str = response.read().decode("utf-8")
            return text
    except (OSError, HTTPException, ValueError) as error:
        raise _no_service(address, error) from None


def current_model(url: str, project: str) -> dict[str, Any] | None:
    """A project's current model as the service describes it, None where it has none. Raises as `lessons_call` does."""
    try:
        return _call(f"{service_url(url)}/v1/semantics?project_id={quote(project, safe='')}", None, "GET")
    except AskwellError as error:
        if error.code == "NOT_FOUND":
            return None
        raise


def push_model(
    url: str, project: str, model: bytes, *, on_event: Callable[[str, Mapping[str, Any]], None]
) -> tuple[str, dict[str, Any]]:
    """Send a model (MDL JSON), piece by piece, and follow its preparation: the label that it got, and the last status.
    Raises `AskwellError` when the service does not answer as it should, `ConfigurationError` for a URL of another
    kind."""
    url = service_url(url)
    label = _sent_model(f"{url}/v1/semantics-preparations", project, model)["id"]
    place = f"{url}/v1/semantics-preparations/{quote(label, safe='')}/events?project_id={quote(project, safe='')}"
    for event in _events(place):
        on_event(event.kind, event.data)
        if event.kind in _ENDS:
            return label, dict(event.data)
    raise AskwellError("The service ended the preparation without a result.", "Its log may say why; send it again.")


def _sent_model(address: str, project: str, model: bytes) -> dict[str, Any]:
    before, after = f'{{"project_id": {json.dumps(project)}, "mdl": '.encode(), b"}"
    headers = {"Content-Type": "application/json", "Content-Length": str(len(before) + len(model) + len(after))}

    def pieces() -> Iterator[bytes]:
        yield before
        yield from (model[start : start + _PIECE] for start in range(0, len(model), _PIECE))
        yield after

    try:
        with _opened(address, pieces(), headers, "POST") as response:
            answer: dict[str, Any] = json.loads(response.read())
            return answer
    except (OSError, HTTPException, ValueError) as error:
        if isinstance(getattr(error, "reason", error), BrokenPipeError | ConnectionResetError):
            raise AskwellError(
                f"The service at {address.partition('/v1/')[0]} closed the connection while the model was sent.",
                "It takes models of up to 32 MB.",
            ) from None
        raise _no_service(address, error) from None


def service_url(url: str) -> str:
    """The address without a slash at its end. Raises `ConfigurationError` for a URL of another kind."""
    if not url.lower().startswith(("http://", "https://")):
        raise ConfigurationError(f"{url} is no URL of a service.", "It begins with http:// or https://.")
    return url.rstrip("/")


def _events(address: str, seen: str = "") -> Iterator[ReceivedEvent]:
    """The events until the end; a connection that breaks off is made again, from the last event that was seen."""
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


def _call(address: str, body: Mapping[str, Any] | None, method: str = "POST") -> dict[str, Any]:
    sent = None if body is None else json.dumps(body).encode()
    try:
        with _opened(address, sent, {"Content-Type": "application/json"}, method) as response:
            answer: dict[str, Any] = json.loads(response.read())
            return answer
    except (OSError, HTTPException, ValueError) as error:
        raise _no_service(address, error) from None


def _opened(
    address: str,
    data: bytes | Iterable[bytes] | None = None,
    headers: Mapping[str, str] | None = None,
    method: str = "GET",
    seconds: float = _SILENCE_SECONDS,
) -> Any:
    """The response. Raises `AskwellError` for what the service refuses, `OSError` where there is none."""
    try:
        request = urllib.request.Request(address, data, dict(headers or {}), method=method)
        if key := os.environ.get(API_KEY):
            # Never to where a server sends us on.
            request.add_unredirected_header("Authorization", f"Bearer {key}")
        return urllib.request.urlopen(request, timeout=seconds)
    except urllib.error.HTTPError as error:
        raise _refusal(error) from None


def _no_service(address: str, error: Exception) -> NoService:
    return NoService(
        f"No service answers at {address.partition('/v1/')[0]} ({type(error).__name__}).",
        "Start one with `askwell serve`, name another with --url, or ask a database directly with --database.",
    )


def _refusal(error: urllib.error.HTTPError) -> AskwellError:
    try:
        said = json.loads(error.read())
        refusal = AskwellError(said["message"], said["hint"])
        refusal.code = said["code"]
        return refusal
    except (OSError, ValueError, KeyError, TypeError):
        return AskwellError(f"The server answered {error.code}, and not as Askwell would.", "Check --url.")
