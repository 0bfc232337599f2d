"""One query process, seen from the service: started, asked one thing at a time, and killed when it takes too long."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
import tempfile
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from askwell.errors import Unavailable
from askwell.providers.engine.base import TakeRows
from askwell.providers.engine.wire import HEADER, MAX_FRAME_BYTES, pack

_LEAVING_SECONDS = 5.0
QUERY_PROCESS = Path(__file__).parent / "worker" / "__main__.py"


def temporary_folder(prefix: str) -> tempfile.TemporaryDirectory[str]:
    """For what a process is to read. Raises `Unavailable` where there is no place for it."""
    try:
        return tempfile.TemporaryDirectory(prefix=prefix)
    except OSError as error:
        raise Unavailable(
            f"There is no place for temporary files: {error.strerror}.", "Let the service write to its /tmp."
        ) from None


class WorkerDied(Exception):
    """The process ended in the middle of a request. `signal_number` says what killed it, 0 when nothing did."""

    def __init__(self, signal_number: int) -> None:
        super().__init__(signal_number)
        self.signal_number = signal_number


@dataclass(slots=True)
class Reply:
    """A complete answer: the fields of the last frame, and the rows of all of them."""

    fields: dict[str, Any]
    rows: list[list[Any]] = field(default_factory=list)


class WorkerProcess:
    """A started child. Requests must not overlap; the pool sees to that."""

    def __init__(self, process: Process) -> None:
        if process.stdin is None or process.stdout is None:
            raise ValueError("a worker needs pipes for its input and output")
        self._process = process
        self._requests = process.stdin
        self._replies = process.stdout

    @classmethod
    async def start(
        cls, settings: dict[str, Any], modules: tuple[str, ...], entry_point: Path = QUERY_PROCESS
    ) -> WorkerProcess:
        """Start a child that can import askwell and `modules`, and hand it its settings. Raises OSError."""
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-I",
            "-S",
            str(entry_point),
            os.pathsep.join(_import_roots(("askwell", *modules))),
            stdin=PIPE,
            stdout=PIPE,
            stderr=DEVNULL,
            cwd="/",
            env=_child_environment(),
            start_new_session=True,  # Ctrl-C in the service's terminal is the service's business
        )
        worker = cls(process)
        worker._requests.write(pack({**settings, "parent": os.getpid()}))
        return worker

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        return self._process.returncode is None and not self._replies.at_eof()

    async def ask(self, request: dict[str, Any], take: TakeRows | None = None) -> Reply:
        """Send one request and collect its answer, without its rows where something will `take` them. Raises
        `WorkerDied`. Whoever cancels this must kill the process."""
        rows: list[list[Any]] = []
        async with self._alive():
            self._requests.write(pack(request))
            await self._requests.drain()
        while True:
            async with self._alive():
                frame = await self._read_frame()
            batch = frame.pop("rows", ())
            if take is None:
                rows.extend(batch)
            elif batch:
                await take(batch)
            if frame.get("end"):
                return Reply(frame, rows)

    @contextlib.asynccontextmanager
    async def _alive(self) -> AsyncIterator[None]:
        try:
            yield
        except (asyncio.IncompleteReadError, ConnectionError, ValueError):
            self.kill()
            raise WorkerDied(-min(await self._process.wait(), 0)) from None

    async def _read_frame(self) -> dict[str, Any]:
        (size,) = HEADER.unpack(await self._replies.readexactly(HEADER.size))
        if size > MAX_FRAME_BYTES:
            raise ValueError("not a frame")
        frame: dict[str, Any] = json.loads(await self._replies.readexactly(size))
        return frame

    async def leave(self) -> None:
        """Let an idle process end by itself, by closing its input, and see that it does."""
        self._requests.close()
        await self.end(_LEAVING_SECONDS)

    async def end(self, within: float) -> None:
        """Until the process has ended and been reaped; it is killed when that takes more than `within` seconds."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(within):
                await self._process.wait()
        self.kill()
        await self._process.wait()

    def interrupt(self) -> None:
        """Tell it to stop its query, wherever that runs, and to leave."""
        self._signal(signal.SIGINT)

    def kill(self) -> None:
        """End it now, whatever it is doing."""
        self._signal(signal.SIGKILL)

    def _signal(self, number: signal.Signals) -> None:
        if self._process.returncode is None:
            # Not by the process object: that would reap a child that is dead already, and its exit status with it.
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._process.pid, number)


def _child_environment() -> dict[str, str]:
    """Nothing of the service's environment, where keys live: only what libraries need to behave."""
    return {"PATH": os.defpath, "LANG": "C.UTF-8", "TZ": "UTC", "HOME": "/nonexistent", "MALLOC_ARENA_MAX": "2"}


def _import_roots(modules: tuple[str, ...]) -> list[str]:
    """The directories that `modules` would be imported from, found without importing them."""
    roots: list[str] = []
    for module in modules:
        spec = find_spec(module)
        if spec is None or spec.origin is None:
            continue
        origin = Path(spec.origin)
        root = str(origin.parent.parent if spec.submodule_search_locations else origin.parent)
        if root not in roots:
            roots.append(root)
    return roots
