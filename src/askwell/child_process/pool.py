"""Child processes seen from the service: started when needed, one request at a time, ended when idle or late."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
import tempfile
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from askwell.child_process.wire import HEADER, MAX_FRAME_BYTES, pack
from askwell.errors import Unavailable
from askwell.messages import say

# What a process gets to import what it needs, on a busy machine.
START_SECONDS = 30.0
_LEAVING_SECONDS = 5.0
_ENTRY_POINT = Path(__file__).parent / "__main__.py"

# Takes the next rows of an answer. No more are read until it is done with these.
TakeRows = Callable[[Sequence[Sequence[Any]]], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class ChildKind:
    """What a kind of child process runs, and how many of it there may be.

    `runs` is the module whose `main` serves, `imports` what it has to be able to import beside Askwell, and `settings`
    what it reads first. `purpose` completes "a process …"; `doing` begins a sentence on what takes too long. At most
    `size` run at once; one that is idle for `idle_seconds` ends. `grace_seconds` is how long one may take to stop its
    work elsewhere before it is killed; 0 where killing it stops the work. `unavailable` is raised where there is no
    process, with `busy_hint` where all of them work.
    """

    runs: str
    purpose: str
    doing: str = ""
    imports: tuple[str, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    size: int = 1
    idle_seconds: float = 30.0
    grace_seconds: float = 0.0
    unavailable: type[Unavailable] = Unavailable
    busy_hint: str = "Try again later."


class ChildDied(Exception):
    """The process ended in the middle of a request. `signal_number` is what killed it, 0 for none; `is_ready` is False
    where it died before its first request."""

    def __init__(self, signal_number: int, *, is_ready: bool) -> None:
        super().__init__(signal_number)
        self.signal_number = signal_number
        self.is_ready = is_ready


@dataclass(slots=True)
class Reply:
    """A complete answer: the fields of the last frame, and the rows of all of them."""

    fields: dict[str, Any]
    rows: list[list[Any]] = field(default_factory=list)


class ChildPool:
    """The processes of one kind. One that does not answer in good order is stopped, and the next one is new."""

    def __init__(self, kind: ChildKind) -> None:
        self._kind = kind
        self._free_slots = asyncio.Semaphore(kind.size)
        self._idle: list[tuple[float, _Child]] = []
        self._busy: set[_Child] = set()
        self._starting: set[asyncio.Task[_Child]] = set()
        self._ending: set[asyncio.Task[None]] = set()
        self._reaper: asyncio.TimerHandle | None = None
        self._closed = False

    async def ask(
        self,
        request: Mapping[str, Any],
        seconds: float,
        *,
        take: TakeRows | None = None,
        longest_wait: float | None = None,
    ) -> Reply:
        """Have a process of one's own answer within `seconds`, without its start and without waiting for a free one.

        Rows go to `take`, where it is given. Raises `TimeoutError`, `ChildDied`, and the kind's `unavailable` where no
        process starts or becomes free within `longest_wait` seconds, or the pool is closed meanwhile. Cancelling it
        stops the process.
        """
        try:
            async with self._child(longest_wait) as child:
                await self._get_ready(child)
                async with asyncio.timeout(seconds):
                    return await child.ask({"timeout": seconds, **request}, take)
        except ChildDied:
            if self._closed:
                # Closing killed it: that says nothing of the request.
                raise self._closed_error() from None
            raise

    async def close(self) -> None:
        """Kill every process and wait until none is left. Safe to call twice."""
        self._closed = True
        if self._reaper is not None:
            self._reaper.cancel()
            self._reaper = None
        for task in self._starting:
            task.add_done_callback(self._end_late_starter)
        for child in [*self._busy, *(child for _, child in self._idle)]:
            self._end(child)
        self._idle.clear()
        while pending := [*self._starting, *self._ending]:
            await asyncio.wait(pending)

    @asynccontextmanager
    async def _child(self, longest_wait: float | None) -> AsyncIterator[_Child]:
        """A process for one request. Leaving with an exception, cancellation too, stops it."""
        try:
            async with asyncio.timeout(longest_wait):
                await self._free_slots.acquire()
        except TimeoutError:
            hint = self._kind.busy_hint
            busy = say("processes.busy", purpose=self._kind.purpose, seconds=longest_wait, hint=hint)
            raise self._kind.unavailable(*busy) from None
        try:
            if self._closed:
                raise self._closed_error()
            child = self._pop_idle() or await self._start()
        except BaseException:
            self._free_slots.release()
            raise
        self._busy.add(child)
        is_usable = False
        try:
            yield child
            is_usable = child.is_alive and not self._closed
        finally:
            self._busy.discard(child)
            if is_usable:
                self._keep(child)
                self._free_slots.release()
            else:
                # Its slot is free once it is gone, and its work with it.
                self._end(child).add_done_callback(lambda _: self._free_slots.release())

    def _closed_error(self) -> Unavailable:
        return self._kind.unavailable(*say("processes.closed", purpose=self._kind.purpose))

    def _pop_idle(self) -> _Child | None:
        while self._idle:
            _, child = self._idle.pop()
            if child.is_alive:
                return child
            self._end(child)
        return None

    async def _start(self) -> _Child:
        # Starting cannot be interrupted half-way, or a child could be left that no pool knows.
        task = asyncio.create_task(_Child.start(self._kind))
        self._starting.add(task)
        task.add_done_callback(self._starting.discard)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            task.add_done_callback(self._end_late_starter)
            raise
        except OSError as error:
            not_started = say("processes.not_started", purpose=self._kind.purpose, strerror=error.strerror)
            raise self._kind.unavailable(*not_started) from None

    async def _get_ready(self, child: _Child) -> None:
        try:
            async with asyncio.timeout(START_SECONDS):
                await child.get_ready()
        except TimeoutError:
            late = say("processes.start_is_late", purpose=self._kind.purpose, seconds=START_SECONDS)
            raise self._kind.unavailable(*late) from None

    def _end_late_starter(self, task: asyncio.Task[_Child]) -> None:
        if not task.cancelled() and task.exception() is None:
            self._end(task.result())

    def _keep(self, child: _Child) -> None:
        loop = asyncio.get_running_loop()
        self._idle.append((loop.time() + self._kind.idle_seconds, child))
        if self._reaper is None:
            self._reaper = loop.call_later(self._kind.idle_seconds, self._reap)

    def _reap(self) -> None:
        """Dismiss what has been idle for long enough. The most recently used are taken first, so the others do age."""
        loop = asyncio.get_running_loop()
        now = loop.time()
        expired = [child for expiry, child in self._idle if expiry <= now]
        self._idle = [(expiry, child) for expiry, child in self._idle if expiry > now]
        for child in expired:
            self._watch(child.leave())
        self._reaper = loop.call_at(min(expiry for expiry, _ in self._idle), self._reap) if self._idle else None

    def _end(self, child: _Child) -> asyncio.Task[None]:
        # Interrupted, it stops its work, wherever that runs, and leaves.
        child.send(signal.SIGINT if self._kind.grace_seconds else signal.SIGKILL)
        return self._watch(child.end(self._kind.grace_seconds))

    def _watch(self, ending: Coroutine[None, None, None]) -> asyncio.Task[None]:
        """Wait for the end of a process in the background; the pool owns the waiting."""
        task = asyncio.create_task(ending)
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)
        return task


class ChildWork:
    """Work of one kind that is done in child processes, each piece in at most `seconds`. `close` ends them."""

    def __init__(self, kind: ChildKind, seconds: float) -> None:
        self._kind = kind
        self._seconds = seconds
        self._pool = ChildPool(kind)

    async def close(self) -> None:
        """End what is still done. Safe to call twice."""
        await self._pool.close()

    async def _answer(
        self,
        request: Mapping[str, Any],
        refusal: Callable[[str], Exception],
        *,
        take: TakeRows | None = None,
        longest_wait: float | None = None,
    ) -> dict[str, Any]:
        """The fields of the answer. Raises what `refusal` makes of the reason why there is none, the process's own or
        that it takes too long or too much memory; and the kind's `unavailable`."""
        try:
            fields = (await self._pool.ask(request, self._seconds, take=take, longest_wait=longest_wait)).fields
        except TimeoutError:
            raise refusal(f"{self._kind.doing} takes more than {self._seconds:g} seconds") from None
        except ChildDied as death:
            if not death.is_ready:
                raise self._kind.unavailable(*say("processes.ended_at_once", purpose=self._kind.purpose)) from None
            raise refusal(f"{self._kind.doing} fails, or takes more memory or time than it may use") from None
        if "out_of_memory" in fields:
            raise refusal(f"{self._kind.doing} needs more memory than it may use")
        if "refused" in fields:
            raise refusal(fields["refused"])
        return fields


class _Child:
    """A started process. Requests must not overlap; the pool sees to that."""

    def __init__(self, process: Process) -> None:
        if process.stdin is None or process.stdout is None:
            raise ValueError("a child needs pipes for its input and output")
        self._process = process
        self._requests = process.stdin
        self._replies = process.stdout
        self._is_ready = self._is_leaving = False

    @classmethod
    async def start(cls, kind: ChildKind) -> _Child:
        """Start a process and hand it its settings. Raises `OSError`."""
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-I", "-S", str(_ENTRY_POINT)),
            os.pathsep.join(_import_roots(("askwell", *kind.imports))),
            kind.runs,
            stdin=PIPE,
            stdout=PIPE,
            stderr=DEVNULL,
            cwd="/",
            env=_environment(),
            start_new_session=True,  # Ctrl-C in the service's terminal is the service's business
        )
        child = cls(process)
        child._requests.write(pack({**kind.settings, "parent": os.getpid()}))
        return child

    @property
    def is_alive(self) -> bool:
        """Whether it can take another request."""
        return self._process.returncode is None and not self._replies.at_eof() and not self._is_leaving

    async def get_ready(self) -> None:
        """Wait for its first frame. Raises `ChildDied`."""
        if not self._is_ready:
            await self._next_frame()
            self._is_ready = True

    async def ask(self, request: Mapping[str, Any], take: TakeRows | None) -> Reply:
        """Send one request and collect its answer. Raises `ChildDied`. If this is cancelled, the process has to end."""
        rows: list[list[Any]] = []
        async with self._alive():
            self._requests.write(pack(dict(request)))
            await self._requests.drain()
        while True:
            frame = await self._next_frame()
            batch = frame.pop("rows", ())
            if take is None:
                rows.extend(batch)
            elif batch:
                await take(batch)
            if frame.get("end"):
                self._is_leaving = frame.get("last", False)
                return Reply(frame, rows)

    async def _next_frame(self) -> dict[str, Any]:
        async with self._alive():
            (size,) = HEADER.unpack(await self._replies.readexactly(HEADER.size))
            if size > MAX_FRAME_BYTES:
                raise ValueError("not a frame")
            frame: dict[str, Any] = json.loads(await self._replies.readexactly(size))
            return frame

    @asynccontextmanager
    async def _alive(self) -> AsyncIterator[None]:
        try:
            yield
        except (asyncio.IncompleteReadError, ConnectionError, ValueError):
            self.send(signal.SIGKILL)
            raise ChildDied(-min(await self._process.wait(), 0), is_ready=self._is_ready) from None

    async def leave(self) -> None:
        """Let an idle process end by itself, by closing its input, and see that it does."""
        self._requests.close()
        await self.end(_LEAVING_SECONDS)

    async def end(self, within: float) -> None:
        """Wait until the process has ended and been reaped; kill it where that takes more than `within` seconds."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(within):
                await self._process.wait()
        self.send(signal.SIGKILL)
        await self._process.wait()

    def send(self, number: signal.Signals) -> None:
        """Send it a signal, if it has not ended."""
        if self._process.returncode is None:
            # Not by the process object: that would reap a child that is dead already, and its exit status with it.
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._process.pid, number)


async def run_module(
    module: str, *arguments: str, seconds: float, environment: Mapping[str, str] | None = None
) -> tuple[int | None, str]:
    """Run a module of Askwell as a command with the service's environment; return its exit code and what it printed.

    The code is None where it took more than `seconds`, and was killed. Raises `OSError` where it cannot be started.
    """
    # -P: the folder that the service was started in has no say in what is imported.
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-m", module, *arguments),
        stdin=DEVNULL,
        stdout=PIPE,
        stderr=DEVNULL,
        env={**os.environ, **(environment or {})},
    )
    try:
        async with asyncio.timeout(seconds):
            printed = (await process.communicate())[0]
    except TimeoutError:
        return None, ""
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return process.returncode, printed.decode(errors="replace").strip()


def temporary_folder(prefix: str) -> tempfile.TemporaryDirectory[str]:
    """A folder for what a process is to read. Raises `Unavailable` where there is no place for it."""
    try:
        return tempfile.TemporaryDirectory(prefix=prefix)
    except OSError as error:
        raise Unavailable(*say("engine.no_temporary_files", strerror=error.strerror)) from None


def _environment() -> dict[str, str]:
    """Nothing of the service's environment, where keys live: only what libraries need to behave."""
    return {"PATH": os.defpath, "LANG": "C.UTF-8", "TZ": "UTC", "HOME": "/nonexistent", "MALLOC_ARENA_MAX": "2"}


def _import_roots(modules: Sequence[str]) -> list[str]:
    """The directories that `modules` would be imported from, found without importing them. What is not installed has
    none."""
    roots: dict[str, None] = {}
    for module in modules:
        spec = find_spec(module)
        if spec is not None and spec.origin is not None:
            origin = Path(spec.origin)
            roots[str(origin.parent.parent if spec.submodule_search_locations else origin.parent)] = None
    return list(roots)
