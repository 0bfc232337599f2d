"""Server-sent events over an iterator, with a sign of life while nothing comes."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

from fastapi import Header
from starlette.responses import StreamingResponse

from askwell.errors import AskwellError

logger = logging.getLogger(__name__)

_T = TypeVar("_T")

LastEventId = Annotated[str | None, Header(alias="Last-Event-ID", max_length=255)]

_PING = b": still writing\n\n"
_HEARTBEAT = b"event: heartbeat\ndata: {}\n\n"
_SILENCE_SECONDS = 15.0


@dataclass(frozen=True, slots=True)
class ServerEvent:
    """A named event with an id to go on from."""

    id: int
    name: str
    data: Mapping[str, Any]


def message_stream(chunks: AsyncIterator[str], *, ping_seconds: float = _SILENCE_SECONDS) -> StreamingResponse:
    """`data: {"message": chunk}` for every chunk, ending when they end. Proxies are told not to buffer it."""
    return _stream(chunks, lambda chunk: b"data: " + _json({"message": chunk}) + b"\n\n", _PING, ping_seconds)


def event_stream(
    events: AsyncIterator[ServerEvent], *, heartbeat_seconds: float = _SILENCE_SECONDS
) -> StreamingResponse:
    """Every event with its id and name, and `event: heartbeat`, which has no id, while nothing happens."""

    def frame(event: ServerEvent) -> bytes:
        return f"id: {event.id}\nevent: {event.name}\n".encode() + b"data: " + _json(event.data) + b"\n\n"

    return _stream(events, frame, _HEARTBEAT, heartbeat_seconds)


def last_event_id(header: str | None) -> int | None:
    """The id in a `Last-Event-ID` header; None where there is none, or one that is not ours: then from the start."""
    return int(header) if header is not None and header.isascii() and header.isdigit() and len(header) < 20 else None


def _json(data: Mapping[str, Any]) -> bytes:
    # A model may write half a surrogate pair, which has no bytes of its own.
    return json.dumps(data, ensure_ascii=False).encode(errors="replace")


def _stream(
    items: AsyncIterator[_T], frame: Callable[[_T], bytes], sign_of_life: bytes, silence: float
) -> StreamingResponse:
    return StreamingResponse(
        _frames(items, frame, sign_of_life, silence),
        media_type="text/event-stream",
        headers={"Cache-Control": "no-cache", "X-Accel-Buffering": "no"},
    )


async def _frames(
    items: AsyncIterator[_T], frame: Callable[[_T], bytes], sign_of_life: bytes, silence: float
) -> AsyncIterator[bytes]:
    pending: asyncio.Future[_T] | None = None
    try:
        while True:
            pending = pending or asyncio.ensure_future(anext(items))
            done, _ = await asyncio.wait({pending}, timeout=silence)
            if not done:
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
            yield frame(item)
    finally:
        if pending is not None:
            pending.cancel()
            await asyncio.wait({pending})
