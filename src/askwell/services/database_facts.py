"""Whether a configured database is there, for readiness probes that come every few seconds."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
from collections.abc import Mapping
from typing import Any

from askwell.config import DataSourceConfig, address, kind_of

# Seconds for a server to take a connection; a probe has to answer soon.
TIME_LIMIT = 2.0


async def database_facts(source: DataSourceConfig) -> Mapping[str, Any]:
    """`{ok, message}`. Cheap, and in nobody's way: a file is not opened, a server is not signed in to, and no
    connection of an engine is taken for it. Where the database is stays untold: anybody may ask."""
    if source.path is not None:
        if os.access(source.path, os.R_OK):
            return {"ok": True, "message": f"{source.engine} file, readable"}
        return {"ok": False, "message": f"The {source.engine} file is missing or may not be read by this user."}
    kind, server = kind_of(source), address(source)
    if server is None:
        return {"ok": True, "message": f"{kind}; not looked at before it is asked"}
    try:
        async with asyncio.timeout(TIME_LIMIT):
            _, writer = await asyncio.open_connection(*server)
    except TimeoutError:
        return {"ok": False, "message": f"The server ({kind}) takes no connection within {TIME_LIMIT:g} seconds."}
    except (OSError, ValueError) as error:
        # The error's own words hold the address. Those of looking up a name have numbers of another kind.
        number = error.errno if isinstance(error, OSError) and not isinstance(error, socket.gaierror) else None
        reason = os.strerror(number) if number else "its name is not known"
        return {"ok": False, "message": f"The server ({kind}) cannot be reached: {reason}."}
    writer.close()
    with contextlib.suppress(OSError):
        await writer.wait_closed()
    return {"ok": True, "message": f"{kind}, reachable"}
