"""Vega for browsers: one JavaScript module with Vega, Vega-Lite and vega-embed, out of the package that draws pictures.

Putting it together takes some seconds of a processor, so a process of its own does it, once for an installation; what
it made is kept under the service's home.
"""

from __future__ import annotations

import asyncio
import gzip
import os
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from askwell.charts.rendering import ChartsNotInstalled, can_render
from askwell.child_process.pool import run_module
from askwell.errors import Unavailable
from askwell.messages import say

# What the module sets: https://github.com/vega/vega-embed says how it is called.
_SETS = "globalThis.askwellVegaEmbed = vegaEmbed;"
_SECONDS = 120.0


def library_version() -> str:
    """Names what the library is made of; "" where the extra `charts` is not installed."""
    try:
        return version("vl-convert-python") if can_render() else ""
    except PackageNotFoundError:
        return ""


class VegaLibrary:
    """The module, compressed. `home` is where it is kept."""

    def __init__(self, home: Path) -> None:
        self._file = home / "page" / f"vega-{library_version()}.js.gz"
        self._making = asyncio.Lock()
        self._content: bytes | None = None

    async def compressed(self) -> bytes:
        """The module as gzip. The first call takes some seconds. Raises `ChartsNotInstalled`, and `Unavailable` where
        it cannot be made or kept."""
        if not can_render():
            raise ChartsNotInstalled
        async with self._making:
            if self._content is None:
                if not self._file.exists():
                    await self._make()
                self._content = await asyncio.to_thread(self._file.read_bytes)
            return self._content

    async def _make(self) -> None:
        status, _ = await run_module("askwell.charts.vega_library", str(self._file), seconds=_SECONDS)
        if status != 0:
            raise Unavailable(*say("charts.library_not_made"))


def _write(file: Path) -> None:
    from vl_convert import javascript_bundle

    file.parent.mkdir(parents=True, exist_ok=True)
    unfinished = file.with_name(f"{file.name}.{os.getpid()}.tmp")
    unfinished.write_bytes(gzip.compress(javascript_bundle(_SETS).encode(), 9, mtime=0))
    unfinished.replace(file)


if __name__ == "__main__":
    _write(Path(sys.argv[1]))
