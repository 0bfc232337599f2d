"""Server-sent events over an iterator, with a sign of life while nothing comes."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterable
from typing import Annotated, Any, TypeVar

from fastapi import Header
from starlette.responses import StreamingResponse

from askwell.errors import AskwellError
from askwell.jobs.events import JobEvent, json_bytes
from askwell.knowledge.threads import RunEvent

logger = logging.getLogger(__name__)

_T = TypeVar("_T")
Piece = bytes | memoryview

LastEventId = Annotated[str | None, Header(alias="Last-Event-ID", max_length=255)]

_PING = b": still writing\n\n"
_HEARTBEAT = b"event: heartbeat\ndata: {}\n\n"
_GOODBYE = b": the service is shutting down; come back for the rest\n\n"
_SILENCE_SECONDS = 15.0
_PIECE_BYTES = 64 * 1024
# What is there already is still sent when the service ends; nothing new is waited for longer than this.
_LAST_SECONDS = 0.5


def message_stream(
    chunks: AsyncIterator[str], ending: asyncio.Event, *, ping_seconds: float = _SILENCE_SECONDS
) -> StreamingResponse:
    """`data: {"message":"chunk"}` for every chunk, and one for all that wait already. It ends when they end, or soon
    after `ending` is set. Proxies are told not to buffer it."""

    def frame(chunk: str) -> Iterable[Piece]:
        # The client whose contract this is takes what stands before the first `"}`.
        text = json_bytes(chunk).replace(b'"}', b'"\\u007d')
        return [b'data: {"message":' + text + b"}\n\n"]

    return _stream(_without_backlog(chunks), frame, _PING, ping_seconds, ending)


def event_stream(
    events: AsyncIterator[JobEvent], ending: asyncio.Event, *, heartbeat_seconds: float = _SILENCE_SECONDS
) -> StreamingResponse:
    """Every event with its id and kind, and `event: heartbeat`, which has no id, while nothing happens; until they end,
    or soon after `ending` is set."""

    def frame(event: JobEvent) -> Iterable[Piece]:
        begin = f"id: {event.id}\nevent: {event.kind}\ndata: ".encode()
        if len(event.json) <= _PIECE_BYTES:
            yield begin + event.json + b"\n\n"
            return
        yield begin
        # A reader who is slow then holds a piece, and not a copy of it all.
        whole = memoryview(event.json)
        for start in range(0, len(whole), _PIECE_BYTES):
            yield whole[start : start + _PIECE_BYTES]
        yield b"\n\n"

    return _stream(events, frame, _HEARTBEAT, heartbeat_seconds, ending)


def record_stream(found: AsyncIterator[RunEvent], ending: asyncio.Event) -> StreamingResponse:
    """Every event of a run with the id by which readers come back, without a name: clients of such protocols tell them
    apart by what stands in them."""

    def frame(one: RunEvent) -> Iterable[Piece]:
        return [b"id: %d\ndata: %b\n\n" % (one.place, json_bytes(one.event))]

    return _stream(found, frame, _PING, _SILENCE_SECONDS, ending)


def plain_stream(found: AsyncIterator[str], ending: asyncio.Event) -> StreamingResponse:
    """Every text as the data of an event without a name."""

    def frame(text: str) -> Iterable[Piece]:
        return [b"data: " + text.encode(errors="replace") + b"\n\n"]

    return _stream(found, frame, _PING, _SILENCE_SECONDS, ending)


def last_event_id(header: str | None) -> int | None:
    """The id in a `Last-Event-ID` header; None where there is none, or one that is not ours: then from the start."""
    return int(header) if header is not None and header.isascii() and header.isdigit() and len(header) < 20 else None


def _stream(
    items: AsyncIterator[_T],
    frame: Callable[[_T], Iterable[Piece]],
    sign_of_life: bytes,
    silence: float,
    ending: asyncio.Event,
) -> StreamingResponse:
    return StreamingResponse(
        _frames(items, frame, sign_of_life, silence, ending),
        media_type="text/event-stream",
        headers={"Cache-Control": "no-cache", "X-Accel-Buffering": "no"},
    )


async def _without_backlog(chunks: AsyncIterator[str]) -> AsyncIterator[str]:
    """The same text, with all that is there at once in one piece."""
    following: asyncio.Future[str] | None = None
    try:
        while True:
            following = following or asyncio.ensure_future(anext(chunks))
            await asyncio.wait({following})
            text = ""
            while following.done() and len(text) < _PIECE_BYTES:
                try:
                    text += following.result()
                except StopAsyncIteration:
                    if text:
                        yield text
                    return
                following = asyncio.ensure_future(anext(chunks))
                await asyncio.sleep(0)  # it takes one step to its end where a chunk is there
            yield text
    finally:
        if following is not None and not following.done():
            following.cancel()
            await asyncio.wait({following})


async def _frames(
    items: AsyncIterator[_T],
    frame: Callable[[_T], Iterable[Piece]],
    sign_of_life: bytes,
    silence: float,
    ending: asyncio.Event,
) -> AsyncIterator[Piece]:
    pending: asyncio.Future[_T] | None = None
    stop = asyncio.ensure_future(ending.wait())
    try:
        while True:
            pending = pending or asyncio.ensure_future(anext(items))
            either: set[asyncio.Future[Any]] = {pending, stop}
            await asyncio.wait(either, timeout=silence, return_when=asyncio.FIRST_COMPLETED)
            if stop.done():
                await asyncio.wait({pending}, timeout=_LAST_SECONDS)
            if not pending.done():
                if stop.done():
                    yield _GOODBYE
                    return
                yield sign_of_life
                continue
            try:
                item = pending.result()
            except StopAsyncIteration:
                return
            except AskwellError as error:
                logger.warning("a stream broke off", extra={"error": error.code})
                return
            finally:
                pending = None
            for piece in frame(item):
                yield piece
    finally:
        stop.cancel()
        if pending is not None:
            pending.cancel()
            await asyncio.wait({pending})
