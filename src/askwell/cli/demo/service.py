"""The service in a process of its own, as anybody would start it, on the sample shop."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import shutil
import signal
import sys
import tempfile
from asyncio.subprocess import DEVNULL, Process
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from askwell.errors import AskwellError

START_SECONDS = 60.0
_STOP_SECONDS = 15.0
_NO_MODEL: Mapping[str, Any] = {"llm": {"default": {"provider": "none"}}}
_READY_LINE = re.compile(r"Askwell is ready at (\S+)")


@dataclass(frozen=True, slots=True)
class RunningService:
    """Where it answers, and what it is."""

    url: str
    process: Process
    folder: Path


@contextlib.asynccontextmanager
async def service_on(
    shop: Path, home: Path, *, keep: bool, settings: Mapping[str, Any] = _NO_MODEL
) -> AsyncIterator[RunningService]:
    """A service of its own for this run, stopped and cleaned up afterwards whatever happens; with `keep` it is left
    running when all went well. `settings` are what its configuration has besides its places. Raises `AskwellError` when
    it does not start."""
    folder = Path(tempfile.mkdtemp(prefix="run-", dir=home / "demo"))
    process = await _start(folder, shop, home, settings)
    left_running = False
    try:
        url = await _wait_until_listening(process, folder / "service.log")
        yield RunningService(url, process, folder)
        left_running = keep
    finally:
        if not left_running:
            await _stop(process)
            shutil.rmtree(folder, ignore_errors=True)


async def _start(folder: Path, shop: Path, home: Path, settings: Mapping[str, Any]) -> Process:
    models = (
        home / "models"
    )  # the exported embedder, which `make install` has put there: nobody should wait for another
    models.mkdir(exist_ok=True)
    (folder / "models").symlink_to(models)
    config = folder / "config.yaml"
    config.write_text(_configuration(folder, shop, settings), encoding="utf-8")
    with (folder / "service.log").open("wb") as log:
        return await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "askwell", "serve", "--config", str(config), "--port", "0"),
            stdin=DEVNULL,
            stdout=log,
            stderr=log,
            env=_environment(),
            start_new_session=True,  # Ctrl-C stops the demo, and the demo stops the service
        )


def _configuration(folder: Path, shop: Path, settings: Mapping[str, Any]) -> str:
    """JSON is YAML, and quotes paths as they need it."""
    places = {"home": str(folder), "data_sources": {"default": {"engine": "duckdb", "path": str(shop)}}}
    return json.dumps({**places, **settings}, indent=2)


def _environment() -> dict[str, str]:
    """This environment without anything that would change the configuration, or turn a language model on."""
    return {
        name: value
        for name, value in os.environ.items()
        if not name.upper().startswith("ASKWELL_") and name != "OPENAI_API_KEY"
    }


async def _wait_until_listening(process: Process, log: Path) -> str:
    try:
        async with asyncio.timeout(START_SECONDS):
            while True:
                said = _said(log)
                if ready := _READY_LINE.search(said):
                    return ready.group(1)
                if process.returncode is not None:
                    raise AskwellError(
                        f"The service ended with status {process.returncode} while starting.", _tail(said)
                    )
                await asyncio.sleep(0.05)
    except TimeoutError:
        raise AskwellError(f"The service did not start within {START_SECONDS:g} seconds.", _tail(_said(log))) from None


def _said(log: Path) -> str:
    return log.read_text(encoding="utf-8", errors="replace")


def _tail(said: str) -> str:
    return "It said last:\n" + "\n".join(said.splitlines()[-15:])


async def _stop(process: Process) -> None:
    """SIGTERM, and SIGKILL for one that does not hear."""
    if process.returncode is not None:
        return
    with contextlib.suppress(ProcessLookupError):
        process.send_signal(signal.SIGTERM)
    try:
        async with asyncio.timeout(_STOP_SECONDS):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()
