"""A running service over HTTP: requests, files, and streams of events.

Reading server-sent events: https://html.spec.whatwg.org/multipage/server-sent-events.html
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import urllib.error
import urllib.request
import uuid
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from http.client import HTTPException
from pathlib import Path
from typing import IO, Any
from urllib.parse import quote, urlencode

from askwell.cli.client import ENDS, RUN_ENDS, Item, ReceivedEvent
from askwell.cli.messages import API_KEY
from askwell.cli.options import LOCAL_SERVICE
from askwell.cli.waiting import in_own_thread
from askwell.config.hosts import is_web_address, without_secrets
from askwell.errors import AskwellError, ConfigurationError, NotFound
from askwell.messages import say

# A service shows a sign of life every 15 s.
_SILENCE_SECONDS = 60
# All of a project is read before the first word of the answer.
_ARCHIVE_SECONDS = 900
_RECONNECTIONS = 5
# What of a model or an archive is sent at a time.
_PIECE = 1 << 18
_IN_PATH = re.compile(r"{(\w+)}")


class NoService(AskwellError):
    """Nothing answers at the address."""


@dataclass(slots=True)
class EventReader:
    """Parses a stream of server-sent events line by line."""

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


class HttpTransport:
    """A running service. Raises `ConfigurationError` for a URL of another kind."""

    def __init__(self, url: str) -> None:
        self.url = service_url(url)

    async def call(self, route: str, given: Item, body: Item | None = None) -> Any:
        """See `Transport.call`."""
        return await in_own_thread(partial(self.answer, route, given, body))

    async def upload(self, route: str, file: Path, fields: Mapping[str, str]) -> Any:
        """See `Transport.upload`."""

        def send() -> Any:
            boundary = uuid.uuid4().hex
            parts = [
                f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
                for name, value in fields.items()
                if value
            ]
            # As browsers write a name: https://html.spec.whatwg.org/multipage/form-control-infrastructure.html
            called = file.name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
            begin = f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{called}"\r\n\r\n'.encode()
            with self._answering():
                data = b"".join((*parts, begin, file.read_bytes(), f"\r\n--{boundary}--\r\n".encode()))
            return self.answer(route, {}, data, {"Content-Type": f"multipart/form-data; boundary={boundary}"})

        return await in_own_thread(send)

    async def events(self, route: str, given: Item, after: str = "") -> AsyncGenerator[ReceivedEvent, None]:
        """See `Transport.events`. A thread waits for each, which keeps no process alive."""
        stream = self._stream(route, given, after)
        while (event := await in_own_thread(partial(next, stream, None))) is not None:
            yield event

    def answer(
        self,
        route: str,
        given: Item,
        body: Item | bytes | Iterable[bytes] | None = None,
        headers: Mapping[str, str] | None = None,
        seconds: float = _SILENCE_SECONDS,
    ) -> Any:
        """As `call`, in this thread; a body that is no mapping is sent as it is."""
        data = json.dumps(body).encode() if isinstance(body, Mapping) else body
        with self._answering(), self._open(route, given, data, headers, seconds) as response:
            content = response.read()
            return json.loads(content) if "json" in response.headers.get("Content-Type", "json") else content.decode()

    def fetch_archive(self, project: str, target: IO[bytes], options: Mapping[str, bool]) -> None:
        """Write the archive of a project to a file."""
        given = {"project": project, **{name: str(value).lower() for name, value in options.items()}}
        with (
            self._answering(),
            self._open("GET /projects/{project}/archive", given, seconds=_ARCHIVE_SECONDS) as response,
        ):
            shutil.copyfileobj(response, target)

    def send_archive(self, project: str, source: IO[bytes], *, replace: bool) -> dict[str, Any]:
        """Have the service read an archive into a project: what came of it."""
        size = source.seek(0, 2)
        source.seek(0)
        headers = {"Content-Type": "application/zip", "Content-Length": str(size)}
        given = {"project": project} | ({"replace": "true"} if replace else {})
        pieces = iter(partial(source.read, _PIECE), b"")
        read: dict[str, Any] = self.answer("PUT /projects/{project}/archive", given, pieces, headers, _ARCHIVE_SECONDS)
        return read

    def current_model(self, project: str) -> dict[str, Any] | None:
        """A project's current model as the service describes it, None where it has none."""
        try:
            model: dict[str, Any] = self.answer("GET /semantics", {"project_id": project})
        except AskwellError as error:
            if error.code == NotFound.code:
                return None
            raise
        return model

    def push_model(
        self, project: str, model: bytes, *, on_event: Callable[[str, Item], None]
    ) -> tuple[str, dict[str, Any]]:
        """Send a model (MDL JSON), piece by piece, and follow its preparation: its label, and the last status."""
        label = self._send_model(project, model)["id"]
        given = {"label": label, "project_id": project}
        for event in self._stream("GET /semantics-preparations/{label}/events", given, ""):
            on_event(event.kind, event.data)
            if event.kind in ENDS:
                return label, dict(event.data)
        raise AskwellError(*say("cli.preparation_without_result"))

    def _send_model(self, project: str, model: bytes) -> Any:
        before, after = f'{{"project_id": {json.dumps(project)}, "mdl": '.encode(), b"}"
        headers = {"Content-Length": str(len(before) + len(model) + len(after))}

        def pieces() -> Iterator[bytes]:
            yield before
            yield from (model[start : start + _PIECE] for start in range(0, len(model), _PIECE))
            yield after

        try:
            return self.answer("POST /semantics-preparations", {}, pieces(), headers)
        except NoService as error:
            cause = error.__cause__
            if isinstance(getattr(cause, "reason", cause), BrokenPipeError | ConnectionResetError):
                raise AskwellError(*say("cli.model_upload_cut", url=self.url)) from None
            raise

    def _stream(self, route: str, given: Item, seen: str) -> Iterator[ReceivedEvent]:
        """The events until the end; a connection that breaks off is made again, from the last event that was seen."""
        for attempt in range(_RECONNECTIONS + 1):
            try:
                with self._open(route, given, headers={"Last-Event-ID": seen} if seen else {}) as stream:
                    reader = EventReader()
                    for event in filter(None, map(reader.take, stream)):
                        seen = event.id or seen
                        if event.kind != "heartbeat":
                            yield event
                        if event.kind in ENDS or event.data.get("type") in RUN_ENDS:
                            return
            except (OSError, HTTPException, ValueError) as error:
                if attempt == _RECONNECTIONS:
                    raise self._unreachable(error) from None

    def _open(
        self,
        route: str,
        given: Item,
        data: bytes | Iterable[bytes] | None = None,
        headers: Mapping[str, str] | None = None,
        seconds: float = _SILENCE_SECONDS,
    ) -> Any:
        """The response. Raises `AskwellError` for what the service refuses, `OSError` where there is none."""
        method, _, path = route.partition(" ")
        in_path = set(_IN_PATH.findall(path))
        place = path.format_map({name: quote(str(given[name]), safe="") for name in in_path})
        query = urlencode({name: value for name, value in given.items() if name not in in_path and value is not None})
        address = f"{self.url}/v1{place}" + (f"?{query}" if query else "")
        sent = {"Content-Type": "application/json", **(headers or {})}
        try:
            request = urllib.request.Request(address, data, sent, method=method)
            if key := os.environ.get(API_KEY):
                # Never to where a server sends us on.
                request.add_unredirected_header("Authorization", f"Bearer {key}")
            return urllib.request.urlopen(request, timeout=seconds)
        except urllib.error.HTTPError as error:
            raise _refusal(error) from None

    @contextlib.contextmanager
    def _answering(self) -> Iterator[None]:
        """Raises `NoService` for what breaks in here."""
        try:
            yield
        except (OSError, HTTPException, ValueError) as error:
            raise self._unreachable(error) from error

    def _unreachable(self, error: Exception) -> NoService:
        return NoService(*say("cli.no_service", url=self.url, name=type(error).__name__))


def service_url(url: str) -> str:
    """The address without a slash at its end. Raises `ConfigurationError` for a URL of another kind."""
    if not is_web_address(url):
        raise ConfigurationError(*say("cli.no_address", url=without_secrets(url), example=LOCAL_SERVICE))
    return url.rstrip("/")


def _refusal(error: urllib.error.HTTPError) -> AskwellError:
    try:
        told = json.loads(error.read())
        refusal = AskwellError(told["message"], told["hint"])
        refusal.code = told["code"]
        return refusal
    except (OSError, ValueError, KeyError, TypeError):
        return AskwellError(*say("cli.no_askwell_there", status=error.code))
