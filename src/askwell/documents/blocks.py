"""What documents are made of, whatever their format: headings, paragraphs and tables, in the order of reading."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

BlockKind = Literal["heading", "paragraph", "table"]


@dataclass(frozen=True, slots=True)
class Block:
    """A heading of a `level` (1 is the highest), a paragraph, or a table, whose text has a line for each row, the first
    one being its header. `page` counts from 1 where the format has pages."""

    kind: BlockKind
    text: str
    level: int = 0
    page: int | None = None


def table_block(rows: Sequence[Sequence[str]]) -> Block | None:
    """A table of cells; None where all of them are empty."""
    lines = [" | ".join(" ".join(cell.split()) for cell in row) for row in rows if any(cell.strip() for cell in row)]
    return Block("table", "\n".join(lines)) if lines else None
