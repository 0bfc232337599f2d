"""Running asynchronous work from a command, in a way that can be cancelled."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import threading
from collections.abc import Awaitable, Callable
from typing import TypeVar

from askwell.cli.messages import failures_told, status_of
from askwell.errors import AskwellError

T = TypeVar("T")


def run(work: Awaitable[T], status: Callable[[AskwellError], int] = status_of) -> T:
    """What `work` returns. Prints an `AskwellError` and ends the command with its status; ends it too where somebody
    interrupts."""

    async def done() -> T:
        return await work

    with failures_told(status):
        return asyncio.run(done())


async def until_signalled(work: Awaitable[T], *others: signal.Signals) -> T:
    """What `work` gives. SIGTERM, Ctrl-C (also in the background) and `others` cancel it, so that it cleans up; later
    signals are for whatever comes next."""
    running, loop = asyncio.ensure_future(work), asyncio.get_running_loop()
    signals = (signal.SIGTERM, signal.SIGINT, *others)
    for one in signals:
        loop.add_signal_handler(one, running.cancel)
    try:
        return await running
    finally:
        for one in signals:
            loop.remove_signal_handler(one)


def in_own_thread(call: Callable[[], T]) -> asyncio.Future[T]:
    """What `call` gives or raises. A wait can be cancelled: the thread is then left behind, and keeps no process
    alive. Asyncio's own threads would be waited for at the end."""
    loop = asyncio.get_running_loop()
    found: asyncio.Future[T] = loop.create_future()

    def tell(result: T | None, error: BaseException | None) -> None:
        if found.done():
            return
        if error is not None:
            found.set_exception(error)
        else:
            found.set_result(result)  # type: ignore[arg-type]

    def run() -> None:
        result, error = None, None
        try:
            result = call()
        except BaseException as raised:  # noqa: BLE001 - raised where it is waited for
            error = raised
        with contextlib.suppress(RuntimeError):  # nobody waits any more
            loop.call_soon_threadsafe(tell, result, error)

    threading.Thread(target=run, name="askwell-waiting", daemon=True).start()
    return found
