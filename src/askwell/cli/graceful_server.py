"""The HTTP server with an end that says what it waits for: one signal lets running asks end, a second one does not.
Either way the end comes, whatever the process is doing."""

from __future__ import annotations

import asyncio
import faulthandler
import logging
import os
import socket
import threading
from collections.abc import Callable
from types import FrameType

import typer
import uvicorn

from askwell.ask_container import TRACES_SECONDS
from askwell.container import Container
from askwell.jobs.engine import DRAIN_SECONDS

logger = logging.getLogger(__name__)

# What open connections get to end after SIGTERM, once running asks had their time.
CONNECTIONS_SECONDS = 5
# What a stop may take in all: the waits above, and a little for closing everything. The stop grace periods in
# docs/deployment.md leave room for it.
STOP_SECONDS = DRAIN_SECONDS + CONNECTIONS_SECONDS + TRACES_SECONDS + 2.0
# The same after a second signal.
STOP_NOW_SECONDS = 3.0
# What threads get once all is closed: Python would wait for them without end.
_THREADS_SECONDS = 1.0


class GracefulServer(uvicorn.Server):
    """Announces that it is ready by `on_ready`, and what it does when it is to stop. While running asks end it goes on
    answering: their callers can read the end, and load balancers hear that this one is not ready. Where it
    `has_process` to itself, that ends in time too, whatever its threads are doing."""

    def __init__(self, config: uvicorn.Config, services: Container, on_ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._services = services
        self._on_ready = on_ready
        self._loop: asyncio.AbstractEventLoop | None = None
        self._draining: asyncio.Task[None] | None = None
        self.told_to_stop = False
        self.has_process = False
        self._nowhere = open(os.devnull, "w")  # noqa: SIM115 - until the process ends

    def run(self, sockets: list[socket.socket] | None = None) -> None:
        """See `uvicorn.Server.run`. The process is this server's."""
        self.has_process = True
        super().run(sockets)

    async def serve(self, sockets: list[socket.socket] | None = None) -> None:
        """See `uvicorn.Server.serve`."""
        await super().serve(sockets)
        if self.told_to_stop and self.has_process:
            cut = threading.Timer(_THREADS_SECONDS, os._exit, (0,))
            cut.daemon = True
            cut.start()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """See `uvicorn.Server.startup`."""
        await super().startup(sockets)
        if self.started:
            self._loop = asyncio.get_running_loop()
            self._on_ready()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """A signal came. Runs between any two instructions, so all it does is to leave word with the event loop, and
        with a thread that needs neither the loop nor the interpreter to end the process when the time is up. Query
        processes end with it."""
        again, self.told_to_stop = self.told_to_stop, True
        if self.has_process:
            seconds = STOP_NOW_SECONDS if again else STOP_SECONDS
            faulthandler.dump_traceback_later(seconds, exit=True, file=self._nowhere)
        if self._loop is None:
            raise SystemExit  # nothing was accepted yet; a start may be waiting for its record
        self._loop.call_soon_threadsafe(self._stop_now if again else self._stop)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """See `uvicorn.Server.shutdown`, which leaves the application as it is when it is forced to end."""
        await super().shutdown(sockets)
        if self.force_exit:
            await self.lifespan.shutdown()

    def _stop(self) -> None:
        running = self._services.drain()
        self._draining = asyncio.create_task(self._exit_when_drained(), name="drain-server")
        if running == 0:
            typer.echo("Stopping.")
            return
        asks = "1 running ask" if running == 1 else f"{running} running asks"
        typer.echo(f"Stopping: letting {asks} end, at most {DRAIN_SECONDS:g} s; press Ctrl-C again to stop now.")

    async def _exit_when_drained(self) -> None:
        try:
            await self._services.drained()
        except Exception as error:  # noqa: BLE001 - the server has to end, whatever keeps asks from it
            logger.error("running asks could not be ended", extra={"error": type(error).__name__})
        finally:
            self.should_exit = True

    def _stop_now(self) -> None:
        typer.echo("Stopping now; what was running starts again with the service.")
        self.should_exit = self.force_exit = True
        self._services.hurry()
