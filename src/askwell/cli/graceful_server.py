"""The HTTP server with an end that says what it waits for: one signal lets running asks end, a second one does not."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from types import FrameType
from typing import Protocol

import typer
import uvicorn

from askwell.container import DRAIN_SECONDS


class Stoppable(Protocol):
    """What the server stops: `container.Container` fits."""

    def drain(self) -> int:
        """Take no more asks and let the running ones end, in the background; how many there are."""
        ...

    def hurry(self) -> None:
        """Wait for running asks no longer."""
        ...


class GracefulServer(uvicorn.Server):
    """Announces that it is ready by `on_ready`, and what it does when it is told to stop."""

    def __init__(self, config: uvicorn.Config, services: Stoppable, on_ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._services = services
        self._on_ready = on_ready
        self._loop: asyncio.AbstractEventLoop | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """See `uvicorn.Server.startup`."""
        await super().startup(sockets)
        if self.started:
            self._loop = asyncio.get_running_loop()
            self._on_ready()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """A signal came. Runs between any two instructions, so all it does is to leave word with the event loop."""
        step = self._stop_now if self.should_exit else self._stop
        self.force_exit = self.should_exit
        self.should_exit = True
        self._captured_signals.append(sig)
        if self._loop is not None:
            self._loop.call_soon_threadsafe(step)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """See `uvicorn.Server.shutdown`, which leaves the application as it is when it is forced to end."""
        await super().shutdown(sockets)
        if self.force_exit:
            await self.lifespan.shutdown()

    def _stop(self) -> None:
        # Asks begin to end now, not when the last connection has gone: that may be one that reads along.
        running = self._services.drain()
        if running == 0:
            typer.echo("Stopping.")
            return
        asks = "1 running ask" if running == 1 else f"{running} running asks"
        typer.echo(f"Stopping: letting {asks} end, at most {DRAIN_SECONDS:g} s; press Ctrl-C again to stop now.")

    def _stop_now(self) -> None:
        typer.echo("Stopping now; what was running starts again with the service.")
        self._services.hurry()
