"""Reads documents, of the formats that are known, in child processes."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from askwell.child_process.pool import ChildKind, ChildWork, temporary_folder
from askwell.documents.blocks import Block
from askwell.errors import AskwellError, InvalidRequest, NotInstalled
from askwell.messages import say

# What each format is called to people, by the ends of names.
FORMATS = {"md": "Markdown", "txt": "text", "html": "HTML", "pdf": "PDF", "docx": "Word", "csv": "CSV"}
_OTHER_ENDS = {"markdown": "md", "text": "txt", "htm": "html", "docm": "docx", "tsv": "csv"}
_BEGINNINGS = {b"%PDF-": "pdf", b"PK\x03\x04": "docx"}


# What a document gets: a thousand dense pages of PDF took six seconds on a slow machine.
SECONDS = 120.0
_PACKAGES = {"pdf": "pypdf", "docx": "docx"}
_KIND = ChildKind(
    "askwell.documents.child", "to read documents in", "reading it", (*_PACKAGES.values(), "lxml"), idle_seconds=60.0
)
_REFUSALS = {
    "encrypted": ("it is encrypted", "Save it without a password and send it again."),
    "damaged": ("it is damaged, or of another format than its name says", "Save it again and resend it."),
    "no_text": ("it has no text", "If it was scanned, make a document with text of it (OCR) and send that."),
    "too_large": ("there is too much in it", "Send it in several parts."),
}


def format_of(name: str, content: bytes) -> str:
    """The format of a file. Raises `InvalidRequest` for one that cannot be read."""
    _, dot, end = name.rpartition(".")
    ends = end.lower()
    known = (ends if ends in FORMATS else _OTHER_ENDS.get(ends)) if dot else "txt"
    begins = next((one for start, one in _BEGINNINGS.items() if content.startswith(start)), None)
    if known is None or (begins is not None and known != begins):
        said = f"is a {FORMATS[begins]} file under another name" if known and begins else f"ends in .{end[:20]}"
        raise InvalidRequest(
            *say("documents.unreadable", name=name[-80:], said=said, formats=", ".join(FORMATS.values()))
        )
    if known in _BEGINNINGS.values() and begins is None:
        raise InvalidRequest(*say("documents.damaged", name=name[-80:], formats=FORMATS[known]))
    return known


class UnreadableDocument(AskwellError):
    """The document cannot be read; why stands in its words."""


class Extraction(ChildWork):
    """Reads documents, each in at most `seconds`."""

    def __init__(self, *, seconds: float = SECONDS) -> None:
        super().__init__(_KIND, seconds)

    @staticmethod
    def require(document_format: str) -> None:
        """Raises `NotInstalled` where what reads this format is not installed."""
        package = _PACKAGES.get(document_format)
        if package is not None and find_spec(package) is None:
            raise NotInstalled(*say("documents.package_missing", formats=FORMATS[document_format]))

    async def read(self, content: bytes, document_format: str) -> Sequence[Block]:
        """The blocks of a document. Raises `UnreadableDocument`, `NotInstalled`, and `Unavailable` where no process can
        be started."""
        self.require(document_format)
        with temporary_folder("askwell-document-") as folder:
            file = Path(folder) / "document"
            await asyncio.to_thread(file.write_bytes, content)
            request = {"format": document_format, "file": str(file)}
            blocks: list[Block] = []

            async def take(rows: Sequence[Sequence[Any]]) -> None:
                blocks.extend(Block(*row) for row in rows)

            await self._answer(request, _unreadable, take=take)
        return blocks


def _unreadable(reason: str) -> UnreadableDocument:
    """By the process's own word for it, or by a clause."""
    why, hint = _REFUSALS.get(reason, (reason, "Send it in several parts."))
    return UnreadableDocument(f"The document was not read: {why}.", hint)
