"""Reading Word documents: their words, and never their macros."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator

from askwell.documents.blocks import Block, table_block
from askwell.documents.worker.refusals import Refused

_HEADING = re.compile(r"(?:heading|überschrift|titre|título)\s*(\d)", re.IGNORECASE)
_MOST_UNPACKED = 150_000_000
_MOST_FILES = 20_000


def read_docx(content: bytes) -> Iterator[Block]:
    """Headings by their styles, paragraphs and tables. Raises `Refused`."""
    _refuse_bombs(content)
    import docx
    from docx.table import Table

    document = docx.Document(io.BytesIO(content))
    for part in document.iter_inner_content():
        if isinstance(part, Table):
            table = table_block([[cell.text for cell in row.cells] for row in part.rows])
            if table is not None:
                yield table
            continue
        style = (part.style.name if part.style is not None else "") or ""
        heading = _HEADING.match(style)
        if heading or style.lower() == "title":
            yield Block("heading", " ".join(part.text.split()), level=int(heading[1]) if heading else 1)
        else:
            yield Block("paragraph", part.text.strip())


def _refuse_bombs(content: bytes) -> None:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            files = packed.infolist()
            if len(files) > _MOST_FILES or sum(one.file_size for one in files) > _MOST_UNPACKED:
                raise Refused("too_large")
            if any(one.flag_bits & 1 for one in files):
                raise Refused("encrypted")
    except zipfile.BadZipFile:
        raise Refused("damaged") from None
