"""Server-sent events over an iterator of chunks, with a sign of life while nothing comes."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator

from starlette.responses import StreamingResponse

from askwell.errors import AskwellError

logger = logging.getLogger(__name__)

_PING = b": still writing\n\n"
_PING_SECONDS = 15.0


def message_stream(chunks: AsyncIterator[str], *, ping_seconds: float = _PING_SECONDS) -> StreamingResponse:
    """`data: {"message": chunk}` for every chunk, ending when they end. Proxies are told not to buffer it."""
    return StreamingResponse(
        _events(chunks, ping_seconds),
        media_type="text/event-stream",
        headers={"Cache-Control": "no-cache", "X-Accel-Buffering": "no"},
    )


async def _events(chunks: AsyncIterator[str], ping_seconds: float) -> AsyncIterator[bytes]:
    pending: asyncio.Future[str] | None = None
    try:
        while True:
            pending = pending or asyncio.ensure_future(anext(chunks))
            done, _ = await asyncio.wait({pending}, timeout=ping_seconds)
            if not done:
                yield _PING
                continue
            try:
                chunk = pending.result()
            except StopAsyncIteration:
                return
            except AskwellError as error:
                logger.warning("a stream broke off", extra={"error": error.code})
                return
            finally:
                pending = None
            # A model may write half a surrogate pair, which has no bytes of its own.
            data = json.dumps({"message": chunk}, ensure_ascii=False).encode(errors="replace")
            yield b"data: " + data + b"\n\n"
    finally:
        if pending is not None:
            pending.cancel()
            await asyncio.wait({pending})
