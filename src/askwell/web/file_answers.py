"""Files as answers."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from typing import IO, Any
from urllib.parse import quote

from fastapi.responses import StreamingResponse

BINARY: dict[str, Any] = {"schema": {"type": "string", "format": "binary"}}
_PIECE = 1 << 18
# What stays of a name: no folders, no quotes, nothing that a shell or Windows takes for something else.
_NOT_SAFE = re.compile(r"[^\w .()+,-]+")
_LONGEST = 120


def file_answer(file: IO[bytes], media_type: str, name: str) -> StreamingResponse:
    """The file as a download, from its beginning; it is closed when it has been sent. `name` is as `safe_name`."""
    ascii_name = name.encode("ascii", "replace").decode().replace("?", "_")
    headers = {
        "Content-Disposition": f"attachment; filename=\"{ascii_name}\"; filename*=UTF-8''{quote(name, safe='')}",
        "Content-Length": str(file.seek(0, 2)),
    }
    return StreamingResponse(_pieces(file), media_type=media_type, headers=headers)


def safe_name(wanted: str, ending: str) -> str:
    """A name for a file as near to the wanted one as any system takes; `ending` has no dot."""
    bare = wanted[: -len(ending) - 1] if wanted.lower().endswith(f".{ending}") else wanted
    kept = _NOT_SAFE.sub("_", bare)[:_LONGEST].strip(" .")
    return f"{kept or 'result'}.{ending}"


async def _pieces(file: IO[bytes]) -> AsyncIterator[bytes]:
    with file:
        file.seek(0)
        while piece := await asyncio.to_thread(file.read, _PIECE):
            yield piece
