"""A service that wants to know who calls, with two projects and the people of both."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tests.fakes.openai_server import Answer, ChatScript, ChatServer
from tests.support import tiny_shop
from tests.support.service import Client, running_service, write_config

ADMIN_KEY = "root-canary-" + "k" * 40
ALPHA, BETA = "alpha", "beta"
MAPPING = {"properties": {"region": {"claim": "region"}, "level": {"claim": "level", "type": "number"}}}


@dataclass
class Caller:
    """Somebody with a key, or without one; `seen` is all that they ever received."""

    service: Client
    name: str
    key: str | None
    key_id: str = ""
    seen: list[str] = field(default_factory=list)

    async def call(
        self, method: str, path: str, headers: Mapping[str, str] | None = None, **more: Any
    ) -> tuple[int, Any]:
        """The status and the body, JSON where it is that."""
        status, body, _ = await self.answer(method, path, headers, **more)
        return status, body

    async def answer(
        self, method: str, path: str, headers: Mapping[str, str] | None = None, **more: Any
    ) -> tuple[int, Any, Mapping[str, str]]:
        """With the headers of the answer."""
        said = dict(headers or {}) | ({"Authorization": f"Bearer {self.key}"} if self.key is not None else {})
        async with self.service.session.request(method, f"{self.service.url}{path}", headers=said, **more) as response:
            raw = await response.read()
            text = raw.decode("utf-8", "replace")
            self.seen.append(text + json.dumps(dict(response.headers)))
            is_json = "json" in response.headers.get("Content-Type", "")
            return response.status, json.loads(text) if is_json else text, response.headers

    async def ask(self, question: str, project: str = ALPHA, **body: Any) -> str:
        status, told = await self.call("POST", "/v1/asks", json={"query": question, "project_id": project, **body})
        assert status == 202, told
        return str(told["query_id"])

    async def end(self, path: str) -> dict[str, Any]:
        """What a job comes to, polled at this path."""
        for _ in range(60):
            status, told = await self.call("GET", f"{path}?wait=1")
            assert status == 200, told
            if told.get("status") in ("finished", "succeeded", "failed", "stopped", "awaiting_input", "generated"):
                break
        return dict(told)


@dataclass
class Clock:
    """The wall clock of a service, which tests set on."""

    ahead: timedelta = timedelta()

    def __call__(self) -> datetime:
        return datetime.now(UTC) + self.ahead

    def after(self, minutes: float) -> str:
        """A moment, as bodies write it."""
        return (self() + timedelta(minutes=minutes)).isoformat()

    def pass_by(self, minutes: float) -> None:
        self.ahead += timedelta(minutes=minutes)


@dataclass
class House:
    """The service, its administrator, its clock, and the scripted language model."""

    service: Client
    root: Caller
    server: ChatServer | None
    folder: Path
    clock: Clock = field(default_factory=Clock)

    def script(self, *answers: Answer | str) -> ChatServer:
        """What the language model says in conversations from now on."""
        assert self.server is not None
        said = [Answer(text=one) if isinstance(one, str) else one for one in answers]
        self.server.requests.clear()
        self.server.replace(ChatScript({"conversation": said}))
        return self.server

    async def somebody(self, name: str, role: str = "ask", projects: list[str] | None = None, **more: Any) -> Caller:
        """A person with a new key."""
        body = {"name": name, "role": role, "projects": [ALPHA] if projects is None else projects, **more}
        status, told = await self.root.call("POST", "/v1/keys", json=body)
        assert status == 201, told
        return Caller(self.service, name, told["key"], told["id"])

    def nobody(self, key: str | None = None) -> Caller:
        return Caller(self.service, "nobody", key)

    def audit(self) -> list[dict[str, Any]]:
        """The lines of the audit log."""
        text = (self.folder / "home" / "audit" / "audit.jsonl").read_text("utf-8")
        return [json.loads(line) for line in text.splitlines()]


def house_config(
    folder: Path, *, api_base: str | None = None, sign_in: Mapping[str, Any] | None = None, **more: Any
) -> Path:
    """A configuration with a database for each of the two projects; `more` are other sections of it."""
    sources = {}
    for name in (ALPHA, BETA):
        path = folder / f"{name}.sqlite"
        if not path.exists():
            tiny_shop.make_database(path)
        sources[name] = {"engine": "sqlite", "path": str(path)}
    limits = {"requests": 0, "asks": 0, "failures": 0}
    section = {"keys": True, "limits": limits, **MAPPING, **(sign_in or {})}
    settings = {"apply_lessons": False, "allow_intent_classification": False, "rules_mode": "balanced"}
    return write_config(folder, api_base=api_base, data_sources=sources, sign_in=section, settings=settings, **more)


@asynccontextmanager
async def house(
    folder: Path, *, script: Mapping[str, Any] | None = None, sign_in: Mapping[str, Any] | None = None
) -> AsyncIterator[House]:
    """The service; with a `script` there is a language model that says it."""
    environ, clock = {"ASKWELL_SIGN_IN__ADMIN_KEY": ADMIN_KEY}, Clock()
    if script is None:
        async with running_service(house_config(folder, sign_in=sign_in), environ, now=clock) as service:
            yield House(service, Caller(service, "root", ADMIN_KEY), None, folder, clock)
        return
    texts = {name: [Answer(text=one) if isinstance(one, str) else one for one in said] for name, said in script.items()}
    async with (
        ChatServer(ChatScript(texts)) as server,
        running_service(house_config(folder, api_base=server.api_base, sign_in=sign_in), environ, now=clock) as service,
    ):
        yield House(service, Caller(service, "root", ADMIN_KEY), server, folder, clock)


async def prepared(house: House, project: str, manifest: Mapping[str, Any] | None = None, label: str = "m1") -> None:
    """Give a project the model of the tiny shop, or another."""
    body = {"mdl": json.dumps(manifest or tiny_shop.manifest()), "mdl_hash": label, "project_id": project}
    status, told = await house.root.call("POST", "/v1/semantics-preparations", json=body)
    assert status == 202, told
    for _ in range(600):
        status, told = await house.root.call("GET", f"/v1/semantics-preparations/{label}/status?project_id={project}")
        if told["status"] != "indexing":
            break
    assert told["status"] == "finished", told
