"""The protocol between the service and its child processes: frames of JSON with a length in front, over pipes.

A frame is a four-byte big-endian length and that many bytes of UTF-8 JSON. The child first sends a frame that says it
is ready. The service sends one frame a request; the child answers with one or more, the last of which carries
`"end": true`, and `"last": true` where the child ends after it. Large results come as many small frames, so that
decoding one never holds up the service's event loop.
"""

from __future__ import annotations

import json
import struct
from typing import Any, BinaryIO

HEADER = struct.Struct(">I")

# A child that announces more than this is not speaking the protocol. The largest honest frame is one row of
# `byte_limit` bytes and the batch it came with.
MAX_FRAME_BYTES = 256 * 1024 * 1024


def pack(message: dict[str, Any]) -> bytes:
    """The frame that carries `message`."""
    return pack_text(json.dumps(message, separators=(",", ":")))


def pack_text(text: str) -> bytes:
    """The frame that carries a message which is JSON already."""
    body = text.encode("utf-8", "replace")
    return HEADER.pack(len(body)) + body


def read_frame(stream: BinaryIO) -> dict[str, Any] | None:
    """The next frame of a blocking stream; None when the other side has gone."""
    header = _read_exactly(stream, HEADER.size)
    if header is None:
        return None
    body = _read_exactly(stream, HEADER.unpack(header)[0])
    if body is None:
        return None
    message: dict[str, Any] = json.loads(body)
    return message


def _read_exactly(stream: BinaryIO, size: int) -> bytes | None:
    chunks = bytearray()
    while len(chunks) < size:
        chunk = stream.read(size - len(chunks))
        if not chunk:
            return None
        chunks += chunk
    return bytes(chunks)
