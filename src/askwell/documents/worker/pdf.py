"""Reading PDF, page by page."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator

from askwell.documents.blocks import Block
from askwell.documents.worker.refusals import Refused

_MOST_PAGES = 3_000
# A line that ends so goes on in the next one.
_HYPHEN = re.compile(r"(\w)-\n(\w)")
_NUMBERED = re.compile(r"(?:\d+(?:\.\d+)*\.?|[A-Z]\.|(?:Chapter|Section|Part|Appendix)\b)")
_LONGEST_HEADING = 90


def read_pdf(content: bytes) -> Iterator[Block]:
    """Paragraphs with their pages; a short line by itself is a heading. Raises `Refused`."""
    from pypdf import PdfReader
    from pypdf.errors import PdfReadError

    try:
        reader = PdfReader(io.BytesIO(content))
        if reader.is_encrypted and not reader.decrypt(""):
            raise Refused("encrypted")
        if len(reader.pages) > _MOST_PAGES:
            raise Refused("too_large")
        for number, page in enumerate(reader.pages, 1):
            yield from _blocks(page.extract_text() or "", number)
    except PdfReadError:
        raise Refused("damaged") from None


def _blocks(text: str, page: int) -> Iterator[Block]:
    for part in re.split(r"\n[ \t]*\n", _HYPHEN.sub(r"\1\2", text)):
        lines = [" ".join(line.split()) for line in part.split("\n") if line.strip()]
        while lines and _is_heading(lines[0], alone=len(lines) == 1):
            yield Block("heading", lines.pop(0), level=2, page=page)
        if lines:
            yield Block("paragraph", "\n".join(lines), page=page)


def _is_heading(line: str, *, alone: bool) -> bool:
    if len(line) > _LONGEST_HEADING or line.endswith((".", ",", ";", ":")) or not any(map(str.isalpha, line)):
        return False
    return (line[:1].isupper() and alone) or (_NUMBERED.match(line) is not None and any(map(str.isalpha, line[3:])))
