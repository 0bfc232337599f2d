"""Reading documents in child processes, whatever they hold."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from askwell.documents.blocks import Block
from askwell.documents.formats import FORMATS
from askwell.errors import AskwellError, EngineUnavailable, NotInstalled, Unavailable
from askwell.providers.engine.worker_pool import WorkerPool
from askwell.providers.engine.worker_process import WorkerDied, temporary_folder

# What a document gets: a thousand dense pages of PDF took six seconds on a slow machine.
SECONDS = 120.0
_PROCESSES = 1
_IDLE_SECONDS = 60.0
_PACKAGES = {"pdf": "pypdf", "docx": "docx"}
_ENTRY_POINT = Path(__file__).parent / "worker" / "__main__.py"
_REFUSALS = {
    "encrypted": ("it is encrypted", "Save it without a password and send it again."),
    "damaged": ("it is damaged, or of another format than its name says", "Save it anew and send it again."),
    "no_text": ("it has no text", "If it was scanned, make a document with text of it (OCR) and send that."),
    "too_large": ("there is too much in it", "Send it in several parts."),
}


class UnreadableDocument(AskwellError):
    """The document cannot be read; why stands in its words."""


class Extraction:
    """Reads documents. `close` ends its processes."""

    def __init__(self, *, seconds: float = SECONDS) -> None:
        self._seconds = seconds
        modules = tuple(package for package in (*_PACKAGES.values(), "lxml") if find_spec(package) is not None)
        self._pool = WorkerPool({}, modules, size=_PROCESSES, idle_seconds=_IDLE_SECONDS, entry_point=_ENTRY_POINT)

    @staticmethod
    def require(document_format: str) -> None:
        """Raises `NotInstalled` where what reads this format is not installed."""
        package = _PACKAGES.get(document_format)
        if package is not None and find_spec(package) is None:
            raise NotInstalled(
                f"Reading {FORMATS[document_format]} needs a package that is not installed.",
                "pip install 'askwell[documents]'",
            )

    async def read(self, content: bytes, document_format: str) -> Sequence[Block]:
        """The blocks of a document. Raises `UnreadableDocument`, `NotInstalled`, and `Unavailable` where no process can
        be started."""
        self.require(document_format)
        with temporary_folder("askwell-document-") as folder:
            file = Path(folder) / "document"
            await asyncio.to_thread(file.write_bytes, content)
            request = {"format": document_format, "file": str(file), "timeout": self._seconds}
            blocks: list[Block] = []

            async def take(rows: Sequence[Sequence[Any]]) -> None:
                blocks.extend(map(Block.from_wire, rows))

            try:
                async with self._pool.worker() as worker, asyncio.timeout(self._seconds):
                    told = (await worker.ask(request, take)).fields
            except TimeoutError:
                raise _unreadable(
                    f"reading it takes more than {self._seconds:g} seconds", "Send it in several parts."
                ) from None
            except WorkerDied:
                raise _unreadable("reading it needs more memory than it may use", "Send it in several parts.") from None
            except EngineUnavailable as error:
                raise Unavailable("A process to read documents in could not be started.", error.hint) from None
        if (reason := told.get("refused")) is not None:
            raise _unreadable(*_REFUSALS[reason])
        return blocks

    async def close(self) -> None:
        """End what is still read. Safe to call twice."""
        await self._pool.close()


def _unreadable(why: str, hint: str) -> UnreadableDocument:
    return UnreadableDocument(f"The document was not read: {why}.", hint)
