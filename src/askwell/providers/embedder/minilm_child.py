"""Making the embedder's files in a process of its own: the libraries that export would stay in the service's memory
for as long as it runs, some 170 MB of it."""

from __future__ import annotations

import asyncio
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE
from pathlib import Path

# Seconds. A slow machine takes ten.
TIME_LIMIT = 300.0


async def export_for_home(home: Path) -> str:
    """Run the exporting command for `home`; empty when the files are there now, else why not, in words for people."""
    # -P: the folder that the service was started in has no say in what is imported.
    command = (sys.executable, "-P", "-m", "askwell.providers.embedder.minilm_export")
    environment = {**os.environ, "ASKWELL_HOME": str(home)}
    try:
        child = await asyncio.create_subprocess_exec(
            *command, stdin=DEVNULL, stdout=PIPE, stderr=DEVNULL, env=environment
        )
    except OSError as error:
        return f"a process to make the embedder's files in could not be started ({error.strerror})."
    try:
        async with asyncio.timeout(TIME_LIMIT):
            said = (await child.communicate())[0].decode(errors="replace").strip()
    except TimeoutError:
        return f"making the embedder's files took more than {TIME_LIMIT:g} seconds."
    finally:
        if child.returncode is None:
            child.kill()
            await child.wait()
    if child.returncode == 0:
        return ""
    words = said.rpartition("\n")[2].removeprefix("Embedder: ")
    return words or f"the process that makes the embedder's files ended with status {child.returncode}."
