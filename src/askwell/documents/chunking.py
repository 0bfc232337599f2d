"""Cutting documents into passages: what stands under one heading, in pieces that are read at a glance.

A table stays whole while it has few rows. Longer ones are cut between rows, and each part has the header again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from askwell.documents.blocks import Block

MOST_WORDS = 300
OVERLAP = 40
MOST_ROWS = 60
_SENTENCE = re.compile(r"(?<=[.!?…])\s+(?=[\w\"'“‘(\[])|\n")
_LONGEST_PATH = 200


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage. `locator` says where it stands: its page, and the headings above it."""

    text: str
    locator: str
    heading: str


def sentences_of(text: str) -> list[str]:
    """The sentences of a text; lines are sentences, as those of tables and lists are."""
    return [sentence.strip() for sentence in _SENTENCE.split(text) if sentence.strip()]


def chunks_of(blocks: Iterable[Block]) -> Iterator[Chunk]:
    """The passages of a document, in its order."""
    path: list[tuple[int, str]] = []
    held: list[Block] = []
    for block in blocks:
        if block.kind != "heading":
            held.append(block)
            continue
        yield from _of_section(held, path)
        held = []
        while path and path[-1][0] >= block.level:
            path.pop()
        path.append((block.level, " ".join(block.text.split())))
    yield from _of_section(held, path)


def _of_section(blocks: Sequence[Block], path: Sequence[tuple[int, str]]) -> Iterator[Chunk]:
    heading = " › ".join(name for _, name in path)[-_LONGEST_PATH:]
    words: list[str] = []  # pieces of text, of which a passage is made
    first: int | None = None
    for block in blocks:
        if block.kind == "table":
            yield from _passages(words, heading, first)
            words, first = [], None
            yield from _of_table(block, heading)
            continue
        if first is None:
            first = block.page
        elif block.page is not None and block.page != first and _count(words) > MOST_WORDS // 2:
            yield from _passages(words, heading, first)
            words, first = [], block.page
        words.append(block.text)
    yield from _passages(words, heading, first)


def _passages(paragraphs: Sequence[str], heading: str, page: int | None) -> Iterator[Chunk]:
    """Passages of whole paragraphs where they fit, of whole sentences where one does not, and of words at worst. Each
    begins with the last words of the one before."""
    pieces = [piece for paragraph in paragraphs for piece in _pieces(paragraph)]
    held: list[str] = []
    count = 0
    for piece in pieces:
        size = len(piece.split())
        if held and count + size > MOST_WORDS:
            yield Chunk(_joined(held), _locator(heading, page), heading)
            held = _tail(held)
            count = _count(held)
        held.append(piece)
        count += size
    if held:
        yield Chunk(_joined(held), _locator(heading, page), heading)


def _pieces(paragraph: str) -> Iterator[str]:
    """A paragraph in pieces that are joined again by what stood between them. A long one goes by its sentences."""
    if len(paragraph.split()) <= MOST_WORDS:
        yield paragraph + "\n\n"
        return
    for sentence in sentences_of(paragraph):
        words = sentence.split()
        for start in range(0, len(words), MOST_WORDS - OVERLAP):
            yield " ".join(words[start : start + MOST_WORDS - OVERLAP]) + " "


def _tail(pieces: Sequence[str]) -> list[str]:
    """The last pieces that are no more than the overlap; nothing where the last one is longer."""
    kept: list[str] = []
    for piece in reversed(pieces):
        if _count([*kept, piece]) > OVERLAP:
            break
        kept.insert(0, piece)
    return kept


def _of_table(block: Block, heading: str) -> Iterator[Chunk]:
    header, *rows = block.text.split("\n")
    for start in range(0, max(len(rows), 1), MOST_ROWS):
        part = rows[start : start + MOST_ROWS]
        locator = _locator(heading, block.page)
        if len(rows) > MOST_ROWS:
            locator = ", ".join(filter(None, (locator, f"rows {start + 1} to {start + len(part)}")))
        yield Chunk("\n".join((header, *part)), locator, heading)


def _joined(pieces: Sequence[str]) -> str:
    return "".join(pieces).strip()


def _count(pieces: Sequence[str]) -> int:
    return sum(len(piece.split()) for piece in pieces)


def _locator(heading: str, page: int | None) -> str:
    return ", ".join(filter(None, (f"page {page}" if page is not None else "", heading)))
