"""A client that makes each call as the legacy web client does, and reads each answer as it does.

- Bodies have the fields that client sends and no others: it names no project on asks, details, answers, charts,
  deployments and recommendations, and project "1" on pairs, instructions, SQL questions, ask feedbacks and the
  deletion of the semantics (CONTRACTS 1.5 a).
- It polls until a status of its own enum that is an end; a status that the enum does not know is a failure.
- Of every piece of a stream that arrives it takes the first match of one pattern, and drops what else the piece holds.
- It looks at a preparation 0, 1, 3, 6, 10, 15 and 21 seconds after it was started, then gives up.

A service without `compatibility: wren_ui` keeps project "1" and project "default" apart, and then this client's own
calls would not meet: build it with `project=None` there, and it names no project anywhere.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx2 as httpx

from tests.client_kit import bodies, kinds
from tests.client_kit.bodies import Shop
from tests.client_kit.kinds import Kind
from tests.client_kit.manifest import Json, hash_of, text_of

FRAME = re.compile(r'data: {"message":"([\s\S]*?)"}')
LOOKS = (0, 1, 3, 6, 10, 15, 21)
PATIENCE = float(os.environ.get("ASKWELL_KIT_PATIENCE", "60"))


class ContractError(AssertionError):
    """The service did what the legacy client cannot take."""


@dataclass
class Ended:
    """A job that was polled to its end."""

    kind: Kind
    id: str
    body: Json
    # Statuses in the order seen, each run of equal ones once, and every answer that was read.
    seen: list[str] = field(default_factory=list)
    answers: list[Json] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def status(self) -> str:
        return str(self.body["status"])

    @property
    def error(self) -> Json:
        return self.body.get("error") or {}


@dataclass
class Stream:
    """A text stream, read twice: as the legacy client does, and whole."""

    status_code: int
    media_type: str
    pieces: list[str]

    @property
    def raw(self) -> str:
        return "".join(self.pieces)

    @property
    def as_client(self) -> list[str]:
        """The first match in each piece that arrived: all that the legacy client shows."""
        found = (FRAME.search(piece) for piece in self.pieces)
        return [match.group(1) for match in found if match]

    @property
    def frames(self) -> list[str]:
        """Every message that was sent, decoded as JSON."""
        out = []
        for line in self.raw.splitlines():
            if line.startswith("data:"):
                data = json.loads(line.removeprefix("data:"))
                out.append(str(data["message"]))
        return out

    @property
    def text(self) -> str:
        return "".join(self.frames)


@dataclass
class Event:
    """One frame of `/events`."""

    id: int | None
    event: str
    data: Any


class LegacyClient:
    """The calls, one method each; `post`, `patch`, `get` and `delete` give the bare response."""

    def __init__(
        self,
        url: str,
        *,
        project: str | None = "1",
        headers: dict[str, str] | None = None,
        patience: float = PATIENCE,
    ) -> None:
        self.project = project
        self.patience = patience
        self.http = httpx.Client(
            base_url=url.rstrip("/"), headers=headers, timeout=httpx.Timeout(30.0), trust_env=False
        )

    def close(self) -> None:
        self.http.close()

    # Bare calls.

    def post(self, kind: Kind, body: Any, headers: dict[str, str] | None = None) -> httpx.Response:
        return self.http.post(kind.route, json=body, headers=headers)

    def patch(self, kind: Kind, job_id: str, body: Any = None) -> httpx.Response:
        return self.http.patch(f"{kind.route}/{job_id}", json={"status": "stopped"} if body is None else body)

    def get(self, kind: Kind, job_id: str, params: dict[str, str] | None = None) -> httpx.Response:
        return self.http.get(kind.poll_path(job_id), params=params)

    def delete(self, path: str, body: Any = None, params: dict[str, str] | None = None) -> httpx.Response:
        """A DELETE that may have a body, as the legacy client sends one."""
        return self.http.request("DELETE", path, json=body, params=params)

    # Start and follow.

    def start(self, kind: Kind, body: Any) -> str:
        """POST; 202, a Location to poll, and the id under the kind's legacy name."""
        answer = self.post(kind, body)
        if answer.status_code != 202:
            raise ContractError(f"POST {kind.route} answered {answer.status_code}, not 202: {answer.text[:400]}")
        told = answer.json()
        job_id = told.get(kind.id_name)
        if not isinstance(job_id, str) or not job_id:
            raise ContractError(f"POST {kind.route} gave no {kind.id_name}: {told}")
        if job_id not in answer.headers.get("location", ""):
            raise ContractError(
                f"POST {kind.route}: Location {answer.headers.get('location')!r} does not lead to {job_id}"
            )
        return job_id

    def wait(self, kind: Kind, job_id: str, *, pause: float = 0.03, also: frozenset[str] = frozenset()) -> Ended:
        """Polls until an end that the client's enum knows; `also` are ends that the caller allows beside them."""
        began = time.monotonic()
        seen: list[str] = []
        answers: list[Json] = []
        while True:
            answer = self.get(kind, job_id)
            if answer.status_code != 200:
                raise ContractError(
                    f"{kind.name} {job_id}: the poll answered {answer.status_code}: {answer.text[:400]}"
                )
            body = answer.json()
            status = body.get("status")
            if status not in kind.statuses | also:
                raise ContractError(f"{kind.name} {job_id}: the client's enum does not know the status {status!r}")
            answers.append(body)
            if not seen or seen[-1] != status:
                seen.append(status)
            if status in kind.terminal | also:
                return Ended(kind, job_id, body, seen, answers, time.monotonic() - began)
            if time.monotonic() - began > self.patience:
                raise ContractError(f"{kind.name} {job_id}: still {status!r} after {self.patience} s; seen {seen}")
            time.sleep(pause)

    def run(self, kind: Kind, body: Any) -> Ended:
        """Starts a job and polls it to its end."""
        return self.wait(kind, self.start(kind, body))

    def stop(self, kind: Kind, job_id: str) -> None:
        """PATCH {status: stopped}; 200 and the id under the kind's legacy name."""
        answer = self.patch(kind, job_id)
        if answer.status_code != 200 or answer.json() != {kind.id_name: job_id}:
            raise ContractError(f"PATCH {kind.route}/{job_id} answered {answer.status_code}: {answer.text[:400]}")

    # Deployment.

    def deploy(self, model: Json) -> str:
        """Sends the model and looks at it as the client does; the hash of a deployment that finished in time."""
        deployed = self.start(kinds.PREPARATION, {"mdl": text_of(model), "mdl_hash": hash_of(model)})
        began = time.monotonic()
        for look in LOOKS:
            time.sleep(max(0.0, began + look - time.monotonic()))
            body = self.get(kinds.PREPARATION, deployed).json()
            if body.get("error"):
                raise ContractError(f"the deployment failed: {body['error']}")
            status = body.get("status")
            if status == "finished":
                return deployed
            if status != "indexing":
                raise ContractError(f"the client's enum does not know the preparation status {status!r}")
        raise ContractError("the client gave up: the preparation was not finished 21 s after it was started")

    def delete_semantics(self) -> httpx.Response:
        return self.delete("/v1/semantics", params={"project_id": self.project or "default"})

    # Calls by name.

    def ask(self, question: str, shop: Shop) -> Ended:
        return self.run(kinds.ASK, bodies.ask_body(question, shop))

    def ask_stream(self, job_id: str) -> Stream:
        return self.stream(f"/v1/asks/{job_id}/streaming-result")

    def answer_stream(self, job_id: str) -> Stream:
        return self.stream(f"/v1/sql-answers/{job_id}/streaming")

    def forget(self, path: str, numbers: Sequence[int]) -> httpx.Response:
        """Delete pairs or instructions by their numbers."""
        name = {"/v1/sql-pairs": "sql_pair_ids", "/v1/instructions": "instruction_ids"}[path]
        body = {name: [str(one) for one in numbers]} | ({"project_id": self.project} if self.project else {})
        return self.delete(path, body)

    # Streams.

    def stream(self, path: str) -> Stream:
        """Reads a text stream to its end; a piece is one write of the server, as in the legacy client's runtime."""
        with self.http.stream("GET", path, timeout=httpx.Timeout(30.0, read=self.patience)) as answer:
            pieces = [piece.decode("utf-8") for piece in answer.iter_raw()]
            return Stream(answer.status_code, answer.headers.get("content-type", ""), pieces)

    def events(self, kind: Kind, job_id: str, last: int | str | None = None) -> tuple[int, list[Event]]:
        """`/events` to its end: the status code and the frames."""
        headers = {} if last is None else {"Last-Event-ID": str(last)}
        timeout = httpx.Timeout(30.0, read=self.patience)
        with self.http.stream("GET", kind.events_path(job_id), headers=headers, timeout=timeout) as answer:
            if answer.status_code != 200:
                answer.read()
                return answer.status_code, []
            return 200, list(_events(answer.iter_lines()))


def _events(lines: Iterator[str]) -> Iterator[Event]:
    event, data, number = "message", "", None
    for line in lines:
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if not line:
            if data or event != "message":
                yield Event(number, event, json.loads(data) if data else None)
            event, data, number = "message", "", None
        elif name == "event":
            event = value
        elif name == "data":
            data += value
        elif name == "id":
            number = int(value)
