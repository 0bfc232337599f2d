"""The process that reads documents: a file comes in, its blocks go out.

A document may be made to harm its reader: there is no network here, no environment, no file that may be written, and
little memory and time.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from dataclasses import astuple
from pathlib import Path
from typing import Any

from askwell.child_process import limits
from askwell.child_process.child import Child, Refused, Request
from askwell.documents.blocks import Block
from askwell.documents.readers import READERS

_MEMORY_MIB = 768
# What is read of one document: a thousand dense pages are three million characters.
_MOST_CHARACTERS = 12_000_000
_MOST_BLOCKS = 200_000
_BATCH_CHARACTERS = 128 * 1024


def main() -> None:
    """Serve until the pipe closes."""
    child = Child()
    limits.leave_network()
    limits.restrict_process()
    limits.tighten_address_space(_MEMORY_MIB)
    child.serve(_answer)


def _answer(request: Request) -> Generator[dict[str, Any], None, None]:
    try:
        content = Path(request["file"]).read_bytes()
        for batch in _batches(_limited(READERS[request["format"]](content))):
            yield {"rows": [astuple(block) for block in batch]}
    except (Refused, MemoryError):
        raise
    except Exception:  # noqa: BLE001 - of whatever a library meets in what it reads; its words may quote the document
        raise Refused("damaged") from None


def _limited(blocks: Iterable[Block]) -> Iterator[Block]:
    """The blocks that have text. Raises `Refused` where there is none, or too much of it."""
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
