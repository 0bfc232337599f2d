"""A child process seen from inside: requests come in, answers go out, until the service closes the pipe.

Only the standard library may be imported here: a child has to start in about a tenth of a second and stay small, and it
must hold nothing of the service's that a hostile input could reach.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Generator
from typing import Any, BinaryIO

from askwell.child_process import limits
from askwell.child_process.wire import pack, read_frame

Request = dict[str, Any]
# The fields of the whole answer; or what yields frames of rows, some of them packed already, and returns these fields.
Answer = dict[str, Any] | Generator[dict[str, Any] | bytes, None, dict[str, Any] | None]


class Refused(Exception):
    """The service's input is refused, for the `reason`: a clause or a word that holds nothing of the input."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Child:
    """This process as a child of the service, whose `settings` it has read. It dies with the service from now on."""

    def __init__(self) -> None:
        self._requests, self._replies = _take_over_pipes()
        settings = read_frame(self._requests)
        if settings is None:
            sys.exit()
        self.settings = settings
        limits.die_with(settings["parent"])

    def serve(
        self,
        answer: Callable[[Request], Answer],
        *,
        cpu_factor: float = 2.0,
        afterwards: Callable[[], object] = lambda: None,
    ) -> None:
        """Answer requests until the pipe closes, or until the fields of an answer say that it is the `last`.

        A request may use `cpu_factor` times its timeout of the processor, and a second more. `afterwards` is called
        once an answer is sent.
        """
        self._write({"end": True})  # ready
        while (request := read_frame(self._requests)) is not None:
            limits.allow_cpu_seconds((request["timeout"] + 1) * cpu_factor)
            try:
                fields = self._fields(answer(request))
            except Refused as refused:
                fields = {"refused": refused.reason}
            except MemoryError:
                fields = {"out_of_memory": True, "last": True}
            self._write({**fields, "end": True})
            if fields.get("last"):
                return
            afterwards()

    def _fields(self, answer: Answer) -> dict[str, Any]:
        """Send the frames of an answer, all but the last one, whose fields it returns."""
        while not isinstance(answer, dict):
            try:
                self._write(next(answer))
            except StopIteration as end:
                return end.value or {}
        return answer

    def _write(self, frame: dict[str, Any] | bytes) -> None:
        """Write a frame to the end, however little a pipe takes at once."""
        rest = memoryview(frame if isinstance(frame, bytes) else pack(frame))
        while rest:
            rest = rest[self._replies.write(rest) :]


def _take_over_pipes() -> tuple[BinaryIO, BinaryIO]:
    """Keep standard input and output for the protocol, and point 0 and 1 where stray prints do no harm."""
    requests = os.fdopen(os.dup(0), "rb", buffering=0)
    replies = os.fdopen(os.dup(1), "wb", buffering=0)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1):
        os.dup2(nowhere, descriptor)
    os.close(nowhere)
    return requests, replies
