"""kill -9 of the service while documents are read: each ends readable, or failed with a hint, and none is lost."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.support.service import Client, ServiceProcess, service_process, write_config

from .making import encrypted_pdf, pdf_file
from .test_documents import RETURNS, add, ended, search, send

pytestmark = pytest.mark.deep

# Some seconds of reading.
LONG = pdf_file(*(f"Page {n}. The number of room {n} is quiet.\n" * 40 for n in range(400)), compress=True)


async def reading(process: ServiceProcess) -> psutil.Process:
    """The process that reads documents, once there is one."""
    async with asyncio.timeout(30):
        while True:
            for child in psutil.Process(process.pid).children(recursive=True):
                if any("documents.child" in part for part in child.cmdline()):
                    return child
            await asyncio.sleep(0.01)


async def sent(service: Client, name: str, content: bytes, document_id: str) -> str:
    status, started = await send(service, name, content, id=document_id)
    assert status == 202, started
    return str(started["event_id"])


async def document(service: Client, document_id: str) -> dict[str, Any]:
    status, found = await service.call("GET", f"/v1/documents/{document_id}")
    assert status == 200, found
    told: dict[str, Any] = found
    return told


@pytest.mark.parametrize("seconds", [0.0, 0.3, 1.5], ids=lambda seconds: f"{seconds:g} s")
async def test_what_was_accepted_is_read_after_a_kill(tmp_path: Path, seconds: float) -> None:
    async with service_process(write_config(tmp_path)) as (process, service):
        await add(service, "Rules", RETURNS, id="rules")
        events = {
            "long": await sent(service, "long.pdf", LONG, "long"),
            "locked": await sent(service, "locked.pdf", encrypted_pdf(), "locked"),
            "rules": await sent(service, "rules.md", RETURNS.replace("thirty", "sixty").encode(), "rules"),
        }
        reader = await reading(process)
        await asyncio.sleep(seconds)
        await process.kill()
        await asyncio.to_thread(psutil.wait_procs, [reader], 10)
        assert not reader.is_running()
        await process.start()
        ends = {name: await ended(service, event_id) for name, event_id in events.items()}
        assert {name: end["status"] for name, end in ends.items()} == {
            "long": "finished",
            "locked": "failed",
            "rules": "finished",
        }
        assert ends["locked"]["error"]["hint"]
        long, locked, rules = [await document(service, name) for name in ("long", "locked", "rules")]
        assert (long["status"], locked["status"], rules["status"]) == ("indexed", "failed", "indexed")
        assert long["chunks"] >= 400
        assert locked["error"]["hint"]
        assert (await search(service, "days to send goods back"))[0]["text"].endswith("sixty days.")
        assert (await search(service, "number of room 399"))[0]["locator"].startswith("page 400")


async def test_a_document_that_kills_the_service_is_given_up_and_can_be_sent_again(tmp_path: Path) -> None:
    """What was read of it before stays."""
    async with service_process(write_config(tmp_path)) as (process, service):
        await add(service, "Rules", RETURNS, id="rules")
        event = await sent(service, "rules.pdf", LONG, "rules")
        for _ in range(2):
            await reading(process)
            await process.kill()
            await process.start()
        end = await ended(service, event)
        assert (end["status"], bool(end["error"]["hint"])) == ("failed", True)
        rules = await document(service, "rules")
        assert (rules["status"], rules["chunks"]) == ("failed", 2)
        assert rules["error"]["hint"]
        assert "thirty days" in (await search(service, "days to send goods back"))[0]["text"]
        again = await ended(
            service, await sent(service, "rules.md", RETURNS.replace("thirty", "ten").encode(), "rules")
        )
        assert again["status"] == "finished"
        assert "ten days" in (await search(service, "days to send goods back"))[0]["text"]
