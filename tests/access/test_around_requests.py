"""What sign-in does around a request, whatever the application in it does: it looks whether readers still may, and
writes down what came of changes."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import pytest
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from askwell.access.audit import FILE_NAME, AuditLog
from askwell.access.authentication import Access, Authenticators
from askwell.config import SignInConfig
from askwell.errors import Conflict
from askwell.knowledge.record import Record
from askwell.principal import Person, Principal
from askwell.web.sign_in import SignIn

ANN = Principal(Person("key:1"), "Ann", "curate", None)


@dataclass
class Answers:
    """An authenticator that gives these, one each time, and the last one again."""

    told: list[Principal | Exception | None]

    async def principal(self, token: str) -> Principal | None:
        found = self.told.pop(0) if len(self.told) > 1 else self.told[0]
        if isinstance(found, Exception):
            raise found
        return found


@asynccontextmanager
async def signing_in(folder: Path, app: ASGIApp, *told: Principal | Exception | None) -> AsyncIterator[SignIn]:
    config = SignInConfig(keys=True)
    record = await Record.open("sqlite", folder)
    audit = AuditLog(config.audit, folder)
    audit.open()
    access = Access.of(config, record.api_keys, audit, lambda: datetime.now(UTC))
    access = replace(access, authenticators=Authenticators([Answers(list(told))]))
    yield SignIn(app, SimpleNamespace(access=access), public=())  # type: ignore[arg-type]
    audit.close()
    await record.close()


def request(method: str) -> Scope:
    headers = [(b"authorization", b"Bearer x")]
    return {"type": "http", "method": method, "path": "/v1/lessons", "headers": headers, "client": ("::1", 1)}


async def patient() -> Message:
    await asyncio.Event().wait()
    raise AssertionError


async def streaming(scope: Scope, receive: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"row", "more_body": True})
    assert (await receive())["type"] == "http.disconnect"


async def test_a_look_that_fails_is_not_the_last_one(tmp_path: Path) -> None:
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async with signing_in(tmp_path, streaming, ANN, RuntimeError("canary"), None) as app:
        async with asyncio.timeout(30):
            await app(request("GET"), patient, send)
    assert sent[-1] == {"type": "http.response.body", "body": b"", "more_body": False}


async def test_the_application_ends_though_the_end_cannot_be_sent(tmp_path: Path) -> None:
    async def send(message: Message) -> None:
        if message.get("body") == b"":
            raise OSError("gone")

    async with signing_in(tmp_path, streaming, ANN, None) as app:
        async with asyncio.timeout(30):
            await app(request("GET"), patient, send)


@pytest.mark.parametrize(("error", "status"), [(RuntimeError("canary"), 500), (Conflict("No.", "Wait."), 409)])
async def test_a_change_that_ends_in_an_error_is_in_the_audit_log(
    tmp_path: Path, error: Exception, status: int
) -> None:
    async def failing(scope: Scope, receive: Receive, send: Send) -> None:
        raise error

    async def send(message: Message) -> None:
        return None

    async with signing_in(tmp_path, failing, ANN) as app:
        with contextlib.suppress(RuntimeError):
            await app(request("POST"), patient, send)
    (line,) = (tmp_path / "audit" / FILE_NAME).read_text("utf-8").splitlines()
    told = json.loads(line)
    assert (told["event"], told["principal"], told["status"]) == ("request", "key:1", status)
    assert "canary" not in line
