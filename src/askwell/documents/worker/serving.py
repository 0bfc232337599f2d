"""The loop of a process that reads documents: a file comes in, its blocks go out, until the service closes the pipe.

Whoever wrote a document may want to harm its reader: there is no network here, no environment, no file that may be
written, and little memory and time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from askwell.documents.blocks import Block
from askwell.documents.worker.plain import read_csv, read_markdown, read_text
from askwell.documents.worker.refusals import Refused
from askwell.documents.worker.web_page import read_html
from askwell.providers.engine.wire import pack, read_frame
from askwell.providers.engine.worker import limits
from askwell.providers.engine.worker.serving import begin, write_all

_MEMORY_MIB = 768
# What is read of one document: a thousand dense pages are three million characters.
_MOST_CHARACTERS = 12_000_000
_MOST_BLOCKS = 200_000
_BATCH_CHARACTERS = 128 * 1024


def main() -> None:
    """Read the settings, then serve until the pipe closes."""
    requests, replies, _ = begin()
    limits.leave_network()
    limits.restrict_process()
    limits.tighten_address_space(_MEMORY_MIB)
    while (request := read_frame(requests)) is not None:
        limits.allow_cpu_seconds(request["timeout"] * 2)
        for frame in _answer(request):
            write_all(replies, frame)


def _answer(request: dict[str, Any]) -> Iterator[bytes]:
    try:
        content = Path(request["file"]).read_bytes()
        for batch in _batches(_limited(_READERS[request["format"]](content))):
            yield pack({"rows": [block.to_wire() for block in batch]})
        yield pack({"end": True})
    except Refused as refused:
        yield pack({"end": True, "refused": refused.reason})
    except MemoryError:
        yield pack({"end": True, "refused": "too_large"})
    except Exception:  # noqa: BLE001 - of whatever a library meets in what it reads; its words may quote the document
        yield pack({"end": True, "refused": "damaged"})


def _limited(blocks: Iterable[Block]) -> Iterator[Block]:
    """The blocks that have text. Raises `Refused` where there is none, or more than anybody wants."""
    characters = count = 0
    for block in blocks:
        if not block.text.strip():
            continue
        characters, count = characters + len(block.text), count + 1
        if characters > _MOST_CHARACTERS or count > _MOST_BLOCKS:
            raise Refused("too_large")
        yield block
    if not count:
        raise Refused("no_text")


def _batches(blocks: Iterable[Block]) -> Iterator[list[Block]]:
    batch: list[Block] = []
    size = 0
    for block in blocks:
        batch.append(block)
        size += len(block.text)
        if size > _BATCH_CHARACTERS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _read_pdf(content: bytes) -> Iterator[Block]:
    from askwell.documents.worker.pdf import read_pdf

    yield from read_pdf(content)


def _read_docx(content: bytes) -> Iterator[Block]:
    from askwell.documents.worker.word import read_docx

    yield from read_docx(content)


_READERS: dict[str, Callable[[bytes], Iterable[Block]]] = {
    "md": read_markdown,
    "txt": read_text,
    "html": read_html,
    "csv": read_csv,
    "pdf": _read_pdf,
    "docx": _read_docx,
}
